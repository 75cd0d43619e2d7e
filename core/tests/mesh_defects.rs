//! Every kind of defect by a small mesh that has it, and any garbage without a panic.

use proptest::prelude::*;
use seidel::mesh::{Defect, Mesh, Place};

/// A unit square of two triangles.
fn square() -> Mesh {
    Mesh {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

fn tetrahedron() -> Mesh {
    Mesh {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    }
}

/// What was found, without the open border.
fn found(mesh: &Mesh) -> Vec<(Defect, usize, Place)> {
    let defects = mesh.defects();
    let found = defects.found.iter().filter(|f| f.defect != Defect::BoundaryEdge);
    found.map(|f| (f.defect, f.count, f.first)).collect()
}

#[test]
fn sound_meshes() {
    let open = square().defects();
    assert!(open.is_clean() && !open.closed);
    assert_eq!(open.count(Defect::BoundaryEdge), 4);
    assert_eq!(open.get(Defect::BoundaryEdge).unwrap().first, Place::Edge([0, 1]));
    assert_eq!((open.edges, open.pieces, open.euler), (5, 1, 1));
    let closed = tetrahedron().defects();
    assert!(closed.found.is_empty() && closed.closed);
    assert_eq!((closed.edges, closed.pieces, closed.euler), (6, 1, 2));
    let empty = Mesh::default().defects();
    assert!(empty.found.is_empty() && !empty.closed);
    assert_eq!((empty.edges, empty.pieces, empty.euler), (0, 0, 0));
}

#[test]
fn vertices() {
    let mut mesh = square();
    mesh.positions[2][1] = f32::NAN;
    mesh.positions[3][0] = f32::INFINITY;
    assert_eq!(found(&mesh), [(Defect::NonFinite, 2, Place::Vertex(2))]);

    let mut mesh = square();
    for p in &mut mesh.positions {
        *p = p.map(|x| x * -1.0e6);
    }
    assert!(found(&mesh).is_empty());
    mesh.positions[3][1] *= 1.1;
    assert_eq!(found(&mesh), [(Defect::TooFar, 1, Place::Vertex(3))]);

    let mut mesh = square();
    mesh.positions.extend([[5.0; 3], [6.0; 3]]);
    assert_eq!(found(&mesh), [(Defect::IsolatedVertex, 2, Place::Vertex(4))]);

    let mut mesh = square();
    mesh.positions.push([1.0, -0.0, 0.0]);
    mesh.triangles.push([1, 0, 4]);
    let coincident = (Defect::CoincidentVertices, 1, Place::Vertices([1, 4]));
    assert_eq!(found(&mesh), [(Defect::Degenerate, 1, Place::Triangle(2)), coincident]);
}

#[test]
fn triangles() {
    let mut mesh = square();
    mesh.triangles.extend([[0, 1, 4], [u32::MAX, 1, 1]]);
    assert_eq!(found(&mesh), [(Defect::IndexOutOfRange, 2, Place::Triangle(2))]);

    let mut mesh = square();
    mesh.triangles.push([3, 1, 3]);
    assert_eq!(found(&mesh), [(Defect::RepeatedCorner, 1, Place::Triangle(2))]);

    // A copy shows as a copy, not as edges with too many triangles, and a flipped one is a copy too.
    let mut mesh = tetrahedron();
    mesh.triangles.extend([[3, 0, 1], [1, 0, 2]]);
    assert_eq!(found(&mesh), [(Defect::Duplicate, 2, Place::Triangles([1, 4]))]);
    assert!(mesh.defects().closed);
}

#[test]
fn a_sliver_is_one_at_any_size() {
    for size in [f32::MIN_POSITIVE, 1e-30, 1.0, 1e6, 1e30] {
        for (height, sliver) in [(0.0, true), (0.9e-6, true), (1.1e-6, false), (0.5, false)] {
            let mesh = Mesh {
                positions: vec![[0.0; 3], [size, 0.0, 0.0], [size * 0.5, size * height, 0.0]],
                triangles: vec![[2, 0, 1]],
            };
            // Heights of subnormal size are not what was asked for.
            if size * height > f32::MIN_POSITIVE || height == 0.0 {
                assert_eq!(mesh.defects().count(Defect::Degenerate) == 1, sliver, "{size} {height}");
            }
        }
    }
    let subnormal = |k: u32| f32::from_bits(k);
    let mesh = Mesh {
        positions: vec![[0.0; 3], [subnormal(1), 0.0, 0.0], [0.0, subnormal(1), 0.0]],
        triangles: vec![[0, 1, 2]],
    };
    assert!(mesh.defects().is_clean());
}

#[test]
fn edges() {
    let mut mesh = square();
    mesh.positions.push([0.0, 0.0, 1.0]);
    mesh.triangles.push([2, 0, 4]);
    assert_eq!(found(&mesh), [(Defect::NonManifoldEdge, 1, Place::Edge([0, 2]))]);

    let mut mesh = square();
    mesh.triangles[1] = [2, 3, 0];
    assert!(found(&mesh).is_empty());
    mesh.triangles[1] = [0, 3, 2];
    assert_eq!(found(&mesh), [(Defect::InconsistentOrientation, 1, Place::Edge([0, 2]))]);
    assert!(mesh.defects().is_clean());
}

#[test]
fn pieces() {
    let mut mesh = tetrahedron();
    let other = tetrahedron();
    mesh.positions.extend(other.positions.iter().map(|p| p.map(|x| x + 3.0)));
    mesh.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + 4)));
    assert_eq!(found(&mesh), [(Defect::SeveralPieces, 2, Place::Vertex(4))]);
    let defects = mesh.defects();
    assert!(defects.closed && defects.is_clean());
    assert_eq!((defects.pieces, defects.euler), (2, 4));

    // The same two by one common vertex: one piece, and its Euler characteristic is odd.
    for v in mesh.triangles[4..].iter_mut().flatten() {
        *v = if *v == 4 { 3 } else { *v - 1 };
    }
    mesh.positions.remove(4);
    assert_eq!(found(&mesh), [(Defect::PinchedVertex, 1, Place::Vertex(3))]);
    assert_eq!((mesh.defects().pieces, mesh.defects().euler), (1, 3));
}

