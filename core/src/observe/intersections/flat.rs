//! Triangles and segments in one plane or on one line, projected along an axis along which no two of their points
//! coincide.

use super::orient::{Point, Triangle, coplanar, sign};
use robust::{Coord, orient2d};

/// Which way round a triangle goes, seen along an axis: 1, -1, or 0 if it is seen as a line.
pub(super) fn turn(axis: usize, triangle: Triangle) -> i32 {
    let [a, b, c] = triangle.map(|p| Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] });
    sign(orient2d(a, b, c))
}

/// An axis along which a triangle is seen as one; none has it if it has no area.
fn axis_of(triangle: Triangle) -> Option<usize> {
    (0..3).find(|&axis| turn(axis, triangle) != 0)
}

/// Whether a closed segment and a closed triangle have a point in common, if they are in one plane or the triangle has
/// no area.
pub(super) fn meet([p, q]: [Point; 2], triangle: Triangle) -> bool {
    let [a, b, c] = triangle;
    let mut edges = [[a, b], [b, c], [c, a]].into_iter();
    match axis_of(triangle) {
        Some(axis) => {
            let around = [[a, b, p], [b, c, p], [c, a, p]].map(|t| turn(axis, t));
            let is_inside = around.iter().all(|&t| t >= 0) || around.iter().all(|&t| t <= 0);
            is_inside || edges.any(|edge| cross(axis, [p, q], edge))
        }
        None => edges.any(|edge| segments_meet([p, q], edge)),
    }
}

/// Whether two closed segments have a point in common.
fn segments_meet(first: [Point; 2], second: [Point; 2]) -> bool {
    let ([p, q], [a, b]) = (first, second);
    if !coplanar(first, second) {
        return false;
    }
    match [[p, q, a], [p, q, b], [a, b, p], [a, b, q]].into_iter().find_map(axis_of) {
        Some(axis) => cross(axis, first, second),
        None => overlap(first, second),
    }
}

/// Whether two closed segments in a plane have a point in common, seen along an axis that is not in the plane.
fn cross(axis: usize, first: [Point; 2], second: [Point; 2]) -> bool {
    let ([p, q], [a, b]) = (first, second);
    let ends = [turn(axis, [p, q, a]), turn(axis, [p, q, b]), turn(axis, [a, b, p]), turn(axis, [a, b, q])];
    if ends == [0; 4] {
        return overlap(first, second);
    }
    ends[0] * ends[1] <= 0 && ends[2] * ends[3] <= 0
}

/// Whether two closed segments on one line have a point in common. On a line, points have the order of their
/// coordinates, the first that differ.
fn overlap([p, q]: [Point; 2], [a, b]: [Point; 2]) -> bool {
    let ordered = |a: Point, b: Point| if a < b { (a, b) } else { (b, a) };
    let ((p, q), (a, b)) = (ordered(p, q), ordered(a, b));
    p <= b && a <= q
}

/// Whether a point is on a closed segment.
pub(super) fn is_between(v: Point, [a, b]: [Point; 2]) -> bool {
    axis_of([v, a, b]).is_none() && overlap([v, v], [a, b])
}
