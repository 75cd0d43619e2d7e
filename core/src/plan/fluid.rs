//! The fluids of a scene: their kernel, which bodies they are, and what lies beside them.

use super::body::BodyPlan;
use super::carve::LeftOut;
use super::sources::Sources;
use crate::describe::body::Body;
use crate::describe::error::{Error, range};
use crate::describe::liquid::Liquid;
use crate::describe::settings::Settings;
use crate::tuning::{
    FLUID_BOTTOM, FLUID_CALM, FLUID_COHESION, FLUID_COLUMN, FLUID_LOADED, FLUID_RELAXATION, FLUID_TENSION_CHOSEN,
    FLUID_TENSION_RANGE, FLUID_TENSION_SHARE, FLUID_VISCOSITY_SHARE, FLUID_WARM, FLUID_WETTING, XSPH_VISCOSITY,
};
use seidel_kernels::Layout;
use seidel_kernels::fluid::Spiky;
use std::sync::Arc;

/// All fluids.
#[derive(Clone, Debug)]
pub(crate) struct Fluids {
    pub(crate) spiky: Spiky,
    /// The kernel of surface tension; none if no fluid has one.
    pub(crate) tense: Option<Spiky>,
    /// Whether one of them is dragged along by what is beside it.
    pub(crate) clings: bool,
    /// Whether one of them has its whirls kept.
    pub(crate) whirls: bool,
    /// All of them, in the order of their bodies.
    pub(crate) bodies: Vec<FluidBody>,
    /// Numbers of the other bodies, whose vertices have a density of their own near a fluid; and what each lets
    /// through, m/(s Pa).
    pub(crate) beside: Vec<usize>,
    pub(crate) permeances: Vec<f32>,
    /// Their triangles.
    pub(crate) triangles: Vec<FluidTriangle>,
    /// For each vertex of theirs, body after body, the triangles that it is a corner of, and where those begin.
    fan_starts: Vec<u32>,
    fans: Vec<u32>,
    /// The particles that were taken out, inside something or too near to it.
    pub(crate) left_out: Vec<LeftOut>,
}

/// A triangle beside a fluid, by the rows of its corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FluidTriangle {
    pub(crate) layout: Layout,
    pub(crate) corners: [u32; 3],
    /// The same corners among the vertices of the bodies beside, for `Fluids::fan`; and whether each is at a border.
    pub(crate) fans: [u32; 3],
    pub(crate) border: [bool; 3],
    /// Its body's number, and what it lets through, m/(s Pa).
    pub(crate) body: u32,
    pub(crate) permeance: f32,
}

/// A fluid.
#[derive(Clone, Debug)]
pub(crate) struct FluidBody {
    /// Its body's number.
    pub(crate) body: usize,
    pub(crate) liquid: Liquid,
    /// Particles that are there at the start.
    pub(crate) filled: usize,
    pub(crate) sources: Sources,
}

/// Which vertices are at a border: those of edges of one triangle alone.
fn border(triangles: &[[u32; 3]], vertices: usize) -> Vec<bool> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| if a < b { [a, b] } else { [b, a] }).collect();
    edges.sort_unstable();
    let mut border = vec![false; vertices];
    for edge in edges.chunk_by(|a, b| a == b).filter(|edge| edge.len() == 1) {
        edge[0].iter().for_each(|&v| border[v as usize] = true);
    }
    border
}

