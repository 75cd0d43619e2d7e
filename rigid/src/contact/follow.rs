//! Contacts of balls and capsules follow them: normal, point and separation are found anew in each substep, in lanes.
//!
//! ```text
//!  p = closest points of the segments inside both, from A's to B's        (a ball's is a point)
//!  n = p / |p|,    s = s0 + (p - p0).(p + p0) / (|p| + |p0|)              0: a substep before
//! ```
//! Source: Ericson 2004, "Real-Time Collision Detection", 5.1.9. The separation is added up from small ways, without
//! subtracting radii from a distance: roundings of both would shake what rests. Impulses of friction, and how far it has
//! drifted, turn with the normal. Capsules that lie along each other have two points: these are found anew as all others
//! are (age.rs).

use super::lanes::{Moved, Side, gone, inverse_of, masses_across, slid, tangents as tangents_of};
use super::rows::{Batch, Bodies};
use crate::tuning::{NO_DIRECTION, PARALLEL_CAPSULES, SAME_POINT, SAME_SIDE};
use seidel_kernels::lanes::Mask;
use seidel_kernels::{Chunk, InChunks, Lanes, Pack, V3};

/// The segment inside a ball or a capsule, as a manifold is found, in the world's axes.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// From the body's centre to the middle of its segment, and from there to an end, metres; zeros of a ball.
    pub at: V3<f32>,
    /// See `at`.
    pub half: V3<f32>,
    /// Metres.
    pub radius: f32,
}

/// Of two segments that are `apart`, from one's middle to the other's: where each is closest, from -1 to 1.
#[inline(always)]
fn closest<L: Lanes<Elem = f32>>([half_a, half_b]: [V3<L>; 2], apart: V3<L>) -> [L; 2] {
    let (a, e, b) = (half_a.length_squared(), half_b.length_squared(), half_a.dot(half_b));
    let (c, f) = (-half_a.dot(apart), -half_b.dot(apart));
    // |a x b|^2, without the digits that a e - b^2 loses where they are nearly parallel.
    let across = half_a.cross(half_b).length_squared();
    let s = share(b * f - c * e, across);
    let t = share(b * s + f, e);
    // Where t was cut off, s moves with it.
    [share(b * t - c, a), t]
}

/// a / b within -1 and 1; 0 where b is nothing.
#[inline(always)]
fn share<L: Lanes<Elem = f32>>(a: L, b: L) -> L {
    let one = L::splat(1.0);
    (a / b).larger(-one).smaller(one).or_zero(b.gt(L::zero()))
}

/// Whether a part of A's segment has B's beside it, and both are nearly parallel; `apart` as for [`closest`].
#[inline(always)]
pub(super) fn lie_along<L: Lanes<Elem = f32>>([half_a, half_b]: [V3<L>; 2], apart: V3<L>) -> L::Mask {
    let (one, zero) = (L::splat(1.0), L::zero());
    let (a, e) = (half_a.length_squared(), half_b.length_squared());
    let limit = L::splat(f64::from(PARALLEL_CAPSULES * PARALLEL_CAPSULES));
    let parallel = half_a.cross(half_b).length_squared().le(limit * (a * e));
    let (middle, out) = (half_a.dot(apart) / a, half_a.dot(half_b).abs() / a);
    let (low, high) = ((middle - out).larger(-one), (middle + out).smaller(one));
    let part = (high - low).larger(zero);
    let least = L::splat(f64::from(SAME_POINT * SAME_POINT));
    parallel & a.gt(zero) & e.gt(zero) & (part * part * a).gt(least)
}

