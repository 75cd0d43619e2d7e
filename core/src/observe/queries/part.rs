//! Parts that a query can hit, where they are now, and their distances: the one place that knows each form.

use crate::describe::collider::Shape;
use crate::describe::mesh::Mesh;
use crate::geometry::boxes::{Box3, EMPTY, union};
use crate::geometry::nearest::nearest_on;
use crate::geometry::vector::{P, add, cross, dot, length, scale, sub};
use seidel_kernels::V3;
use seidel_kernels::contact::{SignedDistance, Solid};

/// A part in the world, metres.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// A triangle without thickness.
    Triangle([P; 3]),
    /// All within a radius of a segment.
    Round([P; 2], f64),
    /// A shape with a distance of its own, at a place; the matrix's columns are its axes.
    Placed([[f64; 3]; 3], P),
}

/// A point of a surface near another point.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfacePoint {
    /// Negative within a solid.
    pub(super) distance: f64,
    /// Unit gradient of the distance.
    pub(super) normal: P,
    /// Shares of corners or ends; 0 for shapes.
    pub(super) shares: P,
}

/// At length 1; `or` if it has none.
pub(super) fn unit(a: P, or: P) -> P {
    let length = length(a);
    if length > 1e-150 && length.is_finite() { scale(a, 1.0 / length) } else { or }
}

impl Form {
    /// How far a point is, and which way. `shape` is that of a placed part.
    pub(super) fn near(&self, shape: Option<&Shape>, point: P) -> SurfacePoint {
        match *self {
            Form::Triangle([a, b, c]) => {
                let shares = on_triangle([a, b, c], point);
                let at = add(scale(a, shares[0]), add(scale(b, shares[1]), scale(c, shares[2])));
                let off = sub(point, at);
                let normal = unit(off, unit(cross(sub(b, a), sub(c, a)), [0.0, 1.0, 0.0]));
                SurfacePoint { distance: length(off), normal, shares }
            }
            Form::Round([a, b], radius) => {
                let along = share_along(a, b, point);
                let off = sub(point, add(scale(a, 1.0 - along), scale(b, along)));
                let normal = unit(off, [0.0, 1.0, 0.0]);
                SurfacePoint { distance: length(off) - radius, normal, shares: [1.0 - along, along, 0.0] }
            }
            Form::Placed(turn, at) => {
                let local = to_local(&turn, sub(point, at));
                let (distance, normal) = local_distance(shape, local);
                SurfacePoint { distance, normal: unit(to_world(&turn, normal), [0.0, 1.0, 0.0]), shares: [0.0; 3] }
            }
        }
    }

    /// Shares of corners or ends in a point of its surface; 0 for shapes.
    pub(super) fn shares(&self, point: P) -> P {
        match *self {
            Form::Triangle(corners) => on_triangle(corners, point),
            Form::Round([a, b], _) => {
                let along = share_along(a, b, point);
                [1.0 - along, along, 0.0]
            }
            Form::Placed(..) => [0.0; 3],
        }
    }

    /// Whether its distance is a convex function: then Newton's steps along a line never pass its surface.
    pub(super) fn is_convex(&self, shape: Option<&Shape>) -> bool {
        match self {
            Form::Placed(..) => shape.and_then(Shape::solid).is_none_or(|solid| solid.convex()),
            _ => true,
        }
    }
}

/// Distance from a shape's surface in its own frame, and its gradient. A plane's is its height.
fn local_distance(shape: Option<&Shape>, x: P) -> (f64, P) {
    let Some(shape) = shape else { return (f64::INFINITY, [0.0, 1.0, 0.0]) };
    match (shape.solid(), shape) {
        (Some(Solid::Cuboid(cuboid)), _) => cuboid_distance(cuboid.half.map(f64::from), x),
        (Some(solid @ Solid::Hull(_)), Shape::Hull(hull)) => hull_distance(&solid, hull.surface(), x),
        (Some(solid), _) => {
            let (distance, V3 { x, y, z }) = solid.distance(V3::<f64>::set(x));
            (distance, [x, y, z])
        }
        (None, Shape::Sphere { radius }) => (length(x) - f64::from(*radius), unit(x, [0.0, 1.0, 0.0])),
        (None, _) => (x[1], [0.0, 1.0, 0.0]),
    }
}

