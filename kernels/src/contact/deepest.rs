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
//! A shape that is not convex is taken to pieces of the triangle: cut at its creases ([`Distance::over`]), such as the planes between the
//! cells of a field, and halved. Within a piece the slope falls no faster than is known, so each cut is lowered at the piece's corners by
//! half of that times the arm squared: these cuts are of a convex function below the distance that meets it at the corners (Androulakis,
//! Maranas, Floudas 1995, "alpha-BB"). A piece whose bound is not yet as high as what was found is halved; the others are done with. What is
//! found is the deepest point of all, to within `gap`, whatever the shape's hollows.
//!
//! One triangle at a time and in f64, so that lanes have no part in it.

use super::distance::{Distance, Over, lower};
use crate::V3;
use std::ops::ControlFlow::{self, Break, Continue};

type P = V3<f64>;

/// Cuts of a search, at most. Faces take four to six, what is round eight or so.
const CUTS: usize = 14;

/// Corners of what is left of a triangle, at most. Each cut adds one, and takes others.
const CORNERS: usize = 12;

/// Pieces of a triangle that are looked at, at most.
const PIECES: usize = 64;

/// Pieces that wait: halves of halves.
const WAITING: usize = 65;

/// Weights of the middle, and of the corners.
const MIDDLE: [f64; 3] = [1.0 / 3.0; 3];
const ALL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Part of the way to a piece's middle by which it is smaller than it is, so that none of its points is beyond a crease.
const WITHIN: f64 = 1e-6;

/// Part of a triangle about its deepest point where creases meet that push together.
const CLOSE: f64 = 1.0 / 32.0;

/// When a search may end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enough {
    /// A triangle above this is free.
    pub(super) free: f64,
    /// Metres between the bound and what was found, or this part of the bound's height above `free`.
    pub(super) gap: f64,
    pub(super) share: f64,
}

impl Enough {
    /// Whether it is enough to know that nothing is lower than `bound`, where `lowest` is.
    fn reached(&self, bound: f64, lowest: f64) -> bool {
        let (above, gap) = (bound - self.free, lowest - bound);
        above >= 0.0 && gap <= (self.share * above).max(self.gap) || gap <= self.gap
    }
}

/// The deepest point of a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deepest {
    pub(super) weights: [f64; 3],
    pub(super) at: P,
    /// The distance there, metres.
    pub(super) value: f64,
    /// No point is deeper.
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

/// Lanes have no nearest point of a triangle that is none.
fn known(weights: [f64; 3]) -> [f64; 3] {
    if weights.iter().all(|w| w.is_finite()) { weights } else { MIDDLE }
}

/// The deepest point of a triangle in the shape's own frame; looked for from the point with these weights on.
pub(super) fn deepest<D: Distance>(shape: &D, x: [P; 3], begin: [f64; 3], enough: Enough) -> Deepest {
    if shape.convex() {
        return Search::new(shape, x, V3::zero()).run_from(begin, enough);
    }
    let weights = known(begin);
    let at = weighted(&x, weights);
    let (value, normal, _) = shape.graded(at);
    let mut best = Deepest { weights, at, value, bound: f64::NEG_INFINITY, normal };
    let mut bound = f64::INFINITY;
    let mut waiting = [Waiting { corners: ALL, least: f64::NEG_INFINITY }; WAITING];
    let mut count = 1;
    for _ in 0..PIECES {
        // What may be deepest comes first.
        let Some(next) = lowest(&waiting[..count]) else { break };
        let Waiting { corners, least: before } = waiting[next];
        if enough.reached(before, best.value) {
            break;
        }
        count -= 1;
        waiting[next] = waiting[count];
        let piece = Piece::new(&x, corners);
        let Looked { found, least, split } = piece.look(shape, enough, best.value);
        if found.value < best.value {
            best = Deepest { weights: piece.weights(found.weights), ..found };
        }
        let least = least.max(before);
        if enough.reached(least, best.value) || count + 2 > WAITING {
            bound = bound.min(least);
            continue;
        }
        for corners in piece.halves(split) {
            waiting[count] = Waiting { corners, least };
            count += 1;
        }
    }
    // What nobody has looked at may be as deep as what it is a part of.
    best.bound = waiting[..count].iter().fold(bound, |bound, piece| bound.min(piece.least)).min(best.value);
    if best.value < enough.free { balanced(shape, &x, best) } else { best }
}

/// A piece that waits, and how deep it may be.
#[derive(Clone, Copy)]
struct Waiting {
    corners: [[f64; 3]; 3],
    least: f64,
}

/// The first of those that may be deepest.
fn lowest(waiting: &[Waiting]) -> Option<usize> {
    let mut best = None;
    for (k, piece) in waiting.iter().enumerate() {
        if best.is_none_or(|best: usize| piece.least < waiting[best].least) {
            best = Some(k);
        }
    }
    best
}

