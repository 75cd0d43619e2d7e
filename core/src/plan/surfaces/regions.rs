//! Parts of sheets that are plane at rest: two clusters each, and the triangles between them.
//!
//! In the plane at rest, the convex hull of two clusters' particles must be covered by triangles, each point once.

use crate::tuning::{POINTS_A_CLUSTER, POINTS_A_PART};
use seidel_kernels::contact::pairs::Triangles;
use seidel_kernels::{Lanes, Pack, Row};
use std::ops::Range;

/// Regions of all sheets that are plane at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions {
    /// Triangles of clusters.
    pub(crate) triangles: Vec<Triangles>,
    /// Of each cluster, its part of these.
    pub(crate) of_cluster: Vec<Range<usize>>,
    pub(crate) each: Vec<PlaneRegion>,
    /// Numbers of triangles, twice each: sixteen for a pack above.
    pub(crate) numbers: Vec<Pack<u32>>,
    /// Clusters whose triangles regions have.
    pub(crate) clusters: Vec<u32>,
    /// For each cluster, where those begin that have triangles of the regions of which it is the first, ascending; and
    /// all of these.
    pub(super) around: (Vec<u32>, Vec<u32>),
    /// The region of two clusters, in their order, and of two parts of clusters.
    pub(super) pairs: Vec<([u32; 2], u32)>,
    pub(super) parts: Vec<([u32; 2], u32)>,
}

/// A region.
#[derive(Clone, Debug)]
pub(crate) struct PlaneRegion {
    pub(crate) numbers: Range<usize>,
    pub(crate) clusters: Range<usize>,
    /// Rows far from each other: from the first to the second, and from the third to the fourth.
    pub(super) corners: [u32; 4],
    /// (p1 - p0, p3 - p2)^-1 by rows, 1/m.
    pub(super) inverse: [f32; 4],
}

impl PlaneRegion {
    /// Two tangents Q for which Q^T F is symmetric, F being the whole region's; None if it has none.
    pub(crate) fn tangents(&self, x: &[Row]) -> Option<[[f32; 3]; 2]> {
        let way = |a: u32, b: u32| -> [f32; 3] { std::array::from_fn(|k| x[b as usize][k] - x[a as usize][k]) };
        let [a, b, c, d] = self.corners;
        let (e, f, m) = (way(a, b), way(c, d), self.inverse);
        let f0: [f32; 3] = std::array::from_fn(|k| e[k] * m[0] + f[k] * m[2]);
        let f1: [f32; 3] = std::array::from_fn(|k| e[k] * m[1] + f[k] * m[3]);
        let dot = |a: [f32; 3], b: [f32; 3]| (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
        let unit = |a: [f32; 3]| {
            let length = dot(a, a).sqrt();
            (length > 1e-6 && length.is_finite()).then(|| a.map(|a| a / length))
        };
        let t = unit(f0)?;
        let along = dot(t, f1);
        let s = unit(std::array::from_fn(|k| f1[k] - t[k] * along))?;
        // [t s]^T F = [[a, b], [0, d]]; turned by (c, s) in the plane it is symmetric.
        let (a, b, d) = (dot(t, f0), along, dot(s, f1));
        let length = ((a + d) * (a + d) + b * b).sqrt();
        let (c, n) = ((a + d) / length, -b / length);
        length
            .is_finite()
            .then(|| [std::array::from_fn(|k| t[k] * c + s[k] * n), std::array::from_fn(|k| s[k] * c - t[k] * n)])
    }
}

/// Numbers of two parts among those of all clusters.
pub(super) fn part_keys(pair: [u32; 2], numbers: [u8; 2]) -> [u32; 2] {
    const MOST: u32 = (POINTS_A_CLUSTER / POINTS_A_PART) as u32;
    std::array::from_fn(|k| pair[k] * MOST + u32::from(numbers[k]))
}

impl Regions {
    /// For each cluster, the largest of some numbers of clusters, >= 0, in the regions of which it is the first.
    pub(crate) fn largest_around(&self, of: &[f32], to: &mut [f32]) {
        let (starts, all) = &self.around;
        for (to, range) in to.iter_mut().zip(starts.windows(2)) {
            let around = &all[range[0] as usize..range[1] as usize];
            *to = around.iter().fold(0.0, |most, &cluster| Lanes::larger(most, of[cluster as usize]));
        }
    }

    /// The region of two parts of two clusters, the lower ones first.
    pub(crate) fn of_parts(&self, pair: [u32; 2], numbers: [u8; 2]) -> Option<u32> {
        let key = part_keys(pair, numbers);
        let found = self.parts.binary_search_by_key(&key, |(key, _)| *key);
        found.ok().map(|at| self.parts[at].1)
    }

    /// The region of two clusters, the lower one first.
    pub(crate) fn of(&self, pair: [u32; 2]) -> Option<u32> {
        let found = self.pairs.binary_search_by_key(&pair, |(pair, _)| *pair);
        found.ok().map(|at| self.pairs[at].1)
    }
}
