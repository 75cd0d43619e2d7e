//! State, input and scratch: what is saved is all there is, and what is wrong is refused.

use crate::runs;
use crate::runs::{FRAME, particles, scene, solver_on};
use glam::{DQuat, DVec3, Vec3};
use seidel::Stiffness;
use seidel::{
    Balloon, Cloth, Collide, Collider, Error, Execution, GridPins, Input, Isa, Joint, Mesh, Method, Plan, Pose, Rope,
    Scene, Scratch, ShapeMatched, Solver, State, step,
};
use std::sync::Arc;

const JACOBI: Method = Method::Jacobi { relaxation: 1.2 };

/// Two cloths and a rope with everything on: damping, friction, both colliders, PBD and XPBD.
fn lively(iterations: u32) -> Scene {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (5.into(), iterations);
    let cloth = Cloth::grid([12, 9], [0.6, 0.5])
        .placed(Pose::at([0.0, 0.35, 0.0]).turned([1.0, 0.2, 0.0], seidel::degrees(15.0)), 1.0);
    scene.add(cloth.bend(1e2).compress(1e-4).damping(0.05).named("cloth"));
    let flag = Cloth::grid([7, 7], [0.4, 0.4]).placed(Pose::at([0.0, 0.7, 0.0]), 1.0).pin_grid(GridPins::Corners);
    scene.add(flag.stretch_by(Stiffness::pbd(0.8)).named("flag"));
    scene.add(Rope::new([-0.3, 0.5, 0.1], [0.3, 0.5, 0.1], 12).slack(true).named("rope"));
    let balloon = Balloon::new(Mesh::ball(0.1, 1)).placed(Pose::at([0.3, 0.11, 0.3]), 1.0).stretch(1e-2);
    scene.add(balloon.pressure_path(&[[0.0, 1.0], [0.3, 2.0]]).named("balloon"));
    let soft = ShapeMatched::new(Mesh::ball(0.1, 1))
        .placed(Pose::at([-0.3, 0.2, -0.2]).turned([0.0, 1.0, 0.4], seidel::degrees(50.0)), 1.0);
    scene.add(soft.clusters(0.1).linear(0.3).compliance(1e-3).velocity([1.0, 0.0, 0.5]).named("soft"));
    // A shape that is cut into blocks.
    let large = ShapeMatched::new(Mesh::ball(0.1, 4)).placed(Pose::at([0.3, 0.3, -0.4]), 1.0);
    scene.add(large.compliance(1e-4).named("large"));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::sphere(0.2).at([0.0, 0.1, 0.0]).named("ball"));
    scene
}

/// An input of each frame that pushes, pulls and moves things.
fn input(plan: &Plan, frame: u32) -> Input {
    let cloth = plan.body("cloth").unwrap();
    let forces: Vec<_> = (0..plan.vertices(cloth)).map(|v| Vec3::new(v as f32, 1.0, -1.0) * 1e-5).collect();
    let lift = 0.005 * frame as f32;
    let input = Input::frame(FRAME)
        .forces(cloth, &forces)
        .pin(plan.body("flag").unwrap(), 0, [-0.2, 0.7 + lift, -0.2])
        .pose(plan.collider("ball").unwrap(), Pose::at([0.0, 0.1 + lift, 0.0]));
    let input = if frame % 4 == 1 { input.pressure(plan.body("balloon").unwrap(), 1.5) } else { input };
    if frame.is_multiple_of(3) { input.gravity([1.0, -9.0, 0.0]) } else { input }
}

fn play(plan: &Plan, state: &mut State, scratch: &mut Scratch, frames: std::ops::Range<u32>) {
    for frame in frames {
        let report = step(plan, state, &input(plan, frame), scratch);
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
    }
}

