//! Workers: threads that help the caller through a step.
//!
//! The caller alone walks through the step, from top to bottom, in one region ([`Workers::run`]); helpers come in and
//! wait. A stage ([`Crew::each`]) is a number of blocks, which the caller and the helpers take; the caller goes on when
//! all are done. What stands between two stages, it does alone. Stages with nothing between them are one sequence
//! ([`Crew::in_turn`]): whoever finishes the last block of one opens the next, which saves a message between
//! processors. A helper that never comes is never waited for, and one that comes late takes what is left. Who takes
//! which block changes nothing in the result.
//!
//! Each worker has a share of the blocks, the same in every stage of as many, so that they stay in its cache; when its
//! own share is taken, it goes on with what is left of the others'. What a worker has to know of a stage stands in one
//! cache line, its seat: the work, its stage, and a word with the next block of its share and the end of it. A message
//! to another processor takes as long as a thousand instructions, so a stage costs a worker two: its seat, and `left`,
//! from which it takes what it has done of a share at once.
//!
//! ```text
//!  open     left = blocks; of each seat with blocks work = &closures, stage, claim = share
//!  anybody  claim: next -> next + 1, if next < end             takes a block: only now work and stage are looked at
//!           work.run(stage, block)
//!           left -= blocks done of this share                  the last opens the next stage, or says that the sequence is finished
//!  caller   waits until it is finished                         no block is taken and not done
//! ```
//! Whoever takes a block has seen the claim that was written behind `work` and `stage`, which do not change before the
//! block is done: so the work is alive. A claim that was read long ago changes nothing, for it is compared when it is
//! taken.
//!
//! A worker looks at the others' seats only after it has found blocks in its own. None is forgotten, even if its worker
//! never comes: shares without blocks stand behind all others, and of the last present worker before a seat with
//! blocks, either it takes its own and goes on to that seat, or somebody else has taken them and does.

#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, not(loom)))]
mod tests;

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;

use crate::claims::{Stage, within};
use crate::sync::thread::{self, JoinHandle};
use crate::sync::{Arc, AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Mutex, Ordering, hint};

/// A rayon pool that helps with steps.
#[derive(Clone, Debug)]
pub enum Pool {
    /// Rayon's global pool.
    Global,
    /// This one.
    Of(std::sync::Arc<rayon::ThreadPool>),
}

/// A sequence of stages.
#[derive(Clone, Copy)]
struct Work<'a> {
    stages: usize,
    /// Number of blocks of a stage.
    blocks: &'a (dyn Fn(usize) -> usize + Sync),
    /// What is done with a block: the worker's number, which no two have at a time, the stage and the block.
    run: &'a (dyn Fn(usize, usize, usize) + Sync),
}

/// The threads beside the caller's own; parked while there is nothing to do.
pub struct Workers {
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

/// What a worker has to know of a stage.
#[derive(Default)]
struct Seat {
    claim: AtomicU64,
    /// The sequence, on the caller's stack, and the stage of it.
    work: AtomicPtr<Work<'static>>,
    stage: AtomicUsize,
}

/// The blocks of a share that nobody has taken: next << 32 | end.
#[derive(Clone, Copy)]
struct Claim(u64);

impl Claim {
    fn new(share: Range<usize>) -> Claim {
        Claim((share.start as u64) << 32 | share.end as u64)
    }

    /// The next block, if there is one.
    fn block(self) -> Option<usize> {
        let (next, end) = (self.0 >> 32, self.0 & u64::from(u32::MAX));
        (next < end).then_some(next as usize)
    }

