//! Which boxes overlap.

use crate::boxes::{Aabb, BoxGrid};
use crate::candidates::SLACK;
use crate::cells::Cell;
use crate::error::{Error, MOST};
use crate::executor::{CurrentPool, Executor, parts};
use crate::lanes::{Job, Lanes, dispatch};
use crate::scatter::Scatter;
use crate::table::Runs;
use crate::tally::Tally;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;

/// Pairs of overlapping boxes, each once, found again and again in the same memory. Boxes that touch overlap.
///
/// Pairs are in the order of the first box, and for one first box in that of the second: the same for every number of
/// threads and all lanes.
///
/// # Example
/// ```
/// use seidel_hash::{Aabb, BoxGrid, Pairs};
/// let at = |x: f32| Aabb { low: [x, 0.0, 0.0], high: [x + 1.0, 1.0, 1.0] };
/// let mut pairs = Pairs::default();
/// pairs.among(&BoxGrid::new(&[at(0.0), at(0.9), at(1.8), at(-1.0)])?)?;
/// assert_eq!(pairs.iter().collect::<Vec<_>>(), [[0, 1], [0, 3], [1, 2]]);
/// # Ok::<(), seidel_hash::Error>(())
/// ```
#[derive(Debug)]
pub struct Pairs {
    /// Those found by consecutive boxes of a grid.
    blocks: Vec<Block>,
    /// Sorts them by the first box.
    scatter: Scatter,
    /// The second boxes.
    partners: Vec<u32>,
    most: usize,
}

#[derive(Debug, Default)]
struct Block {
    pairs: Vec<[u32; 2]>,
    ranks: Vec<u32>,
}

/// Boxes of a block of queries.
const BLOCK: usize = 1 << 10;

impl Default for Pairs {
    fn default() -> Self {
        Pairs { blocks: Vec::new(), scatter: Scatter::default(), partners: Vec::new(), most: MOST }
    }
}

/// Who asks whom.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ask {
    /// Boxes each other: those that are larger, or as large and later.
    Each,
    /// Boxes of the first grid those of the second that are as large or larger.
    Second,
    /// Boxes of the second grid those of the first that are larger.
    First,
}

impl Pairs {
    /// No pair. 2^30 may be found; each takes about 20 bytes.
    #[must_use]
    pub fn new() -> Self {
        Pairs::default()
    }

    /// With another limit to how many pairs may be found, at most 2^32 - 1.
    #[must_use]
    pub fn most(mut self, pairs: usize) -> Self {
        self.most = pairs.min(u32::MAX as usize);
        self
    }

    /// Finds the pairs [a, b] of overlapping boxes of a grid, a < b.
    ///
    /// Called inside a rayon pool, all its threads work; called outside, the caller alone:
    /// [`among_with`](Self::among_with) has another choice.
    ///
    /// # Errors
    /// [`Error::Crowded`] for more pairs than the limit. There is then no pair.
    pub fn among(&mut self, boxes: &BoxGrid) -> Result<(), Error> {
        self.among_with(&mut CurrentPool, boxes)
    }

    /// The same on an executor's threads.
    ///
    /// # Errors
    /// Those of [`among`](Self::among).
    pub fn among_with(&mut self, on: &mut dyn Executor, boxes: &BoxGrid) -> Result<(), Error> {
        self.find(on, boxes.len(), &[(Ask::Each, boxes, boxes)])
    }

    /// Finds the pairs [a, b] of a box of the first grid and one of the second that overlap.
    ///
    /// # Errors
    /// As for [`among`](Self::among).
    pub fn between(&mut self, first: &BoxGrid, second: &BoxGrid) -> Result<(), Error> {
        self.between_with(&mut CurrentPool, first, second)
    }

    /// The same on an executor's threads.
    ///
    /// # Errors
    /// As for [`among`](Self::among).
    pub fn between_with(&mut self, on: &mut dyn Executor, first: &BoxGrid, second: &BoxGrid) -> Result<(), Error> {
        self.find(on, first.len(), &[(Ask::Second, first, second), (Ask::First, second, first)])
    }

