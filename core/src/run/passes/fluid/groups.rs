//! Groups of sixteen particles: boxes about them, and the blocks of groups that a worker takes at a time.

use seidel_kernels::fluid::{GROUPS_A_BLOCK, Range3};
use seidel_kernels::{BATCH, Lanes};
use std::ops::Range;

/// About nothing.
pub(crate) const EMPTY: Range3 = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];

/// The box about two. Lowest and highest do not depend on the order.
pub(super) fn joined([low, high]: Range3, [least, most]: &Range3) -> Range3 {
    [
        std::array::from_fn(|k| Lanes::smaller(low[k], least[k])),
        std::array::from_fn(|k| Lanes::larger(high[k], most[k])),
    ]
}

pub(super) fn blocks(groups: usize) -> usize {
    groups.div_ceil(GROUPS_A_BLOCK)
}

pub(super) fn block(groups: usize, number: usize) -> Range<usize> {
    number * GROUPS_A_BLOCK..groups.min((number + 1) * GROUPS_A_BLOCK)
}

/// The slots of a block's groups.
pub(super) fn slots_of(groups: Range<usize>) -> Range<usize> {
    groups.start * BATCH..groups.end * BATCH
}
