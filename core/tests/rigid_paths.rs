//! Kinematic bodies on paths.

use crate::runs::FRAME;
use crate::runs::rigid::{pose, run, same_bits_everywhere};
use glam::DVec3;
use seidel::collider::{Key, Motion, Shape};
use seidel::{Collider, Input, Plan, Pose, RigidBody, RigidId, RigidJoint, Scene, Solver, State};

fn key(time: f64, offset: [f64; 3], angle: f64) -> Key {
    Key { time, offset: offset.into(), axis: DVec3::new(0.3, 1.0, 0.2), angle }
}

/// One of each; the last begins elsewhere than it is described, rests and turns about its own origin.
fn paths() -> Vec<Motion> {
    let keys = vec![key(0.0, [0.5, 0.0, 0.0], 0.3), key(0.4, [0.5, 1.0, 0.0], 9.0), key(0.6, [0.5, 1.0, 0.0], 9.0)];
    let (velocity, axis) = (DVec3::new(0.4, -0.1, 0.2), DVec3::new(0.0, 1.0, 1.0));
    vec![
        Motion::Linear { velocity },
        Motion::Steady { velocity, axis, turns: 0.7, start: 0.1, end: Some(0.5) },
        Motion::Sinusoidal { amplitude: velocity, period: 0.8, phase: 0.4 },
        Motion::KeyFrames { keys },
    ]
}

/// A body whose centre of mass and principal axes are not those of its frame.
fn hammer(at: [f32; 3]) -> RigidBody {
    let head = (Shape::Cuboid { half: [0.1, 0.05, 0.05].into() }, Pose::at([0.05, 0.3, 0.0]));
    let handle = (Shape::Capsule { radius: 0.02, half_length: 0.28 }, Pose::IDENTITY.turned([0.0, 0.0, 1.0], 0.1));
    RigidBody::compound([head, handle]).at(at).turned([1.0, 0.0, 0.0], 0.5)
}

fn farther(a: &Pose, b: &Pose) -> f64 {
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    points.map(|p| (a.transform_point(p) - b.transform_point(p)).length()).into_iter().fold(0.0, f64::max)
}

/// The frame of a body is where a collider of the same pose and motion is, after each step; its velocity is that of the
/// step.
#[test]
fn a_body_goes_where_a_collider_does() {
    let mut scene = Scene::new();
    let mut both = Vec::new();
    for (number, motion) in (0u8..).zip(paths()) {
        let at = [0.0, 5.0 * f32::from(number), 0.0];
        let body = scene.add_rigid(hammer(at).moving(motion.clone()));
        let collider = Collider::sphere(0.1).at([0.0, at[1], 0.0]).turned([1.0, 0.0, 0.0], 0.5).moving(motion);
        both.push((body, scene.add_collider(collider)));
    }
    let mut solver = Solver::new(&scene).unwrap();
    for _ in 0..60 {
        let before = solver.state().clone();
        let plan = std::sync::Arc::clone(solver.plan());
        assert!(farther(&before.rigid_pose(&plan, both[3].0), &before.pose(both[3].1)) < 1e-12);
        solver.step(&Input::frame(FRAME));
        for &(body, collider) in &both {
            let (is, wanted) = (pose(&solver, body), solver.state().pose(collider));
            assert!(farther(&is, &wanted) < 1e-12, "{is:?} and {wanted:?}");
        }
        let [v, _] = solver.state().rigid_velocity(&plan, both[0].0);
        assert!((v - DVec3::new(0.4, -0.1, 0.2)).length() < 1e-6, "{v}");
    }
    let rests = solver.state().rigid_velocity(solver.plan(), both[3].0);
    assert_eq!(rests, [DVec3::ZERO; 2], "its keys have ended");
}

/// Platforms on all paths, and balls that they hit, carry and leave behind.
#[test]
fn paths_have_the_same_bits_everywhere() {
    let mut scene = Scene::new();
    for k in 0..100u8 {
        let at = [3.0 * f32::from(k % 10), 0.0, 3.0 * f32::from(k / 10)];
        let platform = RigidBody::cuboid([1.0, 0.1, 1.0]).at(at).moving(paths().remove(usize::from(k % 4)));
        scene.add_rigid(platform);
        scene.add_rigid(RigidBody::sphere(0.2).at([at[0], 0.31, at[2]]));
    }
    same_bits_everywhere(&Plan::new(&scene).unwrap(), 30);
}

