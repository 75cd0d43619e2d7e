//! A particle that a point of a rigid body holds: a ball joint of both.
//!
//! ```text
//!   C = x - q = 0                       x: the particle, q: the body's point, both at the end of the substep
//!   K = (w + 1/M) 1 + S I^-1 S^T        S e_k = r x e_k, r: from the body's centre of mass to the particle
//!   dlambda = -(K + alpha/h^2 1)^-1 (C + alpha/h^2 lambda),   dx = w dlambda,   dX = -dlambda / M,   dtheta = -I^-1 (r x dlambda)
//! ```
//! The three rows are solved at once. One impulse on both sides and at one place, where the particle is when the
//! substep begins: velocities are ways over the substep, so only there both momenta stay, to roundings.
//!
//! Source: Müller, Macklin, Chentanez, Jeschke, Kim 2020, section 3.3.1, eq. 2-9.

use super::rows::Carrier;
use super::{Mover, P};
use crate::integrate::Motion;
use crate::{Layout, V3};

/// A particle's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    at: u32,
    stride: u32,
}

impl Hold {
    /// Of a row in its layout.
    #[must_use]
    pub fn new(layout: Layout, row: usize) -> Hold {
        Hold { at: layout.offset(row) as u32, stride: layout.stride() as u32 }
    }

    /// The first number of the row, as features have it.
    #[must_use]
    pub fn first(&self) -> u32 {
        self.at
    }

    /// Brings the particle and the body's point together. `point` is where the body's way ends for it, before contacts;
    /// `softness` is the compliance over the substep's square, 1/kg; `lambda` the impulse so far, times the substep.
    ///
    /// # Safety
    /// Nobody else uses the row meanwhile.
    ///
    /// # Panics
    /// If there is no such row.
    pub unsafe fn solve(
        &self,
        motion: &Motion<'_>,
        body: &mut Mover,
        point: [f64; 3],
        softness: f64,
        lambda: &mut [f64; 3],
    ) {
        // SAFETY: the caller promises that nobody else uses the row; `read` checks that it is there.
        let mut particle = unsafe { Carrier::read(motion, self.at, self.stride) };
        let point = P::set(point);
        let c = (particle.x + particle.u) - point - body.pushed(body.arm(point));
        let arm = body.arm_at_start(particle.x + particle.r);
        let (zero, one, so_far) = (0.0, particle.w + softness, P::set(*lambda));
        let columns = [V3::new(one, zero, zero), V3::new(zero, one, zero), V3::new(zero, zero, one)];
        let axes = [V3::new(1.0, zero, zero), V3::new(zero, 1.0, zero), V3::new(zero, zero, 1.0)];
        let [a, b, d] = [0, 1, 2].map(|k| columns[k] + body.yields(arm, axes[k]));
        let minors = [b.cross(d), d.cross(a), a.cross(b)];
        let determinant = a.dot(minors[0]);
        let wanted = -(c + so_far * softness);
        // Cramer's rule. Where nothing can move, there is no determinant.
        let change = V3::new(minors[0].dot(wanted), minors[1].dot(wanted), minors[2].dot(wanted)) * (1.0 / determinant);
        if !(determinant > zero && change.length_squared().is_finite()) {
            return;
        }
        body.push(arm, -change);
        let total = so_far + change;
        *lambda = [total.x, total.y, total.z];
        if particle.w > zero {
            particle.u = particle.u + change * particle.w;
            // SAFETY: the caller promises that nobody else uses the row; `write` checks that it is there.
            unsafe { particle.write(motion, self.at, self.stride) };
        }
    }
}
