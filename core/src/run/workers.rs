//! Workers: threads that help the caller through a step.
//!
//! The caller alone walks through the step, from top to bottom, in one region ([`Workers::run`]); helpers come in and wait. A stage
//! ([`Crew::each`]) is a number of blocks. The caller publishes it, takes part, and goes on when all blocks are done; what stands
//! between two stages, the caller does alone. A helper that never comes is never waited for, and one that comes late takes what
//! is left. Who takes which block changes nothing in the result.
//!
//! Each worker has a share of the blocks, the same in every stage of as many, so that they stay in its cache; when its own share is
//! taken, it goes on with what is left of the others'. A word a worker holds the next block of its share and the end of it:
//!
//! ```text
//!  caller   done = 0, work = &closure, claims[w] = share of w, stage += 1      publishes; the claims come last but one
//!  anybody  claims[w]: next -> next + 1, if next < end                         takes a block: only now the work is looked at
//!  anybody  work(block); done += 1
//!  caller   waits until done = blocks                                          no block is taken and not finished
//! ```
//! Whoever takes a block has seen the claim that was written behind the work, and the caller cannot leave the stage before
//! the block is done: so the work is alive. A claim that was read long ago changes nothing, for it is compared when it is taken.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::{fmt, ptr};

/// A rayon pool that helps with steps.
#[derive(Clone, Debug)]
pub enum Pool {
    /// Rayon's global pool.
    Global,
    /// This one.
    Of(Arc<rayon::ThreadPool>),
}

/// What is done with a block: the worker's number, which no two have at a time, and the block's.
type Work<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// The threads beside the caller's own; parked while there is nothing to do.
pub(crate) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// Instead of threads: a pool, whose tasks are asked in for each region.
    pool: Option<Pool>,
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workers({})", self.count())
    }
}

/// On cache lines of its own: what one worker writes does not slow another's reading.
#[derive(Default)]
#[repr(align(128))]
struct Padded<T>(T);

struct Shared {
    /// Whether a region goes on.
    open: AtomicBool,
    /// Changes with every stage and at the end of a region, so that helpers look.
    stage: Padded<AtomicU32>,
    /// The work of the stage: a pointer to a reference on the caller's stack.
    work: AtomicPtr<&'static Work<'static>>,
    /// Of each worker's share: next block << 32 | end.
    claims: Vec<Padded<AtomicU64>>,
    /// Blocks of the stage that are finished.
    done: Padded<AtomicU32>,
    /// Of each worker: a pool's task is on its way or inside.
    asked: Vec<Padded<AtomicBool>>,
    /// The first panic of a stage.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    panicked: AtomicBool,
    quit: AtomicBool,
}

const SPINS_BEFORE_YIELD: u32 = 200;
/// Spins (some 20 microseconds) before a worker parks: the next step often follows at once.
const SPINS_BEFORE_PARK: u32 = 4_000;

