//! Coloring: what may be solved side by side. Greedy first fit in the given order: the same on every machine.

use std::collections::HashMap;

/// Colors items that share resources (particles or blocks), list after list.
pub(crate) struct Coloring {
    /// Colors below 64 in which a resource is used, or its next wavefront; all zero between two lists.
    used: Vec<u64>,
}

impl Coloring {
    /// For resources below `count`.
    pub(crate) fn new(count: usize) -> Coloring {
        Coloring { used: vec![0; count] }
    }

    /// A color for each item, so that no two of a color share a resource; an item without resources gets the first.
    ///
    /// The first 64 colors by first fit. A hub with n neighbours needs n: its other items come after all that their
    /// resources are in, so that time stays linear.
    pub(crate) fn of<I: Iterator<Item = u32> + Clone>(&mut self, items: impl Iterator<Item = I> + Clone) -> Vec<u32> {
        let mut next: HashMap<u32, u32> = HashMap::new();
        let mut color = |item: I| {
            let taken = item.clone().fold(0, |mask, r| mask | self.used[r as usize]);
            if taken != u64::MAX {
                item.for_each(|r| self.used[r as usize] |= 1 << taken.trailing_ones());
                return taken.trailing_ones();
            }
            let color = item.clone().map(|r| next.get(&r).copied().unwrap_or(64)).max().unwrap_or(64);
            item.for_each(|r| {
                next.insert(r, color + 1);
            });
            color
        };
        let colors = items.clone().map(&mut color).collect();
        items.flatten().for_each(|r| self.used[r as usize] = 0);
        colors
    }

    /// The wavefront of each item: one after the last wavefront that an earlier item with one of its resources is in.
    /// Items of a wavefront share nothing, and wavefront by wavefront everything is as it would be one item after
    /// another.
    pub(crate) fn wavefronts<I: Iterator<Item = u32> + Clone>(
        &mut self,
        items: impl Iterator<Item = I> + Clone,
    ) -> Vec<u32> {
        // Here a resource's next wavefront.
        let next = &mut self.used;
        let wavefront = |item: I| {
            let wavefront = item.clone().map(|r| next[r as usize]).max().unwrap_or(0);
            item.for_each(|r| next[r as usize] = wavefront + 1);
            wavefront as u32
        };
        let wavefronts = items.clone().map(wavefront).collect();
        items.flatten().for_each(|r| next[r as usize] = 0);
        wavefronts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_keep_the_order_of_items_that_meet() {
        let mut coloring = Coloring::new(40);
        let mut wavefronts = |at: &[u32]| coloring.wavefronts(at.chunks_exact(2).map(|row| row.iter().copied()));
        assert_eq!(wavefronts(&[0, 1, 2, 3, 1, 2, 0, 4, 2, 5]), [0, 0, 1, 1, 2]);
        let at: Vec<u32> = (0..400u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).map(|i| i % 40).collect();
        let (rows, of) = (at.chunks_exact(2), wavefronts(&at));
        for (i, a) in rows.clone().enumerate() {
            for (j, b) in rows.clone().enumerate().skip(i + 1) {
                assert!(of[i] < of[j] || a.iter().all(|p| !b.contains(p)), "{i} {j}");
            }
        }
    }

    #[test]
    fn a_fan_needs_a_color_a_row() {
        let rows: Vec<[u32; 2]> = (1..=200).map(|i| [0, i]).collect();
        let mut coloring = Coloring::new(201);
        let expected: Vec<u32> = (0..200).collect();
        assert_eq!(coloring.of(rows.iter().map(|row| row.iter().copied())), expected);
        assert_eq!(
            coloring.of(rows.iter().map(|row| row.iter().copied())),
            expected,
            "nothing is left of the last list"
        );
    }

    #[test]
    fn a_chain_needs_two() {
        let rows: Vec<[u32; 2]> = (0..100).map(|i| [i, i + 1]).collect();
        let colors = Coloring::new(101).of(rows.iter().map(|row| row.iter().copied()));
        assert!(colors.iter().enumerate().all(|(i, &color)| color as usize == i % 2));
    }
}
