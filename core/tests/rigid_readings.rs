//! Joints that are read, and motors that a controller gives a target a step.

use crate::runs::FRAME;
use crate::runs::rigid::run;
use seidel::glam::DVec3;
use seidel::joint::{Motor, MotorPath, Spring};
use seidel::{
    Execution, Input, Isa, JointReading, Plan, Pose, RigidBody, RigidId, RigidJoint, RigidJointId, Scene, Scratch,
    Solver, State, step,
};
use std::sync::Arc;

const G: f64 = 9.81;

fn read(solver: &Solver, joint: RigidJointId) -> JointReading {
    solver.state().joint(solver.plan(), joint)
}

fn near(a: DVec3, b: [f64; 3], most: f64) -> bool {
    (a - DVec3::from(b)).length() < most
}

/// What hangs and what is held out level weigh what they weigh, whoever solves the joint.
#[test]
fn forces_and_torques_are_those_of_statics() {
    for direct in [false, true] {
        let mut scene = Scene::new();
        scene.settings.substeps = 40.into();
        let mut add = |body: RigidBody| scene.add_rigid(body);
        let hung = [add(RigidBody::sphere(0.1).mass(2.0)), add(RigidBody::sphere(0.1).mass(3.0).at([0.0, -1.0, 0.0]))];
        let arm = add(RigidBody::cuboid([0.5, 0.05, 0.05]).mass(4.0).at([5.5, 0.0, 0.0]));
        let ball = add(RigidBody::sphere(0.1).mass(1.0).at([8.0, 0.0, 0.0]));
        let sled = add(RigidBody::cuboid([0.1; 3]).mass(6.0).at([12.0, 0.0, 0.0]));
        let lever = add(RigidBody::cuboid([0.5, 0.05, 0.05]).mass(2.0).at([15.5, 0.0, 0.0]));
        let mut join = |joint: RigidJoint| scene.join_rigid(if direct { joint.direct() } else { joint });
        let high = join(RigidJoint::ball(None, hung[0], [0.0, 0.5, 0.0]));
        let low = join(RigidJoint::ball(hung[0], hung[1], [0.0, -0.5, 0.0]));
        let clamp = join(RigidJoint::fixed(None, arm, [5.0, 0.0, 0.0]));
        let ends = [DVec3::new(8.0, 2.0, 0.0), DVec3::new(8.0, 0.0, 0.0)];
        let spring = Spring { stiffness: 100.0, damping: 20.0, rest: 2.0 };
        let spring = join(RigidJoint::spring(None, ball, ends, spring));
        // A motor holds an arm level.
        let hold = Motor::Position { target: 0.0, limit: 100.0 };
        let elbow = join(RigidJoint::hinge(None, lever, [15.0, 0.0, 0.0], [0.0, 0.0, 1.0]).motor(hold));
        let up = join(RigidJoint::slider(None, sled, [12.0, 0.0, 0.0], [0.0, 1.0, 0.0]).limits(-0.25, 1.0));
        let mut solver = Solver::new(&scene).unwrap();
        let begin = read(&solver, high);
        assert_eq!(
            (begin.force, begin.torque, begin.velocity),
            (DVec3::ZERO, DVec3::ZERO, 0.0),
            "before the first step"
        );
        run(&mut solver, 5.0);
        let at = |joint| read(&solver, joint);
        assert!(near(at(high).force, [0.0, 5.0 * G, 0.0], 0.05), "{direct}: {:?}", at(high));
        assert!(near(at(low).force, [0.0, 3.0 * G, 0.0], 0.05), "{direct}: {:?}", at(low));
        let held = at(clamp);
        assert!(near(held.force, [0.0, 4.0 * G, 0.0], 0.05), "{direct}: {held:?}");
        assert!(near(held.torque, [0.0, 0.0, 4.0 * G * 0.5], 0.1), "{direct}: {held:?}");
        let turned = at(elbow);
        assert!(near(turned.force, [0.0, 2.0 * G, 0.0], 0.05), "{direct}: {turned:?}");
        assert!(
            near(turned.torque, [0.0, 0.0, G], 0.05) && (turned.motor_load - G).abs() < 0.05,
            "{direct}: {turned:?}"
        );
        // It is longer by m g / k, and tells its length.
        let drawn = at(spring);
        assert!(near(drawn.force, [0.0, G, 0.0], 0.05) && drawn.torque == DVec3::ZERO, "{direct}: {drawn:?}");
        assert!((drawn.position - (2.0 + G / 100.0)).abs() < 2e-3, "{direct}: {drawn:?}");
        let low = at(up);
        assert!(near(low.force, [0.0, 6.0 * G, 0.0], 0.05) && (low.position + 0.25).abs() < 1e-3, "{direct}: {low:?}");
    }
}

