//! A step of bodies that touch themselves or each other.

use super::Step;
use crate::describe::settings::{NonFinite, Settings};
use crate::plan::surfaces::Surfaces;
use crate::run::counts::Counts;
use crate::run::pairs::{Touching, When};
use crate::run::report::Phase;
use crate::run::workers::{Crew, Workers};
use seidel_kernels::contact::pairs::Ends;
use std::sync::atomic::Ordering;

impl Step<'_> {
    /// The same where bodies touch themselves or each other: the caller looks for pairs between what all workers do.
    pub(super) fn run_with_pairs(&self, surfaces: &Surfaces, touching: &mut Touching, workers: &mut Workers) -> Counts {
        let Settings { substeps, iterations, non_finite, .. } = self.plan.settings;
        let stops = non_finite == NonFinite::Stop;
        touching.begin(surfaces);
        for substep in 0..substeps {
            for iteration in 0..iterations {
                let first = iteration == 0;
                let ends = touching.ends();
                workers.run(&|crew| {
                    if first {
                        self.predict(crew, substep.checked_sub(1).filter(|_| !stops));
                    }
                    self.constraints(crew, first);
                    self.fields(crew, substep, first);
                    self.tethers(crew, substep);
                    self.read_ends(crew, surfaces, ends);
                });
                let when = if first { When::First } else { When::Before };
                touching.look(self.plan, surfaces, (self.isa, workers), substep, when);
                touching.make_contacts(self.plan);
                self.laps.lap(Phase::Contacts);
                touching.count_again();
                let shares = touching.share(self.h, substep + 1 == substeps);
                workers.run(&|crew| {
                    for color in 0..shares.colors() {
                        // SAFETY: pairs of a color share no particle, and colors follow one another.
                        let solve = |block| unsafe { shares.solve(self.isa, color, block, first) };
                        self.each(crew, Phase::Contacts, shares.blocks(color), solve);
                    }
                    self.give_back(crew, surfaces, shares.ends);
                    self.tethers(crew, substep);
                    self.contacts(crew, substep, iteration);
                    if iteration + 1 == iterations {
                        self.read_last_ends(crew, surfaces, shares.ends);
                    }
                });
            }
            touching.look(self.plan, surfaces, (self.isa, workers), substep, When::After);
            let count = self.plan.colliders.len();
            let moving = &self.moving[substep as usize * count..][..count];
            touching.finish(self.plan, surfaces, (self.isa, workers), substep, (self.motion, moving));
            self.laps.lap(Phase::Contacts);
            if !self.bounces.is_empty() {
                workers.run(&|crew| self.bounce(crew));
            }
            if stops || substep + 1 == substeps {
                workers.run(&|crew| self.velocity(crew, substep));
            }
            if stops && self.lost.load(Ordering::Relaxed) != u64::MAX {
                break;
            }
        }
        touching.counts()
    }

    /// Blocks of the bodies that touch others or themselves.
    fn each_surface(&self, crew: &mut Crew<'_>, surfaces: &Surfaces, work: impl Fn(seidel_kernels::integrate::Run)) {
        for body in &surfaces.bodies {
            let blocks = &self.plan.blocks[body.blocks.clone()];
            self.each(crew, Phase::Contacts, blocks.len(), |b| {
                if !blocks[b].frames {
                    work(blocks[b].run);
                }
            });
        }
    }

    /// Where particles start, and where they are.
    fn read_ends(&self, crew: &mut Crew<'_>, surfaces: &Surfaces, ends: Ends<'_>) {
        // SAFETY: the block's rows are this closure's alone.
        self.each_surface(crew, surfaces, |run| unsafe { ends.read(self.isa, self.motion, run) });
    }

    /// The same where they end the substep, but for what holding back changes.
    fn read_last_ends(&self, crew: &mut Crew<'_>, surfaces: &Surfaces, ends: Ends<'_>) {
        // SAFETY: the block's rows are this closure's alone.
        self.each_surface(crew, surfaces, |run| unsafe { ends.read_last(self.isa, self.motion, run) });
    }

    /// What pairs have moved, to the displacements.
    fn give_back(&self, crew: &mut Crew<'_>, surfaces: &Surfaces, ends: Ends<'_>) {
        // SAFETY: the block's rows are this closure's alone.
        self.each_surface(crew, surfaces, |run| unsafe { ends.give_back(self.isa, self.motion, run) });
    }
}
