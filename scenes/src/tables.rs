//! Scenes as plain data: what a scene file says. Named scenes are values of these types, so a file can say all that
//! they say, and `--set` reaches every key.

mod attach;
mod balloon;
mod bodies;
mod body_table;
mod check;
mod cloth;
mod collider;
mod constraint;
mod fabric;
mod fluid;

mod geometry;
mod grains;
mod join;
pub mod key;
mod keys;
mod list;
mod long_range;
mod map;
mod method;
mod motion;
mod near;
mod obstacle;
mod particle_joint;
mod pins;
mod plastic;
mod rigid;
mod rigid_joint;
mod rod;
mod rope;
mod select;
mod shape_matched;
mod slip;
mod soft_body;
mod tear;
mod text;
mod turn;
mod variant;
mod variants;
mod vertices;

pub use attach::AttachSpec;
use attach::Worn;
pub use balloon::BalloonSpec;
use check::{figure, is_nowhere_else, is_off};
pub use cloth::ClothSpec;
pub use collider::{ColliderSpec, ShapeSpec};
pub use constraint::ConstraintSpec;
pub use fabric::FabricSpec;
pub use fluid::{EmitterSpec, FluidSpec};
pub use grains::GrainsSpec;

use geometry::Files;
pub use geometry::{Geometry, Watch};
pub use join::{HoldSpec, JoinSpec};
use keys::table;
pub use long_range::{LongRangeSpec, LongRangeWord};
pub use map::MapSpec;
pub use method::MethodSpec;
pub use motion::{KeySpec, MotionSpec};
pub use near::nearest;
pub use obstacle::{LimbSpec, ObstacleSpec};
pub use particle_joint::ParticleJointSpec;
pub use pins::MovingPinsSpec;
pub use plastic::PlasticSpec;
pub use rigid::{PartSpec, RigidShapeSpec, RigidSpec};
pub use rigid_joint::{MotorSpec, RigidJointKindSpec, RigidJointSolverSpec, RigidJointSpec};
pub use rod::RodSpec;
pub use rope::RopeSpec;
use seidel::{Air, CombineRule, Method, NonFinite, Recipe, Scene, Substeps, VelocityUpdate};
pub use select::SelectSpec;
pub use shape_matched::ShapeMatchedSpec;
pub use slip::{SlipSpec, SlipWord};
pub use soft_body::SoftBodySpec;
pub use tear::{CutSpec, TearSpec};
pub use turn::Turn;
pub use variant::Variant;

table! {
    /// A scene.
    SceneSpec {
        /// Name in reports.
        name: String = String::new(),
        /// What it shows, in a line.
        about: String = String::new(),
        /// Frames a second.
        fps: f64 = 60.0,
        /// Number of frames.
        frames: u32 = 300,
        /// Seconds in which it comes to rest before the first frame.
        settle: f64 = 0.0,
        /// Contacts that a whole run has at least: those of each frame's last substep, all together.
        min_contacts: u32 = 0,
        /// m/s^2.
        gravity: [f32; 3] = [0.0, -9.81, 0.0],
        /// Where the zero of its coordinates is in the world, metres.
        #[serde(skip_serializing_if = "is_nowhere_else")]
        origin: [f64; 3] = [0.0; 3],
        /// What bodies with a drag or lift move in.
        air: AirSpec = AirSpec::default(),
        /// Solver settings.
        solver: SolverSpec = SolverSpec::default(),
        /// Cloths.
        cloth: Vec<ClothSpec> = Vec::new(),
        /// Ropes.
        rope: Vec<RopeSpec> = Vec::new(),
        /// Rods.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        rod: Vec<RodSpec> = Vec::new(),
        /// Balloons.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        balloon: Vec<BalloonSpec> = Vec::new(),
        /// Soft shapes.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        shape_matched: Vec<ShapeMatchedSpec> = Vec::new(),
        /// Solids.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        soft_body: Vec<SoftBodySpec> = Vec::new(),
        /// Fluids.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        fluid: Vec<FluidSpec> = Vec::new(),
        /// Grains.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        grains: Vec<GrainsSpec> = Vec::new(),
        /// Obstacles.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        obstacle: Vec<ObstacleSpec> = Vec::new(),
        /// What joins bodies.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        join: Vec<JoinSpec> = Vec::new(),
        /// Rigid bodies.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        body: Vec<RigidSpec> = Vec::new(),
        /// Joints of rigid bodies.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        joint: Vec<RigidJointSpec> = Vec::new(),
        /// Joints of rigid bodies and vertices.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        particle_joint: Vec<ParticleJointSpec> = Vec::new(),
        /// Colliders.
        collider: Vec<ColliderSpec> = Vec::new(),
    }
}

table! {
    /// The air of a scene.
    #[derive(Copy)]
    AirSpec {
        /// kg/m^3.
        density: f32 = Air::default().density,
        /// Velocity, m/s.
        wind: [f32; 3] = [0.0; 3],
        /// Share of itself by which the wind becomes stronger and weaker, 0..1.
        gusts: f32 = 0.0,
        /// The same seed, the same gusts.
        seed: u32 = 0,
    }
}

