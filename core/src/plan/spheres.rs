//! Particles of bodies that collide as spheres (`Collide::Spheres`), in clusters.

use super::body::BodyPlan;
use super::order::by_halves;
use crate::describe::body::{Body, Collide};
use crate::describe::filter::Filter;
use seidel_kernels::BATCH;
use seidel_kernels::contact::SphereCluster;
use std::sync::Arc;

/// All clusters of spheres, body after body.
#[derive(Clone, Debug)]
pub(crate) struct Spheres {
    pub(crate) clusters: Vec<SphereCluster>,
    /// The bodies' filters, by `SphereCluster::body`.
    filters: Vec<Filter>,
    /// The bodies in the plan, likewise.
    pub(crate) bodies: Vec<usize>,
    /// The bodies that collide exactly.
    pub(crate) exact: Vec<usize>,
    /// The largest radius, metres.
    pub(crate) largest: f32,
}

impl Spheres {
    /// None if no body collides so. A sphere is as wide as the mean side of its body's triangles and edges, and at
    /// least as its thickness: a particle cannot slip between four that are one side apart.
    pub(crate) fn new(bodies: &[Arc<Body>], plans: &[BodyPlan]) -> Option<Spheres> {
        let exact = bodies.iter().enumerate().filter(|(_, body)| body.collide.is_exact()).map(|(place, _)| place);
        let (clusters, filters, own) = (Vec::new(), Vec::new(), Vec::new());
        let mut spheres = Spheres { clusters, filters, bodies: own, exact: exact.collect(), largest: 0.0 };
        let all = bodies.iter().zip(plans).enumerate();
        for (place, (body, plan)) in all.filter(|(_, (body, _))| body.collide == Collide::Spheres) {
            let radius = f32::max(plan.thickness, (0.5 * mean_side(body)) as f32);
            let number = spheres.filters.len() as u32;
            spheres.filters.push(plan.filter);
            spheres.bodies.push(place);
            spheres.largest = f32::max(spheres.largest, radius);
            let (count, particle) = (body.positions.len(), |v: u32| {
                (plan.particle(v) as usize, body.positions[v as usize], plan.friction_of(&[v]))
            });
            let parts = count.div_ceil(BATCH);
            let order = by_halves(&body.positions, parts);
            for part in 0..parts {
                let of_part = &order[count * part / parts..count * (part + 1) / parts];
                let particles: Vec<_> = of_part.iter().map(|&v| particle(v)).collect();
                spheres.clusters.push(SphereCluster::new(plan.layout, &particles, radius, number));
            }
        }
        (spheres.largest > 0.0).then_some(spheres)
    }

    /// Whether particles of two clusters may meet.
    pub(crate) fn meet(&self, [a, b]: [u32; 2]) -> bool {
        let [a, b] = [a, b].map(|number| self.clusters[number as usize].body);
        a == b || self.filters[a as usize].meets(self.filters[b as usize])
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        for number in self.clusters.iter().flat_map(SphereCluster::numbers) {
            add(&number.to_le_bytes());
        }
        for filter in &self.filters {
            add(bytemuck::bytes_of(&[filter.groups, filter.mask]));
        }
    }
}

/// Mean length of a body's triangles' sides and its edges, metres; 0 if it has none.
fn mean_side(body: &Body) -> f64 {
    let at = |v: u32| body.positions[v as usize].map(f64::from);
    let (mut sum, mut count) = (0.0, 0u64);
    let sides = body.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).chain(body.edges.iter().copied());
    for [a, b] in sides {
        let (a, b) = (at(a), at(b));
        sum += (0..3).fold(0.0, |sum, k| sum + (a[k] - b[k]) * (a[k] - b[k])).sqrt();
        count += 1;
    }
    sum / count.max(1) as f64
}
