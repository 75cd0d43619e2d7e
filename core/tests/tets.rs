//! Meshes of tetrahedra: every kind of defect by a small mesh that has it, repair, surface; any garbage without a
//! panic.

use proptest::prelude::*;
use seidel::tets::{Defect, Place};
use seidel::{Error, Mesh, TetMesh};
use std::collections::BTreeMap;

fn corner() -> TetMesh {
    TetMesh { positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], tets: vec![[0, 1, 2, 3]] }
}

/// Two that share the face 1-2-3.
fn two() -> TetMesh {
    let mut mesh = corner();
    mesh.positions.push([1.0; 3]);
    mesh.tets.push([1, 2, 3, 4]);
    mesh
}

/// n^3 cubes of six tetrahedra each, about one diagonal.
fn block(n: u32) -> TetMesh {
    let at = |i, j, k| i + (n + 1) * (j + (n + 1) * k);
    let mut mesh = TetMesh::default();
    for k in 0..=n {
        for j in 0..=n {
            mesh.positions.extend((0..=n).map(|i| [i as f32, j as f32, k as f32]));
        }
    }
    const WAYS: [[u32; 2]; 6] = [[1, 3], [3, 2], [2, 6], [6, 4], [4, 5], [5, 1]];
    for k in 0..n {
        for j in 0..n {
            for i in 0..n {
                let v = |bits: u32| at(i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2));
                mesh.tets.extend(WAYS.map(|[a, b]| [v(0), v(a), v(b), v(7)]));
            }
        }
    }
    mesh
}

fn found(mesh: &TetMesh) -> Vec<(Defect, usize, Place)> {
    mesh.defects().found.iter().map(|f| (f.defect, f.count, f.first)).collect()
}

#[test]
fn sound_meshes() {
    for (mesh, faces, surface) in [(corner(), 4, 4), (two(), 7, 6), (block(3), 378, 108), (TetMesh::default(), 0, 0)] {
        let defects = mesh.defects();
        assert!(defects.found.is_empty() && mesh.check().is_ok(), "{:?}", defects.found);
        assert_eq!((defects.faces, defects.surface), (faces, surface));
        assert_eq!(mesh.surface().len(), surface);
        let (repaired, repairs) = mesh.repaired();
        assert_eq!(repaired, mesh);
        assert!(repairs.is_empty());
        assert_eq!(repairs.to_string(), "nothing to repair");
    }
}

#[test]
fn vertices() {
    let mut mesh = two();
    mesh.positions[4][1] = f32::NAN;
    mesh.positions[0][2] = f32::NEG_INFINITY;
    assert_eq!(found(&mesh), [(Defect::NonFinite, 2, Place::Vertex(0))]);
    let (repaired, repairs) = mesh.repaired();
    assert_eq!((repaired, repairs.non_finite, repairs.dropped_vertices), (TetMesh::default(), 2, 5));

    let mut mesh = corner();
    for p in &mut mesh.positions {
        *p = p.map(|x| x * -1.0e6);
    }
    mesh.tets[0] = [1, 0, 2, 3];
    assert!(mesh.check().is_ok());
    mesh.positions[3][2] = -1.1e6;
    assert_eq!(found(&mesh), [(Defect::TooFar, 1, Place::Vertex(3))]);
    assert!(mesh.repaired().1.is_empty(), "a question of units");

    let mut mesh = corner();
    mesh.positions.splice(1..1, [[5.0; 3], [6.0; 3]]);
    mesh.tets[0] = [0, 3, 4, 5];
    assert_eq!(found(&mesh), [(Defect::UnusedVertex, 2, Place::Vertex(1))]);
    let (repaired, repairs) = mesh.repaired();
    assert_eq!(repaired, corner());
    assert_eq!(repairs.vertex_map, [Some(0), None, None, Some(1), Some(2), Some(3)]);
    assert_eq!(repairs.to_string(), "vertices dropped: 2; tetrahedra turned: 0, dropped: 0");
}

#[test]
fn single_tetrahedra() {
    let mut mesh = corner();
    mesh.tets.extend([[0, 1, 2, 4], [0, 0, 1, u32::MAX]]);
    assert_eq!(found(&mesh), [(Defect::IndexOutOfRange, 2, Place::Tet(1))]);
    mesh.tets.truncate(1);
    mesh.tets.push([3, 1, 2, 3]);
    assert_eq!(found(&mesh), [(Defect::RepeatedCorner, 1, Place::Tet(1))]);
    mesh.tets[1] = [1, 0, 2, 3];
    mesh.tets.swap(0, 1);
    assert_eq!(found(&mesh), [(Defect::Inverted, 1, Place::Tet(0)), (Defect::Duplicate, 1, Place::Tets([0, 1]))]);
    let (repaired, repairs) = mesh.repaired();
    assert_eq!(repaired.tets, [[1, 0, 3, 2]]);
    assert_eq!(repairs.to_string(), "vertices dropped: 0; tetrahedra turned: 1, dropped: 1 (1 duplicate)");
}

