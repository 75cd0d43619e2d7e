//! The driver: a range of batches on the chosen lanes, a constraint type at a time.

use crate::lanes::{Dispatch, Everywhere, Kernel, Lanes, Pair, Spread};
use crate::slots::Place;
use crate::{
    Access, BATCH, Batches, Chunk, InChunks, Isa, NO_ROW, Pack, Particles, Point, Project, Slots, Softness, Visitor,
};
use seidel_workers::Shared;
use seidel_workers::claims::{self, Use};
use std::marker::PhantomData;
use std::ops::Range;

/// Slots of constraints that are gathered ahead: of more the registers do not hold two.
const AHEAD: usize = 2;

/// What a sweep over constraints needs beside the batches.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// Positions and displacements.
    pub particles: Particles<'a, f32>,
    /// Multipliers: M packs a batch; empty if they are not kept (PBD, or a single iteration).
    pub lambda: Shared<'a, Pack<f32>>,
    /// True in a substep's first iteration: multipliers start at zero, whatever stands in `lambda`.
    pub first: bool,
    /// XPBD: 1 / h^2, in 1/s^2; PBD: 0. With particles [`Particles::of_rates`] 1 / (h tau), tau being the relaxation
    /// time: then no multipliers are kept.
    pub inv_h2: f32,
    /// How soft the rows are, instead of what the batches say: a pack a batch; empty if they say it.
    pub soft: &'a [Pack<f32>],
    /// The rows' parameters, instead of what the batches say: P packs a batch, NaN in lanes without a row; empty if
    /// they say it.
    pub rest: Shared<'a, Pack<f32>>,
}

/// `ONE` way of reaching particles, whatever a batch's reach, of adding corrections where the particles have them, and
/// of rates; or the fastest way for each reach, to the displacements. A pointer more, which the one way has, costs
/// distance constraints 4 %; but compiling all ways takes some seven times as long (dihedral: 38 and 5 s).
pub(crate) struct Solve<'a, K, const P: usize, const M: usize, const ONE: bool> {
    pub(crate) batches: &'a Batches,
    pub(crate) range: Range<usize>,
    pub(crate) sweep: Sweep<'a>,
    /// Parameters of all batches: P packs each.
    rest: *const Pack<f32>,
    pub(crate) kind: PhantomData<K>,
}

/// Solves a range of batches.
///
/// # Safety
/// No particle and no multiplier of these batches is used by anybody else meanwhile, and nobody writes parameters that
/// the sweep has.
pub(crate) unsafe fn solve<K: Project<P, M>, const P: usize, const M: usize>(
    isa: Isa,
    batches: &Batches,
    range: Range<usize>,
    sweep: Sweep<'_>,
) {
    assert_eq!(batches.slots(), <K::Slots<f32> as Slots<f32>>::COUNT, "batches of another kind");
    assert_eq!(batches.params(), P, "batches of another kind");
    assert!(batches.particles() <= sweep.particles.len(), "batches of another plan");
    assert!(sweep.soft.is_empty() || sweep.soft.len() == batches.len(), "softness of other batches");
    assert!(sweep.lambda.is_empty() || sweep.lambda.len() >= batches.len() * M, "too few multipliers");
    assert!(sweep.rest.is_empty() || sweep.rest.len() == batches.len() * P, "parameters of other batches");
    assert!(range.end <= batches.len(), "batches that are not there");
    let rest = if sweep.rest.is_empty() { batches.rests(0..batches.len()).as_ptr() } else { sweep.rest.as_ptr() };
    if !sweep.lambda.is_empty() {
        sweep.lambda.claim(range.start * M, range.len() * M, Use::Write);
    }
    if !sweep.rest.is_empty() {
        sweep.rest.claim(range.start * P, range.len() * P, Use::Read);
    }
    batches.claim(range.clone(), sweep.particles.sums());
    let one = K::LONG || <K::Slots<f32> as Slots<f32>>::ONE_WAY;
    if one || sweep.particles.is_apart() || sweep.particles.rates() {
        return isa.dispatch(Solve::<K, P, M, true> { batches, range, sweep, rest, kind: PhantomData });
    }
    isa.dispatch(Solve::<K, P, M, false> { batches, range, sweep, rest, kind: PhantomData });
}

