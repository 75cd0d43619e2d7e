//! Tetrahedra from files of any bytes, and from any numbers: read, checked, repaired, and the surface of what is left.
//!
//! A first byte `n` begins TetGen's two files, with a line `===` between them; `d` a mesh in the encoding of
//! `bytes.rs`; all else is a file of Gmsh.

use super::bytes::Bytes;
use seidel::tets::{Defect, Place};
use seidel::{Mesh, TetMesh};
use seidel_io::tets::{parse_msh, parse_tetgen, report};

/// Larger files are slow and show no more.
const MAX_BYTES: usize = 1 << 16;

pub fn tets(data: &[u8]) {
    if data.len() > MAX_BYTES {
        return;
    }
    let mesh = match data.split_first() {
        Some((b'd', rest)) => Ok(direct(&mut Bytes(rest))),
        Some((b'n', rest)) => {
            const BETWEEN: &[u8] = b"===\n";
            let end = rest.windows(BETWEEN.len()).position(|window| window == BETWEEN);
            let (node, ele) = end.map_or((rest, &[][..]), |end| (&rest[..end], &rest[end + BETWEEN.len()..]));
            parse_tetgen(["fuzz.node".as_ref(), "fuzz.ele".as_ref()], [node, ele])
        }
        _ => parse_msh("fuzz.msh".as_ref(), data),
    };
    match mesh {
        Ok(mesh) => look(&mesh),
        Err(error) => assert!(error.to_string().starts_with("fuzz."), "{error}"),
    }
}

fn direct(bytes: &mut Bytes) -> TetMesh {
    let coordinate = |bytes: &mut Bytes| match bytes.byte() {
        tag @ 0..160 => (f32::from(tag % 9) - 4.0) * 0.25,
        _ => bytes.number(),
    };
    let positions: Vec<_> = (0..bytes.below(24)).map(|_| [0; 3].map(|_| coordinate(bytes))).collect();
    let mut tets = Vec::new();
    while !bytes.is_empty() && tets.len() < 64 {
        tets.push([0; 4].map(|_| bytes.index(positions.len())));
    }
    TetMesh { positions, tets }
}

fn look(mesh: &TetMesh) {
    let defects = mesh.defects();
    assert_eq!(mesh.check().is_ok(), defects.is_clean());
    assert!(defects.surface <= defects.faces);
    let places = defects.found.iter().map(|found| found.first);
    let is_there = |place| match place {
        Place::Vertex(v) => (v as usize) < mesh.positions.len(),
        Place::Tet(t) | Place::Tets([_, t]) => (t as usize) < mesh.tets.len(),
        _ => true,
    };
    assert!(places.into_iter().all(is_there), "{defects:?}");
    assert!(!report("fuzz".to_owned(), mesh).to_string().is_empty());

    let (repaired, repairs) = mesh.repaired();
    let left: Vec<_> = repaired.defects().errors().map(|found| found.defect).filter(|&d| d != Defect::TooFar).collect();
    assert!(left.is_empty(), "{left:?} after {repairs}");
    assert_eq!(repairs.vertex_map.len(), mesh.positions.len());
    assert_eq!(mesh.tets.len(), repaired.tets.len() + repairs.dropped_tets());
    let (again, none) = repaired.repaired();
    assert!(none.is_empty() && again == repaired, "repaired twice: {none}");
    assert!(repaired.volumes().iter().all(|volume| *volume > 0.0));
    assert!(repaired.qualities().iter().all(|quality| (0.0..1.0 + 1e-9).contains(quality)));

    // It is a boundary, and so has none: an even number of its triangles at every edge.
    let surface = Mesh { positions: repaired.positions.clone(), triangles: repaired.surface() };
    assert!(surface.edges().iter().all(|edge| edge.triangles % 2 == 0));
    let edges = repaired.edges();
    assert!(edges.is_sorted() && surface.edges().iter().all(|edge| edges.binary_search(&edge.vertices).is_ok()));
}