#[test]
fn faces() {
    let mut mesh = two();
    mesh.positions.extend([[2.0; 3], [3.0, 2.0, 2.0]]);
    mesh.tets.extend([[1, 2, 3, 5], [1, 2, 5, 6]]);
    assert_eq!(
        found(&mesh),
        [(Defect::CrowdedFace, 1, Place::Face([1, 2, 3]))],
        "on which side they lie is not asked where there are three"
    );
    let (repaired, repairs) = mesh.repaired();
    // What is dropped for one face leaves room at its others.
    assert_eq!((repaired.tets.len(), repairs.crowded, repairs.dropped_vertices), (3, 1, 0));

    let mut mesh = two();
    mesh.positions[4] = [0.25; 3];
    mesh.tets[1] = [1, 3, 2, 4];
    assert_eq!(found(&mesh), [(Defect::FoldedFace, 1, Place::Face([1, 2, 3]))]);
    assert!(mesh.check().is_ok(), "a note");
    // The way round of one that is inverted says nothing of its side.
    mesh.tets[1] = [1, 2, 3, 4];
    assert_eq!(found(&mesh), [(Defect::Inverted, 1, Place::Tet(1))]);
}

#[test]
fn flat_at_any_size() {
    for size in [1e-30, 1.0, 1e6, 1e30] {
        for (height, flat) in [(0.0, true), (0.9e-6, true), (1.1e-6, false), (0.5, false)] {
            let mut mesh = corner();
            for p in &mut mesh.positions {
                *p = p.map(|x| x * size);
            }
            // The longest edge has the length sqrt(2).
            mesh.positions[3][2] *= height * std::f32::consts::SQRT_2;
            let defects = mesh.defects();
            assert_eq!(defects.count(Defect::Flat) == 1, flat, "{size} {height}");
            mesh.tets[0] = [1, 0, 2, 3];
            assert_eq!(mesh.defects().count(Defect::Flat) == 1, flat, "{size} {height}");
            assert_eq!(mesh.defects().count(Defect::Inverted) == 1, !flat, "{size} {height}");
        }
    }
    // Long and thin is not flat, and has the sign that it has.
    let thin = 1.0e-5f32;
    let mut mesh = corner();
    mesh.positions = vec![[0.0; 3], [1.0; 3], [1.0 + thin, 1.0 - thin, 1.0], [1.0, 1.0 + thin, 1.0 - thin]];
    assert_eq!(found(&mesh), []);
    mesh.tets[0].swap(2, 3);
    assert_eq!(found(&mesh), [(Defect::Inverted, 1, Place::Tet(0))]);
    // Three that are nearly one, whose differences from the fourth are lost to rounding.
    let tiny = f32::from_bits(1);
    mesh.positions = vec![[-1.0, -0.75, -0.5], [0.0, tiny, 0.0], [0.0, 0.0, tiny], [0.0; 3]];
    mesh.tets[0] = [0, 1, 2, 3];
    assert_eq!(found(&mesh), [(Defect::Flat, 1, Place::Tet(0))]);
    // All at one point, and in subnormal numbers.
    mesh.positions.fill([1.0; 3]);
    assert_eq!(found(&mesh), [(Defect::Flat, 1, Place::Tet(0))]);
    mesh = corner();
    for p in &mut mesh.positions {
        *p = p.map(|x| x * f32::from_bits(1));
    }
    assert_eq!(found(&mesh), []);
}

#[test]
fn the_worst_is_named_and_the_others_counted() {
    let mut mesh = two();
    mesh.tets[1] = [1, 3, 2, 4];
    mesh.positions.push([7.0; 3]);
    let error = mesh.check().unwrap_err();
    assert!(matches!(&error, Error::TetMesh { more: 1, found, .. } if found.defect == Defect::Inverted));
    assert_eq!(
        error.to_string(),
        "tetrahedral mesh: inverted tetrahedron: 1, first: tetrahedron 1; swap two corners of each, or repair the mesh: \
         that does so; one more kind of defect was found"
    );
}

#[test]
fn the_table_is_complete() {
    let names: std::collections::BTreeSet<_> = Defect::ALL.iter().map(|d| d.name()).collect();
    assert_eq!(names.len(), Defect::ALL.len());
    assert!(Defect::ALL.iter().all(|d| !d.remedy().is_empty()));
    assert!(Defect::ALL.is_sorted_by_key(|d| !d.is_fatal()));
}

#[test]
fn measures() {
    let mut mesh = corner();
    assert_eq!(mesh.volumes(), [1.0 / 6.0]);
    mesh.tets = vec![[1, 0, 2, 3], [0, 1, 2, 9], [0, 1, 1, 2]];
    let volumes = mesh.volumes();
    assert_eq!((volumes[0], volumes[2]), (-1.0 / 6.0, 0.0));
    assert!(volumes[1].is_nan());
    let regular = TetMesh {
        positions: vec![[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]],
        tets: vec![[0, 1, 2, 3], [1, 0, 2, 3]],
    };
    let [one, other] = regular.qualities()[..] else { panic!("two") };
    assert!((one.abs() - 1.0).abs() < 1e-15 && one == -other, "{one}");
    assert!((block(2).volumes().iter().sum::<f64>() - 8.0).abs() < 1e-12);
    // Vertices, edges, faces and tetrahedra of a ball: Euler's 1.
    let block = block(4);
    let counts = [block.positions.len(), block.defects().faces, block.edges().len(), block.tets.len()];
    assert_eq!(counts[0] + counts[1], counts[2] + counts[3] + 1, "{counts:?}");
    assert!(block.edges().is_sorted() && block.edges().iter().all(|[a, b]| a < b));
}

