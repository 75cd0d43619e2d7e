//! What a joint keeps from step to step.

use super::{Axis, Motion, Motor};

/// A joint's memory. Its default is that of a joint that has not been solved yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointState {
    /// Impulses of a substep that lock or limit each coordinate, N s or N m s; of a ball without limits along the
    /// world's axes, unless a tree solves it: then along A's.
    pub hold: [f32; 6],
    /// Impulses of its motors.
    pub motor: [f32; 6],
    /// Impulses of its springs.
    pub spring: [f32; 6],
    /// The angle about the first axis within a turn, in (-pi, pi]; for a gear, its error so far, rad.
    pub angle: f32,
    /// Full turns about the first axis.
    pub turns: i32,
    /// It broke: it acts no more.
    pub broken: bool,
}

impl JointState {
    /// With 0 in place of what is no number: the bits of a NaN are not the same everywhere.
    #[must_use]
    pub fn finite(mut self) -> JointState {
        let number = |x: f32| if x.is_finite() { x } else { 0.0 };
        for impulses in [&mut self.hold, &mut self.motor, &mut self.spring] {
            *impulses = impulses.map(number);
        }
        self.angle = number(self.angle);
        self
    }

    /// With its impulses times a factor: for a substep of another length.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> JointState {
        for impulses in [&mut self.hold, &mut self.motor, &mut self.spring] {
            *impulses = impulses.map(|impulse| impulse * factor);
        }
        self.finite()
    }

    /// Of a joint that breaks now.
    pub(super) fn broken(&self) -> JointState {
        JointState { broken: true, angle: self.angle, turns: self.turns, ..JointState::default() }
    }

    /// Without the impulses of what is no more: a motor that was switched off, a limit that was lifted.
    pub(super) fn of_axes(&self, axes: &[Axis; 6]) -> JointState {
        let mut state = *self;
        for (i, axis) in axes.iter().enumerate() {
            let locked = matches!(axis.motion, Motion::Locked { .. });
            if matches!(axis.motion, Motion::Free) {
                state.hold[i] = 0.0;
            }
            if locked || matches!(axis.motor, Motor::Off) {
                state.motor[i] = 0.0;
            }
            if locked || axis.spring.is_none() {
                state.spring[i] = 0.0;
            }
        }
        state
    }

    /// All of it as bits, in a fixed order: for a hash of the state, or to write it.
    pub fn bits(&self) -> impl Iterator<Item = u32> + '_ {
        let impulses = self.hold.iter().chain(&self.motor).chain(&self.spring).map(|x| x.to_bits());
        impulses.chain([self.angle.to_bits(), self.turns as u32, u32::from(self.broken)])
    }

    /// From its bits; `None` where there are too few.
    pub fn from_bits(bits: &mut impl Iterator<Item = u32>) -> Option<JointState> {
        let mut state = JointState::default();
        for x in state.hold.iter_mut().chain(&mut state.motor).chain(&mut state.spring) {
            *x = f32::from_bits(bits.next()?);
        }
        state.angle = f32::from_bits(bits.next()?);
        state.turns = bits.next()? as i32;
        state.broken = bits.next()? != 0;
        Some(state)
    }
}
