//! Parts of pairs of clusters that no plane parts.

use super::cluster_pair::ClusterPair;
use super::flats::{Flats, Owner};
use super::input::{CacheInput, When, spread};
use super::listed::{List, Lists};
use super::sets::{FeatureSets, apart};
use crate::plan::surfaces::Surfaces;
use seidel_kernels::Lanes;
use seidel_kernels::contact::pairs::Wanted;
use std::ops::Range;

/// Mean edges: how far lists of parts that have a corner in common reach.
const JOINED: f32 = 0.25;

/// The parts of all pairs of clusters of a cache.
#[derive(Debug, Default)]
pub(super) struct Parts {
    each: Vec<PartPair>,
    /// Of each, the travel at which it is to be looked at: at the end of a substep, and for contacts.
    wake: Vec<f32>,
    touch: Vec<f32>,
}

/// A pair of parts of two clusters.
#[derive(Clone, Debug)]
struct PartPair {
    numbers: [u8; 2],
    /// Whether they have a corner in common, and the region of a sheet in which they lie.
    joined: bool,
    region: Option<u32>,
    /// Whether `list` has the features that may meet; otherwise a plane was between them.
    active: bool,
    /// The substep in which that was found from where particles end.
    by_end: u32,
    list: List,
}

impl Parts {
    pub(super) fn clear(&mut self) {
        self.each.clear();
        self.wake.clear();
        self.touch.clear();
    }

    pub(super) fn poison(&mut self) {
        self.each.iter_mut().for_each(|part| part.list.poison());
        self.wake.fill(f32::NAN);
        self.touch.fill(f32::NAN);
    }

    /// All lists.
    pub(super) fn lists(&self) -> impl Iterator<Item = &List> {
        self.each.iter().map(|part| &part.list)
    }

    /// The same.
    pub(super) fn lists_mut(&mut self) -> impl Iterator<Item = &mut List> {
        self.each.iter_mut().map(|part| &mut part.list)
    }

    /// Calls `call` with the lists of some parts, and when each is to be looked at for contacts.
    pub(super) fn each_list(&mut self, range: Range<usize>, mut call: impl FnMut(&mut List, &mut f32)) {
        for (part, touch) in self.each[range.clone()].iter_mut().zip(&mut self.touch[range]) {
            if part.active {
                call(&mut part.list, touch);
            }
        }
    }

    /// The parts of two clusters, each pair of them once.
    pub(super) fn split(&mut self, clusters: [u32; 2], surfaces: &Surfaces) -> Range<usize> {
        let start = self.each.len();
        let [a, b] = clusters.map(|c| &surfaces.clusters[c as usize].parts);
        for (first, of_first) in a.iter().enumerate() {
            let from = if clusters[0] == clusters[1] { first } else { 0 };
            for (second, of_second) in b.iter().enumerate().skip(from) {
                let numbers = [first as u8, second as u8];
                let joined = of_first.corners.share_with(&of_second.corners);
                let region = if joined { surfaces.regions.of_parts(clusters, numbers) } else { None };
                self.each.push(PartPair { numbers, joined, region, active: false, by_end: 0, list: List::NONE });
            }
        }
        self.wake.resize(self.each.len(), f32::NEG_INFINITY);
        self.touch.resize(self.each.len(), f32::INFINITY);
        start..self.each.len()
    }

    /// A part is no longer culled.
    pub(super) fn wake(&mut self, part: u32) {
        self.wake[part as usize] = f32::NEG_INFINITY;
    }

    /// Forgets what was found for ends that have been moved since: of pairs with a part of their first or of their
    /// second cluster that has `changed`, a bit a part.
    pub(super) fn forget_ends(&mut self, range: Range<usize>, changed: [u8; 2], substep: u32, lists: &mut Lists) {
        for (part, wake) in self.each[range.clone()].iter_mut().zip(&mut self.wake[range]) {
            let [a, b] = part.numbers;
            if (changed[0] >> a | changed[1] >> b) & 1 == 0 {
                continue;
            }
            if part.active {
                lists.forget_ends(&mut part.list);
                *wake = f32::NEG_INFINITY;
            } else if part.by_end == substep {
                *wake = f32::NEG_INFINITY;
            }
        }
    }

