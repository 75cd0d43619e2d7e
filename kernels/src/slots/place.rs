//! Where a slot's particles are, by batch, lane and reach; reading and writing single components of them.

use crate::batch::{Access, LANES_BIT};
use crate::lanes::{Element, Lanes};
use crate::{BATCH, Batches, Chunk, InChunks, V3};
use std::mem::MaybeUninit;
use std::ops::Add;

/// The numbers of three registers, component after component.
type Columns<E> = [[E; BATCH]; 3];

#[inline(always)]
fn numbers<L: Lanes>(values: [L; 3]) -> Columns<L::Elem> {
    let mut columns = [[L::Elem::default(); BATCH]; 3];
    for (column, value) in columns.iter_mut().zip(values) {
        column.store(Chunk::<L>::FIRST, value);
    }
    columns
}

/// Three registers, `BATCH` numbers apart, as [`Place::registers`] leads to them.
///
/// # Safety
/// `WIDTH` numbers may be read at `from`, and as many one and two packs further.
#[inline(always)]
pub(crate) unsafe fn vector<L: Lanes>(from: *const L::Elem) -> V3<L> {
    // SAFETY: the caller promises that WIDTH numbers may be read here and one and two packs further.
    unsafe { V3::new(L::load(from), L::load(from.add(BATCH)), L::load(from.add(2 * BATCH))) }
}

/// Where `WIDTH` constraints of a batch, from lane `first` on, have their particles.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    at: *const u32,
    pub(super) reach: Access,
    first: usize,
    /// How many of these lanes may be written: the others have no row.
    lanes: usize,
}

impl Place {
    /// Lanes from `first` on of a batch.
    #[inline(always)]
    pub(crate) fn new(batches: &Batches, batch: usize, first: usize) -> Place {
        let lanes = batches.lanes(batch).saturating_sub(first);
        Place { at: batches.address(batch), reach: batches.reach(batch), first, lanes }
    }

    /// `Unit`: where a slot's first component begins.
    ///
    /// # Safety
    /// The batch is alive and has such a slot.
    #[inline(always)]
    pub(crate) unsafe fn unit(self, slot: usize) -> usize {
        // SAFETY: the caller promises that the batch is alive and has such a slot.
        unsafe { self.at.add(slot).read() as usize + self.first }
    }

    /// Otherwise: the indices of a slot.
    ///
    /// # Safety
    /// As for `unit`.
    #[inline(always)]
    pub(super) unsafe fn indices(self, slot: usize) -> *const u32 {
        // SAFETY: the caller promises that the batch is alive and has such a slot.
        unsafe { self.at.add(slot * BATCH + self.first) }
    }

    /// Where the first component of `WIDTH` particles in a slot begins, the others `BATCH` numbers on: in the rows
    /// themselves (`Unit`), or in a copy.
    ///
    /// # Safety
    /// The batch is alive, has this slot, and was packed for as many rows as there are; nobody writes these rows.
    #[inline(always)]
    pub(crate) unsafe fn registers<L: Lanes>(
        self,
        rows: *const [L::Elem; 4],
        slot: usize,
        copy: &mut MaybeUninit<[L::Elem; 4 * BATCH]>,
    ) -> *const L::Elem {
        // SAFETY: as the caller promises, `Batches` has checked that every address is within the rows.
        unsafe {
            if self.reach == Access::Contiguous {
                return rows.cast::<L::Elem>().add(self.unit(slot));
            }
            self.copy(rows, slot, L::WIDTH, copy)
        }
    }

    /// Writes the first three components of a slot's particles where there is a row. `Unit` writes all lanes: where
    /// there is none, what the caller has read.
    ///
    /// # Safety
    /// As for [`Place::registers`]; nobody else uses these rows.
    #[inline(always)]
    pub(crate) unsafe fn put<L: Lanes>(self, values: [L; 3], rows: *mut [L::Elem; 4], slot: usize) {
        // SAFETY: as the caller promises, `Batches` has checked that every address is within the rows. A buffer holds
        // BATCH numbers, of which WIDTH are used.
        unsafe {
            if self.reach == Access::Contiguous {
                let to = rows.cast::<L::Elem>().add(self.unit(slot));
                for (k, value) in values.into_iter().enumerate() {
                    value.store(to.add(k * BATCH));
                }
                return;
            }
            self.write(numbers(values), rows, slot, L::WIDTH);
        }
    }

