//! A mesh file examined before anything is planned with it.

use crate::error::Error;
use crate::figures::{Short, bounds, is_finite};
use crate::room::{self, Purpose};
use crate::tets::{self, TetReport};
use crate::{gltf, mesh};
use seidel::mesh::{Defect, Mesh, Place};
use serde::Serialize;
use std::fmt;
use std::path::Path;

/// What `seidel check` says about a mesh. `Display` is a block for a terminal, serde gives the same as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MeshReport {
    /// The file, as it was named.
    pub file: String,
    /// Whether a cloth can be planned from it: no defect is fatal.
    pub clean: bool,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles, after polygons were cut into fans.
    pub triangles: usize,
    /// Number of edges.
    pub edges: usize,
    /// Least and greatest coordinates of the finite vertices, metres.
    pub bounds: Option<[[f32; 3]; 2]>,
    /// Area of the triangles with finite vertices, m^2.
    pub area: f64,
    /// Shortest edge between finite vertices, metres.
    pub shortest_edge: Option<f64>,
    /// Longest edge between finite vertices, metres.
    pub longest_edge: Option<f64>,
    /// Whether each edge has exactly two triangles.
    pub closed: bool,
    /// Number of connected pieces.
    pub pieces: usize,
    /// Euler characteristic.
    pub euler: i64,
    /// What was found, errors first.
    pub defects: Vec<DefectReport>,
}

/// All defects of one kind, as [`MeshReport`] tells them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DefectReport {
    /// The kind, by name.
    pub name: Defect,
    /// How many.
    pub count: usize,
    /// The first; indices count from 0, as everywhere in the engine.
    pub first: Place,
    /// Its vertices as the file counts them: the first `v` line of an OBJ file is 1, the first vertex of a PLY file 0;
    /// none of an STL file, which does not count them.
    pub v: Vec<u64>,
    /// Whether it forbids planning a cloth.
    pub fatal: bool,
    /// What to do.
    pub remedy: &'static str,
}

/// Reads a mesh file and reports on it.
///
/// # Errors
/// As [`mesh::read`]. A mesh with defects is no error: they stand in the report.
pub fn check(path: impl AsRef<Path>) -> Result<MeshReport, Error> {
    let path = path.as_ref();
    Ok(report(path.display().to_string(), &mesh::read(path)?))
}

/// [`check`], if it takes no more than `memory` bytes.
///
/// # Errors
/// As there, or [`Error::Memory`].
pub fn check_within(path: impl AsRef<Path>, memory: u64) -> Result<MeshReport, Error> {
    let path = path.as_ref();
    if !room::is_piped(path) {
        room::fits(path, Purpose::Check, memory)?;
        return check(path);
    }
    let bytes = room::read_piped(path, Purpose::Check, memory)?;
    let mesh = match gltf::is_gltf(path) {
        true => gltf::parse_beside(path, &bytes, false)?.0,
        false => mesh::parse(path, &bytes)?,
    };
    Ok(report(path.display().to_string(), &mesh))
}

/// Reads a file of tetrahedra and reports on it, if that takes no more than `memory` bytes.
///
/// # Errors
/// As [`tets::check`], or [`Error::Memory`].
pub fn check_tets_within(path: impl AsRef<Path>, memory: u64) -> Result<TetReport, Error> {
    let path = path.as_ref();
    if !room::is_piped(path) {
        room::fits(path, Purpose::Check, memory)?;
        return tets::check(path);
    }
    let bytes = |path: &Path| room::read_piped(path, Purpose::Check, memory);
    let mesh = match tets::pair(path) {
        Some([node, ele]) => tets::parse_tetgen([&node, &ele], [&bytes(&node)?, &bytes(&ele)?])?,
        None => tets::parse_msh(path, &bytes(path)?)?,
    };
    Ok(tets::report(path.display().to_string(), &mesh))
}

/// Reports on a mesh; `file` names it.
#[must_use]
pub fn report(file: String, mesh: &Mesh) -> MeshReport {
    let defects = mesh.defects();
    let (shortest_edge, longest_edge) = edge_lengths(mesh).unzip();
    let first_number = mesh::first_number(Path::new(&file));
    MeshReport {
        file,
        clean: defects.is_clean(),
        vertices: mesh.positions.len(),
        triangles: mesh.triangles.len(),
        edges: defects.edges,
        bounds: bounds(&mesh.positions),
        area: area(mesh),
        shortest_edge,
        longest_edge,
        closed: defects.closed,
        pieces: defects.pieces,
        euler: defects.euler,
        defects: (defects.found.iter())
            .map(|found| DefectReport {
                name: found.defect,
                count: found.count,
                first: found.first,
                v: first_number.map_or(Vec::new(), |first| numbers(mesh, found.first, first)),
                fatal: found.defect.is_fatal(),
                remedy: found.defect.remedy(),
            })
            .collect(),
    }
}

