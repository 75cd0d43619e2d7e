//! Bodies: particles and rows of constraints, in the mesh's own order. A recipe makes them, and a plan takes them.

mod constraints;

use crate::describe::attachment::Attached;
use crate::describe::emitter::Emitter;
use crate::describe::error::{Error, range};
use crate::describe::field::{ShapeMatching, VolumeConstraint};
use crate::describe::filter::Filter;
use crate::describe::frame::{MaterialFrame, check_frames};
use crate::describe::grain::Grain;
use crate::describe::liquid::Liquid;
use crate::describe::long_range::LongRange;
use crate::describe::memory::Need;
use crate::describe::mesh::Mesh;
use crate::describe::pins::{MovingPins, check_moving_pins};
use crate::describe::region::Region;
use crate::describe::settings::Method;
use crate::describe::stiffness::Values;
use crate::describe::tearing::Tearing;
use crate::describe::tether::{Tether, check_tethers};
use crate::describe::tets::TetMesh;
use crate::describe::track::Track;
use crate::tuning;
pub use constraints::Constraints;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// With which bodies one collides: both must want it. Two features keep the sum of their bodies' thicknesses; less, if
/// they are nearer at rest. Spheres meet spheres only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Collide {
    /// With colliders only.
    #[default]
    Nothing,
    /// With other bodies.
    Others,
    /// With other bodies and with itself.
    All,
    /// As particles that are spheres, with itself and with other such bodies. Many times as fast, and nothing is
    /// promised: a sphere is as wide as the mean edge of its mesh (as twice the thickness, if that is more), so layers
    /// lie that far apart; what is stretched, wrung, or comes faster than half of that a substep may pass through.
    Spheres,
}

impl Collide {
    /// Whether features are kept from passing through each other.
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Collide::Others | Collide::All)
    }
}

