//! Bodies against themselves and each other: points and triangles, edges and edges.
//!
//! ```text
//!  once a step, or when clusters of particles leave the boxes where they were expected
//!    boxes around clusters --hash--> pairs of clusters, in pages
//!  every substep
//!    constraints -> ends (rows x, x + u) -> pages: lists of pairs, which are about to touch?
//!                -> contacts color by color -> displacements -> colliders -> ends
//!                -> pages: lists of pairs, which may have met? -> hold back what would go through
//! ```
//! What ends a substep apart began it apart, and has not met on its straight way between: nothing goes through, unless something
//! fixed is taken through what cannot get out of its way. How near features come is a matter of contacts; that they do not meet is not.

mod broad;
mod colors;
mod drive;
mod hold;
mod list;
mod outside;
mod page;
mod regions;
pub(crate) mod surfaces;
mod sway;

use crate::contact::Moving;
use crate::plan::Plan;
use crate::tuning::{CLUSTER_GROWTH, LEAST_MARGIN, OPENING_SPEED, PAIRS_A_FEATURE, SEGMENTS_A_PAGE, SKIN, SPARE_WAY};
use crate::workers::Workers;
use broad::Broad;
use hold::{Hold, Ways};
use list::Contacts;
use outside::{Around, Outside};
pub(crate) use page::When;
use page::{Look, Page};
use seidel_kernels::contact::pairs::{
    Deformed, Ends, Features, Gradients, Memory, Pair, PairBatches, PairContacts, RECORD, sure,
};
use seidel_kernels::integrate::Motion;
use seidel_kernels::{BATCH, Isa, Lanes, Pack, Row, Rows, Shared};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
pub(crate) use surfaces::Surfaces;
use sway::Sway;

/// Batches, and clusters, that a worker takes at a time.
const BATCHES_A_BLOCK: usize = 16;
const CLUSTERS_A_BLOCK: usize = 16;
/// Part of the largest coordinate: some steps of f32.
const ROUNDING: f32 = 1e-6;

/// Working memory for pairs.
#[derive(Debug, Default)]
pub(crate) struct Touching {
    start: Rows,
    end: Rows,
    sways: Vec<Sway>,
    /// The boxes in which clusters are expected.
    places: Vec<[[f32; 3]; 2]>,
    broad: Broad,
    /// Deformation gradients of triangles of plane sheets, where a substep starts and where it ends.
    before: Gradient,
    after: Gradient,
    /// How much they have changed: of sixteen triangles, and the most of each cluster.
    change: Vec<Pack<f32>>,
    bent: Vec<f32>,
    pages: Vec<Page>,
    /// Of these are in use.
    count: usize,
    /// No pairs of clusters are known.
    unknown: bool,
    contacts: Contacts,
    /// Whether contacts are recorded, and those of the last substep's list: `RECORD` packs a batch.
    recording: bool,
    recorded: Vec<Pack<f32>>,
    /// Distance beyond a pair's own at which it is taken among the contacts, metres.
    skin: f32,
    hold: Hold,
    outside: Outside,
    changed: Vec<bool>,
    /// How far any two particles have moved against each other since the step began, at most: to the start of the substep, in it.
    gone: f32,
    going: f32,
    frame: Frame,
    /// Of the last sweep.
    pushed: AtomicU32,
    pushed_edges: AtomicU32,
    counts: Counts,
}

/// Rows of gradients.
#[derive(Debug, Default)]
struct Gradient {
    first: Vec<Row>,
    second: Vec<Row>,
}

impl Gradient {
    fn rows(&self) -> [&[Row]; 2] {
        [&self.first, &self.second]
    }

    fn fill(&mut self, rows: usize, value: f32) {
        for rows_of in [&mut self.first, &mut self.second] {
            rows_of.clear();
            rows_of.resize(rows, [value; 4]);
        }
    }
}

/// What bodies have done to themselves and each other in a step; of several steps, sums and the longest list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of features that were pushed apart in the last sweep of the last substep.
    pub contacts: u32,
    /// Those of them that are of two edges; the others are of a point and a triangle.
    pub edges: u32,
    /// Pairs of features that were near enough to be watched: the most at a time.
    pub watched: u32,
    /// How often pairs of clusters were found.
    pub lists: u32,
    /// How often those that are about to touch were colored.
    pub colored: u32,
    /// Particles that were held back because they would have gone through something, or were taken along by what is fixed and
    /// would have gone through them: the sum over substeps.
    pub held: u32,
    /// What could not get out of the way of something fixed that is taken somewhere: pairs of features that it was taken through, and
    /// particles that it took along into a collider, or the corners of whose triangles it did. The sum over substeps.
    pub squeezed: u32,
    /// Substeps without contacts, for features lay on such a heap that their pairs would not fit into memory.
    pub crowded: u32,
}

