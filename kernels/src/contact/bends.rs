//! How a signed distance bends: what its tangent planes say of the neighbourhood.

use crate::V3;
use crate::lanes::Lanes;

/// How a distance bends over a triangle.
#[derive(Clone, Copy, Debug)]
pub enum Over {
    /// Along an arm a in the triangle its slope falls by (x a_x^2 + y a_y^2 + z a_z^2) / |a|, at most, for these,
    /// 1/m, >= 0; infinite where that is not known.
    Smooth(V3<f64>),
    /// It has a crease across the triangle: which meets this edge, from corner `k` to the next, at this part of the
    /// edge, 0..1.
    Creased(usize, f64),
}

/// How far below its tangent plane at any point of a neighbourhood a distance is at another, at the end of an arm a
/// from that, at most: falls |a| + (x a_x^2 + y a_y^2 + z a_z^2) / 2, the letters those of `curved`.
#[derive(Clone, Copy, Debug)]
pub struct Bend<L> {
    /// By how much its slope falls at creases.
    pub falls: L,
    /// How fast its slope falls elsewhere along the axes, 1/m.
    pub curved: V3<L>,
}

/// What a distance with a value and a gradient at a point of a triangle is over the triangle, at least.
#[inline(always)]
pub(super) fn lower<L: Lanes>(x: &[V3<L>; 3], at: V3<L>, tangent: (L, V3<L>), bend: &Bend<L>) -> L {
    let [h0, h1, h2] = heights(x, at, tangent, bend);
    h0.smaller(h1).smaller(h2)
}

/// The same at its corners. Between these it is more than what is linear between them.
#[inline(always)]
pub(super) fn heights<L: Lanes>(x: &[V3<L>; 3], at: V3<L>, (value, gradient): (L, V3<L>), bend: &Bend<L>) -> [L; 3] {
    let along = [x[0] - at, x[1] - at, x[2] - at];
    [
        value + below(along[0], gradient, bend),
        value + below(along[1], gradient, bend),
        value + below(along[2], gradient, bend),
    ]
}

/// How it changes along an arm, at least.
#[inline(always)]
fn below<L: Lanes>(arm: V3<L>, gradient: V3<L>, bend: &Bend<L>) -> L {
    let squares = V3::new(arm.x * arm.x, arm.y * arm.y, arm.z * arm.z);
    arm.dot(gradient) - (bend.falls * arm.length() + squares.dot(bend.curved) * L::splat(0.5))
}

/// A number that no bend reaches: nothing is known.
pub(super) const UNKNOWN: f64 = (1u64 << 60) as f64;
