//! Bodies against themselves and each other, in a substep.

use super::back::Ended;
use super::{Counts, Shares, Touching, When};
use crate::plan::surfaces::Surfaces;
use crate::run::passes::colliders::moving::Moving;
use crate::run::passes::{At, Common};
use crate::run::report::Phase;
use seidel_kernels::integrate::Run;
use seidel_workers::Crew;

/// Contacts of points and triangles, edges and edges.
pub(crate) struct Pairs<'a> {
    common: &'a Common<'a>,
    surfaces: &'a Surfaces,
    touching: &'a mut Touching,
}

impl<'a> Pairs<'a> {
    /// None if nothing can touch. Begins a level: forgets the pairs of the last one.
    pub(crate) fn new(common: &'a Common<'a>, touching: &'a mut Touching) -> Option<Pairs<'a>> {
        let surfaces = common.plan.surfaces.as_ref()?;
        touching.begin(surfaces);
        Some(Pairs { common, surfaces, touching })
    }

    /// Finds the pairs that are about to touch, and pushes them apart.
    pub(crate) fn run(&mut self, crew: &mut Crew<'_>, at: At) {
        let Common { plan, isa, h, motion, laps, .. } = *self.common;
        let ends = self.touching.ends();
        // SAFETY: the stage runs each block once, and the plan gives each row to one block (`place::divide`).
        each_surface(self.common, self.surfaces, crew, Phase::PairClusters, |run| unsafe {
            ends.read(isa, motion, run)
        });
        let when = if at.is_first() { When::First } else { When::Before };
        self.touching.look(self.common, self.surfaces, crew, at.substep, when);
        self.touching.make_contacts(plan);
        self.touching.count_again();
        laps.lap(Phase::PairLists);
        let shares = self.touching.share(h, self.common.is_last(at.substep));
        let colors = (shares.colors(), |color| shares.blocks(color));
        self.common.in_turn(crew, Phase::PairContacts, colors, |color, block| {
            // SAFETY: pairs of a color share no particle, and colors follow one another.
            unsafe { shares.solve(isa, color, block, at.is_first()) };
        });
        let Shares { ends, .. } = shares;
        // SAFETY: the stage runs each block once, and the plan gives each row to one block (`place::divide`).
        each_surface(self.common, self.surfaces, crew, Phase::PairContacts, |run| unsafe {
            ends.give_back(isa, motion, run)
        });
    }

    /// Ends a substep: clamps displacements that lead through another feature. `moving` are the colliders in the
    /// substep. Returns whether the substep has ended. If not, contacts are to be solved once more: moving colliders
    /// press what would be clamped. So many iterations are over.
    pub(crate) fn finish(&mut self, crew: &mut Crew<'_>, at: At, moving: &[Moving]) -> bool {
        let Common { plan, isa, motion, laps, substeps, .. } = *self.common;
        let (left, sweeps) = (substeps - at.substep, self.touching.may_sweep(at.iteration));
        loop {
            let ends = self.touching.ends();
            // SAFETY: the stage runs each block once, and the plan gives each row to one block (`place::divide`).
            each_surface(self.common, self.surfaces, crew, Phase::PairClusters, |run| unsafe {
                ends.read_last(isa, motion, run)
            });
            self.touching.look(self.common, self.surfaces, crew, at.substep, When::After);
            let ended = self.touching.finish(plan, self.surfaces, (isa, crew), (left, sweeps), (motion, moving));
            laps.lap(Phase::PairClamp);
            match ended {
                Ended::Yes => return true,
                Ended::Sweep => return false,
                Ended::Again => {}
            }
        }
    }

    /// Counts of this step.
    pub(crate) fn counts(&self) -> Counts {
        self.touching.counts()
    }
}

/// Runs `work` on all particles of bodies that touch others or themselves.
fn each_surface(
    common: &Common<'_>,
    surfaces: &Surfaces,
    crew: &mut Crew<'_>,
    phase: Phase,
    work: impl Fn(Run) + Sync,
) {
    common.each(crew, phase, surfaces.runs.len(), |number| work(surfaces.runs[number]));
}
