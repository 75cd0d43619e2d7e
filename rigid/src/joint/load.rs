//! What a joint carries, and when it breaks.

use super::Joint;
use seidel_kernels::V3;

/// What a joint carries: the mean over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Force of A on B at the anchor, N, world.
    pub force: [f32; 3],
    /// Torque of A on B about the anchor, N m, world.
    pub torque: [f32; 3],
}

impl Load {
    /// The mean of impulses on B, linear and angular, over so many seconds.
    pub(super) fn mean(impulses: [V3<f32>; 2], seconds: f32) -> Load {
        let per_second = 1.0 / seconds;
        let [force, torque] = impulses.map(|v| {
            let v = v * per_second;
            [v.x, v.y, v.z]
        });
        Load { force, torque }
    }

    /// The magnitudes of force and torque, N and N m, which a joint's limits are compared with.
    #[must_use]
    pub fn lengths(&self) -> [f32; 2] {
        [self.force, self.torque].map(|[x, y, z]| V3::<f32>::new(x, y, z).length())
    }

    /// Whether it is more than a joint can carry.
    pub(super) fn breaks(&self, joint: &Joint) -> bool {
        let [force, torque] = self.lengths();
        force > joint.break_force || torque > joint.break_torque
    }
}
