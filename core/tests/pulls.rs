//! Pulls: an input draws vertices towards points. Equilibria, periods and impulses are known.

use crate::runs::{self, FRAME, G, P, add, momentum, norm, particles, positions, scale, scene, sub, velocities};
use glam::Vec3;
use seidel::{
    BatchScratch, BodyId, Cloth, Collider, Execution, GridPins, Input, Isa, Method, Plan, Pose, Rod, Scene, Scratch,
    Solver, State, Stiffness, VelocityUpdate, step, step_many,
};

/// One particle at the origin.
fn point(mut scene: Scene, mass: f64) -> (Solver, BodyId) {
    let body = scene.add(particles(&[[0.0; 3]], &[mass]));
    (runs::solver(&scene), body)
}

/// Steps, each followed by a loss of a fifth of all velocities: what rests is not moved by that.
fn play_to_rest(solver: &mut Solver, body: BodyId, steps: u32, input: &Input) {
    for _ in 0..steps {
        play(solver, 1, input);
        let slowed: Vec<P> = velocities(solver, body).into_iter().map(|v| scale(v, 0.8)).collect();
        runs::set_velocities(solver, body, &slowed);
    }
}

fn play(solver: &mut Solver, steps: u32, input: &Input) {
    for step in 0..steps {
        let report = solver.step(input);
        assert!(report.rejected.is_none() && report.lost.is_none(), "step {step}: {report:?}");
    }
}

fn near(got: P, want: P, within: f64) {
    assert!(norm(sub(got, want)) <= within, "{got:?} and not {want:?} within {within}");
}

#[test]
fn a_rigid_pull_takes_a_vertex_to_its_point() {
    for (substeps, iterations, update) in
        [(1, 1, VelocityUpdate::FirstOrder), (4, 3, VelocityUpdate::FirstOrder), (4, 1, VelocityUpdate::SecondOrder)]
    {
        let mut scene = scene(9.81, substeps);
        (scene.settings.iterations, scene.settings.velocity_update) = (iterations, update);
        let cloth = scene.add(Cloth::grid([6, 6], [1.0, 1.0]).bend(1e3));
        let mut solver = runs::solver(&scene);
        for frame in 0..20 {
            let to = [-0.5 + 0.02 * frame as f32, 0.01 * frame as f32, -0.5];
            play(&mut solver, 1, &Input::frame(FRAME).pull(cloth, 0, to, 0.0));
            near(positions(&solver, cloth)[0], to.map(f64::from), 1e-6);
        }
        // Let go, it falls with all others.
        let before = positions(&solver, cloth)[0];
        play(&mut solver, 10, &Input::frame(FRAME));
        assert!(positions(&solver, cloth)[0][1] < before[1] - 0.05);
    }
}

/// Force = (point - position) / compliance, so a mass m hangs m g compliance below its point.
#[test]
fn a_hanging_mass_sags_by_its_weight_times_the_compliance() {
    for update in [VelocityUpdate::FirstOrder, VelocityUpdate::SecondOrder] {
        for (substeps, iterations) in [(1, 1), (1, 4), (8, 1), (5, 3)] {
            for compliance in [1e-2, 1e-3] {
                let mut scene = scene(9.81, substeps);
                (scene.settings.iterations, scene.settings.velocity_update) = (iterations, update);
                let (mass, target) = (2.5, [0.1, 0.2, -0.3]);
                let (mut solver, body) = point(scene, mass);
                play_to_rest(&mut solver, body, 240, &Input::frame(FRAME).pull(body, 0, target, compliance));
                let sag = mass * G * f64::from(compliance);
                let want = add(target.map(f64::from), [0.0, -sag, 0.0]);
                near(positions(&solver, body)[0], want, 2e-4 * sag + 1e-6);
                assert!(norm(velocities(&solver, body)[0]) < 1e-3);
            }
        }
    }
}

