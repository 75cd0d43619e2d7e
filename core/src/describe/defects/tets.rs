//! What is wrong with a mesh of tetrahedra, or worth knowing: each kind counted, and its first offender named.

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

/// All defects of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The kind.
    pub defect: Defect,
    /// How many there are, >= 1; what is counted stands at [`Defect`].
    pub count: usize,
    /// The first of them.
    pub first: Place,
}

impl fmt::Display for Found {
    /// Kind, count, first offender, remedy: one line of an error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { defect, count, first } = self;
        write!(f, "{defect}: {count}, first: {first}; {}", defect.remedy())
    }
}

/// All that [`TetMesh::defects`](crate::TetMesh::defects) found out about a mesh.
///
/// Faces are those of the tetrahedra that have four distinct corners in range, duplicates once: each defect shows under its
/// own name only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Defects {
    /// The kinds that were found, in the order of [`Defect::ALL`].
    pub found: Vec<Found>,
    /// Number of faces, of which each counts once.
    pub faces: usize,
    /// Faces with one tetrahedron.
    pub surface: usize,
}

impl Defects {
    /// Whether a body can be made: there is no error, though there may be notes.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.errors().next().is_none()
    }

    /// Those that forbid making a body.
    pub fn errors(&self) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(|found| found.defect.is_fatal())
    }

    /// Those that are worth knowing only.
    pub fn warnings(&self) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(|found| !found.defect.is_fatal())
    }

    /// How many there are of one kind.
    #[must_use]
    pub fn count(&self, defect: Defect) -> usize {
        self.get(defect).map_or(0, |found| found.count)
    }

    /// What was found of one kind.
    #[must_use]
    pub fn get(&self, defect: Defect) -> Option<&Found> {
        self.found.iter().find(|found| found.defect == defect)
    }
}
