//! Batches: a family's rows, sixteen at a time; checked here once, so that solving cannot go wrong.

use crate::{BATCH, Layout, Pack};
use std::fmt;
use std::ops::Range;

/// A lane of a batch that has no row.
pub const NO_ROW: u32 = u32::MAX;

/// How a batch reaches its particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Sixteen consecutive particles in each slot, of [`Layout::Lanes`]: whole registers are loaded and stored. Lanes
    /// without a row are read and written back as they were.
    Contiguous,
    /// By index, in [`Layout::Rows`].
    Gathered,
    /// By index, however each particle lies. Slow; for the few rows that fit nothing else.
    Mixed,
}

/// One kind's rows in the order in which they are solved. Immutable; made by [`Batches::pack`] or
/// [`Batches::joined`], which prove it.
///
/// Every particle is below `particles()`; inside a batch none stands twice, but for those that are `shared`.
#[derive(Clone, Debug)]
pub struct Batches {
    slots: usize,
    params: usize,
    particles: usize,
    rows: usize,
    heads: Vec<Head>,
    /// `Unit`: one number a slot; otherwise sixteen, where lanes without a row repeat the first row's. `Rows`: where a
    /// particle's row begins, in pairs of numbers, for an address scales by 8 at most.
    at: Vec<u32>,
    rest: Vec<Pack<f32>>,
    /// One for each batch, or one for all.
    soft: Vec<Pack<f32>>,
    /// Row of each lane.
    lane_maps: Vec<[u32; BATCH]>,
}

#[derive(Clone, Copy, Debug)]
struct Head {
    at: usize,
    reach: Access,
    /// Lanes up to the last that has a row.
    lanes: u8,
    /// May be read before the batch before it is written: see [`Batches::apart`].
    apart: bool,
}

/// Where a slot's numbers are, as [`Batches`] keeps them: an offset into the array of numbers, and how the particle
/// lies.
pub(crate) const LANES_BIT: u32 = 1 << 31;

/// Four numbers each, below that bit.
const MAX_PARTICLES: usize = 1 << 29;

/// A family's rows as a plan lists them: flat arrays, row after row.
#[derive(Clone, Copy, Debug)]
pub struct RowArrays<'a> {
    /// Particles in a row.
    pub slots: usize,
    /// Parameters in a row.
    pub params: usize,
    /// Particle indices, `slots` a row.
    pub at: &'a [u32],
    /// Parameters, `params` a row.
    pub rest: &'a [f32],
    /// Compliance (XPBD) or k' (PBD), one a row.
    pub soft: &'a [f32],
    /// Particles that several rows of a batch may share, ascending: their inverse mass is 0 as long as these rows are
    /// solved, so that whatever a row adds to them is zero.
    pub shared: &'a [u32],
}

/// Batches that were packed elsewhere, with all of some rows: see [`Batches::joined`].
#[derive(Clone, Debug)]
pub struct Piece<'a> {
    /// Where they are.
    pub of: &'a Batches,
    /// Which of them.
    pub batches: Range<usize>,
    /// The rows that they have.
    pub rows: Range<usize>,
    /// By how many blocks of sixteen particles they move.
    pub blocks: i64,
}

/// Why rows cannot be packed. The plan checks before, so a user sees its errors, which know names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackError {
    /// The arrays do not have as many entries as the rows ask for.
    Lengths,
    /// More particles than addresses of 31 bits reach.
    TooMany,
    /// A row names a particle that does not exist.
    OutOfRange {
        /// The row.
        row: u32,
        /// The particle.
        particle: u32,
    },
    /// A particle stands twice in a batch, or a row is missing or stands twice.
    NotIndependent {
        /// The row.
        row: u32,
    },
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::Lengths => f.write_str("the row arrays differ in length"),
            PackError::TooMany => write!(f, "there are {MAX_PARTICLES} particles or more"),
            PackError::OutOfRange { row, particle } => {
                write!(f, "row {row} names particle {particle}, which does not exist")
            }
            PackError::NotIndependent { row } => {
                write!(f, "row {row} meets another of its batch, or is not packed once")
            }
        }
    }
}

