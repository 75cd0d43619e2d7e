//! Whoever runs the blocks of a loop.
//!
//! Which thread runs a block is open; what a block writes is its own or atomic. Blocks have fixed sizes, whatever the
//! threads.

use std::ops::Range;

/// Threads that run the blocks of a loop: a rayon pool ([`CurrentPool`]), nobody else ([`Alone`]), or an engine's own
/// workers.
///
/// # Safety
/// [`Executor::each`] runs `work` once for each number below `blocks`, never twice, and returns when all have returned
/// (or unwinds, and then none is at work any more). What the blocks have written is seen by whoever called it.
pub unsafe trait Executor {
    /// Threads that take part at most, the caller's included. With one, counters are plain additions.
    fn threads(&self) -> usize;

    /// Runs `work` once for each number below `blocks`, on any of the threads.
    fn each(&mut self, blocks: usize, work: &(dyn Fn(usize) + Sync));
}

/// The caller and nobody else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

// SAFETY: `each` calls `work` once for each block, on this thread.
unsafe impl Executor for Alone {
    fn threads(&self) -> usize {
        1
    }

    fn each(&mut self, blocks: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..blocks).for_each(work);
    }
}

/// The rayon pool that the caller is in; outside of any the caller alone, so that no pool is started behind its back.
#[derive(Clone, Copy, Debug, Default)]
pub struct CurrentPool;

// SAFETY: `halves` takes a range apart down to single numbers, and a join ends when both halves have.
unsafe impl Executor for CurrentPool {
    fn threads(&self) -> usize {
        if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { 1 }
    }

    fn each(&mut self, blocks: usize, work: &(dyn Fn(usize) + Sync)) {
        if self.threads() == 1 { Alone.each(blocks, work) } else { halves(0..blocks, work) }
    }
}

/// Inside a pool a join asks for no memory.
fn halves(range: Range<usize>, work: &(dyn Fn(usize) + Sync)) {
    if range.len() <= 1 {
        return range.for_each(work);
    }
    let middle = range.start + range.len() / 2;
    rayon::join(|| halves(range.start..middle, work), || halves(middle..range.end, work));
}
