//! What the machine allows: bytes a second at each cache level, square roots and divisions a second on each lane type.
//!
//! The triad a = b + s c is McCalpin's (STREAM, 1995), and counted as there: two reads and a write, 12 bytes a number.

use crate::entry::Entry;
use seidel_kernels::lanes::{Dispatch, Kernel, Mask};
use seidel_kernels::{Isa, Kind, Lanes};
use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// The limits of this machine, measured.
#[derive(Clone, Debug)]
pub struct Limits {
    levels: Vec<Level>,
    lanes: Vec<LaneLimits>,
}

/// A cache, or the memory behind all of them.
#[derive(Clone, Debug)]
struct Level {
    name: String,
    /// Bytes; the memory has no end.
    capacity: usize,
    /// Each core has its own.
    private: bool,
    /// Triad in GB/s a core, by one core alone and by two at once.
    triad: [f64; 2],
}

/// In ns a lane.
#[derive(Clone, Copy, Debug)]
struct LaneLimits {
    isa: Isa,
    root_and_division: f64,
    division: f64,
}

/// What a sweep cannot do without.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// Of the sweep.
    pub constraints: usize,
    /// That they hold.
    pub particles: usize,
    /// Of the constraints.
    pub kind: Kind,
}

/// Square roots and divisions of one projection, as the equation is written in kinds/src/constraint/; the quotient of
/// XPBD's eq. 18 alone for kinds that are not named here.
fn roots_and_divisions(kind: &Kind) -> (f64, f64) {
    match kind.name() {
        "distance" | "rope" | "stretch" | "shear" => (1.0, 1.0),
        "dihedral" => (1.0, 5.0),
        _ => (0.0, 1.0),
    }
}

impl Need {
    /// Bytes of a sweep that reads and writes everything once: position and inverse mass (16 bytes a particle) read,
    /// displacement (16) read and written, parameters (4 each) read. Indices could be none.
    fn traffic(&self) -> f64 {
        (48 * self.particles + self.parameters()) as f64
    }

    /// Bytes that lie somewhere between two sweeps.
    fn resident(&self) -> usize {
        32 * self.particles + self.parameters()
    }

    fn parameters(&self) -> usize {
        4 * self.kind.params().len() * self.constraints
    }
}

impl Limits {
    /// Measures for about so long.
    #[must_use]
    pub fn measure(time: Duration) -> Limits {
        let mut levels = caches();
        let isas = Isa::available();
        let each = time / (2 * levels.len() + 2 * isas.len()) as u32;
        for level in &mut levels {
            level.triad = [1, 2].map(|threads| triad(level.arrays(), threads, each));
        }
        let lanes = isas.into_iter().map(|isa| LaneLimits {
            isa,
            root_and_division: fastest(each, || isa.dispatch(Divide::<true>)),
            division: fastest(each, || isa.dispatch(Divide::<false>)),
        });
        Limits { levels, lanes: lanes.collect() }
    }

    /// The least time that a sweep takes on this machine, in ns a constraint: that of its square roots and divisions on
    /// the widest lanes, or that of its memory traffic, whichever is longer. The traffic is that of one pass over
    /// particles and parameters, at the triad's rate in the smallest cache that holds all of them.
    #[must_use]
    pub fn sweep(&self, need: &Need, threads: usize) -> Option<f64> {
        let widest = self.lanes.last()?;
        let (roots, divisions) = roots_and_divisions(&need.kind);
        let root = (widest.root_and_division - widest.division).max(0.0);
        let units = (roots * root + divisions * widest.division) / threads as f64;
        let fits = |level: &&Level| {
            let share = if level.private { need.resident().div_ceil(threads) } else { need.resident() };
            share <= level.capacity
        };
        let level = self.levels.iter().find(fits)?;
        let rate = level.triad[usize::from(threads > 1)] * threads as f64;
        Some(units.max(need.traffic() / rate / need.constraints as f64))
    }

    /// As figures of the machine.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let machine = |work: &str, lanes: &str, threads, value, unit| Entry {
            engine: "machine".to_owned(),
            ..Entry::here(work, lanes, threads, value, unit)
        };
        let triads = self.levels.iter().flat_map(|level| {
            let of = |threads: usize| {
                machine(
                    &format!("limit-triad-{}", level.name),
                    Isa::detect().name(),
                    threads,
                    level.triad[threads - 1],
                    "GB/s a core",
                )
            };
            [of(1), of(2)]
        });
        let lanes = self.lanes.iter().flat_map(|lanes| {
            let of = |work, value| machine(work, lanes.isa.name(), 1, value, "ns/lane");
            [of("limit-sqrt-div", lanes.root_and_division), of("limit-div", lanes.division)]
        });
        triads.chain(lanes).collect()
    }
}

impl Level {
    /// Bytes of the three arrays of a triad in this level: half of a core's own cache, a quarter of a shared one,
    /// several times all caches of the memory.
    fn arrays(&self) -> usize {
        match (self.capacity, self.private) {
            (usize::MAX, _) => 192 << 20,
            (bytes, true) => bytes / 2,
            (bytes, false) => bytes / 4,
        }
    }
}

