//! Triangle meshes, as plain arrays.

mod ball;
mod balls;
mod closed;
mod count;
mod edges;
pub(crate) mod geodesic;
mod repair;
mod sets;
mod triangles;

pub use super::defects::triangles::{Defect, Defects, Found, Place};
pub(crate) use closed::{Closed, closes};
pub use edges::Edge;
pub use repair::Repairs;

/// A triangle mesh in memory: what a reader returns and a recipe takes.
///
/// `positions`: n points in metres; `triangles`: m corners, indices into `positions`, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions, metres.
    pub positions: Vec<[f32; 3]>,
    /// Corner indices, three a triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Whether there are more vertices or triangles than ids; one value stays free.
    fn is_too_large(&self) -> bool {
        self.positions.len().max(self.triangles.len()) >= u32::MAX as usize
    }

    /// For every vertex the first vertex at its place. Empty if the mesh is too large.
    fn first_at_place(&self) -> Vec<u32> {
        // Within the limit and without a tolerance, there is nothing to refuse.
        seidel_hash::coincident(&self.positions, 0.0).unwrap_or_default()
    }
}
