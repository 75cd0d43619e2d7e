//! Pins that follow paths: where they are is known.

use glam::{DQuat, DVec3, Vec3};
use seidel::collider::{Key, Motion};
use seidel::{Cloth, GridPins, Input, MovingPins, Obstacle, Plan, Pose, Rope, Scene, Solver, State, Tether};
use std::sync::Arc;

const DT: f32 = 1.0 / 60.0;

/// A sheet of one metre in the plane y = 1, whose last column follows a path.
fn sheet(path: Motion, about: [f64; 3]) -> Scene {
    let mut scene = Scene::new();
    let cloth = Cloth::grid([9, 9], [1.0, 1.0]).placed(Pose::at([0.0, 1.0, 0.0]), 1.0).bend(1e2);
    let column = cloth.grid_part(GridPins::LastColumn);
    assert_eq!(column, (0..9).map(|j| 9 * j + 8).collect::<Vec<u32>>());
    scene.add(cloth.pin_grid(GridPins::FirstColumn).move_pins(MovingPins::new(column, path).about(about)));
    scene
}

fn positions(solver: &Solver) -> Vec<Vec3> {
    let body = solver.plan().body_ids().next().expect("a body");
    let mut positions = vec![Vec3::ZERO; solver.plan().vertices(body)];
    solver.state().read_positions(solver.plan(), body, &mut positions);
    positions
}

/// A quarter turn a second about the x axis through (0, 1, 0), and a decimetre along: at the end of every step to the
/// last bit but one of the sine's and cosine's rounding.
#[test]
fn pins_are_on_their_path_at_the_end_of_every_step() {
    let path = Motion::Steady {
        velocity: [0.1, 0.0, 0.0].into(),
        axis: [1.0, 0.0, 0.0].into(),
        turns: 0.25,
        start: 0.2,
        end: Some(1.2),
    };
    let mut solver = Solver::new(&sheet(path, [0.0, 1.0, 0.0])).expect("a sound scene");
    for _ in 0..90 {
        solver.step(&Input::frame(DT));
        let passed = (solver.state().time() - 0.2).clamp(0.0, 1.0);
        let angle = passed * std::f64::consts::FRAC_PI_2;
        for (vertex, x) in positions(&solver).iter().enumerate() {
            let z = (vertex / 9) as f64 / 8.0 - 0.5;
            if vertex % 9 == 0 {
                assert_eq!(*x, Vec3::new(-0.5, 1.0, z as f32), "what rests stays");
            }
            if vertex % 9 == 8 {
                let want = [0.5 + 0.1 * passed, 1.0 - z * angle.sin(), z * angle.cos()].map(|c| c as f32);
                assert!(x.distance(Vec3::from(want)) < 2e-7, "{x} and not {want:?} after {passed} s");
            }
        }
    }
}

/// The same bits as a user's own pins of every step's input; and what the input says goes before the path.
#[test]
fn a_path_is_the_pins_of_every_input() {
    let keys = [(0.0, 0.0, 0.0), (0.3, 0.2, 100.0), (0.5, 0.0, -40.0)];
    let key = |(time, y, degrees)| Key {
        time,
        offset: [0.0, y, 0.0].into(),
        axis: [0.0, 0.2, 1.0].into(),
        angle: seidel::degrees(degrees),
    };
    let path = Motion::KeyFrames { keys: keys.map(key).to_vec() };
    let about = [0.25, 1.0, 0.125];
    let mut driven = Solver::new(&sheet(path.clone(), about)).expect("a sound scene");
    let resting =
        Motion::Steady { velocity: [0.0; 3].into(), axis: [0.0; 3].into(), turns: 0.0, start: 0.0, end: None };
    let mut given = Solver::new(&sheet(resting, about)).expect("a sound scene");
    let body = given.plan().body_ids().next().expect("a body");
    let column: Vec<usize> = (0..9).map(|j| 9 * j + 8).collect();
    let first = positions(&given);
    for step in 0..40 {
        let pose = path.at(&Pose::new(about, DQuat::IDENTITY), given.state().time() + f64::from(DT));
        let input = column.iter().fold(Input::frame(DT), |input, &vertex| {
            let x = pose.transform_point(first[vertex].as_dvec3() - DVec3::from(about));
            input.pin(body, vertex as u32, x.as_vec3())
        });
        given.step(&input);
        driven.step(&Input::frame(DT));
        assert_eq!(positions(&driven), positions(&given), "step {step}");
    }
    let end = *positions(&driven).last().expect("vertices");
    assert!(end.distance(*first.last().expect("vertices")) > 0.1, "it has moved");
}

