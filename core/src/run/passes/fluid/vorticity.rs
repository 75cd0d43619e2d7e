//! Vorticity confinement, once a substep (`seidel_kernels::fluid::Confine`).

use super::Fluid;
use super::groups::{block, blocks};
use crate::run::report::Phase;
use seidel_kernels::fluid::{Confine, Curl, Displace, Find};
use seidel_kernels::{BATCH, Shared};
use seidel_workers::Crew;

/// The most by which a substep makes a whirl faster, a share of its speed.
const CONFINEMENT: f32 = 0.02;

impl Fluid<'_> {
    /// Changes displacements by the confinement of a substep. How far particles go is known.
    pub(super) fn confine(&mut self, crew: &mut Crew<'_>) {
        let (common, plan, groups) = (self.common, self.plan, self.scratch.groups());
        let spiky = plan.spiky;
        // A whirl grows by some such share in a substep: more would explode.
        let share = |epsilon: f32| if epsilon * common.h < CONFINEMENT { epsilon * common.h } else { CONFINEMENT };
        let of = |epsilon: f32| share(epsilon) * spiky.spacing;
        let scratch = &mut *self.scratch;
        scratch.coefficients.clear();
        scratch.coefficients.extend(plan.bodies.iter().map(|fluid| of(fluid.liquid.vorticity_confinement)));
        scratch.normals.grow(scratch.at.len(), 56);
        scratch.normals[groups * BATCH..].fill([0.0; 4]);
        let (fluid_of, strengths) = (&scratch.fluid_of, &scratch.coefficients);
        let (at, ways) = (Shared::new(&mut scratch.at), Shared::new(&mut scratch.ways));
        // Neither is used otherwise before it is written anew.
        let (curls, kept) = (Shared::new(&mut scratch.normals), Shared::new(&mut scratch.pressed));
        let (lists, row_of, u) = (scratch.lists.lists(), &scratch.row_of, common.motion.u);
        let curl = Curl { spiky, at, ways, lists, curls };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            let (first, len) = (of.start * BATCH, of.len() * BATCH);
            // SAFETY: nobody writes positions or ways in this stage; what is written for a slot is its block's alone.
            unsafe {
                curl.run(common.isa, of);
                for (to, &fluid) in kept.part(first, len).iter_mut().zip(&fluid_of[first..]) {
                    *to = [strengths[fluid as usize], 0.0, 0.0, 0.0];
                }
            }
        });
        let confine = Confine { spiky, at, curls, strengths: kept, lists, row_of, u };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            // SAFETY: nobody writes positions or curls in this stage; a slot's row is that slot's alone.
            unsafe { confine.run(common.isa, block(groups, b)) };
        });
    }
}
