//! Pair caches: pairs of clusters, each with one of three facts about its features.
//!
//! ```text
//!   culled:    both lie in one plane sheet that is neither folded nor pressed together much: nothing can touch (`Region`)
//!   separated: the clusters were farther apart than they can have come nearer since
//!   active:    a list, in batches of sixteen, of the pairs of features that may have come together since
//! ```
//! A pair of clusters is looked at again when this may no longer hold. A cache belongs to one worker at a time.

mod known;
mod listed;

use super::bound::MotionBound;
use crate::plan::surfaces::Surfaces;
use crate::tuning::{LEAST_MARGIN, MOST_MARGIN, WAYS_A_LIST};
use known::{bends, between, flat};
use seidel_kernels::contact::pairs::{Ends, Found, Hulls, Memory, Near, PairBatches, Pairs, Watch};
use seidel_kernels::{BATCH, Isa, Lanes, Row};
use std::ops::Range;
use std::sync::atomic::AtomicUsize;

/// How far the least eigenvalue must be above the one needed, for a region to count as culled when clusters are paired.
const SPARE_FLAT: f32 = 0.05;

/// The data that caches read.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    pub(crate) surfaces: &'a Surfaces,
    pub(crate) isa: Isa,
    pub(crate) ends: Ends<'a>,
    pub(crate) start: &'a [Row],
    pub(crate) bounds: &'a [MotionBound],
    /// Gradients of all triangles where the substep starts, and where it ends.
    pub(crate) before: [&'a [Row]; 2],
    pub(crate) after: [&'a [Row]; 2],
    /// For each cluster, the largest change of its gradients in the substep.
    pub(crate) bent: &'a [f32],
    /// A pair is near, and may become a contact, if its distance is at most its reach + skin, metres.
    pub(crate) skin: f32,
    pub(crate) rounding: f32,
    /// Number of pairs listed in all caches, and how many there may be.
    pub(crate) listed: &'a AtomicUsize,
    pub(crate) most: usize,
}

/// What a cache knows about a pair of clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Known {
    /// Nothing.
    New,
    /// With these tangents the least eigenvalue was larger than needed by `spare`, and has since changed by `path` at most.
    Culled([[f32; 3]; 2]),
    /// The clusters were `spare` metres farther apart than their reach.
    Separated,
    /// The list has the pairs of features that may touch while the clusters move against each other by `spare` metres.
    Active,
}

/// A pair of clusters.
#[derive(Clone, Debug)]
struct ClusterPair {
    clusters: [u32; 2],
    reach: f32,
    region: Option<u32>,
    known: Known,
    spare: f32,
    /// Bounds on the relative motion since then, metres: up to the start of this substep (`path`), and in it (`now`). For a culled
    /// pair, `path` is the sum of the gradients' changes.
    path: f32,
    now: f32,
    /// Its batches among those of the cache.
    batches: Range<usize>,
    /// The relative motion, metres, from which on a batch is to be looked at again: for contacts, and at the end of a substep.
    touches_at: f32,
    meets_at: f32,
}

/// A cache of up to `PAIRS_A_CACHE` pairs of clusters.
#[derive(Debug, Default)]
pub(crate) struct PairCache {
    segments: Vec<ClusterPair>,
    pub(crate) batches: PairBatches,
    pub(crate) memory: Vec<Memory>,
    /// For each pair of features, their numbers within their clusters.
    numbers: Vec<[[u16; 2]; BATCH]>,
    /// A bit a lane for each batch: near, about to touch, among the contacts, doubtful, with a plane.
    near: Vec<u16>,
    urgent: Vec<u16>,
    listed: Vec<u16>,
    pub(crate) doubtful: Vec<u16>,
    pub(crate) planes: Vec<u16>,
    /// Number of segments that are culled.
    flat: usize,
    /// Number of pairs in use, and of batches that are no longer in use.
    pairs: usize,
    dead: usize,
    /// Whether a pair that is about to touch is not among the contacts, and whether one may meet.
    pub(crate) missing: bool,
    pub(crate) doubts: bool,
    found: Pairs,
    /// Kind and numbers of those pairs of the last list that are among the contacts, ascending.
    kept: Vec<(u8, [u16; 2])>,
    /// Segments with batches.
    live: Vec<usize>,
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

impl PairCache {
    /// Removes all pairs of clusters. `rows` is the number of rows.
    pub(crate) fn clear(&mut self, rows: usize) {
        self.segments.clear();
        self.forget(rows);
    }

    /// Forgets all lists of pairs of features.
    fn forget(&mut self, rows: usize) {
        self.batches.clear(rows);
        self.memory.clear();
        self.numbers.clear();
        for lanes in [&mut self.near, &mut self.urgent, &mut self.listed, &mut self.doubtful, &mut self.planes] {
            lanes.clear();
        }
        (self.flat, self.pairs, self.dead, self.missing, self.doubts) = (0, 0, 0, false, false);
    }

