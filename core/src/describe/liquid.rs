//! What a fluid is made of.

use crate::describe::error::{Error, range};
use crate::tuning::{FLUID_DENSITY, FLUID_SPACING, FLUID_SUPPORT, FLUID_TENSION, FLUID_TENSION_RANGE};

/// What a body of a fluid's particles is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Liquid {
    /// Distance of neighbours at rest, metres. One for all fluids of a scene.
    pub spacing: f32,
    /// Radius of the smoothing kernel over the spacing, 1.5 to 3. One for all fluids of a scene.
    pub support: f32,
    /// At rest, kg/m^3.
    pub density: f32,
    /// Kinematic viscosity, m^2/s.
    pub viscosity: f32,
    /// Surface tension, N/m.
    pub surface_tension: f32,
    /// Slip length at what is beside it, metres; infinite if it slips freely.
    pub slip_length: f32,
    /// Vorticity confinement, 1/s.
    pub vorticity_confinement: f32,
}

impl Liquid {
    /// Water, whose particles are so far apart, metres.
    #[must_use]
    pub fn water(spacing: f32) -> Liquid {
        Liquid {
            spacing,
            support: 2.0,
            density: 1000.0,
            viscosity: 1e-6,
            surface_tension: 0.0,
            slip_length: f32::INFINITY,
            vorticity_confinement: 0.0,
        }
    }

    /// Mass of a particle, kg.
    #[must_use]
    pub fn mass(&self) -> f64 {
        let spacing = f64::from(self.spacing);
        f64::from(self.density) * (spacing * spacing) * spacing
    }

    pub(super) fn check(&self, of: &dyn Fn() -> String) -> Result<(), Error> {
        let within = |what: &str, value: f32, [least, most]: [f32; 2], limit: &'static str| {
            range(of, || what.to_owned(), f64::from(value), (least..=most).contains(&value), limit)
        };
        within("spacing", self.spacing, FLUID_SPACING, "within 1e-4 .. 100 m")?;
        within("support", self.support, FLUID_SUPPORT, "within 1.5 .. 3 spacings")?;
        within("density", self.density, FLUID_DENSITY, "within 1e-3 .. 1e5 kg/m^3")?;
        within("viscosity", self.viscosity, [0.0, 1e3], "within 0 .. 1000 m^2/s")?;
        within("surface_tension", self.surface_tension, FLUID_TENSION, "within 0 .. 1000 N/m")?;
        within("vorticity_confinement", self.vorticity_confinement, [0.0, 100.0], "within 0 .. 100 1/s")?;
        let slip = [0.0, f32::INFINITY];
        within("slip_length", self.slip_length, slip, "0 m or more, or infinite")?;
        if self.viscosity == 0.0 {
            let limit = "infinite: without a viscosity nothing drags it, so give it one, or leave the slip length out";
            within("slip_length", self.slip_length, [f32::INFINITY; 2], limit)?;
        }
        let least = if self.surface_tension > 0.0 { FLUID_TENSION_RANGE } else { FLUID_SUPPORT[0] };
        within("support", self.support, [least, FLUID_SUPPORT[1]], "2 spacings or more, as its surface tension wants")
    }
}