impl AirSpec {
    fn build(&self) -> Air {
        Air::default().density(self.density).wind(self.wind).gusts(self.gusts, self.seed)
    }
}

table! {
    /// How a scene is solved.
    #[derive(Copy)]
    SolverSpec {
        /// Substeps in a frame: a number, or "auto".
        #[serde(with = "auto_or_count")]
        substeps: Substeps = Substeps::Auto,
        /// Iterations in a substep.
        iterations: u32 = 1,
        /// How a sweep goes over the constraints.
        method: MethodSpec = MethodSpec::GaussSeidel,
        /// Factor on the averages of Jacobi, within 0.01 .. 1.99; 1 if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        relaxation: Option<f32> = None,
        /// How velocities follow from positions: first-order or second-order.
        #[serde(skip_serializing_if = "is_first_order")]
        velocity_update: VelocityUpdate = VelocityUpdate::FirstOrder,
        /// How the friction coefficients of two surfaces are combined: geometric-mean, average, minimum, multiply or
        /// maximum.
        #[serde(skip_serializing_if = "is_geometric_mean")]
        friction_rule: CombineRule = CombineRule::GeometricMean,
        /// What to do with a particle that is lost: freeze, stop or ignore.
        non_finite: NonFinite = NonFinite::Freeze,
        /// Whether rigid bodies at rest sleep.
        #[serde(skip_serializing_if = "is_off")]
        sleep: bool = false,
    }
}

/// `40`, or `"auto"`.
mod auto_or_count {
    use seidel::Substeps;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Word {
        Auto,
    }

    #[derive(Deserialize)]
    #[serde(untagged, expecting = "neither a whole number up to 4294967295 nor \"auto\"")]
    enum AutoOrCount {
        Count(u32),
        Auto(Word),
    }

    pub(super) fn serialize<S: Serializer>(value: &Substeps, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Substeps::Auto => "auto".serialize(serializer),
            Substeps::Fixed(count) => count.serialize(serializer),
            _ => Err(serde::ser::Error::custom("scene files have no word for these substeps")),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Substeps, D::Error> {
        Ok(match AutoOrCount::deserialize(deserializer)? {
            AutoOrCount::Auto(Word::Auto) => Substeps::Auto,
            AutoOrCount::Count(count) => Substeps::Fixed(count),
        })
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
        /// The body or collider.
        of: String,
        /// Why.
        source: E,
    },
}

/// The longest time that a scene may take to come to rest, seconds.
const MAX_SETTLE: f64 = 1e4;

impl SceneSpec {
    /// Makes the scene; `read` gets the meshes of files.
    ///
    /// # Errors
    /// If two keys contradict each other, one means nothing beside the others, a kind is unknown, a mesh cannot be
    /// read, or nothing is there to move.
    pub fn build<E>(&self, mut read: impl FnMut(&str) -> Result<Geometry, E>) -> Result<Scene, SpecError<E>> {
        self.build_within(u64::MAX, &|_, _| {}, |file, _| read(file))
    }

    /// [`SceneSpec::build`], if the scene needs no more than `memory` bytes. The estimate is made before memory is
    /// taken, and the scene keeps the limit ([`seidel::Settings::memory`]). `read` is told how many bytes are left to
    /// read a mesh with; `watch` is told about what takes long.
    ///
    /// # Errors
    /// As there, or if it needs more; then the table, the key and both numbers are named.
    pub fn build_within<E>(
        &self,
        memory: u64,
        watch: &Watch<'_>,
        mut read: impl FnMut(&str, u64) -> Result<Geometry, E>,
    ) -> Result<Scene, SpecError<E>> {
        let mut unread = None;
        // An error of `read` is kept beside the others, which are text; each ends the building.
        let mut read = |of: &str, file: &str, left: u64| {
            read(file, left).map_err(|source| {
                unread = Some(SpecError::Mesh { of: of.to_owned(), source });
                String::new()
            })
        };
        let scene = self.scene(&mut Files {
            memory,
            taken: 0,
            largest: None,
            fields: Vec::new(),
            surfaces: Vec::new(),
            filled: Vec::new(),
            watch,
            read: &mut read,
        });
        unread.map_or(scene.map_err(SpecError::Keys), Err)
    }

    /// The most rigid bodies that stand in one place and meet each other, by the first of them, and their number; none
    /// if no two do. Bodies without a position do, and each touches all others.
    fn stacked(&self) -> Option<(usize, u64)> {
        let moving = self.body.iter().enumerate();
        let moving = moving.filter(|(_, body)| body.kind == seidel::RigidKind::Dynamic && body.groups & body.mask != 0);
        let place = |body: &RigidSpec| (body.position.map(f32::to_bits), body.groups, body.mask);
        let mut all: Vec<_> = moving.map(|(number, body)| (place(body), number)).collect();
        all.sort_unstable();
        let alike = all.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1);
        alike.map(|alike| (alike[0].1, alike.len() as u64)).max_by_key(|(_, count)| *count)
    }

