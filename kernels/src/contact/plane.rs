//! Plane: a half space. Everything is on the side to which the normal points.

use super::Shape;
use crate::V3;
use crate::lanes::Lanes;

/// The half space below a plane through the centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal, away from the solid.
    pub normal: [f32; 3],
}

impl Shape for Plane {
    #[inline(always)]
    fn near<L: Lanes<Elem = f32>>(&self, _a: V3<L>, b: V3<L>, thickness: L) -> L::Mask {
        b.dot(V3::set(self.normal)).le(thickness)
    }

    #[inline(always)]
    fn contact<L: Lanes<Elem = f32>>(&self, _a: V3<L>, b: V3<L>, thickness: L, _span: L) -> (L, V3<L>, L) {
        // A half space has no other side: however deep the path ends, the way out is the normal.
        let n = V3::set(self.normal);
        (b.dot(n) - thickness, n, thickness)
    }

    #[inline(always)]
    fn inside<L: Lanes<Elem = f32>>(&self, x: V3<L>, thickness: L) -> (L, V3<L>) {
        let n = V3::set(self.normal);
        (thickness - x.dot(n), n)
    }
}
