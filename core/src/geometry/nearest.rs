//! The triangle nearest to a point, and the nearest point on it: a tree of boxes over triangles.
//!
//! The point of a triangle nearest to another: Ericson 2005, "Real-Time Collision Detection", section 5.1.5. In f64,
//! scalar and in a
//! fixed order: the same bits everywhere.

use crate::geometry::vector::{P, add, dot, scale, sub};

/// Triangles in a leaf at most.
const LEAF: usize = 4;

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

/// A tree of boxes, halved at the median of the longest side.
#[derive(Debug)]
pub(crate) struct Tree<T> {
    triangles: T,
    /// Triangles, leaf after leaf.
    order: Vec<u32>,
    nodes: Vec<Node>,
}

/// A box over `order[start..end]`. A node's first half follows it; `other` is the second, 0 in a leaf.
#[derive(Clone, Copy, Debug)]
struct Node {
    low: P,
    high: P,
    start: u32,
    end: u32,
    other: u32,
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
        let mut tree = Tree { triangles, order, nodes: Vec::new() };
        if !tree.order.is_empty() {
            tree.divide(0, tree.order.len());
        }
        tree
    }

    /// The order in which it has its triangles.
    pub(crate) fn into_order(self) -> Vec<u32> {
        self.order
    }

    /// A tree in the order of another ([`Tree::into_order`]), whose triangles have moved: made in a fraction of the time, and as good where
    /// neighbours are neighbours still.
    pub(crate) fn in_order(triangles: T, order: Vec<u32>) -> Tree<T> {
        let mut tree = Tree { triangles, order, nodes: Vec::new() };
        if !tree.order.is_empty() {
            tree.lay(0, tree.order.len());
        }
        tree
    }

    /// Makes a node of a part of the order as it is, halved as [`Tree::divide`] does; returns its number.
    fn lay(&mut self, start: usize, end: usize) -> usize {
        let node = self.nodes.len();
        let (start_32, end_32) = (start as u32, end as u32);
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let mut add = |x: P| {
            for k in 0..3 {
                low[k] = if x[k] < low[k] { x[k] } else { low[k] };
                high[k] = if x[k] > high[k] { x[k] } else { high[k] };
            }
        };
        self.nodes.push(Node { low: [0.0; 3], high: [0.0; 3], start: start_32, end: end_32, other: 0 });
        let mut other = 0;
        if end - start <= LEAF {
            let corners = self.order[start..end].iter().flat_map(|&t| self.triangles.corners(t));
            corners.for_each(add);
        } else {
            let middle = start + (end - start) / 2;
            let halves = [self.lay(start, middle), self.lay(middle, end)];
            for half in halves {
                add(self.nodes[half].low);
                add(self.nodes[half].high);
            }
            other = halves[1] as u32;
        }
        self.nodes[node] = Node { low, high, start: start_32, end: end_32, other };
        node
    }

    /// Makes a node of a part of the order. As deep as the logarithm of the number.
    fn divide(&mut self, start: usize, end: usize) {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for x in self.order[start..end].iter().flat_map(|&t| self.triangles.corners(t)) {
            for k in 0..3 {
                low[k] = if x[k] < low[k] { x[k] } else { low[k] };
                high[k] = if x[k] > high[k] { x[k] } else { high[k] };
            }
        }
        let node = self.nodes.len();
        self.nodes.push(Node { low, high, start: start as u32, end: end as u32, other: 0 });
        if end - start <= LEAF {
            self.order[start..end].sort_unstable();
            return;
        }
        let side = |k: usize| high[k] - low[k];
        let axis = (1..3).fold(0, |best, k| if side(k) > side(best) { k } else { best });
        let (triangles, middle) = (self.triangles, (end - start) / 2);
        let center = |t: u32| triangles.corners(t).iter().map(|x| x[axis]).sum::<f64>();
        let by_center = |a: &u32, b: &u32| center(*a).total_cmp(&center(*b)).then(a.cmp(b));
        self.order[start..end].select_nth_unstable_by(middle, by_center);
        self.divide(start, start + middle);
        self.nodes[node].other = self.nodes.len() as u32;
        self.divide(start + middle, end);
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

    fn nearer_than(&self, point: P, mut best: Option<Nearest>) -> Option<Nearest> {
        let is_nearer = |squared: f64, best: &Option<Nearest>| best.is_none_or(|best| squared < best.squared);
        // As deep as the tree: a split halves, so 32 levels hold all ids, and each leaves one node behind.
        let (mut stack, mut top) = ([(0.0, 0u32); 64], usize::from(!self.nodes.is_empty()));
        while top > 0 {
            top -= 1;
            let (squared, at) = stack[top];
            if !is_nearer(squared, &best) {
                continue;
            }
            let node = &self.nodes[at as usize];
            if node.other != 0 {
                let [a, b] = [at + 1, node.other].map(|n| (self.nodes[n as usize].squared(point), n));
                let (near, far) = if b.0 < a.0 { (b, a) } else { (a, b) };
                stack[top] = far;
                stack[top + 1] = near;
                top += 2;
                continue;
            }
            for &t in &self.order[node.start as usize..node.end as usize] {
                let on = self.on(t, point);
                if is_nearer(on.squared, &best) {
                    best = Some(on);
                }
            }
        }
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

impl Node {
    /// Square of a point's distance from the box.
    fn squared(&self, point: P) -> f64 {
        let mut sum = 0.0;
        for (k, c) in point.into_iter().enumerate() {
            let (low, high) = (self.low[k] - c, c - self.high[k]);
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
