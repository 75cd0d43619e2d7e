//! Pairs of a point and a triangle, or of two edges, that may touch: contacts of deformable bodies with themselves and
//! with each other (Müller et al. 2007, section 4.3; Bridson, Fedkiw, Anderson 2002).
//!
//! ```text
//!   point 0, triangle 1 2 3:  g = x0 - (b1 x1 + b2 x2 + b3 x3)               weights [1, -b1, -b2, -b3]
//!   edges 0 1 and 2 3:        g = (1-s) x0 + s x1 - ((1-t) x2 + t x3)        weights [1-s, s, t-1, -t]
//!   C = |g| - reach >= 0,  n = g / |g|,  dC/dx_k = weight_k n
//! ```
//! with the nearest points of both. Pairs work on rows of their own: where a particle begins the substep
//! ([`Ends::start`]) and where it is now ([`Ends::end`]), so that one gather has what it takes, however a body lies.
//! What they have moved is given back to the displacements ([`Ends::give_back`]).
//!
//! [`Find`] finds the pairs of features of two clusters ([`Corners`]) that may come near in some substeps. Where a
//! sheet lies flat ([`Region`]) none can. Of the others, [`Near`] finds those that are about to touch; [`PairContacts`]
//! pushes apart what is too near; and [`Watch`] finds, at the end of the substep, the pairs of which it cannot show
//! that they have stayed apart on the whole straight way. [`sure`] asks again, in f64, of those.

mod corners;
mod ends;
mod find;
mod flat;
mod hulls;
mod near;
mod nearest;
mod reach;
mod solve;
pub mod sure;
mod travel;
mod watch;

pub use corners::{Corners, FeatureBoxes};
pub use ends::Ends;
pub use find::{Find, Numbered, Pairs, Wanted};
pub use flat::{Deformed, Gradients, Region, Triangles};
pub use hulls::Hulls;
pub use near::{Found, Near};
pub use nearest::Nearest;
pub use reach::{Group, Reaches};
pub use solve::{Opening, PairContacts, RECORD, Touched};
pub use travel::{ClusterMotion, Travelling, Wait};
pub use watch::Watch;

use crate::lanes::{Lanes, Mask};
use crate::{BATCH, Chunk, InChunks, Pack, Row, V3};

/// What a pair is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Features {
    /// A particle, and the three of a triangle.
    PointTriangle,
    /// The two particles of an edge, and of another.
    EdgeEdge,
}

/// A pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The rows of its four particles: a point and a triangle's, or two edges'.
    pub rows: [u32; 4],
    /// Distance that it keeps, metres.
    pub reach: f32,
    /// Friction coefficient.
    pub friction: f32,
}

/// Pairs in sixteens of one kind. Filled again and again in the same memory, either in colors, of which the pairs share
/// no particle, or loosely, to be looked at only.
#[derive(Clone, Debug, Default)]
pub struct PairBatches {
    /// The rows' first numbers, counted in pairs of numbers.
    at: Vec<[Pack<u32>; 4]>,
    /// Distance that is kept, metres; no number where there is no pair.
    reach: Vec<Pack<f32>>,
    friction: Vec<Pack<f32>>,
    features: Vec<Features>,
    /// Rows that there are.
    rows: usize,
    /// Of each row, the last color that has used it, counted from 1 over all lists; none for a list that is only looked
    /// at.
    used: Vec<u64>,
    color: u64,
    /// Of the batch and before, none was pushed loosely.
    colored: bool,
}

impl PairBatches {
    /// Without pairs, for so many rows.
    pub fn clear(&mut self, rows: usize) {
        self.at.clear();
        self.reach.clear();
        self.friction.clear();
        self.features.clear();
        self.rows = rows;
        self.colored = true;
    }

    /// What is added from here on may be solved beside each other, and not beside what is there.
    pub fn next_color(&mut self) {
        self.color += 1;
    }

    /// Adds a batch of one to sixteen pairs to the color.
    ///
    /// # Panics
    /// If a pair has a row that is not there, or that another pair of the color has: kernels rely on it.
    pub fn push(&mut self, features: Features, pairs: &[Pair]) {
        self.used.resize(self.rows, 0);
        for row in pairs.iter().flat_map(|pair| pair.rows) {
            let last = std::mem::replace(&mut self.used[row as usize], self.color);
            assert!(last != self.color, "two pairs of a color share row {row}");
        }
        self.pack(features, pairs.iter().copied());
    }

    /// Adds a batch of one to sixteen pairs that may share particles: such a list is only looked at.
    ///
    /// # Panics
    /// If a pair has a row that is not there.
    pub fn push_loosely(&mut self, features: Features, pairs: impl ExactSizeIterator<Item = Pair>) {
        self.colored = false;
        self.pack(features, pairs);
    }

    /// A batch of rows that are there.
    fn pack(&mut self, features: Features, pairs: impl ExactSizeIterator<Item = Pair>) {
        let count = pairs.len();
        assert!((1..=BATCH).contains(&count), "a batch has one to sixteen pairs");
        let mut at = [Pack([0; BATCH]); 4];
        let (mut reach, mut friction) = (Pack([f32::NAN; BATCH]), Pack([0.0; BATCH]));
        let mut last = 0;
        for (lane, pair) in pairs.enumerate() {
            for (slot, &row) in pair.rows.iter().enumerate() {
                at[slot].0[lane] = row * 2;
                last = last.max(row);
            }
            (reach.0[lane], friction.0[lane]) = (pair.reach, pair.friction);
        }
        assert!((last as usize) < self.rows, "a row that is not there");
        // Lanes without a pair read the first one's rows, and write nothing.
        for slot in &mut at {
            let first = slot.0[0];
            slot.0[count..].fill(first);
        }
        self.at.push(at);
        self.reach.push(reach);
        self.friction.push(friction);
        self.features.push(features);
    }

