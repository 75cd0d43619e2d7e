//! A capsule against a polyhedron A.
//!
//! Where its segment is outside, the closest points of both are exact. Where it is inside, the axis that separates
//! most, of the faces and of the edges with the segment (Gregorius 2013). Along a face there are two points: the ends
//! of the segment clipped to the face's sides.

use super::capsule::{ends, two_points};
use super::clip::{Reference, cut_side, feature};
use super::closest::{of_segments, on_face, side_planes, to_point};
use super::faces::Faces;
use super::point::{Manifold, Point, Transform};
use super::sphere::touch;
use crate::tuning::{LIES_ALONG, NEAR_AXIS, NO_DIRECTION, PARALLEL, SAME_POINT, gain};
use seidel_kernels::{Lanes, V3};

pub(super) fn against_faces(
    solid: Faces<'_>,
    b_in_a: &Transform,
    (radius, half_length): (f32, f32),
    reach: f32,
) -> Manifold {
    let [p, q] = ends(b_in_a, half_length);
    let (mut face, mut by_face) = (0, f32::NEG_INFINITY);
    for index in 0..solid.planes.len() as u32 {
        let (normal, d) = solid.plane(index);
        let height = normal.dot(p).smaller(normal.dot(q)) - d;
        if height > by_face {
            (face, by_face) = (index, height);
        }
    }
    if !(by_face - radius <= reach && by_face > f32::NEG_INFINITY) {
        return Manifold::NONE;
    }
    let (edge, by_edge, edge_normal) = edge_axis(solid, p, q);
    if by_edge - radius > reach {
        return Manifold::NONE;
    }
    let face_normal = solid.plane(face).0;
    if by_face > 0.0 || by_edge > 0.0 {
        return outside(solid, [p, q], (face, by_face), radius, reach);
    }
    let span = (face_normal.dot(b_in_a.at) - by_face).abs();
    if by_edge > by_face + gain(span) {
        let [v0, v1, ..] = solid.edges[edge];
        let of_solid = [solid.vertex(v0), solid.vertex(v1)];
        let (s, t) = of_segments(of_solid, [p, q]);
        let (a, b) = (of_solid[0] + (of_solid[1] - of_solid[0]) * s, p + (q - p) * t - edge_normal * radius);
        let separation = edge_normal.dot(b - a);
        let point = Point { a, b, separation, feature: feature(Reference::Edges, edge as u32, 0) };
        return with_another(solid, face, [p, q], radius, edge_normal, point, reach);
    }
    match along_face(solid, face, [p, q], face_normal, radius) {
        Some([first, second]) => {
            let deepest = if second.separation < first.separation { second } else { first };
            with_another(solid, face, [p, q], radius, face_normal, deepest, reach)
        }
        None => {
            let lowest = if face_normal.dot(p) < face_normal.dot(q) { p } else { q };
            let (a, b) = (on_face(solid, face, lowest), lowest - face_normal * radius);
            touch(a, b, face_normal.dot(b - a), face_normal, reach, feature(Reference::A, face, 0))
        }
    }
}

/// The edge whose normal with the segment separates most, by how much, and that normal.
///
/// Only edges whose two faces look one forward and one back along the segment support such a normal.
fn edge_axis(solid: Faces<'_>, p: V3<f32>, q: V3<f32>) -> (usize, f32, V3<f32>) {
    let d = q - p;
    let long = d.length_squared();
    let mut best = (0, f32::NEG_INFINITY, V3::zero());
    for (index, &[v0, v1, f0, f1]) in solid.edges.iter().enumerate() {
        let (n0, n1) = (solid.plane(f0).0, solid.plane(f1).0);
        if d.dot(n0) * d.dot(n1) < 0.0 {
            let from = solid.vertex(v0);
            let edge = solid.vertex(v1) - from;
            let across = edge.cross(d);
            let squared = across.length_squared();
            if squared > PARALLEL * (edge.length_squared() * long) {
                let scale = 1.0 / squared.sqrt();
                let normal = across * if across.dot(n0 + n1) < 0.0 { -scale } else { scale };
                let separation = normal.dot(p - from);
                if separation > best.1 {
                    best = (index, separation, normal);
                }
            }
        }
    }
    // Reckoned anew with all vertices: of an edge that is nearly parallel and long the normal has too few digits for
    // its end to do.
    if best.1 > f32::NEG_INFINITY {
        best.1 = best.2.dot(p).smaller(best.2.dot(q)) + solid.lowest(-best.2).1;
    }
    best
}