    /// The same without its next block.
    fn taken(self) -> Claim {
        Claim(self.0 + (1 << 32))
    }
}

struct Shared {
    /// Whether a region goes on.
    open: AtomicBool,
    seats: Vec<Padded<Seat>>,
    /// Blocks of the stage that are not done.
    left: Padded<AtomicU32>,
    /// Whether all stages are over.
    finished: Padded<AtomicBool>,
    /// Of each worker: a pool's task is on its way or inside.
    asked: Vec<Padded<AtomicBool>>,
    /// The first panic of a sequence.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    panicked: AtomicBool,
    quit: AtomicBool,
}

const SPINS_BEFORE_YIELD: u32 = 200;
/// Spins after which a waiting caller looks at all seats: none is forgotten without that, but nobody has to be sure.
const SPINS_BEFORE_LOOK: u32 = 256;
/// Spins (some 20 microseconds) before a worker parks: the next step often follows at once. In a model one is as good
/// as many.
const SPINS_BEFORE_PARK: u32 = if cfg!(loom) { 1 } else { 4_000 };

impl Workers {
    /// Starts `threads - 1` threads; fewer if the system refuses some (none where there are no threads).
    pub fn new(threads: usize) -> Workers {
        let shared = Arc::new(Shared::new(threads));
        let start = |me: usize| {
            let shared = Arc::clone(&shared);
            thread::Builder::new().name(format!("seidel-{me}")).spawn(move || shared.live(me)).ok()
        };
        let threads = (1..threads).map_while(start).collect();
        Workers { shared, threads, pool: None }
    }

    /// Starts none: a pool's tasks come in instead, at most `threads - 1`, if and when it has time.
    pub fn in_pool(threads: usize, pool: Pool) -> Workers {
        Workers {
            shared: Arc::new(Shared::new(threads)),
            threads: Vec::new(),
            pool: Some(pool).filter(|_| threads > 1),
        }
    }

    /// Number of threads, the caller's included.
    pub fn count(&self) -> usize {
        if self.pool.is_some() { self.shared.seats.len() } else { self.threads.len() + 1 }
    }

