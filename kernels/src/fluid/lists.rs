//! Lists of neighbours, for lanes.

use crate::lanes::{Dispatch, Kernel};
use crate::{BATCH, Chunk, InChunks, Isa, Lanes, Pack, Row};
use seidel_workers::{Executor, Shared, parts};

/// Metres, relative: the coordinates of rows without a particle. Nothing reaches it, and its square is finite.
pub const FAR: f32 = 1.0e15;

/// Neighbours of each group of 16 slots. Pack n has the n-th neighbour of every slot, as twice the neighbour's row
/// number ([`crate::Lanes::load_rows`]). Shorter lists are padded with the last row, which has no particle and lies at
/// [`FAR`].
#[derive(Debug, Default)]
pub struct Neighbourhood {
    /// Those behind the last in use only keep their memory.
    blocks: Vec<Block>,
    groups: usize,
    rows: usize,
}

/// Groups of slots in a [`Block`].
pub const GROUPS_A_LIST: usize = 64;

/// The lists of [`GROUPS_A_LIST`] groups that follow each other, one after the other.
#[derive(Debug, Default)]
pub struct Block {
    /// Where each group's begin; and the last one's end.
    starts: Vec<u32>,
    near: Vec<Pack<u32>>,
    /// Neighbours are below: those of a [`Neighbourhood`] with another number are not its own.
    rows: usize,
}

impl Neighbourhood {
    /// Takes all lists away, and returns what those of `groups` groups of 16 slots are to be written into, with a
    /// number of rows that neighbours are below: a block for each [`GROUPS_A_LIST`] of them ([`Block::turn`]).
    ///
    /// # Panics
    /// If there is no row.
    pub fn begin(&mut self, (groups, rows): (usize, usize)) -> &mut [Block] {
        assert!(rows > 0 && rows <= (u32::MAX / 2) as usize, "rows that lists can name");
        (self.groups, self.rows) = (groups, rows);
        let used = groups.div_ceil(GROUPS_A_LIST);
        if self.blocks.len() < used {
            self.blocks.resize_with(used, Block::default);
        }
        for (number, block) in self.blocks[..used].iter_mut().enumerate() {
            let own = (groups - number * GROUPS_A_LIST).min(GROUPS_A_LIST);
            block.starts.clear();
            block.starts.resize(own + 1, 0);
            block.rows = rows;
        }
        &mut self.blocks[..used]
    }

    /// Rebuilds the lists of `groups` groups of 16 slots. `list(slot)` yields the row numbers (< `rows`) of a slot's
    /// neighbours, `length(slot)` their count.
    ///
    /// # Panics
    /// If there is no row, or a neighbour is none of them.
    pub fn fill<I: Iterator<Item = u32>>(
        &mut self,
        on: &mut dyn Executor,
        (groups, rows): (usize, usize),
        length: impl Fn(usize) -> usize + Sync,
        list: impl Fn(usize) -> I + Sync,
    ) {
        let nobody = 2 * (rows as u32).wrapping_sub(1);
        parts(on, self.begin((groups, rows)), 1, |number, block: &mut [Block]| {
            let slot = |group: usize, lane: usize| (number * GROUPS_A_LIST + group) * BATCH + lane;
            let longest = |group: usize| (0..BATCH).map(|lane| length(slot(group, lane))).fold(0, usize::max);
            block[0].fill(longest, |group, packs, rows| {
                for lane in 0..BATCH {
                    let (mut packs, mut outside) = (packs.iter_mut(), false);
                    for (row, pack) in list(slot(group, lane)).zip(packs.by_ref()) {
                        outside |= row as usize >= rows;
                        pack.0[lane] = row.wrapping_mul(2);
                    }
                    assert!(!outside, "a neighbour is not there");
                    packs.for_each(|pack| pack.0[lane] = nobody);
                }
            });
        });
    }

    /// The lists.
    #[must_use]
    pub fn lists(&self) -> Lists<'_> {
        Lists { blocks: &self.blocks[..self.groups.div_ceil(GROUPS_A_LIST)], groups: self.groups, rows: self.rows }
    }

    /// Makes every list lead nowhere.
    pub fn poison(&mut self) {
        self.blocks.iter_mut().for_each(|block| block.near.fill(Pack([0; BATCH])));
        self.rows = usize::MAX;
    }
}

