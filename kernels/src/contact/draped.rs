//! Any shape with a signed distance against triangles: what lies between the vertices is kept out, too.
//!
//! ```text
//!        2          q = b0 x0 + b1 x1 + b2 x2: the deepest point (deepest.rs)
//!       / \         C = (d(q) - thickness) / |g|,  n = g / |g|,  dC/dx_k = b_k n,  g how d(q) grows with the triangle
//!      / q \
//!     0 --- 1       Most triangles that are near lie on the shape and are free: lanes tell which are not surely so.
//! ```
//! These few are solved one at a time. One that goes further in a substep than half of what the shape is thin is followed on its
//! way: no point of it goes further than its corners do, so it may go as far as it is away (Mirtich 1996, "Impulse-based Dynamic
//! Simulation", section 2.3: conservative advancement). Where it arrives, it is held to the tangent plane there.

use super::deepest::{Deepest, Enough, deepest, weighted as weighted_f64};
use super::distance::{Bend, Distance, UNKNOWN, lower};
use super::touch::{closest, weighted};
use super::traced::into;
use super::{Begin, Held, Pushed, Solid, Surface, Traced, at_most, each, friction, resting};
use crate::integrate::Motion;
use crate::lanes::{Kernel, Lanes, Mask};
use crate::slots::Place;
use crate::{BATCH, Batches, Isa, Pack, Shared, V3};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Part of the thickness by which a triangle may be deep.
const SHALLOW: f64 = 1.0 / 2048.0;
/// Part of the thickness by which triangles are kept farther from a shape that is not convex. What is half of it nearer is left there, and
/// the bound of a deepest point need be no better than a quarter: it costs the more the nearer it is.
const SLACK: f64 = 1.0 / 8.0;

/// Part of a coordinate: roundings of f32 in a distance.
const ROUNDING: f64 = 3e-7;

/// How often lanes look for a lower point of those that are not yet free.
const ROUNDS: usize = 2;

/// Radians that a normal turns over a triangle's longest edge, at least, where a lower point is looked for.
const FLAT: f64 = 1e-4;

/// Steps along the way of a triangle, at most.
const STEPS: usize = 64;

/// Part of the girth that a step along a way is at least: what it overtakes is shallow.
const LEAST_STEP: f64 = 1.0 / 64.0;

/// Length of a way out, at least: a push out of a sharp crease is so many times as long as it is deep.
const FLATTEST: f64 = 0.25;

type P = V3<f64>;

/// Keeps triangles out of a solid, with friction. The rows have the parameters [thickness, sqrt(friction)].
#[derive(Clone, Copy, Debug)]
pub struct DrapedContacts<'a> {
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
}

impl DrapedContacts<'_> {
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
        each!(&self.surface.shape.shape, shape => isa.dispatch(Solve { contacts: &self, shape, triangles, batches }))
    }
}

struct Solve<'a, D> {
    contacts: &'a DrapedContacts<'a>,
    shape: &'a D,
    triangles: &'a Batches,
    batches: Range<usize>,
}

impl<D: Distance> Kernel for Solve<'_, D> {
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
    /// The distance above which one is free.
    level: [f32; ROOM],
    /// The normal multiplier so far.
    was: [f32; ROOM],
}

/// What the parts of a triangle tell: whether it is free, and the middle of the part that may be lowest.
struct Parts {
    free: bool,
    weights: [f32; 3],
}

/// Sixteen parts of a triangle, its edges in quarters: 1 for those that lie as it does, -1 for those that are turned round.
const TURNS: [f32; BATCH] = {
    let mut parts = [1.0; BATCH];
    let mut k = 10;
    while k < BATCH {
        parts[k] = -1.0;
        k += 1;
    }
    parts
};

/// The weights of their middles.
const MIDDLES: [[f32; BATCH]; 3] = {
    let mut middles = [[0.0; BATCH]; 3];
    let mut k = 0;
    // Twelfths: of part (i, j) 4 i + 1 and 4 j + 1, of those turned round 4 i + 2 and 4 j + 2.
    let mut turned = 0;
    while turned < 2 {
        let mut i = 0;
        while i < 4 - turned {
            let mut j = 0;
            while i + j < 4 - turned {
                let (a, b) = (4 * i + 1 + turned, 4 * j + 1 + turned);
                middles[1][k] = a as f32 / 12.0;
                middles[2][k] = b as f32 / 12.0;
                middles[0][k] = (12 - a - b) as f32 / 12.0;
                k += 1;
                j += 1;
            }
            i += 1;
        }
        turned += 1;
    }
    middles
};

