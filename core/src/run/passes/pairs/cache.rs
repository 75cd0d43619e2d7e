//! Pairs of clusters, and of each what is known of its features.
//!
//! ```text
//!   flat:   both are one plane sheet that is neither folded nor pressed together much: nothing can touch (`Region`)
//!   apart:  their boxes are farther apart than they can have come since
//!   listed: pairs of features that are nearer than can have come together since, in batches of sixteen
//! ```
//! Each is looked at again when it may no longer hold. A cache belongs to one worker at a time.

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

/// Least eigenvalue beyond the one needed, for a region to count as flat when clusters are paired.
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
    /// How much they have changed in the substep, at most, of each cluster.
    pub(crate) bent: &'a [f32],
    /// Distance beyond a pair's own at which it is taken among the contacts, metres.
    pub(crate) skin: f32,
    pub(crate) rounding: f32,
    /// Pairs that are listed in all caches, and how many there may be.
    pub(crate) listed: &'a AtomicUsize,
    pub(crate) most: usize,
}

/// What a cache knows about a pair of clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Known {
    /// Nothing.
    New,
    /// With these tangents the least eigenvalue is larger than needed by what `spare` was, and has since changed by `path` at most.
    Culled([[f32; 3]; 2]),
    /// They were farther apart than needed by `spare`.
    Separated,
    /// Pairs that may come together while they move by `spare`.
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
    /// The sum of ways against each other since then, to the start of this substep, and in it; of what is flat, of bends.
    path: f32,
    now: f32,
    /// Among the cache's.
    batches: Range<usize>,
    /// At which way some batch is to be looked at again.
    touches_at: f32,
    meets_at: f32,
}

/// Some pairs of clusters.
#[derive(Debug, Default)]
pub(crate) struct PairCache {
    segments: Vec<ClusterPair>,
    pub(crate) batches: PairBatches,
    pub(crate) memory: Vec<Memory>,
    /// The numbers of both features of each pair among their clusters'.
    numbers: Vec<[[u16; 2]; BATCH]>,
    /// A bit a lane for each batch: near, among the contacts, doubtful, with a plane.
    near: Vec<u16>,
    urgent: Vec<u16>,
    listed: Vec<u16>,
    pub(crate) doubtful: Vec<u16>,
    pub(crate) planes: Vec<u16>,
    /// Segments that are flat.
    flat: usize,
    /// Pairs that are in use, and batches that are no longer.
    pairs: usize,
    dead: usize,
    /// Whether a pair that is about to touch is not among the contacts, and whether one may meet.
    pub(crate) missing: bool,
    pub(crate) doubts: bool,
    found: Pairs,
    /// Numbers of those among the contacts, of the list before, ascending.
    kept: Vec<(u8, [u16; 2])>,
    /// Segments with batches.
    live: Vec<usize>,
}

/// When caches are looked at in a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// After constraints: what is about to touch?
    Before,
    /// The same for the first time in this substep.
    First,
    /// After contacts: what may have met?
    After,
}

impl PairCache {
    /// Without pairs of clusters, for so many rows.
    pub(crate) fn clear(&mut self, rows: usize) {
        self.segments.clear();
        self.forget(rows);
    }

    /// Nothing is known.
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

    /// Brings up to date what is known, and finds what is about to touch, or may meet.
    ///
    /// # Safety
    /// Nobody moves rows meanwhile.
    pub(crate) unsafe fn look(&mut self, look: &Look<'_>, when: When) {
        (self.missing, self.doubts) = (false, false);
        if when == When::After {
            self.planes.fill(0);
        } else if self.flat == self.segments.len() {
            // How they bend is looked at where they end.
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
        // Some may no longer be.
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
                // It may have been found flat where it ended before.
                *spare = f32::NEG_INFINITY;
            }
            let batches = self.segments[number].batches.clone();
            self.doubtful[batches.clone()].fill(0);
            if concerned {
                // How far pairs were apart where they ended before tells nothing.
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
            // From where they are now, particles may go back first: what turns back comes nearer by less than the angle's square.
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

    /// Finds out what holds from now on.
    fn find(&mut self, number: usize, look: &Look<'_>, when: When) {
        let segment = &mut self.segments[number];
        let [a, b] = segment.clusters.map(|c| &look.bounds[c as usize]);
        let may_be_flat = matches!(segment.known, Known::New | Known::Culled(_));
        if let (true, Some(region)) = (may_be_flat, segment.region) {
            let region = &look.surfaces.regions.each[region as usize];
            if let Some((tangents, spare)) = flat(region, segment.known, look, when) {
                (segment.known, segment.spare) = (Known::Culled(tangents), spare);
                // The bending of this substep is in it already, if it is known.
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
            // Boxes have the whole of this substep's ways in them; hulls are of where it begins.
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

    /// A flat sheet is folded by what is held back: caches of which all was flat no longer count as that, or the next
    /// substep's first
    /// look would pass over the way that their features have gone.
    #[test]
    fn what_is_folded_while_it_is_held_is_not_flat() {
        let mut scene = Scene::new();
        scene.settings.substeps = 1;
        scene.add(Cloth::grid([24, 24], [1.0, 1.0]).collide(Collide::All));
        let plan = Plan::new(&scene).expect("a sound scene");
        let (mut state, isa) = (State::new(&plan), Isa::detect());
        let mut scratch = Scratch::new(&plan, Execution { threads: 1, ..Execution::default() });
        assert!(step(&plan, &mut state, &Input::frame(0.001), &mut scratch).rejected.is_none());
        let (surfaces, touching) = (plan.surfaces.as_ref().expect("it touches itself"), &mut scratch.touching);
        // A cache of clusters with themselves that are parts of plane sheets.
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
        // Along a line aslant, so that no triangle lies as it did beside its neighbours.
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
