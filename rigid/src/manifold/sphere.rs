//! Spheres: the closest point of the other shape to the centre (Ericson 2004, 5.1).

use super::closest::to_point;
use super::faces::Faces;
use super::point::{Manifold, Point};
use crate::tuning::NO_DIRECTION;
use seidel_kernels::V3;

/// Of two balls about `a` and `b`; `otherwise` is the normal of those with one centre.
#[inline(always)]
pub(super) fn balls(
    (a, radius_a): (V3<f32>, f32),
    (b, radius_b): (V3<f32>, f32),
    otherwise: V3<f32>,
    reach: f32,
    feature: u32,
) -> Manifold {
    let d = b - a;
    let length = d.length();
    let normal = if length > NO_DIRECTION { d * (1.0 / length) } else { otherwise };
    touch(a + normal * radius_a, b - normal * radius_b, length - (radius_a + radius_b), normal, reach, feature)
}

/// A manifold of one point, or of none if that is farther than `reach`.
#[inline(always)]
pub(super) fn touch(a: V3<f32>, b: V3<f32>, separation: f32, normal: V3<f32>, reach: f32, feature: u32) -> Manifold {
    let mut manifold = Manifold::with_normal(normal);
    if separation <= reach {
        manifold.push(Point { a, b, separation, feature });
    }
    manifold
}

pub(super) fn against_sphere(radius_a: f32, centre: V3<f32>, radius_b: f32, reach: f32) -> Manifold {
    balls((V3::zero(), radius_a), (centre, radius_b), V3::new(0.0, 1.0, 0.0), reach, 0)
}

/// A box A and a sphere B.
pub(super) fn in_cuboid(half: [f32; 3], centre: V3<f32>, radius: f32, reach: f32) -> Manifold {
    let c = [centre.x, centre.y, centre.z];
    let mut closest = c;
    // Which face, edge or corner is nearest: a digit to the base of 3 for each axis.
    let mut feature = 0;
    // The face that is nearest from inside.
    let mut out = (0, f32::NEG_INFINITY);
    for axis in 0..3 {
        let beyond = c[axis].abs() - half[axis];
        if beyond > 0.0 {
            closest[axis] = if c[axis] < 0.0 { -half[axis] } else { half[axis] };
        }
        feature = feature * 3 + if beyond > 0.0 { 1 + u32::from(c[axis] > 0.0) } else { 0 };
        if beyond > out.1 {
            out = (axis, beyond);
        }
    }
    let closest = V3::set(closest);
    let d = centre - closest;
    let length = d.length();
    if length > NO_DIRECTION {
        let normal = d * (1.0 / length);
        return touch(closest, centre - normal * radius, length - radius, normal, reach, feature);
    }
    let (axis, depth) = out;
    let sign = if c[axis] < 0.0 { -1.0 } else { 1.0 };
    let (mut normal, mut on) = ([0.0; 3], c);
    normal[axis] = sign;
    on[axis] = sign * half[axis];
    let normal = V3::set(normal);
    let feature = 27 + 2 * axis as u32 + u32::from(sign > 0.0);
    touch(V3::set(on), centre - normal * radius, depth - radius, normal, reach, feature)
}

/// A polyhedron A and a sphere B.
pub(super) fn in_faces(solid: Faces<'_>, centre: V3<f32>, radius: f32, reach: f32) -> Manifold {
    match to_point(solid, centre, reach + radius) {
        Some(closest) => {
            let (normal, separation) = (closest.normal, closest.distance - radius);
            touch(closest.on, centre - normal * radius, separation, normal, reach, closest.feature)
        }
        None => Manifold::NONE,
    }
}