    fn scene(&self, files: &mut Files) -> Result<Scene, String> {
        if !(1e-3..=1e6).contains(&self.fps) {
            return Err(format!("fps is {}, which is not within 0.001 .. 1e6", figure(self.fps)));
        }
        if !(0.0..=MAX_SETTLE).contains(&self.settle) {
            return Err(format!("settle is {} s, which is not within 0 .. {MAX_SETTLE}", figure(self.settle)));
        }
        if self.frames == 0 {
            return Err("frames is 0, which is not 1 or more".to_owned());
        }
        let bodies = self.bodies();
        if bodies == 0 && self.body.is_empty() {
            let tables = SceneSpec::BODIES
                .iter()
                .chain(&["body"])
                .map(|key| format!("[[{key}]]"))
                .collect::<Vec<_>>()
                .join(", ");
            return Err(format!("the scene has no body: add one of {tables}"));
        }
        let mut scene = Scene::new();
        let SolverSpec { substeps, iterations, velocity_update, friction_rule, non_finite, sleep, .. } = self.solver;
        let settings = &mut scene.settings;
        (settings.gravity, settings.air) = (self.gravity.into(), self.air.build());
        (settings.substeps, settings.dt, settings.iterations) = (substeps, 1.0 / self.fps, iterations);
        (settings.method, settings.velocity_update) = (self.solver.method()?, velocity_update);
        (settings.friction_rule, settings.non_finite) = (friction_rule, non_finite);
        (settings.sleep, settings.memory) = (sleep, files.memory);
        scene.origin = self.origin;
        files.count_rigid(self.body.len(), self.collider.len())?;
        if let Some((first, count)) = self.stacked() {
            files.count_stacked(&label("body", &self.body[first].name, first), count)?;
        }
        let names = self.names();
        // What names one of two would mean the other.
        one_each("bodies", names.iter().map(String::as_str))?;
        one_each("rigid bodies", self.body.iter().map(|body| &body.name[..]).filter(|name| !name.is_empty()))?;
        let (mut obstacles, mut worn) = (Vec::new(), Vec::new());
        for (i, obstacle) in self.obstacle.iter().enumerate() {
            let of = label("obstacle", &obstacle.name, i);
            if let Some(need) = obstacle.need() {
                files.pass(&of, "limb", need)?;
            }
            let (recipe, mesh) = obstacle.build(&of, files)?;
            let recipe = Recipe::from(recipe);
            files.count(&names[bodies + i], &recipe)?;
            // Bodies are numbered in their order: obstacles are the last.
            let id = scene.upcoming((bodies + i) as u32);
            worn.push(Worn { name: names[bodies + i].clone(), id, mesh });
            obstacles.push(recipe);
        }
        let mut recipes = Vec::new();
        for entry in self.body_tables() {
            let of = label(entry.what, entry.name, entry.number);
            if let Some((key, need)) = entry.table.need() {
                files.pass(&of, key, need)?;
            }
            let recipe = entry.table.build(&of, files, &worn)?;
            files.count(&names[recipes.len()], &recipe)?;
            recipes.push(recipe);
        }
        recipes.extend(obstacles);
        for (mut recipe, name) in recipes.into_iter().zip(names) {
            recipe.rename(name);
            scene.add(recipe);
        }
        for (i, join) in self.join.iter().enumerate() {
            let joint = join.build(i, &scene)?;
            scene.join(joint);
        }
        for (i, body) in self.body.iter().enumerate() {
            scene.add_rigid(body.build(&label("body", &body.name, i), files)?);
        }
        for (i, joint) in self.joint.iter().enumerate() {
            // As the scene calls them: `joint 0` is one of deformable bodies there.
            let name = if joint.name.is_empty() { format!("joint-{i}") } else { joint.name.clone() };
            let joint = joint.build(&format!("joint `{name}`"), &scene)?;
            scene.join_rigid(joint);
        }
        for (i, joint) in self.particle_joint.iter().enumerate() {
            joint.build(i, &mut scene)?;
        }
        for (i, collider) in self.collider.iter().enumerate() {
            scene.add_collider(collider.build(&label("collider", &collider.name, i), files)?);
        }
        Ok(scene)
    }
}

impl SolverSpec {
    fn method(&self) -> Result<Method, String> {
        Ok(method::chosen("solver", Some(self.method), ("relaxation", self.relaxation))?.unwrap_or_default())
    }
}

/// As [`is_off`].
fn is_first_order(update: &VelocityUpdate) -> bool {
    *update == VelocityUpdate::FirstOrder
}

/// As [`is_off`].
fn is_geometric_mean(rule: &CombineRule) -> bool {
    *rule == CombineRule::GeometricMean
}

/// Refuses two of one name.
fn one_each<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut sorted: Vec<&str> = names.collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("two {what} are called `{}`", pair[0])),
        None => Ok(()),
    }
}

fn label(what: &str, name: &str, i: usize) -> String {
    if name.is_empty() { format!("{what} {i}") } else { format!("{what} `{name}`") }
}
