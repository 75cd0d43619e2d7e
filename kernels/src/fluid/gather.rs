//! Where particles are in a sweep.

use super::FAR;
use crate::integrate::Motion;
use crate::lanes::Lanes;
use crate::{BATCH, Row};
use seidel_workers::Shared;
use seidel_workers::claims::{Use, claim};
use std::ops::Range;

/// Lowest and highest of something along each axis.
pub type Range3 = [[f32; 3]; 2];

/// Reads where particles are at the end of a substep, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// The rows of all particles.
    pub motion: Motion<'a>,
    /// The row of each slot; all are of [`crate::Layout::Rows`]. Slots beyond the end of this array have no particle.
    pub row_of: &'a [u32],
    /// The point that positions are relative to, metres.
    pub origin: [f32; 3],
    /// Positions of the slots, relative, and inverse masses: written.
    pub at: Shared<'a, Row>,
    /// Where they were when lists were made.
    pub listed: &'a [Row],
}

impl Gather<'_> {
    /// Reads some slots. Returns the lowest and the highest displacement since the lists were made, along each axis.
    ///
    /// # Safety
    /// Nobody writes these particles' rows, or uses these slots of `at`.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn run(&self, slots: Range<usize>) -> Range3 {
        let Motion { x, u, .. } = self.motion;
        // SAFETY: the caller promises that nobody uses these slots of `at`.
        let to = unsafe { self.at.part(slots.start, slots.len()) };
        let [ox, oy, oz] = self.origin;
        let origin = [ox, oy, oz, 0.0];
        let (mut low, mut high) = ([f32::INFINITY; 4], [f32::NEG_INFINITY; 4]);
        for (slot, to) in slots.zip(to) {
            let Some(&row) = self.row_of.get(slot) else {
                *to = [FAR, FAR, FAR, 0.0];
                continue;
            };
            // SAFETY: the caller promises that nobody writes these particles' rows.
            let (x, u) = unsafe { (x.read(row as usize, 1)[0], u.read(row as usize, 1)[0]) };
            for k in 0..4 {
                // u's fourth number is 0: the inverse mass stays.
                to[k] = (x[k] - origin[k]) + u[k];
            }
            if to.iter().all(|c| c.is_finite()) {
                let listed = self.listed.get(slot).copied().unwrap_or(*to);
                for k in 0..4 {
                    let gone = to[k] - listed[k];
                    (low[k], high[k]) = (Lanes::smaller(gone, low[k]), Lanes::larger(gone, high[k]));
                }
            } else {
                // A lost particle touches nothing.
                *to = [FAR, FAR, FAR, 0.0];
            }
        }
        let first = |v: [f32; 4]| [v[0], v[1], v[2]];
        [first(low), first(high)]
    }

    /// Moves slots by `share` times the displacement that the last substep's multipliers gave them (rows [dx, 0] in
    /// `moved`), stores that product back in `moved`, then reads positions as [`Gather::run`] does.
    ///
    /// # Safety
    /// Nobody uses these particles' rows, or these slots of `at`.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn carry(&self, slots: Range<usize>, share: f32, moved: Shared<'_, Row>) -> Range3 {
        for &row in self.row_of.get(slots.start..slots.end.min(self.row_of.len())).unwrap_or_default() {
            // SAFETY: the caller promises that nobody uses these particles' rows.
            let (u, moved) =
                unsafe { (&mut self.motion.u.part(row as usize, 1)[0], &mut moved.part(row as usize, 1)[0]) };
            for k in 0..3 {
                moved[k] *= share;
                u[k] += moved[k];
            }
        }
        // SAFETY: the caller promises that nobody uses these particles' rows, or these slots of `at`.
        unsafe { self.run(slots) }
    }

    /// Takes up again the multipliers that some slots had before, `share` of them: positions with these go to
    /// `pressed`.
    ///
    /// # Safety
    /// Nobody writes these slots of `at` or these particles' `before`, or uses these slots of `pressed`.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn warm(&self, slots: Range<usize>, share: f32, before: Shared<'_, f32>, pressed: Shared<'_, Row>) {
        // SAFETY: the caller promises that nobody writes these slots of `at`, or uses those of `pressed`.
        let (at, to) = unsafe { (self.at.read(slots.start, slots.len()), pressed.part(slots.start, slots.len())) };
        for ((slot, at), to) in slots.zip(at).zip(to) {
            let lambda = match self.row_of.get(slot) {
                // SAFETY: the caller promises that nobody writes these particles' `before`.
                Some(&row) => share * unsafe { before.read(row as usize, 1)[0] },
                None => 0.0,
            };
            *to = [at[0], at[1], at[2], lambda];
        }
    }

    /// Writes down the multipliers of some slots: those of this sweep times `unit`, and `share` of those before.
    ///
    /// # Safety
    /// Nobody writes these slots of `pressed`, or uses these particles' `before`.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn keep(
        &self,
        slots: Range<usize>,
        [share, unit]: [f32; 2],
        pressed: Shared<'_, Row>,
        before: Shared<'_, f32>,
    ) {
        // SAFETY: the caller promises that nobody writes these slots of `pressed`.
        let pressed = unsafe { pressed.read(slots.start, slots.len()) };
        for (slot, pressed) in slots.zip(pressed) {
            if let Some(&row) = self.row_of.get(slot) {
                // SAFETY: the caller promises that nobody uses these particles' `before`.
                let before = unsafe { &mut before.part(row as usize, 1)[0] };
                let sum = share * *before + unit * pressed[3];
                // Nothing draws, not even by a rounding.
                *before = if sum.is_finite() && sum < 0.0 { sum } else { 0.0 };
            }
        }
    }

    /// Reads how far some slots have gone in this substep, rows [u - r, 0], into `ways`.
    ///
    /// # Safety
    /// As for [`Gather::run`], with `ways` in place of `at`.
    ///
    /// # Panics
    /// As there.
    pub unsafe fn ways(&self, slots: Range<usize>, ways: Shared<'_, Row>) {
        let Motion { u, r, .. } = self.motion;
        // SAFETY: the caller promises that nobody uses these slots of `ways`.
        let to = unsafe { ways.part(slots.start, slots.len()) };
        for (slot, to) in slots.zip(to) {
            *to = [0.0; 4];
            if let Some(&row) = self.row_of.get(slot) {
                // SAFETY: the caller promises that nobody writes these particles' rows.
                let (u, r) = unsafe { (u.read(row as usize, 1)[0], r.read(row as usize, 1)[0]) };
                let way: [f32; 3] = std::array::from_fn(|k| u[k] - r[k]);
                if way.iter().all(|c| c.is_finite()) {
                    *to = [way[0], way[1], way[2], 0.0];
                }
            }
        }
    }
}

