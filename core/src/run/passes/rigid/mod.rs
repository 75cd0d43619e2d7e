//! Rigid bodies.
//!
//! ```text
//!  once a step      boxes of shapes over the whole step --hash--> pairs --> manifolds --> contacts in colors, sixteen a batch
//!  every substep
//!    begin          manifolds that no longer hold; velocities; kept impulses, or a share of them (line_search.rs);
//!                   bounces; one sweep with bias; poses
//!    end            sweeps without bias; velocities
//! ```
//! Between the two, everything else meets the bodies where they now are.

mod afloat;
mod aims;
mod batches;
mod bodies;
mod bounces;
mod boxes;
mod coupled;
mod coupling;
mod events;
mod find;
mod floors;
mod joints;
mod line_search;
mod particle_joints;
mod paths;
mod renew;
mod scratch;
mod sleep;
mod taut;
mod trees;

use super::{Common, Drag};
use crate::describe::pose::{conjugate, product};
use crate::plan::rigid::Rigid as Plans;
use crate::run::input::Input;
use crate::run::report::Phase;
use crate::run::rigid::{KeptContact, RigidState};
use crate::run::rigid_events::{BrokenJoint, RigidEvent};
use crate::tuning::RELAXING_SWEEPS;
use batches::BLOCK;
pub(crate) use boxes::solid;
use bytemuck::Zeroable;
use find::{ContactSearch, Origin};
pub(crate) use find::{seen, within};
pub(crate) use scratch::RigidScratch;
use seidel_kernels::Shared;
use seidel_rigid::BodyRow;
use seidel_rigid::Softness;
use seidel_rigid::contact::Batch;
use seidel_rigid::joint::JointStage;
use seidel_rigid::manifold::Lasting;
use seidel_rigid::motion::Start;
use seidel_workers::{Crew, parts};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Contacts of which a worker takes down what is kept of them, at a time.
const CONTACTS: usize = 256;

/// What happened in a step.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The name of the first body that was lost.
    pub(crate) lost: Option<String>,
    /// Joints that broke.
    pub(crate) broken: Vec<BrokenJoint>,
    /// Contacts that push.
    pub(crate) contacts: u32,
    /// Contacts with what is deformable that push.
    pub(crate) particle_contacts: u32,
    /// 1 if there were too many pairs to look at.
    pub(crate) overflowed: u32,
    /// Bodies that sleep.
    pub(crate) asleep: u32,
    /// Contacts that are told, and how many are not, because there are too many.
    pub(crate) events: Vec<RigidEvent>,
    pub(crate) events_dropped: u32,
}

/// All rigid bodies.
pub(crate) struct Rigid<'a> {
    common: &'a Common<'a>,
    plan: &'a Plans,
    state: &'a mut RigidState,
    scratch: &'a mut RigidScratch,
    softness: Softness,
    /// Seconds since the start, when the step begins.
    time: f64,
    /// Time stands still for what has a path.
    held: bool,
    /// The body that was lost first.
    lost: Option<usize>,
    /// Joints that broke.
    broken: Vec<BrokenJoint>,
    /// Their numbers.
    fallen_apart: Vec<usize>,
    events: Vec<RigidEvent>,
    events_dropped: u32,
}

