//! Joints of one pattern, in lanes: where they are, and a sweep over them. Springs, motors and limits come axis by
//! axis, then all that is locked at once.
//!
//! ```text
//! locked     K_ll = J_l M^-1 J_l^T = L D L^T            solved exactly
//! the rest   J - K_xl K_ll^-1 J_l, K = its own          one by one, freed of what the locked ones would take back
//! (K as often as `crowding` says)
//! ```

// Indices as in the formulas.
#![allow(clippy::needless_range_loop)]

use super::axis::AxisLanes;
use super::ball::BodyLanes;
use super::block::Block;
use super::load::Load;
use super::measure::{Coordinate, Measure, Moved, Start};
use super::pattern::{Pattern, has};
use super::row::Row;
use super::softness::{bias, servo, spring_impulse};
use super::{ABOUT, Joint, JointState};
use crate::Softness;
use crate::tuning::{PIVOT, SERVO_SHARE};
use seidel_kernels::{Lanes, V3};
use std::f64::consts::{PI, TAU};

/// What does not change within a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<L> {
    pub(super) start: Start<L>,
    pub(super) crowding: [L; 2],
}

/// What changes with the poses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<L> {
    /// Rows that are not locked carry the reaction of those that are.
    pub(super) coordinates: [Coordinate<L>; 6],
    /// Of those that are not locked; 0 where nothing moves.
    pub(super) inv_mass: [L; 6],
    pub(super) block: Block<L>,
    /// From B's centre to its anchor.
    pub(super) arm: V3<L>,
}

/// What changes in every sweep: see [`JointState`], and where springs and motors to a place were when the substep
/// began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept<L> {
    pub(super) hold: [L; 6],
    pub(super) motor: [L; 6],
    pub(super) spring: [L; 6],
    pub(super) sprung: [L; 6],
    pub(super) angle: L,
    pub(super) turns: L,
}

impl Kept<f32> {
    pub(super) fn of(state: &JointState) -> Self {
        let JointState { hold, motor, spring, angle, turns, .. } = *state;
        Kept { hold, motor, spring, sprung: [0.0; 6], angle, turns: turns as f32 }
    }

    /// What is kept until the next step, of a joint that carries a load and whose first coordinate is now `first`.
    pub(super) fn state(&self, joint: &Joint, load: &Load, first: f32) -> JointState {
        let Kept { hold, motor, spring, angle, turns, .. } = *self;
        let state = JointState { hold, motor, spring, angle, turns: turns as i32, broken: false };
        if load.breaks(joint) {
            return state.broken();
        }
        let is_gear = matches!(joint.kind.measure(), Measure::Gear | Measure::Rack);
        JointState { angle: if is_gear { first } else { angle }, ..state }
    }
}

// No closures: what runs in lanes has none (docs/decisions/no-closures-in-kernels.md).
impl<L: Lanes> Found<L> {
    /// Nothing yet.
    #[inline(always)]
    pub(super) fn nothing() -> Self {
        let zero = L::zero();
        Found {
            coordinates: [Coordinate { value: zero, row: Row::zero() }; 6],
            inv_mass: [zero; 6],
            block: Block { lower: [[zero; 6]; 6], inverse: [zero; 6], size: 0 },
            arm: V3::zero(),
        }
    }

    /// Coordinates, inverse masses and the block, where poses are now.
    #[inline(always)]
    pub(super) fn new(pattern: &Pattern, given: &Given<L>, bodies: [&BodyLanes<L>; 2], moved: [Moved<L>; 2]) -> Self {
        let mut coordinates = given.start.measure(pattern.measure, pattern.used, moved);
        let arm = moved[1].turn.rotate(given.start.arms[1]);
        let ([often, of_springs], zero, size) = (given.crowding, L::zero(), pattern.count_locked());
        let (mut matrix, mut locked, mut responses) = ([[zero; 6]; 6], [Row::zero(); 6], [Row::zero(); 6]);
        let mut n = 0;
        for i in 0..6 {
            if has(pattern.locked, i) {
                let row = coordinates[i].row;
                (locked[n], responses[n]) = (row, row.response(bodies));
                for m in 0..=n {
                    matrix[n][m] = row.inverse_mass(&responses[m]) * often;
                }
                n += 1;
            }
        }
        let block = Block::factored(&matrix, size);
        let mut inv_mass = [zero; 6];
        for i in 0..6 {
            if has(pattern.used & !pattern.locked, i) {
                let row = coordinates[i].row;
                let own = if has(pattern.springs, i) { often.larger(of_springs) } else { often };
                let alone = row.inverse_mass(&row.response(bodies)) * own;
                let mut coupled = [zero; 6];
                for m in 0..size {
                    coupled[m] = row.inverse_mass(&responses[m]) * often;
                }
                let taken = block.solve(coupled);
                let mut freed = row;
                for m in 0..size {
                    freed = freed.plus(locked[m], -taken[m]);
                }
                let left = freed.inverse_mass(&freed.response(bodies)) * own;
                let moves = left.gt(L::splat(f64::from(PIVOT)) * alone);
                coordinates[i].row = freed.or_zero(moves);
                inv_mass[i] = left.or_zero(moves);
            }
        }
        Found { coordinates, inv_mass, block, arm }
    }

