//! Any shape with a signed distance against triangles: what lies between the vertices is kept out, too.
//!
//! ```text
//!        2          q = b0 x0 + b1 x1 + b2 x2: the deepest point (deepest.rs, one.rs)
//!       / \         C = (d(q) - level) / |g|,    n = g / |g|,  dC/dx_k = b_k n,  g how d(q) grows with the triangle
//!      / q \
//!     0 --- 1       Most triangles that are near lie on the shape and are free: lanes tell which are not surely so (free.rs).
//!                   The level is the thickness, and a little more where a shape is not convex.
//! ```
//! These few are solved one at a time. One that goes further in a substep than half of what the shape is thin is followed on its
//! way: no point of it goes further than its corners do, so it may go as far as it is away (Mirtich 1996, "Impulse-based Dynamic
//! Simulation", section 2.3: conservative advancement). Where it arrives, it is held to the tangent plane there.

mod free;
mod one;

use super::distance::SignedDistance;
use super::traced::into;
use super::{Pushed, Solid, Surface, Traced, at_most, each};
use crate::integrate::Motion;
use crate::lanes::{Kernel, Lanes, Mask};
use crate::slots::Place;
use crate::{BATCH, Batches, Isa, Pack, Row, V3};
use one::Low;
use seidel_workers::Shared;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Part of the thickness by which a triangle may be deep.
const SHALLOW: f64 = 1.0 / 2048.0;

/// Part of the thickness by which triangles are kept farther from a shape that is not convex: the bound of a deepest point need be no better
/// than half of it, and costs the more the nearer it is. Their corners stay twice as far (`tuning::HOVER`).
const SLACK: f64 = 1.0 / 16.0;

/// The same as part of the girth, at least: what is thin is not looked at more closely than the shape's own detail asks for.
const LEAST_SLACK: f64 = 1.0 / 1024.0;

/// Part of a coordinate: roundings of f32 in a distance.
const ROUNDING: f64 = 3e-7;

/// Keeps triangles out of a solid, with friction. The rows have the parameters [thickness, sqrt(friction)].
#[derive(Clone, Copy, Debug)]
pub struct TriangleSolidContacts<'a> {
    /// The rows of the particles.
    pub motion: Motion<'a>,
    /// The solid in this substep.
    pub surface: Surface<Traced<Solid<'a>>>,
    /// The solid's own, added to that of triangles, metres.
    pub thickness: f32,
    /// Substep, seconds, if triangles may be inside at its start and are to leave without a velocity.
    pub leaving: Option<f32>,
    /// Multipliers [tau x, tau y, tau z, normal], four packs a batch; empty if they need not be kept.
    pub held: Shared<'a, Pack<f32>>,
    /// True if nothing is held yet in this substep.
    pub first: bool,
    /// For each row of the motion the last normal and the sum of the pushes along it, [n, metres], to which this adds for the corners;
    /// empty if nobody asks.
    pub record: Shared<'a, Row>,
}

impl TriangleSolidContacts<'_> {
    /// Solves batches of triangles, one after another.
    ///
    /// # Safety
    /// Nobody else uses the rows of these triangles, nor their multipliers, meanwhile.
    ///
    /// # Panics
    /// If the batches are no triangles or of another plan.
    pub unsafe fn solve(self, isa: Isa, triangles: &Batches, batches: Range<usize>) -> Pushed {
        assert!(triangles.slots() == 3 && triangles.params() == 2, "batches of another kind");
        let rows = [self.motion.x.len(), self.motion.r.len(), self.motion.u.len()];
        assert!(rows.into_iter().all(|len| triangles.particles() <= len), "batches of another plan");
        assert!(self.held.is_empty() || self.held.len() >= 4 * triangles.len(), "too few multipliers");
        assert!(self.record.is_empty() || self.record.len() >= self.motion.x.len(), "too few rows to record in");
        each!(&self.surface.shape.shape, shape => isa.dispatch(Solve { contacts: &self, shape, triangles, batches }))
    }
}

struct Solve<'a, D> {
    contacts: &'a TriangleSolidContacts<'a>,
    shape: &'a D,
    triangles: &'a Batches,
    batches: Range<usize>,
}

impl<D: SignedDistance> Kernel for Solve<'_, D> {
    type Output = Pushed;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Pushed {
        // There are more numbers than registers as it is.
        self.all::<L::One>()
    }
}

/// Triangles that wait, at most: where a batch leaves as many as fill the widest register, they are looked at.
const ROOM: usize = 2 * BATCH;

/// Triangles near the solid that are yet to be looked at, from several batches: those of one may lie all over a body. As many whatever
/// the lanes.
struct Waiting {
    count: usize,
    batch: [usize; ROOM],
    lane: [usize; ROOM],
    /// In the solid's frame.
    x: [[[f32; ROOM]; 3]; 3],
    thickness: [f32; ROOM],
    /// The distance above which one is free.
    level: [f32; ROOM],
    /// The normal multiplier so far.
    was: [f32; ROOM],
}