#[test]
fn the_table_is_complete() {
    let names: std::collections::BTreeSet<_> = Defect::ALL.iter().map(|d| d.name()).collect();
    assert_eq!(names.len(), Defect::ALL.len());
    assert!(Defect::ALL.iter().all(|d| !d.remedy().is_empty()));
    // Errors first.
    assert!(Defect::ALL.is_sorted_by_key(|d| !d.is_fatal()));
}

#[test]
fn a_line_says_all() {
    let mut mesh = square();
    mesh.positions.push([5.0; 3]);
    assert_eq!(
        mesh.defects().errors().next().unwrap().to_string(),
        "isolated vertex: 1, first: vertex 4; delete these vertices, or repair the mesh: they would have no mass"
    );
}

fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        5 => (-2i8..3).prop_map(f32::from),
        1 => any::<f32>(),
        1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::MAX, f32::MIN, 1e-45, -0.0, 2e6]),
    ]
}

/// Meshes with every fault, close enough together to touch.
fn garbage() -> impl Strategy<Value = Mesh> {
    let index = || prop_oneof![12 => 0u32..12, 1 => any::<u32>(), 1 => Just(u32::MAX)];
    let positions = prop::collection::vec([coordinate(), coordinate(), coordinate()], 0..14);
    let triangles = prop::collection::vec([index(), index(), index()], 0..24);
    (positions, triangles).prop_map(|(positions, triangles)| Mesh { positions, triangles })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn garbage_is_counted(mesh in garbage()) {
        let defects = mesh.defects();
        prop_assert_eq!(&defects, &mesh.defects());
        let non_finite = mesh.positions.iter().filter(|p| p.iter().any(|x| !x.is_finite())).count();
        prop_assert_eq!(defects.count(Defect::NonFinite), non_finite);
        let out = mesh.triangles.iter().filter(|t| t.iter().any(|&v| v as usize >= mesh.positions.len())).count();
        prop_assert_eq!(defects.count(Defect::IndexOutOfRange), out);
        prop_assert_eq!(defects.edges, mesh.edges().len());
        prop_assert!(defects.found.iter().all(|f| f.count > 0));
    }

    #[test]
    fn edges_are_those_of_the_definition(mesh in garbage()) {
        let n = mesh.positions.len() as u32;
        let sound = |t: &&[u32; 3]| t.iter().all(|&v| v < n) && t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        let mut naive = Vec::new();
        for a in 0..n {
            for b in a + 1..n {
                let beside: Vec<_> = mesh.triangles.iter().filter(sound).filter(|t| t.contains(&a) && t.contains(&b)).collect();
                let wing = |k: usize| beside.get(k).map(|t| *t.iter().find(|v| **v != a && **v != b).unwrap());
                if !beside.is_empty() {
                    naive.push(([a, b], beside.len() as u32, [wing(0), wing(1)]));
                }
            }
        }
        let edges: Vec<_> = mesh.edges().iter().map(|e| (e.vertices, e.triangles, e.opposite)).collect();
        prop_assert_eq!(edges, naive);
    }
}
