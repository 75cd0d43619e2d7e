//! The triangle nearest to a point, and the nearest point on it: a tree of boxes over triangles.
//!
//! The point of a triangle nearest to another: Ericson 2005, "Real-Time Collision Detection", section 5.1.5. In f64,
//! scalar and in a fixed order: the same bits everywhere.

use crate::geometry::boxes::{Box3, BoxTree, EMPTY, union};
use crate::geometry::vector::{P, add, dot, scale, sub};

/// Triangles by number.
pub(crate) trait Triangles: Copy {
    /// A triangle's corners.
    fn corners(&self, triangle: u32) -> [P; 3];
}

impl Triangles for &[[P; 3]] {
    fn corners(&self, triangle: u32) -> [P; 3] {
        self[triangle as usize]
    }
}

/// Of a mesh: positions and triangles.
impl Triangles for (&[[f32; 3]], &[[u32; 3]]) {
    fn corners(&self, triangle: u32) -> [P; 3] {
        self.1[triangle as usize].map(|v| self.0[v as usize].map(f64::from))
    }
}

/// A tree of boxes over triangles.
#[derive(Debug)]
pub(crate) struct Tree<T> {
    triangles: T,
    boxes: BoxTree,
}

/// The nearest triangle to a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub(crate) triangle: u32,
    /// Shares of the triangle's corners in its nearest point.
    pub(crate) shares: P,
    /// Square of the distance, m^2.
    pub(crate) squared: f64,
}

impl<T: Triangles> Tree<T> {
    /// Over the triangles that `order` names. Their corners are finite.
    pub(crate) fn new(triangles: T, order: Vec<u32>) -> Tree<T> {
        let centre = |t: u32, axis: usize| triangles.corners(t).iter().map(|x| x[axis]).sum::<f64>();
        Tree { triangles, boxes: BoxTree::new(order, |t| around(triangles.corners(t)), centre) }
    }

    /// The order in which it has its triangles.
    pub(crate) fn into_order(self) -> Vec<u32> {
        self.boxes.into_order()
    }

    /// A tree in the order of another, whose triangles have moved ([`BoxTree::in_order`]).
    pub(crate) fn in_order(triangles: T, order: Vec<u32>) -> Tree<T> {
        Tree { triangles, boxes: BoxTree::in_order(order, |t| around(triangles.corners(t))) }
    }

    /// The nearest triangle; none if there is no triangle. Of several equally near ones the first in the tree, which
    /// the triangles alone
    /// decide.
    pub(crate) fn nearest(&self, point: P) -> Option<Nearest> {
        self.nearer_than(point, None)
    }

    /// The nearest triangle, if it is nearer than `best`, or else that: what is nearest to a neighbour of the point is
    /// a good guess.
    pub(crate) fn nearest_from(&self, point: P, guess: u32) -> Nearest {
        let guess = self.on(guess, point);
        self.nearer_than(point, Some(guess)).unwrap_or(guess)
    }

    /// Whether a triangle is nearer than a distance, of which this is the square; ends with the first that is.
    pub(crate) fn is_nearer_than(&self, point: P, limit: f64) -> bool {
        let mut found = false;
        self.boxes.descend(
            0.0,
            limit,
            |bounds| Some(squared(bounds, point)),
            |triangle| {
                found |= self.on(triangle, point).squared < limit;
                if found { -1.0 } else { limit }
            },
        );
        found
    }

    fn nearer_than(&self, point: P, mut best: Option<Nearest>) -> Option<Nearest> {
        // Only what is nearer than the best counts: a box at its distance is left out.
        let most = |best: &Option<Nearest>| best.map_or(f64::INFINITY, |best| best.squared.next_down());
        let start = most(&best);
        self.boxes.descend(
            0.0,
            start,
            |bounds| Some(squared(bounds, point)),
            |triangle| {
                let on = self.on(triangle, point);
                if best.is_none_or(|best| on.squared < best.squared) {
                    best = Some(on);
                }
                most(&best)
            },
        );
        best
    }

