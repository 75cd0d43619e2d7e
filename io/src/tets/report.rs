//! A file of tetrahedra examined before anything is planned with it.

use crate::figures::{Short, bounds};
use seidel::TetMesh;
use seidel::tets::{Defect, Place};
use serde::Serialize;
use std::fmt;

/// What `seidel check` says about a mesh of tetrahedra. `Display` is a block for a terminal, serde gives the same as
/// JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TetReport {
    /// The file, as it was named.
    pub file: String,
    /// Whether a body can be made of it: no defect is fatal.
    pub clean: bool,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of tetrahedra.
    pub tets: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of triangles that bound it.
    pub surface: usize,
    /// Least and greatest coordinates of the finite vertices, metres.
    pub bounds: Option<[[f32; 3]; 2]>,
    /// All volumes together, inverted ones less, m^3.
    pub volume: f64,
    /// Smallest volume, m^3: negative where something is inverted.
    pub smallest_volume: Option<f64>,
    /// Largest volume, m^3.
    pub largest_volume: Option<f64>,
    /// Least quality: 1 of a regular tetrahedron, 0 of a flat one.
    pub worst_quality: Option<f64>,
    /// The tetrahedron that has it.
    pub worst: Option<u32>,
    /// Mean quality.
    pub mean_quality: Option<f64>,
    /// What was found, errors first.
    pub defects: Vec<DefectReport>,
}

/// All defects of one kind, as [`TetReport`] tells them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DefectReport {
    /// The kind, by name.
    pub name: Defect,
    /// How many.
    pub count: usize,
    /// The first; indices count from 0, as everywhere in the engine.
    pub first: Place,
    /// Its vertices, counted from 0.
    pub v: Vec<u32>,
    /// Whether it forbids making a body.
    pub fatal: bool,
    /// What to do.
    pub remedy: &'static str,
}

/// Reports on a mesh; `file` names it.
#[must_use]
pub fn report(file: String, mesh: &TetMesh) -> TetReport {
    let defects = mesh.defects();
    let volumes: Vec<f64> = mesh.volumes().into_iter().filter(|v| v.is_finite()).collect();
    let (smallest_volume, largest_volume) =
        volumes.iter().map(|&v| (v, v)).reduce(|(lo, hi), (v, _)| (lo.min(v), hi.max(v))).unzip();
    let qualities: Vec<(u32, f64)> = (0..).zip(mesh.qualities()).filter(|(_, q)| q.is_finite()).collect();
    let worst = qualities.iter().copied().reduce(|least, q| if q.1 < least.1 { q } else { least });
    let sum = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |sum, value| sum + value);
    TetReport {
        file,
        clean: defects.is_clean(),
        vertices: mesh.positions.len(),
        tets: mesh.tets.len(),
        edges: mesh.edges().len(),
        surface: defects.surface,
        bounds: bounds(&mesh.positions),
        volume: sum(&mut volumes.iter().copied()),
        smallest_volume,
        largest_volume,
        worst_quality: worst.map(|(_, quality)| quality),
        worst: worst.map(|(t, _)| t),
        mean_quality: worst.map(|_| sum(&mut qualities.iter().map(|q| q.1)) / qualities.len() as f64),
        defects: (defects.found.iter())
            .map(|found| DefectReport {
                name: found.defect,
                count: found.count,
                first: found.first,
                v: vertices(mesh, found.first),
                fatal: found.defect.is_fatal(),
                remedy: found.defect.remedy(),
            })
            .collect(),
    }
}

impl TetReport {
    /// Whether something forbids a body that [`TetMesh::repaired`] would mend.
    #[must_use]
    pub fn is_repairable(&self) -> bool {
        let fatal = || self.defects.iter().filter(|d| d.fatal).map(|d| d.name);
        fatal().any(|d| d != Defect::TooFar) && fatal().all(|d| d != Defect::TooLarge)
    }
}

/// The vertices of a place; of two tetrahedra that are the same, those of the first.
fn vertices(mesh: &TetMesh, place: Place) -> Vec<u32> {
    match place {
        Place::Vertex(v) => vec![v],
        Place::Face(corners) => corners.to_vec(),
        Place::Tet(t) | Place::Tets([t, _]) => mesh.tets[t as usize].to_vec(),
        _ => Vec::new(),
    }
}

impl fmt::Display for TetReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.file, if self.clean { "good for a body" } else { "no body as it is" })?;
        let Self { vertices, edges, tets, surface, .. } = self;
        write!(f, "  counts  {vertices} vertices, {edges} edges, {tets} tetrahedra, {surface} triangles of surface")?;
        if let Some([lo, hi]) = self.bounds {
            write!(f, "\n  box     {lo:?} to {hi:?} m")?;
        }
        write!(f, "\n  size    volume {:.6} m^3", Short(self.volume))?;
        if let (Some(smallest), Some(largest)) = (self.smallest_volume, self.largest_volume) {
            write!(f, ", tetrahedra {:.6} to {:.6} m^3", Short(smallest), Short(largest))?;
        }
        if let (Some(quality), Some(worst), Some(mean)) = (self.worst_quality, self.worst, self.mean_quality) {
            write!(f, "\n  quality {:.3} or more, mean {:.3} (1 is regular), least: ", Short(quality), Short(mean))?;
            write!(f, "tetrahedron {worst}")?;
        }
        for defect in &self.defects {
            write!(f, "\n  {defect}")?;
        }
        if self.is_repairable() {
            write!(f, "\n  repair  seidel check {} --repair OUT.node", self.file)?;
        }
        Ok(())
    }
}

impl fmt::Display for DefectReport {
    /// One line: weight, kind, count, first offender, its vertices, remedy.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = if self.fatal { "error" } else { "note " };
        write!(f, "{weight}   {}: {}, first: {}", self.name, self.count, self.first)?;
        if matches!(self.first, Place::Tet(_) | Place::Tets(_)) {
            write!(f, " (vertices {})", self.v.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))?;
        }
        write!(f, "; {}", self.remedy)
    }
}
