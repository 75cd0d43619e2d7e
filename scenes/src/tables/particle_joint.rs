//! Joints of rigid bodies and vertices, by the names of bodies.

use super::keys::table;
use super::near::body_of;
use seidel::{ParticleJoint, Scene};

table! {
    /// Vertices of a deformable body that a rigid body holds.
    ParticleJointSpec {
        /// A rigid body's name.
        rigid: String = String::new(),
        /// A deformable body's name.
        body: String = String::new(),
        /// Vertices of it.
        vertices: Vec<u32> = Vec::new(),
        /// m/N; rigid if absent.
        #[serde(skip_serializing_if = "super::check::is_zero")]
        compliance: f32 = 0.0,
    }
}

impl ParticleJointSpec {
    /// Joins them.
    pub(super) fn build(&self, number: usize, scene: &mut Scene) -> Result<(), String> {
        let of = format!("particle_joint {number}");
        let rigid = scene.rigid(&self.rigid);
        let rigid = rigid.ok_or_else(|| format!("{of}: `rigid`: there is no rigid body `{}`", self.rigid))?;
        let body = body_of(&of, "body", &self.body, scene)?;
        if self.vertices.is_empty() {
            return Err(format!("{of}: it joins nothing; give it `vertices`"));
        }
        for &vertex in &self.vertices {
            scene.join_particle(ParticleJoint::new(rigid, body, vertex).compliance(self.compliance));
        }
        Ok(())
    }
}
