//! Scenes as plain data: what a scene file says. Named scenes are values of these types, so a file can say all that they
//! say, and `--set` reaches every key.

mod collider;
mod obstacle;
mod pins;

use crate::air::Air;
use crate::body::{Collide, Constraints, Stiffness};
use crate::filter::Filter;
use crate::kinds;
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::recipe::{BendModel, Cloth, GridPins, Rope};
use crate::scene::{BodyId, Method, NonFinite, Scene, Settings};
use crate::tuning::MAX_COORDINATE;
pub use collider::{ColliderSpec, ShapeSpec};
pub use obstacle::{AttachSpec, LimbSpec, ObstacleSpec};
use obstacle::{Hung, Worn};
pub use pins::MovingPinsSpec;
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
    /// Obstacles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub obstacle: Vec<ObstacleSpec>,
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

/// A cloth: a grid of `resolution` and `size`, or the mesh of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClothSpec {
    /// Name, unique in the scene.
    pub name: String,
    /// Mesh file, relative to the scene file; instead of a grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Repair the mesh before it is used; vertices keep the numbers of the file in the keys of this cloth.
    #[serde(skip_serializing_if = "is_off")]
    pub repair: bool,
    /// Vertices along x and z: one number for both, or two.
    #[serde(with = "one_or_two")]
    pub resolution: [u32; 2],
    /// Metres along x and z.
    pub size: [f32; 2],
    /// Metres.
    pub position: [f32; 3],
    /// Turn before it is moved.
    pub rotation: Turn,
    /// Factor before it is turned.
    pub scale: f32,
    /// m/s.
    pub velocity: [f32; 3],
    /// kg/m^2.
    pub density: f32,
    /// m/N; instead of `stretch_stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_stiffness: Option<f32>,
    /// m/N (or PBD's k beside `stretch_stiffness`), when compressed; as in stretch if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compress: Option<f32>,
    /// m/N of a grid's diagonals; as in stretch without this and `shear_stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_stiffness: Option<f32>,
    /// How it bends; dihedral if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend: Option<BendModel>,
    /// rad^2/J, isometric 1/J; no bending without this and `bend_stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend_compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend_stiffness: Option<f32>,
    /// Pinned parts of a grid.
    pub pin: Vec<GridPins>,
    /// Pinned vertices.
    pub pin_vertices: Vec<u32>,
    /// Pins that follow paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moving_pins: Vec<MovingPinsSpec>,
    /// Vertices that go with obstacles, or stay near them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attach: Vec<AttachSpec>,
    /// Metres.
    pub thickness: f32,
    /// Coefficient.
    pub friction: f32,
    /// Factor on that of colliders.
    pub restitution: f32,
    /// 0..1 a step.
    pub damping: f32,
    /// Coefficient in the air.
    pub drag: f32,
    /// Coefficient in the air.
    pub lift: f32,
    /// Groups that it is in, a bit each.
    pub groups: u32,
    /// Groups of colliders and other bodies that it meets, a bit each.
    pub mask: u32,
    /// With which bodies, beside colliders.
    pub collide: Collide,
    /// Rows of any kind, beside its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraint: Vec<ConstraintSpec>,
}

/// A rope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RopeSpec {
    /// Name, unique in the scene.
    pub name: String,
    /// First particle, metres.
    pub from: [f32; 3],
    /// Last particle, metres.
    pub to: [f32; 3],
    /// Number of links.
    pub segments: u32,
    /// All particles, metres; instead of `from`, `to` and `segments`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<[f32; 3]>,
    /// kg of each particle.
    pub link_mass: f32,
    /// kg of the last particle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_mass: Option<f32>,
    /// m/N; instead of `stretch_stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_stiffness: Option<f32>,
    /// Links pull and never push.
    pub slack: bool,
    /// Pinned particles.
    pub pin_vertices: Vec<u32>,
    /// Pins that follow paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moving_pins: Vec<MovingPinsSpec>,
    /// Vertices that go with obstacles, or stay near them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attach: Vec<AttachSpec>,
    /// Metres.
    pub thickness: f32,
    /// Coefficient.
    pub friction: f32,
    /// Factor on that of colliders.
    pub restitution: f32,
    /// 0..1 a step.
    pub damping: f32,
    /// Groups that it is in, a bit each.
    pub groups: u32,
    /// Groups of colliders and other bodies that it meets, a bit each.
    pub mask: u32,
    /// With which bodies, beside colliders.
    pub collide: Collide,
    /// Rows of any kind, beside its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraint: Vec<ConstraintSpec>,
}