    fn on(&self, triangle: u32, point: P) -> Nearest {
        let corners = self.triangles.corners(triangle);
        let squared = |shares: P| {
            let [a, b, c] = corners;
            let off = sub(point, add(scale(a, shares[0]), add(scale(b, shares[1]), scale(c, shares[2]))));
            Nearest { triangle, shares, squared: dot(off, off) }
        };
        let on = squared(nearest_on(corners, point));
        if on.squared.is_finite() {
            return on;
        }
        // A sliver whose area is rounding: one of its corners is as near as can be told.
        let ends = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(squared);
        ends.into_iter().fold(ends[0], |best, end| if end.squared < best.squared { end } else { best })
    }
}

/// The box of a triangle.
fn around(corners: [P; 3]) -> Box3 {
    corners.iter().fold(EMPTY, |all, &corner| union(all, [corner; 2]))
}

/// Square of a point's distance from a box.
fn squared([low, high]: &Box3, point: P) -> f64 {
    let mut sum = 0.0;
    for (k, c) in point.into_iter().enumerate() {
        let (low, high) = (low[k] - c, c - high[k]);
        let outside = if low > 0.0 {
            low
        } else if high > 0.0 {
            high
        } else {
            0.0
        };
        sum += outside * outside;
    }
    sum
}

/// Shares of a triangle's corners in its point nearest to `p`, by the region that `p` is in. The triangle has an area.
pub(crate) fn nearest_on([a, b, c]: [[f64; 3]; 3], p: [f64; 3]) -> [f64; 3] {
    let (ab, ac) = (sub(b, a), sub(c, a));
    let along = |x: [f64; 3]| (dot(ab, sub(p, x)), dot(ac, sub(p, x)));
    let ((d1, d2), (d3, d4), (d5, d6)) = (along(a), along(b), along(c));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - t, t];
    }
    let sum = va + vb + vc;
    [va / sum, vb / sum, vc / sum]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_all_is_found() {
        let mut random = 3u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(random >> 8) / 8_388_608.0 - 1.0
        };
        let triangles: Vec<[P; 3]> = (0..300)
            .map(|_| {
                let at: P = std::array::from_fn(|_| next());
                std::array::from_fn(|_| std::array::from_fn(|k| at[k] + 0.2 * next()))
            })
            .collect();
        let tree = Tree::new(&triangles[..], (0..300).collect());
        // In the order of triangles that lay elsewhere.
        let moved: Vec<[P; 3]> = triangles.iter().map(|t| t.map(|[x, y, z]| [y + x * z, -x, 2.0 * z])).collect();
        let again = Tree::in_order(&triangles[..], Tree::new(&moved[..], (0..300).collect()).into_order());
        for _ in 0..500 {
            let x = std::array::from_fn(|_| 2.0 * next());
            let all = (0..300).map(|t| tree.on(t, x).squared).fold(f64::INFINITY, f64::min);
            assert_eq!(tree.nearest_from(x, 7).squared, all);
            assert_eq!(tree.nearest(x).unwrap().squared, all);
            assert_eq!(again.nearest(x).unwrap().squared, all);
            // Against the definition: no point of a fine division is nearer.
            let (t, d) = (&triangles[11], tree.on(11, x).squared);
            for (i, j) in (0..=20).flat_map(|i| (0..=20 - i).map(move |j| (i, j))) {
                let (s, u) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                let p: P = std::array::from_fn(|k| t[0][k] * (1.0 - s - u) + t[1][k] * s + t[2][k] * u);
                assert!(dot(sub(x, p), sub(x, p)) >= d - 1e-12);
            }
        }
        assert!(Tree::new(&triangles[..], Vec::new()).nearest([0.0; 3]).is_none());
    }

    /// Flat triangles have a nearest point as well: on an edge, or a corner where nothing is left to tell.
    #[test]
    fn slivers_have_a_nearest_point() {
        let flat = [[[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]], [[2.0, 0.0, 0.0]; 3]];
        let tree = Tree::new(&flat[..], vec![0, 1]);
        let squared = |x: P| tree.nearest(x).unwrap().squared;
        assert_eq!([squared([0.25, 3.0, 0.0]), squared([2.0, 0.0, 4.0])], [9.0, 16.0]);
    }
}