/// Three registers, `BATCH` numbers apart.
///
/// # Safety
/// They may be read.
#[inline(always)]
unsafe fn vector<L: Lanes<Elem = f32>>(from: *const f32) -> V3<L> {
    // SAFETY: the caller's promise.
    unsafe { V3::new(L::load(from), L::load(from.add(BATCH)), L::load(from.add(2 * BATCH))) }
}

/// The lowest that a tangent plane comes over the corners, or what it is the plane of that bends so.
#[inline(always)]
fn lowest<L: Lanes>(x: &[V3<L>; 3], at: V3<L>, (value, gradient): (L, V3<L>), bend: Option<Bend<L>>) -> L {
    if let Some(bend) = bend {
        return lower(x, at, (value, gradient), &bend);
    }
    let (h0, h1, h2) = ((x[0] - at).dot(gradient), (x[1] - at).dot(gradient), (x[2] - at).dot(gradient));
    value + h0.smaller(h1).smaller(h2)
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
    // SAFETY: the caller's promise.
    unsafe {
        V3::new(L::load(x[0].as_ptr().add(first)), L::load(x[1].as_ptr().add(first)), L::load(x[2].as_ptr().add(first)))
    }
}

impl<D: Distance> Solve<'_, D> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> Pushed {
        let mut pushed = Pushed::default();
        let mut waiting = Waiting {
            count: 0,
            batch: [0; ROOM],
            lane: [0; ROOM],
            x: [[[0.0; ROOM]; 3]; 3],
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

    /// Puts the triangles of a batch that are near a box about the solid where they wait, and forgets what they held before this
    /// substep.
    ///
    /// # Safety
    /// As for [`DrapedContacts::solve`]; `first + WIDTH <= BATCH`.
    #[inline(always)]
    unsafe fn look<L: Lanes<Elem = f32>>(&self, batch: usize, first: usize, waiting: &mut Waiting) {
        let DrapedContacts { motion, surface, held, .. } = *self.contacts;
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
            let held = if self.shape.convex() { 1.0 - SHALLOW } else { 1.0 + 0.5 * SLACK - SHALLOW };
            let level = (thickness * L::splat(held) - rounding) + through;
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
            let mut numbers = [[0.0f32; BATCH]; 12];
            for k in 0..3 {
                x[k].x.store(numbers[3 * k].as_mut_ptr());
                x[k].y.store(numbers[3 * k + 1].as_mut_ptr());
                x[k].z.store(numbers[3 * k + 2].as_mut_ptr());
            }
            level.store(numbers[9].as_mut_ptr());
            was.store(numbers[10].as_mut_ptr());
            one.or_zero(near).store(numbers[11].as_mut_ptr());
            for (lane, &near) in numbers[11].iter().enumerate().take(L::WIDTH) {
                if near > 0.0 {
                    let i = waiting.count;
                    (waiting.batch[i], waiting.lane[i]) = (batch, first + lane);
                    for (to, from) in waiting.x.as_flattened_mut().iter_mut().zip(&numbers) {
                        to[i] = from[lane];
                    }
                    (waiting.level[i], waiting.was[i]) = (numbers[9][lane], numbers[10][lane]);
                    waiting.count += 1;
                }
            }
        }
    }

    /// Solves those that wait, one after another, unless they are surely free.
    ///
    /// # Safety
    /// As for [`DrapedContacts::solve`].
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
                let (margin, weights) = self.margin::<L>(x, level);
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
                let mut begin = [lowest[0][i], lowest[1][i], lowest[2][i]];
                if !self.shape.convex() {
                    let corners = waiting.x.each_ref().map(|x| [x[0][i], x[1][i], x[2][i]]);
                    let parts = self.parts::<L>(corners, waiting.level[i] + drawn);
                    if parts.free && waiting.was[i] <= 0.0 {
                        continue;
                    }
                    begin = parts.weights;
                }
                let begin = begin.map(f64::from);
                // SAFETY: the caller's promise.
                let (touches, far) = unsafe { self.one(batch, waiting.lane[i], begin) };
                pushed.contacts += u32::from(touches);
                longest = Lanes::larger(longest, far);
                pushed.longest = Lanes::larger(pushed.longest, far);
            }
        }
        pushed.total += before + longest;
        waiting.count = 0;
    }

    /// Whether a triangle is surely above a level, by bounds of sixteen parts that lie like it, and of those of each that may not be.
    #[inline(always)]
    fn parts<L: Lanes<Elem = f32>>(&self, x: [[f32; 3]; 3], level: f32) -> Parts {
        let (bounds, at, arms) = self.bounds::<L>(x);
        let mut lowest = 0;
        let mut free = true;
        for k in 0..BATCH {
            lowest = if bounds[k] < bounds[lowest] { k } else { lowest };
            // Once one is not, the others do not matter; what is no number is not.
            if free && !(bounds[k] >= level) {
                let corner = |arm: [f32; 3]| [0, 1, 2].map(|c| at[c][k] + arm[c] * TURNS[k]);
                let (bounds, ..) = self.bounds::<L>(arms.map(corner));
                free = bounds.iter().all(|&bound| bound >= level);
            }
        }
        Parts { free, weights: [0, 1, 2].map(|k| MIDDLES[k][lowest]) }
    }

    /// Of the sixteen parts of a triangle, what their distances are at least, their middles, and the arms from these to the corners of
    /// those that lie as it does.
    #[inline(always)]
    fn bounds<L: Lanes<Elem = f32>>(&self, x: [[f32; 3]; 3]) -> ([f32; BATCH], [[f32; BATCH]; 3], [[f32; 3]; 3]) {
        let middle = [0, 1, 2].map(|c| ((x[0][c] + x[1][c]) + x[2][c]) * (1.0 / 3.0));
        let arms = x.map(|x| [0, 1, 2].map(|c| (x[c] - middle[c]) * 0.25));
        let corners = [V3::<L>::set(x[0]), V3::set(x[1]), V3::set(x[2])];
        let to = [V3::<L>::set(arms[0]), V3::set(arms[1]), V3::set(arms[2])];
        let reach = to[0].length().larger(to[1].length()).larger(to[2].length()) * L::splat(1.0 + 1e-5);
        let (mut bounds, mut middles) = ([0.0f32; BATCH], [[0.0f32; BATCH]; 3]);
        let mut first = 0;
        while first < BATCH {
            // SAFETY: `first + WIDTH <= BATCH` numbers of sixteen.
            unsafe {
                let weights = [
                    L::load(MIDDLES[0].as_ptr().add(first)),
                    L::load(MIDDLES[1].as_ptr().add(first)),
                    L::load(MIDDLES[2].as_ptr().add(first)),
                ];
                let turn = L::load(TURNS.as_ptr().add(first));
                let at = weighted(corners, weights);
                let (value, normal, steep) = self.shape.graded(at);
                let part = [at + to[0] * turn, at + to[1] * turn, at + to[2] * turn];
                let cut = lower(&part, at, (value, normal * steep), &self.shape.about(at, reach));
                let bound = self.shape.least(value, reach).larger(cut);
                bound.store(bounds.as_mut_ptr().add(first));
                at.x.store(middles[0].as_mut_ptr().add(first));
                at.y.store(middles[1].as_mut_ptr().add(first));
                at.z.store(middles[2].as_mut_ptr().add(first));
            }
            first += L::WIDTH;
        }
        (bounds, middles, arms)
    }

    /// How far above their levels triangles surely are, at least, and the weights of a low point.
    #[inline(always)]
    fn margin<L: Lanes<Elem = f32>>(&self, x: [V3<L>; 3], level: L) -> (L, [L; 3]) {
        let one = L::splat(1.0);
        let mut weights = [L::splat(1.0 / 3.0); 3];
        let (e1, e2, e3) = ((x[1] - x[0]).length(), (x[2] - x[0]).length(), (x[2] - x[1]).length());
        let middle = (x[0] + x[1] + x[2]) * L::splat(1.0 / 3.0);
        // Two thirds of a median is at most the longest edge over the root of three.
        let longest = e1.larger(e2).larger(e3);
        let (value, normal, steep) = self.shape.graded(middle);
        let reach = longest * L::splat(0.577_36);
        let convex = self.shape.convex();
        let bound = match convex {
            true => value - longest * L::set(self.shape.slope()) * L::splat(0.577_36),
            false => self.shape.least(value, reach),
        };
        // What is known of a lane must not depend on its neighbours: each goes on for as long as it is not free.
        let mut goes_on = bound.lt(level);
        if !goes_on.any() {
            return (bound - level, weights);
        }
        let mut bend = None;
        if !convex {
            let about = self.shape.about(middle, reach);
            goes_on = goes_on & about.falls.lt(L::splat(UNKNOWN));
            bend = Some(about);
        }
        let mut gradient = normal * steep;
        let mut cut = lowest(&x, middle, (value, gradient), bend);
        // How fast the gradient turns, at most, between the middle and a corner.
        let mut curved = L::splat(FLAT) / longest;
        for k in 0..3 {
            let (value, normal, steep) = self.shape.graded(x[k]);
            cut = cut.larger(lowest(&x, x[k], (value, normal * steep), bend));
            let arm = x[k] - middle;
            curved = curved.larger((normal * steep - gradient).dot(arm) / arm.length_squared());
        }
        let mut bound = L::select(goes_on, bound.larger(cut), bound);
        // Where it would be nothing if it turned so everywhere, the cut is the highest.
        let mut at = middle;
        for _ in 0..ROUNDS {
            goes_on = goes_on & bound.lt(level);
            if !goes_on.any() {
                break;
            }
            let aim = at - gradient * (one / curved);
            let from_aim = [x[0] - aim, x[1] - aim, x[2] - aim];
            let found = closest(from_aim);
            at = aim + weighted(from_aim, found);
            for k in 0..3 {
                weights[k] = L::select(goes_on, found[k], weights[k]);
            }
            let (value, normal, steep) = self.shape.graded(at);
            gradient = normal * steep;
            bound = L::select(goes_on, bound.larger(lowest(&x, at, (value, gradient), bend)), bound);
        }
        (bound - level, weights)
    }
}

