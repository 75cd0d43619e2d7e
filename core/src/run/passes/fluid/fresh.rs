//! How long lists of neighbours are good.
//!
//! They hold all pairs that were nearer to each other than the support and a margin when they were made. Space is cut
//! into cells two supports wide. Two particles in one cell or in touching cells can become neighbours only if particles
//! of these cells have moved by more than the margin relative to each other. Two particles in cells that do not touch
//! started more than a cell (2 supports) apart; they can become neighbours only if some particle has moved by more than
//! a support relative to another. So where parts of a fluid that are a cell apart move past each other, lists last
//! until a support, not only until the margin.

use super::groups::{EMPTY, joined};
use seidel_kernels::fluid::Range3;
use seidel_kernels::{BATCH, Lanes};
use seidel_workers::{Executor, parts};

/// Cells that a worker takes at a time.
const CELLS_A_BLOCK: usize = 64;

/// Cells along an axis to both sides of the origin; what lies beyond is in the last ones.
const SIDE: f32 = ((1 << 20) - 2) as f32;

/// Cells that are not empty, and the groups of 16 slots that lie in them.
#[derive(Debug, Default)]
pub(in crate::run::passes) struct Fresh {
    /// Whether cells are those of the lists that there are.
    known: bool,
    /// For each cell: its groups of 16 slots, by `starts`; sorted by the cell's number.
    of_cell: Vec<(u64, u32)>,
    starts: Vec<u32>,
    numbers: Vec<u64>,
    /// For each cell: those that touch it and have a higher number, by `pair_starts`.
    pairs: Vec<u32>,
    pair_starts: Vec<u32>,
    /// For each cell: a box about how far its slots have gone.
    boxes: Vec<Range3>,
    /// For each block of cells: whether lists may lack a pair.
    stale: Vec<bool>,
}

/// Numbers of cells that follow each other along x, y and z.
fn number(p: [f32; 3], inverse: f32) -> u64 {
    p.iter().fold(0, |number, c| {
        let c = (c * inverse).clamp(-SIDE, SIDE);
        let towards_zero = c as i64;
        // Down, not towards zero.
        let cell = towards_zero - i64::from(c < towards_zero as f32);
        (number << 21) | (cell + (1 << 20)) as u64
    })
}

/// By how much the numbers of cells that touch a cell are higher than its own.
const AFTER: [u64; 13] = {
    const X: u64 = 1 << 42;
    const Y: u64 = 1 << 21;
    [1, Y - 1, Y, Y + 1, X - Y - 1, X - Y, X - Y + 1, X - 1, X, X + 1, X + Y - 1, X + Y, X + Y + 1]
};

/// The square of how far something in one box may have moved against something in the other.
fn apart(a: &Range3, b: &Range3) -> f32 {
    let along = |k: usize| Lanes::larger(Lanes::larger(a[1][k] - b[0][k], b[1][k] - a[0][k]), 0.0);
    let [x, y, z] = [along(0), along(1), along(2)];
    (x * x + y * y) + z * z
}

impl Fresh {
    pub(in crate::run::passes) fn poison(&mut self) {
        self.known = true;
        self.of_cell.fill((u64::MAX, u32::MAX));
        self.starts.fill(u32::MAX);
        self.numbers.fill(u64::MAX);
        self.pairs.fill(u32::MAX);
        self.pair_starts.fill(u32::MAX);
        self.boxes.fill([[f32::NAN; 3]; 2]);
        self.stale.fill(true);
    }

    /// Lists have been made.
    pub(in crate::run::passes) fn renew(&mut self) {
        self.known = false;
    }

    /// How far something may have moved against something else.
    pub(in crate::run::passes) fn most(gone: [&[Range3]; 2]) -> f32 {
        let all = gone.iter().flat_map(|gone| gone.iter()).fold(EMPTY, joined);
        apart(&all, &all).sqrt()
    }

    /// Whether lists may lack a pair that is nearer than the support. `gone`: for each group of 16 slots a box about
    /// how far they have gone since lists were made. `listed`: for each slot its group, and where it was then.
    pub(in crate::run::passes) fn is_stale(
        &mut self,
        on: &mut dyn Executor,
        (support, margin): (f32, f32),
        gone: [&[Range3]; 2],
        listed: impl Iterator<Item = (u32, [f32; 3])>,
    ) -> bool {
        let most = Fresh::most(gone);
        // Rounding is far below a hundredth.
        if most <= margin || most > 0.99 * support {
            return most > margin;
        }
        if !self.known {
            self.cells(0.5 / support, listed);
        }
        let Fresh { of_cell, starts, pairs, pair_starts, boxes, stale, .. } = self;
        let cells = starts.len() - 1;
        let blocks = cells.div_ceil(CELLS_A_BLOCK);
        boxes.resize(cells, EMPTY);
        stale.resize(blocks, true);
        parts(on, &mut boxes[..], CELLS_A_BLOCK, |first, boxes| {
            for (cell, to) in boxes.iter_mut().enumerate() {
                let cell = first + cell;
                let of = &of_cell[starts[cell] as usize..starts[cell + 1] as usize];
                let of = of.iter().map(|&(_, sixteen)| {
                    let (sixteen, fluid) = (sixteen as usize, gone[0].len());
                    if sixteen < fluid { &gone[0][sixteen] } else { &gone[1][sixteen - fluid] }
                });
                *to = of.fold(EMPTY, joined);
            }
        });
        let boxes = &*boxes;
        parts(on, &mut stale[..], 1, |block, stale| {
            let cells = block * CELLS_A_BLOCK..cells.min((block + 1) * CELLS_A_BLOCK);
            stale[0] = cells.into_iter().any(|cell| {
                let near = &pairs[pair_starts[cell] as usize..pair_starts[cell + 1] as usize];
                let with = |other: usize| apart(&boxes[cell], &boxes[other]) > margin * margin;
                with(cell) || near.iter().any(|&other| with(other as usize))
            });
        });
        self.stale.iter().any(|stale| *stale)
    }

