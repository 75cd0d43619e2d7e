//! Between papers and solver: a constraint as its paper writes it, and its projection, PBD's and XPBD's, written once
//! for all.

use crate::lanes::Lanes;
use crate::tuning::{MAX_CORRECTION, MIN_DENOMINATOR};
use crate::{Point, Quat, Slots, V3};
use std::marker::PhantomData;

/// Value and gradients of one constraint, in f64.
pub type Reference = (f64, Vec<[f64; 3]>);

/// Parameters of a row from the positions in which it is at rest.
pub type AtRest<const N: usize, const P: usize> = fn([V3<f64>; N]) -> [f64; P];

/// A constraint on `N` points with `P` parameters: its value and gradients, as in the paper that it comes from.
///
/// The positions are relative to the first point, so C must not change when all points are moved alike.
pub trait Constraint<const N: usize, const P: usize>: 'static {
    /// The parameters of a row that is at rest in these positions (metres, in f64), where they are something else than
    /// one number to subtract: coefficients, a rest shape. Not finite where the positions give none. Where it is `None`
    /// the first parameter is a rest value: C of the positions with 0 in its place.
    const AT_REST: Option<AtRest<N, P>> = None;

    /// As [`Project::LONG`]. Worth it from some fifty operations on.
    const LONG: bool = false;

    /// C(x) and dC/dx of every point. Mark it `#[inline(always)]`.
    fn eval<L: Lanes>(x: [V3<L>; N], rest: [L; P]) -> (L, [V3<L>; N]);
}

/// What a driver runs: slots in registers, `P` parameters, `M` multipliers.
pub trait Project<const P: usize, const M: usize>: 'static {
    /// The slots: how many particles.
    type Slots<L: Lanes>: Slots<L>;

    /// Long code is compiled once a lane type, however its particles are reached, which costs less than it takes; short
    /// code for each way.
    const LONG: bool = false;

    /// Puts into the slots the corrections that solve the constraint. Mark it `#[inline(always)]`.
    fn project<L: Lanes>(slots: &mut Self::Slots<L>, rest: &[L; P], soft: Softness<L>, lambda: &mut [L; M]);

    /// C(x), for reports and for rest values.
    fn value<L: Lanes>(slots: &Self::Slots<L>, rest: &[L; P]) -> L;
}

/// What a projection with frames tells beside: for rest values and checks, in f64.
pub trait Framed<const P: usize, const M: usize>: Project<P, M> {
    /// The parameters of a row that is at rest with these points (metres) and frames, as [`Constraint::AT_REST`]; soft
    /// ones are any.
    fn at_rest(points: &[V3<f64>], frames: &[Quat<f64>]) -> [f64; P];

    /// Value and gradients of each constraint: with respect to the points, then to rotation vectors of the frames in
    /// the world.
    fn references(points: &[V3<f64>], frames: &[Quat<f64>], rest: [f64; P]) -> [Reference; M];
}

/// How stiff a constraint is, in PBD's form and XPBD's at once: the projection divides by W + `a` and multiplies by
/// `k`.
#[derive(Clone, Copy, Debug)]
pub struct Softness<L> {
    /// XPBD: compliance / h^2 (Macklin, Müller, Chentanez 2016, eq. 17); PBD: 0.
    pub a: L,
    /// XPBD: 1; PBD: k' = 1 - (1 - k)^(1 / iterations) (Müller et al. 2007, section 3.3).
    pub k: L,
    /// XPBD: 1 / h^2; PBD: 0.
    pub inv_h2: L,
    /// Whether a sweep over rates is solved: it projects grad C . u = 0 in place of C = 0 (`Motion::rates`).
    /// In a sweep over positions [`Point::du`] is zero.
    pub rates: bool,
    /// Whether a sweep over rates damps only what a substep does not resolve: see [`Softness::denominator`].
    pub unresolved: bool,
}

