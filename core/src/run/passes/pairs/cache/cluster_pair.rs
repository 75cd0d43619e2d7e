//! A pair of clusters, and what a cache knows about it.

use super::input::{CacheInput, spread};
use super::listed::List;
use super::sets::FeatureSets;
use crate::plan::surfaces::Surfaces;
use crate::run::passes::pairs::bound::MotionBound;
use seidel_kernels::Lanes;
use std::ops::Range;

/// What a cache knows about a pair of clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PairState {
    /// Nothing.
    New,
    /// The sheet is flat there.
    Culled,
    /// Nothing meets before they have travelled `apart_until`.
    Separated,
    /// The same, and its parts know more.
    Split,
}

/// A pair of clusters.
#[derive(Clone, Debug)]
pub(super) struct ClusterPair {
    pub(super) clusters: [u32; 2],
    pub(super) known: PairState,
    pub(super) reach: f32,
    /// Whether they have a corner in common, so that no plane parts them.
    pub(super) joined: bool,
    /// Nothing meets before they have travelled so far, metres.
    pub(super) apart_until: f32,
    /// The substep in which `apart_until` was found from where particles end.
    pub(super) by_end: u32,
    /// Points and triangles that may touch.
    pub(super) list: List,
    /// Its parts among those of the cache, if it is split. None of them is to be looked at before so much travel, at
    /// the end of a substep (`wake`) and for contacts of edges (`touch`).
    pub(super) parts: Range<usize>,
    pub(super) wake: f32,
    pub(super) touch: f32,
}

impl ClusterPair {
    /// All features of both.
    pub(super) fn sets<'a>(&self, surfaces: &'a Surfaces) -> FeatureSets<'a> {
        let corners = self.clusters.map(|cluster| &surfaces.clusters[cluster as usize].corners);
        FeatureSets { clusters: self.clusters, corners, same: self.clusters[0] == self.clusters[1] }
    }

    /// How far apart both are where the substep starts, metres: exactly if not farther than `reach` and some motion,
    /// else at least so far. They travel by `now` in the substep.
    pub(super) fn gap(&self, look: &CacheInput<'_>, now: f32) -> f32 {
        if self.joined {
            return 0.0;
        }
        let [a, b] = self.clusters.map(|c| &look.bounds[c as usize]);
        // Boxes bound the paths of the whole substep.
        let gap = between(a, b);
        if gap > self.reach + spread(look, now) {
            return gap;
        }
        let [start, _] = self.sets(look.surfaces).gaps(look, None);
        Lanes::larger(gap, start - look.rounding)
    }
}

/// The distance of the boxes of two clusters, metres; 0 if they overlap, or one has no finite position.
pub(super) fn between(a: &MotionBound, b: &MotionBound) -> f32 {
    let mut squared = 0.0f32;
    for k in 0..3 {
        let gap = Lanes::larger(Lanes::larger(a.low[k] - b.high[k], b.low[k] - a.high[k]), 0.0);
        squared += gap * gap;
    }
    if squared.is_finite() { squared.sqrt() * (1.0 - 1e-5) } else { 0.0 }
}
