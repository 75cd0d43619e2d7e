//! A closed mesh about balls that flow into one another.
//!
//! The surface is where D(x) = -s log sum exp(-d_i(x) / s) = 0, d_i being the distance from ball i: a smooth union
//! (Blinn 1982 sums in the same way), cut out of the tetrahedra of a grid (Doi, Koide 1991; six to a cube, about one
//! diagonal, so that neighbours agree). Every edge of the result has two triangles.

use super::Mesh;
use crate::describe::error::{Error, advised, range};
use crate::tuning::{MAX_BALL_DISTANCES, MAX_BALL_NODES};

/// The blend s, part of the smallest radius: where balls meet, edges are rounded about so far.
const BLEND: f64 = 0.2;

/// Cells between the balls and the border of the grid: more than the blend of many balls adds.
const MARGIN: f64 = 3.0;

/// Vertices stay this part of an edge away from its ends, so that no triangle degenerates.
const LEAST: f64 = 0.05;

/// Of more, the coarsest grid has more distances than are looked at.
const MAX_BALLS: usize = 1 << 22;

/// Stands for a vertex until it is made.
const NONE: u32 = u32::MAX;

impl Mesh {
    /// The number of nodes of the grid that [`Mesh::of_balls`] cuts the surface out of, where it makes one; it may be
    /// more than is allowed.
    #[must_use]
    pub fn count_ball_nodes(balls: &[[f32; 4]], cell: f32) -> u64 {
        let balls: Vec<[f64; 4]> = balls.iter().map(|ball| ball.map(f64::from)).collect();
        GridExtent::of(&balls).nodes(f64::from(cell)) as u64
    }

    /// A closed mesh about balls [x, y, z, radius], metres, with triangles of about the size of a cell, metres.
    ///
    /// # Errors
    /// If there is no ball or more than 2^22, a coordinate is not within +-1e6 m, a radius or the cell is not above 0,
    /// the cell is so wide that nothing is found, or the grid would have more than 2^24 nodes, or more than 2^32
    /// divided by the number of balls.
    ///
    /// # Example
    /// ```
    /// let pear = seidel::Mesh::of_balls(&[[0.0, 0.0, 0.0, 0.5], [0.0, 0.5, 0.0, 0.3]], 0.1)?;
    /// assert!(seidel::collider::Sdf::from_mesh(&pear, 0.1)?.distance([0.0, 0.9, 0.0]) > 0.0);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn of_balls(balls: &[[f32; 4]], cell: f32) -> Result<Mesh, Error> {
        let of = || "mesh of balls".to_owned();
        range(of, || "number of balls".to_owned(), balls.len() as f64, !balls.is_empty(), "1 or more")?;
        let few = balls.len() <= MAX_BALLS;
        range(of, || "number of balls".to_owned(), balls.len() as f64, few, "at most 4194304")?;
        range(of, || "cell".to_owned(), f64::from(cell), cell > 0.0 && cell <= 1e6, "above 0 and at most 1e6 m")?;
        for (i, [x, y, z, radius]) in balls.iter().enumerate() {
            for c in [x, y, z] {
                range(of, || format!("place of ball {i}"), f64::from(*c), c.abs() <= 1e6, "within +-1e6 m")?;
            }
            let good = *radius > 0.0 && *radius <= 1e6;
            range(of, || format!("radius of ball {i}"), f64::from(*radius), good, "above 0 and at most 1e6 m")?;
        }
        let grid = DistanceGrid::about(balls, f64::from(cell))?;
        let mesh = GrowingMesh::of(&grid).mesh;
        if mesh.triangles.is_empty() {
            // A ball of this radius has a node of any grid inside.
            let most = balls.iter().fold(0.0f32, |most, ball| most.max(ball[3]));
            return Err(Error::TooCoarse { of: of(), cell, most });
        }
        Ok(mesh)
    }
}

/// A surface of balls before it is made: about its volume, m^3, its area, m^2, and the box about it, metres.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::describe) struct BallsExtent {
    pub(in crate::describe) volume: f64,
    pub(in crate::describe) area: f64,
    pub(in crate::describe) sides: [f64; 3],
}

/// Distances that a surface is measured with, where cells are coarse: their points are closer then, down to an eighth
/// of a cell.
const MEASURED: f64 = (1u64 << 21) as f64;
const CLOSEST: f64 = 8.0;

