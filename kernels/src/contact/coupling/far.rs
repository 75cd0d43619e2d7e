//! Which features of a cluster are so far from a shape that they need no search.
//!
//! ```text
//!   |m - box| - reach > 2 thickness + 2 way + 8 drift + roundings
//!
//!   box           about the shape           m, reach    middle of the feature and radius about it, at the substep's end, in the shape's frame
//!   way           of the particle of the feature that goes farthest in the substep
//!   drift         how far contacts may have moved particles and the body since the cluster was looked at
//! ```
//! Twice the way: all points of the path are then a way and two thicknesses away, and the steps along it end soon.
//! Eight times the drift: it moves m, changes reach and, twice, the way, each by the particle's and by the body's. So a
//! feature that is left out would have been found free, and no result changes: debug builds try it all the same, and
//! compare.

use super::rows::{Carrier, CoupledCluster};
use super::{CoupledShape, Mover, P};
use crate::contact::at_most;
use crate::contact::signed::SignedDistance;
use crate::contact::triangle_solids::way::{wide_rows, within};
use crate::integrate::Motion;

/// Part of the sizes: many roundings of f32, with which contacts are found.
const ROUNDING: f64 = 1e-4;

/// The same of the distance from the world's origin: roundings of shares.
const WORLD_ROUNDING: f64 = 1e-6;

/// How often a cluster is looked at again because contacts have moved it.
const LOOKS: u32 = 4;

/// A cluster's particles as a shape sees them.
#[derive(Debug, Default)]
pub(super) struct Far {
    /// Ends and ways of its rows, metres.
    ends: Vec<(P, f64)>,
    half: [f64; 3],
    bound: f64,
    thickness: f64,
    /// Longest arm of the body to a particle, metres.
    arm: f64,
    /// The body as it was then.
    body: Option<Mover>,
    moved: f64,
    drift: f64,
    looks: u32,
}

impl Far {
    /// Begins with a cluster. Returns whether nothing of it touches the shape.
    ///
    /// # Safety
    /// Nobody writes its rows meanwhile.
    pub(super) unsafe fn begin(
        &mut self,
        body: &Mover,
        shape: &CoupledShape<'_>,
        at: (&Motion<'_>, &CoupledCluster),
    ) -> bool {
        self.looks = 0;
        // SAFETY: the caller promises that nobody writes the cluster's rows.
        unsafe { self.look(body, shape, at) }
    }

    /// # Safety
    /// As for [`Far::begin`].
    unsafe fn look(
        &mut self,
        body: &Mover,
        shape: &CoupledShape<'_>,
        (motion, cluster): (&Motion<'_>, &CoupledCluster),
    ) -> bool {
        self.ends.clear();
        self.body = None;
        // The box is a bound only where the shape's distance is at least the box's, and a feature is between its
        // particles.
        let solid = &shape.traced.shape;
        let Some(half) = solid.half().filter(|_| solid.exact() && cluster.is_between()) else { return false };
        let [start, end] = [&shape.traced.start, &shape.traced.end].map(wide_rows);
        let (from, to) = (P::set(shape.from), P::set(shape.to));
        (self.arm, self.moved, self.drift) = (0.0, 0.0, 0.0);
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        let (mut low, mut high, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3], 0.0);
        for &at in cluster.rows() {
            // SAFETY: the caller promises that nobody writes the cluster's rows; `read` checks that they are there.
            let Carrier { x, u, r, .. } = unsafe { Carrier::read(motion, at, cluster.stride()) };
            let arm = body.arm(x + u);
            let a = within(&start, (x + r) - from);
            let b = within(&end, ((x + u) - to) - body.pushed(arm));
            let way = (b - a).length();
            if !(way.is_finite() && b.length_squared().is_finite()) {
                return false;
            }
            self.ends.push((b, way));
            (self.arm, most) = (larger(self.arm, arm.length()), larger(most, way));
            for (k, c) in [b.x, b.y, b.z].into_iter().enumerate() {
                (low[k], high[k]) = (if c < low[k] { c } else { low[k] }, larger(high[k], c));
            }
        }
        // Shares are f32, and are taken of places in the world.
        let far = WORLD_ROUNDING * (at_most(from) + at_most(to));
        (self.half, self.bound) = (half.map(f64::from), f64::from(solid.bound()) + far / ROUNDING);
        self.thickness = f64::from(cluster.thickness);
        self.body = Some(*body);
        self.looks += 1;
        let size = (0..3).fold(self.arm + self.bound, |sum, k| sum + larger(low[k].abs(), high[k].abs()));
        let margin = 2.0 * (self.thickness + most) + ROUNDING * size;
        (0..3).any(|k| larger(low[k], -high[k]) - self.half[k] > margin)
    }

    /// Whether a feature of the cluster touches nothing; its particles by their numbers among the cluster's rows,
    /// `shares` of a point.
    pub(super) fn is_free(&self, particles: [u32; 4], shares: Option<[f32; 4]>) -> bool {
        if self.body.is_none() {
            return false;
        }
        let row = |k: usize| self.ends[particles[k] as usize];
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        let (middle, reach, way) = match shares {
            Some(shares) => (0..4).fold((P::zero(), 0.0, 0.0), |(middle, reach, way), k| {
                let (end, of) = row(k);
                let share = f64::from(shares[k]);
                (middle + end * share, reach, way + of * share)
            }),
            None => {
                let of = [row(0), row(1), row(2)];
                let middle = (of[0].0 + of[1].0 + of[2].0) * (1.0 / 3.0);
                let squared = of.map(|(end, _)| (end - middle).length_squared());
                let reach = larger(larger(squared[0], squared[1]), squared[2]).sqrt();
                (middle, reach, larger(larger(of[0].1, of[1].1), of[2].1))
            }
        };
        let beyond = |x: f64, half: f64| larger(x.abs() - half, 0.0);
        let ([mx, my, mz], [hx, hy, hz]) = ([middle.x, middle.y, middle.z], self.half);
        let (x, y, z) = (beyond(mx, hx), beyond(my, hy), beyond(mz, hz));
        let rounding = ROUNDING * ((at_most(middle) + reach) + (self.arm + self.bound));
        let margin = (reach + 2.0 * (self.thickness + way)) + (8.0 * self.drift + rounding);
        // A feature with a coordinate that is not a number is not free.
        (x * x + y * y) + z * z > margin * margin && margin.is_finite()
    }

    /// Notes that a contact has moved a particle by so much, metres, and the body; looks again where that is much.
    ///
    /// # Safety
    /// As for [`Far::begin`].
    pub(super) unsafe fn pushed(
        &mut self,
        by: f64,
        body: &Mover,
        shape: &CoupledShape<'_>,
        at: (&Motion<'_>, &CoupledCluster),
    ) {
        let Some(then) = &self.body else { return };
        self.moved += by;
        self.drift = self.moved + body.since(then, self.arm);
        if self.drift > 0.25 * self.thickness && self.looks < LOOKS {
            // SAFETY: the caller promises that nobody writes the cluster's rows.
            unsafe { self.look(body, shape, at) };
        }
    }
}
