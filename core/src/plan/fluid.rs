//! The fluids of a scene: their kernel, which bodies they are, and what lies beside them.

use super::body::BodyPlan;
use crate::describe::body::Body;
use crate::describe::emitter::Emitter;
use crate::describe::error::{Error, range};
use crate::describe::fluid::Liquid;
use crate::describe::region::Region;
use crate::describe::settings::Settings;
use crate::tuning::{FLUID_COLUMN, FLUID_RELAXATION, FLUID_VISCOSITY_SHARE, XSPH_VISCOSITY};
use seidel_kernels::fluid::Spiky;

/// All fluids.
#[derive(Clone, Debug)]
pub(crate) struct Fluids {
    pub(crate) spiky: Spiky,
    /// All of them, in the order of their bodies.
    pub(crate) bodies: Vec<FluidBody>,
    /// Numbers of the other bodies, whose vertices have a density of their own near a fluid.
    pub(crate) beside: Vec<usize>,
}

/// A fluid.
#[derive(Clone, Debug)]
pub(crate) struct FluidBody {
    /// Its body's number.
    pub(crate) body: usize,
    pub(crate) liquid: Liquid,
    /// Particles that are there at the start.
    pub(crate) filled: usize,
    pub(crate) emitters: Vec<Emitter>,
    /// Of each emitter the places of a layer.
    pub(crate) openings: Vec<Vec<[f64; 2]>>,
    pub(crate) drains: Vec<Region>,
}

impl Fluids {
    /// None if no body is a fluid. Bodies have been checked.
    pub(super) fn of(bodies: &[Body], plans: &[BodyPlan]) -> Result<Option<Fluids>, Error> {
        let fluid = |(number, body): (usize, &Body)| {
            let liquid = body.fluid?;
            let spacing = f64::from(liquid.spacing);
            Some(FluidBody {
                body: number,
                liquid,
                filled: body.inv_mass.iter().filter(|w| **w > 0.0).count(),
                openings: body.emitters.iter().map(|emitter| emitter.layer(spacing)).collect(),
                emitters: body.emitters.clone(),
                drains: body.drains.clone(),
            })
        };
        let fluids: Vec<FluidBody> = bodies.iter().enumerate().filter_map(fluid).collect();
        let Some(&FluidBody { liquid, .. }) = fluids.first() else { return Ok(None) };
        for &FluidBody { body, liquid: other, .. } in &fluids {
            let of = || format!("body `{}`", plans[body].name);
            let alike = other.spacing == liquid.spacing;
            range(of, || "spacing".to_owned(), f64::from(other.spacing), alike, "that of the scene's first fluid")?;
            let alike = other.support == liquid.support;
            range(of, || "support".to_owned(), f64::from(other.support), alike, "that of the scene's first fluid")?;
        }
        let beside = (0..bodies.len()).filter(|&number| {
            let (body, plan) = (&bodies[number], &plans[number]);
            body.fluid.is_none() && fluids.iter().any(|fluid| plan.filter.meets(plans[fluid.body].filter))
        });
        Ok(Some(Fluids {
            spiky: Spiky::new(f64::from(liquid.spacing), f64::from(liquid.support)),
            beside: beside.collect(),
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
            let there = body.positions.iter().zip(&body.inv_mass).filter(|(_, w)| **w > 0.0);
            for at in there.map(|(p, _)| height(p)) {
                (low, high) = (if at < low { at } else { low }, if at > high { at } else { high });
            }
            let spacing = f64::from(liquid.spacing);
            let deep = if high > low { high - low } else { 0.0 };
            let over = 0.158 * size * deep / (FLUID_RELAXATION * spacing * spacing * f64::from(settings.iterations));
            let wanted = settings.dt * (over / FLUID_COLUMN).sqrt();
            most = if wanted > most { wanted } else { most };
        }
        most.ceil()
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        for FluidBody { body, liquid, emitters, drains, .. } in &self.bodies {
            let Liquid { spacing, support, density, viscosity } = *liquid;
            add(&(*body as u64).to_le_bytes());
            add(bytemuck::bytes_of(&[spacing, support, density, viscosity]));
            add(format!("{emitters:?} {drains:?}").as_bytes());
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
