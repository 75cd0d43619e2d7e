//! A convex body against the triangles near it.

use super::patches::{PATCHES, Patches};
use super::{Surface, ball};
use crate::Shape;
use crate::manifold::Manifold;
use crate::manifold::convex::{CANDIDATES, Convex, Touch, WideTransform, narrow, on_a_face, separation, touch};
use crate::tuning::{ALONG_FACE, OVERLOOKED};
use crate::vector::unit;
use seidel_kernels::V3;

/// Where a surface is in a body's frame, in f64: far from its origin it is as precise as near it.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePlace(pub(super) WideTransform);

impl SurfacePlace {
    /// By the surface's axes, columns of a rotation, and its origin, metres.
    #[must_use]
    pub fn new(axes: [[f64; 3]; 3], at: [f64; 3]) -> SurfacePlace {
        SurfacePlace(WideTransform { axes: axes.map(V3::set), at: V3::set(at) })
    }
}

/// The contacts of a convex shape A, in its frame, with a surface; those that are not there have no points. What is
/// round of A is in
/// [`Manifold::rolls`]: its [`Shape::rounding`] is not to be added.
#[must_use]
pub fn meet(shape: &Shape, surface: &Surface, place: &SurfacePlace, reach: f32) -> [Manifold; PATCHES] {
    let none = [Manifold::NONE; PATCHES];
    let place = &place.0;
    let Some(body) = Convex::new(shape, WideTransform::HERE) else { return none };
    let [x, y, z] = place.axes;
    let (x, y, z) = (narrow(x), narrow(y), narrow(z));
    // The body's axes as the surface sees them.
    let axes = [V3::new(x.x, y.x, z.x), V3::new(x.y, y.y, z.y), V3::new(x.z, y.z, z.z)];
    let Some(extent) = shape.extent(&axes) else { return none };
    let at = -place.turn_back(place.at);
    let pad = f64::from(reach) + f64::from(surface.offset);
    let half = extent.map(|half| f64::from(half) * (1.0 + 1e-6) + pad);
    let around = [[at.x - half[0], at.y - half[1], at.z - half[2]], [at.x + half[0], at.y + half[1], at.z + half[2]]];
    if !around.iter().flatten().all(|c| c.is_finite()) {
        return none;
    }
    let reach = f64::from(reach);
    let found = if let Shape::Sphere { radius } = *shape {
        // Each triangle has one point of it, and one patch a few of these.
        let mut patches = Patches::<4>::new();
        surface.tree.within(around, |triangle| {
            if let Some((normal, point)) = ball::one(f64::from(radius), surface, triangle, place, reach) {
                patches.add(normal, &[point], triangle);
            }
        });
        patches.manifolds()
    } else {
        let mut patches = Patches::<CANDIDATES>::new();
        // The closest points of a capsule are the closest.
        let has_edges = !matches!(shape, Shape::Capsule { .. });
        let slack = OVERLOOKED * extent.iter().fold(f64::INFINITY, |least, half| least.min(f64::from(*half)));
        let (mut deepest, mut overlooked) = (f64::INFINITY, None::<(f64, Touch, u32)>);
        surface.tree.within(around, |triangle| {
            let Some((touch, is_sure)) = one(&body, surface, triangle, place, reach) else { return };
            let touch = rolling(touch, shape.rounding());
            let depth = touch.points().iter().fold(f64::INFINITY, |least, p| least.min(p.separation));
            if is_sure {
                patches.add(touch.normal, touch.points(), triangle);
                deepest = if depth < deepest { depth } else { deepest };
            } else if has_edges && depth < overlooked.as_ref().map_or(-slack, |&(least, ..)| least) {
                overlooked = Some((depth, touch, triangle));
            }
        });
        // A rim deep over a ridge has a normal of neither side: it would go through.
        if let Some((_, touch, triangle)) = overlooked.filter(|&(depth, ..)| deepest > 0.5 * depth) {
            patches.add(touch.normal, touch.points(), triangle);
        }
        patches.manifolds()
    };
    if found.iter().all(Manifold::is_finite) { found } else { none }
}

/// The contact with a triangle; and whether it is one by its normal, whatever lies beside the triangle.
pub(super) fn one(
    body: &Convex<'_>,
    surface: &Surface,
    triangle: u32,
    place: &WideTransform,
    reach: f64,
) -> Option<(Touch, bool)> {
    let offset = f64::from(surface.offset);
    let corners = surface.triangles[triangle as usize];
    let face = corners.map(|v| place.point(surface.vertex(v)));
    let out = unit((face[1] - face[0]).cross(face[2] - face[0]))?;
    // Heights of the body's lowest and highest points, and of its origin.
    let [low, high] = [-out, out].map(|along| out.dot(body.support(along) - face[0]));
    let (low, high, centre) = (low - body.radius - offset, high + body.radius - offset, -out.dot(face[0]));
    let deep = surface.deep;
    if low > reach || low.is_nan() || (high <= 0.0 && !deep) {
        return None;
    }
    let by_face = || (centre >= 0.0 || deep).then(|| outside(on_a_face(body, face, -out, reach + offset), offset));
    let sure = |touch: Touch| (touch, true);
    if surface.smooth[triangle as usize] || (deep && centre < 0.0) {
        return by_face().map(sure);
    }
    let found = touch(body, &Convex::triangle(face), (face[0] + face[1] + face[2]) * (1.0 / 3.0), reach + offset)?;
    let normal = -found.normal;
    let along = normal.dot(out);
    let deepest = found.points().iter().copied().reduce(|d, p| if p.separation < d.separation { p } else { d })?;
    let sticks_out = || surface.supports(corners, place.turn_back(normal), place.turn_back(deepest.b - place.at));
    if along > ALONG_FACE {
        // Beside the face, but not farther than its edge's own normals.
        let over = by_face().filter(|touch| touch.count > 0).map(sure);
        return over.or_else(|| {
            let sticks_out = sticks_out();
            (sticks_out || centre >= 0.0 || deep).then(|| (outside(found, offset), sticks_out))
        });
    }
    if sticks_out() {
        // A side that is seen from behind: between two walls back to back the nearer one pushes.
        let behind = separation(body, &Convex::triangle(face), -normal) < 0.0 && along < 0.0 && centre < 0.0;
        return (!behind).then(|| (outside(found, offset), true));
    }
    let over = if along > 0.0 || deep { by_face().filter(|touch| touch.count > 0).map(sure) } else { None };
    over.or_else(|| (along > 0.0 && (centre >= 0.0 || deep)).then(|| (outside(found, offset), false)))
}

/// A ball's point rolls with its whole radius.
fn rolling(mut touch: Touch, radius: f32) -> Touch {
    touch.points[..touch.count].iter_mut().for_each(|point| point.rolls[0] += radius);
    touch
}

/// With the surface so far outside of the triangle.
fn outside(mut touch: Touch, offset: f64) -> Touch {
    for point in &mut touch.points[..touch.count] {
        point.separation -= offset;
        point.b = point.b - touch.normal * offset;
    }
    touch
}
