//! Broad phase: features whose boxes overlap, from the hash.

use super::surfaces::Surfaces;
use crate::tuning::PAIRS_A_FEATURE;
use seidel_hash::{Aabb, BoxGrid, Error, Pairs};
use seidel_kernels::contact::pairs::{Features, Pair, Sift};
use seidel_kernels::{Isa, Lanes, Row, Shared};

/// Boxes, sorted and paired again and again in the same memory.
#[derive(Debug, Default)]
pub(crate) struct Broad {
    /// Of each row; NaN where it is at no place.
    rows: Vec<Aabb>,
    /// Of points and triangles, and of edges: two workers may take one each.
    kinds: [Kind; 2],
}

/// What is found of one kind of features.
#[derive(Debug, Default)]
struct Kind {
    first: Boxes,
    second: Boxes,
    boxes: Pairs,
    pairs: Vec<Pair>,
    crowded: bool,
}

/// Kinds of features, in their order.
pub(crate) const KINDS: [Features; 2] = [Features::PointTriangle, Features::EdgeEdge];

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

impl Kind {
    /// Pairs of features whose boxes overlap.
    fn find(&mut self, features: Features, surfaces: &Surfaces, rows: &[Aabb]) -> Result<(), Error> {
        let Kind { first, second, boxes, .. } = self;
        *boxes = std::mem::take(boxes).most(PAIRS_A_FEATURE * (surfaces.points.len() + surfaces.edges.len()));
        match features {
            Features::PointTriangle => {
                first.build(surfaces.points.iter().map(|&p| around(rows, [p])))?;
                second.build(surfaces.triangles.iter().map(|&t| around(rows, t)))?;
                boxes.between(&first.grid, &second.grid)
            }
            Features::EdgeEdge => {
                first.build(surfaces.edges.iter().map(|&e| around(rows, e)))?;
                boxes.among(&first.grid)
            }
        }
    }

    /// The pairs found: the numbers of two features, ascending.
    fn numbers(&self, features: Features) -> impl Iterator<Item = [u32; 2]> + '_ {
        let second = if features == Features::PointTriangle { &self.second.of } else { &self.first.of };
        self.boxes.iter().map(|[a, b]| [self.first.of[a as usize], second[b as usize]])
    }
}

impl Broad {
    /// Finds the pairs that may come as near as they keep while particles stay in balls [x, y, z, radius]. `run` has its argument
    /// called with 0 and with 1, by whomever.
    ///
    /// # Errors
    /// If there are too many: many features lie on one heap.
    pub(crate) fn search(
        &mut self,
        surfaces: &Surfaces,
        isa: Isa,
        balls: &[Row],
        run: impl FnOnce(&(dyn Fn(usize) + Sync)),
    ) -> Result<(), Crowded> {
        self.rows.clear();
        self.rows.resize(balls.len(), NOWHERE);
        for body in &surfaces.bodies {
            let rows = body.rows.start as usize..body.rows.end as usize;
            for (b, ball) in self.rows[rows.clone()].iter_mut().zip(&balls[rows]) {
                *b = of_ball(*ball, body.thickness);
            }
        }
        let (rows, kinds) = (&self.rows, Shared::new(&mut self.kinds));
        run(&|number: usize| {
            // SAFETY: `run` calls it once with each number.
            let kind = unsafe { &mut kinds.part(number, 1)[0] };
            let features = KINDS[number];
            kind.crowded = kind.find(features, surfaces, rows).is_err();
            let mut pairs = std::mem::take(&mut kind.pairs);
            pairs.clear();
            if !kind.crowded {
                pairs.extend(kind.numbers(features).filter_map(|numbers| surfaces.pair(features, numbers)));
                Sift { balls }.keep(isa, features, &mut pairs);
            }
            kind.pairs = pairs;
        });
        if self.kinds.iter().any(|kind| kind.crowded) { Err(Crowded) } else { Ok(()) }
    }

    /// The pairs found of each kind, in the order of the features' numbers.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Features, &[Pair])> {
        KINDS.into_iter().zip(self.kinds.iter().map(|kind| &kind.pairs[..]))
    }

    /// All whose boxes overlap: the numbers of two features of each pair.
    pub(crate) fn overlapping(&self) -> impl Iterator<Item = (Features, [u32; 2])> + '_ {
        let each = |(features, kind): (Features, &'_ Kind)| -> Vec<_> {
            kind.numbers(features).map(|numbers| (features, numbers)).collect()
        };
        KINDS.into_iter().zip(&self.kinds).flat_map(each)
    }
}

/// There are too many pairs.
#[derive(Debug)]
pub(crate) struct Crowded;
