//! Contacts with colliders, tethers, and what bounces.

use super::Step;
use crate::plan::Plan;
use crate::run::contacts::{Contacts, Moving};
use crate::run::report::Phase;
use crate::run::workers::Crew;
use crate::tuning::MAX_REPEATS;
use seidel_kernels::contact::Bounce;

impl Step<'_> {
    /// Puts what is too far from a pin, or from an obstacle, where it may be.
    pub(super) fn tethers(&self, crew: &mut Crew<'_>, substep: u32) {
        let Plan { tethers, long_range, .. } = self.plan;
        if tethers.is_empty() && long_range.held.is_empty() {
            return;
        }
        let at = ((f64::from(substep) + 1.0) / f64::from(self.plan.settings.substeps)) as f32;
        self.each(crew, Phase::Contacts, self.plan.blocks.len(), |b| {
            let block = (&self.plan.blocks[b], b);
            // SAFETY: the block's rows are this closure's alone.
            unsafe {
                long_range.held.keep(self.isa, self.motion, self.anchors, block, at);
                tethers.keep(self.isa, self.motion, self.spans, block, at);
            }
        });
    }

    /// Colliders: particles, then triangles; both again for as long as triangles are pushed far.
    pub(super) fn contacts(&self, crew: &mut Crew<'_>, substep: u32, iteration: u32) {
        let plan = self.plan;
        let count = plan.colliders.len();
        if count == 0 {
            return;
        }
        let colliders = &self.moving[substep as usize * count..][..count];
        let last = substep + 1 == plan.settings.substeps;
        // A word of its own for each sweep, so that a worker that comes late takes as many passes as the others.
        let pushed = self.pushed.get((substep * plan.settings.iterations + iteration) as usize);
        let bounce = (!self.bounces.is_empty()).then(|| {
            let least = 2.0 * self.gravity.iter().map(|g| g * g).sum::<f32>().sqrt() * self.h;
            Bounce { rows: self.bounces, restitution: 0.0, h: self.h, least }
        });
        let contacts = |pass: u32, first: bool| Contacts {
            plan,
            isa: self.isa,
            motion: self.motion,
            leaving: self.leaving.then_some(self.h),
            colliders,
            boxes: self.boxes,
            pushes: self.pushes,
            held: self.held,
            held_triangles: self.held_triangles,
            live: self.live,
            live_triangles: self.live_triangles,
            first,
            record: if last { self.touches } else { self.touches.within(0, 0) },
            bounce,
            pushed: pushed.map(|word| (word, pass)),
            count: Some(&self.contacts).filter(|_| last && first),
        };
        self.particles(crew, contacts(0, iteration == 0));
        // A plane's vertices say all about its triangles.
        let is_plane = |c: &Moving| matches!(c, Moving::Plane(_));
        if plan.triangles.batches.is_empty() || colliders.iter().all(is_plane) {
            return;
        }
        for pass in 0..=MAX_REPEATS {
            let contacts = contacts(pass, iteration == 0 && pass == 0);
            self.triangles(crew, contacts);
            if !contacts.have_pushed() {
                return;
            }
            self.particles(crew, Contacts { first: false, count: None, ..contacts });
            if !contacts.have_pushed_far() {
                return;
            }
        }
    }

    /// All particles against all colliders.
    fn particles(&self, crew: &mut Crew<'_>, contacts: Contacts<'_>) {
        self.each(crew, Phase::Contacts, self.plan.blocks.len(), |b| {
            // SAFETY: the block's rows and multipliers are this closure's alone.
            unsafe { contacts.particles(&self.plan.blocks[b]) };
        });
    }

    /// All triangles against the colliders: patches, then seams.
    fn triangles(&self, crew: &mut Crew<'_>, contacts: Contacts<'_>) {
        let plan = self.plan;
        self.each(crew, Phase::Contacts, plan.blocks.len(), |b| {
            // SAFETY: the block's rows and boxes are this closure's alone.
            unsafe { contacts.bound(&plan.blocks[b]) };
        });
        for (s, stage) in plan.stages.iter().enumerate() {
            self.each(crew, Phase::Contacts, stage.len(), |patch| {
                let visits = plan.visits[stage[patch].clone()].iter();
                for visit in visits.filter(|visit| visit.family == plan.families.len()) {
                    // SAFETY: patches of a stage share no block (`Schedule` has proved it).
                    unsafe { contacts.triangles(s, visit.batches.clone()) };
                }
            });
        }
    }

    /// Throws off what has hit a collider that gives back.
    pub(super) fn bounce(&self, crew: &mut Crew<'_>) {
        if self.bounces.is_empty() {
            return;
        }
        self.each(crew, Phase::Contacts, self.plan.blocks.len(), |b| {
            if self.plan.blocks[b].frames {
                return;
            }
            // SAFETY: the block's rows are this closure's alone.
            unsafe { self.motion.bounce(self.isa, self.plan.blocks[b].run, self.bounces) };
        });
    }
}
