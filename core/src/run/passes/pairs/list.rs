//! Contacts: those of the listed pairs that are about to touch, in colors.

use super::cache::PairCache;
use super::colors::Colors;
use seidel_kernels::contact::pairs::{Features, Memory, Pair, PairBatches};
use seidel_kernels::{BATCH, Pack};

/// Kinds of features, in their order.
const KINDS: [Features; 2] = [Features::PointTriangle, Features::EdgeEdge];

/// If there are more late pairs than 1 / `LATER` of the others, all are colored anew.
const LATER: usize = 4;

/// A pair, the direction from its second feature to its first (`Memory::n`), and its kind.
type Sided = (Pair, [f32; 3], Features);

/// Pairs that are about to touch, in colors: first the pairs that were colored together, then the late ones. These have
/// colors of their own, because only a few come at a time.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    /// The pairs that were colored together, in the order of the caches.
    pairs: Vec<Sided>,
    later: Vec<Sided>,
    /// Number of batches and of colors without the late pairs.
    first: [usize; 2],
    coloring: Coloring,
    pub(crate) batches: PairBatches,
    pub(crate) memory: Vec<Memory>,
    /// First batch of each color, and the end.
    pub(crate) colors: Vec<usize>,
    /// Multipliers; none with a single iteration.
    pub(crate) held: Vec<Pack<f32>>,
}

/// Memory for coloring.
#[derive(Debug, Default)]
struct Coloring {
    colors: Colors,
    /// The indices of the pairs, sorted by color and kind.
    order: Vec<u32>,
    /// Where each color and kind begins in `order`.
    starts: Vec<u32>,
}

impl Contacts {
    /// Removes all pairs.
    pub(crate) fn clear(&mut self, rows: usize) {
        self.pairs.clear();
        self.later.clear();
        self.batches.clear(rows);
        self.memory.clear();
        self.colors.clear();
        self.held.clear();
        self.first = [0, 0];
    }

    /// Caches no longer know which of their pairs are here: next time all are colored anew.
    pub(crate) fn forget(&mut self) {
        self.pairs.clear();
        self.later.clear();
    }

    /// Adds the pairs of caches that are about to touch and are not here, or, if many came late, colors all near pairs
    /// anew. A pair that was apart for long may be here twice: the second then finds little left to push.
    pub(crate) fn add(&mut self, caches: &mut [PairCache], rows: usize, keeps: bool) {
        for cache in caches.iter_mut().filter(|cache| cache.missing) {
            cache.take_missing(|features, pair, side| self.later.push((pair, side, features)));
        }
        if self.later.len() > self.pairs.len() / LATER {
            self.clear(rows);
            for cache in caches {
                cache.take_near(|features, pair, side| self.pairs.push((pair, side, features)));
            }
            let pairs = std::mem::take(&mut self.pairs);
            self.color(&pairs, rows);
            self.pairs = pairs;
            self.first = [self.batches.len(), self.colors.len()];
        } else {
            let [batches, colors] = self.first;
            self.batches.truncate(batches);
            self.memory.truncate(batches);
            self.held.truncate(4 * batches);
            self.colors.truncate(colors);
            let later = std::mem::take(&mut self.later);
            self.color(&later, rows);
            self.later = later;
        }
        self.colors.push(self.batches.len());
        if keeps {
            self.held.resize(4 * self.batches.len(), Pack([0.0; BATCH]));
        }
    }

    /// Adds pairs in colors behind those that are there.
    fn color(&mut self, pairs: &[Sided], rows: usize) {
        let Coloring { colors, order, starts } = &mut self.coloring;
        let color_of = colors.of(rows, pairs.iter().map(|(pair, ..)| pair));
        let count = color_of.iter().max().map_or(0, |most| *most as usize + 1);
        let bin = |at: usize, color: u32| color as usize * 2 + usize::from(pairs[at].2 == KINDS[1]);
        starts.clear();
        starts.resize(count * 2 + 1, 0);
        color_of.iter().enumerate().for_each(|(at, &color)| starts[bin(at, color) + 1] += 1);
        (0..count * 2).for_each(|bin| starts[bin + 1] += starts[bin]);
        order.clear();
        order.resize(pairs.len(), 0);
        for (at, &color) in color_of.iter().enumerate() {
            let next = &mut starts[bin(at, color)];
            order[*next as usize] = at as u32;
            *next += 1;
        }
        let mut from = 0;
        for color in 0..count {
            self.colors.push(self.batches.len());
            self.batches.next_color();
            for (kind, features) in KINDS.into_iter().enumerate() {
                // A bin's start has moved on to its end.
                let to = starts[color * 2 + kind] as usize;
                for sixteen in order[from..to].chunks(BATCH) {
                    let mut batch = [Pair { rows: [0; 4], reach: 0.0, friction: 0.0 }; BATCH];
                    let mut memory = Memory::NOTHING;
                    for (lane, &at) in sixteen.iter().enumerate() {
                        let (pair, side, _) = pairs[at as usize];
                        batch[lane] = pair;
                        memory.n.iter_mut().zip(side).for_each(|(pack, n)| pack.0[lane] = n);
                    }
                    self.batches.push(features, &batch[..sixteen.len()]);
                    self.memory.push(memory);
                }
                from = to;
            }
        }
    }
}