/// Puts contacts of balls and capsules where the bodies now are, which have `moved` since they were found; `now` is where
/// their rows say that they are.
#[inline(always)]
pub(super) fn follow<L: Lanes<Elem = f32>, const BODIES: Bodies>(
    batch: &mut Batch,
    chunk: Chunk<L>,
    (a, b): (&Side<L, BODIES>, &Side<L, BODIES>),
    moved: [Moved<L>; 2],
    now: [Moved<L>; 2],
) {
    let (zero, one) = (L::zero(), L::splat(1.0));
    let known = batch.segments.known.load(chunk).gt(zero);
    if !known.any() {
        return;
    }
    let [(da, qa), (db, qb)] = moved;
    let old = Together::of(batch, chunk);
    let offset = (old.offset + db) - da;
    let at = [turned(qa, old.at[0]), turned(qb, old.at[1])];
    let half = [turned(qa, old.half[0]), turned(qb, old.half[1])];
    let apart = (offset + at[1]) - at[0];
    let [s, t] = closest(half, apart);
    let turn_a = gone(V3::zero(), qa, old.at[0] + old.half[0] * old.s);
    let turn_b = gone(V3::zero(), qb, old.at[1] + old.half[1] * old.t);
    let along = half[1] * (t - old.t) - half[0] * (s - old.s);
    let change = ((db + turn_b) - (da + turn_a)) + along;
    let way = old.way + change;
    let (distance, distance_before) = (way.length(), old.way.length());
    let there = known & distance.finite() & distance.gt(L::splat(f64::from(NO_DIRECTION)));
    let n = (way * (one / distance)).or_zero(there);
    let point = &mut batch.points[0];
    let separation = point.separation.load(chunk) + change.dot(way + old.way) / (distance + distance_before);
    // Two that are in each other have to part to the side where it was.
    let before = batch.normal.load(chunk);
    let apart_all_the_time = batch.age.gap.load(chunk).gt(zero) & separation.gt(zero);
    let goes = there & (n.dot(before).gt(L::splat(f64::from(SAME_SIDE))) | apart_all_the_time);
    let lies = known & lie_along(half, apart);
    // Stale at once, or never.
    let most = L::select(lies, -one, L::set(f32::INFINITY));
    batch.age.most.store(chunk, L::select(known, most, batch.age.most.load(chunk)));
    if !goes.any() {
        return;
    }
    let t_before = [batch.tangents[0].load(chunk), batch.tangents[1].load(chunk)];
    // The first tangent as near to what it was as may be. A normal that has come to lie along it has another: then
    // nothing is left of what was kept.
    let across = t_before[0] - n * n.dot(t_before[0]);
    let squared = across.length_squared();
    let near = squared.gt(L::splat(0.25));
    let t1 = V3::select(near, across * (one / squared.sqrt()), tangents_of(n)[0]);
    // As what is kept from step to step (`Batch::kept`): what does not stick, or is in the air, has no drift.
    let of = &mut batch.friction;
    let sticks = near & point.normal.load(chunk).gt(zero);
    let slip = slid(of, chunk, before, old.offset, moved).slip;
    let held = sticks & of.slips[0].load(chunk).le(zero);
    for (drift, t) in of.drift.iter_mut().zip(t_before) {
        let so_far = drift.load(chunk);
        drift.store(chunk, L::select(goes, (so_far + t.dot(slip)).or_zero(held), so_far));
    }
    let (turn, about) = (of.turn.load(chunk), before.dot(qb.0 - qa.0));
    let held = sticks & of.slips[1].load(chunk).le(zero);
    of.turn.store(chunk, L::select(goes, (turn + (about + about)).or_zero(held), turn));
    drop_kept(&mut of.impulse, chunk, goes & !near);
    if batch.resists {
        drop_kept(&mut batch.resistance.impulse, chunk, goes & !near);
    }
    let tangents = [t1, n.cross(t1)];
    let half_way = separation * L::splat(0.5);
    let reach = [batch.segments.radius[0].load(chunk) + half_way, batch.segments.radius[1].load(chunk) + half_way];
    let arm = (at[0] + half[0] * s) + n * reach[0];

    put(&mut batch.normal, chunk, goes, n);
    put(&mut batch.tangents[0], chunk, goes, tangents[0]);
    put(&mut batch.tangents[1], chunk, goes, tangents[1]);
    put(&mut batch.offset, chunk, goes, offset);
    for side in 0..2 {
        put(&mut batch.segments.at[side], chunk, goes, at[side]);
        put(&mut batch.segments.half[side], chunk, goes, half[side]);
    }
    put(&mut point.begun, chunk, goes, arm);
    put(&mut of.begun, chunk, goes, arm);
    point.separation.store(chunk, L::select(goes, separation, point.separation.load(chunk)));
    for (side, reach) in reach.into_iter().enumerate() {
        for round in [&mut point.round[side], &mut of.round[side]] {
            round.store(chunk, L::select(goes, reach, round.load(chunk)));
        }
    }
    for ((way, turn), now) in batch.since.iter_mut().zip(now) {
        put(way, chunk, goes, now.0);
        let (q, w) = now.1;
        for (to, from) in turn.iter_mut().zip([q.x, q.y, q.z, w]) {
            to.store(chunk, L::select(goes, from, to.load(chunk)));
        }
    }

    let arms = [arm, arm - offset];
    let weight = a.along(n, n, arms[0]) + b.along(n, n, arms[1]);
    let mass = (one / weight).or_zero(weight.gt(zero));
    point.mass.store(chunk, L::select(goes, mass, point.mass.load(chunk)));
    let (masses, moves) = masses_across(([a, b], arms), tangents);
    for (mass, to) in of.masses.iter_mut().zip(masses) {
        mass.store(chunk, L::select(goes, to.or_zero(moves & to.finite()), mass.load(chunk)));
    }
    let about = n.dot(a.turned(n)) + n.dot(b.turned(n));
    let inertia = (one / about).or_zero(about.gt(zero));
    of.inertia.store(chunk, L::select(goes, inertia, of.inertia.load(chunk)));
    if batch.resists {
        let [t1, t2] = tangents;
        let about = [
            t1.dot(a.turned(t1)) + t1.dot(b.turned(t1)),
            t1.dot(a.turned(t2)) + t1.dot(b.turned(t2)),
            t2.dot(a.turned(t2)) + t2.dot(b.turned(t2)),
        ];
        let (inverse, turns) = inverse_of(about);
        for (inertia, to) in batch.resistance.inertia.iter_mut().zip(inverse) {
            inertia.store(chunk, L::select(goes, to.or_zero(turns & to.finite()), inertia.load(chunk)));
        }
    }
}

