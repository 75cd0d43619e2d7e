//! Which bucket a cell has, and which buckets a box of cells.
//!
//! A row of cells along x has consecutive buckets, so that a query reads a run a row and not a cell at a time. Where
//! the cells of the domain are few, every cell has its own bucket; else rows begin at a hash of theirs (Teschner et al.
//! 2003, with a row instead of a cell), and two cells may share one.

use crate::cells::{Cell, hash, volume};

/// Cells to buckets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Table {
    /// A bucket a cell, x fastest, then y, then z.
    Dense {
        /// The domain's first cell.
        lo: Cell,
        /// Cells along each axis.
        size: [i64; 3],
    },
    /// So many buckets less one, a power of two less one.
    Hashed {
        /// Of a bucket's number.
        mask: u64,
    },
}

/// Most rows of cells that [`Table::runs`] takes.
pub(crate) const ROWS: usize = 25;

/// Runs of buckets, ascending and apart.
#[derive(Debug)]
pub(crate) struct Runs {
    runs: [[u32; 2]; 2 * ROWS],
    len: usize,
}

impl Runs {
    pub(crate) fn new() -> Runs {
        Runs { runs: [[0; 2]; 2 * ROWS], len: 0 }
    }

    /// First bucket and the one after the last.
    #[inline(always)]
    pub(crate) fn get(&self) -> &[[u32; 2]] {
        &self.runs[..self.len]
    }

    /// How many buckets or slots they hold.
    #[inline(always)]
    pub(crate) fn items(&self) -> usize {
        let mut items = 0;
        for [from, to] in self.get() {
            items += (to - from) as usize;
        }
        items
    }

    /// Turns runs of buckets into runs of slots, and leaves out those that are empty.
    #[inline(always)]
    pub(crate) fn turn(&mut self, starts: &[u32]) {
        let mut kept = 0;
        for k in 0..self.len {
            let [from, to] = self.runs[k];
            let slots = [starts[from as usize], starts[to as usize]];
            self.runs[kept] = slots;
            kept += usize::from(slots[0] < slots[1]);
        }
        self.len = kept;
    }

    /// By insertion: they are few, and nearly sorted.
    fn push(&mut self, run: [u32; 2]) {
        let mut at = self.len;
        while at > 0 && self.runs[at - 1][0] > run[0] {
            self.runs[at] = self.runs[at - 1];
            at -= 1;
        }
        self.runs[at] = run;
        self.len += 1;
    }

    /// Makes one of those that meet.
    fn merge(&mut self) {
        let mut last = 0;
        for k in 1..self.len {
            let [from, to] = self.runs[k];
            if from <= self.runs[last][1] {
                self.runs[last][1] = self.runs[last][1].max(to);
            } else {
                last += 1;
                self.runs[last] = [from, to];
            }
        }
        self.len = self.len.min(last + 1);
    }
}

impl Table {
    /// For `items` items in the cells from `lo` to `hi`.
    pub(crate) fn new(lo: Cell, hi: Cell, items: usize) -> Table {
        // Four numbers of 4 bytes an item are less than the items take themselves.
        if volume(lo, hi) <= (4 * items).clamp(1 << 10, 1 << 31) as f64 {
            return Table::Dense { lo, size: [0, 1, 2].map(|k| hi[k] - lo[k] + 1) };
        }
        Table::hashed(items)
    }

    /// For `items` items anywhere.
    pub(crate) fn hashed(items: usize) -> Table {
        Table::Hashed { mask: items.clamp(1 << 6, 1 << 31).next_power_of_two() as u64 - 1 }
    }

    /// Number of buckets.
    pub(crate) fn buckets(&self) -> usize {
        match self {
            Table::Dense { size, .. } => (size[0] * size[1] * size[2]) as usize,
            Table::Hashed { mask } => *mask as usize + 1,
        }
    }