/// A deformable body.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Body {
    /// Name, unique in a scene; by its number if empty.
    pub name: String,
    /// Positions at rest and at the start, metres.
    pub positions: Vec<[f32; 3]>,
    /// Velocities at the start, m/s; empty: at rest.
    pub velocities: Vec<[f32; 3]>,
    /// Inverse masses, 1/kg; 0 does not move.
    pub inv_mass: Vec<f32>,
    /// Vertices of inverse mass 0 and the inverse masses that they have when they are let go ([`crate::State::unpin`]),
    /// 1/kg.
    pub free_masses: Vec<(u32, f32)>,
    /// Rotations between points, which kinds such as [`crate::kinds::BEND_TWIST`] turn.
    pub frames: Vec<MaterialFrame>,
    /// Vertices of inverse mass 0 that follow paths; all other such vertices rest.
    pub moving_pins: Vec<MovingPins>,
    /// Vertices of inverse mass 0 that are kept where they lie over obstacles.
    pub attached: Vec<Attached>,
    /// Vertices that stay near obstacles.
    pub tethers: Vec<Tether>,
    /// How far each vertex may be from the vertices of inverse mass 0.
    pub long_range: LongRange,
    /// If it goes where it is taken, all of it: where that is. All its inverse masses are 0 then.
    pub obstacle: Option<Track>,
    /// Triangles, for contacts and pictures.
    pub triangles: Arc<Vec<[u32; 3]>>,
    /// Tetrahedra, for pictures and for `skin`.
    pub tets: Arc<Vec<[u32; 4]>>,
    /// A surface that goes with the tetrahedra, metres at rest: what pictures show, and colliders meet, instead of
    /// `triangles`.
    pub skin: Option<Mesh>,
    /// Edges for contacts with bodies, beside those of the triangles: a rope's.
    pub edges: Vec<[u32; 2]>,
    /// Constraints, family after family: the order in which they are solved.
    pub constraints: Vec<Constraints>,
    /// Shapes that are matched, on any number of vertices each, solved after those.
    pub matched_shapes: Vec<ShapeMatching>,
    /// Volumes that are held, solved after the shapes.
    pub volumes: Vec<VolumeConstraint>,
    /// Particle radius, metres, >= 0: bodies keep this distance from colliders, and twice as much from themselves. One,
    /// or one for each vertex, of which an edge or a triangle has the mean.
    pub thickness: Values,
    /// Which colliders and other bodies it meets.
    pub filter: Filter,
    /// Which bodies it collides with, beside colliders.
    pub collide: Collide,
    /// Friction coefficient, >= 0. A contact's is the geometric mean of the collider's and the body's. One, or one for
    /// each vertex, of which edges and triangles have the mean.
    pub friction: Values,
    /// Factor on the restitution of colliders, 0..=1.
    pub restitution: f32,
    /// Share of the velocity relative to the body's rigid motion that a step takes away, 0..=1 (Müller et al. 2007,
    /// section 3.5).
    pub damping: f32,
    /// Damping of the velocity relative to the world, 1/s, >= 0: without forces a velocity falls by 1/e in 1 /
    /// `linear_damping` seconds, whatever the time step. It is relative to the world at rest, not to the wind. Frames
    /// lose their angular velocity alike.
    pub linear_damping: f32,
    /// Substeps that it takes in a step, 1 to 100,000: a level of detail of its own. None: as many as the scene. Fluids
    /// and grains have none of their own.
    pub substeps: Option<u32>,
    /// How a sweep goes over its constraints. None: as the scene says. Joints hold bodies of one method together.
    pub method: Option<Method>,
    /// Coefficient of drag of its triangles in the air ([`crate::Air`]), >= 0: 1.2 is a square plate's across the flow.
    pub drag: f32,
    /// Coefficient of lift, >= 0: of C_L = lift sin(a) cos(a), where the flow meets a triangle at the angle a.
    pub lift: f32,
    /// Permeance of its triangles, m/(s Pa), 0 to 1: the speed at which a fluid goes through per difference of pressure
    /// (Darcy's law). 0 is watertight.
    pub permeance: f32,
    /// If it is a fluid: what it is made of. It has particles alone.
    pub fluid: Option<Liquid>,
    /// If it is of grains: what they are made of. It has particles alone.
    pub grain: Option<Grain>,
    /// Where the fluid comes from, or grains: its vertices of inverse mass 0 are what is not there yet.
    pub emitters: Vec<Emitter>,
    /// Where it goes: particles in any of these are taken away at the end of a step.
    pub drains: Vec<Region>,
    /// When its triangles part, or its tetrahedra; never if none.
    pub tearing: Option<Tearing>,
}

impl Body {
    /// A body of free particles: no triangles, no constraints, no damping, no drag or lift, friction 0.5.
    #[must_use]
    pub fn particles(positions: Vec<[f32; 3]>, inv_mass: Vec<f32>) -> Body {
        Body {
            name: String::new(),
            positions,
            velocities: Vec::new(),
            inv_mass,
            free_masses: Vec::new(),
            frames: Vec::new(),
            moving_pins: Vec::new(),
            attached: Vec::new(),
            tethers: Vec::new(),
            long_range: LongRange::Off,
            obstacle: None,
            triangles: Arc::default(),
            tets: Arc::default(),
            skin: None,
            edges: Vec::new(),
            constraints: Vec::new(),
            matched_shapes: Vec::new(),
            volumes: Vec::new(),
            thickness: Values::Uniform(0.0),
            filter: Filter::default(),
            collide: Collide::Nothing,
            friction: Values::Uniform(0.5),
            restitution: 1.0,
            damping: 0.0,
            linear_damping: 0.0,
            substeps: None,
            method: None,
            drag: 0.0,
            lift: 0.0,
            permeance: 0.0,
            fluid: None,
            grain: None,
            emitters: Vec::new(),
            drains: Vec::new(),
            tearing: None,
        }
    }

    /// The same with these constraints, family after family, in place of those that it has.
    #[must_use]
    pub fn constraints(mut self, families: Vec<Constraints>) -> Body {
        self.constraints = families;
        self
    }

