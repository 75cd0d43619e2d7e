//! Attachments: vertices that are kept where they lie over an obstacle.

use crate::describe::ids::BodyId;

/// Vertices that are kept where they lie over the nearest triangles of an obstacle at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// The obstacle.
    pub to: BodyId,
    /// The vertices; each has inverse mass 0, and is attached or driven once.
    pub vertices: Vec<u32>,
}