    /// Fills everything that no step may read before it writes it.
    pub(crate) fn poison(&mut self) {
        for segment in &mut self.segments {
            (segment.spare, segment.path, segment.touches_at, segment.meets_at) =
                (f32::NAN, f32::NAN, f32::NAN, f32::NAN);
        }
        for lanes in [&mut self.near, &mut self.urgent, &mut self.listed, &mut self.doubtful, &mut self.planes] {
            lanes.fill(u16::MAX);
        }
    }

    /// Adds a pair of clusters.
    pub(crate) fn add(&mut self, surfaces: &Surfaces, clusters: [u32; 2]) {
        self.segments.push(ClusterPair {
            clusters,
            reach: surfaces.reach(clusters),
            region: surfaces.regions.of(clusters),
            known: Known::New,
            spare: f32::NEG_INFINITY,
            path: 0.0,
            now: 0.0,
            batches: 0..0,
            touches_at: f32::NEG_INFINITY,
            meets_at: f32::NEG_INFINITY,
        });
    }

    /// Number of pairs that are listed.
    pub(crate) fn pairs(&self) -> usize {
        self.pairs
    }

    /// Brings the cache up to date, and finds the pairs that are about to touch or, at the end of a substep, may have met.
    ///
    /// # Safety
    /// Nobody moves rows meanwhile.
    pub(crate) unsafe fn look(&mut self, look: &Look<'_>, when: When) {
        (self.missing, self.doubts) = (false, false);
        if when == When::After {
            self.planes.fill(0);
        } else if self.flat == self.segments.len() {
            // All are culled: how much they bend is tested at the end of the substep.
            return;
        }
        for number in 0..self.segments.len() {
            // SAFETY: the caller promises that nobody moves rows meanwhile.
            unsafe { self.look_at(number, look, when) };
        }
        self.flat = self.segments.iter().filter(|segment| matches!(segment.known, Known::Culled(_))).count();
        if self.dead > self.memory.len() / 2 + 8 {
            self.pack();
        }
    }

    /// The same for pairs with a cluster that has changed, at the end of a substep.
    ///
    /// # Safety
    /// As for [`PairCache::look`].
    pub(crate) unsafe fn look_again(&mut self, look: &Look<'_>, changed: &[bool]) {
        // Some segments may no longer be culled.
        (self.doubts, self.flat) = (false, 0);
        for number in 0..self.segments.len() {
            let ClusterPair { clusters, region, known, spare, .. } = &mut self.segments[number];
            let regions = &look.surfaces.regions;
            let all = match (*known, *region) {
                (Known::Culled(_), Some(region)) => &regions.clusters[regions.each[region as usize].clusters.clone()],
                _ => &clusters[..],
            };
            let concerned = all.iter().any(|&cluster| changed[cluster as usize]);
            if concerned && matches!(known, Known::Culled(_)) {
                // It may have been found flat for ends that have been moved since.
                *spare = f32::NEG_INFINITY;
            }
            let batches = self.segments[number].batches.clone();
            self.doubtful[batches.clone()].fill(0);
            if concerned {
                // `meets_at` was found for ends that have been moved since.
                self.segments[number].meets_at = f32::NEG_INFINITY;
                self.memory[batches].iter_mut().for_each(|memory| memory.meets_at = f32::NEG_INFINITY);
                // SAFETY: the caller promises that nobody moves rows meanwhile.
                unsafe { self.look_at(number, look, When::After) };
            }
        }
    }

    /// # Safety
    /// As for [`PairCache::look`].
    unsafe fn look_at(&mut self, number: usize, look: &Look<'_>, when: When) {
        let segment = &mut self.segments[number];
        if when == When::First {
            segment.path += segment.now;
        }
        let [a, b] = segment.clusters.map(|c| &look.bounds[c as usize]);
        let holds = match segment.known {
            Known::New => false,
            Known::Culled(_) => {
                if when != When::After {
                    return;
                }
                segment.path += bends(segment.region, look);
                segment.path < segment.spare
            }
            Known::Separated | Known::Active => {
                segment.now = a.travel(b);
                segment.path + segment.now < segment.spare
            }
        };
        if !holds {
            self.find(number, look, when);
        }
        let segment = &mut self.segments[number];
        if segment.known != Known::Active || segment.batches.is_empty() {
            return;
        }
        let travelled = segment.path + segment.now;
        let range = segment.batches.clone();
        if when == When::After {
            if travelled < segment.meets_at {
                self.doubtful[range].fill(0);
                return;
            }
            let watch = Watch { ends: look.ends, travelled, rounding: look.rounding };
            // SAFETY: the caller promises that nobody moves rows meanwhile.
            segment.meets_at =
                unsafe { watch.look(look.isa, &self.batches, range.clone(), &mut self.memory, &mut self.doubtful) };
            self.doubts |= self.doubtful[range].iter().any(|lanes| *lanes != 0);
        } else {
            if travelled < segment.touches_at {
                return;
            }
            // Seen from where particles are now, they may first go back by `now`. Turning back shrinks distances by a share of less
            // than `back`.
            let back = look.bounds[segment.clusters[0] as usize].turned(&look.bounds[segment.clusters[1] as usize]);
            let since = (segment.path - segment.now) - back * (segment.reach + 2.0 * segment.spare);
            let near = Near { ends: look.ends, travelled, since, skin: look.skin };
            let found = Found {
                memory: &mut self.memory,
                listed: &self.listed,
                near: &mut self.near,
                urgent: &mut self.urgent,
            };
            // SAFETY: the caller promises that nobody moves rows meanwhile.
            segment.touches_at = unsafe { near.look(look.isa, &self.batches, range.clone(), found) };
            self.missing |= range.into_iter().any(|batch| self.urgent[batch] & !self.listed[batch] != 0);
        }
    }

