//! Signed distances at the nodes of a regular grid, trilinear between them.
//!
//! ```text
//! nodes of a cell, x across, y up, z behind           stored for node (i, j, k): its value and that of (i, j + 1, k),
//!   01 --- 11                                          so four numbers in a row are 00, 01, 10, 11: one register a lane
//!   |       |      value v = lerp_z(lerp_y(lerp_x))
//!   00 --- 10      normal = grad v / |grad v|, of the same polynomial
//! ```
//! The solid is where v < 0: not the mesh that the grid was made from, but what nothing passes. v is no exact distance:
//! it grows by at most `slope` a metre (Hart 1996, section 2.3: a ball of v / slope is free). Beyond the grid v is that
//! of the nearest point of its border and the way from there.

use super::bends::{Bend, Over, UNKNOWN};
use super::signed::{SignedDistance, number};
use crate::lanes::Lanes;
use crate::tuning::MIN_LENGTH;
use crate::{BATCH, Chunk, InChunks, V3};

/// Least step along a path, in cells and in half walls: what it overtakes is no deeper than half of it.
const STRIDE: f32 = 1.0 / 16.0;

/// Unit of what bends in a grid.
pub const BEND: f32 = 1.0 / 4096.0;

/// Cells, and part of the coordinates. What is so near a plane between cells is on it: roundings of f64.
const ON_PLANE: f64 = 1e-11;
const ROUNDING: f64 = 1e-15;

/// Which side of the surface is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// The inside.
    Solid,
    /// A shell about the surface, half as thick as given, metres, > 0; free within and without.
    Shell(f32),
    /// The outside, without end: a container.
    Container,
}

/// A grid of signed distances that somebody else holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SdfGrid<'a> {
    pairs: &'a [[f32; 2]],
    bends: &'a [[u16; 3]],
    nodes: [u32; 3],
    low: [f32; 3],
    cell: f32,
    slope: f32,
    form: Form,
}

impl<'a> SdfGrid<'a> {
    /// Values of node (i, j, k) and of (i, j + 1, k), metres, at `(k ny + j) nx + i`; the lowest node and the distance
    /// between nodes, metres; the most by which values grow a metre; and at a cell's lowest node what bends in the cell
    /// and those about it, in units of [`BEND`]: by how much slopes fall and by how much they grow from a cell to the
    /// next, at most, and how much they turn within a cell. `u16::MAX` is unknown.
    ///
    /// # Panics
    /// If there are fewer than two nodes along an axis, or not as many pairs or bends as nodes.
    #[must_use]
    pub fn new(
        (pairs, bends): (&'a [[f32; 2]], &'a [[u16; 3]]),
        nodes: [u32; 3],
        low: [f32; 3],
        cell: f32,
        slope: f32,
        form: Form,
    ) -> Self {
        let count = nodes.iter().try_fold(1u32, |count, &n| count.checked_mul(n).filter(|_| n >= 2));
        assert_eq!(count.map(|count| count as usize), Some(pairs.len()), "a grid of {nodes:?} nodes");
        assert_eq!(bends.len(), pairs.len(), "bends of another grid");
        Self { pairs, bends, nodes, low, cell, slope, form }
    }

    /// A corner's coordinate along an axis.
    fn high(&self, axis: usize) -> f32 {
        self.low[axis] + (self.nodes[axis] - 1) as f32 * self.cell
    }

    /// The eight values about points of cells, whose lowest nodes are whole numbers: [00, 01, 10, 11] of both layers.
    #[inline(always)]
    fn corners<L: Lanes>(&self, at: V3<L>) -> [[L; 4]; 2] {
        let first = self.first(at);
        let [nx, ny, _] = self.nodes;
        let mut second = first;
        for at in &mut second {
            *at += nx * ny;
        }
        [self.layer(&first), self.layer(&second)]
    }

