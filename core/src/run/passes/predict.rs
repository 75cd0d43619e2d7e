//! The beginning of a substep: Müller et al. 2007, lines 5-7, in displacements.

use super::Common;
use super::air::Air;
use super::constraints::{Constraints, Sweeps};
use super::damping::{Damping, kicked};
use super::strain_damping::StrainDamping;
use super::velocity::{Then, Velocity};
use crate::plan::blocks::Cell;
use crate::run::report::Phase;
use seidel_workers::Crew;

/// v += h (g + w f), damping, u = r + h v.
pub(crate) struct Predict<'a> {
    pub(crate) common: &'a Common<'a>,
    /// Some if the air pushes any triangle.
    pub(crate) air: Option<Air<'a>>,
    /// Some if a family of constraints has a relaxation time.
    pub(crate) strain_damping: Option<StrainDamping<'a>>,
    /// Some if a body is damped.
    pub(crate) damping: Option<Damping<'a>>,
}

impl Predict<'_> {
    /// Begins a substep. If `ended` names a substep, ends that one first. With `Constraints::by_cell`, solves the first
    /// sweep's patches, too, cell by cell while their rows are in the cache.
    pub(crate) fn run(
        &self,
        crew: &mut Crew<'_>,
        mut ended: Option<u32>,
        velocity: &Velocity<'_>,
        constraints: &Constraints<'_>,
    ) {
        let Common { plan, gravity, laps, .. } = *self.common;
        if let Some(strain_damping) = &self.strain_damping {
            strain_damping.run(crew, ended.take(), velocity, constraints);
        }
        let air = self.air.as_ref();
        if let Some(air) = air {
            // The air's forces need the positions at the end of the last substep: end it first.
            if let Some(substep) = ended.take() {
                velocity.run(crew, substep);
            }
            air.run(crew);
        }
        if let Some(damping) = &self.damping {
            damping.run(crew, ended, velocity, air);
        }
        let begin = |block: usize| {
            // SAFETY: the block's rows are this closure's alone; pushes and rigid motions are only read in this stage.
            unsafe {
                match &self.damping {
                    Some(damping) if plan.bodies[plan.blocks[block].body].damping > 0.0 => {
                        damping.pull(block, velocity)
                    }
                    _ => kicked(velocity, air, block, ended, Then { kick: Some(gravity), drift: true }),
                }
            }
        };
        if !constraints.by_cell() {
            return self.common.each_block(crew, Phase::Motion, begin);
        }
        // Rows of waiting bodies move nothing: a cell that has no others is not solved, and passed over where its rows
        // stay as they are. Multipliers that are kept have to begin at zero.
        let off = &self.common.off.bodies;
        let skips = !plan.keeps_multipliers() && off.contains(&true);
        let rests = skips && self.common.history.is_none();
        let is_idle = |cell: usize| plan.blocks[plan.cells[cell].blocks.clone()].iter().all(|block| off[block.body]);
        crew.each(plan.patches.len(), |patch| {
            for cell in plan.patches[patch].clone() {
                if rests && is_idle(cell) {
                    continue;
                }
                let Cell { blocks, batch_ranges } = &plan.cells[cell];
                let watch = laps.watch(cell);
                blocks.clone().for_each(begin);
                let watch = watch.map(|began| laps.sample(Phase::Motion, began));
                if skips && is_idle(cell) {
                    continue;
                }
                // SAFETY: only this closure has the cells of this patch, and what they solve touches no other patch
                // (`Schedule`).
                unsafe { constraints.solve(batch_ranges.clone(), Sweeps::Values { first: true }) };
                watch.map(|began| laps.sample(Phase::Constraints, began));
            }
        });
        laps.lap_of_both();
    }
}
