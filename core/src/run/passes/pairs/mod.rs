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

mod back;
mod bend;
mod broad;
mod colors;
mod drive;
mod hold;
mod list;
mod outside;
mod page;
mod pass;
mod shares;
mod sway;

use crate::plan::Plan;
use crate::plan::surfaces::Surfaces;
use crate::run::counts::Counts;
use crate::run::workers::Crew;
use crate::tuning::{CLUSTER_GROWTH, LEAST_MARGIN, OPENING_SPEED, PAIRS_A_FEATURE, SEGMENTS_A_PAGE, SKIN, SPARE_WAY};
use bend::{Gradient, bend};
use broad::Broad;
use hold::Hold;
use list::Contacts;
use outside::Outside;
use page::{Look, Page, When};
pub(crate) use pass::Pairs;
use seidel_kernels::contact::pairs::{Ends, Features, Pair, RECORD, sure};
use seidel_kernels::{BATCH, Isa, Lanes, Pack, Rows, Shared};
use shares::Shares;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use sway::Sway;

/// Batches, and clusters, that a worker takes at a time.
const BATCHES_A_BLOCK: usize = 16;
const CLUSTERS_A_BLOCK: usize = 16;
/// Part of the largest coordinate: some steps of f32. Of each pair's own coordinates it is too little: in `layers` of 24 to 26 vertices a
/// side three of seven runs had an intersection.
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
        (isa, crew): (Isa, &mut Crew<'_>),
        substep: u32,
        when: When,
    ) {
        self.sway(surfaces, isa, crew);
        self.frame = self.frame(!plan.colliders.is_empty());
        let common = self.frame.common;
        let longest = |most: f32, sway: &Sway| Lanes::larger(most, sway.from(common));
        self.going = 2.0 * self.sways.iter().fold(0.0, longest);
        if self.unknown || self.strayed() {
            self.pair_clusters(surfaces, isa, crew, plan.settings.substeps - substep);
        }
        if when == When::After {
            let Touching { before, after, change, bent, end, .. } = &mut *self;
            bend(surfaces, isa, crew, end, before, (after, change, bent));
        }
        self.look_at_pages(surfaces, isa, crew, when);
    }

    /// How clusters move.
    fn sway(&mut self, surfaces: &Surfaces, isa: Isa, crew: &mut Crew<'_>) {
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
        crew.each(blocks, work);
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
    fn pair_clusters(&mut self, surfaces: &Surfaces, isa: Isa, crew: &mut Crew<'_>, left: u32) {
        let place = |(sway, cluster): (&Sway, &crate::plan::surfaces::Cluster)| {
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
        bend(surfaces, isa, crew, start, after, (before, change, bent));
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
        let crowded = broad.search(crew, places, most, &mut add).is_err();
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
        self.counts.overflowed += 1;
    }

    /// Brings pages up to date.
    fn look_at_pages(&mut self, surfaces: &Surfaces, isa: Isa, crew: &mut Crew<'_>, when: When) {
        let listed = AtomicUsize::new(self.listed());
        let most = PAIRS_A_FEATURE * (surfaces.points.len() + surfaces.edges.len());
        let (pages, look) = self.pages(surfaces, isa, &listed, most);
        let (count, pages) = (pages.len(), Shared::new(pages));
        // SAFETY: a page is this closure's alone; nobody moves rows.
        let work = |page: usize| unsafe { pages.part(page, 1)[0].look(&look, when) };
        crew.each(count, work);
        if listed.into_inner() > most {
            self.give_up();
        }
        self.counts.candidates = self.counts.candidates.max(self.listed() as u32);
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
}

/// A block of some batches or clusters.
fn block(all: Range<usize>, block: usize, size: usize) -> Range<usize> {
    let start = all.start + block * size;
    start..all.end.min(start + size)
}
