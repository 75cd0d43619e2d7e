//! A PLY or STL file of any bytes: read, checked, repaired.

use super::obj::repaired;
use seidel_io::mesh::{parse_ply, parse_stl};

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
        }
        Err(error) => assert!(error.to_string().starts_with("fuzz.file: "), "{error}"),
    }
}
