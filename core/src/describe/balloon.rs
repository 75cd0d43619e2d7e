//! Balloon: a cloth whose closed mesh holds a volume (Müller et al. 2007, section 4.4).

use crate::describe::body::Body;
use crate::describe::cloth::{BendModel, Cloth};
use crate::describe::error::Error;
use crate::describe::field::{Pressure, VolumeConstraint, measured};
use crate::describe::memory::Need;
use crate::describe::mesh::Mesh;
use crate::describe::pose::Pose;
use crate::describe::scale::Scale;
use crate::describe::stiffness::{Stiffness, Values};
use crate::describe::traits::{Traits, shared};
use std::sync::Arc;

/// A closed skin around a volume.
///
/// # Example
/// ```
/// use seidel::{Balloon, Input, Mesh, Scene, Solver};
/// let mut scene = Scene::new();
/// let balloon = scene.add(Balloon::new(&Mesh::ball(0.2, 2)).pressure(1.5));
/// let mut solver = Solver::new(&scene)?;
/// assert!(solver.step(&Input::frame(1.0 / 60.0).pressure(balloon, 2.0)).rejected.is_none());
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Balloon {
    traits: Traits,
    skin: Box<Cloth>,
    pressure: Pressure,
    volume: Stiffness,
}

shared!(Balloon);

impl Balloon {
    /// From a closed mesh, in its own vertex order: skin of 0.2 kg/m^2 and a stretch compliance of 1e-3 m/N, no
    /// bending, thickness 2
    /// mm; pressure 1, which nothing changes. If its triangles face inwards (all together they hold a volume below 0)
    /// all are turned
    /// over; one that does not close is refused when the scene is planned, and its first open edge named.
    #[must_use]
    pub fn new(mesh: impl Into<Arc<Mesh>>) -> Balloon {
        Balloon {
            traits: Traits::new(0.002),
            skin: Box::new(Cloth::new(mesh).stretch(1e-3)),
            pressure: Pressure::constant(1.0),
            volume: Stiffness::compliance(0.0),
        }
    }

    /// Scales it, then turns and moves it.
    #[must_use]
    pub fn placed(mut self, pose: Pose, scale: impl Into<Scale>) -> Balloon {
        self.skin = Box::new(self.skin.placed(pose, scale));
        self
    }

    /// The volume that it holds, as a multiple of its volume at rest, 0 to 1e6.
    #[must_use]
    pub fn pressure(mut self, k: f32) -> Balloon {
        self.pressure = Pressure::constant(k);
        self
    }

    /// The same in time: pairs [time, multiple], seconds ascending, linear between them. [`crate::Input::pressure`]
    /// goes before it.
    #[must_use]
    pub fn pressure_path(mut self, keys: &[[f64; 2]]) -> Balloon {
        self.pressure = Pressure::path(keys);
        self
    }

    /// How it holds it: compliance in m^3/Pa, or PBD's k; rigid unless told. With a compliance the pressure inside is
    /// what is missing
    /// of the volume over the compliance: a gas of V m^3 at P Pa has V / P.
    #[must_use]
    pub fn volume_by(mut self, stiffness: Stiffness) -> Balloon {
        self.volume = stiffness;
        self
    }

    /// Mass per area of the skin, kg/m^2, > 0: one, or one for each vertex.
    #[must_use]
    pub fn density(mut self, density: impl Into<Values>) -> Balloon {
        self.skin = Box::new(self.skin.density(density));
        self
    }

    /// Compliance of the skin's edges, m/N, >= 0. A rigid skin and a pressure above 1 contradict each other.
    #[must_use]
    pub fn stretch(self, compliance: impl Into<Values>) -> Balloon {
        self.stretch_by(Stiffness::compliance(compliance))
    }

    /// Stiffness of the skin's edges, as compliance or as PBD's k.
    #[must_use]
    pub fn stretch_by(mut self, stiffness: Stiffness) -> Balloon {
        self.skin = Box::new(self.skin.stretch_by(stiffness));
        self
    }

    /// Resists compression with another number than stretch: compliance in m/N, or PBD's k, as of [`Cloth::compress`].
    #[must_use]
    pub fn compress(mut self, number: impl Into<Values>) -> Balloon {
        self.skin = Box::new(self.skin.compress(number));
        self
    }

    /// Bending compliance, as of [`Cloth::bend`].
    #[must_use]
    pub fn bend(self, compliance: impl Into<Values>) -> Balloon {
        self.bend_by(Stiffness::compliance(compliance))
    }

    /// Bending stiffness, as compliance or as PBD's k.
    #[must_use]
    pub fn bend_by(mut self, stiffness: Stiffness) -> Balloon {
        self.skin = Box::new(self.skin.bend_by(stiffness));
        self
    }

    /// How it bends, as of [`Cloth::bend_model`].
    #[must_use]
    pub fn bend_model(mut self, model: BendModel) -> Balloon {
        self.skin = Box::new(self.skin.bend_model(model));
        self
    }

    /// The mesh, as placed.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        self.skin.mesh()
    }

    pub(super) fn need(&self) -> Need {
        self.traits.counted(self.skin.need())
    }

    pub(crate) fn body(&self) -> Result<Body, Error> {
        let mut skin = self.skin.clone();
        skin.traits = self.traits.clone();
        let mut body = skin.body()?;
        if measured(&body.triangles, &body.positions).0 < 0.0 {
            Arc::make_mut(&mut body.triangles).iter_mut().for_each(|t| t.swap(1, 2));
        }
        let (triangles, stiffness, pressure) =
            (Arc::clone(&body.triangles), self.volume.clone(), self.pressure.clone());
        body.volumes.push(VolumeConstraint { triangles, stiffness, pressure });
        Ok(body)
    }
}
