//! Regions of sheets that are flat, so that nothing touches in them.

use super::input::{CacheInput, When};
use crate::plan::surfaces::regions::PlaneRegion;
use seidel_kernels::Lanes;
use seidel_kernels::contact::pairs;

/// How far the least eigenvalue must be above the one needed, for a region to count as flat when clusters are paired.
const SLACK_FLAT: f32 = 0.05;

/// The least eigenvalue that is needed. With 1 / 2 nothing would be nearer than half of its distance at rest;
/// neighbours in a sheet that are bent as far as this do not touch either.
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
}

/// How much a region bends.
#[derive(Clone, Copy, Debug)]
struct Bending {
    /// The first of the region's clusters.
    cluster: u32,
    /// Whether `slack` was found from where particles end in this substep.
    by_end: bool,
    /// How much it may bend, and at most how much it has bent: up to the start of this substep (`path`), and in it
    /// (`now`).
    slack: f32,
    path: f32,
    now: f32,
}

/// The flat regions of a cache. What each substep reads of all of them lies together.
#[derive(Debug, Default)]
pub(super) struct Flats {
    each: Vec<Flat>,
    bending: Vec<Bending>,
}

impl Flats {
    pub(super) fn clear(&mut self) {
        self.each.clear();
        self.bending.clear();
    }

    pub(super) fn poison(&mut self) {
        self.bending.iter_mut().for_each(|of| (of.path, of.now, of.slack) = (f32::NAN, f32::NAN, f32::NAN));
    }

    /// Adds a region if it is flat; returns whether it is.
    pub(super) fn add(&mut self, of: Owner, region: u32, look: &CacheInput<'_>, when: When) -> bool {
        let regions = &look.surfaces.regions;
        let all = &regions.each[region as usize];
        let Some((tangents, slack)) = flat(all, None, look, when) else { return false };
        let (cluster, by_end) = (regions.clusters[all.clusters.start], when == When::After);
        self.each.push(Flat { of, region, tangents });
        self.bending.push(Bending { cluster, by_end, slack, path: 0.0, now: 0.0 });
        true
    }

    /// Ends a substep: how much regions have bent in it adds up.
    pub(super) fn go_on(&mut self) {
        self.bending.iter_mut().for_each(|of| (of.path, of.now, of.by_end) = (of.path + of.now, 0.0, false));
    }

    /// Finds how much regions have bent in this substep: all of them, or those with a cluster that has `changed`. Calls
    /// `folded` for each that is no longer flat, and forgets it.
    pub(super) fn bend(&mut self, look: &CacheInput<'_>, changed: Option<&[u8]>, mut folded: impl FnMut(Owner)) {
        let Flats { each, bending } = self;
        let regions = &look.surfaces.regions;
        let mut kept = 0;
        for number in 0..each.len() {
            let mut of = bending[number];
            let region = || &regions.each[each[number].region as usize];
            let is_changed = |changed: &[u8]| {
                regions.clusters[region().clusters.clone()].iter().any(|&cluster| changed[cluster as usize] != 0)
            };
            if changed.is_none_or(is_changed) {
                of.now = look.bent_around[of.cluster as usize];
                // A slack that was found from ends which have been moved since does not hold.
                if of.path + of.now >= of.slack || of.by_end {
                    let Some((tangents, slack)) = flat(region(), Some(each[number].tangents), look, When::After) else {
                        folded(each[number].of);
                        continue;
                    };
                    // `slack` includes the bending of this substep.
                    of = Bending { slack, path: 0.0, now: 0.0, by_end: true, ..of };
                    each[number].tangents = tangents;
                }
            }
            bending[kept] = of;
            if kept < number {
                each[kept] = each[number];
            }
            kept += 1;
        }
        each.truncate(kept);
        bending.truncate(kept);
    }

    /// Whose regions are flat.
    #[cfg(test)]
    pub(super) fn owners(&self) -> impl Iterator<Item = Owner> {
        self.each.iter().map(|flat| flat.of)
    }
}

/// Tangents with which a region is flat, and how far its least eigenvalue is above the one needed; None if it is not
/// flat. `known` are the tangents before.
fn flat(
    region: &PlaneRegion,
    known: Option<[[f32; 3]; 2]>,
    look: &CacheInput<'_>,
    when: When,
) -> Option<([[f32; 3]; 2], f32)> {
    let numbers = &look.surfaces.regions.numbers[region.numbers.clone()];
    let least = |gradients, q| {
        let least = pairs::Region { triangles: numbers, gradients }.least(look.isa, q);
        least - FLAT
    };
    if when != When::After {
        let q = region.tangents(look.start)?;
        let slack = least(look.before, q);
        return (slack > SLACK_FLAT).then_some((q, slack));
    }
    if let Some(q) = known {
        let slack = least(look.after, q);
        if slack > 0.0 {
            return Some((q, slack));
        }
    }
    // SAFETY: nobody moves rows while caches are looked at.
    let end = unsafe { look.ends.end.read(0, look.ends.end.len()) };
    let q = region.tangents(end)?;
    let slack = Lanes::smaller(least(look.after, q), least(look.before, q));
    (slack > 0.0).then(|| (q, least(look.after, q)))
}
