//! Workers: threads that walk through the stages of a step together.
//!
//! Everybody runs the same function from top to bottom. A stage is a number of blocks; whoever comes claims the next one,
//! and nobody goes on before all blocks of the stage are done. A worker that comes late finds the stages before it finished
//! and passes through; one that never comes is never waited for. Who takes which block changes nothing in the result.
//!
//! Two words suffice, whatever the number of stages: `claim` holds the stage and its next block, `done` counts finished
//! blocks; who finishes the last one opens the next stage.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A step's work, run by everybody.
type Job<'a> = dyn Fn(&mut Crew<'_>) + Sync + 'a;

/// The threads beside the caller's own; parked while there is nothing to do.
pub(crate) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workers({})", self.threads.len() + 1)
    }
}

/// A job's address without its lifetime.
#[derive(Clone, Copy)]
struct JobPointer(*const Job<'static>);

// SAFETY: the job is Sync; `Workers::run` keeps it alive for as long as a worker may be inside.
unsafe impl Send for JobPointer {}

struct Shared {
    /// Generation << 32 | OPEN | workers inside.
    gate: AtomicU64,
    job: Mutex<Option<JobPointer>>,
    /// Stage << 32 | next block.
    claim: AtomicU64,
    done: AtomicU32,
    /// A panic outside a block: nobody waits any more.
    aborted: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    quit: AtomicBool,
}

const OPEN: u64 = 1 << 31;
const SPINS_BEFORE_YIELD: u32 = 200;
/// Spins (some 20 microseconds) before a worker parks: the next step often follows at once.
const SPINS_BEFORE_PARK: u32 = 4_000;

impl Workers {
    /// Starts `threads - 1` threads; fewer if the system refuses some (none where there are no threads).
    pub(crate) fn new(threads: usize) -> Workers {
        let shared = Arc::new(Shared {
            gate: AtomicU64::new(0),
            job: Mutex::new(None),
            claim: AtomicU64::new(0),
            done: AtomicU32::new(0),
            aborted: AtomicBool::new(false),
            panic: Mutex::new(None),
            quit: AtomicBool::new(false),
        });
        let start = |i: usize| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name(format!("seidel-{i}")).spawn(move || shared.work()).ok()
        };
        let threads = (1..threads).map_while(start).collect();
        Workers { shared, threads }
    }

    /// Number of threads, the caller's included.
    pub(crate) fn count(&self) -> usize {
        self.threads.len() + 1
    }

    /// Runs a job on the caller and on whoever comes. A panic of any of them comes out here.
    pub(crate) fn run(&mut self, job: &Job<'_>) {
        if self.threads.is_empty() {
            return job(&mut Crew { shared: None, stage: 0, caller: true });
        }
        let shared = &*self.shared;
        shared.claim.store(0, Ordering::Relaxed);
        shared.done.store(0, Ordering::Relaxed);
        // SAFETY: only the lifetime is dropped. The gate is closed and empty before this function returns or unwinds, and
        // workers use the job only inside the gate.
        let pointer = JobPointer(unsafe { std::mem::transmute::<*const Job<'_>, *const Job<'static>>(job) });
        *shared.job.lock().unwrap_or_else(PoisonError::into_inner) = Some(pointer);
        let generation = (shared.gate.load(Ordering::Relaxed) >> 32).wrapping_add(1);
        shared.gate.store(generation << 32 | OPEN, Ordering::Release);
        for thread in &self.threads {
            thread.thread().unpark();
        }
        shared.guarded(|| job(&mut Crew { shared: Some(shared), stage: 0, caller: true }));
        shared.gate.fetch_and(!OPEN, Ordering::AcqRel);
        let mut spins = 0;
        while shared.gate.load(Ordering::Acquire) & (OPEN - 1) != 0 {
            pause(&mut spins);
        }
        shared.aborted.store(false, Ordering::Relaxed);
        let panic = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.quit.store(true, Ordering::Release);
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // A worker catches its panics, so joining cannot fail in a way that matters here.
            let _ = thread.join();
        }
    }
}

/// Waits a moment: busily at first, then giving the processor away.
fn pause(spins: &mut u32) {
    *spins += 1;
    if *spins < SPINS_BEFORE_YIELD { std::hint::spin_loop() } else { std::thread::yield_now() }
}

