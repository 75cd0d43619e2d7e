//! Size, density, friction and cohesion of grains.

use crate::describe::error::{Error, range};
use crate::tuning::{FLUID_DENSITY, GRAIN_OPENING, GRAIN_RADIUS};

/// Size, density, friction and cohesion of the grains of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Grain {
    /// Metres.
    pub radius: f32,
    /// Of a grain, kg/m^3: what lies in a heap is about 0.6 times as dense.
    pub density: f32,
    /// Coefficient of friction of grains at rest.
    pub friction: f32,
    /// Coefficient of friction of grains that slide.
    pub dynamic_friction: f32,
    /// Pa.
    pub cohesion: f32,
    /// 1/m.
    pub mass_scaling: f32,
}

impl Grain {
    /// Distance of the places in an opening from which they come, metres.
    #[must_use]
    pub fn spacing(&self) -> f64 {
        GRAIN_OPENING * f64::from(self.radius)
    }

    /// Sand, whose grains are so large, metres.
    #[must_use]
    pub fn sand(radius: f32) -> Grain {
        Grain { radius, density: 2600.0, friction: 0.5, dynamic_friction: 0.5, cohesion: 0.0, mass_scaling: 0.0 }
    }

    /// Mass of a grain, kg.
    #[must_use]
    pub fn mass(&self) -> f64 {
        let r = f64::from(self.radius);
        f64::from(self.density) * (4.0 / 3.0 * std::f64::consts::PI) * ((r * r) * r)
    }

    pub(super) fn check(&self, of: &dyn Fn() -> String) -> Result<(), Error> {
        let within = |what: &str, value: f32, [least, most]: [f32; 2], limit: &'static str| {
            range(of, || what.to_owned(), f64::from(value), (least..=most).contains(&value), limit)
        };
        within("radius", self.radius, GRAIN_RADIUS, "within 5e-5 .. 50 m")?;
        within("density", self.density, FLUID_DENSITY, "within 1e-3 .. 1e5 kg/m^3")?;
        within("friction", self.friction, [0.0, 1e3], "within 0 .. 1000")?;
        let most = "within 0 .. the friction at rest";
        within("dynamic_friction", self.dynamic_friction, [0.0, self.friction], most)?;
        within("cohesion", self.cohesion, [0.0, 1e9], "within 0 .. 1e9 Pa")?;
        within("mass_scaling", self.mass_scaling, [0.0, 1e3], "within 0 .. 1000 per m")
    }
}
