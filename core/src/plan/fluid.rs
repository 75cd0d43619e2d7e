//! The fluids of a scene: their kernel, which bodies they are, and what lies beside them.

use super::body::BodyPlan;
use crate::describe::body::Body;
use crate::describe::error::{Error, range};
use crate::describe::fluid::Liquid;
use crate::describe::settings::Settings;
use crate::tuning::{FLUID_COLUMN, FLUID_RELAXATION, FLUID_VISCOSITY_SHARE, XSPH_VISCOSITY};
use seidel_kernels::fluid::Spiky;

/// All fluids.
#[derive(Clone, Debug)]
pub(crate) struct Fluids {
    pub(crate) spiky: Spiky,
    /// Numbers of the bodies, with what each is.
    pub(crate) bodies: Vec<(usize, Liquid)>,
    /// Numbers of the other bodies, whose vertices have a density of their own near a fluid.
    pub(crate) beside: Vec<usize>,
    /// Particles of all fluids, alive or not.
    pub(crate) particles: usize,
}

impl Fluids {
    /// None if no body is a fluid. Bodies have been checked.
    pub(super) fn of(bodies: &[Body], plans: &[BodyPlan]) -> Result<Option<Fluids>, Error> {
        let fluids: Vec<(usize, Liquid)> =
            bodies.iter().enumerate().filter_map(|(number, body)| Some((number, body.fluid?))).collect();
        let Some(&(first, liquid)) = fluids.first() else { return Ok(None) };
        for &(number, other) in &fluids {
            let of = || format!("body `{}`", plans[number].name);
            let alike = other.spacing == liquid.spacing;
            range(of, || "spacing".to_owned(), f64::from(other.spacing), alike, "that of the scene's first fluid")?;
            let alike = other.support == liquid.support;
            range(of, || "support".to_owned(), f64::from(other.support), alike, "that of the scene's first fluid")?;
        }
        let beside = (0..bodies.len()).filter(|&number| {
            let (body, plan) = (&bodies[number], &plans[number]);
            body.fluid.is_none() && fluids.iter().any(|&(fluid, _)| plan.filter.meets(plans[fluid].filter))
        });
        debug_assert!(bodies[first].fluid.is_some());
        Ok(Some(Fluids {
            spiky: Spiky::new(f64::from(liquid.spacing), f64::from(liquid.support)),
            beside: beside.collect(),
            particles: fluids.iter().map(|&(number, _)| bodies[number].positions.len()).sum(),
            bodies: fluids,
        }))
    }

    /// Substeps that keep what a fluid's weight makes of its density at its bottom small. A resting column is denser than at rest by
    /// 0.316 g h^2 H / (omega n spacing^2) at a depth H, with n sweeps in a substep of length h; half as much with the warm start. (Derived from the
    /// sweep of a column; a simulation of 40 layers agrees to a fifth.)
    pub(super) fn substeps(bodies: &[Body], settings: &Settings) -> f64 {
        let g = settings.gravity.to_array().map(f64::from);
        let size = ((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]).sqrt();
        let mut most = 0.0;
        for (body, liquid) in bodies.iter().filter_map(|body| Some((body, body.fluid?))) {
            if size == 0.0 {
                continue;
            }
            let height = |p: &[f32; 3]| (0..3).fold(0.0, |sum, k| sum + g[k] * f64::from(p[k])) / size;
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for at in body.positions.iter().map(height) {
                (low, high) = (if at < low { at } else { low }, if at > high { at } else { high });
            }
            let spacing = f64::from(liquid.spacing);
            let over =
                0.158 * size * (high - low) / (FLUID_RELAXATION * spacing * spacing * f64::from(settings.iterations));
            let wanted = settings.dt * (over / FLUID_COLUMN).sqrt();
            most = if wanted > most { wanted } else { most };
        }
        most.ceil()
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        for (number, Liquid { spacing, support, density, viscosity }) in &self.bodies {
            add(&(*number as u64).to_le_bytes());
            add(bytemuck::bytes_of(&[*spacing, *support, *density, *viscosity]));
        }
    }

    /// The kinematic viscosity that a substep of `h` seconds can carry at most, m^2/s.
    pub(crate) fn viscosity_limit(&self, h: f64) -> f64 {
        let support = f64::from(self.spiky.support);
        FLUID_VISCOSITY_SHARE * XSPH_VISCOSITY * support * support / h
    }

    /// XSPH's coefficient of a fluid in a substep of `h` seconds.
    pub(crate) fn xsph(&self, liquid: &Liquid, h: f64) -> f32 {
        let support = f64::from(self.spiky.support);
        let c = f64::from(liquid.viscosity) * h / (XSPH_VISCOSITY * support * support);
        (if c < FLUID_VISCOSITY_SHARE { c } else { FLUID_VISCOSITY_SHARE }) as f32
    }
}
