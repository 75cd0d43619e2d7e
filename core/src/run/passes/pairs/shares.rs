//! Contacts in colors, for all workers.

use super::blocks::{BATCHES_A_BLOCK, block};
use seidel_kernels::contact::pairs::{Ends, Memory, Opening, PairBatches, PairContacts};
use seidel_kernels::{Isa, Pack, Shared};
use std::sync::atomic::{AtomicU32, Ordering};

/// The contact data that all workers share.
#[derive(Clone, Copy)]
pub(crate) struct Shares<'a> {
    pub(crate) ends: Ends<'a>,
    pub(super) travelled: f32,
    pub(super) opening: Opening<'a>,
    pub(super) contacts: &'a PairBatches,
    pub(super) colors: &'a [usize],
    pub(super) memory: Shared<'a, Memory>,
    pub(super) held: Shared<'a, Pack<f32>>,
    pub(super) record: Shared<'a, Pack<f32>>,
    pub(super) pushed: &'a AtomicU32,
    pub(super) pushed_edges: &'a AtomicU32,
}

impl Shares<'_> {
    /// Number of colors of contacts.
    pub(crate) fn colors(&self) -> usize {
        self.colors.len().saturating_sub(1)
    }

    /// Number of blocks of a color.
    pub(crate) fn blocks(&self, color: usize) -> usize {
        (self.colors[color + 1] - self.colors[color]).div_ceil(BATCHES_A_BLOCK)
    }

    /// Pushes the pairs of a block of a color apart.
    ///
    /// # Safety
    /// Nobody else takes this block, or another color, meanwhile.
    pub(crate) unsafe fn solve(&self, isa: Isa, color: usize, number: usize, first: bool) {
        let Shares { ends, memory, travelled, opening, held, record, .. } = *self;
        let range = block(self.colors[color]..self.colors[color + 1], number, BATCHES_A_BLOCK);
        let contacts = PairContacts { ends, memory, travelled, opening, held, record, first };
        // SAFETY: pairs of a color share no particle (`PairBatches` has seen to it); the caller promises that nobody
        // else takes this block, or another color, meanwhile.
        let touched = unsafe { contacts.solve(isa, self.contacts, range) };
        if touched.contacts > 0 {
            self.pushed.fetch_add(touched.contacts, Ordering::Relaxed);
            self.pushed_edges.fetch_add(touched.edges, Ordering::Relaxed);
        }
    }
}