impl Counts {
    /// Adds what the next step counts.
    pub(crate) fn add(&mut self, next: Counts) {
        let Counts { contacts, edges, watched, lists, colored, held, squeezed, crowded } = next;
        self.watched = self.watched.max(watched);
        for (sum, next) in [
            (&mut self.contacts, contacts),
            (&mut self.edges, edges),
            (&mut self.lists, lists),
            (&mut self.colored, colored),
            (&mut self.held, held),
            (&mut self.squeezed, squeezed),
            (&mut self.crowded, crowded),
        ] {
            *sum = sum.saturating_add(next);
        }
    }
}

/// How all particles move in a substep.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    /// What all of them move, metres; nothing where some are fixed, or there are colliders.
    common: [f32; 3],
    /// The largest coordinate, metres.
    largest: f32,
}

impl Touching {
    /// For a plan; without memory if nothing can touch.
    pub(crate) fn new(plan: &Plan) -> Touching {
        let mut touching = Touching::default();
        if let Some(surfaces) = &plan.surfaces {
            (touching.start, touching.end) = (Rows::zeros(plan.x.len(), 40), Rows::zeros(plan.x.len(), 48));
            touching.outside = Outside::new(surfaces, plan.x.len());
            touching.sways.resize(surfaces.clusters.len(), Sway::default());
            let packs = surfaces.regions.triangles.len();
            touching.before.fill(packs * BATCH, 0.0);
            touching.after.fill(packs * BATCH, 0.0);
            touching.change.resize(packs, Pack([0.0; BATCH]));
            touching.bent.resize(surfaces.clusters.len(), 0.0);
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
        self.change.fill(Pack([f32::NAN; BATCH]));
        self.sways.iter_mut().for_each(Sway::poison);
        self.frame = Frame { common: [f32::NAN; 3], largest: f32::NAN };
        self.changed.fill(true);
        self.hold.poison();
        (self.skin, self.gone, self.going) = (f32::NAN, f32::NAN, f32::NAN);
        self.pages.iter_mut().for_each(Page::poison);
        (self.count, self.unknown) = (usize::MAX, false);
    }

    /// A step begins: nothing is known.
    pub(crate) fn begin(&mut self, surfaces: &Surfaces) {
        (self.count, self.unknown, self.counts) = (0, true, Counts::default());
        (self.gone, self.going) = (0.0, 0.0);
        self.contacts.clear(self.start.len());
        self.recorded.clear();
        let keeps = 2.0 * surfaces.thickest();
        self.skin = SKIN * keeps.max(LEAST_MARGIN * surfaces.edge);
    }

    /// The rows of pairs, for all workers.
    pub(crate) fn ends(&mut self) -> Ends<'_> {
        Ends { start: Shared::new(&mut self.start), end: Shared::new(&mut self.end) }
    }

    /// Rows are where constraints have left them, or where the substep ends: brings pages up to date, and looks at pairs.
    pub(crate) fn look(
        &mut self,
        plan: &Plan,
        surfaces: &Surfaces,
        (isa, workers): (Isa, &mut Workers),
        substep: u32,
        when: When,
    ) {
        self.sway(surfaces, isa, workers);
        self.frame = self.frame(!plan.colliders.is_empty());
        let common = self.frame.common;
        let longest = |most: f32, sway: &Sway| Lanes::larger(most, sway.from(common));
        self.going = 2.0 * self.sways.iter().fold(0.0, longest);
        if self.unknown || self.strayed() {
            self.pair_clusters(surfaces, isa, workers, plan.settings.substeps - substep);
        }
        if when == When::After {
            let Touching { before, after, change, bent, end, .. } = &mut *self;
            bend(surfaces, isa, workers, end, before, (after, change, bent));
        }
        self.look_at_pages(surfaces, isa, workers, when);
    }

