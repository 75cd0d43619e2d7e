//! Height fields.

use crate::describe::error::{Error, range};
use crate::describe::mesh::Mesh;
use crate::tuning::{MAX_COORDINATE, MAX_HEIGHTS};
use seidel_kernels::contact::Heights;
use std::fmt;

/// Heights on a regular grid, bilinear between them; below is solid, without end, and beyond the border its heights go
/// on.
///
/// Nodes lie along x and z, the middle of the grid at the origin, heights along y. A body's distance is taken along the
/// normal of the patch below it: in a valley that is narrower than its thickness it hangs lower than a ball would.
#[derive(Clone, PartialEq)]
pub struct HeightField {
    pairs: Vec<[f32; 2]>,
    nodes: [u32; 2],
    cell: f32,
    slope: f32,
    bound: f32,
    hash: u64,
}

impl fmt::Debug for HeightField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, cell, hash, .. } = self;
        let mut f = f.debug_struct("HeightField");
        f.field("nodes", nodes).field("cell", cell).field("hash", hash).finish_non_exhaustive()
    }
}

impl HeightField {
    /// Heights of `nodes[0]` x `nodes[1]` nodes in metres, those of a row along x one after another, row after row
    /// along z; `cell` is the distance between nodes, metres.
    ///
    /// # Errors
    /// If there are fewer than two nodes along an axis, more than 2^24 of them, another number of heights, or a number
    /// is not within limits.
    ///
    /// # Example
    /// ```
    /// use seidel::{Collider, collider::HeightField};
    /// // A slope that rises by a half towards +x.
    /// let field = HeightField::new([3, 2], &[0.0, 0.5, 1.0, 0.0, 0.5, 1.0], 1.0)?;
    /// let hill = Collider::height_field(std::sync::Arc::new(field));
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn new(nodes: [u32; 2], heights: &[f32], cell: f32) -> Result<HeightField, Error> {
        let of = || "height field".to_owned();
        let [nx, nz] = nodes.map(|n| n as usize);
        for (axis, n) in ["x", "z"].into_iter().zip(nodes) {
            range(of, || format!("the number of nodes along {axis}"), f64::from(n), n >= 2, "2 or more")?;
        }
        let count = nx.saturating_mul(nz);
        range(of, || "the number of nodes".to_owned(), count as f64, count <= MAX_HEIGHTS, "at most 16777216")?;
        if heights.len() != count {
            return Err(Error::Length { of: of(), what: "heights".to_owned(), got: heights.len(), want: count });
        }
        let wide = cell * nx.max(nz) as f32;
        range(of, || "cell".to_owned(), f64::from(cell), cell > 0.0, "above 0")?;
        range(of, || "cell times nodes".to_owned(), f64::from(wide), wide <= MAX_COORDINATE, "at most 1e6 m")?;
        for (i, &h) in heights.iter().enumerate() {
            let what = || format!("height {} of row {}", i % nx, i / nx);
            range(of, what, f64::from(h), h.abs() <= MAX_COORDINATE, "within +-1e6 m")?;
        }
        let above = |n: usize| if n + nx < count { n + nx } else { n };
        let pairs: Vec<_> = heights.iter().enumerate().map(|(n, &h)| [h, heights[above(n)]]).collect();
        let rises = |a: usize, b: usize| f64::from((heights[a] - heights[b]).abs()) / f64::from(cell);
        let (mut along_x, mut along_z) = (0.0f64, 0.0f64);
        for n in 0..count {
            along_x = if n % nx + 1 < nx { along_x.max(rises(n, n + 1)) } else { along_x };
            along_z = along_z.max(rises(n, above(n)));
        }
        let high = heights.iter().fold(0.0f32, |high, h| high.max(h.abs()));
        let side = |n: usize| 0.5 * f64::from(cell) * (n - 1) as f64;
        let bound = ((side(nx) * side(nx) + side(nz) * side(nz)) + f64::from(high) * f64::from(high)).sqrt();
        // A little more, for what f32 makes of it.
        let slope = (1.0 + (along_x * along_x + along_z * along_z)).sqrt() * 1.001;
        let hash = xxhash_rust::xxh3::xxh3_64(bytemuck::cast_slice(&pairs));
        Ok(HeightField { pairs, nodes, cell, slope: slope as f32, bound: bound as f32, hash })
    }

    /// Number of nodes along x and z.
    #[must_use]
    pub fn nodes(&self) -> [u32; 2] {
        self.nodes
    }

    /// Distance between nodes, metres.
    #[must_use]
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// Two triangles a cell, for pictures.
    #[must_use]
    pub fn surface(&self) -> Mesh {
        let [nx, nz] = self.nodes;
        let at = |i: u32, n: u32| (f64::from(self.cell) * (f64::from(i) - 0.5 * f64::from(n - 1))) as f32;
        let nodes = (0..nz).flat_map(|j| (0..nx).map(move |i| (i, j)));
        let positions = nodes.zip(&self.pairs).map(|((i, j), pair)| [at(i, nx), pair[0], at(j, nz)]).collect();
        let cells = (0..nz - 1).flat_map(|j| (0..nx - 1).map(move |i| j * nx + i));
        let triangles = cells.flat_map(|n| [[n, n + nx, n + 1], [n + 1, n + nx, n + nx + 1]]).collect();
        Mesh { positions, triangles }
    }

    pub(super) fn heights(&self) -> Heights<'_> {
        Heights::new(&self.pairs, self.nodes, self.cell, self.slope, self.bound)
    }
}
