//! The lowest point of what lies above tangent planes, over a triangle.

use super::found::{Deepest, Enough, known, weighted};
use crate::V3;
use crate::contact::signed::SignedDistance;
use std::ops::ControlFlow::{self, Break, Continue};

type P = V3<f64>;

/// Cuts of a search, at most. Faces take four to six, what is round eight or so.
const CUTS: usize = 14;

/// Corners of what is left of a triangle, at most. Each cut adds one, and takes others.
const CORNERS: usize = 12;

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

/// What bounds the polygon in which a cut is highest, beyond each of its corners: another cut, or an edge of the
/// triangle.
const EDGE: usize = CUTS;

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

    /// Puts what is left where a function of these values at the triangle's corners is not negative into another,
    /// bounded by `side` where it is nothing (Sutherland, Hodgman 1974, "Reentrant Polygon Clipping").
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

pub(super) struct Search<'a, D> {
    shape: &'a D,
    x: [P; 3],
    /// How fast the slope falls along the axes, at most, 1/m; and whether it does.
    curved: P,
    bent: bool,
    /// The lowest of all cuts where they were made.
    lowest: f64,
    cuts: [Cut; CUTS],
    count: usize,
    best: Deepest,
    /// The lowest point above all cuts, its height, the cut that was last to pass through it, and what else bounds it
    /// there.
    low: [f64; 3],
    height: f64,
    last: usize,
    meet: [usize; 2],
}

impl<'a, D: SignedDistance> Search<'a, D> {
    pub(super) fn new(shape: &'a D, x: [P; 3], curved: P) -> Self {
        let nowhere = Deepest {
            weights: [1.0, 0.0, 0.0],
            at: x[0],
            value: f64::INFINITY,
            bound: f64::NEG_INFINITY,
            normal: V3::zero(),
            plane: f64::NEG_INFINITY,
        };
        let cut = Cut { heights: [0.0; 3], gradient: V3::zero() };
        let height = f64::NEG_INFINITY;
        let bent = curved.x + curved.y + curved.z > 0.0;
        let (cuts, lowest) = ([cut; CUTS], f64::INFINITY);
        Search {
            shape,
            x,
            curved,
            bent,
            lowest,
            cuts,
            count: 0,
            best: nowhere,
            low: [0.0; 3],
            height,
            last: 0,
            meet: [EDGE; 2],
        }
    }

    /// Asks for the distance at a point and cuts there. Breaks where no cut brings more.
    fn ask(&mut self, weights: [f64; 3]) -> ControlFlow<()> {
        let at = weighted(&self.x, weights);
        self.cut(weights, at, self.shape.graded(at))
    }

    /// Cuts where the distance is known.
    pub(super) fn cut(&mut self, weights: [f64; 3], at: P, (value, normal, slope): (f64, P, f64)) -> ControlFlow<()> {
        if value < self.best.value {
            self.best = Deepest { weights, at, value, bound: self.height, normal, plane: value };
        }
        let gradient = normal * slope;
        let mut heights = self.x.map(|x| value + (x - at).dot(gradient));
        let mut here = value;
        if self.bent {
            for (height, x) in heights.iter_mut().zip(self.x) {
                let arm = x - at;
                *height -= 0.5 * V3::new(arm.x * arm.x, arm.y * arm.y, arm.z * arm.z).dot(self.curved);
            }
            here = Cut { heights, gradient }.height(weights);
        }
        if self.count == CUTS || !heights.iter().all(|h| h.is_finite()) {
            return Break(());
        }
        self.lowest = self.lowest.min(here);
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

    /// From a point on.
    pub(super) fn run_from(mut self, begin: [f64; 3], enough: Enough) -> Deepest {
        if self.ask(known(begin)).is_break() {
            return self.best;
        }
        self.run(enough, f64::INFINITY)
    }

    /// Looks for a point that is deeper than `lowest`, too.
    pub(super) fn run(mut self, enough: Enough, lowest: f64) -> Deepest {
        loop {
            let least = self.best.value.min(lowest);
            // Where the cuts say no more, a smaller piece does.
            let bent = self.bent && self.lowest - self.height <= 0.5 * (least - self.height);
            if enough.reached(self.height, least) || bent || self.ask(self.low).is_break() {
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
            let at = self.best.weights;
            let plane = first.height(at) * own + self.cuts[i].height(at) * si + self.cuts[j].height(at) * sj;
            self.best.plane = if si + sj <= 1.0 { plane } else { f64::NEG_INFINITY };
        }
        self.best
    }
}