    /// How clusters move.
    fn sway(&mut self, surfaces: &Surfaces, isa: Isa, workers: &mut Workers) {
        let ends = Ends { start: Shared::new(&mut self.start), end: Shared::new(&mut self.end) };
        let sways = Shared::new(&mut self.sways);
        let work = |number: usize| {
            let range = block(0..surfaces.clusters.len(), number, BATCH);
            // SAFETY: a block's clusters are this closure's alone, and nobody moves rows.
            let (sways, reaches) =
                unsafe { (sways.part(range.start, range.len()), surfaces.sixteens[number].look(isa, ends)) };
            for (lane, sway) in sways.iter_mut().enumerate() {
                sway.set(&reaches, lane);
            }
        };
        let blocks = surfaces.sixteens.len();
        workers.run(&|crew| crew.each(blocks, work, || ()));
    }

    /// How all particles move.
    fn frame(&self, beside_colliders: bool) -> Frame {
        // What is held back must not be taken into what does not move.
        let (mut sum, mut count, mut fixed, mut largest) = ([0.0f64; 3], 0, beside_colliders, 0.0f32);
        for sway in self.sways.iter().filter(|sway| sway.somewhere) {
            fixed |= sway.fixed;
            count += 1;
            sum.iter_mut().zip(sway.mean).for_each(|(sum, mean)| *sum += f64::from(mean));
            for (low, high) in sway.low.into_iter().zip(sway.high) {
                largest = Lanes::larger(Lanes::larger(largest, high), -low);
            }
        }
        let share = 1.0 / f64::from(count.max(1));
        let common = if fixed { [0.0; 3] } else { sum.map(|sum| (sum * share) as f32) };
        Frame { common, largest }
    }

    /// Whether a cluster is elsewhere than was allowed for.
    fn strayed(&self) -> bool {
        let inside = |(sway, [low, high]): (&Sway, &[[f32; 3]; 2])| {
            // What is nowhere is inside everything.
            !sway.somewhere || (0..3).all(|k| low[k] <= sway.low[k] && sway.high[k] <= high[k])
        };
        !self.sways.iter().zip(&self.places).all(inside)
    }

    /// Finds the pairs of clusters that may come near in the substeps that are left.
    fn pair_clusters(&mut self, surfaces: &Surfaces, isa: Isa, workers: &mut Workers, left: u32) {
        let place = |(sway, cluster): (&Sway, &surfaces::Cluster)| {
            let way = sway.from([0.0; 3]) * SPARE_WAY;
            let most = Lanes::larger(CLUSTER_GROWTH * surfaces.edge, way);
            let growth = Lanes::smaller(way * left as f32, most) + LEAST_MARGIN * surfaces.edge;
            let pad = growth + surfaces.bodies[cluster.body].thickness;
            let out = |x: f32| pad + x.abs() * ROUNDING;
            [sway.low.map(|x| x - out(x)), sway.high.map(|x| x + out(x))]
        };
        self.places.clear();
        self.places.extend(self.sways.iter().zip(&surfaces.clusters).map(place));
        let packs = surfaces.regions.triangles.len();
        self.before.fill(packs * BATCH, 0.0);
        let Touching { before, after, change, bent, start, .. } = &mut *self;
        bend(surfaces, isa, workers, start, after, (before, change, bent));
        let Touching { pages, places, broad, start, .. } = &mut *self;
        let (rows, mut count, mut room) = (start.len(), 0, 0);
        let mut add = |clusters: [u32; 2]| {
            if !surfaces.meet(clusters) {
                return;
            }
            if room == 0 {
                if count == pages.len() {
                    pages.push(Page::default());
                }
                pages[count].clear(rows);
                (count, room) = (count + 1, SEGMENTS_A_PAGE);
            }
            room -= 1;
            pages[count - 1].add(surfaces, clusters);
        };
        let most = PAIRS_A_FEATURE * surfaces.clusters.len();
        let crowded = broad.search(places, most, &mut add).is_err();
        // Places are compared with where clusters are, and have their thickness in them: leave it out.
        for (place, cluster) in self.places.iter_mut().zip(&surfaces.clusters) {
            let thickness = surfaces.bodies[cluster.body].thickness;
            (0..3).for_each(|k| (place[0][k], place[1][k]) = (place[0][k] + thickness, place[1][k] - thickness));
        }
        (self.count, self.unknown) = (count, false);
        self.contacts.forget();
        self.counts.lists += 1;
        if crowded {
            self.give_up();
        }
    }

    /// Nothing is looked at: there is too much.
    fn give_up(&mut self) {
        (self.count, self.unknown) = (0, true);
        self.contacts.clear(self.start.len());
        self.counts.crowded += 1;
    }