/// A mass on a spring of 1 / compliance: period 2 pi sqrt(m compliance). In second order the amplitude stays.
#[test]
fn a_mass_swings_about_its_point_with_the_period_of_a_spring() {
    for (update, loses) in [(VelocityUpdate::FirstOrder, true), (VelocityUpdate::SecondOrder, false)] {
        let mut scene = scene(0.0, 10);
        scene.settings.velocity_update = update;
        let (mass, compliance, reach) = (0.5, 0.05, 0.2);
        let (mut solver, body) = point(scene, mass);
        let period = std::f64::consts::TAU * (mass * f64::from(compliance)).sqrt();
        let input = Input::frame((period / 60.0) as f32).pull(body, 0, [reach, 0.0, 0.0], compliance);
        play(&mut solver, 30, &input);
        let (x, kept) = (positions(&solver, body)[0][0], if loses { 0.7 } else { 0.98 });
        assert!((1.0 + kept) * f64::from(reach) < x && x < 2.001 * f64::from(reach), "{update:?}: {x} m");
        play(&mut solver, 30, &input);
        let x = positions(&solver, body)[0][0];
        assert!(x.abs() < (1.0 - kept * kept) * f64::from(reach) + 1e-3, "{update:?}: {x} m after a period");
    }
}

#[test]
fn two_pulls_on_a_vertex_share_it_as_springs_do() {
    let mut scene = scene(0.0, 6);
    scene.settings.iterations = 20;
    let (mut solver, body) = point(scene, 1.0);
    let [(a, soft), (b, hard)] = [([1.0, 0.0, 0.0], 4e-3), ([0.0, 2.0, 0.0], 1e-3)];
    play_to_rest(&mut solver, body, 120, &Input::frame(FRAME).pull(body, 0, a, soft).pull(body, 0, b, hard));
    let [k, l] = [soft, hard].map(|compliance: f32| 1.0 / f64::from(compliance));
    let want = scale(add(scale(a.map(f64::from), k), scale(b.map(f64::from), l)), 1.0 / (k + l));
    near(positions(&solver, body)[0], want, 2e-3);
    // Of two rigid ones the last has the last word.
    play(&mut solver, 2, &Input::frame(FRAME).pull(body, 0, a, 0.0).pull(body, 0, b, 0.0));
    near(positions(&solver, body)[0], b.map(f64::from), 1e-6);
}

#[test]
fn a_pinned_vertex_stays() {
    let mut scene = scene(9.81, 4);
    let cloth = scene.add(Cloth::grid([5, 5], [1.0, 1.0]).pin_grid(GridPins::FirstRow));
    let [mut pulled, mut quiet] = [(); 2].map(|()| runs::solver(&scene));
    play(&mut pulled, 10, &Input::frame(FRAME).pull(cloth, 2, [5.0, 5.0, 5.0], 0.0));
    play(&mut quiet, 10, &Input::frame(FRAME));
    assert_eq!(pulled.state().hash(), quiet.state().hash());
    // Pinned by hand as well.
    let mut masses = vec![0.0; 25];
    pulled.state().read_inv_masses(pulled.plan(), cloth, &mut masses);
    masses[24] = 0.0;
    let plan = std::sync::Arc::clone(pulled.plan());
    pulled.state_mut().write_inv_masses(&plan, cloth, &masses).unwrap();
    let before = positions(&pulled, cloth)[24];
    play(&mut pulled, 5, &Input::frame(FRAME).pull(cloth, 24, [5.0, 5.0, 5.0], 0.0));
    assert_eq!(positions(&pulled, cloth)[24], before);
}

#[test]
fn colliders_win() {
    for compliance in [0.0, 1e-4] {
        let mut scene = scene(9.81, 4);
        let at = Cloth::grid([5, 5], [0.4, 0.4]).placed(Pose::at([0.0, 0.1, 0.0]), 1.0).thickness(0.01);
        let cloth = scene.add(at);
        scene.add_collider(Collider::ground().thickness(0.0));
        scene.add_collider(Collider::sphere(0.2).at([1.0, 0.5, 0.0]).thickness(0.0));
        let mut solver = runs::solver(&scene);
        for frame in 0..60 {
            // Through the ground, and into the ball.
            let to = [[0.3, -2.0, 0.0], [1.0, 0.5, 0.0]][usize::from(frame >= 30)];
            play(&mut solver, 1, &Input::frame(FRAME).pull(cloth, 12, to, compliance));
            let x = positions(&solver, cloth)[12];
            assert!(x[1] > 0.01 - 1e-4, "frame {frame}: {x:?} is in the ground");
            assert!(norm(sub(x, [1.0, 0.5, 0.0])) > 0.21 - 1e-4, "frame {frame}: {x:?} is in the ball");
        }
    }
}