/// Three registers, `BATCH` numbers apart.
///
/// # Safety
/// They may be read.
#[inline(always)]
unsafe fn vector<L: Lanes<Elem = f32>>(from: *const f32) -> V3<L> {
    // SAFETY: the caller promises that WIDTH numbers may be read here and one and two packs further.
    unsafe { V3::new(L::load(from), L::load(from.add(BATCH)), L::load(from.add(2 * BATCH))) }
}

/// Whether something between these numbers is within -reach and reach.
#[inline(always)]
fn crosses<L: Lanes<Elem = f32>>(x: [L; 3], reach: L) -> L::Mask {
    x[0].smaller(x[1]).smaller(x[2]).le(reach) & x[0].larger(x[1]).larger(x[2]).ge(-reach)
}

/// Corners of triangles that wait.
///
/// # Safety
/// `first + WIDTH <= ROOM`.
#[inline(always)]
unsafe fn corner<L: Lanes<Elem = f32>>(x: &[[f32; ROOM]; 3], first: usize) -> V3<L> {
    // SAFETY: the caller promises that `first + WIDTH <= ROOM`.
    unsafe {
        V3::new(L::load(x[0].as_ptr().add(first)), L::load(x[1].as_ptr().add(first)), L::load(x[2].as_ptr().add(first)))
    }
}

