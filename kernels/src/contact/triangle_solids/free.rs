//! Which triangles are surely free, in lanes: bounds of their distances from few points, and from sixteen parts.

use super::way::Low;
use crate::contact::bends::{Bend, UNKNOWN, heights, lower};
use crate::contact::deepest::pair::{CutPair, TangentPlane};
use crate::contact::signed::SignedDistance;
use crate::contact::touch::{closest, weighted};
use crate::lanes::{Lanes, Mask};
use crate::{BATCH, Chunk, InChunks, V3};

/// How often lanes look for a lower point of those that are not yet free.
const ROUNDS: usize = 2;

/// And how often where two cuts meet.
const PAIRS: usize = 8;

/// Radians that a normal turns over a triangle's longest edge, at least, where a lower point is looked for.
const FLAT: f64 = 1e-4;

/// What the parts of a triangle tell.
pub(super) struct Parts {
    /// The distance is nowhere less.
    pub(super) bound: f32,
    /// The lowest that was found, and where.
    value: f32,
    weights: [f32; 3],
    /// Whether that is near enough above the bound.
    enough: bool,
}

impl Parts {
    pub(super) fn low(&self) -> Low {
        let bound = self.enough.then_some(f64::from(self.bound));
        Low { weights: self.weights.map(f64::from), bound, pair: None }
    }
}

/// Sixteen parts of a triangle, its edges in quarters: 1 for those that lie as it does, -1 for those that are turned
/// round.
const TURNS: [f32; BATCH] = {
    let mut parts = [1.0; BATCH];
    let mut k = 10;
    while k < BATCH {
        parts[k] = -1.0;
        k += 1;
    }
    parts
};

/// The weights of their middles.
const MIDDLES: [[f32; BATCH]; 3] = {
    let mut middles = [[0.0; BATCH]; 3];
    let mut k = 0;
    // Twelfths: of part (i, j) 3 i + 1 and 3 j + 1, of those turned round 3 i + 2 and 3 j + 2.
    let mut turned = 0;
    while turned < 2 {
        let mut i = 0;
        while i < 4 - turned {
            let mut j = 0;
            while i + j < 4 - turned {
                let (a, b) = (3 * i + 1 + turned, 3 * j + 1 + turned);
                middles[1][k] = a as f32 / 12.0;
                middles[2][k] = b as f32 / 12.0;
                // Of whole numbers without a sign: there is no middle beyond an edge.
                middles[0][k] = (12usize - a - b) as f32 / 12.0;
                k += 1;
                j += 1;
            }
            i += 1;
        }
        turned += 1;
    }
    middles
};

/// Looks at sixteen parts of a triangle, and at sixteen of each that may be below `level` and by more than `near` below
/// the lowest that was found.
#[inline(always)]
pub(super) fn parts<L: Lanes<Elem = f32>, D: SignedDistance>(
    shape: &D,
    x: [[f32; 3]; 3],
    (level, near): (f32, f32),
) -> Parts {
    let all = bounds::<L, D>(shape, x);
    let lowest = all.lowest();
    let mut found = Parts {
        bound: f32::INFINITY,
        value: all.values[lowest],
        weights: [0, 1, 2].map(|k| MIDDLES[k][lowest]),
        enough: true,
    };
    for k in 0..BATCH {
        let mut least = all.least[k];
        // What is no number is not known.
        if !found.settles(least, level, near) {
            let corner = |arm: [f32; 3]| [0, 1, 2].map(|c| all.at[c][k] + arm[c] * TURNS[k]);
            let part = bounds::<L, D>(shape, all.arms.map(corner));
            let lowest = part.lowest();
            if part.values[lowest] < found.value {
                found.value = part.values[lowest];
                let within = |c: usize| (MIDDLES[c][lowest] - 1.0 / 3.0) * (0.25 * TURNS[k]);
                found.weights = [0, 1, 2].map(|c| MIDDLES[c][k] + within(c));
            }
            least = part.least.iter().fold(f32::INFINITY, |a, &b| if b >= a { a } else { b });
            found.enough &= found.settles(least, level, near);
        }
        found.bound = if least >= found.bound { found.bound } else { least };
    }
    found
}

impl Parts {
    /// Whether it does not matter by how much a part is higher than this.
    fn settles(&self, least: f32, level: f32, near: f32) -> bool {
        least >= level || least >= self.value - near
    }
}

/// Of the sixteen parts of a triangle, what their distances are at least and in the middle, their middles, and the arms
/// from these to the corners of those that lie as it does.
struct Bounds {
    least: [f32; BATCH],
    values: [f32; BATCH],
    at: [[f32; BATCH]; 3],
    arms: [[f32; 3]; 3],
}

impl Bounds {
    /// The part whose middle is lowest.
    fn lowest(&self) -> usize {
        (1..BATCH).fold(0, |lowest, k| if self.values[k] < self.values[lowest] { k } else { lowest })
    }
}

