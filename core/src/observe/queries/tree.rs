//! A tree of boxes over parts, halved at the median of the longest side: made once, refitted when things have moved.

use crate::geometry::vector::P;

/// Parts in a leaf at most.
const LEAF: usize = 4;

/// Lowest and highest corner, metres.
pub(super) type Box3 = [P; 2];

/// The box of nothing.
pub(super) const EMPTY: Box3 = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];

/// The box of both.
pub(super) fn union([a, b]: Box3, [c, d]: Box3) -> Box3 {
    let low = |k: usize| if c[k] < a[k] { c[k] } else { a[k] };
    let high = |k: usize| if d[k] > b[k] { d[k] } else { b[k] };
    [[low(0), low(1), low(2)], [high(0), high(1), high(2)]]
}

/// A tree. Its order depends on the boxes alone that it was made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    order: Vec<u32>,
    nodes: Vec<Node>,
}

/// A box over `order[start..end]`. A node's first half follows it; `other` is the second, 0 in a leaf.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Box3,
    start: u32,
    end: u32,
    other: u32,
}

impl Tree {
    /// Over the parts that `order` names.
    pub(super) fn new(boxes: &[Box3], order: Vec<u32>) -> Tree {
        let mut tree = Tree { order, nodes: Vec::new() };
        if !tree.order.is_empty() {
            tree.divide(boxes, 0, tree.order.len());
        }
        tree
    }

    fn divide(&mut self, boxes: &[Box3], start: usize, end: usize) {
        let all = self.order[start..end].iter().fold(EMPTY, |all, &part| union(all, boxes[part as usize]));
        let node = self.nodes.len();
        self.nodes.push(Node { bounds: all, start: start as u32, end: end as u32, other: 0 });
        if end - start <= LEAF {
            self.order[start..end].sort_unstable();
            return;
        }
        let side = |k: usize| all[1][k] - all[0][k];
        let axis = (1..3).fold(0, |best, k| if side(k) > side(best) { k } else { best });
        let centre = |part: u32| boxes[part as usize][0][axis] + boxes[part as usize][1][axis];
        let middle = (end - start) / 2;
        let by_centre = |a: &u32, b: &u32| centre(*a).total_cmp(&centre(*b)).then(a.cmp(b));
        self.order[start..end].select_nth_unstable_by(middle, by_centre);
        self.divide(boxes, start, start + middle);
        self.nodes[node].other = self.nodes.len() as u32;
        self.divide(boxes, start + middle, end);
    }

    /// Fits the boxes to parts that have moved. The order stays.
    pub(super) fn refit(&mut self, boxes: &[Box3]) {
        for n in (0..self.nodes.len()).rev() {
            let Node { start, end, other, .. } = self.nodes[n];
            self.nodes[n].bounds = match other {
                0 => self.order[start as usize..end as usize]
                    .iter()
                    .fold(EMPTY, |all, &part| union(all, boxes[part as usize])),
                other => union(self.nodes[n + 1].bounds, self.nodes[other as usize].bounds),
            };
        }
    }

    /// Visits parts, nearer boxes first. `reach` tells from what distance on a box is met, if at all; `visit` what distance is enough
    /// from then on: boxes beyond it are left out, those at it are not, so that ties are seen.
    pub(super) fn walk(&self, mut most: f64, reach: impl Fn(&Box3) -> Option<f64>, mut visit: impl FnMut(u32) -> f64) {
        // As deep as the tree: a split halves, so 32 levels hold all numbers, and each leaves one node behind.
        let (mut stack, mut top) = ([(0.0, 0u32); 64], 0);
        if let Some(first) = self.nodes.first().and_then(|node| reach(&node.bounds)) {
            (stack[0], top) = ((first, 0), 1);
        }
        while top > 0 {
            top -= 1;
            let (distance, at) = stack[top];
            if distance > most {
                continue;
            }
            let node = &self.nodes[at as usize];
            if node.other == 0 {
                for &part in &self.order[node.start as usize..node.end as usize] {
                    most = visit(part);
                }
                continue;
            }
            let [a, b] = [at + 1, node.other].map(|n| (reach(&self.nodes[n as usize].bounds), n));
            let (near, far) = match (a.0, b.0) {
                (Some(x), Some(y)) if y < x => (b, a),
                _ => (a, b),
            };
            for (distance, n) in [far, near] {
                if let Some(distance) = distance {
                    stack[top] = (distance, n);
                    top += 1;
                }
            }
        }
    }
}

/// From what distance along a ray on it is in a box that is larger by `half` on both sides along each axis; none if it is not before `most`.
/// The box is widened by rounding, so that no ray slips between two boxes (Ize 2013, "Robust BVH Ray Traversal").
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
    libm::sqrt(sum)
}
