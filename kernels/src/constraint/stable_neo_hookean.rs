//! Stable Neo-Hookean: an energy that is finite everywhere and turns back what is inverted.
//!
//! Psi = mu/2 (tr F^T F - 3) + la_H/2 (J - 1 - mu / la_H)^2 + const,   la_H = la + mu,   ratio = mu / la_H = 1 - 2 nu
//! As two constraints, solved at once:
//!   C_D = sqrt(tr F^T F),      alpha_D = 1 / (mu V),     P_D = F / C_D
//!   C_H = J - 1 - ratio,       alpha_H = ratio alpha_D,  P_H = cof F
//! As one: psi = (tr F^T F - 3) / 2 - (J - 1) + (J - 1)^2 / (2 ratio),   P = F + ((J - 1) / ratio - 1) cof F
//! Smith, de Goes, Kim 2018, "Stable Neo-Hookean Flesh Simulation"; two constraints: Macklin, Müller 2021, "A Constraint-based
//! Formulation of Stable Neo-Hookean Materials", with la_H = la + mu, without which Poisson's ratio is another than asked for.
//! At rest the two are not zero but balance each other: one after the other would move what is at rest. Both vanish nowhere
//! together, so PBD, which asks for that, has the one of the energy.

use super::tet::{Energy, deformation, gradients, green, invariants, shape_and_ratio};
use crate::block::Values;
use crate::tuning::MIN_STRAIN;
use crate::{AtRest, Block, Lanes, M3, Softness, V3};

/// Two constraints of four particles. `rest = [b00, b01, b11, b02, b12, b22, ratio]`: Dm^-1 in 1/m, and 1 - 2 nu.
#[derive(Clone, Copy, Debug)]
pub struct StableNeoHookean;

/// The energy of both in one. `ratio = 1 - 2 nu`.
#[derive(Clone, Copy, Debug)]
pub struct StableEnergy;

impl Block<4, 7, 2> for StableNeoHookean {
    const AT_REST: Option<AtRest<4, 7>> = Some(shape_and_ratio);

    #[inline(always)]
    fn eval<L: Lanes>(x: [V3<L>; 4], [b00, b01, b11, b02, b12, b22, ratio]: [L; 7]) -> Values<L, 4, 2> {
        let shape = [b00, b01, b11, b02, b12, b22];
        let f = deformation(x, shape);
        let cofactors = f.cofactors();
        let j = f.0[2].dot(cofactors.0[2]);
        let c_d = f.dot(f).sqrt();
        // A point has no direction to grow in.
        let inverse = (L::splat(1.0) / c_d).or_zero(c_d.gt(L::splat(MIN_STRAIN)));
        ([c_d, (j - L::splat(1.0)) - ratio], [gradients(f.scaled(inverse), shape), gradients(cofactors, shape)])
    }

    #[inline(always)]
    fn softness<L: Lanes>(row: Softness<L>, rest: &[L; 7]) -> [Softness<L>; 2] {
        [row, Softness { a: row.a * rest[6], ..row }]
    }

    #[inline(always)]
    fn value<L: Lanes>(x: [V3<L>; 4], [b00, b01, b11, b02, b12, b22, ratio]: [L; 7]) -> L {
        let (psi, _) = StableEnergy::density(deformation(x, [b00, b01, b11, b02, b12, b22]), ratio);
        (psi + psi).larger(L::zero()).sqrt()
    }
}

impl Energy for StableEnergy {
    #[inline(always)]
    fn density<L: Lanes>(f: M3<L>, ratio: L) -> (L, M3<L>) {
        let (half, one) = (L::splat(0.5), L::splat(1.0));
        let cofactors = f.cofactors();
        let j = f.0[2].dot(cofactors.0[2]);
        let e = green(f);
        let near = invariants(e);
        let upright = j.gt(half);
        // J - 1 = (J^2 - 1) / (J + 1)
        let grown = L::select(upright, near.j2 / (one + (one + near.j2).sqrt()), j - one);
        // (tr F^T F - 3) / 2 - (J - 1) = (J - 1)^2 / 2 + rest, each of second order.
        let small = half * (grown * grown) + near.rest;
        let shear = L::select(upright, small, e.trace() - grown);
        let psi = shear + (grown * grown) * (half / ratio);
        (psi, f.plus(cofactors.scaled(grown / ratio - one)))
    }
}
