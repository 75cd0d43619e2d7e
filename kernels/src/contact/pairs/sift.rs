//! Leaves out the pairs that surely stay apart.

use super::{Features, Nearest, Pair, clearance, gather};
use crate::lanes::{Kernel, Lanes};
use crate::tuning::AT_REST;
use crate::{BATCH, Isa, Pack, Row};

/// Which of many pairs may come near while no two particles move against each other by more than some way.
#[derive(Clone, Copy, Debug)]
pub struct Sift<'a> {
    /// Where the particles are [x, y, z, -], metres.
    pub x: &'a [Row],
    /// Where they rest, if pairs of one body are looked at: these come no nearer than [`AT_REST`] of their distance there.
    pub rest: Option<&'a [Row]>,
    /// How far particles may move against each other, metres.
    pub spread: f32,
}

impl Sift<'_> {
    /// Keeps those pairs, in order, that may come nearer than their distance, which it lessens where they are nearer at rest. Of each
    /// pair `numbers` keeps what belongs to it.
    ///
    /// # Panics
    /// If a row is not there, or there are fewer numbers than pairs.
    pub fn keep<T: Copy>(self, isa: Isa, features: Features, pairs: &mut Vec<Pair>, numbers: &mut Vec<T>) {
        let rows = self.rest.map_or(self.x.len(), |rest| rest.len().min(self.x.len()));
        assert!(pairs.iter().flat_map(|pair| pair.rows).all(|row| (row as usize) < rows), "a pair of other rows");
        isa.dispatch(Keep { sift: self, features, pairs, numbers });
    }
}

struct Keep<'a, T> {
    sift: Sift<'a>,
    features: Features,
    pairs: &'a mut Vec<Pair>,
    numbers: &'a mut Vec<T>,
}

impl<T: Copy> Kernel for Keep<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl<T: Copy> Keep<'_, T> {
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
                    Features::PointTriangle => self.near::<L>(&at, &mut reach, Features::PointTriangle),
                    Features::EdgeEdge => self.near::<L>(&at, &mut reach, Features::EdgeEdge),
                }
            };
            for (lane, &reach) in reach.iter().enumerate().take(count) {
                self.pairs[kept] = Pair { reach, ..self.pairs[from + lane] };
                self.numbers[kept] = self.numbers[from + lane];
                kept += usize::from(near >> lane & 1);
            }
            from += count;
        }
        self.pairs.truncate(kept);
        self.numbers.truncate(kept);
    }

    /// # Safety
    /// The rows are there.
    #[inline(always)]
    unsafe fn near<L: Lanes<Elem = f32>>(
        &self,
        at: &[Pack<u32>; 4],
        reach: &mut [f32; BATCH],
        features: Features,
    ) -> u16 {
        // SAFETY: the caller's promise; BATCH numbers are there.
        unsafe {
            let mut keeps = L::load(reach.as_ptr());
            if let Some(rest) = self.sift.rest {
                let (x, _) = gather::<L>(rest.as_ptr(), at, 0);
                keeps = keeps.smaller(Nearest::of(x, features).distance * L::splat(AT_REST));
                keeps.store(reach.as_mut_ptr());
            }
            let (x, _) = gather::<L>(self.sift.x.as_ptr(), at, 0);
            let n = Nearest::of(x, features).n;
            // What is no number is near nothing: it is lost.
            let near = clearance(x, n, features).le(keeps + L::set(self.sift.spread));
            super::bits::<L>(near)
        }
    }
}
