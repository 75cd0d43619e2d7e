//! How far clusters travel against each other in a substep: what is known of a pair of clusters holds until it has
//! travelled far enough.
//!
//! ```text
//!   displacement(x) = shift + turn cross (x - middle) + what is left,  |x - middle| <= extent      of each particle of a cluster
//! ```
//! For a particle p of the first and q of the second cluster:
//!
//! ```text
//!   way(p) - way(q) = e + turn2 cross (p - q),  |(p - q) + turn2 cross (p - q)| >= |p - q|
//!   e = (shift1 - shift2) - turn2 cross (middle1 - middle2) + (turn1 - turn2) cross (p - middle1) + what is left
//! ```
//! So what turns together keeps its distances, and |e| bounds how much nearer two clusters come.

use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::{BATCH, Chunk, InChunks, Isa, Pack, Row, V3};

/// Allowances for f32 rounding: a factor on sums, and a part of the terms that cancel in them.
const OUTWARDS: f64 = 1.0 + 1e-5;
const CANCELS: f64 = 1e-6;

/// How a cluster moves in a substep, in four rows of one cache line. Metres; the turn in radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct ClusterMotion {
    /// [x, y, z, r]: no particle's displacement differs from this one by more than r.
    pub mean: Row,
    /// [x, y, z, extent]
    pub middle: Row,
    /// [x, y, z, left]: |displacement(x) - (shift + turn cross (x - middle))| <= left.
    pub shift: Row,
    /// [x, y, z, -]
    pub turn: Row,
}

/// Numbers in a motion, counted in pairs.
const PAIRS_A_MOTION: u32 = 8;

/// The same in lanes.
#[derive(Clone, Copy, Debug)]
struct MotionOf<L> {
    mean: V3<L>,
    radius: L,
    middle: V3<L>,
    extent: L,
    shift: V3<L>,
    left: L,
    turn: V3<L>,
}

impl<L: Lanes<Elem = f32>> MotionOf<L> {
    #[inline(always)]
    fn travel(&self, other: &MotionOf<L>) -> L {
        let (outwards, cancels) = (L::splat(OUTWARDS), L::splat(CANCELS));
        let shifted = ((self.mean - other.mean).length() + (self.radius + other.radius)) * outwards;
        let (off, shift) = (self.middle - other.middle, self.shift - other.shift);
        let twist = (self.turn - other.turn).length();
        let first = (shift - other.turn.cross(off)).length() + twist * self.extent;
        let second = (shift - self.turn.cross(off)).length() + twist * other.extent;
        let terms =
            (self.shift.length() + other.shift.length()) + (self.turn.length() + other.turn.length()) * off.length();
        let e = first.smaller(second) + (self.left + other.left);
        let e = e * outwards + terms * cancels;
        // An overflow gives no bound.
        let e = L::select(e.finite(), e, L::splat(f64::INFINITY));
        shifted.smaller(e)
    }
}

impl ClusterMotion {
    /// A bound on how much nearer particles of two clusters come to each other, metres.
    #[must_use]
    pub fn travel(&self, other: &ClusterMotion) -> f32 {
        self.read().travel(&other.read())
    }

    fn read(&self) -> MotionOf<f32> {
        let xyz = |[x, y, z, _]: Row| V3::new(x, y, z);
        MotionOf {
            mean: xyz(self.mean),
            radius: self.mean[3],
            middle: xyz(self.middle),
            extent: self.middle[3],
            shift: xyz(self.shift),
            left: self.shift[3],
            turn: xyz(self.turn),
        }
    }
}

/// A row of motions.
///
/// # Safety
/// As for [`gather`]; `k` is below 4.
#[inline(always)]
unsafe fn row<L: Lanes<Elem = f32>>(motions: *const ClusterMotion, k: usize, at: *const u32) -> [L; 4] {
    // SAFETY: the caller promises motions at `WIDTH` places, and `k` below 4; a motion has four rows.
    unsafe { L::transpose(L::load_rows(motions.cast::<Row>().add(k).cast(), at)) }
}

