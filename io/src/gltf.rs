//! Meshes from glTF 2.0: `.gltf` (JSON, with buffers inside or in files beside it) and `.glb`.
//!
//! All triangles of the default scene (or the first) become one mesh, in metres, each node's transform applied; lines,
//! points, skins, morph targets and animations are passed over, so a character stands as it was modelled. Strips and
//! fans become triangles, without those of a strip that name a vertex twice, which only lead from one piece to the
//! next. Under a node that mirrors, triangles are turned over, so that they look outwards still.
//!
//! **Vertices.** glTF stores a vertex several times where texture coordinates or normals meet, and physics needs it
//! once. Within one node, in whatever primitives, vertices whose coordinates in the file have equal bits (or are zeros
//! of either sign) become one; nothing is joined by a tolerance, and nothing between two nodes. Vertices that no
//! triangle uses are left out. Numbers follow the first of each in the order of nodes, accessors of positions (by the
//! first primitive that has them) and elements: a file of several materials, each a primitive that uses a part of one
//! accessor, keeps the accessor's order. [`Drawn`] keeps all vertices, primitive after primitive, as Blender's import
//! does.
//!
//! **Names.** Each triangle has the name of its node (or of the mesh, if the node has none), of the mesh if that is
//! another one, and of the material.
//!
//! Numbers of 8 and 16 bits (`KHR_mesh_quantization`) and sparse accessors are read; compressed meshes (Draco, meshopt)
//! are refused by name.

mod accessor;
mod buffers;
mod index;
mod maps;
mod node;
mod primitive;

use crate::source::has_extension;
use crate::{Drawn, Error};
use ::gltf::json::Root;
use buffers::Buffers;
use primitive::Reader;
use seidel::mesh::{Mesh, VertexMaps};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Extensions without which a mesh can be read, by the start of their names.
const HARMLESS: [&str; 6] =
    ["KHR_mesh_quantization", "KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "EXT_lights_"];

/// The endings of names that are read.
pub(crate) const ENDINGS: [&str; 2] = ["gltf", "glb"];

/// Whether the ending says so.
pub(crate) fn is_gltf(path: &Path) -> bool {
    ENDINGS.iter().any(|ending| has_extension(path, ending))
}

/// The files beside a `.gltf` file that it names; none if it cannot be read or names none.
pub(crate) fn beside(path: &Path) -> Vec<PathBuf> {
    buffers::read_file(path).map(|bytes| named(&bytes, path)).unwrap_or_default()
}

/// The files that the bytes of a `.gltf` file name, beside it.
pub(crate) fn named(bytes: &[u8], path: &Path) -> Vec<PathBuf> {
    let root = Root::from_slice(bytes).ok();
    let uris = root.iter().flat_map(|root| &root.buffers).filter_map(|buffer| buffer.uri.as_deref());
    uris.filter(|uri| !uri.starts_with("data:"))
        .filter_map(|uri| buffers::neighbour_path(uri, path.parent()).ok())
        .collect()
}

/// Reads a mesh from a `.gltf` or `.glb` file, and what is drawn of it.
///
/// # Errors
/// [`Error::Read`] if the file cannot be read; [`Error::Format`] if it is another format, has no triangles, needs an
/// extension that is not known, has nodes in a circle, an index, accessor or buffer beyond its end, more than 2^25
/// vertices or corners, or buffers of more than 1 GiB together; or names a file that is not in its own folder or below.
pub fn read(path: impl AsRef<Path>) -> Result<(Mesh, Drawn), Error> {
    all(path.as_ref(), false).map(|(mesh, drawn, _)| (mesh, drawn))
}

/// Reads a mesh, and groups and painted numbers of its vertices, from a `.gltf` or `.glb` file.
pub(crate) fn read_mapped(path: &Path) -> Result<(Mesh, VertexMaps), Error> {
    all(path, true).map(|(mesh, _, maps)| (mesh, maps))
}

fn all(path: &Path, painted: bool) -> Result<All, Error> {
    let bytes = buffers::read_file(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    parse_beside(path, &bytes, painted)
}

/// The same from bytes of a file; what it names is beside it.
pub(crate) fn parse_beside(path: &Path, bytes: &[u8], painted: bool) -> Result<All, Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    mesh(bytes, Some(folder), painted).map_err(|what| Error::Format { path: path.to_owned(), what })
}

/// Reads the bytes of a `.gltf` or `.glb` file, which names no other files; `name` stands in errors only.
///
/// # Errors
/// As [`read`]. Any bytes are allowed; it does not panic.
pub fn parse(name: &Path, bytes: &[u8]) -> Result<(Mesh, Drawn), Error> {
    let all = mesh(bytes, None, false).map_err(|what| Error::Format { path: name.to_owned(), what });
    all.map(|(mesh, drawn, _)| (mesh, drawn))
}

/// Reads the groups and painted numbers from the bytes of a `.gltf` or `.glb` file; `name` stands in errors only.
///
/// # Errors
/// As [`crate::mesh::read_maps`]. Any bytes are allowed; it does not panic.
pub fn parse_maps(name: &Path, bytes: &[u8]) -> Result<VertexMaps, Error> {
    parse_mapped(name, bytes).map(|(_, maps)| maps)
}

/// [`parse`] and [`parse_maps`] of bytes that are read once.
pub(crate) fn parse_mapped(name: &Path, bytes: &[u8]) -> Result<(Mesh, VertexMaps), Error> {
    let all = mesh(bytes, None, true).map_err(|what| Error::Format { path: name.to_owned(), what });
    all.map(|(mesh, _, maps)| (mesh, maps))
}

/// What is simulated, what is drawn, and groups and numbers of vertices.
pub(crate) type All = (Mesh, Drawn, VertexMaps);

fn mesh(bytes: &[u8], folder: Option<&Path>, painted: bool) -> Result<All, String> {
    let (json, blob) = split(bytes)?;
    let root = Root::from_slice(&json).map_err(|e| format!("not glTF: {e}"))?;
    if !root.asset.version.starts_with("2.") {
        return Err(format!("glTF of version {:?}; version 2.0 is read", root.asset.version));
    }
    if let Some(name) = root.extensions_required.iter().find(|name| !HARMLESS.iter().any(|h| name.starts_with(h))) {
        return Err(format!("needs the extension {name:?}, which is not supported; export without it"));
    }
    let buffers = Buffers::load(&root, blob.as_deref(), folder)?;
    let mut reader = Reader::new(&root, &buffers);
    if painted {
        reader = reader.painted();
    }
    for (node, transform) in node::walk(&root)? {
        reader.node(&root.nodes[node], &transform).map_err(|what| format!("node {node}: {what}"))?;
    }
    let all = reader.finish()?;
    if all.0.triangles.is_empty() {
        return Err("no triangles in its scene; export the mesh with its faces".to_owned());
    }
    Ok(all)
}

/// JSON and binary part.
type JsonAndBlob<'a> = (Cow<'a, [u8]>, Option<Cow<'a, [u8]>>);

fn split(bytes: &[u8]) -> Result<JsonAndBlob<'_>, String> {
    if !bytes.starts_with(b"glTF") {
        return Ok((Cow::Borrowed(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)), None));
    }
    // The crate subtracts the header's 12 bytes from the length that the file claims.
    let length = bytes.get(8..12).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
    if length < 20 || length as usize > bytes.len() {
        return Err(format!("a GLB file that says it has {length} bytes; there are {}", bytes.len()));
    }
    let glb = ::gltf::Glb::from_slice(&bytes[..length as usize]).map_err(|e| format!("not a GLB file: {e}"))?;
    Ok((glb.json, glb.bin))
}
