//! The kept impulses of one contact, the first guess of a substep: the work they do, and less of them.

use super::rows::Batch;
use super::{PAIRS, get};
use crate::BodyRow;
use seidel_kernels::{Pack, V3};

impl Batch {
    /// The rows of a contact's bodies.
    #[must_use]
    pub fn bodies(&self, lane: usize) -> [u32; 2] {
        self.read.map(|rows| rows[lane] / PAIRS)
    }

    /// Those of them that it may move.
    #[must_use]
    pub fn moving(&self, lane: usize) -> [Option<u32>; 2] {
        [0, 1].map(|k| (self.read[k][lane] == self.write[k][lane]).then(|| self.read[k][lane] / PAIRS))
    }

    /// Whether any of its points pushes.
    #[must_use]
    pub fn pushes(&self, lane: usize) -> bool {
        self.points[..self.points_of.0[lane] as usize].iter().any(|of| of.normal.0[lane] > 0.0)
    }

    /// The work of its impulses at velocities of its bodies, J: each times the velocity of B's place against A's.
    #[must_use]
    pub fn work(&self, lane: usize, [a, b]: [&BodyRow; 2]) -> f64 {
        let at = |row: &BodyRow, r: V3<f32>| row.velocity() + row.angular_velocity().cross(r);
        let (n, offset) = (get(&self.normal, lane), get(&self.offset_now, lane));
        let apart = |r: V3<f32>| at(b, r - offset) - at(a, r);
        let points = &self.points[..self.points_of.0[lane] as usize];
        let along = points.iter().map(|of| of.normal.0[lane] * n.dot(apart(get(&of.arm, lane))));
        let (of, [t1, t2]) = (&self.friction, self.tangents.each_ref().map(|t| get(t, lane)));
        let across = |[one, other]: &[Pack<f32>; 2]| t1 * one.0[lane] + t2 * other.0[lane];
        let turns = b.angular_velocity() - a.angular_velocity();
        let resists = if self.resists { across(&self.resistance.impulse).dot(turns) } else { 0.0 };
        let slides = across(&of.impulse).dot(apart(get(&of.arm, lane)));
        along.chain([slides, of.twist.0[lane] * n.dot(turns), resists]).map(f64::from).sum()
    }

    /// Keeps only a share of its impulses: along the normal, across it and about it.
    pub fn scale(&mut self, lane: usize, share: f32) {
        let points = &mut self.points[..self.points_of.0[lane] as usize];
        points.iter_mut().for_each(|of| of.normal.0[lane] *= share);
        let of = &mut self.friction;
        let resistance = self.resists.then_some(&mut self.resistance.impulse).into_iter().flatten();
        of.impulse.iter_mut().chain([&mut of.twist]).chain(resistance).for_each(|impulse| impulse.0[lane] *= share);
    }
}
