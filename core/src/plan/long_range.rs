//! Long range attachments (Kim, Chentanez, Müller 2012): vertices that stay within their way to the nearest pin.
//!
//! What is stretched between a pin and a vertex far from it takes many sweeps to pull it back, for each passes on a little. The way
//! along the mesh at rest bounds how far the vertex may be in a straight line: one projection, however many edges are between.

use crate::describe::body::Body;
use crate::describe::mesh::geodesic;
use crate::plan::blocks::Block;
use crate::plan::body::BodyPlan;
use crate::plan::tether::AllTethers;

/// Share of a way: roundings of f32, so that what rests at its end is not moved.
const ROUNDING: f64 = 1e-6;

/// Vertices of a plan that stay near pins.
#[derive(Clone, Debug, Default)]
pub(crate) struct LongRange {
    /// Body and vertex of each pin.
    pub(crate) anchors: Vec<(usize, u32)>,
    pub(crate) held: AllTethers,
}

impl LongRange {
    /// Those of all bodies. A vertex that no path of edges connects with a pin has none.
    pub(crate) fn of(bodies: &[Body], plans: &[BodyPlan], blocks: &[Block]) -> LongRange {
        let (mut anchors, mut held) = (Vec::new(), Vec::new());
        for (number, (body, plan)) in bodies.iter().zip(plans).enumerate() {
            let Some(slack) = body.long_range else { continue };
            let first = anchors.len();
            let pinned = (0..body.inv_mass.len() as u32).filter(|&v| body.inv_mass[v as usize] == 0.0);
            anchors.extend(pinned.clone().map(|v| (number, v)));
            let ways = geodesic::nearest(&body.positions, &body.triangles, &body.edges, pinned);
            for (vertex, (distance, pin)) in ways.into_iter().enumerate().filter_map(|(v, way)| Some(v).zip(way)) {
                if body.inv_mass[vertex] == 0.0 {
                    continue;
                }
                let anchor = first + anchors[first..].partition_point(|(_, v)| *v < pin);
                let most = (distance * (1.0 + f64::from(slack) + ROUNDING)) as f32;
                held.push((plan.particle(vertex as u32) as usize, anchor, most));
            }
        }
        LongRange { anchors, held: AllTethers::near(held.into_iter(), blocks) }
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        if !self.held.is_empty() {
            add(format!("{:?}", self.anchors).as_bytes());
            self.held.bytes(add);
        }
    }
}
