//! Finds the pairs of which it cannot show that they stay apart.
//!
//! On straight ways, a direction along which every particle of the first feature is in front of every particle of the
//! second at the start and at the end is one at all times between: the difference is linear in time. Two directions are
//! tried, that of the contact and that of the nearest points at the end.

use super::{Ends, Features, Memory, Nearest, PairBatches, clearance, gather, least};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::tuning::CLEAR;
use crate::{Chunk, InChunks, Isa, V3};
use std::ops::Range;

/// Looks at pairs at the end of a substep.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a> {
    /// The rows of the particles, which nobody moves meanwhile.
    pub ends: Ends<'a>,
    /// As for [`super::Near`], to the end of this substep.
    pub travelled: f32,
    /// Rounding of coordinates, metres: at least a few steps of f32 at the largest.
    pub rounding: f32,
}

impl Watch<'_> {
    /// Looks at batches: of each, `doubtful` has the lanes that were not shown to stay apart, bit i for lane i. Gives
    /// the least travel at which one of them is to be looked at again.
    ///
    /// # Safety
    /// Nobody writes the rows of these pairs meanwhile.
    ///
    /// # Panics
    /// If the arrays are of another list.
    pub unsafe fn look(
        self,
        isa: Isa,
        batches: &PairBatches,
        range: Range<usize>,
        memory: &mut [Memory],
        doubtful: &mut [u16],
    ) -> f32 {
        let rows = self.ends.start.len().min(self.ends.end.len());
        assert!(batches.rows() <= rows, "pairs of other rows");
        isa.dispatch(Look { watch: self, batches, range, memory, doubtful })
    }
}

struct Look<'a> {
    watch: Watch<'a>,
    batches: &'a PairBatches,
    range: Range<usize>,
    memory: &'a mut [Memory],
    doubtful: &'a mut [u16],
}

impl Kernel for Look<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> f32 {
        self.all::<L::One>()
    }
}

impl Look<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> f32 {
        let Look { watch, batches, range, memory, doubtful } = self;
        let mut again = f32::INFINITY;
        for batch in range {
            let (memory, doubtful) = (&mut memory[batch], &mut doubtful[batch]);
            *doubtful = 0;
            if watch.travelled >= memory.meets_at {
                let lanes = batches.lanes(batch);
                let mut slack = f32::INFINITY;
                for chunk in Chunk::<L>::holding(lanes) {
                    // SAFETY: `look`'s caller keeps others away, and `PairBatches` has checked the rows.
                    let (unsure, least) = unsafe {
                        match batches.features[batch] {
                            Features::PointTriangle => {
                                pass::<L>(&watch, batches, batch, chunk, Features::PointTriangle, memory)
                            }
                            Features::EdgeEdge => pass::<L>(&watch, batches, batch, chunk, Features::EdgeEdge, memory),
                        }
                    };
                    *doubtful |= unsure << chunk.first();
                    slack = Lanes::smaller(slack, least);
                }
                // Rounded, and so that a step of nothing asks again.
                memory.meets_at = if slack > 0.0 { watch.travelled + slack * 0.999 } else { f32::NEG_INFINITY };
            }
            again = Lanes::smaller(again, memory.meets_at);
        }
        again
    }
}

/// The lanes that are doubtful, and how much nearer the others may come.
///
/// # Safety
/// As for [`Watch::look`].
#[inline(always)]
unsafe fn pass<L: Lanes<Elem = f32>>(
    watch: &Watch<'_>,
    batches: &PairBatches,
    batch: usize,
    chunk: Chunk<L>,
    features: Features,
    memory: &mut Memory,
) -> (u16, f32) {
    let (ends, at) = (watch.ends, &batches.at[batch]);
    // SAFETY: `PairBatches` has checked the rows; `look`'s caller keeps others away.
    unsafe {
        let reach = batches.reach[batch].load(chunk);
        let clear = reach * L::splat(CLEAR) + L::set(watch.rounding);
        let (a, _) = gather::<L>(ends.start.as_ptr(), at, chunk);
        let (b, _) = gather::<L>(ends.end.as_ptr(), at, chunk);
        let side = memory.n.load(chunk);
        let n = Nearest::of(b, features).n;
        let slack = clearance(b, n, features) - clear;
        let by_contact = clearance(a, side, features).smaller(clearance(b, side, features));
        let by_end = clearance(a, n, features) - clear;
        let shown = by_contact.ge(clear) | by_end.smaller(slack).ge(L::zero());
        memory.n.store(chunk, V3::select(shown, n, side));
        let there = reach.ge(L::zero());
        (super::bits(there & !shown), least(slack, there))
    }
}
