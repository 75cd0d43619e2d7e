//! A sphere against triangles: keeps what lies between the vertices out, too.

use super::bounce::OfTriangle;
use super::touch::{BallContact, closest, near, weighted};
use super::{Begin, Held, NOTED, Slack, Sphere, Surface, TriangleBounce, at_most, friction};
use crate::contact::sphere::outward;
use crate::integrate::Motion;
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::slots::{Place, vector};
use crate::{Access, BATCH, Batches, Chunk, InChunks, Isa, Pack, Row, V3};
use seidel_workers::Shared;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Keeps triangles out of a sphere, with friction. The rows have the parameters [thickness, friction as
/// `Surface::combine` takes it, restitution].
#[derive(Clone, Copy, Debug)]
pub struct TriangleContacts<'a> {
    /// The rows of the particles.
    pub motion: Motion<'a>,
    /// The sphere in this substep.
    pub surface: Surface<Sphere>,
    /// Substep, seconds, if triangles may be inside at its start and are to leave without a velocity.
    pub leaving: Option<f32>,
    /// Multipliers [tau x, tau y, tau z, normal], four packs a batch; empty if they need not be kept.
    pub held: Shared<'a, Pack<f32>>,
    /// True if nothing is held yet in this substep.
    pub first: bool,
    /// For each row of the motion the last normal and the sum of the pushes along it, [n, metres], to which this adds
    /// for the corners; empty if nobody asks.
    pub record: Shared<'a, Row>,
    /// Where it is noted that a corner was pushed; its lanes are looked at each time.
    pub slack: Slack<'a>,
    /// Where what is to bounce is written down; None if nothing does.
    pub bounce: Option<TriangleBounce<'a>>,
}

impl TriangleContacts<'_> {
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
        assert!(self.slack.ways.is_empty() || self.slack.ways.len() >= self.motion.x.len(), "too few ways");
        let noted = self.bounce.map_or(usize::MAX, |bounce| bounce.packs.len() / NOTED);
        let velocities = self.bounce.map_or(usize::MAX, |_| self.motion.v.len());
        assert!(noted >= triangles.len() && velocities >= triangles.particles(), "too few bounces");
        triangles.claim(batches.clone(), self.motion.u.as_ptr());
        isa.dispatch(Solve { contacts: self, triangles, batches })
    }
}

/// What contacts have done to triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pushed {
    /// Number of contacts.
    pub contacts: u32,
    /// Longest way that something was pushed, metres: a corner, or a particle.
    pub longest: f32,
    /// Of triangles the sum of the longest ways of each batch, metres: no corner was pushed further. 0 of particles.
    pub total: f32,
    /// Whether a triangle was left in a solid.
    pub gone_in: bool,
}

impl Pushed {
    /// These, too.
    pub(super) fn add(&mut self, other: Pushed) {
        self.contacts += other.contacts;
        self.longest = Lanes::larger(self.longest, other.longest);
        self.total += other.total;
        self.gone_in |= other.gone_in;
    }
}

struct Solve<'a> {
    contacts: TriangleContacts<'a>,
    triangles: &'a Batches,
    batches: Range<usize>,
}

impl Kernel for Solve<'_> {
    type Output = Pushed;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Pushed {
        // There are more numbers than registers as it is.
        self.all::<L::One>()
    }
}

impl Solve<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> Pushed {
        let mut pushed = Pushed::default();
        for batch in self.batches.clone() {
            let lanes = self.triangles.lanes(batch);
            let mut longest = 0.0;
            for chunk in Chunk::<L>::holding(lanes) {
                // SAFETY: `solve` checked the arrays, `Batches` its indices and independence; its caller keeps others
                // away.
                let (contacts, far) = unsafe {
                    match self.looks(batch, chunk) {
                        // What the look has loaded is not kept for the rest: that spills nearly every register.
                        true => self.pass(std::hint::black_box(batch), chunk),
                        false => {
                            self.forget(batch, chunk);
                            (0, 0.0)
                        }
                    }
                };
                pushed.contacts += contacts;
                longest = Lanes::larger(longest, far);
            }
            pushed.longest = Lanes::larger(pushed.longest, longest);
            pushed.total += longest;
        }
        pushed
    }
}

/// Generalised inverse mass of a point of a triangle.
#[inline(always)]
fn inertia<L: Lanes>(weights: [L; 3], w: [L; 3]) -> L {
    (weights[0] * weights[0] * w[0] + weights[1] * weights[1] * w[1]) + weights[2] * weights[2] * w[2]
}

