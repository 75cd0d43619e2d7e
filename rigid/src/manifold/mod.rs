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
//! spheres and capsules by closest points (Ericson 2004, "Real-Time Collision Detection", chapter 5), cylinders and cones by their
//! support mappings. Polyhedra that
//! are apart have the axis that separates them most among those of faces and of pairs of edges: the separation along it
//! is at most their distance.

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
mod polyhedron;
mod reduce;
mod segment;
mod sphere;
#[cfg(test)]
mod tests;

use crate::Shape;
use faces::{BoxFaces, Faces};
use seidel_kernels::{Lanes, V3};

/// A rotation and a translation, metres: where a shape is in another's frame.
#[derive(Clone, Copy, Debug)]
pub struct Transform {
    /// Its axes, columns of the rotation.
    pub axes: [V3<f32>; 3],
    /// Its origin.
    pub at: V3<f32>,
}

impl Transform {
    /// A direction of the shape's frame in the other frame.
    #[inline(always)]
    #[must_use]
    pub fn turn(&self, v: V3<f32>) -> V3<f32> {
        (self.axes[0] * v.x + self.axes[1] * v.y) + self.axes[2] * v.z
    }

    /// A direction of the other frame in the shape's.
    #[inline(always)]
    #[must_use]
    pub fn turn_back(&self, v: V3<f32>) -> V3<f32> {
        V3::new(self.axes[0].dot(v), self.axes[1].dot(v), self.axes[2].dot(v))
    }

    /// A point of the shape in the other frame.
    #[inline(always)]
    #[must_use]
    pub fn point(&self, p: V3<f32>) -> V3<f32> {
        self.at + self.turn(p)
    }

    /// Where the other frame is in the shape's.
    #[inline(always)]
    #[must_use]
    pub fn inverse(&self) -> Self {
        let [x, y, z] = self.axes;
        let axes = [V3::new(x.x, y.x, z.x), V3::new(x.y, y.y, z.y), V3::new(x.z, y.z, z.z)];
        Self { axes, at: -self.turn_back(self.at) }
    }

    /// No number is infinite or NaN.
    #[inline(always)]
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let [x, y, z] = self.axes;
        finite(x) && finite(y) && finite(z) && finite(self.at)
    }
}

/// A pair of points that touch.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// On A's surface.
    pub a: V3<f32>,
    /// On B's surface.
    pub b: V3<f32>,
    /// n.(b - a), metres.
    pub separation: f32,
    /// Which features of the shapes make it: the same while the same features touch, so that its impulses are found
    /// again in the next step.
    pub feature: u32,
}

/// The contact of two convex shapes.
#[derive(Clone, Copy, Debug)]
pub struct Manifold {
    /// Unit normal, from A to B.
    pub normal: V3<f32>,
    /// Its points; the first `count` are there.
    pub points: [Point; 4],
    /// How many; 0: the shapes are farther than `reach` apart.
    pub count: usize,
    /// For each point how far along the normal, inwards from the surfaces of A and B, lies what turns with the body, metres: the point of a
    /// cylinder stays below its axis while it rolls. Beside [`Shape::rounding`], which holds for all points.
    pub rolls: [[f32; 2]; 4],
}

/// Cosine of the angle up to which a ball inside a body meets the same front of the other as the body does.
const SAME_FRONT: f32 = 0.9;

/// The features of the points of [`Manifold::with_core`]: of the first body, of the second.
pub(crate) const CORES: [u32; 2] = [u32::MAX, u32::MAX - 1];

