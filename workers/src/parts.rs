//! Loops whose blocks each take a part of a slice. The part follows from the block's number, so that no caller promises
//! anything.

use crate::Executor;
use crate::claims::{Use, claim};
use std::marker::PhantomData;
use std::ops::Range;

/// Slices of equal length that are taken apart together.
///
/// # Safety
/// Each slice has `count` items.
pub unsafe trait Slices: Sized {
    /// What all threads hold of them.
    type Shared: Sync;

    /// Items in each.
    fn count(&self) -> usize;

    /// Hands them to all threads.
    fn share(self) -> Self::Shared;

    /// A part of each.
    ///
    /// # Safety
    /// The range lies within the slices, and no other part that is in use meets it.
    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> Self;
}

/// A slice of which threads take parts.
#[derive(Debug)]
pub struct Pieces<'a, T>(*mut T, PhantomData<&'a mut [T]>);

// SAFETY: parts of it are handed out, each to one thread at a time, as `Slices::part` demands.
unsafe impl<T: Send> Sync for Pieces<'_, T> {}

// SAFETY: `count` is the length of the slice, and `part` hands out that range of it.
unsafe impl<'a, T: Send> Slices for &'a mut [T] {
    type Shared = Pieces<'a, T>;

    fn count(&self) -> usize {
        self.len()
    }

    fn share(self) -> Pieces<'a, T> {
        Pieces(self.as_mut_ptr(), PhantomData)
    }

    unsafe fn part(shared: &Pieces<'a, T>, range: Range<usize>) -> &'a mut [T] {
        claim(shared.0.wrapping_add(range.start), range.len(), Use::Write);
        // SAFETY: within the slice and nobody else's, as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(shared.0.add(range.start), range.len()) }
    }
}

// SAFETY: `count` asserts that both have as many.
unsafe impl<A: Slices, B: Slices> Slices for (A, B) {
    type Shared = (A::Shared, B::Shared);

    fn count(&self) -> usize {
        assert_eq!(self.0.count(), self.1.count(), "slices of equal length");
        self.0.count()
    }

    fn share(self) -> Self::Shared {
        (self.0.share(), self.1.share())
    }

    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> (A, B) {
        // SAFETY: both have `count` items, and the range is nobody else's in either, as the caller promises.
        unsafe { (A::part(&shared.0, range.clone()), B::part(&shared.1, range)) }
    }
}

/// `work` over parts of `items` that are `grain` long, but for the last, with the index of each part's first.
///
/// # Example
/// ```
/// let mut squares = [0; 10];
/// seidel_workers::parts(&mut seidel_workers::Alone, &mut squares[..], 4, |first, part| {
///     part.iter_mut().enumerate().for_each(|(k, square)| *square = (first + k).pow(2));
/// });
/// assert_eq!(squares[9], 81);
/// ```
pub fn parts<S: Slices>(on: &mut dyn Executor, items: S, grain: usize, work: impl Fn(usize, S) + Sync) {
    let count = items.count();
    let shared = items.share();
    on.each(count.div_ceil(grain), &|k| {
        let first = k * grain;
        // SAFETY: parts of different numbers do not meet, and an executor runs each number once.
        work(first, unsafe { S::part(&shared, first..count.min(first + grain)) });
    });
}

/// `work` over consecutive parts of a slice, of which part k begins at `borders(k)` and ends at `borders(k + 1)`.
///
/// # Safety
/// `borders` gives the same for a number however often it is asked.
///
/// # Panics
/// If borders do not ascend or end behind the slice.
pub unsafe fn bordered<T: Send>(
    on: &mut dyn Executor,
    items: &mut [T],
    count: usize,
    borders: impl Fn(usize) -> usize + Sync,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let len = items.len();
    assert!(
        (0..count).all(|k| borders(k) <= borders(k + 1)) && (count == 0 || borders(count) <= len),
        "borders of {len}"
    );
    let shared = items.share();
    on.each(count, &|k| {
        let range = borders(k)..borders(k + 1);
        // SAFETY: within the slice, and parts of different numbers do not meet, for borders ascend, as was checked of
        // what the caller promises to be a function of k; and an executor runs each number once.
        work(k, unsafe { <&mut [T]>::part(&shared, range) });
    });
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::Alone;

    #[test]
    fn parts_between_borders_are_apart() {
        let borders = [0, 0, 3, 4, 9, 9];
        let mut items = [0; 9];
        // SAFETY: an array's numbers stay as they are.
        unsafe { bordered(&mut Alone, &mut items, 5, |k| borders[k], |k, part| part.fill(k)) };
        assert_eq!(items, [1, 1, 1, 2, 3, 3, 3, 3, 3]);
    }
}
