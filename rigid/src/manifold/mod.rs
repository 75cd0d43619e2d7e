//! Where two shapes touch, or are about to: a normal, and up to four points.
//!
//! ```text
//!        B                        The normal points from A to B. Points are on the surfaces; the separation is
//!    ----+---- b                  n.(b - a), below 0 where they are in each other.
//!        |  n                     All in the frame of A, so it is as precise far from the origin as near it.
//!    ----+---- a
//!        A
//! ```
//!
//! Polyhedra by separating axes and clipping (Gregorius 2013, "The Separating Axis Test between Convex Polyhedra"),
//! spheres and capsules by closest points (Ericson 2004, "Real-Time Collision Detection", chapter 5), cylinders and
//! cones by their support mappings. Polyhedra that are apart have the axis that separates them most among those of
//! faces and of pairs of edges: the separation along it is at most their distance.

// !(x <= reach) is also true where x is NaN, which is then beyond reach.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod capsule;
mod clip;
mod closest;
pub(crate) mod convex;
mod cuboid;
mod faces;
mod frustum;
mod half_space;
mod lasting;
mod point;
mod polyhedron;
mod reduce;
mod segment;
mod sphere;
#[cfg(test)]
mod tests;

use crate::Shape;
use convex::{Convex, WideTransform, narrow, nearest, wide};
pub use cuboid::CuboidPairs;
use faces::{BoxFaces, Faces, PackedBox, PackedFaces};
pub use lasting::Lasting;
pub(crate) use point::CORES;
pub use point::{CORNERS, Manifold, POINTS, Point, Transform};
use seidel_kernels::Isa;

/// The contact of two shapes that are at most `reach` metres apart, in A's frame.
///
/// The same on all lanes. Numbers that are not finite give no point. Two half spaces give none.
#[must_use]
pub fn collide(isa: Isa, a: &Shape, b: &Shape, b_in_a: &Transform, reach: f32) -> Manifold {
    let mut manifold = Manifold::NONE;
    collide_into(&mut manifold, isa, [a, b], b_in_a, reach);
    manifold
}

/// The same, written to a place where it is to stay: manifolds are large.
pub fn collide_into(to: &mut Manifold, isa: Isa, [a, b]: [&Shape; 2], b_in_a: &Transform, reach: f32) {
    to.clear();
    if !b_in_a.is_finite() {
        return;
    }
    if let Some(manifold) = one_way(isa, a, b, b_in_a, reach) {
        *to = manifold;
    } else if let Some(manifold) = one_way(isa, b, a, &b_in_a.inverse(), reach) {
        *to = manifold.swapped(b_in_a);
    }
    // Sizes may be as bad as poses, and products overflow.
    if !to.is_finite() {
        to.clear();
    }
}

/// Two solids of faces that are apart, and have one point whose way does not go along the normal: neither is above a
/// face of the other. Then, where less than `near` separates them, the normal is the way between their closest points.
/// Along the axis that separates them most what flies past a corner would be stopped in front of it.
pub fn by_distance(to: &mut Manifold, [a, b]: [&Shape; 2], b_in_a: &Transform, [reach, near]: [f32; 2]) {
    to.aside = to.is_aside();
    if !to.aside || to.points[0].separation > near {
        return;
    }
    let (Some(a), Some(b)) = (Convex::new(a, WideTransform::HERE), Convex::new(b, WideTransform::of(b_in_a))) else {
        return;
    };
    let Some(pair) = nearest(&a, &b, wide(b_in_a.at), f64::from(reach)) else {
        to.clear();
        return;
    };
    let separation = pair.separation as f32;
    if separation > reach {
        to.clear();
    } else if separation > to.points[0].separation {
        to.normal = narrow(pair.normal);
        to.points[0] = Point { a: narrow(pair.a), b: narrow(pair.b), separation, ..to.points[0] };
    }
}

/// None if there is a routine for these shapes in the other order only.
#[inline(always)]
fn one_way(isa: Isa, a: &Shape, b: &Shape, b_in_a: &Transform, reach: f32) -> Option<Manifold> {
    let at = b_in_a.at;
    Some(match (a, b) {
        (Shape::Cuboid { half: a }, Shape::Cuboid { half: b }) => cuboid::against_cuboid(*a, *b, b_in_a, reach),
        (Shape::HalfSpace, Shape::HalfSpace) => Manifold::NONE,
        (Shape::HalfSpace, Shape::Sphere { radius }) => half_space::against_sphere(at, *radius, reach),
        (Shape::HalfSpace, Shape::Capsule { radius, half_length }) => {
            half_space::against_capsule(b_in_a, *radius, *half_length, reach)
        }
        (Shape::HalfSpace, Shape::Cuboid { half }) => {
            half_space::against_faces(BoxFaces::new(*half).faces(), b_in_a, reach)
        }
        (Shape::HalfSpace, Shape::Hull(hull)) => half_space::against_faces(Faces::of(hull), b_in_a, reach),
        (Shape::Sphere { radius: a }, Shape::Sphere { radius: b }) => sphere::against_sphere(*a, at, *b, reach),
        (Shape::Cuboid { half }, Shape::Sphere { radius }) => sphere::in_cuboid(*half, at, *radius, reach),
        (Shape::Hull(a), Shape::Sphere { radius }) => sphere::in_faces(Faces::of(a), at, *radius, reach),
        (Shape::Capsule { radius: a, half_length }, Shape::Sphere { radius: b }) => {
            capsule::against_sphere(*a, *half_length, at, *b, reach)
        }
        (Shape::Capsule { radius: a, half_length: c }, Shape::Capsule { radius: b, half_length: d }) => {
            capsule::against_capsule((*a, *c), (*b, *d), b_in_a, reach)
        }
        (Shape::Cuboid { half }, Shape::Capsule { radius, half_length }) => {
            segment::against_faces(BoxFaces::new(*half).faces(), b_in_a, (*radius, *half_length), reach)
        }
        (Shape::Hull(a), Shape::Capsule { radius, half_length }) => {
            segment::against_faces(Faces::of(a), b_in_a, (*radius, *half_length), reach)
        }
        (Shape::Hull(a), Shape::Hull(b)) => {
            polyhedron::against_faces(isa, PackedFaces::of(a), PackedFaces::of(b), b_in_a, reach)
        }
        (Shape::Hull(a), Shape::Cuboid { half }) => {
            polyhedron::against_faces(isa, PackedFaces::of(a), PackedBox::new(*half).faces(), b_in_a, reach)
        }
        (Shape::HalfSpace, Shape::Cylinder { radius, half_height }) => {
            frustum::on_half_space([*radius; 2], *half_height, b_in_a, reach)
        }
        (Shape::HalfSpace, Shape::Cone { radius, half_height }) => {
            frustum::on_half_space([*radius, 0.0], *half_height, b_in_a, reach)
        }
        (Shape::Cylinder { .. } | Shape::Cone { .. }, other) if !matches!(other, Shape::HalfSpace) => {
            convex::against(a, b, b_in_a, reach)
        }
        _ => return None,
    })
}
