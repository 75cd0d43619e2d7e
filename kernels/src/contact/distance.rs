//! The solids that colliders may be, each by its signed distance.

use super::bends::Bend;
use super::signed::SignedDistance;
use super::{Capsule, Cone, Cuboid, Cylinder, Heights, Hull, Over, SdfGrid, Torus};
use crate::V3;
use crate::lanes::Lanes;

/// The solids that colliders may be. A shape more is its equation in a file of its own, or in shapes.rs, and a line
/// here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid<'a> {
    /// A capsule.
    Capsule(Capsule),
    /// A box.
    Cuboid(Cuboid),
    /// A cylinder.
    Cylinder(Cylinder),
    /// A cone.
    Cone(Cone),
    /// A ring.
    Torus(Torus),
    /// A grid of signed distances.
    Sdf(SdfGrid<'a>),
    /// A convex hull.
    Hull(Hull<'a>),
    /// A height field.
    Heights(Heights<'a>),
}

/// What a solid is, by its own type.
macro_rules! each {
    ($solid:expr, $shape:ident => $what:expr) => {
        match $solid {
            Solid::Capsule($shape) => $what,
            Solid::Cuboid($shape) => $what,
            Solid::Cylinder($shape) => $what,
            Solid::Cone($shape) => $what,
            Solid::Torus($shape) => $what,
            Solid::Sdf($shape) => $what,
            Solid::Hull($shape) => $what,
            Solid::Heights($shape) => $what,
        }
    };
}

pub(super) use each;

impl SignedDistance for Solid<'_> {
    #[inline(always)]
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>) {
        each!(self, shape => shape.distance(x))
    }

    #[inline(always)]
    fn graded<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>, L) {
        each!(self, shape => shape.graded(x))
    }

    fn bound(&self) -> f32 {
        each!(self, shape => shape.bound())
    }

    fn half(&self) -> Option<[f32; 3]> {
        each!(self, shape => shape.half())
    }

    fn ends(&self) -> bool {
        each!(self, shape => shape.ends())
    }

    fn exact(&self) -> bool {
        each!(self, shape => shape.exact())
    }

    fn dear(&self) -> bool {
        each!(self, shape => shape.dear())
    }

    fn stride(&self) -> Option<f32> {
        each!(self, shape => shape.stride())
    }

    fn girth(&self) -> f32 {
        each!(self, shape => shape.girth())
    }

    fn round(&self) -> Option<f32> {
        each!(self, shape => shape.round())
    }

    fn convex(&self) -> bool {
        each!(self, shape => shape.convex())
    }

    fn over(&self, x: &[V3<f64>; 3]) -> Over {
        each!(self, shape => shape.over(x))
    }

    #[inline(always)]
    fn about<L: Lanes>(&self, x: V3<L>, reach: L) -> Bend<L> {
        each!(self, shape => shape.about(x, reach))
    }

    fn slope(&self) -> f32 {
        each!(self, shape => shape.slope())
    }

    fn skin(&self) -> f32 {
        each!(self, shape => shape.skin())
    }
}
