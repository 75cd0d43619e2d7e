//! How a joint's bodies may move along one of its axes. Metres, N and N/m for a translation; rad, N m and N m/rad for a
//! rotation.

/// What one coordinate of a joint may do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Axis {
    /// Where it may go.
    pub motion: Motion,
    /// What pulls it back; not used where it is locked.
    pub spring: Spring,
    /// What drives it; not used where it is locked.
    pub motor: Motor,
}

impl Axis {
    /// Goes anywhere.
    pub const FREE: Axis = Axis { motion: Motion::Free, spring: Spring::NONE, motor: Motor::Off };
    /// Stays at 0.
    pub const LOCKED: Axis = Axis { motion: Motion::Locked { at: 0.0 }, ..Axis::FREE };

    /// Goes from `lower` to `upper`; either may be infinite.
    #[must_use]
    pub const fn limited(lower: f32, upper: f32) -> Axis {
        Axis { motion: Motion::Limited { lower, upper }, ..Axis::FREE }
    }

    /// Nothing acts along it.
    pub(super) fn is_free(&self) -> bool {
        matches!((self.motion, self.motor), (Motion::Free, Motor::Off)) && self.spring.is_none()
    }
}

/// Where a coordinate may go.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub enum Motion {
    /// Anywhere.
    #[default]
    Free,
    /// It stays here.
    Locked { at: f32 },
    /// From `lower` to `upper`. Angles about the first axis are counted over full turns.
    Limited { lower: f32, upper: f32 },
}

/// A spring and a damper on a coordinate: force = -stiffness (x - rest) - damping x'. Where sweeps solve it, a
/// stiffness above 1.75 / (K h^2), with the inverse mass K that it sees and substeps of h seconds, counts as that.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spring {
    /// N/m or N m/rad, >= 0: 1 / compliance.
    pub stiffness: f32,
    /// N s/m or N m s/rad, >= 0.
    pub damping: f32,
    /// Where it pulls to, m or rad.
    pub rest: f32,
}

impl Spring {
    /// No force at all.
    pub const NONE: Spring = Spring { stiffness: 0.0, damping: 0.0, rest: 0.0 };

    pub(super) fn is_none(&self) -> bool {
        self.stiffness == 0.0 && self.damping == 0.0
    }
}

/// A motor on a coordinate. Its force is at most `limit`, in N or N m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub enum Motor {
    /// None.
    #[default]
    Off,
    /// Brings the coordinate's velocity to this, m/s or rad/s.
    Velocity { target: f32, limit: f32 },
    /// Brings the coordinate to this, m or rad, no faster than `limit` can brake in time, and at 20 m/s or rad/s at most;
    /// holds it there as a stiff spring does. Angles about the first axis count full turns.
    Position { target: f32, limit: f32 },
}

/// What [`Axis`] says, in lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisLanes<L> {
    /// Limits; where it is locked, the first.
    pub(super) lower: L,
    pub(super) upper: L,
    /// See [`Spring`].
    pub(super) stiffness: L,
    pub(super) damping: L,
    pub(super) rest: L,
    /// See [`Motor`]; and how fast the target of a position's motor moves, m/s or rad/s.
    pub(super) target: L,
    pub(super) limit: L,
    pub(super) rate: L,
    /// See [`super::Joint`].
    pub(super) hauled: L,
}

/// How many numbers an axis is.
pub(super) const NUMBERS: usize = 9;

impl<L: Copy> AxisLanes<L> {
    /// From its numbers.
    #[inline(always)]
    pub(super) fn of([lower, upper, stiffness, damping, rest, target, limit, rate, hauled]: [L; NUMBERS]) -> Self {
        AxisLanes { lower, upper, stiffness, damping, rest, target, limit, rate, hauled }
    }
}

impl AxisLanes<f32> {
    /// Its numbers.
    pub(super) fn numbers(&self) -> [f32; NUMBERS] {
        let AxisLanes { lower, upper, stiffness, damping, rest, target, limit, rate, hauled } = *self;
        [lower, upper, stiffness, damping, rest, target, limit, rate, hauled]
    }

    /// Drives it by another motor, which is of the same kind.
    pub(super) fn drive(&mut self, motor: Motor, rate: f32) {
        (self.target, self.limit) = motor.numbers();
        self.rate = rate;
    }
}

impl Motor {
    /// Target and limit.
    fn numbers(self) -> (f32, f32) {
        match self {
            Motor::Off => (0.0, 0.0),
            Motor::Velocity { target, limit } | Motor::Position { target, limit } => (target, limit),
        }
    }
}

impl AxisLanes<f32> {
    /// Of an axis, and what its motor hauls.
    pub(super) fn new(axis: &Axis, hauled: f32) -> Self {
        let (lower, upper) = match axis.motion {
            Motion::Free => (f32::NEG_INFINITY, f32::INFINITY),
            Motion::Locked { at } => (at, at),
            Motion::Limited { lower, upper } => (lower, upper),
        };
        let Spring { stiffness, damping, rest } = axis.spring;
        let (target, limit) = axis.motor.numbers();
        AxisLanes { lower, upper, stiffness, damping, rest, target, limit, rate: 0.0, hauled }
    }
}