    /// The bucket of a cell, which is one of the domain. `kind` tells apart grids that share the table; 0 if it is
    /// dense.
    #[inline(always)]
    pub(crate) fn bucket(&self, kind: u64, cell: Cell) -> u32 {
        match self {
            Table::Dense { lo, size } => {
                let [x, y, z] = [cell[0] - lo[0], cell[1] - lo[1], cell[2] - lo[2]];
                ((z * size[1] + y) * size[0] + x) as u32
            }
            Table::Hashed { mask } => (row(kind, cell[1], cell[2]).wrapping_add(cell[0] as u64) & mask) as u32,
        }
    }

    /// The buckets of all cells from `lo` to `hi`, which are at most [`ROWS`] rows.
    #[inline(always)]
    pub(crate) fn runs(&self, kind: u64, lo: Cell, hi: Cell, runs: &mut Runs) {
        runs.len = 0;
        match self {
            Table::Dense { lo: first, size } => {
                let from = [0, 1, 2].map(|k| lo[k].max(first[k]));
                let to = [0, 1, 2].map(|k| hi[k].min(first[k] + size[k] - 1));
                if from[0] > to[0] {
                    return;
                }
                for z in from[2]..=to[2] {
                    for y in from[1]..=to[1] {
                        let start = self.bucket(kind, [from[0], y, z]);
                        runs.runs[runs.len] = [start, start + (to[0] - from[0]) as u32 + 1];
                        runs.len += 1;
                    }
                }
            }
            Table::Hashed { mask } => {
                let wide = (hi[0] - lo[0]) as u64;
                if wide >= *mask {
                    runs.push([0, *mask as u32 + 1]);
                    return;
                }
                for z in lo[2]..=hi[2] {
                    for y in lo[1]..=hi[1] {
                        let start = row(kind, y, z).wrapping_add(lo[0] as u64) & mask;
                        let end = start + wide + 1;
                        // Beyond the table's end it goes on at its beginning.
                        runs.push([start as u32, end.min(mask + 1) as u32]);
                        if end > mask + 1 {
                            runs.push([0, (end - mask - 1) as u32]);
                        }
                    }
                }
                runs.merge();
            }
        }
    }
}

#[inline(always)]
fn row(kind: u64, y: i64, z: i64) -> u64 {
    hash([kind, y as u64, z as u64])
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::cells::for_each_cell;

    #[test]
    fn runs_are_the_buckets_of_the_cells_once_each() {
        let domain = ([-3, -2, -9], [4, 5, 6]);
        for table in [Table::new(domain.0, domain.1, 5000), Table::hashed(1), Table::hashed(500), Table::hashed(10_000)]
        {
            for lo in [[-3, -2, -9], [-1, 0, 1], [1, 2, 2]] {
                let hi = lo.map(|c| c + 3);
                let mut buckets = Vec::new();
                for_each_cell(lo, hi, |cell| buckets.push(table.bucket(0, cell)));
                buckets.sort_unstable();
                buckets.dedup();
                let mut runs = Runs::new();
                table.runs(0, lo, hi, &mut runs);
                let of_runs: Vec<u32> = runs.get().iter().flat_map(|&[from, to]| from..to).collect();
                assert_eq!(of_runs, buckets, "{table:?}");
                assert!(buckets.iter().all(|&b| (b as usize) < table.buckets()));
            }
        }
    }

    #[test]
    fn the_table_follows_the_data() {
        assert!(matches!(Table::new([0; 3], [9; 3], 1000), Table::Dense { .. }));
        assert!(matches!(Table::new([0; 3], [1 << 40; 3], 1000), Table::Hashed { mask: 1023 }));
        let mut runs = Runs::new();
        Table::hashed(1).runs(0, [0; 3], [1 << 61, 0, 0], &mut runs);
        assert_eq!(runs.get(), [[0, 64]]);
        Table::new([0; 3], [9; 3], 1000).runs(0, [10, 0, 0], [12, 5, 2], &mut runs);
        assert!(runs.get().is_empty());
    }
}
