//! Claims: in debug builds, and only inside of [`watched`], who took which part of a shared slice in which stage.
//!
//! Blocks of a stage run at once, so that two of them must not take one part if either writes it. Whether they happened
//! to meet does not matter here: the claims of a stage are compared when it ends. In release builds all of this is
//! nothing.

/// What a claim is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// To read.
    Read,
    /// To read and write.
    Write,
}

#[cfg(all(debug_assertions, not(loom)))]
pub(crate) use recorded::{Stage, within};
#[cfg(all(debug_assertions, not(loom)))]
pub use recorded::{claim, compared, is_watched, watched};
#[cfg(not(all(debug_assertions, not(loom))))]
pub(crate) use unrecorded::{Stage, within};
#[cfg(not(all(debug_assertions, not(loom))))]
pub use unrecorded::{claim, compared, is_watched, watched};

#[cfg(all(debug_assertions, not(loom)))]
mod recorded {
    use super::Use;
    use std::cell::{Cell, RefCell};
    use std::collections::HashMap;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::sync::{Mutex, PoisonError};

    #[derive(Clone, Copy, Debug)]
    struct Claim {
        start: usize,
        end: usize,
        block: usize,
        of: Use,
    }

    /// Regions that are watched.
    static WATCHED: AtomicUsize = AtomicUsize::new(0);
    /// The next stage's number; 0 is none's.
    static NEXT: AtomicU64 = AtomicU64::new(1);
    /// Claims of the stages that have not ended.
    static CLAIMS: Mutex<Option<HashMap<u64, Vec<Claim>>>> = Mutex::new(None);

    static COMPARED: AtomicUsize = AtomicUsize::new(0);

    thread_local! {
        /// The stage and the block that this thread runs.
        static AT: Cell<(u64, usize)> = const { Cell::new((0, 0)) };
        /// Claims of that block.
        static OWN: RefCell<Vec<Claim>> = const { RefCell::new(Vec::new()) };
    }

    /// Runs some steps; two blocks of one stage that take one part of a shared slice, not both to read, are a panic. In
    /// release builds nothing is recorded.
    pub fn watched<R>(steps: impl FnOnce() -> R) -> R {
        struct End;
        impl Drop for End {
            fn drop(&mut self) {
                WATCHED.fetch_sub(1, Ordering::SeqCst);
            }
        }
        WATCHED.fetch_add(1, Ordering::SeqCst);
        let _end = End;
        steps()
    }

    /// Notes that the block which this thread runs takes the bytes from `start` on.
    pub fn claim<T>(start: *const T, len: usize, of: Use) {
        let (stage, block) = AT.get();
        if stage == 0 || len == 0 {
            return;
        }
        let (start, bytes) = (start.addr(), len * size_of::<T>());
        OWN.with_borrow_mut(|own| own.push(Claim { start, end: start + bytes, block, of }));
    }

    /// Number of claims that were compared so far, by all of this process.
    #[must_use]
    pub fn compared() -> usize {
        COMPARED.load(Ordering::Relaxed)
    }

    /// Whether what this thread takes is recorded.
    #[must_use]
    pub fn is_watched() -> bool {
        AT.get().0 > 0
    }

    /// Stages whose blocks are to be told from one another: `count` of them from `first` on; 0 if nobody watches.
    pub(crate) struct Stage {
        first: u64,
        count: u64,
    }

    impl Stage {
        pub(crate) fn begin(count: usize) -> Stage {
            let first =
                if WATCHED.load(Ordering::SeqCst) > 0 { NEXT.fetch_add(count as u64, Ordering::SeqCst) } else { 0 };
            Stage { first, count: count as u64 }
        }

        /// Compares what the blocks took. Not after a panic: the stages were not finished then.
        pub(crate) fn end(self) {
            if self.first == 0 {
                return;
            }
            for stage in self.first..self.first + self.count {
                let claims =
                    CLAIMS.lock().unwrap_or_else(PoisonError::into_inner).as_mut().and_then(|all| all.remove(&stage));
                compare(claims.unwrap_or_default());
            }
        }
    }

