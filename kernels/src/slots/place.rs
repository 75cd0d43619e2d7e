//! Where a slot's particles are, by batch, lane and reach; reading and writing single components of them.

use crate::batch::{LANES_BIT, Reach};
use crate::lanes::Lanes;
use crate::{BATCH, Batches, V3};
use std::mem::MaybeUninit;

/// Where `WIDTH` constraints of a batch, from lane `first` on, have their particles.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    at: *const u32,
    pub(super) reach: Reach,
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
        // SAFETY: the caller's promise.
        unsafe { self.at.add(slot).read() as usize + self.first }
    }

    /// Otherwise: the indices of a slot.
    ///
    /// # Safety
    /// As for `unit`.
    #[inline(always)]
    pub(super) unsafe fn indices(self, slot: usize) -> *const u32 {
        // SAFETY: the caller's promise.
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
        // SAFETY: the caller's promise: `Batches` has checked that every address is within the rows.
        unsafe {
            if self.reach == Reach::Unit {
                return rows.cast::<L::Elem>().add(self.unit(slot));
            }
            let copy = copy.write([L::Elem::default(); 4 * BATCH]);
            for lane in 0..L::WIDTH {
                let (offset, stride) = self.number(slot, lane);
                for k in 0..4 {
                    copy[k * BATCH + lane] = rows.cast::<L::Elem>().add(offset + k * stride).read();
                }
            }
            copy.as_mut_ptr().cast_const()
        }
    }

    /// Writes the first three components of a slot's particles where there is a row. `Unit` writes all lanes: where there
    /// is none, what the caller has read.
    ///
    /// # Safety
    /// As for [`Place::registers`]; nobody else uses these rows.
    #[inline(always)]
    pub(crate) unsafe fn put<L: Lanes>(self, values: [L; 3], rows: *mut [L::Elem; 4], slot: usize) {
        // SAFETY: the caller's promise: `Batches` has checked that every address is within the rows. A buffer holds BATCH
        // numbers, of which WIDTH are used.
        unsafe {
            if self.reach == Reach::Unit {
                let to = rows.cast::<L::Elem>().add(self.unit(slot));
                for (k, value) in values.into_iter().enumerate() {
                    value.store(to.add(k * BATCH));
                }
                return;
            }
            for (k, value) in values.into_iter().enumerate() {
                let mut buffer = [L::Elem::default(); BATCH];
                value.store(buffer.as_mut_ptr());
                for (lane, value) in buffer.iter().enumerate().take(self.lanes.min(L::WIDTH)) {
                    let (offset, stride) = self.number(slot, lane);
                    rows.cast::<L::Elem>().add(offset + k * stride).write(*value);
                }
            }
        }
    }

    /// Adds to a slot's rows, where there are any.
    ///
    /// # Safety
    /// As for [`Place::registers`]; nobody else uses these rows.
    #[inline(always)]
    pub(super) unsafe fn add_rows<L: Lanes>(self, dx: V3<L>, rows: *mut [L::Elem; 4], slot: usize) {
        // SAFETY: the caller's promise. A buffer holds BATCH numbers, of which WIDTH are used.
        unsafe {
            if self.lanes >= L::WIDTH {
                let dx = L::transpose([dx.x, dx.y, dx.z, L::zero()]);
                return L::add_rows(dx, rows.cast(), self.indices(slot));
            }
            let mut buffer = [[L::Elem::default(); BATCH]; 3];
            for (column, dx) in buffer.iter_mut().zip([dx.x, dx.y, dx.z]) {
                dx.store(column.as_mut_ptr());
            }
            for lane in 0..self.lanes {
                let row = &mut *rows.add(self.indices(slot).add(lane).read() as usize / 2);
                for (number, column) in row.iter_mut().zip(&buffer) {
                    *number = *number + column[lane];
                }
            }
        }
    }

    /// Where the first number of the particle in a slot and a lane is, and how far apart the others are.
    ///
    /// # Safety
    /// As for [`Place::registers`].
    #[inline(always)]
    pub(crate) unsafe fn lane(self, slot: usize, lane: usize) -> (usize, usize) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.reach {
                Reach::Unit => (self.unit(slot) + lane, BATCH),
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
        // SAFETY: the caller's promise.
        let number = unsafe { self.indices(slot).add(lane).read() };
        match self.reach {
            Reach::Any if number & LANES_BIT != 0 => ((number & !LANES_BIT) as usize, BATCH),
            Reach::Any => (number as usize, 1),
            _ => (number as usize * 2, 1),
        }
    }
}
