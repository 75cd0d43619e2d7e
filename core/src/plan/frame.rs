//! Frames: rotations between the points of a body, as the segments of a rod have them.
//!
//! A frame is a row of the same arrays as a particle's, in blocks of its own: position [x, y, z, w] is its unit
//! quaternion, velocity its angular velocity in the world, and its inverse inertia stands beside the rounding remainder
//! (kernels/src/integrate/turn.rs).

/// A body's frames in a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct FramePlan {
    /// Row of each frame, counted from the body's first.
    pub(crate) to_row: Vec<u32>,
    /// Frame of each row, or `u32::MAX`; empty if there is no frame.
    pub(crate) of_row: Vec<u32>,
    /// Runs of rows of frames, counted likewise, ascending; each is whole blocks.
    pub(crate) runs: Vec<std::ops::Range<usize>>,
    /// A vertex of each frame, for messages.
    pub(crate) vertex: Vec<u32>,
}

impl FramePlan {
    /// The frame of a row that is counted from the body's first.
    pub(crate) fn at(&self, row: usize) -> Option<usize> {
        self.of_row.get(row).filter(|&&frame| frame != u32::MAX).map(|&frame| frame as usize)
    }
}
