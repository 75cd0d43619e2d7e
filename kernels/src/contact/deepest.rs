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
//! A shape that is not convex is taken to pieces of the triangle: cut at its creases ([`SignedDistance::over`]), such
//! as the planes between the cells of a field, and halved. Within a piece the slope falls no faster than is known, so
//! each cut is lowered at the piece's corners by half of that times the arm squared: these cuts are of a convex
//! function below the distance that meets it at the corners (Androulakis, Maranas, Floudas 1995, "alpha-BB"). A piece
//! whose bound is not yet as high as what was found is halved; the others are done with. What is found is the deepest
//! point of all, to within `gap`, whatever the shape's hollows.
//!
//! One triangle at a time and in f64, so that lanes have no part in it.

mod cuts;
mod found;
pub(super) mod pair;

use super::bends::{Over, lower};
use super::signed::SignedDistance;
use crate::V3;
use cuts::Search;
pub(super) use found::{Deepest, Enough, weighted};
use found::{MIDDLE, known};

type P = V3<f64>;

/// Pieces of a triangle that may wait, and are looked at, at most; and of the few triangles that are large beside the
/// shape's detail.
const PIECES: usize = 64;
const MANY_PIECES: usize = 1024;

const ALL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Part of the way to a piece's middle by which it is smaller than it is, so that none of its points is beyond a
/// crease.
const WITHIN: f64 = 1e-6;

/// Part of a triangle about its deepest point where creases meet that push together.
const CLOSE: f64 = 1.0 / 32.0;

/// The deepest point of a triangle in the shape's own frame; looked for from the point with these weights on.
pub(super) fn deepest<D: SignedDistance>(shape: &D, x: [P; 3], begin: [f64; 3], enough: Enough) -> Deepest {
    if shape.convex() {
        return Search::new(shape, x, V3::zero()).run_from(begin, enough);
    }
    match by_pieces::<D, PIECES>(shape, &x, begin, enough) {
        (found, true) => found,
        (found, false) => by_pieces::<D, MANY_PIECES>(shape, &x, found.weights, enough).0,
    }
}

/// The same, also of a triangle that is hundreds of times as long as the shape is thin: it may want more cuts than one
/// search has room for.
#[inline(never)]
pub(super) fn surely_deepest<D: SignedDistance>(shape: &D, x: [P; 3], begin: [f64; 3], enough: Enough) -> Deepest {
    let found = deepest(shape, x, begin, enough);
    match !shape.convex() || enough.reached(found.bound, found.value) || !found.value.is_finite() {
        true => found,
        false => by_pieces::<D, PIECES>(shape, &x, found.weights, enough).0,
    }
}

/// The deepest point and a bound, of so many pieces at most; and whether these were enough.
fn by_pieces<D: SignedDistance, const MOST: usize>(
    shape: &D,
    x: &[P; 3],
    begin: [f64; 3],
    enough: Enough,
) -> (Deepest, bool) {
    let weights = known(begin);
    let at = weighted(x, weights);
    let (value, normal, _) = shape.graded(at);
    let mut best = Deepest { weights, at, value, bound: f64::NEG_INFINITY, normal, plane: value };
    let mut bound = f64::INFINITY;
    let mut waiting = WaitingPieces::<MOST>::new();
    waiting.push(ALL, f64::NEG_INFINITY);
    let mut done = false;
    for _ in 1..MOST {
        // What may be deepest comes first.
        let next = waiting.lowest().filter(|&next| !enough.reached(waiting.least[next], best.value));
        let Some(next) = next else {
            done = true;
            break;
        };
        let (corners, before) = waiting.take(next);
        let piece = TrianglePiece::new(x, corners);
        let Looked { found, least, split } = piece.look(shape, enough, best.value);
        if found.value < best.value {
            best = Deepest { weights: piece.weights(found.weights), ..found };
        }
        let least = least.max(before);
        if enough.reached(least, best.value) {
            bound = bound.min(least);
            continue;
        }
        for corners in piece.halves(split) {
            waiting.push(corners, least);
        }
    }
    // What nobody has looked at may be as deep as what it is a part of.
    best.bound = waiting.least[..waiting.count].iter().fold(bound, |bound, &least| bound.min(least)).min(best.value);
    let found = if best.value < enough.free { balanced(shape, x, best) } else { best };
    (found, done)
}

