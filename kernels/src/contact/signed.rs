//! Shapes by their signed distance: how far a point is outside (negative: inside), and the way out.
//!
//! Where |grad| = 1, a ball of that radius about the point is free. Others have the same sign and say how steep they
//! are.

use super::bends::{Bend, Over};
use crate::V3;
use crate::lanes::Lanes;

/// A shape about its own origin.
pub trait SignedDistance: Copy {
    /// Signed distance in metres, and the unit normal: the direction in which it grows fastest. Where there are
    /// several, one.
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>);

    /// The same and how fast it grows there, at most [`SignedDistance::slope`].
    #[inline(always)]
    fn graded<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>, L) {
        let (distance, normal) = self.distance(x);
        (distance, normal, L::splat(1.0))
    }

    /// Radius of a ball about the origin that holds the shape, metres; or, where it has no end, what it was made from.
    fn bound(&self) -> f32;

    /// Half the sides of a box about the origin that holds the shape, along its axes, metres. None where it has no end.
    fn half(&self) -> Option<[f32; 3]> {
        self.ends().then(|| [self.bound(); 3])
    }

    /// Whether nothing of it is further out than `bound`.
    fn ends(&self) -> bool {
        true
    }

    /// Whether the distance of a point outside is at least the true one, of a convex shape: then it is also at least
    /// that from the box `half`.
    fn exact(&self) -> bool {
        false
    }

    /// Whether asking for the distance is dear enough to look at the bound first.
    fn dear(&self) -> bool {
        false
    }

    /// None for a convex shape. Otherwise the least step along a path, metres: what it overtakes is shallow.
    fn stride(&self) -> Option<f32> {
        None
    }

    /// Half of what it is thick where it is thinnest, about, metres.
    fn girth(&self) -> f32;

    /// Radius of what is round about it, metres: corners of triangles stay a little further out, so that the triangles
    /// do. None where there are only faces and edges.
    fn round(&self) -> Option<f32> {
        None
    }

    /// Whether the distance is a convex function.
    fn convex(&self) -> bool {
        self.stride().is_none()
    }

    /// How the distance bends over a triangle.
    fn over(&self, _x: &[V3<f64>; 3]) -> Over {
        Over::Smooth(V3::zero())
    }

    /// How the distance bends about a point, as far as `reach`, metres.
    #[inline(always)]
    fn about<L: Lanes>(&self, _x: V3<L>, _reach: L) -> Bend<L> {
        Bend { falls: L::zero(), curved: V3::zero() }
    }

    /// The most by which the distance changes a metre: a ball of distance / slope is free.
    fn slope(&self) -> f32 {
        1.0
    }

    /// The least that the distance may be so far, metres, from where it has a value.
    #[inline(always)]
    fn least<L: Lanes>(&self, value: L, reach: L) -> L {
        value - reach * number(self.slope())
    }

    /// How deep a path may begin on the surface all the same, metres: what a push along the normal leaves.
    fn skin(&self) -> f32 {
        0.0
    }
}

/// The same number in every lane.
#[inline(always)]
pub(super) fn number<L: Lanes>(v: f32) -> L {
    L::splat(f64::from(v))
}