    /// Where the lowest nodes of cells are among all.
    #[inline(always)]
    fn first<L: Lanes>(&self, at: V3<L>) -> [u32; BATCH] {
        let mut whole = [[L::Elem::default(); BATCH]; 3];
        let mut first = [0u32; BATCH];
        let [nx, ny, nz] = self.nodes;
        whole.store(Chunk::<L>::FIRST, at);
        for lane in 0..L::WIDTH {
            // What is no number is the first cell.
            let (i, j, k): (f64, f64, f64) = (whole[0][lane].into(), whole[1][lane].into(), whole[2][lane].into());
            first[lane] = ((k as u32).min(nz - 2) * ny + (j as u32).min(ny - 2)) * nx + (i as u32).min(nx - 2);
        }
        first
    }

    /// Four values of a layer in each lane.
    #[inline(always)]
    fn layer<L: Lanes>(&self, at: &[u32; BATCH]) -> [L; 4] {
        if size_of::<L::Elem>() == size_of::<f32>() {
            // SAFETY: an element of four bytes is f32. Indices are at most those of the last cell of the layer, whose
            // next pair is in the array, too: `corners` saw to it, and `new` to the array's length.
            return unsafe { L::transpose(L::load_rows(self.pairs.as_ptr().cast::<[L::Elem; 2]>(), at.as_ptr())) };
        }
        let mut values = [[L::Elem::default(); BATCH]; 4];
        for lane in 0..L::WIDTH {
            let first = at[lane] as usize;
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

    /// Coordinate of the grid, in cells, and how far outside of it.
    #[inline(always)]
    fn along<L: Lanes>(&self, x: L, axis: usize) -> (L, L) {
        let (zero, top) = (L::zero(), L::splat(f64::from(self.nodes[axis] - 1)));
        let g = (x - number(self.low[axis])) * number(1.0 / self.cell);
        let within = g.larger(zero).smaller(top);
        (within, (g - within) * number(self.cell))
    }

    /// The lowest node of the cell and the place in it, 0..1.
    #[inline(always)]
    fn cell_of<L: Lanes>(&self, g: L, axis: usize) -> (L, L) {
        let node = g.floor().smaller(L::splat(f64::from(self.nodes[axis] - 2)));
        (node, g - node)
    }
}

/// The largest whole number that is not above x. `f64::floor` is a call where a processor is not known to have an
/// instruction for it.
#[inline(always)]
fn down(x: f64) -> f64 {
    // 2^52: all beyond are whole.
    if x.abs() < 4_503_599_627_370_496.0 {
        let towards_zero = x as i64 as f64;
        if towards_zero > x { towards_zero - 1.0 } else { towards_zero }
    } else {
        x
    }
}

/// Where a plane between cells cuts a triangle of which these are the coordinates in cells, as near its middle as there
/// is one; and how wide it is. `far` is the lowest node's coordinate, in cells.
fn crease(g: [f64; 3], nodes: u32, far: f64) -> (Option<(usize, f64)>, f64) {
    let (mut low, mut high) = (0, 0);
    for k in 1..3 {
        low = if g[k] < g[low] { k } else { low };
        high = if g[k] > g[high] { k } else { high };
    }
    let (from, to) = (g[low], g[high]);
    let on_plane = ON_PLANE + ROUNDING * (from.abs() + to.abs() + far.abs());
    let first = down(from + on_plane).max(-1.0) + 1.0;
    let last = (-down(on_plane - to) - 1.0).min(f64::from(nodes - 1));
    // What is no number has none.
    if !(first <= last && first - from > 0.0) {
        return (None, to - from);
    }
    let plane = down(0.5 * (from + to) + 0.5).max(first).min(last);
    let (edge, part) =
        if (low + 1) % 3 == high { (low, (plane - from) / (to - from)) } else { (high, (to - plane) / (to - from)) };
    (Some((edge, part)), to - from)
}

#[inline(always)]
fn lerp<L: Lanes>(a: L, b: L, f: L) -> L {
    a + (b - a) * f
}

impl SignedDistance for SdfGrid<'_> {
    #[inline(always)]
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>) {
        let (value, normal, _) = self.graded(x);
        (value, normal)
    }

