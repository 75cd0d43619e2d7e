//! Rigid bodies that rest fall asleep, and wake.

use crate::runs::FRAME;
use crate::runs::rigid::{pose, run, same_bits_everywhere};
use glam::DVec3;
use seidel::joint::Motor;
use seidel::{
    Cloth, Collider, Execution, Input, Plan, Pose, RigidBody, RigidId, RigidJoint, Scene, Scratch, Solver, State, step,
};
use std::sync::Arc;

/// Rigid bodies that may sleep, on the ground, in four substeps.
fn sleepy() -> Scene {
    let mut scene = Scene::new();
    (scene.settings.sleep, scene.settings.substeps) = (true, 4.into());
    scene.add_collider(Collider::ground().friction(0.6));
    scene
}

fn pyramid(scene: &mut Scene, base: u8, at: f32) -> Vec<RigidId> {
    let mut ids = Vec::new();
    for level in 0..base {
        for k in 0..base - level {
            let x = 1.05 * (f32::from(k) - 0.5 * f32::from(base - level - 1));
            ids.push(scene.add_rigid(RigidBody::cuboid([0.5; 3]).at([x, 0.5 + f32::from(level), at])));
        }
    }
    ids
}

fn asleep(solver: &Solver, body: RigidId) -> bool {
    solver.state().is_asleep(solver.plan(), body)
}

/// A solver whose bodies have all fallen asleep.
fn slept(scene: &Scene, seconds: f32) -> Solver {
    let mut solver = Solver::new(scene).unwrap();
    run(&mut solver, seconds);
    let count = solver.plan().rigid_ids().filter(|&id| asleep(&solver, id)).count();
    assert_eq!(count, solver.plan().rigid_bodies(), "of all bodies so many sleep");
    solver
}

#[test]
fn a_pyramid_sleeps_where_it_stands_until_a_ball_hits_it() {
    let mut scene = sleepy();
    let boxes = pyramid(&mut scene, 5, 0.0);
    let other = pyramid(&mut scene, 2, 30.0);
    let ball = scene.add_rigid(RigidBody::sphere(0.4).density(3000.0).at([0.0, 0.4, 8.0]));
    let mut solver = slept(&scene, 2.0);
    let before = solver.state().clone();
    let report = solver.step(&Input::frame(FRAME));
    assert_eq!((report.rigid_asleep, report.rigid_contacts > 0), (19, true));
    run(&mut solver, 5.0);
    assert_eq!(boxes.iter().map(|&id| pose(&solver, id)).collect::<Vec<_>>(), {
        boxes.iter().map(|&id| before.rigid_pose(solver.plan(), id)).collect::<Vec<_>>()
    });
    let plan = Arc::clone(solver.plan());
    solver.state_mut().set_rigid_velocity(&plan, ball, [DVec3::new(0.0, 0.0, -20.0), DVec3::ZERO]);
    run(&mut solver, 0.25);
    assert!(!asleep(&solver, ball) && boxes.iter().all(|&id| asleep(&solver, id)), "it has not come near yet");
    run(&mut solver, 0.25);
    assert!(boxes.iter().all(|&id| !asleep(&solver, id)), "an island wakes as a whole");
    let moved = boxes.iter().any(|&id| solver.state().rigid_velocity(&plan, id)[0].length() > 1.0);
    assert!(moved && other.iter().all(|&id| asleep(&solver, id)));
    run(&mut solver, 12.0);
    assert!(boxes.iter().all(|&id| asleep(&solver, id)), "what has fallen sleeps again");
}

/// What hits one of two sleepers that barely do not touch pushes the other in the same step.
#[test]
fn a_row_of_sleepers_hands_a_blow_on() {
    let mut scene = sleepy();
    scene.settings.substeps = 20.into();
    let ball = |x: f32| RigidBody::sphere(0.1).restitution(1.0).friction(0.0).at([x, 0.1, 0.0]);
    let row: Vec<_> = (0..4u8).map(|k| scene.add_rigid(ball(0.2001 * f32::from(k)))).collect();
    let first = scene.add_rigid(ball(-1.0));
    let mut solver = slept(&scene, 1.5);
    let plan = Arc::clone(solver.plan());
    solver.state_mut().set_rigid_velocity(&plan, first, [DVec3::new(2.0, 0.0, 0.0), DVec3::ZERO]);
    run(&mut solver, 0.6);
    let speed = |id| solver.state().rigid_velocity(&plan, id)[0].x;
    assert!(speed(row[3]) > 1.9 && speed(first).abs() < 0.1, "{} and {} m/s", speed(row[3]), speed(first));
}

