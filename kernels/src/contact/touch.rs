//! How a sphere about the origin touches a triangle on a straight way.
//!
//! ```text
//!        2          q = b0 x0 + b1 x1 + b2 x2: the point of the triangle that is closest to the centre
//!       / \         C = |q| - reach,  n = q / |q|,  dC/dx_k = b_k n
//!      / q \        A centre that has passed through the triangle (its side of the plane has changed, and it crossed
//!     0 --- 1       inside) is pushed back: q where it crossed, n to the side where it was.
//! ```
//! Closest point by Voronoi regions: Ericson 2005, "Real-Time Collision Detection", section 5.1.5, without branches.

use crate::V3;
use crate::contact::sphere::outward;
use crate::lanes::{Lanes, Mask};
use crate::tuning::{BISECTIONS, EDGE_SLACK, MIN_AREA, NEEDLE, NEEDLE_F64, WAYS};

/// In a region the weights of the second and third corner are these.
#[inline(always)]
fn region<L: Lanes>(st: &mut (L, L), inside: L::Mask, s: L, t: L) {
    *st = (L::select(inside, s, st.0), L::select(inside, t, st.1));
}

/// Weights of the point of triangle x that is closest to the origin.
#[inline(always)]
pub(super) fn closest<L: Lanes>([x0, x1, x2]: [V3<L>; 3]) -> [L; 3] {
    let (zero, one) = (L::zero(), L::splat(1.0));
    let (e1, e2) = (x1 - x0, x2 - x0);
    let (d1, d2) = (-e1.dot(x0), -e2.dot(x0));
    let (d3, d4) = (-e1.dot(x1), -e2.dot(x1));
    let (d5, d6) = (-e1.dot(x2), -e2.dot(x2));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let area = one / ((va + vb) + vc);
    let mut st = (vb * area, vc * area);
    // The regions in rising priority: edges, then vertices.
    let (p, q) = (d4 - d3, d5 - d6);
    let along = p / (p + q);
    // Corners that are one have no edge between them: squares of the edges' lengths.
    let (l12, l02, l01) = (p + q, d2 - d6, d1 - d3);
    region(&mut st, va.le(zero) & p.ge(zero) & q.ge(zero) & l12.gt(zero), one - along, along);
    region(&mut st, vb.le(zero) & d2.ge(zero) & d6.le(zero) & l02.gt(zero), zero, d2 / l02);
    region(&mut st, d6.ge(zero) & d5.le(d6), zero, one);
    region(&mut st, vc.le(zero) & d1.ge(zero) & d3.le(zero) & l01.gt(zero), d1 / l01, zero);
    region(&mut st, d3.ge(zero) & d4.le(d3), one, zero);
    region(&mut st, d1.le(zero) & d2.le(zero), zero, zero);
    let longest = l01.larger(l02).larger(l12);
    let threshold = if size_of::<L::Elem>() == size_of::<f64>() { NEEDLE_F64 } else { NEEDLE };
    let needle = ((va + vb) + vc).le(longest * longest * L::splat(threshold));
    if needle.any() {
        let of_needle = on_needle([x0, x1, x2], st, [(d1, l01), (d2, l02), (p, l12)]);
        st = (L::select(needle, of_needle.0, st.0), L::select(needle, of_needle.1, st.1));
    }
    let (s, t) = st;
    [(one - s) - t, s, t]
}

/// Weights of the second and third corner of a triangle whose corners lie in a line but for rounding. The sides that
/// the origin lies on are no longer known, so regions are wrong by up to the longest edge: the nearest of all edges'
/// points counts, and of what the regions say if that is nearer. `edges` has the ways to the foot of the origin on
/// edges 01, 02 and 12, times their lengths, and the squares of these.
#[inline(always)]
fn on_needle<L: Lanes>(x: [V3<L>; 3], regions: (L, L), edges: [(L, L); 3]) -> (L, L) {
    let (zero, one) = (L::zero(), L::splat(1.0));
    let [a, b, c] = [foot(edges[0]), foot(edges[1]), foot(edges[2])];
    // A weight that is no number is zero; all are those of a point of the triangle.
    let s = regions.0.or_zero(regions.0.ge(zero)).smaller(one);
    let t = regions.1.or_zero(regions.1.ge(zero)).smaller(one - s);
    let mut best = [s, t];
    let mut least = weighted(x, [(one - s) - t, s, t]).length_squared();
    for &[s, t] in &[[a, zero], [zero, b], [one - c, c]] {
        let square = weighted(x, [(one - s) - t, s, t]).length_squared();
        let nearer = square.lt(least);
        best = [L::select(nearer, s, best[0]), L::select(nearer, t, best[1])];
        least = least.smaller(square);
    }
    (best[0], best[1])
}

/// A way along an edge times its length, over the square of its length, within the edge; 0 where it has none.
#[inline(always)]
fn foot<L: Lanes>((way, square): (L, L)) -> L {
    (way / square).or_zero(square.gt(L::zero())).larger(L::zero()).smaller(L::splat(1.0))
}

/// sum b_k x_k
#[inline(always)]
pub(super) fn weighted<L: Lanes>(x: [V3<L>; 3], weights: [L; 3]) -> V3<L> {
    x[0] * weights[0] + x[1] * weights[1] + x[2] * weights[2]
}

