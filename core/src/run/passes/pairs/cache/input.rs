//! The data that caches read, and when they are looked at.

use crate::plan::surfaces::Surfaces;
use crate::run::passes::pairs::bound::MotionBound;
use crate::tuning::{LEAST_MARGIN, MOST_MARGIN, WAYS_A_LIST};
use seidel_kernels::contact::pairs::{ClusterMotion, Ends};
use seidel_kernels::{Isa, Lanes, Row};
use std::sync::atomic::AtomicUsize;

/// The data that caches read.
#[derive(Clone, Copy)]
pub(crate) struct CacheInput<'a> {
    pub(crate) surfaces: &'a Surfaces,
    pub(crate) isa: Isa,
    pub(crate) ends: Ends<'a>,
    pub(crate) start: &'a [Row],
    pub(crate) bounds: &'a [MotionBound],
    pub(crate) motions: &'a [ClusterMotion],
    /// Gradients of all triangles where the substep starts, and where it ends.
    pub(crate) before: [&'a [Row]; 2],
    pub(crate) after: [&'a [Row]; 2],
    /// For each cluster, the largest change in the substep of a gradient in the regions of which it is the first.
    pub(crate) bent_around: &'a [f32],
    /// A pair is near, and may become a contact, if its distance is at most its reach + margin, metres.
    pub(crate) margin: f32,
    pub(crate) rounding: f32,
    /// Number of pairs listed in all caches, and how many there may be.
    pub(crate) listed: &'a AtomicUsize,
    pub(crate) most: usize,
}

/// When caches are looked at in a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// After constraints: which pairs are about to touch?
    Before,
    /// The same for the first time in this substep.
    First,
    /// After contacts: which pairs may have met?
    After,
}

/// How far a list reaches beyond what its pairs keep, metres, if clusters travel by `now` in a substep.
pub(super) fn spread(look: &CacheInput<'_>, now: f32) -> f32 {
    let least = LEAST_MARGIN * look.surfaces.edge;
    let most = Lanes::larger(MOST_MARGIN * look.surfaces.edge, now);
    Lanes::larger(Lanes::smaller(now * WAYS_A_LIST, most), least) + now
}
