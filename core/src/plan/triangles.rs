//! Triangles of all bodies as rows for contacts, and the tiles of particles that bound them.

use super::family::{Stage, stages};
use super::{BodyPlan, color};
use crate::body::Body;
use seidel_kernels::{Batches, RowArrays};

/// Triangles colored and packed like constraints; parameters [thickness, sqrt(friction)].
#[derive(Clone, Debug)]
pub(crate) struct Triangles {
    pub(crate) batches: Batches,
    pub(crate) stages: Vec<Stage>,
    /// Tiles that hold a particle of batch b: `tiles[starts[b]..starts[b + 1]]`, ascending.
    pub(crate) tiles: Vec<u32>,
    pub(crate) starts: Vec<u32>,
}

impl Triangles {
    /// `tile_of[p]` is the tile of particle p, for all particles of a body.
    pub(crate) fn new(bodies: &[Body], plans: &[BodyPlan], particles: usize, tile_of: &[u32]) -> Triangles {
        let (mut at, mut rest) = (Vec::new(), Vec::new());
        for (body, plan) in bodies.iter().zip(plans) {
            for t in &body.triangles {
                at.extend(t.map(|v| plan.particle(v)));
                rest.extend([plan.thickness, plan.friction]);
            }
        }
        let mut colors = color::greedy(3, &at, particles);
        for rows in &mut colors {
            let lowest = |row: &u32| at[*row as usize * 3..][..3].iter().copied().min();
            rows.sort_by_key(|row| (lowest(row), *row));
        }
        let soft = vec![0.0; at.len() / 3];
        let arrays = RowArrays { slots: 3, params: 2, at: &at, rest: &rest, soft: &soft };
        let batches = Batches::pack(arrays, &colors, particles).expect("bodies are checked and colors independent");
        let (mut tiles, mut starts) = (Vec::new(), vec![0]);
        for b in 0..batches.len() {
            let mut of: Vec<u32> = batches.at(b).iter().flat_map(|p| p.0).map(|p| tile_of[p as usize]).collect();
            of.sort_unstable();
            of.dedup();
            tiles.extend(of);
            starts.push(tiles.len() as u32);
        }
        let stages = stages(&batches);
        Triangles { batches, stages, tiles, starts }
    }
}