impl Manifold {
    /// Keeps the middle of a fast body back, too, where that is about to meet the other: `core` is the contact of a ball inside it. What hits with a
    /// corner is spun about by it within a substep, and its other corners, which are no points of this manifold, may be behind a thin wall
    /// before the next one is made. Takes the place of the fourth point, if there are four: the one farthest away.
    #[must_use]
    pub fn with_core(mut self, core: &Manifold, of_second: bool) -> Manifold {
        // Only in front of what the body itself meets: beside an edge the ball would hold what should tip.
        if self.count == 0 || core.count == 0 || self.normal.dot(core.normal) < SAME_FRONT {
            return self;
        }
        let Point { a, b, .. } = core.points[0];
        let separation = self.normal.dot(b - a);
        // It is the last: what a sweep leaves is what the last row asks for.
        if self.count == 4 {
            let farther =
                |most: usize, k: usize| if self.points[k].separation > self.points[most].separation { k } else { most };
            let most = (1..4).fold(0, farther);
            self.points[most] = self.points[3];
            self.rolls[most] = self.rolls[3];
        } else {
            self.count += 1;
        }
        self.rolls[self.count - 1] = [0.0; 2];
        self.points[self.count - 1] = Point { a, b, separation, feature: CORES[usize::from(of_second)] };
        self
    }

    /// Without a point.
    pub const NONE: Manifold = Manifold { normal: ZERO, points: [NO_POINT; 4], count: 0, rolls: [[0.0; 2]; 4] };

    /// The points that are there.
    #[inline(always)]
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points[..self.count]
    }

    #[inline(always)]
    fn with_normal(normal: V3<f32>) -> Self {
        Manifold { normal, ..Self::NONE }
    }

    /// Adds a point; a fifth is left out.
    #[inline(always)]
    fn push(&mut self, point: Point) {
        if let Some(free) = self.points.get_mut(self.count) {
            *free = point;
            self.count += 1;
        }
    }

    /// What was found in B's frame with B first, as A sees it.
    #[inline(always)]
    fn swapped(mut self, b_in_a: &Transform) -> Self {
        self.normal = -b_in_a.turn(self.normal);
        for point in &mut self.points[..self.count] {
            (point.a, point.b) = (b_in_a.point(point.b), b_in_a.point(point.a));
        }
        for [a, b] in &mut self.rolls {
            std::mem::swap(a, b);
        }
        self
    }

    pub(crate) fn is_finite(&self) -> bool {
        finite(self.normal) && self.points().iter().all(|p| finite(p.a) && finite(p.b) && p.separation.finite())
    }
}

const ZERO: V3<f32> = V3 { x: 0.0, y: 0.0, z: 0.0 };
const NO_POINT: Point = Point { a: ZERO, b: ZERO, separation: 0.0, feature: 0 };

/// x - x is 0 only if x is finite, and zeros add up to 0.
#[inline(always)]
#[allow(clippy::eq_op)]
fn finite(v: V3<f32>) -> bool {
    ((v.x - v.x) + (v.y - v.y)) + (v.z - v.z) == 0.0
}

/// The contact of two shapes that are at most `reach` metres apart, in A's frame.
///
/// Numbers that are not finite give no point. Two half spaces give none.
#[must_use]
pub fn collide(a: &Shape, b: &Shape, b_in_a: &Transform, reach: f32) -> Manifold {
    if !b_in_a.is_finite() {
        return Manifold::NONE;
    }
    let manifold = match one_way(a, b, b_in_a, reach) {
        Some(manifold) => manifold,
        None => one_way(b, a, &b_in_a.inverse(), reach).unwrap_or(Manifold::NONE).swapped(b_in_a),
    };
    // Sizes may be as bad as poses, and products overflow.
    if manifold.is_finite() { manifold } else { Manifold::NONE }
}

/// None if there is a routine for these shapes in the other order only.
#[inline(always)]
fn one_way(a: &Shape, b: &Shape, b_in_a: &Transform, reach: f32) -> Option<Manifold> {
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
        (Shape::Hull(a), Shape::Hull(b)) => polyhedron::against_faces(Faces::of(a), Faces::of(b), b_in_a, reach),
        (Shape::Hull(a), Shape::Cuboid { half }) => {
            polyhedron::against_faces(Faces::of(a), BoxFaces::new(*half).faces(), b_in_a, reach)
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