/// The largest number of a register.
#[inline(always)]
pub(super) fn longest<L: Lanes<Elem = f32>>(ways: L) -> f32 {
    let mut numbers = [0.0f32; BATCH];
    numbers.store(Chunk::<L>::FIRST, ways);
    numbers.into_iter().fold(0.0f32, Lanes::larger)
}

/// At least the longest way of a corner in this substep, against the centre's `travel`: |u - r - travel|, where the
/// rounding r is at most half a step of f32 at the corner.
#[inline(always)]
fn way<L: Lanes>(u: [V3<L>; 3], b0: V3<L>, travel: V3<L>, center: V3<L>) -> L {
    let way = at_most(u[0] - travel).larger(at_most(u[1] - travel)).larger(at_most(u[2] - travel));
    way + (at_most(b0) + at_most(center)) * L::splat(1e-6)
}

impl Solve<'_> {
    /// Whether any lane's triangle may be near. Where it would take gathers to tell, yes.
    ///
    /// # Safety
    /// As for [`TriangleContacts::solve`].
    #[inline(always)]
    unsafe fn looks<L: Lanes<Elem = f32>>(&self, batch: usize, chunk: Chunk<L>) -> bool {
        let (motion, surface) = (self.contacts.motion, self.contacts.surface);
        if self.triangles.reach(batch) != Access::Contiguous {
            return true;
        }
        let place = Place::new(self.triangles, batch, chunk.first());
        let center = V3::<L>::set(surface.at);
        let (from, to) = (V3::set(surface.from), V3::set(surface.to));
        // SAFETY: addresses are within the arrays, as `solve` and `Batches` checked.
        unsafe {
            let (at0, at1, at2) = (place.unit(0), place.unit(1), place.unit(2));
            let (x, displaced) = (motion.x.as_ptr().cast::<f32>(), motion.u.as_ptr().cast::<f32>());
            let u = [vector(displaced.add(at0)), vector(displaced.add(at1)), vector(displaced.add(at2))];
            let b0 = (vector(x.add(at0)) - center) + (u[0] - to);
            let b1 = (vector(x.add(at1)) - center) + (u[1] - to);
            let b2 = (vector(x.add(at2)) - center) + (u[2] - to);
            let thickness = self.triangles.rest(batch)[0].load(chunk);
            let reach = L::set(surface.shape.radius) + thickness;
            let (close, _) = near([b0, b1, b2], way(u, b0, to - from, center), reach);
            (close | self.held(batch, chunk).normal.gt(L::zero())).any()
        }
    }

    /// Multipliers of this substep.
    ///
    /// # Safety
    /// As for `looks`.
    #[inline(always)]
    unsafe fn held<L: Lanes<Elem = f32>>(&self, batch: usize, chunk: Chunk<L>) -> Held<L> {
        if self.contacts.first {
            return Held::none();
        }
        // SAFETY: `solve` has found four packs a batch; the caller promises that they are its alone.
        unsafe { Held::load(self.contacts.held, batch, chunk) }
    }

    /// Keeps multipliers, where they are to be kept.
    ///
    /// # Safety
    /// As for `looks`.
    #[inline(always)]
    unsafe fn keep<L: Lanes<Elem = f32>>(&self, batch: usize, chunk: Chunk<L>, held: Held<L>) {
        // SAFETY: `solve` has found four packs a batch; the caller promises that they are its alone.
        unsafe { held.store(self.contacts.held, batch, chunk) };
    }

    /// Sets them to zero in the first pass.
    ///
    /// # Safety
    /// As for `looks`.
    #[inline(always)]
    unsafe fn forget<L: Lanes<Elem = f32>>(&self, batch: usize, chunk: Chunk<L>) {
        if self.contacts.first {
            // SAFETY: the caller promises that nobody else uses the rows of these triangles, nor their multipliers.
            unsafe { self.keep(batch, chunk, Held::none()) };
        }
    }

    /// Notes which triangles are to bounce.
    ///
    /// # Safety
    /// As for `looks`.
    #[inline(always)]
    unsafe fn note<L: Lanes<Elem = f32>>(
        &self,
        bounce: &TriangleBounce<'_>,
        (batch, chunk): (usize, Chunk<L>),
        pressed: L::Mask,
        [b0, b1, b2]: [L; 3],
        (n, moves): (V3<L>, L),
    ) {
        let mut numbers = [[0.0f32; BATCH]; 7];
        for (to, number) in numbers.iter_mut().zip([b0, b1, b2, n.x, n.y, n.z, moves]) {
            to.store(Chunk::<L>::FIRST, number);
        }
        let of = OfTriangle { triangles: self.triangles, batch, lane: chunk.first() };
        // SAFETY: `solve` has found the velocities and room for all batches; the caller promises that nobody else uses
        // these rows; what is pressed is a triangle.
        unsafe { bounce.note_each(&self.contacts.motion, of, pressed.bits(), &numbers) };
    }

    /// # Safety
    /// As for [`TriangleContacts::solve`].
    #[inline(always)]
    unsafe fn pass<L: Lanes<Elem = f32>>(&self, batch: usize, chunk: Chunk<L>) -> (u32, f32) {
        let (motion, surface) = (self.contacts.motion, self.contacts.surface);
        let place = Place::new(self.triangles, batch, chunk.first());
        let rest = self.triangles.rest(batch);
        let zero = L::zero();
        // SAFETY: indices are below the arrays' lengths, as `solve` and `Batches` checked.
        unsafe {
            let center = V3::<L>::set(surface.at);
            let (from, to) = (V3::set(surface.from), V3::set(surface.to));
            let (mut a, mut b) = ([V3::zero(); 3], [V3::zero(); 3]);
            let (mut u, mut path, mut w) = ([V3::zero(); 3], [V3::zero(); 3], [zero; 3]);
            let mut copies = [const { [MaybeUninit::uninit(); 3] }; 3];
            for (k, [of_x, of_u, of_r]) in copies.iter_mut().enumerate() {
                let x = place.registers::<L>(motion.x.as_ptr(), k, of_x);
                u[k] = vector(place.registers::<L>(motion.u.as_ptr(), k, of_u));
                w[k] = L::load(x.add(3 * BATCH));
                let (near, r) = (vector(x) - center, vector(place.registers::<L>(motion.r.as_ptr(), k, of_r)));
                path[k] = u[k] - r;
                a[k] = near + (r - from);
                b[k] = near + (u[k] - to);
            }
            let thickness = rest[0].load(chunk);
            let mut reach = L::set(surface.shape.radius) + thickness;
            let held = self.held(batch, chunk);
            // Also a mask: what is decided for a lane must not depend on its neighbours.
            let (close, through) = near(b, way(u, b[0], to - from, center), reach);
            let possible = close | held.normal.gt(zero);
            if !possible.any() {
                self.forget(batch, chunk);
                return (0, 0.0);
            }
            let mut touch = BallContact::of(a, b, reach, through, self.contacts.leaving.is_some());
            let (mut shifted, mut possible) = (zero, possible);
            if let (Some(before), Some(h)) = (touch.before, self.contacts.leaving) {
                let start = weighted(a, before);
                let length = start.length();
                let out = outward(start, length);
                let begin = Begin { depth: reach - length, end: -touch.c, at: start, thickness };
                let free = inertia(before, w);
                let inside = possible & begin.inside() & free.gt(zero);
                if inside.any() {
                    // Corners inside leave by themselves, and their triangles with them.
                    let corner = a[0].length().smaller(a[1].length()).smaller(a[2].length());
                    let between = inside & corner.gt(reach);
                    possible = possible & (between | !inside);
                    let shift = begin.leave(L::set(h), self.contacts.first).or_zero(between);
                    reach = reach - (begin.depth - shift).or_zero(between);
                    let shift = out * (shift / free);
                    for k in 0..3 {
                        let d = (shift * (before[k] * w[k])).or_zero(between);
                        let moved = |x: V3<L>| V3::select(between, x + d, x);
                        let r = moved(vector(place.registers::<L>(motion.r.as_ptr(), k, &mut copies[k][2])));
                        (u[k], a[k], b[k]) = (moved(u[k]), moved(a[k]), moved(b[k]));
                        place.put([r.x, r.y, r.z], motion.r.as_ptr(), k);
                        place.put([u[k].x, u[k].y, u[k].z], motion.u.as_ptr(), k);
                        shifted = shifted.larger(d.length());
                    }
                    // At least as far as each corner: a bound is enough.
                    self.contacts.slack.push_corners(place, shifted);
                    touch = BallContact::of(a, b, reach, through, self.contacts.leaving.is_some());
                }
            }
            let BallContact { weights, point, n, c, .. } = touch;
            let weight = inertia(weights, w);
            let touches = possible & weight.gt(zero) & (c.lt(zero) | held.normal.gt(zero));
            if !touches.any() {
                self.forget(batch, chunk);
                return (0, longest(shifted));
            }
            let friction_body = rest[1].load(chunk);
            let mu_s = surface.combine.of(friction_body, L::set(surface.friction_static));
            let mu_k = surface.combine.of(friction_body, L::set(surface.friction_kinetic));
            let normal = (held.normal - c / weight).larger(zero);
            let push = n * (normal - held.normal);
            let moved = weighted(path, weights) + push * weight;
            let slip = moved - surface.displacement(point);
            let slip = slip - n * slip.dot(n);
            let tau = friction(Held { tau: held.tau, normal }, slip * (L::splat(1.0) / weight), mu_s, mu_k);
            let change = push + (tau - held.tau);
            let sane = touches & change.length_squared().finite();
            let change = change.or_zero(sane);
            let mut pushed = b;
            let mut most = zero;
            for k in 0..3 {
                let share = weights[k].or_zero(sane) * w[k];
                most = most.larger(share);
                let du = change * share;
                u[k] = u[k] + du;
                pushed[k] = pushed[k] + du;
            }
            // Corners pushed unequally tilt the triangle, and another of its points is closest: by tilt^2 radius / 2
            // too close. Pushed all alike along its normal it is outside, and so are its neighbours.
            let q = weighted(pushed, closest(pushed));
            let len = q.length();
            let short = reach - len;
            let again = sane & short.gt(zero) & q.dot(n).gt(zero);
            let rest_of_push = (outward(q, len) * short).or_zero(again);
            let far = (change.length() * most + short.or_zero(again)) + shifted;
            for k in 0..3 {
                let u = u[k] + rest_of_push.or_zero(w[k].gt(zero));
                place.put([u.x, u.y, u.z], motion.u.as_ptr(), k);
            }
            self.contacts.slack.push_corners(place, far.or_zero(touches));
            if !self.contacts.record.is_empty() {
                let push = (normal - held.normal).or_zero(sane);
                for k in 0..3 {
                    let way = push * (weights[k] * w[k]) + short.or_zero(again & w[k].gt(zero));
                    note(self.contacts.record, (place, k), (n, way));
                }
            }
            if let Some(bounce) = &self.contacts.bounce {
                let pressed = sane & normal.gt(zero);
                self.note(bounce, (batch, chunk), pressed, weights, (n, surface.displacement(point).dot(n)));
            }
            let tau = V3::select(sane, tau, held.tau);
            let normal = L::select(sane, normal, held.normal);
            self.keep(batch, chunk, Held { tau, normal });
            // Lanes without a row touch nothing: their thickness is no number.
            let count = (sane & normal.gt(zero)).count();
            (count, longest(far))
        }
    }
}

