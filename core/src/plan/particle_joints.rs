//! Vertices that rigid bodies hold: their rows, and where each is in its body.

use super::body::BodyPlan;
use super::rigid::Rigid;
use crate::describe::body::Body;
use crate::describe::error::{Error, range};
use crate::describe::pose::Pose;
use crate::describe::scene::Scene;
use seidel_kernels::contact::coupling::Hold;
use std::sync::Arc;

/// All joints of vertices and rigid bodies, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParticleJoints {
    pub(crate) each: Vec<ParticleJointPlan>,
    /// For each rigid body the first numbers of the rows that it holds, ascending; empty if there are no joints.
    held: Vec<Vec<u32>>,
}

/// A joint of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParticleJointPlan {
    pub(crate) rigid: u32,
    pub(crate) hold: Hold,
    /// In the frame of the body's centre of mass and principal axes, metres.
    pub(crate) anchor: [f64; 3],
    /// m/N.
    pub(crate) compliance: f32,
}

impl ParticleJoints {
    pub(super) fn of(
        scene: &Scene,
        rigid: Option<&Rigid>,
        bodies: &[Arc<Body>],
        plans: &[BodyPlan],
    ) -> Result<ParticleJoints, Error> {
        let Some(rigid) = rigid.filter(|_| !scene.particle_joints.is_empty()) else {
            return match scene.particle_joints.first() {
                None => Ok(ParticleJoints::default()),
                Some(joint) => Err(missing(0, "rigid body", joint.rigid.index(), 0)),
            };
        };
        let mut joints = ParticleJoints { each: Vec::new(), held: vec![Vec::new(); rigid.bodies.len()] };
        for (number, joint) in scene.particle_joints.iter().enumerate() {
            let of = || format!("particle joint {number}");
            for (what, tag, index, count) in [
                ("rigid body", joint.rigid.scene, joint.rigid.index(), rigid.bodies.len()),
                ("body", joint.body.scene, joint.body.index(), bodies.len()),
            ] {
                if tag != scene.tag {
                    return Err(Error::ForeignId { of: of(), what, index });
                }
                if index >= count {
                    return Err(missing(number, what, index, count));
                }
            }
            let (body, plan) = (&bodies[joint.body.index()], &plans[joint.body.index()]);
            let (index, count) = (joint.vertex as usize, body.positions.len());
            if index >= count {
                let of = format!("{}, body `{}`", of(), body.name);
                return Err(Error::Missing { of, what: "vertex", index, count });
            }
            if body.fluid.is_some() || body.grain.is_some() {
                let of = format!("{}, body `{}`", of(), body.name);
                return Err(Error::FluidWithMore { of });
            }
            let compliance = joint.compliance;
            let good = (0.0..=1e18).contains(&compliance);
            range(of, || "compliance".to_owned(), f64::from(compliance), good, "within 0 .. 1e18 m/N")?;
            let holder = &rigid.bodies[joint.rigid.index()];
            if holder.inv_mass == 0.0 && body.inv_mass[index] == 0.0 {
                return Err(Error::JoinedFixed { of: of() });
            }
            let hold = Hold::new(plan.layout, plan.particle(joint.vertex) as usize);
            joints.held[joint.rigid.index()].push(hold.first());
            let position = body.positions[index].map(f64::from);
            let anchor = Pose { position, ..Pose::IDENTITY }.seen_from(&holder.pose).position;
            joints.each.push(ParticleJointPlan { rigid: joint.rigid.number, hold, anchor, compliance });
        }
        for held in &mut joints.held {
            held.sort_unstable();
            held.dedup();
        }
        Ok(joints)
    }

    /// First numbers of the rows that a rigid body holds, ascending: they do not touch it.
    pub(crate) fn held(&self, rigid: usize) -> &[u32] {
        self.held.get(rigid).map_or(&[], Vec::as_slice)
    }

    /// All that a state depends on, for the plan's fingerprint; nothing without joints.
    pub(super) fn bytes(&self, add: &mut dyn FnMut(&[u8])) {
        for ParticleJointPlan { rigid, hold, anchor, compliance } in &self.each {
            add(bytemuck::bytes_of(&[*rigid, hold.first(), compliance.to_bits()]));
            add(bytemuck::bytes_of(anchor));
        }
    }
}

fn missing(number: usize, what: &'static str, index: usize, count: usize) -> Error {
    Error::Missing { of: format!("particle joint {number}"), what, index, count }
}
