//! Counting sort by many threads without a lock: count, sum, scatter.
//!
//! Every item asks its bucket's counter for a place, which is the one atomic addition of the whole sort; sums of the
//! counts say where buckets begin; every item then writes itself to its place, which no other item has. The places
//! within a bucket depend on who came first, so whoever reads the buckets sorts each ([`Scatter::sort`]); alone, they
//! come sorted.
//!
//! Green 2008, "CUDA Particles" (the grid built with atomic operations).

use crate::executor::{Executor, bordered, parts};
#[cfg(loom)]
use loom::sync::atomic::AtomicU32;
#[cfg(not(loom))]
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Buckets in a block of the sums.
const SUMMED: usize = 1 << 13;

/// Counters, sums and places: all memory of a sort, used again by the next.
#[derive(Debug, Default)]
pub(crate) struct Scatter {
    /// One a bucket; all 0 between sorts.
    counts: Vec<AtomicU32>,
    /// Bucket `b` is `starts[b]..starts[b + 1]`.
    starts: Vec<u32>,
    /// Sums of blocks of buckets.
    blocks: Vec<u32>,
    /// Items by bucket, in any order within it.
    placed: Vec<AtomicU32>,
}

/// What counts items; the number of items of a bucket so far is an item's rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter<'a> {
    counts: &'a [AtomicU32],
    alone: bool,
}

impl Counter<'_> {
    /// Counts an item; its rank in its bucket.
    #[inline]
    pub(crate) fn rank(&self, bucket: u32) -> u32 {
        let count = &self.counts[bucket as usize];
        if self.alone {
            // An addition that locks the bus costs 5 ns, and nobody else adds.
            let rank = count.load(Relaxed);
            count.store(rank + 1, Relaxed);
            return rank;
        }
        // Relaxed: ranks only have to differ; the join at the loop's end orders them before the sums.
        count.fetch_add(1, Relaxed)
    }
}

/// What puts items where they belong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placer<'a> {
    starts: &'a [u32],
    placed: &'a [AtomicU32],
}

impl Placer<'_> {
    /// Puts an item that [`Counter::rank`] has counted.
    #[inline]
    pub(crate) fn put(&self, bucket: u32, rank: u32, item: u32) {
        // Relaxed: no other item has this place, and the join at the loop's end orders the write before the reads.
        self.placed[(self.starts[bucket as usize] + rank) as usize].store(item, Relaxed);
    }
}

impl Scatter {
    /// Makes room for so many buckets; the counter of a new sort.
    pub(crate) fn count(&mut self, on: &dyn Executor, buckets: usize) -> Counter<'_> {
        // Not `resize`: loom's atomics do not clone.
        self.counts.truncate(buckets);
        while self.counts.len() < buckets {
            self.counts.push(AtomicU32::new(0));
        }
        Counter { counts: &self.counts, alone: on.threads() == 1 }
    }

    /// Sums the counts, and zeroes them for the next sort; how many items there are.
    pub(crate) fn sum(&mut self, on: &mut dyn Executor) -> usize {
        let buckets = self.counts.len();
        self.starts.resize(buckets + 1, 0);
        self.blocks.resize(buckets.div_ceil(SUMMED), 0);
        let counts = &self.counts;
        parts(on, &mut self.blocks[..], 1, |k, sum| {
            let block = &counts[k * SUMMED..buckets.min((k + 1) * SUMMED)];
            sum[0] = block.iter().map(|count| count.load(Relaxed)).sum();
        });
        let mut total = 0;
        for sum in &mut self.blocks {
            total += std::mem::replace(sum, total);
        }
        self.starts[buckets] = total;
        starts(on, &mut self.starts[..buckets], counts, &self.blocks);
        total as usize
    }

    /// What puts `items` items, as many as were counted.
    pub(crate) fn place(&mut self, items: usize) -> Placer<'_> {
        self.placed.truncate(items);
        while self.placed.len() < items {
            self.placed.push(AtomicU32::new(0));
        }
        Placer { starts: &self.starts, placed: &self.placed }
    }

    /// Writes the items by bucket, ascending in each, to `into`, which has room for just these.
    pub(crate) fn sort(&self, on: &mut dyn Executor, into: &mut [u32]) {
        sort(on, into, &self.placed, &self.starts);
    }

    /// Bucket `b` is `starts()[b]..starts()[b + 1]`; one more number than buckets.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }
}

/// The sum of all counts before each bucket, from the sums before each block.
fn starts(on: &mut dyn Executor, into: &mut [u32], counts: &[AtomicU32], blocks: &[u32]) {
    parts(on, into, SUMMED, |first, into| {
        let mut sum = blocks[first / SUMMED];
        for (start, count) in into.iter_mut().zip(&counts[first..]) {
            *start = sum;
            sum += count.load(Relaxed);
            count.store(0, Relaxed);
        }
    });
}

/// Items that are sorted at a time, at least: those of whole buckets.
const SORTED: usize = 1 << 12;

