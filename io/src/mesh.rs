//! Meshes from files, by the extension of their name: OBJ, PLY and STL; and to OBJ and PLY.
//!
//! Polygons become fans about their first corner, which is right for convex ones. All objects and groups together are
//! one mesh. Of PLY and STL see there what is read. NaN and infinite coordinates are read as they are, where a format has them:
//! [`Mesh::defects`] names them.
//!
//! # OBJ
//! The faces come by tobj, the vertices in the file's own order. For tobj numbers vertices anew, by first use and object by object, and forgets those that no face uses. But pins name
//! vertices by their number, and a check must see the unused ones. So `v` lines are read here, and tobj gets a copy of
//! the file in which the coordinates of a vertex spell its number: its positions then say which vertex each one was.
//! Only `v` and `f` lines are in that copy. For tobj (4.0) would make triangles of an `l` line with three points, panic
//! in debug builds at some `vt` indices, and refuse a whole file for one comment that is not UTF-8.
//!
//! A `v` line's weight or color is ignored, and so are lines without a meaning here. [`read_drawn`] reads `vt` and `vn`, and the names in
//! `o`, `g`, `usemtl` and `mtllib` lines. A backslash continues lines of numbers, not names.
//!
//! # STL
//! STL knows no vertices: corners at exactly one place become one vertex, numbered by its first use.

mod corners;
mod maps;
mod obj;
mod ply;
mod stl;
mod write;

pub use write::{write, write_drawn};

use crate::drawn::Drawn;
use crate::error::Error;
use crate::gltf;
use crate::source::{has_extension, limited, read_bytes};
use obj::Scan;
use seidel::mesh::{Mesh, VertexMaps};
use std::path::Path;

type Parse = fn(&Path, &[u8]) -> Result<Mesh, Error>;

/// What is read, by its extension.
const FORMATS: [(&str, Parse); 3] = [("obj", parse_obj), ("ply", parse_ply), ("stl", parse_stl)];

/// The endings of names that are read here, beside those of glTF.
#[cfg(test)]
pub(crate) const ENDINGS: [&str; FORMATS.len()] = [FORMATS[0].0, FORMATS[1].0, FORMATS[2].0];

/// Reads a mesh from a `.obj`, `.ply` or `.stl` file, or from a `.gltf` or `.glb` file as [`gltf`] says.
///
/// # Errors
/// [`Error::Read`] if the file is missing, is a directory or cannot be read; [`Error::Format`] if it is another format or
/// larger than 1 GiB, has no vertices or no faces, or at the first line that is not understood.
pub fn read(path: impl AsRef<Path>) -> Result<Mesh, Error> {
    let path = path.as_ref();
    if gltf::is_gltf(path) {
        return gltf::read(path).map(|(mesh, _)| mesh);
    }
    let (parse, bytes) = open(path)?;
    parse(path, &bytes)
}

/// The bytes of a file of a known format, and what reads them.
fn open(path: &Path) -> Result<(Parse, Vec<u8>), Error> {
    let hint = format!("name a {} file in it", known());
    let bytes = read_bytes(path, &hint).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    // After reading: of a file that is missing as well as oddly named, the first is the news.
    format(path).map(|parse| (parse, bytes))
}

/// What reads a file of this name.
fn format(path: &Path) -> Result<Parse, Error> {
    match FORMATS.iter().find(|(extension, _)| has_extension(path, extension)) {
        Some((_, parse)) => Ok(*parse),
        None => Err(Error::Format {
            path: path.to_owned(),
            what: format!(
                "not a {} file of triangles, nor a .node, .ele or .msh file of tetrahedra; convert the mesh to one of them",
                known()
            ),
        }),
    }
}

/// The extensions that are read, in words.
fn known() -> String {
    let read = FORMATS.map(|(extension, _)| format!(".{extension}"));
    format!("{}, .gltf or .glb", read.join(", "))
}

/// Reads a mesh from the bytes of a file whose format the ending of `name` says. What a glTF file names must be inside of it.
///
/// # Errors
/// As [`read`]. Any bytes are allowed; it does not panic.
pub fn parse(name: &Path, bytes: &[u8]) -> Result<Mesh, Error> {
    if gltf::is_gltf(name) {
        return gltf::parse(name, bytes).map(|(mesh, _)| mesh);
    }
    format(name)?(name, bytes)
}

/// Reads a mesh from the bytes of an OBJ file; `name` stands in errors only.
///
/// # Errors
/// As [`read`]. Any bytes are allowed; it does not panic.
///
/// # Example
/// ```
/// let quad = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 5 5\nf 4 1 2 3\n";
/// let mesh = seidel_io::mesh::parse_obj("quad.obj".as_ref(), quad)?;
/// assert_eq!(mesh.positions.len(), 5);
/// assert_eq!(mesh.triangles, [[3, 0, 1], [3, 1, 2]]);
/// # Ok::<(), seidel_io::Error>(())
/// ```
pub fn parse_obj(name: &Path, bytes: &[u8]) -> Result<Mesh, Error> {
    let mesh = Scan::new(bytes).and_then(|scan| Ok(Mesh { triangles: scan.triangles()?, positions: scan.positions }));
    mesh.map_err(|what| Error::Format { path: name.to_owned(), what })
}

/// Reads a mesh from the bytes of a PLY file, text or binary; `name` stands in errors only.
///
/// # Errors
/// As [`read`]. Any bytes are allowed; it does not panic.
pub fn parse_ply(name: &Path, bytes: &[u8]) -> Result<Mesh, Error> {
    let mesh = limited(bytes).and_then(ply::parse).map(|(mesh, _)| mesh);
    mesh.map_err(|what| Error::Format { path: name.to_owned(), what })
}

