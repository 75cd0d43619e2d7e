//! The smoothing kernel, and the volume of a particle.

use crate::lanes::Lanes;
use std::f64::consts::PI;

/// The spiky kernel (Desbrun, Gascuel 1996; Müller, Charypar, Gross 2003, eq. 21), with particles of one volume V:
///
/// ```text
///   W(r) = 15 / (pi s^6) (s - r)^3,     grad W = -45 / (pi s^6) (s - r)^2 r / |r|,     r < s
/// ```
/// V is such that particles on the cubic lattice of a spacing have the density of rest: sum_j V W_ij = 1, each itself
/// among its neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spiky {
    /// Distance of particles at rest, metres.
    pub spacing: f32,
    /// Radius s of the kernel, metres.
    pub support: f32,
    /// V, m^3.
    pub volume: f32,
    /// V W(r) = `density` (s - r)^3; 1/m^3.
    pub density: f32,
    /// V |grad W| = `slope` (s - r)^2; 1/m^3.
    pub slope: f32,
    /// Layers of a wall that reach a particle on it.
    pub(super) layers: u32,
    /// What a plane layer of the lattice at distance z gives: `layer` (s T^4 / 4 - T^5 / 5), T = s - z.
    pub(super) layer: f32,
}

impl Spiky {
    /// For particles `spacing` apart at rest, and a support of so many spacings, 1.5 to 3.
    #[must_use]
    pub fn new(spacing: f64, support: f64) -> Spiky {
        let s = spacing * support;
        let w = |r: f64| if r < s { 15.0 / (PI * s.powi(6)) * (s - r).powi(3) } else { 0.0 };
        let reach = support.ceil() as i32;
        let mut sum = 0.0;
        for i in -reach..=reach {
            for j in -reach..=reach {
                for k in -reach..=reach {
                    sum += w(spacing * f64::from(i * i + j * j + k * k).sqrt());
                }
            }
        }
        let volume = 1.0 / sum;
        Spiky {
            spacing: spacing as f32,
            support: s as f32,
            volume: volume as f32,
            density: (volume * 15.0 / (PI * s.powi(6))) as f32,
            slope: (volume * 45.0 / (PI * s.powi(6))) as f32,
            layers: support.ceil() as u32,
            layer: (volume / (spacing * spacing) * 30.0 / s.powi(6)) as f32,
        }
    }

    /// Share of a particle's density that it gives itself.
    #[must_use]
    pub fn of_itself(&self) -> f32 {
        self.density * self.support * self.support * self.support
    }

    /// V W between two places.
    #[must_use]
    pub fn between(&self, a: [f32; 3], b: [f32; 3]) -> f64 {
        let d: [f64; 3] = std::array::from_fn(|k| f64::from(a[k]) - f64::from(b[k]));
        let t = f64::from(self.support) - ((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]).sqrt();
        if t > 0.0 { f64::from(self.density) * ((t * t) * t) } else { 0.0 }
    }

    /// [F(d), -dF/dd] of a wall at `distance`, metres: no unit, 1/m. None if the wall is as far as the support or
    /// farther.
    #[must_use]
    pub fn beside(&self, distance: f32) -> Option<(f32, f32)> {
        (distance < self.support).then(|| self.wall(distance))
    }

    /// [F(d), -dF/dd] of a wall at distance `d`, metres: what it adds to the density of a particle (no unit), and how
    /// fast that falls (1/m). F is the sum over the layers of a lattice that fills the wall; the first layer is half a
    /// spacing behind the surface. For d < 0 both have their values at d = 0.
    #[inline(always)]
    pub(crate) fn wall<L: Lanes<Elem = f32>>(&self, d: L) -> (L, L) {
        let (zero, s) = (L::zero(), L::set(self.support));
        let d = d.larger(zero);
        let (mut value, mut slope) = (zero, zero);
        for k in 0..self.layers {
            let z = d + L::set((k as f32 + 0.5) * self.spacing);
            let t = (s - z).larger(zero);
            let t3 = (t * t) * t;
            value = value + (t3 * t) * (s * L::splat(0.25) - t * L::splat(0.2));
            slope = slope + t3 * (s - t);
        }
        (value * L::set(self.layer), slope * L::set(self.layer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lattice_has_the_density_of_rest() {
        let spiky = Spiky::new(0.01, 2.0);
        // 1.236 V = spacing^3: FLUIDS, "Density constraint".
        assert!((1e-6 / f64::from(spiky.volume) - 1.236).abs() < 5e-4);
    }

    #[test]
    fn a_wall_stands_for_the_lattice_behind_it() {
        let spiky = Spiky::new(0.01, 2.0);
        let (value, _) = spiky.wall(0.005f32);
        assert!((value - 0.114).abs() < 5e-4, "{value}");
        // Its slope is the derivative.
        for d in [0.001f32, 0.005, 0.009, 0.012] {
            let e = 1e-4f32;
            let difference = (spiky.wall(d - e).0 - spiky.wall(d + e).0) / (2.0 * e);
            let slope = spiky.wall(d).1;
            assert!((difference - slope).abs() < 2e-2 * slope + 1e-2, "{d}: {difference} {slope}");
        }
        assert_eq!(spiky.wall(0.016f32).0, 0.0);
    }
}
