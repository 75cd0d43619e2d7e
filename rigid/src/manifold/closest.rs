//! Closest points: of a polyhedron to a point, of a face to a point, of two segments.

use super::clip::slack;
use super::faces::Faces;
use crate::tuning::NO_DIRECTION;
use seidel_kernels::{Lanes, V3};

/// The point of a polyhedron's surface that is closest to a given one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closest {
    pub(super) on: V3<f32>,
    /// From there to the given point, outward where that is inside.
    pub(super) normal: V3<f32>,
    /// Less than 0 inside.
    pub(super) distance: f32,
    /// The face, edge or vertex.
    pub(super) feature: u32,
}

/// None if the point is farther than `reach`.
///
/// Of the faces that see the point one may have its foot; else it is nearest to an edge of these.
pub(super) fn to_point(solid: Faces<'_>, p: V3<f32>, reach: f32) -> Option<Closest> {
    let (mut face, mut highest) = (0, f32::NEG_INFINITY);
    for index in 0..solid.planes.len() as u32 {
        let (normal, d) = solid.plane(index);
        let height = normal.dot(p) - d;
        if height > highest {
            (face, highest) = (index, height);
        }
    }
    if !(highest <= reach) {
        return None;
    }
    let at_face = |face: u32| {
        let (normal, d) = solid.plane(face);
        let distance = normal.dot(p) - d;
        Closest { on: p - normal * distance, normal, distance, feature: (face & 0xffff) | 1 << 16 }
    };
    if highest <= 0.0 {
        return Some(at_face(face));
    }
    for index in 0..solid.planes.len() as u32 {
        let (normal, d) = solid.plane(index);
        if normal.dot(p) > d && above(solid, index, p) {
            return Some(at_face(index));
        }
    }
    let mut best = at_face(face);
    let mut least = f32::INFINITY;
    for (index, &[v0, v1, f0, f1]) in solid.edges.iter().enumerate() {
        let sees = |face: u32| {
            let (normal, d) = solid.plane(face);
            normal.dot(p) > d
        };
        if !sees(f0) && !sees(f1) {
            continue;
        }
        let (from, to) = (solid.vertex(v0), solid.vertex(v1));
        let share = along(from, to, p);
        let on = from + (to - from) * share;
        let squared = (p - on).length_squared();
        if squared < least {
            least = squared;
            let feature = if share <= 0.0 {
                (v0 & 0xffff) | 2 << 16
            } else if share >= 1.0 {
                (v1 & 0xffff) | 2 << 16
            } else {
                (index as u32 & 0xffff) | 3 << 16
            };
            best = Closest { on, feature, ..best };
        }
    }
    let d = p - best.on;
    let distance = d.length();
    if distance > NO_DIRECTION {
        best.normal = d * (1.0 / distance);
        best.distance = distance;
    }
    (best.distance <= reach).then_some(best)
}

/// Whether a point is above a face: within the planes through its edges and along its normal.
fn above(solid: Faces<'_>, face: u32, p: V3<f32>) -> bool {
    let (normal, ring) = (solid.plane(face).0, solid.loop_of(face));
    sides(solid, ring).all(|(from, to)| (to - from).cross(normal).dot(p - from) <= 0.0)
}

/// The edges of a loop in its direction.
#[inline(always)]
fn sides<'a>(solid: Faces<'a>, ring: &'a [u32]) -> impl Iterator<Item = (V3<f32>, V3<f32>)> {
    (0..ring.len()).map(move |k| {
        let next = if k + 1 < ring.len() { k + 1 } else { 0 };
        (solid.vertex(ring[k]), solid.vertex(ring[next]))
    })
}

/// The planes through a face's edges and along its normal: unit normal away from the face, a point on each, and how far
/// outside counts as inside.
#[inline(always)]
pub(super) fn side_planes<'a>(solid: Faces<'a>, face: u32) -> impl Iterator<Item = (V3<f32>, V3<f32>, f32)> + use<'a> {
    let (normal, ring) = (solid.plane(face).0, solid.loop_of(face));
    sides(solid, ring).map(move |(from, to)| {
        let away = (to - from).cross(normal);
        let length = away.length();
        let scale = if length > NO_DIRECTION { 1.0 / length } else { 0.0 };
        (away * scale, from, slack(length))
    })
}

/// The point of a face that is closest to a given one.
pub(super) fn on_face(solid: Faces<'_>, face: u32, p: V3<f32>) -> V3<f32> {
    let (normal, d) = solid.plane(face);
    let foot = p - normal * (normal.dot(p) - d);
    if above(solid, face, p) {
        return foot;
    }
    let (mut best, mut least) = (foot, f32::INFINITY);
    for (from, to) in sides(solid, solid.loop_of(face)) {
        let on = from + (to - from) * along(from, to, foot);
        let squared = (foot - on).length_squared();
        if squared < least {
            (best, least) = (on, squared);
        }
    }
    best
}

/// Where on a segment, from 0 to 1, is the point closest to p.
#[inline(always)]
fn along(from: V3<f32>, to: V3<f32>, p: V3<f32>) -> f32 {
    let d = to - from;
    share(d.dot(p - from), d.length_squared())
}

/// a / b within 0 and 1; 0 where b is nothing.
#[inline(always)]
fn share(a: f32, b: f32) -> f32 {
    if b > 0.0 { (a / b).larger(0.0).smaller(1.0) } else { 0.0 }
}

/// Where two segments are closest, from 0 to 1 on each (Ericson 2004, 5.1.9).
#[inline(always)]
pub(super) fn of_segments([p1, q1]: [V3<f32>; 2], [p2, q2]: [V3<f32>; 2]) -> (f32, f32) {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, b) = (d1.length_squared(), d2.length_squared(), d1.dot(d2));
    let (c, f) = (d1.dot(r), d2.dot(r));
    // |d1 x d2|^2, without the digits that a e - b^2 loses where they are nearly parallel.
    let across = d1.cross(d2).length_squared();
    let s = share(b * f - c * e, across);
    let t = share(b * s + f, e);
    // Where t was cut off, s moves with it.
    (share(b * t - c, a), t)
}