#[inline(always)]
fn bounds<L: Lanes<Elem = f32>, D: SignedDistance>(shape: &D, x: [[f32; 3]; 3]) -> Bounds {
    let middle = [0, 1, 2].map(|c| ((x[0][c] + x[1][c]) + x[2][c]) * (1.0 / 3.0));
    let arms = x.map(|x| [0, 1, 2].map(|c| (x[c] - middle[c]) * 0.25));
    let corners = [V3::<L>::set(x[0]), V3::set(x[1]), V3::set(x[2])];
    let to = [V3::<L>::set(arms[0]), V3::set(arms[1]), V3::set(arms[2])];
    let reach = to[0].length().larger(to[1].length()).larger(to[2].length()) * L::splat(1.0 + 1e-5);
    let mut found = Bounds { least: [0.0; BATCH], values: [0.0; BATCH], at: [[0.0; BATCH]; 3], arms };
    for chunk in Chunk::<L>::all() {
        let weights = [MIDDLES[0].load(chunk), MIDDLES[1].load(chunk), MIDDLES[2].load(chunk)];
        let turn = TURNS.load(chunk);
        let at = weighted(corners, weights);
        let (value, normal, steep) = shape.graded(at);
        let part = [at + to[0] * turn, at + to[1] * turn, at + to[2] * turn];
        let cut = lower(&part, at, (value, normal * steep), &shape.about(at, reach));
        found.least.store(chunk, shape.least(value, reach).larger(cut));
        found.values.store(chunk, value);
        found.at.store(chunk, at);
    }
    found
}

/// What lanes know of triangles.
pub(super) struct FreeBounds<L> {
    /// The distance is nowhere less.
    pub(super) bound: L,
    /// The lowest that was found, and where.
    pub(super) value: L,
    pub(super) weights: [L; 3],
    /// Two tangent planes that tell so; `NEG_INFINITY` high where they were not needed.
    pub(super) pair: CutPair<L>,
}

/// Bounds of the distances of triangles, until they are above `level` or within `near` of what was found, `rough` where
/// that is lower.
#[inline(always)]
pub(super) fn free_bounds<L: Lanes<Elem = f32>, D: SignedDistance>(
    shape: &D,
    x: [V3<L>; 3],
    level: L,
    (near, rough): (L, L),
) -> FreeBounds<L> {
    let one = L::splat(1.0);
    let weights = [L::splat(1.0 / 3.0); 3];
    let (e1, e2, e3) = ((x[1] - x[0]).length(), (x[2] - x[0]).length(), (x[2] - x[1]).length());
    let middle = (x[0] + x[1] + x[2]) * L::splat(1.0 / 3.0);
    let longest = e1.larger(e2).larger(e3);
    let (a0, a1, a2) = ((x[0] - middle).length(), (x[1] - middle).length(), (x[2] - middle).length());
    let reach = a0.larger(a1).larger(a2) * L::splat(1.0 + 1e-5);
    let (value, normal, steep) = shape.graded(middle);
    let bound = shape.least(value, reach);
    let nothing = TangentPlane { heights: [L::set(f32::NEG_INFINITY); 3], gradient: V3::zero() };
    let pair = CutPair { cuts: [nothing; 2], share: one, bound, weights };
    let mut known = FreeBounds { bound, value, weights, pair };
    // What is known of a lane must not depend on its neighbours: each goes on for as long as it is not free.
    let mut goes_on = bound.lt(level);
    if !goes_on.any() {
        return known;
    }
    let mut bend = Bend { falls: L::zero(), curved: V3::zero() };
    if !shape.convex() {
        bend = shape.about(middle, reach);
        goes_on = goes_on & bend.falls.lt(L::splat(UNKNOWN));
    }
    let mut gradient = normal * steep;
    let mut cut = TangentPlane { heights: heights(&x, middle, (value, gradient), &bend), gradient };
    let mut highest = cut;
    // How fast the gradient turns, at most, between the middle and a corner.
    let mut curved = L::splat(FLAT) / longest;
    for k in 0..3 {
        let (value, normal, steep) = shape.graded(x[k]);
        let at_corner =
            TangentPlane { heights: heights(&x, x[k], (value, normal * steep), &bend), gradient: normal * steep };
        highest = TangentPlane::select(at_corner.lowest().gt(highest.lowest()), at_corner, highest);
        let arm = x[k] - middle;
        curved = curved.larger((normal * steep - gradient).dot(arm) / arm.length_squared());
    }
    known.bound = L::select(goes_on, bound.larger(highest.lowest()), bound);
    // Where it would be nothing if it turned so everywhere, the cut is the highest.
    let mut at = middle;
    for _ in 0..ROUNDS {
        goes_on = goes_on & known.bound.lt(level);
        if !goes_on.any() {
            return known;
        }
        let aim = at - gradient * (one / curved);
        let from_aim = [x[0] - aim, x[1] - aim, x[2] - aim];
        let found = closest(from_aim);
        at = aim + weighted(from_aim, found);
        let (value, normal, steep) = shape.graded(at);
        gradient = normal * steep;
        let last = cut;
        cut = TangentPlane { heights: heights(&x, at, (value, gradient), &bend), gradient };
        highest = TangentPlane::select(last.lowest().gt(highest.lowest()), last, highest);
        known.find(goes_on, value, found);
        known.bound = L::select(goes_on, known.bound.larger(cut.lowest()), known.bound);
    }
    // And where two cuts say that it may be lowest. Of lanes that ended before, nothing is told: neighbours decide
    // whether they come here.
    let (nothing, came) = (known.pair, goes_on);
    let mut pair = CutPair::new(highest, cut);
    for _ in 0..PAIRS {
        known.bound = L::select(goes_on, known.bound.larger(pair.bound), known.bound);
        goes_on = goes_on
            & known.bound.lt(level)
            & (known.value - known.bound).gt(L::select(known.value.lt(level), rough, near));
        if !goes_on.any() {
            break;
        }
        let at = weighted(x, pair.weights);
        let (value, normal, steep) = shape.graded(at);
        let gradient = normal * steep;
        known.find(goes_on, value, pair.weights);
        let cut = TangentPlane { heights: heights(&x, at, (value, gradient), &bend), gradient };
        pair = CutPair::select(goes_on, pair.with(cut), pair);
    }
    known.pair = CutPair::select(came, pair, nothing);
    known.bound = known.bound.larger(L::select(goes_on, pair.bound, known.bound));
    known
}

