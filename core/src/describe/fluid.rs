//! Fluid: particles that keep their density (Macklin, Müller 2013).

use crate::describe::body::Body;
use crate::describe::collider::{Grid, bounds};
use crate::describe::emitter::Emitter;
use crate::describe::error::{Error, advised, range};
use crate::describe::liquid::Liquid;
use crate::describe::loose::{FillBox, Loose, ROUNDING};
use crate::describe::memory::Need;
use crate::describe::mesh::Mesh;
use crate::describe::pouring::{Pouring, pours};
use crate::describe::stiffness::Values;
use crate::describe::traits::basic;
use crate::tuning::MAX_PARTICLES;
use glam::Vec3;
use std::sync::Arc;

/// Where a fluid is at the start.
#[derive(Clone, Debug)]
enum Fill {
    Block(FillBox),
    Mesh(Arc<Mesh>),
    Points(Vec<[f32; 3]>),
}

/// A fluid: water, oil, honey.
///
/// Its particles have one distance at rest and one mass. They meet colliders, cloths, solids and rigid bodies, which
/// they push and which push them. All fluids of a scene have the same filter.
///
/// # Source
/// Macklin, Müller 2013, "Position Based Fluids"; Akinci et al. 2012 (what lies beside a fluid);
/// `kernels/src/fluid/mod.rs` has the equations.
///
/// # Example
/// ```
/// use seidel::{Collider, Fluid, Input, Scene, Solver};
/// let mut scene = Scene::new();
/// scene.add_collider(Collider::ground());
/// let water = scene.add(Fluid::block([0.0, 0.0, 0.0], [0.4, 0.4, 0.4]).spacing(0.05));
/// let mut solver = Solver::new(&scene)?;
/// solver.step(&Input::frame(1.0 / 60.0));
/// assert_eq!(solver.positions(water).len(), 512);
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fluid {
    traits: Loose,
    fills: Vec<Fill>,
    liquid: Liquid,
    friction: f32,
    restitution: f32,
    pouring: Pouring,
}

basic!(Fluid);
pours!(Fluid);

impl Fluid {
    fn of(fill: Fill) -> Fluid {
        Fluid {
            traits: Loose::default(),
            fills: vec![fill],
            liquid: Liquid::water(0.02),
            friction: 0.0,
            restitution: 0.0,
            pouring: Pouring::default(),
        }
    }

    /// Water in a box between two corners, metres: on a lattice, the first particle half a spacing from `low`.
    #[must_use]
    pub fn block(low: impl Into<Vec3>, high: impl Into<Vec3>) -> Fluid {
        Fluid::of(Fill::Block(FillBox::new(low, high)))
    }

    /// Water in a closed mesh.
    #[must_use]
    pub fn filling(mesh: impl Into<Arc<Mesh>>) -> Fluid {
        Fluid::of(Fill::Mesh(mesh.into()))
    }

    /// Water of particles at given places, metres. They should be about a spacing apart: what is nearer is pressed
    /// apart at the start.
    #[must_use]
    pub fn points(points: Vec<[f32; 3]>) -> Fluid {
        Fluid::of(Fill::Points(points))
    }

    /// Water that is nowhere at the start: [`Fluid::emit`] lets it come.
    #[must_use]
    pub fn empty() -> Fluid {
        Fluid { fills: Vec::new(), ..Fluid::of(Fill::Points(Vec::new())) }
    }

    /// Lets more of it come from an opening.
    #[must_use]
    pub fn emit(mut self, emitter: Emitter) -> Fluid {
        self.pouring.emitters.push(emitter);
        self
    }

    /// The same fluid in another box, too.
    #[must_use]
    pub fn and_block(mut self, low: impl Into<Vec3>, high: impl Into<Vec3>) -> Fluid {
        self.fills.push(Fill::Block(FillBox::new(low, high)));
        self
    }

    /// Distance of neighbours at rest, metres, within 1e-4 .. 100; 2 cm unless told. All fluids of a scene have the
    /// same.
    #[must_use]
    pub fn spacing(mut self, spacing: f32) -> Fluid {
        self.liquid.spacing = spacing;
        self
    }

    /// Radius of the smoothing kernel over the spacing, within 1.5 .. 3; 2 unless told. All fluids of a scene have the
    /// same.
    #[must_use]
    pub fn support(mut self, support: f32) -> Fluid {
        self.liquid.support = support;
        self
    }

    /// At rest, kg/m^3, within 1e-3 .. 1e5; 1000 unless told.
    #[must_use]
    pub fn density(mut self, density: f32) -> Fluid {
        self.liquid.density = density;
        self
    }

