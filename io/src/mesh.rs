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
mod ply;
mod stl;
mod write;

pub use write::{write, write_drawn};

use crate::drawn::Drawn;
use crate::error::Error;
use crate::gltf;
use crate::source::{Excerpt, has_extension, join, limited, read_bytes};
use seidel::mesh::{Mesh, VertexMaps};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// Lines of an OBJ file that a backslash at their end continues.
const CONTINUED: [&[u8]; 4] = [b"v", b"vt", b"vn", b"f"];

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
    if gltf::is_gltf(path) {
        return gltf::read_maps(path);
    }
    let (_, bytes) = open(path)?;
    parse_maps(path, &bytes)
}

/// [`read`] and [`read_maps`] of a file that is read once (a glTF file twice).
///
/// # Errors
/// As there.
pub fn read_mapped(path: &Path) -> Result<(Mesh, VertexMaps), Error> {
    if gltf::is_gltf(path) {
        return Ok((read(path)?, gltf::read_maps(path)?));
    }
    let (parse, bytes) = open(path)?;
    let mesh = parse(path, &bytes)?;
    let maps = match has_extension(path, "obj") {
        true => maps::of_obj(&mesh, &bytes).map_err(|what| Error::Format { path: path.to_owned(), what })?,
        false => parse_maps(path, &bytes)?,
    };
    Ok((mesh, maps))
}

/// Reads the groups and painted numbers from the bytes of a file whose format the ending of `name` says, but for glTF
/// ([`gltf::parse_maps`]).
///
/// # Errors
/// As [`read_maps`]. Any bytes are allowed; it does not panic.
pub fn parse_maps(name: &Path, bytes: &[u8]) -> Result<VertexMaps, Error> {
    let of = |what| Error::Format { path: name.to_owned(), what };
    match () {
        () if has_extension(name, "ply") => {
            limited(bytes).and_then(ply::parse).map(|(_, painted)| painted.maps()).map_err(of)
        }
        () if has_extension(name, "stl") => parse_stl(name, bytes).map(|_| VertexMaps::default()),
        () => maps::of_obj(&parse_obj(name, bytes)?, bytes).map_err(of),
    }
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

/// A polygon as triangles about its first corner.
fn fan(corners: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    corners.windows(2).skip(1).map(|side| [corners[0], side[0], side[1]])
}

/// The `v` lines as read here, and the copy of the file that tobj reads.
struct Scan {
    positions: Vec<[f32; 3]>,
    /// Line for line as the file, so that tobj's place in it is a line number; `v` lines spell their number, `f` lines
    /// are as they were, others are empty.
    numbered: String,
}

impl Scan {
    fn new(bytes: &[u8]) -> Result<Self, String> {
        let bytes = limited(bytes)?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut scan = Self { positions: Vec::new(), numbered: String::new() };
        let mut faces = 0usize;
        let mut lines = bytes.split(|&b| b == b'\n');
        let mut number = 0;
        while let Some(line) = lines.next() {
            number += 1;
            let keyword = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
            let mut continued = 0;
            let line = match keyword {
                Some(keyword) if CONTINUED.contains(&keyword) => join(line, &mut lines, &mut continued),
                _ => Cow::Borrowed(line),
            };
            if let Some(b"v" | b"f") = keyword {
                let text = std::str::from_utf8(&line)
                    .map_err(|_| format!("line {number}: not UTF-8 text; export the mesh again"))?;
                let text = text.split('#').next().unwrap_or_default().trim();
                if keyword == Some(b"v") {
                    scan.vertex(text)
                } else {
                    faces += 1;
                    scan.face(text)
                }
                .map_err(|what| format!("line {number}: {what} in `{}`", Excerpt(text)))?;
            }
            number += continued;
            scan.numbered.extend(std::iter::repeat_n('\n', 1 + continued));
        }
        match (scan.positions.len(), faces) {
            (0, _) => Err("no `v` line; it is empty, or not an OBJ file".to_owned()),
            (vertices, 0) => Err(format!("{vertices} vertices, but no `f` line; export the mesh with its faces")),
            _ => Ok(scan),
        }
    }

    fn vertex(&mut self, text: &str) -> Result<(), String> {
        let mut words = text.split_whitespace().skip(1);
        let mut position = [0.0; 3];
        for (axis, x) in ["x", "y", "z"].into_iter().zip(&mut position) {
            let word = words.next().ok_or_else(|| format!("no {axis} coordinate"))?;
            *x = word.parse().map_err(|_| format!("{axis} is not a number such as -1.5e-3"))?;
        }
        // Two halves: an f32 holds 24 bits of a number.
        let number = self.positions.len();
        let _ = write!(self.numbered, "v {} {} 0", number >> 16, number & 0xffff);
        self.positions.push(position);
        Ok(())
    }

    fn face(&mut self, text: &str) -> Result<(), String> {
        // tobj would make a triangle without area of it.
        if text.split_whitespace().count() < 4 {
            return Err("fewer than three corners (a line or a point is `l` or `p`)".to_owned());
        }
        self.numbered.push_str(text);
        Ok(())
    }

    /// The faces as triangles between the file's vertices.
    fn triangles(&self) -> Result<Vec<[u32; 3]>, String> {
        let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
        let mut rest = self.numbered.as_bytes();
        let (models, _) = tobj::load_obj_buf(&mut rest, &options, |_| Ok(Default::default())).map_err(|error| {
            let read = &self.numbered[..self.numbered.len() - rest.len()];
            self.explain(error, read)
        })?;
        let mut triangles = Vec::new();
        for mesh in models.into_iter().map(|model| model.mesh) {
            let number = |k: u32| {
                let at = &mesh.positions[3 * k as usize..];
                (at[0] as u32) << 16 | at[1] as u32
            };
            triangles.extend(mesh.indices.chunks_exact(3).map(|corners| [0, 1, 2].map(|k| number(corners[k]))));
        }
        Ok(triangles)
    }

    /// Puts the line to an error of tobj, which stopped after `read`.
    fn explain(&self, error: tobj::LoadError, read: &str) -> String {
        if error == tobj::LoadError::FaceVertexOutOfBounds {
            return self.out_of_range().unwrap_or_else(|| error.to_string());
        }
        let line = read.lines().count();
        let text = Excerpt(read.lines().next_back().unwrap_or_default());
        format!("line {line}: {error} in `{text}`; a corner is an index such as 3, 3/1, 3//2, 3/1/2 or -1")
    }

    /// The first corner that names no vertex; tobj sees it at the end of the file, and does not say where it stood.
    fn out_of_range(&self) -> Option<String> {
        let count = self.positions.len() as i64;
        let mut so_far = 0;
        for (line, text) in (1..).zip(self.numbered.lines()) {
            if text.starts_with('v') {
                so_far += 1;
                continue;
            }
            for corner in text.split_whitespace().skip(1) {
                let index = corner.split('/').next().and_then(|index| index.parse::<i64>().ok());
                let found = index.is_some_and(|i| (1..=count).contains(&i) || (-so_far..0).contains(&i));
                if !found {
                    return Some(format!(
                        "line {line}: corner `{}` names no vertex: there are {count}, {so_far} of them above the line, and the first is 1",
                        Excerpt(corner)
                    ));
                }
            }
        }
        None
    }
}

/// The first line of another crate's error, which may have a file's content in it.
fn brief(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().chars().filter(|c| !c.is_control()).take(100).collect()
}
