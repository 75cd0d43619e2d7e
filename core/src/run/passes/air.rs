//! Forces of the air on triangles, at the positions where a substep begins.

use super::Common;
use crate::run::input::Input;
use crate::run::report::Phase;
use crate::tuning::AERO_A_BLOCK;
use seidel_kernels::integrate::air::{AeroTriangles, Air as Forces, Uniform};
use seidel_kernels::{BATCH, Row, Rows, Shared};
use seidel_workers::Crew;

/// Working memory of the air's forces.
#[derive(Debug, Default)]
pub(crate) struct AirScratch {
    pub(crate) pushes: Rows,
    /// Outer forces plus those of the air, newtons. The kernels use them in place of the outer forces if the air pushes
    /// any triangle.
    pub(crate) force: Rows,
}

impl AirScratch {
    pub(crate) fn new(aero: Option<&AeroTriangles>, rows: usize) -> AirScratch {
        let rows = if aero.is_some() { rows } else { 0 };
        AirScratch { pushes: Rows::zeros(aero.map_or(0, AeroTriangles::pushes), 48), force: Rows::zeros(rows, 40) }
    }

    pub(crate) fn poison(&mut self) {
        self.pushes.fill(f32::NAN);
        self.force.fill(f32::NAN);
    }
}

/// Drag and lift of triangles in a wind.
pub(crate) struct Air<'a> {
    common: &'a Common<'a>,
    forces: Forces<'a, Uniform>,
    /// Outer forces, without the air's.
    outer: Shared<'a, Row>,
}

impl<'a> Air<'a> {
    /// None if the air pushes no triangle.
    pub(crate) fn new(
        common: &'a Common<'a>,
        (input, time): (&Input, f64),
        pushes: &'a mut Rows,
        outer: Shared<'a, Row>,
    ) -> Option<Air<'a>> {
        let Common { plan, h, motion, .. } = *common;
        let (aero, air) = (plan.aero.as_ref()?, &plan.settings.air);
        // The last sixteen pushes belong to no triangle and stay zero.
        let none = pushes.len().saturating_sub(BATCH);
        pushes[none..].fill([0.0; 4]);
        let wind = input.wind.unwrap_or_else(|| air.wind_at(time).to_array());
        let pushes = Shared::new(pushes);
        let forces = Forces { flow: Uniform(wind), density: air.density, h, motion, aero, pushes };
        Some(Air { common, forces, outer })
    }

    /// Finds the air's push on the corners of each triangle, newtons. The last substep has ended.
    pub(crate) fn run(&self, crew: &mut Crew<'_>) {
        let (plan, count) = (self.common.plan, self.forces.aero.len());
        let (all, off) = (self.forces.aero.batches(), &self.common.off.bodies);
        let some_off = off.contains(&true);
        self.common.each(crew, Phase::Motion, count.div_ceil(AERO_A_BLOCK), |block| {
            let batches = block * AERO_A_BLOCK..count.min((block + 1) * AERO_A_BLOCK);
            if some_off && all[batches.clone()].iter().all(|&batch| plan.triangles.is_off(batch as usize, off)) {
                return;
            }
            // SAFETY: nobody moves rows in this stage; the batches' pushes are this closure's alone.
            unsafe { self.forces.push(self.common.isa, &plan.triangles.batches, batches) };
        });
    }

    /// Whether a block's rows stay as they are.
    pub(crate) fn waits(&self, block: usize) -> bool {
        self.common.waits(block)
    }

    /// Adds the air's pushes on a block's particles to the outer forces.
    ///
    /// # Safety
    /// Nobody else uses the block's rows, and all pushes are found.
    pub(crate) unsafe fn gather(&self, block: usize) {
        let Common { plan, isa, .. } = *self.common;
        let block = &plan.blocks[block];
        if !block.frames {
            // SAFETY: the block's rows are the caller's alone, and pushes are only read, as it promises.
            unsafe { self.forces.gather(isa, block.run, self.outer) };
        }
    }
}
