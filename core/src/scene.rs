//! Scene: what is wanted. Plain data; a plan is made from it.

use crate::air::Air;
use crate::collider::Collider;
use crate::join::Joint;
use crate::recipe::Recipe;
use serde::{Deserialize, Serialize};

/// A body of a scene, by its number: that of another scene is taken for the body here with the same number, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u32);

/// A collider of a scene, by its number, as [`BodyId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId(pub(crate) u32);

impl BodyId {
    /// Its number in the scene, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ColliderId {
    /// Its number in the scene, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What to do when a particle's position or velocity is no longer a number, or is beyond 1e9 m.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NonFinite {
    /// Put the particle back to where it was last, fix it there, and go on. The state stays finite.
    #[default]
    Freeze,
    /// Keep the numbers for inspection and end the step; the state takes no further step until it is resumed.
    Stop,
    /// Keep the numbers and go on. They do not spread: a constraint with such a particle moves nothing.
    GoOn,
}

/// In which way a sweep goes over the constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// One after another in a fixed order, each at the positions that those before it have left (Müller et al. 2007,
    /// section 3.2).
    #[default]
    GaussSeidel,
    /// All at the same positions; then every particle takes the average of what its constraints ask for (Macklin et al.
    /// 2014, section 4.2; with split masses, so that momentum is conserved: `kernels/src/average.rs`). It takes more
    /// iterations than Gauss-Seidel, and the order of the constraints changes nothing but roundings.
    Jacobi {
        /// Factor on the averages, within 0.01 .. 1.99: 1 is the average, more is faster where many constraints meet (the
        /// omega of Macklin et al. 2014, section 4.3). A particle never takes more than the sum of its corrections. With an
        /// odd number of iterations too much of it makes chains shake (from 1.33 on with one): `Plan::notes` says so.
        relaxation: f32,
    },
}

impl Method {
    /// Jacobi with plain averages.
    pub const JACOBI: Method = Method::Jacobi { relaxation: 1.0 };

    /// Name in scene files and reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Method::GaussSeidel => "gauss-seidel",
            Method::Jacobi { .. } => "jacobi",
        }
    }
}

/// How a scene is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// m/s^2.
    pub gravity: [f32; 3],
    /// What bodies with a drag or lift move in.
    pub air: Air,
    /// Substeps in a step, >= 1. The default, 20 substeps of 1 iteration, is that of Macklin et al. 2019; 1 substep of n
    /// iterations is the loop of Müller et al. 2007.
    pub substeps: u32,
    /// Sweeps over all constraints in a substep, >= 1.
    pub iterations: u32,
    /// How a sweep goes over them.
    pub method: Method,
    /// What to do with a particle that is lost.
    pub non_finite: NonFinite,
}

impl Settings {
    /// Whether the relaxation may make particles shake.
    ///
    /// Of an error that the constraints of its particles agree on, as neighbours along a chain do, a sweep leaves q = 1 -
    /// relaxation, n sweeps Q = q^n. The velocity is what they have moved, so the errors of substeps follow p'' = 2 Q p' - Q p,
    /// which grows if Q < -1/3.
    pub(crate) fn shakes(&self) -> bool {
        let Method::Jacobi { relaxation } = self.method else { return false };
        self.iterations % 2 == 1 && libm::pow(f64::from(relaxation) - 1.0, f64::from(self.iterations)) > 1.0 / 3.0
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            gravity: [0.0, -9.81, 0.0],
            air: Air::default(),
            substeps: 20,
            iterations: 1,
            method: Method::GaussSeidel,
            non_finite: NonFinite::Freeze,
        }
    }
}

/// Bodies, what joins them, colliders and settings.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// How it is solved.
    pub settings: Settings,
    pub(crate) bodies: Vec<Recipe>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) colliders: Vec<Collider>,
}

impl Scene {
    /// An empty scene with default settings.
    #[must_use]
    pub fn new() -> Scene {
        Scene::default()
    }

    /// Adds a body. One without a name is called by its number: `body-0`.
    pub fn add(&mut self, body: impl Into<Recipe>) -> BodyId {
        let mut body = body.into();
        if body.name().is_empty() {
            body.rename(format!("body-{}", self.bodies.len()));
        }
        self.bodies.push(body);
        BodyId(self.bodies.len() as u32 - 1)
    }

    /// Joins bodies. What is wrong with it is said when the scene is planned, by its number: `joint 0`.
    pub fn join(&mut self, joint: Joint) {
        self.joints.push(joint);
    }

    /// Adds a collider. One without a name is called by its number: `collider-0`.
    pub fn collide(&mut self, mut collider: Collider) -> ColliderId {
        if collider.name.is_empty() {
            collider.name = format!("collider-{}", self.colliders.len());
        }
        self.colliders.push(collider);
        ColliderId(self.colliders.len() as u32 - 1)
    }

    /// The body of a name.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name() == name).map(|i| BodyId(i as u32))
    }

    /// The collider of a name.
    #[must_use]
    pub fn collider(&self, name: &str) -> Option<ColliderId> {
        self.colliders.iter().position(|c| c.name == name).map(|i| ColliderId(i as u32))
    }
}
