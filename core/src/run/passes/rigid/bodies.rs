//! Bodies in a substep: what pulls at them, their velocities, their poses.

use super::Rigid;
use super::scratch::{Load, RigidScratch};
use crate::describe::settings::NonFinite;
use crate::run::report::Phase;
use crate::run::rigid::weight;
use crate::tuning::MAX_BODY_POSITION;
use seidel_kernels::Shared;
use seidel_rigid::BodyRow;
use seidel_rigid::motion::{Motion, Pull, Start, Substep};
use seidel_workers::Crew;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bodies that a worker takes at a time.
const BODIES: usize = 128;

/// A body in a substep.
struct Awake<'a> {
    motion: &'a mut Motion,
    row: &'a mut BodyRow,
    substep: &'a mut Option<Substep>,
    load: &'a Load,
    /// Inertia beside the body's own (taut.rs); none where no body of the scene gets any.
    taut: Option<&'a [f64; 3]>,
    start: &'a Start,
    frozen: bool,
    lost: &'a AtomicBool,
}

impl Awake<'_> {
    /// Applies gravity and damping, and writes the row.
    fn begin(&mut self, h: f64) {
        let begun = self.motion.begin(&self.load.mass, &self.load.pull, h, self.row);
        if let Some(taut) = self.taut.filter(|taut| **taut != [0.0; 3]) {
            self.motion.stiffen(&self.load.mass, *taut, self.row);
        }
        *self.substep = if self.frozen { None } else { Some(begun) };
    }

    /// Moves the body as its row says.
    fn advance(&mut self, h: f64) {
        if let Some(substep) = self.substep {
            self.motion.advance(&self.load.mass, substep, self.start, self.row, h);
        }
    }

    /// Takes up what the sweeps have done to velocities. Returns whether the body is still finite.
    fn end(&mut self) -> bool {
        let Some(of) = self.substep else { return true };
        self.motion.end(&self.load.mass, of, self.row);
        let finite = self.frozen || self.motion.is_finite(MAX_BODY_POSITION);
        if !finite {
            self.lost.store(true, Ordering::Relaxed);
        }
        finite
    }
}

impl Rigid<'_> {
    /// Whether a step ends at a lost body: then each substep has to end before the next begins.
    pub(super) fn stops(&self) -> bool {
        self.common.plan.settings.non_finite == NonFinite::Stop
    }

    /// Finds the mass of every body in this step, and the forces and torques on it.
    pub(super) fn weigh(&mut self, crew: &mut Crew<'_>) {
        let (common, plan, frozen) = (self.common, self.plan, &self.state.frozen);
        let RigidScratch { loads, drags, pushes, .. } = &mut *self.scratch;
        loads.resize(plan.bodies.len(), Load::NOTHING);
        let (drags, pushes) = (&*drags, &*pushes);
        common.parts(crew, Phase::RigidMotion, (&mut loads[..], BODIES), |first, loads| {
            for (body, load) in (first..).zip(loads) {
                let (of, mass) = (&plan.bodies[body], weight(plan, frozen, body));
                let scale = f64::from(of.gravity_scale);
                let acceleration =
                    [0, 1, 2].map(|k| f64::from(common.gravity[k]) * scale + pushes[body][0][k] * mass.inv_mass);
                let keep = drags[body].map(|drag| f64::from(drag.keep));
                *load = Load { mass, pull: Pull { acceleration, torque: pushes[body][1], keep } };
            }
        });
    }

    /// Begins the first substep of some bodies, none of which is listed twice.
    pub(super) fn start(&mut self, crew: &mut Crew<'_>, bodies: &[u32]) {
        let h = f64::from(self.common.h);
        self.each(crew, bodies, |body| body.begin(h));
    }

    /// Moves all bodies as their rows say.
    pub(super) fn advance(&mut self, crew: &mut Crew<'_>) {
        let h = f64::from(self.common.h);
        self.all(crew, |body| body.advance(h));
    }

    /// Takes up what the sweeps have done to velocities.
    pub(super) fn take_up(&mut self, crew: &mut Crew<'_>) {
        self.all(crew, |body| {
            body.end();
        });
        self.lose_all(|_, _| {});
    }

    /// Ends a substep if none has, and begins the next.
    pub(super) fn go_on(&mut self, crew: &mut Crew<'_>) {
        let (stops, h) = (self.stops(), f64::from(self.common.h));
        self.all(crew, |body| {
            if stops || body.end() {
                body.begin(h);
            }
        });
        // Those that were lost have not begun.
        self.lose_all(|rigid, body| rigid.start(crew, &[body]));
    }

    /// Does something with each body that is awake.
    fn all(&mut self, crew: &mut Crew<'_>, work: impl Fn(&mut Awake<'_>) + Sync) {
        let awake = std::mem::take(&mut self.scratch.awake);
        self.each(crew, &awake, work);
        self.scratch.awake = awake;
    }

    /// Does something with some bodies, none of which is listed twice.
    fn each(&mut self, crew: &mut Crew<'_>, bodies: &[u32], work: impl Fn(&mut Awake<'_>) + Sync) {
        let (common, frozen) = (self.common, &self.state.frozen);
        let RigidScratch { rows, substeps, loads, taut, starts, any_lost, .. } = &mut *self.scratch;
        let (motions, loads, starts) = (Shared::new(&mut self.state.motions), &*loads, &*starts);
        let (rows, substeps) = (Shared::new(rows), Shared::new(substeps));
        let lost = AtomicBool::new(*any_lost);
        common.each(crew, Phase::RigidMotion, bodies.len().div_ceil(BODIES), |block| {
            for body in bodies.iter().skip(block * BODIES).take(BODIES).map(|&body| body as usize) {
                // SAFETY: a block's bodies are this closure's alone.
                let (motion, row, substep) = unsafe {
                    (&mut motions.part(body, 1)[0], &mut rows.part(body, 1)[0], &mut substeps.part(body, 1)[0])
                };
                let (load, taut, start) = (&loads[body], taut.get(body), &starts[body]);
                work(&mut Awake { motion, row, substep, load, taut, start, frozen: frozen[body], lost: &lost });
            }
        });
        *any_lost = lost.into_inner();
    }

    /// Loses the bodies that are no longer finite.
    fn lose_all(&mut self, mut then: impl FnMut(&mut Self, u32)) {
        if !std::mem::take(&mut self.scratch.any_lost) {
            return;
        }
        for at in 0..self.scratch.awake.len() {
            let number = self.scratch.awake[at];
            let body = number as usize;
            let is_lost = !self.state.frozen[body] && !self.state.motions[body].is_finite(MAX_BODY_POSITION);
            if is_lost && self.scratch.substeps[body].is_some() {
                self.lose(body);
                then(self, number);
            }
        }
    }

    /// A body whose numbers are no longer finite: it stays where it was when the step began, or keeps its numbers.
    fn lose(&mut self, body: usize) {
        self.lost.get_or_insert(body);
        if self.common.plan.settings.non_finite == NonFinite::Freeze {
            let Start { position, rotation } = self.scratch.starts[body];
            self.state.motions[body] = Motion { position, rotation, velocity: [0.0; 3], spin: [0.0; 3] };
            self.state.frozen[body] = true;
            self.scratch.still[body] = true;
            self.scratch.loads[body].mass = weight(self.plan, &self.state.frozen, body);
            // All others meet a body that does not move in this step.
            self.scratch.rows[body] = BodyRow::FIXED;
            self.scratch.substeps[body] = None;
        }
    }
}
