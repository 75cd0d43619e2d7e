//! Nearly all triangles whose boxes overlap are apart, and a plane between them shows it for a fraction of the exact
//! test's time.
//!
//! Any plane will do, and its direction need not be exact: what counts is on which side of it the corners are for
//! certain. The height of a corner over it is h = w.d, d being its difference from a corner o of the plane. With u =
//! 2^-53, each |w_k d_k| carries at most (1 + u)^4 - 1 < 5 u of itself into h as error (a difference, a product, two
//! sums), so 16 u of their sum is more than enough, the roundings of that sum included. Nothing underflows: a d other
//! than 0 is 2^-149 or more, and a w 2^-350.

use super::orient::{Point, Triangle};
use crate::geometry::vector::{cross, dot, sub};

/// Error of a height, as part of the sum of its terms' absolute values.
const ERROR: f64 = 16.0 * f64::EPSILON / 2.0;

/// Whether a plane was found that has one triangle on one side and the other on the other, but for the vertex that they
/// may share, which stands first. `false` says nothing.
pub(super) fn are_apart(first: Triangle, second: Triangle, shared: usize) -> bool {
    let o = first[0];
    let (first, second) = (first.map(|p| sub(p, o)), second.map(|p| sub(p, o)));
    match shared {
        0 => {
            let reach = std::array::from_fn(|k| larger(reach(first, k), reach(second, k)));
            // Layers are parted by the plane of one, and what lies side by side by a plane across the line between the
            // two.
            [normal(first), normal(second), sub(sum(second), sum(first))]
                .into_iter()
                .any(|w| divides(w, first, second, reach))
        }
        1 => {
            let ([_, a, b], [_, c, d]) = (first, second);
            // From the middle of one corner's angle towards that of the other's.
            let w = sub(sum([unit(c), unit(d), [0.0; 3]]), sum([unit(a), unit(b), [0.0; 3]]));
            is_above(w, c) && is_above(w, d) && is_above(w, a.map(|x| -x)) && is_above(w, b.map(|x| -x))
        }
        _ => false,
    }
}

fn sum([a, b, c]: Triangle) -> Point {
    [a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]]
}

/// Of length 1, about; NaN without a direction, and then nothing is found.
fn unit(a: Point) -> Point {
    let per_length = 1.0 / dot(a, a).sqrt();
    a.map(|x| x * per_length)
}

fn normal([a, b, c]: Triangle) -> Point {
    cross(sub(b, a), sub(c, a))
}

fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The largest distance along an axis from o.
fn reach([a, b, c]: Triangle, axis: usize) -> f64 {
    larger(larger(a[axis].abs(), b[axis].abs()), c[axis].abs())
}

/// Whether a height is above 0 for certain.
fn is_above(w: Point, d: Point) -> bool {
    dot(w, d) > ERROR * dot(w.map(f64::abs), d.map(f64::abs))
}

/// Whether some plane of this direction is between the triangles for certain; no corner is farther from o than `reach`.
fn divides(w: Point, first: Triangle, second: Triangle, reach: Point) -> bool {
    let error = 2.0 * ERROR * dot(w.map(f64::abs), reach);
    let ([a, b, c], [d, e, f]) = (first.map(|p| dot(w, p)), second.map(|p| dot(w, p)));
    let above = smaller(smaller(d, e), f) - larger(larger(a, b), c);
    let below = smaller(smaller(a, b), c) - larger(larger(d, e), f);
    above > error || below > error
}
