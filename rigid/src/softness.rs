//! How contacts and joints of rigid bodies yield: as little as an iteration can carry.

use crate::tuning::{DAMPING_RATIO, FREQUENCY};
use std::f32::consts::TAU;

/// A soft row: impulse = -mass_scale (C' + rate C) / K - impulse_scale * (impulse so far). Catto, "Soft Constraints",
/// GDC 2011, in the form of "Soft Contact", 2024.
#[derive(Clone, Copy, Debug)]
pub struct Softness {
    /// 1 / h of the substep.
    pub inv_h: f32,
    /// Share of C that is taken back in a second, 1/s: omega / (2 zeta + h omega).
    pub rate: f32,
    /// No unit, up to 1.
    pub mass_scale: f32,
    /// No unit, 0 for a rigid row.
    pub impulse_scale: f32,
}

impl Softness {
    /// Of rows that should be rigid, in substeps of `h` seconds.
    #[must_use]
    pub fn rigid(h: f32) -> Softness {
        // h omega
        let turn = TAU * FREQUENCY;
        let a1 = 2.0 * DAMPING_RATIO + turn;
        let a2 = turn * a1;
        let a3 = 1.0 / (1.0 + a2);
        Softness { inv_h: 1.0 / h, rate: turn / a1 / h, mass_scale: a2 * a3, impulse_scale: a3 }
    }

    /// The same without bias: the relaxing sweeps.
    #[must_use]
    pub fn relaxed(self) -> Softness {
        Softness { rate: 0.0, mass_scale: 1.0, impulse_scale: 0.0, ..self }
    }
}
