//! Lattices of tetrahedra: bars and tubes of cells, each cut into six tetrahedra around a diagonal, all cells alike.
//!
//! ```text
//!      6 ------- 7      from corner 0 to corner 7 along the three axes in each of their six orders:
//!     /|        /|      [0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]
//!    4 ------- 5 |      (bit 0 of a corner's number: along the last axis, bit 2: along the first)
//!    | 2 ------|-3
//!    |/        |/       Freudenthal 1942, Kuhn 1960: no cell's cut depends on another's, and faces fit.
//!    0 ------- 1
//! ```

use crate::describe::error::{Error, range};
use crate::describe::tets::TetMesh;
use crate::tuning::MAX_LATTICE_TETS;

/// Cells along three axes; the last may be closed to a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lattice {
    pub(super) cells: [u32; 3],
    pub(super) ring: bool,
}

/// The order of the axes on each way, and whether it is a right-handed one.
const WAYS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], true),
    ([1, 2, 0], true),
    ([2, 0, 1], true),
    ([0, 2, 1], false),
    ([1, 0, 2], false),
    ([2, 1, 0], false),
];

/// The corners of the tetrahedron on a way through a cell: `corner` tells a vertex from steps along the axes.
pub(super) fn along<T>(way: usize, corner: impl Fn([u32; 3]) -> T) -> [T; 4] {
    let (order, right) = WAYS[way];
    let mut step = [0; 3];
    let first = corner(step);
    step[order[0]] = 1;
    let a = corner(step);
    step[order[1]] = 1;
    let b = corner(step);
    step[order[2]] = 1;
    let last = corner(step);
    if right { [first, a, b, last] } else { [first, b, a, last] }
}

/// The number of ways through a cell: its tetrahedra.
pub(super) const TETS: usize = WAYS.len();

impl Lattice {
    /// Vertices along an axis.
    fn nodes(self, axis: usize) -> u32 {
        if self.ring && axis == 2 { self.cells[axis] } else { self.cells[axis].saturating_add(1) }
    }

    /// Tetrahedra; nodes are at most a third more than these.
    fn count(self) -> u64 {
        self.cells.iter().map(|&cells| u64::from(cells)).fold(TETS as u64, u64::saturating_mul)
    }

    /// Refuses no cells, and too many.
    pub(super) fn check(self, of: impl Fn() -> String) -> Result<(), Error> {
        for (axis, cells) in self.cells.into_iter().enumerate() {
            let least = if self.ring && axis == 2 { 3 } else { 1 };
            let limit = if least == 3 { "3 or more around a tube" } else { "1 or more" };
            range(&of, || format!("cells along axis {axis}"), f64::from(cells), cells >= least, limit)?;
        }
        let (got, limit) = (self.count(), "at most 16777216: take fewer cells");
        range(&of, || "number of tetrahedra".to_owned(), got as f64, got <= MAX_LATTICE_TETS, limit)
    }

    /// The mesh; `place` tells where a vertex is, from 0 to the number of cells along each axis. All tetrahedra of a
    /// way follow one another, so that rows are solved way by way.
    pub(super) fn mesh(self, place: impl Fn([u32; 3]) -> [f32; 3]) -> TetMesh {
        let nodes = [0, 1, 2].map(|axis| self.nodes(axis));
        let vertex = |[i, j, k]: [u32; 3]| (i * nodes[1] + j) * nodes[2] + k % nodes[2];
        let each =
            |[a, b, c]: [u32; 3]| (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])));
        let positions = each(nodes).map(place).collect();
        let cells = each(self.cells);
        let tets = (0..TETS).flat_map(|way| {
            let corner = move |cell: [u32; 3], step: [u32; 3]| std::array::from_fn(|axis| cell[axis] + step[axis]);
            cells.clone().map(move |cell| along(way, |step| vertex(corner(cell, step))))
        });
        TetMesh { positions, tets: tets.collect() }
    }
}
