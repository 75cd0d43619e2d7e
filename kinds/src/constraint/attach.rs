//! Attachments: keep a particle at another particle, or at a place on a triangle. Either may be of another body.
//!
//! Point:     y = x0 - x1
//! Triangle:  y = x0 - (b1 x1 + b2 x2 + b3 x3),   b1 = 1 - b2 - b3
//! C(x) = |y|,   dC/dx_i = weight_i y / |y|
//! All gradients are parallel to y, so y = 0 is solved as three linear constraints, one for each axis: each has its own
//! multiplier, all share one division, and none needs the direction y / |y|. Isometric bending does the same.
//! Müller et al. 2007, section 3.6, for attachments to fixed points. Compliance in m/N.

use seidel_kernels::tuning::{MAX_CORRECTION, MIN_DENOMINATOR, MIN_LENGTH};
use seidel_kernels::{AtRest, Constraint, Lanes, Point, Project, Softness, V3};

/// Two particles in one place.
#[derive(Clone, Copy, Debug)]
pub struct Attach;

/// A particle at a place on a triangle: [point, corner, corner, corner]. `rest = [b2, b3]`, barycentric coordinates of
/// the last two corners. A particle off the triangle's plane is drawn into it.
#[derive(Clone, Copy, Debug)]
pub struct AttachTriangle;

/// Brings y = sum weight_i x_i to zero. The weights sum to zero.
#[inline(always)]
fn project<L: Lanes, const N: usize>(
    slots: &mut [Point<L>; N],
    weights: [L; N],
    soft: Softness<L>,
    lambda: &mut [L; 3],
) {
    let (mut y, mut weighted) = (V3::zero(), L::zero());
    for (slot, weight) in slots.iter().zip(weights) {
        y = y + if soft.rates { slot.du } else { slot.x } * weight;
        weighted = weighted + slot.w * (weight * weight);
    }
    let kept = V3::new(lambda[0], lambda[1], lambda[2]);
    let pull = (y + kept * soft.a) * (soft.k / soft.denominator(weighted));
    let mut size = L::zero();
    for (slot, weight) in slots.iter_mut().zip(weights) {
        slot.dx = pull * -(slot.w * weight);
        size = size + ((slot.dx.x.abs() + slot.dx.y.abs()) + slot.dx.z.abs());
    }
    let sane = weighted.gt(L::splat(MIN_DENOMINATOR)) & size.lt(L::splat(MAX_CORRECTION));
    for slot in slots.iter_mut() {
        slot.dx = slot.dx.or_zero(sane);
    }
    let kept = V3::select(sane, kept - pull, kept);
    *lambda = [kept.x, kept.y, kept.z];
}

/// C = |y| and its gradients.
#[inline(always)]
fn eval<L: Lanes, const N: usize>(x: [V3<L>; N], weights: [L; N]) -> (L, [V3<L>; N]) {
    let mut y = V3::zero();
    for (x, weight) in x.into_iter().zip(weights) {
        y = y + x * weight;
    }
    let len = y.length();
    let n = (y * (L::splat(1.0) / len)).or_zero(len.gt(L::splat(MIN_LENGTH)));
    let mut gradients = [n; N];
    for (gradient, weight) in gradients.iter_mut().zip(weights) {
        *gradient = n * weight;
    }
    (len, gradients)
}

#[inline(always)]
fn of_point<L: Lanes>() -> [L; 2] {
    [L::splat(1.0), L::splat(-1.0)]
}

#[inline(always)]
fn of_triangle<L: Lanes>([b2, b3]: [L; 2]) -> [L; 4] {
    let one = L::splat(1.0);
    [one, (b2 + b3) - one, -b2, -b3]
}

/// Barycentric coordinates b2, b3 of the first point's foot in the triangle's plane.
fn foot([x0, x1, x2, x3]: [V3<f64>; 4]) -> [f64; 2] {
    let (a, b, p) = (x2 - x1, x3 - x1, x0 - x1);
    let n = a.cross(b);
    let nn = n.length_squared();
    [p.cross(b).dot(n) / nn, a.cross(p).dot(n) / nn]
}

impl Constraint<2, 0> for Attach {
    #[inline(always)]
    fn eval<L: Lanes>(x: [V3<L>; 2], []: [L; 0]) -> (L, [V3<L>; 2]) {
        eval(x, of_point())
    }
}

impl Project<0, 3> for Attach {
    const LONG: bool = true;

    type Slots<L: Lanes> = [Point<L>; 2];

    #[inline(always)]
    fn project<L: Lanes>(slots: &mut [Point<L>; 2], []: &[L; 0], soft: Softness<L>, lambda: &mut [L; 3]) {
        project(slots, of_point(), soft, lambda);
    }

    #[inline(always)]
    fn value<L: Lanes>(slots: &[Point<L>; 2], []: &[L; 0]) -> L {
        (slots[1].x - slots[0].x).length()
    }
}

impl Constraint<4, 2> for AttachTriangle {
    const AT_REST: Option<AtRest<4, 2>> = Some(foot);

    #[inline(always)]
    fn eval<L: Lanes>(x: [V3<L>; 4], rest: [L; 2]) -> (L, [V3<L>; 4]) {
        eval(x, of_triangle(rest))
    }
}

impl Project<2, 3> for AttachTriangle {
    const LONG: bool = true;

    type Slots<L: Lanes> = [Point<L>; 4];

    #[inline(always)]
    fn project<L: Lanes>(slots: &mut [Point<L>; 4], rest: &[L; 2], soft: Softness<L>, lambda: &mut [L; 3]) {
        project(slots, of_triangle(*rest), soft, lambda);
    }

    #[inline(always)]
    fn value<L: Lanes>(slots: &[Point<L>; 4], rest: &[L; 2]) -> L {
        let [p0, p1, p2, p3] = slots;
        eval([p0.x, p1.x, p2.x, p3.x], of_triangle(*rest)).0
    }
}