impl<'a> Rigid<'a> {
    /// None if there are none.
    pub(crate) fn new(
        common: &'a Common<'a>,
        state: &'a mut RigidState,
        scratch: &'a mut RigidScratch,
        (input, time): (&Input, f64),
    ) -> Option<Rigid<'a>> {
        let plan = common.plan.rigid.as_ref()?;
        scratch.coupling.forget();
        scratch.pushes.clear();
        scratch.pushes.resize(plan.bodies.len(), [[0.0; 3]; 2]);
        for (body, force, torque) in &input.pushes {
            let sum = &mut scratch.pushes[common.plan.rigid_place(*body)];
            for k in 0..3 {
                sum[0][k] += force[k];
                sum[1][k] += torque[k];
            }
        }
        scratch.drags.clear();
        let drags = plan.bodies.iter().map(|body| [body.linear_damping, body.angular_damping]);
        scratch.drags.extend(drags.map(|both| both.map(|c| Drag::new(c, common.h))));
        paths::send((common, plan), state, &mut scratch.sent, input.after(time, 1.0));
        Some(Rigid {
            common,
            plan,
            state,
            scratch,
            softness: Softness::rigid(common.h),
            time,
            held: input.is_held(),
            lost: None,
            broken: Vec::new(),
            fallen_apart: Vec::new(),
            events: Vec::new(),
            events_dropped: 0,
        })
    }

    /// Finds contacts for the whole step.
    pub(crate) fn find(&mut self, crew: &mut Crew<'_>) {
        let (bodies, colliders) = (self.plan.bodies.len(), self.common.plan.colliders.len());
        let RigidScratch { rows, starts, substeps, any_lost, .. } = &mut *self.scratch;
        *any_lost = false;
        rows.clear();
        rows.resize(bodies + colliders + 1, BodyRow::FIXED);
        starts.clear();
        starts.extend(self.state.motions.iter().map(|m| Start { position: m.position, rotation: m.rotation }));
        substeps.clear();
        substeps.resize(bodies, None);
        self.disturb();
        self.list_awake();
        self.weigh(crew);
        self.find_taut();
        let awake = std::mem::take(&mut self.scratch.awake);
        self.start(crew, &awake);
        self.scratch.awake = awake;
        self.collider_rows(0);
        let scale = self.scale();
        let RigidScratch { from, to, pushes, search, rows, .. } = &mut *self.scratch;
        let found = ContactSearch { common: self.common, plan: self.plan, state: self.state, from, to, pushes, scale };
        found.search(crew, search, rows);
        if !search.woken.is_empty() {
            let woken = std::mem::take(&mut self.scratch.search.woken);
            woken.iter().for_each(|&body| self.state.sleep.wake(body as usize));
            self.start(crew, &woken);
            self.scratch.search.woken = woken;
            self.list_awake();
        }
        let RigidScratch { from, to, pushes, search, rows, batches, .. } = &mut *self.scratch;
        let found = ContactSearch { common: self.common, plan: self.plan, state: self.state, from, to, pushes, scale };
        found.fill_batches(crew, search, rows, batches);
        self.prepare_joints(crew);
        self.list_candidates();
    }

    /// Factor on impulses kept from the last step: h / its h.
    fn scale(&self) -> f32 {
        if self.state.h > 0.0 { self.common.h / self.state.h } else { 1.0 }
    }

    /// Begins a substep: velocities, and poses at its end.
    pub(crate) fn begin(&mut self, crew: &mut Crew<'_>, substep: u32) {
        if substep > 0 {
            paths::lead((self.common, self.plan), self.state, &self.scratch.sent, substep);
            self.go_on(crew);
            self.collider_rows(substep);
            self.renew(crew, substep);
        }
        self.begin_trees();
        let common = self.common;
        let any_stale = AtomicBool::new(false);
        self.sweep(crew, |batches, rows| {
            for batch in batches {
                // SAFETY: batches of a color share no body that moves (`color` in batches.rs), and nobody writes the
                // others.
                if unsafe { batch.warm(common.isa, rows) } {
                    any_stale.store(true, Ordering::Relaxed);
                }
            }
        });
        self.scratch.any_stale = any_stale.into_inner();
        self.drive(substep);
        self.sweep_joints(crew, JointStage::Warm);
        self.solve_trees(crew, JointStage::Warm);
        self.search_line();
        self.bounce(crew);
        if common.plan.coupling.is_some() || common.plan.fluids.is_some() {
            self.scratch.coupling.note(&self.state.motions);
        }
        let softness = self.softness;
        // SAFETY: batches of a color share no body that moves (`color` in batches.rs), and nobody writes the others.
        self.sweep(crew, |batches, rows| unsafe { Batch::solve(batches, common.isa, rows, &softness, true) });
        self.sweep_joints(crew, JointStage::Biased);
        self.solve_trees(crew, JointStage::Biased);
        self.advance(crew);
        self.colliders_moved(substep + 1);
    }

    /// Ends a substep: velocities without what has pushed bodies out of each other.
    pub(crate) fn end(&mut self, crew: &mut Crew<'_>, substep: u32) {
        let (common, softness) = (self.common, self.softness);
        for _ in 0..RELAXING_SWEEPS {
            // SAFETY: batches of a color share no body that moves (`color` in batches.rs), and nobody writes the
            // others.
            self.sweep(crew, |batches, rows| unsafe { Batch::solve(batches, common.isa, rows, &softness, false) });
            self.sweep_joints(crew, JointStage::Relaxed);
            self.solve_trees(crew, JointStage::Relaxed);
        }
        // Otherwise the next substep begins with it.
        if self.stops() || common.is_last(substep) {
            self.take_up(crew);
        }
        if self.plan.tells {
            self.scratch.batches.iter_mut().for_each(Batch::count);
        }
        common.laps.lap(Phase::RigidMotion);
        if common.is_last(substep) {
            paths::arrive(self.state, &self.scratch.sent);
            self.tell();
            self.keep(crew);
        }
    }

    /// Whether a body was lost in this step.
    pub(crate) fn has_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// What happened in the step.
    pub(crate) fn outcome(&mut self) -> Outcome {
        let (particle_contacts, overflowed) = self.scratch.coupling.counts();
        Outcome {
            particle_contacts,
            lost: self.lost.map(|body| self.plan.bodies[body].name.clone()),
            broken: std::mem::take(&mut self.broken),
            contacts: self.state.contacts.iter().filter(|contact| contact.pushes()).count() as u32,
            asleep: self.state.sleep.count(),
            events: std::mem::take(&mut self.events),
            events_dropped: self.events_dropped,
            overflowed: u32::from(self.scratch.search.overflowed || overflowed),
        }
    }

    /// Writes the rows of colliders, which move on their paths.
    fn collider_rows(&mut self, substep: u32) {
        let count = self.common.plan.colliders.len();
        let (first, h) = (self.plan.bodies.len(), f64::from(self.common.h));
        for c in 0..count {
            let start = &self.scratch.from[c];
            let at =
                |substep: u32| start.between(&self.scratch.to[c], f64::from(substep) / f64::from(self.common.substeps));
            let (before, after) = (at(substep), at(substep + 1));
            let mut row = BodyRow::FIXED;
            if before != after {
                let [v, w] = paths::velocities(&before, &after, h);
                row.v[..3].copy_from_slice(&v.map(|v| v as f32));
                row.w[..3].copy_from_slice(&w.map(|w| w as f32));
            }
            self.scratch.rows[first + c] = row;
        }
        self.colliders_moved(substep);
    }

    /// Tells the rows of colliders how far these have gone when so many substeps are over.
    fn colliders_moved(&mut self, substeps: u32) {
        let share = f64::from(substeps) / f64::from(self.common.substeps);
        let RigidScratch { rows, from, to, .. } = &mut *self.scratch;
        for (row, (from, to)) in rows[self.plan.bodies.len()..].iter_mut().zip(from.iter().zip(to)) {
            let now = from.between(to, share);
            for k in 0..3 {
                row.dx[k] = (now.position[k] - from.position[k]) as f32;
            }
            row.turn = product(now.rotation, conjugate(from.rotation)).map(|c| c as f32);
        }
    }

    /// Goes over all contacts, color by color.
    fn sweep(&mut self, crew: &mut Crew<'_>, work: impl Fn(&mut [Batch], Shared<'_, BodyRow>) + Sync) {
        let RigidScratch { search, rows, batches, .. } = &mut *self.scratch;
        let (colors, batches, rows) = (&search.colors, Shared::new(batches), Shared::new(rows));
        let blocks = |color: usize| colors[color].len().div_ceil(BLOCK);
        self.common.in_turn(crew, Phase::RigidContacts, (colors.len(), blocks), |color, block| {
            let Range { start, end } = colors[color];
            let (first, last) = (start + block * BLOCK, end.min(start + (block + 1) * BLOCK));
            // SAFETY: a block's batches are this closure's alone.
            work(unsafe { batches.part(first, last - first) }, rows);
        });
    }

    /// Keeps what the next step begins with.
    fn keep(&mut self, crew: &mut Crew<'_>) {
        let asleep = self.state.sleep.count() > 0;
        if asleep && self.scratch.awake.is_empty() {
            // All that is kept is of the step in which the last fell asleep.
            return self.rest();
        }
        std::mem::swap(&mut self.state.contacts, &mut self.scratch.contacts);
        let sleeping = if asleep { self.keep_asleep() } else { 0 };
        let RigidScratch { search, rows, batches, contacts: before, .. } = &mut *self.scratch;
        // Contacts of the step before the last are written over: after `clear` all would be zeroed first.
        self.state.contacts.resize(sleeping + search.contacts.len(), KeptContact::zeroed());
        parts(crew, &mut self.state.contacts[sleeping..], CONTACTS, |first, contacts| {
            for (number, contact) in (first..).zip(contacts) {
                let (found, (batch, lane)) = (&search.contacts[number], search.places[number]);
                let manifold = &search.manifolds[found.manifold as usize];
                let points = batches[batch as usize].kept(lane as usize, rows, manifold);
                let lasting = match (&search.origins[found.manifold as usize], found.before) {
                    (Origin::Now { b_in_a, reach }, _) => Lasting::of(manifold, b_in_a, *reach),
                    (Origin::Earlier, Some(at)) => before[at as usize].lasting,
                    _ => Lasting::default(),
                };
                *contact = KeptContact { shapes: found.shapes, points, lasting };
            }
        });
        let mut number = 0;
        self.state.contacts.retain(|contact| {
            number += 1;
            number <= sleeping || contact.lasting.lasts() || contact.pushes()
        });
        if sleeping > 0 && self.state.contacts.len() > sleeping {
            // Contacts of the same shapes stay in their order.
            self.state.contacts.sort_by_key(|contact| contact.shapes);
        }
        self.keep_joints(crew);
        self.rest();
        self.state.h = self.common.h;
        self.common.laps.lap(Phase::RigidContacts);
    }

    /// Of contacts and joints keeps those of bodies that sleep, as if they had been solved in substeps of this step's
    /// length. Returns how many contacts these are.
    fn keep_asleep(&mut self) -> usize {
        let (plan, scale) = (self.plan, self.scale());
        let RigidState { contacts, joints, sleep, frozen, .. } = &mut *self.state;
        let before = &self.scratch.contacts;
        let body = |shape: u32| plan.shapes.get(shape as usize).map(|shape| shape.body as usize);
        let gives = |body: usize| plan.bodies[body].inv_mass > 0.0 && !frozen[body] && !sleep.is_asleep(body);
        let sleeps = |contact: &&KeptContact| {
            let bodies = contact.shapes.map(body);
            bodies.iter().flatten().any(|&body| sleep.is_asleep(body))
                && !bodies.iter().flatten().any(|&body| gives(body))
        };
        contacts.clear();
        contacts.extend(before.iter().filter(sleeps));
        if scale != 1.0 {
            contacts.iter_mut().for_each(|contact| contact.points = contact.points.scaled(scale));
            for (joint, of) in joints.iter_mut().zip(&plan.joints) {
                if of.joint.bodies.iter().any(|&body| sleep.is_asleep(body as usize)) {
                    *joint = joint.scaled(scale);
                }
            }
        }
        contacts.len()
    }
}
