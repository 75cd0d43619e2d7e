//! Scene: what is wanted. Plain data; a plan is made from it.

use crate::describe::collider::{Collider, Sdf, Shape};
use crate::describe::decomposition::Decomposition;
use crate::describe::ids::{
    BodyId, ColliderId, JointId, ParticleJointId, RigidId, RigidJointId, SceneNumbers, SceneTag,
};
use crate::describe::joint::Joint;
use crate::describe::memory::Need;
use crate::describe::particle_joint::ParticleJoint;
use crate::describe::recipe::Recipe;
use crate::describe::rigid::RigidBody;
use crate::describe::rigid_joint::RigidJoint;
use crate::describe::settings::{Settings, VelocityUpdate};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bodies, rigid bodies, what joins them, colliders and settings.
#[derive(Clone, Debug)]
pub struct Scene {
    /// How it is solved.
    pub settings: Settings,
    /// Where the zero of its coordinates is in the world, metres, within +-1e12; [0, 0, 0] unless told. All positions
    /// of a scene, of inputs and of states are relative to it, so it changes no bit of what is computed.
    /// [`crate::State::read_world_positions`] adds it. [`crate::Solver::move_origin`] gives states and inputs another.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Pose, Scene, Solver};
    /// let mut scene = Scene::new();
    /// scene.origin = [10_000.0, 0.0, -3e6];
    /// let flag = scene.add(Cloth::grid([2, 2], [1.0, 1.0]).placed(Pose::at([0.5, 2.0, 0.5]), 1.0));
    /// let mut solver = Solver::new(&scene)?;
    /// let mut world = Vec::new();
    /// solver.world_positions(flag, &mut world);
    /// assert_eq!((solver.positions(flag)[3].x, world[3]), (1.0, [10_001.0, 2.0, -2_999_999.0]));
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub origin: [f64; 3],
    pub(crate) tag: SceneTag,
    pub(crate) numbers: SceneNumbers,
    /// Shared with clones, so that a plan knows which of them an edit has left as they were.
    pub(crate) bodies: Vec<Arc<Recipe>>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) colliders: Vec<Collider>,
    pub(crate) rigid: Vec<RigidBody>,
    pub(crate) rigid_joints: Vec<RigidJoint>,
    pub(crate) particle_joints: Vec<ParticleJoint>,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene::new()
    }
}

impl Scene {
    /// An empty scene with default settings.
    #[must_use]
    pub fn new() -> Scene {
        Scene {
            settings: Settings::default(),
            origin: [0.0; 3],
            tag: SceneTag::next(),
            numbers: SceneNumbers::default(),
            bodies: Vec::new(),
            joints: Vec::new(),
            colliders: Vec::new(),
            rigid: Vec::new(),
            rigid_joints: Vec::new(),
            particle_joints: Vec::new(),
        }
    }

    /// Adds a body. One without a name is called by its number: `body-0`.
    pub fn add(&mut self, body: impl Into<Recipe>) -> BodyId {
        let mut body = body.into();
        if body.name().is_empty() {
            body.rename(format!("body-{}", self.numbers.bodies.next()));
        }
        self.bodies.push(Arc::new(body));
        BodyId { scene: self.tag, number: self.numbers.bodies.add() }
    }

    /// The memory that the scene needs when it is planned, estimated; with the distance fields of its colliders and
    /// rigid bodies. To cut meshes of rigid bodies into convex pieces takes some for each thread.
    #[must_use]
    pub fn need(&self) -> Need {
        let of_colliders = self.colliders.iter().filter_map(|collider| match &collider.shape {
            Shape::Sdf { sdf, .. } => Some(sdf),
            _ => None,
        });
        let fields: BTreeMap<*const Sdf, &Sdf> = of_colliders
            .chain(self.rigid.iter().flat_map(RigidBody::fields))
            .map(|sdf| (Arc::as_ptr(sdf), &**sdf))
            .collect();
        let nodes = fields.values().map(|sdf| sdf.nodes().iter().map(|&n| u64::from(n)).product::<u64>()).sum();
        let vertices = fields.values().map(|sdf| sdf.surface().positions.len() as u64).sum();
        let need = self.bodies.iter().fold(Need::field(nodes, vertices), |sum, body| sum + body.need());
        let joints = self.rigid_joints.len() + self.particle_joints.len();
        let need = need.colliders(self.colliders.len() as u64);
        let need = need.coupled(!self.rigid.is_empty()).joints(joints as u64) + self.rigid_need();
        let need = self.joints.iter().fold(need, Joint::counted);
        need.followed(self.settings.velocity_update == VelocityUpdate::SecondOrder)
    }

