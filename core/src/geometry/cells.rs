//! Cells: the triangles of a sheet, or the tetrahedra of a solid.

/// Cells of a mesh, as one array of corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells<'a> {
    corners: &'a [u32],
    /// Corners of a cell: 3 or 4.
    size: usize,
}

impl<'a> Cells<'a> {
    /// Of so many corners each.
    pub(super) fn new(corners: &'a [u32], size: usize) -> Cells<'a> {
        Cells { corners, size }
    }

    /// A body's: its tetrahedra; if it has none, its triangles.
    pub(crate) fn of(triangles: &'a [[u32; 3]], tets: &'a [[u32; 4]]) -> Cells<'a> {
        match tets {
            [] => Cells::new(triangles.as_flattened(), 3),
            tets => Cells::new(tets.as_flattened(), 4),
        }
    }

    /// Corners of a cell.
    pub(crate) fn size(self) -> usize {
        self.size
    }

    /// How many there are.
    pub(crate) fn count(self) -> usize {
        self.corners.len() / self.size
    }

    /// The corners of all.
    pub(crate) fn corners(self) -> &'a [u32] {
        self.corners
    }

    /// The corners of one.
    pub(crate) fn get(self, cell: u32) -> &'a [u32] {
        &self.corners[cell as usize * self.size..][..self.size]
    }

    /// All of them.
    pub(crate) fn each(self) -> impl Iterator<Item = &'a [u32]> {
        self.corners.chunks_exact(self.size)
    }

    /// Which corners of a cell its edges join.
    pub(crate) fn edges(self) -> &'static [[usize; 2]] {
        const ALL: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
        if self.size == 3 { &ALL[..3] } else { &ALL }
    }

    /// The facets of a cell that have one of its corners: the other vertices of each, ascending. An edge of a triangle
    /// has one, a face of a tetrahedron two.
    pub(crate) fn facets(self, cell: u32, vertex: u32) -> impl Iterator<Item = [u32; 2]> {
        let mut others = self.get(cell).iter().copied().filter(move |&v| v != vertex);
        let [a, b] = [(); 2].map(|()| others.next().unwrap_or(vertex));
        let facets = match others.next() {
            None => [[a, a], [b, b], [vertex; 2]],
            Some(c) => [[a, b], [b, c], [a, c]],
        };
        facets.into_iter().filter(move |facet| facet[0] != vertex).map(|[a, b]| [a.min(b), a.max(b)])
    }
}
