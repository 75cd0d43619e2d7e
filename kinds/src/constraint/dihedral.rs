//! Dihedral: keeps the signed angle between two triangles that share an edge.
//!
//! ```text
//!          2                hinge x0 x1, wings x2 x3
//!        /   \              e = x1 - x0,  a = x2 - x0,  b = x3 - x0
//!      0 ----- 1            A = e x a,  B = b x e: both normals on one side
//!        \   /              theta = atan2(-|e| e.(a x b), A.B), flat = 0
//!          3                C(x) = theta - theta0, wrapped to (-pi, pi]
//! ```
//! Müller et al. 2007, section 4.1, whose acos(n1.n2) has no side and a singular gradient at flat and folded; the
//! signed angle has neither fault (acos form: phi = pi - |theta|). It does not depend on stretch. Compliance in rad^2 /
//! J.

use seidel_kernels::tuning::{MIN_AREA, MIN_LENGTH};
use seidel_kernels::{Constraint, Lanes, V3, trig};

/// Two triangles at a rest angle: [hinge, hinge, wing, wing]. `rest = [theta0]`, in radians, (-pi, pi]; flat is 0.
#[derive(Clone, Copy, Debug)]
pub struct Dihedral;

impl Constraint<4, 1> for Dihedral {
    #[inline(always)]
    fn eval<L: Lanes>([x0, x1, x2, x3]: [V3<L>; 4], [rest]: [L; 1]) -> (L, [V3<L>; 4]) {
        let (e, a, b) = (x1 - x0, x2 - x0, x3 - x0);
        let len = e.length();
        let (na, nb) = (e.cross(a), b.cross(e));
        let (aa, bb) = (na.length_squared(), nb.length_squared());
        // e.(a x b) = (e x a).b
        let theta = trig::atan2(-(len * na.dot(b)), na.dot(nb));
        let c = trig::wrap(theta - rest);

        // Along a normal, dC/dx2 = -|e| A / |A|^2: 1 / (height of the wing). The hinge takes the rest by leverage.
        let one = L::splat(1.0);
        let g2 = na * -(len / aa);
        let g3 = nb * -(len / bb);
        let inv_ee = one / (len * len);
        let g1 = -(g2 * (a.dot(e) * inv_ee) + g3 * (b.dot(e) * inv_ee));
        let g0 = -((g1 + g2) + g3);

        // No normal, no force.
        let limit = L::splat(MIN_AREA * MIN_AREA);
        let shaped = len.gt(L::splat(MIN_LENGTH)) & aa.gt(limit) & bb.gt(limit);
        (c, [g0.or_zero(shaped), g1.or_zero(shaped), g2.or_zero(shaped), g3.or_zero(shaped)])
    }
}
