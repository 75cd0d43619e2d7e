//! Parts: how many constraints touch each particle, for Jacobi's averages.

use super::family::Family;
use seidel_kernels::{BATCH, Layout, Rows};

/// Into how many parts each particle is split, [n, 0, 0, 0]: the number of rows of all families that name it, over the
/// relaxation; 1 at least, so that a relaxation above 1 does not solve a lone constraint beyond its end.
pub(crate) fn parts(families: &[Family], layouts: &[Layout], relaxation: f32) -> Rows {
    let mut counts = vec![0u32; layouts.len() * BATCH];
    for Family { batches, .. } in families {
        for (batch, lane, _) in batches.each() {
            (0..batches.slots()).for_each(|slot| counts[batches.particle(batch, slot, lane) as usize] += 1);
        }
    }
    let mut parts = Rows::zeros(counts.len(), 40);
    for (particle, count) in counts.into_iter().enumerate() {
        let n = (f64::from(count.max(1)) / f64::from(relaxation)).max(1.0);
        layouts[particle / BATCH].write(&mut parts, particle, [n as f32, 0.0, 0.0, 0.0]);
    }
    parts
}
