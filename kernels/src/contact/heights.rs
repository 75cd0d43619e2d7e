//! Height field: solid below heights on a regular grid, bilinear between them.
//!
//! d(x) = (y - H) / sqrt(1 + |grad H|^2), n = (-H_x, 1, -H_z) / the same: the distance from the tangent plane below the point, with
//! H and its slopes of one cell. It jumps where cells meet at an angle, by the distance times the change of that root; its sign
//! does not. Beyond the border the border's heights go on.

use super::distance::{Distance, Over, number};
use super::sdf::crease;
use crate::lanes::Lanes;
use crate::{BATCH, V3};

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
    /// Heights of node (i, j) and of (i, j + 1), metres, at `j nx + i`: i along x, j along z, the middle of all at the origin; the
    /// distance between nodes and the largest distance of one from the origin, metres; and the root above, at most.
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
        // SAFETY: WIDTH <= BATCH numbers fit.
        unsafe {
            x.store(whole[0].as_mut_ptr());
            z.store(whole[1].as_mut_ptr());
        }
        for lane in 0..L::WIDTH {
            // What is no number is the first cell.
            let (i, j): (f64, f64) = (whole[0][lane].into(), whole[1][lane].into());
            first[lane] = (j as u32).min(nz - 2) * nx + (i as u32).min(nx - 2);
        }
        if size_of::<L::Elem>() == size_of::<f32>() {
            // SAFETY: an element of four bytes is f32. Indices are at most the last cell's, whose next pair is in the array, too, as
            // `new` found.
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
            // SAFETY: WIDTH <= BATCH numbers are there.
            columns[k] = unsafe { L::load(values[k].as_ptr()) };
        }
        columns
    }

    /// The distance, the normal and H_xz, 1/m.
    #[inline(always)]
    fn tangent<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>, L) {
        let ((i, fx, in_x), (k, fz, in_z)) = (self.along(x.x, 0), self.along(x.z, 1));
        let [h00, h01, h10, h11] = self.corners(i, k);
        let per_metre = L::splat(f64::from(1.0 / self.cell));
        let (h0, h1) = (h00 + (h10 - h00) * fx, h01 + (h11 - h01) * fx);
        let (dx0, dx1) = (h10 - h00, h11 - h01);
        let slope_x = ((dx0 + (dx1 - dx0) * fz) * per_metre).or_zero(in_x);
        let slope_z = ((h1 - h0) * per_metre).or_zero(in_z);
        let n = V3::new(-slope_x, L::splat(1.0), -slope_z);
        let inv = L::splat(1.0) / n.length();
        let turn = ((dx1 - dx0) * per_metre * per_metre).or_zero(in_x & in_z);
        ((x.y - (h0 + (h1 - h0) * fz)) * inv, n * inv, turn)
    }
}

impl Distance for Heights<'_> {
    #[inline(always)]
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>) {
        let (value, normal, _) = self.tangent(x);
        (value, normal)
    }

    #[inline(always)]
    fn graded<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>, L) {
        let (value, n, turn) = self.tangent(x);
        // The root changes, too: grad d = n - d H_xz (H_z, 0, H_x) / the root squared.
        let by = value * turn * n.y;
        let gradient = V3::new(n.x + by * n.z, n.y, n.z + by * n.x);
        let steep = gradient.length();
        (value, gradient * (L::splat(1.0) / steep), steep)
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

    fn over(&self, x: &[V3<f64>; 3]) -> Over {
        let coordinate = |x: f64, axis: usize| {
            x * f64::from(1.0 / self.cell) + 0.5 * f64::from(self.nodes[axis] - 1)
        };
        let (gx, gz) = (x.map(|x| coordinate(x.x, 0)), x.map(|x| coordinate(x.z, 1)));
        let ((in_x, wide_x), (in_z, wide_z)) = (crease(gx, self.nodes[0]), crease(gz, self.nodes[1]));
        let first = if in_z.is_none() || in_x.is_some() && wide_x >= wide_z { in_x } else { in_z };
        if let Some((edge, part)) = first {
            return Over::Creased(edge, part);
        }
        let middle = (x[0] + x[1] + x[2]) * (1.0 / 3.0);
        let cell = |g: [f64; 3], axis: usize| {
            ((g[0] + g[1] + g[2]) * (1.0 / 3.0)).floor().max(0.0).min(f64::from(self.nodes[axis] - 2))
        };
        let [h00, h01, h10, h11] = self.corners(cell(gx, 0), cell(gz, 1));
        // How fast the slopes of H turn, which is all that bends in a cell.
        let turn = ((h11 - h01) - (h10 - h00)).abs() / (f64::from(self.cell) * f64::from(self.cell));
        let reach = x.map(|x| (x - middle).length_squared()).into_iter().fold(0.0, f64::max).sqrt();
        let far = self.distance(middle).0.abs() + f64::from(self.slope) * reach;
        // (y - H) / s: of H's second derivatives, of the product of s' with the slope, and of s'', each at most.
        Over::Smooth(3.0 * turn + 4.0 * turn * turn * far)
    }

    fn slope(&self) -> f32 {
        self.slope
    }

    fn about<L: Lanes>(&self, _x: V3<L>, _reach: L) -> super::Bend<L> {
        super::Bend { falls: L::splat(1e19), curved: L::zero(), part: L::splat(1.0) }
    }

    /// What is above the heights by less a metre is nearer by the root, which may be another there.
    #[inline(always)]
    fn least<L: Lanes>(&self, value: L, reach: L) -> L {
        let (zero, slope) = (L::zero(), number::<L>(self.slope));
        let above = L::select(value.ge(zero), value, value * slope) - reach * slope;
        L::select(above.gt(zero), above * (L::splat(1.0) / slope), above)
    }

    fn skin(&self) -> f32 {
        0.5 * STRIDE * self.cell
    }
}
