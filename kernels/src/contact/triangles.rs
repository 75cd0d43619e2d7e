//! A sphere against triangles: keeps what lies between the vertices out, too.
//!
//! ```text
//!        2          q = b0 x0 + b1 x1 + b2 x2: the point of the triangle that is closest to the centre
//!       / \         C = |q| - reach,  n = q / |q|,  dC/dx_k = b_k n
//!      / q \        A centre that has passed through the triangle (its side of the plane has changed, and it crossed
//!     0 --- 1       inside) is pushed back: q where it crossed, n to the side where it was.
//! ```
//! Closest point by Voronoi regions: Ericson 2005, "Real-Time Collision Detection", section 5.1.5, without branches.

use super::{Begin, Held, Sphere, Surface, at_most, friction};
use crate::contact::sphere::outward;
use crate::integrate::Motion;
use crate::lanes::{Kernel, Lanes, Mask};
use crate::slots::Place;
use crate::tuning::MIN_AREA;
use crate::{BATCH, Batches, Isa, Pack, Reach, Shared, V3};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Keeps triangles out of a sphere, with friction. The rows have the parameters [thickness, sqrt(friction)].
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
        assert!(triangles.slots() == 3 && triangles.params() == 2, "batches of another kind");
        let rows = [self.motion.x.len(), self.motion.r.len(), self.motion.u.len()];
        assert!(rows.into_iter().all(|len| triangles.particles() <= len), "batches of another plan");
        assert!(self.held.is_empty() || self.held.len() >= 4 * triangles.len(), "too few multipliers");
        isa.dispatch(Solve { contacts: self, triangles, batches })
    }
}

/// What contacts have done to triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pushed {
    /// Number of contacts.
    pub contacts: u32,
    /// Longest way that a batch has pushed a corner, metres.
    pub longest: f32,
    /// Sum of the longest ways of each batch, metres: no corner was pushed further.
    pub total: f32,
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
            let mut first = 0;
            while first < lanes {
                // SAFETY: `solve` checked the arrays, `Batches` its indices and independence; its caller keeps others
                // away.
                let (contacts, far) = unsafe {
                    match self.looks::<L>(batch, first) {
                        // What the look has loaded is not kept for the rest: that spills nearly every register.
                        true => self.pass::<L>(std::hint::black_box(batch), first),
                        false => {
                            self.forget::<L>(batch, first);
                            (0, 0.0)
                        }
                    }
                };
                pushed.contacts += contacts;
                longest = Lanes::larger(longest, far);
                first += L::WIDTH;
            }
            pushed.longest = Lanes::larger(pushed.longest, longest);
            pushed.total += longest;
        }
        pushed
    }
}

/// In a region the weights of the second and third corner are these.
#[inline(always)]
fn region<L: Lanes>(st: &mut (L, L), inside: L::Mask, s: L, t: L) {
    *st = (L::select(inside, s, st.0), L::select(inside, t, st.1));
}

/// Weights of the point of triangle x that is closest to the origin.
#[inline(always)]
fn closest<L: Lanes>([x0, x1, x2]: [V3<L>; 3]) -> [L; 3] {
    let (zero, one) = (L::zero(), L::splat(1.0));
    let (e1, e2) = (x1 - x0, x2 - x0);
    let (d1, d2) = (-e1.dot(x0), -e2.dot(x0));
    let (d3, d4) = (-e1.dot(x1), -e2.dot(x1));
    let (d5, d6) = (-e1.dot(x2), -e2.dot(x2));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let area = one / ((va + vb) + vc);
    let mut st = (vb * area, vc * area);
    // The regions in rising priority: edges, then vertices.
    let (p, q) = (d4 - d3, d5 - d6);
    let along = p / (p + q);
    region(&mut st, va.le(zero) & p.ge(zero) & q.ge(zero), one - along, along);
    region(&mut st, vb.le(zero) & d2.ge(zero) & d6.le(zero), zero, d2 / (d2 - d6));
    region(&mut st, d6.ge(zero) & d5.le(d6), zero, one);
    region(&mut st, vc.le(zero) & d1.ge(zero) & d3.le(zero), d1 / (d1 - d3), zero);
    region(&mut st, d3.ge(zero) & d4.le(d3), one, zero);
    region(&mut st, d1.le(zero) & d2.le(zero), zero, zero);
    let (s, t) = st;
    [(one - s) - t, s, t]
}

