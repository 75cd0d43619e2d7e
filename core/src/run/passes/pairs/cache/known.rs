//! What a cache knows about a pair of clusters, and for how much motion it stays valid.

use super::super::bound::MotionBound;
use super::{Look, SPARE_FLAT, When};
use crate::plan::surfaces::regions::Region;
use seidel_kernels::Lanes;
use seidel_kernels::contact::pairs;

/// The least eigenvalue that is needed. With 1 / 2 nothing would be nearer than half of its distance at rest; neighbours in a sheet that are
/// bent as far as this do not touch either.
const FLAT: f32 = 0.2;

/// The largest change of a gradient among the triangles of some clusters in this substep.
pub(super) fn bends(clusters: &[u32], look: &Look<'_>) -> f32 {
    clusters.iter().fold(0.0, |most, &cluster| Lanes::larger(most, look.bent[cluster as usize]))
}

/// Tangents with which a region is flat, and how far its least eigenvalue is above the one needed; None if it is not flat. `known` are
/// the tangents before.
pub(super) fn flat(
    region: &Region,
    known: Option<[[f32; 3]; 2]>,
    look: &Look<'_>,
    when: When,
) -> Option<([[f32; 3]; 2], f32)> {
    let numbers = &look.surfaces.regions.numbers[region.numbers.clone()];
    let least = |gradients, q| {
        let least = pairs::Region { triangles: numbers, gradients }.least(look.isa, q);
        least - FLAT
    };
    if when != When::After {
        let q = region.tangents(look.start)?;
        let spare = least(look.before, q);
        return (spare > SPARE_FLAT).then_some((q, spare));
    }
    if let Some(q) = known {
        let spare = least(look.after, q);
        if spare > 0.0 {
            return Some((q, spare));
        }
    }
    // SAFETY: nobody moves rows while caches are looked at.
    let end = unsafe { look.ends.end.read(0, look.ends.end.len()) };
    let q = region.tangents(end)?;
    let spare = Lanes::smaller(least(look.after, q), least(look.before, q));
    (spare > 0.0).then(|| (q, least(look.after, q)))
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
