//! The neighbours of every point, in one go.

use crate::candidates::{Gathered, SLACK, before, near};
use crate::cells::cell_of;
use crate::error::{Error, MOST};
use crate::executor::{CurrentPool, Executor, parts};
use crate::grid::PointGrid;
use crate::lanes::{Job, Lanes, dispatch};
use crate::table::Runs;
use crate::tally::Tally;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// For every point of a grid the points in the closed ball about it, itself left out; and again in the same memory.
///
/// A list is in the order of the grid ([`PointGrid`]): the same for every number of threads and all lanes.
/// Neighbours are mutual: `b` is in the list of `a` if and only if `a` is in that of `b`.
///
/// # Example
/// ```
/// use seidel_hash::{Neighbours, PointGrid};
/// let points = [[0.0, 0.0, 0.0], [0.9, 0.0, 0.0], [-2.0, 0.0, 0.0], [0.9, 0.5, 0.0]];
/// let mut lists = Neighbours::default();
/// lists.find(&PointGrid::new(&points, 1.0)?, 1.0)?;
/// assert_eq!(lists.of(1), [0, 3]);
/// assert!(lists.of(2).is_empty());
/// # Ok::<(), seidel_hash::Error>(())
/// ```
#[derive(Debug)]
pub struct Neighbours {
    /// Lists of [`POINTS_A_BLOCK`] points each, in the order of the grid; those behind the last in use only keep their
    /// memory.
    blocks: Vec<Block>,
    /// Where a point is in that order, by id.
    slots: Vec<AtomicU32>,
    /// 0, 1, 2 ... where lists name points by their place in the order; empty where they name ids.
    places: Vec<u32>,
    by_place: bool,
    most: usize,
    total: usize,
    /// Lists that are read at once, one block for each thread ([`Neighbours::visit_with`]).
    passing: Vec<Mutex<Block>>,
}

/// The lists of [`POINTS_A_BLOCK`] points that follow each other in the order of the grid, but for the last block's,
/// while they are read ([`Neighbours::visit_with`]).
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a> {
    block: &'a Block,
}

impl Lists<'_> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.block.spans.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.block.spans.is_empty()
    }

    /// Sixteen of them that follow each other, for reading them side by side: numbers, and where in them each list
    /// begins and ends. Beginnings are even, and behind each of them at least as many numbers lie as the longest list
    /// has, with 16 more. Lists behind the last are empty.
    ///
    /// # Panics
    /// If `first` is no multiple of 16.
    #[must_use]
    pub fn sixteen(&self, first: usize) -> (&[u32], [[u32; 2]; 16]) {
        assert!(first.is_multiple_of(16), "list {first} is no multiple of 16");
        let Block { ids, spans } = self.block;
        if first >= spans.len() {
            return (&[0; SLACK], [[0; 2]; 16]);
        }
        (ids, std::array::from_fn(|k| spans.get(first + k).copied().unwrap_or([0; 2])))
    }
}

/// Lists of consecutive points, one after the other.
#[derive(Debug, Default)]
struct Block {
    /// Longer than what is used.
    ids: Vec<u32>,
    /// Where each list begins and ends. It begins at an even place.
    spans: Vec<[u32; 2]>,
}

/// Points in a block of lists: their lists stay in the second-level cache while they are written, and read at once.
pub const POINTS_A_BLOCK: usize = 1 << 10;

impl Default for Neighbours {
    fn default() -> Self {
        Neighbours {
            blocks: Vec::new(),
            slots: Vec::new(),
            places: Vec::new(),
            by_place: false,
            most: MOST,
            total: 0,
            passing: Vec::new(),
        }
    }
}

impl Neighbours {
    /// No list. 2^30 neighbours in all may be found: 4 GiB, or half as much again, for arrays grow ahead.
    #[must_use]
    pub fn new() -> Self {
        Neighbours::default()
    }

    /// With another limit to how many neighbours may be found in all, at most 2^32 - 1: many points at one place have
    /// many.
    #[must_use]
    pub fn most(mut self, neighbours: usize) -> Self {
        self.most = neighbours.min(u32::MAX as usize);
        self
    }

    /// Whether lists name each neighbour by its place in [`PointGrid::order`] instead of its id, which is how they
    /// begin: for those who keep what belongs to a point in this order, so that neighbours are near in memory.
    #[must_use]
    pub fn by_place(mut self, places: bool) -> Self {
        self.by_place = places;
        self
    }

