//! Moments of whole bodies: to what damping pulls, and what a sweep may not push.

use super::Step;
use super::fields::Solved;
use crate::plan::body::BodyPlan;
use crate::plan::fields::Fields;
use crate::run::report::Phase;
use crate::run::workers::Crew;
use seidel_kernels::BATCH;
use seidel_kernels::damping::Moments;
use seidel_kernels::integrate::RigidMotion;
use seidel_kernels::tuning::MAX_POSITION;

impl Step<'_> {
    /// The end of the substep before, v += h (g + w f), and the rigid motions to which damping pulls.
    pub(super) fn moments(&self, crew: &mut Crew<'_>, previous: Option<u32>) {
        let plan = self.plan;
        // A stage of its own: `about` reads positions, which are written here.
        self.each(crew, Phase::Motion, plan.blocks.len(), |b| {
            // SAFETY: the block's rows are this closure's alone.
            unsafe { self.advance(b, previous, Some(self.gravity), false) };
        });
        self.each(crew, Phase::Motion, plan.blocks.len(), |b| {
            let block = &plan.blocks[b];
            // SAFETY: nobody writes rows in this stage; the block's sum is this closure's alone.
            unsafe {
                let none = Moments::default();
                let of = || self.motion.moments(self.isa, block.run, self.about(block.body));
                self.moments.part(b, 1)[0] = if block.frames { none } else { of() };
            }
        });
        self.each(crew, Phase::Motion, plan.bodies.len(), |body| {
            let mut sum = Moments::default();
            for b in plan.bodies[body].blocks.clone() {
                // SAFETY: the sums are only read in this stage.
                sum.add(unsafe { &self.moments.read(b, 1)[0] });
            }
            // SAFETY: the body's motion is this closure's alone.
            unsafe { self.rigid.part(body, 1)[0] = sum.rigid(self.about(body)) };
        });
    }

    /// A point near a body, for its moments: its first particle.
    ///
    /// # Safety
    /// Nobody writes positions meanwhile.
    pub(super) unsafe fn about(&self, body: usize) -> [f32; 3] {
        let BodyPlan { start, rows, layout, .. } = self.plan.bodies[body];
        // A body without particles has no row to read.
        if rows == 0 {
            return [0.0; 3];
        }
        // SAFETY: the caller's promise.
        let [x, y, z, _] = layout.read(unsafe { self.motion.x.read(start, BATCH) }, 0);
        if [x, y, z].iter().all(|c| c.abs() <= MAX_POSITION as f32) {
            return [x, y, z];
        }
        // That particle is lost: about no number, the others would be none either. Where it began.
        let [x, y, z, _] = layout.read(&self.plan.x, start);
        [x, y, z]
    }

    /// What has pushed bodies that are alone before a sweep: contacts of the sweep before.
    pub(super) fn note_pushes(&self, crew: &mut Crew<'_>) {
        let Some(fields) = self.fields.as_ref().filter(|fields| !fields.plan.alone.is_empty()) else { return };
        self.pushes(crew, fields, |i, pushes| {
            // SAFETY: the body's place is this closure's alone.
            unsafe { fields.pushed.part(i, 1)[0] = pushes };
        });
    }

    /// Takes off what a sweep has pushed or turned the whole of a body by. A row or a volume pushes nothing and turns nothing about where
    /// particles are; but each is solved where those before it have left them, and what was pushed earlier turns with them. Where a
    /// skin and a volume work against each other with all their might, a ball at rest would spin up. As x + u is where particles
    /// are, (x + u) x u = x x u: angular momentum about where the substep began is a sum over single particles.
    pub(super) fn keep_momentum(&self, crew: &mut Crew<'_>, fields: &Solved<'_>, first: bool) {
        let (plan, alone) = (self.plan, &fields.plan.alone);
        if alone.is_empty() {
            return;
        }
        self.pushes(crew, fields, |i, pushes| {
            let body = alone[i];
            // SAFETY: positions and what was before are only read in this stage; the body's motion is this closure's alone.
            unsafe {
                let pushes = if first { pushes } else { pushes.since(&fields.pushed.read(i, 1)[0]) };
                // What is pinned holds on to something else.
                let free = pushes.count() == plan.bodies[body].to_row.len() as f64;
                let rigid = if free { pushes.rigid(self.about(body)) } else { RigidMotion::default() };
                self.rigid.part(body, 1)[0] = rigid;
            }
        });
        self.each(crew, Phase::Constraints, fields.plan.alone_blocks.len(), |b| {
            let block = &plan.blocks[fields.plan.alone_blocks[b]];
            // SAFETY: rigid motions are only read in this stage; the block's displacements are this closure's alone.
            unsafe {
                let rigid = self.rigid.read(block.body, 1)[0];
                if !block.frames && rigid != RigidMotion::default() {
                    self.motion.take_off(self.isa, block.run, rigid);
                }
            }
        });
    }

    /// Hands `with` the number of each body that is alone, and how it has been pushed in this substep.
    fn pushes(&self, crew: &mut Crew<'_>, fields: &Solved<'_>, with: impl Fn(usize, Moments)) {
        let (plan, Fields { alone, alone_blocks, .. }) = (self.plan, fields.plan);
        self.each(crew, Phase::Constraints, alone_blocks.len(), |b| {
            let block = &plan.blocks[alone_blocks[b]];
            // SAFETY: nobody writes rows in this stage; the block's sum is this closure's alone.
            unsafe {
                let of = || self.motion.pushes(self.isa, block.run, self.about(block.body), self.h);
                self.moments.part(alone_blocks[b], 1)[0] = if block.frames { Moments::default() } else { of() };
            }
        });
        self.each(crew, Phase::Constraints, alone.len(), |i| {
            let mut sum = Moments::default();
            for b in plan.bodies[alone[i]].blocks.clone() {
                // SAFETY: the sums are only read in this stage.
                sum.add(unsafe { &self.moments.read(b, 1)[0] });
            }
            with(i, sum);
        });
    }
}
