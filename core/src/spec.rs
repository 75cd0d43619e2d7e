//! Scenes as plain data: what a scene file says. Named scenes are values of these types, so a file can say all that they
//! say, and `--set` reaches every key.

mod balloon;
mod cloth;
mod collider;
mod fabric;
mod geometry;
mod jelly;
mod join;
mod obstacle;
mod pins;
mod rod;
mod rope;

use crate::air::Air;
use crate::body::Stiffness;
use crate::scene::{BodyId, Method, NonFinite, Scene, Settings};
use crate::tuning::MAX_COORDINATE;
pub use balloon::{BalloonSpec, SoftSpec};
pub use cloth::{ClothSpec, ConstraintSpec};
pub use collider::{ColliderSpec, ShapeSpec};
pub use fabric::FabricSpec;
use geometry::Files;
pub use geometry::Geometry;
pub use jelly::JellySpec;
pub use join::{HoldSpec, JoinSpec};
use obstacle::Worn;
pub use obstacle::{AttachSpec, LimbSpec, ObstacleSpec};
pub use pins::MovingPinsSpec;
pub use rod::RodSpec;
pub use rope::RopeSpec;
use serde::{Deserialize, Serialize};

/// A scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SceneSpec {
    /// Name in reports.
    pub name: String,
    /// What it shows, in a line.
    pub about: String,
    /// Frames a second.
    pub fps: f64,
    /// Number of frames.
    pub frames: u32,
    /// Contacts that a whole run has at least: those of each frame's last substep, all together.
    pub min_contacts: u32,
    /// m/s^2.
    pub gravity: [f32; 3],
    /// What cloths with a drag or lift move in.
    pub air: Air,
    /// Solver settings.
    pub solver: SolverSpec,
    /// Cloths.
    pub cloth: Vec<ClothSpec>,
    /// Ropes.
    pub rope: Vec<RopeSpec>,
    /// Rods.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rod: Vec<RodSpec>,
    /// Balloons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub balloon: Vec<BalloonSpec>,
    /// Soft shapes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub soft: Vec<SoftSpec>,
    /// Solids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jelly: Vec<JellySpec>,
    /// Obstacles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub obstacle: Vec<ObstacleSpec>,
    /// What joins bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub join: Vec<JoinSpec>,
    /// Colliders.
    pub collider: Vec<ColliderSpec>,
}

/// How a scene is solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SolverSpec {
    /// Substeps in a frame.
    pub substeps: u32,
    /// Iterations in a substep.
    pub iterations: u32,
    /// How a sweep goes over the constraints.
    pub method: MethodSpec,
    /// Factor on the averages of Jacobi, within 0.01 .. 1.99; 1 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relaxation: Option<f32>,
    /// What to do with a particle that is lost: freeze, stop or go-on.
    pub non_finite: NonFinite,
}

/// Methods by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodSpec {
    /// One constraint after another.
    #[default]
    GaussSeidel,
    /// All constraints at once, corrections averaged.
    Jacobi,
}

/// A rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Turn {
    /// Axis, of any length above 0.
    pub axis: [f64; 3],
    /// Angle.
    pub degrees: f64,
}

impl Default for SceneSpec {
    fn default() -> Self {
        SceneSpec {
            name: String::new(),
            about: String::new(),
            fps: 60.0,
            frames: 300,
            min_contacts: 0,
            gravity: [0.0, -9.81, 0.0],
            air: Air::default(),
            solver: SolverSpec::default(),
            cloth: Vec::new(),
            rope: Vec::new(),
            rod: Vec::new(),
            balloon: Vec::new(),
            soft: Vec::new(),
            jelly: Vec::new(),
            obstacle: Vec::new(),
            join: Vec::new(),
            collider: Vec::new(),
        }
    }
}

impl Default for SolverSpec {
    fn default() -> Self {
        SolverSpec {
            substeps: 20,
            iterations: 1,
            method: MethodSpec::GaussSeidel,
            relaxation: None,
            non_finite: NonFinite::Freeze,
        }
    }
}

/// Why a description makes no scene.
#[derive(Debug, thiserror::Error)]
pub enum SpecError<E> {
    /// Two keys contradict each other, or one names what does not exist.
    #[error("{0}")]
    Keys(String),
    /// A mesh could not be read.
    #[error("{of}: {source}")]
    Mesh {
        /// The cloth or collider.
        of: String,
        /// Why.
        source: E,
    },
}

