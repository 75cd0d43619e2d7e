//! Attachments: vertices that are kept where they lie over an obstacle.

use crate::describe::ids::BodyId;

/// Vertices that are kept where they lie over the nearest triangles of an obstacle at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attached {
    /// The obstacle.
    pub to: BodyId,
    /// The vertices; each has inverse mass 0, and is attached or driven once.
    pub vertices: Vec<u32>,
}

impl Attached {
    /// These vertices to an obstacle.
    #[must_use]
    pub fn new(to: BodyId, vertices: Vec<u32>) -> Attached {
        Attached { to, vertices }
    }
}
