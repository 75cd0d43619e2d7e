//! Pushes pairs apart that are too near, with friction.

use super::{Ends, Features, Memory, Nearest, PairBatches, gather, least, weighted};
use crate::contact::{Held, friction};
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::tuning::MAX_CORRECTION;
use crate::{BATCH, Chunk, InChunks, Isa, Pack, V3};
use seidel_workers::Shared;
use seidel_workers::claims::{Use, is_watched};
use std::ops::Range;

/// Contacts of pairs: each keeps its distance, on the side where its features were.
#[derive(Clone, Copy, Debug)]
pub struct PairContacts<'a> {
    /// The rows of the particles; those at the end are moved.
    pub ends: Ends<'a>,
    /// What is known of each batch.
    pub memory: Shared<'a, Memory>,
    /// At least how far any two particles have moved against each other since the list was made, metres: the sum over
    /// substeps of the longest way in each, twice, relative to a common motion.
    pub travelled: f32,
    /// How far a pair that begins the substep too near may open in it: getting apart becomes velocity.
    pub opening: Opening<'a>,
    /// Multipliers [tau x, tau y, tau z, normal], four packs a batch; empty if they need not be kept (a single
    /// iteration).
    pub held: Shared<'a, Pack<f32>>,
    /// Where contacts are recorded, eight packs a batch: the four weights, the normal, and the normal's multiplier, kg
    /// m, that is 0 of those that do not touch; empty if nobody asks.
    pub record: Shared<'a, Pack<f32>>,
    /// True if nothing is held yet in this substep.
    pub first: bool,
}

/// How far pairs that begin a substep too near may open in it: the lesser of `share` of their reach and `most`.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// Share of a pair's reach.
    pub share: f32,
    /// Metres.
    pub most: f32,
    /// Metres: pairs with a row that was clamped in the last substep open by no more than this.
    pub clamped: f32,
    /// The share of its displacement that each row kept in the last substep; empty if none was clamped.
    pub kept: &'a [f32],
}

impl Opening<'_> {
    /// Of the pairs in some lanes of a batch, whose rows are `at`, metres.
    #[inline(always)]
    fn of<L: Lanes<Elem = f32>>(&self, reach: L, at: &[Pack<u32>; 4], chunk: Chunk<L>) -> L {
        let open = (reach * L::set(self.share)).smaller(L::set(self.most));
        if self.kept.is_empty() {
            return open;
        }
        let mut kept = Pack([1.0; BATCH]);
        for lane in chunk.first()..chunk.first() + L::WIDTH {
            let least = at.iter().map(|rows| self.kept[rows.0[lane] as usize / 2]).fold(1.0, Lanes::smaller);
            kept.0[lane] = least;
        }
        L::select(kept.load(chunk).lt(L::splat(1.0)), open.smaller(L::set(self.clamped)), open)
    }
}

/// Packs of a batch in [`PairContacts::record`].
pub const RECORD: usize = 8;

/// What contacts have done to pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touched {
    /// Number of contacts.
    pub contacts: u32,
    /// Those of them that are of two edges.
    pub edges: u32,
    /// Deepest that a pair was under its distance before it was pushed apart, metres.
    pub deepest: f32,
}

impl PairContacts<'_> {
    /// Solves batches, one after another.
    ///
    /// # Safety
    /// Nobody else uses the rows of these pairs, nor what is kept of these batches, meanwhile.
    ///
    /// # Panics
    /// If the arrays are of another list.
    pub unsafe fn solve(self, isa: Isa, batches: &PairBatches, range: Range<usize>) -> Touched {
        let rows = self.ends.start.len().min(self.ends.end.len());
        assert!(batches.rows() <= rows, "pairs of other rows");
        assert!(batches.colored, "pairs that may share particles");
        assert!(range.end <= batches.len() && batches.len() <= self.memory.len(), "memory of another list");
        assert!(self.opening.kept.is_empty() || self.opening.kept.len() >= batches.rows(), "clamped rows of others");
        assert!(self.held.is_empty() || self.held.len() >= 4 * batches.len(), "too few multipliers");
        assert!(self.record.is_empty() || self.record.len() >= RECORD * batches.len(), "too little room to record");
        if is_watched() {
            for (batch, lane) in
                range.clone().flat_map(|batch| (0..batches.lanes(batch)).map(move |lane| (batch, lane)))
            {
                batches.pair(batch, lane).rows.iter().for_each(|&row| self.ends.end.claim(row as usize, 1, Use::Write));
            }
        }
        isa.dispatch(Solve { contacts: self, batches, range })
    }
}

struct Solve<'a> {
    contacts: PairContacts<'a>,
    batches: &'a PairBatches,
    range: Range<usize>,
}

