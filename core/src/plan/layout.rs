//! What a state belongs to: bodies, with their order in memory, and not the settings by which they are stepped.

use super::Plan;
use super::rigid::Rigid;
use crate::describe::settings::VelocityUpdate;
use seidel_rigid::joint::Motor;
use xxhash_rust::xxh3::Xxh3;

impl Plan {
    /// A fingerprint of what a state belongs to. States of plans with the same layout can be exchanged as bytes
    /// ([`crate::State::to_bytes`]).
    ///
    /// It covers: of each body its vertices and frames in their order in memory, their masses, triangles and
    /// tetrahedra; matched shapes; fluids with the number of their emitters, and grains that
    /// have any or a drain; the number of colliders; rigid bodies with
    /// their masses and shapes; their joints with what drives them, and which of them are solved at once; and whether
    /// velocities are updated in second order. It does not cover: names, positions at the start, stiffness, damping,
    /// friction, thickness, colliders' shapes and paths, pins' paths, gravity, air, substeps, iterations, method.
    #[must_use]
    pub fn layout_id(&self) -> u64 {
        self.layout
    }

    pub(super) fn layout_fingerprint(&self) -> u64 {
        let mut hash = Xxh3::new();
        let mut add = |words: &[u32]| {
            if cfg!(target_endian = "little") {
                hash.update(bytemuck::cast_slice(words));
            } else {
                words.iter().for_each(|word| hash.update(&word.to_le_bytes()));
            }
        };
        let second = self.settings.velocity_update == VelocityUpdate::SecondOrder;
        add(&[self.x.len() as u32, u32::from(second), self.bodies.len() as u32, self.colliders.len() as u32]);
        for body in &self.bodies {
            let counts = [body.to_row.len(), body.frames.to_row.len(), body.triangles.len(), body.tets.len()];
            add(&[body.start as u32, body.rows as u32, body.layout as u32]);
            add(&counts.map(|count| count as u32));
            add(&body.to_row);
            add(&body.frames.to_row);
            add(body.triangles.as_flattened());
            add(body.tets.as_flattened());
            let masses = (0..body.to_row.len()).map(|vertex| body.get(&self.x, vertex)[3].to_bits());
            add(&masses.collect::<Vec<_>>());
            let inertias = (0..body.frames.to_row.len()).map(|frame| self.r[body.frame(frame)][3].to_bits());
            add(&inertias.collect::<Vec<_>>());
        }
        for matched in self.fields.iter().flat_map(|fields| &fields.shapes) {
            add(&[matched.shape.len() as u32]);
        }
        for fluid in self.fluids.iter().flat_map(|fluids| &fluids.bodies) {
            add(&[fluid.body as u32, fluid.sources.emitters.len() as u32]);
        }
        for grains in self.grains.iter().flat_map(|grains| &grains.bodies) {
            add(&[u32::MAX, grains.body as u32]);
            if !grains.sources.is_empty() {
                add(&[grains.sources.emitters.len() as u32 + 1]);
            }
        }
        if let Some(rigid) = &self.rigid {
            rigid.layout(&mut add);
        }
        hash.digest()
    }
}

impl Rigid {
    fn layout(&self, add: &mut dyn FnMut(&[u32])) {
        let counts = [self.bodies.len(), self.shapes.len(), self.colliders.len(), self.joints.len()];
        add(&counts.map(|count| count as u32));
        for body in &self.bodies {
            add(&[body.kind as u32]);
            let numbers = body.inertia.iter().chain(&body.own.position).chain(&body.own.rotation);
            for number in [body.inv_mass].iter().chain(numbers) {
                let bits = number.to_bits();
                add(&[bits as u32, (bits >> 32) as u32]);
            }
        }
        self.shapes.iter().for_each(|shape| add(&[shape.body]));
        self.colliders.iter().for_each(|collider| add(&[collider.collider]));
        for planned in &self.joints {
            let joint = &planned.joint;
            add(&[joint.kind as u32, joint.bodies[0], joint.bodies[1]]);
            let (kind, target, limit) = match joint.axes[joint.driven_axis()].motor {
                Motor::Off => (0, 0.0, 0.0),
                Motor::Velocity { target, limit } => (1, target, limit),
                Motor::Position { target, limit } => (2, target, limit),
            };
            add(&[kind, target.to_bits(), limit.to_bits()]);
            if planned.in_tree {
                add(&[u32::MAX]);
            }
        }
    }
}