/// Vertices of a surface of balls for each square of its grid: its edges go in seven directions, and on average over
/// all directions the surface goes through (3 + 3 sqrt 2 + sqrt 3) / 2 of them (4.3 to 4.7 were counted).
const SURFACE_VERTICES: f64 = 4.5;

impl BallsExtent {
    /// So much more is said of balls, which are measured before they are a surface.
    pub(in crate::describe) const SURE: f64 = 1.05;

    /// About how many vertices it has in a grid of cells of a width, metres.
    pub(in crate::describe) fn vertices(&self, width: f32) -> u64 {
        (self.area * BallsExtent::SURE * SURFACE_VERTICES / (f64::from(width) * f64::from(width))) as u64
    }

    /// Counts points of a grid that are inside, and its edges that go through the surface: 3/2 for each square of its
    /// area, on average over all directions (Cauchy). It keeps two layers of points. Nothing is told of balls that are
    /// refused.
    pub(in crate::describe) fn of(balls: &[[f32; 4]], cell: f32) -> BallsExtent {
        let good = |[x, y, z, radius]: &[f32; 4]| {
            [x, y, z].iter().all(|c| c.is_finite()) && *radius > 0.0 && radius.is_finite()
        };
        if !(cell > 0.0 && cell.is_finite() && balls.iter().all(good)) {
            return BallsExtent::default();
        }
        let balls: Vec<[f64; 4]> = balls.iter().map(|ball| ball.map(f64::from)).collect();
        let (extent, mut step) = (GridExtent::of(&balls), f64::from(cell));
        let distances = |step: f64| extent.nodes(step) * balls.len() as f64;
        // Not what is no number, either.
        let few = distances(step) <= MAX_BALL_DISTANCES as f64 && extent.nodes(step) <= MAX_BALL_NODES as f64;
        if !few {
            return BallsExtent::default();
        }
        while step * CLOSEST > f64::from(cell) && distances(0.5 * step) <= MEASURED {
            step *= 0.5;
        }
        let (low, [nx, ny, nz]) = (extent.low(step), extent.sides(step).map(|side| side as usize));
        let (mut inside, mut crossed) = (0u64, 0u64);
        let (mut least, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let (mut below, mut layer) = (vec![false; nx * ny], vec![false; nx * ny]);
        for k in 0..nz {
            for (node, is_inside) in layer.iter_mut().enumerate() {
                let at = [node % nx, node / nx, k];
                let x: [f64; 3] = std::array::from_fn(|axis| low[axis] + at[axis] as f64 * step);
                *is_inside = is_in_union(&balls, &extent, x);
                if *is_inside {
                    inside += 1;
                    least = std::array::from_fn(|axis| least[axis].min(x[axis]));
                    most = std::array::from_fn(|axis| most[axis].max(x[axis]));
                }
            }
            let rows = layer.chunks(nx).map(|row| changes(row, &row[1..])).sum::<u64>();
            crossed += rows + changes(&layer, &layer[nx..]) + changes(&layer, &below);
            std::mem::swap(&mut below, &mut layer);
        }
        let sides = std::array::from_fn(|axis| (most[axis] - least[axis]).max(0.0) + 2.0 * step);
        let side = step * step;
        BallsExtent { volume: inside as f64 * side * step, area: crossed as f64 * side / 1.5, sides }
    }
}

/// The number of neighbours of which one is inside.
fn changes(points: &[bool], next: &[bool]) -> u64 {
    points.iter().zip(next).filter(|(a, b)| a != b).count() as u64
}

/// Whether D(x) < 0, mostly by the nearest ball alone.
fn is_in_union(balls: &[[f64; 4]], extent: &GridExtent, x: [f64; 3]) -> bool {
    let (blend, further) = (extent.blend, extent.further);
    let nearest = balls.iter().map(|ball| from_ball(ball, x)).fold(f64::INFINITY, f64::min);
    nearest < 0.0
        || nearest <= further && balls.iter().map(|ball| libm::exp(-from_ball(ball, x) / blend)).sum::<f64>() > 1.0
}

/// The distance of a point from a ball, below 0 inside.
fn from_ball(ball: &[f64; 4], x: [f64; 3]) -> f64 {
    let d: [f64; 3] = std::array::from_fn(|k| x[k] - ball[k]);
    f64::sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) - ball[3]
}

/// Where the grid of a surface of balls lies, for any width of its cells.
struct GridExtent {
    least: [f64; 3],
    most: [f64; 3],
    /// The blend s, metres, and how much further out it may bring the surface of all balls.
    blend: f64,
    further: f64,
}