#[test]
fn a_snapshot_goes_on_as_the_original_does() {
    for iterations in [1, 3] {
        let plan = Plan::new(&lively(iterations)).unwrap();
        let mut scratch = Scratch::new(&plan, Execution::default());
        let mut state = State::new(&plan);
        play(&plan, &mut state, &mut scratch, 0..10);
        let mut snapshot = state.clone();
        play(&plan, &mut state, &mut scratch, 10..20);
        let mut other = Scratch::new(&plan, Execution::new(Isa::SCALAR, 1));
        play(&plan, &mut snapshot, &mut other, 10..20);
        assert_eq!(snapshot, state);
        assert_eq!(snapshot.hash(), state.hash());
    }
}

#[test]
fn scratch_holds_nothing_from_one_step_to_the_next() {
    for (iterations, method) in [(1, Method::GaussSeidel), (3, Method::GaussSeidel), (1, JACOBI), (3, JACOBI)] {
        let mut scene = lively(iterations);
        scene.settings.method = method;
        let plan = Plan::new(&scene).unwrap();
        let mut clean = Scratch::new(&plan, Execution::default());
        let mut dirty = Scratch::new(&plan, Execution::default());
        let (mut a, mut b) = (State::new(&plan), State::new(&plan));
        for frame in 0..30 {
            play(&plan, &mut a, &mut clean, frame..frame + 1);
            dirty.poison();
            play(&plan, &mut b, &mut dirty, frame..frame + 1);
            assert_eq!(a.hash(), b.hash(), "frame {frame}, {iterations} iterations, {method:?}");
        }
    }
}

/// Nor does it where bodies touch themselves and each other: lists are made anew.
#[test]
fn pairs_are_found_anew_in_each_step() {
    for iterations in [1, 3] {
        let mut scene = scene(9.81, 5);
        scene.settings.iterations = iterations;
        let sheet = |y: f32, degrees: f64| {
            let pose = Pose::at([0.01, y, 0.02]).turned([0.1, 1.0, 0.0], seidel::degrees(degrees));
            Cloth::grid([14, 14], [0.4, 0.4]).placed(pose, 1.0).thickness(0.005).collide(Collide::All)
        };
        scene.add(sheet(0.0, 0.0).pin_grid(GridPins::Corners));
        scene.add(sheet(0.03, 30.0));
        let plan = Plan::new(&scene).unwrap();
        let (mut clean, mut dirty) =
            (Scratch::new(&plan, Execution::default()), Scratch::new(&plan, Execution::default()));
        let (mut a, mut b, mut contacts) = (State::new(&plan), State::new(&plan), 0);
        for frame in 0..15 {
            contacts += step(&plan, &mut a, &Input::frame(FRAME), &mut clean).pairs.contacts;
            dirty.poison();
            let mut snapshot = b.clone();
            step(&plan, &mut b, &Input::frame(FRAME), &mut dirty);
            assert_eq!(a.hash(), b.hash(), "frame {frame}, {iterations} iterations");
            let mut fresh = Scratch::new(&plan, Execution::new(Isa::SCALAR, 1));
            step(&plan, &mut snapshot, &Input::frame(FRAME), &mut fresh);
            assert_eq!(a.hash(), snapshot.hash(), "frame {frame}, {iterations} iterations, from a snapshot");
        }
        assert!(contacts > 100, "{contacts} contacts");
    }
}

/// Nor where an obstacle takes along what is attached and tethered to it, and contacts are recorded.
#[test]
fn what_is_taken_along_leaves_nothing_behind() {
    for iterations in [1, 3] {
        let plan = Plan::new(&runs::obstacles::dressed(iterations)).unwrap();
        let scratch = || {
            let mut scratch = Scratch::new(&plan, Execution::default());
            scratch.record_contacts(&plan, true).unwrap();
            scratch
        };
        let (mut clean, mut dirty) = (scratch(), scratch());
        let (mut a, mut b, mut held, mut contacts) = (State::new(&plan), State::new(&plan), 0, 0);
        for frame in 0..30 {
            let report = step(&plan, &mut a, &Input::frame(FRAME), &mut clean);
            (held, contacts) = (held + report.pairs.clamped, contacts + report.contacts);
            dirty.poison();
            let again = step(&plan, &mut b, &Input::frame(FRAME), &mut dirty);
            assert_eq!(a.hash(), b.hash(), "frame {frame}, {iterations} iterations");
            assert_eq!(report.pairs, again.pairs, "frame {frame}, {iterations} iterations");
            let list = |scratch: &Scratch| format!("{:?}", scratch.pair_contacts(&plan, &a).collect::<Vec<_>>());
            assert_eq!(list(&clean), list(&dirty), "frame {frame}, {iterations} iterations");
        }
        assert!(held > 100 && contacts > 100, "{held} held, {contacts} contacts with the ball");
    }
}

