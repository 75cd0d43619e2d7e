//! Lists of neighbours, for lanes.

use super::GROUPS_A_BLOCK;
use crate::{BATCH, Pack, Row};
use seidel_workers::{Executor, Shared};

/// Metres, relative: where rows stand that are nobody's. Nothing reaches it, and its square is a number.
pub const FAR: f32 = 1.0e15;

/// For each sixteen slots their neighbours: of each pack the n-th neighbour of each slot, as twice its row's number among the rows of those
/// neighbours ([`crate::Lanes::load_rows`]). Lists that are shorter are filled with the last row, which is nobody's: it is [`FAR`].
#[derive(Debug, Default)]
pub struct Neighbourhood {
    starts: Vec<u32>,
    near: Vec<Pack<u32>>,
    rows: usize,
}

impl Neighbourhood {
    /// Makes the lists of so many sixteens of slots anew; `list` has the numbers of a slot's neighbours among so many rows, `length` says how many
    /// there are.
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
        let blocks = groups.div_ceil(GROUPS_A_BLOCK);
        let of_block = |block: usize| block * GROUPS_A_BLOCK..groups.min((block + 1) * GROUPS_A_BLOCK);
        let lengths = Shared::new(&mut self.starts);
        on.each(blocks, &|block| {
            for group in of_block(block) {
                let longest = (0..BATCH).map(|lane| length(group * BATCH + lane)).fold(0, usize::max);
                // SAFETY: a group's length is this closure's alone.
                unsafe { lengths.part(group + 1, 1)[0] = longest as u32 };
            }
        });
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        let nobody = 2 * (rows as u32 - 1);
        // What was there is written over below.
        self.near.resize(end as usize, Pack([nobody; BATCH]));
        let (near, starts) = (Shared::new(&mut self.near), &self.starts);
        on.each(blocks, &|block| {
            for group in of_block(block) {
                let (start, end) = (starts[group] as usize, starts[group + 1] as usize);
                // SAFETY: a group's neighbours are this closure's alone.
                let packs = unsafe { near.part(start, end - start) };
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
        });
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

    /// The neighbours of a sixteen.
    #[inline(always)]
    pub(super) fn of(&self, group: usize) -> &'a [Pack<u32>] {
        if self.near.is_empty() {
            return &[];
        }
        &self.near[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// Arrays of neighbours of these lengths hold every one, and those of slots each group, so that kernels may go through them unchecked:
    /// `Neighbourhood::fill` has found each neighbour among its rows.
    pub(super) fn check(&self, groups: usize, near: &[usize]) {
        assert!(self.near.is_empty() || groups < self.starts.len(), "no such lists");
        assert!(self.near.is_empty() || near.iter().all(|&len| self.rows <= len), "too few neighbours");
    }
}

/// What particles of a fluid are to what lies beside it: vertices of cloths, ropes and solids, which have volumes of their own.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Of each slot of the fluid the vertices near it.
    pub lists: Lists<'a>,
    /// Of each vertex [x, y, z, V]: where it is, as slots are, and its volume, m^3.
    pub at: Shared<'a, Row>,
    /// Of each vertex [w V^2, 0, 0, 0]; m^6/kg.
    pub weight: Shared<'a, Row>,
}

/// Twice the number of each lane's own row, from a sixteen's first on.
pub(super) fn own(group: usize) -> [u32; BATCH] {
    std::array::from_fn(|lane| 2 * (group * BATCH + lane) as u32)
}
