//! Frames in a step.

use super::Step;
use seidel_kernels::integrate::{RigidMotion, Turning};

impl Step<'_> {
    /// Takes a block of frames through the parts of a substep that touch each alone; what damping pulls to is a rigid motion.
    ///
    /// # Safety
    /// Nobody else uses the block's rows.
    pub(super) unsafe fn turn(&self, block: usize, ends: Option<u32>, pull: Option<(f32, RigidMotion)>, drift: bool) {
        let pull = pull.map(|(k, rigid)| (k, rigid.omega));
        let by = Turning { h: self.h, commit: self.commit(ends), pull, drift };
        // SAFETY: the caller's promise.
        let lost = unsafe { self.motion.turn(self.isa, self.plan.blocks[block].run, by) };
        self.lose(lost, ends);
    }
}
