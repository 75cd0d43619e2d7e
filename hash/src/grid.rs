//! A grid of points, for the question which of them lie in a ball.

use crate::Isa;
use crate::candidates::{NOBODY, Points, SLACK, near};
use crate::cells::{Cell, WIDER, cell_of, inside, reach, span, volume};
use crate::error::{Error, countable};
use crate::executor::{CurrentPool, Executor, fold, parts, ranges};
use crate::lanes::{Job, Lanes, dispatch};
use crate::scatter::Scatter;
use crate::table::{ROWS, Runs, Table};

/// Points sorted by cell, made for balls of one radius, and again and again in the same memory.
///
/// Cells are as wide as the radius, or half as wide where they would be crowded; the table has a bucket a cell where
/// the points' domain has not many more cells than points, and hashes otherwise. Both follow from the points alone.
///
/// The **order of the grid** is by cell, x first, then y, then z (where the domain is large: by bucket), and ascending
/// in a bucket. It does not depend on threads or lanes.
///
/// # Source
/// Teschner et al. 2003, "Optimized Spatial Hashing for Collision Detection of Deformable Objects" (hash function,
/// table size, cell size); the counting sort is Green 2008, "CUDA Particles" (the grid built with atomic operations).
///
/// # Example
/// ```
/// let mut grid = seidel_hash::PointGrid::new(&[[0.0, 0.0, 0.0], [-2.0, 0.0, 0.0]], 1.0)?;
/// let mut near = Vec::new();
/// grid.within([0.5, 0.0, 0.0], 0.5, &mut near);
/// assert_eq!(near, [0]);
/// grid.build(&[[0.5, 0.0, 0.0]], 2.0)?; // the next frame
/// # Ok::<(), seidel_hash::Error>(())
/// ```
#[derive(Debug)]
pub struct PointGrid {
    pub(crate) isa: Isa,
    /// For which it was made.
    pub(crate) radius: f32,
    /// 1 / cell width.
    pub(crate) inv: f64,
    /// How many cells further on a ball of that radius reaches: 1 or 2.
    pub(crate) further: i64,
    pub(crate) table: Table,
    pub(crate) scatter: Scatter,
    pub(crate) points: Points,
    /// Bucket and rank of each point, by id.
    keys: Vec<u32>,
    ranks: Vec<u32>,
}

/// Points of a block in the loops of the build.
const GRAIN: usize = 1 << 12;

/// Points a cell from which cells of half the width are tested against fewer points in all.
const CROWDED: f64 = 40.0;

impl Default for PointGrid {
    /// No points, for radius 1, on the widest lanes of the processor.
    fn default() -> Self {
        PointGrid {
            isa: Isa::detect(),
            radius: 1.0,
            inv: 1.0,
            further: 1,
            table: Table::hashed(0),
            scatter: Scatter::default(),
            points: Points::default(),
            keys: Vec::new(),
            ranks: Vec::new(),
        }
    }
}

impl PointGrid {
    /// A grid of points for balls up to `radius`. See [`build`](Self::build).
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub fn new(points: &[[f32; 3]], radius: f32) -> Result<Self, Error> {
        let mut grid = PointGrid::default();
        grid.build(points, radius)?;
        Ok(grid)
    }

    /// Chooses the lanes; the widest of the processor unless told. No result depends on them.
    #[must_use]
    pub fn on(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }

    /// Sorts `points` for balls of `radius`, in the points' unit; they are copied. What the grid held before is lost,
    /// its memory is used again. Linear time. Called inside a rayon pool, all its threads work; called outside, the
    /// caller alone: [`build_with`](Self::build_with) has another choice.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for the first point that is NaN or infinite, [`Error::Radius`] for a radius that is not
    /// finite and > 0, [`Error::TooMany`] for `u32::MAX` points or more. The grid is then empty.
    pub fn build(&mut self, points: &[[f32; 3]], radius: f32) -> Result<(), Error> {
        self.build_with(&mut CurrentPool, points, radius)
    }

