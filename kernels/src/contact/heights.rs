//! Height field: solid below heights on a regular grid, bilinear between them.
//!
//! d(x) = (y - H) / sqrt(1 + |grad H|^2), n = (-H_x, 1, -H_z) / the same: the distance from the tangent plane below the point, with
//! H and its slopes of one cell. It jumps where cells meet at an angle, by the distance times the change of that root; its sign
//! does not. Beyond the border the border's heights go on.

use super::distance::{Bend, Distance, Over, UNKNOWN, number};
use super::sdf::crease;
use crate::lanes::Lanes;
use crate::{BATCH, V3};

/// Least step along a path, in cells.
const STRIDE: f32 = 1.0 / 16.0;

/// Heights that somebody else holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heights<'a> {
    pairs: &'a [[f32; 2]],
    bends: &'a [[f32; 3]],
    nodes: [u32; 2],
    cell: f32,
    slope: f32,
    bound: f32,
}

impl<'a> Heights<'a> {
    /// Heights of node (i, j) and of (i, j + 1), metres, at `j nx + i`: i along x, j along z, the middle of all at the origin; the
    /// distance between nodes and the largest distance of one from the origin, metres; and the root above, at most. At a cell's lowest
    /// node what [`Heights::bend`] says of it.
    ///
    /// # Panics
    /// If there are fewer than two nodes along an axis, or not as many pairs or bends as nodes.
    #[must_use]
    pub fn new(
        (pairs, bends): (&'a [[f32; 2]], &'a [[f32; 3]]),
        nodes: [u32; 2],
        cell: f32,
        slope: f32,
        bound: f32,
    ) -> Self {
        let count = nodes[0].checked_mul(nodes[1]).filter(|_| nodes.iter().all(|&n| n >= 2));
        assert_eq!(count.map(|count| count as usize), Some(pairs.len()), "a field of {nodes:?} nodes");
        assert_eq!(bends.len(), pairs.len(), "bends of another field");
        Self { pairs, bends, nodes, cell, slope, bound }
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

    /// Of pairs of heights as in [`Heights::new`], what bends in a cell and the eight about it: how much the slope of y - H falls at creases, how fast H's slopes turn in cells, 1/m,
    /// and the least root over the largest.
    #[must_use]
    pub fn bend(pairs: &[[f32; 2]], nodes: [u32; 2], cell: f32, [i, j]: [u32; 2]) -> [f32; 3] {
        let (top, [i, j]) = (nodes.map(|n| i64::from(n) - 1), [i64::from(i), i64::from(j)]);
        // Beyond the border its heights go on.
        let mut h = [[0.0f32; 4]; 4];
        for (q, row) in h.iter_mut().enumerate() {
            let z = (j - 1 + q as i64).clamp(0, top[1]);
            for (p, h) in row.iter_mut().enumerate() {
                *h = pairs[(z * (top[0] + 1) + (i - 1 + p as i64).clamp(0, top[0])) as usize][0];
            }
        }
        let more = |a: f32, b: f32| if b > a { b } else { a };
        let (mut along_x, mut along_z, mut turn) = (0.0f32, 0.0f32, 0.0f32);
        for row in &h {
            for p in 1..3 {
                along_x = more(along_x, (row[p + 1] - row[p]) - (row[p] - row[p - 1]));
            }
        }
        for rows in h.windows(3) {
            for ((a, b), c) in rows[0].iter().zip(&rows[1]).zip(&rows[2]) {
                along_z = more(along_z, (c - b) - (b - a));
            }
        }
        let (mut steepest, mut flattest) = (0.0f32, f32::INFINITY);
        for q in 0..3 {
            for p in 0..3 {
                let (x0, x1) = (h[q][p + 1] - h[q][p], h[q + 1][p + 1] - h[q + 1][p]);
                let (z0, z1) = (h[q + 1][p] - h[q][p], h[q + 1][p + 1] - h[q][p + 1]);
                turn = more(turn, (x1 - x0).abs());
                let high = [more(x0.abs(), x1.abs()), more(z0.abs(), z1.abs())];
                let low = [(x0, x1), (z0, z1)].map(|(a, b)| if a * b > 0.0 { -more(-a.abs(), -b.abs()) } else { 0.0 });
                steepest = more(steepest, high[0] * high[0] + high[1] * high[1]);
                flattest = -more(-flattest, -(low[0] * low[0] + low[1] * low[1]));
            }
        }
        let per_metre = 1.0 / cell;
        let root = |squares: f32| (1.0 + squares * per_metre * per_metre).sqrt();
        let falls = (along_x * along_x + along_z * along_z).sqrt() * per_metre;
        // A little more, for what f32 makes of it.
        [falls * 1.001, turn * per_metre * per_metre * 1.001, root(flattest) / root(steepest) * 0.999]
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
        let coordinate = |x: f64, axis: usize| x * f64::from(1.0 / self.cell) + 0.5 * f64::from(self.nodes[axis] - 1);
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
        let curved = 3.0 * turn + 4.0 * turn * turn * far;
        Over::Smooth(V3::new(curved, curved, curved))
    }

    fn slope(&self) -> f32 {
        self.slope
    }

    #[inline(always)]
    fn about<L: Lanes>(&self, x: V3<L>, reach: L) -> Bend<L> {
        let ((i, fx, in_x), (j, fz, in_z)) = (self.along(x.x, 0), self.along(x.z, 1));
        let mut whole = [[L::Elem::default(); BATCH]; 2];
        // SAFETY: WIDTH <= BATCH numbers fit.
        unsafe {
            i.store(whole[0].as_mut_ptr());
            j.store(whole[1].as_mut_ptr());
        }
        let [nx, nz] = self.nodes;
        let mut numbers = [[L::Elem::default(); BATCH]; 3];
        for lane in 0..L::WIDTH {
            let (i, j): (f64, f64) = (whole[0][lane].into(), whole[1][lane].into());
            let bends = self.bends[((j as u32).min(nz - 2) * nx + (i as u32).min(nx - 2)) as usize];
            for k in 0..3 {
                numbers[k][lane] = L::Elem::from(bends[k]);
            }
        }
        // SAFETY: WIDTH <= BATCH numbers are there.
        let [falls, turn, part] = unsafe { [0, 1, 2].map(|k| L::load(numbers[k].as_ptr())) };
        let cell = number::<L>(self.cell);
        // Within a cell there is no crease.
        let (side, other) = (reach * number(1.0001 / self.cell), L::splat(1.0) - reach * number(1.0001 / self.cell));
        let alone = fx.gt(side) & fx.lt(other) & fz.gt(side) & fz.lt(other) & in_x & in_z;
        let falls = L::select(alone, L::zero(), falls);
        // A line of less than a cell crosses one crease an axis; one of less than two, two.
        let falls = L::select((reach * L::splat(1.733)).lt(cell), falls, falls + falls);
        // The tangent plane is of the distance, not of the height above the field: beside a root that changes.
        let far = self.distance(x).0.abs() + reach * number(self.slope);
        let falls = L::select(reach.lt(cell), falls + turn * far, L::splat(UNKNOWN));
        Bend { falls, curved: V3::new(turn, L::zero(), turn), part }
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
