//! Several constraints on the same points, solved at once as one small system.
//!
//! (W + diag a~) dlambda = -(C + a~ lambda), W_ab = sum_i w_i g_a,i . g_b,i, dx_i = w_i sum_a g_a,i dlambda_a Macklin
//! et al. 2016, eq. 16, of one element; all C and gradients are of the same positions, so that no one of them undoes
//! what another has done, and their order means nothing.

use crate::lanes::Lanes;
use crate::project::{AtRest, positions};
use crate::tuning::{LOST_PIVOT, MAX_CORRECTION, MIN_DENOMINATOR};
use crate::{Point, Project, Softness, V3};
use std::marker::PhantomData;

/// Values of M constraints, and the gradients of each.
pub type Values<L, const N: usize, const M: usize> = ([L; M], [[V3<L>; N]; M]);

/// `M` constraints on `N` points with `P` parameters, as in the paper that they come from.
///
/// The positions are relative to the first point, so C must not change when all points are moved alike.
pub trait CoupledConstraint<const N: usize, const P: usize, const M: usize>: 'static {
    /// As [`crate::Constraint::AT_REST`].
    const AT_REST: Option<AtRest<N, P>> = None;

    /// C(x) and dC/dx of every point, constraint after constraint. Mark it `#[inline(always)]`.
    fn eval<L: Lanes>(x: [V3<L>; N], rest: [L; P]) -> Values<L, N, M>;

    /// How soft each one is; all are as the row is unless told. Mark it `#[inline(always)]`.
    #[inline(always)]
    fn softness<L: Lanes>(row: Softness<L>, rest: &[L; P]) -> [Softness<L>; M] {
        let _ = rest;
        [row; M]
    }

    /// One number for reports, 0 at rest. Mark it `#[inline(always)]`.
    fn value<L: Lanes>(x: [V3<L>; N], rest: [L; P]) -> L;
}

/// The adapter: a block's projection.
#[derive(Clone, Copy, Debug)]
pub struct Solved<K, const N: usize>(PhantomData<K>);

impl<K, const N: usize, const P: usize, const M: usize> Project<P, M> for Solved<K, N>
where
    K: CoupledConstraint<N, P, M>,
{
    const LONG: bool = true;

    type Slots<L: Lanes> = [Point<L>; N];

    #[inline(always)]
    fn project<L: Lanes>(slots: &mut [Point<L>; N], rest: &[L; P], soft: Softness<L>, lambda: &mut [L; M]) {
        let (c, gradients) = K::eval(positions(slots), *rest);
        let soft = K::softness(soft, rest);
        // The lower half of the system, and its right side.
        let mut system = [[L::zero(); M]; M];
        let mut wanted = [L::zero(); M];
        for a in 0..M {
            for b in 0..=a {
                let mut sum = L::zero();
                for i in 0..N {
                    sum = sum + slots[i].w * gradients[a][i].dot(gradients[b][i]);
                }
                system[a][b] = sum;
            }
            (wanted[a], system[a][a]) =
                soft[a].row(soft[a].wanted(c[a], slots, &gradients[a]), system[a][a], lambda[a]);
        }
        let (delta, moves) = solve(system, wanted);
        let mut size = L::zero();
        for (i, slot) in slots.iter_mut().enumerate() {
            let mut along = gradients[0][i] * delta[0];
            for a in 1..M {
                along = along + gradients[a][i] * delta[a];
            }
            slot.dx = along * slot.w;
            size = size + ((slot.dx.x.abs() + slot.dx.y.abs()) + slot.dx.z.abs());
        }
        let sane = moves & size.lt(L::splat(MAX_CORRECTION));
        for slot in slots.iter_mut() {
            slot.dx = slot.dx.or_zero(sane);
        }
        for a in 0..M {
            lambda[a] = L::select(sane, lambda[a] + delta[a], lambda[a]);
        }
    }

    #[inline(always)]
    fn value<L: Lanes>(slots: &[Point<L>; N], rest: &[L; P]) -> L {
        K::value(positions(slots), *rest)
    }
}

/// L D L^T of a symmetric system, of which the lower half is given. A row whose pivot is lost to rounding, as where it
/// says the same as those before it, is left out. Where all are, nothing moves.
#[inline(always)]
fn solve<L: Lanes, const M: usize>(system: [[L; M]; M], wanted: [L; M]) -> ([L; M], L::Mask) {
    let mut factor = [[L::zero(); M]; M];
    let mut inverse = [L::zero(); M];
    let mut moves = L::zero().gt(L::zero());
    for a in 0..M {
        // factor[a][b] holds L_ab D_b until it is divided.
        let mut pivot = system[a][a];
        for b in 0..a {
            let mut sum = system[a][b];
            for k in 0..b {
                sum = sum - factor[a][k] * (factor[b][k] * inverse[k]);
            }
            factor[a][b] = sum;
            pivot = pivot - sum * (sum * inverse[b]);
        }
        let kept = pivot.gt(system[a][a] * L::splat(LOST_PIVOT)) & system[a][a].gt(L::splat(MIN_DENOMINATOR));
        inverse[a] = (L::splat(1.0) / pivot).or_zero(kept);
        moves = moves | kept;
    }
    // L y = wanted, then D L^T delta = y.
    let mut delta = wanted;
    for a in 0..M {
        for b in 0..a {
            delta[a] = delta[a] - factor[a][b] * (inverse[b] * delta[b]);
        }
    }
    for a in (0..M).rev() {
        let mut sum = delta[a];
        for b in a + 1..M {
            sum = sum - factor[b][a] * delta[b];
        }
        delta[a] = sum * inverse[a];
    }
    (delta, moves)
}
