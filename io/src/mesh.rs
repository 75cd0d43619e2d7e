//! Meshes from files, by the extension of their name: OBJ, PLY and STL; and to OBJ and PLY.
//!
//! Polygons become fans about their first corner, which is right for convex ones. All objects and groups together are
//! one mesh. Of PLY and STL see there what is read. NaN and infinite coordinates are read as they are, where a format
//! has them: [`Mesh::defects`] names them.
//!
//! # OBJ
//! The faces come by tobj, the vertices in the file's own order. For tobj numbers vertices anew, by first use and
//! object by object, and forgets those that no face uses. But pins name vertices by their number, and a check must see
//! the unused ones. So `v` lines are read here, and tobj gets a copy of the file in which the coordinates of a vertex
//! spell its number: its positions then say which vertex each one was. Only `v` and `f` lines are in that copy. For
//! tobj (4.0) would make triangles of an `l` line with three points, panic in debug builds at some `vt` indices, and
//! refuse a whole file for one comment that is not UTF-8.
//!
//! A `v` line's weight or color is ignored, and so are lines without a meaning here. [`read_drawn`] reads `vt` and
//! `vn`, and the names in `o`, `g`, `usemtl` and `mtllib` lines. A backslash continues lines of numbers, not names.
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

/// A function that reads a mesh from the name and the bytes of a file.
type Parse<T> = fn(&Path, &[u8]) -> Result<T, Error>;

/// A format that is read here.
struct MeshFormat {
    extension: &'static str,
    mesh: Parse<Mesh>,
    /// With what is drawn of it.
    drawn: Parse<(Mesh, Drawn)>,
    /// With its groups and painted numbers.
    mapped: Parse<(Mesh, VertexMaps)>,
    /// The number that its files give their first vertex; None if they number none.
    first_number: Option<u64>,
}

/// The formats that are read, beside glTF.
static FORMATS: [MeshFormat; 3] = [
    MeshFormat {
        extension: "obj",
        mesh: parse_obj,
        drawn: parse_obj_drawn,
        mapped: parse_obj_mapped,
        first_number: Some(1),
    },
    MeshFormat {
        extension: "ply",
        mesh: parse_ply,
        drawn: parse_ply_drawn,
        mapped: parse_ply_mapped,
        first_number: Some(0),
    },
    MeshFormat {
        extension: "stl",
        mesh: parse_stl,
        drawn: parse_stl_drawn,
        mapped: parse_stl_mapped,
        first_number: None,
    },
];

/// The endings of names that are read here, beside those of glTF.
#[cfg(test)]
pub(crate) const ENDINGS: [&str; FORMATS.len()] = [FORMATS[0].extension, FORMATS[1].extension, FORMATS[2].extension];

/// The number that a file of this name gives its first vertex; None if it numbers none.
pub(crate) fn first_number(path: &Path) -> Option<u64> {
    let format = FORMATS.iter().find(|format| has_extension(path, format.extension));
    format.map_or(Some(1), |format| format.first_number)
}

/// Reads a mesh from a `.obj`, `.ply` or `.stl` file, or from a `.gltf` or `.glb` file as [`gltf`] says.
///
/// # Errors
/// [`Error::Read`] if the file is missing, is a directory or cannot be read; [`Error::Format`] if it is another format
/// or larger than 1 GiB, has no vertices or no faces, or at the first line that is not understood.
pub fn read(path: impl AsRef<Path>) -> Result<Mesh, Error> {
    let path = path.as_ref();
    if gltf::is_gltf(path) {
        return gltf::read(path).map(|(mesh, _)| mesh);
    }
    let (format, bytes) = open(path)?;
    (format.mesh)(path, &bytes)
}

/// The bytes of a file of a known format, and the format.
fn open(path: &Path) -> Result<(&'static MeshFormat, Vec<u8>), Error> {
    let hint = format!("name a {} file in it", known());
    let bytes = read_bytes(path, &hint).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    // After reading: of a file that is missing as well as oddly named, the first is the news.
    format(path).map(|format| (format, bytes))
}

/// The format of a file of this name.
fn format(path: &Path) -> Result<&'static MeshFormat, Error> {
    match FORMATS.iter().find(|format| has_extension(path, format.extension)) {
        Some(format) => Ok(format),
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
    let read = FORMATS.each_ref().map(|format| format!(".{}", format.extension));
    format!("{}, .gltf or .glb", read.join(", "))
}