    /// Finds the neighbours of all points of the grid. What was found before is lost, its memory is used again.
    ///
    /// Called inside a rayon pool, all its threads work; called outside, the caller alone:
    /// [`find_with`](Self::find_with) has another choice.
    ///
    /// # Errors
    /// [`Error::Radius`] for a radius that is not finite and > 0, [`Error::Beyond`] for one above that of the grid,
    /// [`Error::Crowded`] for more neighbours than the limit. There is then no list. Memory that was asked for stays,
    /// to be used by the next search.
    pub fn find(&mut self, grid: &PointGrid, radius: f32) -> Result<(), Error> {
        self.find_with(&mut CurrentPool, grid, radius)
    }

    /// The same on an executor's threads.
    ///
    /// # Errors
    /// Those of [`find`](Self::find).
    pub fn find_with(&mut self, on: &mut dyn Executor, grid: &PointGrid, radius: f32) -> Result<(), Error> {
        let n = grid.len();
        self.slots.truncate(n);
        if let Err(error) = self.begin(grid, radius) {
            self.slots.clear();
            return Err(error);
        }
        self.slots.resize_with(n, AtomicU32::default);
        let used = n.div_ceil(POINTS_A_BLOCK);
        if self.blocks.len() < used {
            self.blocks.resize_with(used, Block::default);
        }
        let (slots, most) = (&self.slots, self.most);
        let names = if self.by_place { &self.places } else { &grid.points.ids };
        let total = AtomicUsize::new(0);
        parts(on, &mut self.blocks[..used], 1, |k, block: &mut [Block]| {
            if let Some(tally) = Tally::new(&total, most) {
                let slot = points_of(k, n);
                for s in slot.clone() {
                    slots[grid.points.ids[s] as usize].store(s as u32, Relaxed);
                }
                let square = radius * radius;
                dispatch(grid.isa, Fill { grid, names, square, slots: slot, tally, block: &mut block[0] });
            }
        });
        let total = total.into_inner();
        if total > most {
            self.slots.clear();
            return Err(Error::Crowded { limit: most });
        }
        self.total = total;
        Ok(())
    }