/// Forces of one step do not act in the next, which has none.
#[test]
fn forces_last_one_step() {
    let mut scene = scene(0.0, 3);
    let body = scene.add(particles(&[[0.0; 3]], &[2.0]));
    let mut solver = solver_on(&scene, Isa::detect(), 1);
    solver.step(&Input::frame(0.1).forces(body, &[Vec3::new(4.0, 0.0, 0.0)]));
    solver.step(&Input::frame(0.1));
    let v = runs::velocities(&solver, body)[0];
    assert!((v[0] - 0.2).abs() < 1e-7, "{v:?}");
}

#[test]
fn recorded_inputs_replay_to_the_same_bits() {
    let scene = lively(2);
    let plan = Plan::new(&scene).unwrap();
    let mut scratch = Scratch::new(&plan, Execution::default());
    let mut state = State::new(&plan);
    let (mut inputs, mut hashes) = (Vec::new(), Vec::new());
    for frame in 0..15 {
        inputs.push(input(&plan, frame));
        step(&plan, &mut state, &inputs[frame as usize], &mut scratch);
        hashes.push(state.hash());
    }
    // Another plan of the same scene: the plan, too, is the same.
    let again = Plan::new(&scene).unwrap();
    assert_eq!(again.id(), plan.id());
    assert_eq!(Plan::new(&lively(2)).unwrap().id(), plan.id());
    let mut state = State::new(&again);
    let replayed = inputs.iter().map(|input| {
        step(&again, &mut state, input, &mut scratch);
        state.hash()
    });
    assert!(replayed.eq(hashes));
}

#[test]
fn reset_and_teleport() {
    let scene = lively(1);
    let mut solver = Solver::new(&scene).unwrap();
    let start = solver.state().hash();
    runs::run(&mut solver, 5, FRAME);
    assert_ne!(solver.state().hash(), start);
    solver.reset();
    assert_eq!(solver.state().hash(), start);

    // Put aside and back before a step, a collider has no motion: friction drags nothing, and nothing else is
    // different.
    let plan = Arc::clone(solver.plan());
    let ball = plan.collider("ball").unwrap();
    let home = solver.state().pose(ball);
    runs::run(&mut solver, 10, FRAME);
    let mut other = solver.state().clone();
    other.teleport(ball, Pose::at([0.0, 50.0, 0.0]));
    assert_eq!(other.pose(ball), Pose::at([0.0, 50.0, 0.0]));
    let mut scratch = Scratch::new(&plan, Execution::default());
    step(&plan, &mut other, &Input::frame(FRAME), &mut scratch);
    assert_eq!(other.pose(ball), Pose::at([0.0, 50.0, 0.0]), "a fixed collider stays where it was put");
    other = solver.state().clone();
    other.teleport(ball, Pose::at([0.0, 50.0, 0.0]));
    other.teleport(ball, home);
    step(&plan, &mut other, &Input::frame(FRAME), &mut scratch);
    solver.step(&Input::frame(FRAME));
    assert_eq!(other.hash(), solver.state().hash());
}

#[test]
#[should_panic(expected = "body 6 is another scene's: here are 6")]
fn a_body_of_a_larger_scene_is_refused() {
    let mut larger = lively(1);
    let strange = larger.add(particles(&[[0.0; 3]], &[1.0]));
    let _ = Solver::new(&lively(1)).unwrap().positions(strange);
}

