//! Groups of vertices of an OBJ file, and maps of vertices after a repair.

use super::corners;
use crate::drawn::{Part, groups};
use seidel::mesh::{Mesh, VertexMaps};

/// Most names of a `g` line: each triangle counts for each of them.
const MAX_NAMES: usize = 64;

/// The groups of an OBJ file that was read as this mesh.
pub(super) fn of_obj(mesh: &Mesh, bytes: &[u8]) -> Result<VertexMaps, String> {
    let (parts, part) = corners::parts(bytes).finish();
    if let Some(many) = parts.iter().find(|part| part.group.split_whitespace().nth(MAX_NAMES).is_some()) {
        let count = many.group.split_whitespace().count();
        return Err(format!("a `g` line with {count} names; {MAX_NAMES} are read at most"));
    }
    let names = |part: &Part| -> Vec<String> {
        let groups = part.group.split_whitespace();
        [&*part.object].into_iter().chain(groups).chain([&*part.material]).map(str::to_owned).collect()
    };
    Ok(VertexMaps { groups: groups(&parts, &part, &mesh.triangles, names), attributes: Vec::new() })
}
