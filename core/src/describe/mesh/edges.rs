//! Undirected edges of a mesh, from its sorted half-edges.

use super::Mesh;
use super::triangles::has_distinct_corners;

/// An edge between two vertices, and the triangles beside it.
///
/// ```text
///         opposite[0]
///          /       \
/// vertices[0] --- vertices[1]
///          \       /
///         opposite[1]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The two vertices, ascending.
    pub vertices: [u32; 2],
    /// How many triangles have this edge: 1 at a boundary, 2 inside, more where the mesh is not a manifold.
    pub triangles: u32,
    /// The third vertex of the first two of these triangles, in the order of the triangles.
    pub opposite: [Option<u32>; 2],
}

impl Mesh {
    /// Collects the edges, ascending by their vertices. One sort: n log n.
    ///
    /// A triangle with an index out of range or a repeated corner has no edges; all others have three, duplicates too.
    ///
    /// # Example
    /// ```
    /// let mesh = seidel::mesh::Mesh {
    ///     positions: vec![[0.0; 3]; 4],
    ///     triangles: vec![[0, 1, 2], [2, 1, 3]],
    /// };
    /// let edges = mesh.edges();
    /// assert_eq!(edges.len(), 5);
    /// assert_eq!((edges[2].vertices, edges[2].triangles), ([1, 2], 2));
    /// assert_eq!(edges[2].opposite, [Some(0), Some(3)]);
    /// ```
    #[must_use]
    pub fn edges(&self) -> Vec<Edge> {
        edges_of(&self.triangles, self.positions.len())
    }

    /// Whether triangle `t` has three distinct corners, all in range.
    pub(super) fn has_edges(&self, t: usize) -> bool {
        has_edges(self.triangles[t], self.positions.len())
    }
}

/// [`Mesh::edges`] of the triangles among so many vertices.
pub(crate) fn edges_of(triangles: &[[u32; 3]], vertices: usize) -> Vec<Edge> {
    let half_edges = half_edges(triangles, |t| has_edges(triangles[t], vertices));
    by_edge(&half_edges)
        .map(|run| {
            let opposite = |k: usize| run.get(k).map(|half| half.opposite(triangles));
            Edge { vertices: run[0].vertices, triangles: run.len() as u32, opposite: [opposite(0), opposite(1)] }
        })
        .collect()
}

fn has_edges(triangle: [u32; 3], vertices: usize) -> bool {
    has_distinct_corners(triangle) && triangle.iter().all(|&v| (v as usize) < vertices)
}

/// One side of a triangle. The order is by edge, then by triangle: what sorting needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HalfEdge {
    /// The ends, ascending.
    pub(super) vertices: [u32; 2],
    /// The triangle that this side belongs to.
    pub(super) triangle: u32,
    /// From this corner to the next.
    pub(super) corner: u32,
}

impl HalfEdge {
    /// Whether the triangle runs through it from the lower vertex to the higher.
    pub(super) fn ascends(&self, triangles: &[[u32; 3]]) -> bool {
        triangles[self.triangle as usize][self.corner as usize] == self.vertices[0]
    }

    /// The corners at its ends, in the order of `vertices`, as numbers among the corners of all triangles.
    pub(super) fn corners(&self, triangles: &[[u32; 3]]) -> [usize; 2] {
        let (from, to) = (self.corner as usize, (self.corner as usize + 1) % 3);
        let ends = if self.ascends(triangles) { [from, to] } else { [to, from] };
        ends.map(|corner| 3 * self.triangle as usize + corner)
    }

    /// The triangle's corner that is not on it.
    fn opposite(&self, triangles: &[[u32; 3]]) -> u32 {
        triangles[self.triangle as usize][(self.corner as usize + 2) % 3]
    }
}

/// The sides of the triangles that `wanted` accepts by number, sorted.
pub(super) fn half_edges(triangles: &[[u32; 3]], wanted: impl Fn(usize) -> bool) -> Vec<HalfEdge> {
    let mut half_edges = Vec::with_capacity(triangles.len() * 3);
    for (t, corners) in triangles.iter().enumerate().filter(|(t, _)| wanted(*t)) {
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            half_edges.push(HalfEdge { vertices: [a.min(b), a.max(b)], triangle: t as u32, corner: k as u32 });
        }
    }
    // No two are equal, so an unstable sort has one result.
    half_edges.sort_unstable();
    half_edges
}

/// The runs of half-edges that are the same edge.
pub(super) fn by_edge(half_edges: &[HalfEdge]) -> impl Iterator<Item = &[HalfEdge]> {
    half_edges.chunk_by(|a, b| a.vertices == b.vertices)
}
