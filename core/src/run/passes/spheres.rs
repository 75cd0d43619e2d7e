//! Particles as spheres that keep apart (`Collide::Spheres`).
//!
//! ```text
//!  once a step, and again when a cluster has left the box where it was expected
//!    boxes around clusters --hash--> which clusters may meet
//!  every sweep
//!    read positions -> who touches, counts -> push
//! ```

use super::pairs::BroadPhase;
use super::{At, Common};
use crate::plan::spheres::Spheres as Plans;
use crate::run::counts::Counts;
use crate::run::report::Phase;
use crate::tuning::{
    LATER_WAY, PAIRS_A_FEATURE, SPHERES_AT_REST, SPHERES_LEAST_GROWTH, SPHERES_MOST_GROWTH, SPHERES_OPENING_SPEED,
};
use seidel_kernels::contact::{SphereBox, SphereContacts, SpherePlaces, Touching};
use seidel_kernels::{BATCH, Lanes, Shared};
use seidel_workers::Crew;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Clusters that a worker takes at a time.
const BLOCK: usize = 32;

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct SphereScratch {
    placed: Vec<SpherePlaces>,
    boxes: Vec<SphereBox>,
    /// The boxes in which clusters are expected, metres.
    places: Vec<SphereBox>,
    broad: BroadPhase,
    pairs: Vec<[u32; 2]>,
    /// Of each cluster, which others it may meet, itself among them (`SphereContacts`).
    starts: Vec<u32>,
    near: Vec<u32>,
    back: Vec<u32>,
    touches: Vec<bool>,
    touching: Vec<Touching>,
    /// Whether that is known.
    known: bool,
    counts: Counts,
}

impl SphereScratch {
    pub(crate) fn poison(&mut self) {
        self.placed.fill(SpherePlaces::NOWHERE);
        self.boxes.fill([[f32::NAN; 3]; 2]);
        self.places.fill([[f32::NAN; 3]; 2]);
        self.touches.fill(true);
        self.starts.fill(u32::MAX);
        self.near.fill(u32::MAX);
        self.back.fill(u32::MAX);
        self.known = true;
    }
}

/// All spheres.
pub(crate) struct Spheres<'a> {
    common: &'a Common<'a>,
    plan: &'a Plans,
    scratch: &'a mut SphereScratch,
}

