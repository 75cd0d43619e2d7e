//! One triangle against a shape, in f64: where it arrives, and how far it is pushed.

use super::contacts::{GONE_IN, ROUNDING, SHALLOW, Solve, TriangleSolidContacts};
use super::way::{self, Contact, FLATTEST, Low, Tolerance, wide, wide_rows, within, without};
use crate::V3;
use crate::contact::bounce::OfTriangle;
use crate::contact::deepest::pair::{CutPair, TangentPlane};
use crate::contact::deepest::weighted;
use crate::contact::signed::SignedDistance;
use crate::contact::triangles::push;
use crate::contact::{Begin, Held, at_most, friction};
use crate::slots::Place;
use seidel_workers::Shared;

type P = V3<f64>;

/// What has been done to a triangle.
pub(super) struct One {
    pub(super) touches: bool,
    /// How far a corner was pushed, metres.
    pub(super) far: f32,
    /// Radius of balls about the corners' ends that are free, metres; negative if it is pressed.
    pub(super) room: f32,
    /// Whether it is in the solid all the same.
    pub(super) gone_in: bool,
}

impl One {
    /// One that was left as it was.
    pub(super) fn free(room: f32) -> One {
        One { touches: false, far: 0.0, room, gone_in: false }
    }
}

fn inertia(weights: [f64; 3], w: [f64; 3]) -> f64 {
    (weights[0] * weights[0] * w[0] + weights[1] * weights[1] * w[1]) + weights[2] * weights[2] * w[2]
}

/// Rows of a triangle's corners, and where these start and end in the shape's frame.
pub(super) struct Gathered {
    pub(super) u: [P; 3],
    r: [P; 3],
    pub(super) w: [f64; 3],
    pub(super) a: [P; 3],
    pub(super) b: [P; 3],
}

impl Gathered {
    /// The distance above which one of this thickness is free of a shape that is not convex.
    pub(super) fn level<D: SignedDistance>(&self, solve: &Solve<'_, D>, thickness: f32) -> f32 {
        let way = (0..3).map(|k| (self.b[k] - self.a[k]).length()).fold(0.0, f64::max) as f32;
        let through = if way > 0.5 * solve.shape.girth() { way * solve.shape.slope() } else { 0.0 };
        thickness * (1.0 - SHALLOW as f32) + solve.slack(thickness) + through
    }

    /// Where the corners end.
    pub(super) fn corners(&self) -> [[f32; 3]; 3] {
        self.b.map(|b| [b.x as f32, b.y as f32, b.z as f32])
    }
}