impl Kernel for Solve<'_> {
    type Output = Touched;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Touched {
        // There are more numbers than registers as it is.
        self.all::<L::One>()
    }
}

/// What a pass over some lanes has found.
struct Found {
    touched: Touched,
    /// No pair is nearer to touching, metres.
    slack: f32,
}

impl Solve<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> Touched {
        let mut sum = Touched::default();
        let travelled = self.contacts.travelled;
        for batch in self.range.clone() {
            // SAFETY: `solve` found the memory; its caller keeps others away.
            let memory = unsafe { &mut *self.contacts.memory.as_ptr().add(batch) };
            if travelled < memory.touches_at {
                self.forget(batch);
                continue;
            }
            let lanes = self.batches.lanes(batch);
            let mut slack = f32::INFINITY;
            for chunk in Chunk::<L>::holding(lanes) {
                // SAFETY: `solve` found the rows, and `PairBatches::push` that each pair's are among them and no two of
                // a color share one; its caller keeps others away.
                let found = unsafe {
                    match self.batches.features[batch] {
                        Features::PointTriangle => self.pass(batch, chunk, Features::PointTriangle, memory),
                        Features::EdgeEdge => self.pass(batch, chunk, Features::EdgeEdge, memory),
                    }
                };
                sum.contacts += found.touched.contacts;
                if self.batches.features(batch) == Features::EdgeEdge {
                    sum.edges += found.touched.contacts;
                }
                sum.deepest = Lanes::larger(sum.deepest, found.touched.deepest);
                slack = Lanes::smaller(slack, found.slack);
            }
            memory.touches_at = if slack > 0.0 { travelled + slack } else { f32::NEG_INFINITY };
        }
        sum
    }

    /// Sets multipliers to zero in the first pass of a substep.
    #[inline(always)]
    fn forget(&self, batch: usize) {
        if self.contacts.first && !self.contacts.held.is_empty() {
            // SAFETY: `solve` has found four packs a batch; its caller keeps others away.
            unsafe { self.contacts.held.part(4 * batch, 4).fill(Pack([0.0; BATCH])) };
        }
    }

    /// # Safety
    /// As for [`PairContacts::solve`].
    #[inline(always)]
    unsafe fn held<L: Lanes<Elem = f32>>(&self, batch: usize, chunk: Chunk<L>) -> Held<L> {
        if self.contacts.first {
            return Held::none();
        }
        // SAFETY: `solve` has found four packs a batch; the caller promises that they are its alone.
        unsafe { Held::load(self.contacts.held, batch, chunk) }
    }

    /// # Safety
    /// As for `held`.
    #[inline(always)]
    unsafe fn keep<L: Lanes<Elem = f32>>(&self, batch: usize, chunk: Chunk<L>, held: Held<L>) {
        // SAFETY: `solve` has found four packs a batch; the caller promises that they are its alone.
        unsafe { held.store(self.contacts.held, batch, chunk) };
    }

    /// # Safety
    /// As for `held`.
    #[inline(always)]
    unsafe fn pass<L: Lanes<Elem = f32>>(
        &self,
        batch: usize,
        chunk: Chunk<L>,
        features: Features,
        memory: &mut Memory,
    ) -> Found {
        let ends = self.contacts.ends;
        let (at, zero) = (&self.batches.at[batch], L::zero());
        // SAFETY: `PairBatches` has checked the rows; the caller promises that nobody else uses them.
        unsafe {
            let reach = self.batches.reach[batch].load(chunk);
            let (x, w) = gather::<L>(ends.end.as_ptr(), at, chunk);
            let Nearest { mut weights, mut gap, distance, mut n } = Nearest::of(x, features);
            let mut c = distance - reach;
            let side = memory.n.load(chunk);
            // On the other side of what was seen last: has it gone through in this substep?
            let turned = gap.dot(side).lt(zero) & reach.ge(zero);
            if turned.any() {
                let (a, _) = gather::<L>(ends.start.as_ptr(), at, chunk);
                let before = Nearest::of(a, features);
                let through = turned & gap.dot(before.n).lt(zero);
                for (weight, before) in weights.iter_mut().zip(before.weights) {
                    *weight = L::select(through, before, *weight);
                }
                gap = V3::select(through, weighted(x, weights), gap);
                n = V3::select(through, before.n, n);
                c = L::select(through, gap.dot(n) - reach, c);
            }
            memory.n.store(chunk, n);
            let held = self.held(batch, chunk);
            let mut weight = zero;
            for k in 0..4 {
                weight = weight + weights[k] * weights[k] * w[k];
            }
            let touches = weight.gt(zero) & (c.lt(zero) | held.normal.gt(zero));
            if !touches.any() {
                self.keep(batch, chunk, held);
                return Found { touched: Touched::default(), slack: least(c, reach.ge(zero)) };
            }
            // A pair that began the substep too near was not pressed there in it: it opens by little.
            let (a, _) = gather::<L>(ends.start.as_ptr(), at, chunk);
            let from = weighted(a, weights);
            let open = from.dot(n).larger(zero) + self.contacts.opening.of(reach, at, chunk);
            let c = L::select(open.lt(reach), c + (reach - open), c);
            let normal = (held.normal - c / weight).larger(zero);
            let push = n * (normal - held.normal);
            // How far one feature has moved past the other in this substep.
            let moved = gap - from + push * weight;
            let slip = moved - n * moved.dot(n);
            let mu = self.batches.friction[batch].load(chunk);
            let tau = friction(Held { tau: held.tau, normal }, slip * (L::splat(1.0) / weight), mu, mu);
            let change = push + (tau - held.tau);
            let most = L::splat(MAX_CORRECTION);
            let sane = touches & (change * weight).length_squared().le(most * most);
            for k in 0..4 {
                // The write is masked, not the factor: 0 * NaN would be NaN.
                let dx = (change * (weights[k] * w[k])).or_zero(sane);
                add(dx, ends.end.as_ptr(), &at[k], chunk, self.batches.lanes(batch));
            }
            let normal = L::select(sane, normal, held.normal);
            self.keep(batch, chunk, Held { tau: V3::select(sane, tau, held.tau), normal });
            if !self.contacts.record.is_empty() {
                let [w0, w1, w2, w3] = weights;
                for (k, value) in [w0, w1, w2, w3, n.x, n.y, n.z, normal.or_zero(sane)].into_iter().enumerate() {
                    // `solve` has found so many packs a batch; its caller keeps others away.
                    (*self.contacts.record.as_ptr().add(batch * RECORD + k)).store(chunk, value);
                }
            }
            let contacts = (sane & normal.gt(zero)).count();
            let deepest = -least(c.or_zero(sane).smaller(zero), reach.ge(zero));
            Found { touched: Touched { contacts, edges: 0, deepest }, slack: 0.0 }
        }
    }
}

