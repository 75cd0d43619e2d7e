//! Triangle meshes, as plain arrays.

mod ball;
mod balls;
mod closed;
mod count;
mod edges;
pub(crate) mod geodesic;
mod maps;
mod repair;
mod select;
mod sets;
mod triangles;

pub use super::defects::triangles::{Defect, Defects, Found, Place};
use crate::geometry::nearest::Tree;
pub(in crate::describe) use balls::BallsExtent;
pub(crate) use closed::{Closed, closes};
pub use edges::Edge;
pub(crate) use edges::edges_of;
pub use maps::VertexMaps;
pub use repair::Repairs;
use std::sync::Arc;

/// A triangle mesh in memory: what a reader returns and a recipe takes.
///
/// `positions`: n points in metres; `triangles`: m corners, indices into `positions`, counter-clockwise seen from
/// outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions, metres.
    pub positions: Vec<[f32; 3]>,
    /// Corner indices, three a triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// A copy that recipes share. (A mesh that is moved into a recipe is not copied.)
impl From<&Mesh> for Arc<Mesh> {
    fn from(mesh: &Mesh) -> Arc<Mesh> {
        Arc::new(mesh.clone())
    }
}

impl Mesh {
    /// For each point the nearest triangle, and the shares of its corners in its point that is nearest; of several
    /// equally near ones always the same. None where there is no triangle. For m triangles and n points m log m and
    /// about n log m.
    ///
    /// # Panics
    /// If a triangle names a vertex that does not exist.
    ///
    /// # Source
    /// The nearest point of a triangle: Ericson 2005, "Real-Time Collision Detection", section 5.1.5.
    ///
    /// # Example
    /// ```
    /// let square = seidel::Cloth::grid([2, 2], [1.0, 1.0]);
    /// let (triangle, shares) = square.mesh().nearest(&[[-0.4, 0.3, -0.5]])[0].unwrap();
    /// assert!(triangle < 2 && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn nearest(&self, points: &[[f32; 3]]) -> Vec<Option<(u32, [f64; 3])>> {
        let all = (0..self.triangles.len() as u32).collect();
        let tree = Tree::new((&self.positions[..], &self.triangles[..]), all);
        let near = |point: &[f32; 3]| tree.nearest(point.map(f64::from)).map(|near| (near.triangle, near.shares));
        points.iter().map(near).collect()
    }

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