impl Fluids {
    /// None if no body is a fluid. Bodies have been checked.
    pub(super) fn of(
        bodies: &[Arc<Body>],
        plans: &[BodyPlan],
        left_out: Vec<LeftOut>,
    ) -> Result<Option<Fluids>, Error> {
        let fluid = |(number, body): (usize, &Arc<Body>)| {
            let liquid = body.fluid?;
            Some(FluidBody {
                body: number,
                liquid,
                filled: body.inv_mass.iter().filter(|w| **w > 0.0).count(),
                sources: Sources::of(body, f64::from(liquid.spacing)),
            })
        };
        let fluids: Vec<FluidBody> = bodies.iter().enumerate().filter_map(fluid).collect();
        let Some(&FluidBody { liquid, .. }) = fluids.first() else { return Ok(None) };
        for &FluidBody { body, liquid: other, .. } in &fluids {
            let of = || format!("body `{}`", plans[body].name);
            let alike = other.spacing == liquid.spacing;
            range(of, || "spacing".to_owned(), f64::from(other.spacing), alike, "that of the scene's first fluid")?;
            let filter = plans[body].filter;
            let alike = filter == plans[fluids[0].body].filter;
            let groups = f64::from(filter.groups);
            range(of, || "groups (with its mask)".to_owned(), groups, alike, "those of the scene's first fluid")?;
            let alike = other.support == liquid.support;
            range(of, || "support".to_owned(), f64::from(other.support), alike, "that of the scene's first fluid")?;
        }
        let beside = (0..bodies.len()).filter(|&number| {
            let (body, plan) = (&bodies[number], &plans[number]);
            body.fluid.is_none()
                && body.grain.is_none()
                && fluids.iter().any(|fluid| plan.filter.meets(plans[fluid.body].filter))
        });
        let beside: Vec<usize> = beside.collect();
        let (mut triangles, mut corners, mut vertices) = (Vec::new(), Vec::new(), 0u32);
        for &number in &beside {
            let plan = &plans[number];
            let border = border(&bodies[number].triangles, bodies[number].positions.len());
            for t in bodies[number].triangles.iter() {
                corners.extend(t.map(|v| (vertices + v, triangles.len() as u32)));
                triangles.push(FluidTriangle {
                    layout: plan.layout,
                    corners: t.map(|v| plan.particle(v)),
                    fans: t.map(|v| vertices + v),
                    border: t.map(|v| border[v as usize]),
                    body: number as u32,
                    permeance: bodies[number].permeance,
                });
            }
            vertices += bodies[number].positions.len() as u32;
        }
        corners.sort_unstable();
        let first = |vertex: u32| corners.partition_point(|(of, _)| *of < vertex) as u32;
        let fan_starts = (0..=vertices).map(first).collect();
        let fans = corners.iter().map(|(_, triangle)| *triangle).collect();
        Ok(Some(Fluids {
            spiky: Spiky::new(f64::from(liquid.spacing), f64::from(liquid.support)),
            clings: fluids.iter().any(|fluid| fluid.liquid.slip_length.is_finite()),
            whirls: fluids.iter().any(|fluid| fluid.liquid.vorticity_confinement > 0.0),
            tense: fluids
                .iter()
                .any(|fluid| fluid.liquid.surface_tension > 0.0)
                .then(|| Spiky::new(f64::from(liquid.spacing), f64::from(FLUID_TENSION_RANGE))),
            triangles,
            fan_starts,
            fans,
            left_out,
            permeances: beside.iter().map(|&number| bodies[number].permeance).collect(),
            beside,
            bodies: fluids,
        }))
    }

    /// The triangles about a vertex of the bodies beside.
    pub(crate) fn fan(&self, vertex: u32) -> &[u32] {
        let [start, end] = [vertex, vertex + 1].map(|v| self.fan_starts[v as usize] as usize);
        &self.fans[start..end]
    }

