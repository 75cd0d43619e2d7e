//! Any shape with a signed distance against triangles: what lies between the vertices is kept out, too.
//!
//! ```text
//!        2          q = b0 x0 + b1 x1 + b2 x2: the deepest point (deepest.rs, one.rs)
//!       / \         C = (d(q) - level) / |g|,    n = g / |g|,  dC/dx_k = b_k n,  g how d(q) grows with the triangle
//!      / q \
//!     0 --- 1       Most triangles that are near lie on the shape and are free: lanes tell which are not surely so (free.rs).
//!                   The level is the thickness, and a little more where a shape is not convex.
//! ```
//! These few are solved one at a time. One that goes further in a substep than half of what the shape is thin is
//! followed on its way: no point of it goes further than its corners do, so it may go as far as it is away (Mirtich
//! 1996, "Impulse-based Dynamic Simulation", section 2.3: conservative advancement). Where it arrives, it is held to
//! the tangent plane there. Neighbours that are pushed in turn may leave a triangle in a thin solid all the same; then
//! it goes back on its way (back.rs).

mod back;
mod contacts;
mod free;
mod one;
pub(super) mod single;
mod waiting;
pub(super) mod way;

use super::deepest::pair::{CutPair, TangentPlane};
use super::signed::SignedDistance;
use super::{NOTED, Pushed, Solid, each};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::slots::Place;
use crate::{BATCH, Batches, Chunk, InChunks, Isa, V3};
pub use contacts::{Back, TriangleSolidContacts};
use contacts::{SHALLOW, Solve};
use one::One;
use std::ops::Range;
use waiting::{Facts, Looks, RESTS, ROOM, Waiting};
use way::Low;

/// Part of the thickness to which the deepest point is found of a triangle that is pushed: then it is looked at once
/// more.
const ROUGH: f64 = 1.0 / 128.0;

impl TriangleSolidContacts<'_> {
    /// Solves batches of triangles, one after another.
    ///
    /// # Safety
    /// Nobody else uses the rows of these triangles, nor their multipliers, meanwhile.
    ///
    /// # Panics
    /// If the batches are no triangles or of another plan.
    pub unsafe fn solve(self, isa: Isa, triangles: &Batches, batches: Range<usize>) -> Pushed {
        assert!(triangles.slots() == 3 && triangles.params() == 3, "batches of another kind");
        let rows = [self.motion.x.len(), self.motion.r.len(), self.motion.u.len()];
        assert!(rows.into_iter().all(|len| triangles.particles() <= len), "batches of another plan");
        assert!(self.held.is_empty() || self.held.len() >= 4 * triangles.len(), "too few multipliers");
        assert!(self.record.is_empty() || self.record.len() >= self.motion.x.len(), "too few rows to record in");
        assert!(self.slack.until.len() >= BATCH * triangles.len(), "too few lanes to look at");
        assert!(triangles.particles() <= self.slack.ways.len(), "too few ways");
        let noted = self.bounce.map_or(usize::MAX, |bounce| bounce.packs.len() / NOTED);
        let velocities = self.bounce.map_or(usize::MAX, |_| self.motion.v.len());
        assert!(noted >= triangles.len() && velocities >= triangles.particles(), "too few bounces");
        triangles.claim(batches.clone(), self.motion.u.as_ptr());
        each!(&self.surface.shape.shape, shape => isa.dispatch(Solve { contacts: &self, shape, triangles, batches }))
    }
}

impl<D: SignedDistance> Kernel for Solve<'_, D> {
    type Output = Pushed;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Pushed {
        // There are more numbers than registers as it is.
        self.all::<L::One>()
    }
}

/// Corners of triangles that wait.
#[inline(always)]
fn corner<L: Lanes<Elem = f32>>([x, y, z]: &[[f32; ROOM]; 3], chunk: Chunk<L, ROOM>) -> V3<L> {
    V3::new(x.load(chunk), y.load(chunk), z.load(chunk))
}