impl std::error::Error for PackError {}

/// Rows in sixteens, in their order.
#[must_use]
pub fn in_sixteens(rows: &[u32]) -> Vec<[u32; BATCH]> {
    let lane_map = |chunk: &[u32]| std::array::from_fn(|lane| chunk.get(lane).copied().unwrap_or(NO_ROW));
    rows.chunks(BATCH).map(lane_map).collect()
}

/// An address of a batch that moves by some blocks.
fn moved(number: u32, reach: Access, blocks: i64) -> Option<u32> {
    let (flag, a_block) = match reach {
        Access::Contiguous => (0, 4 * BATCH as i64),
        Access::Gathered => (0, 2 * BATCH as i64),
        Access::Mixed => (number & LANES_BIT, 4 * BATCH as i64),
    };
    let new = i64::from(number & !flag) + blocks * a_block;
    u32::try_from(new).ok().filter(|new| new & LANES_BIT == 0).map(|new| new | flag)
}

/// Whether an address is one that [`Batches::pack`] would give.
fn fits(number: u32, reach: Access, layouts: &[Layout], borders: &[u32]) -> bool {
    let offset = number & !LANES_BIT;
    let a_block = if reach == Access::Gathered { 2 * BATCH as u32 } else { 4 * BATCH as u32 };
    let block = offset / a_block;
    let layout = layouts.get(block as usize).copied();
    match reach {
        Access::Contiguous => {
            let fits = block as usize + 1 < layouts.len() && borders.binary_search(&block).is_err();
            layout == Some(Layout::Lanes) && (offset.is_multiple_of(a_block) || fits)
        }
        Access::Gathered => layout == Some(Layout::Rows),
        Access::Mixed => layout == Some(if number & LANES_BIT == 0 { Layout::Rows } else { Layout::Lanes }),
    }
}

impl Batches {
    /// Packs batches in the order in which they are to be solved: each names the row of each of its lanes, or
    /// [`NO_ROW`]. `layouts` tells how each block of sixteen particles lies; `borders`, ascending, behind which blocks
    /// others may write positions while these rows are solved.
    ///
    /// A batch whose lanes reach consecutive particles becomes [`Access::Contiguous`] by itself, unless a register
    /// would reach over a border: one that begins inside of a block ends in the next, and reads what it has no row for.
    ///
    /// # Errors
    /// If an array is too short, a particle does not exist, a batch is not independent (two rows share a particle that
    /// is not `shared`), or a row is not packed once.
    pub fn pack(
        arrays: RowArrays<'_>,
        lane_maps: &[[u32; BATCH]],
        layouts: &[Layout],
        borders: &[u32],
    ) -> Result<Batches, PackError> {
        let RowArrays { slots, params, at, rest, soft, shared } = arrays;
        let (count, particles) = (soft.len(), layouts.len() * BATCH);
        if at.len() != count * slots || rest.len() != count * params {
            return Err(PackError::Lengths);
        }
        if particles >= MAX_PARTICLES {
            return Err(PackError::TooMany);
        }
        if let Some(i) = at.iter().position(|&p| p as usize >= particles) {
            return Err(PackError::OutOfRange { row: (i / slots) as u32, particle: at[i] });
        }
        let mut batches = Batches {
            slots,
            params,
            particles,
            rows: count,
            heads: Vec::with_capacity(lane_maps.len()),
            at: Vec::new(),
            rest: Vec::with_capacity(lane_maps.len() * params),
            soft: Vec::new(),
            lane_maps: Vec::with_capacity(lane_maps.len()),
        };
        let uniform = params > 0 && soft.windows(2).all(|pair| pair[0].to_bits() == pair[1].to_bits());
        if let (true, Some(&all)) = (uniform, soft.first()) {
            batches.soft.push(Pack([all; BATCH]));
        }
        // The batch that last used a particle, and a block, plus one; a row's flag, so that none is packed twice.
        let mut used = vec![0u32; particles];
        let mut touched = vec![0u32; layouts.len()];
        let mut packed = vec![false; count];
        for lane_map in lane_maps.iter().filter(|lane_map| lane_map.iter().any(|&row| row != NO_ROW)) {
            let this = batches.heads.len() as u32 + 1;
            let (mut apart, mut apart_by_block) = (this > 1, this > 1);
            for &row in lane_map.iter().filter(|&&row| row != NO_ROW) {
                let r = row as usize;
                if r >= count || std::mem::replace(&mut packed[r], true) {
                    return Err(PackError::NotIndependent { row });
                }
                for &p in &at[r * slots..(r + 1) * slots] {
                    if shared.binary_search(&p).is_ok() {
                        // Whole blocks are written where it lies in one: there it counts.
                        apart_by_block = false;
                        continue;
                    }
                    let last = std::mem::replace(&mut used[p as usize], this);
                    if last == this {
                        return Err(PackError::NotIndependent { row });
                    }
                    apart &= last + 1 != this;
                    let last = std::mem::replace(&mut touched[p as usize / BATCH], this);
                    apart_by_block &= last + 1 != this;
                }
            }
            batches.push(arrays, lane_map, layouts, borders, uniform);
            let both = |reach: Access| batches.heads.iter().rev().take(2).all(|head| head.reach == reach);
            let apart = apart && both(Access::Gathered) || apart_by_block && both(Access::Contiguous);
            batches.heads.last_mut().expect("just pushed").apart = apart;
        }
        match packed.iter().position(|&p| !p) {
            Some(row) => Err(PackError::NotIndependent { row: row as u32 }),
            None => Ok(batches),
        }
    }

