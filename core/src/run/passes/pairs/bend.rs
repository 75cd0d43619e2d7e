//! Deformation gradients of the triangles of plane sheets: they show where nothing can touch (core/src/plan/surfaces/regions.rs).

use super::{CLUSTERS_A_BLOCK, block};
use crate::plan::surfaces::Surfaces;
use seidel_kernels::contact::pairs::{Deformed, Gradients};
use seidel_kernels::{BATCH, Isa, Lanes, Pack, Row, Shared};
use seidel_workers::Crew;
use std::ops::Range;

/// Rows of gradients.
#[derive(Debug, Default)]
pub(super) struct Gradient {
    pub(super) first: Vec<Row>,
    pub(super) second: Vec<Row>,
}

impl Gradient {
    pub(super) fn rows(&self) -> [&[Row]; 2] {
        [&self.first, &self.second]
    }

    pub(super) fn fill(&mut self, rows: usize, value: f32) {
        for rows_of in [&mut self.first, &mut self.second] {
            rows_of.clear();
            rows_of.resize(rows, [value; 4]);
        }
    }
}

/// Finds the gradients of all triangles of plane sheets, and how much they have changed since `before`.
pub(super) fn bend(
    surfaces: &Surfaces,
    isa: Isa,
    crew: &mut Crew<'_>,
    x: &[Row],
    before: &Gradient,
    (after, change, bent): (&mut Gradient, &mut [Pack<f32>], &mut [f32]),
) {
    if surfaces.regions.triangles.is_empty() {
        return;
    }
    let (first, second) = (Shared::new(&mut after.first), Shared::new(&mut after.second));
    let (change, bent) = (Shared::new(change), Shared::new(bent));
    let work = |number: usize| {
        for c in block(0..surfaces.clusters.len(), number, CLUSTERS_A_BLOCK) {
            let packs = surfaces.regions.of_cluster[c].clone();
            let (rows, count) = (packs.start * BATCH, packs.len() * BATCH);
            // SAFETY: a cluster's parts are its own, and clusters of a block are this closure's alone.
            unsafe {
                let after = [first.part(rows, count), second.part(rows, count)];
                let before = before.rows().map(|all| &all[rows..rows + count]);
                let change = change.part(packs.start, packs.len());
                bent.part(c, 1)[0] = bend_packs(surfaces, isa, packs, x, before, after, change);
            }
        }
    };
    let blocks = surfaces.clusters.len().div_ceil(CLUSTERS_A_BLOCK);
    crew.each(blocks, work);
}

/// The same for one cluster. Returns the largest change of one of its gradients.
pub(super) fn bend_cluster(
    surfaces: &Surfaces,
    isa: Isa,
    cluster: usize,
    x: &[Row],
    before: [&[Row]; 2],
    after: [&mut [Row]; 2],
    change: &mut [Pack<f32>],
) -> f32 {
    let packs = surfaces.regions.of_cluster[cluster].clone();
    let rows = packs.start * BATCH..packs.end * BATCH;
    let before = before.map(|all| &all[rows.clone()]);
    let after = after.map(|all| &mut all[rows.clone()]);
    bend_packs(surfaces, isa, packs.clone(), x, before, after, &mut change[packs])
}

/// The same for some packs of triangles.
fn bend_packs(
    surfaces: &Surfaces,
    isa: Isa,
    packs: Range<usize>,
    x: &[Row],
    before: [&[Row]; 2],
    [first, second]: [&mut [Row]; 2],
    change: &mut [Pack<f32>],
) -> f32 {
    let gradients = Gradients { x, triangles: &surfaces.regions.triangles[packs] };
    gradients.find(isa, before, Deformed { first, second, change });
    // A NaN bounds nothing: the pair is tested again.
    let known = |change: f32| if change.is_nan() { f32::INFINITY } else { change };
    let mut most = [0.0; BATCH];
    for pack in change {
        for (most, change) in most.iter_mut().zip(pack.0) {
            *most = Lanes::larger(*most, known(change));
        }
    }
    most.into_iter().fold(0.0, Lanes::larger)
}
