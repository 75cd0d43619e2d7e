//! Defects of a tetrahedral mesh, and facts worth knowing: each kind is counted, and its first tetrahedron or vertex
//! named.

mod kinds;

pub use kinds::Defect;
use serde::Serialize;
use std::fmt;

/// Where a defect is. Indices count from 0, as in the mesh's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Place {
    /// The mesh as a whole.
    Mesh,
    /// A vertex.
    Vertex(u32),
    /// A face by its vertices, ascending.
    Face([u32; 3]),
    /// A tetrahedron.
    Tet(u32),
    /// Two tetrahedra, ascending.
    Tets([u32; 2]),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mesh => write!(f, "the mesh"),
            Self::Vertex(v) => write!(f, "vertex {v}"),
            Self::Face([a, b, c]) => write!(f, "face {a}-{b}-{c}"),
            Self::Tet(t) => write!(f, "tetrahedron {t}"),
            Self::Tets([a, b]) => write!(f, "tetrahedra {a} and {b}"),
        }
    }
}

/// All that [`TetMesh::defects`](crate::TetMesh::defects) found out about a mesh.
///
/// Faces are those of the tetrahedra that have four distinct corners in range, duplicates once: each defect shows under
/// its own name only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Defects {
    /// The kinds that were found, in the order of [`Defect::ALL`].
    pub found: Vec<Found>,
    /// Number of faces, of which each counts once.
    pub faces: usize,
    /// Faces with one tetrahedron.
    pub surface: usize,
}

super::found!(Defects of Defect at Place);
