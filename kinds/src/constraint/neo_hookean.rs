//! Neo-Hookean: an energy whose ln J resists flattening. Below J0 a parabola continues ln J, so that inverted elements
//! have an energy too.
//!
//! l = ln J for J >= J0, otherwise ln J0 + s - s^2 / 2, s = (J - J0) / J0 psi = (tr F^T F - 3) / 2 - l + (ratio / 2)
//! l^2, P = F + (ratio l - 1) l' cof F, ratio = la / mu Bender et al. 2014, section 3, for J > 0. Below J0 the
//! logarithm continues as its Taylor polynomial of second order (similar to Stomakhin, Howes, Schroeder, Teran 2012,
//! "Energetically Consistent Invertible Elasticity"), so an inverted element turns back.

use super::tet::{Energy, green, invariants};
use seidel_kernels::tuning::{CONTINUED_BELOW, LN_CONTINUED_BELOW};
use seidel_kernels::{Lanes, M3, trig};

/// Neo-Hookean. `ratio = la / mu = 2 nu / (1 - 2 nu)`, la and mu being the Lamé parameters.
#[derive(Clone, Copy, Debug)]
pub struct NeoHookean;

impl Energy for NeoHookean {
    #[inline(always)]
    fn density<L: Lanes>(f: M3<L>, ratio: L) -> (L, M3<L>) {
        let (half, one, j0) = (L::splat(0.5), L::splat(1.0), L::splat(CONTINUED_BELOW));
        let cofactors = f.cofactors();
        let j = f.0[2].dot(cofactors.0[2]);
        let e = green(f);
        let near = invariants(e);
        // For J > 1/2, J^2 - 1 from E keeps its digits. Below, J itself is used, which has the sign.
        let upright = j.gt(half);
        let j2 = L::select(upright, near.j2, j * j - one);
        let log2 = trig::ln_1p(j2);
        let s = (j - j0) / j0;
        let kept = j.ge(j0);
        let l = L::select(kept, log2 * half, L::splat(LN_CONTINUED_BELOW) + (s - half * (s * s)));
        let slope = L::select(kept, one / j, (one - s) / j0);
        // (tr F^T F - 3) / 2 - l = (j2 - ln(1 + j2)) / 2 + rest, each of second order.
        let small = half * trig::less_ln_1p(j2) + near.rest;
        let psi = L::select(upright, small, e.trace() - l) + half * (ratio * (l * l));
        (psi, f.plus(cofactors.scaled((ratio * l - one) * slope)))
    }
}