/// Reads a mesh from the bytes of a file whose format the ending of `name` says. What a glTF file names must be inside
/// of it.
///
/// # Errors
/// As [`read`]. Any bytes are allowed; it does not panic.
pub fn parse(name: &Path, bytes: &[u8]) -> Result<Mesh, Error> {
    if gltf::is_gltf(name) {
        return gltf::parse(name, bytes).map(|(mesh, _)| mesh);
    }
    (format(name)?.mesh)(name, bytes)
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

/// Reads a mesh and what is drawn of it: texture coordinates, normals, and the names of groups and materials; a mesh of
/// an STL file is drawn as it is simulated.
///
/// # Errors
/// As [`read`]; for an OBJ file also a `vt` or `vn` line that is not understood, and a corner that names none.
pub fn read_drawn(path: impl AsRef<Path>) -> Result<(Mesh, Drawn), Error> {
    let path = path.as_ref();
    if gltf::is_gltf(path) {
        return gltf::read(path);
    }
    let (format, bytes) = open(path)?;
    (format.drawn)(path, &bytes)
}

/// Reads the named groups and the painted numbers of a mesh's vertices; vertices have the numbers that [`read`] gives
/// them.
///
/// - OBJ: each name of a `g`, `o` or `usemtl` line is a group of the vertices of the faces under it.
/// - PLY: each number of a vertex is an attribute, but for x, y, z, nx, ny, nz and texture coordinates; red, green,
///   blue and alpha of type uchar as 0 to 1.
/// - glTF: names of nodes, meshes and materials are groups. Attributes are those of one number whose name begins with
///   `_`, the channels of `COLOR_0` as `color_r`, `color_g`, `color_b`, `color_a`, and the weights of a skin's joints
///   under the names of their nodes. Of vertices at one place that became one, the first has the number; a vertex
///   without one has 0.
/// - STL has neither.
///
/// # Errors
/// As [`read`]; also for a line with more than 64 names of groups, and for glTF with more than 2^26 numbers of
/// attributes.
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
    let (format, bytes) = open(path)?;
    (format.mapped)(path, &bytes)
}

/// [`parse`] and [`parse_maps`], which takes glTF, too, of bytes that are read once.
///
/// # Errors
/// As there.
pub fn parse_mapped(name: &Path, bytes: &[u8]) -> Result<(Mesh, VertexMaps), Error> {
    if gltf::is_gltf(name) {
        return gltf::parse_mapped(name, bytes);
    }
    (format(name)?.mapped)(name, bytes)
}

fn parse_obj_mapped(name: &Path, bytes: &[u8]) -> Result<(Mesh, VertexMaps), Error> {
    let mesh = parse_obj(name, bytes)?;
    let maps = maps::of_obj(&mesh, bytes).map_err(|what| Error::Format { path: name.to_owned(), what })?;
    Ok((mesh, maps))
}

fn parse_ply_mapped(name: &Path, bytes: &[u8]) -> Result<(Mesh, VertexMaps), Error> {
    let (mesh, painted) =
        limited(bytes).and_then(ply::parse).map_err(|what| Error::Format { path: name.to_owned(), what })?;
    Ok((mesh, painted.maps()))
}

fn parse_stl_mapped(name: &Path, bytes: &[u8]) -> Result<(Mesh, VertexMaps), Error> {
    Ok((parse_stl(name, bytes)?, VertexMaps::default()))
}

/// It is drawn as it is simulated.
fn parse_stl_drawn(name: &Path, bytes: &[u8]) -> Result<(Mesh, Drawn), Error> {
    let mesh = parse_stl(name, bytes)?;
    let drawn = Drawn::plain(&mesh);
    Ok((mesh, drawn))
}

/// Reads the groups and painted numbers from the bytes of a file whose format the ending of `name` says, but for glTF
/// ([`gltf::parse_maps`]).
///
/// # Errors
/// As [`read_maps`]. Any bytes are allowed; it does not panic.
pub fn parse_maps(name: &Path, bytes: &[u8]) -> Result<VertexMaps, Error> {
    (format(name)?.mapped)(name, bytes).map(|(_, maps)| maps)
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
