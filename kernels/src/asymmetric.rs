//! AsymmetricCompliance: a constraint that resists a positive C otherwise than a negative one, such as a cloth that
//! stretches stiffly and compresses softly.

use crate::project::positions;
use crate::{Constraint, Equality, Lanes, Point, Project, Projected, Softness};
use std::marker::PhantomData;

/// `K` with one more parameter: the compliance (PBD: stiffness) of C < 0; the row's own is that of C > 0.
#[derive(Clone, Copy, Debug)]
pub struct AsymmetricCompliance<K, const N: usize>(PhantomData<K>);

/// C and sum w |grad C|^2.
#[inline(always)]
fn value_and_weight<K: Constraint<N, 1>, L: Lanes, const N: usize>(slots: &[Point<L>; N], rest: [L; 1]) -> (L, L) {
    let (c, gradients) = K::eval(positions(slots), rest);
    let mut weighted = L::zero();
    for (slot, g) in slots.iter().zip(&gradients) {
        weighted = weighted + slot.w * g.length_squared();
    }
    (c, weighted)
}

impl<K: Constraint<N, 1>, const N: usize> Project<2, 1> for AsymmetricCompliance<K, N> {
    type Slots<L: Lanes> = [Point<L>; N];

    #[inline(always)]
    fn project<L: Lanes>(slots: &mut [Point<L>; N], rest: &[L; 2], soft: Softness<L>, lambda: &mut [L; 1]) {
        let rest_value = [rest[0]];
        let (c, weighted) = value_and_weight::<K, L, N>(slots, rest_value);
        // Which side it is on without this row's own corrections so far: else a second sweep takes the other side's
        // compliance for a multiplier that this side's has made.
        let other = soft.with(rest[1]);
        let soft = Softness::select((c - weighted * lambda[0]).lt(L::zero()), other, soft);
        <Projected<K, Equality, N> as Project<1, 1>>::project(slots, &rest_value, soft, lambda);
    }

    #[inline(always)]
    fn value<L: Lanes>(slots: &[Point<L>; N], rest: &[L; 2]) -> L {
        <Projected<K, Equality, N> as Project<1, 1>>::value(slots, &[rest[0]])
    }
}
