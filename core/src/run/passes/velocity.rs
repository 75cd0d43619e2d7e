//! The end of a substep: v, x and r from the displacements u, and with velocities of second order the history. Lost
//! particles (not finite, or beyond 1e9 m) are found here.

use super::{Common, Drag};
use crate::describe::settings::NonFinite;
use crate::run::report::Phase;
use seidel_kernels::integrate::history::{Follow, Weights};
use seidel_kernels::integrate::{Advance, Kick, OnLost, Past, RigidMotion, Turning};
use seidel_workers::Crew;
use std::sync::atomic::{AtomicU64, Ordering};

/// v = u / h, x += u, for particles and frames.
pub(crate) struct Velocity<'a> {
    common: &'a Common<'a>,
    on_lost: OnLost,
    /// The substep that begins.
    substep: u32,
    /// Substep << 32 | row of the first particle that was lost.
    lost: AtomicU64,
}

/// The operations on a block that follow the end of the last substep, in the same pass over its rows.
#[derive(Clone, Copy, Default)]
pub(crate) struct Then {
    /// Forces act on velocities, the gravity being this one, m/s^2, and the drag of the body.
    pub(crate) kick: Option<[f32; 3]>,
    /// u = r + h v.
    pub(crate) drift: bool,
}

impl<'a> Velocity<'a> {
    pub(crate) fn new(common: &'a Common<'a>) -> Velocity<'a> {
        let on_lost = match common.plan.settings.non_finite {
            NonFinite::Freeze => OnLost::Freeze,
            NonFinite::Stop | NonFinite::Ignore => OnLost::Keep,
        };
        Velocity { common, on_lost, substep: 0, lost: AtomicU64::new(u64::MAX) }
    }

    /// Tells that a substep begins.
    pub(crate) fn begin(&mut self, substep: u32) {
        self.substep = substep;
    }

    /// Ends a substep.
    pub(crate) fn run(&self, crew: &mut Crew<'_>, substep: u32) {
        self.common.each_block(crew, Phase::Motion, |block| {
            // SAFETY: the stage runs each block once, and the plan gives each row to one block (`place::divide`).
            unsafe { self.end(block, Some(substep), Then::default()) };
        });
    }

    /// Ends substep `ended`, if one is given, for a block, then does what `then` says; nothing if its body waits.
    ///
    /// # Safety
    /// Nobody else uses the block's rows.
    pub(crate) unsafe fn end(&self, block: usize, ended: Option<u32>, then: Then) {
        if self.common.waits(block) {
            return;
        }
        let Common { plan, isa, h, motion, history, drags, .. } = *self.common;
        let Drag { keep, share } = drags[plan.blocks[block].body];
        if plan.blocks[block].frames {
            let keep = then.kick.and((keep < 1.0).then_some(keep));
            // SAFETY: the caller promises that nobody else uses the block's rows.
            return unsafe { self.turn(block, ended, (keep, None), then) };
        }
        let kick = then.kick.map(|gravity| Kick { gravity, keep, share });
        let run = plan.blocks[block].run;
        if ended.is_some() && !self.common.ways.is_empty() {
            // SAFETY: the caller promises that nobody else uses the block's rows.
            unsafe { motion.note_ways(isa, run, self.common.ways, true) };
        }
        let lost = match history {
            None => {
                let by = Advance { h, commit: ended.map(|_| self.on_lost), kick, drift: then.drift };
                // SAFETY: the caller promises that nobody else uses the block's rows.
                unsafe { motion.advance(isa, run, by) }
            }
            Some(history) => {
                let commit = ended.map(|ended| (self.on_lost, self.common.weights(ended)));
                let by = Follow { commit, kick, drift: then.drift, next: self.next() };
                // SAFETY: the caller promises that nobody else uses the block's rows.
                unsafe { motion.follow(isa, run, history, by) }
            }
        };
        self.lose(lost, ended);
    }

    /// The same for a block of frames; `keep` is the part of omega that drag leaves, `pull` the damping k and the rigid
    /// motion to which it pulls.
    ///
    /// # Safety
    /// Nobody else uses the block's rows.
    pub(crate) unsafe fn turn(
        &self,
        block: usize,
        ended: Option<u32>,
        (keep, pull): (Option<f32>, Option<(f32, RigidMotion)>),
        then: Then,
    ) {
        let Common { plan, isa, h, motion, history, .. } = *self.common;
        let pull = pull.map(|(k, rigid)| (k, rigid.omega));
        let past = history.map(|history| {
            let ended = ended.map_or(self.next(), |ended| self.common.weights(ended));
            Past { history, ended, next: self.next(), goes_on: then.kick.is_some() }
        });
        let by = Turning { h, commit: ended.map(|_| self.on_lost), keep, pull, drift: then.drift, past };
        // SAFETY: the caller promises that nobody else uses the block's rows.
        let lost = unsafe { motion.turn(isa, plan.blocks[block].run, by) };
        self.lose(lost, ended);
    }

    /// Weights of the substep that begins.
    fn next(&self) -> Weights {
        self.common.weights(self.substep)
    }

    /// Notes a row that was lost at the end of a substep. The lowest row of the earliest substep stays, whichever
    /// worker finds it.
    fn lose(&self, row: Option<usize>, ended: Option<u32>) {
        if let Some((row, substep)) = row.zip(ended) {
            self.lost.fetch_min(u64::from(substep) << 32 | row as u64, Ordering::Relaxed);
        }
    }

    /// Substep and row of the first lost particle, if there is one.
    pub(crate) fn lost(&self) -> Option<(u32, usize)> {
        let lost = self.lost.load(Ordering::Relaxed);
        (lost != u64::MAX).then_some(((lost >> 32) as u32, lost as u32 as usize))
    }
}