/// Copies all buckets and sorts each.
fn sort(on: &mut dyn Executor, into: &mut [u32], placed: &[AtomicU32], starts: &[u32]) {
    let buckets = starts.len() - 1;
    let count = into.len().div_ceil(SORTED);
    // The first bucket that begins with or behind every so many items.
    let bucket = |k: usize| if k == count { buckets } else { starts.partition_point(|&s| (s as usize) < k * SORTED) };
    let bucket = |k: usize| bucket(k).min(buckets);
    let fill = |k: usize, into: &mut [u32]| {
        let (from, to) = (bucket(k), bucket(k + 1));
        let first = starts[from] as usize;
        for (to, from) in into.iter_mut().zip(&placed[first..]) {
            *to = from.load(Relaxed);
        }
        for ends in starts[from..=to].windows(2) {
            let bucket = &mut into[ends[0] as usize - first..ends[1] as usize - first];
            if !bucket.is_sorted() {
                bucket.sort_unstable();
            }
        }
    };
    // SAFETY: bucket and border follow from the starts, which nobody changes meanwhile.
    #[allow(unsafe_code)]
    unsafe {
        bordered(on, into, count, |k| starts[bucket(k)] as usize, fill)
    };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn buckets_come_sorted_whatever_the_threads() {
        for (items, buckets) in [(0, 1), (1, 1), (100, 1), (5000, 3), (50_000, 20_000), (100, 50_000)] {
            let key = |item: u32| (u64::from(item) * 7919 % buckets as u64) as u32;
            for threads in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut scatter = Scatter::default();
                // Twice, into the same memory.
                for _ in 0..2 {
                    let sorted = pool.install(|| sort_by(&mut scatter, items, buckets, &key));
                    assert_eq!((sorted.len(), scatter.starts().len()), (items as usize, buckets + 1));
                    let expected = |&(a, b): &(u32, u32)| (key(a), a) < (key(b), b);
                    assert!(sorted.iter().copied().zip(sorted.iter().copied().skip(1)).all(|ab| expected(&ab)));
                    for (b, ends) in scatter.starts().windows(2).enumerate() {
                        assert!(sorted[ends[0] as usize..ends[1] as usize].iter().all(|&i| key(i) == b as u32));
                    }
                }
            }
        }
    }

    fn sort_by(scatter: &mut Scatter, items: u32, buckets: usize, key: &(impl Fn(u32) -> u32 + Sync)) -> Vec<u32> {
        let mut ranks = vec![0; items as usize];
        let on = &mut crate::CurrentPool;
        let counter = scatter.count(on, buckets);
        parts(on, &mut ranks[..], 64, |first, ranks: &mut [u32]| {
            for (k, rank) in ranks.iter_mut().enumerate() {
                *rank = counter.rank(key((first + k) as u32));
            }
        });
        assert_eq!(scatter.sum(on), items as usize);
        let placer = scatter.place(items as usize);
        crate::executor::ranges(on, 0..items as usize, 64, |range| {
            range.for_each(|i| placer.put(key(i as u32), ranks[i], i as u32));
        });
        let mut sorted = vec![0; items as usize];
        scatter.sort(on, &mut sorted);
        sorted
    }
}

/// Every way in which threads can take turns at the atomics: RUSTFLAGS="--cfg loom" cargo test -p
/// seidel-hash --release --lib
#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// The two loops, each with its join, as `Scatter` runs them: every thread with items of its own, and the caller
    /// with the last.
    fn scattered(keys: &'static [&'static [u32]], buckets: usize, preemptions: Option<usize>) {
        // Two loops of all threads but the caller, and the caller: loom counts those that have ended, too.
        let mut builder = loom::model::Builder::new();
        builder.max_threads = 2 * (keys.len() - 1) + 1;
        builder.preemption_bound = preemptions;
        builder.check(move || {
            let counts: Arc<Vec<AtomicU32>> = Arc::new((0..buckets).map(|_| AtomicU32::new(0)).collect());
            let ranks = at_once(keys.len(), |k| {
                let counts = counts.clone();
                move || {
                    let counter = Counter { counts: &counts, alone: false };
                    keys[k].iter().map(|&key| counter.rank(key)).collect::<Vec<_>>()
                }
            });

            let all: Vec<u32> = keys.iter().flat_map(|keys| keys.iter().copied()).collect();
            let mut starts = vec![0; buckets + 1];
            super::starts(&mut crate::Alone, &mut starts[..buckets], &counts, &[0]);
            starts[buckets] = all.len() as u32;
            assert!(counts.iter().all(|count| count.load(Relaxed) == 0));

            let placed: Arc<Vec<AtomicU32>> = Arc::new(all.iter().map(|_| AtomicU32::new(u32::MAX)).collect());
            let (starts, ranks) = (Arc::new(starts), Arc::new(ranks));
            at_once(keys.len(), |k| {
                let (placed, starts, ranks) = (placed.clone(), starts.clone(), ranks.clone());
                let first: usize = keys[..k].iter().map(|keys| keys.len()).sum();
                move || {
                    let placer = Placer { starts: &starts, placed: &placed };
                    for (i, (&key, &rank)) in keys[k].iter().zip(&ranks[k]).enumerate() {
                        placer.put(key, rank, (first + i) as u32);
                    }
                }
            });

            let mut sorted = vec![0; all.len()];
            super::sort(&mut crate::Alone, &mut sorted, &placed, &starts);
            let mut expected: Vec<u32> = (0..all.len() as u32).collect();
            expected.sort_by_key(|&item| all[item as usize]);
            assert_eq!(sorted, expected);
        });
    }

    /// What each of `count` threads makes, the caller being the last.
    fn at_once<T: 'static, F: FnOnce() -> T + 'static>(count: usize, work: impl Fn(usize) -> F) -> Vec<T> {
        let threads: Vec<_> = (0..count - 1).map(|k| thread::spawn(work(k))).collect();
        let last = work(count - 1)();
        threads.into_iter().map(|t| t.join().unwrap()).chain([last]).collect()
    }

    #[test]
    fn two_threads_at_one_bucket() {
        scattered(&[&[0, 0], &[0, 0]], 1, None);
    }

    #[test]
    fn two_threads_at_two_buckets() {
        scattered(&[&[1, 0, 1], &[0, 1, 0]], 2, None);
    }

    /// All turns of three threads take hours; those with two preemptions take seconds.
    #[test]
    fn three_threads() {
        scattered(&[&[0], &[1, 0], &[0]], 2, Some(2));
    }
}
