//! The rows that are moved, and runs of them.

use crate::{Layout, Row};
use seidel_workers::Shared;

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
    #[inline]
    pub(crate) fn check<const N: usize>(self, lens: [usize; N]) {
        assert!(self.start.is_multiple_of(16) && self.len.is_multiple_of(16), "runs are whole batches of rows");
        let end = self.start.checked_add(self.len).expect("the run ends behind the rows");
        assert!(lens.into_iter().all(|len| end <= len), "the run ends behind the rows");
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