    /// A region: runs the job on the caller, whose stages are shared with whoever comes. A panic of any of them comes
    /// out here.
    ///
    /// Neither the job nor its blocks wait for a rayon pool: the pool's threads may all be helping here.
    pub fn run<R>(&mut self, job: impl FnOnce(&mut Crew<'_>) -> R) -> R {
        if self.count() == 1 {
            return job(&mut Crew { shared: None });
        }
        let shared = Arc::clone(&self.shared);
        let _region = Region::open(&shared);
        for thread in &self.threads {
            thread.thread().unpark();
        }
        self.ask();
        job(&mut Crew { shared: Some(&self.shared) })
    }

    /// Asks for a pool's tasks: of each worker one at a time, for a busy pool's would only heap up. Where there is no
    /// pool to be had, the caller is alone.
    fn ask(&mut self) {
        let Some(pool) = &self.pool else { return };
        for me in 1..self.shared.seats.len() {
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
                // It will not be built next time either.
                self.pool = None;
                return;
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

/// Ends the process where a panic would leave a frame that others work in. Panics of work are caught; there is no other
/// known.
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        std::process::abort();
    }
}

/// Waits a moment: busily at first, then giving the processor away.
fn pause(spins: &mut u32) {
    *spins = spins.saturating_add(1);
    // A model never lets a thread go first that only waits, if it says so.
    if *spins < SPINS_BEFORE_YIELD && !cfg!(loom) { hint::spin_loop() } else { thread::yield_now() }
}

impl Shared {
    fn new(workers: usize) -> Shared {
        Shared {
            open: AtomicBool::new(false),
            seats: (0..workers).map(|_| Padded::default()).collect(),
            left: Padded::default(),
            finished: Padded::default(),
            asked: (0..workers).map(|_| Padded::default()).collect(),
            panic: Mutex::new(None),
            panicked: AtomicBool::new(false),
            quit: AtomicBool::new(false),
        }
    }

    /// Whether there are blocks in a worker's share.
    fn has_blocks(&self, me: usize) -> bool {
        Claim(self.seats[me].0.claim.load(Ordering::Acquire)).block().is_some()
    }

    /// A thread's life: parked between regions.
    fn live(&self, me: usize) {
        let (mut spins, mut idle) = (0, 0);
        while !self.quit.load(Ordering::Acquire) {
            if self.has_blocks(me) {
                (spins, idle) = (0, 0);
                self.help(me);
            } else if self.open.load(Ordering::Relaxed) {
                pause(&mut spins);
            } else if idle < SPINS_BEFORE_PARK {
                idle += 1;
                hint::spin_loop();
            } else {
                thread::park();
            }
        }
    }

    /// A pool's task: takes part in a region, if one goes on.
    fn visit(&self, me: usize) {
        loop {
            let mut spins = 0;
            while self.open.load(Ordering::SeqCst) {
                if self.has_blocks(me) {
                    spins = 0;
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

    /// Goes on with a stage of the sequence; the one before is over.
    ///
    /// # Safety
    /// The work is alive until `finished` is set, or the last claim of a stage is out; it is not looked at after that.
    unsafe fn go_on(&self, me: usize, work: *const Work<'_>, mut stage: usize) {
        // By value: a reference as an argument would have to live as long as this call, which ends after the work does.
        // SAFETY: the caller keeps the work alive until `finished` is set.
        let Work { stages, blocks, run } = unsafe { *work };
        let blocks = |stage: usize| {
            let blocks = blocks(stage);
            assert!(blocks < u32::MAX as usize, "{blocks} blocks");
            blocks
        };
        while stage < stages && !self.panicked.load(Ordering::Relaxed) {
            match self.guarded(|| blocks(stage)).unwrap_or(0) {
                0 => {}
                // Not worth telling.
                1 => drop(self.guarded(|| run(me, stage, 0))),
                blocks => return self.open(work, stage, blocks),
            }
            stage += 1;
        }
        self.finished.0.store(true, Ordering::Release);
    }

    fn open(&self, work: *const Work<'_>, stage: usize, blocks: usize) {
        self.left.0.store(blocks as u32, Ordering::Relaxed);
        // Shares differ by one block at most, and the larger ones come first.
        let (each, more) = (blocks / self.seats.len(), blocks % self.seats.len());
        let first = |worker: usize| worker * each + worker.min(more);
        // Seats without blocks are left alone: once the last block is out, others may have opened the next stage, or
        // ended the sequence.
        for (worker, seat) in self.seats.iter().enumerate().take(blocks) {
            seat.0.work.store(work.cast_mut().cast(), Ordering::Relaxed);
            seat.0.stage.store(stage, Ordering::Relaxed);
            seat.0.claim.store(Claim::new(first(worker)..first(worker + 1)).0, Ordering::Release);
        }
    }

    /// Takes blocks for as long as there are some, first of its own share.
    fn help(&self, me: usize) {
        let bomb = AbortOnUnwind;
        let workers = self.seats.len();
        for worker in (me..workers).chain(0..me) {
            self.take(me, &self.seats[worker].0);
        }
        std::mem::forget(bomb);
    }

    /// Does the blocks of a share that nobody has taken.
    fn take(&self, me: usize, Seat { claim: share, work, stage }: &Seat) {
        let (mut claim, mut done) = (Claim(share.load(Ordering::Acquire)), 0);
        let mut last = None;
        while let Some(block) = claim.block() {
            let taken = share.compare_exchange_weak(claim.0, claim.taken().0, Ordering::AcqRel, Ordering::Acquire);
            if let Err(now) = taken {
                claim = Claim(now);
                continue;
            }
            let (work, stage) = (work.load(Ordering::Relaxed).cast_const(), stage.load(Ordering::Relaxed));
            // SAFETY: the block's claim was published after this work, by `open`, and the caller waits until the
            // sequence is finished, which the end of this block comes before: until then the work is alive.
            let run = unsafe { (*work).run };
            self.guarded(|| run(me, stage, block));
            (done, last) = (done + 1, Some((work, stage)));
            claim = Claim(share.load(Ordering::Acquire));
        }
        // All of one stage: it is not over before `left` says so, and none follows before.
        let Some((work, stage)) = last else { return };
        if self.left.0.fetch_sub(done, Ordering::AcqRel) == done {
            // SAFETY: these were the stage's last blocks, so that the sequence is not finished before `go_on` says so.
            unsafe { self.go_on(me, work, stage + 1) };
        }
    }

    /// Does something; a panic is kept for the caller.
    fn guarded<R>(&self, something: impl FnOnce() -> R) -> Option<R> {
        let done = catch_unwind(AssertUnwindSafe(something));
        done.map_err(|panic| {
            let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            match *first {
                None => *first = Some(panic),
                // Not dropped: that might panic, too, while others are at work.
                Some(_) => std::mem::forget(panic),
            }
            self.panicked.store(true, Ordering::Relaxed);
        })
        .ok()
    }
}

/// The caller inside of a region, and whoever helps.
pub struct Crew<'a> {
    /// None if nobody can help.
    shared: Option<&'a Shared>,
}

impl fmt::Debug for Crew<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Crew({})", self.shared.map_or(1, |shared| shared.seats.len()))
    }
}

// SAFETY: a stage runs each of its blocks once, for each is claimed once, and ends when all have ended.
unsafe impl crate::Executor for Crew<'_> {
    fn threads(&self) -> usize {
        self.shared.map_or(1, |shared| shared.seats.len())
    }

    fn each(&mut self, blocks: usize, work: &(dyn Fn(usize) + Sync)) {
        Crew::each(self, blocks, work);
    }
}

impl Crew<'_> {
    /// A stage: every block is run once, by somebody; returns when all are done.
    pub fn each(&mut self, blocks: usize, work: impl Fn(usize) + Sync) {
        self.each_by(blocks, |_, block| work(block));
    }

    /// The same with the worker's number, below that of the workers; a worker runs one block at a time.
    pub fn each_by(&mut self, blocks: usize, work: impl Fn(usize, usize) + Sync) {
        let stage = Stage::begin(1);
        match self.shared {
            Some(shared) if blocks > 1 => {
                let run = |me, _, block| within(&stage, 0, block, || work(me, block));
                Crew::share(shared, &Work { stages: 1, blocks: &|_| blocks, run: &run });
            }
            // Alone, or not worth telling.
            _ => (0..blocks).for_each(|block| within(&stage, 0, block, || work(0, block))),
        }
        stage.end();
    }

    /// Stages in turn, with nothing between them: each has so many `blocks`, and `work` takes the stage and the block.
    pub fn in_turn(
        &mut self,
        stages: usize,
        blocks: impl Fn(usize) -> usize + Sync,
        work: impl Fn(usize, usize) + Sync,
    ) {
        let claimed = Stage::begin(stages);
        let work = |stage, block| within(&claimed, stage, block, || work(stage, block));
        match self.shared {
            Some(shared) => {
                let run = |_, stage, block| work(stage, block);
                Crew::share(shared, &Work { stages, blocks: &blocks, run: &run });
            }
            None => (0..stages).for_each(|stage| (0..blocks(stage)).for_each(|block| work(stage, block))),
        }
        claimed.end();
    }

    fn share(shared: &Shared, work: &Work<'_>) {
        // Nobody leaves this frame while others may be at work in it.
        let bomb = AbortOnUnwind;
        shared.finished.0.store(false, Ordering::Relaxed);
        // SAFETY: the work is alive until this function returns, and it does not return before the sequence is
        // finished.
        unsafe { shared.go_on(0, work, 0) };
        let mut spins = 0;
        while !shared.finished.0.load(Ordering::Acquire) {
            if shared.has_blocks(0) {
                spins = 0;
                shared.help(0);
            } else {
                pause(&mut spins);
                if spins.is_multiple_of(SPINS_BEFORE_LOOK) {
                    shared.help(0);
                }
            }
        }
        std::mem::forget(bomb);
        if shared.panicked.swap(false, Ordering::Relaxed) {
            let panic = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
            resume_unwind(panic.unwrap_or_else(|| Box::new("a worker panicked")));
        }
    }
}
