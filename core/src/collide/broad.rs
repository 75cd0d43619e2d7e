//! Broad phase: features whose boxes overlap, from the hash.

use super::surfaces::Surfaces;
use crate::tuning::PAIRS_A_FEATURE;
use seidel_hash::{Aabb, BoxGrid, Error, Pairs};
use seidel_kernels::contact::pairs::Features;
use seidel_kernels::{Lanes, Row};

/// Boxes, sorted and paired again and again in the same memory.
#[derive(Debug, Default)]
pub(crate) struct Broad {
    /// Of each row; NaN where it is at no place.
    rows: Vec<Aabb>,
    points: Boxes,
    triangles: Boxes,
    edges: Boxes,
    of_points: Pairs,
    of_edges: Pairs,
}

/// Boxes of features.
#[derive(Debug, Default)]
struct Boxes {
    boxes: Vec<Aabb>,
    /// The feature of each box: all but those at no place.
    of: Vec<u32>,
    grid: BoxGrid,
}

const NOWHERE: Aabb = Aabb { low: [f32::NAN; 3], high: [f32::NAN; 3] };

impl Boxes {
    fn build(&mut self, features: impl Iterator<Item = Aabb>) -> Result<(), Error> {
        self.boxes.clear();
        self.of.clear();
        for (feature, b) in features.enumerate() {
            if b.low[0] <= b.high[0] {
                self.boxes.push(b);
                self.of.push(feature as u32);
            }
        }
        self.grid.build(&self.boxes)
    }
}

/// A box around all of some; nowhere if one is.
fn around<const N: usize>(rows: &[Aabb], at: [u32; N]) -> Aabb {
    let mut b = rows[at[0] as usize];
    for row in &at[1..] {
        let other = &rows[*row as usize];
        if other.low[0].is_nan() {
            return NOWHERE;
        }
        for k in 0..3 {
            b.low[k] = Lanes::smaller(b.low[k], other.low[k]);
            b.high[k] = Lanes::larger(b.high[k], other.high[k]);
        }
    }
    b
}

/// A box around a ball and the thickness; nowhere if it is at no place.
fn of_ball(ball: Row, thickness: f32) -> Aabb {
    let mut b = Aabb::default();
    for k in 0..3 {
        // Rounded outwards: a few steps of f32 at this place.
        let pad = (ball[3] + thickness) + ball[k].abs() * 1e-6;
        (b.low[k], b.high[k]) = (ball[k] - pad, ball[k] + pad);
    }
    let sound = (0..3).all(|k| b.low[k].is_finite() && b.high[k].is_finite());
    if sound { b } else { NOWHERE }
}

impl Broad {
    /// Finds the pairs of features that may touch while particles stay in balls [x, y, z, radius]: their boxes overlap.
    ///
    /// # Errors
    /// If there are too many: many features lie on one heap.
    pub(crate) fn search(&mut self, surfaces: &Surfaces, balls: &[Row]) -> Result<(), Error> {
        self.rows.clear();
        self.rows.resize(balls.len(), NOWHERE);
        for body in &surfaces.bodies {
            let rows = body.rows.start as usize..body.rows.end as usize;
            for (b, ball) in self.rows[rows.clone()].iter_mut().zip(&balls[rows]) {
                *b = of_ball(*ball, body.thickness);
            }
        }
        let rows = &self.rows;
        self.points.build(surfaces.points.iter().map(|&p| around(rows, [p])))?;
        self.triangles.build(surfaces.triangles.iter().map(|&t| around(rows, t)))?;
        self.edges.build(surfaces.edges.iter().map(|&e| around(rows, e)))?;
        let most = PAIRS_A_FEATURE * (surfaces.points.len() + surfaces.edges.len());
        for pairs in [&mut self.of_points, &mut self.of_edges] {
            *pairs = std::mem::take(pairs).most(most);
        }
        self.of_points.between(&self.points.grid, &self.triangles.grid)?;
        self.of_edges.among(&self.edges.grid)
    }

    /// The pairs found: the numbers of two features, ascending.
    pub(crate) fn pairs(&self, features: Features) -> impl Iterator<Item = [u32; 2]> + '_ {
        let (pairs, first, second) = match features {
            Features::PointTriangle => (&self.of_points, &self.points.of, &self.triangles.of),
            Features::EdgeEdge => (&self.of_edges, &self.edges.of, &self.edges.of),
        };
        pairs.iter().map(|[a, b]| [first[a as usize], second[b as usize]])
    }
}
