//! How far a point is from the nearest of many triangles: a tree of boxes, split at the median of the longest side.
//!
//! Closest point of a triangle by Voronoi regions: Ericson 2005, "Real-Time Collision Detection", section 5.1.5. In f64, scalar, in
//! a fixed order: the same bits everywhere.

use crate::geometry::vector::{dot, sub};

type P = [f64; 3];

/// Triangles of a leaf, at most.
const LEAF: usize = 4;

/// Boxes above triangles; the children of node n are n + 1 and `second`.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    triangles: &'a [[P; 3]],
    order: Vec<u32>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    low: P,
    high: P,
    /// Of `order`; a node that is no leaf has none.
    from: u32,
    to: u32,
    second: u32,
}

impl<'a> Tree<'a> {
    pub(super) fn new(triangles: &'a [[P; 3]]) -> Tree<'a> {
        let mut tree = Tree { triangles, order: (0..triangles.len() as u32).collect(), nodes: Vec::new() };
        tree.split(0, triangles.len());
        tree
    }

    /// Makes a node of a part of the order. As deep as the logarithm of the number.
    fn split(&mut self, from: usize, to: usize) {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for x in self.order[from..to].iter().flat_map(|&t| &self.triangles[t as usize]) {
            for k in 0..3 {
                (low[k], high[k]) = (low[k].min(x[k]), high[k].max(x[k]));
            }
        }
        let node = self.nodes.len();
        let leaf = to - from <= LEAF;
        let (first, last) = if leaf { (from as u32, to as u32) } else { (0, 0) };
        self.nodes.push(Node { low, high, from: first, to: last, second: 0 });
        if leaf {
            return;
        }
        let size = |k: usize| high[k] - low[k];
        let axis = (1..3).fold(0, |axis, k| if size(k) > size(axis) { k } else { axis });
        let (triangles, middle) = (self.triangles, (to - from) / 2);
        let center = |t: u32| triangles[t as usize].iter().map(|x| x[axis]).sum::<f64>();
        self.order[from..to].select_nth_unstable_by(middle, |&a, &b| center(a).total_cmp(&center(b)).then(a.cmp(&b)));
        self.split(from, from + middle);
        self.nodes[node].second = self.nodes.len() as u32;
        self.split(from + middle, to);
    }

    /// Square of the distance, and the triangle; `near` is one that is probably not far.
    pub(super) fn nearest(&self, x: P, near: u32) -> (f64, u32) {
        let mut best = (squared_distance(x, &self.triangles[near as usize]), near);
        // As deep as the tree: a split halves, so 32 levels hold all ids.
        let mut stack = [(0.0, 0u32); 64];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (away, at) = stack[top];
            if away >= best.0 {
                continue;
            }
            let node = &self.nodes[at as usize];
            for &t in &self.order[node.from as usize..node.to as usize] {
                let d = squared_distance(x, &self.triangles[t as usize]);
                if d < best.0 {
                    best = (d, t);
                }
            }
            if node.second > 0 {
                let of = |n: u32| (self.nodes[n as usize].away(x), n);
                let (one, other) = (of(at + 1), of(node.second));
                let (last, first) = if one.0 <= other.0 { (other, one) } else { (one, other) };
                for next in [last, first] {
                    if next.0 < best.0 {
                        stack[top] = next;
                        top += 1;
                    }
                }
            }
        }
        best
    }
}

impl Node {
    /// Square of the distance of the box.
    fn away(&self, x: P) -> f64 {
        let gap = |k: usize| (self.low[k] - x[k]).max(x[k] - self.high[k]).max(0.0);
        (gap(0) * gap(0) + gap(1) * gap(1)) + gap(2) * gap(2)
    }
}

/// Square of the distance of a point from a triangle.
fn squared_distance(x: P, &[a, b, c]: &[P; 3]) -> f64 {
    let (ab, ac) = (sub(b, a), sub(c, a));
    let at = |s: f64, t: f64| {
        let d: P = std::array::from_fn(|k| x[k] - (a[k] + (ab[k] * s + ac[k] * t)));
        dot(d, d)
    };
    let ax = sub(x, a);
    let (d1, d2) = (dot(ab, ax), dot(ac, ax));
    if d1 <= 0.0 && d2 <= 0.0 {
        return at(0.0, 0.0);
    }
    let bx = sub(x, b);
    let (d3, d4) = (dot(ab, bx), dot(ac, bx));
    if d3 >= 0.0 && d4 <= d3 {
        return at(1.0, 0.0);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return at(d1 / (d1 - d3), 0.0);
    }
    let cx = sub(x, c);
    let (d5, d6) = (dot(ab, cx), dot(ac, cx));
    if d6 >= 0.0 && d5 <= d6 {
        return at(0.0, 1.0);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return at(0.0, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return at(1.0 - t, t);
    }
    let inv = 1.0 / ((va + vb) + vc);
    let d = at(vb * inv, vc * inv);
    // A sliver whose area is rounding: one of its corners is as near as can be told.
    if d.is_finite() { d } else { at(0.0, 0.0).min(at(1.0, 0.0)).min(at(0.0, 1.0)) }
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
        let tree = Tree::new(&triangles);
        for _ in 0..500 {
            let x = std::array::from_fn(|_| 2.0 * next());
            let all = triangles.iter().map(|t| squared_distance(x, t)).fold(f64::INFINITY, f64::min);
            assert_eq!(tree.nearest(x, 7).0, all);
            // Against the definition: no point of a fine division is nearer.
            let t = &triangles[11];
            let d = squared_distance(x, t);
            for (i, j) in (0..=20).flat_map(|i| (0..=20 - i).map(move |j| (i, j))) {
                let (s, u) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                let p: P = std::array::from_fn(|k| t[0][k] * (1.0 - s - u) + t[1][k] * s + t[2][k] * u);
                assert!(dot(sub(x, p), sub(x, p)) >= d - 1e-12);
            }
        }
    }
}
