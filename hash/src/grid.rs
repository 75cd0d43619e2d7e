//! A grid of points, made once and asked often.

use crate::cells::{Cell, VANISHES, bucket, cell, for_each_cell, inside, reach, span, volume};
use crate::error::{Error, countable};

/// Points sorted by cell, for the question which of them lie in a ball.
///
/// # Source
/// Teschner et al. 2003, section 4; the counting sort is Green 2008, section 3.
#[derive(Clone, Debug)]
pub struct PointGrid {
    /// 1 / cell width.
    inv: f64,
    /// Bucket `b` is `starts[b]..starts[b + 1]` of the arrays below.
    starts: Vec<u32>,
    /// Point ids, by bucket, ascending in a bucket.
    ids: Vec<u32>,
    /// Cells in the order of `ids`: tells apart the cells that share a bucket, so that no point is visited twice.
    cells: Vec<Cell>,
    /// Positions in the order of `ids`.
    positions: Vec<[f32; 3]>,
}

impl PointGrid {
    /// Sorts `points` into cells `cell` wide; about the radius of the queries is a good width. Linear time.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for the first point that is NaN or infinite, [`Error::Cell`] for a width that is not
    /// finite and > 0, [`Error::TooMany`] for `u32::MAX` points or more.
    pub fn new(points: &[[f32; 3]], cell: f32) -> Result<Self, Error> {
        if !(cell.is_finite() && cell > 0.0) {
            return Err(Error::Cell { cell });
        }
        countable(points.len())?;
        if let Some(point) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(Error::NotFinite { point, position: points[point] });
        }
        // Narrower cells tell nothing apart that the ball test tells apart, and a ball would cover very many.
        let inv = 1.0 / f64::from(cell).max(VANISHES);
        let buckets = points.len().next_power_of_two();
        let of = |p: [f32; 3]| {
            let cell = self::cell(p.map(f64::from), inv);
            (cell, bucket(cell, buckets - 1))
        };

        // Counting sort: count, sum, then fill from the back so that each bucket's end becomes its start.
        let mut starts = vec![0u32; buckets + 1];
        for &p in points {
            starts[of(p).1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let n = points.len();
        let mut grid = Self { inv, starts, ids: vec![0; n], cells: vec![[0.0; 3]; n], positions: vec![[0.0; 3]; n] };
        for (id, &p) in points.iter().enumerate().rev() {
            let (cell, bucket) = of(p);
            grid.starts[bucket] -= 1;
            let at = grid.starts[bucket] as usize;
            grid.ids[at] = id as u32;
            grid.cells[at] = cell;
            grid.positions[at] = p;
        }
        Ok(grid)
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Calls `visit` once with the id of each point in the closed ball, in an order that only the input decides.
    ///
    /// `point` that is not finite, and `radius` that is NaN or below 0, hold nothing. An infinite radius holds everything.
    pub fn for_each_within(&self, point: [f32; 3], radius: f32, mut visit: impl FnMut(u32)) {
        let asks = point.iter().all(|x| x.is_finite()) && radius >= 0.0;
        if !asks || self.is_empty() {
            return;
        }
        let (lo, hi) = span(point, reach(radius), self.inv);
        if volume(lo, hi) > self.len() as f64 {
            for (&id, &p) in self.ids.iter().zip(&self.positions) {
                if inside(p, point, radius) {
                    visit(id);
                }
            }
            return;
        }
        let mask = self.starts.len() - 2;
        for_each_cell(lo, hi, |cell| {
            let b = bucket(cell, mask);
            for at in self.starts[b] as usize..self.starts[b + 1] as usize {
                if self.cells[at] == cell && inside(self.positions[at], point, radius) {
                    visit(self.ids[at]);
                }
            }
        });
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