    /// Brings pages up to date.
    fn look_at_pages(&mut self, surfaces: &Surfaces, isa: Isa, workers: &mut Workers, when: When) {
        let listed = AtomicUsize::new(self.listed());
        let most = PAIRS_A_FEATURE * (surfaces.points.len() + surfaces.edges.len());
        let (pages, look) = self.pages(surfaces, isa, &listed, most);
        let (count, pages) = (pages.len(), Shared::new(pages));
        // SAFETY: a page is this closure's alone; nobody moves rows.
        let work = |page: usize| unsafe { pages.part(page, 1)[0].look(&look, when) };
        workers.run(&|crew| crew.each(count, work, || ()));
        if listed.into_inner() > most {
            self.give_up();
        }
        self.counts.watched = self.counts.watched.max(self.listed() as u32);
    }

    /// Pairs that are listed.
    fn listed(&self) -> usize {
        self.pages[..self.count].iter().map(Page::pairs).sum()
    }

    /// The pages in use, and what they look at.
    fn pages<'a>(
        &'a mut self,
        surfaces: &'a Surfaces,
        isa: Isa,
        listed: &'a AtomicUsize,
        most: usize,
    ) -> (&'a mut [Page], Look<'a>) {
        let ends = Ends { start: Shared::new(&mut self.start), end: Shared::new(&mut self.end) };
        // SAFETY: rows are only read while pages are looked at.
        let start = unsafe { ends.start.read(0, ends.start.len()) };
        let look = Look {
            surfaces,
            isa,
            ends,
            start,
            sways: &self.sways,
            before: self.before.rows(),
            after: self.after.rows(),
            bent: &self.bent,
            skin: self.skin,
            rounding: self.frame.largest * ROUNDING,
            listed,
            most,
        };
        (&mut self.pages[..self.count], look)
    }

    /// Takes those found near among the contacts, if one that is not is about to touch.
    pub(crate) fn make_contacts(&mut self, plan: &Plan) {
        let pages = &mut self.pages[..self.count];
        if pages.iter().any(|page| page.missing) {
            self.contacts.add(pages, self.start.len(), plan.settings.iterations);
            self.counts.colored += 1;
            self.recorded.clear();
        }
    }

    /// Forgets how many contacts there were.
    pub(crate) fn count_again(&mut self) {
        *self.pushed.get_mut() = 0;
        *self.pushed_edges.get_mut() = 0;
    }

    /// What has happened in this step.
    pub(crate) fn counts(&self) -> Counts {
        let (contacts, edges) = (self.pushed.load(Ordering::Relaxed), self.pushed_edges.load(Ordering::Relaxed));
        Counts { contacts, edges, ..self.counts }
    }

    /// Whether contacts are to be recorded from the next step on.
    pub(crate) fn record(&mut self, on: bool) {
        (self.recording, self.recorded) = (on, Vec::new());
    }

    /// Pairs that were pushed in the last substep, in the order of the list: weights, normal, multiplier.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = (Features, Pair, [f32; RECORD])> {
        let batches = &self.contacts.batches;
        self.recorded.chunks_exact(RECORD).take(batches.len()).enumerate().flat_map(move |(batch, packs)| {
            let numbers = move |lane: usize| std::array::from_fn(|k| packs[k].0[lane]);
            let lanes = (0..batches.lanes(batch)).filter(|&lane| packs[RECORD - 1].0[lane] > 0.0);
            lanes.map(move |lane| (batches.features(batch), batches.pair(batch, lane), numbers(lane)))
        })
    }

    /// What workers need to solve contacts, in substeps of h seconds; those of the last one are recorded.
    pub(crate) fn share(&mut self, h: f32, last: bool) -> Shares<'_> {
        if self.recording && last {
            self.recorded.resize(RECORD * self.contacts.batches.len(), Pack([0.0; BATCH]));
        }
        Shares {
            record: Shared::new(&mut self.recorded),
            ends: Ends { start: Shared::new(&mut self.start), end: Shared::new(&mut self.end) },
            travelled: self.gone + self.going,
            opening: OPENING_SPEED * h,
            contacts: &self.contacts.batches,
            colors: &self.contacts.colors,
            memory: Shared::new(&mut self.contacts.memory),
            held: Shared::new(&mut self.contacts.held),
            pushed: &self.pushed,
            pushed_edges: &self.pushed_edges,
        }
    }

    /// Rows and colliders are where the substep ends: holds back what would go through.
    pub(crate) fn finish(
        &mut self,
        plan: &Plan,
        surfaces: &Surfaces,
        (isa, workers): (Isa, &mut Workers),
        substep: u32,
        (motion, moving): (Motion<'_>, &[Moving]),
    ) {
        if self.pages[..self.count].iter().any(|page| page.doubts) {
            let around = Around { colliders: &plan.colliders, moving };
            self.hold_back(plan, surfaces, (isa, workers), substep, around);
            let Frame { common, largest } = self.frame;
            let ways = Ways { start: &self.start, end: &mut self.end, common, least: largest * ROUNDING };
            let crossed = self.hold.crossed(&ways);
            let presses = |row: &u32| self.outside.is_pressed(surfaces, around, *row, &self.hold, &ways);
            let squeezed = (crossed + self.hold.all_taken().filter(presses).count()) as u32;
            self.counts.held = self.counts.held.saturating_add(self.hold.shares().len() as u32);
            self.counts.squeezed = self.counts.squeezed.saturating_add(squeezed);
            for (row, share) in self.hold.shares() {
                let body = &plan.bodies[plan.bodies.partition_point(|body| body.start + body.rows <= row)];
                // SAFETY: nobody else is at work.
                let u = unsafe { motion.u.part(0, motion.u.len()) };
                let mut way = body.layout.read(u, row);
                match self.hold.further(row, &self.end) {
                    Some(further) => (0..3).for_each(|k| way[k] += further[k]),
                    None => (0..3).for_each(|k| way[k] = common[k] + (way[k] - common[k]) * share),
                }
                body.layout.write(u, row, way);
            }
        }
        self.gone += self.going;
        std::mem::swap(&mut self.before, &mut self.after);
    }

    /// Moves the ends of what would go through, until nothing does.
    fn hold_back(
        &mut self,
        plan: &Plan,
        surfaces: &Surfaces,
        (isa, workers): (Isa, &mut Workers),
        substep: u32,
        around: Around<'_>,
    ) {
        self.hold.begin(self.start.len());
        self.changed.resize(surfaces.clusters.len(), false);
        for pass in 0.. {
            let (common, least) = (self.frame.common, self.frame.largest * ROUNDING);
            let mut ways = Ways { start: &self.start, end: &mut self.end, common, least };
            for page in self.pages[..self.count].iter_mut().filter(|page| page.doubts) {
                self.hold.look(page, surfaces, pass, &mut ways);
            }
            self.outside.keep(surfaces, around, &mut self.hold, &mut ways);
            if self.hold.now.is_empty() {
                return;
            }
            self.changed.fill(false);
            for row in self.hold.moved() {
                surfaces.clusters_of(row).iter().for_each(|&cluster| self.changed[cluster as usize] = true);
            }
            for (sixteen, group) in surfaces.sixteens.iter().enumerate() {
                let clusters = block(0..surfaces.clusters.len(), sixteen, BATCH);
                if !self.changed[clusters.clone()].contains(&true) {
                    continue;
                }
                let ends = Ends { start: Shared::new(&mut self.start), end: Shared::new(&mut self.end) };
                // SAFETY: nobody else is at work.
                let reaches = unsafe { group.look(isa, ends) };
                for (lane, number) in clusters.enumerate() {
                    if !self.changed[number] {
                        continue;
                    }
                    let sway = &mut self.sways[number];
                    sway.set(&reaches, lane);
                    self.going = Lanes::larger(self.going, 2.0 * sway.from(common));
                    let Touching { before, after, change, bent, end, .. } = &mut *self;
                    let (after, change) = ([&mut after.first[..], &mut after.second[..]], &mut change[..]);
                    bent[number] = bend_cluster(surfaces, isa, number, end, before.rows(), after, change);
                }
            }
            if self.strayed() {
                // What is taken along may be far from where it was expected.
                self.hold.look_anew();
                let frame = self.frame;
                self.look(plan, surfaces, (isa, workers), substep, When::After);
                // Shares are of ways against what was common when they were found.
                self.frame = frame;
                continue;
            }
            let changed = std::mem::take(&mut self.changed);
            let listed = AtomicUsize::new(0);
            let (pages, look) = self.pages(surfaces, isa, &listed, usize::MAX);
            for page in pages {
                // SAFETY: nobody else is at work.
                unsafe { page.look_again(&look, &changed) };
            }
            self.changed = changed;
        }
    }
}

