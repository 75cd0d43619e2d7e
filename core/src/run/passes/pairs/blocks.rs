//! Blocks of batches and clusters that a worker takes at a time.

use std::ops::Range;

/// Batches, and clusters, that a worker takes at a time.
pub(super) const BATCHES_A_BLOCK: usize = 16;

pub(super) const CLUSTERS_A_BLOCK: usize = 16;

/// The range of a block: `size` batches or clusters, the last block may have fewer.
pub(super) fn block(all: Range<usize>, block: usize, size: usize) -> Range<usize> {
    let start = all.start + block * size;
    start..all.end.min(start + size)
}
