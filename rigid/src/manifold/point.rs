//! A manifold: up to four points of two shapes that touch.

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

/// Points of two convex shapes at most; and with that of the ball inside a fast body ([`Manifold::with_core`]).
pub const CORNERS: usize = 4;
/// See [`CORNERS`].
pub const POINTS: usize = 5;

/// The contact of two convex shapes.
#[derive(Clone, Copy, Debug)]
pub struct Manifold {
    /// Unit normal, from A to B.
    pub normal: V3<f32>,
    /// Its points; the first `count` are there.
    pub points: [Point; POINTS],
    /// How many; 0: the shapes are farther than `reach` apart.
    pub count: usize,
    /// For each point how far along the normal, inwards from the surfaces of A and B, lies what turns with the body,
    /// metres: the point of a cylinder stays below its axis while it rolls. Beside [`crate::shape::Shape::rounding`],
    /// which holds for all points.
    pub rolls: [[f32; 2]; POINTS],
    /// Whether solids of faces are apart and beside each other's faces ([`super::by_distance`]).
    pub aside: bool,
}

/// Cosine of the angle up to which a ball inside a body meets the same front of the other as the body does.
pub(super) const SAME_FRONT: f32 = 0.9;

/// The features of the points of [`Manifold::with_core`]: of the first body, of the second.
pub(crate) const CORES: [u32; 2] = [u32::MAX, u32::MAX - 1];

impl Manifold {
    /// Keeps the middle of a fast body back, too, where that is about to meet the other: `core` is the contact of a
    /// ball inside it. What hits with a corner is spun about by it within a substep, and its other corners, which are
    /// no points of this manifold, may be behind a thin wall before the next one is made.
    #[must_use]
    pub fn with_core(mut self, core: &Manifold, of_second: bool) -> Manifold {
        // Only in front of what the body itself meets: beside an edge the ball would hold what should tip.
        if self.count == 0 || self.count == POINTS || core.count == 0 || self.normal.dot(core.normal) < SAME_FRONT {
            return self;
        }
        let Point { a, b, .. } = core.points[0];
        let separation = self.normal.dot(b - a);
        // It is the last: what a sweep leaves is what the last row asks for.
        self.count += 1;
        self.rolls[self.count - 1] = [0.0; 2];
        self.points[self.count - 1] = Point { a, b, separation, feature: CORES[usize::from(of_second)] };
        self
    }

    /// Without a point.
    pub const NONE: Manifold =
        Manifold { normal: ZERO, points: [NO_POINT; POINTS], count: 0, rolls: [[0.0; 2]; POINTS], aside: false };

    /// Takes its points away. They stay where they are, and nobody reads them: they are most of it.
    #[inline(always)]
    pub fn clear(&mut self) {
        (self.normal, self.count, self.rolls, self.aside) = (ZERO, 0, [[0.0; 2]; POINTS], false);
    }

    /// Whether shapes are apart, with one point, and the way between its places is longer than what separates them.
    pub(super) fn is_aside(&self) -> bool {
        let Point { a, b, separation, .. } = self.points[0];
        self.count == 1 && separation > 0.0 && (b - a).length_squared() > 1.002 * (separation * separation) + 1e-10
    }

    /// The points that are there.
    #[inline(always)]
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points[..self.count]
    }

    #[inline(always)]
    pub(super) fn with_normal(normal: V3<f32>) -> Self {
        Manifold { normal, ..Self::NONE }
    }

    /// Adds a point; a fifth is left out.
    #[inline(always)]
    pub(super) fn push(&mut self, point: Point) {
        if let Some(free) = self.points[..CORNERS].get_mut(self.count) {
            *free = point;
            self.count += 1;
        }
    }

    /// What was found in B's frame with B first, as A sees it.
    #[inline(always)]
    pub(super) fn swapped(mut self, b_in_a: &Transform) -> Self {
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

pub(super) const ZERO: V3<f32> = V3 { x: 0.0, y: 0.0, z: 0.0 };

pub(super) const NO_POINT: Point = Point { a: ZERO, b: ZERO, separation: 0.0, feature: 0 };

/// x - x is 0 only if x is finite, and zeros add up to 0.
#[inline(always)]
#[allow(clippy::eq_op)]
pub(super) fn finite(v: V3<f32>) -> bool {
    ((v.x - v.x) + (v.y - v.y)) + (v.z - v.z) == 0.0
}
