//! Places over a mesh from which a fluid comes.

use crate::describe::error::{Error, range};
use crate::describe::mesh::Mesh;
use crate::geometry::vector::{cross, dot, scale, sub};
use crate::tuning::MAX_COORDINATE;
use std::collections::HashMap;

/// Candidates for places along a spacing.
const CANDIDATES: f64 = 5.0;

/// No two places are nearer than this, spacings: what is a spacing apart but for rounding is far enough.
const APART: f64 = 0.99;

/// Sides whose normals have at most this cosine look away from each other.
const AWAY: f64 = -0.5;

/// The largest area, in squares of the spacing, and the most candidates, which slim triangles have more of.
const MOST: f64 = 5e4;
const MOST_CANDIDATES: f64 = 4e6;

/// Where a particle of a layer begins, and where it goes, in the emitter's pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlet {
    /// Metres.
    pub place: [f64; 3],
    /// Of length 1.
    pub along: [f64; 3],
}

/// Corners of the triangles that have an area, in f64, with twice their normal times the area.
fn triangles(mesh: &Mesh) -> impl Iterator<Item = ([[f64; 3]; 3], [f64; 3])> {
    let corner = |v: u32| mesh.positions.get(v as usize).map_or([f64::NAN; 3], |p| p.map(f64::from));
    mesh.triangles.iter().filter_map(move |t| {
        let [a, b, c] = t.map(corner);
        let across = cross(sub(b, a), sub(c, a));
        (dot(across, across) > 0.0).then_some(([a, b, c], across))
    })
}

/// m^2.
pub(super) fn area(mesh: &Mesh) -> f64 {
    triangles(mesh).map(|(_, across)| 0.5 * dot(across, across).sqrt()).sum()
}

/// Rows of candidates on a triangle and their number in each: as many as its height and its longest edge need; and its
/// corners, the longest edge's first.
fn candidates([a, b, c]: [[f64; 3]; 3], across: [f64; 3], spacing: f64) -> ([f64; 2], [[f64; 3]; 3]) {
    let square = |from: [f64; 3], to: [f64; 3]| dot(sub(to, from), sub(to, from));
    let (ab, bc, ca) = (square(a, b), square(b, c), square(c, a));
    let (corners, longest) = match () {
        () if ab >= bc && ab >= ca => ([a, b, c], ab.sqrt()),
        () if bc >= ca => ([b, c, a], bc.sqrt()),
        () => ([c, a, b], ca.sqrt()),
    };
    let high = dot(across, across).sqrt() / longest;
    ([high, longest].map(|side| (CANDIDATES * side / spacing).ceil().max(1.0)), corners)
}

/// Candidates on all triangles, twice as many as there are.
fn tried(mesh: &Mesh, spacing: f64) -> f64 {
    triangles(mesh).map(|(corners, across)| candidates(corners, across, spacing).0.iter().product::<f64>()).sum()
}

/// Candidates go from one side of the mesh to the other, row by row; each that is far enough from all places before it
/// is one: 0.9 to 1.05 in a square of the spacing. Places of sides that look away from each other may be near: both
/// sides of a plate give.
///
/// None for a mesh that `check` refuses as too large: memory is asked for before it is checked.
pub(super) fn over(mesh: &Mesh, spacing: f64) -> Vec<Outlet> {
    let mut all: Vec<Outlet> = Vec::new();
    if tried(mesh, spacing) > MOST_CANDIDATES {
        return all;
    }
    for (corners, across) in triangles(mesh) {
        let along = scale(across, 1.0 / dot(across, across).sqrt());
        let ([rows, columns], [a, b, c]) = candidates(corners, across, spacing);
        for j in 0..rows as u32 {
            let t = f64::from(j) / rows;
            // A row from one edge to the other, shorter by its height.
            let count = (columns * (1.0 - t)).ceil().max(1.0);
            for i in 0..count as u32 {
                let s = (f64::from(i) + 0.5) / count * (1.0 - t);
                let place = std::array::from_fn(|k| a[k] + ((b[k] - a[k]) * s + (c[k] - a[k]) * t));
                all.push(Outlet { place, along });
            }
        }
    }
    let cell = |place: [f64; 3], width: f64| place.map(|c| (c / width).floor() as i64);
    all.sort_by_cached_key(|of| cell(of.place, spacing / CANDIDATES));
    let mut outlets: Vec<Outlet> = Vec::new();
    // Looked up, never gone through: the order of its keys does not matter.
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    let least = (APART * spacing) * (APART * spacing);
    for of in all {
        let own = cell(of.place, spacing);
        let around = (-1..=1).flat_map(|x| (-1..=1).flat_map(move |y| (-1..=1).map(move |z| [x, y, z])));
        let is_near = |&other: &usize| {
            let Outlet { place, along } = outlets[other];
            let way = sub(place, of.place);
            dot(way, way) < least && dot(along, of.along) > AWAY
        };
        let mut near = around.filter_map(|by| cells.get(&std::array::from_fn(|k| own[k] + by[k]))).flatten();
        if !near.any(is_near) {
            cells.entry(own).or_default().push(outlets.len());
            outlets.push(of);
        }
    }
    outlets
}