/// # Safety
/// There are motions at each of the `WIDTH` places from `at` on.
#[inline(always)]
unsafe fn gather<L: Lanes<Elem = f32>>(motions: *const ClusterMotion, at: *const u32) -> MotionOf<L> {
    // SAFETY: the caller promises the motions; each has four rows.
    let [[ax, ay, az, radius], [bx, by, bz, extent], [cx, cy, cz, left], [dx, dy, dz, _]] = unsafe {
        [row::<L>(motions, 0, at), row::<L>(motions, 1, at), row::<L>(motions, 2, at), row::<L>(motions, 3, at)]
    };
    MotionOf {
        mean: V3::new(ax, ay, az),
        radius,
        middle: V3::new(bx, by, bz),
        extent,
        shift: V3::new(cx, cy, cz),
        left,
        turn: V3::new(dx, dy, dz),
    }
}

/// Pairs of clusters, sixteen by sixteen, how far each has travelled, and when it is to be looked at again.
#[derive(Clone, Debug, Default)]
pub struct Travelling {
    each: Vec<Sixteen>,
    count: usize,
    clusters: usize,
}

#[derive(Clone, Debug)]
struct Sixteen {
    /// The clusters' rows, counted in pairs of numbers.
    at: [Pack<u32>; 2],
    path: Pack<f32>,
    now: Pack<f32>,
    until: [Pack<f32>; 2],
}

/// Which of two times a pair waits for: before contacts are solved, or the end of a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Before contacts are solved.
    Contacts,
    /// At the end of a substep.
    End,
}

impl Travelling {
    /// Removes all pairs.
    pub fn clear(&mut self) {
        self.each.clear();
        (self.count, self.clusters) = (0, 0);
    }

    /// Number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Fills everything with NaN.
    pub fn poison(&mut self) {
        let nothing = Pack([f32::NAN; BATCH]);
        self.each.iter_mut().for_each(|of| (of.path, of.now, of.until) = (nothing, nothing, [nothing; 2]));
    }

    /// Adds a pair that has travelled nowhere and is to be looked at.
    pub fn push(&mut self, clusters: [u32; 2]) {
        let (sixteen, lane) = (self.count / BATCH, self.count % BATCH);
        if lane == 0 {
            let (zero, never) = (Pack([0.0; BATCH]), Pack([f32::INFINITY; BATCH]));
            let at = clusters.map(|cluster| Pack([cluster * PAIRS_A_MOTION; BATCH]));
            self.each.push(Sixteen { at, path: zero, now: zero, until: [never; 2] });
        }
        let of = &mut self.each[sixteen];
        for (at, cluster) in of.at.iter_mut().zip(clusters) {
            at.0[lane] = cluster * PAIRS_A_MOTION;
            self.clusters = self.clusters.max(cluster as usize + 1);
        }
        of.until.iter_mut().for_each(|until| until.0[lane] = f32::NEG_INFINITY);
        self.count += 1;
    }

    /// How far a pair has travelled, metres: up to the start of this substep, and in it.
    #[must_use]
    pub fn travelled(&self, pair: usize) -> [f32; 2] {
        let of = &self.each[pair / BATCH];
        [of.path.0[pair % BATCH], of.now.0[pair % BATCH]]
    }

    /// Sets how far a pair has travelled.
    pub fn set_travelled(&mut self, pair: usize, [path, now]: [f32; 2]) {
        let of = &mut self.each[pair / BATCH];
        (of.path.0[pair % BATCH], of.now.0[pair % BATCH]) = (path, now);
    }

    /// Sets the travel from which on a pair is to be looked at.
    pub fn set_until(&mut self, pair: usize, wait: Wait, until: f32) {
        self.each[pair / BATCH].until[wait as usize].0[pair % BATCH] = until;
    }