/// A triangle on its way, in the shape's own frame, and where its contact is held to.
#[derive(Clone, Copy, Debug)]
struct Contact {
    weights: [f64; 3],
    c: f64,
    /// In the shape's frame.
    n: P,
}

/// The same between two places.
fn between(a: &[P; 3], b: &[P; 3], s: f64) -> [P; 3] {
    [a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s]
}

fn inertia(weights: [f64; 3], w: [f64; 3]) -> f64 {
    (weights[0] * weights[0] * w[0] + weights[1] * weights[1] * w[1]) + weights[2] * weights[2] * w[2]
}

fn wide(v: [f32; 3]) -> P {
    V3::set(v.map(f64::from))
}

fn wide_rows(m: &[[f32; 3]; 3]) -> [P; 3] {
    [wide(m[0]), wide(m[1]), wide(m[2])]
}

/// Into the frame whose matrix has these rows.
fn within(m: &[P; 3], v: P) -> P {
    m[0] * v.x + m[1] * v.y + m[2] * v.z
}

/// Out of it.
fn without(m: &[P; 3], v: P) -> P {
    V3::new(m[0].dot(v), m[1].dot(v), m[2].dot(v))
}

impl Contact {
    /// Of a deepest point: how far above a level, along the way out.
    fn of(found: &Deepest, level: f64) -> Contact {
        let steep = found.normal.length().max(FLATTEST);
        Contact { weights: found.weights, c: (found.value - level) / steep, n: found.normal * (1.0 / steep) }
    }
}