    /// The memory that it needs when it is planned, estimated.
    pub(super) fn need(&self) -> Need {
        let sheet = Need::particles(self.positions.len() as u64);
        let rows = self.constraints.iter().fold(sheet, Constraints::counted);
        let volumes = self.volumes.iter().map(|volume| volume.triangles.len() as u64).sum();
        let named = self.free_masses.len() + self.attached.len();
        let need = rows.triangles(self.triangles.len() as u64).triangles(volumes).tets(self.tets.len() as u64);
        let need = need.shapes(self.matched_shapes.iter().map(|shape| shape.vertices.len())).named(named as u64);
        let need = need.skin(self.skin.as_ref().map_or(0, |skin| skin.positions.len() as u64));
        let need = need.colliding(self.collide != Collide::Nothing);
        match &self.tearing {
            Some(tearing) => tearing.counted(need, self.positions.len() as u64),
            None => need,
        }
    }

    /// Fills in the parameters that are to be measured, and stiffnesses that rows have from their vertices.
    pub(crate) fn measure_rest(&mut self) -> Result<(), Error> {
        let Body { positions, frames, name, constraints, .. } = self;
        constraints.iter_mut().try_for_each(|c| {
            let kind = c.kind.name();
            let of = || format!("body `{name}`, kind `{kind}`");
            c.by_row(&of, positions.len())?;
            c.measure(&of, positions, frames)
        })
    }

