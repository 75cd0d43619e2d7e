//! Loops over fixed blocks on the caller's rayon pool, or on the caller alone where it is in none.
//!
//! Which thread runs a block is open; what a block writes is its own or atomic.

use std::ops::Range;

/// Whether the caller is in no pool, or in one of a single thread.
pub(crate) fn alone() -> bool {
    rayon::current_thread_index().is_none() || rayon::current_num_threads() == 1
}

/// Both, at once where there are threads. Inside a pool a join asks for no memory.
pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    if alone() { (a(), b()) } else { rayon::join(a, b) }
}

/// `work` over parts of `range` that are at most `grain` long.
pub(crate) fn ranges<F: Fn(Range<usize>) + Sync>(range: Range<usize>, grain: usize, work: &F) {
    if range.len() <= grain {
        if !range.is_empty() {
            work(range);
        }
        return;
    }
    let middle = range.start + range.len() / 2;
    join(|| ranges(range.start..middle, grain, work), || ranges(middle..range.end, grain, work));
}

/// Slices that are taken apart together.
pub(crate) trait Parts: Send + Sized {
    /// Items in each.
    fn count(&self) -> usize;
    /// Those before `at`, and the others.
    fn split(self, at: usize) -> (Self, Self);
}

impl<T: Send> Parts for &mut [T] {
    fn count(&self) -> usize {
        self.len()
    }
    fn split(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }
}

impl<A: Parts, B: Parts> Parts for (A, B) {
    fn count(&self) -> usize {
        self.0.count()
    }
    fn split(self, at: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.0.split(at), self.1.split(at));
        ((a, b), (c, d))
    }
}

/// `work` over parts of `items` that are at most `grain` long, with the index of each part's first; that of the first of
/// all is `first`.
pub(crate) fn parts<P: Parts, F: Fn(usize, P) + Sync>(items: P, first: usize, grain: usize, work: &F) {
    let count = items.count();
    if count <= grain {
        if count > 0 {
            work(first, items);
        }
        return;
    }
    let (low, high) = items.split(count / 2);
    join(|| parts(low, first, grain, work), || parts(high, first + count / 2, grain, work));
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
                pool.install(|| ranges(0..n, grain, &mark));
                assert!(seen.iter().all(|s| s.load(Ordering::Relaxed) == 1));
                let (mut a, mut b) = (vec![0; n], vec![0; n]);
                let fill = |first: usize, (a, b): (&mut [usize], &mut [usize])| {
                    assert!(a.len() <= grain);
                    for (k, (a, b)) in a.iter_mut().zip(b).enumerate() {
                        (*a, *b) = (first + k, 2 * (first + k));
                    }
                };
                pool.install(|| parts((&mut a[..], &mut b[..]), 10, grain, &fill));
                assert!(a.iter().enumerate().all(|(i, &a)| a == i + 10));
                assert!(b.iter().enumerate().all(|(i, &b)| b == 2 * (i + 10)));
            }
        }
    }
}
