//! Rows of a run in registers, however they lie.

use crate::lanes::Lanes;
use crate::slots::IN_ORDER;
use crate::{BATCH, Layout, Row};
use seidel_workers::Shared;

/// The numbers of `WIDTH` particles in four registers: whole rows (`Layout::Rows`) or a component each
/// (`Layout::Lanes`).
///
/// # Safety
/// `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody writes these.
#[inline(always)]
pub(crate) unsafe fn numbers<L: Lanes<Elem = f32>>(rows: *const Row, layout: Layout, row: usize) -> [L; 4] {
    // SAFETY: the caller promises that `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody writes
    // these; a block's 64 numbers are its rows'.
    unsafe {
        match layout {
            Layout::Rows => L::load_lines(rows.add(row)),
            Layout::Lanes => {
                let from = rows.cast::<f32>().add(layout.offset(row));
                [L::load(from), L::load(from.add(BATCH)), L::load(from.add(2 * BATCH)), L::load(from.add(3 * BATCH))]
            }
        }
    }
}

/// Writes what [`numbers`] read.
///
/// # Safety
/// As there; nobody else uses these rows.
#[inline(always)]
pub(crate) unsafe fn put<L: Lanes<Elem = f32>>(values: [L; 4], rows: Shared<'_, Row>, layout: Layout, row: usize) {
    // SAFETY: the caller promises that `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody else uses
    // these.
    unsafe {
        match layout {
            Layout::Rows => L::store_lines(values, rows.as_ptr().add(row)),
            Layout::Lanes => {
                let to = rows.as_ptr().cast::<f32>().add(layout.offset(row));
                for (k, value) in values.into_iter().enumerate() {
                    value.store(to.add(k * BATCH));
                }
            }
        }
    }
}

/// The four components of `WIDTH` particles.
///
/// # Safety
/// As for [`numbers`].
#[inline(always)]
pub(crate) unsafe fn columns<L: Lanes<Elem = f32>>(rows: *const Row, layout: Layout, row: usize) -> [L; 4] {
    // SAFETY: the caller promises that `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody writes
    // these.
    let numbers = unsafe { numbers::<L>(rows, layout, row) };
    if layout == Layout::Rows { L::transpose(numbers) } else { numbers }
}

/// The same with particle i in lane i on every instruction set, for sums over lanes.
///
/// # Safety
/// As for [`numbers`].
#[inline(always)]
pub(crate) unsafe fn in_order<L: Lanes<Elem = f32>>(rows: *const Row, layout: Layout, row: usize) -> [L; 4] {
    // SAFETY: the caller promises that `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody writes
    // these.
    unsafe {
        match layout {
            Layout::Rows => L::transpose(L::load_rows(rows.add(row).cast(), IN_ORDER.as_ptr())),
            Layout::Lanes => numbers(rows, layout, row),
        }
    }
}

/// Writes what [`columns`] read.
///
/// # Safety
/// As for [`put`].
#[inline(always)]
pub(crate) unsafe fn put_columns<L: Lanes<Elem = f32>>(c: [L; 4], rows: Shared<'_, Row>, layout: Layout, row: usize) {
    let numbers = if layout == Layout::Rows { L::transpose(c) } else { c };
    // SAFETY: the caller promises that `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody else uses
    // these.
    unsafe { put(numbers, rows, layout, row) }
}

/// Writes the components of particles that lie one after another, particle i being lane i on every instruction set.
///
/// # Safety
/// As for [`put`].
#[inline(always)]
pub(crate) unsafe fn put_in_order<L: Lanes<Elem = f32>>(c: [L; 4], rows: Shared<'_, Row>, row: usize) {
    let numbers = L::transpose(c);
    let to = rows.as_ptr();
    // Register k has the row k + 4 j in its part j; of a single lane, number k of the one row.
    for (k, register) in numbers.into_iter().enumerate() {
        let mut parts = [[0.0; 4]; BATCH / 4];
        // SAFETY: WIDTH <= BATCH numbers fit; the caller promises that `row` is a multiple of WIDTH, there are
        // `row + WIDTH` rows, and nobody else uses these.
        unsafe {
            register.store(parts.as_mut_ptr().cast());
            if L::WIDTH < 4 {
                to.add(row).cast::<f32>().add(k).write(parts[0][0]);
            }
            for (j, part) in parts.iter().enumerate().take(L::WIDTH / 4) {
                to.add(row + k + 4 * j).write(*part);
            }
        }
    }
}
