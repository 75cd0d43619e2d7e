//! Loops over fixed blocks, on an executor that the caller brings.
#![allow(unsafe_code)]

pub use seidel_workers::{Alone, CurrentPool, Executor};
use std::marker::PhantomData;
use std::ops::Range;

/// `work` over parts of `range` that are `grain` long, but for the last.
pub(crate) fn ranges(on: &mut dyn Executor, range: Range<usize>, grain: usize, work: impl Fn(Range<usize>) + Sync) {
    let part = |k: usize| range.start + k * grain..range.end.min(range.start + (k + 1) * grain);
    on.each(range.len().div_ceil(grain), &|k| work(part(k)));
}

/// Slices of equal length that are taken apart together.
///
/// # Safety
/// Each slice has `count` items.
pub(crate) unsafe trait Slices: Sized {
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
pub(crate) struct Pieces<'a, T>(*mut T, PhantomData<&'a mut [T]>);

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
pub(crate) fn parts<S: Slices>(on: &mut dyn Executor, items: S, grain: usize, work: impl Fn(usize, S) + Sync) {
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
/// # Panics
/// If borders do not ascend or end behind the slice.
pub(crate) fn bordered<T: Send>(
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
        // SAFETY: within the slice, and parts of different numbers do not meet, for borders ascend, as just checked of this function
        // of k; and an executor runs each number once.
        work(k, unsafe { <&mut [T]>::part(&shared, range) });
    });
}

/// Parts of a sum at most.
const FOLDED: usize = 64;

/// What `of` says of parts of a range, folded in order; `grain` is the least length of a part. `none` is said of nothing.
pub(crate) fn fold<T: Copy + Send>(
    on: &mut dyn Executor,
    len: usize,
    grain: usize,
    none: T,
    of: impl Fn(Range<usize>) -> T + Sync,
    both: impl Fn(T, T) -> T,
) -> T {
    let grain = grain.max(len.div_ceil(FOLDED));
    let mut said = [none; FOLDED];
    let used = len.div_ceil(grain);
    parts(on, &mut said[..used], 1, |k, said| said[0] = of(k * grain..len.min((k + 1) * grain)));
    said[..used].iter().copied().reduce(both).unwrap_or(none)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn every_index_once_alone_and_in_a_pool() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for (n, grain) in [(0, 4), (1, 4), (4, 4), (5, 4), (1000, 7)] {
                let seen: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
                let mark = |range: Range<usize>| {
                    assert!(range.len() <= grain);
                    seen[range].iter().for_each(|s| _ = s.fetch_add(1, Ordering::Relaxed));
                };
                pool.install(|| ranges(&mut CurrentPool, 0..n, grain, mark));
                assert!(seen.iter().all(|s| s.load(Ordering::Relaxed) == 1));
                let (mut a, mut b) = (vec![0; n], vec![0; n]);
                let fill = |first: usize, (a, b): (&mut [usize], &mut [usize])| {
                    assert!(a.len() <= grain);
                    for (k, (a, b)) in a.iter_mut().zip(b).enumerate() {
                        (*a, *b) = (first + k, 2 * (first + k));
                    }
                };
                pool.install(|| parts(&mut CurrentPool, (&mut a[..], &mut b[..]), grain, fill));
                assert!(a.iter().enumerate().all(|(i, &a)| a == i));
                assert!(b.iter().enumerate().all(|(i, &b)| b == 2 * i));
                let sum = |range: Range<usize>| range.sum::<usize>();
                let all = pool.install(|| fold(&mut CurrentPool, n, grain, 0, sum, |a, b| a + b));
                assert_eq!(all, (0..n).sum::<usize>());
            }
        }
    }

    #[test]
    fn parts_between_borders_are_apart() {
        let borders = [0, 0, 3, 4, 9, 9];
        let mut items = [0; 9];
        bordered(&mut Alone, &mut items, 5, |k| borders[k], |k, part| part.fill(k));
        assert_eq!(items, [1, 1, 1, 2, 3, 3, 3, 3, 3]);
    }
}