/// sum b_k x_k
#[inline(always)]
fn weighted<L: Lanes>(x: [V3<L>; 3], weights: [L; 3]) -> V3<L> {
    x[0] * weights[0] + x[1] * weights[1] + x[2] * weights[2]
}

/// Whether the triangle at `b` may be closer than `reach` to the centre, and whether the centre may have passed through it or
/// beside it to the other side, on a way of its corners of at most `way`. Never false by rounding.
///
/// The closest point q is a corner, or below or beside one that is nearest to it: |q|^2 >= min |b_k|^2 - (longest edge)^2 / 3.
#[inline(always)]
fn near<L: Lanes>(b: [V3<L>; 3], way: L, reach: L) -> (L::Mask, L::Mask) {
    let (e0, e1, e2) = (b[1] - b[0], b[2] - b[0], b[2] - b[1]);
    let longest = e0.length_squared().larger(e1.length_squared()).larger(e2.length_squared());
    let from_b0 = b[0].length_squared();
    let nearest = from_b0.smaller(b[1].length_squared()).smaller(b[2].length_squared());
    let far = (reach * reach + longest * L::splat(1.0 / 3.0)) * L::splat(1.000_02);
    // The centre was as near as the longest way, and the closest point may have turned by a right angle only where it is some
    // ways near: closer than (longest edge) + 16 ways, whose square is at most twice the squares' sum.
    let ways = way * L::splat(16.0);
    let through = from_b0.le((longest + ways * ways) * L::splat(2.000_04));
    (nearest.le(far) | through, through)
}

/// Three registers, `BATCH` numbers apart.
///
/// # Safety
/// They may be read.
#[inline(always)]
unsafe fn vector<L: Lanes<Elem = f32>>(from: *const f32) -> V3<L> {
    // SAFETY: the caller's promise.
    unsafe { V3::new(L::load(from), L::load(from.add(BATCH)), L::load(from.add(2 * BATCH))) }
}

/// A triangle's normal, not of unit length.
#[inline(always)]
fn normal<L: Lanes>(x: [V3<L>; 3]) -> V3<L> {
    (x[1] - x[0]).cross(x[2] - x[0])
}

/// Where the centre went through the triangle between start `a` and end `b`: mask, weights, unit normal to the old side.
#[inline(always)]
fn crossing<L: Lanes>(a: [V3<L>; 3], b: [V3<L>; 3]) -> Option<(L::Mask, [L; 3], V3<L>)> {
    let (zero, one) = (L::zero(), L::splat(1.0));
    let (na, nb) = (normal(a), normal(b));
    let (side_a, side_b) = (a[0].dot(na), b[0].dot(nb));
    let swapped = (side_a.gt(zero) & side_b.lt(zero)) | (side_a.lt(zero) & side_b.gt(zero));
    // Nearly always so: the rest is for spheres smaller than a triangle, or fast.
    if !swapped.any() {
        return None;
    }
    let limit = L::splat(MIN_AREA * MIN_AREA);
    let shaped = na.length_squared().gt(limit) & nb.length_squared().gt(limit);
    // The planes' distances, not the volumes, tell when.
    let (ha, hb) = (side_a / na.length(), side_b / nb.length());
    let f = ha / (ha - hb);
    let m = [a[0] + (b[0] - a[0]) * f, a[1] + (b[1] - a[1]) * f, a[2] + (b[2] - a[2]) * f];
    let nm = normal(m);
    let inv = one / nm.length_squared();
    let b0 = m[1].cross(m[2]).dot(nm) * inv;
    let b1 = m[2].cross(m[0]).dot(nm) * inv;
    let b2 = (one - b0) - b1;
    let inside = b0.ge(zero) & b1.ge(zero) & b2.ge(zero);
    let n = nb * (one / nb.length());
    let n = V3::select(side_a.lt(zero), -n, n);
    Some((shaped & swapped & inside, [b0, b1, b2], n))
}

/// The contact of a path with a ball of radius `reach`.
struct Touch<L> {
    weights: [L; 3],
    /// Where these are at the path's end.
    point: V3<L>,
    n: V3<L>,
    c: L,
    /// Weights of the point that was closest at the path's start, if any lane is too close at its end and it matters.
    before: Option<[L; 3]>,
}

