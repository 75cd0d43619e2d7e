//! Pairs of features of a cache, in batches.

use super::{ClusterPair, Look, PairCache};
use seidel_kernels::BATCH;
use seidel_kernels::contact::pairs::{Features, Find, Memory, Pair};
use std::sync::atomic::Ordering;

impl PairCache {
    /// Takes the batches of a pair of clusters out of use. Remembers which of their pairs are among the contacts.
    pub(super) fn drop(&mut self, number: usize) {
        let range = std::mem::take(&mut self.segments[number].batches);
        self.kept.clear();
        for batch in range.clone() {
            let lanes = self.batches.lanes(batch);
            self.pairs -= lanes;
            let kind = self.batches.features(batch) as u8;
            let listed = self.listed[batch];
            self.kept.extend(
                (0..lanes).filter(|lane| listed >> lane & 1 != 0).map(|lane| (kind, self.numbers[batch][lane])),
            );
            (self.near[batch], self.urgent[batch], self.listed[batch], self.doubtful[batch]) = (0, 0, 0, 0);
        }
        self.kept.sort_unstable();
        self.dead += range.len();
    }

    /// Lists the pairs of features of two clusters that may touch while the clusters move against each other by `spare`. Near and far
    /// pairs have batches of their own: those of far pairs sleep longer.
    pub(super) fn list(&mut self, number: usize, look: &Look<'_>) {
        let ClusterPair { clusters, spare, .. } = self.segments[number];
        let surfaces = look.surfaces;
        let [a, b] = clusters.map(|c| &surfaces.clusters[c as usize]);
        let ((faces, friction), (edges, _)) =
            (surfaces.between(Features::PointTriangle, clusters), surfaces.between(Features::EdgeEdge, clusters));
        let find = Find {
            x: look.start,
            rest: surfaces.hang_together(clusters).then_some(&*surfaces.at_rest),
            clusters: [&a.corners, &b.corners],
            same: clusters[0] == clusters[1],
            keep: [faces, edges],
            friction,
            spread: spare,
            rounding: look.rounding,
        };
        find.find(look.isa, &mut self.found);
        if !surfaces.joined.is_empty() {
            for (firsts, of) in [1, 2].into_iter().zip(&mut self.found.found) {
                let apart = |rows: [u32; 4]| !surfaces.joined.hold(&rows[..firsts], &rows[firsts..]);
                of.iter_mut().for_each(|some| some.retain(|found| apart(found.pair.rows)));
            }
        }
        // Pairs without a free particle are left out: vertices attached to an obstacle follow it, too.
        if surfaces.with_obstacle(clusters) {
            let free = |rows: [u32; 4]| rows.iter().any(|&row| look.start[row as usize][3] > 0.0);
            self.found.found.as_flattened_mut().iter_mut().for_each(|some| some.retain(|found| free(found.pair.rows)));
        }
        if !surfaces.frictions.is_empty() {
            for (firsts, of) in [1, 2].into_iter().zip(&mut self.found.found) {
                let of_pair = |pair: &mut Pair| pair.friction = surfaces.friction_of(pair.rows, firsts);
                of.iter_mut().flatten().for_each(|found| of_pair(&mut found.pair));
            }
        }
        let PairCache { found, batches, numbers, memory, listed, kept, pairs, .. } = self;
        let first = memory.len();
        let count = found.found.as_flattened().iter().map(Vec::len).sum();
        *pairs += count;
        if look.listed.fetch_add(count, Ordering::Relaxed) + count > look.most {
            // Too many pairs: the caller reads the sum and drops all of them.
            return;
        }
        for (features, all) in [Features::PointTriangle, Features::EdgeEdge].into_iter().zip(&found.found) {
            for sixteen in all.iter().flat_map(|some| some.chunks(BATCH)) {
                let mut of = [[0; 2]; BATCH];
                let mut lanes = 0;
                for (lane, found) in sixteen.iter().enumerate() {
                    of[lane] = found.numbers;
                    let was = !kept.is_empty() && kept.binary_search(&(features as u8, found.numbers)).is_ok();
                    lanes |= u16::from(was) << lane;
                }
                batches.push_loosely(features, sixteen.iter().map(|found| found.pair));
                numbers.push(of);
                memory.push(Memory::NOTHING);
                listed.push(lanes);
            }
        }
        let last = memory.len();
        for lanes in [&mut self.near, &mut self.urgent, &mut self.doubtful, &mut self.planes] {
            lanes.resize(last, 0);
        }
        let segment = &mut self.segments[number];
        // An empty range is 0..0, wherever `pack` moves the others.
        segment.batches = if first < last { first..last } else { 0..0 };
        (segment.touches_at, segment.meets_at) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    }

    /// Leaves out the batches that are no longer in use.
    pub(super) fn pack(&mut self) {
        let mut live = std::mem::take(&mut self.live);
        live.clear();
        live.extend((0..self.segments.len()).filter(|&s| !self.segments[s].batches.is_empty()));
        live.sort_unstable_by_key(|&s| self.segments[s].batches.start);
        let mut to = 0;
        for &segment in &live {
            let from = self.segments[segment].batches.clone();
            self.segments[segment].batches = to..to + from.len();
            for batch in from {
                self.batches.copy(batch, to);
                (self.memory[to], self.numbers[to]) = (self.memory[batch], self.numbers[batch]);
                for lanes in [&mut self.near, &mut self.urgent, &mut self.listed, &mut self.doubtful, &mut self.planes]
                {
                    lanes[to] = lanes[batch];
                }
                to += 1;
            }
        }
        self.batches.truncate(to);
        self.memory.truncate(to);
        self.numbers.truncate(to);
        for lanes in [&mut self.near, &mut self.urgent, &mut self.listed, &mut self.doubtful, &mut self.planes] {
            lanes.truncate(to);
        }
        (self.dead, self.live) = (0, live);
    }

    /// Makes the near pairs, and no others, the contacts. Calls `take` with each.
    pub(crate) fn take_near(&mut self, mut take: impl FnMut(Features, Pair, [f32; 3])) {
        for number in 0..self.segments.len() {
            for batch in self.segments[number].batches.clone() {
                if self.listed[batch] & !self.near[batch] != 0 {
                    // Pairs leave the contacts, so the batch must be looked at again for them.
                    self.memory[batch].touches_at = f32::NEG_INFINITY;
                    self.segments[number].touches_at = f32::NEG_INFINITY;
                }
                self.listed[batch] = self.near[batch];
                self.take(batch, self.near[batch], &mut take);
            }
        }
    }

    /// In each batch with a pair that is about to touch and is not among the contacts, makes all near pairs contacts. Calls `take` with
    /// each new one.
    pub(crate) fn take_missing(&mut self, mut take: impl FnMut(Features, Pair, [f32; 3])) {
        for number in 0..self.segments.len() {
            for batch in self.segments[number].batches.clone() {
                if self.urgent[batch] & !self.listed[batch] != 0 {
                    let lanes = self.near[batch] & !self.listed[batch];
                    self.listed[batch] |= lanes;
                    self.take(batch, lanes, &mut take);
                }
            }
        }
    }

    /// Calls `take` with the pairs in some lanes of a batch.
    fn take(&self, batch: usize, mut lanes: u16, take: &mut impl FnMut(Features, Pair, [f32; 3])) {
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let side = self.memory[batch].n.map(|n| n.0[lane]);
            take(self.batches.features(batch), self.batches.pair(batch, lane), side);
        }
    }
}