    /// Finds how far pairs travel in this substep; with `first`, adds the last substep's to their path. `wake` gets
    /// those that are to be looked at, ascending.
    ///
    /// # Panics
    /// If a cluster is not there.
    pub fn travel(&mut self, isa: Isa, motions: &[ClusterMotion], first: bool, wait: Wait, wake: &mut Vec<u32>) {
        assert!(self.clusters <= motions.len(), "clusters of others");
        wake.clear();
        isa.dispatch(Travel { of: self, motions, first, wait, wake });
    }
}

struct Travel<'a> {
    of: &'a mut Travelling,
    motions: &'a [ClusterMotion],
    first: bool,
    wait: Wait,
    wake: &'a mut Vec<u32>,
}

impl Kernel for Travel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl Travel<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        let Travel { of, motions, first, wait, wake } = self;
        for (number, sixteen) in of.each.iter_mut().enumerate() {
            let mut lanes = 0;
            for chunk in Chunk::<L>::all() {
                let [a, b] = [chunk.of(&sixteen.at[0].0), chunk.of(&sixteen.at[1].0)];
                // SAFETY: `travel` found the clusters among the motions.
                let (a, b) = unsafe { (gather::<L>(motions.as_ptr(), a), gather::<L>(motions.as_ptr(), b)) };
                let travel = a.travel(&b);
                let mut gone = sixteen.path.load(chunk);
                if first {
                    gone = gone + sixteen.now.load(chunk);
                    sixteen.path.store(chunk, gone);
                }
                sixteen.now.store(chunk, travel);
                let until = sixteen.until[wait as usize].load(chunk);
                lanes |= (gone + travel).ge(until).bits() << chunk.first();
            }
            let mut lanes = lanes as u16;
            while lanes != 0 {
                wake.push((number * BATCH) as u32 + lanes.trailing_zeros());
                lanes &= lanes - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn motion() -> impl Strategy<Value = ClusterMotion> {
        let row = || prop::array::uniform4(-1.0f32..1.0);
        (row(), row(), row(), row(), any::<bool>()).prop_map(|(mean, middle, shift, turn, lost)| {
            let last = |[x, y, z, w]: Row| [x, y, z, w.abs()];
            let shift = if lost { [0.0, 0.0, 0.0, f32::INFINITY] } else { last(shift) };
            ClusterMotion { mean: last(mean), middle: last(middle), shift, turn }
        })
    }

    proptest! {
        /// On all lanes each pair travels as two motions do, wakes when it has travelled as far as it waits for, and
        /// goes on from there.
        #[test]
        fn pairs_wake_when_they_have_travelled_far_enough(
            motions in prop::collection::vec(motion(), 7),
            pairs in prop::collection::vec((0u32..7, 0u32..7, 0.0f32..6.0), 1..40),
        ) {
            for isa in Isa::available() {
                let (mut travelling, mut awake) = (Travelling::default(), Vec::new());
                pairs.iter().for_each(|&(a, b, _)| travelling.push([a, b]));
                travelling.travel(isa, &motions, true, Wait::End, &mut awake);
                prop_assert!(awake.iter().copied().eq(0..pairs.len() as u32), "new pairs are looked at");
                for (number, &(.., until)) in pairs.iter().enumerate() {
                    travelling.set_until(number, Wait::End, until);
                    travelling.set_until(number, Wait::Contacts, f32::INFINITY);
                }
                travelling.travel(isa, &motions, true, Wait::End, &mut awake);
                let mut expected = Vec::new();
                for (number, &(a, b, until)) in pairs.iter().enumerate() {
                    let travel = motions[a as usize].travel(&motions[b as usize]);
                    prop_assert_eq!(travelling.travelled(number).map(f32::to_bits), [travel, travel].map(f32::to_bits), "{:?}", isa);
                    if travel + travel >= until {
                        expected.push(number as u32);
                    }
                }
                prop_assert_eq!(&awake, &expected, "{:?}", isa);
                travelling.travel(isa, &motions, false, Wait::Contacts, &mut awake);
                let fast = |&number: &u32| travelling.travelled(number as usize).iter().sum::<f32>() == f32::INFINITY;
                prop_assert!(awake.iter().all(fast), "nothing else waits for contacts");
            }
        }
    }
}
