//! A row of the Jacobian, of any kind: what a coordinate's velocity is of two bodies' velocities.
//!
//! C' = l_b.v_b + a_b.w_b - l_a.v_a - a_a.w_a. The row times an impulse is an impulse on both bodies, so sums of rows
//! are impulses, too.

use crate::BodyRow;
use seidel_kernels::{Lanes, V3};

/// Factors of velocities and of angular velocities, for A (to be subtracted) and B.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<L> {
    pub(super) linear: [V3<L>; 2],
    pub(super) angular: [V3<L>; 2],
}

impl<L: Lanes> Row<L> {
    pub(super) fn zero() -> Self {
        Row { linear: [V3::zero(); 2], angular: [V3::zero(); 2] }
    }

    /// The same direction on both bodies, at these places from their centres.
    pub(super) fn along(n: V3<L>, [a, b]: [V3<L>; 2]) -> Self {
        Row { linear: [n, n], angular: [a.cross(n), b.cross(n)] }
    }

    /// An angle about an axis.
    pub(super) fn about(n: V3<L>) -> Self {
        Row { linear: [V3::zero(); 2], angular: [n, n] }
    }

    /// This, and another times a number.
    pub(super) fn plus(self, other: Self, factor: L) -> Self {
        let ([la, lb], [aa, ab]) = (self.linear, self.angular);
        let ([ma, mb], [ba, bb]) = (other.linear, other.angular);
        Row { linear: [la + ma * factor, lb + mb * factor], angular: [aa + ba * factor, ab + bb * factor] }
    }

    /// C' from (v, w) of A and B.
    pub(super) fn rate(&self, [va, vb]: [V3<L>; 2], [wa, wb]: [V3<L>; 2]) -> L {
        let ([la, lb], [aa, ab]) = (self.linear, self.angular);
        (lb.dot(vb) - la.dot(va)) + (ab.dot(wb) - aa.dot(wa))
    }
}

impl Row<f32> {
    /// C' of two bodies.
    pub(super) fn velocity(&self, a: &BodyRow, b: &BodyRow) -> f32 {
        self.rate([a.velocity(), b.velocity()], [a.angular_velocity(), b.angular_velocity()])
    }

    /// M^-1 J^T: velocities that an impulse of 1 along it gives, with A's to be subtracted.
    pub(super) fn response(&self, a: &BodyRow, b: &BodyRow) -> Row<f32> {
        let ([la, lb], [aa, ab]) = (self.linear, self.angular);
        let times = |l: V3<f32>, m: V3<f32>| V3::new(l.x * m.x, l.y * m.y, l.z * m.z);
        Row {
            linear: [times(la, a.inv_masses()), times(lb, b.inv_masses())],
            angular: [a.inverse_inertia(aa), b.inverse_inertia(ab)],
        }
    }

    /// J M^-1 J'^T from the other's response.
    pub(super) fn inverse_mass(&self, response: &Row<f32>) -> f32 {
        let ([la, lb], [aa, ab]) = (self.linear, self.angular);
        let ([ma, mb], [ba, bb]) = (response.linear, response.angular);
        (lb.dot(mb) + la.dot(ma)) + (ab.dot(bb) + aa.dot(ba))
    }

    /// Applies it as an impulse to both bodies, or to none where anything is not finite: a body that is lost takes no
    /// other with it.
    pub(super) fn apply(&self, a: &mut BodyRow, b: &mut BodyRow) -> bool {
        let change = self.response(a, b);
        let (va, wa) = (a.velocity() - change.linear[0], a.angular_velocity() - change.angular[0]);
        let (vb, wb) = (b.velocity() + change.linear[1], b.angular_velocity() + change.angular[1]);
        if !((va.norm_1() + wa.norm_1()) + (vb.norm_1() + wb.norm_1())).is_finite() {
            return false;
        }
        (a.v, a.w) = ([va.x, va.y, va.z, a.v[3]], [wa.x, wa.y, wa.z, a.w[3]]);
        (b.v, b.w) = ([vb.x, vb.y, vb.z, b.v[3]], [wb.x, wb.y, wb.z, b.w[3]]);
        true
    }
}
