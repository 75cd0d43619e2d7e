//! A sweep over one joint: springs, motors and limits axis by axis, then all that is locked at once.

use super::row::Row;
use super::rows::{JointRows, ones};
use super::softness::{bias, servo, spring_impulse};
use super::{Motion, Motor};
use crate::{BodyRow, Softness};

impl JointRows {
    /// One sweep: with bias before the poses move, without it after.
    pub fn solve(&mut self, a: &mut BodyRow, b: &mut BodyRow, biased: bool) {
        if self.used == 0 {
            return;
        }
        self.refresh(a, b);
        let soft = if biased { self.rigid } else { self.rigid.relaxed() };
        // The sweep with bias is the last before poses move.
        self.stale = biased;
        if self.is_ball {
            return self.with_ball(a, b, |ball, bodies| ball.solve(bodies, soft));
        }
        for i in ones(self.used & !self.locked) {
            self.solve_axis(i, a, b, soft, biased);
        }
        if self.locked != 0 && !self.in_tree {
            self.solve_locked(a, b, soft);
        }
    }

    /// A spring, a motor and a limit on coordinate `i`.
    fn solve_axis(&mut self, i: usize, a: &mut BodyRow, b: &mut BodyRow, soft: Softness, biased: bool) {
        let (axis, row, inv_mass) = (self.joint.axes[i], self.coordinates[i].row, self.inv_mass[i]);
        if inv_mass == 0.0 {
            return;
        }
        let value = self.value(i);
        if !axis.spring.is_none() && biased {
            self.sprung[i] = value;
        }
        if !axis.spring.is_none() && !self.in_tree {
            let so_far = self.state.spring[i];
            let change = spring_impulse(axis.spring, self.sprung[i], row.velocity(a, b), inv_mass, self.h, so_far);
            if Row::zero().plus(row, change).apply(a, b) {
                self.state.spring[i] = so_far + change;
            }
        }
        let wanted = match axis.motor {
            Motor::Off => None,
            Motor::Velocity { target, limit } => Some((target, limit)),
            Motor::Position { target, limit } => {
                // Where the target is by now: the sweep with bias is before the poses move.
                let target = if biased { target - self.rate * self.h } else { target };
                Some((servo(value - target, limit, inv_mass, self.h) + self.rate, limit))
            }
        };
        if let Some((target, limit)) = wanted {
            let so_far = self.state.motor[i];
            let most = limit * self.h;
            let impulse = between(so_far - (row.velocity(a, b) - target) / inv_mass, -most, most);
            if Row::zero().plus(row, impulse - so_far).apply(a, b) {
                self.state.motor[i] = impulse;
            }
        }
        if let Motion::Limited { lower, upper } = axis.motion {
            // The nearer limit, as C >= 0; while there is room, the velocity may use it up (Catto, "Continuous
            // Collision", 2013).
            let (side, room) = if value - lower < upper - value { (1.0, value - lower) } else { (-1.0, upper - value) };
            let (closing, soft) = if room > 0.0 { (room / self.h, soft.relaxed()) } else { (bias(soft, room), soft) };
            let so_far = self.state.hold[i];
            let velocity = side * row.velocity(a, b);
            let change = -soft.mass_scale * (velocity + closing) / inv_mass - soft.impulse_scale * (side * so_far);
            let impulse = side * larger(side * so_far + change, 0.0);
            if Row::zero().plus(row, impulse - so_far).apply(a, b) {
                self.state.hold[i] = impulse;
            }
        }
    }

    /// All locked coordinates at once.
    fn solve_locked(&mut self, a: &mut BodyRow, b: &mut BodyRow, soft: Softness) {
        let mut wanted = [0.0; 6];
        for (n, i) in ones(self.locked).enumerate() {
            let Motion::Locked { at } = self.joint.axes[i].motion else { continue };
            let closing = bias(soft, self.value(i) - at);
            wanted[n] = -soft.mass_scale * (self.coordinates[i].row.velocity(a, b) + closing);
        }
        let solved = self.block.solve(wanted);
        let (mut total, mut hold) = (Row::zero(), self.state.hold);
        for (n, i) in ones(self.locked).enumerate() {
            let change = solved[n] - soft.impulse_scale * hold[i];
            hold[i] += change;
            total = total.plus(self.coordinates[i].row, change);
        }
        if total.apply(a, b) {
            self.state.hold = hold;
        }
    }
}

fn larger(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

fn between(x: f32, lower: f32, upper: f32) -> f32 {
    if x < lower {
        lower
    } else if upper < x {
        upper
    } else {
        x
    }
}
