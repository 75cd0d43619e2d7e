//! A joint during a step: where it is, its warm start, and what is kept. Sweeps are in solve.rs.

use super::ball::{Ball, BodyLanes};
use super::block::Block;
use super::measure::{Coordinate, GAPS, Moved, Start};
use super::row::Row;
use super::softness::spring_yield;
use super::{ABOUT, Joint, JointState, Measure, Motion, Motor, Pose};
use crate::tuning::PIVOT;
use crate::{BodyRow, Softness};
use seidel_kernels::{Quat, V3};
use std::f32::consts::{PI, TAU};

/// What a joint carries: the mean over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Force of A on B at the anchor, N, world.
    pub force: [f32; 3],
    /// Torque of A on B about the anchor, N m, world.
    pub torque: [f32; 3],
}

impl Load {
    /// The magnitudes of force and torque, N and N m, which a joint's limits are compared with.
    #[must_use]
    pub fn lengths(&self) -> [f32; 2] {
        [self.force, self.torque].map(|[x, y, z]| V3::<f32>::new(x, y, z).length())
    }
}

/// The rows of one joint.
#[derive(Clone, Copy, Debug)]
pub struct JointRows {
    pub(super) joint: Joint,
    measure: Measure,
    /// Its locked coordinates are solved with all others of a [`super::Tree`].
    pub(super) in_tree: bool,
    /// Then the last substep's impulse on B, and where it acts on A and on B.
    pub(super) pull: V3<f32>,
    pub(super) pulled: [V3<f32>; 2],
    /// Three gaps are locked and nothing else acts: by [`Ball`].
    pub(super) is_ball: bool,
    pub(super) ball: Ball<f32>,
    pub(super) state: JointState,
    start: Start<f32>,
    pub(super) h: f32,
    pub(super) rigid: Softness,
    /// Bit i: something acts on coordinate i; it is locked.
    pub(super) used: u8,
    pub(super) locked: u8,
    /// Coordinates at the bodies' last poses, and their inverse masses. Rows that are not locked carry the reaction of
    /// those that are.
    pub(super) coordinates: [Coordinate<f32>; 6],
    pub(super) inv_mass: [f32; 6],
    pub(super) block: Block,
    /// From B's centre to its anchor.
    arm: V3<f32>,
    /// Poses have moved since.
    pub(super) stale: bool,
    /// How fast the target of a position's motor moves.
    pub(super) rate: f32,
    /// Where springs were when the substep began.
    pub(super) sprung: [f32; 6],
    /// Sum of impulses of the step's substeps but the last, for the load: linear, angular.
    pub(super) sum: [V3<f32>; 2],
    pub(super) substeps: u32,
}

impl Joint {
    /// Once a step: the joint where its bodies are now, for substeps of `h` seconds.
    #[must_use]
    pub fn prepare(&self, state: &JointState, a: &Pose, b: &Pose, h: f32) -> JointRows {
        let measure = self.kind.measure();
        let [used, locked] = if state.broken { [0; 2] } else { self.acts() };
        let state = state.of_axes(&self.axes);
        let start = Start::new(self, [a, b], state.angle).rounded();
        let [x, y, z, ..] = state.hold;
        JointRows {
            joint: *self,
            measure,
            in_tree: false,
            pull: V3::zero(),
            pulled: [V3::zero(); 2],
            is_ball: !state.broken && self.is_ball(),
            ball: Ball::new([start.arms[0], start.arms[1], start.gap], V3::new(x, y, z), self.crowding),
            state,
            start,
            h,
            rigid: Softness::rigid(h),
            used,
            locked,
            coordinates: [Coordinate { value: 0.0, row: Row::zero() }; 6],
            inv_mass: [0.0; 6],
            block: Block::EMPTY,
            arm: V3::zero(),
            stale: true,
            rate: 0.0,
            sprung: [0.0; 6],
            sum: [V3::zero(); 2],
            substeps: 0,
        }
    }
}

impl Joint {
    /// The coordinates on which something acts, and which are locked, as masks.
    fn acts(&self) -> [u8; 2] {
        let count = if matches!(self.kind.measure(), Measure::Gimbal | Measure::Swing) { 6 } else { 1 };
        let (mut used, mut locked) = (0, 0);
        for (i, axis) in self.axes.iter().enumerate().take(count) {
            used |= u8::from(!axis.is_free()) << i;
            locked |= u8::from(matches!(axis.motion, Motion::Locked { .. })) << i;
        }
        [used, locked]
    }