/// The data caches of the first core, as Linux tells, or usual ones; and the memory.
fn caches() -> Vec<Level> {
    let level = |name: &str, capacity, private| Level { name: name.to_owned(), capacity, private, triad: [0.0; 2] };
    let mut levels: Vec<Level> = (0..8)
        .filter_map(|index| {
            let read = |what: &str| {
                let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}");
                std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
            };
            let kilobytes: usize = read("size")?.strip_suffix('K')?.parse().ok()?;
            let number = read("level")?;
            (read("type")? != "Instruction").then(|| level(&format!("l{number}"), kilobytes << 10, number != "3"))
        })
        .collect();
    if levels.is_empty() {
        levels = vec![level("l1", 32 << 10, true), level("l2", 1 << 20, true), level("l3", 16 << 20, false)];
    }
    levels.push(level("memory", usize::MAX, false));
    levels
}

/// The smallest of the times that work gives.
fn fastest(time: Duration, mut work: impl FnMut() -> f64) -> f64 {
    let (begin, mut best) = (Instant::now(), work());
    while begin.elapsed() < time {
        best = best.min(work());
    }
    best
}

/// Numbers in a cache line.
const LINE: usize = 16;

/// GB/s a core of a triad whose arrays take so many bytes.
fn triad(bytes: usize, threads: usize, time: Duration) -> f64 {
    // Whole lines in an array, and some between the arrays: at the same offset of a page, loads would wait for stores.
    let (count, gap) = ((bytes / (3 * 4 * LINE)).max(1) * LINE, 17 * LINE);
    // About a tenth of a millisecond.
    let passes = (10_000_000 / bytes).max(1);
    let barrier = Barrier::new(threads);
    let alone = || {
        let mut memory = vec![1.0; 3 * count + 2 * gap + LINE];
        let first = memory.as_ptr().align_offset(4 * LINE).min(LINE);
        let (a, rest) = memory[first..].split_at_mut(count);
        let (b, c) = (&rest[gap..gap + count], &rest[count + 2 * gap..][..count]);
        let once = |a: &mut [f32]| {
            let start = Instant::now();
            Isa::detect().dispatch(Triad { a, b, c, s: black_box(0.5), passes });
            start.elapsed().as_nanos() as f64
        };
        once(a);
        barrier.wait();
        // bytes / ns = GB/s
        (12 * count * passes) as f64 / fastest(time, || once(a))
    };
    let sum: f64 = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(alone)).collect();
        all.into_iter().map(|thread| thread.join().unwrap_or(0.0)).sum()
    });
    sum / threads as f64
}

struct Triad<'a> {
    a: &'a mut [f32],
    b: &'a [f32],
    c: &'a [f32],
    s: f32,
    passes: usize,
}

impl Kernel for Triad<'_> {
    type Output = ();

    /// Plain loops: the compiler makes them of the instructions that it is allowed here.
    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Triad { a, b, c, s, passes } = self;
        for _ in 0..passes {
            for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                *a = b + s * c;
            }
            black_box(&mut *a);
        }
    }
}

/// Divisions, with or without a square root each, in registers; ns a lane.
struct Divide<const ROOT: bool>;

impl<const ROOT: bool> Kernel for Divide<ROOT> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> f64 {
        // So many that none waits for the one before it, and all have a register.
        const CHAINS: usize = 10;
        const TIMES: usize = 500;
        let one = L::set(black_box(1.25));
        let mut x = [one; CHAINS];
        let start = Instant::now();
        for _ in 0..TIMES {
            for x in &mut x {
                *x = one / if ROOT { x.sqrt() } else { *x };
            }
        }
        let mut positive = 0;
        for x in x {
            positive += x.gt(L::zero()).count();
        }
        black_box(positive);
        start.elapsed().as_nanos() as f64 / (TIMES * CHAINS * L::WIDTH) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seidel::kinds::DISTANCE;

    fn limits() -> Limits {
        let level = |name: &str, capacity, private, triad| Level { name: name.to_owned(), capacity, private, triad };
        Limits {
            levels: vec![level("l1", 32 << 10, true, [300.0, 300.0]), level("memory", usize::MAX, false, [24.0, 12.0])],
            lanes: vec![LaneLimits { isa: Isa::PORTABLE, root_and_division: 0.25, division: 0.1 }],
        }
    }

    #[test]
    fn small_work_is_limited_by_units_and_large_by_memory() {
        let limits = limits();
        let small = Need { constraints: 1000, particles: 250, kind: DISTANCE };
        assert_eq!(limits.sweep(&small, 1), Some(0.25));
        assert_eq!(limits.sweep(&small, 2), Some(0.125));
        // 12 bytes of particles and 4 of rest length.
        let large = Need { constraints: 4_000_000, particles: 1_000_000, kind: DISTANCE };
        assert_eq!(limits.sweep(&large, 1), Some(16.0 / 24.0));
        assert_eq!(limits.sweep(&large, 2), Some(16.0 / 24.0));
    }

    #[test]
    fn the_machine_has_limits() {
        let entries = Limits::measure(Duration::from_millis(1)).entries();
        assert!(
            entries.len() >= 2 * 2 + 2 * 2 && entries.iter().all(|e| e.value > 0.0 && e.value.is_finite()),
            "{entries:?}"
        );
    }
}