impl Block {
    /// Writes its groups' lists. `lists(group)`, counted from its first, has numbers, and where in them each slot's
    /// list begins and ends. Beginnings are even, and behind each of them at least as many numbers lie as the group's
    /// longest list has, with 4 more.
    ///
    /// # Panics
    /// If a neighbour is none of the rows; if a beginning is odd, or less lies behind it.
    pub fn turn<'a>(&mut self, isa: Isa, lists: impl Fn(usize) -> (&'a [u32], [[u32; 2]; BATCH])) {
        let longest = |group: usize| lists(group).1.iter().fold(0, |most, [start, end]| most.max(end - start)) as usize;
        self.fill(longest, |group, packs, rows| {
            let (numbers, spans) = lists(group);
            isa.dispatch(Turn { numbers, spans, packs, rows: rows as u32 });
        });
    }

    /// Makes room for lists that are as long as each group's `longest`, and has each group filled.
    fn fill(&mut self, longest: impl Fn(usize) -> usize, fill: impl Fn(usize, &mut [Pack<u32>], usize)) {
        // Whoever catches a panic has lists of no neighbourhood, not half of them.
        let rows = std::mem::take(&mut self.rows);
        let mut end = 0;
        for group in 0..self.starts.len().saturating_sub(1) {
            end += longest(group) as u32;
            self.starts[group + 1] = end;
        }
        // By an eighth more at least: a block's lists vary from step to step, and memory is asked for seldom. What was
        // there is written over below.
        let room = end as usize;
        if room > self.near.capacity() {
            self.near.reserve_exact(room + room / 8 - self.near.len());
        }
        self.near.resize(room, Pack([0; BATCH]));
        for (group, of) in self.starts.windows(2).enumerate() {
            fill(group, &mut self.near[of[0] as usize..of[1] as usize], rows);
        }
        self.rows = rows;
    }
}

/// Writes the sixteen lists of a group side by side.
struct Turn<'a> {
    numbers: &'a [u32],
    spans: [[u32; 2]; BATCH],
    packs: &'a mut [Pack<u32>],
    rows: u32,
}

impl Kernel for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Turn { numbers, spans, packs, rows } = self;
        if packs.is_empty() {
            return;
        }
        let last = spans.iter().fold(0, |last, &[start, _]| last.max(start)) as usize;
        let even = spans.iter().all(|[start, _]| start.is_multiple_of(2));
        assert!(even && last + packs.len() + 4 <= numbers.len(), "lists that cannot be read side by side");
        // Numbers go through registers of f32, which only move and choose them; lengths are below 2^24, exact.
        let nobody = L::set(f32::from_bits(rows - 1));
        let lengths = Pack(spans.map(|[start, end]| (end - start) as f32));
        for chunk in Chunk::<L>::all() {
            let lengths = lengths.load(chunk);
            let mut at = spans.map(|[start, _]| start / 2);
            for (k, four) in packs.chunks_mut(4).enumerate() {
                // SAFETY: a chunk has WIDTH numbers in `at`; each row of four begins at an even place, 4 k behind a
                // beginning (at most `last`), where 4 k < packs.len(): it is there, as asserted above.
                let columns =
                    unsafe { L::transpose(L::load_rows(numbers.as_ptr().cast(), at[chunk.first()..].as_ptr())) };
                for (n, (pack, column)) in four.iter_mut().zip(columns).enumerate() {
                    let there = L::set((4 * k + n) as f32).lt(lengths);
                    let column = L::select(there, column, nobody);
                    // SAFETY: a pack of u32 is sixteen numbers of four bytes, and a chunk lies within it.
                    unsafe { column.store(pack.0.as_mut_ptr().add(chunk.first()).cast()) };
                }
                at = at.map(|at| at + 2);
            }
        }
        let mut outside = false;
        for row in bytemuck::cast_slice_mut::<Pack<u32>, u32>(packs) {
            outside |= *row >= rows;
            *row = row.wrapping_mul(2);
        }
        assert!(!outside, "a neighbour is not there");
    }
}

/// Lists of neighbours, lent.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a> {
    blocks: &'a [Block],
    groups: usize,
    rows: usize,
}