impl<L: Lanes> Softness<L> {
    /// From a row's number: a compliance if `inv_h2 > 0` (XPBD), otherwise PBD's k'. For a sweep over positions.
    #[inline(always)]
    pub fn new(number: L, inv_h2: L) -> Self {
        let xpbd = inv_h2.gt(L::zero());
        let k = L::select(xpbd, L::splat(1.0), number);
        Self { a: number * inv_h2, k, inv_h2, rates: false, unresolved: false }
    }

    /// The same for a sweep over rates, if `rates`, of what is unresolved only, if `unresolved`.
    #[inline(always)]
    pub fn of_rates(self, rates: bool, unresolved: bool) -> Self {
        Self { rates, unresolved, ..self }
    }

    /// The same with another number.
    #[inline(always)]
    pub fn with(self, number: L) -> Self {
        Self::new(number, self.inv_h2).of_rates(self.rates, self.unresolved)
    }

    /// `mask ? yes : no`
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self { a: L::select(mask, yes.a, no.a), k: L::select(mask, yes.k, no.k), ..yes }
    }

    /// The value that the sweep brings to zero: C, or in a sweep over rates grad C . u, by how much C changes in a
    /// substep.
    #[inline(always)]
    pub fn wanted<const N: usize>(self, c: L, slots: &[Point<L>; N], gradients: &[V3<L>; N]) -> L {
        if !self.rates {
            return c;
        }
        let mut rate = L::zero();
        for (slot, g) in slots.iter().zip(gradients) {
            rate = rate + g.dot(slot.du);
        }
        rate
    }

    /// W + a, by which the projection divides.
    ///
    /// Of what a substep does not resolve: W + a + a^2 / W. With z = W / a, which is (omega h)^2 of a constraint by
    /// itself, a rate then falls by the share z^2 / (1 + z + z^2): all of it where the constraint is too stiff for the
    /// substep, (omega h)^4 where it is not. Such damping is of third order in h.
    #[inline(always)]
    pub fn denominator(self, weighted: L) -> L {
        if self.unresolved {
            return weighted + (self.a + self.a * self.a / weighted);
        }
        weighted + self.a
    }

    /// The change of the multiplier (XPBD, eq. 18; times k in PBD), and where anything can move.
    #[inline(always)]
    pub fn delta_lambda(self, c: L, weighted: L, lambda: L) -> (L, L::Mask) {
        (-((c + self.a * lambda) * self.k) / self.denominator(weighted), weighted.gt(L::splat(MIN_DENOMINATOR)))
    }

    /// The same as a row of a system: its right side, and its diagonal from W. What else stands in the row is W's.
    #[inline(always)]
    pub fn row(self, c: L, weighted: L, lambda: L) -> (L, L) {
        (-((c + self.a * lambda) * self.k), self.denominator(weighted))
    }
}

/// The adapter: every constraint is projected by it, whether PBD or XPBD, equality or bound.
///
/// dlambda = (-C - a lambda) / (sum w |grad C|^2 + a), dx = w grad C dlambda; in PBD a = 0 and dx is scaled by k'.
/// (Müller et al. 2007, eq. 9 and 15; Macklin et al. 2016, eq. 17 and 18.) The multiplier is kept over the iterations.
#[derive(Clone, Copy, Debug)]
pub struct Projected<K, B, const N: usize>(PhantomData<(K, B)>);

/// Which sign of the multiplier a constraint may have.
pub trait Bound: 'static {
    /// What is left of a new multiplier.
    fn clamp<L: Lanes>(lambda: L) -> L;
    /// Where C is to be corrected, and rates are damped.
    fn acts<L: Lanes>(c: L) -> L::Mask;
    /// Whether C may stand as it is.
    fn holds(c: f64) -> bool;
}

/// C = 0.
#[derive(Clone, Copy, Debug)]
pub struct Equality;