/// Also where there is one of the same number.
#[test]
fn ids_of_another_scene_are_refused() {
    let (scene, other) = (lively(1), lively(1));
    let mut solver = Solver::new(&scene).unwrap();
    let name = other.body_names().next().unwrap();
    let (body, ball) = (other.body(name).unwrap(), other.collider("ball").unwrap());
    let before = solver.state().hash();
    for (input, says) in [
        (Input::frame(FRAME).pin(body, 0, [0.0; 3]), "input: body 0 belongs to another scene"),
        (Input::frame(FRAME).forces(body, &[]), "input: body 0 belongs to another scene"),
        (Input::frame(FRAME).pressure(body, 1.0), "input: body 0 belongs to another scene"),
        (Input::frame(FRAME).pose(ball, Pose::IDENTITY), "input: collider 1 belongs to another scene"),
    ] {
        let rejected = solver.step(&input).rejected.expect("an error");
        assert!(matches!(rejected, Error::ForeignId { .. }) && rejected.to_string().starts_with(says), "{rejected}");
    }
    assert_eq!(solver.state().hash(), before);
    let read = std::panic::AssertUnwindSafe(|| solver.positions(body).len());
    assert!(std::panic::catch_unwind(read).is_err());

    // A clone's ids are the original's.
    assert_eq!(scene.clone().body(name), scene.body(name));

    let refused = |scene: &Scene| Plan::new(scene).unwrap_err();
    let mut joined = scene.clone();
    joined.join(Joint::points(joined.upcoming(0), body, &[[0, 0]]));
    assert!(matches!(refused(&joined), Error::ForeignId { of, .. } if of == "joint 0"));
    let mut attached = scene.clone();
    attached.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 3).named("cord").attach(body, &[0]));
    let error = refused(&attached).to_string();
    assert!(error.starts_with("body `cord`, attachment 0: body 0 belongs to another scene"), "{error}");
}

#[test]
#[should_panic(expected = "collider 0 is another scene's")]
fn a_collider_of_another_scene_is_refused() {
    let strange = Scene::new().add_collider(Collider::sphere(1.0));
    let _ = State::new(&Plan::new(&lively(1)).unwrap()).pose(strange);
}

#[test]
fn ids_can_be_asked_for_their_scene() {
    let (mut scene, mut other) = (lively(1), lively(1));
    let (body, collider) = (scene.add(Cloth::grid([3, 3], [1.0, 1.0])), scene.add_collider(Collider::sphere(1.0)));
    let late = scene.add(Cloth::grid([3, 3], [1.0, 1.0]));
    scene.remove(body).unwrap();
    let plan = Plan::new(&scene).unwrap();
    assert!(plan.check_id(late).is_ok() && plan.check_id(collider).is_ok());
    assert!(matches!(plan.check_id(body), Err(Error::Removed { what: "body", .. })));
    let strange = other.add_collider(Collider::sphere(1.0));
    assert!(matches!(plan.check_id(strange), Err(Error::ForeignId { what: "collider", .. })));
    // Of a later clone of the scene.
    let newer = scene.add_rigid(seidel::RigidBody::sphere(0.1));
    assert!(matches!(plan.check_id(newer), Err(Error::Missing { what: "rigid body", .. })));
}

#[test]
#[should_panic(expected = "collider 0 is another scene's")]
fn a_collider_of_another_scene_is_not_moved() {
    let strange = Scene::new().add_collider(Collider::sphere(1.0));
    State::new(&Plan::new(&lively(1)).unwrap()).teleport(strange, Pose::IDENTITY);
}

#[test]
#[should_panic(expected = "quaternion")]
fn teleport_refuses_what_is_no_pose() {
    let plan = Plan::new(&lively(1)).unwrap();
    let pose = Pose::new([f64::NAN, 0.0, 0.0], DQuat::IDENTITY);
    State::new(&plan).teleport(plan.collider("ball").unwrap(), pose);
}

