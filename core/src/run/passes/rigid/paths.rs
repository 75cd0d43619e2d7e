//! Paths of kinematic bodies. Within a step the frame of each goes evenly, and by the shorter way, from where it is to
//! where its path is when the step ends; all that looks at velocities sees it move.

use crate::describe::pose::{Pose, conjugate, product};
use crate::geometry::vector::length;
use crate::plan::rigid::{Rigid as Plans, RigidBodyPlan};
use crate::run::passes::Common;
use crate::run::rigid::RigidState;

/// A body that goes along its path in this step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sent {
    pub(super) body: u32,
    /// Its own frame as the step begins, and how far that goes and turns in the step, metres and rad.
    pub(super) from: Pose,
    pub(super) way: [[f64; 3]; 2],
    /// Its centre of mass and its principal axes when the step ends.
    pub(super) end: Pose,
}

impl Sent {
    /// Where its frame is after a share of the step.
    fn frame(&self, share: f64) -> Pose {
        let ([way, turn], from) = (self.way, self.from);
        let half = 0.5 * share * length(turn);
        // sin(x) / x.
        let even = if half > 1e-9 { libm::sin(half) / half } else { 1.0 };
        let [x, y, z] = turn.map(|c| 0.5 * share * even * c);
        Pose {
            position: [0, 1, 2].map(|k| from.position[k] + share * way[k]),
            rotation: product([x, y, z, libm::cos(half)], from.rotation),
        }
    }
}

/// Lists the bodies on paths, in a step that ends at a time, seconds, and gives them the velocities of its first
/// substep.
pub(super) fn send((common, plan): (&Common<'_>, &Plans), state: &mut RigidState, sent: &mut Vec<Sent>, time: f64) {
    sent.clear();
    for (number, body) in plan.bodies.iter().enumerate() {
        // A body that was lost stays where it is.
        let Some(path) = body.path.as_ref().filter(|_| !state.frozen[number]) else { continue };
        let from = state.at(number).place(&body.own);
        let way = velocities(&from, &path.frame(time), 1.0);
        sent.push(Sent { body: number as u32, from, way, end: path.at(time) });
    }
    lead((common, plan), state, sent, 0);
}

/// Gives the bodies on paths the velocities of a substep.
pub(super) fn lead((common, plan): (&Common<'_>, &Plans), state: &mut RigidState, sent: &[Sent], substep: u32) {
    for sent in sent {
        let RigidBodyPlan { path, .. } = &plan.bodies[sent.body as usize];
        let (now, lost) = (state.at(sent.body as usize), state.frozen[sent.body as usize]);
        let motion = &mut state.motions[sent.body as usize];
        // A body that rests does so to the bit; one that was lost in this step goes nowhere.
        let Some(path) = path.as_ref().filter(|_| now != sent.end && !lost) else {
            (motion.velocity, motion.spin) = ([0.0; 3], [0.0; 3]);
            continue;
        };
        let share = f64::from(substep + 1) / f64::from(common.substeps);
        let next = match common.is_last(substep) {
            true => sent.end,
            false => path.place(&sent.frame(share)),
        };
        [motion.velocity, motion.spin] = velocities(&now, &next, f64::from(common.h));
    }
}

/// The velocity and the angular velocity that lead from one pose to another within `dt` seconds, m/s and rad/s; exactly
/// 0 where nothing moves.
pub(super) fn velocities(from: &Pose, to: &Pose, dt: f64) -> [[f64; 3]; 2] {
    let way = [0, 1, 2].map(|k| (to.position[k] - from.position[k]) / dt);
    if from.rotation == to.rotation {
        return [way, [0.0; 3]];
    }
    let turn = shorter(product(to.rotation, conjugate(from.rotation)));
    let sine = f64::sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    let angle = 2.0 * libm::atan2(sine, turn[3]);
    let share = if sine > 1e-12 { angle / sine } else { 2.0 };
    [way, [0, 1, 2].map(|k| turn[k] * share / dt)]
}

/// Puts bodies on paths to where these are at the end of the step: substeps led there but for roundings.
pub(super) fn arrive(state: &mut RigidState, sent: &[Sent]) {
    for Sent { body, end, .. } in sent {
        if !state.frozen[*body as usize] {
            let motion = &mut state.motions[*body as usize];
            (motion.position, motion.rotation) = (end.position, end.rotation);
        }
    }
}

/// The same rotation by at most half a turn.
fn shorter(q: [f64; 4]) -> [f64; 4] {
    if q[3] < 0.0 { q.map(|c| -c) } else { q }
}
