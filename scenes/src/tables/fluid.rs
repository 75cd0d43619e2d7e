//! Fluids by keys.

use super::SelectSpec;
use super::attach::Worn;
use super::body_table::BodyTable;
use super::check::{is_off, needless, place};
use super::geometry::Files;
use super::keys::table;
use super::slip::SlipSpec;
use super::turn::{Turn, rotation};
use super::variant::Variant;
use seidel::memory::Need;
use seidel::{Emitter, Filter, Fluid, Opening, Pose, Recipe};
use std::sync::Arc;

table! {
    /// A fluid: a box of it, or a closed mesh full.
    FluidSpec of Fluid: placed {
        /// Name, unique in the scene.
        name: String = String::new(),
        /// Lowest corner of the box, metres.
        from: [f32; 3] = [0.0; 3],
        /// Highest corner, metres.
        to: [f32; 3] = [0.5; 3],
        /// Mesh file, relative to the scene file; instead of a box.
        #[serde(skip_serializing_if = "Option::is_none")]
        mesh: Option<String> = None,
        /// Distance of its particles at rest, metres; one for all fluids of a scene.
        spacing: f32 = 0.02,
        /// Radius of the smoothing kernel, spacings; one for all fluids of a scene.
        support: f32 = 2.0,
        /// kg/m^3.
        density: f32 = 1000.0,
        /// m^2/s.
        viscosity: f32 = 1e-6,
        /// N/m.
        surface_tension: f32 = 0.0,
        /// 1/s.
        vorticity_confinement: f32 = 0.0,
        /// Metres, or "free"; slips freely if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        slip_length: Option<SlipSpec> = None,
        /// m/s.
        velocity: [f32; 3] = [0.0; 3],
        /// Coefficient, at colliders and bodies.
        friction: f32 = 0.0,
        /// Factor on that of colliders.
        restitution: f32 = 0.0,
        /// Of the velocity relative to the world, 1/s.
        linear_damping: f32 = 0.0,
        /// Openings from which it comes.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        emitter: Vec<EmitterSpec> = Vec::new(),
        /// Parts of space that take it away.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        drain: Vec<SelectSpec> = Vec::new(),
        /// The most particles at a time; needed where an emitter has no end.
        #[serde(skip_serializing_if = "Option::is_none")]
        capacity: Option<u32> = None,
        /// Nothing of it is there at the start.
        #[serde(skip_serializing_if = "is_off")]
        empty: bool = false,
        /// Groups that it is in, a bit each.
        groups: u32 = Filter::default().groups,
        /// Groups of others that it meets, a bit each.
        mask: u32 = Filter::default().mask,
    }
}

table! {
    /// An opening from which a fluid comes.
    EmitterSpec {
        /// Its middle, metres.
        position: [f32; 3] = [0.0; 3],
        /// Turn: what comes flows along its own +y.
        rotation: Turn = Turn::default(),
        /// Of a disk, metres.
        #[serde(skip_serializing_if = "Option::is_none")]
        radius: Option<f32> = None,
        /// Half the sides of a rectangle along its own x and z, metres; instead of a radius.
        #[serde(skip_serializing_if = "Option::is_none")]
        half: Option<[f32; 2]> = None,
        /// Mesh file, relative to the scene file: comes from all of its surface, along its normals.
        #[serde(skip_serializing_if = "Option::is_none")]
        mesh: Option<String> = None,
        /// m/s.
        speed: f64 = 1.0,
        /// Seconds.
        from: f64 = 0.0,
        /// Seconds; without end if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        until: Option<f64> = None,
        /// By how much particles are born beside their places, spacings; of grains 0.5 if 0.
        jitter: f32 = 0.0,
        /// Of the jitter.
        seed: u32 = 0,
    }
}

