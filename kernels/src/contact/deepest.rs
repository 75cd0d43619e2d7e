//! Where a triangle is deepest in a shape with a signed distance.
//!
//! ```text
//!   d over the triangle    d of a convex shape is convex: it lies above each of its tangent planes ("cuts"), so the lowest point
//!   \            /         of what lies above all cuts so far is a lower bound of its minimum, and where to ask for d next
//!    \ .cut 2   /          (Kelley 1960, "The Cutting-Plane Method"). A box's faces are two or three cuts; what is round takes
//!     \  \   . / cut 1     some more. The search ends as soon as the bound says that the triangle is free.
//!      `--`-'              A new cut is highest in the new lowest point, so only where it is highest need be looked at: the triangle,
//!                          cut by a line for each other cut. The cuts that meet there are in balance: their normals, weighted, are
//! the way out, also where two or three faces of the shape meet.
//! ```
//! A shape that is not convex is taken to pieces of the triangle over which it nearly is ([`Distance::piece`]), those that a ball of the
//! distance over its slope (Hart 1996) frees left out.
//!
//! One triangle at a time and in f64, so that lanes have no part in it.

use super::distance::Distance;
use crate::V3;
use std::ops::ControlFlow::{self, Break, Continue};

type P = V3<f64>;

/// Cuts of a search, at most. Faces take four to six, what is round eight or so.
const CUTS: usize = 14;

/// Corners of what is left of a triangle, at most. Each cut adds one, and takes others.
const CORNERS: usize = 12;

/// Pieces of a triangle that are looked at, at most.
const PIECES: usize = 2048;

/// Pieces that wait: halves of halves.
const WAITING: usize = 48;

/// Weights of the middle.
const MIDDLE: [f64; 3] = [1.0 / 3.0; 3];

/// When a search may end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enough {
    /// A triangle above this is free.
    pub(super) free: f64,
    /// Metres between the bound and what was found, or this part of the bound's height above `free`.
    pub(super) gap: f64,
    pub(super) share: f64,
}

/// The deepest point of a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deepest {
    pub(super) weights: [f64; 3],
    pub(super) at: P,
    /// The distance there, metres.
    pub(super) value: f64,
    /// No point is deeper, as far as the shape is convex.
    pub(super) bound: f64,
    /// How `value` grows with the triangle: the normal, or that of all sides which meet there, then shorter than 1.
    pub(super) normal: P,
}

/// A tangent plane: its heights at the corners, and the gradient.
#[derive(Clone, Copy, Debug)]
struct Cut {
    heights: [f64; 3],
    gradient: P,
}

impl Cut {
    fn height(&self, weights: [f64; 3]) -> f64 {
        self.heights[0] * weights[0] + self.heights[1] * weights[1] + self.heights[2] * weights[2]
    }

    /// Changes of the height from the first corner to the others.
    fn slopes(&self) -> [f64; 2] {
        [self.heights[1] - self.heights[0], self.heights[2] - self.heights[0]]
    }
}

/// What bounds the polygon in which a cut is highest, beyond each of its corners: another cut, or an edge of the triangle.
const EDGE: usize = CUTS;

pub(super) fn weighted(x: &[P; 3], w: [f64; 3]) -> P {
    x[0] * w[0] + x[1] * w[1] + x[2] * w[2]
}

fn longest(x: &[P; 3]) -> f64 {
    let [a, b, c] = [x[1] - x[0], x[2] - x[1], x[0] - x[2]].map(V3::length_squared);
    a.max(b).max(c).sqrt()
}

