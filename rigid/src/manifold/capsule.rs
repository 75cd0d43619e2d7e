//! Capsules: the closest points of their segments, and two points where a segment lies along another or along a face.

use super::closest::of_segments;
use super::point::{Manifold, Point, Transform};
use super::sphere::balls;
use crate::tuning::{LOWEST_LOST, NO_DIRECTION, PARALLEL_CAPSULES, SAME_POINT};
use seidel_kernels::{Lanes, V3};

/// The ends of a capsule's segment.
#[inline(always)]
pub(super) fn ends(pose: &Transform, half_length: f32) -> [V3<f32>; 2] {
    let half = pose.axes[1] * half_length;
    [pose.at - half, pose.at + half]
}

/// Two points where there are two, of which one is `exact`, the closest, unless one of them is as near.
#[inline(always)]
pub(super) fn two_points(normal: V3<f32>, exact: Point, mut ends: [Point; 2], reach: f32) -> Manifold {
    if ends[0].separation.smaller(ends[1].separation) > exact.separation + LOWEST_LOST {
        let [first, second] = ends.map(|end| (end.b - exact.b).length_squared());
        let nearer = usize::from(second < first);
        ends[nearer] = Point { feature: ends[nearer].feature, ..exact };
    }
    let mut manifold = Manifold::with_normal(normal);
    for end in ends {
        if end.separation <= reach {
            manifold.push(end);
        }
    }
    manifold
}

/// A capsule A and a sphere B.
pub(super) fn against_sphere(radius_a: f32, half_length: f32, centre: V3<f32>, radius_b: f32, reach: f32) -> Manifold {
    let on = V3::new(0.0, centre.y.smaller(half_length).larger(-half_length), 0.0);
    balls((on, radius_a), (centre, radius_b), V3::new(1.0, 0.0, 0.0), reach, 0)
}

pub(super) fn against_capsule(
    (radius_a, half_a): (f32, f32),
    (radius_b, half_b): (f32, f32),
    b_in_a: &Transform,
    reach: f32,
) -> Manifold {
    let segment_a = [V3::new(0.0, -half_a, 0.0), V3::new(0.0, half_a, 0.0)];
    let segment_b = ends(b_in_a, half_b);
    let (s, t) = of_segments(segment_a, segment_b);
    let on_a = segment_a[0] + (segment_a[1] - segment_a[0]) * s;
    let on_b = segment_b[0] + (segment_b[1] - segment_b[0]) * t;
    // Segments that cross are pushed apart along the normal of both.
    let axis = b_in_a.axes[1];
    let across = V3::new(axis.z, 0.0, -axis.x);
    let sine = across.length();
    let otherwise = if sine > NO_DIRECTION { across * (1.0 / sine) } else { V3::new(1.0, 0.0, 0.0) };
    let one = balls((on_a, radius_a), (on_b, radius_b), otherwise, reach, 2);
    if one.count == 0 || !(sine <= PARALLEL_CAPSULES) {
        return one;
    }
    // The part of A's segment that B's lies along.
    let (low, high) = (segment_b[0].y.smaller(segment_b[1].y), segment_b[0].y.larger(segment_b[1].y));
    let (low, high) = (low.larger(-half_a), high.smaller(half_a));
    if !(high - low > SAME_POINT) {
        return one;
    }
    let normal = one.normal;
    let both = [(low, 0), (high, 1)].map(|(y, feature)| {
        let along = ((y - b_in_a.at.y) / axis.y).smaller(half_b).larger(-half_b);
        let (on_a, on_b) = (V3::new(0.0, y, 0.0), b_in_a.at + axis * along);
        let separation = normal.dot(on_b - on_a) - (radius_a + radius_b);
        Point { a: on_a + normal * radius_a, b: on_b - normal * radius_b, separation, feature }
    });
    two_points(normal, one.points[0], both, reach)
}