    /// Whether it is a ball without limits, which [`super::Balls`] take while it is whole: three gaps are kept at 0,
    /// and nothing else acts.
    #[must_use]
    pub fn is_ball(&self) -> bool {
        // The one coordinate of a distance or a gear is the first.
        self.acts()[0] == GAPS && self.axes[..3].iter().all(|axis| axis.motion == Motion::Locked { at: 0.0 })
    }
}

impl JointRows {
    /// Leaves what is locked to a [`super::Tree`], which is solved right after the warm start and after each sweep.
    /// Kept impulses of a ball without limits are along A's axes then.
    pub fn leave_to_tree(&mut self) {
        (self.in_tree, self.is_ball) = (true, false);
    }

    /// Whether anything acts: it was whole when the step began.
    #[must_use]
    pub fn acts(&self) -> bool {
        self.used != 0
    }

    /// Begins a substep: the last one's impulses again.
    pub fn warm_start(&mut self, a: &mut BodyRow, b: &mut BodyRow) {
        if self.used == 0 {
            return;
        }
        if self.substeps > 0 {
            self.sum = self.sum_with_this_substep();
        }
        self.substeps = self.substeps.saturating_add(1);
        self.refresh(a, b);
        if self.is_ball {
            return self.with_ball(a, b, |ball, bodies| ball.warm_start(bodies));
        }
        if self.in_tree {
            self.pull = self.impulse().linear[1];
            self.pulled = [moved(a).turn.rotate(self.start.arms[0]), self.arm];
            // The tree finds it anew.
            ones(self.locked).for_each(|i| self.state.hold[i] = 0.0);
        }
        if !self.impulse().apply(a, b) {
            (self.state.hold, self.state.motor, self.state.spring) = ([0.0; 6], [0.0; 6], [0.0; 6]);
        }
    }

    /// The coordinates whose springs a tree solves, as a mask.
    pub(super) fn springs_in_tree(&self) -> u8 {
        let pulls = |i: &usize| {
            let spring = self.joint.axes[*i].spring;
            self.inv_mass[*i] > 0.0 && !spring.is_none() && spring_yield(spring, self.inv_mass[*i], self.h) > 0.0
        };
        ones(self.used & !self.locked).filter(pulls).fold(0, |mask, i| mask | 1 << i)
    }

    pub(super) fn with_ball(
        &mut self,
        a: &mut BodyRow,
        b: &mut BodyRow,
        work: impl FnOnce(&mut Ball<f32>, [&mut BodyLanes<f32>; 2]),
    ) {
        let (mut la, mut lb) = (BodyLanes::of(a), BodyLanes::of(b));
        work(&mut self.ball, [&mut la, &mut lb]);
        la.write(a);
        lb.write(b);
    }

    /// Coordinates, inverse masses and the block, where poses have moved.
    pub(super) fn refresh(&mut self, a: &BodyRow, b: &BodyRow) {
        if !self.stale {
            return;
        }
        self.stale = false;
        if self.is_ball {
            let [a, b] = [(a, moved(a)), (b, moved(b))];
            let bodies = [&BodyLanes::of(a.0), &BodyLanes::of(b.0)];
            return self.ball.refresh(bodies, [a.1.dx, b.1.dx], [a.1.turn, b.1.turn]);
        }
        self.coordinates = self.start.measure(self.measure, self.used, [moved(a), moved(b)]);
        self.arm = moved(b).turn.rotate(self.start.arms[1]);
        self.count_turns();

        let often = self.joint.crowding;
        let (mut matrix, mut responses) = ([[0.0; 6]; 6], [Row::zero(); 6]);
        for (n, i) in ones(self.locked).enumerate() {
            let row = self.coordinates[i].row;
            responses[n] = row.response(a, b);
            for (m, response) in responses.iter().enumerate().take(n + 1) {
                matrix[n][m] = row.inverse_mass(response) * often;
            }
        }
        self.block = Block::factored(&matrix, self.locked.count_ones() as usize);

        // Other rows are freed of what the locked ones would take back: J - K_jl K_ll^-1 J_l, with the Schur complement
        // as inverse mass.
        for i in ones(self.used & !self.locked) {
            let row = self.coordinates[i].row;
            let alone = row.inverse_mass(&row.response(a, b)) * often;
            let mut coupled = [0.0; 6];
            for (x, response) in coupled.iter_mut().zip(&responses).take(self.locked.count_ones() as usize) {
                *x = row.inverse_mass(response) * often;
            }
            let taken = self.block.solve(coupled);
            let mut freed = row;
            for (n, l) in ones(self.locked).enumerate() {
                freed = freed.plus(self.coordinates[l].row, -taken[n]);
            }
            let inv_mass = freed.inverse_mass(&freed.response(a, b)) * often;
            let moves = inv_mass > PIVOT * alone;
            self.coordinates[i].row = if moves { freed } else { Row::zero() };
            self.inv_mass[i] = if moves { inv_mass } else { 0.0 };
        }
    }