    /// Kinematic viscosity, m^2/s, within 0 .. 1000; that of water, 1e-6, unless told. Olive oil has 1e-4, honey 7e-3.
    /// A substep cannot carry more than [`crate::Plan::viscosity_limit`]; beyond it the fluid is as viscous as that,
    /// and `Plan::warnings` says so. What is thinner than [`crate::Plan::viscosity_floor`] is as viscous as that, and 0
    /// leaves viscosity out: then particles tremble for long.
    #[must_use]
    pub fn viscosity(mut self, viscosity: f32) -> Fluid {
        self.liquid.viscosity = viscosity;
        self
    }

    /// How the fluid slips at colliders, rigid bodies, cloths, ropes and solids: as if its velocity, relative to
    /// theirs, became zero so many metres behind their surfaces (Navier's slip length), >= 0; one that is finite wants
    /// a viscosity above 0. 0 is no slip: syrup sticks to a spoon, which it drags along and which drags it. Infinite
    /// unless told: its viscosity acts within it alone. Its viscosity is never less than
    /// [`crate::Plan::viscosity_floor`], so thin fluids are dragged along too much: a layer as thick as sqrt(viscosity
    /// time). Its normal motion is not affected; nor does it cling to cloths exactly at the surface, for vertices are
    /// neighbours like particles.
    #[must_use]
    pub fn slip_length(mut self, slip_length: f32) -> Fluid {
        self.liquid.slip_length = slip_length;
        self
    }

    /// Vorticity confinement, 1/s, within 0 .. 100; 0 unless told, which costs nothing. Whirls that are a few spacings
    /// wide die of the particles' number; this accelerates what goes round them by as much, times the spacing and their
    /// vorticity, at most by 2 % of itself in a substep: about 2 keeps them, more makes them stronger than they were,
    /// without an end. For looks: energy and momentum are not conserved.
    #[must_use]
    pub fn vorticity_confinement(mut self, vorticity_confinement: f32) -> Fluid {
        self.liquid.vorticity_confinement = vorticity_confinement;
        self
    }

    /// Surface tension, N/m, within 0 .. 1000; 0 unless told, which costs nothing. Water has 0.073, mercury 0.49. It
    /// makes balls of drops and draws a surface smooth, which is felt by what is smaller than sqrt(tension / (density
    /// gravity)), 2.7 mm for water: what is larger and shall look as if it were small wants as many times more as the
    /// square of its size. Colliders and rigid bodies are wetted at about a right angle, cloths, ropes and solids are
    /// not. Wants a support of two spacings or more. A substep cannot carry more than
    /// [`crate::Plan::surface_tension_limit`]; beyond it there is as much as that, and `Plan::warnings` says so.
    /// Between two fluids there is none.
    #[must_use]
    pub fn surface_tension(mut self, surface_tension: f32) -> Fluid {
        self.liquid.surface_tension = surface_tension;
        self
    }

    /// Friction coefficient of its particles at colliders and bodies, >= 0; 0 unless told, which lets it slip. A
    /// contact's is combined with the other side's.
    #[must_use]
    pub fn friction(mut self, coefficient: f32) -> Fluid {
        self.friction = coefficient;
        self
    }

    /// Factor on the restitution of colliders, 0..=1; 0 unless told.
    #[must_use]
    pub fn restitution(mut self, factor: f32) -> Fluid {
        self.restitution = factor;
        self
    }

    pub(super) fn need(&self) -> Need {
        let spacing = f64::from(self.liquid.spacing);
        let count = |fill: &Fill| match fill {
            Fill::Block(block) => lattice(block, spacing).iter().product::<f64>(),
            Fill::Mesh(mesh) => volume(mesh).abs() / ((spacing * spacing) * spacing),
            Fill::Points(points) => points.len() as f64,
        };
        let filled = self.fills.iter().map(count).sum::<f64>();
        let count = self.pouring.most(filled, spacing);
        // A spacing that is refused later must not ask for all memory.
        let count = if count.is_finite() { count.clamp(0.0, 1e12) as u64 } else { 0 };
        let boxes = self.fills.iter().map(|fill| match fill {
            Fill::Mesh(mesh) => box_nodes(mesh, spacing),
            Fill::Block(_) | Fill::Points(_) => 0,
        });
        Need::fluid(count).numbers(2 * boxes.max().unwrap_or(0))
    }

    pub(crate) fn body(&self) -> Result<Body, Error> {
        let of = || self.traits.of();
        self.liquid.check(&of)?;
        let mut positions = Vec::new();
        for fill in &self.fills {
            self.fill(fill, &mut positions)?;
            let (got, limit) = (positions.len(), MAX_PARTICLES as usize);
            if got > limit {
                return Err(Error::TooLarge { got, limit });
            }
        }
        let filled = positions.len();
        let of_it = (f64::from(self.liquid.spacing), "at least the particles at the start");
        let count = self.pouring.room(of, filled, of_it)?;
        range(of, || "number of particles".to_owned(), count as f64, count > 0, "1 or more")?;
        let mut body = self.traits.given_to(self.pouring.body(positions, count, self.liquid.mass()));
        // Half a spacing from a wall, where the wall's density is that of the lattice behind it.
        body.thickness = Values::Uniform(0.5 * self.liquid.spacing);
        body.friction = Values::Uniform(self.friction);
        body.restitution = self.restitution;
        body.fluid = Some(self.liquid);
        Ok(body)
    }

