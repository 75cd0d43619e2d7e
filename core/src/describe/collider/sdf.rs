//! Signed distance fields of closed meshes, made once and shared.
//!
//! Distances of nodes are those of the nearest triangle (geometry/nearest.rs), exact up to rounding. Inside is where
//! the surface winds around a point: a ray along x from outside to the node has crossed it more often one way than the
//! other. Whether a ray crosses a triangle is asked of its three edges, which neighbours answer alike, so no ray slips
//! between two.

use super::bends::bends;
use crate::describe::error::{Error, advised, range};
use crate::describe::memory::Need;
use crate::describe::mesh::{BallsExtent, Closed, Mesh};
use crate::geometry::nearest::Tree;
use crate::tuning::{MAX_SDF_NODES, SDF_MARGIN};
use glam::Vec3;
use rayon::prelude::*;
use seidel_kernels::contact::{Form, SdfGrid};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Signed distances of a closed mesh at the nodes of a regular grid, metres, trilinear between them.
///
/// Particles are kept out of the field, not of the mesh. With cells of width a, field and mesh differ by a^2 / (4 R)
/// where the surface is smooth with radii of curvature of R or more and nothing else is near (a^2 / 4 (1 / R1 + 1 / R2)
/// / 2 in general); at edges, corners and in the middle between two walls by up to 0.87 a; walls thinner than a may
/// have holes. Bodies thicker than three cells rest where distances are rougher.
///
/// Memory: 14 bytes a node, of which there are about (size / a + 7)^3.
#[derive(Clone, PartialEq)]
pub struct Sdf {
    pairs: Vec<[f32; 2]>,
    bends: Vec<[u16; 3]>,
    nodes: [u32; 3],
    low: [f32; 3],
    cell: f32,
    slope: f32,
    hash: u64,
    surface: Mesh,
}

impl fmt::Debug for Sdf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, cell, hash, .. } = self;
        f.debug_struct("Sdf").field("nodes", nodes).field("cell", cell).field("hash", hash).finish_non_exhaustive()
    }
}