    /// Substeps that keep what a fluid's weight makes of its density at its bottom small. A resting column is denser
    /// than at rest by 0.316 g h^2 H / (omega n spacing^2) at a depth H, with n sweeps in a substep of length h;
    /// `1 - FLUID_WARM` of it with the warm start. (Derived from the sweep of a column; a simulation of 40 layers
    /// agrees to a fifth.)
    pub(super) fn substeps(bodies: &[Arc<Body>], settings: &Settings) -> f64 {
        let g = settings.gravity.to_array().map(f64::from);
        let size = ((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]).sqrt();
        // The fluid's weight lies on the vertices beside it, which are lighter than its particles.
        let loaded = bodies.iter().any(|body| body.fluid.is_some())
            && bodies
                .iter()
                .any(|body| body.fluid.is_none() && body.grain.is_none() && body.inv_mass.iter().any(|w| *w > 0.0));
        let mut most = if loaded { FLUID_LOADED } else { 0.0 };
        let height = |p: &[f32; 3]| (0..3).fold(0.0, |sum, k| sum + g[k] * f64::from(p[k])) / size;
        // Of each fluid from where to where it reaches, along gravity.
        let reach = |body: &Body| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            let there = body.positions.iter().zip(&body.inv_mass).filter(|(_, w)| **w > 0.0);
            for at in there.map(|(p, _)| height(p)) {
                (low, high) = (if at < low { at } else { low }, if at > high { at } else { high });
            }
            [low, high]
        };
        let fluids = bodies.iter().filter_map(|body| Some((body.fluid?, reach(body))));
        let fluids: Vec<_> = fluids.filter(|(_, [low, high])| high > low && size > 0.0).collect();
        for (liquid, [low, high]) in &fluids {
            let spacing = f64::from(liquid.spacing);
            // As much of itself as weighs what it may have to carry: denser fluids before it along gravity.
            let denser = fluids.iter().filter(|(other, _)| other.density > liquid.density);
            let carried = denser.fold(0.0, |sum, (other, [begin, end])| {
                let end = if end < high { end } else { high };
                sum + if end > begin { (end - begin) * f64::from(other.density / liquid.density) } else { 0.0 }
            });
            let law = FLUID_BOTTOM * (1.0 - f64::from(FLUID_WARM));
            let deep = (high - low) + carried;
            let over = law * size * deep / (FLUID_RELAXATION * spacing * spacing * f64::from(settings.iterations));
            let wanted = settings.dt * (over / FLUID_COLUMN).sqrt();
            most = if wanted > most { wanted } else { most };
        }
        let lightest =
            bodies.iter().filter_map(|body| body.fluid).map(|liquid| liquid.mass()).fold(f64::INFINITY, f64::min);
        for liquid in bodies.iter().filter_map(|body| body.fluid) {
            let wanted = settings.dt * (f64::from(liquid.surface_tension) / (FLUID_TENSION_CHOSEN * lightest)).sqrt();
            most = if wanted > most { wanted } else { most };
        }
        most.ceil()
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        for FluidBody { body, liquid, sources, .. } in &self.bodies {
            let Sources { emitters, drains, .. } = sources;
            let Liquid { spacing, support, density, viscosity, surface_tension, slip_length, vorticity_confinement } =
                *liquid;
            add(&(*body as u64).to_le_bytes());
            add(bytemuck::bytes_of(&[spacing, support, density, viscosity]));
            if surface_tension > 0.0 {
                add(bytemuck::bytes_of(&[surface_tension]));
            }
            if vorticity_confinement > 0.0 {
                add(&[1]);
                add(bytemuck::bytes_of(&[vorticity_confinement]));
            }
            if slip_length.is_finite() {
                add(&[0]);
                add(bytemuck::bytes_of(&[slip_length]));
            }
            add(format!("{emitters:?} {drains:?}").as_bytes());
        }
        for (body, permeance) in self.beside.iter().zip(&self.permeances).filter(|(_, permeance)| **permeance > 0.0) {
            add(&(*body as u64).to_le_bytes());
            add(bytemuck::bytes_of(permeance));
        }
    }

    /// The kinematic viscosity that a substep of `h` seconds can carry at most, m^2/s.
    pub(crate) fn viscosity_limit(&self, h: f64) -> f64 {
        let support = f64::from(self.spiky.support);
        FLUID_VISCOSITY_SHARE * XSPH_VISCOSITY * support * support / h
    }

    /// The kinematic viscosity that a fluid has at least, but for one without any, m^2/s.
    pub(crate) fn viscosity_floor(&self) -> f64 {
        let support = f64::from(self.spiky.support);
        FLUID_CALM * XSPH_VISCOSITY * support * support
    }

    /// The surface tension that a substep of `h` seconds can carry at most, N/m.
    pub(crate) fn tension_limit(&self, h: f64) -> f64 {
        let lightest = self.bodies.iter().map(|fluid| fluid.liquid.mass()).fold(f64::INFINITY, f64::min);
        FLUID_TENSION_SHARE * lightest / (h * h)
    }

    /// kappa tau of a fluid in a substep of `h` seconds, kg m^2; 0 without surface tension.
    pub(crate) fn pull(&self, liquid: &Liquid, h: f64) -> f32 {
        let (asked, most) = (f64::from(liquid.surface_tension), self.tension_limit(h));
        let spacing = f64::from(self.spiky.spacing);
        let tau = (if asked < most { asked } else { most }) / FLUID_COHESION * spacing * (h * h);
        (self.wetting() * tau) as f32
    }

    /// kappa, metres.
    pub(crate) fn wetting(&self) -> f64 {
        FLUID_WETTING * f64::from(self.spiky.spacing)
    }

    /// XSPH's coefficient of a fluid in a substep of `h` seconds.
    pub(crate) fn xsph(&self, liquid: &Liquid, h: f64) -> f32 {
        if liquid.viscosity == 0.0 {
            return 0.0;
        }
        let (support, asked, least) =
            (f64::from(self.spiky.support), f64::from(liquid.viscosity), self.viscosity_floor());
        let c = (if asked > least { asked } else { least }) * h / (XSPH_VISCOSITY * support * support);
        (if c < FLUID_VISCOSITY_SHARE { c } else { FLUID_VISCOSITY_SHARE }) as f32
    }
}
