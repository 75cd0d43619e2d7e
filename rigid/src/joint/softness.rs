//! How rows give way: rigid ones as far as an iteration can carry them, springs as their stiffness says.

use super::Spring;
use crate::tuning::{JOINT_DAMPING, JOINT_FREQUENCY, JOINT_SPEED, SERVO};
use seidel_kernels::Lanes;
use std::f32::consts::TAU;

/// A soft row: impulse = -mass_scale (C' + rate C) / K - impulse_scale * (impulse so far). Catto, "Soft Contact", 2024.
#[derive(Clone, Copy, Debug)]
pub struct Softness {
    /// Share of C that is taken back in a second, 1/s: omega / (2 zeta + h omega).
    pub rate: f32,
    /// No unit, up to 1.
    pub mass_scale: f32,
    /// No unit, 0 for a rigid row.
    pub impulse_scale: f32,
}

impl Softness {
    /// Without bias: the relaxing sweeps.
    pub const RELAX: Softness = Softness { rate: 0.0, mass_scale: 1.0, impulse_scale: 0.0 };

    /// The velocity that takes C back.
    #[inline(always)]
    pub(super) fn bias<L: Lanes>(&self, c: L) -> L {
        let most = L::splat(f64::from(JOINT_SPEED));
        (c * L::splat(f64::from(self.rate))).smaller(most).larger(-most)
    }

    /// As stiff as substeps of `h` seconds carry.
    #[must_use]
    pub fn rigid(h: f32) -> Softness {
        let (zeta, omega) = (JOINT_DAMPING, TAU * JOINT_FREQUENCY / h);
        let a1 = 2.0 * zeta + h * omega;
        let a2 = h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        Softness { rate: omega / a1, mass_scale: a2 * a3, impulse_scale: a3 }
    }
}

/// The change of a spring's impulse: afterwards impulse = -h k (x - rest) - y x', with x' after it and K the row's inverse mass.
///
/// A step of that and x += h x' is symplectic Euler's, which neither gains nor loses. A damper decays by 1 / (1 + K y), so y is such
/// that this is exp(-K c h). A spring of omega h near 1 would break away: with s = k K h^2 = (omega h)^2, y takes s / (1 + s) of the h^2 k
/// that an implicit step takes (Catto, "Soft Constraints", 2011, has all of it, and with it a damping ratio of omega h / 2).
pub(super) fn spring_impulse(spring: Spring, at: f32, velocity: f32, inv_mass: f32, h: f32, so_far: f32) -> f32 {
    let hk = h * spring.stiffness;
    let s = hk * h * inv_mass;
    let x = spring.damping * inv_mass * h;
    // (exp(x) - 1) / x to the third order; a damper that stops all in a substep need not be exact.
    let bounded = x.smaller(8.0);
    let growth = 1.0 + bounded * (0.5 + bounded * (1.0 / 6.0));
    let y = h * spring.damping * growth + hk * h * (s / (1.0 + s));
    -((hk * (at - spring.rest) + y * velocity) + so_far) / (1.0 + y * inv_mass)
}

/// What a spring's impulse gives way by for each velocity, as above but for the damper's growth, which knows one row alone: y.
pub(super) fn spring_yield(spring: Spring, inv_mass: f32, h: f32) -> f32 {
    let hk = h * spring.stiffness;
    let s = hk * h * inv_mass;
    h * spring.damping + hk * h * (s / (1.0 + s))
}

/// The velocity with which a motor of this limit goes to its target: such that it can still brake.
pub(super) fn servo(error: f32, limit: f32, inv_mass: f32, h: f32) -> f32 {
    let speed = (error.abs() * (SERVO / h)).smaller((2.0 * (limit * inv_mass) * error.abs()).sqrt());
    if error > 0.0 { -speed } else { speed }
}
