//! Finds the pairs that are about to touch.

use super::{Ends, Features, Memory, Nearest, PairBatches, gather, least};
use crate::lanes::{Kernel, Lanes, Mask};
use crate::{Isa, Shared, V3};
use std::ops::Range;

/// Part of the skin.
const URGENT: f64 = 0.25;

/// Looks at pairs where constraints have left them.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    /// The rows of the particles, which nobody moves meanwhile.
    pub ends: Ends<'a>,
    /// What is known of each batch.
    pub memory: Shared<'a, Memory>,
    /// Of each batch, at least how far its particles have moved against each other since the list was made, metres.
    pub travelled: Shared<'a, f32>,
    /// Distance beyond a pair's own that counts as near, metres.
    pub skin: f32,
    /// For each batch that is awake, the lanes that are near or have changed sides: bit i for lane i. Of others it stays.
    pub near: Shared<'a, u16>,
    /// The same for those that are about to touch, nearer than a quarter of the skin. None of a batch that sleeps.
    pub urgent: Shared<'a, u16>,
}

impl Near<'_> {
    /// Looks at batches.
    ///
    /// # Safety
    /// Nobody writes the rows of these pairs, nor uses what is kept of these batches, meanwhile.
    ///
    /// # Panics
    /// If the arrays are of another list.
    pub unsafe fn look(self, isa: Isa, batches: &PairBatches, range: Range<usize>) {
        let rows = self.ends.start.len().min(self.ends.end.len());
        assert!(batches.rows() <= rows, "pairs of other rows");
        let known = self.memory.len().min(self.near.len()).min(self.urgent.len()).min(self.travelled.len());
        assert!(range.end <= batches.len() && batches.len() <= known, "memory of another list");
        isa.dispatch(Look { near: self, batches, range });
    }
}

struct Look<'a> {
    near: Near<'a>,
    batches: &'a PairBatches,
    range: Range<usize>,
}

impl Kernel for Look<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl Look<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        for batch in self.range.clone() {
            // SAFETY: `look` found the memory; its caller keeps others away.
            let (memory, near, urgent, travelled) = unsafe {
                (
                    &mut *self.near.memory.as_ptr().add(batch),
                    &mut *self.near.near.as_ptr().add(batch),
                    &mut *self.near.urgent.as_ptr().add(batch),
                    self.near.travelled.as_ptr().add(batch).read(),
                )
            };
            *urgent = 0;
            if travelled < memory.touches_at {
                continue;
            }
            *near = 0;
            let lanes = self.batches.lanes(batch);
            let (mut spare, mut first) = (f32::INFINITY, 0);
            while first < lanes {
                // SAFETY: as above, and `PairBatches` has checked the rows.
                let (close, closer, least) = unsafe {
                    match self.batches.features[batch] {
                        Features::PointTriangle => self.pass::<L>(batch, first, Features::PointTriangle, memory),
                        Features::EdgeEdge => self.pass::<L>(batch, first, Features::EdgeEdge, memory),
                    }
                };
                *near |= close << first;
                *urgent |= closer << first;
                spare = Lanes::smaller(spare, least);
                first += L::WIDTH;
            }
            // Those about to touch are among the contacts from now on: the others decide when to look again.
            memory.touches_at = travelled + spare;
        }
    }

    /// The lanes that are near, those about to touch, and how much nearer the others may come before they are.
    ///
    /// # Safety
    /// As for [`Near::look`]; `first + WIDTH <= BATCH`.
    #[inline(always)]
    unsafe fn pass<L: Lanes<Elem = f32>>(
        &self,
        batch: usize,
        first: usize,
        features: Features,
        memory: &mut Memory,
    ) -> (u16, u16, f32) {
        // SAFETY: `PairBatches` has checked the rows; a pack has BATCH numbers.
        unsafe {
            let reach = L::load(self.batches.reach[batch].0.as_ptr().add(first));
            let (x, _) = gather::<L>(self.near.ends.end.as_ptr(), &self.batches.at[batch], first);
            let Nearest { gap, distance, .. } = Nearest::of(x, features);
            let there = reach.ge(L::zero());
            let skin = L::set(self.near.skin);
            let spare = distance - reach;
            let mut side = memory.side::<L>(first);
            // Never looked at before: the side where the substep began.
            let unseen = there & side.length_squared().le(L::zero());
            if unseen.any() {
                let (a, _) = gather::<L>(self.near.ends.start.as_ptr(), &self.batches.at[batch], first);
                side = V3::select(unseen, Nearest::of(a, features).n, side);
                memory.see(side, first);
            }
            let turned = gap.dot(side).lt(L::zero());
            let near = there & (spare.le(skin) | turned);
            let inner = skin * L::splat(URGENT);
            let urgent = there & (spare.le(inner) | turned);
            (super::bits::<L>(near), super::bits::<L>(urgent), least(spare - inner, there & !urgent))
        }
    }
}
