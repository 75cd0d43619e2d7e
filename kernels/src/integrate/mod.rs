//! The parts of a substep that touch every particle alone: predict, and take position and velocity from the displacement.
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
mod rates;
pub(crate) mod rows;
mod turn;

use crate::{Isa, Layout, Row};
pub use advance::{Advance, Kick, OnLost};
use seidel_workers::Shared;
use seidel_workers::claims::Use;
pub use turn::{Past, Turning};

/// The rows of a state and the displacements of a step.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Positions and inverse masses [x, y, z, w].
    pub x: Shared<'a, Row>,
    /// Rounding of the positions [rx, ry, rz, 0].
    pub r: Shared<'a, Row>,
    /// Velocities [vx, vy, vz, 0].
    pub v: Shared<'a, Row>,
    /// Displacements [ux, uy, uz, 0].
    pub u: Shared<'a, Row>,
    /// External forces [fx, fy, fz, 0]; empty if there are none.
    pub force: Shared<'a, Row>,
}

/// A run of rows; the start and the length are multiples of 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First row.
    pub start: usize,
    /// Number of rows.
    pub len: usize,
    /// How they lie.
    pub layout: Layout,
}

impl Run {
    /// Arrays of these lengths hold it, so that kernels may go through it unchecked.
    pub(crate) fn check<const N: usize>(self, lens: [usize; N]) {
        assert!(self.start.is_multiple_of(16) && self.len.is_multiple_of(16), "runs are whole batches of rows");
        let end = self.start.checked_add(self.len).expect("the run ends behind the rows");
        assert!(lens.into_iter().all(|len| end <= len), "the run ends behind the rows");
    }
}

impl Motion<'_> {
    /// Every array holds the run, so that kernels may go through it unchecked.
    pub(crate) fn check(&self, run: Run) {
        let force = if self.force.is_empty() { self.x.len() } else { self.force.len() };
        run.check([self.x.len(), self.r.len(), self.v.len(), self.u.len(), force]);
    }

    /// The rows are written by whoever runs this.
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

    /// Notes how far these rows go in this substep, in rows [gone, reach, unsure, 0], metres: adds it to `gone` if the substep ends; otherwise
    /// writes the sum of both to `reach`.
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

/// The one NaN that a state holds: which one an operation gives differs between processors.
pub const NAN: f32 = f32::from_bits(0x7fc0_0000);

/// A rigid motion: the velocity of a point and the rotation about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidMotion {
    /// The point, metres.
    pub center: [f32; 3],
    /// Its velocity, m/s.
    pub velocity: [f32; 3],
    /// Angular velocity, rad/s.
    pub omega: [f32; 3],
}