/// C <= 0: pulls when C is positive, never pushes.
#[derive(Clone, Copy, Debug)]
pub struct AtMost;

/// C >= 0: pushes when C is negative, never pulls.
#[derive(Clone, Copy, Debug)]
pub struct AtLeast;

impl Bound for Equality {
    #[inline(always)]
    fn clamp<L: Lanes>(lambda: L) -> L {
        lambda
    }
    #[inline(always)]
    fn acts<L: Lanes>(c: L) -> L::Mask {
        c.equals(c)
    }
    fn holds(c: f64) -> bool {
        c == 0.0
    }
}

impl Bound for AtMost {
    #[inline(always)]
    fn clamp<L: Lanes>(lambda: L) -> L {
        lambda.smaller(L::zero())
    }
    #[inline(always)]
    fn acts<L: Lanes>(c: L) -> L::Mask {
        c.gt(L::zero())
    }
    fn holds(c: f64) -> bool {
        c <= 0.0
    }
}

impl Bound for AtLeast {
    #[inline(always)]
    fn clamp<L: Lanes>(lambda: L) -> L {
        lambda.larger(L::zero())
    }
    #[inline(always)]
    fn acts<L: Lanes>(c: L) -> L::Mask {
        c.lt(L::zero())
    }
    fn holds(c: f64) -> bool {
        c >= 0.0
    }
}

/// Where the slots' particles are, p = x + u.
#[inline(always)]
#[must_use]
pub fn positions<L: Lanes, const N: usize>(slots: &[Point<L>; N]) -> [V3<L>; N] {
    let mut x = [V3::zero(); N];
    for (x, slot) in x.iter_mut().zip(slots) {
        *x = slot.x;
    }
    x
}

/// Moves the slots along their gradients by a multiplier's change; nothing where that is not a finite, sane length.
#[inline(always)]
pub(crate) fn apply<L: Lanes, const N: usize>(
    slots: &mut [Point<L>; N],
    gradients: [V3<L>; N],
    delta: L,
    moves: L::Mask,
) -> L::Mask {
    // The write is masked, not the factor: 0 * NaN would be NaN.
    let mut size = L::zero();
    for (slot, g) in slots.iter_mut().zip(gradients) {
        slot.dx = g * (slot.w * delta);
        size = size + ((slot.dx.x.abs() + slot.dx.y.abs()) + slot.dx.z.abs());
    }
    let sane = moves & size.lt(L::splat(MAX_CORRECTION));
    for slot in slots.iter_mut() {
        slot.dx = slot.dx.or_zero(sane);
    }
    sane
}

impl<K, B, const N: usize, const P: usize> Project<P, 1> for Projected<K, B, N>
where
    K: Constraint<N, P>,
    B: Bound,
{
    const LONG: bool = K::LONG;

    type Slots<L: Lanes> = [Point<L>; N];

    #[inline(always)]
    fn project<L: Lanes>(slots: &mut [Point<L>; N], rest: &[L; P], soft: Softness<L>, lambda: &mut [L; 1]) {
        let (c, gradients) = K::eval(positions(slots), *rest);
        let mut weighted = L::zero();
        for (slot, g) in slots.iter().zip(&gradients) {
            weighted = weighted + slot.w * g.length_squared();
        }
        let (delta, moves) = soft.delta_lambda(soft.wanted(c, slots, &gradients), weighted, lambda[0]);
        if soft.rates {
            // A bound that holds is slack: it has no force, and damps nothing.
            let _ = apply(slots, gradients, delta, moves & B::acts(c));
            return;
        }
        let after = B::clamp(lambda[0] + delta);
        let sane = apply(slots, gradients, after - lambda[0], moves);
        lambda[0] = L::select(sane, after, lambda[0]);
    }

    #[inline(always)]
    fn value<L: Lanes>(slots: &[Point<L>; N], rest: &[L; P]) -> L {
        K::eval(positions(slots), *rest).0
    }
}
