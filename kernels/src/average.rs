//! Averaged corrections: what a Jacobi sweep does before and after its constraints.
//!
//! All constraints of a sweep see the same positions, and a particle that n of them touch takes the average of what
//! they ask for (Macklin, Müller, Chentanez, Kim 2014, "Unified Particle Physics for Real-Time Applications", section
//! 4.2, and section 4.3 for the relaxation). Each constraint is projected as if it had its part of the particle to
//! itself, with 1/n of the mass and so n times the inverse mass; then the parts are put together (Tonge, Benevolenski,
//! Voroshilov 2012, "Mass Splitting for Jitter-Free Parallel Rigid Body Simulation"):
//!
//!   dlambda_j = -(C_j + a lambda_j) / (sum_i n_i w_i |grad_i C_j|^2 + a)
//!   dx_i      = 1/n_i sum_j (n_i w_i) grad_i C_j dlambda_j = w_i sum_j grad_i C_j dlambda_j
//!
//! Where every particle has the same n and a is 0, that is Macklin's average. Elsewhere theirs projects with w_i and
//! divides afterwards, so that the two ends of a constraint take different shares of it: momentum is then not
//! conserved, as they say, and XPBD keeps a multiplier that is n times what was applied. Here every correction is w_i
//! grad C dlambda with the one dlambda that is kept.
//!
//! Measured on a cloth of 24 x 24 that tumbles freely (counts differ at its border), 1,000 substeps: the momentum of
//! what moves drifts by 1.6e-4 of itself with their averages, by 3e-8 with these; stretch is less or the same, and a
//! chain at a relaxation of 1.9 leaves the scene with theirs.
//!
//! Why a sweep's iterations cannot diverge: with A = sum of w grad grad^T + a over all pairs of constraints, lambda A
//! lambda = sum_i w_i |sum_j g_ij lambda_j|^2 + sum_j a_j lambda_j^2 <= sum_j lambda_j^2 (sum_i n_i w_i |g_ij|^2 + a_j)
//! by Cauchy-Schwarz, so no eigenvalue of the iteration is above 1, and a relaxation below 2 converges.

use crate::integrate::Run;
use crate::integrate::rows::{columns, put_columns};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::{Isa, Row};
use seidel_workers::Shared;
use seidel_workers::claims::Use;

/// The rows of a Jacobi sweep.
#[derive(Clone, Copy, Debug)]
pub struct Averaging<'a> {
    /// Positions and inverse masses [x, y, z, w]; between [`Averaging::split`] and [`Averaging::join`] the inverse
    /// masses are those of a part.
    pub x: Shared<'a, Row>,
    /// Displacements [ux, uy, uz, 0].
    pub u: Shared<'a, Row>,
    /// Sums of corrections [dx, dy, dz, w], w being the whole particle's inverse mass.
    pub sums: Shared<'a, Row>,
    /// Number of parts that each particle is split into, [n, 0, 0, 0], n >= 1 and not necessarily whole.
    pub parts: &'a [Row],
}

impl Averaging<'_> {
    /// Splits the particles: sums become zero, inverse masses those of a part, n w.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    ///
    /// # Panics
    /// If the run is not within the rows.
    pub unsafe fn split(self, isa: Isa, run: Run) {
        self.check(run);
        [self.x, self.sums].iter().for_each(|rows| rows.claim(run.start, run.len, Use::Write));
        isa.dispatch(Split { rows: self, run });
    }

    /// Puts the parts together: u += sum / n, and inverse masses as they were.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    ///
    /// # Panics
    /// If the run is not within the rows.
    pub unsafe fn join(self, isa: Isa, run: Run) {
        self.check(run);
        [self.x, self.sums].iter().for_each(|rows| rows.claim(run.start, run.len, Use::Write));
        isa.dispatch(Join { rows: self, run });
    }

    /// Every array holds the run, so that kernels may go through it unchecked.
    fn check(&self, run: Run) {
        run.check([self.x.len(), self.u.len(), self.sums.len(), self.parts.len()]);
    }
}

