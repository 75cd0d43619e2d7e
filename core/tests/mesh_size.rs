//! A million triangles take about a second in a release build, also in shapes that invite quadratic work.

use seidel::mesh::{Defect, Mesh};
use std::time::{Duration, Instant};

/// Generous for a debug build on a slow machine: quadratic would be hours.
const SOON: Duration = Duration::from_secs(30);

fn examine(mesh: &Mesh) -> (seidel::mesh::Defects, Mesh) {
    let start = Instant::now();
    let defects = mesh.defects();
    let (repaired, _) = mesh.repaired();
    println!("{} triangles: {:?}", mesh.triangles.len(), start.elapsed());
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    (defects, repaired)
}

/// Vertices of a grid with n x n squares.
fn grid(n: u32) -> Mesh {
    let positions = (0..=n).flat_map(|y| (0..=n).map(move |x| [x as f32, y as f32, 0.0]));
    let square = |x, y| {
        let v = y * (n + 1) + x;
        [[v, v + 1, v + n + 2], [v, v + n + 2, v + n + 1]]
    };
    Mesh {
        positions: positions.collect(),
        triangles: (0..n).flat_map(|y| (0..n).flat_map(move |x| square(x, y))).collect(),
    }
}

/// Half the edge of a grid of a million triangles; debug builds take a part of it.
const N: u32 = if cfg!(debug_assertions) { 200 } else { 707 };

#[test]
fn a_grid() {
    let mesh = grid(N);
    let (defects, repaired) = examine(&mesh);
    assert!(defects.is_clean());
    assert_eq!((defects.pieces, defects.euler), (1, 1));
    assert_eq!(defects.count(Defect::BoundaryEdge), 4 * N as usize);
    assert_eq!(repaired, mesh);
}

#[test]
fn all_vertices_at_one_place() {
    let mut mesh = grid(N);
    mesh.positions.fill([0.5; 3]);
    let (defects, repaired) = examine(&mesh);
    assert_eq!(defects.count(Defect::CoincidentVertices), mesh.positions.len() - 1);
    assert_eq!(defects.count(Defect::Degenerate), mesh.triangles.len());
    assert_eq!(repaired, Mesh::default());
}

#[test]
fn all_triangles_the_same() {
    let mut mesh = grid(N);
    mesh.triangles.fill([0, 1, N + 2]);
    let (defects, repaired) = examine(&mesh);
    assert_eq!(defects.count(Defect::Duplicate), mesh.triangles.len() - 1);
    assert_eq!(repaired.triangles, [[0, 1, 2]]);
}

#[test]
fn all_triangles_at_one_edge() {
    let mut mesh = grid(N);
    let n = mesh.positions.len() as u32;
    mesh.triangles = (N + 1..n).map(|v| [0, 1, v]).collect();
    let (defects, repaired) = examine(&mesh);
    assert_eq!(defects.count(Defect::NonManifoldEdge), 1);
    assert_eq!(repaired.triangles.len(), 2);
}