impl Sdf {
    /// Makes the field of a closed mesh in cells of a width in metres, > 0. Work for every core: on two, a million
    /// nodes take some seconds.
    ///
    /// Vertices at one place are one. Triangles may be oriented either way, but all alike; pieces may overlap.
    ///
    /// # Errors
    /// If the mesh is not closed (the first open edge is named), a coordinate or the cell is no number within limits,
    /// or there would be more than 2^25 nodes.
    ///
    /// # Example
    /// ```
    /// use seidel::collider::Sdf;
    /// let corners = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|c| c as f32)).collect();
    /// let sides = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2],
    /// [2, 4, 6], [1, 3, 5], [3, 7, 5]];
    /// let cube = seidel::Mesh { positions: corners, triangles: sides.to_vec() };
    /// let sdf = Sdf::from_mesh(&cube, 0.1)?;
    /// assert!((sdf.distance([0.5, 0.5, 1.25]) - 0.25).abs() < 1e-6);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn from_mesh(mesh: &Mesh, cell: f32) -> Result<Sdf, Error> {
        Sdf::from_mesh_watched(mesh, cell, &|_| {})
    }

    /// The memory that balls need which a surface ([`Mesh::of_balls`]) and its field are made of, in cells of one
    /// width, metres; told before either is made.
    #[must_use]
    pub fn need_of_balls(balls: &[[f32; 4]], cell: f32) -> Need {
        let nodes = Mesh::count_ball_nodes(balls, cell);
        let vertices = BallsExtent::of(balls, cell).vertices(cell);
        // The surface's grid reaches further than the field's.
        Need::ball_grid(nodes).skin(vertices).or(Need::field(nodes, vertices))
    }

    /// The number of nodes that the field of a mesh would have, closed or not.
    #[must_use]
    pub fn count_nodes(mesh: &Mesh, cell: f32) -> u64 {
        let side = |k: usize| {
            let of = mesh.positions.iter().map(|p| f64::from(p[k]));
            let extent = of.clone().fold(f64::NEG_INFINITY, f64::max) - of.fold(f64::INFINITY, f64::min);
            (extent / f64::from(cell)).ceil().max(0.0) + f64::from(2 * SDF_MARGIN + 1)
        };
        (side(0) * side(1) * side(2)) as u64
    }

    /// [`Sdf::from_mesh`], which calls `watch` from any of its threads with the part of the work that is done, 0 to 1.
    ///
    /// # Errors
    /// As there.
    pub fn from_mesh_watched(mesh: &Mesh, cell: f32, watch: &(dyn Fn(f64) + Sync)) -> Result<Sdf, Error> {
        let of = "signed distance field";
        range(
            || of.to_owned(),
            || "cell".to_owned(),
            f64::from(cell),
            cell > 0.0 && cell <= 1e6,
            "above 0 and at most 1e6 m",
        )?;
        let closed = mesh.closed(of)?;
        let grid = Grid::about(&closed, cell).ok_or_else(|| too_fine(of, &closed, cell))?;
        let winds = grid.winding(&closed);
        let tree = Tree::new(&closed.triangles[..], (0..closed.triangles.len() as u32).collect());
        let [nx, ny, nz] = grid.nodes.map(|n| n as usize);
        let mut values = vec![0.0f32; nx * ny * nz];
        let done = AtomicUsize::new(0);
        values.par_chunks_mut(nx).enumerate().for_each(|(row, values)| {
            let mut near = 0;
            for (i, value) in values.iter_mut().enumerate() {
                let x = [grid.at(0, i), grid.at(1, row % ny), grid.at(2, row / ny)];
                let nearest = tree.nearest_from(x, near);
                near = nearest.triangle;
                let inside = winds[row * nx + i] != 0;
                let distance = nearest.squared.sqrt();
                *value = if inside { -distance } else { distance } as f32;
            }
            watch((1 + done.fetch_add(1, Ordering::Relaxed)) as f64 / (ny * nz) as f64);
        });
        let mut pairs = vec![[0.0f32; 2]; values.len()];
        for (n, pair) in pairs.iter_mut().enumerate() {
            let above = if n / nx % ny + 1 < ny { n + nx } else { n };
            *pair = [values[n], values[above]];
        }
        let slope = grid.slope(&values);
        let bends = bends(&values, grid.nodes, cell);
        let hash = xxhash_rust::xxh3::xxh3_64(bytemuck::cast_slice(&pairs));
        let surface = mesh.clone();
        Ok(Sdf { pairs, bends, nodes: grid.nodes, low: grid.low, cell, slope, hash, surface })
    }

    /// Whether a node is inside of the mesh: without one nothing is.
    #[must_use]
    pub fn has_inside(&self) -> bool {
        self.pairs.iter().any(|pair| pair[0] < 0.0)
    }

    /// Whether there is an inside.
    ///
    /// # Errors
    /// If no node is inside: the mesh is flat, or cells are too wide. Then the error tells a width that may do: half of
    /// the mesh's least extent.
    pub fn check_inside(&self) -> Result<(), Error> {
        if self.has_inside() {
            return Ok(());
        }
        let extent = |k: usize| {
            let of = self.surface.positions.iter().map(|p| p[k]);
            of.clone().fold(f32::NEG_INFINITY, f32::max) - of.fold(f32::INFINITY, f32::min)
        };
        let most = 0.5 * (0..3).map(extent).fold(f32::INFINITY, f32::min);
        if most <= 0.0 {
            return Err(Error::FlatMesh { of: "signed distance field".to_owned() });
        }
        Err(Error::TooCoarse { of: "signed distance field".to_owned(), cell: self.cell, most })
    }

    /// Distance of a point in the field's own frame, metres; negative inside.
    #[must_use]
    pub fn distance(&self, point: impl Into<Vec3>) -> f32 {
        use seidel_kernels::contact::SignedDistance;
        self.grid(Form::Solid).distance(seidel_kernels::V3::<f32>::set(point.into().to_array())).0
    }

    /// Number of nodes along each axis.
    #[must_use]
    pub fn nodes(&self) -> [u32; 3] {
        self.nodes
    }

    /// Width of a cell, metres.
    #[must_use]
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// The mesh that it was made from.
    #[must_use]
    pub fn surface(&self) -> &Mesh {
        &self.surface
    }

    pub(super) fn grid(&self, form: Form) -> SdfGrid<'_> {
        SdfGrid::new((&self.pairs, &self.bends), self.nodes, self.low, self.cell, self.slope, form)
    }
}

fn too_fine(of: &str, closed: &Closed, cell: f32) -> Error {
    let (low, high) = bounds(closed);
    let side = |k: usize| ((high[k] - low[k]) / f64::from(cell)).ceil() + f64::from(2 * SDF_MARGIN + 1);
    let nodes = (side(0) * side(1)) * side(2);
    let about = f64::from(cell) * libm::cbrt(nodes / MAX_SDF_NODES as f64);
    let least = advised(about, |cell| Grid::about(closed, cell).is_some());
    Error::TooFine { of: of.to_owned(), cell, nodes: nodes as u64, limit: MAX_SDF_NODES, least }
}

/// The box around triangles.
pub(crate) fn bounds(closed: &Closed) -> ([f64; 3], [f64; 3]) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in closed.triangles.as_flattened() {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(x[k]), high[k].max(x[k]));
        }
    }
    (low, high)
}

/// A regular grid of nodes.
pub(crate) struct Grid {
    pub(crate) nodes: [u32; 3],
    pub(crate) low: [f32; 3],
    pub(crate) cell: f32,
}

