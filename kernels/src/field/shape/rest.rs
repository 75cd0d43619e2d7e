//! The shape that particles have at rest, what is known of where they are, and what they lack of their goals.

use crate::{BATCH, Layout, Pack, Row};
use seidel_workers::Shared;

/// Particles and the shape that they have at rest, sixteen at a time. Made once; what is gathered by index is proved
/// here.
#[derive(Clone, Debug)]
pub struct Shape {
    pub(super) layout: Layout,
    pub(super) particles: usize,
    pub(super) count: usize,
    /// As [`Lanes::load_rows`] counts, or in lanes where the first number is; behind the last member the first.
    pub(super) at: Vec<[u32; BATCH]>,
    /// r and mu; zero behind the last member.
    pub(super) rest: Vec<[Pack<f32>; 4]>,
    pub(super) mass: f64,
    /// Q^-1 (with mu for m) and beta, where it is linear.
    pub(super) linear: Option<([[f64; 3]; 3], f64)>,
}

/// Sums of the differences d = p - t of a shape: mu d, mu (p - c) x d, and of the members that move mu |d|^2 and w mu^2
/// |d|^2.
pub type Residual = [f64; 8];

/// Where a shape is to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fit {
    /// Its centre, relative to the first member.
    pub(super) c: [f32; 3],
    /// T, in rows.
    pub(super) t: [[f32; 3]; 3],
    pub(super) a: [[f64; 3]; 3],
    /// The part that is subtracted from the differences: their mean, and turn x T r.
    pub(super) mean: [f32; 3],
    pub(super) turn: [f32; 3],
    /// Factor of w mu d.
    pub(super) by: f32,
}

impl Fit {
    /// The centre, for the sums of all blocks of [`Match::place`].
    #[must_use]
    pub fn about(center: [f64; 3]) -> Fit {
        Fit { c: center.map(|v| v as f32), ..Fit::default() }
    }
}

/// Rows of a shape in a step.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// Which.
    pub shape: &'a Shape,
    /// Positions and inverse masses [x, y, z, w].
    pub x: Shared<'a, Row>,
    /// Displacements [ux, uy, uz, 0].
    pub u: Shared<'a, Row>,
    /// Members' positions relative to the first, and inverse masses; as many as registers.
    pub p: Shared<'a, [Pack<f32>; 4]>,
}
