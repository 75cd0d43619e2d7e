//! A repaired mesh has no error left that a repair can mend, and the report accounts for every vertex and triangle.

use proptest::prelude::*;
use seidel::mesh::{Defect, Mesh};

#[test]
fn a_sound_mesh_comes_back_as_it_is() {
    let mesh = Mesh { positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], triangles: vec![[1, 2, 0]] };
    let (repaired, repairs) = mesh.repaired();
    assert_eq!(repaired, mesh);
    assert!(repairs.is_empty());
    assert_eq!(repairs.vertex_map, [Some(0), Some(1), Some(2)]);
    assert_eq!(repairs.to_string(), "nothing to repair");
}

#[test]
fn a_seam_is_closed() {
    let mesh = Mesh {
        positions: vec![
            [9.0; 3],
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 1.0, 0.0],
            [0.0, 0.0, -0.0],
            [1.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
        ],
        triangles: vec![[1, 2, 3], [4, 5, 6]],
    };
    let (repaired, repairs) = mesh.repaired();
    assert_eq!(repaired.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(repaired.positions[3], [0.0, 1.0, 0.0]);
    assert_eq!((repairs.merged_vertices, repairs.dropped_vertices), (2, 1));
    let map = [None, Some(0), Some(1), Some(2), Some(0), Some(2), Some(3)];
    assert_eq!(repairs.vertex_map, map);
    assert_eq!(repairs.to_string(), "vertices merged: 2, dropped: 1; triangles dropped: 0");
}

#[test]
fn each_reason_is_told() {
    let mesh = Mesh {
        positions: vec![
            [0.0; 3],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
            [f32::NAN; 3],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, -1.0],
        ],
        // The fourth at edge 0-1 is the third that is kept at none: the copy before it took no place.
        triangles: vec![[0, 1, 2], [2, 1, 0], [1, 0, 3], [0, 1, 5], [0, 1, 6], [0, 1, 4], [0, 0, 1], [0, 1, 7]],
    };
    let (repaired, repairs) = mesh.repaired();
    assert_eq!(repaired.triangles, [[0, 1, 2], [1, 0, 3]]);
    assert_eq!(repairs.dropped_triangles(), 6);
    assert_eq!(
        repairs.to_string(),
        "vertices merged: 0, dropped: 3; triangles dropped: 6 (1 index out of range, 1 not finite, 1 degenerate, 1 duplicate, 2 non-manifold)"
    );
}

#[test]
fn a_dropped_triangle_makes_room_at_its_other_edges() {
    // Three at edge 0-1; the third one, dropped, must not count at edge 0-4, where two others follow.
    let mesh = Mesh {
        positions: vec![
            [0.0; 3],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0],
            [-1.0, 0.0, 0.0],
            [-1.0, -1.0, 0.0],
        ],
        triangles: vec![[0, 1, 2], [1, 0, 3], [0, 1, 4], [0, 4, 5], [4, 0, 6]],
    };
    let (repaired, repairs) = mesh.repaired();
    assert_eq!(repairs.non_manifold, 1);
    assert_eq!(repaired.triangles.len(), 4);
}

fn garbage() -> impl Strategy<Value = Mesh> {
    let coordinate = || {
        prop_oneof![
            8 => (-2i8..3).prop_map(f32::from),
            1 => prop::sample::select(vec![f32::NAN, f32::NEG_INFINITY, f32::MAX, 1e-45, -0.0, 2e6]),
        ]
    };
    let index = || prop_oneof![20 => 0u32..10, 1 => any::<u32>()];
    let positions = prop::collection::vec([coordinate(), coordinate(), coordinate()], 0..12);
    let triangles = prop::collection::vec([index(), index(), index()], 0..30);
    (positions, triangles).prop_map(|(positions, triangles)| Mesh { positions, triangles })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn garbage_is_repaired(mesh in garbage()) {
        let (repaired, repairs) = mesh.repaired();
        for error in repaired.defects().errors() {
            prop_assert_eq!(error.defect, Defect::TooFar);
        }
        // Once is enough.
        let (again, nothing) = repaired.repaired();
        prop_assert!(nothing.is_empty());
        prop_assert_eq!(&again, &repaired);
        // Nothing is lost without a word.
        prop_assert_eq!(mesh.triangles.len(), repaired.triangles.len() + repairs.dropped_triangles());
        let gone = repairs.merged_vertices + repairs.dropped_vertices;
        prop_assert_eq!(mesh.positions.len(), repaired.positions.len() + gone);
        prop_assert_eq!(repairs.vertex_map.len(), mesh.positions.len());
        for (old, new) in mesh.positions.iter().zip(&repairs.vertex_map) {
            if let Some(new) = new {
                prop_assert_eq!(old, &repaired.positions[*new as usize]);
            }
        }
    }
}