    /// Puts batches of `slots` particles and `params` parameters behind one another: rows are numbered anew in the
    /// order of the pieces, particles as each piece says. `layouts` and `borders` as in [`Batches::pack`]. It costs as
    /// much as copying them.
    ///
    /// # Errors
    /// As there; that batches are independent is known of each piece.
    pub fn joined(
        [slots, params]: [usize; 2],
        pieces: &[Piece<'_>],
        layouts: &[Layout],
        borders: &[u32],
    ) -> Result<Batches, PackError> {
        let (particles, rows) = (layouts.len() * BATCH, pieces.iter().map(|piece| piece.rows.len()).sum());
        let count = pieces.iter().map(|piece| piece.batches.len()).sum();
        if pieces.iter().any(|Piece { of, .. }| (of.slots, of.params) != (slots, params)) {
            return Err(PackError::Lengths);
        }
        if particles >= MAX_PARTICLES {
            return Err(PackError::TooMany);
        }
        let mut joined = Batches {
            slots,
            params,
            particles,
            rows,
            heads: Vec::with_capacity(count),
            at: Vec::new(),
            rest: Vec::with_capacity(count * params),
            soft: Vec::new(),
            lane_maps: Vec::with_capacity(count),
        };
        let mut first = 0;
        for piece in pieces {
            joined.append(piece, first, layouts, borders)?;
            first += piece.rows.len() as u32;
        }
        joined.soft = joined.soft_of(pieces);
        Ok(joined)
    }

    /// Appends a piece whose rows are numbered from `first` on; without `soft`.
    fn append(&mut self, piece: &Piece<'_>, first: u32, layouts: &[Layout], borders: &[u32]) -> Result<(), PackError> {
        let Piece { of, batches, rows, blocks } = piece;
        let (start, count) = (rows.start as u32, rows.len() as u32);
        let mut packed = 0;
        for (number, rows) in of.lane_maps[batches.clone()].iter().enumerate() {
            // Sixteen at a time: no lane is left before all are seen.
            let known =
                rows.iter().fold(true, |known, &row| known & (row == NO_ROW || row.wrapping_sub(start) < count));
            packed += rows.iter().map(|&row| usize::from(row != NO_ROW)).sum::<usize>();
            if !known {
                let row = rows.iter().copied().find(|&row| row != NO_ROW && row.wrapping_sub(start) >= count);
                return Err(PackError::NotIndependent { row: row.unwrap_or(start) });
            }
            let moved_row = |row: u32| row.wrapping_sub(start).wrapping_add(first);
            let renumbered = rows.map(|row| if row == NO_ROW { NO_ROW } else { moved_row(row) });
            self.lane_maps.push(renumbered);
            let head @ Head { at, reach, .. } = of.heads[batches.start + number];
            let numbers = if reach == Access::Contiguous { self.slots } else { self.slots * BATCH };
            // What is before it is another.
            self.heads.push(Head { at: self.at.len(), apart: head.apart && number > 0, ..head });
            for &old in &of.at[at..at + numbers] {
                let new = moved(old, reach, *blocks).filter(|&new| fits(new, reach, layouts, borders));
                self.at.push(new.ok_or(PackError::OutOfRange { row: rows[0], particle: old })?);
            }
        }
        if packed != rows.len() {
            return Err(PackError::NotIndependent { row: start });
        }
        self.rest.extend_from_slice(&of.rest[batches.start * of.params..batches.end * of.params]);
        Ok(())
    }

    /// How soft all rows are: one pack if they are alike, as [`Batches::pack`] has it.
    fn soft_of(&self, pieces: &[Piece<'_>]) -> Vec<Pack<f32>> {
        let batches = || pieces.iter().flat_map(|piece| piece.batches.clone().map(move |batch| (piece.of, batch)));
        let Some((of, batch)) = batches().next() else { return Vec::new() };
        let lane = of.lane_maps[batch].iter().position(|&row| row != NO_ROW).unwrap_or(0);
        let all = of.soft(batch).0[lane];
        let same = |value: f32| value.to_bits() == all.to_bits();
        let alike = |(of, batch): (&Batches, usize)| {
            let rows = of.lane_maps[batch].iter().zip(&of.soft(batch).0);
            rows.into_iter().all(|(&row, &value)| row == NO_ROW || same(value))
        };
        let piece_alike = |piece: &Piece<'_>| match &piece.of.soft[..] {
            [one] if one.0.iter().all(|&value| same(value)) => true,
            _ => piece.batches.clone().all(|batch| alike((piece.of, batch))),
        };
        if self.params > 0 && pieces.iter().all(piece_alike) {
            return vec![Pack([all; BATCH])];
        }
        let of_batch = |(of, batch): (&Batches, usize)| {
            let (rows, soft) = (&of.lane_maps[batch], of.soft(batch));
            Pack(std::array::from_fn(|lane| if rows[lane] == NO_ROW { f32::NAN } else { soft.0[lane] }))
        };
        batches().map(of_batch).collect()
    }

    /// The same batches with another value of a parameter for some rows: `value` tells which, and what it is.
    #[must_use]
    pub fn with_rest(&self, param: usize, value: impl Fn(usize) -> Option<f32>) -> Batches {
        let mut other = self.clone();
        for (batch, lane, row) in self.each() {
            if let Some(value) = value(row) {
                other.rest[batch * self.params + param].0[lane] = value;
            }
        }
        other
    }

    fn push(
        &mut self,
        arrays: RowArrays<'_>,
        lane_map: &[u32; BATCH],
        layouts: &[Layout],
        borders: &[u32],
        uniform: bool,
    ) {
        let RowArrays { slots, params, at, rest, soft, .. } = arrays;
        let start = self.at.len();
        let unit = self.push_unit(arrays, lane_map, layouts, borders);
        // Lanes close up where they are free to; what is not unit has no holes between its rows.
        let mut rows: [u32; BATCH] = *lane_map;
        if !unit {
            rows.sort_by_key(|&row| row == NO_ROW);
            let layout = |p: u32| layouts[p as usize / BATCH];
            let first = rows[0] as usize;
            let of = |lane: usize, slot: usize| {
                at[if rows[lane] == NO_ROW { first } else { rows[lane] as usize } * slots + slot]
            };
            let any = rows
                .iter()
                .filter(|&&row| row != NO_ROW)
                .any(|&row| at[row as usize * slots..][..slots].iter().any(|&p| layout(p) == Layout::Lanes));
            for slot in 0..slots {
                for lane in 0..BATCH {
                    let p = of(lane, slot);
                    let flag = if layout(p) == Layout::Lanes { LANES_BIT } else { 0 };
                    self.at.push(if any { layout(p).offset(p as usize) as u32 | flag } else { 2 * p });
                }
            }
            self.heads.push(Head {
                at: start,
                reach: if any { Access::Mixed } else { Access::Gathered },
                lanes: 0,
                apart: false,
            });
        } else {
            self.heads.push(Head { at: start, reach: Access::Contiguous, lanes: 0, apart: false });
        }
        let lanes = BATCH - rows.iter().rev().take_while(|&&row| row == NO_ROW).count();
        self.heads.last_mut().expect("just pushed").lanes = lanes as u8;
        // No correction is a sane number where a parameter is none: lanes without a row change nothing.
        let number =
            |row: u32, value: &dyn Fn(usize) -> f32| if row == NO_ROW { f32::NAN } else { value(row as usize) };
        for param in 0..params {
            self.rest.push(Pack(rows.map(|row| number(row, &|row| rest[row * params + param]))));
        }
        if !uniform {
            self.soft.push(Pack(rows.map(|row| number(row, &|row| soft[row]))));
        }
        self.lane_maps.push(rows);
    }

    /// Appends a unit batch's offsets; false, and nothing appended, if it is none.
    fn push_unit(
        &mut self,
        arrays: RowArrays<'_>,
        lane_map: &[u32; BATCH],
        layouts: &[Layout],
        borders: &[u32],
    ) -> bool {
        let RowArrays { slots, at, .. } = arrays;
        let start = self.at.len();
        let unit = (0..slots).all(|slot| {
            let mut rows = lane_map.iter().enumerate().filter(|(_, row)| **row != NO_ROW);
            let particle = |row: u32| at[row as usize * slots + slot] as usize;
            // A register of sixteen begins `shift` particles into the block and must end inside of the array and the
            // border.
            let Some((lane, &row)) = rows.next() else { return false };
            let (p, block) = (particle(row), particle(row) / BATCH);
            let Some(shift) = (p % BATCH).checked_sub(lane) else { return false };
            let same = rows.all(|(lane, &row)| particle(row) == block * BATCH + shift + lane && shift + lane < BATCH);
            let fits = shift == 0 || block + 1 < layouts.len() && borders.binary_search(&(block as u32)).is_err();
            let apart = self.at[start..].iter().all(|&other| other as usize / (4 * BATCH) != block);
            self.at.push((Layout::Lanes.offset(block * BATCH) + shift) as u32);
            layouts[block] == Layout::Lanes && same && fits && apart
        });
        if !unit {
            self.at.truncate(start);
        }
        unit
    }

    /// Number of constraints.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of batches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// True if there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Every particle is below this, a multiple of 16.
    #[must_use]
    pub fn particles(&self) -> usize {
        self.particles
    }

    /// The row of each lane of a batch, as a number in the arrays that were packed, or [`NO_ROW`].
    #[must_use]
    pub fn lane_map(&self, batch: usize) -> &[u32; BATCH] {
        &self.lane_maps[batch]
    }

    /// Batch, lane and row of every row, in the order in which they are solved.
    pub fn each(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        self.each_in(0..self.len())
    }

    /// The same of some batches.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn each_in(&self, batches: Range<usize>) -> impl Iterator<Item = (usize, usize, usize)> {
        batches.clone().zip(&self.lane_maps[batches]).flat_map(|(batch, rows)| {
            let with_row = rows.iter().enumerate().filter(|(_, row)| **row != NO_ROW);
            with_row.map(move |(lane, &row)| (batch, lane, row as usize))
        })
    }

