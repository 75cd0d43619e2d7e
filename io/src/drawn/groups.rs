//! Groups of vertices, from the names of the parts that their triangles belong to.

use super::parts::Part;
use std::collections::HashMap;

/// A group for each name, in the order in which triangles first have it: the vertices of all triangles whose part has
/// that name.
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