/// Adds pushes of the corners in a slot to what is recorded, where there are any.
///
/// # Safety
/// As for [`TriangleContacts::solve`].
#[inline(always)]
unsafe fn note<L: Lanes<Elem = f32>>(record: Shared<'_, Row>, (place, slot): (Place, usize), (n, way): (V3<L>, L)) {
    let mut numbers = [[0.0f32; BATCH]; 4];
    // SAFETY: a buffer holds BATCH numbers, of which WIDTH are used; `solve` has found a row for each of the motion's.
    unsafe {
        for (to, number) in numbers.iter_mut().zip([n.x, n.y, n.z, way]) {
            number.store(to.as_mut_ptr());
        }
        let [x, y, z, ways] = numbers;
        for (lane, &way) in ways.iter().enumerate().take(L::WIDTH) {
            // Less where a later iteration lets go; of lanes without a row it is no number.
            if way.abs() > 0.0 {
                push(record, place.lane(slot, lane), [x[lane], y[lane], z[lane]], way);
            }
        }
    }
}

/// Adds a push along a normal to a particle's record, which is at this place.
///
/// # Safety
/// The record is there, and nobody else uses it.
#[inline(always)]
pub(super) unsafe fn push(record: Shared<'_, Row>, (offset, stride): (usize, usize), n: [f32; 3], way: f32) {
    // SAFETY: the caller promises that the record is there, and nobody else uses it.
    unsafe {
        let to = record.as_ptr().cast::<f32>().add(offset);
        for (k, n) in n.into_iter().enumerate() {
            to.add(k * stride).write(n);
        }
        to.add(3 * stride).write(to.add(3 * stride).read() + way);
    }
}
