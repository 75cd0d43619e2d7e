//! An OBJ file of any bytes: read with all that is drawn of it, checked, repaired, hung up as a cloth, and let fall on
//! a ball above the ground.

use super::check::settles;
use seidel::mesh::{Defect, Mesh, VertexMaps};
use seidel::{Cloth, Collider, Input, Scene};
use seidel_io::Drawn;

/// Larger files are slow and show no more.
const MAX_BYTES: usize = 1 << 16;

pub fn obj(data: &[u8]) {
    if data.len() > MAX_BYTES {
        return;
    }
    let raw = match seidel_io::mesh::parse_obj("fuzz.obj".as_ref(), data) {
        Ok(mesh) => mesh,
        Err(error) => return assert!(error.to_string().starts_with("fuzz.obj: ")),
    };
    let name = "fuzz.obj".as_ref();
    match seidel_io::mesh::parse_obj_drawn(name, data) {
        Ok((mesh, drawn)) => fits(&mesh, &drawn),
        Err(error) => assert!(error.to_string().starts_with("fuzz.obj: ")),
    }
    if let Ok(maps) = seidel_io::mesh::parse_maps(name, data) {
        names_vertices(&maps, raw.positions.len());
    }
    let repaired = repaired(&raw);
    for mesh in [&raw, &repaired] {
        let planned = settles(&scene(mesh), |_, _, _| Input::frame(1.0 / 60.0));
        assert!(!planned || mesh.defects().is_clean(), "planned in spite of defects");
    }
}

/// What is drawn has the mesh's triangles, corner by corner, before a repair and after it.
pub fn fits(mesh: &Mesh, drawn: &Drawn) {
    let same = |mesh: &Mesh, drawn: &Drawn| {
        let count = drawn.vertex.len();
        let corners = drawn.triangles.iter().map(|t| t.map(|v| drawn.vertex[v as usize]));
        assert!(corners.eq(mesh.triangles.iter().copied()));
        assert!([0, count].contains(&drawn.uvs.len()) && [0, count].contains(&drawn.normals.len()));
        assert!([0, drawn.triangles.len()].contains(&drawn.part.len()));
        assert!(drawn.part.iter().all(|&part| (part as usize) < drawn.parts.len()));
    };
    same(mesh, drawn);
    let (left, repairs) = mesh.repaired();
    same(&left, &drawn.repaired(&repairs.vertex_map, &left.triangles).expect("a part of the triangles"));
}

/// Groups name vertices that exist, in rising order; attributes have a number for each.
pub fn names_vertices(maps: &VertexMaps, count: usize) {
    for (name, vertices) in &maps.groups {
        assert!(!name.is_empty() && vertices.is_sorted_by(|a, b| a < b));
        assert!(vertices.last().is_some_and(|&last| (last as usize) < count));
    }
    assert!(maps.attributes.iter().all(|(_, numbers)| numbers.len() == count));
}

/// The repaired mesh, which has none of the defects that a repair is for, and nothing left to repair.
pub fn repaired(mesh: &Mesh) -> Mesh {
    let (repaired, repairs) = mesh.repaired();
    let left: Vec<_> = repaired.defects().errors().map(|found| found.defect).filter(|&d| d != Defect::TooFar).collect();
    assert!(left.is_empty(), "{left:?} after {repairs}");
    assert_eq!(repairs.vertex_map.len(), mesh.positions.len());
    let (again, none) = repaired.repaired();
    assert!(none.is_empty() && again == repaired, "repaired twice: {none}");
    repaired
}

/// The ball and the ground both touch the mesh, wherever it is.
fn scene(mesh: &Mesh) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = 2.into();
    scene.settings.iterations = 2;
    let near = mesh.positions.iter().flatten().filter(|c| c.abs() <= 1.0e6);
    let size = near.fold(1.0e-3, |size: f32, c| size.max(c.abs()));
    scene.add_collider(Collider::sphere(0.4 * size));
    scene.add_collider(Collider::ground().at([0.0, -0.5 * size, 0.0]));
    let last = (mesh.positions.len() as u32).saturating_sub(1);
    let pins: &[u32] = if last > 0 { &[0, last] } else { &[] };
    scene.add(Cloth::new(mesh).pin(pins).bend(1.0e-3).compress(1.0e-4).damping(0.1));
    scene
}
