//! A robot arm takes a box with two fingers, and puts it down elsewhere: motors that follow a controller, joints that
//! are read, friction that holds. It checks itself and prints what the joints carry and the state's hash.
//!
//! cargo run --release -p seidel --example robot_arm

use seidel::glam::DVec3;
use seidel::joint::Motor;
use seidel::{Collider, Input, RigidBody, RigidId, RigidJoint, RigidJointId, Scene, Solver};

/// Height of the shoulder, length of both links, and how far the box's middle is below the wrist when it is held,
/// metres.
const SHOULDER: f64 = 0.5;
const LINK: f64 = 0.4;
const GRIP: f64 = 0.13;
/// Half a side of the box, metres.
const HALF: f32 = 0.03;
/// The most torque of a joint, N m, and force of a finger, N.
const TORQUE: f32 = 200.0;
const SQUEEZE: f32 = 20.0;

/// The arm's joints: turret, shoulder, elbow, wrist, and two fingers.
struct Arm {
    joints: [RigidJointId; 4],
    fingers: [RigidJointId; 2],
}

impl Arm {
    /// Stretched out along x, with the fingers open.
    fn add(scene: &mut Scene) -> Arm {
        let mut link = |half: [f32; 3], mass: f64, at: [f64; 3]| -> RigidId {
            scene.add_rigid(RigidBody::cuboid(half).mass(mass).at(DVec3::from(at).as_vec3()).friction(0.9))
        };
        let turret = link([0.08, 0.2, 0.08], 8.0, [0.0, 0.25, 0.0]);
        let upper = link([0.2, 0.04, 0.04], 3.0, [LINK / 2.0, SHOULDER, 0.0]);
        let lower = link([0.2, 0.03, 0.03], 2.0, [1.5 * LINK, SHOULDER, 0.0]);
        let palm = link([0.04, 0.02, 0.08], 0.8, [2.0 * LINK, SHOULDER - 0.05, 0.0]);
        let fingers =
            [1.0, -1.0].map(|side| link([0.02, 0.05, 0.01], 0.3, [2.0 * LINK, SHOULDER - GRIP + 0.025, 0.06 * side]));
        let (up, across) = (DVec3::Y, DVec3::Z);
        let hinge = |a, b, at: f64| RigidJoint::hinge(a, b, [at, SHOULDER, 0.0], across);
        let joints = [
            RigidJoint::hinge(None, turret, [0.0, 0.05, 0.0], up),
            hinge(turret, upper, 0.0),
            hinge(upper, lower, LINK),
            hinge(lower, palm, 2.0 * LINK),
        ];
        let slides = fingers.map(|finger| RigidJoint::slider(palm, finger, [2.0 * LINK, SHOULDER - 0.07, 0.0], across));
        Arm {
            joints: joints.map(|joint| scene.join_rigid(joint)),
            fingers: slides.map(|joint| scene.join_rigid(joint)),
        }
    }

    /// Drives it to these angles, with the fingers so far in, metres.
    fn drive(&self, mut input: Input, angles: [f64; 4], closed: f64) -> Input {
        for (&joint, angle) in self.joints.iter().zip(angles) {
            input = input.motor(joint, Motor::Position { target: angle as f32, limit: TORQUE });
        }
        for (&finger, way) in self.fingers.iter().zip([-closed, closed]) {
            input = input.motor(finger, Motor::Position { target: way as f32, limit: SQUEEZE });
        }
        input
    }
}

/// Angles that bring what is between the fingers to a place, with a level hand.
fn angles(at: [f64; 3]) -> [f64; 4] {
    let [x, y, z] = at;
    let (reach, height) = (libm::hypot(x, z), y + GRIP - SHOULDER);
    let bend = ((reach * reach + height * height) / (2.0 * LINK * LINK) - 1.0).clamp(-1.0, 1.0);
    // libm's functions have the same bits on every machine, and so has the state's hash.
    let elbow = -libm::acos(bend);
    let shoulder = libm::atan2(height, reach) - elbow / 2.0;
    [libm::atan2(-z, x), shoulder, elbow, -shoulder - elbow]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (from, to, above) = ([0.55, f64::from(HALF), 0.0], [0.3, f64::from(HALF), -0.4], 0.2);
    let mut scene = Scene::new();
    scene.settings.substeps = 20.into();
    scene.add_collider(Collider::ground().friction(0.6));
    let arm = Arm::add(&mut scene);
    let parcel = scene.add_rigid(RigidBody::cuboid([HALF; 3]).mass(0.5).at(DVec3::from(from).as_vec3()).friction(0.9));
    let mut solver = Solver::new(&scene)?;

    let over = |[x, y, z]: [f64; 3]| [x, y + above, z];
    // Where to be after each second, and how far the fingers are closed then.
    let program = [
        (over(from), 0.0),
        (from, 0.0),
        (from, 0.04),
        (over(from), 0.04),
        (over(to), 0.04),
        (to, 0.04),
        (to, 0.0),
        (over(to), 0.0),
    ];
    let (mut was, mut grip) = ([0.0; 4], 0.0);
    for (place, closed) in program {
        let goal = angles(place);
        for frame in 1..=60 {
            // From rest to rest.
            let time = f64::from(frame) / 60.0;
            let share = time * time * (3.0 - 2.0 * time);
            let now: [f64; 4] = std::array::from_fn(|k| was[k] + (goal[k] - was[k]) * share);
            let input = arm.drive(Input::new(1.0 / 60.0)?, now, grip + (closed - grip) * share);
            let report = solver.step(&input);
            assert!(report.rejected.is_none() && report.lost_rigid.is_none(), "{report:?}");
        }
        (was, grip) = (goal, closed);
        let (state, plan) = (solver.state(), solver.plan());
        let read = arm.joints.map(|joint| state.joint(plan, joint));
        for (now, wanted) in read.iter().zip(goal) {
            assert!((now.position - wanted).abs() < 0.01, "{now:?} in place of {wanted}");
        }
        let loads = read.map(|now| format!("{:6.2}", now.motor_load));
        let squeeze = state.joint(plan, arm.fingers[0]).motor_load.abs();
        let at = state.rigid_pose(plan, parcel).position();
        println!("joints carry {} N m, a finger {squeeze:5.1} N; the box is at {at:.3}", loads.join(" "));
    }
    let at = solver.state().rigid_pose(solver.plan(), parcel).position();
    let off = (at - DVec3::from(to)).length();
    assert!(off < 0.01, "the box lies {off} m beside its place");
    println!("the box lies {:.1} mm beside its place; state {:016x}", off * 1e3, solver.state().hash());
    Ok(())
}
