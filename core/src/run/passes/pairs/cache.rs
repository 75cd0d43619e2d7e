//! Pair caches: pairs of clusters, each with one of three facts about its features.
//!
//! ```text
//!   culled:  both lie in one plane sheet that is neither folded nor pressed together much: nothing can touch (`PlaneRegion`)
//!   apart:   a plane was between them: nothing of them meets before they have travelled by their gap
//!   split:   their parts (of four points) are looked at instead; each is apart, or has a list of the features that may meet
//! ```
//! Contacts are another matter: a pair that is near has a list of points and triangles that may touch. A pair of
//! clusters is looked at again when what is known may no longer hold. A cache belongs to one worker at a time.

mod cluster_pair;
mod flats;
mod input;
mod listed;
mod part;
mod sets;

use crate::plan::surfaces::Surfaces;
use cluster_pair::{ClusterPair, PairState};
use flats::{Flats, Owner};
use input::spread;
pub(crate) use input::{CacheInput, When};
use listed::{List, Lists};
use part::Parts;
use seidel_kernels::Lanes;
use seidel_kernels::contact::pairs::{Features, Pair, Travelling, Wait, Wanted};
use sets::apart;

/// Roundings of coordinates. Travel in a substep that is longer is not kept once the clamp has made it shorter: so the
/// sum of a hundred is rounded by less than a coordinate is.
const MOST_KEPT: f32 = 1e5;

/// A cache of up to `PAIRS_A_CACHE` pairs of clusters.
#[derive(Debug, Default)]
pub(crate) struct PairCache {
    pairs: Vec<ClusterPair>,
    travelling: Travelling,
    /// The pairs that are to be looked at now.
    awake: Vec<u32>,
    parts: Parts,
    pub(crate) lists: Lists,
    flats: Flats,
    /// Counts substeps.
    substep: u32,
    /// Whether the end of this substep has been looked at, and its sweeps go on.
    taken_back: bool,
    /// Whether a pair that is about to touch is not among the contacts, and whether one may meet.
    pub(crate) missing: bool,
    pub(crate) doubts: bool,
}

impl PairCache {
    /// Removes all pairs of clusters. `rows` is the number of rows.
    pub(crate) fn clear(&mut self, rows: usize) {
        self.pairs.clear();
        self.travelling.clear();
        self.flats.clear();
        self.parts.clear();
        self.lists.clear(rows);
        (self.substep, self.taken_back, self.missing, self.doubts) = (0, false, false, false);
    }

    /// Fills everything that no step may read before it writes it.
    pub(crate) fn poison(&mut self) {
        let nothing = f32::NAN;
        self.taken_back = true;
        for pair in &mut self.pairs {
            (pair.apart_until, pair.wake, pair.touch) = (nothing, nothing, nothing);
            pair.list.poison();
        }
        self.parts.poison();
        self.travelling.poison();
        self.flats.poison();
        self.lists.poison();
    }

    /// Adds a pair of clusters.
    pub(crate) fn add(&mut self, surfaces: &Surfaces, clusters: [u32; 2]) {
        self.travelling.push(clusters);
        self.pairs.push(ClusterPair {
            clusters,
            known: PairState::New,
            reach: surfaces.reach(clusters),
            joined: false,
            apart_until: f32::NEG_INFINITY,
            by_end: 0,
            list: List::NONE,
            parts: 0..0,
            wake: f32::NEG_INFINITY,
            touch: f32::INFINITY,
        });
    }

    /// Number of pairs of clusters.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Number of pairs of features that are listed.
    pub(crate) fn listed(&self) -> usize {
        self.lists.pairs()
    }

    /// Brings the cache up to date, and finds the pairs that are about to touch or, at the end of a substep, may have
    /// met.
    ///
    /// # Safety
    /// Nobody moves rows meanwhile.
    pub(crate) unsafe fn look(&mut self, look: &CacheInput<'_>, when: When) {
        (self.missing, self.doubts) = (false, false);
        if when == When::First {
            self.substep += 1;
        }
        let wait = if when == When::After { Wait::End } else { Wait::Contacts };
        let mut awake = std::mem::take(&mut self.awake);
        self.travelling.travel(look.isa, look.motions, when == When::First, wait, &mut awake);
        if when == When::After {
            self.lists.forget_doubts(true);
            if !std::mem::take(&mut self.taken_back) {
                self.flats.go_on();
            }
            self.look_at_flats(look, None, &mut awake);
        }
        for &number in &awake {
            // SAFETY: the caller promises that nobody moves rows meanwhile.
            unsafe { self.look_at(number as usize, look, when) };
        }
        self.awake = awake;
        if self.lists.is_sparse() {
            let PairCache { pairs, parts, lists, .. } = self;
            let moved = lists.pack(pairs.iter().map(|pair| &pair.list).chain(parts.lists()));
            let all = pairs.iter_mut().map(|pair| &mut pair.list).chain(parts.lists_mut());
            moved.iter().zip(all).for_each(|(&start, list)| list.move_to(start));
        }
    }

