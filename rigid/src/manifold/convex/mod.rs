//! Convex shapes of which one is round or a triangle: the axis by their support mappings, then a face of one clipped to
//! the other's.
//!
//! The axis is that of the distance (`gjk`) or of the least depth (`epa`), in f64, and a face's normal where that is
//! nearly as good: so what lies on a face has its normal without an error. Then the face that looks most along the axis
//! is the reference, and what the other shape has there, a face, a line of its side or a point, is clipped to it.

mod clip;
mod epa;
mod gjk;
mod pair;
mod support;

use super::point::{Manifold, Point, Transform};
use super::reduce;
use crate::Shape;
use crate::tuning::{LOWEST_LOST, NEAR_AXIS, PARALLEL_CAPSULES, REFERENCE, gain, near_gain};
use crate::vector::{V, unit};
pub(crate) use clip::CUT;
use clip::{Corner, clipped, of_parallel};
pub(crate) use pair::NearestPair;
use seidel_kernels::V3;
pub(super) use support::roll;
pub(crate) use support::{Convex, WideTransform, narrow, wide};

/// Candidates of a manifold at most: a clipped face, and the nearest points.
pub(crate) const CANDIDATES: usize = clip::CORNERS + 1;

/// Points of a contact before they are reduced to four, in A's frame, and how far each rolls on both.
pub(crate) struct Touch {
    /// From A to B.
    pub(crate) normal: V,
    pub(crate) points: [TouchPoint; CANDIDATES],
    pub(crate) count: usize,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TouchPoint {
    pub(crate) a: V,
    pub(crate) b: V,
    pub(crate) separation: f64,
    pub(crate) feature: u32,
    pub(crate) rolls: [f32; 2],
}

const ZERO: V = V { x: 0.0, y: 0.0, z: 0.0 };
pub(crate) const NO_TOUCH: TouchPoint = TouchPoint { a: ZERO, b: ZERO, separation: 0.0, feature: 0, rolls: [0.0; 2] };

impl Touch {
    pub(crate) fn points(&self) -> &[TouchPoint] {
        &self.points[..self.count]
    }
}

/// The contact of two shapes with an end.
pub(super) fn against(a: &Shape, b: &Shape, b_in_a: &Transform, reach: f32) -> Manifold {
    let (Some(a), Some(b)) = (Convex::new(a, WideTransform::HERE), Convex::new(b, WideTransform::of(b_in_a))) else {
        return Manifold::NONE;
    };
    match touch(&a, &b, wide(b_in_a.at), f64::from(reach)) {
        Some(touch) => manifold(narrow(touch.normal), touch.points()),
        None => Manifold::NONE,
    }
}

/// Four of the points.
pub(crate) fn manifold(normal: V3<f32>, points: &[TouchPoint]) -> Manifold {
    let mut found = [reduce::NOTHING; CANDIDATES];
    for (to, point) in found.iter_mut().zip(points) {
        *to = reduce::Candidate { at: narrow(point.b), separation: point.separation as f32, feature: point.feature };
    }
    let (kept, count) = reduce::reduce(&found[..points.len().min(CANDIDATES)], normal, 4);
    let mut manifold = Manifold::with_normal(normal);
    for index in &kept[..count] {
        let TouchPoint { a, b, separation, feature, rolls } = points[*index];
        manifold.rolls[manifold.count] = rolls;
        manifold.push(Point { a: narrow(a), b: narrow(b), separation: separation as f32, feature });
    }
    manifold
}

/// The contact of two shapes, before it is reduced; `away` is roughly from A to B.
pub(crate) fn touch(a: &Convex<'_>, b: &Convex<'_>, away: V, reach: f64) -> Option<Touch> {
    let pair = nearest(a, b, away, reach)?;
    let pair = at_a_face(a, b, pair);
    (pair.separation - (a.radius + b.radius) <= reach).then(|| along(a, b, &pair, reach))
}

/// How much B is above A along a unit vector, cores alone.
pub(crate) fn separation(a: &Convex<'_>, b: &Convex<'_>, normal: V) -> f64 {
    normal.dot(b.support(-normal) - a.support(normal))
}

/// The nearest points of two cores, or the depth of the one in the other; none beyond a reach, radii included.
pub(crate) fn nearest(a: &Convex<'_>, b: &Convex<'_>, away: V, reach: f64) -> Option<NearestPair> {
    match gjk::distance(a, b, away, reach + (a.radius + b.radius)) {
        gjk::Distance::Beyond => None,
        gjk::Distance::Apart(pair) => Some(pair),
        gjk::Distance::Overlap(simplex) => epa::depth(a, b, &simplex).or_else(|| flat(a, b, away)),
    }
}

/// The best of all faces' normals, where both lie in a plane; of two that have none, the way from one to the other.
fn flat(a: &Convex<'_>, b: &Convex<'_>, away: V) -> Option<NearestPair> {
    let otherwise = unit(away).unwrap_or(V3::new(0.0, 1.0, 0.0));
    let mut best: Option<(f64, V)> = None;
    let mut see = |normal: V| {
        let separation = separation(a, b, normal);
        if best.is_none_or(|(most, _)| separation > most) {
            best = Some((separation, normal));
        }
    };
    a.normals(&mut see);
    b.normals(|normal| see(-normal));
    let (separation, normal) = best.unwrap_or((0.0, otherwise));
    separation.is_finite().then(|| NearestPair { normal, separation, a: a.support(normal), b: b.support(-normal) })
}

/// The normal of a face in place of one that separates hardly better.
fn at_a_face(a: &Convex<'_>, b: &Convex<'_>, pair: NearestPair) -> NearestPair {
    let mut best = (0.0, ZERO);
    let mut see = |normal: V| {
        let along = normal.dot(pair.normal);
        // One of B's must be a better match than A's, or equal faces would take turns.
        if along > best.0 + 1e-6 {
            best = (along, normal);
        }
    };
    a.normals(&mut see);
    b.normals(|normal| see(-normal));
    let (along, normal) = best;
    // 25 degrees: what is farther off is no better match for a normal that was found exactly.
    if along < 0.9 {
        return pair;
    }
    let separation = separation(a, b, normal);
    let span = (normal.dot(a.support(normal) - a.support(-normal)).abs()) as f32;
    let enough = if along > f64::from(NEAR_AXIS) { near_gain(span) } else { gain(span) };
    if separation < pair.separation - f64::from(enough) {
        return pair;
    }
    NearestPair { normal, separation, ..pair }
}

/// The points along a normal.
fn along(a: &Convex<'_>, b: &Convex<'_>, pair: &NearestPair, reach: f64) -> Touch {
    let n = pair.normal;
    let (of_a, of_b) = (a.feature(n), b.feature(-n));
    let mut touch = Touch { normal: n, points: [NO_TOUCH; CANDIDATES], count: 0 };
    let radii = a.radius + b.radius;
    let add = |touch: &mut Touch, on_a: V, on_b: V, feature: u32| {
        let separation = n.dot(on_b - on_a) - radii;
        if separation <= reach && touch.count < CANDIDATES {
            let rolls = [a.rolls(on_a, n), b.rolls(on_b, -n)];
            let (on_a, on_b) = (on_a + n * a.radius, on_b - n * b.radius);
            touch.points[touch.count] = TouchPoint { a: on_a, b: on_b, separation, feature, rolls };
            touch.count += 1;
        }
    };
    let (by_a, by_b) = (of_a.normal.dot(n), -of_b.normal.dot(n));
    let name = of_a.name << 20 | of_b.name << 12;
    if larger(by_a, by_b) > REFERENCE {
        let a_is_reference = by_a >= by_b - 1e-4;
        let (reference, incident, out) = if a_is_reference { (&of_a, &of_b, n) } else { (&of_b, &of_a, -n) };
        let mut corners = [Corner::default(); clip::CORNERS];
        let count = clipped(incident, reference, &mut corners);
        let scale = 1.0 / reference.normal.dot(out);
        for Corner { at, name: corner } in &corners[..count] {
            let height = reference.normal.dot(*at - reference.points()[0]) * scale;
            let on = *at - out * height;
            let (on_a, on_b) = if a_is_reference { (on, *at) } else { (*at, on) };
            add(&mut touch, on_a, on_b, name | u32::from(a_is_reference) << 31 | corner);
        }
    } else if let Some(both) = of_parallel(&of_a, &of_b, f64::from(PARALLEL_CAPSULES)) {
        for (k, [on_a, on_b]) in both.into_iter().enumerate() {
            add(&mut touch, on_a, on_b, name | k as u32);
        }
    }
    // What is nearest may lie beside both faces: shapes that are apart keep it.
    let least = touch.points().iter().fold(f64::INFINITY, |least, point| smaller(least, point.separation));
    let found = pair.separation - radii;
    if touch.count == 0 || (pair.separation > 0.0 && least > found + f64::from(LOWEST_LOST)) {
        add(&mut touch, pair.a, pair.b, name | 0xfff);
    }
    touch
}

/// The contact of a shape A with a face of a solid B along a given normal, from A to B: what A has there, clipped to
/// the face.
pub(crate) fn on_a_face(a: &Convex<'_>, face: [V; 3], normal: V, reach: f64) -> Touch {
    let of_a = a.feature(normal);
    let mut reference = Convex::triangle(face).feature(-normal);
    reference.name = 0;
    let mut touch = Touch { normal, points: [NO_TOUCH; CANDIDATES], count: 0 };
    let mut corners = [Corner::default(); clip::CORNERS];
    let count = clipped(&of_a, &reference, &mut corners);
    for Corner { at, name } in &corners[..count] {
        let separation = -normal.dot(*at - face[0]) - a.radius;
        if separation <= reach && touch.count < CANDIDATES {
            let on_a = *at + normal * a.radius;
            touch.points[touch.count] = TouchPoint {
                a: on_a,
                b: on_a + normal * separation,
                separation,
                feature: of_a.name << 12 | name,
                rolls: [a.rolls(*at, normal), 0.0],
            };
            touch.count += 1;
        }
    }
    touch
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}
