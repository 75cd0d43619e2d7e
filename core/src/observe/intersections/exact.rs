//! Whether two triangles have a point in common that their shared vertices do not explain. The answer is exact.
//!
//! Two closed convex sets in a plane or in space that meet, meet where the border of one is: a triangle's three edges
//! meet the other triangle, or the other way round (Guigue, Devillers 2003, "Fast and Robust Triangle-Triangle Overlap
//! Test Using Orientation Predicates", section 2, reduces it further and leaves out what follows). Every decision is
//! the sign of a determinant (`orient`).

use super::apart::are_apart;
use super::flat;
use super::orient::{Point, Triangle, side};

/// Whether closed triangles have a point in common that is none of the hull of their shared vertices. Those stand
/// first, in the same order in both; `shared` of them, 0 to 3.
///
/// Nothing shared: any common point, touching and overlap in a plane included. A vertex: a common point beside it. An
/// edge: a common point beside it, and so the triangles lie in one plane, on one side of the edge. Three: never.
pub(super) fn meet(first: Triangle, second: Triangle, shared: usize) -> bool {
    match shared {
        _ if are_apart(first, second, shared) => false,
        0 => meet_apart(first, second),
        1 => meet_beside_vertex(first, second),
        2 => meet_beside_edge(first, second),
        _ => false,
    }
}

/// Whether a closed segment and a closed triangle have a point in common.
pub(super) fn pierces(segment: [Point; 2], triangle: Triangle) -> bool {
    crosses(segment, segment.map(|p| side(triangle, p)), triangle)
}

/// The same, the sides of the triangle's plane being known on which the segment's ends are.
fn crosses([p, q]: [Point; 2], sides: [i32; 2], triangle: Triangle) -> bool {
    let [a, b, c] = triangle;
    if sides == [0, 0] {
        return flat::meet([p, q], triangle);
    }
    if sides[0] * sides[1] > 0 {
        return false;
    }
    // The line meets the plane in one point, which is inside where it passes no two edges on different sides.
    let ab = side([p, q, a], b);
    let bc = side([p, q, b], c);
    if ab * bc < 0 {
        return false;
    }
    let ca = side([p, q, c], a);
    ab * ca >= 0 && bc * ca >= 0
}

fn edges([a, b, c]: Triangle) -> [[Point; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

fn meet_apart(first: Triangle, second: Triangle) -> bool {
    let of_second = second.map(|p| side(first, p));
    if all_on_one(&of_second) {
        return false;
    }
    let of_first = first.map(|p| side(second, p));
    if all_on_one(&of_first) {
        return false;
    }
    let any = |edges: [[Point; 2]; 3], [a, b, c]: [i32; 3], triangle| {
        let sides = [[a, b], [b, c], [c, a]];
        edges.into_iter().zip(sides).any(|(edge, sides)| crosses(edge, sides, triangle))
    };
    any(edges(second), of_second, first) || any(edges(first), of_first, second)
}

/// Whether all are on one side, and none in the plane.
fn all_on_one(sides: &[i32]) -> bool {
    sides.iter().all(|&s| s > 0) || sides.iter().all(|&s| s < 0)
}

/// Triangles [v, a, b] and [v, c, d]. What they have in common is convex and has v in it; if it has more, go from v
/// through that to its end: there one triangle ends, in the edge that is opposite to v.
fn meet_beside_vertex(first: Triangle, second: Triangle) -> bool {
    let ([v, a, b], [_, c, d]) = (first, second);
    let of_second = [c, d].map(|p| side(first, p));
    if all_on_one(&of_second) {
        return false;
    }
    let of_first = [a, b].map(|p| side(second, p));
    if all_on_one(&of_first) {
        return false;
    }
    if !crosses([c, d], of_second, first) && !crosses([a, b], of_first, second) {
        return false;
    }
    // The point that was found may be v itself, if v lies on the opposite edge. Then the triangle is two segments from
    // v, or fewer.
    if flat::is_between(v, [a, b]) {
        return [a, b].into_iter().any(|end| end != v && meet_beside_vertex([v, end, end], second));
    }
    if flat::is_between(v, [c, d]) {
        return [c, d].into_iter().any(|end| end != v && meet_beside_vertex(first, [v, end, end]));
    }
    true
}

/// Triangles [u, v, a] and [u, v, b].
fn meet_beside_edge(first: Triangle, second: Triangle) -> bool {
    let ([u, v, a], [.., b]) = (first, second);
    if u == v {
        return meet_beside_vertex([u, a, a], [u, b, b]);
    }
    // Seen along an axis, on different sides of the edge: nearly always, and cheaper than the plane.
    let seen = [0, 1, 2].map(|axis| [flat::turn(axis, first), flat::turn(axis, second)]);
    if seen.iter().any(|[a, b]| a * b < 0) || side(first, b) != 0 {
        return false;
    }
    if seen.iter().all(|turns| *turns == [0, 0]) {
        // All on one line.
        let (low, high) = if u < v { (u, v) } else { (v, u) };
        return (a < low && b < low) || (a > high && b > high);
    }
    seen.iter().any(|[a, b]| a * b > 0)
}
