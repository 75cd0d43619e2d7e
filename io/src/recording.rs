//! From plan and state to the header and frames that writers take.

use glam::Vec3;
use seidel::{Measurements, Plan, State};

use crate::frames::{BodyHeader, ColliderHeader, Frame, Header};

/// What writers have to know of a plan before the first frame. Edges are the rows of two particles with a rest length.
#[must_use]
pub fn header(plan: &Plan, scene: &str, fps: f64) -> Header {
    let mut header = Header { scene: scene.to_owned(), fps, ..Header::default() };
    let start = State::new(plan);
    for body in plan.body_ids() {
        let (first, count) = (header.inv_mass.len(), plan.vertices(body));
        header.bodies.push(BodyHeader {
            name: plan.body_name(body).to_owned(),
            first: first as u32,
            count: count as u32,
        });
        let shifted = |t: &[u32; 3]| t.map(|v| v + first as u32);
        header.triangles.extend(plan.triangles(body).iter().map(shifted));
        header.inv_mass.resize(first + count, 0.0);
        start.read_inv_masses(plan, body, &mut header.inv_mass[first..]);
        for (edge, rest) in plan.lengths(body) {
            header.edges.push(edge.map(|v| v + first as u32));
            header.rest_lengths.push(rest);
        }
    }
    header.colliders =
        plan.colliders().iter().map(|c| ColliderHeader { name: c.name.clone(), shape: c.shape.clone() }).collect();
    header
}

/// Arrays of a frame, reused from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    poses: Vec<[f32; 7]>,
}

impl Buffers {
    /// Reads a state.
    pub fn read(&mut self, plan: &Plan, state: &State, measured: &Measurements) -> Frame<'_> {
        self.positions.resize(plan.particles(), Vec3::ZERO);
        self.velocities.resize(plan.particles(), Vec3::ZERO);
        let mut first = 0;
        for body in plan.body_ids() {
            let end = first + plan.vertices(body);
            state.read_positions(plan, body, &mut self.positions[first..end]);
            state.read_velocities(plan, body, &mut self.velocities[first..end]);
            first = end;
        }
        self.poses.clear();
        self.poses.extend(plan.collider_ids().map(|c| state.pose(c).to_array()));
        Frame {
            time: state.time(),
            positions: bytemuck::cast_slice(&self.positions),
            velocities: bytemuck::cast_slice(&self.velocities),
            poses: &self.poses,
            energy: [measured.kinetic, measured.potential],
            max_stretch: measured.max_stretch,
        }
    }
}