impl Shared {
    /// A worker's life.
    fn work(&self) {
        let mut seen = 0;
        while let Some(generation) = self.enter(seen) {
            seen = generation;
            let job = *self.job.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(JobPointer(job)) = job {
                // SAFETY: inside the gate the caller of `run` waits, so the job is alive.
                self.guarded(|| unsafe { (*job)(&mut Crew { shared: Some(self), stage: 0, caller: false }) });
            }
            self.gate.fetch_sub(1, Ordering::Release);
        }
    }

    /// Waits until the gate opens for a generation after `seen`, and goes in; none when the workers are dropped.
    fn enter(&self, seen: u64) -> Option<u64> {
        let mut spins = 0;
        loop {
            if self.quit.load(Ordering::Acquire) {
                return None;
            }
            let gate = self.gate.load(Ordering::Acquire);
            if gate & OPEN != 0 && gate >> 32 != seen {
                let inside = self.gate.compare_exchange(gate, gate + 1, Ordering::AcqRel, Ordering::Relaxed);
                if inside.is_ok() {
                    return Some(gate >> 32);
                }
            } else if spins < SPINS_BEFORE_PARK {
                spins += 1;
                std::hint::spin_loop();
            } else {
                std::thread::park();
            }
        }
    }

    /// Runs a participant; a panic is kept for the caller and ends everybody's waiting.
    fn guarded(&self, work: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            self.aborted.store(true, Ordering::Release);
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
    }
}

/// One participant's way through the stages.
#[derive(Clone, Copy)]
pub(crate) struct Crew<'a> {
    shared: Option<&'a Shared>,
    stage: u32,
    caller: bool,
}

impl Crew<'_> {
    /// True for the thread that asked for the step.
    pub(crate) fn is_caller(&self) -> bool {
        self.caller
    }

    /// A stage: every block is run once, by somebody; returns when all are done.
    ///
    /// Everybody calls it with the same number of blocks.
    pub(crate) fn each(&mut self, blocks: usize, work: impl Fn(usize)) {
        let Some(shared) = self.shared else {
            return (0..blocks).for_each(work);
        };
        if blocks == 0 {
            return;
        }
        let stage = self.stage;
        self.stage += 1;
        let mut spins = 0;
        while !shared.aborted.load(Ordering::Relaxed) {
            let claim = shared.claim.load(Ordering::Acquire);
            if (claim >> 32) as u32 != stage {
                return;
            }
            let block = claim as u32 as usize;
            if block >= blocks {
                pause(&mut spins);
                continue;
            }
            if shared.claim.compare_exchange_weak(claim, claim + 1, Ordering::AcqRel, Ordering::Relaxed).is_err() {
                continue;
            }
            shared.guarded(|| work(block));
            if shared.done.fetch_add(1, Ordering::AcqRel) as usize + 1 == blocks {
                shared.done.store(0, Ordering::Relaxed);
                shared.claim.store(u64::from(stage + 1) << 32, Ordering::Release);
                return;
            }
            spins = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_runs_once_and_stages_follow_one_another() {
        for threads in [1, 2, 5, 16] {
            let mut workers = Workers::new(threads);
            for _ in 0..50 {
                let counts: Vec<AtomicU32> = (0..100).map(|_| AtomicU32::new(0)).collect();
                workers.run(&|crew| {
                    for stage in 0..20 {
                        crew.each(counts.len(), |block| {
                            assert_eq!(counts[block].fetch_add(1, Ordering::Relaxed), stage);
                        });
                        crew.each(0, |_| unreachable!());
                        crew.each(1, |_| assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == stage + 1)));
                    }
                });
                assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 20));
            }
        }
    }

    #[test]
    fn a_panic_comes_out_and_the_workers_live_on() {
        let mut workers = Workers::new(3);
        for _ in 0..20 {
            let panicking = catch_unwind(AssertUnwindSafe(|| {
                workers.run(&|crew| {
                    crew.each(10, |block| assert!(block != 7, "seven"));
                    crew.each(10, |_| ());
                });
            }));
            assert!(panicking.is_err());
            let ran = AtomicU32::new(0);
            workers.run(&|crew| {
                crew.each(10, |_| {
                    ran.fetch_add(1, Ordering::Relaxed);
                });
            });
            assert_eq!(ran.load(Ordering::Relaxed), 10);
        }
    }
}
