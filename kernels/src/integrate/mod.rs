//! The parts of a substep that touch every particle alone: predict, and take position and velocity from the
//! displacement.
//!
//! Displacement form (why: f32). A state keeps position x, velocity v and the rounding r that x could not hold:
//!   v += h (gravity + w f);  u = r + h v;  solve on p = x + u, writing u only;
//!   v += (u - (r + h v)) / h;  y = x + u;  r = what y lost (Knuth's TwoSum);  x = y.
//! With v = (x - x_prev) / h on plain f32 positions free fall is 20 % wrong after 10 s at 20 substeps.
//! The velocity is corrected by the part of u that the solver added, not recomputed as (u - r) / h: a row that nothing
//! touches keeps its v to the bit.

mod advance;
pub mod air;
mod bounds;
pub mod history;
mod motion;
mod rates;
pub(crate) mod rows;
mod turn;

use crate::lanes::Dispatch;
use crate::{Isa, Row};
pub use advance::{Advance, Kick, OnLost};
pub use motion::{Motion, NAN, RigidMotion, Run};
use seidel_workers::Shared;
use seidel_workers::claims::Use;
pub use turn::{Past, Turning};

impl Motion<'_> {
    /// Every array holds the run, so that kernels may go through it unchecked.
    #[inline]
    pub(crate) fn check(&self, run: Run) {
        let force = if self.force.is_empty() { self.x.len() } else { self.force.len() };
        run.check([self.x.len(), self.r.len(), self.v.len(), self.u.len(), force]);
    }

    /// The rows are written by whoever runs this.
    #[inline]
    fn claim(&self, run: Run) {
        [self.x, self.r, self.v, self.u].iter().for_each(|rows| rows.claim(run.start, run.len, Use::Write));
    }

    /// Takes rows through the parts of a substep that touch every particle alone, one after another: see [`Advance`].
    ///
    /// Returns the first row that was lost when committed: its position or velocity is not finite, or beyond
    /// `tuning::MAX_POSITION`.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    #[must_use]
    pub unsafe fn advance(self, isa: Isa, run: Run, by: Advance) -> Option<usize> {
        self.check(run);
        self.claim(run);
        // SAFETY: the caller promises that nobody else uses these rows meanwhile; the arrays hold the run.
        unsafe { by.dispatch(isa, self, run) }
    }

    /// Lowest and highest coordinates of the paths x + r -> x + u of these rows.
    ///
    /// # Safety
    /// Nobody writes these rows meanwhile.
    #[must_use]
    pub unsafe fn bounds(self, isa: Isa, run: Run) -> [[f32; 3]; 2] {
        self.check(run);
        [self.x, self.r, self.u].iter().for_each(|rows| rows.claim(run.start, run.len, Use::Read));
        isa.dispatch(bounds::Bounds { motion: self, run })
    }

    /// Notes how far these rows go in this substep, in rows [gone, reach, unsure, 0], metres: adds it to `gone` if the
    /// substep ends; otherwise writes the sum of both to `reach`.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn note_ways(self, isa: Isa, run: Run, ways: Shared<'_, Row>, ends: bool) {
        self.check(run);
        assert!(ways.len() >= run.start + run.len, "too few ways");
        [self.x, self.r, self.u].iter().for_each(|rows| rows.claim(run.start, run.len, Use::Read));
        ways.claim(run.start, run.len, Use::Write);
        isa.dispatch(bounds::Ways { motion: self, run, ways, ends });
    }
}
