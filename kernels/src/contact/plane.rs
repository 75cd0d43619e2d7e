//! Plane: a half space, with everything on the side to which the normal points; or a thin wall, which keeps everything
//! on the side where it begins the substep.

use super::Shape;
use crate::V3;
use crate::lanes::Lanes;

/// The half space below a plane through the centre, or the plane alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal, away from the solid.
    pub normal: [f32; 3],
    /// Only if both sides are free: the normal at the substep's start.
    pub start: Option<[f32; 3]>,
}

impl Plane {
    /// The normal to the side where `a` begins.
    #[inline(always)]
    fn towards<L: Lanes<Elem = f32>>(&self, a: V3<L>, normal: [f32; 3]) -> V3<L> {
        let n = V3::set(normal);
        match self.start {
            None => n,
            Some(start) => V3::select(a.dot(V3::set(start)).lt(L::zero()), -n, n),
        }
    }
}

impl Shape for Plane {
    const CHEAP: bool = true;

    #[inline(always)]
    fn near<L: Lanes<Elem = f32>>(&self, a: V3<L>, b: V3<L>, thickness: L) -> L::Mask {
        b.dot(self.towards(a, self.normal)).le(thickness)
    }

    #[inline(always)]
    fn contact<L: Lanes<Elem = f32>>(&self, a: V3<L>, b: V3<L>, thickness: L, _span: L) -> (L, V3<L>, L) {
        // A half space has no other side: however deep the path ends, the way out is the normal.
        let n = self.towards(a, self.normal);
        (b.dot(n) - thickness, n, thickness)
    }

    #[inline(always)]
    fn inside<L: Lanes<Elem = f32>>(&self, x: V3<L>, thickness: L) -> (L, V3<L>) {
        let n = self.towards(x, self.start.unwrap_or(self.normal));
        (thickness - x.dot(n), n)
    }
}