/// Angles count full turns; rates are those of angles; a motor tells its torque, and
/// where its path is.
#[test]
fn motors_tell_where_they_are() {
    let mut scene = Scene::new();
    scene.settings.gravity = glam::Vec3::ZERO;
    scene.settings.substeps = 10.into();
    let mut wheel = |x: f32| scene.add_rigid(RigidBody::cylinder(0.5, 0.1).mass(2.0).at([x, 0.0, 0.0]));
    let (driven, free, led) = (wheel(0.0), wheel(3.0), wheel(6.0));
    let hinge = |body, x: f64| RigidJoint::hinge(None, body, [x, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let (driven, free, led) = (hinge(driven, 0.0), hinge(free, 3.0), hinge(led, 6.0));
    let driven = scene.join_rigid(driven.motor(Motor::Velocity { target: 4.0, limit: 1.0 }));
    let free = scene.join_rigid(free);
    let led = scene.join_rigid(led.motor_path(MotorPath::position(&[[0.0, 0.0], [10.0, 20.0]], 50.0)));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 0.5);
    // I = m r^2 / 2 about its axis: 0.25 kg m^2, so 4 rad/s^2.
    let now = read(&solver, driven);
    assert!((now.motor_load - 1.0).abs() < 1e-5 && (now.velocity - 2.0).abs() < 0.01, "{now:?}");
    assert!((now.torque - DVec3::Y).length() < 1e-4 && (now.position - 0.5).abs() < 0.02, "{now:?}");
    run(&mut solver, 2.5);
    let now = read(&solver, driven);
    assert!((now.velocity - 4.0).abs() < 1e-4 && now.motor_load.abs() < 1e-3, "{now:?}");
    // 1 s until it turns at 4 rad/s, and 2 s of that.
    assert!((now.position - 10.0).abs() < 0.02, "more than a turn: {now:?}");
    let now = read(&solver, led);
    let Motor::Position { target, limit } = now.motor else { panic!("{now:?}") };
    assert!((target - 6.0).abs() < 1e-5 && limit == 50.0 && (now.position - 6.0).abs() < 1e-3, "{now:?}");
    assert_eq!((read(&solver, free).motor, read(&solver, free).motor_load), (Motor::Off, 0.0));
    // Back by more than a turn, and what is not driven.
    let plan = std::sync::Arc::clone(solver.plan());
    let body = plan.rigid_ids().nth(1).unwrap();
    solver.state_mut().set_rigid_velocity(&plan, body, [DVec3::ZERO, DVec3::new(0.0, 3.0, 0.0)]);
    for _ in 0..180 {
        solver.step(&Input::frame(FRAME).motor(driven, Motor::Velocity { target: -6.0, limit: 1e3 }));
    }
    let now = read(&solver, driven);
    assert!((now.position - (10.0 - 18.0)).abs() < 0.1 && (now.velocity + 6.0).abs() < 1e-3, "{now:?}");
    let turned = read(&solver, free);
    assert!((turned.position - 9.0).abs() < 0.01 && (turned.velocity - 3.0).abs() < 1e-4, "{turned:?}");
}

/// A controller gives a target a step: the joint goes evenly, as fast as the targets, and what lies on it goes with it.
/// When a joint went to each target in a jerk, it was at rest as each step ended.
#[test]
fn targets_of_controllers_are_gone_to_evenly() {
    let mut scene = Scene::new();
    scene.settings.substeps = 20.into();
    let tray = scene.add_rigid(RigidBody::cuboid([0.2, 0.02, 0.2]).mass(2.0).friction(0.5));
    let parcel = scene.add_rigid(RigidBody::cuboid([0.03; 3]).mass(0.5).at([0.0, 0.05, 0.0]).friction(0.5));
    let rail = scene.join_rigid(RigidJoint::slider(None, tray, [0.0; 3], [1.0, 0.0, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    let speed = 0.3;
    for frame in 0..=120u8 {
        let time = f32::from(frame) * FRAME;
        // From rest with 1 m/s^2.
        let target = if time < speed { time * time / 2.0 } else { speed * (time - speed / 2.0) };
        solver.step(&Input::frame(FRAME).motor(rail, Motor::Position { target, limit: 1e3 }));
        let now = read(&solver, rail);
        assert!((now.position - f64::from(target)).abs() < 2e-4, "{now:?} in place of {target}");
        if time > 0.5 {
            assert!((now.velocity - f64::from(speed)).abs() < 2e-3, "{now:?}");
        }
    }
    let at = |body| solver.state().rigid_pose(solver.plan(), body).position();
    let slipped = (at(parcel) - at(tray)).x.abs();
    assert!(slipped < 1e-3 && at(tray).x > 0.5, "it slipped by {slipped} m, at {}", at(tray));
}

/// Whatever the motor's limit, from a little more than the motion takes: it goes evenly; so does a path with a key a
/// step. In a band of limits joints went in jerks, and motors that are twice as strong as need be lagged.
#[test]
fn motors_of_any_strength_follow_evenly() {
    let (speed, most) = (0.3f64, 1.0f64);
    // 2 kg from rest with 1 m/s^2, then on.
    let at = |time: f64| if time < speed { most * time * time / 2.0 } else { speed * (time - speed / 2.0) };
    for limit in [4.0f32, 10.0, 50.0, 100.0, 200.0, 300.0, 500.0, 2000.0, 1e5] {
        for (frame, substeps) in [(FRAME, 20), (FRAME, 4), (1e-3, 1)] {
            for by_path in [false, true] {
                let mut scene = Scene::new();
                scene.settings.gravity = glam::Vec3::ZERO;
                scene.settings.substeps = substeps.into();
                scene.settings.dt = f64::from(frame);
                let sled = scene.add_rigid(RigidBody::cuboid([0.1; 3]).mass(2.0));
                let rail = RigidJoint::slider(None, sled, [0.0; 3], [1.0, 0.0, 0.0]);
                let frames = (1.0 / frame).round() as u32;
                let keys: Vec<_> =
                    (0..=2 * frames).map(|k| f64::from(k) * f64::from(frame)).map(|t| [t, at(t)]).collect();
                let rail = match by_path {
                    true => rail.motor_path(MotorPath::position(&keys, limit)),
                    false => rail.motor(to(0.0, limit)),
                };
                let rail = scene.join_rigid(rail);
                let mut solver = Solver::new(&scene).unwrap();
                for k in 1..=frames {
                    let input = Input::frame(frame);
                    let wanted = at(f64::from(k) * f64::from(frame));
                    solver.step(&if by_path { input } else { input.motor(rail, to(wanted as f32, limit)) });
                    let now = read(&solver, rail);
                    let told =
                        format!("{limit} N, {frame} s, {substeps}, by path {by_path}, {k}: {now:?} for {wanted}");
                    assert!((now.position - wanted).abs() < 3e-3, "{told}");
                    if k > frames / 2 {
                        assert!((now.velocity - speed).abs() < 0.02, "{told}");
                    }
                }
            }
        }
    }
}

/// Arms whose motors only an input switches on hold still as planned ones do: what hangs on a joint is known.
#[test]
fn motors_of_inputs_alone_hold_arms_still() {
    let mut scene = Scene::new();
    scene.settings.gravity = glam::Vec3::ZERO;
    scene.settings.substeps = 20.into();
    let link = |k: u8| RigidBody::cuboid([0.2, 0.03, 0.03]).mass(1.0).at([0.4 * f32::from(k) + 0.2, 0.0, 0.0]);
    let links: Vec<RigidId> = (0..4).map(|k| scene.add_rigid(link(k))).collect();
    let hinge = |k: usize| {
        let a = k.checked_sub(1).map(|before| links[before]);
        RigidJoint::hinge(a, links[k], [0.4 * k as f64, 0.0, 0.0], [0.0, 0.0, 1.0])
    };
    let joints: Vec<RigidJointId> = (0..4).map(hinge).map(|joint| scene.join_rigid(joint)).collect();
    let mut solver = Solver::new(&scene).unwrap();
    let mut highest = 0.0f64;
    for frame in 0..600 {
        let goal = |k: usize| to(if k == 0 { 0.9 } else { 0.0 }, 60.0);
        let input = (0..4).fold(Input::frame(FRAME), |input, k| input.motor(joints[k], goal(k)));
        solver.step(&input);
        let now = read(&solver, joints[0]);
        highest = highest.max(now.position);
        if frame > 300 {
            assert!((now.position - 0.9).abs() < 1e-3 && now.velocity.abs() < 1e-2, "frame {frame}: {now:?}");
        }
    }
    assert!(highest < 1.1, "it went to {highest} rad");
}

/// One slider without gravity, whose motor has a limit, N.
fn slide(limit: f32, joint: impl FnOnce(RigidJoint) -> RigidJoint) -> (Scene, RigidJointId, RigidId) {
    let mut scene = Scene::new();
    scene.settings.gravity = glam::Vec3::ZERO;
    scene.settings.substeps = 20.into();
    let sled = scene.add_rigid(RigidBody::cuboid([0.1; 3]).mass(1.0));
    let rail = RigidJoint::slider(None, sled, [0.0; 3], [1.0, 0.0, 0.0]);
    let rail = scene.join_rigid(joint(rail.motor(Motor::Position { target: 0.0, limit })));
    (scene, rail, sled)
}

fn to(target: f32, limit: f32) -> Motor {
    Motor::Position { target, limit }
}

/// A single goal is no controller's point: the motor brakes in time, however its limit lies to the way, and no joint is
/// faster than 20 m/s by it.
#[test]
fn goals_are_not_raced_to() {
    for way in [0.01f32, 0.05, 0.3, 3.0] {
        for strength in [0.5f32, 1.5, 5.0, 20.0, 1e4] {
            // Newtons that bring 1 kg there in a step, times this.
            let limit = strength * way / (FRAME * FRAME);
            let (scene, rail, _) = slide(limit, |joint| joint);
            let mut solver = Solver::new(&scene).unwrap();
            run(&mut solver, FRAME);
            let (mut farthest, mut fastest) = (0.0f64, 0.0f64);
            for frame in 0..90 {
                let input = Input::frame(FRAME);
                solver.step(&if frame == 0 { input.motor(rail, to(way, limit)) } else { input });
                let now = read(&solver, rail);
                (farthest, fastest) = (farthest.max(now.position), fastest.max(now.velocity.abs()));
            }
            let (now, way) = (read(&solver, rail), f64::from(way));
            let told = format!("{way} m, {strength}: {farthest} m, {fastest} m/s, {now:?}");
            assert!(farthest < 1.08 * way && fastest < 20.5, "{told}");
            assert!((now.position - way).abs() < 1e-3 * way, "{told}");
        }
    }
}

/// What has not gone where its motor's last target was is not drawn back there: after a path, an edit, a teleport.
#[test]
fn a_controller_that_takes_over_yanks_nothing() {
    let strong = 1e4;
    let path = MotorPath::position(&[[0.0, 0.0], [1.0, 0.2], [10.0, 0.2]], strong);
    let calm = |solver: &Solver, rail, target: f64| {
        let now = read(solver, rail);
        assert!((now.position - target).abs() < 1e-4 && now.velocity.abs() < 0.1, "{now:?} in place of {target}");
    };
    // From a path; also to where the path began, which is another target than the path's now.
    for target in [0.201, 0.2, 0.0] {
        let (scene, rail, _) = slide(strong, |joint| joint.motor_path(path.clone()));
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 2.0);
        solver.step(&Input::frame(FRAME).motor(rail, to(target, strong)));
        if target > 0.0 {
            calm(&solver, rail, f64::from(target));
        }
        // It is taken over for good, in a snapshot, too.
        let bytes = solver.state().to_bytes();
        run(&mut solver, 0.5);
        calm(&solver, rail, f64::from(target));
        let end = solver.state().hash();
        solver.restore(&bytes).unwrap();
        run(&mut solver, 0.5);
        assert_eq!(solver.state().hash(), end);
    }
    // After an edit that makes it another motor.
    let (scene, rail, _) = slide(strong, |joint| joint);
    let mut solver = Solver::new(&scene).unwrap();
    for frame in 1..=60u8 {
        solver.step(&Input::frame(FRAME).motor(rail, to(0.2 * f32::from(frame) / 60.0, strong)));
    }
    let weaker = scene.get_rigid_joint(rail).unwrap().clone().motor(to(0.0, 0.5 * strong));
    solver.edit(|scene| scene.replace_rigid_joint(rail, weaker)).unwrap();
    solver.step(&Input::frame(FRAME).motor(rail, to(0.2, 0.5 * strong)));
    calm(&solver, rail, 0.2);
    // Where it was put by hand.
    let (scene, rail, sled) = slide(strong, |joint| joint);
    let mut solver = Solver::new(&scene).unwrap();
    solver.step(&Input::frame(FRAME).motor(rail, to(0.3, strong)));
    run(&mut solver, 1.0);
    let plan = Arc::clone(solver.plan());
    solver.state_mut().teleport_rigid(&plan, sled, Pose::IDENTITY);
    solver.step(&Input::frame(FRAME).motor(rail, to(0.0, strong)));
    calm(&solver, rail, 0.0);
}

/// A body that is put back has not turned: its joints tell so, carry nothing, and their motors do not unwind.
#[test]
fn what_is_put_back_has_not_turned() {
    let mut scene = Scene::new();
    scene.settings.gravity = glam::Vec3::ZERO;
    let wheel = scene.add_rigid(RigidBody::cylinder(0.5, 0.1).mass(2.0));
    let hinge = scene.join_rigid(RigidJoint::hinge(None, wheel, [0.0; 3], [0.0, 1.0, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    for _ in 0..120 {
        solver.step(&Input::frame(FRAME).motor(hinge, Motor::Velocity { target: 6.0, limit: 5.0 }));
    }
    assert!(read(&solver, hinge).position > 9.0);
    let plan = Arc::clone(solver.plan());
    let half = Pose::at([0.0; 3]).turned([0.0, 1.0, 0.0], -1.0);
    for (pose, angle) in [(half, -1.0), (Pose::IDENTITY, 0.0)] {
        solver.state_mut().teleport_rigid(&plan, wheel, pose);
        solver.state_mut().set_rigid_velocity(&plan, wheel, [DVec3::ZERO; 2]);
        let now = read(&solver, hinge);
        assert!((now.position - angle).abs() < 1e-6 && now.torque == DVec3::ZERO && now.motor_load == 0.0, "{now:?}");
    }
    for _ in 0..60 {
        solver.step(&Input::frame(FRAME).motor(hinge, to(0.0, 50.0)));
        assert!(read(&solver, hinge).position.abs() < 1e-3, "{:?}", read(&solver, hinge));
    }
}

/// While time is held a motor holds where its path is.
#[test]
fn held_time_holds_paths_of_motors() {
    let path = MotorPath::position(&[[0.0, 0.0], [10.0, 10.0]], 1e4);
    let (scene, rail, _) = slide(1e4, |joint| joint.motor_path(path));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 1.0);
    for _ in 0..30 {
        solver.step(&Input::frame(FRAME).held());
    }
    let now = read(&solver, rail);
    assert!((now.position - solver.state().time()).abs() < 1e-3 && now.velocity.abs() < 1e-3, "{now:?}");
    assert_eq!(now.motor, solver.state().motor(solver.plan(), rail));
}

/// Whether a joint was led a step before is of the state: a weak motor that follows goes on with the same bits from a
/// snapshot, in working memory of its own. So is who has taken over a path.
#[test]
fn what_is_led_is_in_snapshots() {
    let path = MotorPath::position(&[[0.0, 0.0], [1.0, 0.2]], 100.0);
    for joint in [&|joint: RigidJoint| joint as RigidJoint, &|joint: RigidJoint| joint.motor_path(path.clone())]
        as [&dyn Fn(RigidJoint) -> RigidJoint; 2]
    {
        let (scene, rail, _) = slide(100.0, joint);
        let plan = Plan::new(&scene).unwrap();
        let (mut state, execution) = (State::new(&plan), Execution::default());
        let mut scratch = Scratch::new(&plan, execution);
        for frame in 1..=40u8 {
            let input = Input::frame(FRAME).motor(rail, to(0.3 * f32::from(frame) * FRAME, 100.0));
            let mut again = State::from_bytes(&plan, &state.to_bytes()).unwrap();
            assert!(again == state, "frame {frame}");
            step(&plan, &mut state, &input, &mut scratch);
            step(&plan, &mut again, &input, &mut Scratch::new(&plan, execution));
            assert_eq!(again.hash(), state.hash(), "frame {frame}");
        }
        let now = state.joint(&plan, rail);
        assert!((now.velocity - 0.3).abs() < 1e-3, "{now:?}");
        // Two motors in one input are the last alone.
        let mut twice = state.clone();
        let [off, on] = [Motor::Off, to(0.21, 100.0)];
        step(&plan, &mut twice, &Input::frame(FRAME).motor(rail, off).motor(rail, on), &mut scratch);
        step(&plan, &mut state, &Input::frame(FRAME).motor(rail, on), &mut scratch);
        assert_eq!(twice.hash(), state.hash());
    }
}

/// A path is followed however fast it goes, and caught up with.
#[test]
fn fast_paths_are_caught_up_with() {
    for rate in [15.0, 25.0, 40.0] {
        let mut scene = Scene::new();
        scene.settings.gravity = glam::Vec3::ZERO;
        scene.settings.substeps = 20.into();
        let wheel = scene.add_rigid(RigidBody::cylinder(0.5, 0.05).mass(2.0));
        let path = MotorPath::position(&[[0.0, 0.0], [20.0, 20.0 * rate]], 20.0);
        let hinge = RigidJoint::hinge(None, wheel, [0.0; 3], [0.0, 1.0, 0.0]).motor_path(path);
        let hinge = scene.join_rigid(hinge);
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 6.0);
        let now = read(&solver, hinge);
        assert!((now.position - 6.0 * rate).abs() < 0.05 && (now.velocity - rate).abs() < 0.1, "{rate}: {now:?}");
    }
}

/// Targets that go evenly have the same bits on all lanes and threads, from a restored state, in whatever order the
/// input has them; in trees, too.
#[test]
fn targets_of_controllers_have_the_same_bits_everywhere() {
    let mut scene = Scene::new();
    scene.settings.substeps = 4.into();
    let joints: Vec<RigidJointId> = (0..40u8)
        .map(|k| {
            let at = [f32::from(k) + 0.5, 0.0, 0.0];
            let arm = scene.add_rigid(RigidBody::cuboid([0.4, 0.05, 0.05]).mass(1.0).at(at));
            let joint = RigidJoint::hinge(None, arm, [f64::from(k), 0.0, 0.0], [0.0, 0.0, 1.0]);
            let joint = joint.motor(to(0.0, 500.0));
            scene.join_rigid(if k % 2 == 0 { joint.direct() } else { joint })
        })
        .collect();
    let plan = Plan::new(&scene).unwrap();
    let input = |frame: u8, backwards: bool| {
        let motor =
            |(k, joint): (u8, RigidJointId)| (joint, to(0.003 * f32::from(frame) * f32::from(1 + k % 5), 500.0));
        let mut all: Vec<_> = (0..).zip(joints.iter().copied()).map(motor).collect();
        if backwards {
            all.reverse();
            // Of two the last counts.
            all.insert(0, (joints[3], Motor::Off));
        }
        all.into_iter().fold(Input::frame(FRAME), |input, (joint, motor)| input.motor(joint, motor))
    };
    let mut ends = Vec::new();
    for (isa, threads, backwards) in
        [(Isa::SCALAR, 1, false), (Isa::PORTABLE, 2, true), (Isa::detect(), 1, true), (Isa::detect(), 3, false)]
    {
        let mut scratch = Scratch::new(&plan, Execution::new(isa, threads));
        let mut state = State::new(&plan);
        for frame in 0..40 {
            let before = state.to_bytes();
            step(&plan, &mut state, &input(frame, backwards), &mut scratch);
            if frame % 7 == 0 {
                let after = state.hash();
                state.restore(&plan, &before).unwrap();
                step(&plan, &mut state, &input(frame, backwards), &mut scratch);
                assert_eq!(state.hash(), after, "frame {frame}");
            }
        }
        let now = state.joint(&plan, joints[9]);
        assert!((now.velocity - 0.003 * 5.0 * 60.0).abs() < 0.02, "it goes evenly: {now:?}");
        ends.push(state.hash());
    }
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:x?}");
}

/// Limits and targets that were written in degrees, and targets that limits exclude.
#[test]
fn strange_goals_are_told() {
    let told = |joint: &dyn Fn(RigidJoint) -> RigidJoint| {
        let mut scene = Scene::new();
        let body = scene.add_rigid(RigidBody::sphere(0.1).at([1.0, 0.0, 0.0]));
        scene.join_rigid(joint(RigidJoint::hinge(None, body, [0.0; 3], [0.0, 0.0, 1.0])).named("elbow"));
        Plan::new(&scene).unwrap().warnings()
    };
    let goal = |target: f32| Motor::Position { target, limit: 5.0 };
    let degrees = "joint `elbow`: a limit, -90 rad, is 14.3 turns; if degrees are meant, write -1.57";
    assert_eq!(told(&|joint| joint.limits(-90.0, 90.0)), [degrees]);
    let degrees = "joint `elbow`: the target of its motor, 45 rad, is 7.16 turns; if degrees are meant, write 0.785";
    assert_eq!(told(&|joint| joint.motor(goal(45.0))), [degrees]);
    let path = MotorPath::position(&[[0.0, 0.0], [1.0, 45.0]], 5.0);
    assert!(told(&|joint| joint.motor_path(path.clone())).is_empty(), "it turns round and round");
    let beyond =
        "joint `elbow`: the target of its motor, 45, is outside of its limits, -1 to 1, and will not be reached";
    assert_eq!(told(&|joint| joint.limits(-1.0, 1.0).motor_path(path.clone())), [beyond]);
    let beyond =
        "joint `elbow`: the target of its motor, 2, is outside of its limits, -1 to 1.1, and will not be reached";
    assert_eq!(told(&|joint| joint.limits(-1.0, 1.1).motor(goal(2.0))), [beyond]);
    let nothing = "joint `elbow`: its motor has a limit of 0, and does nothing";
    assert_eq!(told(&|joint| joint.motor(to(1.0, 0.0))), [nothing]);
    // Two turns, a velocity, and limits that are open.
    assert!(told(&|joint| joint.limits(-12.57, 12.57).motor(goal(-12.5))).is_empty());
    assert!(told(&|joint| joint.limits(f32::NEG_INFINITY, 1.0).motor(goal(-3.0))).is_empty());
    assert!(told(&|joint| joint.limits(-1.0, 1.0).motor(Motor::Velocity { target: 90.0, limit: 5.0 })).is_empty());
}
