//! Which triangles are surely free, in lanes: bounds of their distances from few points, and from sixteen parts.

use super::Solve;
use crate::contact::bends::{Bend, UNKNOWN, lower};
use crate::contact::distance::Distance;
use crate::contact::touch::{closest, weighted};
use crate::lanes::{Lanes, Mask};
use crate::{BATCH, V3};

/// How often lanes look for a lower point of those that are not yet free.
const ROUNDS: usize = 2;

/// Radians that a normal turns over a triangle's longest edge, at least, where a lower point is looked for.
const FLAT: f64 = 1e-4;

/// What the parts of a triangle tell: whether it is free, and the middle of the part that may be lowest.
pub(super) struct Parts {
    pub(super) free: bool,
    pub(super) weights: [f32; 3],
}

/// Sixteen parts of a triangle, its edges in quarters: 1 for those that lie as it does, -1 for those that are turned round.
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
    // Twelfths: of part (i, j) 4 i + 1 and 4 j + 1, of those turned round 4 i + 2 and 4 j + 2.
    let mut turned = 0;
    while turned < 2 {
        let mut i = 0;
        while i < 4 - turned {
            let mut j = 0;
            while i + j < 4 - turned {
                let (a, b) = (4 * i + 1 + turned, 4 * j + 1 + turned);
                middles[1][k] = a as f32 / 12.0;
                middles[2][k] = b as f32 / 12.0;
                middles[0][k] = (12 - a - b) as f32 / 12.0;
                k += 1;
                j += 1;
            }
            i += 1;
        }
        turned += 1;
    }
    middles
};

/// The lowest that a tangent plane comes over the corners, or what it is the plane of that bends so.
#[inline(always)]
fn lowest<L: Lanes>(x: &[V3<L>; 3], at: V3<L>, (value, gradient): (L, V3<L>), bend: Option<Bend<L>>) -> L {
    if let Some(bend) = bend {
        return lower(x, at, (value, gradient), &bend);
    }
    let (h0, h1, h2) = ((x[0] - at).dot(gradient), (x[1] - at).dot(gradient), (x[2] - at).dot(gradient));
    value + h0.smaller(h1).smaller(h2)
}

