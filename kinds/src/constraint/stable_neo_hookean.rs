//! Stable Neo-Hookean: an energy that is finite everywhere and turns inverted elements back.
//!
//! Psi = mu/2 (tr F^T F - 3) - mu (J - 1) + (la + mu)/2 (J - 1)^2 (Smith, de Goes, Kim 2018, without their logarithm)
//! As two constraints, solved at once; both are zero at rest:
//!   C_D = sqrt(2 psi), psi = (tr F^T F - 3) / 2 - (J - 1) + (J - 1)^2 / 2, alpha_D = 1 / (mu V), P = F + (J - 2) cof F
//!   C_H = J - 1, alpha_H = 1 / (la V), P = cof F
//! As one constraint ([`StableEnergy`]): psi + (J - 1)^2 la / (2 mu).
//!
//! Macklin, Müller 2021, "A Constraint-based Formulation of Stable Neo-Hookean Materials", split the same energy into
//! sqrt(tr F^T F) and J - 1 - mu / la_H. These are not zero at rest but pull against each other with mu V. In f32 their
//! difference is lost where an element is stiff (a strain of 5e-5 a substep at E = 1e9 Pa, 0.1 m). Solved one after the
//! other, they move an element at rest. In PBD they do not balance at all. The psi used here is >= 0; it is 0 only at
//! rest and where the element has shrunk to a point.

use super::tet::{Energy, deformation, gradients, green, invariants, shape_and_ratio};
use seidel_kernels::Values;
use seidel_kernels::tuning::MIN_STRAIN;
use seidel_kernels::{AtRest, CoupledConstraint, Lanes, M3, Softness, V3};

/// Two constraints of four particles. `rest = [b00, b01, b11, b02, b12, b22, ratio]`: Dm^-1 in 1/m, and mu / la > 0,
/// = (1 - 2 nu) / (2 nu).
#[derive(Clone, Copy, Debug)]
pub struct StableNeoHookean;

/// The energy of both as one constraint, also for Poisson's ratios of 0 and below.
/// `ratio = la / mu = 2 nu / (1 - 2 nu)`.
#[derive(Clone, Copy, Debug)]
pub struct StableEnergy;

/// psi, J - 1 and cof F.
#[inline(always)]
fn shear<L: Lanes>(f: M3<L>) -> (L, L, M3<L>) {
    let (half, one) = (L::splat(0.5), L::splat(1.0));
    let cofactors = f.cofactors();
    let j = f.0[2].dot(cofactors.0[2]);
    let e = green(f);
    let near = invariants(e);
    let upright = j.gt(half);
    // J - 1 = (J^2 - 1) / (J + 1)
    let grown = L::select(upright, near.j2 / (one + (one + near.j2).sqrt()), j - one);
    let squared = grown * grown;
    // (tr F^T F - 3) / 2 - (J - 1) = (J - 1)^2 / 2 + rest, each of second order.
    let psi = L::select(upright, squared + near.rest, (e.trace() - grown) + half * squared);
    (psi, grown, cofactors)
}

impl CoupledConstraint<4, 7, 2> for StableNeoHookean {
    const AT_REST: Option<AtRest<4, 7>> = Some(shape_and_ratio);

    #[inline(always)]
    fn eval<L: Lanes>(x: [V3<L>; 4], [b00, b01, b11, b02, b12, b22, _]: [L; 7]) -> Values<L, 4, 2> {
        let shape = [b00, b01, b11, b02, b12, b22];
        let f = deformation(x, shape);
        let (psi, grown, cofactors) = shear(f);
        let c = (psi + psi).larger(L::zero()).sqrt();
        let inverse = (L::splat(1.0) / c).or_zero(c.gt(L::splat(MIN_STRAIN)));
        let p = f.plus(cofactors.scaled(grown - L::splat(1.0)));
        ([c, grown], [gradients(p.scaled(inverse), shape), gradients(cofactors, shape)])
    }

    #[inline(always)]
    fn softness<L: Lanes>(row: Softness<L>, rest: &[L; 7]) -> [Softness<L>; 2] {
        [row, Softness { a: row.a * rest[6], ..row }]
    }

    #[inline(always)]
    fn value<L: Lanes>(x: [V3<L>; 4], [b00, b01, b11, b02, b12, b22, ratio]: [L; 7]) -> L {
        let (psi, grown, _) = shear(deformation(x, [b00, b01, b11, b02, b12, b22]));
        ((psi + psi).larger(L::zero()) + grown * grown / ratio).sqrt()
    }
}

impl Energy for StableEnergy {
    #[inline(always)]
    fn density<L: Lanes>(f: M3<L>, ratio: L) -> (L, M3<L>) {
        let (psi, grown, cofactors) = shear(f);
        let psi = psi + L::splat(0.5) * (ratio * (grown * grown));
        (psi, f.plus(cofactors.scaled((grown + ratio * grown) - L::splat(1.0))))
    }
}
