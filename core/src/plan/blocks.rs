//! Rows in a plan: in cells, and in the blocks and tiles of a cell.

use seidel_kernels::integrate::Run;
use std::ops::Range;

/// Rows that fit the first-level cache, and the batches that are solved when these rows, and those of the patch's cells
/// before it, are predicted.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) blocks: Range<usize>,
    pub(crate) batch_ranges: Range<usize>,
}

/// Rows of one body and cell that a worker takes at a time. No row is in two blocks (`place::divide`).
#[derive(Clone, Debug)]
pub(crate) struct RowBlock {
    pub(crate) body: usize,
    pub(crate) run: Run,
    /// None of frames.
    pub(crate) tiles: Range<usize>,
    /// Whether they are frames and no particles.
    pub(crate) frames: bool,
}