/// How near is near enough, metres.
#[derive(Clone, Copy)]
struct Near {
    /// Above the thickness: what is held ends there, what is half of it nearer is left.
    slack: f64,
    /// What counts as touching, and rounding.
    gap: f64,
}

impl Near {
    /// What is no further below its level is left there.
    fn left(self) -> f64 {
        0.5 * self.slack + self.gap
    }

    /// For the deepest point of what is to be `level` away.
    fn enough(self, level: f64) -> Enough {
        Enough { free: level - self.left(), gap: 0.5 * self.left(), share: f64::INFINITY }
    }
}

impl<D: Distance> Solve<'_, D> {
    /// The contact of a way from `a` to `b`, to be `level` away.
    fn touch(&self, a: &[P; 3], b: &[P; 3], begin: [f64; 3], level: f64, near: Near) -> Contact {
        let girth = f64::from(self.shape.girth());
        let way = (0..3).map(|k| (b[k] - a[k]).length()).fold(0.0, f64::max);
        let (long, half) = (way > 0.5 * girth, 0.5 * near.slack);
        if let Some(met) = long.then(|| self.advance(a, b, way, begin, level - half, near.gap)).flatten() {
            return Contact { c: met.c - half, ..met };
        }
        Contact::of(&deepest(self.shape, *b, begin, near.enough(level)), level)
    }

    /// Follows a triangle that begins outside: where it arrives, or that it is free to its end.
    fn advance(&self, a: &[P; 3], b: &[P; 3], way: f64, mut begin: [f64; 3], level: f64, gap: f64) -> Option<Contact> {
        let slope = f64::from(self.shape.slope());
        let least = LEAST_STEP * f64::from(self.shape.girth());
        let near = gap + (way + f64::from(self.shape.bound())) * 2e-6;
        let enough = Enough { free: level, gap: 0.5 * near, share: 0.5 };
        let mut s = 0.0;
        for step in 0..=STEPS {
            let x = between(a, b, s);
            let found = deepest(self.shape, x, begin, enough);
            begin = found.weights;
            let above = found.value - level;
            if step == 0 && above < -resting(found.at, level).max(f64::from(self.shape.skin())) {
                return None;
            }
            let end = weighted_f64(b, found.weights);
            let steep = found.normal.length().max(FLATTEST);
            let n = found.normal * (1.0 / steep);
            let c = above / steep + (end - found.at).dot(n);
            if above <= near && c < 0.0 {
                return Some(Contact { weights: found.weights, c, n });
            }
            if step == STEPS {
                // Neither arrived nor free: it ends where it is.
                let back = found.at - end;
                let length = back.length();
                return (length > 0.0).then(|| Contact {
                    weights: found.weights,
                    c: -length,
                    n: back * (1.0 / length),
                });
            }
            let sure = found.bound.min(found.value) - level;
            s += (sure / slope).max(least) / way;
            if s >= 1.0 {
                return None;
            }
        }
        None
    }

    /// Solves one triangle. Returns whether it touches, and how far it has pushed a corner.
    ///
    /// # Safety
    /// As for [`DrapedContacts::solve`]; the lane has a triangle.
    #[inline(never)]
    unsafe fn one(&self, batch: usize, lane: usize, begin: [f64; 3]) -> (bool, f32) {
        let DrapedContacts { motion, ref surface, leaving, held: multipliers, first, .. } = *self.contacts;
        let place = Place::new(self.triangles, batch, 0);
        let rest = self.triangles.rest(batch);
        let thickness = f64::from(rest[0].0[lane] + self.contacts.thickness);
        let (then, now) = (wide_rows(&surface.shape.start), wide_rows(&surface.shape.end));
        let (center, from, to) = (wide(surface.at), wide(surface.from), wide(surface.to));
        let (mut u, mut r, mut w) = ([V3::zero(); 3], [V3::zero(); 3], [0.0; 3]);
        let (mut a, mut b) = ([V3::zero(); 3], [V3::zero(); 3]);
        let read = |rows: Shared<'_, crate::Row>, slot: usize, k: usize| {
            // SAFETY: addresses are within the arrays, as `solve` and `Batches` checked; the rows are the caller's.
            unsafe {
                let (offset, stride) = place.lane(slot, lane);
                f64::from(rows.as_ptr().cast::<f32>().add(offset + k * stride).read())
            }
        };
        let vector = |rows, slot| V3::new(read(rows, slot, 0), read(rows, slot, 1), read(rows, slot, 2));
        let put = |rows: Shared<'_, crate::Row>, slot: usize, v: P| {
            for (k, value) in [v.x, v.y, v.z].into_iter().enumerate() {
                // SAFETY: as in `read`.
                unsafe {
                    let (offset, stride) = place.lane(slot, lane);
                    rows.as_ptr().cast::<f32>().add(offset + k * stride).write(value as f32);
                }
            }
        };
        for k in 0..3 {
            (u[k], r[k], w[k]) = (vector(motion.u, k), vector(motion.r, k), read(motion.x, k, 3));
            let near = vector(motion.x, k) - center;
            a[k] = within(&then, near + (r[k] - from));
            b[k] = within(&now, near + (u[k] - to));
        }
        let was = |k: usize| {
            if multipliers.is_empty() || first {
                return 0.0;
            }
            // SAFETY: `solve` has found four packs for each batch; they are the caller's.
            unsafe { f64::from(multipliers.as_ptr().add(batch * 4 + k).cast::<f32>().add(lane).read()) }
        };
        let held = Held { tau: V3::new(was(0), was(1), was(2)), normal: was(3) };
        let size = at_most(b[0]).max(at_most(b[1])).max(at_most(b[2])) + f64::from(self.shape.bound());
        let gap = SHALLOW * thickness + ROUNDING * size;
        let mut near = Near { slack: if self.shape.convex() { 0.0 } else { SLACK * thickness }, gap };
        let mut level = thickness + near.slack;
        let mut touch = self.touch(&a, &b, begin, level, near);
        let mut far = 0.0;
        if let (Some(h), true) = (leaving, touch.c < -near.left()) {
            let exact = Enough { free: thickness, gap: 0.5 * gap, share: f64::INFINITY };
            let began = deepest(self.shape, a, begin, exact);
            let start = Begin { depth: thickness - began.value, end: -(touch.c + near.slack), at: began.at, thickness };
            let free = inertia(began.weights, w);
            if start.inside() && free > 0.0 {
                // Corners inside leave by themselves, and their triangles with them.
                if a.iter().any(|&a| self.shape.distance(a).0 <= thickness) {
                    return (false, 0.0);
                }
                let shift = start.leave(f64::from(h), first);
                (near.slack, level) = (0.0, thickness - (start.depth - shift));
                let steep = began.normal.length().max(FLATTEST);
                let out = without(&then, began.normal * (1.0 / steep));
                for k in 0..3 {
                    let share = shift / free * began.weights[k] * w[k];
                    let (d, moved) = (out * share, began.normal * (share / steep));
                    (u[k], r[k]) = (u[k] + d, r[k] + d);
                    a[k] = a[k] + moved;
                    b[k] = b[k] + within(&now, d);
                    far = f64::max(far, share);
                    put(motion.r, k, r[k]);
                    put(motion.u, k, u[k]);
                }
                touch = self.touch(&a, &b, begin, level, near);
            }
        }
        let weight = inertia(touch.weights, w);
        if !(weight > 0.0 && (touch.c < -near.left() || held.normal > 0.0)) {
            return (false, far as f32);
        }
        let n = without(&now, touch.n);
        let body = f64::from(rest[1].0[lane]);
        let (mu_s, mu_k) = (body * f64::from(surface.friction_static), body * f64::from(surface.friction_kinetic));
        let normal = (held.normal - touch.c / weight).max(0.0);
        let push = n * (normal - held.normal);
        let path = [u[0] - r[0], u[1] - r[1], u[2] - r[2]];
        let moved = weighted_f64(&path, touch.weights) + push * weight;
        let turn = wide_rows(&surface.turn);
        let slip = moved - ((to - from) + without(&turn, without(&now, weighted_f64(&b, touch.weights))));
        let slip = slip - n * slip.dot(n);
        let tau = friction(Held { tau: held.tau, normal }, slip * (1.0 / weight), mu_s, mu_k);
        let change = push + (tau - held.tau);
        if !change.length_squared().is_finite() {
            return (false, far as f32);
        }
        let mut pushed = b;
        let turned = within(&now, change);
        let mut most = 0.0f64;
        for k in 0..3 {
            let share = touch.weights[k] * w[k];
            most = most.max(share);
            u[k] = u[k] + change * share;
            pushed[k] = pushed[k] + turned * share;
        }
        far += change.length() * most;
        // Corners pushed unequally tilt the triangle, and another of its points is deepest. Pushed all alike it is outside.
        let found = deepest(self.shape, pushed, touch.weights, near.enough(level));
        let again = Contact::of(&found, level);
        let out = without(&now, again.n);
        if again.c < -near.left() && out.dot(n) > 0.0 {
            for k in 0..3 {
                if w[k] > 0.0 {
                    u[k] = u[k] - out * again.c;
                }
            }
            far -= again.c;
        }
        for (k, u) in u.into_iter().enumerate() {
            put(motion.u, k, u);
        }
        if !multipliers.is_empty() {
            for (k, value) in [tau.x, tau.y, tau.z, normal].into_iter().enumerate() {
                // SAFETY: as in `was`.
                unsafe { multipliers.as_ptr().add(batch * 4 + k).cast::<f32>().add(lane).write(value as f32) };
            }
        }
        (normal > 0.0, far as f32)
    }
}
