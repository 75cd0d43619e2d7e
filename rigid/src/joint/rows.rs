//! One joint during a step: where it is, its warm start, and what is kept. What is done is that of lanes.rs, with one
//! lane.

use super::axis::AxisLanes;
use super::ball::{Ball, BodyLanes};
use super::lanes::{Found, Given, Kept, Sweep};
use super::load::Load;
use super::measure::{GAPS, Moved, Start};
use super::pattern::Pattern;
use super::softness::{most_stiffness, spring_yield};
use super::{Joint, JointState, Motion, Motor, Pose};
use crate::{BodyRow, Softness};
use seidel_kernels::{Quat, V3};

/// The rows of one joint.
#[derive(Clone, Copy, Debug)]
pub struct JointRows {
    pub(super) joint: Joint,
    pub(super) pattern: Pattern,
    /// Its locked coordinates are solved with all others of a [`super::Tree`].
    in_tree: bool,
    /// Then the last substep's impulse on B, and where it acts on A and on B.
    pub(super) pull: V3<f32>,
    pub(super) pulled: [V3<f32>; 2],
    /// Three gaps are locked and nothing else acts: by [`Ball`].
    is_ball: bool,
    ball: Ball<f32>,
    /// As when the step began.
    state: JointState,
    given: Given<f32>,
    axes: [AxisLanes<f32>; 6],
    pub(super) found: Found<f32>,
    pub(super) kept: Kept<f32>,
    pub(super) h: f32,
    pub(super) rigid: Softness,
    /// Poses have moved since.
    stale: bool,
    /// Sum of impulses of the step's substeps but the last, for the load: linear, angular.
    sum: [V3<f32>; 2],
    substeps: u32,
}

impl Joint {
    /// Once a step: the joint where its bodies are now, for substeps of `h` seconds.
    #[must_use]
    pub fn prepare(&self, state: &JointState, a: &Pose, b: &Pose, h: f32) -> JointRows {
        let pattern = if state.broken { Pattern::idle(self.kind.measure()) } else { self.pattern() };
        let state = state.of_axes(&self.axes);
        let start = Start::new(self, [a, b], state.angle).rounded();
        let [x, y, z, ..] = state.hold;
        JointRows {
            joint: *self,
            pattern,
            in_tree: false,
            pull: V3::zero(),
            pulled: [V3::zero(); 2],
            is_ball: !state.broken && self.is_ball(),
            ball: Ball::new([start.arms[0], start.arms[1], start.gap], V3::new(x, y, z), self.crowding[0]),
            state,
            given: Given { start, crowding: self.crowding },
            axes: self.axis_lanes(),
            found: Found::nothing(),
            kept: Kept::of(&state),
            h,
            rigid: Softness::rigid(h),
            stale: true,
            sum: [V3::zero(); 2],
            substeps: 0,
        }
    }

    /// Its spring that counts as softer by the largest factor, more than two, where sweeps of substeps of `h` seconds
    /// solve it: the coordinate, and what it counts as, N/m or N m/rad.
    #[must_use]
    pub fn softened(&self, [a, b]: [(Pose, BodyRow); 2], h: f32) -> Option<(usize, f32)> {
        let mut rows = self.prepare(&JointState::default(), &a.0, &b.0, h);
        rows.leave_to_tree();
        rows.refresh(&a.1, &b.1);
        let most = |i: usize| (i, most_stiffness(rows.found.inv_mass[i], h));
        let factor = |&(i, most): &(usize, f32)| self.axes[i].spring.stiffness / most;
        let softest = ones(rows.pattern.springs).map(most).reduce(|a, b| if factor(&b) > factor(&a) { b } else { a });
        softest.filter(|of| factor(of) > 2.0)
    }

    /// Whether it is a ball without limits, which [`super::Balls`] take while it is whole: three gaps are kept at 0,
    /// and nothing else acts.
    #[must_use]
    pub fn is_ball(&self) -> bool {
        // The one coordinate of a distance or a gear is the first.
        self.pattern().used == GAPS && self.axes[..3].iter().all(|axis| axis.motion == Motion::Locked { at: 0.0 })
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
        self.pattern.used != 0
    }

    /// Begins a substep: the last one's impulses again.
    pub fn warm_start(&mut self, a: &mut BodyRow, b: &mut BodyRow) {
        if !self.acts() {
            return;
        }
        if self.substeps > 0 {
            self.sum = self.sum_with_this_substep();
        }
        self.substeps = self.substeps.saturating_add(1);
        self.refresh(a, b);
        if self.is_ball {
            return with_lanes(a, b, |bodies| self.ball.warm_start(bodies));
        }
        if self.in_tree {
            self.pull = self.kept.impulse(&self.pattern, &self.found).linear[1];
            self.pulled = [moved(a).turn.rotate(self.given.start.arms[0]), self.found.arm];
            // The tree finds it anew.
            ones(self.pattern.locked).for_each(|i| self.kept.hold[i] = 0.0);
        }
        with_lanes(a, b, |bodies| self.kept.warm_start(&self.pattern, &self.found, bodies));
    }

