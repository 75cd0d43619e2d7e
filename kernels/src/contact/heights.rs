//! Height field: solid below heights on a regular grid, bilinear between them.
//!
//! d(x) = (y - H) / sqrt(1 + |grad H|^2), n = (-H_x, 1, -H_z) / the same: the distance from the tangent plane below the
//! point, with H and its slopes of one cell. It jumps where cells meet at an angle, by the distance times the change of
//! that root; its sign does not. Beyond the border the border's heights go on.

use super::bends::{Bend, Over, UNKNOWN};
use super::signed::{SignedDistance, number};
use crate::lanes::Lanes;
use crate::{BATCH, Chunk, InChunks, V3};

/// Least step along a path, in cells.
const STRIDE: f32 = 1.0 / 16.0;

/// Heights that somebody else holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heights<'a> {
    pairs: &'a [[f32; 2]],
    nodes: [u32; 2],
    cell: f32,
    slope: f32,
    bound: f32,
}

impl<'a> Heights<'a> {
    /// Heights of node (i, j) and of (i, j + 1), metres, at `j nx + i`: i along x, j along z, the middle of all at the
    /// origin; the distance between nodes and the largest distance of one from the origin, metres; and the root above,
    /// at most.
    ///
    /// # Panics
    /// If there are fewer than two nodes along an axis, or not as many pairs as nodes.
    #[must_use]
    pub fn new(pairs: &'a [[f32; 2]], nodes: [u32; 2], cell: f32, slope: f32, bound: f32) -> Self {
        let count = nodes[0].checked_mul(nodes[1]).filter(|_| nodes.iter().all(|&n| n >= 2));
        assert_eq!(count.map(|count| count as usize), Some(pairs.len()), "a field of {nodes:?} nodes");
        Self { pairs, nodes, cell, slope, bound }
    }

    /// The cell's lower node along an axis, the place in it, and whether the point is beside the field.
    #[inline(always)]
    fn along<L: Lanes>(&self, x: L, axis: usize) -> (L, L, L::Mask) {
        let top = f64::from(self.nodes[axis] - 1);
        let g = x * L::splat(f64::from(1.0 / self.cell)) + L::splat(0.5 * top);
        let within = g.larger(L::zero()).smaller(L::splat(top));
        let node = within.floor().smaller(L::splat(top - 1.0));
        (node, within - node, within.equals(g))
    }

    /// Heights about cells with these lower nodes: [00, 01, 10, 11], x before z.
    #[inline(always)]
    fn corners<L: Lanes>(&self, x: L, z: L) -> [L; 4] {
        let mut whole = [[L::Elem::default(); BATCH]; 2];
        let mut first = [0u32; BATCH];
        let [nx, nz] = self.nodes;
        whole[0].store(Chunk::<L>::FIRST, x);
        whole[1].store(Chunk::<L>::FIRST, z);
        for lane in 0..L::WIDTH {
            // What is no number is the first cell.
            let (i, j): (f64, f64) = (whole[0][lane].into(), whole[1][lane].into());
            first[lane] = (j as u32).min(nz - 2) * nx + (i as u32).min(nx - 2);
        }
        if size_of::<L::Elem>() == size_of::<f32>() {
            // SAFETY: an element of four bytes is f32. Indices are at most the last cell's, whose next pair is in the
            // array, too, as `new` found.
            return unsafe { L::transpose(L::load_rows(self.pairs.as_ptr().cast::<[L::Elem; 2]>(), first.as_ptr())) };
        }
        let mut values = [[L::Elem::default(); BATCH]; 4];
        for lane in 0..L::WIDTH {
            let first = first[lane] as usize;
            for (k, value) in self.pairs[first..first + 2].as_flattened().iter().enumerate() {
                values[k][lane] = L::Elem::from(*value);
            }
        }
        let mut columns = [L::zero(); 4];
        for k in 0..4 {
            columns[k] = values[k].load(Chunk::<L>::FIRST);
        }
        columns
    }
}

impl SignedDistance for Heights<'_> {
    #[cfg_attr(not(seidel_portable), inline(always))]
    #[cfg_attr(seidel_portable, inline(never))]
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>) {
        let ((i, fx, in_x), (k, fz, in_z)) = (self.along(x.x, 0), self.along(x.z, 1));
        let [h00, h01, h10, h11] = self.corners(i, k);
        let per_metre = L::splat(f64::from(1.0 / self.cell));
        let (h0, h1) = (h00 + (h10 - h00) * fx, h01 + (h11 - h01) * fx);
        let (dx0, dx1) = (h10 - h00, h11 - h01);
        let slope_x = ((dx0 + (dx1 - dx0) * fz) * per_metre).or_zero(in_x);
        let slope_z = ((h1 - h0) * per_metre).or_zero(in_z);
        let n = V3::new(-slope_x, L::splat(1.0), -slope_z);
        let inv = L::splat(1.0) / n.length();
        ((x.y - (h0 + (h1 - h0) * fz)) * inv, n * inv)
    }

    fn bound(&self) -> f32 {
        self.bound
    }

    fn ends(&self) -> bool {
        false
    }

    fn stride(&self) -> Option<f32> {
        Some(STRIDE * self.cell)
    }

    fn girth(&self) -> f32 {
        self.cell
    }

    fn round(&self) -> Option<f32> {
        Some(self.cell)
    }

    /// Over pieces of two cells it counts as convex.
    fn over(&self, x: &[V3<f64>; 3]) -> Over {
        let edges = [0, 1, 2].map(|k| (x[(k + 1) % 3] - x[k]).length_squared());
        let longest =
            if edges[0] >= edges[1] && edges[0] >= edges[2] { 0 } else { 2 - usize::from(edges[1] >= edges[2]) };
        let piece = 2.0 * f64::from(self.cell);
        if edges[longest] > piece * piece { Over::Creased(longest, 0.5) } else { Over::Smooth(V3::zero()) }
    }

    #[inline(always)]
    fn about<L: Lanes>(&self, _x: V3<L>, reach: L) -> Bend<L> {
        let falls = L::select(reach.le(number(self.cell)), L::zero(), L::splat(UNKNOWN));
        Bend { falls, curved: V3::zero() }
    }

    fn slope(&self) -> f32 {
        self.slope
    }

    fn skin(&self) -> f32 {
        0.5 * STRIDE * self.cell
    }
}