    /// Adds to a slot's rows, where there are any.
    ///
    /// # Safety
    /// As for [`Place::registers`]; nobody else uses these rows.
    #[inline(always)]
    pub(super) unsafe fn add_rows<L: Lanes>(self, dx: V3<L>, rows: *mut [L::Elem; 4], slot: usize) {
        // SAFETY: the caller promises that the batch is alive, has this slot and was packed for as many rows as there
        // are, and nobody writes these rows. A buffer holds BATCH numbers, of which WIDTH are used.
        unsafe {
            if self.lanes >= L::WIDTH {
                let dx = L::transpose([dx.x, dx.y, dx.z, L::zero()]);
                return L::add_rows(dx, rows.cast(), self.indices(slot));
            }
            self.add(numbers([dx.x, dx.y, dx.z]), rows, slot);
        }
    }

    // The following go lane by lane. They are functions of their own, not inlined: all kinds share them, and compiling
    // them into each, once a lane type and slot, took a fifth of the time that the table of kinds took.

    /// The first `width` particles of a slot, as registers lie: component after component, `BATCH` numbers apart.
    ///
    /// # Safety
    /// As for [`Place::registers`], by index.
    #[inline(never)]
    unsafe fn copy<E: Element>(
        self,
        rows: *const [E; 4],
        slot: usize,
        width: usize,
        copy: &mut MaybeUninit<[E; 4 * BATCH]>,
    ) -> *const E {
        let copy = copy.write([E::default(); 4 * BATCH]);
        for lane in 0..width {
            // SAFETY: as the caller promises, `Batches` has checked that every address is within the rows.
            unsafe {
                let (offset, stride) = self.number(slot, lane);
                for k in 0..4 {
                    copy[k * BATCH + lane] = rows.cast::<E>().add(offset + k * stride).read();
                }
            }
        }
        copy.as_mut_ptr().cast_const()
    }

    /// Writes the first three components of a slot's first `width` particles, where there is a row.
    ///
    /// # Safety
    /// As for [`Place::put`], by index.
    #[inline(never)]
    unsafe fn write<E: Element>(self, values: Columns<E>, rows: *mut [E; 4], slot: usize, width: usize) {
        for lane in 0..self.lanes.min(width) {
            // SAFETY: as the caller promises, `Batches` has checked that every address is within the rows.
            unsafe {
                let (offset, stride) = self.number(slot, lane);
                for (k, column) in values.iter().enumerate() {
                    rows.cast::<E>().add(offset + k * stride).write(column[lane]);
                }
            }
        }
    }

    /// Adds to the rows of a slot's lanes that have one.
    ///
    /// # Safety
    /// As for [`Place::add_rows`].
    #[inline(never)]
    unsafe fn add<E: Element + Add<Output = E>>(self, values: Columns<E>, rows: *mut [E; 4], slot: usize) {
        for lane in 0..self.lanes {
            // SAFETY: as the caller promises, `Batches` has checked that every address is within the rows.
            let row = unsafe { &mut *rows.add(self.indices(slot).add(lane).read() as usize / 2) };
            for (number, column) in row.iter_mut().zip(&values) {
                *number = *number + column[lane];
            }
        }
    }

    /// Where the first number of the particle in a slot and a lane is, and how far apart the others are.
    ///
    /// # Safety
    /// As for [`Place::registers`].
    #[inline(always)]
    pub(crate) unsafe fn lane(self, slot: usize, lane: usize) -> (usize, usize) {
        // SAFETY: the caller promises that the batch is alive, has this slot and was packed for as many rows as there
        // are, and nobody writes these rows.
        unsafe {
            match self.reach {
                Access::Contiguous => (self.unit(slot) + lane, BATCH),
                _ => self.number(slot, lane),
            }
        }
    }

    /// By index: where a particle's first number is, and how far apart the others are.
    ///
    /// # Safety
    /// As for [`Place::registers`].
    #[inline(always)]
    unsafe fn number(self, slot: usize, lane: usize) -> (usize, usize) {
        // SAFETY: the caller promises that the batch is alive, has this slot and was packed for as many rows as there
        // are, and nobody writes these rows.
        let number = unsafe { self.indices(slot).add(lane).read() };
        match self.reach {
            Access::Mixed if number & LANES_BIT != 0 => ((number & !LANES_BIT) as usize, BATCH),
            Access::Mixed => (number as usize, 1),
            _ => (number as usize * 2, 1),
        }
    }
}
