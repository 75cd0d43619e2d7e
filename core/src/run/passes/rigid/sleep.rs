//! Sleep: islands of bodies that rest are left out of a step until something wakes them.
//!
//! ```text
//!  before the search   an input, another gravity or a joint with what moves by itself wakes
//!  in the search       who may touch one that is awake wakes, with its island, and then whom it may touch (find.rs)
//!  after the step      bodies that touch, may do so in a step, or are joined are an island; it sleeps if all of it has
//!                      rested for long enough and something holds it; who is near anything deformable is awake
//! ```
//! Islands are united by the lowest body, in the order of contacts and joints.

use super::Rigid;
use crate::describe::pose::product;
use crate::geometry::vector::length;
use crate::run::rigid::{RigidState, moves_itself};
use crate::run::rigid_sleep::AWAKE;
use crate::tuning::{SLEEP_SPEED, SLEEP_TIME, SLEEP_WAY};
use seidel_rigid::joint::{Motor, WORLD};

impl Rigid<'_> {
    /// Wakes what the step disturbs.
    pub(super) fn disturb(&mut self) {
        let gravity = self.common.gravity;
        if self.state.sleep.islands.is_empty() {
            return;
        }
        if self.state.sleep.gravity != gravity {
            self.state.sleep.wake_all();
            self.state.sleep.gravity = gravity;
        }
        for (body, push) in self.scratch.pushes.iter().enumerate() {
            if *push != [[0.0; 3]; 2] {
                self.state.sleep.wake(body);
            }
        }
        for (joint, state) in self.plan.joints.iter().zip(&self.state.joints) {
            let [a, b] = joint.joint.bodies;
            for (body, other) in [(a, b), (b, a)] {
                let pulls = !state.broken && other != WORLD && moves_itself(self.plan, self.state, other as usize);
                if pulls && body != WORLD && self.state.sleep.is_asleep(body as usize) {
                    self.state.sleep.wake(body as usize);
                }
            }
        }
    }

    /// Lists who is awake, and who does not give way.
    pub(super) fn list_awake(&mut self) {
        let (sleep, frozen) = (&self.state.sleep, &self.state.frozen);
        let (awake, still) = (&mut self.scratch.awake, &mut self.scratch.still);
        still.clear();
        still.extend(frozen.iter().enumerate().map(|(body, frozen)| *frozen || sleep.is_asleep(body)));
        awake.clear();
        // Where nothing sleeps, what does not move goes along with all others.
        let (all, plan, state) = (sleep.islands.is_empty(), self.plan, &*self.state);
        let stirs = |body: usize| {
            all || (plan.bodies[body].inv_mass > 0.0 && !sleep.is_asleep(body)) || moves_itself(plan, state, body)
        };
        awake.extend((0..plan.bodies.len()).filter(|&body| stirs(body)).map(|body| body as u32));
    }

    /// Lets islands sleep that have rested, and wakes those that something deformable comes near.
    pub(super) fn rest(&mut self) {
        if self.state.sleep.islands.is_empty() {
            return;
        }
        for body in 0..self.plan.bodies.len() {
            if self.state.sleep.is_asleep(body) && self.scratch.coupling.is_near(body) {
                self.state.sleep.wake(body);
            }
        }
        let dt = self.common.h * self.common.substeps as f32;
        let mut longest = 0.0;
        for &body in &self.scratch.awake {
            let (number, of) = (body as usize, &self.plan.bodies[body as usize]);
            let (motion, mass) = (&self.state.motions[number], of.mass());
            let speed = length(motion.velocity) + length(motion.angular_velocity(&mass)) * of.arm;
            let sleep = &mut self.state.sleep;
            let ([x, y, z], [i, j, k, w]) = (motion.position, motion.rotation);
            if sleep.calm[number] == 0.0 {
                sleep.marks[number] = [x, y, z, i, j, k, w];
            }
            let [x0, y0, z0, i0, j0, k0, w0] = sleep.marks[number];
            let [i, j, k, _] = product(motion.rotation, [-i0, -j0, -k0, w0]);
            // The angle is twice its half's sine: it is small, or it is too large.
            let way = length([x - x0, y - y0, z - z0]) + 2.0 * length([i, j, k]) * of.arm;
            let rests = speed <= SLEEP_SPEED
                && way <= SLEEP_WAY
                && self.scratch.pushes[number] == [[0.0; 3]; 2]
                && !self.scratch.coupling.is_near(number);
            let calm = &mut sleep.calm[number];
            *calm = if rests { *calm + dt } else { 0.0 };
            longest = if *calm > longest { *calm } else { longest };
        }
        for number in std::mem::take(&mut self.fallen_apart) {
            for body in self.plan.joints[number].joint.bodies {
                self.state.sleep.wake(body as usize);
            }
        }
        if longest >= SLEEP_TIME {
            self.let_sleep();
        }
    }

    /// Finds islands, and lets those sleep that may.
    fn let_sleep(&mut self) {
        let (plan, state, islands) = (self.plan, &mut *self.state, &mut self.scratch.islands);
        let count = plan.bodies.len();
        islands.sets.begin(count);
        for flags in [&mut islands.held, &mut islands.busy] {
            flags.clear();
            flags.resize(count, false);
        }
        // What an island is made of; all else holds it, if it does not move.
        let gives = |state: &RigidState, body: u32| {
            plan.bodies.get(body as usize).is_some_and(|of| of.inv_mass > 0.0) && !state.frozen[body as usize]
        };
        let body_of = |shape: u32| plan.shapes.get(shape as usize).map(|shape| shape.body);
        for contact in state.contacts.iter().filter(|contact| contact.pushes()) {
            if let [Some(a), Some(b)] = contact.shapes.map(body_of)
                && gives(state, a)
                && gives(state, b)
            {
                islands.sets.unite(a, b);
            }
        }
        // Whom a body that is awake would wake: those of an island fall asleep in one step, or one after the other wakes
        // the other for ever.
        let search = &self.scratch.search;
        for contact in search.contacts.iter().filter(|contact| search.is_near(contact)) {
            if let [Some(a), Some(b)] = contact.shapes.map(body_of)
                && gives(state, a)
                && gives(state, b)
            {
                islands.sets.unite(a, b);
            }
        }
        let all = plan.joints.iter().zip(&state.joints).zip(&state.motors);
        let all = all.zip(&state.given).map(|(((joint, kept), motor), given)| (joint, kept, motor, *given));
        let joined = all.filter(|(_, kept, ..)| !kept.broken).map(|(joint, _, motor, given)| (joint, motor, given));
        for (joint, ..) in joined.clone() {
            let [a, b] = joint.joint.bodies;
            if gives(state, a) && gives(state, b) {
                islands.sets.unite(a, b);
            }
        }
        // What holds an island, or keeps it awake.
        for contact in state.contacts.iter().filter(|contact| contact.pushes()) {
            let rows = contact.shapes.map(|shape| match body_of(shape) {
                Some(body) => (body, moves_itself(plan, state, body as usize)),
                None => {
                    let c = plan.colliders[shape as usize - plan.shapes.len()].collider as usize;
                    (WORLD, self.scratch.from[c] != self.scratch.to[c])
                }
            });
            for ((body, _), (other, moves)) in [(rows[0], rows[1]), (rows[1], rows[0])] {
                if gives(state, body) && !gives(state, other) {
                    let root = islands.sets.root(body) as usize;
                    islands.held[root] = true;
                    islands.busy[root] |= moves;
                }
            }
        }
        let now = self.time + f64::from(self.common.h) * f64::from(self.common.substeps);
        for (joint, motor, given) in joined {
            let [a, b] = joint.joint.bodies;
            let follows = !given && joint.path.as_ref().is_some_and(|path| path.goes_on(now));
            let turns = follows || matches!(motor, Motor::Velocity { target, limit } if *target != 0.0 && *limit > 0.0);
            for (body, other) in [(a, b), (b, a)] {
                if gives(state, body) {
                    let root = islands.sets.root(body) as usize;
                    islands.busy[root] |= turns;
                    if !gives(state, other) {
                        islands.held[root] = true;
                        islands.busy[root] |= other != WORLD && moves_itself(plan, state, other as usize);
                    }
                }
            }
        }
        for body in (0..count as u32).filter(|&body| gives(state, body)) {
            let root = islands.sets.root(body) as usize;
            // What sleeps and is touched wakes in the next step.
            islands.busy[root] |= state.sleep.calm[body as usize] < SLEEP_TIME || state.sleep.is_asleep(body as usize);
        }
        for body in 0..count as u32 {
            let root = islands.sets.root(body);
            let may = gives(state, body) && state.sleep.islands[body as usize] == AWAKE;
            if may && islands.held[root as usize] && !islands.busy[root as usize] {
                let motion = &mut state.motions[body as usize];
                (motion.velocity, motion.spin) = ([0.0; 3], [0.0; 3]);
                state.sleep.islands[body as usize] = root;
            }
        }
    }
}
