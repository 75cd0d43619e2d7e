//! Regions of sheets that are flat, so that nothing touches in them.

use super::{Look, When};
use crate::plan::surfaces::regions::Region;
use seidel_kernels::Lanes;
use seidel_kernels::contact::pairs;

/// How far the least eigenvalue must be above the one needed, for a region to count as flat when clusters are paired.
const SPARE_FLAT: f32 = 0.05;

/// The least eigenvalue that is needed. With 1 / 2 nothing would be nearer than half of its distance at rest; neighbours in a sheet that are
/// bent as far as this do not touch either.
const FLAT: f32 = 0.2;

/// Whose region it is: a pair of clusters', or two parts' of a pair (its number, and theirs).
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner {
    Clusters(u32),
    Part(u32, u32),
}

/// A region that is flat.
#[derive(Clone, Copy, Debug)]
struct Flat {
    of: Owner,
    region: u32,
    /// With these tangents the least eigenvalue is larger than needed.
    tangents: [[f32; 3]; 2],
    /// How much it may bend, and how much it has bent: up to the start of this substep (`path`), and in it (`now`).
    spare: f32,
    path: f32,
    now: f32,
    /// Whether `spare` was found from where particles end in this substep.
    by_end: bool,
}

/// The flat regions of a cache.
#[derive(Debug, Default)]
pub(super) struct Flats(Vec<Flat>);

impl Flats {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn poison(&mut self) {
        self.0.iter_mut().for_each(|flat| (flat.path, flat.now, flat.spare) = (f32::NAN, f32::NAN, f32::NAN));
    }

    /// Adds a region if it is flat; returns whether it is.
    pub(super) fn add(&mut self, of: Owner, region: u32, look: &Look<'_>, when: When) -> bool {
        let found = flat(&look.surfaces.regions.each[region as usize], None, look, when);
        let by_end = when == When::After;
        self.0.extend(found.map(|(tangents, spare)| Flat { of, region, tangents, spare, path: 0.0, now: 0.0, by_end }));
        found.is_some()
    }

    /// Ends a substep: how much regions have bent in it adds up.
    pub(super) fn go_on(&mut self) {
        self.0.iter_mut().for_each(|flat| (flat.path, flat.now, flat.by_end) = (flat.path + flat.now, 0.0, false));
    }

    /// Finds how much regions with a cluster that has `changed` have bent in this substep. Calls `folded` for each that is no longer flat, and
    /// forgets it.
    pub(super) fn bend(&mut self, look: &Look<'_>, changed: impl Fn(u32) -> bool, mut folded: impl FnMut(Owner)) {
        let regions = &look.surfaces.regions;
        self.0.retain_mut(|of| {
            let region = &regions.each[of.region as usize];
            let clusters = &regions.clusters[region.clusters.clone()];
            if !clusters.iter().any(|&cluster| changed(cluster)) {
                return true;
            }
            of.now = bends(clusters, look);
            // A spare that was found from ends which have been moved since does not hold.
            if of.path + of.now < of.spare && !of.by_end {
                return true;
            }
            let Some((tangents, spare)) = flat(region, Some(of.tangents), look, When::After) else {
                folded(of.of);
                return false;
            };
            // `spare` includes the bending of this substep.
            *of = Flat { tangents, spare, path: 0.0, now: 0.0, by_end: true, ..*of };
            true
        });
    }

    /// Whose regions are flat.
    #[cfg(test)]
    pub(super) fn owners(&self) -> impl Iterator<Item = Owner> {
        self.0.iter().map(|flat| flat.of)
    }
}

/// The largest change of a gradient among the triangles of some clusters in this substep.
fn bends(clusters: &[u32], look: &Look<'_>) -> f32 {
    clusters.iter().fold(0.0, |most, &cluster| Lanes::larger(most, look.bent[cluster as usize]))
}

/// Tangents with which a region is flat, and how far its least eigenvalue is above the one needed; None if it is not flat. `known` are
/// the tangents before.
fn flat(region: &Region, known: Option<[[f32; 3]; 2]>, look: &Look<'_>, when: When) -> Option<([[f32; 3]; 2], f32)> {
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