    /// Everything that makes stepping infallible.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let of = || format!("body `{}`", self.name);
        let n = self.positions.len();
        let length = |what: &str, got: usize, want: usize| {
            if got == want { Ok(()) } else { Err(Error::Length { of: of(), what: what.to_owned(), got, want }) }
        };
        length("inv_mass", self.inv_mass.len(), n)?;
        if !self.velocities.is_empty() {
            length("velocities", self.velocities.len(), n)?;
        }
        let limit = tuning::MAX_COORDINATE;
        for (v, p) in self.positions.iter().enumerate() {
            for &c in p {
                range(of, || format!("position of vertex {v}"), f64::from(c), c.abs() <= limit, "within +-1e6 m")?;
            }
        }
        for (v, p) in self.velocities.iter().enumerate() {
            for &c in p {
                range(of, || format!("velocity of vertex {v}"), f64::from(c), c.abs() <= limit, "within +-1e6 m/s")?;
            }
        }
        for (v, &w) in self.inv_mass.iter().enumerate() {
            let good = w == 0.0 || (tuning::MIN_INV_MASS..=tuning::MAX_INV_MASS).contains(&w);
            range(of, || format!("inverse mass of vertex {v}"), f64::from(w), good, "0 or within 1e-9 .. 1e12 per kg")?;
        }
        for &(v, w) in &self.free_masses {
            let (index, count) = (v as usize, n);
            if index >= count {
                return Err(Error::Missing { of: of(), what: "vertex of `free_masses`", index, count });
            }
            let good = (tuning::MIN_INV_MASS..=tuning::MAX_INV_MASS).contains(&w);
            range(of, || format!("free inverse mass of vertex {v}"), f64::from(w), good, "within 1e-9 .. 1e12 per kg")?;
        }
        for (t, corners) in self.triangles.iter().enumerate() {
            self.check_row(&|| of() + ", triangles", t, corners, &[])?;
        }
        for (t, corners) in self.tets.iter().enumerate() {
            self.check_row(&|| of() + ", tetrahedra", t, corners, &[])?;
        }
        for (e, ends) in self.edges.iter().enumerate() {
            self.check_row(&|| of() + ", edges", e, ends, &[])?;
        }
        self.thickness.check(of, ("thickness", "vertex"), n, |t| (0.0..=limit).contains(&t), "0 m or more")?;
        self.friction.check(of, ("friction", "vertex"), n, |mu| (0.0..=1e6).contains(&mu), "within 0 .. 1e6")?;
        let damping = self.damping;
        range(of, || "damping".to_owned(), f64::from(damping), (0.0..=1.0).contains(&damping), "within 0 .. 1")?;
        let c = self.linear_damping;
        range(of, || "linear_damping".to_owned(), f64::from(c), (0.0..=1e6).contains(&c), "within 0 .. 1e6 per s")?;
        if let Some(n) = self.substeps {
            let good = (1..=tuning::MAX_SUBSTEPS).contains(&n);
            range(of, || "substeps".to_owned(), f64::from(n), good, "within 1 .. 100000")?;
            if self.fluid.is_some() || self.grain.is_some() {
                let why = "fluids and grains take those of the scene";
                return Err(Error::OwnSubsteps { of: of(), why });
            }
        }
        self.method.map_or(Ok(()), |method| method.check(of))?;
        let e = self.restitution;
        range(of, || "restitution".to_owned(), f64::from(e), (0.0..=1.0).contains(&e), "within 0 .. 1")?;
        for (what, c) in [("drag", self.drag), ("lift", self.lift)] {
            range(of, || what.to_owned(), f64::from(c), (0.0..=1e6).contains(&c), "within 0 .. 1e6")?;
        }
        let l = self.permeance;
        range(of, || "permeance".to_owned(), f64::from(l), (0.0..=1.0).contains(&l), "within 0 .. 1 m/(s Pa)")?;
        if let Some(liquid) = &self.fluid {
            liquid.check(&of)?;
            self.is_particles_alone()?;
            self.check_emitters(f64::from(liquid.spacing))?;
        }
        if let Some(grain) = &self.grain {
            grain.check(&of)?;
            self.is_particles_alone()?;
            self.check_emitters(grain.spacing())?;
        }
        check_frames(&self.frames, &self.name, self.positions.len())?;
        for (i, shape) in self.matched_shapes.iter().enumerate() {
            shape.check(&|| format!("{}, shape {i}", of()), n)?;
        }
        for (i, volume) in self.volumes.iter().enumerate() {
            volume.check(&|| format!("{}, volume {i}", of()), &self.positions)?;
        }
        check_moving_pins(&self.moving_pins, &self.attached, (&self.name, &self.inv_mass))?;
        self.obstacle.as_ref().map_or(Ok(()), |track| track.check(&self.name, &self.inv_mass))?;
        check_tethers(&self.tethers, &self.name, n)?;
        self.long_range.check(&self.name, &self.inv_mass)?;
        self.tearing.as_ref().map_or(Ok(()), |tearing| self.check_tearing(tearing))?;
        self.constraints.iter().try_for_each(|c| self.check_constraints(c))
    }

    fn check_emitters(&self, spacing: f64) -> Result<(), Error> {
        let of = |i: usize| format!("body `{}`, emitter {i}", self.name);
        self.emitters.iter().enumerate().try_for_each(|(i, emitter)| emitter.check(&|| of(i), spacing))
    }

    /// Vertices that it begins with: behind them lie copies.
    pub(crate) fn begins_with(&self) -> usize {
        self.positions.len() - self.tearing.as_ref().map_or(0, Tearing::copies)
    }

    /// How many copies of its vertices there may be.
    pub(crate) fn most_copies(&self) -> usize {
        self.tearing.as_ref().map_or(0, |tearing| tearing.most_copies(self.begins_with()))
    }

    /// A body that tears is a sheet of triangles, or a solid of tetrahedra with its surface.
    fn check_tearing(&self, tearing: &Tearing) -> Result<(), Error> {
        let of = || format!("body `{}`", self.name);
        tearing.check(&of, self.positions.len())?;
        let Body { triangles, tets, skin, edges, matched_shapes, volumes, frames, obstacle, fluid, grain, .. } = self;
        let is_surface = || TetMesh { positions: self.positions.clone(), tets: tets.to_vec() }.surface() == **triangles;
        let more = [
            ("triangles that are not the surface of its tetrahedra", !tets.is_empty() && !is_surface()),
            ("a skin", skin.is_some()),
            ("edges of its own", !edges.is_empty()),
            ("volumes or matched shapes", !matched_shapes.is_empty() || !volumes.is_empty()),
            ("frames", !frames.is_empty()),
            ("a path of all its vertices", obstacle.is_some()),
            ("particles alone", fluid.is_some() || grain.is_some()),
            ("long range attachments", matches!(self.long_range, LongRange::Slack(_))),
            ("rest shapes that yield", self.constraints.iter().any(|rows| rows.plasticity.is_some())),
        ];
        match more.into_iter().find(|(_, has)| *has) {
            Some((what, _)) => Err(Error::DoesNotTear { of: of(), what }),
            None => Ok(()),
        }
    }

    /// A fluid has no surface, no constraints and nothing that holds it; nor have grains, which may collide with
    /// others.
    fn is_particles_alone(&self) -> Result<(), Error> {
        let Body { triangles, tets, edges, constraints, frames, moving_pins, attached, tethers, .. } = self;
        let fields = self.matched_shapes.len() + self.volumes.len();
        let of_rows = [triangles.len(), tets.len(), edges.len(), constraints.len(), fields, frames.len()];
        let held = [moving_pins.len(), attached.len(), tethers.len()];
        let more: usize = of_rows.iter().chain(&held).sum::<usize>()
            + usize::from(
                self.skin.is_some() || self.obstacle.is_some() || (self.fluid.is_some() && self.grain.is_some()),
            );
        let got = match self.collide {
            Collide::All => Some("all"),
            Collide::Spheres => Some("spheres"),
            Collide::Nothing | Collide::Others => None,
        };
        if let (true, Some(got)) = (self.grain.is_some(), got) {
            return Err(Error::GrainsCollide { of: format!("body `{}`", self.name), got });
        }
        let others = self.grain.is_some() && self.collide == Collide::Others;
        let more = more + usize::from(self.collide != Collide::Nothing && !others) + usize::from(self.method.is_some());
        if more == 0 { Ok(()) } else { Err(Error::FluidWithMore { of: format!("body `{}`", self.name) }) }
    }

    /// Every row names vertices and frames that exist, none twice.
    pub(crate) fn check_rows(&self) -> Result<(), Error> {
        check_frames(&self.frames, &self.name, self.positions.len())?;
        for c in &self.constraints {
            let of = || format!("body `{}`, kind `{}`", self.name, c.kind.name());
            let want = c.rows() * c.kind.slots();
            if c.at.len() != want {
                return Err(Error::Length { of: of(), what: "vertices".to_owned(), got: c.at.len(), want });
            }
            for (row, at) in c.at.chunks_exact(c.kind.slots()).enumerate() {
                let (at, frames) = at.split_at(c.kind.points());
                self.check_row(&of, row, at, frames)?;
            }
        }
        Ok(())
    }

    fn check_row(&self, of: &dyn Fn() -> String, row: usize, at: &[u32], frames: &[u32]) -> Result<(), Error> {
        for (what, at, count) in [("vertex", at, self.positions.len()), ("frame", frames, self.frames.len())] {
            for (i, &number) in at.iter().enumerate() {
                if number as usize >= count {
                    let of = format!("{} row {row}", of());
                    return Err(Error::Missing { of, what, index: number as usize, count });
                }
                if at[..i].contains(&number) {
                    return Err(Error::Repeated { of: of(), row, what, number });
                }
            }
        }
        Ok(())
    }

    fn check_constraints(&self, c: &Constraints) -> Result<(), Error> {
        let of = || format!("body `{}`, kind `{}`", self.name, c.kind.name());
        for (row, at) in c.at.chunks_exact(c.kind.slots()).enumerate() {
            let (at, frames) = at.split_at(c.kind.points());
            self.check_row(&of, row, at, frames)?;
        }
        c.check(&of)
    }
}
