//! Which particles contacts push, where velocities are updated in second order: the velocity of a particle whose
//! contact begins follows from this substep alone (`kernels/src/integrate/history.rs`).

use super::{At, Common};
use crate::describe::settings::VelocityUpdate;
use crate::plan::Plan;
use crate::run::report::Phase;
use seidel_kernels::integrate::history::When;
use seidel_kernels::{Row, Rows, Shared};
use seidel_workers::Crew;

/// Notes displacements before and after tethers and contacts.
pub(crate) struct Onsets<'a> {
    common: &'a Common<'a>,
    met: Shared<'a, Row>,
}

impl<'a> Onsets<'a> {
    /// None if velocities are updated in first order, or nothing touches.
    pub(crate) fn new(common: &'a Common<'a>) -> Option<Onsets<'a>> {
        let met = common.history?.met;
        (!met.is_empty()).then_some(Onsets { common, met })
    }

    /// Working memory.
    pub(crate) fn rows(plan: &Plan) -> Rows {
        let touches = !plan.colliders.is_empty()
            || plan.surfaces.is_some()
            || plan.spheres.is_some()
            || !plan.tethers.is_empty()
            || !plan.long_range.held.is_empty();
        let noted = touches && plan.settings.velocity_update == VelocityUpdate::SecondOrder;
        if noted { Rows::zeros(plan.x.len(), 72) } else { Rows::default() }
    }

    /// Before contacts.
    pub(crate) fn before(&self, crew: &mut Crew<'_>, at: At) {
        self.note(crew, if at.is_first() { When::First } else { When::Before });
    }

    /// After contacts.
    pub(crate) fn after(&self, crew: &mut Crew<'_>) {
        self.note(crew, When::After);
    }

    fn note(&self, crew: &mut Crew<'_>, when: When) {
        let Common { plan, isa, motion, .. } = *self.common;
        self.common.each_block(crew, Phase::Motion, |b| {
            if !plan.blocks[b].frames {
                // SAFETY: the stage runs each block once, and the plan gives each row to one block (`place::divide`).
                unsafe { motion.note(isa, plan.blocks[b].run, self.met, when) };
            }
        });
    }
}
