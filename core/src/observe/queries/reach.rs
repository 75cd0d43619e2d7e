//! Boxes of parts: a tree of them, and how far they are along a ray and from a point.

use crate::geometry::boxes::{Box3, BoxTree};
use crate::geometry::vector::P;

/// A tree over the parts that `order` names, by their boxes alone.
pub(super) fn over(boxes: &[Box3], order: Vec<u32>) -> BoxTree {
    let of = |part: u32| boxes[part as usize];
    BoxTree::new(order, of, |part, axis| of(part)[0][axis] + of(part)[1][axis])
}

/// From what distance along a ray on it is in a box that is larger by `half` on both sides along each axis; none if it
/// is not before `most`. The box is widened by rounding, so that no ray slips between two boxes (Ize 2013, "Robust BVH
/// Ray Traversal").
pub(super) fn enters(&[low, high]: &Box3, (from, way): (P, P), half: P, most: f64) -> Option<f64> {
    let (mut first, mut last) = (0.0, most);
    for k in 0..3 {
        let scale = low[k].abs() + high[k].abs() + from[k].abs();
        let wide = half[k] + 1e-12 * scale;
        let (low, high) = (low[k] - wide - from[k], high[k] + wide - from[k]);
        if way[k] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (a, b) = (low / way[k], high / way[k]);
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        first = if a > first { a } else { first };
        last = if b < last { b } else { last };
    }
    (first <= last * (1.0 + 4e-16)).then_some(first * (1.0 - 1e-15))
}

/// Distance of a point from a box, metres.
pub(super) fn away(&[low, high]: &Box3, point: P) -> f64 {
    let mut sum = 0.0;
    for k in 0..3 {
        let (under, over) = (low[k] - point[k], point[k] - high[k]);
        let out = if under > 0.0 {
            under
        } else if over > 0.0 {
            over
        } else {
            0.0
        };
        sum += out * out;
    }
    f64::sqrt(sum)
}
