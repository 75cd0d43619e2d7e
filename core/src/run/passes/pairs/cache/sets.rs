//! Features of two clusters, or of a part of each, and whether a plane is between them.

use super::input::CacheInput;
use crate::run::passes::pairs::bound::across;
use seidel_kernels::Row;
use seidel_kernels::contact::pairs::{Corners, Hulls};

/// Features of two clusters: all of them, or those of a part of each.
#[derive(Clone, Copy)]
pub(super) struct FeatureSets<'a> {
    pub(super) clusters: [u32; 2],
    pub(super) corners: [&'a Corners; 2],
    /// Whether both are the same set.
    pub(super) same: bool,
}

impl FeatureSets<'_> {
    /// How far apart both are along a direction where the substep starts, and where particles are at `end`, metres.
    pub(super) fn gaps(&self, look: &CacheInput<'_>, end: Option<&[Row]>) -> [f32; 2] {
        let bounds = self.clusters.map(|c| &look.bounds[c as usize]);
        let directions = across(bounds, self.clusters.map(|c| &look.motions[c as usize]));
        let hulls = Hulls { x: look.start, end, clusters: self.corners, directions };
        hulls.gaps(look.isa).map(|gap| gap * (1.0 - 1e-5))
    }
}

/// If a plane is between two sets in the whole substep: the travel before which nothing meets, metres, and whether it
/// was found from where particles end. They have travelled by `path` before this substep, and travel by `now` in it.
///
/// # Safety
/// Nobody moves rows meanwhile.
pub(super) unsafe fn apart(look: &CacheInput<'_>, sets: FeatureSets<'_>, [path, now]: [f32; 2]) -> Option<(f32, bool)> {
    let [start, _] = sets.gaps(look, None);
    if start - look.rounding > now {
        return Some((path + (start - look.rounding), false));
    }
    if start <= look.rounding {
        return None;
    }
    // SAFETY: the caller promises that nobody moves rows meanwhile.
    let end = unsafe { look.ends.end.read(0, look.ends.end.len()) };
    let [_, end] = sets.gaps(look, Some(end));
    (end > look.rounding).then_some((path + now + (end - look.rounding), true))
}
