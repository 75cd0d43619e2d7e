//! Each kind of joint: which coordinates are locked.

use super::axis::AxisLanes;
use super::{ABOUT, ALONG, Axis, Joint, JointFrame, JointKind, Measure, Motion, Motor, Spring};

const FREE: Axis = Axis::FREE;
const LOCKED: Axis = Axis::LOCKED;

impl JointKind {
    /// What its coordinates are.
    #[must_use]
    pub fn measure(self) -> Measure {
        match self {
            JointKind::Ball | JointKind::BallOnLine => Measure::Swing,
            JointKind::Distance | JointKind::Spring => Measure::Distance,
            JointKind::Gear => Measure::Gear,
            JointKind::RackAndPinion => Measure::Rack,
            _ => Measure::Gimbal,
        }
    }
}

impl Joint {
    /// From its coordinates.
    #[must_use]
    pub fn new(kind: JointKind, bodies: [u32; 2], frames: [JointFrame; 2], axes: [Axis; 6]) -> Joint {
        let never = f32::INFINITY;
        Joint {
            bodies,
            frames,
            kind,
            axes,
            ratio: 1.0,
            crowding: [1.0; 2],
            hauled: [1.0; 6],
            break_force: never,
            break_torque: never,
            collide: false,
        }
    }

    /// The anchors are one point.
    #[must_use]
    pub fn ball(bodies: [u32; 2], frames: [JointFrame; 2]) -> Joint {
        Joint::new(JointKind::Ball, bodies, frames, [LOCKED, LOCKED, LOCKED, FREE, FREE, FREE])
    }

    /// A ball whose first axis in B is at most `cone` rad from that in A, and is twisted about it by `lower` to `upper`
    /// rad.
    #[must_use]
    pub fn ball_in_cone(bodies: [u32; 2], frames: [JointFrame; 2], cone: f32, [lower, upper]: [f32; 2]) -> Joint {
        let (twist, swing) = (Axis::limited(lower, upper), Axis::limited(f32::NEG_INFINITY, cone));
        Joint::new(JointKind::Ball, bodies, frames, [LOCKED, LOCKED, LOCKED, twist, swing, FREE])
    }

    /// B's anchor is on the line along A's first axis.
    #[must_use]
    pub fn ball_on_line(bodies: [u32; 2], frames: [JointFrame; 2]) -> Joint {
        Joint::new(JointKind::BallOnLine, bodies, frames, [FREE, LOCKED, LOCKED, FREE, FREE, FREE])
    }

    /// B turns about the first axis.
    #[must_use]
    pub fn hinge(bodies: [u32; 2], frames: [JointFrame; 2]) -> Joint {
        Joint::new(JointKind::Hinge, bodies, frames, [LOCKED, LOCKED, LOCKED, FREE, LOCKED, LOCKED])
    }

    /// Cardan's: A's first axis and B's second cross at a right angle; B turns about both. Singular where it is bent by
    /// a right angle.
    #[must_use]
    pub fn universal(bodies: [u32; 2], frames: [JointFrame; 2]) -> Joint {
        Joint::new(JointKind::Universal, bodies, frames, [LOCKED, LOCKED, LOCKED, FREE, FREE, LOCKED])
    }

    /// B goes along A's first axis.
    #[must_use]
    pub fn slider(bodies: [u32; 2], frames: [JointFrame; 2]) -> Joint {
        Joint::new(JointKind::Slider, bodies, frames, [FREE, LOCKED, LOCKED, LOCKED, LOCKED, LOCKED])
    }

    /// B is part of A.
    #[must_use]
    pub fn fixed(bodies: [u32; 2], frames: [JointFrame; 2]) -> Joint {
        Joint::new(JointKind::Fixed, bodies, frames, [LOCKED; 6])
    }

    /// Three translations along A's axes and three angles about x of A, y between, z of B (in this order; the second
    /// less than a right angle), each free, limited or locked.
    #[must_use]
    pub fn six_dof(bodies: [u32; 2], frames: [JointFrame; 2], axes: [Axis; 6]) -> Joint {
        Joint::new(JointKind::SixDof, bodies, frames, axes)
    }

