//! A half space, all with y <= 0 in A's frame, against shapes without a side.

use super::capsule::ends;
use super::faces::Faces;
use super::faces::MOST_CORNERS;
use super::point::{Manifold, Point, Transform};
use super::reduce;
use seidel_kernels::V3;

pub(super) const UP: V3<f32> = V3 { x: 0.0, y: 1.0, z: 0.0 };

/// Of `b` at its height above the plane.
#[inline(always)]
fn point(b: V3<f32>, feature: u32) -> Point {
    Point { a: V3::new(b.x, 0.0, b.z), b, separation: b.y, feature }
}

pub(super) fn against_sphere(centre: V3<f32>, radius: f32, reach: f32) -> Manifold {
    let mut manifold = Manifold::with_normal(UP);
    let lowest = V3::new(centre.x, centre.y - radius, centre.z);
    if lowest.y <= reach {
        manifold.push(point(lowest, 0));
    }
    manifold
}

/// Both ends, the first at -y.
pub(super) fn against_capsule(b_in_a: &Transform, radius: f32, half_length: f32, reach: f32) -> Manifold {
    let mut manifold = Manifold::with_normal(UP);
    for (number, end) in ends(b_in_a, half_length).into_iter().enumerate() {
        let lowest = end - UP * radius;
        if lowest.y <= reach {
            manifold.push(point(lowest, number as u32));
        }
    }
    manifold
}

/// The vertices of the face that looks down most at the lowest vertex: others would be points beside or above these.
pub(super) fn against_faces(solid: Faces<'_>, b_in_a: &Transform, reach: f32) -> Manifold {
    let down = V3::new(b_in_a.axes[0].y, b_in_a.axes[1].y, b_in_a.axes[2].y);
    let (vertex, height) = solid.lowest(down);
    let mut manifold = Manifold::with_normal(UP);
    if !(b_in_a.at.y + height <= reach) {
        return manifold;
    }
    let mut found = [reduce::NOTHING; MOST_CORNERS];
    let mut count = 0;
    for (_, vertex) in solid.corners(solid.face_against(down, vertex), vertex) {
        let at = b_in_a.point(solid.vertex(vertex));
        if at.y <= reach {
            found[count] = reduce::Candidate { at, separation: at.y, feature: vertex };
            count += 1;
        }
    }
    let (kept, kept_count) = reduce::reduce(&found[..count], UP, 4);
    for index in &kept[..kept_count] {
        manifold.push(point(found[*index].at, found[*index].feature));
    }
    manifold
}