/// A free cloth gets the impulse of the force at its end of the step, and no other.
#[test]
fn the_impulse_is_force_times_time() {
    for (method, iterations) in [(Method::GaussSeidel, 1), (Method::GaussSeidel, 3), (Method::JACOBI, 2)] {
        let mut scene = scene(0.0, 1);
        (scene.settings.method, scene.settings.iterations) = (method, iterations);
        let cloth = scene.add(Cloth::grid([6, 6], [1.0, 1.0]).stretch(1e-4));
        let mut solver = runs::solver(&scene);
        let (target, compliance): ([f32; 3], f32) = ([0.7, 0.3, -0.2], 5e-2);
        let (mut before, mut most) = ([0.0; 3], 0.0f64);
        for frame in 0..20 {
            play(&mut solver, 1, &Input::frame(FRAME).pull(cloth, 21, target, compliance));
            let after = momentum(&solver, cloth);
            let force = scale(sub(target.map(f64::from), positions(&solver, cloth)[21]), 1.0 / f64::from(compliance));
            let want = scale(force, f64::from(FRAME));
            assert!(norm(sub(sub(after, before), want)) < 1e-3 * norm(want) + 1e-6, "{method:?}, frame {frame}");
            (before, most) = (after, most.max(norm(after)));
        }
        assert!(most > 0.1, "{most} kg m/s");
    }
}

#[test]
fn a_pull_that_cannot_be_is_refused_and_nothing_changes() {
    let mut scene = scene(9.81, 2);
    let cloth = scene.add(Cloth::grid([4, 4], [1.0, 1.0]).named("sheet"));
    let mut solver = runs::solver(&scene);
    let mut other = runs::scene(9.81, 2);
    let foreign = other.add(Cloth::grid([4, 4], [1.0, 1.0]));
    play(&mut solver, 3, &Input::frame(FRAME));
    let (before, origin) = (solver.state().clone(), [0.0; 3]);
    let input = || Input::frame(FRAME);
    for (input, says) in [
        (input().pull(cloth, 16, origin, 0.0), "pulled vertex 16 does not exist; there are 16"),
        (input().pull(foreign, 0, origin, 0.0), "body 0 belongs to another scene"),
        (input().pull(cloth, 3, [0.0, 1.1e6, 0.0], 0.0), "target of the pull of vertex 3"),
        (input().pull(cloth, 3, [f32::NAN, 0.0, 0.0], 0.0), "target of the pull of vertex 3"),
        (input().pull(cloth, 3, [f32::INFINITY, 0.0, 0.0], 0.0), "target of the pull of vertex 3"),
        (input().pull(cloth, 5, origin, -1e-9), "compliance of the pull of vertex 5"),
        (input().pull(cloth, 5, origin, f32::NAN), "compliance of the pull of vertex 5"),
        (input().pull(cloth, 5, origin, f32::INFINITY), "compliance of the pull of vertex 5"),
        (input().pull(cloth, 0, origin, 1.0).pull(cloth, 16, origin, 1.0), "pulled vertex 16"),
    ] {
        let report = solver.step(&input);
        let error = report.rejected.expect(says).to_string();
        assert!(error.contains(says), "{error}");
        assert!(*solver.state() == before && solver.state().hash() == before.hash(), "{says}");
    }
    play(&mut solver, 1, &input().pull(cloth, 0, origin, 1e18).pull(cloth, 1, [1e6, 0.0, 0.0], 0.0));
}

