//! Plastic flow at the end of a substep: rest shapes follow strains beyond their yield points
//! (`seidel_kernels::plasticity`).

use super::Common;
use crate::plan::patch::BatchRange;
use crate::run::plasticity::PlasticityState;
use crate::run::report::Phase;
use seidel_kernels::plasticity::{Flow, Flowed};
use seidel_kernels::{Pack, Particles, Shared};
use seidel_workers::Crew;

/// The flow of all families that yield.
pub(crate) struct Flowing<'a> {
    common: &'a Common<'a>,
    rest: Shared<'a, Pack<f32>>,
    rounding: Shared<'a, Pack<f32>>,
    accumulated: Shared<'a, Pack<f32>>,
}

impl<'a> Flowing<'a> {
    /// Rest shapes as constraints read them, and their flow: none if nothing yields.
    pub(crate) fn new(
        common: &'a Common<'a>,
        state: &'a mut PlasticityState,
    ) -> (Shared<'a, Pack<f32>>, Option<Flowing<'a>>) {
        let PlasticityState { rest, rounding, accumulated, .. } = state;
        let [rest, rounding, accumulated] = [rest, rounding, accumulated].map(|packs| Shared::new(packs));
        (rest, (!rest.is_empty()).then_some(Flowing { common, rest, rounding, accumulated }))
    }

    /// Lets all flow, by the positions with which a substep ends.
    pub(crate) fn run(&self, crew: &mut Crew<'_>) {
        let Common { plan, h, motion, off, .. } = *self.common;
        let any_off = off.bodies.contains(&true);
        // What is disabled waits as it is.
        let waits = |particle: u32| any_off && off.bodies[plan.body_of(particle)];
        self.common.each(crew, Phase::Constraints, plan.flowing.len(), |i| {
            let BatchRange { family, batches } = &plan.flowing[i];
            let family = &plan.families[*family];
            let Some((plasticity, of)) = family.plastic else { return };
            let creep = f64::from(plasticity.creep);
            let flow = Flow {
                of,
                yields: plasticity.yield_point.into(),
                share: if creep < f64::INFINITY { -libm::expm1(-creep * f64::from(h)) } else { 1.0 },
                limit: plasticity.furthest(of).into(),
                softening: plasticity.fatigue.into(),
                breaks: plasticity.breaks.into(),
            };
            let params = family.batches.params();
            let (first, count) = (family.flowed.start + batches.start * params, batches.len() * params);
            let sums = match family.accumulated.is_empty() {
                true => (0, 0),
                false => (family.accumulated.start + 2 * batches.start, 2 * batches.len()),
            };
            // SAFETY: no range of batches stands in `flowing` twice, families have their own packs, and nobody solves
            // constraints meanwhile; nobody writes positions or displacements in this stage.
            unsafe {
                let [rest, rounding] = [self.rest, self.rounding].map(|packs| packs.part(first, count));
                let flowed = Flowed { rest, rounding, accumulated: self.accumulated.part(sums.0, sums.1) };
                let particles = Particles::from_shared(motion.x, motion.u);
                flow.run(&family.kind, (&family.batches, batches.clone()), particles, flowed, waits);
            }
        });
    }
}
