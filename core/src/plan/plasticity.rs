//! What of a plan yields.

use super::family::Family;
use super::patch::BatchRange;
use crate::tuning::FLOW_BATCHES;

/// The batches of families that yield, as many as a worker takes at a time.
pub(super) fn flowing(families: &[Family]) -> Vec<BatchRange> {
    let of = |(family, of): (usize, &Family)| {
        let count = if of.plastic.is_some() { of.batches.len() } else { 0 };
        let first = (0..count).step_by(FLOW_BATCHES);
        first.map(move |first| BatchRange { family, batches: first..count.min(first + FLOW_BATCHES) })
    };
    families.iter().enumerate().flat_map(of).collect()
}

impl Family {
    /// Parameters that flow; none where nothing does.
    pub(crate) fn flowing_params(&self) -> usize {
        self.plastic.map_or(0, |(_, flows)| flows.params())
    }

    /// Whether its rows may break.
    pub(crate) fn may_break(&self) -> bool {
        self.plastic.is_some_and(|(plasticity, _)| plasticity.breaks < f32::INFINITY)
    }
}
