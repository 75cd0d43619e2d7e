//! How rows of joints yield: rigid ones as far as an iteration can carry them, springs as their stiffness says.

use super::Spring;
use super::axis::AxisLanes;
use crate::softness::Softness;
use crate::tuning::{JOINT_SPEED, SERVO, SERVO_SPEED, SPRING_MOST};
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
/// so y is such that this is exp(-K c h) while K c h is below
/// 1; a stronger one acts as it says. A spring of omega h near 1 would break away: with s = k K h^2 = (omega h)^2,
/// y takes s / (1 + s) of the h^2 k that an implicit step takes (Catto, "Soft Constraints", 2011, has all of it, and
/// with it a damping ratio of omega h / 2), times 1 + (s / s_most)^2. Above s_most, [`SPRING_MOST`], a spring counts as
/// no stiffer: stiffer ones in a chain would take from each other more than they give, as hard rows do
/// (docs/decisions/rigid-joints.md).
#[inline(always)]
pub(super) fn spring_impulse<L: Lanes>(spring: &AxisLanes<L>, at: L, velocity: L, inv_mass: L, h: L, so_far: L) -> L {
    let (one, most) = (L::splat(1.0), L::splat(f64::from(SPRING_MOST)));
    let hk = h * spring.stiffness;
    let s = (hk * h * inv_mass).smaller(most);
    let hk = hk.smaller(most / (h * inv_mass));
    let share = s * L::splat(f64::from(1.0 / SPRING_MOST));
    let implicit = s / (one + s) * (one + share * share);
    let x = spring.damping * inv_mass * h;
    // (exp(x) - 1) / x to the third order. Of a damper that stops its own two bodies within a substep, 1: with more it
    // would be too much for all that hangs on them.
    let bounded = x.smaller(one / x);
    let growth = one + bounded * (L::splat(0.5) + bounded * L::splat(1.0 / 6.0));
    let y = h * spring.damping * growth + hk * h * implicit;
    -((hk * (at - spring.rest) + y * velocity) + so_far) / (one + y * inv_mass)
}

/// The most that a spring's stiffness counts, where sweeps solve it, N/m or N m/rad.
pub(super) fn most_stiffness(inv_mass: f32, h: f32) -> f32 {
    SPRING_MOST / (inv_mass * h * h)
}

/// What a spring's impulse gives way by for each velocity, y, where a tree solves it: exactly, so however stiff it is,
/// and without the damper's growth, which knows one row alone.
pub(super) fn spring_yield(spring: Spring, inv_mass: f32, h: f32) -> f32 {
    let hk = h * spring.stiffness;
    let s = hk * h * inv_mass;
    h * spring.damping + hk * h * (s / (1.0 + s))
}

/// The velocity with which a motor of this limit goes to its target: such that it can still brake, and no faster than
/// [`SERVO_SPEED`].
#[inline(always)]
pub(super) fn servo<L: Lanes>(error: L, limit: L, inv_mass: L, h: f32) -> L {
    let quick = (error.abs() * L::splat(f64::from(SERVO / h))).smaller(L::splat(f64::from(SERVO_SPEED)));
    let speed = quick.smaller((L::splat(2.0) * (limit * inv_mass) * error.abs()).sqrt());
    L::select(error.gt(L::zero()), -speed, speed)
}
