//! Meshes of tetrahedra from files, by the extension of their name, and to files of TetGen.
//!
//! | extension | what |
//! |---|---|
//! | `.node`, `.ele` | TetGen: points and tetrahedra; either is named, both are read. Numbered from 0 or 1; 4 points a tetrahedron |
//! | `.msh` | Gmsh 2 and 4.1, text and binary. Of elements only tetrahedra are read; points, lines and faces are passed over |
//!
//! Of Gmsh's tetrahedra of higher order the four corners are read, and the points on their edges are vertices that none
//! uses. Vertices keep the file's order, and those that nothing uses stay: pins name vertices by number, and a check
//! must see them. What a file says about regions, borders and physical groups is not read. NaN and infinite coordinates
//! are read as they are: [`TetMesh::defects`] names them.

mod msh;
mod numbers;
mod report;
mod tetgen;

use crate::Error;
use crate::aside::{Target, persist_both};
use crate::source::{has_extension, limited, read_bytes};
pub use report::{DefectReport, TetReport, report};
use seidel::TetMesh;
use std::path::{Path, PathBuf};

/// The endings of names that are read.
pub(crate) const ENDINGS: [&str; 3] = ["node", "ele", "msh"];

/// Whether the name's extension is that of a mesh of tetrahedra: `.node`, `.ele` or `.msh`.
#[must_use]
pub fn is_tets(path: &Path) -> bool {
    ENDINGS.iter().any(|ending| has_extension(path, ending))
}

/// Reads a mesh from `.node` and `.ele` files, of which either is named, or from a `.msh` file.
///
/// # Errors
/// [`Error::Read`] if a file is missing, is a directory or cannot be read; [`Error::Format`] if it is another format or
/// larger than 1 GiB, has no vertices or no tetrahedra, or at the first row that is not understood.
pub fn read(path: impl AsRef<Path>) -> Result<TetMesh, Error> {
    let path = path.as_ref();
    let bytes = |path: &Path| {
        read_bytes(path, "name a .node, .ele or .msh file in it")
            .map_err(|source| Error::Read { path: path.to_owned(), source })
    };
    if let Some([node, ele]) = pair(path) {
        return parse_tetgen([&node, &ele], [&bytes(&node)?, &bytes(&ele)?]);
    }
    let read = bytes(path)?;
    if !has_extension(path, "msh") {
        let what = "not a .node, .ele or .msh file; convert the mesh to one of TetGen or Gmsh".to_owned();
        return Err(Error::Format { path: path.to_owned(), what });
    }
    parse_msh(path, &read)
}

/// Reads a mesh from the bytes of TetGen's files, points and tetrahedra; the names stand in errors only.
///
/// # Errors
/// As [`read`]. Any bytes are allowed; it does not panic.
///
/// # Example
/// ```
/// let node = b"# corners\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
/// let names = ["one.node".as_ref(), "one.ele".as_ref()];
/// let mesh = seidel_io::tets::parse_tetgen(names, [node, b"1 4 0\n1 1 2 3 4\n"])?;
/// assert_eq!(mesh.tets, [[0, 1, 2, 3]]);
/// # Ok::<(), seidel_io::Error>(())
/// ```
pub fn parse_tetgen(names: [&Path; 2], [node, ele]: [&[u8]; 2]) -> Result<TetMesh, Error> {
    let named = |file: usize| move |what: String| Error::Format { path: names[file].to_owned(), what };
    let points = limited(node).and_then(tetgen::points).map_err(named(0))?;
    let tets = limited(ele).and_then(|ele| tetgen::tets(ele, &points)).map_err(named(1))?;
    Ok(TetMesh { positions: points.positions, tets })
}

/// Reads a mesh from the bytes of a `.msh` file; `name` stands in errors only.
///
/// # Errors
/// As [`read`]. Any bytes are allowed; it does not panic.
pub fn parse_msh(name: &Path, bytes: &[u8]) -> Result<TetMesh, Error> {
    limited(bytes).and_then(msh::parse).map_err(|what| Error::Format { path: name.to_owned(), what })
}

/// Writes a mesh as TetGen's two files, numbered from 0; `path` names either. Coordinates keep every bit.
///
/// # Errors
/// [`Error::Write`] if one cannot be written: then neither is, and what was there before stays. [`Error::Format`] if
/// the name ends in neither `.node` nor `.ele`.
pub fn write(path: &Path, mesh: &TetMesh) -> Result<(), Error> {
    let [node, ele] = targets(path)?;
    persist_both([&node, &ele], |out| tetgen::write_points(out, mesh), |out| tetgen::write_tets(out, mesh))
}

/// Where [`write()`] puts both files; says at once that one cannot be made.
///
/// # Errors
/// As [`write()`].
pub fn targets(path: &Path) -> Result<[Target; 2], Error> {
    let Some([node, ele]) = pair(path) else {
        let what = "tetrahedra are written as .node and .ele; name one of the two".to_owned();
        return Err(Error::Format { path: path.to_owned(), what });
    };
    Ok([Target::new(&node)?, Target::new(&ele)?])
}

/// The names of both files, if this is one of them.
pub(crate) fn pair(path: &Path) -> Option<[PathBuf; 2]> {
    // On a disk that tells them apart, the other's name is written alike.
    let upper = path.extension()?.to_str()?.chars().all(|c| c.is_ascii_uppercase());
    let with = |extension: &str| {
        path.with_extension(if upper { extension.to_ascii_uppercase() } else { extension.to_owned() })
    };
    match () {
        () if has_extension(path, "node") => Some([path.to_owned(), with("ele")]),
        () if has_extension(path, "ele") => Some([with("node"), path.to_owned()]),
        () => None,
    }
}

/// Reads a file of tetrahedra and reports on it.
///
/// # Errors
/// As [`read`]. A mesh with defects is no error: they stand in the report.
pub fn check(path: impl AsRef<Path>) -> Result<TetReport, Error> {
    let path = path.as_ref();
    Ok(report(path.display().to_string(), &read(path)?))
}
