//! One triangle against one shape, for whoever pushes both (`coupling`).

use super::contacts::{ROUNDING, SHALLOW};
use super::waiting::Facts;
use super::way::{self, FLATTEST, Low, Tolerance};
use crate::V3;
use crate::contact::deepest::{deepest, weighted};
use crate::contact::signed::SignedDistance;
use crate::contact::touch::closest;
use crate::contact::{Begin, Solid, at_most, each};
use crate::tuning::{BEGINS_INSIDE, MIN_LENGTH};

type P = V3<f64>;

/// Weights of a triangle's middle, where a search begins.
const MIDDLE: [f64; 3] = [1.0 / 3.0; 3];

/// How a triangle meets a shape, in the shape's own frame.
pub(in crate::contact) enum Met {
    /// It enters, or is near: where, C there, and the normal at the substep's end.
    Enters {
        /// Of the point that is deepest.
        weights: [f64; 3],
        /// Metres.
        c: f64,
        /// Shorter than 1 where several sides meet.
        n: P,
    },
    /// It was inside when the substep began, though no corner was.
    Inside {
        /// Of the point that was deepest.
        weights: [f64; 3],
        /// How deep that was, and is.
        begin: Begin<f64>,
        /// The way out, in the frame at the start.
        out: P,
    },
}

/// The contact of a triangle on its way from `a` to `b`, corners in the shape's own frame; None if it is free and holds
/// nothing.
pub(in crate::contact) fn meet(solid: &Solid<'_>, a: &[P; 3], b: &[P; 3], thickness: f64, held: bool) -> Option<Met> {
    match solid {
        Solid::Capsule(ball) if ball.half_length == 0.0 && longest(a, b) <= 0.5 * f64::from(ball.radius) => {
            of_ball(f64::from(ball.radius), a, b, thickness, held)
        }
        _ => each!(solid, shape => one(shape, a, b, thickness, held)),
    }
}

/// The way out of a ball; +y in the very centre, which has none.
fn outward(x: P, length: f64) -> P {
    if length > MIN_LENGTH { x * (1.0 / length) } else { P::set([0.0, 1.0, 0.0]) }
}

/// The same of a ball, whose deepest point is the one nearest to its centre, on a short way.
fn of_ball(radius: f64, a: &[P; 3], b: &[P; 3], thickness: f64, held: bool) -> Option<Met> {
    let level = radius + thickness;
    let size = (0..3).map(|k| at_most(b[k])).fold(radius, |sum, x| sum + x);
    let gap = SHALLOW * thickness + ROUNDING * size;
    let weights = closest(*b);
    let q = weighted(b, weights);
    let length = q.length();
    let c = length - level;
    if c >= -gap && !held {
        return None;
    }
    if c < -gap {
        let began = closest(*a);
        let from = weighted(a, began);
        let begin = Begin { depth: level - from.length(), end: -c, at: from, thickness };
        if begin.inside() {
            // Corners inside leave by themselves, and their triangles with them.
            let corner = a.iter().any(|a| a.length() <= level);
            return (!corner).then(|| Met::Inside { weights: began, begin, out: outward(from, from.length()) });
        }
    }
    Some(Met::Enters { weights, c, n: outward(q, length) })
}

/// How far the corner goes that goes farthest.
fn longest(a: &[P; 3], b: &[P; 3]) -> f64 {
    (0..3).map(|k| (b[k] - a[k]).length()).fold(0.0, |most: f64, way| if way > most { way } else { most })
}

/// A distance that no point of a triangle is below, metres: by the tangent plane at its middle; of a shape that is not
/// convex, by its steepest slope.
fn least<D: SignedDistance>(shape: &D, x: &[P; 3]) -> f64 {
    let middle = (x[0] + x[1] + x[2]) * (1.0 / 3.0);
    let (value, normal, steep) = shape.graded(middle);
    let heights = x.map(|x| (x - middle).dot(normal) * steep);
    let lowest = (1..3).fold(0, |lowest, k| if heights[k] < heights[lowest] { k } else { lowest });
    let reach = x.map(|x| (x - middle).length()).into_iter().fold(0.0, f64::max);
    // A convex function lies above its tangent.
    let below = if shape.convex() { -heights[lowest] } else { reach * f64::from(shape.slope()) };
    value - below
}

fn one<D: SignedDistance>(shape: &D, a: &[P; 3], b: &[P; 3], thickness: f64, held: bool) -> Option<Met> {
    let size = (0..3).map(|k| at_most(b[k])).fold(f64::from(shape.bound()), |sum, x| sum + x);
    let near = Tolerance {
        slack: Facts::of(shape).slack(thickness),
        gap: SHALLOW * thickness + ROUNDING * size,
        surely: false,
    };
    let level = thickness + near.slack;
    let way = longest(a, b);
    // A long way may lead through the shape, and from within it out on the other side.
    let long = way > 0.5 * f64::from(shape.girth());
    let through = if long { way * f64::from(shape.slope()) } else { 0.0 };
    if !held && least(shape, b) >= level - near.gap + through {
        return None;
    }
    let touch = way::touch(shape, a, b, Low::of(MIDDLE), level, near);
    if (touch.c < -near.gap || long) && least(shape, a) < thickness * (1.0 - BEGINS_INSIDE) {
        let began = deepest(shape, *a, MIDDLE, near.enough(thickness));
        let depth = thickness - began.value;
        let end = if long { depth } else { -(touch.c + near.slack) };
        let begin = Begin { depth, end, at: began.at, thickness };
        if begin.inside() {
            // Corners inside leave by themselves, and their triangles with them.
            let corner = a.iter().any(|&a| shape.distance(a).0 <= thickness);
            let out = began.normal * (1.0 / began.normal.length().max(FLATTEST));
            return (!corner).then_some(Met::Inside { weights: began.weights, begin, out });
        }
    }
    if touch.c >= -near.gap && !held {
        return None;
    }
    // A triangle that is near enough stays there: it is kept from coming nearer, and not lifted.
    let comes = (weighted(a, touch.weights) - weighted(b, touch.weights)).dot(touch.n);
    let c = if near.slack > 0.0 { touch.c.max((-comes).min(0.0)) } else { touch.c };
    Some(Met::Enters { weights: touch.weights, c, n: touch.n })
}