/// Rows of a kind on the vertices of a cloth or rope.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConstraintSpec {
    /// Name in the table of kinds: distance, rope, ...
    pub kind: String,
    /// Vertices of each row, as many as the kind has.
    pub at: Vec<Vec<u32>>,
    /// Parameters, row after row; without them they are measured in the shape at rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<f32>,
    /// In the kind's unit; instead of `stiffness`. Rigid without both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f32>,
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
            obstacle: Vec::new(),
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

impl Default for ClothSpec {
    fn default() -> Self {
        ClothSpec {
            name: String::new(),
            mesh: None,
            repair: false,
            resolution: [64, 64],
            size: [1.0, 1.0],
            position: [0.0; 3],
            rotation: Turn::default(),
            scale: 1.0,
            velocity: [0.0; 3],
            density: 0.2,
            stretch_compliance: None,
            stretch_stiffness: None,
            compress: None,
            shear_compliance: None,
            shear_stiffness: None,
            bend: None,
            bend_compliance: None,
            bend_stiffness: None,
            pin: Vec::new(),
            pin_vertices: Vec::new(),
            moving_pins: Vec::new(),
            attach: Vec::new(),
            thickness: 0.002,
            friction: 0.5,
            restitution: 1.0,
            damping: 0.0,
            drag: 0.0,
            lift: 0.0,
            groups: Filter::default().groups,
            mask: Filter::default().mask,
            collide: Collide::Nothing,
            constraint: Vec::new(),
        }
    }
}

