//! Settings: how a scene is solved.

use crate::describe::air::Air;
use crate::describe::error::{Error, range};
use crate::describe::friction::CombineRule;
use crate::tuning::RELAXATION;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// What to do when a particle's position or velocity is no longer a number, or is beyond 1e9 m.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NonFinite {
    /// Put the particle back to where it was last, fix it there, and go on. The state stays finite.
    #[default]
    Freeze,
    /// Keep the numbers for inspection and end the step; the state takes no further step until it is resumed.
    Stop,
    /// Keep the numbers and go on. They do not spread: a constraint with such a particle moves nothing.
    Ignore,
}

/// In which way a sweep goes over the constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// One after another in a fixed order, each at the positions that those before it have left (Müller et al. 2007,
    /// section 3.2).
    #[default]
    GaussSeidel,
    /// All at the same positions; then every particle takes the average of what its constraints ask for (Macklin et al.
    /// 2014, section 4.2; with split masses, so that momentum is conserved: `kernels/src/average.rs`). It takes more
    /// iterations than Gauss-Seidel, and the order of the constraints changes nothing but roundings.
    Jacobi {
        /// Factor on the averages, within 0.01 .. 1.99: 1 is the average, more is faster where many constraints meet
        /// (the omega of Macklin et al. 2014, section 4.3). A particle never takes more than the sum of its
        /// corrections. With an odd number of iterations too much of it makes chains shake (from 1.33 on with one):
        /// `Plan::warnings` says so.
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

    /// The name, and the relaxation if there is one.
    pub(crate) fn told(self) -> String {
        match self {
            Method::GaussSeidel => self.name().to_owned(),
            Method::Jacobi { relaxation } => format!("{} at a relaxation of {relaxation}", self.name()),
        }
    }

    /// Whether its relaxation is within its limits.
    pub(crate) fn check(self, of: impl Fn() -> String) -> Result<(), Error> {
        let Method::Jacobi { relaxation } = self else { return Ok(()) };
        let good = (RELAXATION[0]..=RELAXATION[1]).contains(&relaxation);
        range(of, || "relaxation".to_owned(), f64::from(relaxation), good, "within 0.01 .. 1.99")
    }
}

/// How many substeps a step has.
///
/// With one sweep a substep the error of constraints falls as 1/n^2 in n substeps, so a fine mesh needs many and a
/// coarse one few.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Substeps {
    /// As many as keep the static stretch under 2 %, estimated from the rows when the scene is planned; at least 20, at
    /// most 1000 (`plan/substeps.rs` has the estimate). [`crate::Plan::substeps`] tells the number. The same on every
    /// machine.
    #[default]
    Auto,
    /// So many, >= 1.
    Fixed(u32),
}

impl From<u32> for Substeps {
    fn from(count: u32) -> Substeps {
        Substeps::Fixed(count)
    }
}

/// How the velocity follows from positions at the end of a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum VelocityUpdate {
    /// From this substep: v = (x - x_before) / h (Müller et al. 2007, line 13). Robust; what swings loses energy, the
    /// error being ~ h.
    #[default]
    FirstOrder,
    /// From this substep and the one before, v = (3 x - 4 x_before + x_before_that) / (2 h), with the prediction that
    /// belongs to it (BDF2: `kernels/src/integrate/history.rs`). Error ~ h^2: a pendulum swings on for minutes. A
    /// second sweep over all constraints, over their rates, damps what a substep does not resolve; so it costs two to
    /// six times the time. Not for balloons, to which it gives energy. docs/tuning.md has figures.
    SecondOrder,
}

/// How a scene is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// m/s^2.
    pub gravity: Vec3,
    /// The air that pushes bodies with a drag or lift.
    pub air: Air,
    /// Substeps in a step. Many substeps of 1 iteration are the scheme of Macklin et al. 2019; 1 substep of n
    /// iterations is the loop of Müller et al. 2007.
    pub substeps: Substeps,
    /// Length of a step for which automatic substeps are chosen, seconds, within 1e-6 .. 1000; 1/60 unless told. Longer
    /// steps than this ([`crate::Input::dt`]) stretch more.
    pub dt: f64,
    /// Sweeps over all constraints in a substep, >= 1.
    pub iterations: u32,
    /// How a sweep goes over them.
    pub method: Method,
    /// How velocities follow from positions.
    pub velocity_update: VelocityUpdate,
    /// How the friction coefficients of two surfaces are combined.
    pub friction_rule: CombineRule,
    /// What to do with a particle that is lost.
    pub non_finite: NonFinite,
    /// Whether rigid bodies that have been at rest for half a second sleep until something touches or pushes them, each
    /// island of bodies that touch or are joined as a whole. They cost next to nothing then. Bodies near cloth or
    /// anything else that is deformable stay awake. Off unless told.
    pub sleep: bool,
    /// Bytes that plan, state and scratch may need; [`crate::Plan::new`] refuses a scene that needs more
    /// ([`crate::Scene::need`]); lists of what touches, which are made in a step, are limited by
    /// [`crate::Execution::memory`]. No limit unless told.
    pub memory: u64,
}

impl Settings {
    /// Whether a method's relaxation may make particles shake.
    ///
    /// Of an error that the constraints of its particles agree on, as neighbours along a chain do, a sweep leaves q =
    /// 1 - relaxation, n sweeps Q = q^n. The velocity is what they have moved, so the errors of substeps follow p'' = 2
    /// Q p' - Q p, which grows if Q < -1/3. In second order the sweep over rates holds back what shakes: the errors
    /// grow if Q < -0.81, the largest root of the recursion that position, displacement and velocity follow then
    /// being -1.
    pub(crate) fn shakes(&self, method: Method) -> bool {
        let Method::Jacobi { relaxation } = method else { return false };
        let most = match self.velocity_update {
            VelocityUpdate::FirstOrder => 1.0 / 3.0,
            VelocityUpdate::SecondOrder => 0.81,
        };
        self.iterations % 2 == 1 && libm::pow(f64::from(relaxation) - 1.0, f64::from(self.iterations)) > most
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            air: Air::default(),
            substeps: Substeps::Auto,
            dt: 1.0 / 60.0,
            iterations: 1,
            method: Method::GaussSeidel,
            velocity_update: VelocityUpdate::FirstOrder,
            friction_rule: CombineRule::GeometricMean,
            non_finite: NonFinite::Freeze,
            sleep: false,
            memory: u64::MAX,
        }
    }
}
