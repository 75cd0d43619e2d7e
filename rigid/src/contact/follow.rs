//! Contacts of balls and capsules follow them: normal, point and separation are found anew in each substep, in lanes.
//!
//! ```text
//!  p = closest points of the segments inside both        (a ball's is a point)
//!  n = (p_b - p_a) / |p_b - p_a|,    s = |p_b - p_a| - (r_a + r_b)
//! ```
//! Source: Ericson 2004, "Real-Time Collision Detection", 5.1.9. The same as a manifold found anew (age.rs), without the
//! way there. Impulses of friction, and how far it has drifted, turn with the normal. Capsules that lie along each other
//! have two points: these are found anew as all others are.

use super::lanes::{Moved, Side, gone, inverse_of, slid, weigh_friction};
use super::rows::{Batch, Bodies, START};
use crate::tuning::{NO_DIRECTION, PARALLEL_CAPSULES, SAME_POINT, SAME_SIDE};
use seidel_kernels::lanes::Mask;
use seidel_kernels::{Chunk, InChunks, Lanes, Pack, V3};

/// What is inside a ball or a capsule, as a manifold is found, in the world's axes.
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

/// Whether a part of A's segment has B's beside it, and both are nearly parallel.
#[inline(always)]
fn lie_along<L: Lanes<Elem = f32>>([half_a, half_b]: [V3<L>; 2], apart: V3<L>) -> L::Mask {
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

/// Puts contacts of what is round where the bodies now are, which have `moved` since they were found; `now` is where
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
    let offset = (batch.offset.load(chunk) + db) - da;
    let segments = &batch.segments;
    let at = [turned(qa, segments.at[0].load(chunk)), turned(qb, segments.at[1].load(chunk))];
    let half = [turned(qa, segments.half[0].load(chunk)), turned(qb, segments.half[1].load(chunk))];
    let radius = [segments.radius[0].load(chunk), segments.radius[1].load(chunk)];
    let apart = (offset + at[1]) - at[0];
    let [s, t] = closest(half, apart);
    let on_a = at[0] + half[0] * s;
    let way = (offset + (at[1] + half[1] * t)) - on_a;
    let distance = way.length();
    let there = known & distance.finite() & distance.gt(L::splat(f64::from(NO_DIRECTION)));
    let n = (way * (one / distance)).or_zero(there);
    let separation = distance - (radius[0] + radius[1]);
    // What is in each other has to part to the side where it was.
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
    let of = &mut batch.friction;
    let slip = slid(of, chunk, before, batch.offset.load(chunk), moved).slip;
    for (drift, t) in of.drift.iter_mut().zip(t_before) {
        let so_far = drift.load(chunk);
        drift.store(chunk, L::select(goes, so_far + t.dot(slip), so_far));
    }
    let (turn, about) = (of.turn.load(chunk), before.dot(qb.0 - qa.0));
    of.turn.store(chunk, L::select(goes, turn + (about + about), turn));
    // The first tangent as near to what it was as may be; any other where the normal has come to lie along it.
    let across = t_before[0] - n * n.dot(t_before[0]);
    let squared = across.length_squared();
    let t1 = V3::select(squared.gt(L::splat(0.25)), across * (one / squared.sqrt()), any_across(n));
    let tangents = [t1, n.cross(t1)];
    let reach = [radius[0] + separation * L::splat(0.5), radius[1] + separation * L::splat(0.5)];
    let arm = on_a + n * reach[0];

    put(&mut batch.normal, chunk, goes, n);
    put(&mut batch.tangents[0], chunk, goes, tangents[0]);
    put(&mut batch.tangents[1], chunk, goes, tangents[1]);
    put(&mut batch.offset, chunk, goes, offset);
    for side in 0..2 {
        put(&mut batch.segments.at[side], chunk, goes, at[side]);
        put(&mut batch.segments.half[side], chunk, goes, half[side]);
    }
    let point = &mut batch.points[0];
    put(&mut point.begun, chunk, goes, arm);
    put(&mut of.begun, chunk, goes, arm);
    point.separation.store(chunk, L::select(goes, separation, point.separation.load(chunk)));
    for (side, reach) in reach.into_iter().enumerate() {
        for round in [&mut point.round[side], &mut of.round[side]] {
            round.store(chunk, L::select(goes, reach, round.load(chunk)));
        }
    }
    if !batch.renewed {
        (batch.renewed, batch.since) = (true, START);
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
    weigh_friction::<L, BODIES>(of, chunk, goes, (a, b), (n, tangents, arms));
    if batch.resists {
        let [t1, t2] = tangents;
        let about = [
            t1.dot(a.turned(t1)) + t1.dot(b.turned(t1)),
            t1.dot(a.turned(t2)) + t1.dot(b.turned(t2)),
            t2.dot(a.turned(t2)) + t2.dot(b.turned(t2)),
        ];
        let (inverse, turns) = inverse_of(about);
        for (inertia, to) in batch.resistance.inertia.iter_mut().zip(inverse) {
            inertia.store(chunk, L::select(goes & turns, to, inertia.load(chunk)));
        }
    }
}

/// Writes where a mask is true.
#[inline(always)]
fn put<L: Lanes<Elem = f32>>(to: &mut [Pack<f32>; 3], chunk: Chunk<L>, mask: L::Mask, v: V3<L>) {
    to.store(chunk, V3::select(mask, v, to.load(chunk)));
}

/// An arm after a turn.
#[inline(always)]
fn turned<L: Lanes<Elem = f32>>(q: (V3<L>, L), r: V3<L>) -> V3<L> {
    r + gone(V3::zero(), q, r)
}

/// A direction across a normal (Duff et al. 2017, "Building an Orthonormal Basis, Revisited").
#[inline(always)]
fn any_across<L: Lanes<Elem = f32>>(n: V3<L>) -> V3<L> {
    let one = L::splat(1.0);
    let sign = L::select(n.z.lt(L::zero()), -one, one);
    let a = -(one / (sign + n.z));
    V3::new(one + sign * n.x * n.x * a, sign * (n.x * n.y * a), -(sign * n.x))
}