/// Reads a mesh and what is drawn of it from the bytes of a PLY file; `name` stands in errors only.
///
/// # Errors
/// As [`parse_ply`].
pub fn parse_ply_drawn(name: &Path, bytes: &[u8]) -> Result<(Mesh, Drawn), Error> {
    let both = limited(bytes).and_then(ply::parse).map(|(mesh, painted)| {
        let drawn = painted.drawn(&mesh);
        (mesh, drawn)
    });
    both.map_err(|what| Error::Format { path: name.to_owned(), what })
}

/// Reads a mesh from the bytes of an STL file, text or binary; `name` stands in errors only.
///
/// # Errors
/// As [`read`], and in a text for a coordinate that is not finite. Any bytes are allowed; it does not panic.
pub fn parse_stl(name: &Path, bytes: &[u8]) -> Result<Mesh, Error> {
    limited(bytes).and_then(stl::parse).map_err(|what| Error::Format { path: name.to_owned(), what })
}

/// Reads a mesh and what is drawn of it: texture coordinates, normals, and the names of groups and materials; a mesh of an STL file is
/// drawn as it is simulated.
///
/// # Errors
/// As [`read`]; for an OBJ file also a `vt` or `vn` line that is not understood, and a corner that names none.
pub fn read_drawn(path: impl AsRef<Path>) -> Result<(Mesh, Drawn), Error> {
    let path = path.as_ref();
    if gltf::is_gltf(path) {
        return gltf::read(path);
    }
    let (parse, bytes) = open(path)?;
    match () {
        () if has_extension(path, "obj") => parse_obj_drawn(path, &bytes),
        () if has_extension(path, "ply") => parse_ply_drawn(path, &bytes),
        () => parse(path, &bytes).map(|mesh| {
            let drawn = Drawn::plain(&mesh);
            (mesh, drawn)
        }),
    }
}

/// Reads the named groups and the painted numbers of a mesh's vertices; vertices have the numbers that [`read`] gives them.
///
/// - OBJ: each name of a `g`, `o` or `usemtl` line is a group of the vertices of the faces under it.
/// - PLY: each number of a vertex is an attribute, but for x, y, z, nx, ny, nz and texture coordinates; red, green, blue and alpha of type
///   uchar as 0 to 1.
/// - glTF: names of nodes, meshes and materials are groups. Attributes are those of one number whose name begins with `_`, the channels
///   of `COLOR_0` as `color_r`, `color_g`, `color_b`, `color_a`, and the weights of a skin's joints under the names of their nodes. Of
///   vertices at one place that became one, the first has the number; a vertex without one has 0.
/// - STL has neither.
///
/// # Errors
/// As [`read`]; also for a line with more than 64 names of groups, and for glTF with more than 2^26 numbers of attributes.
pub fn read_maps(path: &Path) -> Result<VertexMaps, Error> {
    read_mapped(path).map(|(_, maps)| maps)
}

/// [`read`] and [`read_maps`] of a file that is read once.
///
/// # Errors
/// As there.
pub fn read_mapped(path: &Path) -> Result<(Mesh, VertexMaps), Error> {
    if gltf::is_gltf(path) {
        return gltf::read_mapped(path);
    }
    let (_, bytes) = open(path)?;
    mapped(path, &bytes)
}

/// [`parse`] and [`parse_maps`], which takes glTF, too, of bytes that are read once.
///
/// # Errors
/// As there.
pub fn parse_mapped(name: &Path, bytes: &[u8]) -> Result<(Mesh, VertexMaps), Error> {
    if gltf::is_gltf(name) {
        return gltf::parse_mapped(name, bytes);
    }
    mapped(name, bytes)
}

/// A mesh and its maps, of any format but glTF.
fn mapped(name: &Path, bytes: &[u8]) -> Result<(Mesh, VertexMaps), Error> {
    let of = |what| Error::Format { path: name.to_owned(), what };
    match () {
        () if has_extension(name, "ply") => {
            let (mesh, painted) = limited(bytes).and_then(ply::parse).map_err(of)?;
            Ok((mesh, painted.maps()))
        }
        () if has_extension(name, "stl") => Ok((parse_stl(name, bytes)?, VertexMaps::default())),
        () => {
            let mesh = parse_obj(name, bytes)?;
            let maps = maps::of_obj(&mesh, bytes).map_err(of)?;
            Ok((mesh, maps))
        }
    }
}

/// Reads the groups and painted numbers from the bytes of a file whose format the ending of `name` says, but for glTF
/// ([`gltf::parse_maps`]).
///
/// # Errors
/// As [`read_maps`]. Any bytes are allowed; it does not panic.
pub fn parse_maps(name: &Path, bytes: &[u8]) -> Result<VertexMaps, Error> {
    mapped(name, bytes).map(|(_, maps)| maps)
}

/// Reads a mesh and what is drawn of it from the bytes of an OBJ file; `name` stands in errors only.
///
/// # Errors
/// As [`read_drawn`].
///
/// # Example
/// ```
/// let quad = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/4 3/3 4/1\n";
/// let (mesh, drawn) = seidel_io::mesh::parse_obj_drawn("quad.obj".as_ref(), quad)?;
/// assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
/// assert_eq!(drawn.triangles, [[0, 1, 2], [4, 2, 3]]);
/// assert_eq!(drawn.vertex, [0, 1, 2, 3, 0]);
/// # Ok::<(), seidel_io::Error>(())
/// ```
pub fn parse_obj_drawn(name: &Path, bytes: &[u8]) -> Result<(Mesh, Drawn), Error> {
    let mesh = parse_obj(name, bytes)?;
    let drawn = corners::drawn(&mesh, bytes).map_err(|what| Error::Format { path: name.to_owned(), what })?;
    Ok((mesh, drawn))
}
