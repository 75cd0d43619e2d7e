//! Groups of vertices, from the names of the parts that their triangles belong to.

use super::corners;
use crate::drawn::Part;
use seidel::mesh::{Mesh, VertexMaps};
use std::collections::HashMap;

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

/// A group for each name, in the order in which triangles first have it: the vertices of all triangles whose part has that name.
pub(crate) fn groups(
    parts: &[Part],
    part: &[u32],
    triangles: &[[u32; 3]],
    names: impl Fn(&Part) -> Vec<String>,
) -> Vec<(String, Vec<u32>)> {
    let mut of_part = vec![Vec::new(); parts.len()];
    for (triangle, &part) in triangles.iter().zip(part) {
        of_part[part as usize].extend(triangle);
    }
    let mut groups: Vec<(String, Vec<u32>)> = Vec::new();
    let mut numbers = HashMap::new();
    for (part, mut vertices) in parts.iter().zip(of_part) {
        vertices.sort_unstable();
        vertices.dedup();
        for name in names(part).into_iter().filter(|name| !name.is_empty()) {
            let number = *numbers.entry(name).or_insert_with_key(|name| {
                groups.push((name.clone(), Vec::new()));
                groups.len() - 1
            });
            groups[number].1.extend(&vertices);
        }
    }
    for (_, vertices) in &mut groups {
        vertices.sort_unstable();
        vertices.dedup();
    }
    groups
}