    /// The same for pairs with a cluster that has changed, at the end of a substep: `changed` has its parts with rows
    /// that have been moved. The others end where they did.
    ///
    /// # Safety
    /// As for [`PairCache::look`].
    pub(crate) unsafe fn look_again(&mut self, look: &CacheInput<'_>, changed: &[u8]) {
        self.doubts = false;
        self.lists.forget_doubts(false);
        let mut awake = std::mem::take(&mut self.awake);
        awake.clear();
        self.look_at_flats(look, Some(changed), &mut awake);
        for number in 0..self.pairs.len() {
            let pair = &mut self.pairs[number];
            let [path, before] = self.travelling.travelled(number);
            // Parts that have not been moved keep what is known of them, which holds for the travel that was known then.
            // If that was so long that roundings of a path with it would count, it is all forgotten.
            let keeps = before < MOST_KEPT * look.rounding;
            let parts = pair.clusters.map(|cluster| changed[cluster as usize]);
            let (moved, parts) = (parts != [0; 2], if keeps { parts } else { [u8::MAX; 2] });
            match pair.known {
                // Pairs that were found in this pass are new.
                PairState::New => {}
                PairState::Separated | PairState::Split if moved => {
                    // A proof from ends which have been moved since does not hold.
                    if pair.by_end == self.substep {
                        pair.apart_until = f32::NEG_INFINITY;
                    }
                    if pair.known == PairState::Split {
                        self.parts.forget_ends(pair.parts.clone(), parts, self.substep, &mut self.lists);
                        pair.wake = f32::NEG_INFINITY;
                    }
                }
                _ => continue,
            }
            let [a, b] = pair.clusters.map(|cluster| &look.motions[cluster as usize]);
            let now = if keeps { Lanes::larger(before, a.travel(b)) } else { a.travel(b) };
            self.travelling.set_travelled(number, [path, now]);
            awake.push(number as u32);
        }
        awake.sort_unstable();
        awake.dedup();
        for &number in &awake {
            // SAFETY: the caller promises that nobody moves rows meanwhile.
            unsafe { self.look_at(number as usize, look, When::After) };
        }
        self.awake = awake;
    }

    /// Forgets what was found from where particles ended: they will end elsewhere.
    pub(crate) fn take_back(&mut self) {
        self.taken_back = true;
        for (number, pair) in self.pairs.iter_mut().enumerate() {
            let is_split = pair.known == PairState::Split;
            if !is_split && pair.known != PairState::Separated {
                continue;
            }
            if pair.by_end == self.substep {
                pair.apart_until = f32::NEG_INFINITY;
            }
            if is_split {
                self.parts.forget_ends(pair.parts.clone(), [u8::MAX; 2], self.substep, &mut self.lists);
                pair.wake = f32::NEG_INFINITY;
            }
            self.travelling.set_until(number, Wait::End, pair.apart_until);
        }
    }

    /// Adds to those that are to be looked at the pairs of regions that are no longer flat: of all, or of those with a
    /// cluster that has `changed`.
    fn look_at_flats(&mut self, look: &CacheInput<'_>, changed: Option<&[u8]>, awake: &mut Vec<u32>) {
        let PairCache { flats, pairs, parts, .. } = self;
        flats.bend(look, changed, |of| {
            let pair = match of {
                Owner::Clusters(pair) => {
                    pairs[pair as usize].known = PairState::Separated;
                    pair
                }
                Owner::Part(pair, part) => {
                    parts.wake(part);
                    pairs[pair as usize].wake = f32::NEG_INFINITY;
                    pair
                }
            };
            awake.push(pair);
        });
        awake.sort_unstable();
        awake.dedup();
    }