impl Batches {
    /// Notes that whoever solves these batches writes the rows of their particles: see [`claims`].
    pub(crate) fn claim<E>(&self, range: Range<usize>, rows: *const [E; 4]) {
        if !claims::is_watched() {
            return;
        }
        for batch in range {
            let lanes = self.lane_map(batch).iter().enumerate().filter(|(_, row)| **row != NO_ROW);
            for (lane, slot) in lanes.flat_map(|(lane, _)| (0..self.slots()).map(move |slot| (lane, slot))) {
                claims::claim(rows.wrapping_add(self.particle(batch, slot, lane) as usize), 1, Use::Write);
            }
        }
    }
}

impl<K: Project<P, M>, const P: usize, const M: usize, const ONE: bool> Kernel for Solve<'_, K, P, M, ONE> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let mut batch = self.range.start;
        if ONE {
            for batch in self.range.clone() {
                // SAFETY: `solve` checked the kind and the lengths, `Batches` its indices and that the rows of a batch
                // are independent; the caller of `solve` keeps others away.
                unsafe { self.any::<L::One>(batch) };
            }
            return;
        }
        while batch < self.range.end {
            let begin = batch;
            batch += 1;
            // SAFETY: `solve` checked the kind and the lengths, `Batches` its indices, that the rows of a batch are
            // independent and which follow one another apart; the caller of `solve` keeps others away.
            unsafe {
                match self.batches.reach(begin) {
                    Access::Gathered if <K::Slots<L> as Slots<L>>::COUNT <= AHEAD => {
                        while batch < self.range.end && self.batches.apart(batch) {
                            batch += 1;
                        }
                        self.ahead::<L::One>(begin..batch);
                    }
                    Access::Gathered => self.rows::<L::One>(begin),
                    // A register that holds a batch: two of them.
                    Access::Contiguous
                        if L::One::WIDTH == BATCH && batch < self.range.end && self.batches.apart(batch) =>
                    {
                        self.two::<L::One>(begin);
                        batch += 1;
                    }
                    Access::Contiguous | Access::Mixed => self.batch::<L>(begin),
                }
            }
        }
    }
}

