//! The triangle nearest to a point: a tree of boxes over the triangles, asked once for each vertex of a render mesh.
//!
//! The point of a triangle nearest to another: Ericson 2005, "Real-Time Collision Detection", section 5.1.5.

use crate::geometry::vector::{add, dot, scale, sub};

/// Triangles in a leaf at most.
const LEAF: usize = 4;

/// A tree of boxes, halved at the median of the longest side.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    positions: &'a [[f32; 3]],
    triangles: &'a [[u32; 3]],
    /// Triangles, leaf after leaf.
    order: Vec<u32>,
    nodes: Vec<Node>,
}

/// A box over `order[start..end]`. A node's first half follows it; `other` is the second, 0 in a leaf.
#[derive(Clone, Copy, Debug)]
struct Node {
    low: [f32; 3],
    high: [f32; 3],
    start: u32,
    end: u32,
    other: u32,
}

impl<'a> Tree<'a> {
    /// Over some triangles of a mesh. Positions are finite.
    pub(crate) fn new(positions: &'a [[f32; 3]], triangles: &'a [[u32; 3]], order: Vec<u32>) -> Tree<'a> {
        let mut tree = Tree { positions, triangles, order, nodes: Vec::new() };
        if !tree.order.is_empty() {
            tree.divide(0, tree.order.len());
        }
        tree
    }

    fn divide(&mut self, start: usize, end: usize) {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for &t in &self.order[start..end] {
            for v in self.triangles[t as usize] {
                for (k, c) in self.positions[v as usize].into_iter().enumerate() {
                    low[k] = if c < low[k] { c } else { low[k] };
                    high[k] = if c > high[k] { c } else { high[k] };
                }
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
        let (positions, triangles) = (self.positions, self.triangles);
        let center = |t: u32| triangles[t as usize].map(|v| positions[v as usize][axis]).iter().sum::<f32>();
        let middle = (end - start) / 2;
        let by_center = |a: &u32, b: &u32| center(*a).total_cmp(&center(*b)).then(a.cmp(b));
        self.order[start..end].select_nth_unstable_by(middle, by_center);
        self.divide(start, start + middle);
        self.nodes[node].other = self.nodes.len() as u32;
        self.divide(start + middle, end);
    }

    /// The nearest triangle, and the shares of its corners in its nearest point. Of several equally near ones the first in
    /// the tree, which the mesh alone decides. `stack` is only memory.
    pub(crate) fn nearest(&self, point: [f64; 3], stack: &mut Vec<(f64, u32)>) -> Option<(u32, [f64; 3])> {
        let mut best = (f64::INFINITY, None);
        stack.clear();
        if let Some(root) = self.nodes.first() {
            stack.push((root.distance(point), 0));
        }
        while let Some((distance, at)) = stack.pop() {
            if distance >= best.0 {
                continue;
            }
            let node = self.nodes[at as usize];
            if node.other != 0 {
                let [a, b] = [at + 1, node.other].map(|n| (self.nodes[n as usize].distance(point), n));
                let (near, far) = if b.0 < a.0 { (b, a) } else { (a, b) };
                stack.extend([far, near]);
                continue;
            }
            for &t in &self.order[node.start as usize..node.end as usize] {
                let corners = self.triangles[t as usize].map(|v| self.positions[v as usize].map(f64::from));
                let shares = nearest_on(corners, point);
                let [a, b, c] = corners;
                let on = add(scale(a, shares[0]), add(scale(b, shares[1]), scale(c, shares[2])));
                let off = sub(point, on);
                if dot(off, off) < best.0 {
                    best = (dot(off, off), Some((t, shares)));
                }
            }
        }
        best.1
    }
}

impl Node {
    /// Square of a point's distance.
    fn distance(&self, point: [f64; 3]) -> f64 {
        let mut sum = 0.0;
        for (k, c) in point.into_iter().enumerate() {
            let (low, high) = (f64::from(self.low[k]) - c, c - f64::from(self.high[k]));
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
fn nearest_on([a, b, c]: [[f64; 3]; 3], p: [f64; 3]) -> [f64; 3] {
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
