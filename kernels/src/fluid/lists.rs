//! Lists of neighbours, for lanes.

use super::GROUPS_A_BLOCK;
use crate::{BATCH, Pack, Row};
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
        assert!(rows > 0 && rows <= (u32::MAX / 2) as usize, "rows that lists can name");
        self.rows = rows;
        self.starts.clear();
        self.starts.resize(groups + 1, 0);
        let longest = |group: usize| (0..BATCH).map(|lane| length(group * BATCH + lane)).fold(0, usize::max);
        parts(on, &mut self.starts[1..], GROUPS_A_BLOCK, |first, lengths| {
            lengths.iter_mut().enumerate().for_each(|(k, of)| *of = longest(first + k) as u32);
        });
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        let nobody = 2 * (rows as u32 - 1);
        // What was there is written over below.
        self.near.resize(end as usize, Pack([nobody; BATCH]));
        let (starts, first) = (&self.starts, |block: usize| groups.min(block * GROUPS_A_BLOCK));
        let border = |block: usize| starts[first(block)] as usize;
        let fill = |block: usize, mut near: &mut [Pack<u32>]| {
            for group in first(block)..first(block + 1) {
                let packs = near
                    .split_off_mut(..(starts[group + 1] - starts[group]) as usize)
                    .expect("as many as the border says");
                for lane in 0..BATCH {
                    let (mut packs, mut outside) = (packs.iter_mut(), false);
                    for (row, pack) in list(group * BATCH + lane).zip(packs.by_ref()) {
                        outside |= row as usize >= rows;
                        pack.0[lane] = row.wrapping_mul(2);
                    }
                    assert!(!outside, "a neighbour is not there");
                    packs.for_each(|pack| pack.0[lane] = nobody);
                }
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