    /// Adds the particles of a fill.
    fn fill(&self, fill: &Fill, to: &mut Vec<[f32; 3]>) -> Result<(), Error> {
        let (of, spacing) = (|| self.traits.of(), f64::from(self.liquid.spacing));
        match fill {
            Fill::Points(points) => to.extend_from_slice(points),
            Fill::Block(block) => {
                block.check(&of, spacing, "one spacing or more")?;
                let sides = lattice(block, spacing);
                let (got, limit) = (sides.iter().product::<f64>(), f64::from(MAX_PARTICLES));
                if got > limit {
                    return Err(Error::TooLarge { got: got as usize, limit: limit as usize });
                }
                let [nx, ny, nz] = sides.map(|side| side as u32);
                let at = |k: usize, i: u32| (f64::from(block.low[k]) + (f64::from(i) + 0.5) * spacing) as f32;
                for z in 0..nz {
                    for y in 0..ny {
                        to.extend((0..nx).map(|x| [at(0, x), at(1, y), at(2, z)]));
                    }
                }
            }
            Fill::Mesh(mesh) => {
                let closed = mesh.closed(&of())?;
                let (low, high) = bounds(&closed);
                for side in (0..3).map(|k| high[k] - low[k]) {
                    let what = || "side of the box around the mesh".to_owned();
                    range(of, what, side, side >= spacing * (1.0 - ROUNDING), "one spacing or more")?;
                }
                let count = |spacing: f64| -> [f64; 3] {
                    std::array::from_fn(|k| ((high[k] - low[k]) / spacing).floor() + 1.0)
                };
                let nodes = count(spacing).iter().product::<f64>();
                let limit = u64::from(MAX_PARTICLES);
                if nodes > limit as f64 {
                    let about = spacing * libm::cbrt(nodes / limit as f64);
                    let least = advised(about, |s| count(f64::from(s)).iter().product::<f64>() <= limit as f64);
                    let cell = self.liquid.spacing;
                    return Err(Error::TooFine { of: of(), cell, nodes: nodes as u64, limit, least });
                }
                // In the middle of its box.
                let sides = count(spacing);
                let start: [f64; 3] =
                    std::array::from_fn(|k| 0.5 * (low[k] + high[k]) - 0.5 * (sides[k] - 1.0) * spacing);
                let grid =
                    Grid { nodes: sides.map(|n| n as u32), low: start.map(|c| c as f32), cell: self.liquid.spacing };
                let before = to.len();
                let [nx, ny, _] = sides.map(|n| n as usize);
                for (node, _) in grid.winding(&closed).iter().enumerate().filter(|(_, turns)| **turns != 0) {
                    let at = [node % nx, node / nx % ny, node / nx / ny];
                    to.push(std::array::from_fn(|k| (start[k] + at[k] as f64 * spacing) as f32));
                }
                let found = to.len() - before;
                let what = || "number of particles in the mesh".to_owned();
                range(of, what, found as f64, found > 0, "1 or more: the mesh is thinner than a spacing")?;
            }
        }
        Ok(())
    }
}

/// Nodes of the box of a mesh that is filled; of more than may be, none: that is refused.
fn box_nodes(mesh: &Mesh, spacing: f64) -> u64 {
    let side = |k: usize| {
        let of = mesh.positions.iter().map(|p| f64::from(p[k]));
        let extent = of.clone().fold(f64::NEG_INFINITY, f64::max) - of.fold(f64::INFINITY, f64::min);
        (extent / spacing).floor().max(0.0) + 1.0
    };
    let nodes = side(0) * side(1) * side(2);
    if nodes <= f64::from(MAX_PARTICLES) { nodes as u64 } else { 0 }
}

/// The volume in a mesh, m^3.
fn volume(mesh: &Mesh) -> f64 {
    let corner = |v: u32| mesh.positions.get(v as usize).map_or([0.0; 3], |p| p.map(f64::from));
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(corner);
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    mesh.triangles.iter().map(of).sum::<f64>() / 6.0
}

/// Particles along each side of a box.
fn lattice(block: &FillBox, spacing: f64) -> [f64; 3] {
    std::array::from_fn(|k| (block.side(k) / spacing + ROUNDING).floor().max(0.0))
}
