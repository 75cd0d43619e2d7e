//! Of the pairs that are listed, those that are about to touch, in colors.

use super::colors::Colors;
use super::page::Page;
use seidel_kernels::contact::pairs::{Features, Memory, Pair, PairBatches};
use seidel_kernels::{BATCH, Pack};

/// Kinds of features, in their order.
const KINDS: [Features; 2] = [Features::PointTriangle, Features::EdgeEdge];

/// Pairs that are about to touch, in colors.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    /// In the order of the pages, with the sides where they were.
    pairs: Vec<(Pair, [f32; 3], Features)>,
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

    /// Of the pairs of all pages, those that are near.
    pub(crate) fn make(&mut self, pages: &mut [Page], rows: usize, iterations: u32) {
        self.clear(rows);
        self.pairs.clear();
        for page in pages {
            page.take_near(|features, pair, side| self.pairs.push((pair, side, features)));
        }
        let color_of = self.coloring.of(rows, self.pairs.iter().map(|(pair, ..)| pair));
        let count = color_of.iter().max().map_or(0, |most| *most as usize + 1);
        let bin = |at: usize, color: u32| color as usize * 2 + usize::from(self.pairs[at].2 == KINDS[1]);
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
                        let (pair, side, _) = self.pairs[at as usize];
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
