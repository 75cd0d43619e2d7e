//! Particles of fluids, and grains, that begin inside something are left out: pushed out they would fly.

use crate::describe::body::Body;
use crate::describe::collider::{Collider, Shape};
use crate::describe::pose::Pose;
use crate::describe::tets::TetMesh;
use crate::plan::embedding::Buckets;
use crate::plan::rigid::Rigid;
use crate::tuning::FLUID_CARVED;
use seidel_kernels::V3;
use seidel_kernels::contact::SignedDistance;
use std::sync::Arc;

/// Particles of a fluid, or grains, that were inside something at the start.
#[derive(Clone, Debug)]
pub(crate) struct LeftOut {
    /// Their body.
    pub(crate) body: usize,
    pub(crate) count: usize,
    /// What they were in: a collider, a rigid body or a solid, in words.
    pub(crate) within: String,
}

/// Takes particles of fluids, and grains, that begin inside colliders, rigid bodies and solids out.
pub(super) fn carve(bodies: &mut [Arc<Body>], colliders: &[Collider], rigid: Option<&Rigid>) -> Vec<LeftOut> {
    let mut left_out = Vec::new();
    for number in 0..bodies.len() {
        let body = &bodies[number];
        let wide = body.grain.map(|grain| 2.0 * grain.radius).or_else(|| body.fluid.map(|liquid| liquid.spacing));
        let Some(wide) = wide else { continue };
        let filter = body.filter;
        let keep = f64::from(wide) * FLUID_CARVED;
        let mut carving = Carving { of: Arc::clone(body), number, left_out: &mut left_out };
        let mut by_shape = |shape: &Shape, pose: &Pose, thickness: f32, within: &dyn Fn() -> String| {
            let inside = |p: &[f32; 3]| distance(shape, pose, p.map(f64::from)) - f64::from(thickness) < keep;
            let all = 0..carving.of.positions.len();
            let inside: Vec<usize> = all.filter(|&p| inside(&carving.of.positions[p])).collect();
            carving.take_out(&inside, within);
        };
        for collider in colliders.iter().filter(|collider| collider.filter.meets(filter)) {
            let pose = collider.motion.at(&collider.pose, 0.0);
            by_shape(&collider.shape, &pose, collider.thickness, &|| format!("collider `{}`", collider.name));
        }
        for (of, shape, own) in rigid.iter().flat_map(|rigid| rigid.shown.iter()) {
            let of = &rigid.expect("one has shapes").bodies[*of as usize];
            if of.filter.meets(filter) {
                by_shape(shape, &of.pose.place(own), 0.0, &|| format!("rigid body `{}`", of.name));
            }
        }
        for solid in bodies.iter().filter(|solid| !solid.tets.is_empty() && solid.filter.meets(filter)) {
            let tets = TetMesh { positions: solid.positions.clone(), tets: solid.tets.to_vec() };
            let (found, all) = (Buckets::new(&tets), carving.of.positions.iter().enumerate());
            let inside: Vec<usize> = all
                .filter(|(_, x)| found.tet(&tets, x.map(f64::from)).is_some())
                .map(|(particle, _)| particle)
                .collect();
            carving.take_out(&inside, &|| format!("body `{}`", solid.name));
        }
        bodies[number] = carving.of;
    }
    left_out
}

/// A body of which particles are taken out.
struct Carving<'a> {
    of: Arc<Body>,
    number: usize,
    left_out: &'a mut Vec<LeftOut>,
}

impl Carving<'_> {
    /// Takes those of some particles out that are there.
    fn take_out(&mut self, particles: &[usize], within: &dyn Fn() -> String) {
        let is_there = |&&particle: &&usize| self.of.inv_mass[particle] > 0.0;
        let count = particles.iter().filter(is_there).count();
        if count > 0 {
            let masses = &mut Arc::make_mut(&mut self.of).inv_mass;
            particles.iter().for_each(|&particle| masses[particle] = 0.0);
            self.left_out.push(LeftOut { body: self.number, count, within: within() });
        }
    }
}

/// Distance of a point from a shape at a pose, metres.
fn distance(shape: &Shape, pose: &Pose, x: [f64; 3]) -> f64 {
    let m = pose.matrix();
    let d: [f64; 3] = std::array::from_fn(|k| x[k] - pose.position[k]);
    let local = [0, 1, 2].map(|k| (m[0][k] * d[0] + m[1][k] * d[1]) + m[2][k] * d[2]);
    match *shape {
        Shape::Plane => local[1],
        Shape::Sphere { radius } => {
            ((local[0] * local[0] + local[1] * local[1]) + local[2] * local[2]).sqrt() - f64::from(radius)
        }
        ref other => other.solid().map_or(f64::INFINITY, |solid| solid.distance(V3::<f64>::set(local)).0),
    }
}
