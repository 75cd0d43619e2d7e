//! Bodies against themselves and each other: points and triangles, edges and edges.
//!
//! ```text
//!  once a step, or when clusters of particles leave the boxes where they were expected
//!    boxes around clusters --hash--> pairs of clusters, in caches
//!  every substep
//!    constraints -> ends (rows x, x + u) -> caches: lists of pairs, which are about to touch?
//!                -> contacts color by color -> displacements -> colliders -> ends
//!                -> caches: lists of pairs, which may have met? -> hold back what would go through
//!                -> a moving collider presses what is held back? -> the same again
//! ```
//! Two features that are apart before a substep do not meet on their straight paths in it, and are apart after it:
//! nothing passes through anything, but for the cases in docs/contacts.md. Contacts decide how near features come. The
//! displacement clamp keeps them from meeting.

mod back;
mod bend;
mod blocks;
mod bound;
mod broad;
mod cache;
mod carry;
mod clamp;
mod colors;
mod list;
mod outside;
mod pass;
mod push;
mod shares;

use crate::plan::Plan;
use crate::plan::surfaces::Surfaces;
use crate::run::counts::Counts;
use crate::run::passes::Common;
use crate::run::report::Phase;
use crate::tuning::{
    CLAMPED_OPENING_SPEED, CLUSTER_GROWTH, CONTACT_MARGIN, LATER_WAY, LEAST_MARGIN, MOST_SWEEPS, OPENING_SHARE,
    OPENING_SPEED, PAIRS_A_CACHE, PAIRS_A_FEATURE,
};
use bend::{Gradient, bend};
use blocks::block;
use bound::{MotionBound, beside};
pub(super) use broad::BroadPhase;
use cache::{CacheInput, PairCache, When};
use carry::Carried;
use clamp::DisplacementClamp;
use list::Contacts;
use outside::Outside;
pub(crate) use pass::Pairs;
use seidel_kernels::contact::pairs::{ClusterMotion, Ends, Features, Opening, Pair, RECORD};
use seidel_kernels::{BATCH, Isa, Lanes, Pack, Rows, Shared};
use seidel_workers::Crew;
use shares::Shares;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Rounding of coordinates, as a part of the scene's largest coordinate: some steps of f32. A part of each pair's own
/// coordinates is too little: with it, three of seven runs of `layers` with 24 to 26 vertices a side had an
/// intersection.
const ROUNDING: f32 = 1e-6;

/// Working memory for pairs.
#[derive(Debug, Default)]
pub(crate) struct Touching {
    start: Rows,
    end: Rows,
    bounds: Vec<MotionBound>,
    motions: Vec<ClusterMotion>,
    /// The boxes in which clusters are expected, metres.
    places: Vec<[[f32; 3]; 2]>,
    broad: BroadPhase,
    /// Deformation gradients of triangles of plane sheets, where a substep starts and where it ends.
    before: Gradient,
    after: Gradient,
    /// How much the gradients have changed in the substep: of sixteen triangles, and the largest change of each
    /// cluster.
    change: Vec<Pack<f32>>,
    bent: Vec<f32>,
    /// For each cluster, the largest of these in the regions of which it is the first.
    bent_around: Vec<f32>,
    caches: Vec<PairCache>,
    /// The pairs of clusters that caches have, ascending.
    known: Vec<[u32; 2]>,
    /// Where those of each first cluster began in `known` before the last search.
    known_of: Vec<u32>,
    /// For `sort_known`.
    merged: Vec<[u32; 2]>,
    /// Number of caches in use.
    count: usize,
    /// True while no pairs of clusters are known.
    unknown: bool,
    contacts: Contacts,
    /// Whether contacts are recorded, and the record of the last substep's contacts: `RECORD` packs a batch.
    recording: bool,
    recorded: Vec<Pack<f32>>,
    /// The contacts that were recorded in the levels of this step that have ended.
    kept: Vec<(Features, Pair, [f32; RECORD])>,
    /// A pair is near, and may become a contact, if its distance is at most its reach + margin, metres.
    margin: f32,
    clamp: DisplacementClamp,
    carried: Carried,
    outside: Outside,
    /// How many sweeps the next substep may take, and the number of substeps of this step in which colliders stayed in
    /// what they press.
    sweeps: u32,
    failed: u32,
    /// Of each cluster, the parts with a row that the clamp has moved in its last pass: a bit a part.
    changed: Vec<u8>,
    /// Bounds on how far any two particles have moved against each other, metres: since the step began, up to the start
    /// of the substep (`gone`), and in the substep (`going`).
    gone: f32,
    going: f32,
    motion: CommonMotion,
    /// Pairs, and pairs of edges among them, that were pushed apart in the last sweep.
    pushed: AtomicU32,
    pushed_edges: AtomicU32,
    counts: Counts,
    /// Pairs of features for which there is memory.
    fit: usize,
}

