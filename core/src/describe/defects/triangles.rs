//! Defects of a triangle mesh, and facts worth knowing: each kind is counted, and its first triangle or vertex named.

mod kinds;

use serde::Serialize;
use std::fmt;

pub use kinds::Defect;

/// Where a defect is. Indices count from 0, as in the mesh's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// The mesh as a whole.
    Mesh,
    /// A vertex.
    Vertex(u32),
    /// Two vertices, ascending.
    Vertices([u32; 2]),
    /// An edge by its vertices, ascending.
    Edge([u32; 2]),
    /// A triangle.
    Triangle(u32),
    /// Two triangles, ascending.
    Triangles([u32; 2]),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mesh => write!(f, "the mesh"),
            Self::Vertex(v) => write!(f, "vertex {v}"),
            Self::Vertices([a, b]) => write!(f, "vertices {a} and {b}"),
            Self::Edge([a, b]) => write!(f, "edge {a}-{b}"),
            Self::Triangle(t) => write!(f, "triangle {t}"),
            Self::Triangles([a, b]) => write!(f, "triangles {a} and {b}"),
        }
    }
}

/// All that [`Mesh::defects`](crate::Mesh::defects) found out about a mesh.
///
/// Edges, pieces and the Euler characteristic are those of the triangles that have three distinct corners in range,
/// duplicates once: each defect shows under its own name only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Defects {
    /// The kinds that were found, in the order of [`Defect::ALL`].
    pub found: Vec<Found>,
    /// Number of edges.
    pub edges: usize,
    /// Number of connected pieces; two triangles that share a vertex are in one. Vertices without triangles are none.
    pub pieces: usize,
    /// Vertices in use - edges + triangles: 2 for a sphere, 1 for a disk.
    pub euler: i64,
    /// Whether there are triangles, and each edge has exactly two.
    pub closed: bool,
}

super::found!(Defects of Defect at Place);
