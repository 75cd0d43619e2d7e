//! A joint's coordinates and their Jacobians, at the bodies' poses within a step.
//!
//! d is the gap from A's anchor to B's, r_a and r_b are the anchors from the centres, a_i and b_j the joint's axes in A
//! and B, R_ij = a_i.b_j.
//!
//! ```text
//! gaps      C_i = a_i.d             C_i' = a_i.(v_b + w_b x r_b - v_a - w_a x (r_a + d))
//! gimbal    R = Rx(p) Ry(q) Rz(r)   w_b - w_a = p' a_x + q' e + r' b_z,  e = b_z x a_x / cos q
//! swing     twist about x after the shortest turn that brings a_x to b_x; the angle of that turn
//! distance  C = |d|                 n = d / |d|
//! gear      C = ratio * angle of B - angle of A, each about its own axis
//! rack      C = ratio * way of B - angle of A
//! ```
//!
//! Both bodies are pushed at B's anchor, r_a + d from A's centre: this is the exact Jacobian of C_i, and it keeps
//! angular momentum while a gap is open. All is a change since the step's start added to what it was then in f64: a gap
//! of 1e-7 m has its digits far from the origin.

use super::row::Row;
use super::{ABOUT, Axis, Joint, JointFrame, Motion, Pose};
use crate::tuning::{NO_ANGLE, NO_LENGTH};
use seidel_kernels::trig::atan2;
use seidel_kernels::{Lanes, Quat, V3};
use std::f64::consts::{PI, TAU};

/// What a joint's coordinates are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Measure {
    /// Three gaps and three angles x of A, y between, z of B.
    #[default]
    Gimbal,
    /// Three gaps, twist and swing.
    Swing,
    Distance,
    Gear,
    Rack,
}

/// Bits of the coordinates that gaps and angles are.
pub(super) const GAPS: u8 = 0b111;

/// A coordinate and its row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinate<L> {
    pub(super) value: L,
    pub(super) row: Row<L>,
}

/// How many numbers [`Start`] is.
pub(super) const START: usize = 41;

/// The joint at the start of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<L> {
    /// r_a, r_b.
    pub(super) arms: [V3<L>; 2],
    /// a_i, b_j.
    pub(super) axes: [[V3<L>; 3]; 2],
    /// d.
    pub(super) gap: V3<L>,
    /// a_i.d.
    pub(super) gaps: [L; 3],
    /// R_ij.
    pub(super) cosines: [[L; 3]; 3],
    /// A gear's ratio and its error so far.
    pub(super) gear: [L; 2],
}

/// Where the anchors are at the start of the step: r_a, r_b, d, and the axes of both frames, joint to world.
pub(super) struct Anchors {
    pub(super) arms: [V3<f64>; 2],
    pub(super) gap: V3<f64>,
    turns: [Quat<f64>; 2],
}

impl Anchors {
    #[inline]
    pub(super) fn new(joint: &Joint, [a, b]: [&Pose; 2]) -> Anchors {
        let frame = |pose: &Pose, frame: &JointFrame| {
            let q = Quat::<f64>::set(pose.rotation);
            (q.rotate(V3::set(frame.anchor.map(f64::from))), q.times(Quat::set(frame.axes.map(f64::from)).normalised()))
        };
        let ((ra, qa), (rb, qb)) = (frame(a, &joint.frames[0]), frame(b, &joint.frames[1]));
        // Centres first: they may be near each other and far from the origin.
        let gap = (V3::set(b.at) - V3::set(a.at)) + (rb - ra);
        Anchors { arms: [ra, rb], gap, turns: [qa, qb] }
    }
}

impl Start<f64> {
    pub(super) fn new(joint: &Joint, poses: [&Pose; 2], error: f32) -> Start<f64> {
        let Anchors { arms, gap, turns } = Anchors::new(joint, poses);
        let axes = turns.map(|q| q.axes());
        Start {
            arms,
            axes,
            gap,
            gaps: axes[0].map(|n| n.dot(gap)),
            cosines: axes[0].map(|n| axes[1].map(|m| n.dot(m))),
            gear: [f64::from(joint.ratio), f64::from(error)],
        }
    }

    pub(super) fn rounded(&self) -> Start<f32> {
        let v = |a: V3<f64>| V3::new(a.x as f32, a.y as f32, a.z as f32);
        Start {
            arms: self.arms.map(v),
            axes: self.axes.map(|axes| axes.map(v)),
            gap: v(self.gap),
            gaps: self.gaps.map(|x| x as f32),
            cosines: self.cosines.map(|row| row.map(|x| x as f32)),
            gear: self.gear.map(|x| x as f32),
        }
    }
}

