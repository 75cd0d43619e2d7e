//! Volume: keeps a tetrahedron's volume.
//!
//! ```text
//!        3
//!      / | \            e1 = x1 - x0,  e2 = x2 - x0,  e3 = x3 - x0
//!     0--|--2           C(x) = e1.(e2 x e3) / 6 - V
//!      \ | /            6 dC/dx1 = e2 x e3,  6 dC/dx2 = e3 x e1,  6 dC/dx3 = e1 x e2,  dC/dx0 = -(sum)
//!        1              V > 0 where x3 is seen counter-clockwise: (e1 x e2).e3 > 0
//! ```
//! Müller et al. 2007, section 4.4 (of one tetrahedron). Compliance in m^6/J, that is m^3/Pa.

use seidel_kernels::{Constraint, Lanes, V3};

/// Four particles at a rest volume. `rest = [V]`, in cubic metres, signed.
#[derive(Clone, Copy, Debug)]
pub struct Volume;

impl Constraint<4, 1> for Volume {
    const LONG: bool = true;

    #[inline(always)]
    fn eval<L: Lanes>([x0, x1, x2, x3]: [V3<L>; 4], [rest]: [L; 1]) -> (L, [V3<L>; 4]) {
        let (e1, e2, e3) = (x1 - x0, x2 - x0, x3 - x0);
        let sixth = L::splat(1.0 / 6.0);
        let g1 = e2.cross(e3) * sixth;
        let g2 = e3.cross(e1) * sixth;
        let g3 = e1.cross(e2) * sixth;
        (g3.dot(e3) - rest, [-((g1 + g2) + g3), g1, g2, g3])
    }
}
