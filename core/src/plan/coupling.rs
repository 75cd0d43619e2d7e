//! Features of deformable bodies that meet rigid bodies: particles, or the points of a skin, and triangles, in clusters
//! of neighbours.

use super::body::BodyPlan;
use super::embedding::Bond;
use super::order::by_halves;
use super::triangles;
use crate::describe::body::Body;
use seidel_kernels::BATCH;
use seidel_kernels::contact::coupling::{CoupledCluster, Feature};
use std::sync::Arc;

/// All clusters, body after body.
#[derive(Clone, Debug)]
pub(crate) struct Coupling {
    pub(crate) clusters: Vec<CoupledCluster>,
    /// For each cluster those, ascending, whose particles its features have: two rigid bodies that meet none in common
    /// may be solved at once.
    pub(crate) shares: Vec<Vec<u32>>,
    /// For each cluster the distance of its particles at rest, about, metres.
    pub(crate) spacing: Vec<f32>,
}

impl Coupling {
    /// None if no body has a particle. `rows` is the number of all rows.
    pub(super) fn new(bodies: &[Arc<Body>], plans: &[BodyPlan], rows: usize) -> Option<Coupling> {
        let spans = triangles::spans(bodies, plans, rows, |_| None);
        let mut coupling = Coupling { clusters: Vec::new(), shares: Vec::new(), spacing: Vec::new() };
        // Particles of a fluid do not stay together: they have a pass of their own.
        let lasting = bodies.iter().zip(plans).enumerate().filter(|(_, (body, _))| body.fluid.is_none());
        for (number, (body, plan)) in lasting {
            let count = body.positions.len();
            let (first, parts) = (coupling.clusters.len(), count.div_ceil(BATCH));
            let order = by_halves(&body.positions, parts);
            let mut owner = vec![0; count];
            let mut features: Vec<Vec<Feature>> = vec![Vec::new(); parts];
            for part in 0..parts {
                let of_part = &order[count * part / parts..count * (part + 1) / parts];
                of_part.iter().for_each(|&v| owner[v as usize] = part);
                coupling.spacing.push(spacing(&body.positions, of_part));
            }
            match &plan.skin {
                None => {
                    for &v in &order {
                        let span = if spans.is_empty() { 0.0 } else { plan.get(&spans, v as usize)[0] };
                        let touch = (plan.thickness_of(&[v]), plan.friction_of(&[v]), span);
                        let carriers = [(plan.particle(v) as usize, 1.0)];
                        features[owner[v as usize]].push(Feature::point(plan.layout, &carriers, touch));
                    }
                    for t in body.triangles.iter() {
                        let rows = t.map(|v| plan.particle(v) as usize);
                        let (thickness, friction) = (plan.thickness_of(t), plan.friction_of(t));
                        let triangle = Feature::triangle(plan.layout, rows, thickness, friction);
                        features[owner[t[0] as usize]].push(triangle);
                    }
                }
                Some(skin) => {
                    let bonds = skin.bonds().iter().chain(plan.samples.iter().map(|(bond, _)| bond));
                    for bond in bonds.filter(|bond| bond.is_near()) {
                        let (carriers, most) = carriers(plan, bond);
                        let point = Feature::point(plan.layout, &carriers, (plan.thickness, plan.friction, 0.0));
                        features[owner[most as usize]].push(point);
                    }
                }
            }
            let vertex_of = |row: u32| plan.vertex(row as usize).map(|v| (first + owner[v]) as u32);
            for of_part in features {
                let mut shares: Vec<u32> =
                    of_part.iter().flat_map(|of| of.rows(plan.layout)).filter_map(vertex_of).collect();
                shares.sort_unstable();
                shares.dedup();
                coupling.shares.push(shares);
                let cluster = CoupledCluster::new(number as u32, plan.layout, of_part);
                coupling.clusters.push(if body.grain.is_some() { cluster.loose() } else { cluster });
            }
        }
        (!coupling.clusters.is_empty()).then_some(coupling)
    }
}

/// The rows that carry a point, with their shares, and the vertex that has most of it.
fn carriers(plan: &BodyPlan, bond: &Bond) -> ([(usize, f32); 4], u32) {
    let [a, b, c] = bond.shares;
    let shares = [1.0 - ((a + b) + c), a, b, c];
    let mut most = 0;
    for k in 1..4 {
        most = if shares[k] > shares[most] { k } else { most };
    }
    (std::array::from_fn(|k| (plan.particle(bond.corners[k]) as usize, shares[k])), bond.corners[most])
}

/// A quarter of the longest side of a box about points: four lie along it, if they are a sheet's.
fn spacing(positions: &[[f32; 3]], of: &[u32]) -> f32 {
    let side = |k: usize| {
        let ends = of.iter().map(|&v| positions[v as usize][k]);
        let low = ends.clone().fold(f32::INFINITY, |low, x| if x < low { x } else { low });
        ends.fold(f32::NEG_INFINITY, |high, x| if x > high { x } else { high }) - low
    };
    let longest = (0..3).map(side).fold(0.0f32, |longest, side| if side > longest { side } else { longest });
    0.25 * longest
}
