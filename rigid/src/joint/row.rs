//! A row of the Jacobian, of any kind: what a coordinate's velocity is of two bodies' velocities.
//!
//! C' = l_b.v_b + a_b.w_b - l_a.v_a - a_a.w_a. The row times an impulse is an impulse on both bodies, so sums of rows
//! are impulses, too.

use super::ball::{BodyLanes, times};
use seidel_kernels::{Lanes, V3};

/// Factors of velocities and of angular velocities, for A (to be subtracted) and B.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<L> {
    pub(super) linear: [V3<L>; 2],
    pub(super) angular: [V3<L>; 2],
}

impl<L: Lanes> Row<L> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Row { linear: [V3::zero(); 2], angular: [V3::zero(); 2] }
    }

    /// The same direction on both bodies, at these places from their centres.
    #[inline(always)]
    pub(super) fn along(n: V3<L>, [a, b]: [V3<L>; 2]) -> Self {
        Row { linear: [n, n], angular: [a.cross(n), b.cross(n)] }
    }

    /// An angle about an axis.
    #[inline(always)]
    pub(super) fn about(n: V3<L>) -> Self {
        Row { linear: [V3::zero(); 2], angular: [n, n] }
    }

    /// This, and another times a number.
    #[inline(always)]
    pub(super) fn plus(self, other: Self, factor: L) -> Self {
        let ([la, lb], [aa, ab]) = (self.linear, self.angular);
        let ([ma, mb], [ba, bb]) = (other.linear, other.angular);
        Row { linear: [la + ma * factor, lb + mb * factor], angular: [aa + ba * factor, ab + bb * factor] }
    }

    /// `mask ? self : 0`
    #[inline(always)]
    pub(super) fn or_zero(self, mask: L::Mask) -> Self {
        let ([la, lb], [aa, ab]) = (self.linear, self.angular);
        Row { linear: [la.or_zero(mask), lb.or_zero(mask)], angular: [aa.or_zero(mask), ab.or_zero(mask)] }
    }

    /// C' from (v, w) of A and B.
    #[inline(always)]
    pub(super) fn rate(&self, [va, vb]: [V3<L>; 2], [wa, wb]: [V3<L>; 2]) -> L {
        let ([la, lb], [aa, ab]) = (self.linear, self.angular);
        (lb.dot(vb) - la.dot(va)) + (ab.dot(wb) - aa.dot(wa))
    }
}

impl<L: Lanes> Row<L> {
    /// C' of two bodies.
    #[inline(always)]
    pub(super) fn velocity(&self, [a, b]: [&BodyLanes<L>; 2]) -> L {
        self.rate([a.v, b.v], [a.w, b.w])
    }

    /// M^-1 J^T: velocities that an impulse of 1 along it gives, with A's to be subtracted.
    #[inline(always)]
    pub(super) fn response(&self, [a, b]: [&BodyLanes<L>; 2]) -> Row<L> {
        let ([la, lb], [aa, ab]) = (self.linear, self.angular);
        Row { linear: [times(la, a.inv_mass), times(lb, b.inv_mass)], angular: [a.turned(aa), b.turned(ab)] }
    }

    /// J M^-1 J'^T from the other's response.
    #[inline(always)]
    pub(super) fn inverse_mass(&self, response: &Row<L>) -> L {
        let ([la, lb], [aa, ab]) = (self.linear, self.angular);
        let ([ma, mb], [ba, bb]) = (response.linear, response.angular);
        (lb.dot(mb) + la.dot(ma)) + (ab.dot(bb) + aa.dot(ba))
    }

    /// Applies it as an impulse to both bodies, or to none where anything is not finite: a body that is lost takes no
    /// other with it. Says in which lanes it did.
    #[inline(always)]
    pub(super) fn apply(&self, [a, b]: [&mut BodyLanes<L>; 2]) -> L::Mask {
        let change = self.response([&*a, &*b]);
        let (va, wa) = (a.v - change.linear[0], a.w - change.angular[0]);
        let (vb, wb) = (b.v + change.linear[1], b.w + change.angular[1]);
        let fine = ((va.norm_1() + wa.norm_1()) + (vb.norm_1() + wb.norm_1())).finite();
        (a.v, a.w) = (V3::select(fine, va, a.v), V3::select(fine, wa, a.w));
        (b.v, b.w) = (V3::select(fine, vb, b.v), V3::select(fine, wb, b.w));
        fine
    }
}