    /// The same on an executor's threads.
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub fn build_with(&mut self, on: &mut dyn Executor, points: &[[f32; 3]], radius: f32) -> Result<(), Error> {
        self.points.resize(0);
        if !(radius.is_finite() && radius > 0.0) {
            return Err(Error::Radius { radius });
        }
        countable(points.len())?;
        let (low, high) = bounds(on, points)?;
        let n = points.len();

        self.radius = radius;
        self.further = 1;
        let reach = reach(radius);
        self.inv = 1.0 / (reach * WIDER);
        let corners = |inv| (cell_of(low, inv), cell_of(high, inv));
        let (lo, hi) = corners(self.inv);
        if n as f64 > CROWDED * volume(lo, hi) {
            self.further = 2;
            self.inv *= 2.0;
        }
        let (lo, hi) = corners(self.inv);
        self.table = Table::new(lo, hi, n);

        let (table, inv) = (self.table, self.inv);
        self.keys.resize(n, 0);
        self.ranks.resize(n, 0);
        let counter = self.scatter.count(on, table.buckets());
        parts(
            on,
            (&mut self.keys[..], &mut self.ranks[..]),
            GRAIN,
            |first, (keys, ranks): (&mut [u32], &mut [u32])| {
                let points = &points[first..first + keys.len()];
                for ((key, rank), &p) in keys.iter_mut().zip(ranks).zip(points) {
                    *key = table.bucket(0, cell_of(p, inv));
                    *rank = counter.rank(*key);
                }
            },
        );
        self.scatter.sum(on);
        let placer = self.scatter.place(n);
        let (keys, ranks) = (&self.keys[..], &self.ranks[..]);
        ranges(on, 0..n, GRAIN, |range| {
            for i in range {
                placer.put(keys[i], ranks[i], i as u32);
            }
        });
        self.points.resize(n);
        let Points { x, y, z, ids } = &mut self.points;
        self.scatter.sort(on, &mut ids[..n]);
        let ids = &ids[..n];
        type Column<'a> = &'a mut [f32];
        let columns = (&mut x[..n], (&mut y[..n], &mut z[..n]));
        parts(on, columns, GRAIN, |first, (x, (y, z)): (Column<'_>, (Column<'_>, Column<'_>))| {
            for (k, id) in ids[first..first + x.len()].iter().enumerate() {
                [x[k], y[k], z[k]] = points[*id as usize];
            }
        });
        Ok(())
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All ids in the order of the grid: points that are near each other are mostly near in it, so it is a good order
    /// to keep them in memory.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.points.ids[..self.len()]
    }

    /// Calls `visit` once with the id of each point in the closed ball, in an order that only points, grid and ball
    /// decide.
    ///
    /// `point` and `radius` are in the points' unit. Any radius will do; up to that of the grid is fast, beyond it the
    /// time grows with the cells that the ball covers, and at most with the number of points. `point` that is not
    /// finite, and `radius` that is NaN or below 0, hold nothing. An infinite radius holds everything.
    pub fn for_each_within(&self, point: [f32; 3], radius: f32, mut visit: impl FnMut(u32)) {
        let asks = point.iter().all(|x| x.is_finite()) && radius >= 0.0;
        if !asks || self.is_empty() {
            return;
        }
        let (lo, hi) = span(point, reach(radius), self.inv);
        let rows = volume([0, lo[1], lo[2]], [0, hi[1], hi[2]]);
        if rows > ROWS as f64 {
            self.for_each_in_rows(point, radius, lo, hi, visit);
            return;
        }
        let mut runs = Runs::new();
        self.table.runs(0, lo, hi, &mut runs);
        runs.turn(self.scatter.starts());
        for &[from, to] in runs.get() {
            self.for_each_of(from as usize, to as usize, point, radius, &mut visit);
        }
    }

    /// For more rows than are kept apart: those that are there, or all points where the cells are more than these.
    fn for_each_in_rows(&self, point: [f32; 3], radius: f32, lo: Cell, hi: Cell, mut visit: impl FnMut(u32)) {
        let Table::Dense { lo: first, size } = self.table else {
            self.for_each_in_hashed_rows(point, radius, lo, hi, visit);
            return;
        };
        let mut runs = Runs::new();
        for z in lo[2].max(first[2])..=hi[2].min(first[2] + size[2] - 1) {
            for y in lo[1].max(first[1])..=hi[1].min(first[1] + size[1] - 1) {
                self.table.runs(0, [lo[0], y, z], [hi[0], y, z], &mut runs);
                runs.turn(self.scatter.starts());
                for &[from, to] in runs.get() {
                    self.for_each_of(from as usize, to as usize, point, radius, &mut visit);
                }
            }
        }
    }

    /// The same where cells are hashed: rows can share buckets, so a row visits only points of its own cells.
    fn for_each_in_hashed_rows(&self, point: [f32; 3], radius: f32, lo: Cell, hi: Cell, mut visit: impl FnMut(u32)) {
        if volume(lo, hi) > self.len() as f64 {
            self.for_each_of(0, self.len(), point, radius, &mut visit);
            return;
        }
        let mut runs = Runs::new();
        for z in lo[2]..=hi[2] {
            for y in lo[1]..=hi[1] {
                self.table.runs(0, [lo[0], y, z], [hi[0], y, z], &mut runs);
                runs.turn(self.scatter.starts());
                for slot in runs.get().iter().flat_map(|&[from, to]| from as usize..to as usize) {
                    let q = self.points.at(slot);
                    if inside(q, point, radius) && cell_of(q, self.inv)[1..] == [y, z] {
                        visit(self.points.ids[slot]);
                    }
                }
            }
        }
    }

    /// Those of the slots `from..to`.
    fn for_each_of(&self, from: usize, to: usize, p: [f32; 3], radius: f32, visit: &mut impl FnMut(u32)) {
        const PART: usize = 256;
        if to - from < 4 {
            for slot in from..to {
                if inside(self.points.at(slot), p, radius) {
                    visit(self.points.ids[slot]);
                }
            }
            return;
        }
        let mut out = [0; PART + SLACK];
        for from in (from..to).step_by(PART) {
            let tested = self.points.tested(&self.points.ids, from, to.min(from + PART));
            let found = dispatch(self.isa, Near { tested, p, square: radius * radius, out: &mut out });
            out[..found].iter().copied().for_each(&mut *visit);
        }
    }

