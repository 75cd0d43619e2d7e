//! What acts on each coordinate of a joint. Joints of one pattern do the same, so lanes can do it together.

use super::{Joint, Measure, Motion, Motor};

/// What acts on each coordinate, as masks: bit i is that of coordinate i.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pattern {
    pub(super) measure: Measure,
    /// Something does; and what.
    pub(super) used: u8,
    pub(super) locked: u8,
    pub(super) limited: u8,
    pub(super) springs: u8,
    /// Motors that go for a velocity, and for a position.
    pub(super) speeds: u8,
    pub(super) places: u8,
    /// It may break.
    pub(super) breaks: bool,
}

impl Pattern {
    /// Of a joint that does nothing.
    pub(super) fn idle(measure: Measure) -> Pattern {
        Pattern { measure, ..Pattern::default() }
    }

    /// How many coordinates are locked.
    #[inline(always)]
    pub(super) fn count_locked(&self) -> usize {
        self.locked.count_ones() as usize
    }

    /// Whether its angle about the first axis is counted.
    #[inline(always)]
    pub(super) fn counts_turns(&self) -> bool {
        matches!(self.measure, Measure::Gimbal | Measure::Swing) && self.used >> super::ABOUT != 0
    }
}

impl Joint {
    /// What acts on it while it is whole.
    #[must_use]
    pub fn pattern(&self) -> Pattern {
        let mut pattern = Pattern::idle(self.kind.measure());
        // The one coordinate of a distance or a gear is the first.
        let count = if matches!(pattern.measure, Measure::Gimbal | Measure::Swing) { 6 } else { 1 };
        for (i, axis) in self.axes.iter().enumerate().take(count) {
            let bit = |is: bool| u8::from(is) << i;
            pattern.used |= bit(!axis.is_free());
            if matches!(axis.motion, Motion::Locked { .. }) {
                pattern.locked |= bit(true);
                continue;
            }
            pattern.limited |= bit(matches!(axis.motion, Motion::Limited { .. }));
            pattern.springs |= bit(!axis.spring.is_none());
            pattern.speeds |= bit(matches!(axis.motor, Motor::Velocity { .. }));
            pattern.places |= bit(matches!(axis.motor, Motor::Position { .. }));
        }
        pattern.breaks = self.break_force < f32::INFINITY || self.break_torque < f32::INFINITY;
        pattern
    }
}

/// Whether a mask has a bit.
#[inline(always)]
pub(super) fn has(mask: u8, i: usize) -> bool {
    mask >> i & 1 != 0
}
