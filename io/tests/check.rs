//! The report on a mesh: its text, its JSON, and what it says about meshes that nobody here made.

use seidel::mesh::{Defect, Mesh, Place};
use seidel_io::check::{MeshReport, check, report};
use std::path::{Path, PathBuf};

#[test]
fn text_and_json() {
    let mesh = Mesh {
        positions: vec![[0.0; 3], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0], [7.0; 3]],
        triangles: vec![[0, 1, 2], [2, 0, 1]],
    };
    let report = report("a.obj".to_owned(), &mesh);
    let lines: Vec<String> = report.to_string().lines().map(str::to_owned).collect();
    assert_eq!(
        lines,
        [
            "a.obj: no cloth as it is",
            "  counts  4 vertices, 3 edges, 2 triangles",
            "  box     [0.0, 0.0, 0.0] to [7.0, 7.0, 7.0] m",
            "  size    area 12 m^2, edges 3 to 5 m",
            "  shape   not closed, 1 piece, Euler characteristic 1",
            "  error   duplicate triangle: 1, first: triangles 0 and 1 (v 1, 2, 3 in the file); delete the copies, or repair the mesh: that keeps the first of each",
            "  error   isolated vertex: 1, first: vertex 3 (v 4 in the file); delete these vertices, or repair the mesh: they would have no mass",
            "  note    boundary edge: 3, first: edge 0-1 (v 1, 2 in the file); nothing for a cloth; close the mesh if it is to hold a volume",
            "  repair  seidel check a.obj --repair OUT.obj",
        ]
    );
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["clean"], false);
    assert_eq!(json["longest_edge"], 5.0);
    let isolated = serde_json::json!({
        "name": "isolated vertex", "count": 1, "first": {"vertex": 3}, "v": [4], "fatal": true,
        "remedy": Defect::IsolatedVertex.remedy(),
    });
    assert_eq!(json["defects"][1], isolated);
}

#[test]
fn nothing_finite_is_still_reported() {
    let mesh = Mesh { positions: vec![[f32::NAN; 3]; 3], triangles: vec![[0, 1, 2], [0, 1, 9]] };
    let report = report(String::new(), &mesh);
    assert_eq!((report.bounds, report.area, report.longest_edge), (None, 0.0, None));
    assert!(report.to_string().contains("non-finite vertex: 3, first: vertex 0"));
    assert!(serde_json::to_string(&report).unwrap().contains("\"bounds\":null"));
}

/// The folder of meshes beside the project, where there is one.
fn meshes() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/meshes");
    if !folder.is_dir() {
        println!("skipped: no {}", folder.display());
        return None;
    }
    Some(folder)
}

fn count(report: &MeshReport, defect: Defect) -> usize {
    report.defects.iter().find(|d| d.name == defect).map_or(0, |d| d.count)
}

/// Name, vertices, triangles, pieces, Euler characteristic, and the defects with their counts.
type Known = (&'static str, usize, usize, usize, i64, &'static [(Defect, usize)]);

#[rustfmt::skip]
const KNOWN: [Known; 9] = {
    use Defect::{BoundaryEdge, CoincidentVertices, Duplicate, IsolatedVertex, NonManifoldEdge, PinchedVertex, SeveralPieces};
    [
        ("spot", 2930, 5856, 1, 2, &[]),
        // Two parts hang together at one vertex, so the characteristic of a closed mesh is odd.
        ("cow", 2903, 5804, 1, 1, &[(PinchedVertex, 1)]),
        ("homer", 6002, 12000, 1, 2, &[]),
        ("stanford-bunny", 35947, 69451, 1, -3, &[(IsolatedVertex, 1113), (BoundaryEdge, 223)]),
        ("alligator", 3208, 5981, 1, 1, &[(BoundaryEdge, 433)]),
        ("woody", 694, 1267, 1, 1, &[(BoundaryEdge, 119)]),
        ("beetle", 1148, 2053, 2, -3, &[(NonManifoldEdge, 47), (BoundaryEdge, 296), (SeveralPieces, 2)]),
        ("suzanne", 507, 968, 3, 2, &[(Duplicate, 1), (NonManifoldEdge, 1), (CoincidentVertices, 2), (BoundaryEdge, 44), (SeveralPieces, 3)]),
        ("teapot", 3644, 6320, 4, -34, &[(CoincidentVertices, 403), (BoundaryEdge, 1036), (PinchedVertex, 38), (SeveralPieces, 4)]),
    ]
};

#[test]
fn real_meshes() {
    let Some(folder) = meshes() else { return };
    for (name, vertices, triangles, pieces, euler, defects) in KNOWN {
        let report = check(folder.join(name).with_extension("obj")).unwrap();
        println!("{report}\n");
        let found: Vec<_> = report.defects.iter().map(|d| (d.name, d.count)).collect();
        assert_eq!(found, defects, "{name}");
        assert_eq!((report.vertices, report.triangles), (vertices, triangles), "{name}");
        assert_eq!((report.pieces, report.euler), (pieces, euler), "{name}");
        assert_eq!(report.closed, count(&report, Defect::BoundaryEdge) == 0, "{name}");
        assert_eq!(report.clean, !report.defects.iter().any(|d| d.fatal), "{name}");
    }
}

#[test]
fn real_meshes_repaired() {
    let Some(folder) = meshes() else { return };
    for (name, ..) in KNOWN {
        let mesh = seidel_io::mesh::read(folder.join(name).with_extension("obj")).unwrap();
        let (repaired, repairs) = mesh.repaired();
        println!("{name}: {repairs}");
        assert!(repaired.defects().is_clean(), "{name}");
        assert_eq!(repairs.is_empty(), mesh.defects().is_clean(), "{name}");
    }
}

/// The same triangles as tobj alone makes of the file, by position: it numbers the vertices otherwise.
#[test]
fn real_meshes_are_what_tobj_reads() {
    let Some(folder) = meshes() else { return };
    for (name, ..) in KNOWN {
        let path = folder.join(name).with_extension("obj");
        let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
        let (models, _) = tobj::load_obj(&path, &options).unwrap();
        let theirs =
            models.iter().flat_map(|m| m.mesh.indices.iter().map(|&i| &m.mesh.positions[3 * i as usize..][..3]));
        let ours = seidel_io::mesh::read(&path).unwrap();
        let ours = ours.triangles.iter().flatten().map(|&v| &ours.positions[v as usize][..]);
        assert!(ours.eq(theirs), "{name}");
    }
}

#[test]
fn a_place_is_named_in_both_countings() {
    let mesh = Mesh { positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], triangles: vec![[2, 0, 1]] };
    let report = report(String::new(), &mesh);
    assert_eq!(report.defects[0].first, Place::Triangle(0));
    assert_eq!(report.defects[0].v, [3, 1, 2]);
}