impl Grid {
    /// Around a mesh, with a margin; none if it has too many nodes.
    fn about(closed: &Closed, cell: f32) -> Option<Grid> {
        let (low, high) = bounds(closed);
        let (mut nodes, mut start, mut count) = ([0; 3], [0.0; 3], 1.0);
        for k in 0..3 {
            start[k] = (low[k] - f64::from(SDF_MARGIN) * f64::from(cell)) as f32;
            let wide = ((high[k] - f64::from(start[k])) / f64::from(cell)).ceil() + f64::from(SDF_MARGIN + 1);
            count *= wide;
            nodes[k] = wide as u32;
        }
        // Far from the origin f32 cannot tell such cells apart.
        let told = (0..3).all(|k| f64::from(start[k]).abs().max(high[k].abs()) * 1e-5 <= f64::from(cell));
        (told && count <= MAX_SDF_NODES as f64).then_some(Grid { nodes, low: start, cell })
    }

    fn at(&self, axis: usize, i: usize) -> f64 {
        f64::from(self.low[axis]) + i as f64 * f64::from(self.cell)
    }

    /// The first node at or beyond a coordinate.
    fn first(&self, axis: usize, x: f64) -> usize {
        let i = ((x - f64::from(self.low[axis])) / f64::from(self.cell)).ceil();
        (i.max(0.0) as usize).min(self.nodes[axis] as usize)
    }

    /// How often the surface winds around each node.
    pub(crate) fn winding(&self, closed: &Closed) -> Vec<i16> {
        let [nx, ny, nz] = self.nodes.map(|n| n as usize);
        let mut winds = vec![0i16; nx * ny * nz];
        for t in &closed.triangles {
            let least = |k: usize| t[0][k].min(t[1][k]).min(t[2][k]);
            let most = |k: usize| t[0][k].max(t[1][k]).max(t[2][k]);
            for k in self.first(2, least(2))..=self.first(2, most(2)).min(nz - 1) {
                for j in self.first(1, least(1))..=self.first(1, most(1)).min(ny - 1) {
                    let (y, z) = (self.at(1, j), self.at(2, k));
                    let turns = around(t, y, z);
                    if turns != 0 {
                        let x = crossing(t, y, z).clamp(least(0), most(0));
                        let from = self.first(0, x);
                        if from < nx {
                            let wind = &mut winds[(k * ny + j) * nx + from];
                            *wind = wind.wrapping_add(turns);
                        }
                    }
                }
            }
        }
        for row in winds.chunks_mut(nx) {
            let mut sum = 0i16;
            for wind in row {
                sum = sum.wrapping_add(*wind);
                *wind = sum;
            }
        }
        winds
    }

    /// The steepest that values are anywhere: in a cell each slope is a mean of those along its four edges; and beyond
    /// the border the
    /// way outwards comes to it, at a right angle.
    fn slope(&self, values: &[f32]) -> f32 {
        let [nx, ny, nz] = self.nodes.map(|n| n as usize);
        let at = |i: usize, j: usize, k: usize| f64::from(values[(k * ny + j) * nx + i]);
        let layer = |k: usize| {
            let mut steepest = 0.0f64;
            for j in 0..ny - 1 {
                for i in 0..nx - 1 {
                    let mut most = [0.0f64; 3];
                    for (p, q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                        let x = at(i + 1, j + p, k + q) - at(i, j + p, k + q);
                        let y = at(i + p, j + 1, k + q) - at(i + p, j, k + q);
                        let z = at(i + p, j + q, k + 1) - at(i + p, j + q, k);
                        most = [most[0].max(x.abs()), most[1].max(y.abs()), most[2].max(z.abs())];
                    }
                    steepest = steepest.max((most[0] * most[0] + most[1] * most[1]) + most[2] * most[2]);
                }
            }
            steepest
        };
        let steepest = (0..nz - 1).into_par_iter().map(layer).reduce(|| 0.0, f64::max);
        let cell = f64::from(self.cell);
        // A little more, for what f32 makes of it.
        ((1.0 + steepest / (cell * cell)).sqrt() * 1.001) as f32
    }
}

/// How often a triangle, seen along x, winds around (y, z): -1, 0 or 1. A point on an edge is on the same side of it
/// for both of its triangles.
fn around(t: &[[f64; 3]; 3], y: f64, z: f64) -> i16 {
    let mut turns = 0;
    for k in 0..3 {
        let (a, b) = (t[k], t[(k + 1) % 3]);
        let up = a[2] < b[2];
        let (lower, upper) = if up { (a, b) } else { (b, a) };
        if lower[2] <= z && z < upper[2] {
            let left = (upper[1] - lower[1]) * (z - lower[2]) - (y - lower[1]) * (upper[2] - lower[2]);
            if left > 0.0 {
                turns += if up { 1 } else { -1 };
            }
        }
    }
    turns
}

/// Where the triangle's plane is at (y, z), along x.
fn crossing(&[a, b, c]: &[[f64; 3]; 3], y: f64, z: f64) -> f64 {
    let (e, f): ([f64; 3], [f64; 3]) = (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
    let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let x = a[0] - (n[1] * (y - a[1]) + n[2] * (z - a[2])) / n[0];
    if x.is_nan() { a[0] } else { x }
}
