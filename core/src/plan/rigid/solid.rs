//! What a closed surface weighs, of 1 kg/m^3.

use crate::describe::error::Error;
use crate::describe::mesh::Mesh;
use seidel_rigid::MassProperties;
use std::collections::BTreeMap;

/// Mass, centre and inertia of the inside. Vertices in one place count as one, as files have several where texture
/// coordinates differ.
pub(super) fn inside(mesh: &Mesh, of: &dyn Fn() -> String) -> Result<MassProperties, Error> {
    let wrong = |what: String| Error::NoInside { of: of(), what };
    let count = mesh.positions.len();
    let mut places: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    let mut place = Vec::with_capacity(count);
    for (v, x) in mesh.positions.iter().enumerate() {
        if !x.iter().all(|c| c.is_finite()) {
            return Err(wrong(format!("has its vertex {v} at {x:?}")));
        }
        // 0 and -0 are one place.
        let next = places.len() as u32;
        place.push(*places.entry(x.map(|c| (c + 0.0).to_bits())).or_insert(next));
    }
    // How much more often each edge is gone along in one direction than in the other.
    let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for (t, corners) in mesh.triangles.iter().enumerate() {
        if let Some(v) = corners.iter().find(|v| **v as usize >= count) {
            return Err(wrong(format!("has a triangle {t} with a vertex {v}, and {count} vertices")));
        }
        let [a, b, c] = corners.map(|v| place[v as usize]);
        for [from, to] in [[a, b], [b, c], [c, a]] {
            match from < to {
                true => *edges.entry([from, to]).or_default() += 1,
                false => *edges.entry([to, from]).or_default() -= 1,
            }
        }
    }
    let open = edges.values().filter(|sum| **sum != 0).count();
    if open > 0 {
        return Err(wrong(format!(
            "is open, or its triangles are not turned alike, at {open} of its {} edges",
            edges.len()
        )));
    }
    let triangles: Vec<_> =
        mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize].map(f64::from))).collect();
    MassProperties::mesh(&triangles)
        .ok_or_else(|| wrong("has no volume: it is flat, or its triangles look inwards".to_owned()))
}