    /// Coordinate `i`, with full turns.
    #[inline(always)]
    pub(super) fn value(&self, kept: &Kept<L>, i: usize) -> L {
        let value = self.coordinates[i].value;
        if i == ABOUT { value + L::splat(TAU) * kept.turns } else { value }
    }
}

impl<L: Lanes> Kept<L> {
    /// The angle about the first axis jumps by a turn where it passes pi.
    #[inline(always)]
    pub(super) fn count_turns(&mut self, pattern: &Pattern, found: &Found<L>) {
        if pattern.counts_turns() {
            let (angle, one, pi) = (found.coordinates[ABOUT].value, L::splat(1.0), L::splat(PI));
            let change = angle - self.angle;
            let back = one.or_zero(change.lt(-pi));
            self.turns = self.turns + L::select(change.gt(pi), -one, back);
            self.angle = angle;
        }
    }

    /// The substep's impulse of all rows.
    #[inline(always)]
    pub(super) fn impulse(&self, pattern: &Pattern, found: &Found<L>) -> Row<L> {
        let mut total = Row::zero();
        for i in 0..6 {
            if has(pattern.used, i) {
                let impulse = (self.hold[i] + self.motor[i]) + self.spring[i];
                total = total.plus(found.coordinates[i].row, impulse);
            }
        }
        total
    }

    /// The substep's impulse on B: linear, and angular about the anchor, not about B's centre.
    #[inline(always)]
    pub(super) fn on_b(&self, pattern: &Pattern, found: &Found<L>) -> [V3<L>; 2] {
        let total = self.impulse(pattern, found);
        let (p, l) = (total.linear[1], total.angular[1]);
        [p, l - found.arm.cross(p)]
    }

    /// The last substep's impulse again.
    #[inline(always)]
    pub(super) fn warm_start(&mut self, pattern: &Pattern, found: &Found<L>, bodies: [&mut BodyLanes<L>; 2]) {
        let fine = self.impulse(pattern, found).apply(bodies);
        for impulses in [&mut self.hold, &mut self.motor, &mut self.spring] {
            for x in impulses {
                *x = x.or_zero(fine);
            }
        }
    }
}

/// A sweep: with bias before the poses move, without it after.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep {
    pub(super) pattern: Pattern,
    pub(super) soft: Softness,
    pub(super) biased: bool,
    /// Seconds of a substep.
    pub(super) h: f32,
    /// What is locked, and springs, are a [`super::Tree`]'s.
    pub(super) in_tree: bool,
}

impl Sweep {
    /// Goes over one joint a lane.
    #[inline(always)]
    pub(super) fn solve<L: Lanes>(
        &self,
        axes: &[AxisLanes<L>; 6],
        found: &Found<L>,
        kept: &mut Kept<L>,
        [a, b]: [&mut BodyLanes<L>; 2],
    ) {
        let Pattern { used, locked, springs, speeds, places, limited, .. } = self.pattern;
        for i in 0..6 {
            if !has(used & !locked, i) {
                continue;
            }
            let (axis, value) = (&axes[i], found.value(kept, i));
            let of = OneAxis { row: found.coordinates[i].row, inv_mass: found.inv_mass[i], value };
            if has(springs | places, i) && self.biased {
                kept.sprung[i] = L::select(of.inv_mass.gt(L::zero()), value, kept.sprung[i]);
            }
            if has(springs, i) && !self.in_tree {
                kept.spring[i] = of.pull(axis, kept.sprung[i], kept.spring[i], self.h, [&mut *a, &mut *b]);
            }
            let (one, h) = (L::splat(1.0), L::splat(f64::from(self.h)));
            if has(speeds, i) {
                kept.motor[i] = of.drive(axis, (axis.target, one), kept.motor[i], self.h, [&mut *a, &mut *b]);
            } else if has(places, i) {
                // As for springs, all of when the substep began.
                let error = kept.sprung[i] - (axis.target - axis.rate * h);
                let speed = servo(error, axis.limit, of.inv_mass * axis.hauled, self.h) + axis.rate;
                let share = L::splat(f64::from(SERVO_SHARE));
                kept.motor[i] = of.drive(axis, (speed, share), kept.motor[i], self.h, [&mut *a, &mut *b]);
            }
            if has(limited, i) {
                kept.hold[i] = of.limit(axis, kept.hold[i], (self.soft, self.h), [&mut *a, &mut *b]);
            }
        }
        if locked != 0 && !self.in_tree {
            self.hold(axes, found, kept, [a, b]);
        }
    }