/// How all particles move in a substep.
#[derive(Clone, Copy, Debug, Default)]
struct CommonMotion {
    /// The translation that all particles share, metres; zero if some are fixed, or there are colliders.
    common: [f32; 3],
    /// The largest coordinate, metres.
    largest: f32,
}

impl Touching {
    /// Working memory for a plan; empty if nothing can touch.
    pub(crate) fn new(plan: &Plan, memory: u64) -> Touching {
        let mut touching = Touching::default();
        if let Some(surfaces) = &plan.surfaces {
            (touching.start, touching.end) = (Rows::zeros(plan.x.len(), 40), Rows::zeros(plan.x.len(), 48));
            touching.outside = Outside::new(surfaces, plan.x.len());
            touching.bounds.resize(surfaces.clusters.len(), MotionBound::default());
            touching.motions.resize(surfaces.clusters.len(), ClusterMotion::default());
            let packs = surfaces.regions.triangles.len();
            touching.before.fill(packs * BATCH, 0.0);
            touching.after.fill(packs * BATCH, 0.0);
            touching.change.resize(packs, Pack([0.0; BATCH]));
            touching.bent.resize(surfaces.clusters.len(), 0.0);
            touching.bent_around.resize(surfaces.clusters.len(), 0.0);
            touching.fit = plan.pairs_within(memory);
        }
        touching
    }

    /// Fills everything that no step may read before it writes it.
    pub(crate) fn poison(&mut self) {
        self.start.fill(f32::NAN);
        self.end.fill(f32::NAN);
        self.places.fill([[f32::NAN; 3]; 2]);
        for gradient in [&mut self.before, &mut self.after] {
            gradient.fill(gradient.first.len(), f32::NAN);
        }
        self.bent.fill(f32::NAN);
        self.bent_around.fill(f32::NAN);
        self.change.fill(Pack([f32::NAN; BATCH]));
        self.bounds.iter_mut().for_each(MotionBound::poison);
        let nowhere = [f32::NAN; 4];
        self.motions.fill(ClusterMotion { mean: nowhere, middle: nowhere, shift: nowhere, turn: nowhere });
        self.motion = CommonMotion { common: [f32::NAN; 3], largest: f32::NAN };
        self.changed.fill(u8::MAX);
        self.clamp.poison();
        (self.margin, self.gone, self.going) = (f32::NAN, f32::NAN, f32::NAN);
        self.carried.poison();
        (self.sweeps, self.failed) = (u32::MAX, u32::MAX);
        self.caches.iter_mut().for_each(PairCache::poison);
        (self.count, self.unknown) = (usize::MAX, false);
        self.known.fill([u32::MAX; 2]);
        self.known_of.fill(u32::MAX);
    }

    /// Keeps what the level before in this step has recorded.
    fn keep_recorded(&mut self) {
        let Touching { contacts, recorded, kept, .. } = self;
        kept.extend(listed(contacts, recorded));
    }

    /// Begins a step: forgets what the last one has recorded.
    pub(crate) fn forget_recorded(&mut self) {
        self.recorded.clear();
        self.kept.clear();
    }

    /// Begins a level: forgets all pairs.
    pub(crate) fn begin(&mut self, surfaces: &Surfaces) {
        self.keep_recorded();
        (self.count, self.unknown, self.counts) = (0, true, Counts::default());
        (self.gone, self.going) = (0.0, 0.0);
        self.contacts.clear(self.start.len());
        self.recorded.clear();
        self.clamp.begin(self.start.len());
        self.clamp.forget();
        self.carried.clear();
        (self.sweeps, self.failed) = (MOST_SWEEPS, 0);
        let keeps = 2.0 * surfaces.thickest();
        self.margin = CONTACT_MARGIN * keeps.max(LEAST_MARGIN * surfaces.edge);
    }