    /// Puts a batch in the place of another.
    ///
    /// # Panics
    /// If one is not there, or batches are in colors: these follow one another.
    pub fn copy(&mut self, from: usize, to: usize) {
        assert!(self.used.is_empty(), "batches in colors stay where they are");
        (self.at[to], self.reach[to]) = (self.at[from], self.reach[from]);
        (self.friction[to], self.features[to]) = (self.friction[from], self.features[from]);
    }

    /// Leaves out the batches behind the first ones.
    pub fn truncate(&mut self, batches: usize) {
        self.at.truncate(batches);
        self.reach.truncate(batches);
        self.friction.truncate(batches);
        self.features.truncate(batches);
    }

    /// Number of batches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Number of pairs of a batch.
    #[must_use]
    pub fn lanes(&self, batch: usize) -> usize {
        self.reach[batch].0.iter().filter(|reach| !reach.is_nan()).count()
    }

    /// What a batch's pairs are made of.
    #[must_use]
    pub fn features(&self, batch: usize) -> Features {
        self.features[batch]
    }

    /// A pair of a batch.
    #[must_use]
    pub fn pair(&self, batch: usize, lane: usize) -> Pair {
        Pair {
            rows: std::array::from_fn(|slot| self.at[batch][slot].0[lane] / 2),
            reach: self.reach[batch].0[lane],
            friction: self.friction[batch].0[lane],
        }
    }

    /// Rows that the arrays of [`Ends`] must have.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }
}

/// What is remembered of a batch from substep to substep.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The direction from the second nearest point to the first when the pair was last looked at; zero before.
    pub n: [Pack<f32>; 3],
    /// No pair touches, or is about to that was not when it was looked at, before particles have travelled so far,
    /// metres: what [`PairContacts::travelled`] and [`Near::travelled`] count.
    pub touches_at: f32,
    /// No two features meet before particles have travelled so far, metres.
    pub meets_at: f32,
}

impl Memory {
    /// Nothing is known yet.
    pub const NOTHING: Memory =
        Memory { n: [Pack([0.0; BATCH]); 3], touches_at: f32::NEG_INFINITY, meets_at: f32::NEG_INFINITY };
}

/// The particles of `WIDTH` pairs: relative to the first one's, and inverse masses.
///
/// # Safety
/// `rows` has every row at `at`; nobody writes these rows.
#[inline(always)]
unsafe fn gather<L: Lanes<Elem = f32>>(rows: *const Row, at: &[Pack<u32>; 4], chunk: Chunk<L>) -> ([V3<L>; 4], [L; 4]) {
    let (mut x, mut w) = ([V3::zero(); 4], [L::zero(); 4]);
    let mut origin = V3::zero();
    for slot in 0..4 {
        // SAFETY: the caller promises that `rows` has every row at `at`, and that nobody writes these rows.
        let [px, py, pz, pw] = L::transpose(unsafe { L::load_rows(rows.cast(), chunk.of(&at[slot].0)) });
        let p = V3::new(px, py, pz);
        if slot == 0 {
            origin = p;
        } else {
            x[slot] = p - origin;
        }
        w[slot] = pw;
    }
    (x, w)
}

/// The least of some lanes' numbers, of those in the mask; infinity if there is none.
#[inline(always)]
fn least<L: Lanes<Elem = f32>>(x: L, of: L::Mask) -> f32 {
    let mut numbers = [f32::INFINITY; BATCH];
    numbers.store(Chunk::<L>::FIRST, L::select(of, x, L::splat(f64::INFINITY)));
    smallest(numbers)
}

/// The smallest of sixteen numbers, half against half: one after another would wait sixteen times for the last result.
#[inline(always)]
fn smallest(mut numbers: [f32; BATCH]) -> f32 {
    let mut half = BATCH / 2;
    while half > 0 {
        for k in 0..half {
            numbers[k] = Lanes::smaller(numbers[k], numbers[k + half]);
        }
        half /= 2;
    }
    numbers[0]
}

/// The largest of sixteen numbers.
#[inline(always)]
fn largest(numbers: [f32; BATCH]) -> f32 {
    -smallest(numbers.map(|number| -number))
}

/// A bit for each lane of a mask.
#[inline(always)]
fn bits<M: Mask>(mask: M) -> u16 {
    mask.bits() as u16
}

/// sum weight_k x_k
#[inline(always)]
fn weighted<L: Lanes>(x: [V3<L>; 4], weights: [L; 4]) -> V3<L> {
    (x[0] * weights[0] + x[1] * weights[1]) + (x[2] * weights[2] + x[3] * weights[3])
}

/// How far the first feature is in front of the second along n, for every particle of both: no more than their
/// distance.
#[inline(always)]
fn clearance<L: Lanes>(x: [V3<L>; 4], n: V3<L>, features: Features) -> L {
    let h = [x[0].dot(n), x[1].dot(n), x[2].dot(n), x[3].dot(n)];
    match features {
        Features::PointTriangle => h[0] - h[1].larger(h[2]).larger(h[3]),
        Features::EdgeEdge => h[0].smaller(h[1]) - h[2].larger(h[3]),
    }
}