/// Whether the triangle at `b` may be closer than `reach` to the centre, and whether the centre may have passed through
/// it or beside it to the other side, on a way of its corners of at most `way`. Never false by rounding.
///
/// The closest point q is a corner, or below or beside one that is nearest to it: |q|^2 >= min |b_k|^2 - (longest
/// edge)^2 / 3.
#[inline(always)]
pub(super) fn near<L: Lanes>(b: [V3<L>; 3], way: L, reach: L) -> (L::Mask, L::Mask) {
    let (e0, e1, e2) = (b[1] - b[0], b[2] - b[0], b[2] - b[1]);
    let longest = e0.length_squared().larger(e1.length_squared()).larger(e2.length_squared());
    let from_b0 = b[0].length_squared();
    let nearest = from_b0.smaller(b[1].length_squared()).smaller(b[2].length_squared());
    let far = (reach * reach + longest * L::splat(1.0 / 3.0)) * L::splat(1.000_02);
    // The centre was as near as the longest way, and the closest point may have turned by a right angle only where it
    // is some ways near: closer than (longest edge) + 16 ways, whose square is at most twice the squares' sum.
    let ways = way * L::splat(WAYS);
    // A lane without a row has no reach: it is no number.
    let through = from_b0.le((longest + ways * ways) * L::splat(2.000_04)) & reach.ge(L::zero());
    (nearest.le(far) | through, through)
}

/// A triangle's normal, not of unit length.
#[inline(always)]
fn normal<L: Lanes>(x: [V3<L>; 3]) -> V3<L> {
    (x[1] - x[0]).cross(x[2] - x[0])
}

/// A triangle on its way from `a` to `b`.
#[inline(always)]
fn between<L: Lanes>(a: [V3<L>; 3], b: [V3<L>; 3], f: L) -> [V3<L>; 3] {
    [a[0] + (b[0] - a[0]) * f, a[1] + (b[1] - a[1]) * f, a[2] + (b[2] - a[2]) * f]
}

/// Where the centre went through the triangle between start `a` and end `b`: mask, weights, unit normal to the old
/// side.
#[inline(always)]
fn crossing<L: Lanes>(a: [V3<L>; 3], b: [V3<L>; 3]) -> Option<(L::Mask, [L; 3], V3<L>)> {
    let (zero, one, slack) = (L::zero(), L::splat(1.0), L::splat(-EDGE_SLACK));
    let (na, nb) = (normal(a), normal(b));
    let (side_a, side_b) = (a[0].dot(na), b[0].dot(nb));
    let swapped = (side_a.gt(zero) & side_b.lt(zero)) | (side_a.lt(zero) & side_b.gt(zero));
    // Nearly always so: the rest is for spheres smaller than a triangle, or fast.
    if !swapped.any() {
        return None;
    }
    let limit = L::splat(MIN_AREA * MIN_AREA);
    let shaped = na.length_squared().gt(limit) & nb.length_squared().gt(limit);
    // When it was in the plane: the side is a cubic of the time, whose root lies between.
    let (mut before, mut after) = (zero, one);
    for _ in 0..BISECTIONS {
        let f = (before + after) * L::splat(0.5);
        let m = between(a, b, f);
        let same = (m[0].dot(normal(m)) * side_a).gt(zero);
        (before, after) = (L::select(same, f, before), L::select(same, after, f));
    }
    let m = between(a, b, after);
    let nm = normal(m);
    let inv = one / nm.length_squared();
    let b0 = m[1].cross(m[2]).dot(nm) * inv;
    let b1 = m[2].cross(m[0]).dot(nm) * inv;
    let b2 = (one - b0) - b1;
    // Two triangles round off to different sides of their edge.
    let inside = b0.ge(slack) & b1.ge(slack) & b2.ge(slack);
    let n = nb * (one / nb.length());
    let n = V3::select(side_a.lt(zero), -n, n);
    Some((shaped & swapped & inside, [b0, b1, b2], n))
}

/// The contact of a path with a ball of radius `reach`.
pub(super) struct BallContact<L> {
    pub(super) weights: [L; 3],
    /// Where these are at the path's end.
    pub(super) point: V3<L>,
    pub(super) n: V3<L>,
    pub(super) c: L,
    /// Weights of the point that was closest at the path's start, if any lane is too close at its end and it matters.
    pub(super) before: Option<[L; 3]>,
}

impl<L: Lanes<Elem = f32>> BallContact<L> {
    #[inline(always)]
    pub(super) fn of(a: [V3<L>; 3], b: [V3<L>; 3], reach: L, through: L::Mask, leaving: bool) -> BallContact<L> {
        let zero = L::zero();
        let mut weights = closest(b);
        let mut point = weighted(b, weights);
        let len = point.length();
        let mut n = outward(point, len);
        let mut c = len - reach;
        // Nearly never so: for spheres smaller than a triangle, or fast.
        let crossed = if through.any() { crossing(a, b) } else { None };
        if let Some((crossed, at, back)) = crossed {
            let crossed = crossed & through;
            for k in 0..3 {
                weights[k] = L::select(crossed, at[k], weights[k]);
            }
            point = weighted(b, weights);
            n = V3::select(crossed, back, n);
            c = L::select(crossed, point.dot(n) - reach, c);
        }
        let deep = c.lt(zero);
        if !((deep & through).any() || leaving && deep.any()) {
            return BallContact { weights, point, n, c, before: None };
        }
        // The centre may also have passed beside the triangle and be behind it now: back to the side it was on.
        let before = closest(a);
        let start = weighted(a, before);
        let turned = deep & through & start.dot(point).lt(zero) & start.dot(n).lt(zero);
        for k in 0..3 {
            weights[k] = L::select(turned, before[k], weights[k]);
        }
        point = weighted(b, weights);
        n = V3::select(turned, outward(start, start.length()), n);
        c = L::select(turned, point.dot(n) - reach, c);
        BallContact { weights, point, n, c, before: Some(before) }
    }
}
