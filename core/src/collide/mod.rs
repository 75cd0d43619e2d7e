//! Bodies against themselves and each other: points and triangles, edges and edges.
//!
//! ```text
//!  once a step, or when particles stray from where they were expected
//!    balls around particles --hash--> pairs --sift--> watched: those that may come near
//!  every substep
//!    constraints -> ends (rows x, x + u) -> contacts color by color -> displacements -> colliders -> ends
//!                -> watch: which pairs may have met? -> hold back what would go through
//!    contacts: of those watched the ones about to touch, picked when particles have travelled some way
//! ```
//! What ends a substep apart began it apart, and has not met on its straight way between: nothing goes through, as long as nothing
//! that is fixed is taken through. How near features come is a matter of contacts; that they do not meet is not.

mod broad;
mod colors;
mod hold;
mod list;
mod sure;
pub(crate) mod surfaces;

use crate::plan::Plan;
use crate::tuning::{
    GROUPS_A_BATCH, OPENING_SPEED, PAIR_GROWTH, PAIR_MARGIN, POINTS_A_GROUP, SKIN, SMALLEST_MARGIN, SPARE_WAY,
};
use crate::workers::Workers;
use broad::Broad;
use hold::{Hold, Ways};
use list::{Contacts, Watched};
use seidel_kernels::contact::pairs::{Ends, Memory, Near, PairBatches, PairContacts, Watch};
use seidel_kernels::integrate::Motion;
use seidel_kernels::{Isa, Lanes, Pack, Row, Rows, Shared};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
pub(crate) use surfaces::Surfaces;

/// Batches that a worker takes at a time.
const BATCHES_A_BLOCK: usize = 16;
/// Part of the largest coordinate: some steps of f32.
const ROUNDING: f32 = 1e-6;

/// Working memory for pairs.
#[derive(Debug, Default)]
pub(crate) struct Touching {
    start: Rows,
    end: Rows,
    broad: Broad,
    /// For each row where the list expects it, [x, y, z, radius]: about where it was when the list was made.
    balls: Vec<Row>,
    /// What all balls move, metres a substep.
    drift: [f32; 3],
    /// Substeps of the list, the one when it was made included; how many it is for. No list: 0.
    age: u32,
    horizon: u32,
    watched: Watched,
    /// A bit a lane for each batch that is watched: near, about to touch, among the contacts, or doubtful.
    near: Vec<u16>,
    urgent: Vec<u16>,
    listed: Vec<u16>,
    doubtful: Vec<u16>,
    contacts: Contacts,
    contacts_are_of_another_list: bool,
    /// Distance beyond a pair's own at which it is taken among the contacts, metres.
    skin: f32,
    hold: Hold,
    /// How far the farthest of each group has travelled, relative to what is common, to the end of the last substep; then nobody,
    /// and all. And in this substep.
    travelled: Vec<f32>,
    ways: Vec<f32>,
    /// Twice the sum of both over the groups of each batch.
    travelled_by: Vec<f32>,
    frame: Frame,
    /// Of the last sweep.
    pushed: AtomicU32,
    pushed_edges: AtomicU32,
    counts: Counts,
}

/// What bodies have done to themselves and each other in a step; of several steps, sums and the longest list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of features that were pushed apart in the last sweep of the last substep.
    pub contacts: u32,
    /// Those of them that are of two edges; the others are of a point and a triangle.
    pub edges: u32,
    /// Pairs that were watched: the most at a time.
    pub watched: u32,
    /// Lists of pairs that were made.
    pub lists: u32,
    /// How often those that are about to touch were picked out of them.
    pub colored: u32,
    /// Particles that were held back because they would have gone through something: the sum over substeps.
    pub held: u32,
    /// Substeps without contacts, for features lay on such a heap that their pairs would not fit into memory.
    pub crowded: u32,
}

