//! Edge and edge: keeps two edges at a distance.
//!
//! ```text
//!     0 ---+---- 1      c = (x0 + s (x1 - x0)) - (x2 + t (x3 - x2)),  s and t within 0 .. 1 of the nearest points
//!          |  c         n = c / |c|,   C(x) = |c| - d
//!     2 ---+---- 3      dC/dx = (1 - s) n, s n, -(1 - t) n, -t n
//! ```
//! s and t minimise |c|, so they need no gradient of their own (Ericson 2005, "Real-Time Collision Detection", section
//! 5.1.9, for the nearest points). Compliance in m/N.

use seidel_kernels::tuning::{MIN_LENGTH, PARALLEL};
use seidel_kernels::{Constraint, Lanes, V3};

/// Two edges: [end, end, end, end]. `rest = [d]`, in metres, >= 0.
#[derive(Clone, Copy, Debug)]
pub struct EdgeEdge;

/// `top / bottom` clamped to 0 .. 1; 0 where `bottom` vanishes.
#[inline(always)]
fn share<L: Lanes>(top: L, bottom: L) -> L {
    let quotient = (top / bottom).or_zero(bottom.gt(L::splat(MIN_LENGTH * MIN_LENGTH)));
    quotient.larger(L::zero()).smaller(L::splat(1.0))
}

impl Constraint<4, 1> for EdgeEdge {
    const LONG: bool = true;

    #[inline(always)]
    fn eval<L: Lanes>([x0, x1, x2, x3]: [V3<L>; 4], [rest]: [L; 1]) -> (L, [V3<L>; 4]) {
        let (d, e, r) = (x1 - x0, x3 - x2, x0 - x2);
        let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
        let (dr, er) = (d.dot(r), e.dot(r));
        let (zero, one) = (L::zero(), L::splat(1.0));
        // Parallel edges: any s will do. Take the first end, s = 0.
        let sine = dd * ee - de * de;
        let s = ((de * er - dr * ee) / sine).or_zero(sine.gt(dd * ee * L::splat(PARALLEL)));
        let s = s.larger(zero).smaller(one);
        // t is nearest to the point at s. Then s is nearest to the point at t, as t may have been clamped.
        let t = share(de * s + er, ee);
        let s = share(de * t - dr, dd);
        let c = (r + d * s) - e * t;
        let len = c.length();
        let n = (c * (one / len)).or_zero(len.gt(L::splat(MIN_LENGTH)));
        (len - rest, [n * (one - s), n * s, n * (t - one), n * -t])
    }
}
