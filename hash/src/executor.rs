//! Loops over fixed blocks, on an executor that the caller brings.

pub use seidel_workers::{Alone, CurrentPool, Executor};
pub(crate) use seidel_workers::{bordered, parts};
use std::ops::Range;

/// `work` over parts of `range` that are `grain` long, but for the last.
pub(crate) fn ranges(on: &mut dyn Executor, range: Range<usize>, grain: usize, work: impl Fn(Range<usize>) + Sync) {
    let part = |k: usize| range.start + k * grain..range.end.min(range.start + (k + 1) * grain);
    on.each(range.len().div_ceil(grain), &|k| work(part(k)));
}

/// Parts of a sum at most.
const FOLDED: usize = 64;

/// What `of` says of parts of a range, folded in order; `grain` is the least length of a part. `none` is said of
/// nothing.
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
}
