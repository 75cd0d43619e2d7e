//! Boxes sorted by size and cell, for the question which of them overlap.

use crate::Isa;
use crate::candidates::{ALL, SLACK, last};
use crate::cells::{Cell, cell_of};
use crate::error::{Error, countable};
use crate::executor::{CurrentPool, Executor, fold, parts, ranges};
use crate::lanes::{BLOCK, Lanes};
use crate::scatter::Scatter;
use crate::table::Table;

/// An axis-aligned closed box: its corners belong to it, and it may have no extent. In any one unit of length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aabb {
    /// The smallest coordinates.
    pub low: [f32; 3],
    /// The largest.
    pub high: [f32; 3],
}

/// Boxes of any sizes, sorted again and again in the same memory; [`Pairs`](crate::Pairs) finds those that overlap.
///
/// A box lies in one cell, that of its low corner, on the level whose cells are at least as wide as the box and less
/// than twice: so what overlaps it on that level or a higher one begins in its cell or in one next to it. Levels below
/// that of the middle box are raised to it, so that boxes of about one size are on one or two.
///
/// # Source
/// Levels: Mirtich 1997, "Efficient Algorithms for Two-Phase Collision Detection" (there a box lies in all cells that
/// it meets); hashing: Teschner et al. 2003.
#[derive(Debug)]
pub struct BoxGrid {
    pub(crate) isa: Isa,
    pub(crate) table: Table,
    pub(crate) scatter: Scatter,
    /// Corners in the order of the grid, an array a coordinate, each [`SLACK`] longer than there are boxes.
    pub(crate) low: [Vec<f32>; 3],
    pub(crate) high: [Vec<f32>; 3],
    pub(crate) ids: Vec<u32>,
    /// Of each box, by id.
    pub(crate) levels: Vec<i16>,
    /// Those that occur, ascending.
    pub(crate) present: Vec<i16>,
    keys: Vec<u32>,
    ranks: Vec<u32>,
}

const GRAIN: usize = 1 << 12;

/// The level of a box without extent, until it is raised.
const FLAT: i16 = i16::MIN;

/// Widths of cells are 2^-LOWEST to 2^LOWEST: all that the extent of an `f32` box can ask for.
const LOWEST: i16 = 160;

impl Default for BoxGrid {
    /// No boxes, on the widest lanes of the processor.
    fn default() -> Self {
        BoxGrid {
            isa: Isa::detect(),
            table: Table::hashed(0),
            scatter: Scatter::default(),
            low: Default::default(),
            high: Default::default(),
            ids: Vec::new(),
            levels: Vec::new(),
            present: Vec::new(),
            keys: Vec::new(),
            ranks: Vec::new(),
        }
    }
}

/// 1 / width of the cells of a level.
#[inline(always)]
pub(crate) fn inverse(level: i16) -> f64 {
    f64::from_bits(((1023 - i64::from(level)) as u64) << 52)
}

/// The lowest level whose cells are wider than `extent`, or as wide but for a rounding: 2^level > extent.
fn level(extent: f64) -> i16 {
    if extent > 0.0 { (extent.to_bits() >> 52) as i16 - 1022 } else { FLAT }
}

impl Aabb {
    fn is_sound(&self) -> bool {
        (0..3).all(|k| self.low[k] <= self.high[k] && self.low[k].is_finite() && self.high[k].is_finite())
    }

    fn level(&self) -> i16 {
        let extent = |k: usize| f64::from(self.high[k]) - f64::from(self.low[k]);
        level(extent(0).max(extent(1)).max(extent(2)))
    }
}

impl BoxGrid {
    /// A grid of boxes. See [`build`](Self::build).
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub fn new(boxes: &[Aabb]) -> Result<Self, Error> {
        let mut grid = BoxGrid::default();
        grid.build(boxes)?;
        Ok(grid)
    }

    /// Chooses the lanes; the widest of the processor unless told. No result depends on them.
    #[must_use]
    pub fn on(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }

    /// Number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether there is no box.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Sorts `boxes`; they are copied. What the grid held before is lost, its memory is used again. Linear time. Called
    /// inside a rayon pool, all its threads work; called outside, the caller alone: [`build_with`](Self::build_with)
    /// has another choice.
    ///
    /// # Errors
    /// [`Error::Box`] for the first box that has a coordinate that is NaN or infinite, or that ends before it begins;
    /// [`Error::TooMany`] for `u32::MAX` boxes or more. The grid is then empty.
    pub fn build(&mut self, boxes: &[Aabb]) -> Result<(), Error> {
        self.build_with(&mut CurrentPool, boxes)
    }