impl<K: Project<P, M>, const P: usize, const M: usize, const ONE: bool> Solve<'_, K, P, M, ONE> {
    /// A batch whose particles are reached by index.
    ///
    /// # Safety
    /// As for [`solve`]; the batch is of [`Access::Gathered`].
    #[inline(always)]
    unsafe fn rows<L: Lanes<Elem = f32>>(&self, batch: usize) {
        let (lanes, particles) = (self.batches.lanes(batch), self.sweep.particles);
        let mut first = 0;
        while first < lanes {
            // SAFETY: the caller promises that nobody else uses the particles and multipliers of these batches.
            unsafe {
                let place = Place::new(self.batches, batch, first);
                let mut slots = <K::Slots<L> as Slots<L>>::gather(particles, place);
                self.projection::<L, 1>([batch], first).visit(&mut slots);
                slots.scatter(particles, place);
            }
            first += L::WIDTH;
        }
    }

    /// A batch whose particles are in registers, or copied there.
    ///
    /// # Safety
    /// As for [`solve`]; the batch is not of [`Access::Gathered`].
    #[inline(always)]
    unsafe fn batch<L: Lanes<Elem = f32>>(&self, batch: usize) {
        let lanes = self.batches.lanes(batch);
        let mut first = 0;
        while first < lanes {
            // SAFETY: the caller promises that nobody else uses the particles and multipliers of these batches.
            unsafe {
                let projection = self.projection::<L, 1>([batch], first);
                let place = Place::new(self.batches, batch, first);
                <K::Slots<L> as Slots<L>>::visit(self.sweep.particles, place, projection);
            }
            first += L::WIDTH;
        }
    }

    /// A batch, however its particles are reached.
    ///
    /// # Safety
    /// As for [`solve`].
    #[inline(always)]
    unsafe fn any<L: Lanes<Elem = f32>>(&self, batch: usize) {
        let (lanes, particles) = (self.batches.lanes(batch), self.sweep.particles);
        let mut first = 0;
        while first < lanes {
            // SAFETY: the caller promises that nobody else uses the particles and multipliers of these batches.
            unsafe {
                let place = Place::new(self.batches, batch, first);
                let mut slots = <K::Slots<L> as Slots<L>>::read(particles, place);
                self.projection::<L, 1>([batch], first).visit(&mut slots);
                slots.write(particles, place);
            }
            first += L::WIDTH;
        }
    }

    /// A batch and the next, side by side.
    ///
    /// # Safety
    /// As for [`solve`]; both are of [`Access::Contiguous`], the second is apart from the first, and a register is as
    /// wide as a batch.
    #[inline(always)]
    unsafe fn two<L: Lanes<Elem = f32>>(&self, batch: usize) {
        // SAFETY: the caller promises that nobody else uses the particles and multipliers of these batches.
        unsafe {
            let projection = self.projection::<Pair<L>, 2>([batch, batch + 1], 0);
            let places = [Place::new(self.batches, batch, 0), Place::new(self.batches, batch + 1, 0)];
            <K::Slots<Pair<L>> as Slots<Pair<L>>>::visit_two(self.sweep.particles, places, projection);
        }
    }

    /// Batches that are reached by index, none of which shares a particle with the one before: each is gathered before
    /// the one before it is projected. That is a long chain of roots and divisions, and the processor does not look far
    /// enough ahead to begin with the next batch's loads by itself (distance, irregular, in cache, AVX-512: 2.9 and 2.4
    /// ns).
    ///
    /// # Safety
    /// As for [`solve`]; the batches are so.
    #[inline(always)]
    unsafe fn ahead<L: Lanes<Elem = f32>>(&self, batches: Range<usize>) {
        let particles = self.sweep.particles;
        let (mut batch, mut first) = (batches.start, 0);
        let mut place = Place::new(self.batches, batch, first);
        // SAFETY: the caller promises that nobody else uses the particles and multipliers of these batches.
        unsafe {
            let mut slots = <K::Slots<L> as Slots<L>>::gather(particles, place);
            while batch < batches.end {
                let (this, from, mut now, here) = (batch, first, slots, place);
                first += L::WIDTH;
                if first >= self.batches.lanes(batch) {
                    (batch, first) = (batch + 1, 0);
                }
                if batch < batches.end {
                    place = Place::new(self.batches, batch, first);
                    slots = <K::Slots<L> as Slots<L>>::gather(particles, place);
                }
                self.projection::<L, 1>([this], from).visit(&mut now);
                now.scatter(particles, here);
            }
        }
    }

    /// What is done to `WIDTH / B` constraints of each of `B` batches, from lane `first` on.
    ///
    /// # Safety
    /// As for [`solve`]; `first + WIDTH / B <= BATCH`.
    #[inline(always)]
    unsafe fn projection<L: Spread<B, Elem = f32>, const B: usize>(
        &self,
        batches: [usize; B],
        first: usize,
    ) -> Projection<L, K, P, M, B> {
        let sweep = &self.sweep;
        // SAFETY: packs hold BATCH numbers, and there are M multipliers and P parameters a batch, which `solve`
        // checked; and the caller promises that nobody else uses the particles and multipliers of these batches, nor
        // writes parameters.
        unsafe {
            let mut rest = [L::zero(); P];
            for (p, value) in rest.iter_mut().enumerate() {
                let mut from = [std::ptr::null(); B];
                for (from, batch) in from.iter_mut().zip(batches) {
                    *from = self.rest.add(batch * P + p).cast::<f32>().add(first);
                }
                *value = L::gather(from);
            }
            let (mut soft, mut kept) = ([std::ptr::null(); B], [std::ptr::null_mut(); B]);
            for (half, batch) in batches.into_iter().enumerate() {
                let pack = if sweep.soft.is_empty() { self.batches.soft(batch) } else { &sweep.soft[batch] };
                soft[half] = pack.0.as_ptr().add(first);
                if !sweep.lambda.is_empty() {
                    kept[half] = sweep.lambda.as_ptr().add(batch * M).cast::<f32>().add(first);
                }
            }
            let rates = ONE && sweep.particles.rates();
            let mut number = L::gather(soft);
            if rates && P > 0 {
                // Lanes without a row have NaN for a parameter. Rates may not depend on it, and one number may stand
                // for all rows.
                number = L::select(rest[0].equals(rest[0]), number, rest[0]);
            }
            let soft =
                Softness::new(number, L::set(sweep.inv_h2)).of_rates(rates, rates && sweep.particles.unresolved());
            Projection { rest, soft, kept, first: sweep.first, kind: PhantomData }
        }
    }
}