    /// The coordinates whose springs a tree solves, as a mask.
    pub(super) fn springs_in_tree(&self) -> u8 {
        let inv_mass = &self.found.inv_mass;
        let pulls =
            |i: &usize| inv_mass[*i] > 0.0 && spring_yield(self.joint.axes[*i].spring, inv_mass[*i], self.h) > 0.0;
        ones(self.pattern.springs).filter(pulls).fold(0, |mask, i| mask | 1 << i)
    }

    /// One sweep: with bias before the poses move, without it after.
    pub fn solve(&mut self, a: &mut BodyRow, b: &mut BodyRow, biased: bool) {
        if !self.acts() {
            return;
        }
        self.refresh(a, b);
        let soft = if biased { self.rigid } else { self.rigid.relaxed() };
        // The sweep with bias is the last before poses move.
        self.stale = biased;
        if self.is_ball {
            return with_lanes(a, b, |bodies| self.ball.solve(bodies, soft));
        }
        let sweep = Sweep { pattern: self.pattern, soft, biased, h: self.h, in_tree: self.in_tree };
        with_lanes(a, b, |bodies| sweep.solve(&self.axes, &self.found, &mut self.kept, bodies));
    }

    /// Coordinates, inverse masses and the block, where poses have moved.
    pub(super) fn refresh(&mut self, a: &BodyRow, b: &BodyRow) {
        if !self.stale {
            return;
        }
        self.stale = false;
        let (bodies, moved) = ([&BodyLanes::of(a), &BodyLanes::of(b)], [moved(a), moved(b)]);
        if self.is_ball {
            return self.ball.refresh(bodies, moved.map(|of| of.dx), moved.map(|of| of.turn));
        }
        self.found = Found::new(&self.pattern, &self.given, bodies, moved);
        self.kept.count_turns(&self.pattern, &self.found);
    }

    /// Coordinate `i`, with full turns.
    pub(super) fn value(&self, i: usize) -> f32 {
        self.found.value(&self.kept, i)
    }

    fn sum_with_this_substep(&self) -> [V3<f32>; 2] {
        if self.is_ball {
            return [self.sum[0] + self.ball.impulse, self.sum[1]];
        }
        let [p, l] = self.kept.on_b(&self.pattern, &self.found);
        [self.sum[0] + p, self.sum[1] + l]
    }

    /// What it carried in this step.
    #[must_use]
    pub fn load(&self) -> Load {
        if !self.acts() || self.substeps == 0 {
            return Load::default();
        }
        Load::mean(self.sum_with_this_substep(), self.h * self.substeps as f32)
    }

    /// What it carried in the substep before the step, whose impulses it keeps.
    pub(super) fn load_at_rest(mut self, [a, b]: [&BodyRow; 2], in_tree: bool) -> Load {
        if in_tree {
            self.leave_to_tree();
        }
        if !self.acts() {
            return Load::default();
        }
        self.refresh(a, b);
        Load::mean(self.sum_with_this_substep(), self.h)
    }

    /// The inverse mass along coordinate `i`, where nothing has moved.
    pub(super) fn inv_mass(mut self, [a, b]: [&BodyRow; 2], i: usize) -> f32 {
        self.refresh(a, b);
        self.found.inv_mass[i]
    }

    /// Ends the step at the bodies' last poses: what is kept, and whether the joint broke.
    #[must_use]
    pub fn store(&mut self, a: &BodyRow, b: &BodyRow) -> JointState {
        if !self.acts() {
            return self.state;
        }
        self.refresh(a, b);
        if self.is_ball {
            let p = self.ball.impulse;
            let held = JointState { hold: [p.x, p.y, p.z, 0.0, 0.0, 0.0], ..self.state };
            return if self.load().breaks(&self.joint) { held.broken() } else { held };
        }
        self.kept.state(&self.joint, &self.load(), self.found.coordinates[0].value)
    }

    /// Drives coordinate `i` by another motor of the same kind from here on; none of that index, and nothing changes.
    /// Of a position's motor `target` is where the substep ends, and `rate` how fast the target gets there, m/s or
    /// rad/s.
    pub fn drive(&mut self, i: usize, motor: Motor, rate: f32) {
        if let Some(axis) = self.axes.get_mut(i) {
            axis.drive(motor, rate);
        }
    }

    /// Coordinate `i` where the bodies were last seen: m or rad, angles about the first axis over full turns. 0 for
    /// the angles of a joint that locks, limits and drives none.
    #[must_use]
    pub fn coordinate(&self, i: usize) -> f32 {
        if i < 6 { self.value(i) } else { 0.0 }
    }
}

/// One lane of two bodies.
fn with_lanes(a: &mut BodyRow, b: &mut BodyRow, work: impl FnOnce([&mut BodyLanes<f32>; 2])) {
    let (mut la, mut lb) = (BodyLanes::of(a), BodyLanes::of(b));
    work([&mut la, &mut lb]);
    la.write(a);
    lb.write(b);
}

fn moved(body: &BodyRow) -> Moved<f32> {
    Moved { dx: V3::new(body.dx[0], body.dx[1], body.dx[2]), turn: Quat::set(body.turn) }
}

/// The places of a mask's bits, from the lowest.
pub(super) fn ones(mask: u8) -> impl Iterator<Item = usize> {
    (0..6).filter(move |i| mask >> i & 1 == 1)
}