impl GridExtent {
    fn of(balls: &[[f64; 4]]) -> GridExtent {
        let blend = BLEND * balls.iter().fold(f64::INFINITY, |least, ball| least.min(ball[3]));
        let least = std::array::from_fn(|k| balls.iter().fold(f64::INFINITY, |least, b| least.min(b[k] - b[3])));
        let most = std::array::from_fn(|k| balls.iter().fold(f64::NEG_INFINITY, |most, b| most.max(b[k] + b[3])));
        // The sum of n equal terms is further out by s log n.
        GridExtent { least, most, blend, further: blend * libm::log(balls.len() as f64) }
    }

    fn margin(&self, cell: f64) -> f64 {
        MARGIN * cell + self.further
    }

    fn low(&self, cell: f64) -> [f64; 3] {
        self.least.map(|low| low - self.margin(cell))
    }

    /// Nodes along x, y and z.
    fn sides(&self, cell: f64) -> [f64; 3] {
        let low = self.low(cell);
        std::array::from_fn(|k| libm::ceil((self.most[k] + self.margin(cell) - low[k]) / cell) + 1.0)
    }

    fn nodes(&self, cell: f64) -> f64 {
        let sides = self.sides(cell);
        sides[0] * sides[1] * sides[2]
    }
}

/// The nodes of a grid and the union's distance at each.
struct DistanceGrid {
    low: [f64; 3],
    cell: f64,
    nodes: [usize; 3],
    values: Vec<f64>,
}

impl DistanceGrid {
    fn about(balls: &[[f32; 4]], cell: f64) -> Result<DistanceGrid, Error> {
        let balls: Vec<[f64; 4]> = balls.iter().map(|ball| ball.map(f64::from)).collect();
        let extent = GridExtent::of(&balls);
        let (low, sides, count) = (extent.low(cell), extent.sides(cell), extent.nodes(cell));
        let limit = MAX_BALL_NODES.min(MAX_BALL_DISTANCES / balls.len() as u64);
        if count > limit as f64 {
            let about = cell * libm::cbrt(count / limit as f64);
            let least = advised(about, |cell| extent.nodes(f64::from(cell)) <= limit as f64);
            let (of, cell) = (format!("mesh of {} balls", balls.len()), cell as f32);
            return Err(Error::TooFine { of, cell, nodes: count as u64, limit, least });
        }
        let mut grid = DistanceGrid { low, cell, nodes: sides.map(|n| n as usize), values: Vec::new() };
        grid.values = (0..count as usize).map(|node| union(&balls, extent.blend, grid.place(node))).collect();
        Ok(grid)
    }

    fn place(&self, node: usize) -> [f64; 3] {
        let [nx, ny, _] = self.nodes;
        let at = [node % nx, node / nx % ny, node / (nx * ny)];
        std::array::from_fn(|k| self.low[k] + at[k] as f64 * self.cell)
    }

    /// A corner of a cube by its bits: x, y, z.
    fn corner(&self, node: usize, bits: usize) -> usize {
        let [nx, ny, _] = self.nodes;
        node + (bits & 1) + nx * (bits >> 1 & 1) + nx * ny * (bits >> 2)
    }
}

/// D(x) from all balls; the nearest is taken out of the sum, so that nothing overflows.
fn union(balls: &[[f64; 4]], blend: f64, x: [f64; 3]) -> f64 {
    let from = |ball: &[f64; 4]| from_ball(ball, x);
    let nearest = balls.iter().map(from).fold(f64::INFINITY, f64::min);
    let sum: f64 = balls.iter().map(|ball| libm::exp((nearest - from(ball)) / blend)).sum();
    nearest - blend * libm::log(sum)
}

/// The six ways from a cube's corner 0 to 7 along edges: each is a tetrahedron.
const WAYS: [[usize; 4]; 6] = [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];

/// The mesh as it grows.
struct GrowingMesh<'a> {
    grid: &'a DistanceGrid,
    mesh: Mesh,
    /// The vertex on each edge: seven directions from each node.
    vertices: Vec<u32>,
}

