//! Lists of pairs: those that are watched, and of these the ones that are about to touch, in colors.

use super::Surfaces;
use super::broad::{Broad, KINDS};
use super::colors::Colors;
use crate::tuning::GROUPS_A_BATCH;
use seidel_kernels::contact::pairs::{Features, Memory, Pair, PairBatches};
use seidel_kernels::{BATCH, Pack};

/// Pairs that may meet while their particles stay where they are expected.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    pub(crate) batches: PairBatches,
    pub(crate) memory: Vec<Memory>,
    /// The groups of each batch's particles; behind them a group that never moves, or one for all.
    pub(crate) groups: Vec<[u32; GROUPS_A_BATCH]>,
    pub(crate) count: usize,
}

impl Watched {
    /// No pairs.
    pub(crate) fn clear(&mut self, rows: usize) {
        self.batches.clear(rows);
        self.memory.clear();
        self.groups.clear();
        self.count = 0;
    }

    /// The pairs that a broad phase has found.
    pub(crate) fn make(&mut self, broad: &Broad, surfaces: &Surfaces) {
        self.clear(surfaces.group.len());
        let (nobody, all) = (surfaces.groups(), surfaces.groups() + 1);
        for (features, pairs) in broad.pairs() {
            self.count += pairs.len();
            for sixteen in pairs.chunks(BATCH) {
                self.batches.push_loosely(features, sixteen);
                let (mut groups, mut count) = ([nobody; GROUPS_A_BATCH], 0);
                for row in sixteen.iter().flat_map(|pair| pair.rows) {
                    let group = surfaces.group[row as usize];
                    if groups[..count].contains(&group) {
                        continue;
                    }
                    if count == GROUPS_A_BATCH {
                        groups = [nobody; GROUPS_A_BATCH];
                        groups[0] = all;
                        break;
                    }
                    groups[count] = group;
                    count += 1;
                }
                self.groups.push(groups);
            }
        }
        self.memory.resize(self.batches.len(), Memory::NOTHING);
    }
}

/// Pairs that are about to touch, in colors.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    /// Points and triangles, then edges, in the order of their numbers, with the sides where they were.
    pairs: Vec<(Pair, [f32; 3])>,
    coloring: Colors,
    /// The pairs of each color and kind, by their places.
    order: Vec<u32>,
    /// Where those of each color and kind begin.
    starts: Vec<u32>,
    pub(crate) batches: PairBatches,
    pub(crate) memory: Vec<Memory>,
    /// First batch of each color, and the end.
    pub(crate) colors: Vec<usize>,
    /// Multipliers; none with a single iteration.
    pub(crate) held: Vec<Pack<f32>>,
}

impl Contacts {
    /// No pairs.
    pub(crate) fn clear(&mut self, rows: usize) {
        self.batches.clear(rows);
        self.memory.clear();
        self.colors.clear();
        self.held.clear();
    }

    /// Of the pairs that are watched, those of some lanes of each batch.
    pub(crate) fn make(&mut self, watched: &Watched, found: &[u16], rows: usize, iterations: u32) {
        self.clear(rows);
        self.pairs.clear();
        let mut points = 0;
        for (batch, lanes) in found.iter().enumerate() {
            let mut lanes = *lanes;
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let side = watched.memory[batch].n.map(|n| n.0[lane]);
                self.pairs.push((watched.batches.pair(batch, lane), side));
            }
            if watched.batches.features(batch) == Features::PointTriangle {
                points = self.pairs.len();
            }
        }
        let color_of = self.coloring.of(rows, self.pairs.iter().map(|(pair, _)| pair));
        let count = color_of.iter().max().map_or(0, |most| *most as usize + 1);
        let bin = |at: usize, color: u32| color as usize * 2 + usize::from(at >= points);
        self.starts.clear();
        self.starts.resize(count * 2 + 1, 0);
        color_of.iter().enumerate().for_each(|(at, &color)| self.starts[bin(at, color) + 1] += 1);
        (0..count * 2).for_each(|bin| self.starts[bin + 1] += self.starts[bin]);
        self.order.clear();
        self.order.resize(self.pairs.len(), 0);
        for (at, &color) in color_of.iter().enumerate() {
            let next = &mut self.starts[bin(at, color)];
            self.order[*next as usize] = at as u32;
            *next += 1;
        }
        let mut from = 0;
        for color in 0..count {
            self.colors.push(self.batches.len());
            self.batches.next_color();
            for (kind, features) in KINDS.into_iter().enumerate() {
                // A bin's start has moved on to its end.
                let to = self.starts[color * 2 + kind] as usize;
                for sixteen in self.order[from..to].chunks(BATCH) {
                    let mut pairs = [Pair { rows: [0; 4], reach: 0.0, friction: 0.0 }; BATCH];
                    let mut memory = Memory::NOTHING;
                    for (lane, &at) in sixteen.iter().enumerate() {
                        let (pair, side) = self.pairs[at as usize];
                        pairs[lane] = pair;
                        memory.n.iter_mut().zip(side).for_each(|(pack, n)| pack.0[lane] = n);
                    }
                    self.batches.push(features, &pairs[..sixteen.len()]);
                    self.memory.push(memory);
                }
                from = to;
            }
        }
        self.colors.push(self.batches.len());
        if iterations > 1 {
            self.held.resize(4 * self.batches.len(), Pack([0.0; BATCH]));
        }
    }
}
