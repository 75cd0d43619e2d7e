//! A slice that several threads write in parts that do not meet.

use crate::claims::{Use, claim};
use std::fmt;
use std::marker::PhantomData;

/// A mutable slice handed to all workers at once. Which part is whose is fixed by the plan, never by this type.
pub struct Shared<'a, T> {
    data: *mut T,
    len: usize,
    owner: PhantomData<&'a mut [T]>,
}

// SAFETY: only a pointer and a length travel; each access is unsafe and promises that it meets no other.
unsafe impl<T: Send + Sync> Send for Shared<'_, T> {}
// SAFETY: only a pointer and a length travel; each access is unsafe and promises that it meets no other.
unsafe impl<T: Send + Sync> Sync for Shared<'_, T> {}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

impl<T> fmt::Debug for Shared<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shared({} elements)", self.len)
    }
}

impl<'a, T> Shared<'a, T> {
    /// Shares a slice for as long as it is borrowed.
    pub fn new(slice: &'a mut [T]) -> Self {
        Self { data: slice.as_mut_ptr(), len: slice.len(), owner: PhantomData }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first element; elements up to `len` follow.
    #[inline(always)]
    #[must_use]
    pub fn as_ptr(&self) -> *mut T {
        self.data
    }

    /// A part of the slice, still shared.
    ///
    /// # Panics
    /// If the part is not within the slice.
    #[must_use]
    pub fn within(&self, start: usize, len: usize) -> Shared<'a, T> {
        assert!(start <= self.len && len <= self.len - start, "part {start}+{len} of {}", self.len);
        // In range, as just checked; no reference is made, so nothing is claimed.
        Shared { data: self.data.wrapping_add(start), len, owner: PhantomData }
    }

    /// Notes that the block which this thread runs takes a part, for code that goes through it by pointers: see
    /// [`crate::claims`].
    #[inline(always)]
    pub fn claim(&self, start: usize, len: usize, of: Use) {
        claim(self.data.wrapping_add(start), len, of);
    }

    /// A part of the slice.
    ///
    /// # Safety
    /// While the part is in use nobody else reads or writes it.
    ///
    /// # Panics
    /// If the part is not within the slice.
    #[inline(always)]
    #[must_use]
    pub unsafe fn part(&self, start: usize, len: usize) -> &'a mut [T] {
        assert!(start <= self.len && len <= self.len - start, "part {start}+{len} of {}", self.len);
        claim(self.data.wrapping_add(start), len, Use::Write);
        // SAFETY: within the slice, as just checked; not aliased, as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.data.add(start), len) }
    }

    /// A part of the slice, to read.
    ///
    /// # Safety
    /// While the part is in use nobody writes it.
    ///
    /// # Panics
    /// If the part is not within the slice.
    #[inline(always)]
    #[must_use]
    pub unsafe fn read(&self, start: usize, len: usize) -> &'a [T] {
        assert!(start <= self.len && len <= self.len - start, "part {start}+{len} of {}", self.len);
        claim(self.data.wrapping_add(start), len, Use::Read);
        // SAFETY: within the slice, as just checked; nobody writes it, as the caller promises, so it may be shared.
        unsafe { std::slice::from_raw_parts(self.data.add(start), len) }
    }
}
