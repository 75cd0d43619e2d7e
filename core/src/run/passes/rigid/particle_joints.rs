//! Joints of rigid bodies and particles: one after another, before the contacts of both.
//!
//! They are few, so one thread solves them, in their order.

use super::Rigid;
use super::boxes::pose;
use super::coupling::mover;
use crate::run::passes::At;
use crate::run::report::Phase;

impl Rigid<'_> {
    /// Brings particles and the points of bodies that hold them together.
    pub(super) fn hold(&mut self, at: At) {
        let joints = &self.common.plan.particle_joints.each;
        if joints.is_empty() {
            return;
        }
        let holds = &mut self.scratch.holds;
        if at.iteration == 0 {
            holds.clear();
            holds.resize(joints.len(), [0.0; 3]);
        }
        let h = f64::from(self.common.h);
        for (joint, lambda) in joints.iter().zip(&mut *holds) {
            let number = joint.rigid as usize;
            // One that holds a particle stays awake, or wakes.
            self.scratch.coupling.wet(number);
            let mut mass = self.state.mass(self.plan, number);
            if self.scratch.still[number] {
                (mass.inv_mass, mass.inv_inertia) = (0.0, [0.0; 3]);
            }
            let motion = &mut self.state.motions[number];
            let now = pose(motion);
            // A change of velocity becomes one of angular momentum by the inertia at the substep's start
            // (`Motion::end`), so that is taken.
            let then = self.scratch.coupling.before[number];
            let mut mover = mover(&mass, [&then, &now], &then);
            let softness = f64::from(joint.compliance) / (h * h);
            let point = now.apply(joint.anchor);
            // SAFETY: this thread is between stages, in which nobody uses a row.
            unsafe { joint.hold.solve(&self.common.motion, &mut mover, point, softness, lambda) };
            if mass.inv_mass > 0.0 {
                let (start, row) = (&self.scratch.starts[number], &mut self.scratch.rows[number]);
                motion.nudge(mover.change(), mover.correction(), start, row, h);
            }
        }
        self.common.laps.lap(Phase::RigidParticles);
    }
}
