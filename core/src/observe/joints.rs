//! Readings of joints of rigid bodies: where each is, how fast it moves, what it carries.

use crate::describe::ids::RigidJointId;
use crate::plan::Plan;
use crate::run::state::State;
use glam::{DVec3, Vec3};
use seidel_rigid::joint::{Motor, Side};

/// A joint of rigid bodies between two steps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointReading {
    /// The way along its axis, metres (slider, ball on a line), the turn about it, rad (hinge, and the first axis of a
    /// universal joint), the distance of its anchors, metres (distance, spring), the twist of a ball, rad, the error of
    /// a gear, rad; of others the gap along their first axis, metres. Ways and turns are 0 at the start, of the second
    /// body as seen from the first; turns count over full ones, but for those of a ball without limits.
    pub position: f64,
    /// How fast that changes, m/s or rad/s.
    pub velocity: f64,
    /// Force or torque of its motor in the last substep, N or N m, along its axis or about it. One that holds a load
    /// against gravity has that load.
    pub motor_load: f64,
    /// Its motor in the step that was last or, before the first, will be next: with the target that a path has now.
    pub motor: Motor,
    /// Force of the first body on the second at the joint in the last substep, N, world: of all that it locks, limits,
    /// springs and drives. 0 before the first step, and of what is broken.
    pub force: DVec3,
    /// Torque about the joint, likewise, N m.
    pub torque: DVec3,
    /// Whether it is broken.
    pub broken: bool,
}

impl State {
    /// Where a joint is, how fast it moves, and what it carried in the last substep: for controllers, gauges, and what
    /// must be strong enough. Of bodies that sleep as they fell asleep.
    ///
    /// # Example
    /// ```
    /// use seidel::joint::Motor;
    /// use seidel::{Input, RigidBody, RigidJoint, Scene, Solver};
    /// let mut scene = Scene::new();
    /// let arm = scene.add_rigid(RigidBody::cuboid([0.5, 0.05, 0.05]).mass(2.0).at([0.5, 1.0, 0.0]));
    /// let hold = Motor::Position { target: 0.0, limit: 100.0 };
    /// let elbow = scene.join_rigid(RigidJoint::hinge(None, arm, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]).motor(hold));
    /// let mut solver = Solver::new(&scene)?;
    /// let frame = Input::new(1.0 / 60.0)?;
    /// for _ in 0..120 {
    ///     solver.step(&frame);
    /// }
    /// // The motor carries 2 kg half a metre away: m g l.
    /// let now = solver.state().joint(solver.plan(), elbow);
    /// assert!((now.motor_load - 2.0 * 9.81 * 0.5).abs() < 0.01 && now.position.abs() < 0.01, "{now:?}");
    /// # Ok::<(), seidel::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the joint is another scene's or was removed, or the state is another plan's.
    #[must_use]
    pub fn joint(&self, plan: &Plan, joint: RigidJointId) -> JointReading {
        let number = plan.rigid_joint_place(joint);
        plan.owns(self);
        let rigid = plan.rigid.as_ref().expect("a scene with a joint has rigid bodies");
        let (of, kept) = (&rigid.joints[number], &self.rigid.joints[number]);
        let axis = of.joint.driven_axis();
        let (set, motor) = (self.rigid.motors[number], self.rigid.motor_at(rigid, number, self.time));
        let bodies = of.joint.bodies.map(|body| self.rigid.standing(rigid, body));
        let sides = bodies.each_ref().map(|(pose, velocities, row)| Side { pose, velocities: *velocities, row });
        let read = of.joint.with_motor(axis, set).read(kept, sides, self.rigid.h, of.in_tree);
        JointReading {
            position: read.position,
            velocity: read.velocity,
            motor_load: read.motor,
            motor,
            force: Vec3::from(read.force).as_dvec3(),
            torque: Vec3::from(read.torque).as_dvec3(),
            broken: kept.broken,
        }
    }

    /// The motor of a joint: with the target that a path has now.
    ///
    /// # Panics
    /// As [`State::joint`].
    #[must_use]
    pub fn motor(&self, plan: &Plan, joint: RigidJointId) -> Motor {
        let number = plan.rigid_joint_place(joint);
        plan.owns(self);
        plan.rigid.as_ref().map_or(Motor::Off, |rigid| self.rigid.motor_at(rigid, number, self.time))
    }
}