impl<D: SignedDistance> Solve<'_, D> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> Pushed {
        let mut pushed = Pushed::default();
        let mut waiting = Waiting::none();
        let looks = Looks { contacts: self.contacts, triangles: self.triangles, facts: Facts::of(self.shape) };
        // Once more at the end.
        for batch in self.batches.start..=self.batches.end {
            let ends = batch == self.batches.end;
            let lanes = if ends { 0 } else { self.triangles.lanes(batch) };
            let others_wait = waiting.count > 0;
            for chunk in Chunk::<L>::holding(lanes) {
                // SAFETY: `solve` checked the arrays, `Batches` its indices and independence; its caller keeps others
                // away. Less than a batch waits, so there is room.
                unsafe { looks.look((batch, chunk), others_wait, &mut waiting) };
            }
            if ends || waiting.count >= BATCH || waiting.rests > RESTS - BATCH {
                // SAFETY: `solve` checked the arrays, `Batches` its indices and independence; its caller keeps others
                // away.
                unsafe { self.flush::<L>(&mut waiting, &mut pushed) };
            }
        }
        pushed
    }

    /// By how much triangles are kept farther off than their thickness, metres.
    #[inline(always)]
    fn slack<L: Lanes>(&self, thickness: L) -> L {
        Facts::of(self.shape).slack(thickness)
    }

    /// Solves those that wait, one after another, unless they are surely free.
    ///
    /// # Safety
    /// As for [`TriangleSolidContacts::solve`].
    #[inline(always)]
    unsafe fn flush<L: Lanes<Elem = f32>>(&self, waiting: &mut Waiting, pushed: &mut Pushed) {
        let mut known = [[0.0f32; ROOM]; 19];
        for chunk in Chunk::<L, ROOM>::holding(waiting.count) {
            let level = waiting.level.load(chunk);
            let x = [corner(&waiting.x[0], chunk), corner(&waiting.x[1], chunk), corner(&waiting.x[2], chunk)];
            let thickness = waiting.thickness.load(chunk);
            let near = thickness * L::splat(0.5 * SHALLOW) + self.slack(thickness) * L::splat(0.25);
            let rough = near.larger(thickness * L::splat(ROUGH));
            let free::FreeBounds { bound, value, weights, pair } =
                free::free_bounds::<L, D>(self.shape, x, level, (near, rough));
            let margin = (bound - level) * L::set(1.0 / self.shape.slope());
            let [[a0, a1, a2], [b0, b1, b2]] = [pair.cuts[0].heights, pair.cuts[1].heights];
            let [ga, gb] = [pair.cuts[0].gradient, pair.cuts[1].gradient];
            let numbers = [
                margin,
                bound,
                value,
                weights[0],
                weights[1],
                weights[2],
                a0,
                a1,
                a2,
                b0,
                b1,
                b2,
                ga.x,
                ga.y,
                ga.z,
                gb.x,
                gb.y,
                gb.z,
                L::select(value.lt(level), rough, near),
            ];
            for (to, number) in known.iter_mut().zip(numbers) {
                to.store(chunk, number);
            }
        }
        // Those of one batch share no corner.
        let (mut batch, mut longest) = (usize::MAX, 0.0f32);
        let mut before = 0.0f32;
        let (mut i, mut k) = (0, 0);
        while i < waiting.count || k < waiting.rests && (before > 0.0 || longest > 0.0) {
            let rests = i == waiting.count || k < waiting.rests && waiting.rest[k].0 < waiting.batch[i];
            let (at, lane) = if rests { waiting.rest[k] } else { (waiting.batch[i], waiting.lane[i]) };
            if at != batch {
                (batch, before, longest) = (at, before + longest, 0.0);
            }
            // SAFETY: the caller promises that nobody else uses the rows of these triangles, nor their multipliers.
            unsafe {
                let (thickness, held, low) = if rests {
                    k += 1;
                    // What has been pushed since may have drawn it in.
                    let drawn = before > 0.0 && self.is_due(batch, lane);
                    if !drawn {
                        continue;
                    }
                    let thickness = self.triangles.rest(batch)[0].0[lane] + self.contacts.thickness;
                    (thickness, false, Low::of([1.0 / 3.0; 3]))
                } else {
                    let (numbers, held) = (known.map(|numbers| numbers[i]), waiting.was[i] > 0.0);
                    let (thickness, base, spent) = (waiting.thickness[i], waiting.base[i], waiting.spent[i]);
                    i += 1;
                    let [margin, bound, value, ..] = numbers;
                    let due = margin < before || held;
                    if !due {
                        self.rest_until(batch, lane, base + margin);
                        continue;
                    }
                    let numbers = numbers.map(f64::from);
                    let mut low = Low::of([numbers[3], numbers[4], numbers[5]]);
                    let still = self.contacts.slack.of_triangle(Place::new(self.triangles, batch, 0), lane).0 <= spent;
                    let told = numbers[6] > f64::NEG_INFINITY;
                    if self.shape.convex() && still && told && value - bound <= numbers[18] as f32 {
                        let plane = |h: usize, g: usize| TangentPlane {
                            heights: [numbers[h], numbers[h + 1], numbers[h + 2]],
                            gradient: V3::new(numbers[g], numbers[g + 1], numbers[g + 2]),
                        };
                        low.bound = Some(numbers[1]);
                        low.pair = Some(CutPair::new(plane(6, 12), plane(9, 15)));
                    }
                    (thickness, held, low)
                };
                let far = self.solve_one::<L>((batch, lane), thickness, held, low, pushed);
                longest = Lanes::larger(longest, far);
            }
        }
        pushed.total += before + longest;
        (waiting.count, waiting.rests) = (0, 0);
    }

    /// Whether a lane is to be looked at.
    ///
    /// # Safety
    /// As for [`TriangleSolidContacts::solve`]; the lane has a triangle.
    unsafe fn is_due(&self, batch: usize, lane: usize) -> bool {
        let slack = self.contacts.slack;
        // SAFETY: `solve` has found as many for each batch.
        unsafe {
            let until = slack.until.as_ptr().add(batch * BATCH + lane).read();
            until <= slack.of_triangle(Place::new(self.triangles, batch, 0), lane).0
        }
    }

    /// Notes when a lane is to be looked at next.
    ///
    /// # Safety
    /// Nobody else uses it.
    unsafe fn rest_until(&self, batch: usize, lane: usize, until: f32) {
        // SAFETY: `solve` has found as many for each batch.
        unsafe { self.contacts.slack.until.as_ptr().add(batch * BATCH + lane).write(until) };
    }

    /// Solves one of which so much is known, unless its parts show that it is free. Returns how far it has pushed a
    /// corner.
    ///
    /// # Safety
    /// As for [`TriangleSolidContacts::solve`]; the lane has a triangle.
    #[inline(always)]
    unsafe fn solve_one<L: Lanes<Elem = f32>>(
        &self,
        (batch, lane): (usize, usize),
        thickness: f32,
        held: bool,
        mut low: Low,
        pushed: &mut Pushed,
    ) -> f32 {
        // SAFETY: the caller promises that nobody else uses the rows of these triangles, nor their multipliers.
        unsafe {
            let rows = self.gather(batch, lane);
            let base = self.contacts.slack.of_triangle(Place::new(self.triangles, batch, 0), lane).1;
            if !self.shape.convex() {
                let (slack, level) = (self.slack(thickness), rows.level(self, thickness));
                let parts = free::parts::<L, D>(self.shape, rows.corners(), (level, 0.5 * slack));
                if parts.bound >= level && !held {
                    let room = (parts.bound - level) * (1.0 / self.shape.slope());
                    self.rest_until(batch, lane, base + room);
                    return 0.0;
                }
                low = parts.low();
            }
            let One { touches, far, room, gone_in } = match self.contacts.back {
                None => self.one(batch, lane, rows, low),
                Some(back) => self.go_back(batch, lane, &rows, back),
            };
            self.rest_until(batch, lane, base + room);
            pushed.contacts += u32::from(touches);
            pushed.longest = Lanes::larger(pushed.longest, far);
            pushed.gone_in |= gone_in;
            far
        }
    }
}