    /// How a batch reaches its particles.
    #[must_use]
    #[inline(always)]
    pub fn reach(&self, batch: usize) -> Access {
        self.heads[batch].reach
    }

    /// Whether a batch may be read before the one before it is written: both of [`Access::Gathered`] and without a
    /// common particle, or both of [`Access::Contiguous`] and without a common block, which are written whole.
    #[must_use]
    #[inline(always)]
    pub fn apart(&self, batch: usize) -> bool {
        self.heads[batch].apart
    }

    /// Lanes up to the last that has a row, 1 to 16.
    #[must_use]
    #[inline(always)]
    pub fn lanes(&self, batch: usize) -> usize {
        usize::from(self.heads[batch].lanes)
    }

    /// The particle in a slot of a lane; of a lane without a row, some particle that may be read.
    ///
    /// # Panics
    /// If there is no such batch, slot or lane.
    #[must_use]
    pub fn particle(&self, batch: usize, slot: usize, lane: usize) -> u32 {
        assert!(slot < self.slots && lane < BATCH, "no such slot or lane");
        let Head { at, reach, .. } = self.heads[batch];
        match reach {
            Access::Contiguous => {
                let (block, shift) = (self.at[at + slot] / (4 * BATCH) as u32, self.at[at + slot] % (4 * BATCH) as u32);
                block * BATCH as u32 + (shift + lane as u32).min(BATCH as u32 - 1)
            }
            Access::Gathered => self.at[at + slot * BATCH + lane] / 2,
            Access::Mixed => {
                let number = self.at[at + slot * BATCH + lane];
                let offset = number & !LANES_BIT;
                if number & LANES_BIT == 0 { offset / 4 } else { offset / 64 * 16 + offset % 64 }
            }
        }
    }

