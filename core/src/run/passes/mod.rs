//! The passes of a substep. Each is a type with what the plan has for it and its working memory, and a `run` in which all workers
//! take part; the loop over them is core/src/run/step.rs.
//!
//! A pass is a sequence of stages (`Crew::each`). Within a stage a block touches rows, batches or bodies of its own
//! alone, and a stage
//! ends before the next begins: that is what every unsafe call of a pass promises, and which part is whose the plan has fixed.

pub(crate) mod air;
pub(crate) mod colliders;
pub(crate) mod constraints;
pub(crate) mod damping;
pub(crate) mod fields;
pub(crate) mod momentum;
pub(crate) mod pairs;
pub(crate) mod predict;
pub(crate) mod tethers;
pub(crate) mod velocity;

use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::run::report::{Laps, Phase};
use seidel_kernels::integrate::Motion;
use seidel_kernels::tuning::MAX_POSITION;
use seidel_kernels::{BATCH, Isa};
use seidel_workers::Crew;

/// The data that all passes of a step share.
#[derive(Clone, Copy)]
pub(crate) struct Common<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) isa: Isa,
    /// Length of a substep, seconds.
    pub(crate) h: f32,
    /// m/s^2.
    pub(crate) gravity: [f32; 3],
    /// Positions, rounding, velocities and displacements of all rows.
    pub(crate) motion: Motion<'a>,
    pub(crate) laps: &'a Laps,
}

/// A sweep of a step: its substep, and its iteration in there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) substep: u32,
    pub(crate) iteration: u32,
}

impl At {
    /// Whether it is the first sweep of a substep: multipliers begin at zero.
    pub(crate) fn is_first(self) -> bool {
        self.iteration == 0
    }
}

impl Common<'_> {
    /// A stage, whose time is a phase's.
    pub(crate) fn each(&self, crew: &mut Crew<'_>, phase: Phase, blocks: usize, work: impl Fn(usize) + Sync) {
        // The clock costs more than nothing does.
        if blocks > 0 {
            crew.each(blocks, work);
            self.laps.lap(phase);
        }
    }

    /// Stages in turn, whose time is a phase's.
    pub(crate) fn in_turn(
        &self,
        crew: &mut Crew<'_>,
        phase: Phase,
        (stages, blocks): (usize, impl Fn(usize) -> usize + Sync),
        work: impl Fn(usize, usize) + Sync,
    ) {
        if (0..stages).any(|stage| blocks(stage) > 0) {
            crew.in_turn(stages, blocks, work);
            self.laps.lap(phase);
        }
    }

    /// A stage of all blocks of rows.
    pub(crate) fn each_block(&self, crew: &mut Crew<'_>, phase: Phase, work: impl Fn(usize) + Sync) {
        self.each(crew, phase, self.plan.blocks.len(), work);
    }

    /// Whether no substep follows.
    pub(crate) fn is_last(&self, substep: u32) -> bool {
        substep + 1 == self.plan.settings.substeps
    }

    /// Which part of the step is over at the end of a substep.
    pub(crate) fn share(&self, substep: u32) -> f64 {
        (f64::from(substep) + 1.0) / f64::from(self.plan.settings.substeps)
    }

    /// A point near a body, for its moments: its first particle.
    ///
    /// # Safety
    /// Nobody writes positions meanwhile.
    pub(crate) unsafe fn about(&self, body: usize) -> [f32; 3] {
        let BodyPlan { start, rows, layout, .. } = self.plan.bodies[body];
        // A body without particles has no row to read.
        if rows == 0 {
            return [0.0; 3];
        }
        // SAFETY: nobody writes positions meanwhile, as the caller promises.
        let [x, y, z, _] = layout.read(unsafe { self.motion.x.read(start, BATCH) }, 0);
        if [x, y, z].iter().all(|c| c.abs() <= MAX_POSITION as f32) {
            return [x, y, z];
        }
        // That particle is lost: about no number, the others would be none either. Where it began.
        let [x, y, z, _] = layout.read(&self.plan.x, start);
        [x, y, z]
    }
}
