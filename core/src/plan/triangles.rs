//! Triangles of all bodies as rows for contacts, and the tiles of particles that bound them.

use super::BodyPlan;
use super::patch::FamilyRows;
use crate::body::Body;
use crate::tuning::SPARE_STRETCH;
use seidel_kernels::{BATCH, Batches, Layout, NO_ROW, Reach, RowArrays, Rows};

/// Triangles packed like constraints; parameters [thickness, sqrt(friction)].
#[derive(Clone, Debug)]
pub(crate) struct Triangles {
    pub(crate) batches: Batches,
    /// Tiles that hold a particle of batch b of `Reach::Rows`: `tiles[starts[b]..starts[b + 1]]`, ascending.
    pub(crate) tiles: Vec<u32>,
    pub(crate) starts: Vec<u32>,
}

/// Of every particle the largest `|q - x|^2` that a triangle at it can have for its point q nearest to a ball's centre, while its
/// edges are no longer than [`SPARE_STRETCH`] times their rest: a third of the longest edge's square. Rows [span, 0, 0, 0].
pub(crate) fn spans(bodies: &[Body], plans: &[BodyPlan], rows: usize) -> Rows {
    if bodies.iter().all(|body| body.triangles.is_empty()) {
        return Rows::default();
    }
    let mut spans = Rows::zeros(rows, 0);
    for (body, plan) in bodies.iter().zip(plans) {
        for t in &body.triangles {
            let x = t.map(|v| body.positions[v as usize].map(f64::from));
            let squared =
                |i: usize, j: usize| (0..3).fold(0.0, |sum, k| sum + (x[i][k] - x[j][k]) * (x[i][k] - x[j][k]));
            let longest = squared(0, 1).max(squared(1, 2)).max(squared(2, 0));
            let span = (longest * (SPARE_STRETCH * SPARE_STRETCH / 3.0)) as f32;
            for &v in t {
                let row = plan.get(&spans, v as usize);
                plan.set(&mut spans, v as usize, [row[0].max(span), 0.0, 0.0, 0.0]);
            }
        }
    }
    spans
}

/// The same while they are put in order.
pub(crate) struct Unpacked {
    at: Vec<u32>,
    rest: Vec<f32>,
}

impl Unpacked {
    pub(crate) fn new(bodies: &[Body], plans: &[BodyPlan]) -> Unpacked {
        let (mut at, mut rest) = (Vec::new(), Vec::new());
        for (body, plan) in bodies.iter().zip(plans) {
            for t in &body.triangles {
                at.extend(t.map(|v| plan.particle(v)));
                rest.extend([plan.thickness, plan.friction]);
            }
        }
        Unpacked { at, rest }
    }

    /// Particles of all triangles.
    pub(crate) fn rows(&self) -> FamilyRows<'_> {
        FamilyRows { slots: 3, at: &self.at }
    }

    /// `tile_of[p]` is the tile of particle p, for all particles of a body.
    pub(crate) fn pack(self, lineups: &[[u32; BATCH]], layouts: &[Layout], tile_of: &[u32]) -> Triangles {
        let soft = vec![0.0; self.at.len() / 3];
        let arrays = RowArrays { slots: 3, params: 2, at: &self.at, rest: &self.rest, soft: &soft };
        // Positions stand still while contacts are solved.
        let batches = Batches::pack(arrays, lineups, layouts, &[]).expect("bodies are checked and batches independent");
        let (mut tiles, mut starts) = (Vec::new(), vec![0]);
        for b in 0..batches.len() {
            if batches.reach(b) == Reach::Rows {
                let rows = batches.lineup(b).iter().filter(|row| **row != NO_ROW);
                let particles = rows.flat_map(|&row| &self.at[row as usize * 3..][..3]);
                let mut of: Vec<u32> = particles.map(|&p| tile_of[p as usize]).collect();
                of.sort_unstable();
                of.dedup();
                tiles.extend(of);
            }
            starts.push(tiles.len() as u32);
        }
        Triangles { batches, tiles, starts }
    }
}
