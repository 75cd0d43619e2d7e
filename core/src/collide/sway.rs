//! How clusters move.

use super::surfaces::Surfaces;
use seidel_kernels::contact::pairs::{Boxes, Reaches};
use seidel_kernels::{BATCH, Lanes, Pack, Row};
use std::ops::Range;

/// A cluster in a substep, and since pairs of clusters were found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sway {
    /// In the middle of its particles' ways in this substep, metres.
    pub(crate) mean: [f32; 3],
    /// No particle's way is farther from that, metres.
    pub(crate) radius: f32,
    /// Sums of both over the substeps before.
    drift: [f32; 3],
    strayed: f32,
    /// The same when boxes were put around its features.
    boxed: ([f32; 3], f32),
    /// Around all its particles on their ways; the lowest above the highest where it is nowhere.
    pub(crate) low: [f32; 3],
    pub(crate) high: [f32; 3],
    /// Whether it is anywhere, and whether one of its particles is fixed.
    pub(crate) somewhere: bool,
    pub(crate) fixed: bool,
}

/// What lies between two clusters that move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Apart {
    drift: [f32; 3],
    strayed: f32,
}

/// Some roundings.
const OUTWARDS: f32 = 1.0 + 1e-5;

fn length(a: [f32; 3]) -> f32 {
    ((a[0] * a[0] + a[1] * a[1]) + a[2] * a[2]).sqrt()
}

impl Sway {
    /// Takes over how far a cluster reaches and goes, a lane of what was found.
    pub(crate) fn set(&mut self, reaches: &Reaches, lane: usize) {
        let of = |packs: &[Pack<f32>; 3]| -> [f32; 3] { std::array::from_fn(|k| packs[k].0[lane]) };
        let (least, most) = (of(&reaches.least), of(&reaches.most));
        let half: [f32; 3] = std::array::from_fn(|k| (most[k] - least[k]) * 0.5);
        self.mean = std::array::from_fn(|k| (most[k] + least[k]) * 0.5);
        self.radius = length(half) * OUTWARDS;
        (self.low, self.high) = (of(&reaches.low), of(&reaches.high));
        self.fixed = reaches.lightest.0[lane] <= 0.0;
        self.somewhere = least[0] <= most[0];
        if !self.somewhere {
            (self.mean, self.radius) = ([0.0; 3], 0.0);
        }
    }

    /// The substep is over.
    pub(crate) fn go_on(&mut self) {
        (0..3).for_each(|k| self.drift[k] += self.mean[k]);
        self.strayed += self.radius;
    }

    /// Pairs of clusters are found anew.
    pub(crate) fn forget(&mut self) {
        (self.drift, self.strayed) = ([0.0; 3], 0.0);
        self.boxed = ([f32::NAN; 3], f32::NAN);
    }

    /// Whether its features are farther than that from where boxes were put around them, or there are none; if so, they are put now.
    pub(crate) fn box_again(&mut self, most: f32) -> bool {
        let (drift, strayed) = self.boxed;
        let off = std::array::from_fn(|k| self.drift[k] - drift[k]);
        let near = length(off) + (self.strayed - strayed) <= most;
        if !near {
            self.boxed = (self.drift, self.strayed);
        }
        !near
    }

    /// How far particles of two clusters may have moved against each other since boxes were put around their features.
    pub(crate) fn since_boxed(&self, other: &Sway) -> f32 {
        let (a, b) = (&self.boxed, &other.boxed);
        let off = std::array::from_fn(|k| (self.drift[k] - a.0[k]) - (other.drift[k] - b.0[k]));
        (length(off) + ((self.strayed - a.1) + (other.strayed - b.1))) * OUTWARDS
    }

    /// How far particles of two clusters go against each other in this substep, at most.
    pub(crate) fn travel(&self, other: &Sway) -> f32 {
        let between = std::array::from_fn(|k| self.mean[k] - other.mean[k]);
        (length(between) + (self.radius + other.radius)) * OUTWARDS
    }

    /// How far one of its particles goes in this substep against what moves by `way`, at most.
    pub(crate) fn from(&self, way: [f32; 3]) -> f32 {
        let off = std::array::from_fn(|k| self.mean[k] - way[k]);
        (length(off) + self.radius) * OUTWARDS
    }

    /// Where two clusters are against each other where the substep starts.
    pub(crate) fn apart(&self, other: &Sway) -> Apart {
        Apart { drift: std::array::from_fn(|k| self.drift[k] - other.drift[k]), strayed: self.strayed + other.strayed }
    }
}

impl Apart {
    /// How far particles of both may have moved against each other, from this to a later time.
    pub(crate) fn to(&self, later: &Apart) -> f32 {
        let drift = std::array::from_fn(|k| later.drift[k] - self.drift[k]);
        (length(drift) + (later.strayed - self.strayed)) * OUTWARDS
    }
}

/// Boxes of all features, where they were not long ago, sixteen and sixteen of each cluster.
#[derive(Debug, Default)]
pub(crate) struct FeatureBoxes {
    pub(crate) points: Vec<Boxes>,
    pub(crate) triangles: Vec<Boxes>,
    pub(crate) edges: Vec<Boxes>,
    /// Of each cluster.
    pub(crate) of: Vec<Parts>,
    /// Around all features of each: lowest and highest; nowhere, the lowest is above.
    pub(crate) around: Vec<[[f32; 3]; 2]>,
}

/// A cluster's parts of the boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) points: Range<usize>,
    pub(crate) triangles: Range<usize>,
    pub(crate) edges: Range<usize>,
}

impl FeatureBoxes {
    /// With room for all features.
    pub(crate) fn new(surfaces: &Surfaces) -> FeatureBoxes {
        let mut all = FeatureBoxes::default();
        let mut counts = [0; 3];
        for cluster in &surfaces.clusters {
            let mut next = |kind: usize, features: &Range<usize>| {
                let from = counts[kind];
                counts[kind] += features.len().div_ceil(BATCH);
                from..counts[kind]
            };
            let parts = Parts {
                points: next(0, &cluster.points),
                triangles: next(1, &cluster.triangles),
                edges: next(2, &cluster.edges),
            };
            all.of.push(parts);
        }
        all.around.resize(all.of.len(), [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]]);
        for (boxes, count) in [&mut all.points, &mut all.triangles, &mut all.edges].into_iter().zip(counts) {
            boxes.resize(count, Boxes::NONE);
        }
        all
    }
}

/// Sets boxes around features, each a number of rows; nowhere if one of them is.
pub(crate) fn surround<const N: usize>(features: impl Iterator<Item = [u32; N]>, x: &[Row], boxes: &mut [Boxes]) {
    boxes.fill(Boxes::NONE);
    for (number, rows) in features.enumerate() {
        let mut low = x[rows[0] as usize];
        let mut high = low;
        let mut sum = 0.0;
        for row in rows {
            let p = x[row as usize];
            for k in 0..4 {
                (low[k], high[k]) = (Lanes::smaller(low[k], p[k]), Lanes::larger(high[k], p[k]));
            }
            sum += (p[0] + p[1]) + p[2];
        }
        if sum.is_finite() {
            boxes[number / BATCH].set(number % BATCH, [low[0], low[1], low[2]], [high[0], high[1], high[2]]);
        }
    }
}