/// The deepest point of a triangle in the shape's own frame; looked for from the point with these weights on.
pub(super) fn deepest<D: Distance>(shape: &D, x: [P; 3], begin: [f64; 3], enough: Enough) -> Deepest {
    const ALL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let Some(piece) = shape.piece().map(f64::from).filter(|&piece| longest(&x) > piece) else {
        return Search::new(shape, x).run(begin, enough);
    };
    let slope = f64::from(shape.slope());
    let mut waiting = [ALL; WAITING];
    let (mut count, mut best, mut bound) = (1, None::<Deepest>, f64::INFINITY);
    for _ in 0..PIECES {
        if count == 0 {
            break;
        }
        count -= 1;
        let corners = waiting[count];
        let part = corners.map(|w| weighted(&x, w));
        let middle = (part[0] + part[1] + part[2]) * (1.0 / 3.0);
        let radius = part.map(|p| (p - middle).length_squared()).into_iter().fold(0.0, f64::max).sqrt();
        let least = shape.distance(middle).0 - slope * radius;
        let lowest = best.map_or(f64::INFINITY, |best| best.value);
        if least >= enough.free.min(lowest) {
            bound = bound.min(least);
            continue;
        }
        if longest(&part) > piece && count + 2 <= WAITING {
            // Halved across the longest edge.
            let edges = [0, 1, 2].map(|k| (part[(k + 1) % 3] - part[k]).length_squared());
            let k = if edges[0] >= edges[1] && edges[0] >= edges[2] {
                0
            } else if edges[1] >= edges[2] {
                1
            } else {
                2
            };
            let [a, b, c] = [k, (k + 1) % 3, (k + 2) % 3].map(|k| corners[k]);
            let m = [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]));
            waiting[count] = [a, m, c];
            waiting[count + 1] = [m, b, c];
            count += 2;
            continue;
        }
        let mut found = Search::new(shape, part).run(MIDDLE, enough);
        bound = bound.min(found.bound);
        if found.value < lowest {
            let w = found.weights;
            found.weights = [0, 1, 2].map(|k| corners[0][k] * w[0] + corners[1][k] * w[1] + corners[2][k] * w[2]);
            best = Some(found);
        }
    }
    let mut found = best.unwrap_or_else(|| Search::new(shape, x).corners());
    found.bound = bound.min(found.value);
    found
}

/// What is left of a triangle: weights of its corners in turn, and what bounds it from each to the next.
#[derive(Clone, Copy, Debug)]
struct Polygon {
    corners: [[f64; 3]; CORNERS],
    sides: [usize; CORNERS],
    many: usize,
}

enum Clipped {
    Whole,
    Part,
    Gone,
}

impl Polygon {
    /// The triangle.
    fn new() -> Polygon {
        let mut corners = [[0.0; 3]; CORNERS];
        (corners[0][0], corners[1][1], corners[2][2]) = (1.0, 1.0, 1.0);
        Polygon { corners, sides: [EDGE; CORNERS], many: 3 }
    }

    /// Puts what is left where a function of these values at the triangle's corners is not negative into another, bounded by `side`
    /// where it is nothing (Sutherland, Hodgman 1974, "Reentrant Polygon Clipping").
    fn clip(&self, to: &mut Polygon, side: usize, [v0, v1, v2]: [f64; 3]) -> Clipped {
        let mut values = [0.0; CORNERS];
        let (mut some, mut all) = (false, true);
        for (value, w) in values.iter_mut().zip(&self.corners[..self.many]) {
            *value = v0 * w[0] + v1 * w[1] + v2 * w[2];
            (some, all) = (some | (*value >= 0.0), all & (*value >= 0.0));
        }
        if all {
            return Clipped::Whole;
        }
        if !some || self.many + 1 >= CORNERS {
            return Clipped::Gone;
        }
        to.many = 0;
        for k in 0..self.many {
            let next = if k + 1 == self.many { 0 } else { k + 1 };
            let (p, q, from, end) = (self.corners[k], self.corners[next], values[k], values[next]);
            let (begins, ends) = (from >= 0.0, end >= 0.0);
            if begins {
                (to.corners[to.many], to.sides[to.many]) = (p, self.sides[k]);
                to.many += 1;
            }
            if begins != ends {
                let t = from / (from - end);
                to.corners[to.many] = [0, 1, 2].map(|c| p[c] + (q[c] - p[c]) * t);
                // Out: along the new side from here on. In: along the old one.
                to.sides[to.many] = if begins { side } else { self.sides[k] };
                to.many += 1;
            }
        }
        Clipped::Part
    }
}

struct Search<'a, D> {
    shape: &'a D,
    x: [P; 3],
    cuts: [Cut; CUTS],
    count: usize,
    best: Deepest,
    /// The lowest point above all cuts, its height, the cut that was last to pass through it, and what else bounds it there.
    low: [f64; 3],
    height: f64,
    last: usize,
    meet: [usize; 2],
}

impl<'a, D: Distance> Search<'a, D> {
    fn new(shape: &'a D, x: [P; 3]) -> Self {
        let nowhere = Deepest {
            weights: [1.0, 0.0, 0.0],
            at: x[0],
            value: f64::INFINITY,
            bound: f64::NEG_INFINITY,
            normal: V3::zero(),
        };
        let cut = Cut { heights: [0.0; 3], gradient: V3::zero() };
        let height = f64::NEG_INFINITY;
        Search { shape, x, cuts: [cut; CUTS], count: 0, best: nowhere, low: [0.0; 3], height, last: 0, meet: [EDGE; 2] }
    }

