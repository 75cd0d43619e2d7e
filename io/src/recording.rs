//! From plan and state to the header and frames that writers take.

use glam::Vec3;
use seidel::spec::SceneSpec;
use seidel::{Measurements, Plan, State};

use crate::frames::{BodyHeader, ColliderHeader, Frame, Header};
use crate::{Error, drawn, scene};

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
            drawn: None,
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

/// Gives the bodies whose meshes come from files what is drawn of them: texture coordinates, and edges that are hard. For
/// the header of a plan of that scene; reads the meshes again.
///
/// # Errors
/// If a mesh cannot be read, or has changed since the plan was made.
pub fn dress(header: &mut Header, scene: &str, spec: &SceneSpec) -> Result<(), Error> {
    let cloths = spec.cloth.iter().enumerate().map(|(i, cloth)| (i, cloth.mesh.as_ref(), cloth.repair));
    // Obstacles are the last bodies.
    let first = spec.first_obstacle();
    let obstacles = spec.obstacle.iter().enumerate().map(|(i, obstacle)| (first + i, obstacle.mesh.as_ref(), false));
    for (body, file, repair) in cloths.chain(obstacles) {
        let (Some(file), Some(body)) = (file, header.bodies.get_mut(body)) else { continue };
        let path = scene::beside(scene, file);
        let (mesh, mut drawn) = drawn::read(&path)?;
        let own = body.first..body.first + body.count;
        let of_body = |t: &&[u32; 3]| t.iter().all(|v| own.contains(v));
        let triangles: Vec<_> = header.triangles.iter().filter(of_body).map(|t| t.map(|v| v - body.first)).collect();
        let mut fits = mesh.positions.len() == body.count as usize && mesh.triangles == triangles;
        if repair {
            let kept = drawn.repaired(&mesh.repaired().1.vertex_map, &triangles);
            fits = kept.is_some();
            drawn = kept.unwrap_or_default();
        }
        if !fits {
            let what = "has changed since the scene was planned".to_owned();
            return Err(Error::Format { path, what });
        }
        body.drawn = Some(drawn);
    }
    Ok(())
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
