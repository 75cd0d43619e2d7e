//! Coming to rest: drag relative to the world, damping of strain that leaves the shape at rest alone, kinetic damping.

use seidel::collider::Motion;
use seidel::glam::Vec3;
use seidel::{
    Body, Cloth, Collider, Execution, Input, MovingPins, Plan, Rod, Rope, Scene, Scratch, Solver, State, settle, step,
};

/// v(t) = v0 exp(-c t) + g / c (1 - exp(-c t)), however long substeps are.
#[test]
fn drag_is_the_same_at_every_time_step() {
    let (c, g, v0, seconds) = (2.0f64, -9.81, 3.0f32, 1.5);
    for (steps, substeps) in [(1, 1), (3, 7), (90, 20)] {
        let mut scene = Scene::new();
        scene.settings.substeps = substeps.into();
        let mut body = Body::particles(vec![[0.0; 3], [1.0, 0.0, 0.0]], vec![1.0, 1.0]);
        body.velocities = vec![[v0, 0.0, 0.0]; 2];
        body.linear_damping = c as f32;
        let body = scene.add(body);
        let mut solver = Solver::new(&scene).unwrap();
        for _ in 0..steps {
            assert!(solver.step(&Input::frame(seconds / steps as f32)).rejected.is_none());
        }
        let mut v = [Vec3::ZERO; 2];
        solver.state().read_velocities(solver.plan(), body, &mut v);
        let left = (-c * f64::from(seconds)).exp();
        let wanted = [f64::from(v0) * left, g / c * (1.0 - left)];
        for v in v {
            assert!((f64::from(v.x) - wanted[0]).abs() < 1e-5 && (f64::from(v.y) - wanted[1]).abs() < 1e-4, "{v}");
        }
    }
}

/// The rod of docs/scene.md: 6 cm of sag, whatever the relaxation time.
fn rod(relaxation: f32, damping: f32) -> (Scene, seidel::BodyId) {
    let mut scene = Scene::new();
    scene.settings.substeps = 200.into();
    let rod = Rod::new([0.0, 1.0, 0.0], [0.4, 1.0, 0.0], 10)
        .radius(0.001)
        .density(7850.0)
        .young(2e11)
        .end_masses([0.0, 0.05])
        .relaxation(relaxation)
        .linear_damping(damping)
        .pin(&[0, 1]);
    let rod = scene.add(rod);
    (scene, rod)
}

#[test]
fn a_relaxation_time_leaves_the_sag_as_it_is() {
    let sag = |relaxation: f32| {
        let (scene, rod) = rod(relaxation, 0.0);
        let mut solver = Solver::new(&scene).unwrap();
        let settled = solver.settle(&Input::frame(1.0 / 60.0), 4.0);
        assert!(settled.failed.is_none() && settled.speed < 0.01, "{relaxation}: {settled:?}");
        1.0 - solver.positions(rod)[10].y
    };
    let alone = sag(0.0);
    assert!((0.055..0.07).contains(&alone), "{alone}");
    for relaxation in [1e-3, 1e-2, 0.1] {
        let damped = sag(relaxation);
        assert!((damped / alone - 1.0).abs() < 0.01, "{relaxation} s: {damped} m and not {alone} m");
    }
}

/// A swing that strain hardly damps dies away in the air.
#[test]
fn a_swing_dies_away_in_the_air() {
    let (scene, rod) = rod(0.0, 1.0);
    let mut solver = Solver::new(&scene).unwrap();
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for frame in 0..600 {
        solver.step(&Input::frame(1.0 / 60.0));
        if frame >= 540 {
            let y = solver.positions(rod)[10].y;
            (low, high) = (low.min(y), high.max(y));
        }
    }
    assert!(high - low < 2e-3, "swings between {low} and {high} m after 9 s");
}

/// A pinned sheet hangs still from the first frame, pins and time where they were.
#[test]
fn a_sheet_settles_before_it_starts() {
    let mut scene = Scene::new();
    let path = Motion::Linear { velocity: [0.5, 0.0, 0.0].into() };
    let sheet = Cloth::grid([20, 20], [1.0, 1.0]).bend(1.0).move_pins(MovingPins::new(vec![0, 19], path));
    let sheet = scene.add(sheet);
    scene.add_collider(Collider::ground().at([0.0, -2.0, 0.0]));
    let plan = Plan::new(&scene).unwrap();
    let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::default()));
    let frame = Input::frame(1.0 / 60.0);
    let settled = settle(&plan, &mut state, &frame, 300, &mut scratch);
    assert!(settled.failed.is_none() && settled.steps == 300 && settled.speed < 0.05, "{settled:?}");
    assert_eq!(state.time(), 0.0);
    assert_eq!(plan.measure(&state).kinetic, 0.0);
    let mut x = vec![Vec3::ZERO; 400];
    state.read_positions(&plan, sheet, &mut x);
    assert_eq!(x[0], Vec3::new(-0.5, 0.0, -0.5));
    let hangs = x[390].y;
    assert!(hangs < -0.5, "{hangs}");
    // The pins' path begins now.
    for _ in 0..6 {
        step(&plan, &mut state, &frame, &mut scratch);
    }
    state.read_positions(&plan, sheet, &mut x);
    assert!((x[0].x - (-0.45)).abs() < 1e-5 && (x[390].y - hangs).abs() < 0.02, "{} {} {hangs}", x[0], x[390]);
}

/// Damping relative to the world takes the energy of a sheet's swing: after 10 s next to nothing is left.
#[test]
fn a_pinned_sheet_comes_to_rest_in_ten_seconds() {
    let mut scene = Scene::new();
    scene.add(Cloth::grid([12, 12], [1.0, 1.0]).pin_grid(seidel::GridPins::FirstRowCorners).linear_damping(1.0));
    let mut solver = Solver::new(&scene).unwrap();
    let (mut most, mut last) = (0.0f64, 0.0);
    for _ in 0..600 {
        assert!(solver.step(&Input::frame(1.0 / 60.0)).rejected.is_none());
        last = solver.plan().energies(solver.state())[0];
        most = most.max(last);
    }
    assert!(most > 0.01 && last < 1e-3 * most, "{last} J of {most}");
}

/// A rope that falls has not come to rest when it has just been stopped at its lowest, after 40 steps.
#[test]
fn what_has_just_been_stopped_is_not_at_rest() {
    let mut scene = Scene::new();
    scene.add(Rope::new([0.0; 3], [2.0, 0.0, 0.0], 20).pin(&[0]));
    let slowest = (30..50).map(|steps| {
        let mut solver = Solver::new(&scene).expect("a sound scene");
        solver.settle(&Input::frame(1.0 / 60.0), f64::from(steps) / 60.0).speed
    });
    let slowest = slowest.fold(f64::INFINITY, f64::min);
    assert!(slowest > 5.0, "{slowest} m/s");
}