    /// Asks for the distance at a point and cuts there. Breaks where no cut brings more.
    fn ask(&mut self, weights: [f64; 3]) -> ControlFlow<()> {
        let at = weighted(&self.x, weights);
        let (value, normal, slope) = self.shape.graded(at);
        if value < self.best.value {
            self.best = Deepest { weights, at, value, bound: self.height, normal };
        }
        let gradient = normal * slope;
        let heights = self.x.map(|x| value + (x - at).dot(gradient));
        if self.count == CUTS || !heights.iter().all(|h| h.is_finite()) {
            return Break(());
        }
        self.cuts[self.count] = Cut { heights, gradient };
        self.count += 1;
        if self.cuts[self.count - 1].height(self.low) > self.height {
            return self.lift();
        }
        Continue(())
    }

    /// The lowest point above all cuts, after a new one that is above the last lowest.
    fn lift(&mut self) -> ControlFlow<()> {
        let last = self.count - 1;
        let cut = self.cuts[last];
        let [mut left, mut rest] = [Polygon::new(); 2];
        for (i, other) in self.cuts[..last].iter().enumerate() {
            match left.clip(&mut rest, i, [0, 1, 2].map(|k| cut.heights[k] - other.heights[k])) {
                Clipped::Whole => {}
                Clipped::Part => std::mem::swap(&mut left, &mut rest),
                Clipped::Gone => return Break(()),
            }
        }
        let Polygon { corners, sides, many } = left;
        let mut lowest = 0;
        for k in 1..many {
            if cut.height(corners[k]) < cut.height(corners[lowest]) {
                lowest = k;
            }
        }
        self.low = corners[lowest];
        self.height = cut.height(self.low);
        (self.last, self.meet) = (last, [sides[(lowest + many - 1) % many], sides[lowest]]);
        Continue(())
    }

    fn corners(mut self) -> Deepest {
        for weights in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            // All three, come what may.
            let _ = self.ask(weights);
        }
        self.best
    }

    fn run(mut self, begin: [f64; 3], enough: Enough) -> Deepest {
        // Lanes have no nearest point of a triangle that is none.
        let begin = if begin.iter().all(|w| w.is_finite()) { begin } else { MIDDLE };
        if self.ask(begin).is_break() {
            return self.best;
        }
        loop {
            let above = self.height - enough.free;
            let gap = self.best.value - self.height;
            if above >= 0.0 && gap <= (enough.share * above).max(enough.gap) || gap <= enough.gap {
                return self.end();
            }
            if self.ask(self.low).is_break() {
                return self.end();
            }
        }
    }

    /// With the normal of the cuts that are in balance.
    fn end(mut self) -> Deepest {
        self.best.bound = self.height;
        let first = self.cuts[self.last];
        let mut others = self.meet.into_iter().filter(|&i| i != EDGE);
        let shares = match (others.next(), others.next()) {
            (None, _) => return self.best,
            (Some(i), None) => {
                // Along an edge: where the weight that is nothing stays so.
                let w = self.low;
                let k = if w[0] <= w[1] && w[0] <= w[2] {
                    0
                } else if w[1] <= w[2] {
                    1
                } else {
                    2
                };
                let along = |cut: &Cut| cut.heights[(k + 1) % 3] - cut.heights[(k + 2) % 3];
                let (a, b) = (along(&first), along(&self.cuts[i]));
                [(i, a / (a - b)), (i, 0.0)]
            }
            (Some(i), Some(j)) => {
                let (c, a, b) = (first.slopes(), self.cuts[i].slopes(), self.cuts[j].slopes());
                let (a, b) = ([a[0] - c[0], a[1] - c[1]], [b[0] - c[0], b[1] - c[1]]);
                let det = a[0] * b[1] - a[1] * b[0];
                [(i, (b[0] * c[1] - b[1] * c[0]) / det), (j, (a[1] * c[0] - a[0] * c[1]) / det)]
            }
        };
        if shares.iter().all(|(_, share)| share.is_finite()) {
            let [(i, si), (j, sj)] = shares.map(|(i, share)| (i, share.clamp(0.0, 1.0)));
            let own = (1.0 - si - sj).max(0.0);
            self.best.normal = first.gradient * own + self.cuts[i].gradient * si + self.cuts[j].gradient * sj;
        }
        self.best
    }
}