/// Adds to the rows of a slot where there is a pair.
///
/// # Safety
/// The rows are there, and nobody else uses them.
#[inline(always)]
unsafe fn add<L: Lanes<Elem = f32>>(dx: V3<L>, rows: *mut crate::Row, at: &Pack<u32>, chunk: Chunk<L>, lanes: usize) {
    let first = chunk.first();
    // SAFETY: the caller promises that the rows are there, and nobody else uses them.
    unsafe {
        if lanes >= first + L::WIDTH {
            let dx = L::transpose([dx.x, dx.y, dx.z, L::zero()]);
            return L::add_rows(dx, rows.cast(), chunk.of(&at.0));
        }
        let mut buffer = [[0.0; BATCH]; 3];
        buffer.store(Chunk::<L>::FIRST, dx);
        for lane in first..lanes {
            let row = &mut *rows.add(at.0[lane] as usize / 2);
            for (number, column) in row.iter_mut().zip(&buffer) {
                *number += column[lane - first];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Pair;
    use super::*;
    use crate::Row;

    /// Kernels go through rows by pointers: that they record what they write is all that the watch knows of them.
    #[test]
    #[cfg(debug_assertions)]
    fn two_blocks_that_push_one_pair_are_found() {
        let mut batches = PairBatches::default();
        batches.clear(16);
        batches.next_color();
        for first in [0, 4] {
            let pair = Pair { rows: [0, 1, 2, 3].map(|k| first + k), reach: 0.01, friction: 0.5 };
            batches.push(Features::EdgeEdge, &[pair]);
        }
        let push = |of: [usize; 2]| {
            let (mut start, mut end) = (vec![[0.0, 0.0, 0.0, 1.0]; 16], vec![[0.0, 0.0, 0.0, 1.0]; 16]);
            let mut memory = vec![Memory::NOTHING; 2];
            let contacts = PairContacts {
                ends: Ends { start: Shared::new(&mut start), end: Shared::new(&mut end) },
                memory: Shared::new(&mut memory),
                travelled: 0.0,
                opening: Opening { share: 1.0, most: 1.0, clamped: 1.0, kept: &[] },
                held: Shared::new(&mut []),
                record: Shared::new(&mut []),
                first: true,
            };
            // One thread, which takes the blocks one after another: what they take is compared all the same.
            let mut workers = seidel_workers::Workers::new(1);
            let stage = || {
                workers.run(|crew| {
                    crew.each(2, |block| {
                        // SAFETY: the arrays are this function's own, and only one thread is at work.
                        unsafe { _ = contacts.solve(Isa::PORTABLE, &batches, of[block]..of[block] + 1) };
                    });
                });
            };
            let watched = std::panic::AssertUnwindSafe(|| seidel_workers::claims::watched(stage));
            std::panic::catch_unwind(watched).is_ok()
        };
        assert!(push([0, 1]), "two pairs without a common particle");
        assert!(!push([1, 1]), "one pair");
    }

    /// Two edges that begin a substep too near open by a share of their distance, by less where one of their particles
    /// was clamped in the substep before.
    #[test]
    fn what_was_clamped_opens_slowly() {
        let edges = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.002, -1.0], [0.0, 0.002, 1.0]];
        let mut batches = PairBatches::default();
        batches.clear(16);
        batches.next_color();
        batches.push(Features::EdgeEdge, &[Pair { rows: [0, 1, 2, 3], reach: 0.01, friction: 0.5 }]);
        for isa in Isa::available() {
            let gap = |share: f32, most: f32, kept: &[f32]| {
                let mut start: Vec<Row> = edges.iter().map(|[x, y, z]| [*x, *y, *z, 1.0]).collect();
                start.resize(16, [0.0; 4]);
                let (mut end, mut memory) = (start.clone(), vec![Memory::NOTHING]);
                let contacts = PairContacts {
                    ends: Ends { start: Shared::new(&mut start), end: Shared::new(&mut end) },
                    memory: Shared::new(&mut memory),
                    travelled: 0.0,
                    opening: Opening { share, most, clamped: 1e-4, kept },
                    held: Shared::new(&mut []),
                    record: Shared::new(&mut []),
                    first: true,
                };
                // SAFETY: the arrays are this function's own.
                unsafe { _ = contacts.solve(isa, &batches, 0..1) };
                end[2][1] - end[0][1]
            };
            let mut kept = [1.0; 16];
            kept[2] = 0.5;
            for (share, most, kept, wanted) in [
                (0.1, 1.0, &[][..], 0.003),
                (0.1, 5e-4, &[1.0; 16], 0.0025),
                (0.1, 1.0, &kept, 0.0021),
                (0.005, 1.0, &kept, 0.00205),
                (2.0, 1.0, &[], 0.01),
            ] {
                let gap = gap(share, most, kept);
                assert!((gap - wanted).abs() < 1e-6, "{isa}: {gap} m, not {wanted}");
            }
        }
    }

    /// A pair with a particle that is no number leaves its other particles as they are, whatever touches in the lanes
    /// beside it.
    #[test]
    fn what_is_lost_moves_nothing() {
        let mut start: Vec<Row> = vec![[0.0; 4]; 16];
        for pair in 0..2 {
            let at = |x: f32, y: f32, z: f32| [x + 10.0 * pair as f32, y, z, 1.0];
            let edges = [at(-1.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(0.0, 0.005, -1.0), at(0.0, 0.005, 1.0)];
            start[4 * pair..4 * pair + 4].copy_from_slice(&edges);
        }
        let mut batches = PairBatches::default();
        batches.clear(16);
        batches.next_color();
        let pair = |first: u32| Pair { rows: [0, 1, 2, 3].map(|k| first + k), reach: 0.01, friction: 0.5 };
        batches.push(Features::EdgeEdge, &[pair(0), pair(4)]);
        let lost = [f32::NAN, f32::INFINITY, 1e30].into_iter().flat_map(|x| (4..8).map(move |row| (x, row)));
        for ((x, row), isa) in lost.flat_map(|lost| Isa::available().into_iter().map(move |isa| (lost, isa))) {
            let (mut start, mut end, mut memory) = (start.clone(), start.clone(), vec![Memory::NOTHING]);
            end[row][..3].fill(x);
            let before = end.clone();
            let contacts = PairContacts {
                ends: Ends { start: Shared::new(&mut start), end: Shared::new(&mut end) },
                memory: Shared::new(&mut memory),
                travelled: 0.0,
                opening: Opening { share: 1.0, most: 1.0, clamped: 1.0, kept: &[] },
                held: Shared::new(&mut []),
                record: Shared::new(&mut []),
                first: true,
            };
            // SAFETY: the arrays are this function's own.
            let touched = unsafe { contacts.solve(isa, &batches, 0..1) };
            assert_eq!(touched.contacts, 1, "{isa}");
            assert!(end[0][1] < before[0][1] && end[2][1] > before[2][1], "{isa}: the first pair comes apart");
            let others = (4..8).filter(|other| *other != row);
            others.for_each(|other| assert_eq!(end[other], before[other], "{isa}: {x} in row {row} moves row {other}"));
        }
    }
}
