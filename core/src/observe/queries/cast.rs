//! Where a ray, or a ball on a straight way, first meets a part.

use super::part::{Form, SurfacePoint, unit};
use crate::describe::collider::Shape;
use crate::geometry::vector::{P, add, cross, dot, scale, sub};
use seidel_kernels::contact::SignedDistance;

/// Steps at most along a way. Newton's of convex parts take a few, those along a torus more the more it grazes.
const MOST_STEPS: usize = 512;

/// How far along it meets a part and what is there, if before `most`. The way has length 1.
pub(super) fn cast(
    form: &Form,
    shape: Option<&Shape>,
    (from, way): (P, P),
    radius: f64,
    most: f64,
) -> Option<(f64, SurfacePoint)> {
    if let (Form::Triangle(corners), true) = (form, radius == 0.0) {
        return triangle(*corners, from, way).filter(|(t, _)| *t <= most);
    }
    let convex = form.is_convex(shape);
    let slope = shape.and_then(Shape::solid).map_or(1.0, |solid| f64::from(solid.slope()));
    let mut t = 0.0;
    for _ in 0..MOST_STEPS {
        let x = add(from, scale(way, t));
        let near = form.near(shape, x);
        let left = near.distance - radius;
        let fine = 1e-10 * (1.0 + t + x[0].abs() + x[1].abs() + x[2].abs());
        if left <= fine {
            return Some((t, near));
        }
        let falls = -dot(near.normal, way);
        // A convex distance that does not fall never will.
        if convex && falls <= 0.0 {
            return None;
        }
        t += if convex { left / falls } else { left / slope };
        if t.is_nan() || t > most {
            return None;
        }
    }
    None
}

/// Watertight: of two triangles that share an edge a ray never passes between (Woop, Benthin and Wald 2013, "Watertight
/// Ray/Triangle Intersection"). The edge functions are sheared so that the ray is the third axis; an edge that two
/// triangles share gets the same number from both but for the sign. Here in f64 from corners that are f32 or turned
/// f32.
fn triangle(corners: [P; 3], from: P, way: P) -> Option<(f64, SurfacePoint)> {
    let large = |a: usize, b: usize| if way[b].abs() > way[a].abs() { b } else { a };
    let z = large(large(0, 1), 2);
    let (x, y) = ((z + 1) % 3, (z + 2) % 3);
    let (shear_x, shear_y) = (way[x] / way[z], way[y] / way[z]);
    let sheared = corners.map(|corner| {
        let d = sub(corner, from);
        [d[x] - shear_x * d[z], d[y] - shear_y * d[z], d[z] / way[z]]
    });
    let [a, b, c] = sheared;
    let edge = |p: P, q: P| p[0] * q[1] - p[1] * q[0];
    let (u, v, w) = (edge(c, b), edge(a, c), edge(b, a));
    if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
        return None;
    }
    let sum = u + v + w;
    // Seen from its edge, or without area.
    if sum == 0.0 {
        return None;
    }
    let shares = [u / sum, v / sum, w / sum];
    let t = shares[0] * a[2] + shares[1] * b[2] + shares[2] * c[2];
    let [a, b, c] = corners;
    let normal = unit(cross(sub(b, a), sub(c, a)), scale(way, -1.0));
    let normal = if dot(normal, way) > 0.0 { scale(normal, -1.0) } else { normal };
    (t >= 0.0 && t.is_finite()).then_some((t, SurfacePoint { distance: 0.0, normal, shares }))
}