/// A projection of `WIDTH / B` constraints of each of `B` batches, with their multipliers where these are kept (null if
/// they are not).
struct Projection<L, K, const P: usize, const M: usize, const B: usize> {
    rest: [L; P],
    soft: Softness<L>,
    kept: [*mut f32; B],
    first: bool,
    kind: PhantomData<K>,
}

impl<L: Spread<B, Elem = f32>, K: Project<P, M>, const P: usize, const M: usize, const B: usize> Visitor<K::Slots<L>>
    for Projection<L, K, P, M, B>
{
    #[inline(always)]
    fn visit(&mut self, slots: &mut K::Slots<L>) {
        let mut lambda = [L::zero(); M];
        let kept = !self.kept[0].is_null();
        // The projection stands here once: each copy of it would be compiled for every lane type.
        //
        // SAFETY: `projection` has pointed to M packs of each batch, from a lane on that leaves room for WIDTH / B.
        unsafe {
            if kept && !self.first {
                for (m, value) in lambda.iter_mut().enumerate() {
                    let mut from = [std::ptr::null(); B];
                    for (from, kept) in from.iter_mut().zip(self.kept) {
                        *from = kept.add(m * BATCH).cast_const();
                    }
                    *value = L::gather(from);
                }
            }
            K::project(slots, &self.rest, self.soft, &mut lambda);
            if kept {
                for (m, value) in lambda.into_iter().enumerate() {
                    let mut to = self.kept;
                    for to in &mut to {
                        *to = to.add(m * BATCH);
                    }
                    value.scatter(to);
                }
            }
        }
    }
}

/// C of `WIDTH` constraints.
struct Value<'a, L, K, const P: usize, const M: usize> {
    rest: [L; P],
    value: &'a mut L,
    kind: PhantomData<K>,
}

impl<L: Lanes<Elem = f32>, K: Project<P, M>, const P: usize, const M: usize> Visitor<K::Slots<L>>
    for Value<'_, L, K, P, M>
{
    #[inline(always)]
    fn visit(&mut self, slots: &mut K::Slots<L>) {
        *self.value = K::value(slots, &self.rest);
    }
}

pub(crate) struct Measure<'a, K, const P: usize, const M: usize> {
    pub(crate) batches: &'a Batches,
    range: Range<usize>,
    /// Parameters of these batches.
    rest: &'a [Pack<f32>],
    pub(crate) particles: Particles<'a, f32>,
    pub(crate) values: &'a mut [Pack<f32>],
    pub(crate) kind: PhantomData<K>,
}

impl<K: Project<P, M>, const P: usize, const M: usize> Kernel for Measure<'_, K, P, M> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        for (number, (batch, values)) in self.range.zip(self.values).enumerate() {
            for chunk in Chunk::<L>::all() {
                // SAFETY: `measure` checked kind and lengths, `Batches` its indices; the particles are borrowed for it.
                unsafe {
                    let place = Place::new(self.batches, batch, chunk.first());
                    let mut rest = [L::zero(); P];
                    for (value, source) in rest.iter_mut().zip(&self.rest[number * P..(number + 1) * P]) {
                        *value = source.load(chunk);
                    }
                    let mut value = L::zero();
                    let mut looking = Value::<L, K, P, M> { rest, value: &mut value, kind: PhantomData };
                    looking.visit(&mut <K::Slots<L> as Slots<L>>::read(self.particles, place));
                    values.store(chunk, value);
                }
            }
        }
    }
}