impl<L: Lanes<Elem = f32>> Touch<L> {
    #[inline(always)]
    fn of(a: [V3<L>; 3], b: [V3<L>; 3], reach: L, through: L::Mask, leaving: bool) -> Touch<L> {
        let zero = L::zero();
        let mut weights = closest(b);
        let mut point = weighted(b, weights);
        let len = point.length();
        let mut n = outward(point, len);
        let mut c = len - reach;
        // Nearly never so: for spheres smaller than a triangle, or fast.
        let crossed = if through.any() { crossing(a, b) } else { None };
        if let Some((crossed, at, back)) = crossed {
            let crossed = crossed & through;
            for k in 0..3 {
                weights[k] = L::select(crossed, at[k], weights[k]);
            }
            point = weighted(b, weights);
            n = V3::select(crossed, back, n);
            c = L::select(crossed, point.dot(n) - reach, c);
        }
        let deep = c.lt(zero);
        if !((deep & through).any() || leaving && deep.any()) {
            return Touch { weights, point, n, c, before: None };
        }
        // The centre may also have passed beside the triangle and be behind it now: back to the side it was on.
        let before = closest(a);
        let start = weighted(a, before);
        let turned = deep & through & start.dot(point).lt(zero) & start.dot(n).lt(zero);
        for k in 0..3 {
            weights[k] = L::select(turned, before[k], weights[k]);
        }
        point = weighted(b, weights);
        n = V3::select(turned, outward(start, start.length()), n);
        c = L::select(turned, point.dot(n) - reach, c);
        Touch { weights, point, n, c, before: Some(before) }
    }
}

/// Generalised inverse mass of a point of a triangle.
#[inline(always)]
fn inertia<L: Lanes>(weights: [L; 3], w: [L; 3]) -> L {
    (weights[0] * weights[0] * w[0] + weights[1] * weights[1] * w[1]) + weights[2] * weights[2] * w[2]
}

/// The largest number of a register.
#[inline(always)]
fn longest<L: Lanes<Elem = f32>>(ways: L) -> f32 {
    let mut numbers = [0.0f32; BATCH];
    // SAFETY: WIDTH <= BATCH numbers fit.
    unsafe { ways.store(numbers.as_mut_ptr()) };
    numbers.into_iter().fold(0.0f32, Lanes::larger)
}

/// At least the longest way of a corner in this substep, against the centre's `travel`: |u - r - travel|, where the rounding r is
/// at most half a step of f32 at the corner.
#[inline(always)]
fn way<L: Lanes>(u: [V3<L>; 3], b0: V3<L>, travel: V3<L>, center: V3<L>) -> L {
    let way = at_most(u[0] - travel).larger(at_most(u[1] - travel)).larger(at_most(u[2] - travel));
    way + (at_most(b0) + at_most(center)) * L::splat(1e-6)
}