impl Counts {
    /// Adds what the next step counts.
    pub(crate) fn add(&mut self, next: Counts) {
        let Counts { contacts, edges, watched, lists, colored, held, crowded } = next;
        self.watched = self.watched.max(watched);
        for (sum, next) in [
            (&mut self.contacts, contacts),
            (&mut self.edges, edges),
            (&mut self.lists, lists),
            (&mut self.colored, colored),
            (&mut self.held, held),
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
    /// Root of the mean square of the ways relative to that, metres.
    usual: f32,
    /// The largest coordinate, metres.
    largest: f32,
}

impl Touching {
    /// For a plan; without memory if nothing can touch.
    pub(crate) fn new(plan: &Plan) -> Touching {
        let mut touching = Touching::default();
        if plan.surfaces.is_some() {
            (touching.start, touching.end) = (Rows::zeros(plan.x.len(), 40), Rows::zeros(plan.x.len(), 48));
        }
        touching
    }

    /// Fills everything that no step may read before it writes it.
    pub(crate) fn poison(&mut self) {
        self.start.fill(f32::NAN);
        self.end.fill(f32::NAN);
        self.balls.fill([f32::NAN; 4]);
        (self.age, self.horizon) = (u32::MAX, u32::MAX);
        self.skin = f32::NAN;
        for numbers in [&mut self.travelled, &mut self.ways, &mut self.travelled_by] {
            numbers.fill(f32::NAN);
        }
        for lanes in [&mut self.near, &mut self.urgent, &mut self.listed, &mut self.doubtful] {
            lanes.fill(u16::MAX);
        }
    }

    /// A step begins: nothing is known.
    pub(crate) fn begin(&mut self, surfaces: &Surfaces) {
        (self.age, self.horizon, self.counts) = (0, 0, Counts::default());
        self.travelled.clear();
        self.travelled.resize(surfaces.groups() as usize + 2, 0.0);
    }

    /// The rows of pairs, for all workers.
    pub(crate) fn ends(&mut self) -> Ends<'_> {
        Ends { start: Shared::new(&mut self.start), end: Shared::new(&mut self.end) }
    }

    /// Rows are where constraints have left them: makes a list of pairs if there is none for this substep.
    pub(crate) fn prepare(
        &mut self,
        plan: &Plan,
        surfaces: &Surfaces,
        (isa, workers): (Isa, &mut Workers),
        substep: u32,
        first: bool,
    ) {
        if first {
            self.age += 1;
        }
        self.frame = self.frame(surfaces, !plan.colliders.is_empty());
        self.find_ways(surfaces);
        if self.age > self.horizon || self.strayed(surfaces) {
            self.make_list(plan, surfaces, (isa, workers), substep);
        }
    }

    /// Takes those found near among the contacts, if one that is not is about to touch.
    pub(crate) fn make_contacts(&mut self, plan: &Plan) {
        let missing = self.urgent.iter().zip(&self.listed).any(|(urgent, listed)| urgent & !listed != 0);
        if missing || self.contacts_are_of_another_list {
            self.contacts.make(&self.watched, &self.near, self.start.len(), plan.settings.iterations);
            self.listed.copy_from_slice(&self.near);
            self.contacts_are_of_another_list = false;
            self.counts.colored += 1;
        }
    }

    /// How far the farthest of each group goes in this substep; nobody, and all.
    fn find_ways(&mut self, surfaces: &Surfaces) {
        let (start, end, common): (&[Row], &[Row], _) = (&self.start, &self.end, self.frame.common);
        self.ways.clear();
        self.ways.extend(surfaces.points.chunks(POINTS_A_GROUP as usize).map(|group| {
            let squared = group.iter().fold(0.0f32, |most, &row| {
                let (a, b) = (start[row as usize], end[row as usize]);
                let way: [f32; 3] = std::array::from_fn(|k| (b[k] - a[k]) - common[k]);
                Lanes::larger(most, (way[0] * way[0] + way[1] * way[1]) + way[2] * way[2])
            });
            squared.sqrt()
        }));
        let all = self.ways.iter().fold(0.0f32, |most, &way| Lanes::larger(most, way));
        self.ways.extend([0.0, all]);
    }

    /// How all particles move, from their ends.
    fn frame(&self, surfaces: &Surfaces, beside_colliders: bool) -> Frame {
        // What is held back must not be taken into what does not move.
        let (mut sum, mut squares, mut count, mut fixed) = ([0.0f64; 3], 0.0f64, 0u32, beside_colliders);
        let mut largest = 0.0f32;
        let (start, end): (&[Row], &[Row]) = (&self.start, &self.end);
        let way = |row: usize| -> [f32; 3] { std::array::from_fn(|k| end[row][k] - start[row][k]) };
        for &row in &surfaces.points {
            let (row, way) = (row as usize, way(row as usize));
            if !way.iter().all(|way| way.is_finite()) {
                continue;
            }
            for x in &start[row][..3] {
                largest = Lanes::larger(largest, x.abs());
            }
            fixed |= end[row][3] <= 0.0;
            for k in 0..3 {
                sum[k] += f64::from(way[k]);
                squares += f64::from(way[k]) * f64::from(way[k]);
            }
            count += 1;
        }
        let share = 1.0 / f64::from(count.max(1));
        let mean = if fixed { [0.0; 3] } else { sum.map(|sum| sum * share) };
        let common = mean.map(|mean| mean as f32);
        let usual = (squares * share - mean.iter().map(|m| m * m).sum::<f64>()).max(0.0).sqrt() as f32;
        Frame { common, usual, largest }
    }

    /// Whether a particle is elsewhere than the list allows for.
    fn strayed(&self, surfaces: &Surfaces) -> bool {
        let age = self.age as f32;
        let (ends, balls): (&[Row], &[Row]) = (&self.end, &self.balls);
        surfaces.points.iter().any(|&row| {
            let (end, ball) = (ends[row as usize], balls[row as usize]);
            let off: [f32; 3] = std::array::from_fn(|k| end[k] - (ball[k] + self.drift[k] * age));
            (off[0] * off[0] + off[1] * off[1]) + off[2] * off[2] > ball[3] * ball[3]
        })
    }

    fn make_list(&mut self, plan: &Plan, surfaces: &Surfaces, (isa, workers): (Isa, &mut Workers), substep: u32) {
        let left = plan.settings.substeps - substep;
        let Frame { common, usual, .. } = self.frame;
        // Balls of moving particles should not become much larger than those of resting ones.
        let few = (PAIR_GROWTH * surfaces.edge / usual) as u32;
        let least = SMALLEST_MARGIN * surfaces.edge;
        let margin = (PAIR_MARGIN * surfaces.thickest()).max(least);
        self.skin = (SKIN * 2.0 * surfaces.thickest()).max(SKIN * least);
        for (horizon, margin) in [(few.clamp(1, left), margin), (1, least)] {
            let ball = |(end, start): (&Row, &Row)| {
                let way: [f32; 3] = std::array::from_fn(|k| (end[k] - start[k]) - common[k]);
                let length = ((way[0] * way[0] + way[1] * way[1]) + way[2] * way[2]).sqrt();
                [start[0], start[1], start[2], margin + length * (horizon as f32 * SPARE_WAY)]
            };
            self.balls.clear();
            self.balls.extend(self.end.iter().zip(&*self.start).map(ball));
            let both = |work: &(dyn Fn(usize) + Sync)| workers.run(&|crew| crew.each(2, work, || ()));
            if self.broad.search(surfaces, isa, &self.balls, both).is_ok() {
                (self.age, self.horizon, self.drift) = (1, horizon, common);
                self.watched.make(&self.broad, surfaces);
                self.forget_lanes();
                self.counts.lists += 1;
                self.counts.watched = self.counts.watched.max(self.watched.count as u32);
                return;
            }
        }
        self.watched.clear(self.start.len());
        self.forget_lanes();
        self.counts.crowded += 1;
        // Another attempt in the next substep.
        (self.age, self.horizon) = (1, 1);
    }

    /// Nothing is known of any batch.
    fn forget_lanes(&mut self) {
        for lanes in [&mut self.near, &mut self.urgent, &mut self.listed, &mut self.doubtful] {
            lanes.clear();
            lanes.resize(self.watched.batches.len(), 0);
        }
        self.travelled_by.clear();
        self.travelled_by.resize(self.watched.batches.len(), 0.0);
        self.contacts_are_of_another_list = true;
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

    /// What workers need to look at pairs and to solve them, in substeps of h seconds.
    pub(crate) fn share(&mut self, h: f32) -> Shares<'_> {
        Shares {
            ends: Ends { start: Shared::new(&mut self.start), end: Shared::new(&mut self.end) },
            travelled: &self.travelled,
            ways: &self.ways,
            groups: &self.watched.groups,
            travelled_by: Shared::new(&mut self.travelled_by),
            skin: self.skin,
            opening: OPENING_SPEED * h,
            rounding: self.frame.largest * ROUNDING,
            watched: &self.watched.batches,
            seen: Shared::new(&mut self.watched.memory),
            near: Shared::new(&mut self.near),
            urgent: Shared::new(&mut self.urgent),
            doubtful: Shared::new(&mut self.doubtful),
            contacts: &self.contacts.batches,
            colors: &self.contacts.colors,
            memory: Shared::new(&mut self.contacts.memory),
            held: Shared::new(&mut self.contacts.held),
            pushed: &self.pushed,
            pushed_edges: &self.pushed_edges,
        }
    }

    /// Rows are where the substep ends: holds back what would go through.
    pub(crate) fn finish(&mut self, plan: &Plan, motion: Motion<'_>) {
        self.travelled.iter_mut().zip(&self.ways).for_each(|(sum, way)| *sum += way);
        if self.doubtful.iter().all(|lanes| *lanes == 0) {
            return;
        }
        let least = self.frame.largest * ROUNDING;
        let ways = Ways { start: &self.start, end: &self.end, common: self.frame.common, least };
        self.hold.find(&self.watched.batches, &self.doubtful, &ways);
        let common = self.frame.common;
        self.counts.held += self.hold.shares().len() as u32;
        for (row, share) in self.hold.shares() {
            let body = &plan.bodies[plan.bodies.partition_point(|body| body.start + body.rows <= row)];
            // SAFETY: nobody else is at work.
            let u = unsafe { motion.u.part(0, motion.u.len()) };
            let mut way = body.layout.read(u, row);
            for k in 0..3 {
                way[k] = common[k] + (way[k] - common[k]) * share;
            }
            body.layout.write(u, row, way);
        }
        // What was held is not where the pairs were looked at.
        self.travelled.iter_mut().zip(&self.ways).for_each(|(sum, way)| *sum += way);
    }
}

/// What all workers see of pairs.
#[derive(Clone, Copy)]
pub(crate) struct Shares<'a> {
    pub(crate) ends: Ends<'a>,
    travelled: &'a [f32],
    ways: &'a [f32],
    groups: &'a [[u32; GROUPS_A_BATCH]],
    travelled_by: Shared<'a, f32>,
    skin: f32,
    opening: f32,
    rounding: f32,
    watched: &'a PairBatches,
    seen: Shared<'a, Memory>,
    near: Shared<'a, u16>,
    urgent: Shared<'a, u16>,
    doubtful: Shared<'a, u16>,
    contacts: &'a PairBatches,
    colors: &'a [usize],
    memory: Shared<'a, Memory>,
    held: Shared<'a, Pack<f32>>,
    pushed: &'a AtomicU32,
    pushed_edges: &'a AtomicU32,
}

