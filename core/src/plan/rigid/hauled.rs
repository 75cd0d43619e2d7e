//! The load that hangs on the bodies that a motor drives: an arm's first motor moves all of its links, and has to brake
//! them.

use super::Rigid;
use crate::geometry::vector::{cross, dot, length, sub};
use seidel_kernels::{Quat, V3};
use seidel_rigid::joint::{ABOUT, Joint, JointKind, Motion, Motor, WORLD};
use std::collections::BTreeSet;

/// The least share that is told.
const LEAST: f64 = 1e-6;
/// Bodies and joints that are looked at for all motors: a chain of motors looks at the square of its length.
const MOST_BODIES: usize = 1_000_000;
/// Those that are looked at for a joint without a motor, which an input may give one: arms have fewer.
const MOST_UNPLANNED: usize = 100;

/// The axis of a motor at the start.
struct MotorAxis {
    at: [f64; 3],
    along: [f64; 3],
    turns: bool,
}

impl Rigid {
    /// Tells joints that have a motor, or that an input may well give one, how much of their inverse mass is left by
    /// what hangs on their bodies, with all other joints as they begin. What is held on both sides, or closes a loop,
    /// counts as its two bodies alone.
    pub(super) fn haul(&mut self) {
        let mut at: Vec<Vec<u32>> = vec![Vec::new(); self.bodies.len()];
        for (number, of) in (0..).zip(&self.joints) {
            for body in of.joint.bodies.into_iter().filter(|body| *body != WORLD) {
                at[body as usize].push(number);
            }
        }
        let mut left = MOST_BODIES;
        for number in 0..self.joints.len() {
            for axis in 0..6 {
                let joint = &self.joints[number].joint;
                let share = match joint.axes[axis].motor {
                    Motor::Off if !may_be_driven(joint, axis) => continue,
                    Motor::Off => self.hauled(&at, number, axis, &mut { MOST_UNPLANNED }),
                    _ => self.hauled(&at, number, axis, &mut left),
                };
                self.joints[number].joint.hauled[axis] = share as f32;
            }
        }
    }

    fn hauled(&self, at: &[Vec<u32>], number: usize, axis: usize, left: &mut usize) -> f64 {
        let joint = &self.joints[number].joint;
        let axis = self.motor_axis(number, axis);
        let own = joint.bodies.map(|body| self.inverse(&[body], &axis));
        let sides = [0, 1].map(|side| match self.hanging(at, (number, side), left) {
            Hanging::Free(bodies) => Some(self.inverse(&bodies, &axis)),
            Hanging::Held => Some(0.0),
            Hanging::Unknown => None,
        });
        let [Some(a), Some(b)] = sides else { return 1.0 };
        let share = (a + b) / (own[0] + own[1]);
        // Not where it is no number, or 0: held on both sides.
        if share > 0.0 && share < 1.0 { share.max(LEAST) } else { 1.0 }
    }

    fn motor_axis(&self, number: usize, axis: usize) -> MotorAxis {
        let joint = &self.joints[number].joint;
        let frame = joint.frames[0];
        let [x, y, z] = std::array::from_fn(|k| if k == axis % 3 { 1.0 } else { 0.0 });
        let along = Quat::<f64>::set(frame.axes.map(f64::from)).rotate(V3::new(x, y, z));
        let (along, anchor) = ([along.x, along.y, along.z], frame.anchor.map(f64::from));
        let (at, along) = match self.bodies.get(joint.bodies[0] as usize) {
            Some(body) => (body.pose.apply(anchor), sub(body.pose.apply(along), body.pose.position)),
            None => (anchor, along),
        };
        MotorAxis { at, along, turns: axis >= ABOUT }
    }

    /// 1 / kg, or 1 / (kg m^2) about the axis, of some bodies that move as one; 0 if one of them does not move.
    fn inverse(&self, bodies: &[u32], axis: &MotorAxis) -> f64 {
        let mut sum = 0.0;
        for body in bodies {
            let Some(of) = self.bodies.get(*body as usize).filter(|of| of.inv_mass > 0.0) else { return 0.0 };
            let mass = 1.0 / of.inv_mass;
            sum += if axis.turns {
                let arm = length(cross(sub(of.pose.position, axis.at), axis.along));
                let q = Quat::<f64>::set(of.pose.rotation);
                let n = q.conjugate().rotate(V3::set(axis.along));
                let own = dot([n.x * n.x, n.y * n.y, n.z * n.z], of.inertia);
                mass * arm * arm + own
            } else {
                mass
            };
        }
        1.0 / sum
    }

    /// The bodies that hang on one of a joint's, by other joints.
    fn hanging(&self, at: &[Vec<u32>], (number, side): (usize, usize), left: &mut usize) -> Hanging {
        let bodies = self.joints[number].joint.bodies;
        let (first, other) = (bodies[side], bodies[1 - side]);
        let moves = |body: u32| self.bodies.get(body as usize).is_some_and(|of| of.inv_mass > 0.0);
        if !moves(first) {
            return Hanging::Held;
        }
        let (mut seen, mut next) = (BTreeSet::from([first]), vec![first]);
        let mut is_held = false;
        while let Some(body) = next.pop() {
            let Some(rest) = left.checked_sub(at[body as usize].len()).filter(|rest| *rest > 0) else {
                return Hanging::Unknown;
            };
            *left = rest;
            let others = at[body as usize].iter().filter(|by| **by as usize != number);
            for joint in others.map(|&by| &self.joints[by as usize].joint).filter(|joint| holds(joint)) {
                for to in joint.bodies {
                    if to == other && moves(other) {
                        return Hanging::Unknown;
                    }
                    is_held |= !moves(to);
                    if moves(to) && seen.insert(to) {
                        next.push(to);
                    }
                }
            }
        }
        if is_held { Hanging::Held } else { Hanging::Free(seen.into_iter().collect()) }
    }
}

/// Whether an input is likely to drive a coordinate: those of machines.
fn may_be_driven(joint: &Joint, axis: usize) -> bool {
    let kinds = [JointKind::Hinge, JointKind::Universal, JointKind::Slider, JointKind::BallOnLine];
    kinds.contains(&joint.kind) && axis == joint.driven_axis() && joint.axes[axis].motion != Motion::Locked { at: 0.0 }
}

/// The bodies that hang on one.
enum Hanging {
    /// These bodies, itself among them.
    Free(Vec<u32>),
    /// Something that does not move, or it does not itself.
    Held,
    /// The other body, too: a loop. Or too many were looked at.
    Unknown,
}

/// Whether a joint carries what hangs on it: springs, ropes and gears do not.
fn holds(joint: &Joint) -> bool {
    joint.locks() && !matches!(joint.kind, JointKind::Gear | JointKind::RackAndPinion)
}
