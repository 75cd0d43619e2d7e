//! A sweep over rates, in which damping of strain acts: how far particles go in a substep, before it begins.

use super::motion::{Motion, Run};
use super::rows::{columns, put_columns};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::{Isa, Row};
use seidel_workers::Shared;

/// What is done with the rates u of a run.
#[derive(Clone, Copy, PartialEq)]
enum Do {
    /// u = h v
    Begin,
    /// v += (u - h v) / h
    End,
}

struct Rates<'a> {
    of: Do,
    h: f32,
    motion: Motion<'a>,
    run: Run,
}

impl Kernel for Rates<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Self { of, h, motion, run } = self;
        let (h, per_h) = (L::set(h), L::set(1.0 / h));
        let mut row = run.start;
        while row < run.start + run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                let read = |rows: Shared<'_, Row>| columns::<L>(rows.as_ptr(), run.layout, row);
                let ([vx, vy, vz, v3], [ux, uy, uz, _]) = (read(motion.v), read(motion.u));
                if of == Do::Begin {
                    put_columns([h * vx, h * vy, h * vz, L::zero()], motion.u, run.layout, row);
                } else {
                    // What no constraint has touched keeps its velocity to the bit.
                    let after = |v: L, u: L| v + (u - h * v) * per_h;
                    put_columns([after(vx, ux), after(vy, uy), after(vz, uz), v3], motion.v, run.layout, row);
                }
            }
            row += L::WIDTH;
        }
    }
}

impl Motion<'_> {
    /// Sets u = h v, metres and radians: how far particles and frames go in a substep of `h` seconds, for a sweep over
    /// rates ([`crate::Particles::of_rates`]).
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    pub unsafe fn rates(self, isa: Isa, run: Run, h: f32) {
        self.check(run);
        self.claim(run);
        isa.dispatch(Rates { of: Do::Begin, h, motion: self, run });
    }

    /// Takes velocities from solved rates: v += (u - h v) / h.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    pub unsafe fn solved_rates(self, isa: Isa, run: Run, h: f32) {
        self.check(run);
        self.claim(run);
        isa.dispatch(Rates { of: Do::End, h, motion: self, run });
    }
}