    /// All locked coordinates at once.
    #[inline(always)]
    fn hold<L: Lanes>(
        &self,
        axes: &[AxisLanes<L>; 6],
        found: &Found<L>,
        kept: &mut Kept<L>,
        [a, b]: [&mut BodyLanes<L>; 2],
    ) {
        let (mass_scale, impulse_scale) =
            (L::splat(f64::from(-self.soft.mass_scale)), L::splat(f64::from(self.soft.impulse_scale)));
        let mut wanted = [L::zero(); 6];
        let mut n = 0;
        for i in 0..6 {
            if has(self.pattern.locked, i) {
                let closing = bias(self.soft, found.value(kept, i) - axes[i].lower);
                wanted[n] = mass_scale * (found.coordinates[i].row.velocity([&*a, &*b]) + closing);
                n += 1;
            }
        }
        let solved = found.block.solve(wanted);
        let (mut total, mut hold) = (Row::zero(), kept.hold);
        n = 0;
        for i in 0..6 {
            if has(self.pattern.locked, i) {
                let change = solved[n] - impulse_scale * hold[i];
                hold[i] = hold[i] + change;
                total = total.plus(found.coordinates[i].row, change);
                n += 1;
            }
        }
        let fine = total.apply([a, b]);
        for i in 0..6 {
            kept.hold[i] = L::select(fine, hold[i], kept.hold[i]);
        }
    }
}

/// A coordinate that is not locked.
#[derive(Clone, Copy, Debug)]
struct OneAxis<L> {
    row: Row<L>,
    inv_mass: L,
    value: L,
}

impl<L: Lanes> OneAxis<L> {
    /// Applies a change of an impulse, and returns the impulse: the one so far where nothing moves, or where bodies
    /// would be lost.
    #[inline(always)]
    fn change(&self, so_far: L, change: L, [a, b]: [&mut BodyLanes<L>; 2], impulse: L) -> L {
        let moves = self.inv_mass.gt(L::zero());
        let row = Row::zero().plus(self.row, change.or_zero(moves));
        let fine = row.apply([a, b]) & moves;
        L::select(fine, impulse, so_far)
    }

    /// A spring and a damper.
    #[inline(always)]
    fn pull(&self, axis: &AxisLanes<L>, at: L, so_far: L, h: f32, [a, b]: [&mut BodyLanes<L>; 2]) -> L {
        let velocity = self.row.velocity([&*a, &*b]);
        let change = spring_impulse(axis, at, velocity, self.inv_mass, L::splat(f64::from(h)), so_far);
        self.change(so_far, change, [a, b], so_far + change)
    }

    /// A motor that gives a share of the impulse which would bring the coordinate's velocity to `target`.
    #[inline(always)]
    fn drive(
        &self,
        axis: &AxisLanes<L>,
        (target, share): (L, L),
        so_far: L,
        h: f32,
        bodies: [&mut BodyLanes<L>; 2],
    ) -> L {
        let [a, b] = bodies;
        let most = axis.limit * L::splat(f64::from(h));
        let wanted = (so_far - (self.row.velocity([&*a, &*b]) - target) / self.inv_mass) * share;
        let impulse = L::select(wanted.lt(-most), -most, L::select(most.lt(wanted), most, wanted));
        self.change(so_far, impulse - so_far, [a, b], impulse)
    }

    /// The nearer limit, as C >= 0; while there is room, the velocity may use it up (Catto, "Continuous Collision",
    /// 2013).
    #[inline(always)]
    fn limit(&self, axis: &AxisLanes<L>, so_far: L, (soft, h): (Softness, f32), [a, b]: [&mut BodyLanes<L>; 2]) -> L {
        let (one, zero) = (L::splat(1.0), L::zero());
        let (below, above) = (self.value - axis.lower, axis.upper - self.value);
        let is_lower = below.lt(above);
        let (side, room) = (L::select(is_lower, one, -one), L::select(is_lower, below, above));
        let open = room.gt(zero);
        let closing = L::select(open, room / L::splat(f64::from(h)), bias(soft, room));
        let mass_scale = L::select(open, one, L::splat(f64::from(soft.mass_scale)));
        let impulse_scale = L::splat(f64::from(soft.impulse_scale)).or_zero(!open);
        let velocity = side * self.row.velocity([&*a, &*b]);
        let change = -mass_scale * (velocity + closing) / self.inv_mass - impulse_scale * (side * so_far);
        let impulse = side * (side * so_far + change).larger(zero);
        self.change(so_far, impulse - so_far, [a, b], impulse)
    }
}
