//! Deformation gradients of the triangles of plane sheets: they show where nothing can touch
//! (core/src/plan/surfaces/regions.rs).

use super::blocks::{CLUSTERS_A_BLOCK, block};
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
    let bending = Bending::new(surfaces, isa, before, (after, change, bent));
    let work = |number: usize| {
        for cluster in block(0..surfaces.clusters.len(), number, CLUSTERS_A_BLOCK) {
            // SAFETY: clusters of a block are this closure's alone.
            unsafe { bending.cluster(cluster, x) };
        }
    };
    let blocks = surfaces.clusters.len().div_ceil(CLUSTERS_A_BLOCK);
    crew.each(blocks, work);
}

/// The gradients of clusters, for all workers.
pub(super) struct Bending<'a> {
    surfaces: &'a Surfaces,
    isa: Isa,
    before: &'a Gradient,
    first: Shared<'a, Row>,
    second: Shared<'a, Row>,
    change: Shared<'a, Pack<f32>>,
    bent: Shared<'a, f32>,
}

impl<'a> Bending<'a> {
    pub(super) fn new(
        surfaces: &'a Surfaces,
        isa: Isa,
        before: &'a Gradient,
        (after, change, bent): (&'a mut Gradient, &'a mut [Pack<f32>], &'a mut [f32]),
    ) -> Bending<'a> {
        let (first, second) = (Shared::new(&mut after.first), Shared::new(&mut after.second));
        Bending { surfaces, isa, before, first, second, change: Shared::new(change), bent: Shared::new(bent) }
    }

    /// Finds the gradients of a cluster's triangles, and the largest change of one of them.
    ///
    /// # Safety
    /// Nobody else takes this cluster meanwhile.
    pub(super) unsafe fn cluster(&self, cluster: usize, x: &[Row]) {
        let packs = self.surfaces.regions.of_cluster[cluster].clone();
        let (rows, count) = (packs.start * BATCH, packs.len() * BATCH);
        // SAFETY: a cluster's packs are its own (`Regions::new` gives each its range), and it is the caller's alone, as
        // it promises.
        unsafe {
            let after = [self.first.part(rows, count), self.second.part(rows, count)];
            let before = self.before.rows().map(|all| &all[rows..rows + count]);
            let change = self.change.part(packs.start, packs.len());
            self.bent.part(cluster, 1)[0] = bend_packs(self.surfaces, self.isa, packs, x, before, after, change);
        }
    }
}

/// Finds the gradients of some packs of triangles, and returns the largest change.
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