/// A box rides on a platform, sideways by friction and up, and a pendulum hangs from a carriage.
#[test]
fn contacts_and_joints_feel_a_path() {
    let mut scene = Scene::new();
    scene.settings.substeps = 8.into();
    let velocity = DVec3::new(0.5, 1.0, 0.0);
    let path = Motion::Steady { velocity, axis: DVec3::ZERO, turns: 0.0, start: 0.5, end: None };
    scene.add_rigid(RigidBody::cuboid([1.0, 0.1, 1.0]).moving(path).friction(1.0));
    let rider = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.0, 0.2, 0.0]).friction(1.0));
    let along = Motion::Linear { velocity: DVec3::new(0.0, 0.0, 2.0) };
    let carriage = scene.add_rigid(RigidBody::sphere(0.1).at([5.0, 0.0, 0.0]).moving(along));
    let bob = scene.add_rigid(RigidBody::sphere(0.1).at([5.0, -1.0, 0.0]).linear_damping(3.0));
    scene.join_rigid(RigidJoint::ball(carriage, bob, [5.0, 0.0, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 2.5);
    let at = pose(&solver, rider).position();
    assert!((at - DVec3::new(1.0, 2.2, 0.0)).length() < 0.1, "the rider is at {at}");
    let [v, _] = solver.state().rigid_velocity(solver.plan(), rider);
    assert!((v - velocity).length() < 1e-3, "the rider goes with {v}");
    let arm = pose(&solver, bob).position() - pose(&solver, carriage).position();
    assert!((arm.length() - 1.0).abs() < 1e-3 && arm.z < -0.1, "the bob lags behind: {arm}");
}

/// What rests on a platform sleeps until that goes on.
#[test]
fn a_path_that_rests_lets_sleep_and_wakes() {
    let mut scene = Scene::new();
    scene.settings.sleep = true;
    let (still, up) = (Key::default(), Key { time: 4.0, offset: DVec3::new(0.0, 1.0, 0.0), ..Key::default() });
    let keys = vec![still, Key { time: 3.0, ..still }, up];
    scene.add_rigid(RigidBody::cuboid([1.0, 0.1, 1.0]).moving(Motion::KeyFrames { keys }));
    let rider = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.0, 0.2, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    let asleep = |solver: &Solver| solver.state().is_asleep(solver.plan(), rider);
    run(&mut solver, 2.9);
    assert!(asleep(&solver));
    run(&mut solver, 0.6);
    assert!(!asleep(&solver) && (pose(&solver, rider).position().y - 0.7).abs() < 0.02, "{:?}", pose(&solver, rider));
    run(&mut solver, 2.5);
    assert!(asleep(&solver) && (pose(&solver, rider).position().y - 1.2).abs() < 1e-3, "{:?}", pose(&solver, rider));
}

/// Snapshots go on with the same bits; time that stands still, a switch, a teleport, an edit and another origin leave a
/// body on its path.
#[test]
fn a_body_stays_on_its_path() {
    let path = paths().remove(2);
    let mut scene = Scene::new();
    let id = scene.add_rigid(hammer([0.0; 3]).moving(path.clone()));
    let there = |solver: &Solver, id: RigidId, path: &Motion| {
        let [x, y, z] = solver.state().origin();
        let start = Pose::at([-x as f32, -y as f32, -z as f32]).turned([1.0, 0.0, 0.0], 0.5);
        let (is, wanted) = (pose(solver, id), path.at(&start, solver.state().time()));
        assert!(farther(&is, &wanted) < 1e-9, "at {} s {is:?} and not {wanted:?}", solver.state().time());
    };
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 0.2);
    let bytes = solver.state().to_bytes();
    let mut other = State::from_bytes(solver.plan(), &bytes).unwrap();
    run(&mut solver, 0.2);
    let (last, mut again) = (solver.state().hash(), Solver::new(&scene).unwrap());
    again.set_state(std::mem::replace(&mut other, State::new(solver.plan()))).unwrap();
    run(&mut again, 0.2);
    assert_eq!(again.state().hash(), last);
    let before = pose(&solver, id);
    solver.step(&Input::frame(FRAME).held());
    assert!(farther(&pose(&solver, id), &before) < 1e-12, "time stands still");
    let plan = std::sync::Arc::clone(solver.plan());
    solver.state_mut().teleport_rigid(&plan, id, Pose::at([3.0, 0.0, 0.0]));
    run(&mut solver, FRAME);
    there(&solver, id, &path);
    solver.disable_rigid(id).unwrap();
    run(&mut solver, 0.2);
    solver.enable_rigid(id).unwrap();
    there(&solver, id, &path);
    solver.move_origin([100.0, 0.0, 0.0]).unwrap();
    there(&solver, id, &path);
    run(&mut solver, 0.2);
    there(&solver, id, &path);
    solver.move_origin([0.0; 3]).unwrap();
    let faster = Motion::Linear { velocity: DVec3::new(7.0, 0.0, 0.0) };
    let late = solver.edit(|scene| {
        scene.replace_rigid(id, hammer([0.0; 3]).moving(faster.clone()))?;
        Ok(scene.add_rigid(hammer([0.0; 3]).moving(path.clone())))
    });
    there(&solver, id, &faster);
    there(&solver, late.unwrap(), &path);
    run(&mut solver, 0.2);
    there(&solver, id, &faster);
}