/// A block of some batches.
fn block(batches: Range<usize>, block: usize) -> Range<usize> {
    let start = batches.start + block * BATCHES_A_BLOCK;
    start..batches.end.min(start + BATCHES_A_BLOCK)
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

    /// Number of blocks of all pairs that are watched.
    pub(crate) fn watched(&self) -> usize {
        self.watched.len().div_ceil(BATCHES_A_BLOCK)
    }

    /// Sums up how far the particles of the batches of a range have travelled.
    ///
    /// # Safety
    /// Nobody else uses this range meanwhile.
    unsafe fn sum_travels(&self, range: Range<usize>) {
        // SAFETY: the caller's promise.
        let sums = unsafe { self.travelled_by.part(range.start, range.len()) };
        for (sum, groups) in sums.iter_mut().zip(&self.groups[range]) {
            let mut far = 0.0;
            for &group in groups {
                far += self.travelled[group as usize] + self.ways[group as usize];
            }
            *sum = 2.0 * far;
        }
    }

    /// Finds the pairs of a block that are about to touch.
    ///
    /// # Safety
    /// Nobody else takes this block meanwhile, nor moves rows.
    pub(crate) unsafe fn near(&self, isa: Isa, number: usize) {
        let Shares { ends, seen: memory, travelled_by: travelled, skin, near, urgent, .. } = *self;
        let range = block(0..self.watched.len(), number);
        // SAFETY: the caller's promise.
        unsafe {
            self.sum_travels(range.clone());
            Near { ends, memory, travelled, skin, near, urgent }.look(isa, self.watched, range);
        }
    }

    /// Pushes the pairs of a block of a color apart.
    ///
    /// # Safety
    /// Nobody else takes this block, or another color, meanwhile.
    pub(crate) unsafe fn solve(&self, isa: Isa, color: usize, number: usize, first: bool) {
        let Shares { ends, memory, opening, held, .. } = *self;
        // Those of a color are from everywhere.
        let all = self.ways.len() - 1;
        let travelled = 2.0 * (self.travelled[all] + self.ways[all]);
        let range = block(self.colors[color]..self.colors[color + 1], number);
        let contacts = PairContacts { ends, memory, travelled, opening, held, first };
        // SAFETY: pairs of a color share no particle (`PairBatches` has seen to it); the caller's promise.
        let touched = unsafe { contacts.solve(isa, self.contacts, range) };
        if touched.contacts > 0 {
            self.pushed.fetch_add(touched.contacts, Ordering::Relaxed);
            self.pushed_edges.fetch_add(touched.edges, Ordering::Relaxed);
        }
    }

    /// Looks which pairs of a block may have met.
    ///
    /// # Safety
    /// Nobody else takes this block meanwhile, nor moves rows.
    pub(crate) unsafe fn watch(&self, isa: Isa, number: usize) {
        let Shares { ends, seen: memory, travelled_by: travelled, rounding, doubtful, .. } = *self;
        let range = block(0..self.watched.len(), number);
        // SAFETY: the caller's promise.
        unsafe {
            self.sum_travels(range.clone());
            Watch { ends, memory, travelled, rounding, doubtful }.look(isa, self.watched, range);
        }
    }
}
