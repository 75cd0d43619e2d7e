//! The end of a substep: clamps displacements that lead through another feature.

use super::bend::Bending;
use super::blocks::block;
use super::bound::{MotionBound, beside};
use super::clamp::Displacements;
use super::outside::MovingColliders;
use super::{CommonMotion, ROUNDING, Touching};
use crate::plan::Plan;
use crate::plan::surfaces::Surfaces;
use crate::run::passes::colliders::moving::Moving;
use seidel_kernels::contact::pairs::Ends;
use seidel_kernels::integrate::Motion;
use seidel_kernels::{BATCH, Isa, Lanes, Shared};
use seidel_workers::Crew;
use std::sync::atomic::AtomicUsize;

impl Touching {
    /// Clamps displacements that lead through another feature. Rows and colliders are where the substep ends; so many
    /// substeps are `left`, this one among them.
    pub(crate) fn finish(
        &mut self,
        plan: &Plan,
        surfaces: &Surfaces,
        (isa, crew): (Isa, &mut Crew<'_>),
        left: u32,
        (motion, moving): (Motion<'_>, &[Moving]),
    ) {
        // Not where the substep began: its contacts have asked what was clamped in the last one.
        self.clamp.begin(self.start.len());
        if self.caches[..self.count].iter().any(|cache| cache.doubts) {
            let around = MovingColliders { colliders: &plan.colliders, moving };
            self.clamp_displacements(surfaces, (isa, crew), left, around);
            let CommonMotion { common, largest } = self.motion;
            let displacements =
                Displacements { start: &self.start, end: &mut self.end, common, least: largest * ROUNDING };
            let crossed = self.clamp.crossed(&displacements);
            let presses = |row: &u32| self.outside.is_pressed(surfaces, around, *row, &self.clamp, &displacements);
            let unresolved = (crossed + self.clamp.all_pushed().filter(presses).count()) as u32;
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
        self.gone += self.going;
        std::mem::swap(&mut self.before, &mut self.after);
    }

    /// Moves the ends of pairs that may meet, pass after pass, until a pass moves none.
    fn clamp_displacements(
        &mut self,
        surfaces: &Surfaces,
        (isa, crew): (Isa, &mut Crew<'_>),
        left: u32,
        around: MovingColliders<'_>,
    ) {
        self.changed.resize(surfaces.clusters.len(), false);
        for pass in 0.. {
            let CommonMotion { common, largest } = self.motion;
            let mut displacements =
                Displacements { start: &self.start, end: &mut self.end, common, least: largest * ROUNDING };
            for cache in self.caches[..self.count].iter_mut().filter(|cache| cache.doubts) {
                self.clamp.look(cache, surfaces, pass, &mut displacements);
            }
            self.outside.keep(surfaces, around, &mut self.clamp, &mut displacements);
            if self.clamp.now.is_empty() {
                return;
            }
            self.changed.fill(false);
            for row in self.clamp.moved() {
                surfaces.clusters_of(row).iter().for_each(|&cluster| self.changed[cluster as usize] = true);
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
    }

    /// Finds the motion bounds, and the gradients, of the clusters that have changed.
    pub(super) fn bound_again(&mut self, surfaces: &Surfaces, isa: Isa, crew: &mut Crew<'_>) {
        let Touching { start, end, bounds, motions, before, after, change, bent, changed, .. } = &mut *self;
        let ends = Ends { start: Shared::new(start), end: Shared::new(end) };
        let (bounds, motions) = (Shared::new(bounds), Shared::new(motions));
        let bending = Bending::new(surfaces, isa, before, (after, change, bent));
        let work = |sixteen: usize| {
            let clusters = block(0..surfaces.clusters.len(), sixteen, BATCH);
            if !changed[clusters.clone()].contains(&true) {
                return;
            }
            // SAFETY: no block of this stage writes rows: `ends` is borrowed for it, and only read.
            let (end, reaches) =
                unsafe { (ends.end.read(0, ends.end.len()), surfaces.sixteens[sixteen].look(isa, ends)) };
            for (lane, cluster) in clusters.enumerate().filter(|(_, cluster)| changed[*cluster]) {
                // SAFETY: the stage runs each sixteen once, and a cluster is in one (`block`).
                unsafe {
                    (bounds.part(cluster, 1)[0], motions.part(cluster, 1)[0]) = MotionBound::of(&reaches, lane);
                    bending.cluster(cluster, end);
                }
            }
        };
        crew.each(surfaces.sixteens.len(), work);
        let common = self.motion.common;
        for (_, motion) in self.changed.iter().zip(&self.motions).filter(|(changed, _)| **changed) {
            self.going = Lanes::larger(self.going, 2.0 * beside(motion, common));
        }
    }
}