    /// Writes the ids of the points in the closed ball to `out`, ascending. What `out` held before is lost.
    ///
    /// The rules of [`for_each_within`](Self::for_each_within) apply.
    pub fn within(&self, point: [f32; 3], radius: f32, out: &mut Vec<u32>) {
        out.clear();
        self.for_each_within(point, radius, |id| out.push(id));
        out.sort_unstable();
    }
}

struct Near<'a> {
    tested: crate::candidates::Tested<'a>,
    p: [f32; 3],
    square: f32,
    out: &'a mut [u32],
}

impl Job for Near<'_> {
    type Output = usize;
    #[inline(always)]
    fn run<L: Lanes>(self) -> usize {
        near::<L>(self.tested, self.p, self.square, NOBODY, self.out)
    }
}

/// The corners of the smallest box that holds all points; zero of none.
fn bounds(on: &mut dyn Executor, points: &[[f32; 3]]) -> Result<([f32; 3], [f32; 3]), Error> {
    let Some(&first) = points.first() else { return Ok(([0.0; 3], [0.0; 3])) };
    let none = (first, first, true);
    let both = |a: Bounds, b: Bounds| {
        let lo = [0, 1, 2].map(|k| if b.0[k] < a.0[k] { b.0[k] } else { a.0[k] });
        let hi = [0, 1, 2].map(|k| if b.1[k] > a.1[k] { b.1[k] } else { a.1[k] });
        (lo, hi, a.2 && b.2)
    };
    let (lo, hi, finite) = fold(on, points.len(), 4 * GRAIN, none, |range| bounds_of(&points[range], first), both);
    if !finite {
        let point = points.iter().position(|p| !p.iter().all(|x| x.is_finite())).unwrap_or(0);
        return Err(Error::NotFinite { point, position: points[point] });
    }
    Ok((lo, hi))
}

/// Lowest and highest corner, and whether all points are finite, without which the corners mean nothing.
type Bounds = ([f32; 3], [f32; 3], bool);

fn bounds_of(points: &[[f32; 3]], first: [f32; 3]) -> Bounds {
    // Four points at once, coordinate by coordinate: the compiler makes lanes of it.
    let wide: [f32; 12] = std::array::from_fn(|k| first[k % 3]);
    let (mut lo, mut hi, mut sum) = (wide, wide, [0.0f32; 12]);
    let (fours, rest) = points.as_flattened().as_chunks::<12>();
    for four in fours {
        for k in 0..12 {
            let x = four[k];
            lo[k] = if x < lo[k] { x } else { lo[k] };
            hi[k] = if x > hi[k] { x } else { hi[k] };
            // Zero, unless x is not finite: then NaN, for good.
            sum[k] += 0.0 * x;
        }
    }
    for (k, &x) in rest.iter().enumerate() {
        lo[k] = if x < lo[k] { x } else { lo[k] };
        hi[k] = if x > hi[k] { x } else { hi[k] };
        sum[k] += 0.0 * x;
    }
    for k in 3..12 {
        lo[k % 3] = if lo[k] < lo[k % 3] { lo[k] } else { lo[k % 3] };
        hi[k % 3] = if hi[k] > hi[k % 3] { hi[k] } else { hi[k % 3] };
    }
    ([lo[0], lo[1], lo[2]], [hi[0], hi[1], hi[2]], sum.iter().all(|&s| s == 0.0))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Points in the fullest bucket.
    fn fullest(points: &[[f32; 3]], radius: f32) -> (PointGrid, u32) {
        let grid = PointGrid::new(points, radius).unwrap();
        let fullest = grid.scatter.starts().windows(2).map(|ends| ends[1] - ends[0]).max().unwrap();
        (grid, fullest)
    }

    #[test]
    fn a_stray_point_crowds_no_cell() {
        let mut points: Vec<[f32; 3]> =
            (0..64_000).map(|k| [k % 40, k / 40 % 40, k / 1600].map(|c| c as f32)).collect();
        let (grid, most) = fullest(&points, 1.0);
        assert!(matches!(grid.table, Table::Dense { .. }) && most <= 8);
        points.push([1e30, -1e30, 1e30]);
        let (grid, most) = fullest(&points, 1.0);
        assert!(matches!(grid.table, Table::Hashed { .. }) && most <= 24, "{most}");
    }

    #[test]
    fn crowded_cells_are_halved() {
        let points: Vec<[f32; 3]> = (0..64_000).map(|k| [k % 40, k / 40 % 40, k / 1600].map(|c| c as f32)).collect();
        let further = |radius| PointGrid::new(&points, radius).unwrap().further;
        assert_eq!((further(2.0), further(6.0)), (1, 2));
    }
}