    /// The rows that pairs work on, for all workers.
    pub(crate) fn ends(&mut self) -> Ends<'_> {
        Ends { start: Shared::new(&mut self.start), end: Shared::new(&mut self.end) }
    }

    /// Brings the caches up to date and looks at their pairs. Rows are where constraints have left them, or, with
    /// `When::After`, where the substep ends.
    pub(crate) fn look(
        &mut self,
        common: &Common<'_>,
        surfaces: &Surfaces,
        crew: &mut Crew<'_>,
        substep: u32,
        when: When,
    ) {
        let Common { plan, isa, laps, substeps, .. } = *common;
        self.bound(common, surfaces, crew);
        self.motion = self.motion(!plan.colliders.is_empty());
        let shared = self.motion.common;
        // Clusters with a lost particle (`NonFinite::Ignore`) keep no other pair asleep or awake.
        let known = self.bounds.iter().zip(&self.motions).filter(|(bound, _)| !bound.is_lost());
        self.going = 2.0 * known.fold(0.0, |most, (_, motion)| Lanes::larger(most, beside(motion, shared)));
        if self.unknown || self.strayed() {
            self.pair_clusters(surfaces, isa, crew, substeps - substep);
        }
        laps.lap(Phase::PairClusters);
        if when == When::After {
            let Touching { before, after, change, bent, end, .. } = &mut *self;
            bend(surfaces, isa, crew, end, before, (after, change, bent));
            surfaces.regions.largest_around(&self.bent, &mut self.bent_around);
        }
        self.look_at_caches(surfaces, isa, crew, when);
        laps.lap(Phase::PairLists);
    }

    /// Finds the motion bounds of all clusters.
    fn bound(&mut self, common: &Common<'_>, surfaces: &Surfaces, crew: &mut Crew<'_>) {
        let ends = Ends { start: Shared::new(&mut self.start), end: Shared::new(&mut self.end) };
        let (bounds, motions) = (Shared::new(&mut self.bounds), Shared::new(&mut self.motions));
        let work = |number: usize| {
            let range = block(0..surfaces.clusters.len(), number, BATCH);
            // SAFETY: the stage runs each sixteen once, and a cluster is in one (`block`); `ends` is borrowed for it,
            // and only read.
            let (bounds, motions, reaches) = unsafe {
                let (from, count) = (range.start, range.len());
                (bounds.part(from, count), motions.part(from, count), surfaces.sixteens[number].look(common.isa, ends))
            };
            for (lane, to) in bounds.iter_mut().zip(motions).enumerate() {
                let body = surfaces.clusters[range.start + lane].body;
                let off = common.off.bodies[surfaces.bodies[body].number];
                (*to.0, *to.1) = if off { MotionBound::nowhere() } else { MotionBound::of(&reaches, lane) };
            }
        };
        let blocks = surfaces.sixteens.len();
        crew.each(blocks, work);
    }

    /// Finds the motion that all particles share, and the largest coordinate.
    fn motion(&self, beside_colliders: bool) -> CommonMotion {
        // With a fixed particle or a collider no motion is common: a clamped particle must not be carried into what
        // does not move.
        let (mut sum, mut count, mut fixed, mut largest) = ([0.0f64; 3], 0, beside_colliders, 0.0f32);
        let all = self.bounds.iter().zip(&self.motions);
        // Nor do they make the roundings of others larger. Nothing is promised of them.
        for (bound, motion) in all.filter(|(bound, _)| bound.somewhere && !bound.is_lost()) {
            fixed |= bound.fixed;
            count += 1;
            sum.iter_mut().zip(motion.mean).for_each(|(sum, mean)| *sum += f64::from(mean));
            for (low, high) in bound.low.into_iter().zip(bound.high) {
                largest = Lanes::larger(Lanes::larger(largest, high), -low);
            }
        }
        let share = 1.0 / f64::from(count.max(1));
        let common = if fixed { [0.0; 3] } else { sum.map(|sum| (sum * share) as f32) };
        CommonMotion { common, largest }
    }

    /// Whether a cluster has left the box in which it was expected.
    fn strayed(&self) -> bool {
        let inside = |(bound, [low, high]): (&MotionBound, &[[f32; 3]; 2])| {
            // A cluster without a finite position counts as inside.
            !bound.somewhere || (0..3).all(|k| low[k] <= bound.low[k] && bound.high[k] <= high[k])
        };
        !self.bounds.iter().zip(&self.places).all(inside)
    }

    /// Finds the pairs of clusters that may come near in the substeps that are left.
    fn pair_clusters(&mut self, surfaces: &Surfaces, isa: Isa, crew: &mut Crew<'_>, left: u32) {
        let place = |((bound, motion), cluster): ((&MotionBound, &ClusterMotion), &crate::plan::surfaces::Cluster)| {
            let way = beside(motion, [0.0; 3]) * LATER_WAY;
            let most = Lanes::larger(CLUSTER_GROWTH * surfaces.edge, way);
            let growth = Lanes::smaller(way * left as f32, most) + LEAST_MARGIN * surfaces.edge;
            let pad = growth + cluster.thickness;
            let out = |x: f32| pad + x.abs() * ROUNDING;
            [bound.low.map(|x| x - out(x)), bound.high.map(|x| x + out(x))]
        };
        self.places.clear();
        self.places.extend(self.bounds.iter().zip(&self.motions).zip(&surfaces.clusters).map(place));
        if self.unknown {
            let packs = surfaces.regions.triangles.len();
            self.before.fill(packs * BATCH, 0.0);
            let Touching { before, after, change, bent, start, .. } = &mut *self;
            bend(surfaces, isa, crew, start, after, (before, change, bent));
            (self.count, self.unknown) = (0, false);
            self.known.clear();
            self.contacts.forget();
        }
        // Pairs that are known stay where they are; new ones come behind.
        let Touching { caches, places, broad, start, count, known, known_of, .. } = &mut *self;
        let rows = start.len();
        known_of.clear();
        known_of.resize(surfaces.clusters.len() + 1, 0);
        known.iter().for_each(|[first, _]| known_of[*first as usize + 1] += 1);
        (0..surfaces.clusters.len()).for_each(|first| known_of[first + 1] += known_of[first]);
        let mut add = |clusters: [u32; 2]| {
            let first = clusters[0] as usize;
            let old = &known[known_of[first] as usize..known_of[first + 1] as usize];
            if !surfaces.meet(clusters) || old.binary_search(&clusters).is_ok() {
                return;
            }
            known.push(clusters);
            if *count == 0 || caches[*count - 1].len() == PAIRS_A_CACHE {
                if *count == caches.len() {
                    caches.push(PairCache::default());
                }
                caches[*count].clear(rows);
                *count += 1;
            }
            caches[*count - 1].add(surfaces, clusters);
        };
        let most = PAIRS_A_FEATURE * surfaces.clusters.len();
        let overflowed = broad.search(crew, places, most, &mut add).is_err();
        // `strayed` compares places with positions that do not include the thickness: take it off again.
        for (place, cluster) in self.places.iter_mut().zip(&surfaces.clusters) {
            let thickness = cluster.thickness;
            (0..3).for_each(|k| (place[0][k], place[1][k]) = (place[0][k] + thickness, place[1][k] - thickness));
        }
        self.sort_known();
        self.counts.lists += 1;
        if overflowed {
            self.give_up();
        }
    }

    /// Sorts the known pairs, of which those from before the last search are sorted.
    fn sort_known(&mut self) {
        let Touching { known, known_of, merged, .. } = self;
        let old = known_of.last().map_or(0, |&old| old as usize);
        let (before, new) = known.split_at_mut(old);
        new.sort_unstable();
        merged.clear();
        let (mut before, mut new) = (before.iter().peekable(), new.iter().peekable());
        while let (Some(a), Some(b)) = (before.peek(), new.peek()) {
            merged.extend(if a < b { before.next() } else { new.next() });
        }
        merged.extend(before.chain(new));
        std::mem::swap(known, merged);
    }

    /// Drops all pairs and contacts, because there are too many. The next look searches anew.
    fn give_up(&mut self) {
        (self.count, self.unknown) = (0, true);
        self.contacts.clear(self.start.len());
        self.counts.overflowed += 1;
    }

    /// Brings caches up to date.
    fn look_at_caches(&mut self, surfaces: &Surfaces, isa: Isa, crew: &mut Crew<'_>, when: When) {
        let listed = AtomicUsize::new(self.listed());
        let too_many = PAIRS_A_FEATURE * (surfaces.points.len() + surfaces.edges.len());
        // Lists that are made anew count twice until the old ones are forgotten.
        let most = too_many.min(self.fit.saturating_mul(2));
        let (caches, look) = self.caches(surfaces, isa, &listed, most);
        let (count, caches) = (caches.len(), Shared::new(caches));
        // SAFETY: the stage runs each number once, and a cache has one; no block of it writes rows, of which `look` has
        // the ends.
        let work = |cache: usize| unsafe { caches.part(cache, 1)[0].look(&look, when) };
        crew.each(count, work);
        let is_beyond = self.listed() > self.fit;
        if listed.into_inner() > most || is_beyond {
            self.counts.beyond_memory += u32::from(is_beyond || most < too_many);
            self.give_up();
        }
        self.counts.candidates = self.counts.candidates.max(self.listed() as u32);
    }

    /// Number of listed pairs.
    fn listed(&self) -> usize {
        self.caches[..self.count].iter().map(PairCache::listed).sum()
    }

    /// The caches in use, and the data that they read.
    fn caches<'a>(
        &'a mut self,
        surfaces: &'a Surfaces,
        isa: Isa,
        listed: &'a AtomicUsize,
        most: usize,
    ) -> (&'a mut [PairCache], CacheInput<'a>) {
        let ends = Ends { start: Shared::new(&mut self.start), end: Shared::new(&mut self.end) };
        // SAFETY: rows are only read while caches are looked at.
        let start = unsafe { ends.start.read(0, ends.start.len()) };
        let look = CacheInput {
            surfaces,
            isa,
            ends,
            start,
            bounds: &self.bounds,
            motions: &self.motions,
            before: self.before.rows(),
            after: self.after.rows(),
            bent_around: &self.bent_around,
            margin: self.margin,
            rounding: self.motion.largest * ROUNDING,
            listed,
            most,
        };
        (&mut self.caches[..self.count], look)
    }

    /// If a pair that is not a contact is about to touch, adds it to the contacts, with near pairs (`Contacts::add`).
    pub(crate) fn make_contacts(&mut self, plan: &Plan) {
        let caches = &mut self.caches[..self.count];
        if caches.iter().any(|cache| cache.missing) {
            self.contacts.add(caches, self.start.len(), plan.keeps_multipliers());
            self.counts.colored += 1;
            self.recorded.clear();
        }
    }

    /// Sets the counts of contacts to zero, before a sweep.
    pub(crate) fn count_again(&mut self) {
        *self.pushed.get_mut() = 0;
        *self.pushed_edges.get_mut() = 0;
    }

    /// Counts of this step.
    pub(crate) fn counts(&self) -> Counts {
        let (contacts, edges) = (self.pushed.load(Ordering::Relaxed), self.pushed_edges.load(Ordering::Relaxed));
        Counts { contacts, edges, ..self.counts }
    }

    /// Whether contacts are to be recorded from the next step on.
    pub(crate) fn record(&mut self, on: bool) {
        (self.recording, self.recorded, self.kept) = (on, Vec::new(), Vec::new());
    }

    /// Pairs that were pushed in the last substep, level by level, in the order of the list: weights, normal,
    /// multiplier.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = (Features, Pair, [f32; RECORD])> {
        self.kept.iter().copied().chain(listed(&self.contacts, &self.recorded))
    }

    /// The data that workers need to solve contacts in a substep of h seconds. With `last`, contacts are recorded if
    /// recording is on.
    pub(crate) fn share(&mut self, h: f32, last: bool) -> Shares<'_> {
        if self.recording && last {
            self.recorded.resize(RECORD * self.contacts.batches.len(), Pack([0.0; BATCH]));
        }
        Shares {
            record: Shared::new(&mut self.recorded),
            ends: Ends { start: Shared::new(&mut self.start), end: Shared::new(&mut self.end) },
            travelled: self.gone + self.going,
            opening: Opening {
                share: OPENING_SHARE,
                most: OPENING_SPEED * h,
                clamped: CLAMPED_OPENING_SPEED * h,
                kept: self.clamp.kept(),
            },
            contacts: &self.contacts.batches,
            colors: &self.contacts.colors,
            memory: Shared::new(&mut self.contacts.memory),
            held: Shared::new(&mut self.contacts.held),
            pushed: &self.pushed,
            pushed_edges: &self.pushed_edges,
        }
    }
}

/// Contacts whose record says that they were pushed.
fn listed(contacts: &Contacts, recorded: &[Pack<f32>]) -> impl Iterator<Item = (Features, Pair, [f32; RECORD])> {
    let batches = &contacts.batches;
    recorded.chunks_exact(RECORD).take(batches.len()).enumerate().flat_map(move |(batch, packs)| {
        let numbers = move |lane: usize| std::array::from_fn(|k| packs[k].0[lane]);
        let lanes = (0..batches.lanes(batch)).filter(|&lane| packs[RECORD - 1].0[lane] > 0.0);
        lanes.map(move |lane| (batches.features(batch), batches.pair(batch, lane), numbers(lane)))
    })
}