impl<L: Lanes> FreeBounds<L> {
    #[inline(always)]
    fn find(&mut self, goes_on: L::Mask, value: L, weights: [L; 3]) {
        let lower = goes_on & value.lt(self.value);
        self.value = L::select(lower, value, self.value);
        for (known, weight) in self.weights.iter_mut().zip(weights) {
            *known = L::select(lower, weight, *known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::sampled::{Random, balls, sampled, triangle};
    use crate::contact::{Form, SdfGrid, Torus};

    #[test]
    fn parts_are_the_triangle() {
        for (k, turn) in TURNS.into_iter().enumerate() {
            let middle = [0, 1, 2].map(|c| MIDDLES[c][k]);
            // A quarter's corners lie thirds and sixths of it from its middle, on points that are whole quarters.
            for corner in 0..3 {
                let at = [0, 1, 2].map(|c| 4.0 * (middle[c] + turn * 0.25 * (f32::from(c == corner) - 1.0 / 3.0)));
                assert!(at.iter().all(|w| (w - w.round()).abs() < 1e-5 && *w > -1e-5), "part {k}: {at:?}");
            }
            let others = TURNS[..k].iter().enumerate().filter(|(i, _)| [0, 1].map(|c| MIDDLES[c][*i]) == middle[..2]);
            assert_eq!(others.count(), 0, "part {k} is another, too");
        }
    }

    /// What is called free is.
    fn check<D: SignedDistance>(shape: &D, far: V3<f64>, size: f64) {
        let mut random = Random(11);
        let mut freed = [0; 2];
        let mut tried = 0;
        while tried < 600 {
            let Some(mut x) = triangle(shape, &mut random, (far, size)) else { continue };
            tried += 1;
            if tried % 2 == 0 {
                // A needle.
                x[2] = x[1] + (x[2] - x[1]) * 0.1;
            }
            let x = x.map(|x| [x.x as f32, x.y as f32, x.z as f32]);
            let least = sampled(shape, &x.map(|x| V3::set(x.map(f64::from))));
            for below in [0.0, 0.02, 0.1, 0.3, 1.0] {
                let level = (least + 2e-6 - below * size) as f32;
                let low = f64::from(level) > least + 1e-6;
                let found = parts::<f32, D>(shape, x, (level, 1e-3));
                let part = found.bound >= level;
                // Or what was found is as low as anything, but for what was asked for.
                assert!(!found.enough || part || f64::from(found.value) < least + 1.01e-3, "{} {least}", found.value);
                assert!(f64::from(found.bound) < least + 1e-6, "{} {least}", found.bound);
                let known = free_bounds::<f32, D>(shape, x.map(V3::set), level, (1e-6, 1e-6));
                let (margin, weights) = (known.bound - level, known.weights);
                assert!(!(low && (part || margin >= 0.0)), "{part}, {margin}: {level} is above {least} in {x:?}");
                assert!(weights.iter().all(|&w| w > -1e-5), "{weights:?} in {x:?}");
                freed = [freed[0] + usize::from(part), freed[1] + usize::from(margin >= 0.0)];
            }
        }
        assert!(freed.iter().all(|&freed| freed > 100), "{freed:?}");
    }

    #[test]
    fn what_is_called_free_is_free() {
        check(&Torus { ring: 0.18, tube: 0.05 }, V3::new(0.25, 0.06, 0.25), 0.04);
        let (nodes, cell) = (30, 0.02f32);
        let (pairs, low) = (balls(nodes, cell), [-0.5 * (nodes - 1) as f32 * cell; 3]);
        let bends = vec![[u16::MAX; 3]; pairs.len()];
        check(&SdfGrid::new((&pairs, &bends), [nodes; 3], low, cell, 1.9, Form::Solid), V3::new(0.2, 0.12, 0.12), 0.03);
    }
}