impl<L: Copy> Start<L> {
    /// From its numbers.
    #[inline(always)]
    pub(super) fn of(n: &[L; START]) -> Start<L> {
        Start {
            arms: [three(n, 0), three(n, 3)],
            axes: [[three(n, 6), three(n, 9), three(n, 12)], [three(n, 15), three(n, 18), three(n, 21)]],
            gap: three(n, 24),
            gaps: [n[27], n[28], n[29]],
            cosines: [[n[30], n[31], n[32]], [n[33], n[34], n[35]], [n[36], n[37], n[38]]],
            gear: [n[39], n[40]],
        }
    }
}

#[inline(always)]
fn three<L: Copy>(n: &[L; START], at: usize) -> V3<L> {
    V3 { x: n[at], y: n[at + 1], z: n[at + 2] }
}

impl Start<f32> {
    /// Its numbers.
    pub(super) fn numbers(&self) -> [f32; START] {
        let Start { arms, axes, gap, gaps, cosines, gear } = self;
        let vectors = arms.iter().chain(axes.as_flattened()).chain([gap]).flat_map(|v| [v.x, v.y, v.z]);
        let all = vectors.chain(*gaps).chain(cosines.as_flattened().iter().copied()).chain(*gear);
        let mut numbers = [0.0; START];
        numbers.iter_mut().zip(all).for_each(|(x, of)| *x = of);
        numbers
    }
}

impl Joint {
    /// Its position error where its bodies are at these poses, metres: distance of the anchors along locked axes, and
    /// of translations, or of a distance, beyond their limits. 0 of springs, gears and racks. [`super::WORLD`] is at
    /// [`Pose::IDENTITY`].
    #[must_use]
    pub fn gap(&self, a: &Pose, b: &Pose) -> f64 {
        let start = Start::new(self, [a, b], 0.0);
        let beyond = |axis: &Axis, value: f64| match axis.motion {
            Motion::Free => 0.0,
            Motion::Locked { at } => value - f64::from(at),
            Motion::Limited { lower, upper } => value - value.max(f64::from(lower)).min(f64::from(upper)),
        };
        let along = |i: usize| beyond(&self.axes[i], start.gaps[i]);
        match self.kind.measure() {
            Measure::Gimbal | Measure::Swing => V3::new(along(0), along(1), along(2)).length(),
            Measure::Distance => beyond(&self.axes[0], start.gap.length()).abs(),
            Measure::Gear | Measure::Rack => 0.0,
        }
    }

    /// The largest error of its locked angles where its bodies are at these poses, rad, up to pi; [`super::WORLD`] is
    /// at [`Pose::IDENTITY`]. Of no meaning where the middle one of three angles is beyond a right angle.
    #[must_use]
    pub fn bend(&self, a: &Pose, b: &Pose) -> f64 {
        let measure = self.kind.measure();
        if !matches!(measure, Measure::Gimbal | Measure::Swing) {
            return 0.0;
        }
        let angles = Start::new(self, [a, b], 0.0).angles(measure, [[V3::zero(); 3]; 2]);
        let errors = self.axes[ABOUT..].iter().zip(angles).filter_map(|(axis, (angle, _))| match axis.motion {
            Motion::Locked { at } => {
                let error = angle - f64::from(at);
                Some((error - TAU * libm::round(error / TAU)).abs())
            }
            _ => None,
        });
        errors.fold(0.0, f64::larger)
    }
}

/// How far a body has gone since the step began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved<L> {
    pub(super) dx: V3<L>,
    pub(super) turn: Quat<L>,
}

impl<L: Lanes> Moved<L> {
    /// By how much a vector has changed that turns with the body.
    #[inline(always)]
    fn change(&self, a: V3<L>) -> V3<L> {
        let t = self.turn.v.cross(a);
        let t = t + t;
        t * self.turn.w + self.turn.v.cross(t)
    }

    /// How far it has turned about an axis, in (-pi, pi].
    #[inline(always)]
    fn angle(&self, n: V3<L>) -> L {
        let half = atan2(self.turn.v.dot(n), self.turn.w);
        let (angle, pi, turn) = (half + half, L::splat(PI), L::splat(TAU));
        let down = L::select(angle.gt(pi), angle - turn, angle);
        L::select(down.le(-pi), down + turn, down)
    }
}

// No closures: what runs in lanes has none (docs/decisions/no-closures-in-kernels.md).
impl<L: Lanes> Start<L> {
    /// The coordinates whose bits are in `used`; the others are left 0.
    #[inline(always)]
    pub(super) fn measure(&self, measure: Measure, used: u8, moved: [Moved<L>; 2]) -> [Coordinate<L>; 6] {
        let mut coordinates = [Coordinate { value: L::zero(), row: Row::zero() }; 6];
        match measure {
            Measure::Gimbal | Measure::Swing => {
                let mut changes = self.axes;
                for (changes, moved) in changes.iter_mut().zip(&moved) {
                    for n in changes {
                        *n = moved.change(*n);
                    }
                }
                if used & GAPS != 0 {
                    let gaps = self.gaps(moved, changes[0]);
                    (coordinates[0], coordinates[1], coordinates[2]) = (gaps[0], gaps[1], gaps[2]);
                }
                if used & !GAPS != 0 {
                    let angles = self.angles(measure, changes);
                    for (coordinate, (value, n)) in coordinates[3..].iter_mut().zip(angles) {
                        *coordinate = Coordinate { value, row: Row::about(n) };
                    }
                }
            }
            Measure::Distance => coordinates[0] = self.distance(moved),
            Measure::Gear | Measure::Rack => coordinates[0] = self.gear(measure, moved),
        }
        coordinates
    }

