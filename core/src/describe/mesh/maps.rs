//! Named groups and painted numbers of a mesh's vertices, as files have them.

/// Named groups and painted numbers of a mesh's vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexMaps {
    /// Name of each group, and its vertices in rising order.
    pub groups: Vec<(String, Vec<u32>)>,
    /// Name of each painted attribute, and its number for every vertex.
    pub attributes: Vec<(String, Vec<f32>)>,
}
