//! Lists of pairs of features, in batches.

use super::super::bound::turned;
use super::input::CacheInput;
use super::sets::FeatureSets;
use seidel_kernels::contact::pairs::{Features, Find, Found, Memory, Near, Pair, PairBatches, Pairs, Wanted, Watch};
use seidel_kernels::{BATCH, Lanes};
use std::ops::Range;
use std::sync::atomic::Ordering;

/// A list: pairs of features of two sets that may touch, or meet, before the sets have travelled so far against each
/// other.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// Its batches: first those of points and triangles, then, from `edges` on, those of edges.
    batches: Range<usize>,
    edges: usize,
    /// The travel, metres, up to which it is complete; and by how much it reached further than what pairs keep when it
    /// was made.
    pub(super) until: f32,
    spread: f32,
    /// The travel from which on a batch is to be looked at again: for contacts, and at the end of a substep.
    pub(super) touches_at: f32,
    pub(super) meets_at: f32,
}

impl List {
    pub(super) const NONE: List = List {
        batches: 0..0,
        edges: 0,
        until: f32::NEG_INFINITY,
        spread: 0.0,
        touches_at: f32::INFINITY,
        meets_at: f32::INFINITY,
    };

    /// Its batches begin elsewhere.
    pub(super) fn move_to(&mut self, start: usize) {
        if !self.batches.is_empty() {
            self.batches = start..start + self.batches.len();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    pub(super) fn poison(&mut self) {
        (self.until, self.spread, self.touches_at, self.meets_at) = (f32::NAN, f32::NAN, f32::NAN, f32::NAN);
    }
}

/// Mean edges by which a point slides along a surface until another triangle of it is listed as its nearest.
const SLIDE: f32 = 0.2;

/// The batches of all lists of a cache.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) batches: PairBatches,
    memory: Vec<Memory>,
    /// For each pair of features, their numbers within their sets.
    numbers: Vec<[[u16; 2]; BATCH]>,
    /// A bit a lane for each batch: near, about to touch, among the contacts, doubtful, with a plane.
    near: Vec<u16>,
    urgent: Vec<u16>,
    listed: Vec<u16>,
    pub(crate) doubtful: Vec<u16>,
    pub(crate) planes: Vec<u16>,
    /// Number of pairs in use, and of batches that are no longer in use.
    pairs: usize,
    dead: usize,
    found: Pairs,
    /// Kind and numbers of those pairs of the last list that are among the contacts, ascending.
    kept: Vec<(u8, [u16; 2])>,
    /// For `pack`: where lists with batches begin, the number of these, and the list's own; and where each list begins
    /// then.
    order: Vec<(usize, usize, usize)>,
    starts: Vec<usize>,
}

impl Lists {
    pub(super) fn clear(&mut self, rows: usize) {
        self.batches.clear(rows);
        self.memory.clear();
        self.numbers.clear();
        for lanes in [&mut self.near, &mut self.urgent, &mut self.listed, &mut self.doubtful, &mut self.planes] {
            lanes.clear();
        }
        (self.pairs, self.dead) = (0, 0);
    }

    pub(super) fn poison(&mut self) {
        for lanes in [&mut self.near, &mut self.urgent, &mut self.listed, &mut self.doubtful, &mut self.planes] {
            lanes.fill(u16::MAX);
        }
    }

    /// Number of pairs that are listed.
    pub(super) fn pairs(&self) -> usize {
        self.pairs
    }

    /// Whether most batches are no longer in use.
    pub(super) fn is_sparse(&self) -> bool {
        self.dead > self.memory.len() / 2 + 8
    }

    /// Forgets which pairs may have met, and, with `planes`, which have a plane.
    pub(super) fn forget_doubts(&mut self, planes: bool) {
        self.doubtful.fill(0);
        if planes {
            self.planes.fill(0);
        }
    }