    /// Finds the neighbours of all points of the grid, and has each block of lists read as soon as it is known: for
    /// those who make something else of them. Nothing is kept of them here, nor of lists that were found before, so this
    /// takes as much memory as lists of one block for each thread. `items` has one for each block ([`POINTS_A_BLOCK`]);
    /// `read` gets the number of a block, its item and its lists.
    ///
    /// # Errors
    /// Those of [`find`](Self::find). Where there are more neighbours than the limit, some blocks have been read by
    /// then, and threads decide which.
    ///
    /// # Panics
    /// If there are more or fewer items than blocks.
    pub fn visit_with<T: Send>(
        &mut self,
        on: &mut dyn Executor,
        (grid, radius): (&PointGrid, f32),
        items: &mut [T],
        read: impl Fn(usize, &mut T, Lists<'_>) + Sync,
    ) -> Result<(), Error> {
        let n = grid.len();
        assert_eq!(items.len(), n.div_ceil(POINTS_A_BLOCK), "an item for each block of {n} points");
        self.slots.clear();
        self.begin(grid, radius)?;
        if self.passing.len() < on.threads() {
            self.passing.resize_with(on.threads(), Mutex::default);
        }
        let (passing, most) = (&self.passing, self.most);
        let names = if self.by_place { &self.places } else { &grid.points.ids };
        let total = AtomicUsize::new(0);
        parts(on, items, 1, |k, item: &mut [T]| {
            if let Some(tally) = Tally::new(&total, most) {
                let (mut free, mut new) = (free(passing), Block::default());
                let block = free.as_deref_mut().unwrap_or(&mut new);
                let square = radius * radius;
                dispatch(grid.isa, Fill { grid, names, square, slots: points_of(k, n), tally, block });
                if total.load(Relaxed) <= most {
                    read(k, &mut item[0], Lists { block });
                }
            }
        });
        let total = total.into_inner();
        if total > most {
            return Err(Error::Crowded { limit: most });
        }
        Ok(())
    }

    /// Looks at what is asked, and names all places.
    fn begin(&mut self, grid: &PointGrid, radius: f32) -> Result<(), Error> {
        self.total = 0;
        if !(radius.is_finite() && radius > 0.0) {
            return Err(Error::Radius { radius });
        }
        if radius > grid.radius {
            return Err(Error::Beyond { radius, limit: grid.radius });
        }
        let named = grid.len() + SLACK;
        if self.by_place && self.places.len() < named {
            let known = self.places.len() as u32;
            self.places.extend(known..named as u32);
        }
        Ok(())
    }

    /// The neighbours of a point, in the order of the grid; by their ids unless they are named
    /// [`by_place`](Self::by_place).
    ///
    /// # Panics
    /// If there is no such point.
    #[must_use]
    pub fn of(&self, id: usize) -> &[u32] {
        self.in_slot(self.slots[id].load(Relaxed) as usize)
    }

    /// The neighbours of the point that is `slot`-th in [`PointGrid::order`]: reading lists in this order reads memory
    /// in order.
    ///
    /// # Panics
    /// If there is no such point.
    #[must_use]
    #[inline]
    pub fn in_slot(&self, slot: usize) -> &[u32] {
        assert!(slot < self.len(), "slot {slot} of {}", self.len());
        let Block { ids, spans } = &self.blocks[slot / POINTS_A_BLOCK];
        let [start, end] = spans[slot % POINTS_A_BLOCK];
        &ids[start as usize..end as usize]
    }

    /// Number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no list.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Number of neighbours in all lists.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }
}

/// The points of a block, of so many in all.
fn points_of(block: usize, all: usize) -> Range<usize> {
    block * POINTS_A_BLOCK..all.min((block + 1) * POINTS_A_BLOCK)
}

/// One that nobody uses; none where a reader waits for the pool that it runs in, which then has it read another block.
fn free(all: &[Mutex<Block>]) -> Option<MutexGuard<'_, Block>> {
    all.iter().find_map(|block| match block.try_lock() {
        Ok(block) => Some(block),
        // Lists that a thread left when it unwound are written over.
        Err(TryLockError::Poisoned(block)) => Some(block.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    })
}

/// The lists of a block; stops where all blocks together have too many.
struct Fill<'a> {
    grid: &'a PointGrid,
    /// What lists call the point in each slot, and [`SLACK`] more.
    names: &'a [u32],
    square: f32,
    slots: Range<usize>,
    tally: Tally<'a>,
    block: &'a mut Block,
}

impl Job for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Fill { grid, names, square, slots, mut tally, block: Block { ids, spans } } = self;
        let points = &grid.points;
        let mut gathered = Gathered::new();
        let mut runs = Runs::new();
        let (mut cell, mut whole, mut own, mut total) = (None, false, 0, 0);
        spans.clear();
        let (mut at, mut found, mut longest) = (0, 0, 0);
        for slot in slots {
            let p = points.at(slot);
            let its = cell_of(p, grid.inv);
            own += 1;
            if cell != Some(its) {
                cell = Some(its);
                let k = grid.further;
                let (lo, hi) = ([its[0] - k, its[1] - k, its[2] - k], [its[0] + k, its[1] + k, its[2] + k]);
                grid.table.runs(0, lo, hi, &mut runs);
                runs.turn(grid.scatter.starts());
                total = runs.items();
                whole = gathered.fill(points, names, &runs);
                own = before(&runs, slot);
            }
            let room = at + total + SLACK;
            if ids.len() < room {
                grow(ids, room);
            }
            let start = at;
            if whole {
                at += near::<L>(gathered.tested(), p, square, own, &mut ids[at..]);
            } else {
                // Runs are long where points are many: blocks are full as they are.
                for &[from, to] in runs.get() {
                    let tested = points.tested(names, from as usize, to as usize);
                    at += near::<L>(tested, p, square, slot.wrapping_sub(from as usize), &mut ids[at..]);
                }
            }
            spans.push([start as u32, at as u32]);
            let length = at - start;
            (found, longest) = (found + length, longest.max(length));
            at = at.next_multiple_of(2);
            if tally.is_over(found) {
                break;
            }
        }
        let room = at + longest + SLACK;
        if ids.len() < room {
            grow(ids, room);
        }
        tally.tell(found);
    }
}

/// By half more at least, so that growth is seldom.
#[cold]
#[inline(never)]
fn grow(ids: &mut Vec<u32>, room: usize) {
    ids.resize(room.max(ids.len() + ids.len() / 2), 0);
}
