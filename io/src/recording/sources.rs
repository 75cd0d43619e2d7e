//! Which vertex of a body each vertex of its file has become.

use seidel::{BodyId, Plan};
use seidel_scenes::{SceneSpec, key};
use std::path::Path;

use super::MeshPlacement;
use crate::frames::{FileVertices, Header};
use crate::gltf::is_gltf;
use crate::room::is_piped;
use crate::{Error, mesh, scene, tets};

/// Gives the bodies that are made of files the numbers that the file's vertices have in them ([`FileVertices`]): for a
/// header of [`super::header`], or with `picture` of [`super::picture`], of a plan of that scene. Reads again the
/// meshes that are repaired and those of glTF files, whose vertices have other numbers than in the file, but for those
/// that [`super::dress`] has given this header. A body with a skin has the numbers of the skin's vertices; where it is
/// no picture they are in [`crate::frames::SkinHeader`], for its own vertices are the tetrahedra's.
///
/// # Errors
/// If a mesh cannot be read, or has changed since the plan was made.
pub fn trace(header: &mut Header, plan: &Plan, scene: &str, spec: &SceneSpec, picture: bool) -> Result<(), Error> {
    let ids: Vec<BodyId> = plan.body_ids().collect();
    let has_skin = |body: usize| ids.get(body).is_some_and(|&id| plan.skin(id).is_some());
    for (body, file, repair) in spec.surfaces() {
        let Some(of) = header.bodies.get_mut(body) else { continue };
        // The triangles of one that tears have vertices of their own.
        if ids.get(body).is_some_and(|&id| plan.tears(id)) {
            continue;
        }
        let path = scene::beside(scene, file);
        if is_piped(&path) {
            continue;
        }
        let count = of.skin.as_ref().map_or(of.count, |skin| skin.tets.len() as u32);
        let source = match &of.drawn {
            _ if repair => renumbered(&path, true, &|x| at_rest(spec, body, x))?,
            _ if !is_gltf(&path) => FileVertices::unchanged(count),
            // `dress` has read it.
            Some(drawn) => {
                FileVertices { vertex: drawn.vertex.iter().copied().map(Some).collect(), dropped: Vec::new() }
            }
            None => renumbered(&path, false, &|x| at_rest(spec, body, x))?,
        };
        if source.vertex.iter().flatten().any(|&vertex| vertex >= count) {
            let what = "has changed since the scene was planned".to_owned();
            return Err(Error::Format { path, what });
        }
        match &mut of.skin {
            Some(skin) => skin.source = Some(source),
            None => of.source = Some(source),
        }
    }
    for (body, of) in header.bodies.iter_mut().enumerate().filter(|(body, _)| !picture || !has_skin(*body)) {
        let Some((key::SOFT_BODY, number)) = spec.table_of(body) else { continue };
        let file = spec.soft_body[number].mesh.as_deref();
        if file.is_some_and(|file| tets::is_tets(Path::new(file))) {
            of.source = Some(FileVertices::unchanged(of.count));
        }
    }
    Ok(())
}

/// The numbers in a mesh that has other vertices than its file; `at_rest` puts a vertex of the file into the scene.
fn renumbered(path: &Path, repair: bool, at_rest: &dyn Fn([f32; 3]) -> [f32; 3]) -> Result<FileVertices, Error> {
    // Only glTF files have copies of vertices, and only their order is asked for here: an OBJ file's may be broken.
    let (mesh, copies) = match is_gltf(path) {
        true => mesh::read_drawn(path).map(|(mesh, drawn)| (mesh, drawn.vertex))?,
        false => mesh::read(path).map(|mesh| {
            let all = (0..mesh.positions.len() as u32).collect();
            (mesh, all)
        })?,
    };
    let map = if repair { mesh.repaired().1.vertex_map } else { Vec::new() };
    let new = |&vertex: &u32| if repair { map.get(vertex as usize).copied().flatten() } else { Some(vertex) };
    let vertex: Vec<Option<u32>> = copies.iter().map(new).collect();
    let dropped = copies.iter().zip(&vertex).filter(|(_, new)| new.is_none());
    let dropped = dropped.map(|(&old, _)| at_rest(mesh.positions[old as usize])).collect();
    Ok(FileVertices { vertex, dropped })
}

/// Where a vertex of a body's file is before the first step; 0 for what is not finite.
fn at_rest(spec: &SceneSpec, body: usize, x: [f32; 3]) -> [f32; 3] {
    let x = MeshPlacement::of(spec, body).map_or(x, |placed| placed.point(x));
    x.map(|c| if c.is_finite() { c } else { 0.0 })
}