/// Where the numbers of slots stand in an array of rows.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// For each slot: its row; all are of [`crate::Layout::Rows`]. Then rows to which the same is added; may be empty.
    Rows(&'a [u32], Shared<'a, Row>),
    /// For each slot: where its first number is, and how far the others are apart; rows of either layout.
    Spread(&'a [[u32; 2]]),
}

impl<'a> Places<'a> {
    /// Rows of which no others get the same.
    pub(super) fn only(rows: &'a [u32]) -> Places<'a> {
        Places::Rows(rows, Shared::new(&mut []))
    }
}

/// Adds to the displacements of particles, three numbers each that stand in the lanes' order.
///
/// # Safety
/// Nobody else uses these particles' rows of u, or of what else is added to.
#[inline(always)]
pub(super) unsafe fn add_to(u: Shared<'_, Row>, group: usize, places: Places<'_>, by: &[[f32; BATCH]; 3]) {
    let slots = |count: usize| group * BATCH..count.min((group + 1) * BATCH);
    match places {
        Places::Rows(rows, moved) => {
            for (lane, &row) in rows[slots(rows.len())].iter().enumerate() {
                // SAFETY: the caller promises that nobody else uses these particles' rows of u.
                let u = unsafe { &mut u.part(row as usize, 1)[0] };
                for k in 0..3 {
                    u[k] += by[k][lane];
                }
                if !moved.is_empty() {
                    // SAFETY: the caller promises that nobody else uses these particles' rows of `moved`.
                    let moved = unsafe { &mut moved.part(row as usize, 1)[0] };
                    for k in 0..3 {
                        moved[k] += by[k][lane];
                    }
                }
            }
        }
        Places::Spread(places) => {
            for (lane, &[first, stride]) in places[slots(places.len())].iter().enumerate() {
                let (first, stride) = (first as usize, stride as usize);
                assert!(first + 2 * stride < 4 * u.len(), "a place of other rows");
                claim(u.as_ptr().cast::<f32>().wrapping_add(first), 1, Use::Write);
                for (k, by) in by.iter().enumerate() {
                    // SAFETY: within the rows, as just checked; nobody else's, as the caller promises.
                    unsafe { *u.as_ptr().cast::<f32>().add(first + k * stride) += by[lane] };
                }
            }
        }
    }
}