/// Outside of a hull its planes tell less than the distance over edges and corners: there it is that of the nearest
/// triangle.
fn hull_distance(solid: &Solid<'_>, surface: &Mesh, x: P) -> (f64, P) {
    let (above, V3 { x: nx, y: ny, z: nz }) = solid.distance(V3::<f64>::set(x));
    if above <= 0.0 {
        return (above, [nx, ny, nz]);
    }
    let (mut least, mut way) = (f64::INFINITY, [0.0; 3]);
    for corners in &surface.triangles {
        let [a, b, c] = corners.map(|v| surface.positions[v as usize].map(f64::from));
        let shares = on_triangle([a, b, c], x);
        let off = sub(x, add(scale(a, shares[0]), add(scale(b, shares[1]), scale(c, shares[2]))));
        let squared = dot(off, off);
        (least, way) = if squared < least { (squared, off) } else { (least, way) };
    }
    (f64::sqrt(least), unit(way, [nx, ny, nz]))
}

fn cuboid_distance(half: P, x: P) -> (f64, P) {
    let sign = |c: f64| if c < 0.0 { -1.0 } else { 1.0 };
    let over: P = std::array::from_fn(|k| x[k].abs() - half[k]);
    let axis = (1..3).fold(0, |best, k| if over[k] > over[best] { k } else { best });
    if over[axis] <= 0.0 {
        return (over[axis], std::array::from_fn(|k| if k == axis { sign(x[k]) } else { 0.0 }));
    }
    let out: P = std::array::from_fn(|k| if over[k] > 0.0 { over[k] * sign(x[k]) } else { 0.0 });
    (length(out), unit(out, [0.0, 1.0, 0.0]))
}

pub(super) fn to_local(m: &[[f64; 3]; 3], d: P) -> P {
    std::array::from_fn(|k| m[0][k] * d[0] + m[1][k] * d[1] + m[2][k] * d[2])
}

pub(super) fn to_world(m: &[[f64; 3]; 3], d: P) -> P {
    std::array::from_fn(|k| m[k][0] * d[0] + m[k][1] * d[1] + m[k][2] * d[2])
}

fn share_along(a: P, b: P, point: P) -> f64 {
    let way = sub(b, a);
    let (on, whole) = (dot(sub(point, a), way), dot(way, way));
    if on <= 0.0 || whole <= 0.0 {
        0.0
    } else if on >= whole {
        1.0
    } else {
        on / whole
    }
}

/// Shares of the corners in the nearest point; of a triangle without area, on its nearest edge.
fn on_triangle(corners: [P; 3], point: P) -> P {
    let [a, b, c] = corners;
    let normal = cross(sub(b, a), sub(c, a));
    let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
    let most = dot(ab, ab) + dot(ac, ac) + dot(bc, bc);
    if dot(normal, normal) > 1e-24 * most * most {
        return nearest_on(corners, point);
    }
    let edge = |i: usize, j: usize| {
        let along = share_along(corners[i], corners[j], point);
        let mut shares = [0.0; 3];
        (shares[i], shares[j]) = (1.0 - along, along);
        let off = sub(point, add(scale(corners[i], 1.0 - along), scale(corners[j], along)));
        (dot(off, off), shares)
    };
    let all = [edge(0, 1), edge(1, 2), edge(2, 0)];
    all.into_iter().fold(all[0], |best, one| if one.0 < best.0 { one } else { best }).1
}

/// The box of points, wider by a radius.
pub(super) fn around(points: impl Iterator<Item = P>, radius: f64) -> Box3 {
    let [low, high] = points.fold(EMPTY, |all, x| union(all, [x, x]));
    [low.map(|c| c - radius), high.map(|c| c + radius)]
}
