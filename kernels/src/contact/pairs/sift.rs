//! Leaves out the pairs that surely stay apart.

use super::{Features, Nearest, Pair, clearance, gather};
use crate::lanes::{Kernel, Lanes};
use crate::{BATCH, Isa, Pack, Row};

/// Which of many pairs may come near while each particle stays in a ball of its own.
#[derive(Clone, Copy, Debug)]
pub struct Sift<'a> {
    /// The balls [x, y, z, radius] of all rows, metres.
    pub balls: &'a [Row],
}

impl Sift<'_> {
    /// Keeps those pairs, in order, that may come nearer than their distance.
    ///
    /// # Panics
    /// If a row is not there.
    pub fn keep(self, isa: Isa, features: Features, pairs: &mut Vec<Pair>) {
        let rows = self.balls.len();
        assert!(pairs.iter().flat_map(|pair| pair.rows).all(|row| (row as usize) < rows), "a pair of other rows");
        isa.dispatch(Keep { sift: self, features, pairs });
    }
}

struct Keep<'a> {
    sift: Sift<'a>,
    features: Features,
    pairs: &'a mut Vec<Pair>,
}

impl Kernel for Keep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl Keep<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        let (mut kept, mut from) = (0, 0);
        while from < self.pairs.len() {
            let count = (self.pairs.len() - from).min(L::WIDTH);
            let mut at = [Pack([0; BATCH]); 4];
            let mut reach = [0.0; BATCH];
            for (lane, reach) in reach.iter_mut().enumerate().take(L::WIDTH) {
                // Behind the last pair it is looked at again.
                let pair = self.pairs[from + lane.min(count - 1)];
                for (slot, row) in at.iter_mut().zip(pair.rows) {
                    slot.0[lane] = row * 2;
                }
                *reach = pair.reach;
            }
            // SAFETY: `keep` checked the rows, which it has borrowed.
            let near = unsafe {
                match self.features {
                    Features::PointTriangle => self.near::<L>(&at, &reach, Features::PointTriangle),
                    Features::EdgeEdge => self.near::<L>(&at, &reach, Features::EdgeEdge),
                }
            };
            for lane in 0..count {
                self.pairs[kept] = self.pairs[from + lane];
                kept += usize::from(near >> lane & 1);
            }
            from += count;
        }
        self.pairs.truncate(kept);
    }

    /// # Safety
    /// The rows are there.
    #[inline(always)]
    unsafe fn near<L: Lanes<Elem = f32>>(&self, at: &[Pack<u32>; 4], reach: &[f32; BATCH], features: Features) -> u16 {
        // SAFETY: the caller's promise; BATCH numbers are there.
        unsafe {
            let (x, radius) = gather::<L>(self.sift.balls.as_ptr(), at, 0);
            let spread = match features {
                Features::PointTriangle => radius[0] + radius[1].larger(radius[2]).larger(radius[3]),
                Features::EdgeEdge => radius[0].larger(radius[1]) + radius[2].larger(radius[3]),
            };
            let n = Nearest::of(x, features).n;
            // What is no number is near nothing: it is lost.
            let near = clearance(x, n, features).le(L::load(reach.as_ptr()) + spread);
            super::bits::<L>(near)
        }
    }
}
