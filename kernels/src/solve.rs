//! The driver: a range of batches on the chosen lanes, a constraint type at a time.

use crate::lanes::{Kernel, Lanes};
use crate::{BATCH, Batches, Isa, Pack, Particles, Project, Shared, Slots, Softness};
use std::marker::PhantomData;
use std::ops::Range;

/// What a sweep over constraints needs beside the batches.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// Positions and displacements.
    pub particles: Particles<'a, f32>,
    /// Multipliers: M packs a batch; empty if they are not kept (PBD, or a single iteration).
    pub lambda: Shared<'a, Pack<f32>>,
    /// True in a substep's first iteration: multipliers start at zero, whatever stands in `lambda`.
    pub first: bool,
    /// XPBD: 1 / h^2, in 1/s^2; PBD: 0.
    pub inv_h2: f32,
}

pub(crate) struct Solve<'a, K, const P: usize, const M: usize> {
    pub(crate) batches: &'a Batches,
    pub(crate) range: Range<usize>,
    pub(crate) sweep: Sweep<'a>,
    pub(crate) kind: PhantomData<K>,
}

/// Solves a range of batches.
///
/// # Safety
/// No particle and no multiplier of these batches is used by anybody else meanwhile.
pub(crate) unsafe fn solve<K: Project<P, M>, const P: usize, const M: usize>(
    isa: Isa,
    batches: &Batches,
    range: Range<usize>,
    sweep: Sweep<'_>,
) {
    assert_eq!(batches.slots(), <K::Slots<f32> as Slots<f32>>::COUNT, "batches of another kind");
    assert_eq!(batches.params(), P, "batches of another kind");
    assert!(batches.particles() <= sweep.particles.len(), "batches of another plan");
    assert!(sweep.lambda.is_empty() || sweep.lambda.len() >= batches.len() * M, "too few multipliers");
    isa.dispatch(Solve::<K, P, M> { batches, range, sweep, kind: PhantomData });
}

impl<K: Project<P, M>, const P: usize, const M: usize> Kernel for Solve<'_, K, P, M> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let inv_h2 = L::set(self.sweep.inv_h2);
        for batch in self.range.clone() {
            let lanes = self.batches.lanes(batch);
            let mut first = 0;
            while first < BATCH {
                // SAFETY: `solve` checked the kind and the lengths, `Batches` its indices and that the rows of a batch
                // are independent; the caller of `solve` keeps others away.
                unsafe { self.pass::<L>(batch, first, lanes.saturating_sub(first), inv_h2) };
                first += L::WIDTH;
                if first >= lanes {
                    break;
                }
            }
        }
    }
}

impl<K: Project<P, M>, const P: usize, const M: usize> Solve<'_, K, P, M> {
    /// `WIDTH` constraints of a batch, of which the first `lanes` are real.
    ///
    /// # Safety
    /// As for [`solve`]; `first + WIDTH <= BATCH`.
    #[inline(always)]
    unsafe fn pass<L: Lanes<Elem = f32>>(&self, batch: usize, first: usize, lanes: usize, inv_h2: L) {
        let sweep = &self.sweep;
        // SAFETY: packs hold BATCH numbers and first + WIDTH <= BATCH; the rest is the caller's promise.
        unsafe {
            let at = self.batches.at(batch).as_ptr();
            let mut slots = <K::Slots<L> as Slots<L>>::gather(sweep.particles, at, first);
            let pack = |pack: &Pack<f32>| L::load(pack.0.as_ptr().add(first));
            let mut rest = [L::zero(); P];
            for (value, source) in rest.iter_mut().zip(self.batches.rest(batch)) {
                *value = pack(source);
            }
            let soft = Softness::new(pack(self.batches.soft(batch)), inv_h2);
            let mut lambda = [L::zero(); M];
            if sweep.lambda.is_empty() {
                K::project(&mut slots, &rest, soft, &mut lambda);
            } else {
                let kept = sweep.lambda.as_ptr().add(batch * M).cast::<f32>().add(first);
                if !sweep.first {
                    for (m, value) in lambda.iter_mut().enumerate() {
                        *value = L::load(kept.add(m * BATCH));
                    }
                }
                K::project(&mut slots, &rest, soft, &mut lambda);
                for (m, value) in lambda.into_iter().enumerate() {
                    value.store(kept.add(m * BATCH));
                }
            }
            slots.scatter(sweep.particles, at, first, lanes);
        }
    }
}

pub(crate) struct Measure<'a, K, const P: usize, const M: usize> {
    pub(crate) batches: &'a Batches,
    pub(crate) particles: Particles<'a, f32>,
    pub(crate) values: &'a mut [f32],
    pub(crate) kind: PhantomData<K>,
}

impl<K: Project<P, M>, const P: usize, const M: usize> Kernel for Measure<'_, K, P, M> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let mut done = 0;
        for batch in 0..self.batches.len() {
            let lanes = self.batches.lanes(batch);
            let mut values = [0.0; BATCH];
            let mut first = 0;
            while first < lanes {
                // SAFETY: `measure` checked kind and lengths, `Batches` its indices; the particles are borrowed for it.
                unsafe {
                    let slots =
                        <K::Slots<L> as Slots<L>>::gather(self.particles, self.batches.at(batch).as_ptr(), first);
                    let mut rest = [L::zero(); P];
                    for (value, source) in rest.iter_mut().zip(self.batches.rest(batch)) {
                        *value = L::load(source.0.as_ptr().add(first));
                    }
                    K::value(&slots, &rest).store(values.as_mut_ptr().add(first));
                }
                first += L::WIDTH;
            }
            for (&row, value) in self.batches.order()[done..done + lanes].iter().zip(values) {
                self.values[row as usize] = value;
            }
            done += lanes;
        }
    }
}

/// Writes C of every row, in the order of the arrays that were packed.
pub(crate) fn measure<K: Project<P, M>, const P: usize, const M: usize>(
    isa: Isa,
    batches: &Batches,
    particles: Particles<'_, f32>,
    values: &mut [f32],
) {
    assert_eq!(batches.slots(), <K::Slots<f32> as Slots<f32>>::COUNT, "batches of another kind");
    assert_eq!(batches.params(), P, "batches of another kind");
    assert!(batches.particles() <= particles.len(), "batches of another plan");
    assert_eq!(values.len(), batches.rows(), "one value a row");
    isa.dispatch(Measure::<K, P, M> { batches, particles, values, kind: PhantomData });
}