impl Solve<'_> {
    /// Whether any lane's triangle may be near. Where it would take gathers to tell, yes.
    ///
    /// # Safety
    /// As for [`TriangleContacts::solve`]; `first + WIDTH <= BATCH`.
    #[inline(always)]
    unsafe fn looks<L: Lanes<Elem = f32>>(&self, batch: usize, first: usize) -> bool {
        let (motion, surface) = (self.contacts.motion, self.contacts.surface);
        if self.triangles.reach(batch) != Reach::Unit {
            return true;
        }
        let place = Place::new(self.triangles, batch, first);
        let center = V3::<L>::set(surface.at);
        let (from, to) = (V3::set(surface.from), V3::set(surface.to));
        // SAFETY: addresses are within the arrays and lanes within packs, as `solve` and `Batches` checked.
        unsafe {
            let (at0, at1, at2) = (place.unit(0), place.unit(1), place.unit(2));
            let (x, displaced) = (motion.x.as_ptr().cast::<f32>(), motion.u.as_ptr().cast::<f32>());
            let u = [vector(displaced.add(at0)), vector(displaced.add(at1)), vector(displaced.add(at2))];
            let b0 = (vector(x.add(at0)) - center) + (u[0] - to);
            let b1 = (vector(x.add(at1)) - center) + (u[1] - to);
            let b2 = (vector(x.add(at2)) - center) + (u[2] - to);
            let thickness = L::load(self.triangles.rest(batch)[0].0.as_ptr().add(first));
            let reach = L::set(surface.shape.radius) + thickness;
            let (close, _) = near([b0, b1, b2], way(u, b0, to - from, center), reach);
            (close | self.held::<L>(batch, first).normal.gt(L::zero())).any()
        }
    }

    /// Multipliers of this substep.
    ///
    /// # Safety
    /// As for `looks`.
    #[inline(always)]
    unsafe fn held<L: Lanes<Elem = f32>>(&self, batch: usize, first: usize) -> Held<L> {
        let held = self.contacts.held;
        if held.is_empty() || self.contacts.first {
            return Held { tau: V3::zero(), normal: L::zero() };
        }
        // SAFETY: `solve` has found four packs for each batch.
        let pack = |k: usize| unsafe { L::load(held.as_ptr().add(batch * 4 + k).cast::<f32>().add(first)) };
        Held { tau: V3::new(pack(0), pack(1), pack(2)), normal: pack(3) }
    }

    /// Keeps multipliers, where they are to be kept.
    ///
    /// # Safety
    /// As for `looks`.
    #[inline(always)]
    unsafe fn keep<L: Lanes<Elem = f32>>(&self, batch: usize, first: usize, Held { tau, normal }: Held<L>) {
        let held = self.contacts.held;
        if !held.is_empty() {
            for (k, value) in [tau.x, tau.y, tau.z, normal].into_iter().enumerate() {
                // SAFETY: as in `held`.
                unsafe { value.store(held.as_ptr().add(batch * 4 + k).cast::<f32>().add(first)) };
            }
        }
    }

    /// Sets them to zero in the first pass.
    ///
    /// # Safety
    /// As for `looks`.
    #[inline(always)]
    unsafe fn forget<L: Lanes<Elem = f32>>(&self, batch: usize, first: usize) {
        if self.contacts.first {
            // SAFETY: the caller's promise.
            unsafe { self.keep(batch, first, Held { tau: V3::zero(), normal: L::zero() }) };
        }
    }

    /// # Safety
    /// As for [`TriangleContacts::solve`]; `first + WIDTH <= BATCH`.
    #[inline(always)]
    unsafe fn pass<L: Lanes<Elem = f32>>(&self, batch: usize, first: usize) -> (u32, f32) {
        let (motion, surface) = (self.contacts.motion, self.contacts.surface);
        let place = Place::new(self.triangles, batch, first);
        let rest = self.triangles.rest(batch);
        let zero = L::zero();
        // SAFETY: indices are below the arrays' lengths and lanes within packs, as `solve` and `Batches` checked.
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
            let thickness = L::load(rest[0].0.as_ptr().add(first));
            let mut reach = L::set(surface.shape.radius) + thickness;
            let held = self.held::<L>(batch, first);
            // Also a mask: what is decided for a lane must not depend on its neighbours.
            let (close, through) = near(b, way(u, b[0], to - from, center), reach);
            let possible = close | held.normal.gt(zero);
            if !possible.any() {
                self.forget::<L>(batch, first);
                return (0, 0.0);
            }
            let mut touch = Touch::of(a, b, reach, through, self.contacts.leaving.is_some());
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
                    touch = Touch::of(a, b, reach, through, self.contacts.leaving.is_some());
                }
            }
            let Touch { weights, point, n, c, .. } = touch;
            let weight = inertia(weights, w);
            let touches = possible & weight.gt(zero) & (c.lt(zero) | held.normal.gt(zero));
            if !touches.any() {
                self.forget::<L>(batch, first);
                return (0, longest(shifted));
            }
            let friction_body = L::load(rest[1].0.as_ptr().add(first));
            let mu_s = friction_body * L::set(surface.friction_static);
            let mu_k = friction_body * L::set(surface.friction_kinetic);
            let normal = (held.normal - c / weight).larger(zero);
            let push = n * (normal - held.normal);
            let moved = weighted(path, weights) + push * weight;
            let slip = moved - surface.displacement(point);
            let slip = slip - n * slip.dot(n);
            let tau = friction(Held { tau: held.tau, normal }, slip, weight, mu_s, mu_k);
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
            // Corners pushed unequally tilt the triangle, and another of its points is closest: by tilt^2 radius / 2 too
            // close. Pushed all alike along its normal it is outside, and so are its neighbours.
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
            let tau = V3::select(sane, tau, held.tau);
            let normal = L::select(sane, normal, held.normal);
            self.keep(batch, first, Held { tau, normal });
            // Lanes without a row touch nothing: their thickness is no number.
            let count = (sane & normal.gt(zero)).count();
            (count, longest(far))
        }
    }
}