/// Closed, outward, and around just the volume.
#[test]
fn a_surface_holds_the_volume() {
    let block = block(3);
    let mesh = Mesh { positions: block.positions.clone(), triangles: block.surface() };
    let defects = mesh.defects();
    assert!(defects.closed && defects.count(seidel::mesh::Defect::InconsistentOrientation) == 0);
    assert_eq!(defects.euler, 2);
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize].map(f64::from));
        let n = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6.0
    };
    assert!((mesh.triangles.iter().map(of).sum::<f64>() - 27.0).abs() < 1e-9);
}

/// Many at one face, many the same: no quadratic work.
#[test]
fn hostile_shapes_take_no_longer() {
    let n = 100_000;
    let positions: Vec<[f32; 3]> = (0..n).map(|k| [k as f32, (k % 7) as f32, (k % 11) as f32]).collect();
    let all_at_one: Vec<_> = (3..n).map(|v| [0, 1, 2, v]).collect();
    for tets in [all_at_one, vec![[0, 1, 2, 3]; n as usize]] {
        let mesh = TetMesh { positions: positions.clone(), tets };
        let start = std::time::Instant::now();
        assert!(!mesh.defects().is_clean());
        let (repaired, _) = mesh.repaired();
        assert!(repaired.check().is_ok() && repaired.tets.len() <= 2);
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    }
}

fn garbage() -> impl Strategy<Value = TetMesh> {
    let coordinate = || {
        prop_oneof![
            8 => (-2i8..3).prop_map(f32::from),
            1 => any::<f32>(),
            1 => prop::sample::select(vec![f32::NAN, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -0.0, 2e6]),
        ]
    };
    let index = || prop_oneof![24 => 0u32..9, 1 => any::<u32>(), 1 => Just(u32::MAX)];
    let positions = prop::collection::vec([coordinate(), coordinate(), coordinate()], 0..10);
    let tets = prop::collection::vec([index(), index(), index(), index()], 0..24);
    (positions, tets).prop_map(|(positions, tets)| TetMesh { positions, tets })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn garbage_is_counted(mesh in garbage()) {
        let defects = mesh.defects();
        prop_assert_eq!(&defects, &mesh.defects());
        let n = mesh.positions.len() as u32;
        let out = mesh.tets.iter().filter(|t| t.iter().any(|&v| v >= n)).count();
        prop_assert_eq!(defects.count(Defect::IndexOutOfRange), out);
        prop_assert_eq!(mesh.volumes().len(), mesh.tets.len());
        prop_assert_eq!(mesh.qualities().len(), mesh.tets.len());
        let used = |v: &u32| mesh.edges().iter().any(|edge| edge.contains(v));
        prop_assert_eq!(defects.count(Defect::UnusedVertex), (0..n).filter(|v| !used(v)).count());
        // Faces by the definition.
        let mut faces = BTreeMap::<[u32; 3], u32>::new();
        for tet in mesh.tets.iter().filter(|t| t.iter().all(|&v| v < n)) {
            let mut tet = *tet;
            tet.sort_unstable();
            let [a, b, c, d] = tet;
            if a < b && b < c && c < d {
                for face in [[a, b, c], [a, b, d], [a, c, d], [b, c, d]] {
                    *faces.entry(face).or_default() += 1;
                }
            }
        }
        prop_assert_eq!(defects.faces, faces.len());
        let mut surface = mesh.surface();
        surface.iter_mut().for_each(|t| t.sort_unstable());
        surface.sort_unstable();
        let alone: Vec<_> = faces.iter().filter(|(_, n)| **n == 1).map(|(face, _)| *face).collect();
        prop_assert_eq!(surface, alone);
    }

    #[test]
    fn garbage_is_repaired(mesh in garbage()) {
        let (repaired, repairs) = mesh.repaired();
        for error in repaired.defects().errors() {
            prop_assert_eq!(error.defect, Defect::TooFar);
        }
        prop_assert!(repaired.volumes().iter().all(|v| *v > 0.0));
        let (again, nothing) = repaired.repaired();
        prop_assert!(nothing.is_empty());
        prop_assert_eq!(&again, &repaired);
        prop_assert_eq!(mesh.tets.len(), repaired.tets.len() + repairs.dropped_tets());
        prop_assert_eq!(mesh.positions.len(), repaired.positions.len() + repairs.dropped_vertices);
        prop_assert_eq!(repairs.vertex_map.len(), mesh.positions.len());
        for (old, new) in mesh.positions.iter().zip(&repairs.vertex_map) {
            if let Some(new) = new {
                prop_assert_eq!(old, &repaired.positions[*new as usize]);
            }
        }
    }
}
