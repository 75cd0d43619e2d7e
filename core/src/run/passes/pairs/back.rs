//! The end of a substep: clamps displacements that lead through another feature.

use super::bend::Bending;
use super::blocks::block;
use super::bound::{MotionBound, beside};
use super::cache::PairCache;
use super::carry::NONE;
use super::clamp::Displacements;
use super::outside::MovingColliders;
use super::{CommonMotion, ROUNDING, Touching};
use crate::plan::Plan;
use crate::plan::surfaces::Surfaces;
use crate::run::passes::colliders::moving::Moving;
use crate::tuning::{LEAST_SWEEPS, MOST_FAILED};
use seidel_kernels::contact::pairs::Ends;
use seidel_kernels::integrate::Motion;
use seidel_kernels::{BATCH, Isa, Lanes, Shared};
use seidel_workers::Crew;
use std::sync::atomic::AtomicUsize;

/// Whether a substep has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Yes,
    /// Contacts are to be solved once more: moving colliders press what would be clamped.
    Sweep,
    /// Ends are to be read and clamped once more: other rows are carried along.
    Again,
}

impl Touching {
    /// Clamps displacements that lead through another feature. Rows and colliders are where the substep ends; so many
    /// substeps are `left`, this one among them. With `sweeps`, contacts may be solved once more.
    pub(super) fn finish(
        &mut self,
        plan: &Plan,
        surfaces: &Surfaces,
        (isa, crew): (Isa, &mut Crew<'_>),
        (left, sweeps): (u32, bool),
        (motion, moving): (Motion<'_>, &[Moving]),
    ) -> Ended {
        self.clamp.begin(self.start.len());
        if self.caches[..self.count].iter().any(|cache| cache.doubts) {
            let around = MovingColliders { colliders: &plan.colliders, moving };
            self.carry(moving);
            if self.clamp_displacements(surfaces, (isa, crew), (left, sweeps), around) {
                return self.take_back(Ended::Sweep);
            }
            let Some([crossed, held]) = self.settle(surfaces, around) else { return self.take_back(Ended::Again) };
            if held > 0 {
                self.failed += 1;
            } else if self.carried.is_some() {
                // Sweeps have not helped, and carrying has: the next substep takes fewer.
                self.sweeps = (self.sweeps / 2).max(LEAST_SWEEPS);
            }
            let common = self.motion.common;
            let unresolved = (crossed + held) as u32;
            self.counts.clamped = self.counts.clamped.saturating_add(self.clamp.shares().len() as u32);
            self.counts.unresolved = self.counts.unresolved.saturating_add(unresolved);
            for (row, share) in self.clamp.shares() {
                let body = &plan.bodies[plan.bodies.partition_point(|body| body.start + body.rows <= row)];
                // SAFETY: no stage runs here, so that this thread alone uses rows.
                let u = unsafe { motion.u.part(0, motion.u.len()) };
                let mut way = body.layout.read(u, row);
                match self.clamp.further(row, &self.end) {
                    Some(further) => (0..3).for_each(|k| way[k] += further[k]),
                    None => (0..3).for_each(|k| way[k] = common[k] + (way[k] - common[k]) * share),
                }
                body.layout.write(u, row, way);
            }
        }
        self.carried.clear();
        self.clamp.keep();
        self.gone += self.going;
        std::mem::swap(&mut self.before, &mut self.after);
        Ended::Yes
    }

    /// Whether a substep may take another sweep after so many.
    pub(super) fn may_sweep(&self, sweeps: u32) -> bool {
        sweeps < self.sweeps && self.failed < MOST_FAILED
    }

    /// Lets colliders carry along what they press.
    fn carry(&mut self, moving: &[Moving]) {
        let CommonMotion { common, largest } = self.motion;
        let displacements = Displacements { start: &self.start, end: &mut self.end, common, least: largest * ROUNDING };
        self.carried.begin(&mut self.clamp.carriers, moving);
        self.carried.rows().for_each(|of| self.clamp.carry(of, &displacements));
    }

    /// After ends were clamped: how much an obstacle has left no room, pairs that cross and rows that it pushes into
    /// colliders; and the number of rows that moving colliders press. None if colliders are to carry other rows along.
    fn settle(&mut self, surfaces: &Surfaces, around: MovingColliders<'_>) -> Option<[usize; 2]> {
        let CommonMotion { common, largest } = self.motion;
        let Touching { clamp, carried, outside, start, end, .. } = self;
        let displacements = Displacements { start, end, common, least: largest * ROUNDING };
        let crossed = clamp.crossed(&displacements);
        let pressing =
            |row: u32, of: &dyn Fn(u32) -> bool| outside.pressing(surfaces, around, row, clamp, &displacements, of);
        let moves = |collider: u32| around.moving[collider as usize].moves();
        let of_moving = |row: u32, of: &dyn Fn(u32) -> bool| pressing(row, &|number| moves(number) && of(number));
        let elsewhere = |(row, group): (u32, u32)| {
            let other = pressing(row, &|_| true)?;
            Some([group, if moves(other) && !clamp.carriers.are(other, group) { other } else { NONE }])
        };
        let some_move = around.moving.iter().any(Moving::moves);
        let all_held = || clamp.all_held().filter(|_| some_move);
        let conflicts = clamp.conflicts(&displacements).chain(clamp.all_carried().filter_map(elsewhere));
        if carried.differs(around.moving.len(), conflicts, all_held(), of_moving) {
            return None;
        }
        let pushed = clamp.all_pushed().filter(|&row| pressing(row, &|_| true).is_some());
        let held = all_held().filter(|&row| pressing(row, &moves).is_some());
        Some([crossed + pushed.count(), held.count()])
    }

    /// Forgets what was clamped, for ends will be elsewhere.
    fn take_back(&mut self, ended: Ended) -> Ended {
        self.clamp.begin(self.start.len());
        self.caches[..self.count].iter_mut().for_each(PairCache::take_back);
        if ended == Ended::Sweep {
            // From where they would have ended, features go back to the start, and on from there.
            self.gone += 2.0 * self.going;
        }
        ended
    }

    /// Moves the ends of pairs that may meet, pass after pass, until a pass moves none. With `sweeps` it ends, and
    /// returns true, where moving colliders press what a pass has moved.
    fn clamp_displacements(
        &mut self,
        surfaces: &Surfaces,
        (isa, crew): (Isa, &mut Crew<'_>),
        (left, sweeps): (u32, bool),
        around: MovingColliders<'_>,
    ) -> bool {
        self.changed.resize(surfaces.clusters.len(), 0);
        for pass in 0.. {
            let CommonMotion { common, largest } = self.motion;
            let mut displacements =
                Displacements { start: &self.start, end: &mut self.end, common, least: largest * ROUNDING };
            for cache in self.caches[..self.count].iter_mut().filter(|cache| cache.doubts) {
                self.clamp.look(cache, surfaces, pass, &mut displacements);
            }
            self.outside.keep(surfaces, around, &mut self.clamp, &mut displacements);
            if sweeps && self.outside.press_some(surfaces, around, &self.clamp, &displacements) {
                return true;
            }
            if self.clamp.now.is_empty() {
                return false;
            }
            self.changed.fill(0);
            for row in self.clamp.moved() {
                surfaces.parts_of(row).for_each(|(cluster, parts)| self.changed[cluster as usize] |= parts);
            }
            self.bound_again(surfaces, isa, crew);
            surfaces.regions.largest_around(&self.bent, &mut self.bent_around);
            if self.strayed() {
                // A row that an obstacle pushes along may be far from where it was expected.
                self.pair_clusters(surfaces, isa, crew, left);
            }
            let changed = std::mem::take(&mut self.changed);
            let listed = AtomicUsize::new(0);
            let (caches, look) = self.caches(surfaces, isa, &listed, usize::MAX);
            let (count, caches) = (caches.len(), Shared::new(caches));
            // SAFETY: the stage runs each number once, and a cache has one; no block of it writes rows, of which `look`
            // has the ends.
            let work = |cache: usize| unsafe { caches.part(cache, 1)[0].look_again(&look, &changed) };
            crew.each(count, work);
            self.changed = changed;
        }
        false
    }

    /// Finds the motion bounds, and the gradients, of the clusters that have changed.
    pub(super) fn bound_again(&mut self, surfaces: &Surfaces, isa: Isa, crew: &mut Crew<'_>) {
        let Touching { start, end, bounds, motions, before, after, change, bent, changed, .. } = &mut *self;
        let ends = Ends { start: Shared::new(start), end: Shared::new(end) };
        let (bounds, motions) = (Shared::new(bounds), Shared::new(motions));
        let bending = Bending::new(surfaces, isa, before, (after, change, bent));
        let work = |sixteen: usize| {
            let clusters = block(0..surfaces.clusters.len(), sixteen, BATCH);
            if changed[clusters.clone()].iter().all(|parts| *parts == 0) {
                return;
            }
            // SAFETY: no block of this stage writes rows: `ends` is borrowed for it, and only read.
            let (end, reaches) =
                unsafe { (ends.end.read(0, ends.end.len()), surfaces.sixteens[sixteen].look(isa, ends)) };
            for (lane, cluster) in clusters.enumerate().filter(|(_, cluster)| changed[*cluster] != 0) {
                // SAFETY: the stage runs each sixteen once, and a cluster is in one (`block`).
                unsafe {
                    (bounds.part(cluster, 1)[0], motions.part(cluster, 1)[0]) = MotionBound::of(&reaches, lane);
                    bending.cluster(cluster, end);
                }
            }
        };
        crew.each(surfaces.sixteens.len(), work);
        let common = self.motion.common;
        for (_, motion) in self.changed.iter().zip(&self.motions).filter(|(parts, _)| **parts != 0) {
            self.going = Lanes::larger(self.going, 2.0 * beside(motion, common));
        }
    }
}