impl<'a> Lists<'a> {
    /// Whether there is no neighbour at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.iter().all(|block| block.starts.last().is_none_or(|&end| end == 0))
    }

    /// The neighbours of a group of 16 slots; none of one that has no lists.
    #[inline(always)]
    pub(super) fn of(&self, group: usize) -> &'a [Pack<u32>] {
        let Some(Block { starts, near, rows }) = self.blocks.get(group / GROUPS_A_LIST) else { return &[] };
        // Whoever was lent blocks to fill may have swapped them for others'.
        if *rows != self.rows {
            return &[];
        }
        let group = group % GROUPS_A_LIST;
        &near[starts[group] as usize..starts[group + 1] as usize]
    }

    /// Panics unless there are lists for `groups` groups, or none at all, and every array of neighbours (lengths `near`)
    /// is long enough for every listed row; where no list has a neighbour, arrays may be of any length. Kernels then
    /// index unchecked, because each neighbour was checked against the number of rows when its block was filled, and a
    /// block that was not filled to its end is read by nobody (`Lists::of`).
    pub(super) fn check(&self, groups: usize, near: &[usize]) {
        assert!(self.blocks.is_empty() || groups <= self.groups, "no such lists");
        assert!(self.is_empty() || near.iter().all(|&len| self.rows <= len), "too few neighbours");
    }
}

/// What lies beside a fluid: vertices of cloths, ropes and solids, which have volumes of their own.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// For each slot of the fluid: the vertices near it.
    pub lists: Lists<'a>,
    /// For each vertex: [x, y, z, V], its position, relative as those of slots, and its volume, m^3.
    pub at: Shared<'a, Row>,
    /// For each vertex: [w V^2, 0, 0, 0], m^6/kg.
    pub weight: Shared<'a, Row>,
}

/// For each lane of a group: twice the number of its own row.
pub(super) fn own(group: usize) -> [u32; BATCH] {
    std::array::from_fn(|lane| 2 * (group * BATCH + lane) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use seidel_workers::Alone;

    proptest! {
        /// Lists that are read side by side become what lists become that are read one by one, on all lanes.
        #[test]
        fn lists_are_copied_as_they_are_filled(
            lengths in prop::collection::vec(0u32..40, 48),
            rows in prop::collection::vec(0u32..1000, 2100),
        ) {
            let mut end = 0;
            let spans: Vec<[u32; 2]> = lengths.iter().map(|length| {
                let start = end + end % 2;
                end = start + length;
                [start, end]
            }).collect();
            let of = |slot: usize| &rows[spans[slot][0] as usize..spans[slot][1] as usize];
            let mut filled = Neighbourhood::default();
            filled.fill(&mut Alone, (3, 1000), |slot| of(slot).len(), |slot| of(slot).iter().copied());
            for isa in Isa::available() {
                let mut copied = Neighbourhood::default();
                let sixteen = |group: usize| std::array::from_fn(|lane| spans[group * BATCH + lane]);
                copied.begin((3, 1000))[0].turn(isa, |group| (&rows[..], sixteen(group)));
                let [a, b] = [&copied, &filled].map(|of| &of.blocks[0]);
                prop_assert_eq!((&a.starts, &a.near), (&b.starts, &b.near));
            }
        }
    }

    fn copied(numbers: &[u32], spans: [[u32; 2]; BATCH], rows: usize) {
        Neighbourhood::default().begin((1, rows))[0].turn(Isa::detect(), |_| (numbers, spans));
    }

    /// A block that a panic leaves half filled is read by nobody.
    #[test]
    fn a_block_that_is_half_filled_has_no_lists() {
        let mut lists = Neighbourhood::default();
        let isa = Isa::detect();
        lists.begin((2, 50))[0].turn(isa, |_| (&[40; 24], [[0, 3]; BATCH]));
        assert_eq!(lists.lists().of(1).len(), 3);
        let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            lists.begin((2, 5))[0].turn(isa, |group| (if group == 0 { &[7; 24] } else { &[4; 24] }, [[0, 3]; BATCH]));
        }));
        assert!(refused.is_err() && (0..2).all(|group| lists.lists().of(group).is_empty()));
    }

    /// Kernels index by these numbers unchecked.
    #[test]
    #[should_panic(expected = "a neighbour is not there")]
    fn a_row_that_is_not_there_is_refused() {
        copied(&[3, 5, 0, 0, 0, 0, 0, 0], [[0, 2]; BATCH], 5);
    }

    #[test]
    #[should_panic(expected = "cannot be read side by side")]
    fn lists_that_end_with_the_memory_are_refused() {
        copied(&[3, 4, 1, 2], [[2, 4]; BATCH], 5);
    }
}