    fn find(&mut self, on: &mut dyn Executor, firsts: usize, asks: &[(Ask, &BoxGrid, &BoxGrid)]) -> Result<(), Error> {
        let used: usize = asks.iter().map(|(_, asking, _)| asking.len().div_ceil(BLOCK)).sum();
        if self.blocks.len() < used {
            self.blocks.resize_with(used, Block::default);
        }
        let most = self.most;
        let total = AtomicUsize::new(0);
        let mut blocks = &mut self.blocks[..used];
        for &(ask, asking, asked) in asks {
            let n = asking.len();
            let (now, rest) = blocks.split_at_mut(n.div_ceil(BLOCK));
            parts(on, now, 1, |k, block: &mut [Block]| {
                let pairs = &mut block[0].pairs;
                pairs.clear();
                if let Some(tally) = Tally::new(&total, most) {
                    let slots = k * BLOCK..n.min((k + 1) * BLOCK);
                    dispatch(asking.isa, Search { ask, asking, asked, slots, tally, pairs });
                }
            });
            blocks = rest;
        }
        let total = total.into_inner();
        self.partners.clear();
        if total > most {
            self.scatter.count(on, 0);
            self.scatter.sum(on);
            return Err(Error::Crowded { limit: most });
        }
        let counter = self.scatter.count(on, firsts);
        let blocks = &mut self.blocks[..used];
        parts(on, &mut blocks[..], 1, |_, block: &mut [Block]| {
            let Block { pairs, ranks } = &mut block[0];
            ranks.clear();
            ranks.extend(pairs.iter().map(|[first, _]| counter.rank(*first)));
        });
        self.scatter.sum(on);
        let placer = self.scatter.place(total);
        parts(on, &mut blocks[..], 1, |_, block: &mut [Block]| {
            for ([first, second], rank) in block[0].pairs.iter().zip(&block[0].ranks) {
                placer.put(*first, *rank, *second);
            }
        });
        self.partners.resize(total, 0);
        self.scatter.sort(on, &mut self.partners);
        Ok(())
    }

    /// The boxes that form a pair with box `first`, ascending.
    ///
    /// # Panics
    /// If there is no such box.
    #[must_use]
    pub fn of(&self, first: usize) -> &[u32] {
        let starts = self.scatter.starts();
        &self.partners[starts[first] as usize..starts[first + 1] as usize]
    }

    /// All pairs, in order.
    pub fn iter(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let firsts = self.scatter.starts().len().saturating_sub(1);
        (0..firsts).flat_map(|first| self.of(first).iter().map(move |&second| [first as u32, second]))
    }

    /// Number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.partners.len()
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.partners.is_empty()
    }
}

/// What the boxes in some slots overlap; stops where all searches together have found too much.
struct Search<'a> {
    ask: Ask,
    asking: &'a BoxGrid,
    asked: &'a BoxGrid,
    slots: Range<usize>,
    tally: Tally<'a>,
    pairs: &'a mut Vec<[u32; 2]>,
}

/// Most boxes that are tested at once.
const PART: usize = 512;

impl Job for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Search { ask, asking, asked, slots, mut tally, pairs } = self;
        let mut runs = Runs::new();
        let mut out = [0; PART + SLACK];
        let mut slot = slots.start;
        while slot < slots.end {
            let own = asking.levels[asking.ids[slot] as usize];
            let cell = asking.cell(slot, own);
            // Boxes of one cell ask the same cells.
            let mut end = slot + 1;
            while end < slots.end && asking.levels[asking.ids[end] as usize] == own && asking.cell(end, own) == cell {
                end += 1;
            }
            for &level in &asked.present {
                if level < own || (level == own && ask == Ask::First) {
                    continue;
                }
                let [x, y, z]: Cell = asking.cell(slot, level);
                asked.table.runs(level as u64, [x - 1, y - 1, z - 1], [x + 1, y + 1, z + 1], &mut runs);
                runs.turn(asked.scatter.starts());
                for slot in slot..end {
                    let id = asking.ids[slot];
                    let b = Aabb {
                        low: [asking.low[0][slot], asking.low[1][slot], asking.low[2][slot]],
                        high: [asking.high[0][slot], asking.high[1][slot], asking.high[2][slot]],
                    };
                    for &[from, to] in runs.get() {
                        for from in (from..to).step_by(PART) {
                            let to = to.min(from + PART as u32);
                            let found = asked.overlapping::<L>(from as usize, to as usize, &b, &mut out);
                            for &other in &out[..found] {
                                // A bucket can hold boxes of other levels, whose turn comes or never does.
                                let counts = asked.levels[other as usize] == level
                                    && (ask != Ask::Each || level > own || other > id);
                                if counts {
                                    pairs.push(match ask {
                                        Ask::Each => [id.min(other), id.max(other)],
                                        Ask::Second => [id, other],
                                        Ask::First => [other, id],
                                    });
                                }
                            }
                        }
                    }
                    if tally.is_over(pairs.len()) {
                        tally.tell(pairs.len());
                        return;
                    }
                }
            }
            slot = end;
        }
        tally.tell(pairs.len());
    }
}