/// Ids of states tell paths apart, and a plan without them is what it was.
#[test]
fn the_fingerprint_knows_paths() {
    let id = |body: RigidBody| {
        let mut scene = Scene::new();
        scene.add_rigid(body);
        Plan::new(&scene).unwrap().id()
    };
    let ids = [hammer([0.0; 3]).kinematic()].into_iter().chain(paths().into_iter().map(|m| hammer([0.0; 3]).moving(m)));
    let mut ids: Vec<_> = ids.map(id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 5);
}

/// A body whose centre of mass is beside the origin of its frame turns about that origin within a step, too.
#[test]
fn a_pivot_beside_the_centre_of_mass_rests() {
    for turns in [1.0, 5.0] {
        let mut scene = Scene::new();
        scene.settings.gravity = [0.0; 3].into();
        let steady = Motion::Steady { velocity: DVec3::ZERO, axis: DVec3::Z, turns, start: 0.0, end: None };
        let arm = (Shape::Sphere { radius: 0.1 }, Pose::at([0.5, 0.0, 0.0]));
        let crank = scene.add_rigid(RigidBody::compound([arm]).moving(steady));
        let ball = scene.add_rigid(RigidBody::sphere(0.1).mass(1.0));
        scene.join_rigid(RigidJoint::ball(crank, ball, [0.0; 3]));
        let mut solver = Solver::new(&scene).unwrap();
        let mut fastest: f64 = 0.0;
        for _ in 0..60 {
            solver.step(&Input::frame(FRAME));
            let [v, _] = solver.state().rigid_velocity(solver.plan(), ball);
            fastest = fastest.max(v.length());
        }
        // Half a substep's turn of the arm: at 5 turns a second it was 4.1 m/s.
        assert!(fastest < 0.011 * turns * turns, "{fastest} m/s at {turns} turns a second");
    }
}

#[test]
fn a_body_stops_where_its_path_is_taken_away() {
    let mut scene = Scene::new();
    let lift = || RigidBody::cuboid([0.5; 3]);
    let body = scene.add_rigid(lift().moving(Motion::Linear { velocity: DVec3::Y }));
    let mut solver = Solver::new(&scene).unwrap();
    (0..30).for_each(|_| drop(solver.step(&Input::frame(FRAME))));
    solver.edit(|scene| scene.replace_rigid(body, lift().kinematic())).unwrap();
    let before = pose(&solver, body).position();
    (0..30).for_each(|_| drop(solver.step(&Input::frame(FRAME))));
    assert!((before.y - 0.5).abs() < 1e-6, "{before}");
    assert_eq!(pose(&solver, body).position(), before);
}

#[test]
fn another_origin_wakes_nobody_on_a_path_that_rests() {
    let mut scene = Scene::new();
    scene.settings.sleep = true;
    let keys = vec![key(0.0, [0.0; 3], 0.0), key(0.3, [0.1, 0.3, 0.2], 0.4)];
    scene.add_rigid(RigidBody::cuboid([2.0, 0.1, 2.0]).at([0.3, 0.7, 0.1]).moving(Motion::KeyFrames { keys }));
    let rider = scene.add_rigid(RigidBody::cuboid([0.2; 3]).at([0.3, 1.1, 0.1]));
    let mut solver = Solver::new(&scene).unwrap();
    (0..240).for_each(|_| drop(solver.step(&Input::frame(FRAME))));
    for origin in [[10.3, 0.1, 7.7], [133.1, -3.3, 0.9], [0.7, 0.0, 41.3]] {
        assert!(solver.state().is_asleep(solver.plan(), rider));
        solver.move_origin(origin).unwrap();
        solver.step(&Input::frame(FRAME));
    }
    assert!(solver.state().is_asleep(solver.plan(), rider));
}
