//! A sweep over the plan's constraints: patches in parallel, then the interfaces between them (Müller et al. 2007, line
//! 9-11).

use super::{At, Common};
use crate::plan::Plan;
use crate::plan::patch::{BatchRange, Patch};
use crate::run::report::Phase;
use seidel_kernels::average::Averaging;
use seidel_kernels::{BATCH, Pack, Particles, Rows, Shared, Sweep};
use seidel_workers::Crew;

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct ConstraintScratch {
    /// Multipliers that are kept from sweep to sweep, family after family; empty if a substep has one sweep.
    lambda: Vec<Pack<f32>>,
    /// Sums of corrections, where something is solved by the Jacobi method.
    sums: Rows,
}

impl ConstraintScratch {
    pub(crate) fn new(plan: &Plan) -> ConstraintScratch {
        let kept = plan.families.last().filter(|_| plan.keeps_multipliers()).map_or(0, |family| family.kept.end);
        ConstraintScratch { lambda: vec![Pack([0.0; BATCH]); kept], sums: Rows::zeros(plan.averages.parts.len(), 8) }
    }

    pub(crate) fn poison(&mut self) {
        self.lambda.fill(Pack([f32::NAN; BATCH]));
        self.sums.fill(f32::NAN);
    }
}

/// The quantity that a sweep brings to zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sweeps {
    /// C. Multipliers begin at zero in the `first` sweep of a substep.
    Values { first: bool },
    /// dC/dt, of families with a relaxation time; where velocities are updated in second order, of what a substep does
    /// not resolve in the others.
    Rates,
}

/// All families of constraints.
pub(crate) struct Constraints<'a> {
    common: &'a Common<'a>,
    lambda: Shared<'a, Pack<f32>>,
    /// For each family, the softness of its rows, if an input has set it; otherwise empty.
    soft: &'a [Vec<Pack<f32>>],
    /// Parameters of families that yield.
    rest: Shared<'a, Pack<f32>>,
    /// Some if something is solved by the Jacobi method: its constraints add their corrections to sums.
    averaging: Option<Averaging<'a>>,
    /// The length that a substep has for constraints, seconds.
    effective: f32,
}

impl<'a> Constraints<'a> {
    pub(crate) fn new(
        common: &'a Common<'a>,
        (soft, rest): (&'a [Vec<Pack<f32>>], Shared<'a, Pack<f32>>),
        scratch: &'a mut ConstraintScratch,
    ) -> Constraints<'a> {
        let ConstraintScratch { lambda, sums } = scratch;
        let (lambda, sums) = (Shared::new(lambda), Shared::new(sums));
        let Common { plan, motion, .. } = *common;
        let parts = &plan.averages.parts;
        let averaging = (!plan.averages.is_empty()).then(|| Averaging { x: motion.x, u: motion.u, sums, parts });
        Constraints { common, lambda, soft, rest, averaging, effective: common.h }
    }

    /// Tells that a substep begins.
    pub(crate) fn begin(&mut self, substep: u32) {
        self.effective = self.common.weights(substep).effective;
    }

    /// Whether cells are solved as soon as their rows are predicted, while the rows are in the cache.
    pub(crate) fn by_cell(&self) -> bool {
        self.averaging.is_none() && !self.common.plan.patches.is_empty()
    }

    /// Runs one sweep. With `by_cell` the first sweep leaves out the stage of the patches: the prediction has solved
    /// them.
    pub(crate) fn run(&self, crew: &mut Crew<'_>, at: At) {
        let solved = usize::from(at.is_first() && self.by_cell());
        self.stages(crew, solved, Sweeps::Values { first: at.is_first() });
    }

    /// Runs a whole sweep.
    pub(crate) fn sweep(&self, crew: &mut Crew<'_>, sweeps: Sweeps) {
        self.stages(crew, 0, sweeps);
    }

    /// Runs a sweep without its first `solved` stages.
    fn stages(&self, crew: &mut Crew<'_>, solved: usize, sweeps: Sweeps) {
        let Common { plan, isa, .. } = *self.common;
        if let Some(averaging) = self.averaging {
            self.common.each_block(crew, Phase::Constraints, |b| {
                if plan.averages.blocks[b] {
                    // SAFETY: the stage runs each block once, and the plan gives each row to one block
                    // (`place::divide`).
                    unsafe { averaging.split(isa, plan.blocks[b].run) };
                }
            });
        }
        let stages = &plan.stages[solved.min(plan.stages.len())..];
        self.common.in_turn(crew, Phase::Constraints, (stages.len(), |s| stages[s].len()), |s, patch| {
            // SAFETY: patches of a stage share no block, and only this closure solves this one (`Schedule`).
            unsafe { self.solve(stages[s][patch].clone(), sweeps) };
        });
        if let Some(averaging) = self.averaging {
            self.common.each_block(crew, Phase::Constraints, |b| {
                if plan.averages.blocks[b] {
                    // SAFETY: the stage runs each block once, and the plan gives each row to one block
                    // (`place::divide`).
                    unsafe { averaging.join(isa, plan.blocks[b].run) };
                }
            });
        }
    }

    /// Solves batch ranges one after another.
    ///
    /// # Safety
    /// Nobody else uses the particles and multipliers of these ranges meanwhile: they are a patch of a stage, or a cell
    /// that is solved with its own patch (`Schedule` proves for both that no other shares a block with it).
    pub(crate) unsafe fn solve(&self, batch_ranges: Patch, sweeps: Sweeps) {
        let Common { plan, isa, h, motion, idle, .. } = *self.common;
        for number in batch_ranges {
            // Rows of waiting bodies alone move nothing.
            if idle.get(number) == Some(&true) {
                continue;
            }
            let BatchRange { family, batches } = &plan.batch_ranges[number];
            // The number after the last family stands for triangles, which are not constraints.
            let Some((family, soft)) = plan.families.get(*family).zip(self.soft.get(*family)) else { continue };
            let rates = sweeps == Sweeps::Rates;
            let (damped, followed) = (family.damping > 0.0, self.common.history.is_some());
            if rates && !damped && !followed {
                continue;
            }
            // Rates: alpha / (h tau) in place of alpha / h^2.
            let per_h2 =
                if rates && damped { 1.0 / (h * family.damping) } else { 1.0 / (self.effective * self.effective) };
            let inv_h2 = if family.xpbd { per_h2 } else { 0.0 };
            let first = sweeps == Sweeps::Values { first: true };
            // Rates are solved once a substep: no multiplier is kept.
            let kept = if rates || self.lambda.is_empty() { 0..0 } else { family.kept.clone() };
            let lambda = self.lambda.within(kept.start, kept.len());
            let rest = self.rest.within(family.flowed.start, family.flowed.len());
            // SAFETY: nobody else uses these particles and multipliers, as the caller promises; rest shapes flow in a
            // stage of their own; registers stay within a patch's border (`Batches::pack`).
            unsafe {
                let particles = Particles::from_shared(motion.x, motion.u);
                let particles = match self.averaging.filter(|_| family.averaged) {
                    Some(averaging) => particles.adding_to(averaging.sums),
                    None => particles,
                };
                let particles = if rates { particles.of_rates(motion.r) } else { particles };
                let particles = if rates && !damped { particles.of_unresolved() } else { particles };
                let sweep = Sweep { particles, lambda, first, inv_h2, soft, rest };
                family.kind.solve(isa, &family.batches, batches.clone(), sweep);
            }
        }
    }
}
