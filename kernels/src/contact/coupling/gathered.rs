//! The particles of a feature while its contact is solved.

use super::P;
use super::rows::Carrier;

/// A feature's particles.
pub(super) struct Gathered {
    pub(super) all: [Carrier; 4],
    pub(super) count: usize,
}

impl Gathered {
    /// sum b_k f(k)
    pub(super) fn weighted(&self, shares: &[f64; 4], of: impl Fn(&Carrier) -> P) -> P {
        let each = self.all[..self.count].iter().zip(shares);
        each.fold(P::zero(), |sum, (carrier, &share)| sum + of(carrier) * share)
    }

    /// The same where f depends on the number of a particle, too.
    pub(super) fn weighted_by(&self, shares: &[f64; 4], of: impl Fn(usize, &Carrier) -> P) -> P {
        let each = self.all[..self.count].iter().zip(shares).enumerate();
        each.fold(P::zero(), |sum, (k, (carrier, &share))| sum + of(k, carrier) * share)
    }

    /// sum w_k b_k^2, 1/kg.
    pub(super) fn inverse_mass(&self, shares: &[f64; 4]) -> f64 {
        self.all[..self.count].iter().zip(shares).fold(0.0, |sum, (carrier, share)| sum + carrier.w * (share * share))
    }

    /// The most that an impulse at the point with these shares moves a particle, 1/kg.
    pub(super) fn most(&self, shares: &[f64; 4]) -> f64 {
        let each = self.all[..self.count].iter().zip(shares).map(|(carrier, share)| carrier.w * share.abs());
        each.fold(0.0, |most: f64, of| if of > most { of } else { most })
    }

    /// Moves the particles by an impulse times the substep at the point with these shares.
    pub(super) fn push(&mut self, shares: &[f64; 4], impulse: P) {
        for (carrier, &share) in self.all[..self.count].iter_mut().zip(shares) {
            carrier.u = carrier.u + impulse * (carrier.w * share);
        }
    }

    /// The same, and they get no velocity.
    pub(super) fn shift(&mut self, shares: &[f64; 4], impulse: P) {
        for (carrier, &share) in self.all[..self.count].iter_mut().zip(shares) {
            let by = impulse * (carrier.w * share);
            (carrier.u, carrier.r) = (carrier.u + by, carrier.r + by);
        }
    }
}
