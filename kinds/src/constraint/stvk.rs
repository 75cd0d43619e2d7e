//! St. Venant-Kirchhoff: an energy of Green's strain.
//!
//! E = (F^T F - 1) / 2, psi = tr E^2 + (ratio / 2) (tr E)^2, P = F (2 E + ratio tr(E) 1), ratio = la / mu Bender et al.
//! 2014, section 3. This energy does not resist being pressed flat. A mirrored element is at rest and never turns back;
//! with the other energies it does.

use super::tet::{Energy, green};
use seidel_kernels::{Lanes, M3};

/// St. Venant-Kirchhoff. `ratio = la / mu = 2 nu / (1 - 2 nu)`, la and mu being the Lamé parameters.
#[derive(Clone, Copy, Debug)]
pub struct StVenantKirchhoff;

impl Energy for StVenantKirchhoff {
    #[inline(always)]
    fn density<L: Lanes>(f: M3<L>, ratio: L) -> (L, M3<L>) {
        let e = green(f);
        let trace = e.trace();
        let psi = e.square() + L::splat(0.5) * (ratio * (trace * trace));
        (psi, f.times_symmetric(e.scaled_plus(L::splat(2.0), ratio * trace)))
    }
}