/// The same point with the normal of all creases that meet there, and what is deeper close by.
fn balanced<D: Distance>(shape: &D, x: &[P; 3], best: Deepest) -> Deepest {
    let about =
        Piece::new(x, ALL.map(|corner| [0, 1, 2].map(|k| best.weights[k] + (corner[k] - best.weights[k]) * CLOSE)));
    let exact = Enough { free: f64::INFINITY, gap: 0.0, share: 0.0 };
    // Its weights are those of the triangle: the piece is smaller, and lies alike.
    let found = Search::new(shape, about.x, V3::zero()).run_from(best.weights, exact);
    if found.value > best.value {
        // Roundings have taken it to the higher side of a jump.
        return Deepest { normal: found.normal, ..best };
    }
    Deepest { weights: about.weights(found.weights), bound: best.bound.min(found.value), ..found }
}

/// A part of a triangle: the weights of its corners, and these.
#[derive(Clone, Copy, Debug)]
struct Piece {
    corners: [[f64; 3]; 3],
    x: [P; 3],
}

/// The lowest point of a piece that was asked for, a bound of all, and the edge to halve, at which part.
struct Looked {
    found: Deepest,
    least: f64,
    split: (usize, f64),
}

impl Piece {
    fn new(x: &[P; 3], corners: [[f64; 3]; 3]) -> Piece {
        Piece { corners, x: corners.map(|w| weighted(x, w)) }
    }

    /// In the triangle, of weights in the piece.
    fn weights(&self, w: [f64; 3]) -> [f64; 3] {
        let [a, b, c] = &self.corners;
        [0, 1, 2].map(|k| a[k] * w[0] + b[k] * w[1] + c[k] * w[2])
    }

    /// Both parts, cut from a point of an edge to the corner across.
    fn halves(&self, (k, part): (usize, f64)) -> [[[f64; 3]; 3]; 2] {
        let [a, b, c] = [k, (k + 1) % 3, (k + 2) % 3].map(|k| self.corners[k]);
        let m = [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * part);
        [[a, m, c], [m, b, c]]
    }

    fn longest(&self) -> usize {
        let edges = [0, 1, 2].map(|k| (self.x[(k + 1) % 3] - self.x[k]).length_squared());
        if edges[0] >= edges[1] && edges[0] >= edges[2] {
            0
        } else if edges[1] >= edges[2] {
            1
        } else {
            2
        }
    }

    fn look<D: Distance>(&self, shape: &D, enough: Enough, lowest: f64) -> Looked {
        let middle = (self.x[0] + self.x[1] + self.x[2]) * (1.0 / 3.0);
        let (value, normal, steep) = shape.graded(middle);
        let reach = self.x.map(|p| (p - middle).length_squared()).into_iter().fold(0.0, f64::max).sqrt();
        let found = Deepest { weights: MIDDLE, at: middle, value, bound: f64::NEG_INFINITY, normal };
        let mut looked = Looked { found, least: shape.least(value, reach), split: (self.longest(), 0.5) };
        if enough.reached(looked.least, lowest.min(value)) {
            return looked;
        }
        let tangent = lower(&self.x, middle, (value, normal * steep), &shape.about(middle, reach));
        looked.least = looked.least.max(tangent);
        if enough.reached(looked.least, lowest.min(value)) {
            return looked;
        }
        match shape.over(&self.x) {
            Over::Creased(edge, part) => looked.split = (edge, part),
            Over::Smooth(curved) if (curved.x + curved.y + curved.z).is_finite() => {
                // Within its creases, on none.
                let within = self.x.map(|x| x + (middle - x) * WITHIN);
                let mut search = Search::new(shape, within, curved);
                if search.cut(MIDDLE, middle, (value, normal, steep)).is_continue() {
                    looked.found = search.run(enough, lowest);
                    looked.least = looked.least.max(looked.found.bound);
                }
            }
            Over::Smooth(_) => {}
        }
        looked
    }
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
    /// How fast the slope falls along the axes, at most, 1/m; and whether it does.
    curved: P,
    bent: bool,
    /// The lowest of all cuts where they were made.
    lowest: f64,
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
    fn new(shape: &'a D, x: [P; 3], curved: P) -> Self {
        let nowhere = Deepest {
            weights: [1.0, 0.0, 0.0],
            at: x[0],
            value: f64::INFINITY,
            bound: f64::NEG_INFINITY,
            normal: V3::zero(),
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
    fn cut(&mut self, weights: [f64; 3], at: P, (value, normal, slope): (f64, P, f64)) -> ControlFlow<()> {
        if value < self.best.value {
            self.best = Deepest { weights, at, value, bound: self.height, normal };
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
    fn run_from(mut self, begin: [f64; 3], enough: Enough) -> Deepest {
        if self.ask(known(begin)).is_break() {
            return self.best;
        }
        self.run(enough, f64::INFINITY)
    }

    /// Looks for a point that is deeper than `lowest`, too.
    fn run(mut self, enough: Enough, lowest: f64) -> Deepest {
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
        }
        self.best
    }
}
