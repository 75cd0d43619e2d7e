//! Finds the pairs that are about to touch.

use super::{Ends, Features, Memory, Nearest, PairBatches, gather, smallest};
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::{BATCH, Chunk, InChunks, Isa, V3};
use std::ops::Range;

/// Part of the margin.
const URGENT: f64 = 0.25;

/// Looks at pairs where constraints have left them.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    /// The rows of the particles, which nobody moves meanwhile.
    pub ends: Ends<'a>,
    /// A bound on how far particles of these batches have moved against each other since they were listed, metres. It
    /// only grows.
    pub travelled: f32,
    /// `travelled` now. Later on: distance moved from now <= travelled then - since.
    pub since: f32,
    /// Distance beyond a pair's own that counts as near, metres.
    pub margin: f32,
}

/// What [`Near`] finds of each batch of a list.
#[derive(Debug)]
pub struct Found<'a> {
    /// What is known.
    pub memory: &'a mut [Memory],
    /// The lanes that are among the contacts already: they wake nobody.
    pub listed: &'a [u16],
    /// The lanes that are near or have changed sides: bit i for lane i. Of a batch that sleeps they stay.
    pub near: &'a mut [u16],
    /// The same for those that are about to touch, nearer than a quarter of the margin. None of a batch that sleeps.
    pub urgent: &'a mut [u16],
}

impl Near<'_> {
    /// Looks at batches. Gives the least travel at which one of them is to be looked at again.
    ///
    /// # Safety
    /// Nobody writes the rows of these pairs meanwhile.
    ///
    /// # Panics
    /// If the arrays are of another list.
    pub unsafe fn look(self, isa: Isa, batches: &PairBatches, range: Range<usize>, found: Found<'_>) -> f32 {
        let rows = self.ends.start.len().min(self.ends.end.len());
        assert!(batches.rows() <= rows, "pairs of other rows");
        isa.dispatch(Look { near: self, batches, range, found })
    }
}

struct Look<'a> {
    near: Near<'a>,
    batches: &'a PairBatches,
    range: Range<usize>,
    found: Found<'a>,
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
        let Look { near: Near { travelled, .. }, batches, ref range, .. } = self;
        let Found { memory, listed, near, urgent } = self.found;
        let mut again = f32::INFINITY;
        for batch in range.clone() {
            let memory = &mut memory[batch];
            let (mut close, mut closer) = (0, 0);
            if travelled >= memory.touches_at {
                let lanes = batches.lanes(batch);
                let mut slack = f32::INFINITY;
                for chunk in Chunk::<L>::holding(lanes) {
                    // SAFETY: `look`'s caller keeps others away, and `PairBatches` has checked the rows.
                    let (a, b, left) = unsafe {
                        match batches.features[batch] {
                            Features::PointTriangle => {
                                pass::<L>(&self.near, batches, batch, chunk, Features::PointTriangle, memory)
                            }
                            Features::EdgeEdge => {
                                pass::<L>(&self.near, batches, batch, chunk, Features::EdgeEdge, memory)
                            }
                        }
                    };
                    close |= a << chunk.first();
                    closer |= b << chunk.first();
                    let mut waiting = [f32::INFINITY; BATCH];
                    let listed = (listed[batch] | b << chunk.first()) >> chunk.first();
                    for (lane, waiting) in waiting.iter_mut().enumerate().take(L::WIDTH) {
                        *waiting = if listed >> lane & 1 == 0 { left[lane] } else { f32::INFINITY };
                    }
                    slack = Lanes::smaller(slack, smallest(waiting));
                }
                near[batch] = close;
                // Those about to touch are among the contacts from here on: the others decide when to look again.
                memory.touches_at = self.near.since + slack;
            }
            urgent[batch] = closer;
            again = Lanes::smaller(again, memory.touches_at);
        }
        again
    }
}

/// The lanes that are near, those about to touch, and how much nearer each may come before it is.
///
/// # Safety
/// As for [`Near::look`].
#[inline(always)]
unsafe fn pass<L: Lanes<Elem = f32>>(
    near: &Near<'_>,
    batches: &PairBatches,
    batch: usize,
    chunk: Chunk<L>,
    features: Features,
    memory: &mut Memory,
) -> (u16, u16, [f32; BATCH]) {
    // SAFETY: `PairBatches` has checked the rows; `look`'s caller keeps others away.
    unsafe {
        let reach = batches.reach[batch].load(chunk);
        let (x, _) = gather::<L>(near.ends.end.as_ptr(), &batches.at[batch], chunk);
        let Nearest { gap, distance, .. } = Nearest::of(x, features);
        let there = reach.ge(L::zero());
        let margin = L::set(near.margin);
        let slack = distance - reach;
        let mut side = memory.n.load(chunk);
        // Never looked at before: the side where the substep began.
        let unseen = there & side.length_squared().le(L::zero());
        if unseen.any() {
            let (a, _) = gather::<L>(near.ends.start.as_ptr(), &batches.at[batch], chunk);
            side = V3::select(unseen, Nearest::of(a, features).n, side);
            memory.n.store(chunk, side);
        }
        let turned = gap.dot(side).lt(L::zero());
        let near = there & (slack.le(margin) | turned);
        let inner = margin * L::splat(URGENT);
        let urgent = there & (slack.le(inner) | turned);
        let mut left = [f32::INFINITY; BATCH];
        left.store(Chunk::<L>::FIRST, L::select(there, slack - inner, L::splat(f64::INFINITY)));
        (super::bits(near), super::bits(urgent), left)
    }
}
