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

/// The groups and numbers of a mesh after a repair ([`Mesh::repaired`]): `vertex_map` has the new number of each vertex. Of vertices that
/// became one, the first has the number; it is in all their groups. Groups of which nothing is left are gone.
#[must_use]
pub fn repaired_maps(maps: &VertexMaps, vertex_map: &[Option<u32>]) -> VertexMaps {
    let new = |&old: &u32| vertex_map.get(old as usize).copied().flatten();
    let count = vertex_map.iter().flatten().max().map_or(0, |&last| last as usize + 1);
    let groups = maps.groups.iter().map(|(name, vertices)| {
        let mut left: Vec<u32> = vertices.iter().filter_map(new).collect();
        left.sort_unstable();
        left.dedup();
        (name.clone(), left)
    });
    let attributes = maps.attributes.iter().map(|(name, numbers)| {
        let mut left = vec![0.0; count];
        // Backwards: the first is written last.
        for (number, new) in numbers.iter().zip(vertex_map).rev() {
            if let Some(new) = new {
                left[*new as usize] = *number;
            }
        }
        (name.clone(), left)
    });
    VertexMaps { groups: groups.filter(|(_, left)| !left.is_empty()).collect(), attributes: attributes.collect() }
}
