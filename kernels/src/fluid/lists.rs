//! Lists of neighbours, for lanes.

use super::GROUPS_A_BLOCK;
use crate::lanes::{Dispatch, Kernel};
use crate::{BATCH, Chunk, InChunks, Isa, Lanes, Pack, Row};
use seidel_workers::{Executor, Shared, bordered, parts};

/// Metres, relative: the coordinates of rows without a particle. Nothing reaches it, and its square is finite.
pub const FAR: f32 = 1.0e15;

/// Neighbours of each group of 16 slots. Pack n has the n-th neighbour of every slot, as twice the neighbour's row
/// number ([`crate::Lanes::load_rows`]). Shorter lists are padded with the last row, which has no particle and lies at
/// [`FAR`].
#[derive(Debug, Default)]
pub struct Neighbourhood {
    starts: Vec<u32>,
    near: Vec<Pack<u32>>,
    rows: usize,
}

impl Neighbourhood {
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
        let longest = |group: usize| (0..BATCH).map(|lane| length(group * BATCH + lane)).fold(0, usize::max);
        let nobody = 2 * (rows as u32).wrapping_sub(1);
        self.groups(on, (groups, rows), longest, |group, packs| {
            for lane in 0..BATCH {
                let (mut packs, mut outside) = (packs.iter_mut(), false);
                for (row, pack) in list(group * BATCH + lane).zip(packs.by_ref()) {
                    outside |= row as usize >= rows;
                    pack.0[lane] = row.wrapping_mul(2);
                }
                assert!(!outside, "a neighbour is not there");
                packs.for_each(|pack| pack.0[lane] = nobody);
            }
        });
    }

    /// The same from lists in memory: `lists(group)` has numbers, and where in them each slot's list begins and ends.
    /// Beginnings are even, and behind each of them at least as many numbers lie as the group's longest list has, with
    /// 4 more.
    ///
    /// # Panics
    /// As [`fill`](Self::fill); if a beginning is odd, or less lies behind it.
    pub fn copy<'a>(
        &mut self,
        (on, isa): (&mut dyn Executor, Isa),
        (groups, rows): (usize, usize),
        lists: impl Fn(usize) -> (&'a [u32], [[u32; 2]; BATCH]) + Sync,
    ) {
        let longest = |group: usize| lists(group).1.iter().fold(0, |most, [start, end]| most.max(end - start)) as usize;
        self.groups(on, (groups, rows), longest, |group, packs| {
            let (numbers, spans) = lists(group);
            isa.dispatch(Turn { numbers, spans, packs, rows: rows as u32 });
        });
    }

    /// Makes room for lists that are as long as each group's `longest`, and has each group filled.
    fn groups(
        &mut self,
        on: &mut dyn Executor,
        (groups, rows): (usize, usize),
        longest: impl Fn(usize) -> usize + Sync,
        fill: impl Fn(usize, &mut [Pack<u32>]) + Sync,
    ) {
        assert!(rows > 0 && rows <= (u32::MAX / 2) as usize, "rows that lists can name");
        self.rows = rows;
        self.starts.clear();
        self.starts.resize(groups + 1, 0);
        parts(on, &mut self.starts[1..], GROUPS_A_BLOCK, |first, lengths| {
            lengths.iter_mut().enumerate().for_each(|(k, of)| *of = longest(first + k) as u32);
        });
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        // What was there is written over below.
        self.near.resize(end as usize, Pack([0; BATCH]));
        let (starts, first) = (&self.starts, |block: usize| groups.min(block * GROUPS_A_BLOCK));
        let border = |block: usize| starts[first(block)] as usize;
        let fill = |block: usize, mut near: &mut [Pack<u32>]| {
            for group in first(block)..first(block + 1) {
                let packs = near
                    .split_off_mut(..(starts[group + 1] - starts[group]) as usize)
                    .expect("as many as the border says");
                fill(group, packs);
            }
        };
        // SAFETY: a border follows from the starts, which nobody changes meanwhile.
        unsafe { bordered(on, &mut self.near, groups.div_ceil(GROUPS_A_BLOCK), border, fill) };
    }

    /// The lists.
    #[must_use]
    pub fn lists(&self) -> Lists<'_> {
        Lists { starts: &self.starts, near: &self.near, rows: self.rows }
    }

    /// Makes every list lead nowhere.
    pub fn poison(&mut self) {
        self.near.fill(Pack([0; BATCH]));
        self.rows = usize::MAX;
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
    starts: &'a [u32],
    near: &'a [Pack<u32>],
    rows: usize,
}

impl<'a> Lists<'a> {
    /// Whether there is no neighbour at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.near.is_empty()
    }

    /// The neighbours of a group of 16 slots.
    #[inline(always)]
    pub(super) fn of(&self, group: usize) -> &'a [Pack<u32>] {
        if self.near.is_empty() {
            return &[];
        }
        &self.near[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// Panics unless there are lists for `groups` groups and every array of neighbours (lengths `near`) is long enough
    /// for every listed row; lists without any neighbour need neither. Kernels then index unchecked, because
    /// `Neighbourhood::fill` has checked each neighbour against the number of rows.
    pub(super) fn check(&self, groups: usize, near: &[usize]) {
        assert!(self.near.is_empty() || groups < self.starts.len(), "no such lists");
        assert!(self.near.is_empty() || near.iter().all(|&len| self.rows <= len), "too few neighbours");
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
                copied.copy((&mut Alone, isa), (3, 1000), |group| (&rows[..], sixteen(group)));
                prop_assert_eq!((&copied.starts, &copied.near), (&filled.starts, &filled.near));
            }
        }
    }

    fn copied(numbers: &[u32], spans: [[u32; 2]; BATCH], rows: usize) {
        Neighbourhood::default().copy((&mut Alone, Isa::detect()), (1, rows), |_| (numbers, spans));
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