    /// The part of rigid bodies, without their fields' distances.
    pub(crate) fn rigid_need(&self) -> Need {
        let mut need = self.rigid.iter().fold(Need::default(), |sum, body| sum + body.need());
        // One mesh is cut after another, and one with the same limits once.
        let (mut seen, mut most) = (BTreeSet::new(), Need::default());
        for body in &self.rigid {
            let Decomposition { pieces, vertices, concavity } = body.decomposition;
            if let Some(solid) = &body.solid {
                most = most.or(Need::weighed(solid.triangles.len() as u64));
            }
            for sdf in body.fields() {
                if seen.insert((Arc::as_ptr(sdf), pieces, vertices, concavity.to_bits())) {
                    let triangles = sdf.surface().triangles.len() as u64;
                    most = most.or(Need::weighed(triangles)).or(Need::cut(triangles));
                    need = need + Need::pieces(u64::from(pieces).saturating_mul(vertices.into()));
                }
            }
        }
        need + most
    }

    /// Joins bodies. A joint that is invalid is reported when the scene is planned, by its number: `joint 0`.
    pub fn join(&mut self, joint: Joint) -> JointId {
        self.joints.push(joint);
        JointId { scene: self.tag, number: self.numbers.joints.add() }
    }

    /// Adds a collider. One without a name is called by its number: `collider-0`.
    pub fn add_collider(&mut self, mut collider: Collider) -> ColliderId {
        if collider.name.is_empty() {
            collider.name = format!("collider-{}", self.numbers.colliders.next());
        }
        self.colliders.push(collider);
        ColliderId { scene: self.tag, number: self.numbers.colliders.add() }
    }

    /// Adds a rigid body. One without a name is called by its number: `rigid-0`.
    pub fn add_rigid(&mut self, mut body: RigidBody) -> RigidId {
        if body.name.is_empty() {
            body.name = format!("rigid-{}", self.numbers.rigid.next());
        }
        self.rigid.push(body);
        RigidId { scene: self.tag, number: self.numbers.rigid.add() }
    }

    /// Joins rigid bodies. A joint without a name is called by its number: `joint-0`.
    pub fn join_rigid(&mut self, mut joint: RigidJoint) -> RigidJointId {
        if joint.name.is_empty() {
            joint.name = format!("joint-{}", self.numbers.rigid_joints.next());
        }
        self.rigid_joints.push(joint);
        RigidJointId { scene: self.tag, number: self.numbers.rigid_joints.add() }
    }

    /// Joins a vertex to a rigid body. A joint that is invalid is reported when the scene is planned, by its number:
    /// `particle joint 0`.
    pub fn join_particle(&mut self, joint: ParticleJoint) -> ParticleJointId {
        self.particle_joints.push(joint);
        ParticleJointId { scene: self.tag, number: self.numbers.particle_joints.add() }
    }

    /// The id that a body will have when it is added after `ahead` others: so a body can name one that comes later.
    #[must_use]
    pub fn upcoming(&self, ahead: u32) -> BodyId {
        BodyId { scene: self.tag, number: self.numbers.bodies.next() + ahead }
    }

    /// Names of the bodies, in the order of their ids.
    pub fn body_names(&self) -> impl Iterator<Item = &str> {
        self.bodies.iter().map(|body| body.name())
    }

    /// The body of a name.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<BodyId> {
        let place = self.bodies.iter().position(|b| b.name() == name);
        place.map(|at| BodyId { scene: self.tag, number: self.numbers.bodies.at(at) })
    }

    /// The collider of a name.
    #[must_use]
    pub fn collider(&self, name: &str) -> Option<ColliderId> {
        let place = self.colliders.iter().position(|c| c.name == name);
        place.map(|at| ColliderId { scene: self.tag, number: self.numbers.colliders.at(at) })
    }

    /// The rigid body of a name.
    #[must_use]
    pub fn rigid(&self, name: &str) -> Option<RigidId> {
        let place = self.rigid.iter().position(|b| b.name == name);
        place.map(|at| RigidId { scene: self.tag, number: self.numbers.rigid.at(at) })
    }

    /// The joint of rigid bodies of a name.
    #[must_use]
    pub fn rigid_joint(&self, name: &str) -> Option<RigidJointId> {
        let place = self.rigid_joints.iter().position(|j| j.name == name);
        place.map(|at| RigidJointId { scene: self.tag, number: self.numbers.rigid_joints.at(at) })
    }
}