    #[cfg_attr(not(seidel_portable), inline(always))]
    #[cfg_attr(seidel_portable, inline(never))]
    fn graded<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>, L) {
        let zero = L::zero();
        let ((gx, ox), (gy, oy), (gz, oz)) = (self.along(x.x, 0), self.along(x.y, 1), self.along(x.z, 2));
        let ((ix, fx), (iy, fy), (iz, fz)) = (self.cell_of(gx, 0), self.cell_of(gy, 1), self.cell_of(gz, 2));
        let [[a00, a01, a10, a11], [b00, b01, b10, b11]] = self.corners(V3::new(ix, iy, iz));
        let (a0, a1, b0, b1) = (lerp(a00, a10, fx), lerp(a01, a11, fx), lerp(b00, b10, fx), lerp(b01, b11, fx));
        let (c0, c1) = (lerp(a0, a1, fy), lerp(b0, b1, fy));
        let out = V3::new(ox, oy, oz);
        let away = out.length();
        let mut value = lerp(c0, c1, fz) + away;
        let per_metre = number::<L>(1.0 / self.cell);
        let along_x = lerp(lerp(a10 - a00, a11 - a01, fy), lerp(b10 - b00, b11 - b01, fy), fz);
        let along_y = lerp(a1 - a0, b1 - b0, fz);
        // Along an axis on which the point is outside nothing of the grid changes.
        let mut grad = V3::new(
            (along_x * per_metre).or_zero(ox.equals(zero)),
            (along_y * per_metre).or_zero(oy.equals(zero)),
            ((c1 - c0) * per_metre).or_zero(oz.equals(zero)),
        );
        grad = grad + (out * (L::splat(1.0) / away)).or_zero(away.gt(zero));
        match self.form {
            Form::Solid => {}
            Form::Shell(half) => {
                let within = value.lt(zero);
                grad = V3::select(within, -grad, grad);
                value = value.abs() - number(half);
            }
            Form::Container => (value, grad) = (-value, -grad),
        }
        let length = grad.length();
        let up = V3::new(zero, L::splat(1.0), zero);
        (value, V3::select(length.gt(L::splat(MIN_LENGTH)), grad * (L::splat(1.0) / length), up), length)
    }

    fn bound(&self) -> f32 {
        (0..3).map(|k| self.low[k].abs().max(self.high(k).abs())).map(|far| far * far).sum::<f32>().sqrt()
    }

    fn ends(&self) -> bool {
        self.form != Form::Container
    }

    fn dear(&self) -> bool {
        true
    }

    fn stride(&self) -> Option<f32> {
        Some(match self.form {
            Form::Shell(half) => STRIDE * self.cell.min(2.0 * half),
            Form::Solid | Form::Container => STRIDE * self.cell,
        })
    }

    fn girth(&self) -> f32 {
        match self.form {
            Form::Shell(half) => self.cell.min(half),
            Form::Solid | Form::Container => self.cell,
        }
    }

    fn round(&self) -> Option<f32> {
        Some(self.cell)
    }

    fn over(&self, x: &[V3<f64>; 3]) -> Over {
        let columns = [x.map(|x| x.x), x.map(|x| x.y), x.map(|x| x.z)];
        let mut middle = [0.0; 3];
        let mut widest = (0.0, None);
        for axis in 0..3 {
            let g = columns[axis].map(|x| (x - f64::from(self.low[axis])) * f64::from(1.0 / self.cell));
            middle[axis] = (g[0] + g[1] + g[2]) * (1.0 / 3.0);
            let (crease, wide) = crease(g, self.nodes[axis], f64::from(self.low[axis] / self.cell));
            if crease.is_some() && wide > widest.0 {
                widest = (wide, crease);
            }
        }
        if let Some((edge, part)) = widest.1 {
            return Over::Creased(edge, part);
        }
        let cell = |axis: usize| down(middle[axis]).max(0.0).min(f64::from(self.nodes[axis] - 2));
        let [[a00, a01, a10, a11], [b00, b01, b10, b11]] = self.corners(V3::new(cell(0), cell(1), cell(2)));
        let most = |p: f64, q: f64| p.abs().max(q.abs());
        let xy = most((a11 - a01) - (a10 - a00), (b11 - b01) - (b10 - b00));
        let xz = most((b10 - b00) - (a10 - a00), (b11 - b01) - (a11 - a01));
        let yz = most((b01 - b00) - (a01 - a00), (b11 - b10) - (a11 - a10));
        // 2 v_xy a_x a_y >= -|v_xy| (a_x^2 + a_y^2)
        let per = f64::from(1.0 / self.cell) * f64::from(1.0 / self.cell);
        let curved = V3::new(xy + xz, xy + yz, xz + yz) * per;
        let beside = (0..3).filter(|&k| middle[k] < 0.0 || middle[k] > f64::from(self.nodes[k] - 1)).count();
        // Beyond an edge of the grid a container's distance falls as that of the edge grows.
        let unknown = self.form == Form::Container && beside > 1;
        Over::Smooth(if unknown { V3::new(f64::INFINITY, 0.0, 0.0) } else { curved })
    }

    fn slope(&self) -> f32 {
        self.slope
    }

    #[inline(always)]
    fn about<L: Lanes>(&self, x: V3<L>, reach: L) -> Bend<L> {
        let ((gx, _), (gy, _), (gz, _)) = (self.along(x.x, 0), self.along(x.y, 1), self.along(x.z, 2));
        let ((ix, fx), (iy, fy), (iz, fz)) = (self.cell_of(gx, 0), self.cell_of(gy, 1), self.cell_of(gz, 2));
        let first = self.first(V3::new(ix, iy, iz));
        let (mut falls, mut curved) = ([L::Elem::default(); BATCH], [L::Elem::default(); BATCH]);
        for lane in 0..L::WIDTH {
            let bend = self.bends[first[lane] as usize];
            let fall = match self.form {
                Form::Solid => bend[0],
                Form::Shell(_) => bend[0].max(bend[1]),
                Form::Container => bend[1],
            };
            let known = fall < u16::MAX && bend[2] < u16::MAX;
            falls[lane] = L::Elem::from(if known { f32::from(fall) * BEND } else { UNKNOWN as f32 });
            curved[lane] = L::Elem::from(f32::from(bend[2]) * BEND);
        }
        let (falls, curved): (L, L) = (falls.load(Chunk::<L>::FIRST), curved.load(Chunk::<L>::FIRST));
        let (cell, told) = (number::<L>(self.cell), falls.lt(L::splat(UNKNOWN)));
        // Within a cell there is no crease; a line of less than a cell crosses one an axis; one of less than two, two.
        let (side, other) = (reach * number(1.0001 / self.cell), L::splat(1.0) - reach * number(1.0001 / self.cell));
        let alone = fx.gt(side) & fx.lt(other) & fy.gt(side) & fy.lt(other) & fz.gt(side) & fz.lt(other);
        let falls = L::select((reach * L::splat(1.733)).lt(cell), falls, falls + falls).or_zero(!alone);
        // Beyond the border, where two ways out meet, slopes fall more.
        let mut known = told & reach.lt(cell);
        for (axis, x) in [x.x, x.y, x.z].into_iter().enumerate() {
            known = known & (x - reach).ge(number(self.low[axis])) & (x + reach).le(number(self.high(axis)));
        }
        let falls = L::select(known, falls, L::splat(UNKNOWN));
        let curved = curved * (L::splat(1.0) / cell);
        Bend { falls, curved: V3::new(curved, curved, curved) }
    }

    fn skin(&self) -> f32 {
        0.5 * self.stride().unwrap_or_default()
    }
}