/// Two segments as they were: their places, where they are closest, and the way from A's point there to B's.
struct Together<L> {
    offset: V3<L>,
    at: [V3<L>; 2],
    half: [V3<L>; 2],
    s: L,
    t: L,
    way: V3<L>,
}

impl<L: Lanes<Elem = f32>> Together<L> {
    #[inline(always)]
    fn of(batch: &Batch, chunk: Chunk<L>) -> Together<L> {
        let (of, offset) = (&batch.segments, batch.offset.load(chunk));
        let at = [of.at[0].load(chunk), of.at[1].load(chunk)];
        let half = [of.half[0].load(chunk), of.half[1].load(chunk)];
        let [s, t] = closest(half, (offset + at[1]) - at[0]);
        let way = (offset + (at[1] + half[1] * t)) - (at[0] + half[0] * s);
        Together { offset, at, half, s, t, way }
    }
}

/// Writes where a mask is true.
#[inline(always)]
fn put<L: Lanes<Elem = f32>>(to: &mut [Pack<f32>; 3], chunk: Chunk<L>, mask: L::Mask, v: V3<L>) {
    to.store(chunk, V3::select(mask, v, to.load(chunk)));
}

/// Forgets impulses across a normal where a mask is true.
#[inline(always)]
fn drop_kept<L: Lanes<Elem = f32>>(impulses: &mut [Pack<f32>; 2], chunk: Chunk<L>, mask: L::Mask) {
    for impulse in impulses {
        impulse.store(chunk, L::select(mask, L::zero(), impulse.load(chunk)));
    }
}

/// An arm after a turn.
#[inline(always)]
fn turned<L: Lanes<Elem = f32>>(q: (V3<L>, L), r: V3<L>) -> V3<L> {
    r + gone(V3::zero(), q, r)
}

#[cfg(test)]
mod tests;