pub(super) fn check(of: &dyn Fn() -> String, mesh: &Mesh, spacing: f64) -> Result<(), Error> {
    for (v, x) in mesh.positions.iter().enumerate() {
        for &c in x {
            let good = c.abs() <= MAX_COORDINATE;
            range(of, || format!("coordinate of vertex {v}"), f64::from(c), good, "within +-1e6 m")?;
        }
    }
    let count = mesh.positions.len();
    if let Some(&index) = mesh.triangles.as_flattened().iter().find(|&&v| v as usize >= count) {
        return Err(Error::Missing { of: of(), what: "vertex", index: index as usize, count });
    }
    if triangles(mesh).next().is_none() {
        return Err(Error::NoTriangles { of: of() });
    }
    let squares = area(mesh) / (spacing * spacing);
    range(of, || "area of the opening".to_owned(), squares, squares <= MOST, "at most 50,000 squares of the spacing")?;
    let all = tried(mesh, spacing);
    let what = || "sum of triangles' heights times longest edges, in squares of a fifth of the spacing".to_owned();
    range(of, what, all, all <= MOST_CANDIDATES, "at most 4 million: slim triangles count by their edges")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of n by n cells, or a pyramid.
    fn square(n: u32, high: f32) -> Mesh {
        let at = |i: u32, j: u32| {
            let [x, z] = [i, j].map(|k| k as f32 / n as f32 - 0.5);
            [x, high * (0.5 - x.abs().max(z.abs())), z]
        };
        let mut mesh = Mesh::default();
        mesh.positions.extend((0..=n).flat_map(|j| (0..=n).map(move |i| at(i, j))));
        for j in 0..n {
            for i in 0..n {
                let [a, b] = [j * (n + 1) + i, (j + 1) * (n + 1) + i];
                mesh.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
            }
        }
        mesh
    }

    #[test]
    fn both_sides_of_a_plate_give_and_slim_triangles_end() {
        let mut plate = square(4, 0.0);
        let below = plate.positions.iter().map(|[x, y, z]| [*x, y - 0.001, *z]).collect::<Vec<_>>();
        let count = plate.positions.len() as u32;
        plate.triangles.extend(plate.triangles.clone().iter().map(|[a, b, c]| [a + count, c + count, b + count]));
        plate.positions.extend(below);
        let outlets = over(&plate, 0.05);
        let up = outlets.iter().filter(|of| of.along[1] > 0.0).count();
        assert!(up > 360 && outlets.len() - up > 360, "{up} of {}", outlets.len());
        let slim = |long: f32| Mesh {
            positions: vec![[0.0; 3], [long, 0.0, 0.0], [0.0, 1e-4, 0.0]],
            triangles: vec![[0, 1, 2]],
        };
        assert!(check(&|| "it".to_owned(), &slim(1e3), 0.02).is_ok());
        assert!((45_000..=55_000).contains(&over(&slim(1e3), 0.02).len()));
        assert!(check(&|| "it".to_owned(), &slim(1e5), 0.02).is_err());
        assert!([0.02, 0.0].map(|spacing| over(&slim(1e5), spacing)).iter().all(Vec::is_empty));
    }

    #[test]
    fn places_cover_a_surface_and_keep_apart() {
        for (n, high) in [(1, 0.0), (7, 0.0), (40, 0.0), (2, 1.0), (16, 0.6)] {
            let (mesh, spacing) = (square(n, high), 0.04);
            let outlets = over(&mesh, spacing);
            let share = outlets.len() as f64 * (spacing * spacing) / area(&mesh);
            assert!((0.88..1.1).contains(&share), "{n} {high}: {share}");
            for (k, of) in outlets.iter().enumerate() {
                assert!((dot(of.along, of.along) - 1.0).abs() < 1e-12 && of.along[1] > 0.0, "{of:?}");
                for other in &outlets[..k] {
                    let way = sub(of.place, other.place);
                    assert!(dot(way, way).sqrt() > 0.98 * spacing, "{of:?} {other:?}");
                }
            }
            // No place of the surface is farther than a spacing from one.
            for p in &mesh.positions {
                let to = |of: &Outlet| sub(of.place, p.map(f64::from));
                let nearest = outlets.iter().map(|of| dot(to(of), to(of))).fold(f64::INFINITY, f64::min).sqrt();
                assert!(nearest < 1.1 * spacing, "{p:?}: {nearest}");
            }
        }
    }
}