impl GrowingMesh<'_> {
    fn of(grid: &DistanceGrid) -> GrowingMesh<'_> {
        let mut surface = GrowingMesh { grid, mesh: Mesh::default(), vertices: vec![NONE; grid.values.len() * 7] };
        let [nx, ny, nz] = grid.nodes;
        for k in 0..nz - 1 {
            for j in 0..ny - 1 {
                for i in 0..nx - 1 {
                    let node = i + nx * (j + ny * k);
                    WAYS.iter().for_each(|way| surface.cut(node, way));
                }
            }
        }
        surface
    }

    /// Adds what the surface cuts out of a tetrahedron.
    fn cut(&mut self, node: usize, way: &[usize; 4]) {
        let is_inside = |bits: &&usize| self.grid.values[self.grid.corner(node, **bits)] < 0.0;
        let (inside, outside): (Vec<&usize>, Vec<&usize>) = way.iter().partition(is_inside);
        let mut on = |a: usize, b: usize| self.vertex(node, *inside[a], *outside[b]);
        let triangles = match inside.len() {
            1 => vec![[on(0, 0), on(0, 1), on(0, 2)]],
            2 => {
                let [a, b, c, d] = [on(0, 0), on(0, 1), on(1, 1), on(1, 0)];
                vec![[a, b, c], [a, c, d]]
            }
            3 => vec![[on(0, 0), on(1, 0), on(2, 0)]],
            _ => return,
        };
        let middle = |corners: &[&usize]| -> [f64; 3] {
            let sum =
                |k: usize| corners.iter().map(|bits| self.grid.place(self.grid.corner(node, **bits))[k]).sum::<f64>();
            std::array::from_fn(|k| sum(k) / corners.len() as f64)
        };
        let (from, to) = (middle(&inside), middle(&outside));
        let out: [f64; 3] = std::array::from_fn(|k| to[k] - from[k]);
        for [a, b, c] in triangles {
            let [p, q, r] = [a, b, c].map(|v| self.mesh.positions[v as usize].map(f64::from));
            let (e, f): ([f64; 3], [f64; 3]) =
                (std::array::from_fn(|k| q[k] - p[k]), std::array::from_fn(|k| r[k] - p[k]));
            let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
            let outward = (n[0] * out[0] + n[1] * out[1]) + n[2] * out[2] > 0.0;
            self.mesh.triangles.push(if outward { [a, b, c] } else { [a, c, b] });
        }
    }

    /// The vertex between a corner inside and one outside.
    fn vertex(&mut self, node: usize, inside: usize, outside: usize) -> u32 {
        let (grid, low) = (self.grid, inside & outside);
        let slot = grid.corner(node, low) * 7 + (inside ^ outside) - 1;
        if self.vertices[slot] == NONE {
            let (a, b) = (grid.corner(node, inside), grid.corner(node, outside));
            let (da, db) = (grid.values[a], grid.values[b]);
            let t = (da / (da - db)).clamp(LEAST, 1.0 - LEAST);
            let (a, b) = (grid.place(a), grid.place(b));
            self.vertices[slot] = self.mesh.positions.len() as u32;
            self.mesh.positions.push(std::array::from_fn(|k| (a[k] + (b[k] - a[k]) * t) as f32));
        }
        self.vertices[slot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(mesh: &Mesh) -> f64 {
        let of = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| mesh.positions[v as usize].map(f64::from));
            let n = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
            ((a[0] * n[0] + a[1] * n[1]) + a[2] * n[2]) / 6.0
        };
        mesh.triangles.iter().map(of).sum()
    }

    /// Closed, oriented outward, of Euler's number 2, and where it should be.
    #[test]
    fn a_ball_is_a_ball() {
        let mesh = Mesh::of_balls(&[[1.0, -2.0, 0.5, 0.5]], 0.05).expect("a ball");
        assert!(mesh.closed("ball").is_ok() && mesh.defects().errors().count() == 0);
        assert_eq!(mesh.positions.len() + mesh.triangles.len() - mesh.edges().len(), 2);
        let sphere = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
        assert!((volume(&mesh) / sphere - 1.0).abs() < 0.02, "{} of {sphere}", volume(&mesh));
        for [x, y, z] in &mesh.positions {
            let r = ((x - 1.0) * (x - 1.0) + (y + 2.0) * (y + 2.0) + (z - 0.5) * (z - 0.5)).sqrt();
            assert!((r - 0.5).abs() < 0.005, "{r}");
        }
    }

    /// Volume, area and box are told before the surface is made as they are measured of it.
    #[test]
    fn a_surface_is_measured_before_it_is_made() {
        let row = |count: usize, step: f32, radius: f32| -> Vec<[f32; 4]> {
            (0..count).map(|i| [i as f32 * step, 0.2, 0.1, radius]).collect()
        };
        for (balls, cell) in [(row(1, 0.0, 0.3), 0.1), (row(20, 0.02, 0.3), 0.2), (row(5, 1.0, 0.3), 0.2)] {
            let (told, mesh) = (BallsExtent::of(&balls, cell), Mesh::of_balls(&balls, 0.5 * cell).unwrap());
            let area: f64 = mesh.triangles.iter().map(|t| triangle_area(&mesh, t)).sum();
            let (volume, area) = (told.volume / volume(&mesh), told.area / area);
            assert!((0.95..1.1).contains(&volume) && (0.95..1.05).contains(&area), "{balls:?}: {volume}, {area}");
            for k in 0..3 {
                let of = |fold: fn(f32, f32) -> f32, from| mesh.positions.iter().map(|p| p[k]).fold(from, fold);
                let side = f64::from(of(f32::max, f32::MIN) - of(f32::min, f32::MAX));
                assert!(
                    told.sides[k] > 0.99 * side && told.sides[k] < side + 0.6 * f64::from(cell),
                    "{told:?}, {side}"
                );
            }
        }
        for (ball, cell) in
            [([0.0, 0.0, 0.0, f32::NAN], 0.1), ([0.0, 0.0, 0.0, 1.0], 0.0), ([0.0, 0.0, 0.0, 1.0], 1e-6)]
        {
            assert_eq!(BallsExtent::of(&[ball], cell).volume, 0.0);
        }
    }

    fn triangle_area(mesh: &Mesh, t: &[u32; 3]) -> f64 {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize].map(f64::from));
        let (e, f): ([f64; 3], [f64; 3]) = (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
        let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
        0.5 * f64::sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2])
    }

    /// Where balls overlap they are one surface, and further out than each.
    #[test]
    fn balls_flow_together() {
        let balls = [[0.0, 0.0, 0.0, 0.5], [0.6, 0.0, 0.0, 0.4], [0.0, 0.7, 0.2, 0.3]];
        let mesh = Mesh::of_balls(&balls, 0.06).expect("three balls");
        assert!(mesh.closed("balls").is_ok() && mesh.defects().errors().count() == 0);
        assert_eq!(mesh.positions.len() + mesh.triangles.len() - mesh.edges().len(), 2, "one piece without a hole");
        for x in &mesh.positions {
            let from = |b: &[f32; 4]| ((0..3).map(|k| (x[k] - b[k]) * (x[k] - b[k])).sum::<f32>()).sqrt() - b[3];
            let nearest = balls.iter().map(from).fold(f32::INFINITY, f32::min);
            assert!((-0.005..0.08).contains(&nearest), "{nearest}");
        }
    }

    #[test]
    fn what_makes_none_is_named() {
        let error = |balls: &[[f32; 4]], cell| Mesh::of_balls(balls, cell).unwrap_err().to_string();
        assert_eq!(error(&[], 0.1), "mesh of balls: number of balls is 0, which is not 1 or more");
        assert!(error(&[[0.0, 0.0, 0.0, -1.0]], 0.1).contains("radius of ball 0 is -1"));
        assert!(error(&[[f32::NAN, 0.0, 0.0, 1.0]], 0.1).contains("place of ball 0 is NaN"));
        assert!(error(&[[0.0, 0.0, 0.0, 1.0]], 0.0).contains("cell is 0"));
        assert!(error(&[[0.0, 0.0, 0.0, 1.0]], 1e-4).contains("at most 16777216"));
        let coarse = error(&[[0.01, 0.02, 0.03, 0.3], [1.0, 0.0, 0.0, 0.1]], 5.0);
        assert!(coarse.contains("cells of 5 m are too wide") && coarse.contains("3.00e-1 m wide or less"), "{coarse}");
        assert!(Mesh::of_balls(&[[0.01, 0.02, 0.03, 0.3], [1.0, 0.0, 0.0, 0.1]], 0.3).is_ok());
        let row: Vec<[f32; 4]> = (0..1 << 16).map(|i| [i as f32, 0.0, 0.0, 0.5]).collect();
        let many = error(&row, 0.5);
        assert!(
            many.starts_with("mesh of 65536 balls: cells of 0.5 m make ") && many.contains("at most 65536:"),
            "{many}"
        );
        assert!(error(&vec![[0.0, 0.0, 0.0, 1.0]; (1 << 22) + 1], 1.0).contains("number of balls is 4194305"));
    }
}