impl<D: SignedDistance> Solve<'_, D> {
    /// The rows of a triangle, and its corners in the shape's frame.
    ///
    /// # Safety
    /// As for [`TriangleSolidContacts::solve`]; the lane has a triangle.
    #[inline(never)]
    pub(super) unsafe fn gather(&self, batch: usize, lane: usize) -> Gathered {
        let TriangleSolidContacts { motion, ref surface, .. } = *self.contacts;
        let place = Place::new(self.triangles, batch, 0);
        let (then, now) = (wide_rows(&surface.shape.start), wide_rows(&surface.shape.end));
        let (center, from, to) = (wide(surface.at), wide(surface.from), wide(surface.to));
        let zero = [V3::zero(); 3];
        let mut rows = Gathered { u: zero, r: zero, w: [0.0; 3], a: zero, b: zero };
        let read = |rows: Shared<'_, crate::Row>, slot: usize, k: usize| {
            // SAFETY: addresses are within the arrays, as `solve` and `Batches` checked; the rows are the caller's.
            unsafe {
                let (offset, stride) = place.lane(slot, lane);
                f64::from(rows.as_ptr().cast::<f32>().add(offset + k * stride).read())
            }
        };
        let vector = |rows, slot| V3::new(read(rows, slot, 0), read(rows, slot, 1), read(rows, slot, 2));
        for k in 0..3 {
            (rows.u[k], rows.r[k], rows.w[k]) = (vector(motion.u, k), vector(motion.r, k), read(motion.x, k, 3));
            let near = vector(motion.x, k) - center;
            rows.a[k] = within(&then, near + (rows.r[k] - from));
            rows.b[k] = within(&now, near + (rows.u[k] - to));
        }
        rows
    }

    /// Solves one triangle.
    ///
    /// # Safety
    /// As for [`TriangleSolidContacts::solve`]; the lane has a triangle.
    #[inline(never)]
    pub(super) unsafe fn one(&self, batch: usize, lane: usize, rows: Gathered, mut low: Low) -> One {
        let TriangleSolidContacts { motion, ref surface, leaving, held: multipliers, first, slack, .. } =
            *self.contacts;
        let place = Place::new(self.triangles, batch, 0);
        let rest = self.triangles.rest(batch);
        let thickness = f64::from(rest[0].0[lane] + self.contacts.thickness);
        let (then, now) = (wide_rows(&surface.shape.start), wide_rows(&surface.shape.end));
        let (from, to) = (wide(surface.from), wide(surface.to));
        let Gathered { mut u, mut r, w, mut a, mut b } = rows;
        let put = |rows: Shared<'_, crate::Row>, slot: usize, v: P| {
            for (k, value) in [v.x, v.y, v.z].into_iter().enumerate() {
                // SAFETY: addresses are within the arrays, as `solve` and `Batches` checked; the rows are the caller's.
                unsafe {
                    let (offset, stride) = place.lane(slot, lane);
                    rows.as_ptr().cast::<f32>().add(offset + k * stride).write(value as f32);
                }
            }
        };
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
        let near = Tolerance { slack: self.slack(thickness), gap, surely: true };
        let mut level = thickness + near.slack;
        let mut touch = way::touch(self.shape, &a, &b, low, level, near);
        let room = ((touch.above + SHALLOW * thickness) / f64::from(self.shape.slope())) as f32;
        let pressed_in = f32::NEG_INFINITY;
        let mut far = 0.0;
        if let (Some(h), true) = (leaving, touch.c < -gap) {
            let began = near.deepest(self.shape, a, low.weights, near.enough(thickness));
            let start = Begin { depth: thickness - began.value, end: -(touch.c + near.slack), at: began.at, thickness };
            let free = inertia(began.weights, w);
            if start.inside() && free > 0.0 {
                // Corners inside leave by themselves, and their triangles with them.
                if a.iter().any(|&a| self.shape.distance(a).0 <= thickness) {
                    return One::free(pressed_in);
                }
                let shift = start.leave(f64::from(h), first);
                level = thickness - (start.depth - shift);
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
                    // SAFETY: this triangle's rows are the caller's.
                    unsafe { slack.push(place, (k, lane), d.length() as f32) };
                }
                low = Low::of(low.weights);
                touch = way::touch(self.shape, &a, &b, low, level, near);
            }
        }
        let weight = inertia(touch.weights, w);
        if !(weight > 0.0 && (touch.c < -gap || held.normal > 0.0)) {
            let room = if touch.c > -gap { room } else { pressed_in };
            return One { far: far as f32, ..One::free(room) };
        }
        let n = without(&now, touch.n);
        let body = f64::from(rest[1].0[lane]);
        let mu_s = surface.combine.of(body, f64::from(surface.friction_static));
        let mu_k = surface.combine.of(body, f64::from(surface.friction_kinetic));
        // What is near enough stays there: it is kept from coming nearer, and not lifted.
        let comes = (weighted(&a, touch.weights) - weighted(&b, touch.weights)).dot(touch.n);
        let c = if near.slack > 0.0 { touch.c.max((-comes).min(0.0)) } else { touch.c };
        let normal = (held.normal - c / weight).max(0.0);
        let pressed = n * (normal - held.normal);
        let path = [u[0] - r[0], u[1] - r[1], u[2] - r[2]];
        let moved = weighted(&path, touch.weights) + pressed * weight;
        let turn = wide_rows(&surface.turn);
        let slip = moved - ((to - from) + without(&turn, without(&now, weighted(&b, touch.weights))));
        let slip = slip - n * slip.dot(n);
        let tau = friction(Held { tau: held.tau, normal }, slip * (1.0 / weight), mu_s, mu_k);
        let change = pressed + (tau - held.tau);
        if !change.length_squared().is_finite() {
            return One { far: far as f32, ..One::free(pressed_in) };
        }
        let mut ways = touch.weights.map(|b| b * (normal - held.normal));
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
        // Corners pushed unequally tilt the triangle, and another of its points is deepest. Pushed all alike it is
        // outside.
        let drawn = change.length() * most * f64::from(self.shape.slope()) - touch.c;
        let lifted = |pair: &CutPair<f64>| {
            let [a, b] = pair.cuts.map(|cut| TangentPlane {
                heights: [0, 1, 2].map(|k| cut.heights[k] + turned.dot(cut.gradient) * (touch.weights[k] * w[k])),
                ..cut
            });
            CutPair::new(a, b).bound >= level - gap
        };
        let again = if near.slack > 0.0 && drawn < 0.25 * near.slack || low.pair.as_ref().is_some_and(lifted) {
            // No point of it is deeper by more than that.
            Contact { c: 0.0, ..touch }
        } else {
            Contact::of(&near.deepest(self.shape, pushed, touch.weights, near.enough(level)), level)
        };
        let out = without(&now, again.n);
        if again.c < -(0.5 * near.slack + gap) && out.dot(n) > 0.0 {
            for k in 0..3 {
                if w[k] > 0.0 {
                    u[k] = u[k] - out * again.c;
                    if near.slack > 0.0 && again.c > -level {
                        // A way out is no velocity; but what is in the solid keeps its begin, to which it may go back.
                        put(motion.r, k, r[k] - out * again.c);
                    } else {
                        ways[k] -= again.c / w[k];
                    }
                }
            }
            far -= again.c;
        }
        for (k, u) in u.into_iter().enumerate() {
            put(motion.u, k, u);
            // SAFETY: this triangle's rows are the caller's.
            unsafe { slack.push(place, (k, lane), far as f32) };
            if !self.contacts.record.is_empty() && ways[k].abs() > 0.0 {
                let n = [n.x as f32, n.y as f32, n.z as f32];
                // SAFETY: `solve` has found a row for each of the motion's; this triangle's are the caller's.
                unsafe { push(self.contacts.record, place.lane(k, lane), n, (ways[k] * w[k]) as f32) };
            }
        }
        if let Some(bounce) = self.contacts.bounce.filter(|_| normal > 0.0) {
            let of = OfTriangle { triangles: self.triangles, batch, lane };
            let moves = ((to - from) + without(&turn, without(&now, weighted(&b, touch.weights)))).dot(n) as f32;
            let n = [n.x as f32, n.y as f32, n.z as f32];
            // SAFETY: `solve` has found room for all batches; this triangle's rows are the caller's.
            unsafe { bounce.note(&motion, of, touch.weights.map(|b| b as f32), (n, moves)) };
        }
        if !multipliers.is_empty() {
            for (k, value) in [tau.x, tau.y, tau.z, normal].into_iter().enumerate() {
                // SAFETY: `solve` has found four packs for each batch; they are the caller's.
                unsafe { multipliers.as_ptr().add(batch * 4 + k).cast::<f32>().add(lane).write(value as f32) };
            }
        }
        let gone_in = again.c < -(level + GONE_IN * f64::from(self.shape.girth()));
        One { touches: normal > 0.0, far: far as f32, room: pressed_in, gone_in }
    }
}
