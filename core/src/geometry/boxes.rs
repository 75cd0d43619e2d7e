//! A tree of boxes over parts, halved at the median of the longest side (Ericson 2005, "Real-Time Collision Detection",
//! section 6.2).
//!
//! In f64, scalar and in a fixed order. The triangles that rigid bodies meet have a tree of their own
//! (rigid/src/triangles/tree.rs): that is in f32, of half the size, and is asked in each step for what meets a box,
//! which needs neither a stack nor a distance.

use crate::geometry::vector::P;

/// Parts in a leaf at most.
const LEAF: usize = 4;

/// Lowest and highest corner, metres.
pub(crate) type Box3 = [P; 2];

/// The box of nothing.
pub(crate) const EMPTY: Box3 = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];

/// The box of both.
pub(crate) fn union([a, b]: Box3, [c, d]: Box3) -> Box3 {
    let low = |k: usize| if c[k] < a[k] { c[k] } else { a[k] };
    let high = |k: usize| if d[k] > b[k] { d[k] } else { b[k] };
    [[low(0), low(1), low(2)], [high(0), high(1), high(2)]]
}

/// A tree over parts by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoxTree {
    /// Parts, leaf after leaf.
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

impl BoxTree {
    /// Over the parts that `order` names. Of a part `bounds` gives the box, and `centre` where it is along an axis;
    /// these alone decide the order.
    pub(crate) fn new(order: Vec<u32>, bounds: impl Fn(u32) -> Box3, centre: impl Fn(u32, usize) -> f64) -> BoxTree {
        let mut tree = BoxTree { order, nodes: Vec::new() };
        if !tree.order.is_empty() {
            tree.divide((&bounds, &centre), 0, tree.order.len());
        }
        tree
    }

    /// The order in which it has its parts.
    pub(crate) fn into_order(self) -> Vec<u32> {
        self.order
    }

    /// A tree in the order of another ([`BoxTree::into_order`]), whose parts have moved: made in a fraction of the
    /// time, and as good where neighbours are neighbours still.
    pub(crate) fn in_order(order: Vec<u32>, bounds: impl Fn(u32) -> Box3) -> BoxTree {
        let mut tree = BoxTree { order, nodes: Vec::new() };
        if !tree.order.is_empty() {
            tree.lay(0, tree.order.len());
        }
        tree.refit(bounds);
        tree
    }

    /// Makes a node of a part of the order. As deep as the logarithm of the number.
    fn divide(&mut self, of: (&impl Fn(u32) -> Box3, &impl Fn(u32, usize) -> f64), start: usize, end: usize) {
        let (bounds, centre) = of;
        let all = self.order[start..end].iter().fold(EMPTY, |all, &part| union(all, bounds(part)));
        let node = self.push(all, start, end);
        if end - start <= LEAF {
            self.order[start..end].sort_unstable();
            return;
        }
        let side = |k: usize| all[1][k] - all[0][k];
        let axis = (1..3).fold(0, |best, k| if side(k) > side(best) { k } else { best });
        let middle = (end - start) / 2;
        // No two are equal, so the halves are the same everywhere.
        let by_centre = |a: &u32, b: &u32| centre(*a, axis).total_cmp(&centre(*b, axis)).then(a.cmp(b));
        self.order[start..end].select_nth_unstable_by(middle, by_centre);
        self.divide(of, start, start + middle);
        self.nodes[node].other = self.nodes.len() as u32;
        self.divide(of, start + middle, end);
    }

    /// The same of the order as it is, without boxes.
    fn lay(&mut self, start: usize, end: usize) {
        let node = self.push(EMPTY, start, end);
        if end - start > LEAF {
            let middle = start + (end - start) / 2;
            self.lay(start, middle);
            self.nodes[node].other = self.nodes.len() as u32;
            self.lay(middle, end);
        }
    }

    fn push(&mut self, bounds: Box3, start: usize, end: usize) -> usize {
        self.nodes.push(Node { bounds, start: start as u32, end: end as u32, other: 0 });
        self.nodes.len() - 1
    }

    /// Fits the boxes to parts that have moved. The order stays.
    pub(crate) fn refit(&mut self, bounds: impl Fn(u32) -> Box3) {
        for n in (0..self.nodes.len()).rev() {
            let Node { start, end, other, .. } = self.nodes[n];
            self.nodes[n].bounds = match other {
                0 => self.order[start as usize..end as usize].iter().fold(EMPTY, |all, &part| union(all, bounds(part))),
                other => union(self.nodes[n + 1].bounds, self.nodes[other as usize].bounds),
            };
        }
    }

    /// [`BoxTree::descend`], if the box of all is met.
    pub(crate) fn walk(&self, most: f64, reach: impl Fn(&Box3) -> Option<f64>, visit: impl FnMut(u32) -> f64) {
        if let Some(first) = self.nodes.first().and_then(|node| reach(&node.bounds)) {
            self.descend(first, most, reach, visit);
        }
    }

    /// Visits parts, nearer boxes first; that of all is met from the distance `first` on. `reach` tells from what
    /// distance on a box is met, if at all; `visit` what distance is enough from then on: boxes beyond it are left out,
    /// those at it are not, so that ties are seen.
    pub(crate) fn descend(
        &self,
        first: f64,
        mut most: f64,
        reach: impl Fn(&Box3) -> Option<f64>,
        mut visit: impl FnMut(u32) -> f64,
    ) {
        // As deep as the tree: a split halves, so 32 levels hold all numbers, and each leaves one node behind.
        let (mut stack, mut top) = ([(first, 0u32); 64], usize::from(!self.nodes.is_empty()));
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