impl SceneSpec {
    /// Number of bodies, before obstacles.
    #[must_use]
    pub fn bodies(&self) -> usize {
        [self.cloth.len(), self.rope.len(), self.rod.len(), self.balloon.len(), self.soft.len(), self.jelly.len()]
            .iter()
            .sum()
    }

    /// Files of bodies with the number of the body that each is the surface of, and whether it is repaired; in the order of the
    /// bodies. A solid's is that of its skin.
    pub fn surfaces(&self) -> impl Iterator<Item = (usize, &str, bool)> {
        let cloths = self.cloth.iter().map(|cloth| (cloth.mesh.as_deref(), cloth.repair));
        let lines = self.rope.iter().map(|_| (None, false)).chain(self.rod.iter().map(|_| (None, false)));
        let balloons = self.balloon.iter().map(|balloon| (balloon.mesh.as_deref(), false));
        let softs = self.soft.iter().map(|soft| (soft.mesh.as_deref(), false));
        let filled = |jelly: &JellySpec| jelly.cell.is_some();
        let jellies = self
            .jelly
            .iter()
            .map(move |jelly| (jelly.skin.as_deref().or(jelly.mesh.as_deref().filter(|_| filled(jelly))), false));
        let obstacles = self.obstacle.iter().map(|obstacle| (obstacle.mesh.as_deref(), false));
        let all = cloths.chain(lines).chain(balloons).chain(softs).chain(jellies).chain(obstacles);
        all.enumerate().filter_map(|(body, (file, repair))| Some((body, file?, repair)))
    }

    /// All files that it names.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let surfaces = self.surfaces().map(|(_, file, _)| file);
        let solids = self.jelly.iter().filter_map(|jelly| jelly.mesh.as_deref());
        let frames = self.obstacle.iter().flat_map(|obstacle| obstacle.frames.iter().map(String::as_str));
        let colliders = self.collider.iter().filter_map(|collider| collider.file.as_deref());
        surfaces.chain(solids).chain(frames).chain(colliders)
    }

    /// Makes the scene; `read` gets the meshes of files.
    ///
    /// # Errors
    /// If two keys contradict each other, one means nothing beside the others, a kind is unknown, a mesh cannot be read, or
    /// nothing is there to move.
    pub fn build<E>(&self, read: impl FnMut(&str) -> Result<Geometry, E>) -> Result<Scene, SpecError<E>> {
        if !(1e-3..=1e6).contains(&self.fps) {
            return Err(SpecError::Keys(format!("fps is {}, which is not within 0.001 .. 1e6", self.fps)));
        }
        if self.frames == 0 {
            return Err(SpecError::Keys("frames is 0, which is not 1 or more".to_owned()));
        }
        let bodies = self.bodies();
        if bodies == 0 {
            let what = "the scene has no body: add a [[cloth]], a [[rope]], a [[rod]], a [[balloon]], a [[soft]] or a [[jelly]]";
            return Err(SpecError::Keys(what.to_owned()));
        }
        let mut scene = Scene::new();
        scene.settings = Settings {
            gravity: self.gravity,
            air: self.air,
            substeps: self.solver.substeps,
            iterations: self.solver.iterations,
            method: self.solver.method().map_err(SpecError::Keys)?,
            non_finite: self.solver.non_finite,
        };
        let mut files = Files { read };
        let (mut obstacles, mut worn) = (Vec::new(), Vec::new());
        for (i, obstacle) in self.obstacle.iter().enumerate() {
            let (of, mut unread) = (label("obstacle", &obstacle.name, i), None);
            // An error of `read` is kept beside the others', which are text.
            let mut get = |file: &str| {
                files.surface(&of, file).map_err(|error| {
                    unread = Some(error);
                    String::new()
                })
            };
            let built = obstacle.build(&of, &mut get);
            if let Some(error) = unread {
                return Err(error);
            }
            let (recipe, mesh) = built.map_err(SpecError::Keys)?;
            // Bodies are numbered in their order: obstacles are the last.
            let id = BodyId((bodies + i) as u32);
            worn.push(Worn { name: obstacle.name.clone(), id, mesh });
            obstacles.push(recipe);
        }
        for (i, cloth) in self.cloth.iter().enumerate() {
            let of = label("cloth", &cloth.name, i);
            let mesh = files.surface_if(&of, cloth.mesh.as_deref())?;
            scene.add(cloth.build(&of, mesh, &worn).map_err(SpecError::Keys)?);
        }
        for (i, rope) in self.rope.iter().enumerate() {
            scene.add(rope.build(&label("rope", &rope.name, i), &worn).map_err(SpecError::Keys)?);
        }
        for (i, rod) in self.rod.iter().enumerate() {
            scene.add(rod.build(&label("rod", &rod.name, i), &worn).map_err(SpecError::Keys)?);
        }
        for (i, balloon) in self.balloon.iter().enumerate() {
            let of = label("balloon", &balloon.name, i);
            let mesh = files.surface_if(&of, balloon.mesh.as_deref())?;
            scene.add(balloon.build(&of, mesh).map_err(SpecError::Keys)?);
        }
        for (i, soft) in self.soft.iter().enumerate() {
            let of = label("soft", &soft.name, i);
            let mesh = files.surface_if(&of, soft.mesh.as_deref())?;
            scene.add(soft.build(&of, mesh).map_err(SpecError::Keys)?);
        }
        for (i, jelly) in self.jelly.iter().enumerate() {
            let of = label("jelly", &jelly.name, i);
            let mesh = jelly.mesh.as_deref().map(|file| files.any(&of, file)).transpose()?;
            let skin = files.surface_if(&of, jelly.skin.as_deref())?;
            scene.add(jelly.build(&of, mesh, skin, &worn).map_err(SpecError::Keys)?);
        }
        for obstacle in obstacles {
            scene.add(obstacle);
        }
        for (i, join) in self.join.iter().enumerate() {
            let joint = join.build(i, &scene).map_err(SpecError::Keys)?;
            scene.join(joint);
        }
        for (i, collider) in self.collider.iter().enumerate() {
            scene.collide(collider.build(&label("collider", &collider.name, i), &mut files)?);
        }
        Ok(scene)
    }
}

