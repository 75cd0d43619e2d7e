//! Faces of a mesh of tetrahedra, from the sorted sides of these.

/// One side of a tetrahedron. The order is by face, then by tetrahedron: what sorting needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TetFace {
    /// Its vertices, ascending.
    pub(super) vertices: [u32; 3],
    /// The tetrahedron that this side belongs to.
    pub(super) tet: u32,
    /// The corner that is not on it.
    pub(super) corner: u32,
}

impl TetFace {
    /// Whether the outward triangle goes through its vertices in ascending order, or a turn of that.
    pub(super) fn ascends(&self, tets: &[[u32; 4]]) -> bool {
        let [a, b, c] = face(tets[self.tet as usize], self.corner);
        let [low, middle, _] = self.vertices;
        [a, b] == [low, middle] || [b, c] == [low, middle] || [c, a] == [low, middle]
    }
}

/// The side of a tetrahedron that leaves out a corner, counter-clockwise seen from outside.
pub(super) fn face([a, b, c, d]: [u32; 4], corner: u32) -> [u32; 3] {
    match corner {
        0 => [b, c, d],
        1 => [a, d, c],
        2 => [a, b, d],
        _ => [a, c, b],
    }
}

/// The sides of the tetrahedra that `wanted` accepts by number, sorted.
pub(super) fn sides(tets: &[[u32; 4]], wanted: impl Fn(usize) -> bool) -> Vec<TetFace> {
    let mut sides = Vec::with_capacity(tets.len() * 4);
    for (t, &tet) in tets.iter().enumerate().filter(|(t, _)| wanted(*t)) {
        for corner in 0..4 {
            let mut vertices = face(tet, corner);
            vertices.sort_unstable();
            sides.push(TetFace { vertices, tet: t as u32, corner });
        }
    }
    // No two are equal, so an unstable sort has one result.
    sides.sort_unstable();
    sides
}

/// The runs of sides that are the same face.
pub(super) fn by_face(sides: &[TetFace]) -> impl Iterator<Item = &[TetFace]> {
    sides.chunk_by(|a, b| a.vertices == b.vertices)
}
