//! Sphere: entered by a path, or left along the closest way.
//!
//! Path a + s (b - a), |a| outside, meets |x| = reach at the smaller root s of A s^2 + 2 B s + D = 0 with A = d.d,
//! B = a.d, D = a.a - reach^2; in the form D / (-B + sqrt(B^2 - A D)) nothing cancels. There q, n = q / reach,
//! C = (b - q).n. Otherwise the static fallback: n = b / |b|, C = |b| - reach.

use super::{Shape, at_most, within};
use crate::V3;
use crate::lanes::Lanes;
use crate::tuning::{HOVER, MIN_LENGTH};

/// A ball about the centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Radius, metres, > 0.
    pub radius: f32,
}

/// Outward direction at a point; +y in the very centre, which has none.
#[inline(always)]
pub(super) fn outward<L: Lanes<Elem = f32>>(x: V3<L>, len: L) -> V3<L> {
    let up = V3::set([0.0, 1.0, 0.0]);
    V3::select(len.gt(L::splat(MIN_LENGTH)), x * (L::splat(1.0) / len), up)
}

impl Shape for Sphere {
    const CHEAP: bool = true;

    #[inline(always)]
    fn near<L: Lanes<Elem = f32>>(&self, a: V3<L>, b: V3<L>, thickness: L) -> L::Mask {
        within(b, L::set(self.radius) + thickness, at_most(b - a))
    }

    #[inline(always)]
    fn contact<L: Lanes<Elem = f32>>(&self, a: V3<L>, b: V3<L>, thickness: L, span: L) -> (L, V3<L>, L) {
        let radius = L::set(self.radius);
        let d = b - a;
        let (aa, bb, dd) = (a.length_squared(), a.dot(d), d.length_squared());
        // A triangle with corners at `full` does not touch: |q|^2 >= full^2 - span.
        let lowest = radius + thickness;
        let highest = lowest + thickness * L::splat(HOVER);
        let full = (lowest * lowest + span).smaller(highest * highest);
        let reach_squared = aa.smaller(full).larger(lowest * lowest);
        let outside = aa - reach_squared;
        let root = bb * bb - dd * outside;
        let s = outside / (root.larger(L::zero()).sqrt() - bb);
        // What lies on the surface is inside by a rounding as often as not. If it then went past the centre in one
        // substep, the closest way out would be the far side: it goes back to where its path came in (s < 0).
        let met = outside.ge(L::zero()) & s.le(L::splat(1.0));
        let past = outside.lt(L::zero()) & a.dot(b).lt(L::zero());
        let enters = (met | past) & bb.lt(L::zero()) & root.ge(L::zero());
        let q = a + d * s.or_zero(enters);
        // One root and one division for both: |q| is known.
        let (reach, length) = (reach_squared.sqrt(), b.length());
        let n = outward(V3::select(enters, q, b), L::select(enters, reach, length));
        let c = L::select(enters, (b - q).dot(n), length - reach);
        (c, n, reach - radius)
    }

    #[inline(always)]
    fn inside<L: Lanes<Elem = f32>>(&self, x: V3<L>, thickness: L) -> (L, V3<L>) {
        let length = x.length();
        ((L::set(self.radius) + thickness) - length, outward(x, length))
    }
}
