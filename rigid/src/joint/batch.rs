//! Joints that are solved sixteen at a time.

use super::{Joint, JointState, Load, Pose};
use crate::BodyRow;
use seidel_kernels::{Isa, Shared};

/// When joints are solved within a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointStage {
    /// First: the last substep's impulses again.
    Warm,
    /// With bias, before poses move.
    Biased,
    /// Without, after.
    Relaxed,
}

/// Up to sixteen joints that share no body which moves.
pub trait JointBatch {
    /// Adds a joint where its bodies are as the step begins. None of these that moves is another's here. Returns
    /// whether there was room.
    fn add(&mut self, number: u32, joint: &Joint, kept: &JointState, at: [&Pose; 2], moves: [bool; 2]) -> bool;

    /// How many there are, and the number of each.
    fn numbers(&self) -> &[u32];

    /// One sweep. `still` are bodies that give way to nothing, whatever was said when they were added; they are the
    /// same in a whole substep.
    ///
    /// # Safety
    /// Nobody else uses the rows of these joints' bodies that move, nor writes those of the others; and no body that
    /// moves is in two of them.
    unsafe fn sweep(&mut self, isa: Isa, bodies: Shared<'_, BodyRow>, still: &[bool], stage: JointStage);

    /// What one of them carried in this step.
    fn load(&self, lane: usize) -> Load;

    /// Ends the step for one of them, after a sweep without bias: what is kept, and whether the joint broke. `kept` as
    /// for [`JointBatch::add`].
    fn store(&self, lane: usize, joint: &Joint, kept: &JointState) -> JointState;
}
