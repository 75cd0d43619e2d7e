//! Into how many parts Jacobi sweeps split each particle, and in which blocks.

use super::blocks::RowBlock;
use super::body::BodyPlan;
use super::family::Family;
use crate::describe::settings::Method;
use seidel_kernels::{BATCH, Layout, Rows};

/// The split of particles in Jacobi sweeps; empty if no body is solved so.
#[derive(Clone, Debug, Default)]
pub(crate) struct Averages {
    /// Into how many parts each particle is split, [n, 0, 0, 0]: the number of rows that are solved so and name it,
    /// over its body's relaxation; 1 at least, so that a relaxation above 1 does not solve a lone constraint beyond its
    /// end.
    pub(crate) parts: Rows,
    /// Whether the body of each block is solved so: all others stay whole, to the bit.
    pub(crate) blocks: Vec<bool>,
}

impl Averages {
    pub(super) fn of(families: &[Family], layouts: &[Layout], bodies: &[BodyPlan], blocks: &[RowBlock]) -> Averages {
        let relaxation = |method: Method| match method {
            Method::GaussSeidel => None,
            Method::Jacobi { relaxation } => Some(relaxation),
        };
        if bodies.iter().all(|body| relaxation(body.method).is_none()) {
            return Averages::default();
        }
        let mut counts = vec![0u32; layouts.len() * BATCH];
        for Family { batches, .. } in families.iter().filter(|family| family.averaged) {
            for (batch, lane, _) in batches.each() {
                (0..batches.slots()).for_each(|slot| counts[batches.particle(batch, slot, lane) as usize] += 1);
            }
        }
        let mut parts = Rows::zeros(counts.len(), 40);
        for body in bodies {
            let Some(relaxation) = relaxation(body.method) else { continue };
            let own = body.start..body.start + body.rows;
            for (particle, count) in own.clone().zip(&counts[own]) {
                let n = (f64::from((*count).max(1)) / f64::from(relaxation)).max(1.0);
                layouts[particle / BATCH].write(&mut parts, particle, [n as f32, 0.0, 0.0, 0.0]);
            }
        }
        let blocks = blocks.iter().map(|block| relaxation(bodies[block.body].method).is_some()).collect();
        Averages { parts, blocks }
    }

    /// Whether nothing is solved so.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}
