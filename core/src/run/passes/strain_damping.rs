//! Damping of strain: a sweep over rates before each substep (docs/decisions/damping-by-rates.md).
//!
//! ```text
//!   u = h v;   for each damped constraint, in the order of a sweep:  dlambda = -(grad C . u) / (W + alpha / (h tau)),
//!   u += w grad C dlambda;   v += (u - h v) / h
//! ```
//! This is the damping force of Macklin, Müller, Chentanez 2016, eq. 26, with their beta = tau / alpha, in an implicit
//! step of its own: dC/dt falls by the factor (alpha / (h tau)) / (W + alpha / (h tau)). Where nothing moves it does
//! nothing, so the shape at rest does not depend on tau.
//!
//! Where velocities are updated in second order, the other families have their turn, too, for what a substep does not
//! resolve (`Softness::denominator`). One sweep a substep does not solve rigid rows that share particles, and the error
//! is no force that has a potential: it may push what swings. An update of first order damps that away. One of second
//! order does not: without this sweep a sheet of rigid rows flew apart (docs/decisions/second-order.md).

use super::Common;
use super::constraints::{Constraints, Sweeps};
use super::velocity::{Then, Velocity};
use crate::run::report::Phase;
use seidel_workers::Crew;

/// The damping of all families with a relaxation time.
#[derive(Clone, Copy)]
pub(crate) struct StrainDamping<'a> {
    common: &'a Common<'a>,
}

impl<'a> StrainDamping<'a> {
    /// None if no family is damped, and velocities are updated in first order.
    pub(crate) fn new(common: &'a Common<'a>) -> Option<StrainDamping<'a>> {
        let damped = common.plan.families.iter().any(|family| family.damping > 0.0);
        let followed = common.history.is_some() && !common.plan.families.is_empty();
        (damped || followed).then_some(StrainDamping { common })
    }

    /// Ends substep `ended`, if one is given, and damps velocities.
    pub(crate) fn run(
        &self,
        crew: &mut Crew<'_>,
        ended: Option<u32>,
        velocity: &Velocity<'_>,
        constraints: &Constraints<'_>,
    ) {
        let Common { plan, isa, h, motion, .. } = *self.common;
        self.common.each_block(crew, Phase::Motion, |b| {
            if self.common.waits(b) {
                return;
            }
            // SAFETY: the stage runs each block once, and the plan gives each row to one block (`place::divide`).
            unsafe {
                velocity.end(b, ended, Then::default());
                motion.rates(isa, plan.blocks[b].run, h);
            }
        });
        constraints.sweep(crew, Sweeps::Rates);
        self.common.each_block(crew, Phase::Motion, |b| {
            if self.common.waits(b) {
                return;
            }
            // SAFETY: the stage runs each block once, and the plan gives each row to one block (`place::divide`).
            unsafe { motion.solved_rates(isa, plan.blocks[b].run, h) };
        });
    }
}
