//! Air: how dense it is, and how it blows.

use crate::describe::error::{Error, range};
use crate::geometry::chance::{STEP, uniform};
use glam::Vec3;

/// The air of a scene. It pushes triangles of bodies that have a drag or lift ([`crate::Cloth::drag`]), also where
/// there is no wind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Air {
    /// kg/m^3, >= 0.
    pub density: f32,
    /// Velocity, m/s, the same everywhere.
    pub wind: Vec3,
    /// By which share of itself the wind becomes stronger and weaker, 0..=1.
    pub gusts: f32,
    /// Which gusts: the same seed, the same gusts.
    pub seed: u32,
}

impl Default for Air {
    /// At rest, 1.2 kg/m^3: at sea level and 20 degrees Celsius.
    fn default() -> Self {
        Air { density: 1.2, wind: Vec3::ZERO, gusts: 0.0, seed: 0 }
    }
}

/// Periods of gusts, seconds: no two are in phase again for hours.
const PERIODS: [f64; 3] = [5.3, 2.17, 0.83];

impl Air {
    /// As dense as this, kg/m^3.
    #[must_use]
    pub fn density(mut self, density: f32) -> Air {
        self.density = density;
        self
    }

    /// With this wind, m/s.
    #[must_use]
    pub fn wind(mut self, velocity: impl Into<Vec3>) -> Air {
        self.wind = velocity.into();
        self
    }

    /// With a wind that becomes stronger and weaker by this share, from a seed.
    #[must_use]
    pub fn gusts(mut self, share: f32, seed: u32) -> Air {
        (self.gusts, self.seed) = (share, seed);
        self
    }

    /// Velocity at a time in seconds since the start, m/s.
    ///
    /// `wind (1 + gusts s)`, s the mean of three sines whose phases come from the seed: within -1 .. 1, on all machines
    /// the same.
    ///
    /// # Example
    /// ```
    /// use seidel::Air;
    /// let air = Air::default().wind([8.0, 0.0, 0.0]).gusts(0.25, 3);
    /// assert!((0..600).all(|frame| (6.0..=10.0).contains(&air.wind_at(f64::from(frame) / 60.0)[0])));
    /// ```
    #[must_use]
    pub fn wind_at(&self, time: f64) -> Vec3 {
        if self.gusts == 0.0 {
            return self.wind;
        }
        let mut phase = u64::from(self.seed);
        let strength: f64 = PERIODS.iter().fold(0.0, |sum, period| {
            let turns = uniform(phase);
            phase = phase.wrapping_add(STEP);
            sum + libm::sin((time / period + turns) * std::f64::consts::TAU)
        });
        let factor = 1.0 + f64::from(self.gusts) * (strength / PERIODS.len() as f64);
        Vec3::from(self.wind.to_array().map(|v| (f64::from(v) * factor) as f32))
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let of = || "air".to_owned();
        let density = self.density;
        let good = (0.0..=1e6).contains(&density);
        range(of, || "density".to_owned(), f64::from(density), good, "within 0 .. 1e6 kg/m^3")?;
        check_wind(&of, self.wind.to_array())?;
        range(of, || "gusts".to_owned(), f64::from(self.gusts), (0.0..=1.0).contains(&self.gusts), "within 0 .. 1")
    }
}

/// Whether it can blow like this.
pub(crate) fn check_wind(of: &dyn Fn() -> String, wind: [f32; 3]) -> Result<(), Error> {
    wind.iter().try_for_each(|&v| range(of, || "wind".to_owned(), f64::from(v), v.abs() <= 1e6, "within +-1e6 m/s"))
}