    /// Finds whether a pair of clusters is culled, separated or active from now on.
    fn find(&mut self, number: usize, look: &Look<'_>, when: When) {
        let segment = &mut self.segments[number];
        let [a, b] = segment.clusters.map(|c| &look.bounds[c as usize]);
        let may_be_flat = matches!(segment.known, Known::New | Known::Culled(_));
        if let (true, Some(region)) = (may_be_flat, segment.region) {
            let region = &look.surfaces.regions.each[region as usize];
            if let Some((tangents, spare)) = flat(region, segment.known, look, when) {
                (segment.known, segment.spare) = (Known::Culled(tangents), spare);
                // `spare` includes the bending of this substep already, if that is known.
                (segment.path, segment.now) = (0.0, 0.0);
                return;
            }
        }
        segment.now = a.travel(b);
        segment.path = 0.0;
        self.drop(number);
        let segment = &mut self.segments[number];
        let least = LEAST_MARGIN * look.surfaces.edge;
        let mut apart = between(a, b) - segment.reach;
        if apart < least {
            let clusters = segment.clusters.map(|c| &look.surfaces.clusters[c as usize].corners);
            let hulls = Hulls { x: look.start, clusters, directions: a.across(b) };
            let across = (hulls.gap(look.isa) * (1.0 - 1e-5) - look.rounding) - segment.reach;
            // Boxes bound the paths of the whole substep. Hulls are of its start: their gap counts if it is larger than the motion
            // in the substep.
            apart = if across > segment.now { Lanes::larger(apart, across) } else { apart };
        }
        if apart > 0.0 {
            (segment.known, segment.spare) = (Known::Separated, apart);
            return;
        }
        let most = Lanes::larger(MOST_MARGIN * look.surfaces.edge, segment.now);
        segment.spare = Lanes::larger(Lanes::smaller(segment.now * WAYS_A_LIST, most), least) + segment.now;
        segment.known = Known::Active;
        self.list(number, look);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Touching;
    use super::super::bend::bend_cluster;
    use super::*;
    use crate::run::step::step;
    use crate::{Cloth, Collide, Execution, Input, Plan, Scene, Scratch, State};
    use seidel_kernels::Shared;

    fn count_flat(cache: &PairCache) -> usize {
        cache.segments.iter().filter(|segment| matches!(segment.known, Known::Culled(_))).count()
    }

    /// The clamp can fold a flat sheet. A cache of culled pairs must then no longer count all of them as culled: otherwise the first
    /// look of the next substep would pass over the motion of their features.
    #[test]
    fn what_is_folded_while_it_is_held_is_not_flat() {
        let mut scene = Scene::new();
        scene.settings.substeps = 1.into();
        scene.add(Cloth::grid([24, 24], [1.0, 1.0]).collide(Collide::All));
        let plan = Plan::new(&scene).expect("a sound scene");
        let (mut state, isa) = (State::new(&plan), Isa::detect());
        let mut scratch = Scratch::new(&plan, Execution { threads: 1, ..Execution::default() });
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
        // SAFETY: nobody else is at work.
        unsafe { caches[0].look(&look, When::First) };
        caches[0].segments.retain(|segment| matches!(segment.known, Known::Culled(_)));
        let count = caches[0].segments.len();
        assert!(count > 0 && caches[0].flat == count, "{} and not {count} are flat", caches[0].flat);
        // Folds the sheet along an oblique line, so that no triangle lies as it did beside its neighbours.
        for [x, y, z, _] in touching.end.iter_mut() {
            let over = *x + 0.3 * *z;
            (*x, *y) = (*x - 2.0 * over.max(0.0), *y + 0.01 * over.max(0.0));
        }
        for number in 0..surfaces.clusters.len() {
            let ends = Ends { start: Shared::new(&mut touching.start), end: Shared::new(&mut touching.end) };
            // SAFETY: nobody else is at work.
            let reaches = unsafe { surfaces.sixteens[number / BATCH].look(isa, ends) };
            touching.bounds[number].set(&reaches, number % BATCH);
            let Touching { before, after, change, bent, end, .. } = &mut *touching;
            let after = [&mut after.first[..], &mut after.second[..]];
            bent[number] = bend_cluster(surfaces, isa, number, end, before.rows(), after, change);
        }
        let changed = vec![true; surfaces.clusters.len()];
        let (caches, look) = touching.caches(surfaces, isa, &listed, usize::MAX);
        // SAFETY: nobody else is at work.
        unsafe { caches[0].look_again(&look, &changed) };
        assert!(count_flat(&caches[0]) < count, "nothing is folded");
        assert!(caches[0].flat <= count_flat(&caches[0]), "what is folded counts as flat");
    }
}