impl<D: SignedDistance> Solve<'_, D> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> Pushed {
        let mut pushed = Pushed::default();
        let mut waiting = Waiting {
            count: 0,
            batch: [0; ROOM],
            lane: [0; ROOM],
            x: [[[0.0; ROOM]; 3]; 3],
            thickness: [0.0; ROOM],
            level: [0.0; ROOM],
            was: [0.0; ROOM],
        };
        // Once more at the end.
        for batch in self.batches.start..=self.batches.end {
            let ends = batch == self.batches.end;
            let lanes = if ends { 0 } else { self.triangles.lanes(batch) };
            let mut first = 0;
            while first < lanes {
                // SAFETY: `solve` checked the arrays, `Batches` its indices and independence; its caller keeps others away. Less
                // than a batch waits, so there is room.
                unsafe { self.look::<L>(batch, first, &mut waiting) };
                first += L::WIDTH;
            }
            if ends || waiting.count >= BATCH {
                // SAFETY: as above.
                unsafe { self.flush::<L>(&mut waiting, &mut pushed) };
            }
        }
        pushed
    }

    /// By how much triangles are kept farther off than their thickness, metres.
    #[inline(always)]
    fn slack<L: Lanes>(&self, thickness: L) -> L {
        if self.shape.convex() {
            return L::zero();
        }
        (thickness * L::splat(SLACK)).larger(L::splat(LEAST_SLACK * f64::from(self.shape.girth())))
    }

    /// Puts the triangles of a batch that are near a box about the solid where they wait, and forgets what they held before this
    /// substep.
    ///
    /// # Safety
    /// As for [`TriangleSolidContacts::solve`]; `first + WIDTH <= BATCH`.
    #[inline(always)]
    unsafe fn look<L: Lanes<Elem = f32>>(&self, batch: usize, first: usize, waiting: &mut Waiting) {
        let TriangleSolidContacts { motion, surface, held, .. } = *self.contacts;
        let place = Place::new(self.triangles, batch, first);
        let (zero, one) = (L::zero(), L::splat(1.0));
        // SAFETY: indices are below the arrays' lengths and lanes within packs, as `solve` and `Batches` checked. WIDTH <= BATCH
        // numbers fit.
        unsafe {
            let center = V3::<L>::set(surface.at);
            let (from, to) = (V3::<L>::set(surface.from), V3::<L>::set(surface.to));
            let travel = to - from;
            let turned = L::set(surface.turn.as_flattened().iter().fold(0.0, |sum, t| sum + t * t).sqrt());
            let mut x = [V3::<L>::zero(); 3];
            let (mut way, mut size) = (zero, zero);
            let mut copies = [const { MaybeUninit::uninit() }; 2];
            for (k, x) in x.iter_mut().enumerate() {
                let [of_x, of_u] = &mut copies;
                let at = vector::<L>(place.registers::<L>(motion.x.as_ptr(), k, of_x)) - center;
                let u = vector::<L>(place.registers::<L>(motion.u.as_ptr(), k, of_u));
                let b = at + (u - to);
                *x = into(&surface.shape.end, b);
                way = way.larger(at_most(u - travel) + at_most(b) * turned);
                size = size.larger(at_most(b));
            }
            let thickness =
                L::load(self.triangles.rest(batch)[0].0.as_ptr().add(first)) + L::set(self.contacts.thickness);
            let was = match held.is_empty() || self.contacts.first {
                true => zero,
                false => L::load(held.as_ptr().add(batch * 4 + 3).cast::<f32>().add(first)),
            };
            if self.contacts.first && !held.is_empty() {
                for k in 0..4 {
                    zero.store(held.as_ptr().add(batch * 4 + k).cast::<f32>().add(first));
                }
            }
            // A short way ends where it may be seen; what goes further may be through.
            let way = way + (size + at_most(center)) * L::splat(1e-6);
            let through = (way * L::set(self.shape.slope())).or_zero(way.gt(L::set(0.5 * self.shape.girth())));
            let rounding = (size + L::set(self.shape.bound())) * L::splat(ROUNDING);
            let held = thickness * L::splat(1.0 - SHALLOW) + self.slack(thickness);
            let level = (held - rounding) + through;
            let mut near = thickness.ge(zero);
            if let Some(half) = self.shape.half() {
                // Those that wait may yet push it by less than its thickness.
                let reach = L::splat(2.0) * thickness + (through + rounding);
                near = near & crosses([x[0].x, x[1].x, x[2].x], reach + L::set(half[0]));
                near = near & crosses([x[0].y, x[1].y, x[2].y], reach + L::set(half[1]));
                near = near & crosses([x[0].z, x[1].z, x[2].z], reach + L::set(half[2]));
            }
            let near = near | was.gt(zero);
            if !near.any() {
                return;
            }
            let mut numbers = [[0.0f32; BATCH]; 13];
            for k in 0..3 {
                x[k].x.store(numbers[3 * k].as_mut_ptr());
                x[k].y.store(numbers[3 * k + 1].as_mut_ptr());
                x[k].z.store(numbers[3 * k + 2].as_mut_ptr());
            }
            level.store(numbers[9].as_mut_ptr());
            was.store(numbers[10].as_mut_ptr());
            one.or_zero(near).store(numbers[11].as_mut_ptr());
            thickness.store(numbers[12].as_mut_ptr());
            for (lane, &near) in numbers[11].iter().enumerate().take(L::WIDTH) {
                if near > 0.0 {
                    let i = waiting.count;
                    (waiting.batch[i], waiting.lane[i]) = (batch, first + lane);
                    for (to, from) in waiting.x.as_flattened_mut().iter_mut().zip(&numbers) {
                        to[i] = from[lane];
                    }
                    (waiting.level[i], waiting.was[i]) = (numbers[9][lane], numbers[10][lane]);
                    waiting.thickness[i] = numbers[12][lane];
                    waiting.count += 1;
                }
            }
        }
    }

    /// Solves those that wait, one after another, unless they are surely free.
    ///
    /// # Safety
    /// As for [`TriangleSolidContacts::solve`].
    #[inline(always)]
    unsafe fn flush<L: Lanes<Elem = f32>>(&self, waiting: &mut Waiting, pushed: &mut Pushed) {
        let (mut margins, mut lowest) = ([0.0f32; ROOM], [[0.0f32; ROOM]; 3]);
        let mut first = 0;
        while first < waiting.count {
            // SAFETY: WIDTH divides ROOM.
            unsafe {
                let level = L::load(waiting.level.as_ptr().add(first));
                let [x0, x1, x2] = &waiting.x;
                let x = [corner::<L>(x0, first), corner::<L>(x1, first), corner::<L>(x2, first)];
                let (margin, weights) = free::margin::<L, D>(self.shape, x, level);
                margin.store(margins.as_mut_ptr().add(first));
                for k in 0..3 {
                    weights[k].store(lowest[k].as_mut_ptr().add(first));
                }
            }
            first += L::WIDTH;
        }
        // Those of one batch share no corner.
        let (mut batch, mut longest) = (usize::MAX, 0.0f32);
        let mut before = 0.0f32;
        for i in 0..waiting.count {
            if waiting.batch[i] != batch {
                (batch, before, longest) = (waiting.batch[i], before + longest, 0.0);
            }
            // What has been pushed since may have drawn it in.
            let drawn = before * self.shape.slope();
            if margins[i] < drawn || waiting.was[i] > 0.0 {
                // SAFETY: the caller promises that nobody else uses the rows of these triangles, nor their multipliers.
                let rows = unsafe { self.gather(batch, waiting.lane[i]) };
                let mut low = Low { weights: [lowest[0][i], lowest[1][i], lowest[2][i]].map(f64::from), bound: None };
                if !self.shape.convex() {
                    let near = 0.5 * self.slack(waiting.thickness[i]);
                    let parts = free::parts::<L, D>(self.shape, rows.corners(), (waiting.level[i], near));
                    if parts.bound >= waiting.level[i] && waiting.was[i] <= 0.0 {
                        continue;
                    }
                    low = parts.low();
                }
                // SAFETY: the caller promises that nobody else uses the rows of these triangles, nor their multipliers.
                let (touches, far) = unsafe { self.one(batch, waiting.lane[i], rows, low) };
                pushed.contacts += u32::from(touches);
                longest = Lanes::larger(longest, far);
                pushed.longest = Lanes::larger(pushed.longest, far);
            }
        }
        pushed.total += before + longest;
        waiting.count = 0;
    }
}