    /// Arms now, with A's up to B's anchor; the gap, and its change since the step began.
    #[inline(always)]
    fn arms(&self, [a, b]: [Moved<L>; 2]) -> ([V3<L>; 2], V3<L>, V3<L>) {
        let (da, db) = (a.change(self.arms[0]), b.change(self.arms[1]));
        let change = (b.dx - a.dx) + (db - da);
        let gap = self.gap + change;
        ([(self.arms[0] + da) + gap, self.arms[1] + db], gap, change)
    }

    #[inline(always)]
    fn gaps(&self, moved: [Moved<L>; 2], changes: [V3<L>; 3]) -> [Coordinate<L>; 3] {
        let (arms, _, change) = self.arms(moved);
        let mut gaps = [Coordinate { value: L::zero(), row: Row::zero() }; 3];
        for (i, gap) in gaps.iter_mut().enumerate() {
            let n = self.axes[0][i] + changes[i];
            let value = self.gaps[i] + (n.dot(change) + changes[i].dot(self.gap));
            *gap = Coordinate { value, row: Row::along(n, arms) };
        }
        gaps
    }

    /// Each angle, and the axis n with which its rate is n.(w_b - w_a).
    #[inline(always)]
    fn angles(&self, measure: Measure, changes: [[V3<L>; 3]; 2]) -> [(L, V3<L>); 3] {
        let (mut a, mut b) = (self.axes[0], self.axes[1]);
        for i in 0..3 {
            (a[i], b[i]) = (a[i] + changes[0][i], b[i] + changes[1][i]);
        }
        // R_ij, as what it was and what it has changed by.
        let mut r = self.cosines;
        for (i, row) in r.iter_mut().enumerate() {
            for (j, cosine) in row.iter_mut().enumerate() {
                *cosine = *cosine + (a[i].dot(changes[1][j]) + changes[0][i].dot(self.axes[1][j]));
            }
        }
        let (one, least) = (L::splat(1.0), L::splat(NO_ANGLE));
        if measure == Measure::Swing {
            let twist = atan2(r[2][1] - r[1][2], r[1][1] + r[2][2]);
            let both = one + r[0][0];
            let (y, z) = (r[1][0], r[2][0]);
            let sin = (y * y + z * z).sqrt();
            return [
                (twist, ((a[0] + b[0]) * (one / both)).or_zero(both.gt(least))),
                (atan2(sin, r[0][0]), (a[0].cross(b[0]) * (one / sin)).or_zero(sin.gt(least))),
                (L::zero(), V3::zero()),
            ];
        }
        let (x, y) = (r[0][0], r[0][1]);
        let cos = (x * x + y * y).sqrt();
        let (some, inverse) = (cos.gt(least), one / cos);
        let middle = (b[2].cross(a[0]) * inverse).or_zero(some);
        [
            (atan2(-r[1][2], r[2][2]), (middle.cross(b[2]) * inverse).or_zero(some)),
            (atan2(r[0][2], cos), middle),
            (atan2(-y, x), (a[0].cross(middle) * inverse).or_zero(some)),
        ]
    }

    #[inline(always)]
    fn distance(&self, moved: [Moved<L>; 2]) -> Coordinate<L> {
        let (arms, d, _) = self.arms(moved);
        let length = d.length();
        let n = (d * (L::splat(1.0) / length)).or_zero(length.gt(L::splat(NO_LENGTH)));
        Coordinate { value: length, row: Row::along(n, arms) }
    }

    #[inline(always)]
    fn gear(&self, measure: Measure, [a, b]: [Moved<L>; 2]) -> Coordinate<L> {
        let [ratio, error] = self.gear;
        // About its own axis a body turns without turning the axis; where the axis turns, too, it is that at the start
        // of the step.
        let [n, m] = [self.axes[0][0], self.axes[1][0]];
        let to = m * ratio;
        let (way, linear, angular) =
            if measure == Measure::Rack { (b.dx.dot(m), to, V3::zero()) } else { (b.angle(m), V3::zero(), to) };
        Coordinate {
            value: error + (ratio * way - a.angle(n)),
            row: Row { linear: [V3::zero(), linear], angular: [n, angular] },
        }
    }
}
