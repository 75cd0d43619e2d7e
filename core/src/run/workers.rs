//! Workers: threads that walk through the stages of a step together.
//!
//! Everybody runs the same function from top to bottom. A stage is a number of blocks, of which each worker first claims
//! those of its own share, the same in every stage, so that they stay in its cache; then what is left of the others'. Nobody
//! goes on before all blocks of the stage are done. A worker that comes late finds the stages before it finished and passes
//! through; one that never comes is never waited for. Who takes which block changes nothing in the result.
//!
//! A word for each worker holds the stage and the next block of its share; `done` counts finished blocks; who finishes the
//! last one sets the words to the next stage and then opens it.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A rayon pool that helps with steps.
#[derive(Clone, Debug)]
pub enum Pool {
    /// Rayon's global pool.
    Global,
    /// This one.
    Of(Arc<rayon::ThreadPool>),
}

/// A step's work, run by everybody.
type Job<'a> = dyn Fn(&mut Crew<'_>) + Sync + 'a;

/// The threads beside the caller's own; parked while there is nothing to do.
pub(crate) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// Instead of threads: a pool, whose tasks are asked in for each job.
    pool: Option<Pool>,
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workers({})", self.count())
    }
}

/// A job's address without its lifetime.
#[derive(Clone, Copy)]
struct JobPointer(*const Job<'static>);

// SAFETY: the job is Sync; `Workers::run` keeps it alive for as long as a worker may be inside.
unsafe impl Send for JobPointer {}

/// On cache lines of its own: what one worker writes does not slow another's reading.
#[derive(Default)]
#[repr(align(128))]
struct Apart<T>(T);

struct Shared {
    /// Generation << 32 | OPEN | workers inside.
    gate: AtomicU64,
    job: Mutex<Option<JobPointer>>,
    /// Of each worker: stage << 32 | next block, counted from the first of its share.
    claims: Vec<Apart<AtomicU64>>,
    /// Of each worker: a pool's task is on its way or inside.
    asked: Vec<Apart<AtomicBool>>,
    stage: Apart<AtomicU32>,
    done: Apart<AtomicU32>,
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
        let shared = Arc::new(Shared::new(threads));
        let start = |i: usize| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name(format!("seidel-{i}")).spawn(move || shared.work(i)).ok()
        };
        let threads = (1..threads).map_while(start).collect();
        Workers { shared, threads, pool: None }
    }

    /// Starts none: a pool's tasks come in instead, at most `threads - 1`, if and when it has time.
    pub(crate) fn in_pool(threads: usize, pool: Pool) -> Workers {
        Workers {
            shared: Arc::new(Shared::new(threads)),
            threads: Vec::new(),
            pool: Some(pool).filter(|_| threads > 1),
        }
    }

    /// Number of threads, the caller's included.
    pub(crate) fn count(&self) -> usize {
        if self.pool.is_some() { self.shared.claims.len() } else { self.threads.len() + 1 }
    }

    /// Runs a job on the caller and on whoever comes. A panic of any of them comes out here.
    pub(crate) fn run(&mut self, job: &Job<'_>) {
        if self.count() == 1 {
            return job(&mut Crew { shared: None, me: 0, stage: 0 });
        }
        let shared = &*self.shared;
        shared.open(0);
        // SAFETY: only the lifetime is dropped. The gate is closed and empty before this function returns or unwinds, and
        // workers use the job only inside the gate.
        let pointer = JobPointer(unsafe { std::mem::transmute::<*const Job<'_>, *const Job<'static>>(job) });
        *shared.job.lock().unwrap_or_else(PoisonError::into_inner) = Some(pointer);
        let generation = (shared.gate.load(Ordering::Relaxed) >> 32).wrapping_add(1);
        shared.gate.store(generation << 32 | OPEN, Ordering::SeqCst);
        for thread in &self.threads {
            thread.thread().unpark();
        }
        self.ask();
        shared.guarded(|| job(&mut Crew { shared: Some(shared), me: 0, stage: 0 }));
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

impl Workers {
    /// Asks for a pool's tasks: of each worker one at a time, for a busy pool's would only heap up. Where there is no pool to be
    /// had, the caller is alone.
    fn ask(&self) {
        let Some(pool) = &self.pool else { return };
        for me in 1..self.shared.claims.len() {
            if self.shared.asked[me].0.swap(true, Ordering::SeqCst) {
                continue;
            }
            let shared = Arc::clone(&self.shared);
            let visit = move || shared.visit(me);
            let asked = catch_unwind(AssertUnwindSafe(|| match pool {
                Pool::Global => rayon::spawn(visit),
                Pool::Of(pool) => pool.spawn(visit),
            }));
            if asked.is_err() {
                self.shared.asked[me].0.store(false, Ordering::SeqCst);
            }
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
    fn new(workers: usize) -> Shared {
        Shared {
            gate: AtomicU64::new(0),
            job: Mutex::new(None),
            claims: (0..workers).map(|_| Apart::default()).collect(),
            asked: (0..workers).map(|_| Apart::default()).collect(),
            stage: Apart::default(),
            done: Apart::default(),
            aborted: AtomicBool::new(false),
            panic: Mutex::new(None),
            quit: AtomicBool::new(false),
        }
    }

    /// A worker's life.
    fn work(&self, me: usize) {
        let mut seen = 0;
        while let Some(generation) = self.enter(seen) {
            seen = generation;
            self.take_part(me);
        }
    }

    /// A pool's task: takes part in a job, if one goes on.
    fn visit(&self, me: usize) {
        let open = |gate: u64| (gate & OPEN != 0).then_some(gate + 1);
        loop {
            if self.gate.fetch_update(Ordering::AcqRel, Ordering::Acquire, open).is_ok() {
                return self.take_part(me);
            }
            self.asked[me].0.store(false, Ordering::SeqCst);
            // A job that has begun meanwhile may have found the flag up, and asked nobody.
            if self.gate.load(Ordering::SeqCst) & OPEN == 0 || self.asked[me].0.swap(true, Ordering::SeqCst) {
                return;
            }
        }
    }

    /// Runs the job, once inside the gate, and leaves.
    fn take_part(&self, me: usize) {
        let job = *self.job.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(JobPointer(job)) = job {
            // SAFETY: inside the gate the caller of `run` waits, so the job is alive.
            self.guarded(|| unsafe { (*job)(&mut Crew { shared: Some(self), me, stage: 0 }) });
        }
        // Before the gate is left: who runs the next job asks again.
        self.asked[me].0.store(false, Ordering::SeqCst);
        self.gate.fetch_sub(1, Ordering::Release);
    }

    /// Opens a stage. Only who has finished the one before does it, or the caller before any.
    fn open(&self, stage: u32) {
        self.done.0.store(0, Ordering::Relaxed);
        for claim in &self.claims {
            claim.0.store(u64::from(stage) << 32, Ordering::Relaxed);
        }
        self.stage.0.store(stage, Ordering::Release);
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
    me: usize,
    stage: u32,
}

impl Crew<'_> {
    /// Which participant this is: below the number of workers, another for each.
    pub(crate) fn me(&self) -> usize {
        self.me
    }

    /// A stage: every block is run once, by somebody; returns when all are done. Who finishes the last one calls `then`
    /// before the next stage begins.
    ///
    /// Everybody calls it with the same number of blocks.
    pub(crate) fn each(&mut self, blocks: usize, work: impl Fn(usize), then: impl Fn()) {
        if blocks == 0 {
            return;
        }
        let Some(shared) = self.shared else {
            (0..blocks).for_each(work);
            return then();
        };
        let stage = self.stage;
        self.stage += 1;
        let workers = shared.claims.len();
        let share = |worker: usize| blocks * worker / workers..blocks * (worker + 1) / workers;
        for worker in (self.me..workers).chain(0..self.me) {
            let (share, claims) = (share(worker), &shared.claims[worker].0);
            let mut claim = claims.load(Ordering::Acquire);
            // Another stage's number: this one is over.
            while (claim >> 32) as u32 == stage && (claim as u32 as usize) < share.len() {
                if let Err(now) = claims.compare_exchange_weak(claim, claim + 1, Ordering::AcqRel, Ordering::Acquire) {
                    claim = now;
                    continue;
                }
                let block = share.start + claim as u32 as usize;
                shared.guarded(|| work(block));
                if shared.done.0.fetch_add(1, Ordering::AcqRel) as usize + 1 == blocks {
                    shared.guarded(&then);
                    return shared.open(stage + 1);
                }
                claim = claims.load(Ordering::Acquire);
            }
        }
        let mut spins = 0;
        while shared.stage.0.load(Ordering::Acquire) <= stage && !shared.aborted.load(Ordering::Relaxed) {
            pause(&mut spins);
        }
    }
}
