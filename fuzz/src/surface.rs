//! A PLY or STL file of any bytes: read with all that is drawn of it, checked, repaired.

use super::obj::{fits, names_vertices, repaired};
use seidel_io::mesh::{parse_maps, parse_ply, parse_ply_drawn, parse_stl};

/// Larger files are slow and show no more.
const MAX_BYTES: usize = 1 << 16;

pub fn surface(data: &[u8]) {
    if data.len() > MAX_BYTES {
        return;
    }
    let parse = if data.starts_with(b"ply") { parse_ply } else { parse_stl };
    match parse("fuzz.file".as_ref(), data) {
        Ok(mesh) => {
            let count = mesh.positions.len();
            assert!(mesh.triangles.as_flattened().iter().all(|&v| (v as usize) < count));
            repaired(&mesh);
            if data.starts_with(b"ply") {
                // What the mesh is read from, the rest is read from.
                let (again, drawn) = parse_ply_drawn("fuzz.file".as_ref(), data).unwrap();
                assert_eq!(again.triangles, mesh.triangles);
                fits(&again, &drawn);
                names_vertices(&parse_maps("fuzz.ply".as_ref(), data).unwrap(), count);
            }
        }
        Err(error) => assert!(error.to_string().starts_with("fuzz.file: "), "{error}"),
    }
}