/// A pin that is set free falls, whatever its path; states of the same plan without one agree bit for bit.
#[test]
fn a_path_moves_only_what_is_fixed() {
    let up =
        Motion::Steady { velocity: [0.0, 1.0, 0.0].into(), axis: [0.0; 3].into(), turns: 0.0, start: 0.0, end: None };
    let mut scene = Scene::new();
    let rope = Rope::new([0.0, 2.0, 0.0], [1.0, 2.0, 0.0], 8);
    scene.add(rope.pin(&[0]).move_pins(MovingPins::new(vec![8], up)));
    let plan = Arc::new(Plan::new(&scene).expect("a sound scene"));
    let body = plan.body_ids().next().expect("a body");
    let mut state = State::new(&plan);
    let mut masses = vec![0.0; 9];
    state.read_inv_masses(&plan, body, &mut masses);
    assert_eq!((masses[0], masses[8]), (0.0, 0.0));
    masses[8] = 100.0;
    state.write_inv_masses(&plan, body, &masses).expect("sound masses");
    let mut scratch = seidel::Scratch::new(&plan, seidel::Execution::default());
    for _ in 0..10 {
        let report = seidel::step(&plan, &mut state, &Input::frame(DT), &mut scratch);
        assert_eq!(report.rejected, None);
    }
    let mut positions = vec![Vec3::ZERO; 9];
    state.read_positions(&plan, body, &mut positions);
    assert!(positions[8].y < 1.99, "{}", positions[8]);
}

/// Bodies of a user's own are refused where a path names what is free or does not exist.
#[test]
fn paths_of_free_vertices_are_refused() {
    let path = || Motion::Linear { velocity: [1.0, 0.0, 0.0].into() };
    let error = |vertices: Vec<u32>, masses: [f32; 2]| {
        let mut body = seidel::Body::particles(vec![[0.0; 3], [1.0, 0.0, 0.0]], masses.to_vec());
        body.moving_pins = vec![MovingPins::new(vertices, path())];
        let mut scene = Scene::new();
        scene.add(body);
        Plan::new(&scene).err().map(|e| e.to_string())
    };
    assert_eq!(error(vec![0], [0.0, 1.0]), None);
    let of = "body `body-0`, moving pins 0";
    assert_eq!(
        error(vec![1], [0.0, 1.0]),
        Some(format!("{of}: inverse mass of vertex 1 is 1, which is not 0: what is moved is fixed"))
    );
    assert_eq!(error(vec![2], [0.0, 0.0]), Some(format!("{of}: vertex 2 does not exist; there are 2")));
    assert_eq!(error(vec![0, 0], [0.0, 0.0]), Some(format!("{of}: vertex 0 is named twice; it can follow one path")));
}

/// A pin on an obstacle's vertex goes before its path, and what is attached and tethered to the obstacle goes with it.
#[test]
fn what_follows_an_obstacle_follows_its_pins() {
    let mut scene = Scene::new();
    let plate = Cloth::grid([2, 2], [1.0, 1.0]);
    let up =
        Motion::Steady { velocity: [0.0, 0.5, 0.0].into(), axis: [0.0; 3].into(), turns: 0.0, start: 0.0, end: None };
    let obstacle = scene.add(Obstacle::new(plate.mesh()).motion(up, [0.0; 3]));
    let corner = Vec3::from(plate.mesh().positions[0]);
    let rope = |from: Vec3| Rope::new(from.to_array(), (from - Vec3::Y).to_array(), 6);
    let attached = scene.add(rope(corner).attach(obstacle, &[0]));
    let tethered = scene.add(rope(corner).tether(Tether::new(obstacle, vec![0], 0.0)));
    let mut solver = Solver::new(&scene).expect("a sound scene");
    for step in 1..=20 {
        let target = corner + Vec3::new(0.01 * step as f32, 0.02, -0.015 * step as f32);
        let report = solver.step(&Input::frame(DT).pin(obstacle, 0, Vec3::ZERO).pin(obstacle, 0, target));
        assert_eq!((report.rejected, report.lost), (None, None));
        assert_eq!(solver.positions(obstacle)[0], target, "step {step}");
        for body in [attached, tethered] {
            let end = solver.positions(body)[0];
            assert!(end.distance(target) < 2e-7, "step {step}: {end} and not {target}");
        }
        let height = 0.5 * DT * step as f32;
        assert!((solver.positions(obstacle)[3].y - height).abs() < 1e-6, "the others follow the path");
    }
}
