//! Triangle meshes, as plain arrays.

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