#[test]
fn arrays_go_in_and_come_out_in_the_mesh_s_order() {
    let plan = Plan::new(&lively(1)).unwrap();
    let body = plan.body("cloth").unwrap();
    let n = plan.vertices(body);
    let mut state = State::new(&plan);
    let before = state.clone();
    let values: Vec<Vec3> = (0..n).map(|v| Vec3::new(v as f32, 0.5 * v as f32, -(v as f32))).collect();
    let weights: Vec<f32> = (0..n).map(|v| (v % 7) as f32).collect();
    let backwards: Vec<Vec3> = values.iter().rev().copied().collect();
    state.write_positions(&plan, body, &values).unwrap();
    state.write_velocities(&plan, body, &backwards).unwrap();
    state.write_inv_masses(&plan, body, &weights).unwrap();

    let mut out = vec![Vec3::ZERO; n];
    state.read_positions(&plan, body, &mut out);
    assert_eq!(out, values);
    state.read_velocities(&plan, body, &mut out);
    assert_eq!(out, backwards);
    let mut w = vec![0.0; n];
    state.read_inv_masses(&plan, body, &mut w);
    assert_eq!(w, weights);

    // A vertex buffer of 20 bytes a vertex; what is not a position stays.
    let mut bytes = vec![0xab; 4 + n * 20];
    state.read_positions_strided(&plan, body, &mut bytes, 4, 20);
    for (v, chunk) in bytes[4..].chunks_exact(20).enumerate() {
        let number = |k: usize| f32::from_ne_bytes(chunk[4 * k..4 * k + 4].try_into().unwrap());
        assert_eq!([number(0), number(1), number(2)], values[v].to_array());
        assert_eq!(chunk[12..], [0xab; 8]);
    }
    // The last vertex needs its 12 bytes alone.
    let mut tight = vec![0; (n - 1) * 20 + 12];
    state.read_positions_strided(&plan, body, &mut tight, 0, 20);
    assert_eq!(tight[(n - 1) * 20..], bytes[4 + (n - 1) * 20..4 + (n - 1) * 20 + 12]);

    // Other bodies are as they were.
    for other in plan.body_ids().filter(|&id| id != body) {
        let mut a = vec![Vec3::ZERO; plan.vertices(other)];
        let mut b = a.clone();
        before.read_positions(&plan, other, &mut a);
        state.read_positions(&plan, other, &mut b);
        assert_eq!(a, b);
    }
}

#[test]
fn arrays_out_of_range_change_nothing() {
    let plan = Plan::new(&lively(1)).unwrap();
    let body = plan.body("cloth").unwrap();
    let mut state = State::new(&plan);
    let before = state.clone();
    let mut values = vec![Vec3::ZERO; plan.vertices(body)];
    for wrong in [f32::NAN, f32::INFINITY, 2e6] {
        values[3].y = wrong;
        let error = state.write_positions(&plan, body, &values).unwrap_err();
        assert!(error.to_string().contains("position of vertex 3"), "{error}");
        state.write_velocities(&plan, body, &values).unwrap_err();
    }
    for wrong in [-1.0, f32::NAN, 1e13, 1e-12] {
        let mut weights = vec![1.0; plan.vertices(body)];
        weights[5] = wrong;
        let error = state.write_inv_masses(&plan, body, &weights).unwrap_err();
        assert!(error.to_string().contains("inverse mass of vertex 5"), "{error}");
    }
    assert_eq!(state, before);
}

#[test]
#[should_panic(expected = "one entry a vertex")]
fn arrays_of_another_length_panic() {
    let plan = Plan::new(&lively(1)).unwrap();
    State::new(&plan).read_positions(&plan, plan.body("cloth").unwrap(), &mut [Vec3::ZERO; 3]);
}

#[test]
fn time_steps_are_positive_and_finite() {
    for dt in [0.0, -0.0, -1.0, f32::NAN, f32::INFINITY, 1e-10, 1e4] {
        let error = Input::new(dt).unwrap_err();
        assert!(matches!(error, Error::Range { .. }), "{dt}: {error}");
    }
    assert_eq!(Input::new(FRAME).unwrap().dt(), FRAME);
}