    /// The same on an executor's threads.
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub fn build_with(&mut self, on: &mut dyn Executor, boxes: &[Aabb]) -> Result<(), Error> {
        self.levels.clear();
        self.present.clear();
        countable(boxes.len())?;
        let n = boxes.len();
        let Domain { low, high, sound } = Domain::of_all(on, boxes);
        if !sound {
            let index = boxes.iter().position(|b| !b.is_sound()).unwrap_or(0);
            return Err(Error::Box { index, low: boxes[index].low, high: boxes[index].high });
        }
        self.levels.resize(n, 0);
        parts(on, &mut self.levels[..], GRAIN, |first, levels: &mut [i16]| {
            for (level, b) in levels.iter_mut().zip(&boxes[first..]) {
                *level = b.level();
            }
        });
        self.raise(on, Aabb { low, high });

        let levels = &self.levels[..];
        self.table = match self.present[..] {
            [only] => Table::new(cell_of(low, inverse(only)), cell_of(high, inverse(only)), n),
            _ => Table::hashed(n),
        };
        let table = self.table;
        self.keys.resize(n, 0);
        self.ranks.resize(n, 0);
        let counter = self.scatter.count(on, table.buckets());
        parts(
            on,
            (&mut self.keys[..], &mut self.ranks[..]),
            GRAIN,
            |first, (keys, ranks): (&mut [u32], &mut [u32])| {
                for (k, (key, rank)) in keys.iter_mut().zip(ranks).enumerate() {
                    let level = levels[first + k];
                    *key = table.bucket(level as u64, cell_of(boxes[first + k].low, inverse(level)));
                    *rank = counter.rank(*key);
                }
            },
        );
        self.scatter.sum(on);
        let placer = self.scatter.place(n);
        let (keys, ranks) = (&self.keys[..], &self.ranks[..]);
        ranges(on, 0..n, GRAIN, |range| range.for_each(|i| placer.put(keys[i], ranks[i], i as u32)));

        self.ids.resize(n + SLACK, 0);
        self.scatter.sort(on, &mut self.ids[..n]);
        let ids = &self.ids[..n];
        for k in 0..3 {
            self.low[k].resize(n + SLACK, 0.0);
            self.high[k].resize(n + SLACK, 0.0);
            let columns = (&mut self.low[k][..n], &mut self.high[k][..n]);
            parts(on, columns, GRAIN, |first, (low, high): (&mut [f32], &mut [f32])| {
                for ((low, high), &id) in low.iter_mut().zip(high).zip(&ids[first..]) {
                    let b = &boxes[id as usize];
                    (*low, *high) = (b.low[k], b.high[k]);
                }
            });
        }
        Ok(())
    }

    /// Raises low levels to that of the middle box, and notes which there are.
    fn raise(&mut self, on: &mut dyn Executor, domain: Aabb) {
        let mut counts = [0usize; 2 * LOWEST as usize];
        let mut flat = 0;
        for &level in &self.levels {
            if level == FLAT {
                flat += 1;
            } else {
                counts[(level + LOWEST) as usize] += 1;
            }
        }
        let (mut middle, mut below) = (0, 0);
        let extended = self.levels.len() - flat;
        while below + counts[middle] < extended.div_ceil(2) {
            below += counts[middle];
            middle += 1;
        }
        let floor = if extended > 0 {
            middle as i16 - LOWEST
        } else {
            // Points: a few a cell where they fill their domain.
            let spacing = (0..3).map(|k| f64::from(domain.high[k]) - f64::from(domain.low[k])).fold(0.0, f64::max);
            level(spacing).max(-LOWEST / 2) - (usize::BITS - self.levels.len().leading_zeros()) as i16 / 3
        };
        let raised = &mut self.levels;
        parts(on, &mut raised[..], GRAIN, |_, levels: &mut [i16]| {
            for level in levels {
                *level = (*level).max(floor);
            }
        });
        let lowest = (!self.levels.is_empty()).then_some(floor);
        // The middle box is on the floor, whatever else is.
        self.present.extend(lowest);
        let higher = (floor + 1..LOWEST).filter(|&level| level >= -LOWEST && counts[(level + LOWEST) as usize] > 0);
        self.present.extend(higher);
    }

    /// The cell of the box in a slot, on its level or a higher one.
    #[inline(always)]
    pub(crate) fn cell(&self, slot: usize, level: i16) -> Cell {
        cell_of([self.low[0][slot], self.low[1][slot], self.low[2][slot]], inverse(level))
    }