/// The pieces that wait: their corners, and how deep each may be, which is no NaN. Of each block of them the smallest
/// number is kept: to look through all of a thousand takes longer than to look at a piece.
struct WaitingPieces<const MOST: usize> {
    corners: [[[f64; 3]; 3]; MOST],
    least: [f64; MOST],
    of_block: [f64; MANY_PIECES / BLOCK],
    count: usize,
}

const BLOCK: usize = 32;

impl<const MOST: usize> WaitingPieces<MOST> {
    fn new() -> WaitingPieces<MOST> {
        let of_block = [f64::INFINITY; MANY_PIECES / BLOCK];
        WaitingPieces { corners: [ALL; MOST], least: [f64::INFINITY; MOST], of_block, count: 0 }
    }

    fn push(&mut self, corners: [[f64; 3]; 3], least: f64) {
        let block = &mut self.of_block[self.count / BLOCK];
        *block = if least < *block { least } else { *block };
        (self.corners[self.count], self.least[self.count]) = (corners, least);
        self.count += 1;
    }

    /// The last takes its place.
    fn take(&mut self, place: usize) -> ([[f64; 3]; 3], f64) {
        let taken = (self.corners[place], self.least[place]);
        self.count -= 1;
        (self.corners[place], self.least[place]) = (self.corners[self.count], self.least[self.count]);
        self.least[self.count] = f64::INFINITY;
        for block in [place / BLOCK, self.count / BLOCK] {
            let of = self.least[block * BLOCK..].iter().take(BLOCK);
            self.of_block[block] = of.fold(f64::INFINITY, |least, &one| if one < least { one } else { least });
        }
        taken
    }

    /// The first of those that may be deepest.
    fn lowest(&self) -> Option<usize> {
        let first = |of: &[f64]| {
            let mut best = 0;
            for (k, &value) in of.iter().enumerate() {
                best = if value < of[best] { k } else { best };
            }
            best
        };
        let block = first(&self.of_block[..self.count.div_ceil(BLOCK).max(1)]) * BLOCK;
        let end = self.count.min(block + BLOCK);
        (block < end).then(|| block + first(&self.least[block..end]))
    }
}

/// The same point with the normal of all creases that meet there, and what is deeper close by.
fn balanced<D: SignedDistance>(shape: &D, x: &[P; 3], best: Deepest) -> Deepest {
    let about = TrianglePiece::new(
        x,
        ALL.map(|corner| [0, 1, 2].map(|k| best.weights[k] + (corner[k] - best.weights[k]) * CLOSE)),
    );
    let exact = Enough { free: f64::INFINITY, gap: 0.0, share: 0.0 };
    // Its weights are those of the triangle: the piece is smaller, and lies alike.
    let found = Search::new(shape, about.x, V3::zero()).run_from(best.weights, exact);
    if found.value > best.value {
        // Roundings have taken it to the higher side of a jump.
        return Deepest { normal: found.normal, plane: f64::NEG_INFINITY, ..best };
    }
    Deepest { weights: about.weights(found.weights), bound: best.bound.min(found.value), ..found }
}

/// A part of a triangle: the weights of its corners, and these.
#[derive(Clone, Copy, Debug)]
struct TrianglePiece {
    corners: [[f64; 3]; 3],
    x: [P; 3],
}

/// The lowest point of a piece that was asked for, a bound of all, and the edge to halve, at which part.
struct Looked {
    found: Deepest,
    least: f64,
    split: (usize, f64),
}

impl TrianglePiece {
    fn new(x: &[P; 3], corners: [[f64; 3]; 3]) -> TrianglePiece {
        TrianglePiece { corners, x: corners.map(|w| weighted(x, w)) }
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

    fn look<D: SignedDistance>(&self, shape: &D, enough: Enough, lowest: f64) -> Looked {
        let middle = (self.x[0] + self.x[1] + self.x[2]) * (1.0 / 3.0);
        let (value, normal, steep) = shape.graded(middle);
        let reach = self.x.map(|p| (p - middle).length_squared()).into_iter().fold(0.0, f64::max).sqrt();
        let found = Deepest { weights: MIDDLE, at: middle, value, bound: f64::NEG_INFINITY, normal, plane: value };
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