impl SolverSpec {
    fn method(&self) -> Result<Method, String> {
        match (self.method, self.relaxation) {
            (MethodSpec::GaussSeidel, None) => Ok(Method::GaussSeidel),
            (MethodSpec::GaussSeidel, Some(_)) => Err("solver: `relaxation` is for the method jacobi".to_owned()),
            (MethodSpec::Jacobi, relaxation) => Ok(Method::Jacobi { relaxation: relaxation.unwrap_or(1.0) }),
        }
    }
}

/// For a key that is left out of files where it says nothing.
fn is_off(value: &bool) -> bool {
    !value
}

/// As [`is_off`], of a number.
fn is_zero(value: &f32) -> bool {
    *value == 0.0
}

/// Refuses a length or factor that is not above 0.
fn above_zero(of: &str, key: &str, value: f32, unit: &str) -> Result<(), String> {
    if value > 0.0 && value <= MAX_COORDINATE {
        return Ok(());
    }
    Err(format!("{of}: {key} is {value}, which is not above 0 and at most 1e6{unit}"))
}

/// Refuses an angle about no axis.
fn turn(of: &str, key: &str, axis: [f64; 3], degrees: f64) -> Result<(), String> {
    if degrees == 0.0 || axis != [0.0; 3] {
        return Ok(());
    }
    Err(format!("{of}: {key} turns by {degrees} degrees about no axis; give it one, such as axis = [1, 0, 0]"))
}

fn label(what: &str, name: &str, i: usize) -> String {
    if name.is_empty() { format!("{what} {i}") } else { format!("{what} `{name}`") }
}

/// One of a compliance and a PBD stiffness; their keys begin with `what`.
fn stiffness(of: &str, what: &str, compliance: Option<f32>, pbd: Option<f32>) -> Result<Option<Stiffness>, String> {
    match (compliance, pbd) {
        (Some(_), Some(_)) => Err(format!("{of}: give {what}compliance or {what}stiffness, not both")),
        (Some(c), None) => Ok(Some(Stiffness::compliance(c))),
        (None, Some(k)) => Ok(Some(Stiffness::pbd(k))),
        (None, None) => Ok(None),
    }
}