    /// # Safety
    /// As for [`PairCache::look`].
    unsafe fn look_at(&mut self, number: usize, look: &CacheInput<'_>, when: When) {
        let pair = &mut self.pairs[number];
        if pair.known == PairState::New {
            pair.known = PairState::Separated;
            pair.joined = look.surfaces.share_a_corner(pair.clusters);
            let region = look.surfaces.regions.of(pair.clusters);
            if region.is_some_and(|region| self.flats.add(Owner::Clusters(number as u32), region, look, when)) {
                pair.known = PairState::Culled;
                for wait in [Wait::Contacts, Wait::End] {
                    self.travelling.set_until(number, wait, f32::INFINITY);
                }
                return;
            }
        }
        let way = self.travelling.travelled(number);
        // SAFETY: the caller promises that nobody moves rows meanwhile.
        unsafe {
            if when == When::After {
                self.prove(number, look, way);
            } else {
                self.find_near(number, look, way);
            }
        }
        let pair = &self.pairs[number];
        let contacts = Lanes::smaller(Lanes::smaller(pair.list.until, pair.list.touches_at), pair.touch);
        let split = if pair.known == PairState::Split { pair.wake } else { f32::NEG_INFINITY };
        self.travelling.set_until(number, Wait::Contacts, contacts);
        self.travelling.set_until(number, Wait::End, Lanes::larger(pair.apart_until, split));
    }

    /// Finds the pairs of features that are about to touch.
    ///
    /// # Safety
    /// As for [`PairCache::look`].
    unsafe fn find_near(&mut self, number: usize, look: &CacheInput<'_>, way: [f32; 2]) {
        let PairCache { pairs, parts, lists, missing, .. } = self;
        let pair = &mut pairs[number];
        let [path, now] = way;
        let travelled = path + now;
        if travelled >= pair.list.until {
            let gap = pair.gap(look, now);
            pair.apart_until = Lanes::larger(pair.apart_until, path + gap);
            let (free, spread) = (gap - pair.reach, spread(look, now));
            lists.drop(&mut pair.list);
            if free > spread {
                pair.list.until = path + free;
            } else {
                let sets = pair.sets(look.surfaces);
                // Ropes and rods have no triangles: their edges touch.
                let edges = if look.surfaces.are_sheets(pair.clusters) { Wanted::Nothing } else { Wanted::Touch };
                let wanted = [Wanted::Nearest, edges];
                lists.list(&mut pair.list, look, sets, spread, wanted);
                pair.list.until = path + spread;
            }
        }
        // SAFETY: the caller promises that nobody moves rows meanwhile.
        unsafe {
            *missing |= lists.find_near(&mut pair.list, look, (pair.clusters, pair.reach), way, false);
            if travelled >= pair.touch {
                *missing |= parts.find_near(pair, look, way, lists);
            }
        }
    }

    /// Shows that the features of a pair have not met in the substep, or finds which of them may have.
    ///
    /// # Safety
    /// As for [`PairCache::look`].
    unsafe fn prove(&mut self, number: usize, look: &CacheInput<'_>, way: [f32; 2]) {
        let PairCache { pairs, parts, lists, substep, doubts, flats, .. } = self;
        let pair = &mut pairs[number];
        let travelled = way[0] + way[1];
        if travelled < pair.apart_until {
            return;
        }
        if pair.known == PairState::Separated {
            if !pair.joined {
                // SAFETY: the caller promises that nobody moves rows meanwhile.
                let apart = unsafe { apart(look, pair.sets(look.surfaces), way) };
                if let Some((until, by_end)) = apart {
                    pair.apart_until = until;
                    pair.by_end = if by_end { *substep } else { pair.by_end };
                    return;
                }
            }
            pair.known = PairState::Split;
            pair.parts = parts.split(pair.clusters, look.surfaces);
            pair.wake = f32::NEG_INFINITY;
        }
        if travelled >= pair.wake {
            // SAFETY: the caller promises that nobody moves rows meanwhile.
            *doubts |= unsafe { parts.prove((number as u32, pair), (look, way), *substep, lists, flats) };
        }
    }

