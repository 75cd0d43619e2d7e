//! Closed meshes: those that have an inside.

use super::{Mesh, edges};
use crate::describe::error::{Error, range};
use crate::tuning::MAX_COORDINATE;

/// Triangles by their corners, in f64; their surface has no border.
#[derive(Clone, Debug)]
pub(crate) struct Closed {
    pub(crate) triangles: Vec<[[f64; 3]; 3]>,
}

impl Mesh {
    /// The triangles, if they close: every edge is run through as often one way as the other. Vertices at the same
    /// place are one, as files split them where a texture has a seam; triangles without three corners are passed over.
    /// Several pieces are fine.
    pub(crate) fn closed(&self, of: &str) -> Result<Closed, Error> {
        let named = || of.to_owned();
        for (v, x) in self.positions.iter().enumerate() {
            for &c in x {
                let good = c.abs() <= MAX_COORDINATE;
                range(named, || format!("coordinate of vertex {v}"), f64::from(c), good, "within +-1e6 m")?;
            }
        }
        let count = self.positions.len();
        if let Some(&index) = self.triangles.as_flattened().iter().find(|&&v| v as usize >= count) {
            return Err(Error::Missing { of: named(), what: "vertex", index: index as usize, count });
        }
        let merged = self.merged();
        if merged.is_empty() {
            return Err(Error::NoTriangles { of: named() });
        }
        closes(of, &merged)?;
        let corner = |v: u32| self.positions[v as usize].map(f64::from);
        Ok(Closed { triangles: merged.into_iter().map(|t| t.map(corner)).collect() })
    }

    /// The triangles with vertices at the same place as one, without those that have no three corners then.
    pub(crate) fn merged(&self) -> Vec<[u32; 3]> {
        self.merged_corners().filter(|&[a, b, c]| a != b && b != c && c != a).collect()
    }

    /// All triangles with vertices at the same place as one.
    pub(crate) fn merged_corners(&self) -> impl Iterator<Item = [u32; 3]> {
        let first = self.first_at_place();
        self.triangles.iter().map(move |t| t.map(|v| first.get(v as usize).copied().unwrap_or(v)))
    }
}

/// Whether every edge of triangles is run through as often one way as the other; none has a corner twice.
pub(crate) fn closes(of: &str, triangles: &[[u32; 3]]) -> Result<(), Error> {
    let sides = edges::half_edges(triangles, |_| true);
    let mut open = edges::by_edge(&sides)
        .filter(|run| 2 * run.iter().filter(|side| side.ascends(triangles)).count() != run.len())
        .map(|run| run[0].vertices);
    match open.next() {
        Some(edge) => Err(Error::NotClosed { of: of.to_owned(), edge, count: 1 + open.count() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> Mesh {
        Mesh {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
        }
    }

    #[test]
    fn a_seam_is_closed_and_a_gap_is_named() {
        let mut mesh = tetrahedron();
        assert_eq!(mesh.closed("it").unwrap().triangles.len(), 4);
        mesh.positions.push([0.0, 0.0, 1.0]);
        mesh.triangles[3] = [0, 4, 2];
        assert_eq!(mesh.closed("it").unwrap().triangles.len(), 4, "a vertex that stands twice");
        mesh.triangles.pop();
        let error = mesh.closed("it").unwrap_err();
        assert_eq!(error, Error::NotClosed { of: "it".to_owned(), edge: [0, 2], count: 3 });
        mesh.triangles.push([0, 2, 3]);
        let error = mesh.closed("it").unwrap_err().to_string();
        assert!(error.starts_with("it: the mesh is not closed: edge 0-2"), "turned over: {error}");
    }

    #[test]
    fn what_is_no_mesh_is_refused() {
        let mut mesh = tetrahedron();
        mesh.positions[2][1] = f32::NAN;
        assert!(mesh.closed("it").unwrap_err().to_string().contains("vertex 2 is NaN"));
        let mut mesh = tetrahedron();
        mesh.triangles[0][0] = 9;
        assert!(mesh.closed("it").unwrap_err().to_string().contains("vertex 9 does not exist"));
        assert!(matches!(Mesh::default().closed("it"), Err(Error::NoTriangles { .. })));
    }
}