impl MeshReport {
    /// Whether something forbids planning a cloth that [`Mesh::repaired`] would mend.
    #[must_use]
    pub fn is_repairable(&self) -> bool {
        let fatal = || self.defects.iter().filter(|d| d.fatal).map(|d| d.name);
        fatal().any(|d| d != Defect::TooFar) && fatal().all(|d| d != Defect::TooLarge)
    }
}

/// The vertices of a place, as a file counts them.
fn numbers(mesh: &Mesh, place: Place, first: u64) -> Vec<u64> {
    vertices(mesh, place).into_iter().map(|v| u64::from(v) + first).collect()
}

/// The vertices of a place; of two triangles that are the same, those of the first.
fn vertices(mesh: &Mesh, place: Place) -> Vec<u32> {
    match place {
        Place::Vertex(v) => vec![v],
        Place::Vertices(ends) | Place::Edge(ends) => ends.to_vec(),
        Place::Triangle(t) | Place::Triangles([t, _]) => mesh.triangles[t as usize].to_vec(),
        Place::Mesh => Vec::new(),
    }
}

/// The vector between two vertices, if both are there and finite.
fn between(mesh: &Mesh, a: u32, b: u32) -> Option<[f64; 3]> {
    let at = |v: u32| mesh.positions.get(v as usize).filter(|p| is_finite(p)).map(|p| p.map(f64::from));
    let (a, b) = (at(a)?, at(b)?);
    Some([b[0] - a[0], b[1] - a[1], b[2] - a[2]])
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

fn area(mesh: &Mesh) -> f64 {
    let twice = |&[a, b, c]: &[u32; 3]| {
        let (u, v) = (between(mesh, a, b)?, between(mesh, a, c)?);
        Some(length([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]))
    };
    0.5 * mesh.triangles.iter().filter_map(twice).sum::<f64>()
}

/// Shortest and longest.
fn edge_lengths(mesh: &Mesh) -> Option<(f64, f64)> {
    let edges = mesh.edges();
    let lengths = edges.iter().filter_map(|edge| between(mesh, edge.vertices[0], edge.vertices[1]).map(length));
    lengths.map(|l| (l, l)).reduce(|(lo, hi), (l, _)| (lo.min(l), hi.max(l)))
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.file, if self.clean { "good for a cloth" } else { "no cloth as it is" })?;
        writeln!(f, "  counts  {} vertices, {} edges, {} triangles", self.vertices, self.edges, self.triangles)?;
        if let Some([lo, hi]) = self.bounds {
            writeln!(f, "  box     {lo:?} to {hi:?} m")?;
        }
        write!(f, "  size    area {:.6} m^2", Short(self.area))?;
        if let (Some(shortest), Some(longest)) = (self.shortest_edge, self.longest_edge) {
            write!(f, ", edges {:.6} to {:.6} m", Short(shortest), Short(longest))?;
        }
        let closed = if self.closed { "closed" } else { "not closed" };
        let pieces = if self.pieces == 1 { "piece" } else { "pieces" };
        write!(f, "\n  shape   {closed}, {} {pieces}, Euler characteristic {}", self.pieces, self.euler)?;
        for defect in &self.defects {
            write!(f, "\n  {defect}")?;
        }
        if self.is_repairable() {
            write!(f, "\n  repair  seidel check {} --repair OUT.obj", self.file)?;
        }
        Ok(())
    }
}

impl fmt::Display for DefectReport {
    /// One line: weight, kind, count, first offender in both countings, remedy.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = if self.fatal { "error" } else { "note " };
        write!(f, "{weight}   {}: {}, first: {}", self.name, self.count, self.first)?;
        let mut separator = " (v ";
        for v in &self.v {
            write!(f, "{separator}{v}")?;
            separator = ", ";
        }
        let close = if self.v.is_empty() { "" } else { " in the file)" };
        write!(f, "{close}; {}", self.remedy)
    }
}
