//! Point and edge: keeps a particle at a distance from an edge.
//!
//! ```text
//!          0            t = (x0 - x1).e / |e|^2 within 0 .. 1,  e = x2 - x1
//!          |            c = x0 - ((1 - t) x1 + t x2),  n = c / |c|
//!     1 ---+---- 2      C(x) = |c| - d,   dC/dx0 = n,   dC/dx1 = -(1 - t) n,   dC/dx2 = -t n
//! ```
//! The edge's nearest point moves along the edge only, across n, so t needs no gradient of its own. Compliance in m/N.

use seidel_kernels::tuning::MIN_LENGTH;
use seidel_kernels::{Constraint, Lanes, V3};

/// A particle and an edge: [point, end, end]. `rest = [d]`, in metres, >= 0.
#[derive(Clone, Copy, Debug)]
pub struct PointEdge;

impl Constraint<3, 1> for PointEdge {
    const LONG: bool = true;

    #[inline(always)]
    fn eval<L: Lanes>([x0, x1, x2]: [V3<L>; 3], [rest]: [L; 1]) -> (L, [V3<L>; 3]) {
        let (e, a) = (x2 - x1, x0 - x1);
        let (zero, one, ee) = (L::zero(), L::splat(1.0), e.length_squared());
        // An edge without a length is its first end.
        let t = (a.dot(e) / ee).or_zero(ee.gt(L::splat(MIN_LENGTH * MIN_LENGTH)));
        let t = t.larger(zero).smaller(one);
        let c = a - e * t;
        let len = c.length();
        let n = (c * (one / len)).or_zero(len.gt(L::splat(MIN_LENGTH)));
        (len - rest, [n, n * (t - one), n * -t])
    }
}