impl<'a> Spheres<'a> {
    /// None if there are none. Forgets what the last step has found.
    pub(crate) fn new(common: &'a Common<'a>, scratch: &'a mut SphereScratch) -> Option<Spheres<'a>> {
        let plan = common.plan.spheres.as_ref()?;
        (scratch.known, scratch.counts) = (false, Counts::default());
        let count = plan.clusters.len();
        scratch.placed.resize(count, SpherePlaces::NOWHERE);
        scratch.boxes.resize(count, [[0.0; 3]; 2]);
        scratch.starts.clear();
        scratch.starts.resize(count + 1, 0);
        scratch.near.clear();
        Some(Spheres { common, plan, scratch })
    }

    /// Pushes spheres apart that are in each other.
    pub(crate) fn run(&mut self, crew: &mut Crew<'_>, at: At) {
        let (common, count) = (self.common, self.plan.clusters.len());
        let contacts = self.shared();
        common.each(crew, Phase::SphereSearch, blocks(count), |b| {
            // SAFETY: nobody writes rows in this stage; where a block's clusters are is this closure's alone.
            block(count, b).for_each(|number| unsafe { contacts.read(number) });
        });
        for (number, cluster) in self.plan.clusters.iter().enumerate() {
            if common.off.bodies[self.plan.bodies[cluster.body as usize]] {
                self.scratch.placed[number] = SpherePlaces::NOWHERE;
                self.scratch.boxes[number] = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
            }
        }
        if !self.scratch.known || self.scratch.strayed() {
            self.find(crew, at);
        }
        let contacts = self.shared();
        // SAFETY: nobody writes where clusters are in this stage; a pair is found by the first of its clusters alone.
        common
            .each(crew, Phase::SphereSearch, blocks(count), |b| unsafe { contacts.find(common.isa, block(count, b)) });
        // SAFETY: nobody writes who touches in this stage; where a block's clusters are is this closure's alone.
        common.each(crew, Phase::SphereSearch, blocks(count), |b| unsafe { contacts.count(block(count, b)) });
        let pushed = AtomicU32::new(0);
        common.each(crew, Phase::SphereContacts, blocks(count), |b| {
            // SAFETY: a stage above has read all clusters; nobody writes where they are or who touches in this one; a
            // block's rows are this closure's alone.
            let contacts = unsafe { contacts.solve(common.isa, block(count, b)) };
            pushed.fetch_add(contacts, Ordering::Relaxed);
        });
        self.scratch.counts.contacts = pushed.into_inner();
    }

    /// Adds the counts of this step; contacts are those of the last sweep.
    pub(crate) fn count(&self, counts: &mut Counts) {
        let Counts { contacts, candidates, lists, overflowed, .. } = self.scratch.counts;
        counts.contacts = counts.contacts.saturating_add(contacts);
        counts.candidates = counts.candidates.saturating_add(candidates);
        counts.lists += lists;
        counts.overflowed += overflowed;
    }

    /// Finds which clusters may meet in the substeps that are left.
    fn find(&mut self, crew: &mut Crew<'_>, at: At) {
        let (plan, scratch) = (self.plan, &mut *self.scratch);
        let left = (self.common.substeps - at.substep) as f32;
        let [least, most] = [SPHERES_LEAST_GROWTH, SPHERES_MOST_GROWTH].map(|share| share * plan.largest);
        scratch.places.clear();
        for ((placed, bounds), cluster) in scratch.placed.iter().zip(&scratch.boxes).zip(&plan.clusters) {
            let way = LATER_WAY * placed.way();
            // One that moves fast may go as far as it does in a substep.
            let growth = Lanes::larger(Lanes::smaller(way * left, Lanes::larger(most, way)), least);
            let pad = growth + cluster.radius;
            let [low, high] = bounds;
            scratch.places.push([low.map(|x| x - pad), high.map(|x| x + pad)]);
        }
        scratch.pairs.clear();
        let most = PAIRS_A_FEATURE * plan.clusters.len();
        let SphereScratch { broad, places, pairs, starts, near, back, touches, touching, counts, .. } = scratch;
        let mut add = |pair: [u32; 2]| {
            if plan.meet(pair) {
                pairs.push(pair)
            }
        };
        // So many lie in one place that their pairs cannot be held: none is pushed until the next search.
        if broad.search(crew, places, most, &mut add).is_err() {
            counts.overflowed += 1;
            pairs.clear();
        }
        // As many from each side; a cluster has itself once.
        starts.fill(0);
        for &[a, b] in &*pairs {
            starts[a as usize] += 1;
            starts[b as usize] += u32::from(a != b);
        }
        let mut sum = 0;
        for start in &mut *starts {
            sum += *start;
            *start = sum;
        }
        near.resize(sum as usize, 0);
        back.resize(sum as usize, 0);
        for &[a, b] in pairs.iter().rev() {
            starts[a as usize] -= 1;
            let from = starts[a as usize];
            starts[b as usize] -= u32::from(a != b);
            let to = starts[b as usize];
            (near[from as usize], near[to as usize]) = (b, a);
            (back[from as usize], back[to as usize]) = (to, from);
        }
        touches.resize(near.len(), false);
        touching.resize(near.len(), [0; BATCH]);
        counts.lists += 1;
        counts.candidates = counts.candidates.max(pairs.len() as u32);
        // `strayed` compares places with boxes that do not include the radius: take it off again.
        for (place, cluster) in places.iter_mut().zip(&plan.clusters) {
            let [low, high] = *place;
            *place = [low.map(|x| x + cluster.radius), high.map(|x| x - cluster.radius)];
        }
        scratch.known = true;
        self.common.laps.lap(Phase::SphereSearch);
    }

    /// The data that workers need.
    fn shared(&mut self) -> SphereContacts<'_> {
        let SphereScratch { placed, boxes, starts, near, back, touches, touching, .. } = &mut *self.scratch;
        SphereContacts {
            motion: self.common.motion,
            clusters: &self.plan.clusters,
            placed: Shared::new(placed),
            boxes: Shared::new(boxes),
            starts,
            near,
            back,
            touches: Shared::new(touches),
            touching: Shared::new(touching),
            apart_at_rest: SPHERES_AT_REST,
            opening: SPHERES_OPENING_SPEED * self.common.h,
            combine: self.common.plan.settings.friction_rule.of_grips(),
        }
    }
}

impl SphereScratch {
    /// Whether a cluster has left the box in which it was expected.
    fn strayed(&self) -> bool {
        let inside = |([lowest, highest], [low, high]): (&SphereBox, &SphereBox)| {
            // A cluster that is nowhere is inside.
            (0..3).all(|k| low[k] <= lowest[k] && highest[k] <= high[k]) || lowest[0] > highest[0]
        };
        !self.boxes.iter().zip(&self.places).all(inside)
    }
}

fn blocks(count: usize) -> usize {
    count.div_ceil(BLOCK)
}

fn block(count: usize, number: usize) -> Range<usize> {
    number * BLOCK..count.min((number + 1) * BLOCK)
}