/// Cloth on a ball, and a rod, whose rows are laid out otherwise.
fn lively(update: VelocityUpdate, iterations: u32) -> Scene {
    let mut scene = scene(9.81, 4);
    (scene.settings.velocity_update, scene.settings.iterations) = (update, iterations);
    let cloth = Cloth::grid([40, 40], [1.0, 1.0]).placed(Pose::at([0.0, 0.43, 0.0]), 1.0).damping(0.02).bend(1e3);
    scene.add(cloth.named("cloth"));
    scene.add(Rod::new([0.5, 0.3, 0.0], [0.9, 0.3, 0.0], 12).pin(&[0, 1]).named("rod"));
    scene.add(
        Cloth::grid([7, 7], [0.3, 0.3])
            .placed(Pose::at([-1.0, 0.5, 0.0]), 1.0)
            .stretch_by(Stiffness::pbd(0.8))
            .named("pbd"),
    );
    scene.add_collider(Collider::sphere(0.2).at([0.0, 0.2, 0.0]));
    scene
}

/// Hands come, go, and hold a vertex together.
fn hands(plan: &Plan, frame: u32) -> Input {
    let [cloth, rod, pbd] = ["cloth", "rod", "pbd"].map(|name| plan.body(name).unwrap());
    let lift = 0.01 * frame as f32;
    let input = Input::frame(FRAME).pull(rod, 11, [0.8, 0.4 + lift, 0.1], 1e-3);
    match frame % 4 {
        3 => Input::frame(FRAME),
        2 => input.pull(pbd, 48, [-1.0, 0.8, 0.0], 0.0),
        _ => input.pull(cloth, 0, [-0.6, 0.5 + lift, -0.5], 1e-2).pull(cloth, 0, [-0.5, 0.7, -0.4], 2e-2).pull(
            cloth,
            817,
            [0.0, 0.7, 0.0],
            0.0,
        ),
    }
}

#[test]
fn lanes_threads_snapshots_and_poison_change_no_bit() {
    for (update, iterations) in
        [(VelocityUpdate::FirstOrder, 1), (VelocityUpdate::FirstOrder, 2), (VelocityUpdate::SecondOrder, 2)]
    {
        let plan = Plan::new(&lively(update, iterations)).unwrap();
        let run = |execution: Execution, poison: bool| {
            let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, execution));
            let mut hashes = Vec::new();
            for frame in 0..8 {
                if poison {
                    scratch.poison();
                }
                if frame == 5 {
                    state = State::from_bytes(&plan, &state.to_bytes()).unwrap();
                }
                let report = step(&plan, &mut state, &hands(&plan, frame), &mut scratch);
                assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
                hashes.push(state.hash());
            }
            hashes
        };
        let first = run(Execution::new(Isa::detect(), 1), false);
        for isa in Isa::available() {
            assert_eq!(run(Execution::new(isa, 3), true), first, "{isa}, {update:?}");
        }
    }
}

/// Nothing of a pull is left for the next step.
#[test]
fn a_pull_lasts_one_step() {
    let scene = lively(VelocityUpdate::FirstOrder, 1);
    let [mut pulled, mut other] = [(); 2].map(|()| runs::solver(&scene));
    let cloth = pulled.plan().body("cloth").unwrap();
    play(&mut pulled, 1, &Input::frame(FRAME).pull(cloth, 0, Vec3::ZERO, 1e-2));
    *other.state_mut() = pulled.state().clone();
    play(&mut pulled, 3, &Input::frame(FRAME));
    play(&mut other, 3, &Input::frame(FRAME));
    assert_eq!(pulled.state().hash(), other.state().hash());
}

/// Each of several states has the hands of its own input.
#[test]
fn many_states_are_pulled_as_one_is() {
    let plan = Plan::new(&lively(VelocityUpdate::FirstOrder, 1)).unwrap();
    let inputs = [2, 3, 1].map(|frame| hands(&plan, frame));
    let mut many = vec![State::new(&plan); 3];
    let mut batch = BatchScratch::new(&plan, Execution::new(Isa::detect(), 2));
    let mut scratch = Scratch::new(&plan, Execution::new(Isa::detect(), 1));
    let mut single = many.clone();
    for _ in 0..3 {
        step_many(&plan, &mut many, &inputs, &mut batch).unwrap();
        for (state, input) in single.iter_mut().zip(&inputs) {
            step(&plan, state, input, &mut scratch);
        }
    }
    assert!(many == single && many[0] != many[1]);
}
