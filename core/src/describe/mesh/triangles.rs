//! Tests of single triangles, and triangles that repeat others.

use super::Defect;
use crate::geometry::vector::{cross, dot};
use crate::tuning::MIN_TRIANGLE_HEIGHT;

/// Whether no corner stands twice.
pub(super) fn has_distinct_corners([a, b, c]: [u32; 3]) -> bool {
    a != b && b != c && c != a
}

/// Whether all coordinates are finite.
pub(super) fn is_finite(p: [f32; 3]) -> bool {
    p.iter().all(|x| x.is_finite())
}

/// Defects of a single triangle, the worst first.
pub(super) fn fault(triangle: [u32; 3], positions: &[[f32; 3]]) -> Option<Defect> {
    let corner = |k: usize| positions.get(triangle[k] as usize).copied();
    let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) else {
        return Some(Defect::IndexOutOfRange);
    };
    if !has_distinct_corners(triangle) {
        return Some(Defect::RepeatedCorner);
    }
    if ![a, b, c].into_iter().all(is_finite) {
        return Some(Defect::NonFinite);
    }
    is_sliver([a, b, c]).then_some(Defect::Degenerate)
}

/// Whether the height above the longest side is at most `MIN_TRIANGLE_HEIGHT` times that side.
///
/// In f64, where neither the fourth power of the largest f32 nor that of the smallest leaves the range.
fn is_sliver([a, b, c]: [[f32; 3]; 3]) -> bool {
    let (ab, ac, bc) = (difference(a, b), difference(a, c), difference(b, c));
    let longest = dot(ab, ab).max(dot(ac, ac)).max(dot(bc, bc));
    let area = cross(ab, ac);
    // |cross| = longest side x height; both sides squared: no root, and no division by 0.
    let limit = MIN_TRIANGLE_HEIGHT * longest;
    dot(area, area) <= limit * limit
}

/// The triangles that have the three vertices of an earlier one, as [earlier, later], ascending by the later.
///
/// Only those are looked at that `wanted` accepts by number.
pub(super) fn duplicates(triangles: &[[u32; 3]], wanted: impl Fn(usize) -> bool) -> Vec<[u32; 2]> {
    let sorted_corners = |t: usize| {
        let mut corners = triangles[t];
        corners.sort_unstable();
        (corners, t as u32)
    };
    let mut keys: Vec<_> = (0..triangles.len()).filter(|&t| wanted(t)).map(sorted_corners).collect();
    keys.sort_unstable();
    let mut duplicates: Vec<[u32; 2]> =
        keys.chunk_by(|a, b| a.0 == b.0).flat_map(|run| run[1..].iter().map(|later| [run[0].1, later.1])).collect();
    duplicates.sort_unstable_by_key(|pair| pair[1]);
    duplicates
}

fn difference(a: [f32; 3], b: [f32; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| f64::from(b[k]) - f64::from(a[k]))
}
