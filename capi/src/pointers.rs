//! Converts pointers from C to slices, and copies results back. Null pointers are reported; the caller must make sure
//! that all others point to what the header says.

use crate::status::{Failure, SeidelStatus};
use std::ffi::{CStr, c_char};

fn null(what: &str) -> Failure {
    Failure::new(SeidelStatus::Null, format!("{what} is null"))
}

/// Whether so many things of a type can lie at an address.
fn check<T>(at: *const T, count: usize, what: &str) -> Result<(), Failure> {
    if at.is_null() {
        return Err(null(what));
    }
    if !at.is_aligned() {
        return Err(Failure::argument(format!("{what} is not aligned to {} bytes", align_of::<T>())));
    }
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(Failure::argument(format!("{what} has {count} entries, more than fit into memory"))),
    }
}

/// `count` things; none may be at null.
///
/// # Safety
/// Unless it is null, `at` points to so many things that nobody writes while they are used.
pub(crate) unsafe fn slice<'a, T>(at: *const T, count: usize, what: &str) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(at, count, what)?;
    // SAFETY: not null, aligned and not too long (`check`); the caller promises as many that nobody writes meanwhile.
    Ok(unsafe { std::slice::from_raw_parts(at, count) })
}

/// The same to write to.
///
/// # Safety
/// Unless it is null, `at` points to so many things that nobody else uses meanwhile.
pub(crate) unsafe fn slice_mut<'a, T>(at: *mut T, count: usize, what: &str) -> Result<&'a mut [T], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(at, count, what)?;
    // SAFETY: not null, aligned and not too long (`check`); the caller promises so many things that nobody else uses.
    Ok(unsafe { std::slice::from_raw_parts_mut(at, count) })
}

/// One thing.
///
/// # Safety
/// As [`slice`].
pub(crate) unsafe fn one<'a, T>(at: *const T, what: &str) -> Result<&'a T, Failure> {
    check(at, 1, what)?;
    // SAFETY: not null and aligned (`check`); the caller promises a thing that nobody writes.
    Ok(unsafe { &*at })
}

/// One thing that may be left out.
///
/// # Safety
/// As [`slice`].
pub(crate) unsafe fn maybe<'a, T>(at: *const T, what: &str) -> Result<Option<&'a T>, Failure> {
    // SAFETY: not null, as just checked; the caller promises what `one` asks.
    if at.is_null() { Ok(None) } else { unsafe { one(at, what) }.map(Some) }
}

/// Writes an answer.
///
/// # Safety
/// Unless it is null, `at` points to room for it.
pub(crate) unsafe fn put<T>(at: *mut T, value: T, what: &str) -> Result<(), Failure> {
    check(at, 1, what)?;
    // SAFETY: not null and aligned (`check`); the caller says that there is room.
    unsafe { at.write(value) };
    Ok(())
}

/// Text that ends with a zero.
///
/// # Safety
/// Unless it is null, `at` points to text that ends with a zero and that nobody writes meanwhile.
pub(crate) unsafe fn text<'a>(at: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if at.is_null() {
        return Err(null(what));
    }
    // SAFETY: not null; the caller says that it ends.
    let text = unsafe { CStr::from_ptr(at) };
    text.to_str().map_err(|_| Failure::argument(format!("{what} is not UTF-8")))
}

/// Copies bytes out, if there is room; writes in any case how many there are.
///
/// # Safety
/// Unless they are null, `at` points to `room` bytes that nobody else uses meanwhile, and `need` to room for a number.
pub(crate) unsafe fn copy_out(bytes: &[u8], at: *mut u8, room: usize, need: *mut usize) -> Result<(), Failure> {
    if !need.is_null() {
        // SAFETY: not null, as just checked, and `put` checks alignment; the caller promises room for a number.
        unsafe { put(need, bytes.len(), "the place for the length") }?;
    }
    if room < bytes.len() {
        let text = format!("the buffer has {room} bytes, and {} are needed", bytes.len());
        return Err(Failure::new(SeidelStatus::Small, text));
    }
    // SAFETY: `slice_mut` checks null and length; the caller promises `room` bytes that nobody else uses.
    unsafe { slice_mut(at, room, "the buffer") }?[..bytes.len()].copy_from_slice(bytes);
    Ok(())
}