    /// Makes the near pairs, and no others, the contacts. Calls `take` with each.
    pub(crate) fn take_near(&mut self, mut take: impl FnMut(Features, Pair, [f32; 3])) {
        let PairCache { pairs, parts, lists, travelling, .. } = self;
        for (number, pair) in pairs.iter_mut().enumerate() {
            let mut again = lists.take_near(&mut pair.list, &mut take);
            parts.each_list(pair.parts.clone(), |list, touch| {
                if lists.take_near(list, &mut take) {
                    (*touch, pair.touch, again) = (f32::NEG_INFINITY, f32::NEG_INFINITY, true);
                }
            });
            if again {
                travelling.set_until(number, Wait::Contacts, f32::NEG_INFINITY);
            }
        }
    }

    /// In each batch with a pair that is about to touch and is not among the contacts, makes all near pairs contacts.
    /// Calls `take` with each new one.
    pub(crate) fn take_missing(&mut self, mut take: impl FnMut(Features, Pair, [f32; 3])) {
        let PairCache { pairs, parts, lists, .. } = self;
        for pair in pairs {
            lists.take_missing(&pair.list, &mut take);
            parts.each_list(pair.parts.clone(), |list, _| lists.take_missing(list, &mut take));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::step::step;
    use crate::{Cloth, Collide, Execution, Input, Plan, Scene, Scratch, State};
    use seidel_kernels::Isa;
    use seidel_workers::Workers;
    use std::sync::atomic::AtomicUsize;

    /// The pairs of clusters that are culled, by what they know and by the flat regions.
    fn culled(cache: &PairCache) -> [Vec<u32>; 2] {
        let all = 0..cache.pairs.len() as u32;
        let known = all.filter(|&number| cache.pairs[number as usize].known == PairState::Culled).collect();
        let owners = cache.flats.owners().filter_map(|of| match of {
            Owner::Clusters(number) => Some(number),
            Owner::Part(..) => None,
        });
        [known, owners.collect()]
    }

    /// The clamp can fold a flat sheet. Pairs must then no longer be culled: otherwise the next substep would pass over
    /// the motion of their features.
    #[test]
    fn what_is_folded_while_it_is_held_is_not_flat() {
        let mut scene = Scene::new();
        scene.settings.substeps = 1.into();
        scene.add(Cloth::grid([24, 24], [1.0, 1.0]).collide(Collide::All));
        let plan = Plan::new(&scene).expect("a sound scene");
        let (mut state, isa) = (State::new(&plan), Isa::detect());
        let mut scratch = Scratch::new(&plan, Execution::default().threads(1));
        assert!(step(&plan, &mut state, &Input::frame(0.001), &mut scratch).rejected.is_none());
        let (surfaces, touching) = (plan.surfaces.as_ref().expect("it touches itself"), &mut scratch.touching);
        // A cache that pairs each cluster of a plane sheet with itself.
        let rows = touching.start.len();
        touching.caches.resize_with(1, PairCache::default);
        touching.count = 1;
        touching.caches[0].clear(rows);
        for c in (0..surfaces.clusters.len() as u32).filter(|&c| surfaces.regions.of([c, c]).is_some()) {
            touching.caches[0].add(surfaces, [c, c]);
        }
        let listed = AtomicUsize::new(0);
        let (caches, look) = touching.caches(surfaces, isa, &listed, usize::MAX);
        // SAFETY: this test is one thread, and all arrays are its own.
        unsafe { caches[0].look(&look, When::First) };
        let [flat, of_list] = culled(&caches[0]);
        assert!(!flat.is_empty() && flat == of_list, "{flat:?} and not {of_list:?} are flat");
        // Folds the sheet along an oblique line, so that no triangle lies as it did beside its neighbours.
        for [x, y, z, _] in touching.end.iter_mut() {
            let over = *x + 0.3 * *z;
            (*x, *y) = (*x - 2.0 * over.max(0.0), *y + 0.01 * over.max(0.0));
        }
        touching.changed = vec![u8::MAX; surfaces.clusters.len()];
        Workers::new(1).run(|crew| touching.bound_again(surfaces, isa, crew));
        surfaces.regions.largest_around(&touching.bent, &mut touching.bent_around);
        let changed = std::mem::take(&mut touching.changed);
        let (caches, look) = touching.caches(surfaces, isa, &listed, usize::MAX);
        // SAFETY: this test is one thread, and all arrays are its own.
        unsafe { caches[0].look_again(&look, &changed) };
        let [still, of_list] = culled(&caches[0]);
        assert!(still.len() < flat.len() && still == of_list, "{still:?} and not {of_list:?} of {flat:?} are flat");
    }
}