    /// Runs a block of a stage.
    pub(crate) fn within<R>(stage: &Stage, number: usize, block: usize, work: impl FnOnce() -> R) -> R {
        if stage.first == 0 {
            return work();
        }
        // A block may run a whole step of its own, with stages of its own: `step_many`.
        let stage = stage.first + number as u64;
        let _block = Block { stage, outer: (AT.replace((stage, block)), OWN.take()) };
        work()
    }

    /// A block that runs, until it is dropped.
    struct Block {
        stage: u64,
        outer: ((u64, usize), Vec<Claim>),
    }

    impl Drop for Block {
        fn drop(&mut self) {
            AT.set(self.outer.0);
            let own = OWN.replace(std::mem::take(&mut self.outer.1));
            let mut all = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
            all.get_or_insert_default().entry(self.stage).or_default().extend(own);
        }
    }

    fn compare(mut claims: Vec<Claim>) {
        COMPARED.fetch_add(claims.len(), Ordering::Relaxed);
        claims.sort_unstable_by_key(|claim| (claim.start, claim.end));
        // Claims that reach beyond the start of the one that is looked at; of a block the longest alone.
        let mut open: Vec<Claim> = Vec::new();
        for claim in claims {
            open.retain(|before| before.end > claim.start);
            let apart =
                |before: &&Claim| before.block != claim.block && (before.of == Use::Write || claim.of == Use::Write);
            if let Some(before) = open.iter().find(apart) {
                let [a, b] =
                    [before, &claim].map(|c| format!("block {} to {:?} {:#x}..{:#x}", c.block, c.of, c.start, c.end));
                panic!("two blocks of a stage take one part of a shared slice: {a} and {b}");
            }
            if !open
                .iter()
                .any(|before| before.block == claim.block && before.of == claim.of && before.end >= claim.end)
            {
                open.push(claim);
            }
        }
    }
}

#[cfg(not(all(debug_assertions, not(loom))))]
mod unrecorded {
    use super::Use;

    /// Runs some steps. In debug builds two blocks of one stage that take one part of a shared slice, not both to read,
    /// are a panic.
    pub fn watched<R>(steps: impl FnOnce() -> R) -> R {
        steps()
    }

    /// 0.
    #[must_use]
    pub fn compared() -> usize {
        0
    }

    /// False.
    #[must_use]
    #[inline(always)]
    pub fn is_watched() -> bool {
        false
    }

    /// Nothing.
    #[inline(always)]
    pub fn claim<T>(_: *const T, _: usize, _: Use) {}

    pub(crate) struct Stage;

    impl Stage {
        #[inline(always)]
        pub(crate) fn begin(_: usize) -> Stage {
            Stage
        }

        #[inline(always)]
        pub(crate) fn end(self) {}
    }

    #[inline(always)]
    pub(crate) fn within<R>(_: &Stage, _: usize, _: usize, work: impl FnOnce() -> R) -> R {
        work()
    }
}

#[cfg(all(test, debug_assertions, not(loom)))]
mod tests {
    use super::watched;
    use crate::{Shared, Workers};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn take(threads: usize, at: impl Fn(usize) -> (usize, usize) + Sync, write: bool) -> bool {
        let mut all = vec![0u32; 64];
        let all = Shared::new(&mut all);
        let mut workers = Workers::new(threads);
        let stage = || {
            workers.run(|crew| {
                crew.each(8, |block| {
                    let (start, len) = at(block);
                    // SAFETY: no element is looked at: the ranges are taken for the sake of their claims alone.
                    unsafe { if write { _ = all.part(start, len).len() } else { _ = all.read(start, len).len() } }
                });
            });
        };
        catch_unwind(AssertUnwindSafe(|| watched(stage))).is_ok()
    }

    #[test]
    fn two_blocks_that_take_one_part_are_found() {
        for threads in [1, 3] {
            assert!(take(threads, |block| (8 * block, 8), true), "parts that touch");
            assert!(
                !take(threads, |block| (8 * block, if block == 3 { 9 } else { 8 }), true),
                "one element in two parts"
            );
            assert!(take(threads, |block| (0, block), false), "all read one part");
            assert!(!take(
                threads,
                |block| (if block == 7 { 60 } else { 5 * block }, if block == 0 { 64 } else { 2 }),
                true
            ));
        }
    }
}