impl Default for RopeSpec {
    fn default() -> Self {
        RopeSpec {
            name: String::new(),
            from: [0.0; 3],
            to: [1.0, 0.0, 0.0],
            segments: 32,
            points: Vec::new(),
            link_mass: 0.01,
            end_mass: None,
            stretch_compliance: None,
            stretch_stiffness: None,
            slack: false,
            pin_vertices: Vec::new(),
            moving_pins: Vec::new(),
            attach: Vec::new(),
            thickness: 0.005,
            friction: 0.5,
            restitution: 1.0,
            damping: 0.0,
            groups: Filter::default().groups,
            mask: Filter::default().mask,
            collide: Collide::Nothing,
            constraint: Vec::new(),
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
    /// Makes the scene; `read` gets the meshes of files.
    ///
    /// # Errors
    /// If two keys contradict each other, one means nothing beside the others, a kind is unknown, a mesh cannot be read, or
    /// nothing is there to move.
    pub fn build<E>(&self, mut read: impl FnMut(&str) -> Result<Mesh, E>) -> Result<Scene, SpecError<E>> {
        if !(1e-3..=1e6).contains(&self.fps) {
            return Err(SpecError::Keys(format!("fps is {}, which is not within 0.001 .. 1e6", self.fps)));
        }
        if self.frames == 0 {
            return Err(SpecError::Keys("frames is 0, which is not 1 or more".to_owned()));
        }
        if self.cloth.is_empty() && self.rope.is_empty() {
            let what = "the scene has no body: add a [[cloth]] or a [[rope]]";
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
        let (mut obstacles, mut worn) = (Vec::new(), Vec::new());
        for (i, obstacle) in self.obstacle.iter().enumerate() {
            let (of, mut unread) = (label("obstacle", &obstacle.name, i), None);
            // An error of `read` is kept beside the others', which are text.
            let mut get = |file: &str| {
                read(file).map_err(|source| {
                    unread = Some(source);
                    String::new()
                })
            };
            let built = obstacle.build(&of, &mut get);
            if let Some(source) = unread {
                return Err(SpecError::Mesh { of, source });
            }
            let (recipe, mesh) = built.map_err(SpecError::Keys)?;
            // Bodies are numbered in their order: obstacles are the last.
            let id = BodyId((self.cloth.len() + self.rope.len() + i) as u32);
            worn.push(Worn { name: obstacle.name.clone(), id, mesh });
            obstacles.push(recipe);
        }
        for (i, cloth) in self.cloth.iter().enumerate() {
            let of = label("cloth", &cloth.name, i);
            let mesh = match cloth.mesh.as_deref().map(&mut read).transpose() {
                Ok(mesh) => mesh,
                Err(source) => return Err(SpecError::Mesh { of, source }),
            };
            scene.add(cloth.build(&of, mesh, &worn).map_err(SpecError::Keys)?);
        }
        for (i, rope) in self.rope.iter().enumerate() {
            scene.add(rope.build(&label("rope", &rope.name, i), &worn).map_err(SpecError::Keys)?);
        }
        for obstacle in obstacles {
            scene.add(obstacle);
        }
        for (i, collider) in self.collider.iter().enumerate() {
            scene.collide(collider.build(&label("collider", &collider.name, i), &mut read)?);
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

impl ClothSpec {
    fn build(&self, of: &str, mesh: Option<Mesh>, worn: &[Worn]) -> Result<Cloth, String> {
        above_zero(of, "scale", self.scale, "")?;
        turn(of, "rotation", self.rotation.axis, self.rotation.degrees)?;
        let mut numbers = None;
        let mut cloth = match mesh {
            Some(_) if !self.pin.is_empty() => {
                return Err(format!("{of}: `pin` names parts of a grid; a mesh is pinned by `pin_vertices`"));
            }
            Some(mesh) if self.repair => {
                let (mesh, repairs) = mesh.repaired();
                numbers = Some(repairs.vertex_map);
                Cloth::new(&mesh)
            }
            Some(mesh) => Cloth::new(&mesh),
            None if self.repair => return Err(format!("{of}: `repair` is for a mesh; there is no key `mesh`")),
            None => {
                self.size.iter().try_for_each(|&side| above_zero(of, "size", side, " m"))?;
                Cloth::grid(self.resolution, self.size)
            }
        };
        let renumber = |vertices: &[u32]| -> Result<Vec<u32>, String> {
            let Some(numbers) = numbers.as_deref().filter(|numbers| !numbers.is_empty()) else {
                return Ok(vertices.to_vec());
            };
            let new = |&v: &u32| match numbers.get(v as usize) {
                Some(Some(new)) => Ok(*new),
                Some(None) => Err(format!("{of}: vertex {v} is named, and the repair dropped it")),
                None => Err(format!("{of}: vertex {v} does not exist; there are {}", numbers.len())),
            };
            vertices.iter().map(new).collect()
        };
        for &part in &self.pin {
            cloth = cloth.pin_grid(part);
        }
        for (i, pins) in self.moving_pins.iter().enumerate() {
            let of = format!("{of}, moving_pins {i}");
            let part = |part| match self.mesh {
                Some(_) => Err(format!("{of}: `pin` names parts of a grid; a mesh is pinned by `pin_vertices`")),
                None => Ok(cloth.grid_part(part)),
            };
            let pins = pins.build(&of, part, renumber)?;
            cloth = cloth.move_pins(pins);
        }
        if let Some(s) = stiffness(of, "stretch_", self.stretch_compliance, self.stretch_stiffness)? {
            cloth = cloth.stretch_by(s);
        }
        if let Some(s) = stiffness(of, "shear_", self.shear_compliance, self.shear_stiffness)? {
            cloth = cloth.shear_by(s);
        }
        if let Some(s) = stiffness(of, "bend_", self.bend_compliance, self.bend_stiffness)? {
            cloth = cloth.bend_by(s).bend_model(self.bend.unwrap_or_default());
        } else if self.bend.is_some() {
            return Err(format!(
                "{of}: `bend` means nothing without bend_compliance or bend_stiffness; add one of them"
            ));
        }
        if let Some(number) = self.compress {
            cloth = cloth.compress(number);
        }
        for rows in &self.constraint {
            let rows = rows.build(of)?;
            cloth = cloth.constrain(Constraints { at: renumber(&rows.at)?, ..rows });
        }
        let pose = Pose::at(self.position).turned(self.rotation.axis, self.rotation.degrees);
        cloth = cloth
            .named(self.name.clone())
            .placed(pose, self.scale)
            .velocity(self.velocity)
            .density(self.density)
            .pin(&renumber(&self.pin_vertices)?)
            .thickness(self.thickness)
            .friction(self.friction)
            .restitution(self.restitution)
            .damping(self.damping)
            .drag(self.drag)
            .lift(self.lift)
            .filter(Filter { groups: self.groups, mask: self.mask })
            .collide(self.collide);
        for (i, attach) in self.attach.iter().enumerate() {
            let of = format!("{of}, attach {i}");
            let part = |part| match self.mesh {
                Some(_) => Err(format!("{of}: `pin` names parts of a grid; a mesh is attached by `pin_vertices`")),
                None => Ok(cloth.grid_part(part)),
            };
            cloth = match attach.build(&of, &cloth.mesh().positions, worn, part, renumber)? {
                Hung::Attached(to, vertices) => cloth.attach(to, &vertices),
                Hung::Tethered(tether) => cloth.tether(tether),
            };
        }
        Ok(cloth)
    }
}

impl RopeSpec {
    fn build(&self, of: &str, worn: &[Worn]) -> Result<Rope, String> {
        let mut rope = match self.points.is_empty() {
            true => Rope::new(self.from, self.to, self.segments),
            false => Rope::through(self.points.clone()),
        };
        if let Some(s) = stiffness(of, "stretch_", self.stretch_compliance, self.stretch_stiffness)? {
            rope = rope.stretch_by(s);
        }
        if let Some(mass) = self.end_mass {
            rope = rope.end_mass(mass);
        }
        for (i, pins) in self.moving_pins.iter().enumerate() {
            let of = format!("{of}, moving_pins {i}");
            let part = |_| Err(format!("{of}: `pin` names parts of a grid; a rope is pinned by `pin_vertices`"));
            rope = rope.move_pins(pins.build(&of, part, |vertices| Ok(vertices.to_vec()))?);
        }
        for rows in &self.constraint {
            rope = rope.constrain(rows.build(of)?);
        }
        for (i, attach) in self.attach.iter().enumerate() {
            let of = format!("{of}, attach {i}");
            let part = |_| Err(format!("{of}: `pin` names parts of a grid; a rope is attached by `pin_vertices`"));
            rope = match attach.build(&of, rope.points(), worn, part, |vertices| Ok(vertices.to_vec()))? {
                Hung::Attached(to, vertices) => rope.attach(to, &vertices),
                Hung::Tethered(tether) => rope.tether(tether),
            };
        }
        Ok(rope
            .named(self.name.clone())
            .link_mass(self.link_mass)
            .slack(self.slack)
            .pin(&self.pin_vertices)
            .thickness(self.thickness)
            .friction(self.friction)
            .restitution(self.restitution)
            .damping(self.damping)
            .filter(Filter { groups: self.groups, mask: self.mask })
            .collide(self.collide))
    }
}

impl ConstraintSpec {
    fn build(&self, of: &str) -> Result<Constraints, String> {
        let kind = *kinds::by_name(&self.kind).ok_or_else(|| {
            let known: Vec<_> = kinds::KINDS.iter().map(|kind| kind.name()).collect();
            format!("{of}: there is no kind `{}`; kinds are {}", self.kind, known.join(", "))
        })?;
        let of = format!("{of}, kind `{}`", self.kind);
        if let Some(row) = self.at.iter().position(|row| row.len() != kind.slots()) {
            let (got, want) = (self.at[row].len(), kind.slots());
            return Err(format!("{of}: row {row} has {got} vertices and not {want}"));
        }
        let stiffness = stiffness(&of, "", self.compliance, self.stiffness)?;
        Ok(Constraints {
            kind,
            at: self.at.concat(),
            rest: self.rest.clone(),
            stiffness: stiffness.unwrap_or_else(|| Stiffness::compliance(0.0)),
        })
    }
}

/// `128`, or `[128, 64]`.
mod one_or_two {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a whole number, or two in brackets")]
    enum OneOrTwo {
        One(u32),
        Two([u32; 2]),
    }

    pub(super) fn serialize<S: Serializer>(value: &[u32; 2], serializer: S) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u32; 2], D::Error> {
        Ok(match OneOrTwo::deserialize(deserializer)? {
            OneOrTwo::One(n) => [n, n],
            OneOrTwo::Two(n) => n,
        })
    }
}
