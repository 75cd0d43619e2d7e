//! Broad phase: the search for clusters whose boxes overlap, by the hash.

use seidel_hash::{Aabb, BoxGrid, Error, Pairs};
use seidel_workers::Crew;

/// Boxes, their grid and their pairs, in memory that is reused from search to search.
#[derive(Debug, Default)]
pub(crate) struct BroadPhase {
    boxes: Vec<Aabb>,
    /// The cluster of each box. A cluster without a finite box has none.
    of: Vec<u32>,
    grid: BoxGrid,
    pairs: Pairs,
}

impl BroadPhase {
    /// Calls `found` with each pair of clusters whose boxes [lowest, highest] overlap, the lower number first. Each
    /// cluster is also paired with itself.
    ///
    /// # Errors
    /// If there are more than `most` pairs.
    pub(crate) fn search(
        &mut self,
        crew: &mut Crew<'_>,
        clusters: &[[[f32; 3]; 2]],
        most: usize,
        mut found: impl FnMut([u32; 2]),
    ) -> Result<(), Error> {
        self.boxes.clear();
        self.of.clear();
        for (cluster, &[low, high]) in clusters.iter().enumerate() {
            if (0..3).all(|k| low[k] <= high[k] && low[k].is_finite() && high[k].is_finite()) {
                self.boxes.push(Aabb { low, high });
                self.of.push(cluster as u32);
            }
        }
        self.grid.build_with(crew, &self.boxes)?;
        self.pairs = std::mem::take(&mut self.pairs).most(most);
        self.pairs.among_with(crew, &self.grid)?;
        for first in 0..self.boxes.len() {
            let cluster = self.of[first];
            found([cluster, cluster]);
            for &second in self.pairs.of(first) {
                let other = self.of[second as usize];
                found([cluster.min(other), cluster.max(other)]);
            }
        }
        Ok(())
    }
}
