//! Point and triangle: keeps a particle at a height over a triangle's plane, on its side.
//!
//! ```text
//!          0            N = (x2 - x1) x (x3 - x1),  n = N / |N|
//!          |            C(x) = (x0 - x1).n - d,   dC/dx0 = n,   dC/dxk = -b_k n
//!       1--+---3        b: barycentric coordinates of the foot of x0, also outside of the triangle
//!        \ | /
//!          2            seen from n: 1, 2, 3 counter-clockwise
//! ```
//! Müller et al. 2007, section 4.3, eq. 12, whose two sides are the two signs of d. This is the whole gradient, the
//! turning of n included. Compliance in m/N.

use seidel_kernels::tuning::MIN_AREA;
use seidel_kernels::{Constraint, Lanes, V3};

/// A particle and a triangle: [point, corner, corner, corner]. `rest = [d]`, in metres, signed.
#[derive(Clone, Copy, Debug)]
pub struct PointTriangle;

impl Constraint<4, 1> for PointTriangle {
    const LONG: bool = true;

    #[inline(always)]
    fn eval<L: Lanes>([x0, x1, x2, x3]: [V3<L>; 4], [rest]: [L; 1]) -> (L, [V3<L>; 4]) {
        let (a, b, p) = (x2 - x1, x3 - x1, x0 - x1);
        let normal = a.cross(b);
        let squared = normal.length_squared();
        let shaped = squared.gt(L::splat(MIN_AREA * MIN_AREA));
        let one = L::splat(1.0);
        let n = (normal * (one / squared.sqrt())).or_zero(shaped);
        let inverse = one / squared;
        let b2 = p.cross(b).dot(normal) * inverse;
        let b3 = a.cross(p).dot(normal) * inverse;
        let b1 = (one - b2) - b3;
        let g1 = (n * -b1).or_zero(shaped);
        let g2 = (n * -b2).or_zero(shaped);
        let g3 = (n * -b3).or_zero(shaped);
        (p.dot(n) - rest, [n, g1, g2, g3])
    }
}
