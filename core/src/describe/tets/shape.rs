//! Tests of single tetrahedra, and tetrahedra that repeat others.

use super::Defect;
use crate::geometry::vector::{P, cross, dot};
use crate::tuning::MIN_TET_HEIGHT;
use robust::{Coord3D, orient3d};

/// Whether no corner stands twice.
pub(super) fn has_distinct_corners([a, b, c, d]: [u32; 4]) -> bool {
    a != b && a != c && a != d && b != c && b != d && c != d
}

/// Whether all coordinates are finite.
pub(super) fn is_finite(p: [f32; 3]) -> bool {
    p.iter().all(|x| x.is_finite())
}

/// The corners' positions, if all are there.
pub(super) fn corners(tet: [u32; 4], positions: &[[f32; 3]]) -> Option<[P; 4]> {
    let at = |k: usize| positions.get(tet[k] as usize).map(|p| p.map(f64::from));
    Some([at(0)?, at(1)?, at(2)?, at(3)?])
}

/// Defects of a single tetrahedron, the worst first.
pub(super) fn fault(tet: [u32; 4], positions: &[[f32; 3]]) -> Option<Defect> {
    let Some(x) = corners(tet, positions) else {
        return Some(Defect::IndexOutOfRange);
    };
    if !has_distinct_corners(tet) {
        return Some(Defect::RepeatedCorner);
    }
    if !x.iter().flatten().all(|c| c.is_finite()) {
        return Some(Defect::NonFinite);
    }
    let six_volumes = determinant(x);
    if is_flat(x, six_volumes) {
        return Some(Defect::Flat);
    }
    (six_volumes < 0.0).then_some(Defect::Inverted)
}

/// (x1 - x0) x (x2 - x0) . (x3 - x0), its sign exact (Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic").
fn determinant(x: [P; 4]) -> f64 {
    let [a, b, c, d] = x.map(|[x, y, z]| Coord3D { x, y, z });
    // That predicate is positive where d is below the triangle.
    -orient3d(a, b, c, d)
}

/// Whether the height above the largest face is at most `MIN_TET_HEIGHT` times the longest edge.
///
/// In f64, where neither the sixth power of the largest f32 nor that of the smallest leaves the range. Areas are
/// rounded, if the determinant is not: three points in a heap that are far from the fourth may seem to have none. But
/// the height is no more than that of the largest face above the longest edge, so a face as low as that is enough to
/// know.
fn is_flat(x: [P; 4], six_volumes: f64) -> bool {
    let longest = edges(x).into_iter().fold(0.0, |most: f64, e| most.max(dot(e, e)));
    let [u, v, w] = [1, 2, 3].map(|k| difference(x[0], x[k]));
    let opposite = cross(difference(x[1], x[2]), difference(x[1], x[3]));
    let area = |n: P| dot(n, n);
    let largest = area(cross(u, v)).max(area(cross(v, w))).max(area(cross(w, u))).max(area(opposite));
    let limit = MIN_TET_HEIGHT * MIN_TET_HEIGHT * longest;
    // |determinant| = twice the area x height, that = longest edge x its height; all squared: no root, and no division by 0.
    largest <= limit * longest || six_volumes * six_volumes <= limit * largest
}

/// The signed volume, m^3.
pub(super) fn volume(x: [P; 4]) -> f64 {
    let [u, v, w] = [1, 2, 3].map(|k| difference(x[0], x[k]));
    dot(cross(u, v), w) / 6.0
}

/// 6 sqrt(2) V / l^3, l the root mean square of the edges.
pub(super) fn quality(x: [P; 4]) -> f64 {
    let mean = edges(x).into_iter().fold(0.0, |sum, e| sum + dot(e, e)) / 6.0;
    6.0 * std::f64::consts::SQRT_2 * volume(x) / (mean * mean.sqrt())
}

/// The tetrahedra that have the four vertices of an earlier one, as [earlier, later], ascending by the later.
///
/// Only those are looked at that `wanted` accepts by number.
pub(super) fn duplicates(tets: &[[u32; 4]], wanted: impl Fn(usize) -> bool) -> Vec<[u32; 2]> {
    let sorted_corners = |t: usize| {
        let mut corners = tets[t];
        corners.sort_unstable();
        (corners, t as u32)
    };
    let mut keys: Vec<_> = (0..tets.len()).filter(|&t| wanted(t)).map(sorted_corners).collect();
    keys.sort_unstable();
    let mut duplicates: Vec<[u32; 2]> =
        keys.chunk_by(|a, b| a.0 == b.0).flat_map(|run| run[1..].iter().map(|later| [run[0].1, later.1])).collect();
    duplicates.sort_unstable_by_key(|pair| pair[1]);
    duplicates
}

fn edges([a, b, c, d]: [P; 4]) -> [P; 6] {
    [difference(a, b), difference(a, c), difference(a, d), difference(b, c), difference(b, d), difference(c, d)]
}

fn difference(a: P, b: P) -> P {
    [0, 1, 2].map(|k| b[k] - a[k])
}
