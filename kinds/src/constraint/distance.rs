//! Distance: keeps two particles a rest length apart.
//!
//! C(x) = |x0 - x1| - L,   dC/dx0 = n,   dC/dx1 = -n,   n = (x0 - x1) / |x0 - x1|
//! Müller et al. 2007, "Position Based Dynamics", section 3.3, eq. 10-11. Compliance in m/N.

use seidel_kernels::tuning::{MAX_CORRECTION, MIN_DENOMINATOR, MIN_LENGTH};
use seidel_kernels::{Constraint, Lanes, Point, Project, Softness, V3};

/// Two particles at a rest length. `rest = [L]`, in metres, >= 0.
#[derive(Clone, Copy, Debug)]
pub struct Distance;

impl Constraint<2, 1> for Distance {
    #[inline(always)]
    fn eval<L: Lanes>([x0, x1]: [V3<L>; 2], [rest]: [L; 1]) -> (L, [V3<L>; 2]) {
        let d = x0 - x1;
        let len = d.length();
        // Coincident points have no direction: give none, and C moves nothing.
        let n = (d * (L::splat(1.0) / len)).or_zero(len.gt(L::splat(MIN_LENGTH)));
        (len - rest, [n, -n])
    }
}

/// Written out because it pays: the gradients have length 1, so one division serves direction and multiplier.
impl Project<1, 1> for Distance {
    type Slots<L: Lanes> = [Point<L>; 2];

    #[inline(always)]
    fn project<L: Lanes>(slots: &mut [Point<L>; 2], rest: &[L; 1], soft: Softness<L>, lambda: &mut [L; 1]) {
        let [p0, p1] = slots;
        let d = p1.x - p0.x;
        let len = d.length();
        let weighted = p0.w + p1.w;
        let c = if soft.rates { d.dot(p1.du - p0.du) / len } else { len - rest[0] };
        // -dlambda / len: the gradient's division and the multiplier's are one.
        let pull = ((c + soft.a * lambda[0]) * soft.k) / (soft.denominator(weighted) * len);
        let moves = weighted.gt(L::splat(MIN_DENOMINATOR)) & len.gt(L::splat(MIN_LENGTH));
        let sane = moves & (weighted * pull.abs() * len).lt(L::splat(MAX_CORRECTION));
        p0.dx = (d * (p0.w * pull)).or_zero(sane);
        p1.dx = (d * (p1.w * -pull)).or_zero(sane);
        lambda[0] = L::select(sane, lambda[0] - pull * len, lambda[0]);
    }

    #[inline(always)]
    fn value<L: Lanes>(slots: &[Point<L>; 2], rest: &[L; 1]) -> L {
        Self::eval([slots[0].x, slots[1].x], *rest).0
    }
}