    /// The anchors are `min` to `max` metres apart; where both are equal, exactly so.
    #[must_use]
    pub fn distance(bodies: [u32; 2], frames: [JointFrame; 2], min: f32, max: f32) -> Joint {
        let motion = if min == max { Motion::Locked { at: min } } else { Motion::Limited { lower: min, upper: max } };
        Joint::new(JointKind::Distance, bodies, frames, [Axis { motion, ..FREE }, FREE, FREE, FREE, FREE, FREE])
    }

    /// The anchors are at most `max` metres apart.
    #[must_use]
    pub fn rope(bodies: [u32; 2], frames: [JointFrame; 2], max: f32) -> Joint {
        Joint::distance(bodies, frames, f32::NEG_INFINITY, max)
    }

    /// A spring and a damper between the anchors.
    #[must_use]
    pub fn spring(bodies: [u32; 2], frames: [JointFrame; 2], spring: Spring) -> Joint {
        Joint::new(JointKind::Spring, bodies, frames, [Axis { spring, ..FREE }, FREE, FREE, FREE, FREE, FREE])
    }

    /// A turns about its first axis `ratio` times as far as B about its own; below 0: the other way round. Each body
    /// needs a hinge beside it; the hinges' other bodies get no reaction (as in Jolt and PhysX).
    #[must_use]
    pub fn gear(bodies: [u32; 2], frames: [JointFrame; 2], ratio: f32) -> Joint {
        let axes = [LOCKED, FREE, FREE, FREE, FREE, FREE];
        Joint { ratio, ..Joint::new(JointKind::Gear, bodies, frames, axes) }
    }

    /// A turns about its first axis by `ratio` rad a metre that B goes along its own: 1 / radius. Needs a hinge and a
    /// slider beside it.
    #[must_use]
    pub fn rack_and_pinion(bodies: [u32; 2], frames: [JointFrame; 2], ratio: f32) -> Joint {
        let axes = [LOCKED, FREE, FREE, FREE, FREE, FREE];
        Joint { ratio, ..Joint::new(JointKind::RackAndPinion, bodies, frames, axes) }
    }

    /// Each of its axes, for lanes.
    pub(super) fn axis_lanes(&self) -> [AxisLanes<f32>; 6] {
        std::array::from_fn(|i| AxisLanes::new(&self.axes[i], self.hauled[i]))
    }

    /// The same with limits on a coordinate: [`ALONG`] for a slider, [`ABOUT`] for a hinge.
    #[must_use]
    pub fn with_limits(mut self, axis: usize, lower: f32, upper: f32) -> Joint {
        if let Some(axis) = self.axes.get_mut(axis) {
            axis.motion = Motion::Limited { lower, upper };
        }
        self
    }

    /// The same with a motor on a coordinate.
    #[must_use]
    pub fn with_motor(mut self, axis: usize, motor: Motor) -> Joint {
        if let Some(axis) = self.axes.get_mut(axis) {
            axis.motor = motor;
        }
        self
    }

    /// The same with a spring and a damper on a coordinate: on [`ALONG`] of a slider it is a suspension, without
    /// stiffness a damper.
    #[must_use]
    pub fn with_spring(mut self, axis: usize, spring: Spring) -> Joint {
        if let Some(axis) = self.axes.get_mut(axis) {
            axis.spring = spring;
        }
        self
    }

    /// The same, breaking at this many N or N m.
    #[must_use]
    pub fn breaking_at(self, break_force: f32, break_torque: f32) -> Joint {
        Joint { break_force, break_torque, ..self }
    }

    /// Whether it locks a coordinate.
    #[must_use]
    pub fn locks(&self) -> bool {
        let count = if matches!(self.kind.measure(), Measure::Gimbal | Measure::Swing) { 6 } else { 1 };
        self.axes[..count].iter().any(|axis| matches!(axis.motion, Motion::Locked { .. }))
    }

    /// The axis that its motors usually drive: [`ABOUT`] for what turns, [`ALONG`] for all others.
    #[must_use]
    pub fn driven_axis(&self) -> usize {
        match self.kind {
            JointKind::Hinge | JointKind::Universal | JointKind::Ball => ABOUT,
            _ => ALONG,
        }
    }
}