    /// Finds the cells of lists.
    fn cells(&mut self, inverse: f32, listed: impl Iterator<Item = (u32, [f32; 3])>) {
        self.known = true;
        self.of_cell.clear();
        for (sixteen, at) in listed {
            let of = (number(at, inverse), sixteen);
            if self.of_cell.last() != Some(&of) {
                self.of_cell.push(of);
            }
        }
        self.of_cell.sort_unstable();
        self.of_cell.dedup();
        self.starts.clear();
        self.numbers.clear();
        for (k, &(number, _)) in self.of_cell.iter().enumerate() {
            if self.numbers.last() != Some(&number) {
                self.numbers.push(number);
                self.starts.push(k as u32);
            }
        }
        self.starts.push(self.of_cell.len() as u32);
        self.pairs.clear();
        self.pair_starts.clear();
        // Numbers ascend, and so do those of the cells that touch them, each by as much.
        let (numbers, mut cursors) = (&self.numbers, [0; 13]);
        for &number in numbers {
            self.pair_starts.push(self.pairs.len() as u32);
            for (by, cursor) in AFTER.iter().zip(&mut cursors) {
                let sought = number + by;
                while *cursor < numbers.len() && numbers[*cursor] < sought {
                    *cursor += 1;
                }
                if numbers.get(*cursor) == Some(&sought) {
                    self.pairs.push(*cursor as u32);
                }
            }
        }
        self.pair_starts.push(self.pairs.len() as u32);
    }
}

/// For each slot: its group of 16, from the group `first` on, and where it is.
pub(in crate::run::passes) fn sixteens<'a>(
    first: usize,
    at: impl Iterator<Item = [f32; 3]> + 'a,
) -> impl Iterator<Item = (u32, [f32; 3])> + 'a {
    at.enumerate().map(move |(slot, at)| ((first + slot / BATCH) as u32, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use seidel_workers::Alone;

    fn apart(a: [f32; 3], b: [f32; 3]) -> f32 {
        (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f32>().sqrt()
    }

    proptest! {
        /// If `is_stale` returns false, the lists hold every pair that is nearer than the support. A displacement
        /// shared by all particles never makes lists stale.
        #[test]
        fn no_pair_is_missed(
            places in prop::collection::vec([0.0f32..6.0, -3.0f32..3.0, 0.0f32..2.0], 40..120),
            ways in prop::collection::vec([-1.0f32..1.0, -1.0f32..1.0, -1.0f32..1.0], 120),
            (scale, common) in (0.0f32..1.2, -9.0f32..9.0),
        ) {
            let (support, margin) = (1.0, 0.1);
            // Those that are near each other go alike, as a fluid's do.
            let way = |p: [f32; 3], k: usize| {
                std::array::from_fn::<f32, 3, _>(|c| common + scale * (0.2 * p[c] + 0.02 * ways[k][c]))
            };
            let after: Vec<[f32; 3]> = places
                .iter()
                .enumerate()
                .map(|(k, &p)| { let way = way(p, k); std::array::from_fn(|c| p[c] + way[c]) })
                .collect();
            let gone: Vec<Range3> = (0..places.len().div_ceil(BATCH))
                .map(|sixteen| {
                    let of = sixteen * BATCH..places.len().min((sixteen + 1) * BATCH);
                    of.fold(EMPTY, |all, k| joined(all, &[way(places[k], k); 2]))
                })
                .collect();
            let mut fresh = Fresh::default();
            let listed = sixteens(0, places.iter().copied());
            if !fresh.is_stale(&mut Alone, (support, margin), [&gone, &[]], listed) {
                for a in 0..places.len() {
                    for b in 0..a {
                        let was_listed = apart(places[a], places[b]) <= support + margin;
                        prop_assert!(was_listed || apart(after[a], after[b]) > 0.9999 * support, "{a} {b}");
                    }
                }
            }
            if scale == 0.0 {
                let listed = sixteens(0, places.iter().copied());
                prop_assert!(!fresh.is_stale(&mut Alone, (support, margin), [&gone, &[]], listed));
            }
        }
    }

    #[test]
    fn what_is_far_away_does_not_count() {
        // Two heaps that pass each other, far apart; then within a heap.
        let place = |k: usize| [(k % 4) as f32, if k < 32 { 0.0 } else { 30.0 }, (k / 4 % 8) as f32];
        let listed = || sixteens(0, (0..64).map(place));
        let ways = |y: [f32; 4]| y.map(|y| [[0.0, y, 0.0]; 2]);
        let mut fresh = Fresh::default();
        let mut ask = |gone: [Range3; 4]| fresh.is_stale(&mut Alone, (1.0, 0.1), [&gone, &[]], listed());
        assert!(!ask(ways([0.4, 0.4, -0.4, -0.4])));
        assert!(ask(ways([0.4, 0.2, -0.4, -0.4])));
        // More than a support: any two may have met.
        assert!(ask(ways([0.6, 0.6, -0.6, -0.6])));
    }
}