/// Finds the gradients of all triangles of plane sheets, and how much they have changed since `before`.
fn bend(
    surfaces: &Surfaces,
    isa: Isa,
    workers: &mut Workers,
    x: &[Row],
    before: &Gradient,
    (after, change, bent): (&mut Gradient, &mut [Pack<f32>], &mut [f32]),
) {
    if surfaces.regions.triangles.is_empty() {
        return;
    }
    let (first, second) = (Shared::new(&mut after.first), Shared::new(&mut after.second));
    let (change, bent) = (Shared::new(change), Shared::new(bent));
    let work = |number: usize| {
        for c in block(0..surfaces.clusters.len(), number, CLUSTERS_A_BLOCK) {
            let packs = surfaces.regions.of_cluster[c].clone();
            let (rows, count) = (packs.start * BATCH, packs.len() * BATCH);
            // SAFETY: a cluster's parts are its own, and clusters of a block are this closure's alone.
            unsafe {
                let after = [first.part(rows, count), second.part(rows, count)];
                let before = before.rows().map(|all| &all[rows..rows + count]);
                let change = change.part(packs.start, packs.len());
                bent.part(c, 1)[0] = bend_packs(surfaces, isa, packs, x, before, after, change);
            }
        }
    };
    let blocks = surfaces.clusters.len().div_ceil(CLUSTERS_A_BLOCK);
    workers.run(&|crew| crew.each(blocks, work, || ()));
}