/// Of a segment that is outside: closest are an end of it, or an edge and it.
fn outside(solid: Faces<'_>, [p, q]: [V3<f32>; 2], (face, highest): (u32, f32), radius: f32, reach: f32) -> Manifold {
    let mut least = f32::INFINITY;
    let mut normal = solid.plane(face).0;
    let mut point = Point { a: p, b: p, separation: f32::INFINITY, feature: 0 };
    let sees = |face: u32| {
        let (normal, d) = solid.plane(face);
        normal.dot(p) > d || normal.dot(q) > d
    };
    for (number, end) in [p, q].into_iter().enumerate() {
        if let Some(closest) = to_point(solid, end, reach + radius)
            && closest.distance < least
        {
            (least, normal) = (closest.distance, closest.normal);
            point = Point { a: closest.on, b: end, separation: 0.0, feature: closest.feature << 2 | number as u32 };
        }
    }
    // Nothing is nearer than the face that separates most, where an end is above it.
    let edges = if least > highest { solid.edges } else { &[] };
    for (index, &[v0, v1, f0, f1]) in edges.iter().enumerate() {
        if !sees(f0) && !sees(f1) {
            continue;
        }
        let edge = [solid.vertex(v0), solid.vertex(v1)];
        let (s, t) = of_segments(edge, [p, q]);
        let (a, b) = (edge[0] + (edge[1] - edge[0]) * s, p + (q - p) * t);
        let distance = (b - a).length();
        if distance < least && distance > NO_DIRECTION {
            (least, normal) = (distance, (b - a) * (1.0 / distance));
            point = Point { a, b, separation: 0.0, feature: (index as u32) << 2 | 2 };
        }
    }
    if !(least - radius <= reach) {
        return Manifold::NONE;
    }
    point.b = point.b - normal * radius;
    point.separation = least - radius;
    with_another(solid, face, [p, q], radius, normal, point, reach)
}

/// The point that was found, and another where the normal is nearly that of a face: the segment lies along it, or
/// nearly so.
fn with_another(
    solid: Faces<'_>,
    face: u32,
    segment: [V3<f32>; 2],
    radius: f32,
    normal: V3<f32>,
    point: Point,
    reach: f32,
) -> Manifold {
    let d = segment[1] - segment[0];
    let slope = normal.dot(d);
    let flat = slope * slope <= LIES_ALONG * LIES_ALONG * d.length_squared();
    if flat
        && normal.dot(solid.plane(face).0) > NEAR_AXIS
        && let Some(both) = along_face(solid, face, segment, normal, radius)
    {
        return two_points(normal, point, both, reach);
    }
    touch(point.a, point.b, point.separation, normal, reach, point.feature)
}

/// The ends of the segment clipped to a face's sides, over the face along a normal; None where these are one point.
fn along_face(solid: Faces<'_>, face: u32, [p, q]: [V3<f32>; 2], normal: V3<f32>, radius: f32) -> Option<[Point; 2]> {
    let (face_normal, d) = solid.plane(face);
    let scale = 1.0 / face_normal.dot(normal);
    let [height_p, height_q] = [p, q].map(|end| (face_normal.dot(end) - d) * scale);
    let (on_p, on_q) = (p - normal * height_p, q - normal * height_q);
    let (mut from, mut to) = ((0.0, 0), (1.0, 1));
    for (k, (away, at, _)) in side_planes(solid, face).enumerate() {
        let (hp, hq) = (away.dot(on_p - at), away.dot(on_q - at));
        if hp > 0.0 && hq > 0.0 {
            return None;
        }
        let cut = hp / (hp - hq);
        if hp > 0.0 && cut > from.0 {
            from = (cut, cut_side(k));
        }
        if hq > 0.0 && cut < to.0 {
            to = (cut, cut_side(k));
        }
    }
    let part = to.0 - from.0;
    let long = part * part * (q - p).length_squared();
    (part > 0.0 && long > SAME_POINT * SAME_POINT).then(|| {
        [from, to].map(|(share, name)| {
            let a = on_p + (on_q - on_p) * share;
            let separation = (height_p + (height_q - height_p) * share) - radius;
            Point { a, b: a + normal * separation, separation, feature: feature(Reference::A, face, 127) | name }
        })
    })
}
