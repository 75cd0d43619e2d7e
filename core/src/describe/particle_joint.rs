//! Ball joints of a rigid body and a vertex of a deformable one.

use crate::describe::ids::{BodyId, RigidId};

/// A vertex that a point of a rigid body holds where it is at the start; both give way, and the body turns freely about
/// it.
///
/// The vertex and the body do not touch each other. Other joints of the same body and vertex are held, too.
///
/// # Example
/// ```
/// use seidel::{Cloth, Input, ParticleJoint, RigidBody, Scene, Solver};
/// let mut scene = Scene::new();
/// let sheet = scene.add(Cloth::grid([5, 5], [1.0, 1.0]).pin(&[0, 4]));
/// let ball = scene.add_rigid(RigidBody::sphere(0.1).mass(0.2).at([0.0, -0.2, 0.5]));
/// scene.join_particle(ParticleJoint::new(ball, sheet, 22));
/// let mut solver = Solver::new(&scene)?;
/// assert!(solver.step(&Input::frame(1.0 / 60.0)).rejected.is_none());
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleJoint {
    /// The rigid body.
    pub rigid: RigidId,
    /// The deformable body.
    pub body: BodyId,
    /// Its vertex.
    pub vertex: u32,
    /// m/N, within 0 .. 1e18; 0 is rigid.
    pub compliance: f32,
}

impl ParticleJoint {
    /// A rigid one.
    #[must_use]
    pub fn new(rigid: RigidId, body: BodyId, vertex: u32) -> ParticleJoint {
        ParticleJoint { rigid, body, vertex, compliance: 0.0 }
    }

    /// Compliance, m/N, >= 0.
    #[must_use]
    pub fn compliance(mut self, compliance: f32) -> ParticleJoint {
        self.compliance = compliance;
        self
    }
}