impl Workers {
    /// Starts `threads - 1` threads; fewer if the system refuses some (none where there are no threads).
    pub(crate) fn new(threads: usize) -> Workers {
        let shared = Arc::new(Shared::new(threads));
        let start = |me: usize| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name(format!("seidel-{me}")).spawn(move || shared.live(me)).ok()
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

    /// A region: runs the job on the caller, whose stages are shared with whoever comes. A panic of any of them comes out here.
    pub(crate) fn run<R>(&mut self, job: impl FnOnce(&mut Crew<'_>) -> R) -> R {
        if self.count() == 1 {
            return job(&mut Crew { shared: None });
        }
        let _region = Region::open(&self.shared);
        for thread in &self.threads {
            thread.thread().unpark();
        }
        self.ask();
        job(&mut Crew { shared: Some(&self.shared) })
    }

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

/// A region that goes on, until it is dropped.
struct Region<'a>(&'a Shared);

impl<'a> Region<'a> {
    fn open(shared: &'a Shared) -> Region<'a> {
        shared.open.store(true, Ordering::SeqCst);
        Region(shared)
    }
}

impl Drop for Region<'_> {
    fn drop(&mut self) {
        self.0.open.store(false, Ordering::SeqCst);
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
            open: AtomicBool::new(false),
            stage: Padded::default(),
            work: AtomicPtr::new(ptr::null_mut()),
            claims: (0..workers).map(|_| Padded::default()).collect(),
            done: Padded::default(),
            asked: (0..workers).map(|_| Padded::default()).collect(),
            panic: Mutex::new(None),
            panicked: AtomicBool::new(false),
            quit: AtomicBool::new(false),
        }
    }

    /// A thread's life: parked between regions.
    fn live(&self, me: usize) {
        let (mut seen, mut spins, mut idle) = (0, 0, 0);
        while !self.quit.load(Ordering::Acquire) {
            let stage = self.stage.0.load(Ordering::Acquire);
            if stage != seen {
                (seen, spins, idle) = (stage, 0, 0);
                self.help(me);
            } else if self.open.load(Ordering::Relaxed) {
                pause(&mut spins);
            } else if idle < SPINS_BEFORE_PARK {
                idle += 1;
                std::hint::spin_loop();
            } else {
                std::thread::park();
            }
        }
    }

    /// A pool's task: takes part in a region, if one goes on.
    fn visit(&self, me: usize) {
        loop {
            let (mut seen, mut spins) = (u32::MAX, 0);
            while self.open.load(Ordering::SeqCst) {
                let stage = self.stage.0.load(Ordering::Acquire);
                if stage != seen {
                    (seen, spins) = (stage, 0);
                    self.help(me);
                } else {
                    pause(&mut spins);
                }
            }
            self.asked[me].0.store(false, Ordering::SeqCst);
            // A region that has begun meanwhile may have found the flag up, and asked nobody.
            if !self.open.load(Ordering::SeqCst) || self.asked[me].0.swap(true, Ordering::SeqCst) {
                return;
            }
        }
    }

    /// Publishes a stage; the one before is over.
    fn publish(&self, blocks: usize, work: *mut &Work<'_>) {
        self.done.0.store(0, Ordering::Relaxed);
        self.work.store(work.cast(), Ordering::Relaxed);
        let (blocks, workers) = (blocks as u64, self.claims.len() as u64);
        for (worker, claim) in (0..).zip(&self.claims) {
            let (next, end) = (blocks * worker / workers, blocks * (worker + 1) / workers);
            claim.0.store(next << 32 | end, Ordering::Release);
        }
        self.stage.0.store(self.stage.0.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
    }

    /// Takes blocks for as long as there are some, first of its own share.
    fn help(&self, me: usize) {
        let workers = self.claims.len();
        for worker in (me..workers).chain(0..me) {
            let claims = &self.claims[worker].0;
            let mut claim = claims.load(Ordering::Acquire);
            while claim >> 32 < claim & u64::from(u32::MAX) {
                let taken = claims.compare_exchange_weak(claim, claim + (1 << 32), Ordering::AcqRel, Ordering::Acquire);
                if let Err(now) = taken {
                    claim = now;
                    continue;
                }
                self.finish(me, (claim >> 32) as usize);
                claim = claims.load(Ordering::Acquire);
            }
        }
    }

    /// Does a block that was taken. A panic is kept for the caller.
    fn finish(&self, me: usize, block: usize) {
        let work = self.work.load(Ordering::Relaxed);
        // SAFETY: the block was taken from a claim that was published after this work, by whoever waits until it is done
        // (`Crew::publish`): the work is that stage's and alive.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| unsafe { (*work)(me, block) })) {
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            self.panicked.store(true, Ordering::Relaxed);
        }
        self.done.0.fetch_add(1, Ordering::Release);
    }
}

/// The caller inside of a region, and whoever helps.
pub(crate) struct Crew<'a> {
    /// None if nobody can help.
    shared: Option<&'a Shared>,
}

impl Crew<'_> {
    /// A stage: every block is run once, by somebody; returns when all are done.
    pub(crate) fn each(&mut self, blocks: usize, work: impl Fn(usize) + Sync) {
        self.each_by(blocks, |_, block| work(block));
    }

    /// The same with the worker's number, below that of the workers; a worker runs one block at a time.
    pub(crate) fn each_by(&mut self, blocks: usize, work: impl Fn(usize, usize) + Sync) {
        match self.shared {
            // Alone, or not worth telling.
            None => (0..blocks).for_each(|block| work(0, block)),
            Some(_) if blocks <= 1 => (0..blocks).for_each(|block| work(0, block)),
            Some(shared) => {
                const MOST: usize = u32::MAX as usize;
                for first in (0..blocks).step_by(MOST) {
                    Crew::publish(shared, MOST.min(blocks - first), &|me, block| work(me, first + block));
                }
            }
        }
    }

    fn publish(shared: &Shared, blocks: usize, mut work: &Work<'_>) {
        shared.publish(blocks, &raw mut work);
        shared.help(0);
        let mut spins = 0;
        while shared.done.0.load(Ordering::Acquire) as usize != blocks {
            pause(&mut spins);
        }
        if shared.panicked.swap(false, Ordering::Relaxed) {
            let panic = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
            resume_unwind(panic.unwrap_or_else(|| Box::new("a worker panicked")));
        }
    }
}