/// The same for one cluster; gives the most that one of its gradients has changed.
fn bend_cluster(
    surfaces: &Surfaces,
    isa: Isa,
    cluster: usize,
    x: &[Row],
    before: [&[Row]; 2],
    after: [&mut [Row]; 2],
    change: &mut [Pack<f32>],
) -> f32 {
    let packs = surfaces.regions.of_cluster[cluster].clone();
    let rows = packs.start * BATCH..packs.end * BATCH;
    let before = before.map(|all| &all[rows.clone()]);
    let after = after.map(|all| &mut all[rows.clone()]);
    bend_packs(surfaces, isa, packs.clone(), x, before, after, &mut change[packs])
}

/// The same for some packs of triangles.
fn bend_packs(
    surfaces: &Surfaces,
    isa: Isa,
    packs: Range<usize>,
    x: &[Row],
    before: [&[Row]; 2],
    [first, second]: [&mut [Row]; 2],
    change: &mut [Pack<f32>],
) -> f32 {
    let gradients = Gradients { x, triangles: &surfaces.regions.triangles[packs] };
    gradients.find(isa, before, Deformed { first, second, change });
    // What is no number tells nothing: it is looked at again.
    let known = |change: f32| if change.is_nan() { f32::INFINITY } else { change };
    change.iter().flat_map(|pack| pack.0).fold(0.0, |most, change| Lanes::larger(most, known(change)))
}

/// What all workers see of contacts.
#[derive(Clone, Copy)]
pub(crate) struct Shares<'a> {
    pub(crate) ends: Ends<'a>,
    travelled: f32,
    opening: f32,
    contacts: &'a PairBatches,
    colors: &'a [usize],
    memory: Shared<'a, Memory>,
    held: Shared<'a, Pack<f32>>,
    record: Shared<'a, Pack<f32>>,
    pushed: &'a AtomicU32,
    pushed_edges: &'a AtomicU32,
}

/// A block of some batches or clusters.
fn block(all: Range<usize>, block: usize, size: usize) -> Range<usize> {
    let start = all.start + block * size;
    start..all.end.min(start + size)
}

impl Shares<'_> {
    /// Number of colors of contacts.
    pub(crate) fn colors(&self) -> usize {
        self.colors.len().saturating_sub(1)
    }

    /// Number of blocks of a color.
    pub(crate) fn blocks(&self, color: usize) -> usize {
        (self.colors[color + 1] - self.colors[color]).div_ceil(BATCHES_A_BLOCK)
    }

    /// Pushes the pairs of a block of a color apart.
    ///
    /// # Safety
    /// Nobody else takes this block, or another color, meanwhile.
    pub(crate) unsafe fn solve(&self, isa: Isa, color: usize, number: usize, first: bool) {
        let Shares { ends, memory, travelled, opening, held, record, .. } = *self;
        let range = block(self.colors[color]..self.colors[color + 1], number, BATCHES_A_BLOCK);
        let contacts = PairContacts { ends, memory, travelled, opening, held, record, first };
        // SAFETY: pairs of a color share no particle (`PairBatches` has seen to it); the caller's promise.
        let touched = unsafe { contacts.solve(isa, self.contacts, range) };
        if touched.contacts > 0 {
            self.pushed.fetch_add(touched.contacts, Ordering::Relaxed);
            self.pushed_edges.fetch_add(touched.edges, Ordering::Relaxed);
        }
    }
}