#[test]
fn inputs_wake() {
    let mut scene = sleepy();
    let platform = scene.add_collider(Collider::cuboid([1.0, 0.5, 1.0]).at([0.0, 0.5, 0.0]).friction(0.6));
    let on_it = scene.add_rigid(RigidBody::cuboid([0.2; 3]).at([0.0, 1.2, 0.0]));
    let far = scene.add_rigid(RigidBody::cuboid([0.2; 3]).at([5.0, 0.2, 0.0]));
    let arm = scene
        .add_rigid(RigidBody::cuboid([0.2, 0.02, 0.02]).at([10.0, 1.0, 0.0]).linear_damping(5.0).angular_damping(5.0));
    let hinge = scene.join_rigid(RigidJoint::hinge(None, arm, [9.8, 1.0, 0.0], [0.0, 0.0, 1.0]));
    let table = scene.add_rigid(RigidBody::cuboid([1.0, 0.1, 1.0]).at([20.0, 0.5, 0.0]).kinematic());
    let on_table = scene.add_rigid(RigidBody::cuboid([0.2; 3]).at([20.0, 0.8, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    let frame = || Input::frame(FRAME);
    run(&mut solver, 8.0);
    let all = [on_it, far, arm, on_table];
    let sleepers = |solver: &Solver| all.map(|id| asleep(solver, id));
    let begin = solver.state().clone();
    assert_eq!(sleepers(&solver), [true; 4]);
    // What wakes of the four, after an input or a change of the state.
    let plan = Arc::clone(solver.plan());
    let mut wakes = |input: Input, change: &dyn Fn(&mut State)| {
        *solver.state_mut() = begin.clone();
        change(solver.state_mut());
        solver.step(&input);
        sleepers(&solver).map(|sleeps| !sleeps)
    };
    let nothing = |_: &mut State| {};
    assert_eq!(wakes(frame(), &nothing), [false; 4]);
    assert_eq!(wakes(frame().push(far, [0.0, 1.0, 0.0], DVec3::ZERO), &nothing), [false, true, false, false]);
    let motor = Motor::Velocity { target: 1.0, limit: 10.0 };
    assert_eq!(wakes(frame().motor(hinge, motor), &nothing), [false, false, true, false]);
    assert_eq!(wakes(frame().motor(hinge, Motor::Off), &nothing), [false; 4], "it was off");
    let lower = frame().pose(platform, Pose::at([0.0, 0.4, 0.0]));
    assert_eq!(wakes(lower, &nothing), [true, false, false, false]);
    assert_eq!(wakes(frame().gravity([0.0, -1.0, 0.0]), &nothing), [true; 4]);
    let lift = |state: &mut State| state.set_rigid_velocity(&plan, table, [DVec3::NEG_Y, DVec3::ZERO]);
    assert_eq!(wakes(frame(), &lift), [false, false, false, true]);
    assert_eq!(wakes(frame(), &|state| state.wake_rigid(&plan, far)), [false, true, false, false]);
    assert_eq!(wakes(frame(), &|state| state.teleport(platform, Pose::at([0.0, -5.0, 0.0]))), [true; 4]);
    let high = Pose::at([0.0, 3.0, 0.0]);
    assert_eq!(wakes(frame(), &|state| state.teleport_rigid(&plan, far, high)), [false, true, false, false]);
}

#[test]
fn a_joint_that_breaks_keeps_its_bodies_awake() {
    let mut scene = sleepy();
    let load = scene.add_rigid(RigidBody::sphere(0.1).mass(10.0).at([0.0, 2.0, 0.0]));
    let rope = RigidJoint::fixed(None, load, [0.0, 2.1, 0.0]).breaking_at(150.0, f32::INFINITY);
    scene.join_rigid(rope);
    let mut solver = slept(&scene, 1.5);
    // 98 N are its weight; 60 more break it.
    let report = solver.step(&Input::frame(FRAME).push(load, [0.0, -60.0, 0.0], DVec3::ZERO));
    let broken = &report.broken[0];
    assert!(report.broken.len() == 1 && broken.name == "joint-0" && broken.force > 150.0, "{broken:?}");
    run(&mut solver, 1.0);
    assert!(pose(&solver, load).position()[1] < 0.11);
}

#[test]
fn nothing_sleeps_in_mid_air() {
    // Thrown up so slowly that it is below the threshold for seconds; a pair that drifts; a swing; a clock's hand.
    let mut scene = sleepy();
    let thrown =
        scene.add_rigid(RigidBody::sphere(0.1).gravity_scale(1e-3).at([0.0, 5.0, 0.0]).velocity([0.0, 0.015, 0.0]));
    let pair = [0.0, 0.19].map(|x| {
        scene.add_rigid(RigidBody::sphere(0.1).gravity_scale(0.0).at([3.0 + x, 5.0, 0.0]).velocity([0.0, 0.01, 0.0]))
    });
    scene.join_rigid(RigidJoint::fixed(pair[0], pair[1], [3.1, 5.0, 0.0]));
    let bob = scene.add_rigid(RigidBody::sphere(0.1).at([8.0, 4.0, 0.0]));
    scene.join_rigid(RigidJoint::ball(None, bob, [6.0, 4.0, 0.0]));
    let hand = scene.add_rigid(RigidBody::cuboid([0.5, 0.02, 0.02]).at([12.5, 4.0, 0.0]));
    let motor = Motor::Velocity { target: 0.01, limit: 1e3 };
    scene.join_rigid(RigidJoint::hinge(None, hand, [12.0, 4.0, 0.0], [0.0, 0.0, 1.0]).motor(motor));
    let mut solver = Solver::new(&scene).unwrap();
    for _ in 0..240 {
        assert_eq!(solver.step(&Input::frame(FRAME)).rigid_asleep, 0);
    }
    let risen = pose(&solver, thrown).position()[1] - 5.0;
    assert!((risen - (0.015 * 4.0 - 0.5 * 9.81e-3 * 16.0)).abs() < 1e-3, "{risen} m");
    let drifted = pose(&solver, pair[0]).position()[1] - 5.0;
    assert!((drifted - 0.04).abs() < 1e-4, "{drifted} m");
}

#[test]
fn sleep_has_the_same_bits_everywhere() {
    let mut scene = sleepy();
    for row in 0..5u8 {
        pyramid(&mut scene, 7, -2.0 * f32::from(row));
    }
    for k in 0..6u8 {
        let x = 1.5 * f32::from(k) - 4.0;
        let a = scene.add_rigid(RigidBody::cuboid([0.2, 0.1, 0.1]).at([x, 0.1, 3.0]));
        let b = scene.add_rigid(RigidBody::cuboid([0.2, 0.1, 0.1]).at([x + 0.41, 0.1, 3.0]));
        let at = DVec3::new(f64::from(x) + 0.205, 0.1, 3.0);
        scene.join_rigid(RigidJoint::hinge(a, b, at, [0.0, 0.0, 1.0]));
    }
    // They come one after another.
    for k in 0..3u8 {
        let z = 10.0 + 7.0 * f32::from(k);
        scene
            .add_rigid(RigidBody::sphere(0.4).at([f32::from(k), 3.0, z]).velocity([0.0, 0.0, -9.0]).gravity_scale(0.1));
    }
    let plan = Plan::new(&scene).unwrap();
    let reports = same_bits_everywhere(&plan, 100);
    let counts: Vec<u32> = reports.iter().map(|report| report.rigid_asleep).collect();
    let most = counts.iter().copied().max().unwrap();
    let first = counts.iter().position(|count| *count == most).unwrap();
    assert!(most > 130 && counts[first..].iter().any(|count| *count < most && *count > 0), "{counts:?}");

    // A snapshot between goes on with the same bits.
    let play = |state: &mut State, scratch: &mut Scratch, frames: u32| {
        (0..frames).for_each(|_| _ = step(&plan, state, &Input::frame(FRAME), scratch));
    };
    let mut scratch = Scratch::new(&plan, Execution::default());
    let mut state = State::new(&plan);
    play(&mut state, &mut scratch, 60);
    let mut snapshot = state.clone();
    play(&mut state, &mut scratch, 40);
    play(&mut snapshot, &mut Scratch::new(&plan, Execution::default()), 40);
    assert!(snapshot == state && snapshot.hash() == state.hash());
}

#[test]
fn who_is_near_cloth_is_awake() {
    let mut scene = sleepy();
    scene.settings.substeps = 20.into();
    let sleeper = scene.add_rigid(RigidBody::cuboid([0.2; 3]).density(50.0).at([0.0, 0.2, 0.0]));
    let sheet = Cloth::grid([8, 8], [1.0, 1.0]).thickness(0.01).density(1.0);
    scene.add(sheet.placed(Pose::at([0.0, 12.0, 0.0]), 1.0));
    let mut solver = Solver::new(&scene).unwrap();
    let mut slept = false;
    for _ in 0..120 {
        solver.step(&Input::frame(FRAME));
        slept |= asleep(&solver, sleeper);
        let touched = solver.step(&Input::frame(FRAME)).rigid_particle_contacts > 0;
        assert!(!touched || !asleep(&solver, sleeper), "it sleeps below cloth");
    }
    assert!(slept && !asleep(&solver, sleeper));
}

/// Boxes of a heap that lie beside each other without a push do not take turns at waking each other.
#[test]
fn a_heap_sleeps_as_a_whole() {
    let mut scene = sleepy();
    let turns = [133.2, 23.6, 93.4, 169.3, 230.1, 312.5, 77.0, 201.0];
    for (k, degrees) in (0u8..).zip(turns) {
        let [x, z] = [k % 3, k / 3].map(f32::from);
        let axis = [0.1 * f64::from(k), 1.0, 0.7 - 0.05 * f64::from(k)];
        let body = RigidBody::cuboid([0.15; 3]).at([0.4 * x, 0.3, 0.4 * z]);
        scene.add_rigid(body.turned(axis, f64::to_radians(degrees)));
    }
    drop(slept(&scene, 12.0));
}