struct Split<'a> {
    rows: Averaging<'a>,
    run: Run,
}

impl Kernel for Split<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Self { rows, run } = self;
        let mut row = run.start;
        while row < run.start + run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                let [x, y, z, w] = columns::<L>(rows.x.as_ptr(), run.layout, row);
                let [n, ..] = columns::<L>(rows.parts.as_ptr(), run.layout, row);
                put_columns([L::zero(), L::zero(), L::zero(), w], rows.sums, run.layout, row);
                put_columns([x, y, z, w * n], rows.x, run.layout, row);
            }
            row += L::WIDTH;
        }
    }
}

struct Join<'a> {
    rows: Averaging<'a>,
    run: Run,
}

impl Kernel for Join<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Self { rows, run } = self;
        let mut row = run.start;
        while row < run.start + run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                let [x, y, z, _] = columns::<L>(rows.x.as_ptr(), run.layout, row);
                let [ux, uy, uz, rest] = columns::<L>(rows.u.as_ptr(), run.layout, row);
                let [dx, dy, dz, w] = columns::<L>(rows.sums.as_ptr(), run.layout, row);
                let [n, ..] = columns::<L>(rows.parts.as_ptr(), run.layout, row);
                put_columns([ux + dx / n, uy + dy / n, uz + dz / n, rest], rows.u, run.layout, row);
                put_columns([x, y, z, w], rows.x, run.layout, row);
            }
            row += L::WIDTH;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Rows};

    /// Between the two, weights are those of parts and sums are zero; after them, u has the averages and the rest is as
    /// it was.
    #[test]
    fn parts_are_put_together_on_all_lanes() {
        let run = |layout| Run { start: 16, len: 32, layout };
        for (isa, layout) in Isa::available().into_iter().flat_map(|i| [(i, Layout::Rows), (i, Layout::Lanes)]) {
            let (mut x, mut u) = (Rows::zeros(64, 0), Rows::zeros(64, 16));
            let (mut sums, mut parts) = (Rows::zeros(64, 8), Rows::zeros(64, 40));
            sums.fill(f32::NAN);
            for p in 0..64 {
                let i = p as f32;
                layout.write(&mut x, p, [i, -i, 0.5 * i, [0.1 * i, 0.0][p % 5 / 4]]);
                layout.write(&mut u, p, [0.01 * i, 0.02, -0.03 * i, 0.0]);
                layout.write(&mut parts, p, [1.0 + (p % 7) as f32, 0.0, 0.0, 0.0]);
            }
            let (x0, u0) = (x.clone(), u.clone());
            let step = |x: &mut Rows, u: &mut Rows, sums: &mut Rows, split: bool| {
                let (x, u, sums) = (Shared::new(x), Shared::new(u), Shared::new(sums));
                let rows = Averaging { x, u, sums, parts: &parts };
                // SAFETY: all arrays are this test's own.
                unsafe { if split { rows.split(isa, run(layout)) } else { rows.join(isa, run(layout)) } }
            };
            step(&mut x, &mut u, &mut sums, true);
            for p in 16..48 {
                let (before, n) = (layout.read(&x0, p), layout.read(&parts, p)[0]);
                assert_eq!(layout.read(&x, p), [before[0], before[1], before[2], before[3] * n], "{isa}, {layout:?}");
                assert_eq!(layout.read(&sums, p), [0.0, 0.0, 0.0, before[3]], "{isa}, {layout:?}");
                layout.write(&mut sums, p, [n, -2.0 * n, p as f32, before[3]]);
            }
            step(&mut x, &mut u, &mut sums, false);
            assert_eq!(x, x0, "{isa}, {layout:?}");
            for p in 0..64 {
                let (mut want, n) = (layout.read(&u0, p), layout.read(&parts, p)[0]);
                if (16..48).contains(&p) {
                    want = [want[0] + 1.0, want[1] - 2.0, want[2] + p as f32 / n, 0.0];
                }
                assert_eq!(layout.read(&u, p), want, "{isa}, {layout:?}, particle {p}");
            }
        }
    }
}
