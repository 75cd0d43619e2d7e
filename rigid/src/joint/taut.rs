//! Bodies on which joints pull so hard that a substep is too long for their turns.
//!
//! ```text
//!  a force p / h at an arm r turns a body back like a spring of p |r| / h, across r: omega^2 = p |r| / (h I)
//!  explicit steps overshoot from (omega h)^2 = 4 on; with inertia s - share I more, s = sum h p |r|, they do not
//! ```
//! Tournier et al. 2015, Andrews, Teichmann, Kry 2017, "Geometric Stiffness for Real-time Constrained Multibody
//! Dynamics", as in [`super::Tree`]; here once a step, from the impulses of the step before, along principal axes.

use super::{Joint, JointState, Measure};
use crate::tuning::TAUT;

impl Joint {
    /// Impulse in a substep with which the joint holds gaps, N s.
    #[must_use]
    pub fn pull(&self, kept: &JointState) -> f64 {
        let [x, y, z, ..] = kept.hold.map(f64::from);
        match self.kind.measure() {
            Measure::Distance => x.abs(),
            Measure::Gear | Measure::Rack => 0.0,
            _ => f64::sqrt((x * x + y * y) + z * z),
        }
    }

    /// Whether it holds gaps at all.
    #[must_use]
    pub fn pulls(&self) -> bool {
        !matches!(self.kind.measure(), Measure::Gear | Measure::Rack)
    }

    /// Inertia about the principal axes of body A (0) or B (1), over h p: |r| times the square of the sine of the angle
    /// between r and each, metres.
    #[must_use]
    pub fn levers(&self, side: usize) -> [f64; 3] {
        let r = self.frames[side].anchor.map(f64::from);
        let squared = (r[0] * r[0] + r[1] * r[1]) + r[2] * r[2];
        let over = if squared > 0.0 { 1.0 / f64::sqrt(squared) } else { 0.0 };
        r.map(|of| (squared - of * of) * over)
    }
}

/// The inertia that a body gets about its principal axes beside its own, kg m^2, where all its joints together pull
/// with `pulls`, sum h p |r| across each: none below a share of its own.
#[must_use]
pub fn stiffened(pulls: [f64; 3], inertia: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| {
        let more = pulls[k] - TAUT * inertia[k];
        // Also where it is no number.
        if more > 0.0 { more } else { 0.0 }
    })
}
