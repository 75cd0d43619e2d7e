//! A ball against a triangle: the closest point of the triangle is all there is to know.
//!
//! The same rules as for other shapes (touch.rs): along the triangle's own normal over its face, else along the way from
//! the closest point where the surface sticks out there.

use super::Surface;
use crate::manifold::convex::{TouchPoint, WideTransform};
use crate::tuning::{ALONG_FACE, CLIP_SLACK, CLIP_SLACK_SHARE, NO_DIRECTION};
use crate::vector::{V, unit};

/// The contact of a ball about the origin, as [`super::touch::one`] of others: its normal away from the ball, and its
/// point.
pub(super) fn one(
    radius: f64,
    surface: &Surface,
    triangle: u32,
    place: &WideTransform,
    reach: f64,
) -> Option<(V, TouchPoint)> {
    let offset = f64::from(surface.offset);
    let corners = surface.triangles[triangle as usize];
    let face = corners.map(|v| place.point(surface.vertex(v)));
    let out = unit((face[1] - face[0]).cross(face[2] - face[0]))?;
    let (height, deep) = (-out.dot(face[0]), surface.deep);
    let (low, high) = (height - radius - offset, height + radius - offset);
    if low > reach || low.is_nan() || (high <= 0.0 && !deep) {
        return None;
    }
    let at = |normal: V, separation: f64, feature: u32| {
        let a = normal * radius;
        let point = TouchPoint { a, b: a + normal * separation, separation, feature, rolls: [radius as f32, 0.0] };
        (separation <= reach).then_some((normal, point))
    };
    let is_over = (height >= 0.0 || deep) && over(face, out);
    let by_face = || if is_over { at(-out, low, 0) } else { None };
    if surface.smooth[triangle as usize] || (deep && height < 0.0) {
        return by_face();
    }
    let (closest, feature) = closest(face);
    let distance = closest.length();
    let separation = distance - radius - offset;
    if separation > reach || separation.is_nan() {
        return None;
    }
    let away = if distance > f64::from(NO_DIRECTION) { closest * (1.0 / distance) } else { -out };
    let along = -away.dot(out);
    let sticks_out = || {
        let (along, [a, b, c]) = (place.turn_back(-away), corners);
        match feature {
            1..=3 => surface.corner_supports(corners[feature as usize - 1], along),
            4 => surface.edge_supports([a, b], along),
            5 => surface.edge_supports([b, c], along),
            6 => surface.edge_supports([c, a], along),
            _ => true,
        }
    };
    if along > ALONG_FACE {
        // Beside the face, but not farther than its edge's own normals.
        return by_face().or_else(|| if sticks_out() { at(away, separation, feature) } else { None });
    }
    if sticks_out() {
        // A side that is seen from behind: between two walls back to back the nearer one pushes.
        let behind = along < 0.0 && height < 0.0 && face.iter().any(|corner| away.dot(*corner) < 0.0);
        return if behind { None } else { at(away, separation, feature) };
    }
    if along > 0.0 || deep { by_face() } else { None }
}

/// Whether a triangle is above or below the origin, as far as clipping would leave it there.
fn over(face: [V; 3], out: V) -> bool {
    (0..3).all(|k| {
        let (from, to) = (face[k], face[(k + 1) % 3]);
        let length = (to - from).length();
        let slack = f64::from(CLIP_SLACK).min(f64::from(CLIP_SLACK_SHARE) * length);
        unit((to - from).cross(out)).is_none_or(|away| -away.dot(from) <= slack)
    })
}

/// The point of a triangle that is closest to the origin, and whether it is on the face (0), an edge or a corner
/// (Ericson 2004, 5.1.5).
fn closest([a, b, c]: [V; 3]) -> (V, u32) {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, 1);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, 2);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), 4);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, 3);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), 6);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return (b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), 5);
    }
    let scale = 1.0 / (va + vb + vc);
    (a + ab * (vb * scale) + ac * (vc * scale), 0)
}
