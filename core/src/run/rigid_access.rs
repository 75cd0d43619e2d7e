//! Rigid bodies of a state, for users: where they are, how they move, and what sets it.

use crate::describe::ids::{RigidId, RigidJointId};
use crate::describe::pose::Pose;
use crate::describe::rigid::RigidKind;
use crate::plan::Plan;
use crate::plan::rigid::RigidBodyPlan;
use crate::run::state::State;
use glam::DVec3;
use seidel_rigid::motion::momentum;

impl State {
    /// Where a rigid body's own frame is, in which it was described.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn rigid_pose(&self, plan: &Plan, body: RigidId) -> Pose {
        let (of, number) = plan.rigid_body(body);
        let motion = &self.rigid.motions[number];
        Pose { position: motion.position, rotation: motion.rotation }.place(&of.own)
    }

    /// Where all shapes of rigid bodies are, in the order of [`Plan::rigid_shapes`].
    pub fn rigid_shape_poses<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = Pose> + 'a {
        let shown = plan.rigid.iter().flat_map(|rigid| &rigid.shown);
        shown.map(|(body, _, pose)| {
            let motion = &self.rigid.motions[*body as usize];
            Pose { position: motion.position, rotation: motion.rotation }.place(pose)
        })
    }

    /// Velocity of its centre of mass, m/s, and angular velocity about the world's axes, rad/s.
    ///
    /// # Panics
    /// As [`State::rigid_pose`].
    #[must_use]
    pub fn rigid_velocity(&self, plan: &Plan, body: RigidId) -> [DVec3; 2] {
        let (of, number) = plan.rigid_body(body);
        let motion = &self.rigid.motions[number];
        [DVec3::from(motion.velocity), DVec3::from(motion.angular_velocity(&of.mass()))]
    }

    /// Sets both, and wakes it. A fixed body keeps none, nor does one that was lost; axes that are locked take none.
    /// What is on a path ([`crate::RigidBody::moving`]) goes on there in the next step.
    ///
    /// # Panics
    /// As [`State::rigid_pose`], and if a number is not within +-1e6.
    pub fn set_rigid_velocity(&mut self, plan: &Plan, body: RigidId, [linear, angular]: [DVec3; 2]) {
        let within = |v: DVec3| v.to_array().iter().all(|c| c.abs() <= 1e6);
        assert!(within(linear) && within(angular), "a velocity beyond 1e6");
        let (of, number) = plan.rigid_body(body);
        if of.kind != RigidKind::Fixed && !self.rigid.frozen[number] {
            self.move_rigid(of, number, [linear, angular]);
        }
    }

    fn move_rigid(&mut self, of: &RigidBodyPlan, number: usize, [linear, angular]: [DVec3; 2]) {
        self.rigid.sleep.wake(number);
        if self.off.rigid[number] {
            return;
        }
        let (mass, motion) = (of.mass(), &mut self.rigid.motions[number]);
        motion.velocity = of.free(linear.to_array());
        let turns = mass.inv_inertia != [0.0; 3];
        motion.spin = if turns { momentum(angular.to_array(), motion.rotation, &mass) } else { angular.to_array() };
    }

    /// Whether a joint has broken.
    ///
    /// # Panics
    /// If the joint is another scene's, or was removed.
    #[must_use]
    pub fn is_broken(&self, plan: &Plan, joint: RigidJointId) -> bool {
        self.rigid.joints[plan.rigid_joint_place(joint)].broken
    }

    /// Whether a body sleeps: nothing moves it until something touches or pushes it. Only where
    /// [`crate::Settings::sleep`] lets it.
    ///
    /// # Panics
    /// As [`State::rigid_pose`].
    #[must_use]
    pub fn is_asleep(&self, plan: &Plan, body: RigidId) -> bool {
        self.rigid.sleep.is_asleep(plan.rigid_body(body).1)
    }

    /// Wakes a body, and all that sleep in one island with it; one that is awake begins its rest anew.
    ///
    /// # Panics
    /// As [`State::rigid_pose`].
    pub fn wake_rigid(&mut self, plan: &Plan, body: RigidId) {
        let (_, number) = plan.rigid_body(body);
        self.rigid.sleep.wake(number);
    }

    /// Puts a body somewhere, with the velocities that it has. Its contacts are forgotten, and of
    /// its joints what they carried and their full turns, so a machine that is put elsewhere body by body turns its
    /// motors from there on. It wakes, and all that slept
    /// with it; if nothing but its velocities moves it, all wake. What is on a path is back there after the next step,
    /// and goes as fast as that takes.
    ///
    /// # Panics
    /// As [`State::rigid_pose`], and if the pose is not finite with a unit quaternion.
    pub fn teleport_rigid(&mut self, plan: &Plan, body: RigidId, pose: Pose) {
        let (of, number) = plan.rigid_body(body);
        assert!(pose.is_valid(), "a pose is finite and its quaternion has length 1: {pose:?}");
        let velocities = self.rigid_velocity(plan, body);
        let to = pose.place(&Pose::IDENTITY.seen_from(&of.own));
        let motion = &mut self.rigid.motions[number];
        (motion.position, motion.rotation) = (to.position, to.rotation);
        // One that waits stays where it is put.
        self.rigid.frozen[number] = self.off.rigid[number];
        if of.kind != RigidKind::Dynamic {
            self.rigid.sleep.wake_all();
        }
        self.move_rigid(of, number, velocities);
        if let Some(rigid) = &plan.rigid {
            self.rigid.forget_joints(rigid, number);
        }
        let shapes = of.shapes.clone();
        self.rigid.contacts.retain(|contact| contact.shapes.iter().all(|shape| !shapes.contains(&(*shape as usize))));
    }
}