    /// The angle about the first axis jumps by a turn where it passes pi.
    fn count_turns(&mut self) {
        if matches!(self.measure, Measure::Gimbal | Measure::Swing) && self.used >> ABOUT != 0 {
            let angle = self.coordinates[ABOUT].value;
            let change = angle - self.state.angle;
            let turns = if change > PI { -1 } else { i32::from(change < -PI) };
            self.state.turns = self.state.turns.saturating_add(turns);
            self.state.angle = angle;
        }
    }

    /// Coordinate `i`, with full turns.
    pub(super) fn value(&self, i: usize) -> f32 {
        let value = self.coordinates[i].value;
        if i == ABOUT { value + TAU * self.state.turns as f32 } else { value }
    }

    /// The substep's impulse of all rows.
    fn impulse(&self) -> Row<f32> {
        let mut total = Row::zero();
        for i in ones(self.used) {
            let impulse = (self.state.hold[i] + self.state.motor[i]) + self.state.spring[i];
            total = total.plus(self.coordinates[i].row, impulse);
        }
        total
    }

    fn sum_with_this_substep(&self) -> [V3<f32>; 2] {
        if self.is_ball {
            return [self.sum[0] + self.ball.impulse, self.sum[1]];
        }
        let total = self.impulse();
        let (p, l) = (total.linear[1], total.angular[1]);
        // About the anchor, not about B's centre.
        [self.sum[0] + p, self.sum[1] + (l - self.arm.cross(p))]
    }

    /// What it carried in this step.
    #[must_use]
    pub fn load(&self) -> Load {
        if self.used == 0 || self.substeps == 0 {
            return Load::default();
        }
        let per_second = 1.0 / (self.h * self.substeps as f32);
        let [force, torque] = self.sum_with_this_substep().map(|v| {
            let v = v * per_second;
            [v.x, v.y, v.z]
        });
        Load { force, torque }
    }

    /// Ends the step at the bodies' last poses: what is kept, and whether the joint broke.
    #[must_use]
    pub fn store(&mut self, a: &BodyRow, b: &BodyRow) -> JointState {
        if self.used == 0 {
            return self.state;
        }
        self.refresh(a, b);
        let mut state = self.state;
        let [force, torque] = self.load().lengths();
        if force > self.joint.break_force || torque > self.joint.break_torque {
            return JointState { broken: true, angle: state.angle, turns: state.turns, ..JointState::default() };
        }
        if self.is_ball {
            let p = self.ball.impulse;
            state.hold = [p.x, p.y, p.z, 0.0, 0.0, 0.0];
        }
        if matches!(self.measure, Measure::Gear | Measure::Rack) {
            state.angle = self.coordinates[0].value;
        }
        state
    }

    /// Drives coordinate `i` by another motor from here on; none of that index, and nothing changes. Only what had a
    /// motor when the step began. Of a position's motor `target` is where the substep ends, and `rate` how fast the
    /// target gets there, m/s or rad/s.
    pub fn drive(&mut self, i: usize, motor: Motor, rate: f32) {
        if let Some(axis) = self.joint.axes.get_mut(i).filter(|axis| axis.motor != Motor::Off) {
            (axis.motor, self.rate) = (motor, rate);
        }
    }

    /// Coordinate `i` where the bodies were last seen: m or rad, angles about the first axis over full turns. 0 for
    /// the angles of a joint that locks, limits and drives none.
    #[must_use]
    pub fn coordinate(&self, i: usize) -> f32 {
        if i < 6 { self.value(i) } else { 0.0 }
    }
}

fn moved(body: &BodyRow) -> Moved<f32> {
    Moved { dx: V3::new(body.dx[0], body.dx[1], body.dx[2]), turn: Quat::set(body.turn) }
}

/// The places of a mask's bits, from the lowest.
pub(super) fn ones(mask: u8) -> impl Iterator<Item = usize> {
    (0..6).filter(move |i| mask >> i & 1 == 1)
}