impl EmitterSpec {
    pub(super) fn build(&self, of: &str, files: &mut Files) -> Result<Emitter, String> {
        place(of, "position", self.position, " m")?;
        rotation(of, self.rotation)?;
        let opening = match (self.radius, self.half, &self.mesh) {
            (Some(radius), None, None) => Opening::Disk(radius),
            (None, Some(half), None) => Opening::Rectangle(half),
            (None, None, Some(file)) => Opening::Mesh(Arc::new(files.surface(of, file)?)),
            (None, None, None) => {
                return Err(format!(
                    "{of}: an emitter needs a `radius`, `half` the sides of a rectangle, or a `mesh` that it comes from"
                ));
            }
            _ => return Err(format!("{of}: give one of `radius`, `half` and `mesh`")),
        };
        let Turn { axis, degrees } = self.rotation;
        let pose = Pose::at(self.position).turned(axis, seidel::degrees(degrees));
        let until = self.until.unwrap_or(f64::INFINITY);
        Ok(Emitter::new(pose, opening, self.speed).during(self.from, until).jitter(self.jitter, self.seed))
    }
}

impl FluidSpec {
    pub(super) const VARIANTS: &[Variant] = &[
        Variant { name: "a box", keys: &["from", "to"], other: &["mesh"] },
        Variant { name: "a mesh full", keys: &["position", "rotation", "scale"], other: &["from", "to"] },
    ];
}

impl BodyTable for FluidSpec {
    fn surface(&self) -> Option<(&str, bool)> {
        None
    }

    fn placed(&self) -> Option<(seidel::Pose, seidel::Scale)> {
        Some(self.placement())
    }

    fn names_maps(&self) -> bool {
        false
    }

    fn need(&self) -> Option<(&'static str, Need)> {
        if let Some(capacity) = self.capacity {
            return Some(("capacity", Need::fluid(u64::from(capacity))));
        }
        if self.mesh.is_some() || self.empty || self.spacing.is_nan() || self.spacing <= 0.0 {
            return None;
        }
        let side = |k: usize| f64::from((self.to[k] - self.from[k]) / self.spacing).max(0.0);
        // Beyond what a number of particles may be the box is refused all the same.
        Some(("spacing", Need::fluid((side(0) * side(1) * side(2)).min(1e15) as u64)))
    }

    fn build(&self, of: &str, files: &mut Files, _: &[Worn]) -> Result<Recipe, String> {
        if self.empty && self.emitter.is_empty() {
            return Err(format!("{of}: `empty` wants an [[fluid.emitter]], from which it comes"));
        }
        if self.mesh.is_none() {
            let placed = FluidSpec::default();
            let given = [
                ("position", self.position != placed.position),
                ("rotation", self.rotation != placed.rotation),
                ("scale", self.scale != placed.scale),
            ];
            needless(of, "it is no mesh full", &given)?;
        }
        let fluid = match self.mesh.as_deref() {
            None if self.empty => Fluid::empty(),
            Some(_) if self.empty => return Err(format!("{of}: `empty` and `mesh` contradict each other")),
            None => {
                place(of, "from", self.from, " m")?;
                place(of, "to", self.to, " m")?;
                Fluid::block(self.from, self.to)
            }
            Some(file) => {
                let pose = self.pose(of)?;
                let mut mesh = files.surface(of, file)?;
                self.scale.place_all(&mut mesh.positions, &pose);
                Fluid::filling(mesh)
            }
        };
        place(of, "velocity", self.velocity, " m/s")?;
        let mut fluid = fluid;
        for (i, emitter) in self.emitter.iter().enumerate() {
            fluid = fluid.emit(emitter.build(&format!("{of}, emitter {i}"), files)?);
        }
        for (i, drain) in self.drain.iter().enumerate() {
            fluid = fluid.drain(drain.region(&format!("{of}, drain {i}"))?);
        }
        if let Some(capacity) = self.capacity {
            fluid = fluid.capacity(capacity as usize);
        }
        let fluid = fluid
            .named(self.name.clone())
            .spacing(self.spacing)
            .support(self.support)
            .density(self.density)
            .viscosity(self.viscosity)
            .surface_tension(self.surface_tension)
            .vorticity_confinement(self.vorticity_confinement)
            .slip_length(self.slip_length.map_or(f32::INFINITY, SlipSpec::build))
            .velocity(self.velocity)
            .friction(self.friction)
            .restitution(self.restitution)
            .linear_damping(self.linear_damping)
            .filter(Filter::new(self.groups, self.mask));
        Ok(fluid.into())
    }
}
