//! Holds back what would go through.
//!
//! Of a pair that may meet, all particles stay on their side of a plane between both, which stands still or goes with all the rest.
//! Where each ends its way is then a matter of its own: its displacement is shortened until it does. Shortening leaves it on its
//! side of all such planes (they part convex sets, and everybody's start, moved by what is common, is where it should be), so one
//! pass is enough for the pairs that have one. A pair that was free of doubt until one of its particles was held may not be now; it
//! is looked at again, and gets a plane if need be. In the end every pair has a plane or was shown to stay apart as its particles
//! really move.

use super::sure::{self, Four};
use seidel_kernels::contact::pairs::{Features, PairBatches};
use seidel_kernels::{Row, V3};

/// Particles that are held, and pairs with a plane: of the last search.
#[derive(Debug, Default)]
pub(crate) struct Hold {
    /// Of each row, the part of its way that it goes; 1 but for those held.
    share: Vec<f32>,
    /// Rows held.
    rows: Vec<u32>,
    /// Whether a pair has a plane: a bit a lane of each batch.
    planes: Vec<u16>,
    /// Of each row, whether it was held in the last pass.
    changed: Vec<bool>,
    /// Those rows.
    now: Vec<u32>,
}

/// Passes over all pairs before every pair with a particle that is held has a plane.
const PASSES: u32 = 8;
/// Part of the gap between two features that a plane leaves free.
const SPARE: f64 = 0.1;
/// Part of a pair's distance. At less it comes no nearer.
const LEAST: f32 = 0.01;

/// Ways of particles in a substep.
pub(crate) struct Ways<'a> {
    pub(crate) start: &'a [Row],
    pub(crate) end: &'a [Row],
    /// What all of them move, metres.
    pub(crate) common: [f32; 3],
    /// Least distance of two features, metres: rounding.
    pub(crate) least: f32,
}

impl Hold {
    /// Finds how far particles may go. `doubtful` has the lanes of each batch whose pair may meet.
    pub(crate) fn find(&mut self, batches: &PairBatches, doubtful: &[u16], ways: &Ways<'_>) {
        for row in self.rows.drain(..) {
            (self.share[row as usize], self.changed[row as usize]) = (1.0, false);
        }
        self.share.resize(ways.start.len(), 1.0);
        self.changed.resize(ways.start.len(), false);
        self.planes.clear();
        self.planes.resize(batches.len(), 0);
        let mut held = std::mem::take(&mut self.now);
        for (batch, lanes) in doubtful.iter().enumerate() {
            let mut lanes = *lanes;
            while lanes != 0 {
                self.look(batches, batch, lanes.trailing_zeros() as usize, ways, false, &mut held);
                lanes &= lanes - 1;
            }
        }
        for pass in 1.. {
            if held.is_empty() {
                break;
            }
            self.changed.fill(false);
            for row in held.drain(..) {
                self.changed[row as usize] = true;
            }
            for batch in 0..batches.len() {
                for lane in 0..batches.lanes(batch) {
                    let rows = batches.pair(batch, lane).rows;
                    if rows.iter().any(|&row| self.changed[row as usize]) {
                        self.look(batches, batch, lane, ways, pass >= PASSES, &mut held);
                    }
                }
            }
        }
        self.now = held;
        self.rows.sort_unstable();
    }

    /// Rows that are held, ascending, and the part of its way, relative to what is common, that each goes.
    pub(crate) fn shares(&self) -> impl ExactSizeIterator<Item = (usize, f32)> {
        self.rows.iter().map(|&row| (row as usize, self.share[row as usize]))
    }

    /// Gives a pair a plane unless it surely stays apart, or has one.
    fn look(
        &mut self,
        batches: &PairBatches,
        batch: usize,
        lane: usize,
        ways: &Ways<'_>,
        at_once: bool,
        held: &mut Vec<u32>,
    ) {
        if self.planes[batch] & 1 << lane != 0 {
            return;
        }
        let (pair, features) = (batches.pair(batch, lane), batches.features(batch));
        let a = sure::four(pair.rows.map(|row| ways.start[row as usize]));
        let b = self.ends(pair.rows, a, ways);
        let finite = |x: &Four| x.iter().all(|x| x.length_squared().is_finite());
        if !finite(&a) || !finite(&b) {
            return;
        }
        let near = seidel_kernels::contact::pairs::Nearest::of(a, features);
        let least = f64::from(ways.least).min(near.distance * SPARE);
        if !at_once && stay_apart(a, b, features, least) {
            return;
        }
        self.planes[batch] |= 1 << lane;
        let first = if features == Features::PointTriangle { 1 } else { 2 };
        let common = V3::set(ways.common.map(f64::from));
        // From the nearest point of the first feature half way to that of the second.
        let front = a.map(|x| x.dot(near.n));
        let foremost = (first..4).fold(f64::NEG_INFINITY, |most, k| front[k].max(most));
        let hindmost = (0..first).fold(f64::INFINITY, |least, k| front[k].min(least));
        let plane = 0.5 * (foremost + hindmost);
        // What is nearly together comes no nearer: half of nothing, again and again, would be less than a rounding.
        let gap = (hindmost - foremost).max(0.0);
        let spare = 0.5 * (SPARE * gap).max(gap.min(f64::from(LEAST) * f64::from(pair.reach) + f64::from(ways.least)));
        for k in 0..4 {
            let side = if k < first { 1.0 } else { -1.0 };
            let room = (side * (front[k] - plane) - spare).max(0.0);
            let approach = -side * ((b[k] - a[k]) - common).dot(near.n);
            let row = pair.rows[k];
            // What is fixed goes where it is taken.
            if approach <= room || ways.end[row as usize][3] <= 0.0 {
                continue;
            }
            let share = f64::from(self.share[row as usize]) * (room / approach);
            // Rounded towards the start.
            let share = (share as f32 * (1.0 - 2.0 * f32::EPSILON)).max(0.0);
            if self.share[row as usize] == 1.0 {
                self.rows.push(row);
            }
            self.share[row as usize] = share;
            held.push(row);
        }
    }

    /// Where a pair's particles end, as far as they may go.
    fn ends(&self, rows: [u32; 4], a: Four, ways: &Ways<'_>) -> Four {
        let common = V3::set(ways.common.map(f64::from));
        let b = sure::four(rows.map(|row| ways.end[row as usize]));
        std::array::from_fn(|k| match self.share[rows[k] as usize] {
            1.0 => b[k],
            share => a[k] + common + (b[k] - a[k] - common) * f64::from(share),
        })
    }
}

/// Whether two features surely stay apart: along the direction of the nearest points at the end, or at all.
fn stay_apart(a: Four, b: Four, features: Features, least: f64) -> bool {
    let n = seidel_kernels::contact::pairs::Nearest::of(b, features).n;
    let along = sure::clearance(a, n, features).min(sure::clearance(b, n, features));
    along > least || !sure::meet(a, b, features, least)
}
