//! How rows of joints yield: rigid ones as far as an iteration can carry them, springs as their stiffness says.

use super::Spring;
use crate::softness::Softness;
use crate::tuning::{JOINT_SPEED, SERVO};
use seidel_kernels::Lanes;

/// The velocity that takes C back, up to [`JOINT_SPEED`].
#[inline(always)]
pub(super) fn bias<L: Lanes>(soft: Softness, c: L) -> L {
    let most = L::splat(f64::from(JOINT_SPEED));
    (c * L::splat(f64::from(soft.rate))).smaller(most).larger(-most)
}

/// The change of a spring's impulse: afterwards impulse = -h k (x - rest) - y x', with x' after it and K the row's
/// inverse mass.
///
/// A step of that and x += h x' is symplectic Euler's, which neither gains nor loses. A damper decays by 1 / (1 + K y),
/// so y is such that this is exp(-K c h). A spring of omega h near 1 would break away: with s = k K h^2 = (omega h)^2,
/// y takes s / (1 + s) of the h^2 k that an implicit step takes (Catto, "Soft Constraints", 2011, has all of it, and
/// with it a damping ratio of omega h / 2).
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

/// What a spring's impulse gives way by for each velocity, as above but for the damper's growth, which knows one row
/// alone: y.
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
