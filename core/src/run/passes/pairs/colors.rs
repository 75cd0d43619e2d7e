//! Colors of contacts: pairs of one color share no particle.
//!
//! Greedy first fit in the order of the pairs, as the plan colors constraints, with two differences. A particle is in
//! dozens of contacts, so there are more colors. The list changes every few substeps, so memory is reused.

use seidel_kernels::contact::pairs::Pair;

/// 64-bit words of a small set of colors.
const WORDS: usize = 4;
/// Number of colors in that set. A contact for which none of these is free comes after all other contacts of its
/// particles.
const SMALL: u32 = u64::BITS * WORDS as u32;

/// Colors pairs, list after list.
#[derive(Debug, Default)]
pub(crate) struct Colors {
    /// For each row, the colors of its pairs so far; empty between two lists.
    used: Vec<[u64; WORDS]>,
    /// For each row, the first free color from `SMALL` on; 0 between two lists.
    next: Vec<u32>,
    /// The color of each pair.
    of: Vec<u32>,
}

impl Colors {
    /// Gives each pair a color. The rows of the pairs are below `rows`.
    pub(crate) fn of<'a>(&mut self, rows: usize, pairs: impl Iterator<Item = &'a Pair> + Clone) -> &[u32] {
        self.used.resize(rows, [0; WORDS]);
        self.next.resize(rows, 0);
        self.of.clear();
        for pair in pairs.clone() {
            let color = self.first(pair.rows);
            self.of.push(color);
        }
        for row in pairs.flat_map(|pair| pair.rows) {
            (self.used[row as usize], self.next[row as usize]) = ([0; WORDS], 0);
        }
        &self.of
    }

    /// The first color that none of the rows has. Marks it as taken for all of them.
    fn first(&mut self, rows: [u32; 4]) -> u32 {
        for word in 0..WORDS {
            let taken = rows.iter().fold(0, |taken, &row| taken | self.used[row as usize][word]);
            if taken != u64::MAX {
                rows.iter().for_each(|&row| self.used[row as usize][word] |= 1 << taken.trailing_ones());
                return word as u32 * u64::BITS + taken.trailing_ones();
            }
        }
        let color = rows.iter().fold(SMALL, |color, &row| color.max(self.next[row as usize]));
        rows.iter().for_each(|&row| self.next[row as usize] = color + 1);
        color
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: usize, all: &[[u32; 4]], most: u32) {
        let pairs: Vec<Pair> = all.iter().map(|&rows| Pair { rows, reach: 0.0, friction: 0.0 }).collect();
        let mut colors = Colors::default();
        for _ in 0..2 {
            let of = colors.of(rows, pairs.iter()).to_vec();
            assert!(of.iter().max() < Some(&most), "{:?}", of.iter().max());
            for (i, a) in all.iter().enumerate() {
                for (j, b) in all.iter().enumerate().take(i) {
                    assert!(of[i] != of[j] || a.iter().all(|row| !b.contains(row)), "pairs {i} and {j}");
                }
            }
        }
    }

    #[test]
    fn pairs_of_a_color_share_no_row() {
        let mut seed = 1u32;
        let mut row = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 16
        };
        let pairs: Vec<[u32; 4]> =
            (0..500).map(|_| [row() % 40, 40 + row() % 40, 80 + row() % 40, 120 + row() % 40]).collect();
        check(160, &pairs, 100);
    }

    /// One particle in more pairs than the small set has colors.
    #[test]
    fn a_hub_needs_a_color_a_pair() {
        let pairs: Vec<[u32; 4]> = (0..600).map(|i| [0, 1 + 3 * i, 2 + 3 * i, 3 + 3 * i]).collect();
        check(1 + 3 * 600, &pairs, 600);
    }
}