/// Writes C of every row of a range of batches, a pack a batch. On one lane type, which every machine has: all give the
/// same bits, and what serves reports and plastic flow alone need not be compiled for each.
pub(crate) fn measure<K: Project<P, M>, const P: usize, const M: usize>(
    batches: &Batches,
    range: Range<usize>,
    rest: &[Pack<f32>],
    particles: Particles<'_, f32>,
    values: &mut [Pack<f32>],
) {
    assert_eq!(batches.slots(), <K::Slots<f32> as Slots<f32>>::COUNT, "batches of another kind");
    assert_eq!(batches.params(), P, "batches of another kind");
    assert!(batches.particles() <= particles.len(), "batches of another plan");
    assert!(range.end <= batches.len(), "batches that are not there");
    assert_eq!((values.len(), rest.len()), (range.len(), range.len() * P), "one value a row, P parameters");
    Measure::<K, P, M> { batches, range, rest, particles, values, kind: PhantomData }.run::<Everywhere>();
}

/// The edges of tetrahedra from their first corners, metres, x, y and z of three; and how far they are from a turn and
/// a growth, |F^T F|^2 / (its mean stretch)^2 - 3.
pub(crate) struct Edges<'a> {
    batches: &'a Batches,
    batch: usize,
    /// Dm^-1.
    rest: &'a [Pack<f32>],
    particles: Particles<'a, f32>,
    edges: &'a mut [Pack<f32>; 10],
}

impl Kernel for Edges<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        for chunk in Chunk::<L>::all() {
            // SAFETY: `edges` checked the batch and the particles, `Batches` its indices; the particles are borrowed
            // for it.
            unsafe {
                let place = Place::new(self.batches, self.batch, chunk.first());
                let points = <[Point<L>; 4] as Slots<L>>::read(self.particles, place);
                let b = |p: usize| self.rest[p].load(chunk);
                let [e1, e2, e3] = [points[1].x, points[2].x, points[3].x];
                let (f0, f1) = (e1 * b(0), e1 * b(1) + e2 * b(2));
                let f2 = (e1 * b(3) + e2 * b(4)) + e3 * b(5);
                let (xx, yy, zz) = (f0.length_squared(), f1.length_squared(), f2.length_squared());
                let (xy, yz, xz) = (f0.dot(f1), f1.dot(f2), f0.dot(f2));
                let squares = ((xx * xx + yy * yy) + zz * zz) + L::splat(2.0) * ((xy * xy + yz * yz) + xz * xz);
                let mean = ((xx + yy) + zz) * L::splat(1.0 / 3.0);
                self.edges[9].store(chunk, squares / (mean * mean) - L::splat(3.0));
                for (edge, point) in self.edges.chunks_exact_mut(3).zip(&points[1..]) {
                    for (to, of) in edge.iter_mut().zip([point.x.x, point.x.y, point.x.z]) {
                        to.store(chunk, of);
                    }
                }
            }
        }
    }
}

/// The edges of a batch of tetrahedra whose parameters are `rest`; last how far they are from a turn and a growth.
pub(crate) fn edges(
    batches: &Batches,
    batch: usize,
    rest: &[Pack<f32>],
    particles: Particles<'_, f32>,
) -> [Pack<f32>; 10] {
    assert!(batches.slots() == 4 && rest.len() >= 6, "batches of tetrahedra");
    assert!(batch < batches.len() && batches.particles() <= particles.len(), "batches of another plan");
    let mut edges = [Pack([0.0; BATCH]); 10];
    Edges { batches, batch, rest, particles, edges: &mut edges }.run::<Everywhere>();
    edges
}