    /// Finds the edges that are about to touch. Returns whether one of them is not among the contacts.
    ///
    /// # Safety
    /// Nobody moves rows meanwhile.
    pub(super) unsafe fn find_near(
        &mut self,
        pair: &mut ClusterPair,
        look: &CacheInput<'_>,
        way: [f32; 2],
        lists: &mut Lists,
    ) -> bool {
        let travelled = way[0] + way[1];
        let (mut missing, mut least) = (false, f32::INFINITY);
        for number in pair.parts.clone() {
            if travelled >= self.touch[number] {
                let list = &mut self.each[number].list;
                let of = (pair.clusters, pair.reach);
                // SAFETY: the caller promises that nobody moves rows meanwhile.
                missing |= unsafe { lists.find_near(list, look, of, way, true) };
                self.touch[number] = list.touches_at;
            }
            least = Lanes::smaller(least, self.touch[number]);
        }
        pair.touch = least;
        missing
    }

    /// Shows that the features of parts have not met in the substep. Returns whether some may have: lists have these.
    ///
    /// # Safety
    /// Nobody moves rows meanwhile.
    pub(super) unsafe fn prove(
        &mut self,
        (pair_number, pair): (u32, &mut ClusterPair),
        (look, way): (&CacheInput<'_>, [f32; 2]),
        substep: u32,
        lists: &mut Lists,
        flats: &mut Flats,
    ) -> bool {
        let travelled = way[0] + way[1];
        let (mut doubts, mut least) = (false, f32::INFINITY);
        for number in pair.parts.clone() {
            if travelled >= self.wake[number] {
                let part = &mut self.each[number];
                let (wake, touch) = (&mut self.wake[number], &mut self.touch[number]);
                if !part.active || travelled >= part.list.until {
                    lists.drop(&mut part.list);
                    (part.active, *touch) = (false, f32::INFINITY);
                    let (sets, owner) = (part.sets(pair, look.surfaces), Owner::Part(pair_number, number as u32));
                    if part.region.is_some_and(|region| flats.add(owner, region, look, When::After)) {
                        *wake = f32::INFINITY;
                        continue;
                    }
                    // SAFETY: the caller promises that nobody moves rows meanwhile.
                    let apart = if part.joined { None } else { unsafe { apart(look, sets, way) } };
                    if let Some((until, by_end)) = apart {
                        *wake = until;
                        part.by_end = if by_end { substep } else { part.by_end };
                    } else {
                        part.list(sets, look, way, lists);
                        if part.has_contacts(pair.clusters, look) && !part.list.is_empty() {
                            (*touch, pair.touch) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
                        }
                    }
                }
                if part.active {
                    // SAFETY: the caller promises that nobody moves rows meanwhile.
                    doubts |= unsafe { lists.watch(&mut part.list, look, travelled) };
                    *wake = Lanes::smaller(part.list.meets_at, part.list.until);
                }
            }
            least = Lanes::smaller(least, self.wake[number]);
        }
        pair.wake = least;
        doubts
    }
}

impl PartPair {
    /// The features of both.
    fn sets<'a>(&self, pair: &ClusterPair, surfaces: &'a Surfaces) -> FeatureSets<'a> {
        let [a, b] = self.numbers;
        let of = |k: usize, part: u8| &surfaces.clusters[pair.clusters[k] as usize].parts[usize::from(part)].corners;
        FeatureSets {
            clusters: pair.clusters,
            corners: [of(0, a), of(1, b)],
            same: pair.clusters[0] == pair.clusters[1] && a == b,
        }
    }

    /// Whether its list has contacts of edges. Those of ropes and rods are in the list of the clusters.
    fn has_contacts(&self, clusters: [u32; 2], look: &CacheInput<'_>) -> bool {
        !self.joined && look.surfaces.are_sheets(clusters)
    }

    /// Lists what may meet, and the edges that may touch: no plane is between both.
    fn list(&mut self, sets: FeatureSets<'_>, look: &CacheInput<'_>, [path, now]: [f32; 2], lists: &mut Lists) {
        // Neighbours in a sheet keep no distance: nothing is near while it is not folded together.
        let most = if self.joined { JOINED * look.surfaces.edge } else { 0.0 };
        let wanted = [Wanted::Meet, if self.has_contacts(sets.clusters, look) { Wanted::Touch } else { Wanted::Meet }];
        let spread = Lanes::larger(spread(look, now), most);
        lists.list(&mut self.list, look, sets, spread, wanted);
        (self.list.until, self.active) = (path + spread, true);
    }
}
