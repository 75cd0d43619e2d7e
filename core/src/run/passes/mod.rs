//! The passes of a substep. Each pass is a type that holds its plan data and its working memory. All workers take part
//! in its `run`. The loop over the passes is in core/src/run/step.rs.
//!
//! A pass is a sequence of stages (`Crew::each`). A stage ends before the next begins. Within a stage no block uses
//! rows, batches or bodies that another block writes; the plan has fixed which of them belong to which block. Every
//! unsafe call of a pass relies on this.

pub(crate) mod afloat;
pub(crate) mod air;
pub(crate) mod colliders;
pub(crate) mod constraints;
pub(crate) mod damping;
pub(crate) mod fields;
pub(crate) mod fluid;
pub(crate) mod grains;
pub(crate) mod momentum;
pub(crate) mod onsets;
pub(crate) mod pairs;
pub(crate) mod plasticity;
pub(crate) mod predict;
pub(crate) mod pulls;
pub(crate) mod rigid;
pub(crate) mod spheres;
pub(crate) mod strain_damping;
pub(crate) mod tethers;
pub(crate) mod velocity;

use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::run::off::Off;
use crate::run::report::{Laps, Phase};
use seidel_kernels::integrate::Motion;
use seidel_kernels::integrate::history::{History, Weights};
use seidel_kernels::tuning::MAX_POSITION;
use seidel_kernels::{BATCH, Isa, Row, Shared};
use seidel_workers::{Crew, Slices, parts};

/// The data that all passes of a step share.
#[derive(Clone, Copy)]
pub(crate) struct Common<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) isa: Isa,
    /// Substeps of this level in the step.
    pub(crate) substeps: u32,
    /// Length of a substep, seconds.
    pub(crate) h: f32,
    /// Weights of the step's first substep, and of the others.
    pub(crate) weights: [Weights; 2],
    /// Gravity, m/s^2.
    pub(crate) gravity: [f32; 3],
    /// Positions, rounding, velocities and displacements of all rows.
    pub(crate) motion: Motion<'a>,
    /// The last substep, where velocities are updated in second order.
    pub(crate) history: Option<History<'a>>,
    /// The drag of each body.
    pub(crate) drags: &'a [Drag],
    /// How far each row has gone in this step (`Slack`), metres; empty if no collider asks.
    pub(crate) ways: Shared<'a, Row>,
    /// The things that are disabled, or of another level.
    pub(crate) off: &'a Off,
    /// For each of the plan's batch ranges, whether it has rows of such bodies alone; empty if there are none.
    pub(crate) idle: &'a [bool],
    pub(crate) laps: &'a Laps,
}

/// Linear drag in a substep: the parts of the velocity, and of the forces' effect, that it leaves (`integrate::Kick`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drag {
    pub(crate) keep: f32,
    pub(crate) share: f32,
}

impl Drag {
    /// In a substep of `h` seconds, with a drag of `c`, 1/s.
    pub(crate) fn new(c: f32, h: f32) -> Drag {
        let ch = f64::from(c) * f64::from(h);
        if ch == 0.0 {
            return Drag { keep: 1.0, share: 1.0 };
        }
        Drag { keep: libm::exp(-ch) as f32, share: (-libm::expm1(-ch) / ch) as f32 }
    }
}

/// Rows to read between two stages.
#[derive(Clone, Copy)]
pub(crate) struct Alone<'a> {
    pub(crate) x: &'a [Row],
    pub(crate) u: &'a [Row],
    pub(crate) r: &'a [Row],
}

/// The place of a sweep in a step: its substep, and its iteration in that substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) substep: u32,
    pub(crate) iteration: u32,
}

impl At {
    /// Whether this is the first sweep of the substep, in which multipliers begin at zero.
    pub(crate) fn is_first(self) -> bool {
        self.iteration == 0
    }
}

impl Common<'_> {
    /// All rows, to read. A stage needs the crew for itself, so that none runs while it is borrowed.
    pub(crate) fn alone<'a>(&'a self, _crew: &'a Crew<'_>) -> Alone<'a> {
        let Motion { x, u, r, .. } = self.motion;
        // SAFETY: only a stage of the step's one crew writes rows, and none runs while it is borrowed; or this thread
        // between two stages, and whoever does so there holds no `Alone`.
        unsafe { Alone { x: x.read(0, x.len()), u: u.read(0, u.len()), r: r.read(0, r.len()) } }
    }

    /// Runs a stage and counts its time for a phase.
    pub(crate) fn each(&self, crew: &mut Crew<'_>, phase: Phase, blocks: usize, work: impl Fn(usize) + Sync) {
        // Reading the clock would cost more than a stage without blocks.
        if blocks > 0 {
            crew.each(blocks, work);
            self.laps.lap(phase);
        }
    }

    /// Runs a stage whose blocks take parts of a slice, `grain` long but for the last, and counts its time for a phase.
    /// `work` takes the place of a part's first element, and the part.
    pub(crate) fn parts<S: Slices>(
        &self,
        crew: &mut Crew<'_>,
        phase: Phase,
        (items, grain): (S, usize),
        work: impl Fn(usize, S) + Sync,
    ) {
        if items.count() > 0 {
            parts(crew, items, grain, work);
            self.laps.lap(phase);
        }
    }

    /// Runs stages one after another and counts their time for a phase.
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

    /// Runs a stage over all blocks of rows.
    pub(crate) fn each_block(&self, crew: &mut Crew<'_>, phase: Phase, work: impl Fn(usize) + Sync) {
        self.each(crew, phase, self.plan.blocks.len(), work);
    }

    /// Whether a block's rows stay as they are: their body is disabled, or of another level. Where velocities are
    /// updated in second order, the rows of disabled bodies go through the passes, which leave them where they are.
    pub(crate) fn waits(&self, block: usize) -> bool {
        self.history.is_none() && self.off.bodies[self.plan.blocks[block].body]
    }

    /// Weights of a substep.
    pub(crate) fn weights(&self, substep: u32) -> Weights {
        self.weights[usize::from(substep > 0)]
    }

    /// Whether no substep follows.
    pub(crate) fn is_last(&self, substep: u32) -> bool {
        substep + 1 == self.substeps
    }

    /// The share of the step that is over at the end of a substep, above 0 and up to 1.
    pub(crate) fn share(&self, substep: u32) -> f64 {
        (f64::from(substep) + 1.0) / f64::from(self.substeps)
    }

    /// A reference point for a body's moments, metres: the position of its first particle.
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
        // The first particle is lost, and moments about its position would be lost, too. Take its position in the plan.
        let [x, y, z, _] = layout.read(&self.plan.x, start);
        [x, y, z]
    }
}