    /// Forgets until when a list's pairs do not meet: that was found from ends which have been moved since.
    pub(super) fn forget_ends(&mut self, list: &mut List) {
        list.meets_at = f32::NEG_INFINITY;
        self.memory[list.batches.clone()].iter_mut().for_each(|memory| memory.meets_at = f32::NEG_INFINITY);
    }

    /// Takes the batches of a list out of use. Remembers which of their pairs are among the contacts.
    pub(super) fn drop(&mut self, list: &mut List) {
        let range = std::mem::replace(&mut list.batches, 0..0);
        (list.edges, list.touches_at, list.meets_at) = (0, f32::INFINITY, f32::INFINITY);
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

    /// Lists the pairs of features of two sets of clusters that may touch, or meet, while they travel by `spread`
    /// against each other. Near and far pairs have batches of their own: those of far pairs sleep longer. The list was
    /// dropped before.
    pub(super) fn list(
        &mut self,
        list: &mut List,
        look: &CacheInput<'_>,
        FeatureSets { clusters, corners, same }: FeatureSets<'_>,
        spread: f32,
        wanted: [Wanted; 2],
    ) {
        let surfaces = look.surfaces;
        let ((faces, friction), (edges, _)) =
            (surfaces.between(Features::PointTriangle, clusters), surfaces.between(Features::EdgeEdge, clusters));
        let find = Find {
            x: look.start,
            rest: surfaces.hang_together(clusters).then_some(&*surfaces.at_rest),
            clusters: corners,
            same,
            wanted,
            keep: [faces, edges],
            friction,
            spread,
            slide: SLIDE * look.surfaces.edge,
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
        // Grains are points. Those that have not come yet, or are gone, touch nothing.
        if surfaces.with_grains(clusters) {
            let is_there = |[point, ..]: [u32; 4]| look.start[point as usize][3] > 0.0 || !surfaces.of_grains(point);
            self.found.found[0].iter_mut().for_each(|some| some.retain(|found| is_there(found.pair.rows)));
        }
        if !surfaces.frictions.is_empty() {
            for (firsts, of) in [1, 2].into_iter().zip(&mut self.found.found) {
                let of_pair = |pair: &mut Pair| pair.friction = surfaces.friction_of(pair.rows, firsts);
                of.iter_mut().flatten().for_each(|found| of_pair(&mut found.pair));
            }
        }
        if !surfaces.thicknesses.is_empty() {
            // Listed with the largest of their clusters.
            for (features, of) in [Features::PointTriangle, Features::EdgeEdge].into_iter().zip(&mut self.found.found) {
                let firsts = if features == Features::PointTriangle { 1 } else { 2 };
                for found in of.iter_mut().flatten() {
                    let reach = surfaces.reach_of(features, clusters, found.pair.rows, firsts);
                    found.pair.reach = reach.map_or(found.pair.reach, |reach| Lanes::smaller(found.pair.reach, reach));
                }
            }
        }
        let Lists { found, batches, numbers, memory, listed, kept, pairs, .. } = self;
        let first = memory.len();
        let count = found.found.as_flattened().iter().map(Vec::len).sum();
        *pairs += count;
        list.spread = spread;
        if look.listed.fetch_add(count, Ordering::Relaxed) + count > look.most {
            // Too many pairs: the caller reads the sum and drops all of them.
            return;
        }
        let mut middle = first;
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
            if features == Features::PointTriangle {
                middle = memory.len();
            }
        }
        let last = memory.len();
        for lanes in [&mut self.near, &mut self.urgent, &mut self.doubtful, &mut self.planes] {
            lanes.resize(last, 0);
        }
        if first < last {
            (list.batches, list.edges) = (first..last, middle - first);
            (list.touches_at, list.meets_at) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
        }
    }

    /// Finds the pairs of a list that are about to touch: of all, or, with `edges`, those of two edges alone. `reach`
    /// is what features of these clusters keep, `path` and `now` what these have travelled. Returns whether one of them
    /// is not among the contacts.
    ///
    /// # Safety
    /// Nobody moves rows meanwhile.
    pub(super) unsafe fn find_near(
        &mut self,
        list: &mut List,
        look: &CacheInput<'_>,
        (clusters, reach): ([u32; 2], f32),
        [path, now]: [f32; 2],
        edges: bool,
    ) -> bool {
        let from = list.batches.start + if edges { list.edges } else { 0 };
        let range = from..list.batches.end;
        if range.is_empty() {
            list.touches_at = f32::INFINITY;
        }
        let travelled = path + now;
        if travelled < list.touches_at {
            return false;
        }
        // Seen from where particles are now, they may first go back by `now`. Turning back shrinks distances by a share
        // of less than `back`.
        let [a, b] = clusters.map(|c| &look.motions[c as usize]);
        let since = (path - now) - turned(a, b) * (reach + 2.0 * list.spread);
        let near = Near { ends: look.ends, travelled, since, margin: look.margin };
        let Lists { batches, memory, listed, near: close, urgent, .. } = self;
        let found = Found { memory, listed, near: close, urgent };
        // SAFETY: the caller promises that nobody moves rows meanwhile.
        list.touches_at = unsafe { near.look(look.isa, batches, range.clone(), found) };
        range.into_iter().any(|batch| self.urgent[batch] & !self.listed[batch] != 0)
    }

    /// Finds the pairs of a list that were not shown to stay apart in the substep. Returns whether there is one.
    ///
    /// # Safety
    /// Nobody moves rows meanwhile.
    pub(super) unsafe fn watch(&mut self, list: &mut List, look: &CacheInput<'_>, travelled: f32) -> bool {
        let range = list.batches.clone();
        if range.is_empty() || travelled < list.meets_at {
            return false;
        }
        let watch = Watch { ends: look.ends, travelled, rounding: look.rounding };
        // SAFETY: the caller promises that nobody moves rows meanwhile.
        list.meets_at =
            unsafe { watch.look(look.isa, &self.batches, range.clone(), &mut self.memory, &mut self.doubtful) };
        self.doubtful[range].iter().any(|lanes| *lanes != 0)
    }

    /// Leaves out the batches that are no longer in use. Returns where each list begins from now on (`List::move_to`).
    pub(super) fn pack<'a>(&mut self, all: impl Iterator<Item = &'a List>) -> &[usize] {
        let Lists { order, starts, .. } = self;
        order.clear();
        order.extend(all.enumerate().map(|(number, list)| (list.batches.start, list.batches.len(), number)));
        starts.clear();
        starts.resize(order.len(), 0);
        order.retain(|(_, count, _)| *count > 0);
        order.sort_unstable();
        let mut to = 0;
        for &(start, count, number) in &*order {
            starts[number] = to;
            for batch in start..start + count {
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
        self.dead = 0;
        &self.starts
    }

    /// Makes the near pairs of a list, and no others, contacts. Calls `take` with each. Returns whether pairs have left
    /// the contacts: the list must be looked at again for them.
    pub(super) fn take_near(&mut self, list: &mut List, take: &mut impl FnMut(Features, Pair, [f32; 3])) -> bool {
        let mut left = false;
        for batch in list.batches.clone() {
            if self.listed[batch] & !self.near[batch] != 0 {
                self.memory[batch].touches_at = f32::NEG_INFINITY;
                list.touches_at = f32::NEG_INFINITY;
                left = true;
            }
            self.listed[batch] = self.near[batch];
            self.take(batch, self.near[batch], take);
        }
        left
    }

    /// In each batch of a list with a pair that is about to touch and is not among the contacts, makes all near pairs
    /// contacts.
    pub(super) fn take_missing(&mut self, list: &List, take: &mut impl FnMut(Features, Pair, [f32; 3])) {
        for batch in list.batches.clone() {
            if self.urgent[batch] & !self.listed[batch] != 0 {
                let lanes = self.near[batch] & !self.listed[batch];
                self.listed[batch] |= lanes;
                self.take(batch, lanes, take);
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
