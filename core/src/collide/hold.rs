//! Holds back what would go through.
//!
//! Of a pair that may meet, all particles stay on their side of a plane between both, which stands still or goes with all the rest.
//! Where each ends its way is then a matter of its own: its displacement is shortened until it does. Shortening leaves it on its
//! side of all such planes (they part convex sets, and everybody's start, moved by what is common, is where it should be), so one
//! pass is enough for the pairs that have one. A pair that was free of doubt until one of its particles was held may not be now; it
//! is looked at again, and gets a plane if need be. In the end every pair has a plane or was shown to stay apart as its particles
//! really move.

use super::page::Page;
use super::sure::{self, Four};
use seidel_kernels::contact::pairs::{Features, Nearest, Pair};
use seidel_kernels::{Row, V3};

/// Particles that are held.
#[derive(Debug, Default)]
pub(crate) struct Hold {
    /// Of each row, the part of its way that it goes; 1 but for those held.
    share: Vec<f32>,
    /// Where rows that are held would have ended.
    full: Vec<Row>,
    /// Rows held.
    rows: Vec<u32>,
    /// Those held in the last pass; some may be there again.
    pub(crate) now: Vec<u32>,
}

/// Passes before every pair in doubt gets a plane, and before its particles stay where they are.
const PASSES: u32 = 8;
const LAST: u32 = 32;
/// Part of the gap between two features that a plane leaves free.
const SPARE: f64 = 0.1;
/// Part of a pair's distance. At less it comes no nearer.
const LEAST: f32 = 0.01;

/// Ways of particles in a substep.
pub(crate) struct Ways<'a> {
    pub(crate) start: &'a [Row],
    pub(crate) end: &'a mut [Row],
    /// What all of them move, metres.
    pub(crate) common: [f32; 3],
    /// Least distance of two features, metres: rounding.
    pub(crate) least: f32,
}

impl Hold {
    /// Nothing is held, of so many rows.
    pub(crate) fn begin(&mut self, rows: usize) {
        for row in self.rows.drain(..) {
            self.share[row as usize] = 1.0;
        }
        self.share.resize(rows, 1.0);
        self.full.resize(rows, [0.0; 4]);
        self.now.clear();
    }

    /// Looks at the pairs in doubt of a page, and moves the ends of those that must be held.
    pub(crate) fn look(&mut self, page: &mut Page, pass: u32, ways: &mut Ways<'_>) {
        for batch in 0..page.doubtful.len() {
            let mut lanes = page.doubtful[batch] & !page.planes[batch];
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                if self.part(page.batches.pair(batch, lane), page.batches.features(batch), pass, ways) {
                    page.planes[batch] |= 1 << lane;
                }
            }
        }
    }

    /// The part of its way that a row goes.
    pub(crate) fn share(&self, row: u32) -> f32 {
        self.share[row as usize]
    }

    /// Rows that are held, and the part of its way, relative to what is common, that each goes.
    pub(crate) fn shares(&self) -> impl ExactSizeIterator<Item = (usize, f32)> {
        self.rows.iter().map(|&row| (row as usize, self.share[row as usize]))
    }

    /// Puts a plane between a pair's features unless these surely stay apart; whether it has.
    fn part(&mut self, pair: Pair, features: Features, pass: u32, ways: &mut Ways<'_>) -> bool {
        let a = sure::four(pair.rows.map(|row| ways.start[row as usize]));
        let b = sure::four(pair.rows.map(|row| ways.end[row as usize]));
        let finite = |x: &Four| x.iter().all(|x| x.length_squared().is_finite());
        if !finite(&a) || !finite(&b) {
            return false;
        }
        let near = Nearest::of(a, features);
        let least = f64::from(ways.least).min(near.distance * SPARE);
        if pass < PASSES && stay_apart(a, b, features, least) {
            return false;
        }
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
            if approach > room {
                self.shorten(pair.rows[k], if pass < LAST { room / approach } else { 0.0 }, ways);
            }
        }
        true
    }

    /// Lets a row go only a part of the way that it went. What is fixed goes where it is taken.
    pub(crate) fn shorten(&mut self, row: u32, part: f64, ways: &mut Ways<'_>) {
        let at = row as usize;
        if ways.end[at][3] <= 0.0 {
            return;
        }
        if self.share[at] == 1.0 {
            self.rows.push(row);
            self.full[at] = ways.end[at];
        }
        // Rounded towards the start.
        let share = (f64::from(self.share[at]) * part) as f32 * (1.0 - 2.0 * f32::EPSILON);
        self.share[at] = share.max(0.0);
        self.now.push(row);
        let (start, full) = (ways.start[at], self.full[at]);
        for k in 0..3 {
            let common = ways.common[k];
            ways.end[at][k] = start[k] + (common + ((full[k] - start[k]) - common) * self.share[at]);
        }
    }
}

/// Whether two features surely stay apart: along the direction of the nearest points at the end, or at all.
fn stay_apart(a: Four, b: Four, features: Features, least: f64) -> bool {
    let n = Nearest::of(b, features).n;
    let along = sure::clearance(a, n, features).min(sure::clearance(b, n, features));
    along > least || !sure::meet(a, b, features, least)
}