    /// Writes the ids of the boxes in slots `from..to` that overlap `b` to `out`, in their order; how many. `out` has
    /// room for all of them and [`SLACK`] more.
    #[inline(always)]
    pub(crate) fn overlapping<L: Lanes>(&self, from: usize, to: usize, b: &Aabb, out: &mut [u32]) -> usize {
        let len = to - from;
        let blocks = len.div_ceil(BLOCK);
        let end = from + blocks * BLOCK;
        let lx = self.low[0][from..end].as_chunks::<BLOCK>().0;
        let ly = self.low[1][from..end].as_chunks::<BLOCK>().0;
        let lz = self.low[2][from..end].as_chunks::<BLOCK>().0;
        let hx = self.high[0][from..end].as_chunks::<BLOCK>().0;
        let hy = self.high[1][from..end].as_chunks::<BLOCK>().0;
        let hz = self.high[2][from..end].as_chunks::<BLOCK>().0;
        let ids = self.ids[from..end].as_chunks::<BLOCK>().0;
        let low = [L::set(b.low[0]), L::set(b.low[1]), L::set(b.low[2])];
        let high = [L::set(b.high[0]), L::set(b.high[1]), L::set(b.high[2])];
        let mut found = 0;
        for k in 0..blocks {
            let valid = if k + 1 == blocks { last(len) } else { ALL };
            let mut part = 0;
            while part * L::WIDTH < BLOCK {
                let below = L::load(&lx[k], part).le(high[0])
                    & L::load(&ly[k], part).le(high[1])
                    & L::load(&lz[k], part).le(high[2]);
                let above = low[0].le(L::load(&hx[k], part))
                    & low[1].le(L::load(&hy[k], part))
                    & low[2].le(L::load(&hz[k], part));
                let bits = below & above & (valid >> (part * L::WIDTH));
                L::keep(&ids[k], part, bits, &mut out[found..]);
                found += (bits & (ALL >> (BLOCK - L::WIDTH))).count_ones() as usize;
                part += 1;
            }
        }
        found
    }
}

/// Where boxes begin, and whether all are sound.
#[derive(Clone, Copy)]
struct Domain {
    low: [f32; 3],
    high: [f32; 3],
    sound: bool,
}

impl Domain {
    fn of_all(on: &mut dyn Executor, boxes: &[Aabb]) -> Domain {
        fold(
            on,
            boxes.len(),
            GRAIN,
            Domain::of(&[]),
            |range| Domain::of(&boxes[range]),
            |a, b| Domain {
                low: [0, 1, 2].map(|k| if b.low[k] < a.low[k] { b.low[k] } else { a.low[k] }),
                high: [0, 1, 2].map(|k| if b.high[k] > a.high[k] { b.high[k] } else { a.high[k] }),
                sound: a.sound && b.sound,
            },
        )
    }

    fn of(boxes: &[Aabb]) -> Domain {
        let first = boxes.first().map_or([0.0; 3], |b| b.low);
        let mut domain = Domain { low: first, high: first, sound: true };
        for b in boxes {
            domain.sound &= b.is_sound();
            for k in 0..3 {
                domain.low[k] = if b.low[k] < domain.low[k] { b.low[k] } else { domain.low[k] };
                domain.high[k] = if b.low[k] > domain.high[k] { b.low[k] } else { domain.high[k] };
            }
        }
        domain
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_wider_than_its_boxes_and_less_than_twice() {
        for extent in [1e-45, 1e-3, 0.99, 1.0, 1.5, 2.0, 3e38, 6.8e38] {
            let width = 1.0 / inverse(level(extent));
            assert!(width > extent && width <= 2.0 * extent, "{extent} {width}");
        }
    }

    #[test]
    fn sizes_near_the_middle_are_on_few_levels() {
        let sized = |e: f32| Aabb { low: [0.0; 3], high: [e, 0.0, 0.0] };
        let present = |sizes: &[f32]| {
            let boxes: Vec<_> = sizes.iter().map(|&e| sized(e)).collect();
            BoxGrid::new(&boxes).unwrap().present
        };
        assert_eq!(present(&[0.0, 1e-9, 0.3, 0.9, 0.9, 0.9, 0.9]), [0]);
        assert_eq!(present(&[0.3, 0.9, 0.9, 1.1, 100.0]), [0, 1, 7]);
        assert_eq!(present(&[]), []);
        assert_eq!(present(&[0.0; 9]).len(), 1);
    }
}