#[test]
fn inputs_that_do_not_fit_leave_the_state_as_it_is() {
    let scene = lively(1);
    let plan = Plan::new(&scene).unwrap();
    // Ids of a larger scene.
    let mut larger = scene.clone();
    let strange_body = larger.add(particles(&[[0.0; 3]], &[1.0]));
    let strange_collider = larger.add_collider(Collider::sphere(1.0));
    let (cloth, flag) = (plan.body("cloth").unwrap(), plan.body("flag").unwrap());
    let ball = plan.collider("ball").unwrap();
    let new = || Input::frame(FRAME);
    let lame = Pose::new(DVec3::ZERO, DQuat::IDENTITY * 2.0);
    let nowhere = Pose::new([0.0, f64::NAN, 0.0], DQuat::IDENTITY);
    let wrong = [
        ("input: body `cloth`: forces has 2 entries and should have 108", new().forces(cloth, &[Vec3::ZERO; 2])),
        ("body 6 does not exist; there are 6", new().forces(strange_body, &[Vec3::ZERO])),
        ("body 6 does not exist; there are 6", new().pin(strange_body, 0, [0.0; 3])),
        ("pinned vertex 49 does not exist; there are 49", new().pin(flag, 49, [0.0; 3])),
        ("target of pin 0 is NaN", new().pin(flag, 0, [f32::NAN, 0.0, 0.0])),
        ("collider 2 does not exist; there are 2", new().pose(strange_collider, Pose::IDENTITY)),
        ("rotation of collider `ball` (squared length) is", new().pose(ball, lame)),
        ("position of collider `ball` is NaN, which is not finite", new().pose(ball, nowhere)),
        ("inverse mass of pinned vertex 1 of body `flag` is ", new().pin(flag, 1, [0.0; 3])),
        ("0: pin it first, with State::pin", new().pin(flag, 1, [0.0; 3])),
        ("gravity is inf", new().gravity([0.0, f32::INFINITY, 0.0])),
    ];
    let mut scratch = Scratch::new(&plan, Execution::default());
    let mut state = State::new(&plan);
    play(&plan, &mut state, &mut scratch, 0..3);
    let before = state.clone();
    for (message, input) in wrong {
        let report = step(&plan, &mut state, &input, &mut scratch);
        let error = report.rejected.expect(message).to_string();
        assert!(error.contains(message), "{error} / {message}");
        assert_eq!(state, before);
    }
}

/// Remembering contacts takes memory for each pair of a particle and a collider.
#[test]
fn too_many_contacts_are_refused() {
    let mut scene = scene(9.81, 1);
    scene.add(particles(&vec![[0.0; 3]; 8192], &vec![1.0; 8192]));
    for _ in 0..8193 {
        scene.add_collider(Collider::ground());
    }
    Plan::new(&scene).expect("one iteration remembers nothing");
    scene.settings.iterations = 2;
    let error = Plan::new(&scene).unwrap_err();
    let (particles, triangles, colliders) = (8192, 0, 8193);
    let (got, limit) = (8192 * 8193, 1 << 26);
    assert_eq!(error, Error::TooManyContacts { particles, triangles, colliders, got, limit });
    for number in ["8192", "8193", "67117056", "67108864"] {
        assert!(error.to_string().contains(number), "{error}");
    }
}

#[test]
fn what_another_plan_made_is_refused() {
    let (plan, other) = (Plan::new(&lively(1)).unwrap(), Plan::new(&lively(3)).unwrap());
    assert_ne!(plan.id(), other.id());
    let execution = Execution::default();
    let (mut state, mut scratch) = (State::new(&other), Scratch::new(&plan, execution));
    let refused = |state: &mut State, scratch: &mut Scratch| {
        let before = state.clone();
        let report = step(&plan, state, &Input::frame(FRAME), scratch);
        assert_eq!(*state, before);
        report.rejected
    };
    assert_eq!(refused(&mut state, &mut scratch), Some(Error::OtherPlan { what: "state" }));
    let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&other, execution));
    assert_eq!(refused(&mut state, &mut scratch), Some(Error::OtherPlan { what: "scratch" }));
}