impl<D: Distance> Solve<'_, D> {
    /// Whether a triangle is surely above a level, by bounds of sixteen parts that lie like it, and of those of each that may not be.
    #[inline(always)]
    pub(super) fn parts<L: Lanes<Elem = f32>>(&self, x: [[f32; 3]; 3], level: f32) -> Parts {
        let (bounds, at, arms) = self.bounds::<L>(x);
        let mut lowest = 0;
        let mut free = true;
        for k in 0..BATCH {
            lowest = if bounds[k] < bounds[lowest] { k } else { lowest };
            // Once one is not, the others do not matter; what is no number is not.
            if free && (bounds[k] < level || bounds[k].is_nan()) {
                let corner = |arm: [f32; 3]| [0, 1, 2].map(|c| at[c][k] + arm[c] * TURNS[k]);
                let (bounds, ..) = self.bounds::<L>(arms.map(corner));
                free = bounds.iter().all(|&bound| bound >= level);
            }
        }
        Parts { free, weights: [0, 1, 2].map(|k| MIDDLES[k][lowest]) }
    }

    /// Of the sixteen parts of a triangle, what their distances are at least, their middles, and the arms from these to the corners of
    /// those that lie as it does.
    #[inline(always)]
    fn bounds<L: Lanes<Elem = f32>>(&self, x: [[f32; 3]; 3]) -> ([f32; BATCH], [[f32; BATCH]; 3], [[f32; 3]; 3]) {
        let middle = [0, 1, 2].map(|c| ((x[0][c] + x[1][c]) + x[2][c]) * (1.0 / 3.0));
        let arms = x.map(|x| [0, 1, 2].map(|c| (x[c] - middle[c]) * 0.25));
        let corners = [V3::<L>::set(x[0]), V3::set(x[1]), V3::set(x[2])];
        let to = [V3::<L>::set(arms[0]), V3::set(arms[1]), V3::set(arms[2])];
        let reach = to[0].length().larger(to[1].length()).larger(to[2].length()) * L::splat(1.0 + 1e-5);
        let (mut bounds, mut middles) = ([0.0f32; BATCH], [[0.0f32; BATCH]; 3]);
        let mut first = 0;
        while first < BATCH {
            // SAFETY: `first + WIDTH <= BATCH` numbers of sixteen.
            unsafe {
                let weights = [
                    L::load(MIDDLES[0].as_ptr().add(first)),
                    L::load(MIDDLES[1].as_ptr().add(first)),
                    L::load(MIDDLES[2].as_ptr().add(first)),
                ];
                let turn = L::load(TURNS.as_ptr().add(first));
                let at = weighted(corners, weights);
                let (value, normal, steep) = self.shape.graded(at);
                let part = [at + to[0] * turn, at + to[1] * turn, at + to[2] * turn];
                let cut = lower(&part, at, (value, normal * steep), &self.shape.about(at, reach));
                let bound = self.shape.least(value, reach).larger(cut);
                bound.store(bounds.as_mut_ptr().add(first));
                at.x.store(middles[0].as_mut_ptr().add(first));
                at.y.store(middles[1].as_mut_ptr().add(first));
                at.z.store(middles[2].as_mut_ptr().add(first));
            }
            first += L::WIDTH;
        }
        (bounds, middles, arms)
    }

    /// How far above their levels triangles surely are, at least, and the weights of a low point.
    #[inline(always)]
    pub(super) fn margin<L: Lanes<Elem = f32>>(&self, x: [V3<L>; 3], level: L) -> (L, [L; 3]) {
        let one = L::splat(1.0);
        let mut weights = [L::splat(1.0 / 3.0); 3];
        let (e1, e2, e3) = ((x[1] - x[0]).length(), (x[2] - x[0]).length(), (x[2] - x[1]).length());
        let middle = (x[0] + x[1] + x[2]) * L::splat(1.0 / 3.0);
        // Two thirds of a median is at most the longest edge over the root of three.
        let longest = e1.larger(e2).larger(e3);
        let (value, normal, steep) = self.shape.graded(middle);
        let reach = longest * L::splat(0.577_36);
        let convex = self.shape.convex();
        let bound = match convex {
            true => value - longest * L::set(self.shape.slope()) * L::splat(0.577_36),
            false => self.shape.least(value, reach),
        };
        // What is known of a lane must not depend on its neighbours: each goes on for as long as it is not free.
        let mut goes_on = bound.lt(level);
        if !goes_on.any() {
            return (bound - level, weights);
        }
        let mut bend = None;
        if !convex {
            let about = self.shape.about(middle, reach);
            goes_on = goes_on & about.falls.lt(L::splat(UNKNOWN));
            bend = Some(about);
        }
        let mut gradient = normal * steep;
        let mut cut = lowest(&x, middle, (value, gradient), bend);
        // How fast the gradient turns, at most, between the middle and a corner.
        let mut curved = L::splat(FLAT) / longest;
        for k in 0..3 {
            let (value, normal, steep) = self.shape.graded(x[k]);
            cut = cut.larger(lowest(&x, x[k], (value, normal * steep), bend));
            let arm = x[k] - middle;
            curved = curved.larger((normal * steep - gradient).dot(arm) / arm.length_squared());
        }
        let mut bound = L::select(goes_on, bound.larger(cut), bound);
        // Where it would be nothing if it turned so everywhere, the cut is the highest.
        let mut at = middle;
        for _ in 0..ROUNDS {
            goes_on = goes_on & bound.lt(level);
            if !goes_on.any() {
                break;
            }
            let aim = at - gradient * (one / curved);
            let from_aim = [x[0] - aim, x[1] - aim, x[2] - aim];
            let found = closest(from_aim);
            at = aim + weighted(from_aim, found);
            for k in 0..3 {
                weights[k] = L::select(goes_on, found[k], weights[k]);
            }
            let (value, normal, steep) = self.shape.graded(at);
            gradient = normal * steep;
            bound = L::select(goes_on, bound.larger(lowest(&x, at, (value, gradient), bend)), bound);
        }
        (bound - level, weights)
    }
}