    /// Where the batch's addresses are: one a slot (`Unit`) or sixteen.
    #[inline(always)]
    pub(crate) fn address(&self, batch: usize) -> *const u32 {
        self.at[self.heads[batch].at..].as_ptr()
    }

    /// Parameters of a batch, a pack for each; NaN in lanes without a row.
    #[must_use]
    #[inline(always)]
    pub fn rest(&self, batch: usize) -> &[Pack<f32>] {
        &self.rest[batch * self.params..(batch + 1) * self.params]
    }

    /// Parameters of a range of batches, a pack for each of a batch's; NaN in lanes without a row.
    ///
    /// # Panics
    /// If there are no such batches.
    #[must_use]
    pub fn rests(&self, batches: Range<usize>) -> &[Pack<f32>] {
        &self.rest[batches.start * self.params..batches.end * self.params]
    }

    /// Compliance or k' of a batch.
    #[must_use]
    #[inline(always)]
    pub fn soft(&self, batch: usize) -> &Pack<f32> {
        if self.soft.len() == 1 { &self.soft[0] } else { &self.soft[batch] }
    }

    /// Particles in a row.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Parameters in a row.
    #[must_use]
    pub fn params(&self) -> usize {
        self.params
    }

    /// Which rows there are, of which particles, as bytes: whether numbers of theirs fit to other batches.
    pub fn rows_as_bytes(&self, mut add: impl FnMut(&[u8])) {
        self.heads.iter().for_each(|head| add(&[head.reach as u8, head.lanes]));
        for words in [&self.at[..], self.lane_maps.as_flattened()] {
            if cfg!(target_endian = "little") {
                add(bytemuck::cast_slice(words));
            } else {
                words.iter().for_each(|word| add(&word.to_le_bytes()));
            }
        }
    }

    /// Everything that solving depends on, as bytes: for a plan's fingerprint.
    pub fn bytes(&self, mut add: impl FnMut(&[u8])) {
        for head in &self.heads {
            add(&[head.reach as u8, head.lanes]);
        }
        add(bytemuck::cast_slice(&self.at));
        add(bytemuck::cast_slice(&self.rest));
        add(bytemuck::cast_slice(&self.soft));
    }
}
