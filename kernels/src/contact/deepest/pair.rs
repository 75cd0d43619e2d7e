//! Two cuts over a triangle: how high the lowest point above both is, and where.
//!
//! ```text
//!  a \     / b     Above both cuts nothing is lower than the least over the corners of s a + (1 - s) b, for any share s. That is a concave
//!     \   /        function of s, made of three lines: it is highest where two of them cross, or at an end. The lowest point lies on the
//!      \./         edge between these two corners, where a = b.
//! ```
use crate::V3;
use crate::lanes::Lanes;

/// A tangent plane: its heights at the corners, and the gradient.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct TangentPlane<L> {
    pub(in crate::contact) heights: [L; 3],
    pub(in crate::contact) gradient: V3<L>,
}

impl<L: Lanes> TangentPlane<L> {
    #[inline(always)]
    pub(in crate::contact) fn lowest(&self) -> L {
        self.heights[0].smaller(self.heights[1]).smaller(self.heights[2])
    }

    #[inline(always)]
    pub(in crate::contact) fn select(mask: L::Mask, a: TangentPlane<L>, b: TangentPlane<L>) -> TangentPlane<L> {
        let [a0, a1, a2] = a.heights;
        let [b0, b1, b2] = b.heights;
        TangentPlane {
            heights: [L::select(mask, a0, b0), L::select(mask, a1, b1), L::select(mask, a2, b2)],
            gradient: V3::select(mask, a.gradient, b.gradient),
        }
    }
}

/// Two cuts, and what they tell.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct CutPair<L> {
    pub(in crate::contact) cuts: [TangentPlane<L>; 2],
    /// The share of the first.
    pub(in crate::contact) share: L,
    /// Nothing above both is lower.
    pub(in crate::contact) bound: L,
    /// Where that is.
    pub(in crate::contact) weights: [L; 3],
}

impl<L: Lanes> CutPair<L> {
    #[inline(always)]
    pub(in crate::contact) fn new(a: TangentPlane<L>, b: TangentPlane<L>) -> CutPair<L> {
        let (zero, one) = (L::zero(), L::splat(1.0));
        let (ha, hb) = (a.heights, b.heights);
        let over = [ha[0] - hb[0], ha[1] - hb[1], ha[2] - hb[2]];
        let (la, lb) = (a.lowest(), b.lowest());
        let first = la.gt(lb);
        let mut pair = CutPair { cuts: [a, b], share: one.or_zero(first), bound: la.larger(lb), weights: [zero; 3] };
        // One alone: its lowest corner.
        let mut taken = zero.lt(zero);
        for k in 0..3 {
            let lowest = L::select(first, ha[k] - la, hb[k] - lb).le(zero) & !taken;
            pair.weights[k] = one.or_zero(lowest);
            taken = taken | lowest;
        }
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let inv = one / (over[i] - over[j]);
            let share = (hb[j] - hb[i]) * inv;
            let on_i = -over[j] * inv;
            let (h0, h1, h2) = (hb[0] + share * over[0], hb[1] + share * over[1], hb[2] + share * over[2]);
            let height = h0.smaller(h1).smaller(h2);
            let better = share.ge(zero) & share.le(one) & on_i.ge(zero) & on_i.le(one) & height.gt(pair.bound);
            pair.share = L::select(better, share, pair.share);
            pair.bound = L::select(better, height, pair.bound);
            let k = 3 - i - j;
            pair.weights[i] = L::select(better, on_i, pair.weights[i]);
            pair.weights[j] = L::select(better, one - on_i, pair.weights[j]);
            pair.weights[k] = L::select(better, zero, pair.weights[k]);
        }
        pair
    }

    /// Of these cuts and a third the two that tell the most.
    #[inline(always)]
    pub(in crate::contact) fn with(self, cut: TangentPlane<L>) -> CutPair<L> {
        CutPair::higher(CutPair::higher(self, CutPair::new(self.cuts[0], cut)), CutPair::new(self.cuts[1], cut))
    }

    #[inline(always)]
    fn higher(a: CutPair<L>, b: CutPair<L>) -> CutPair<L> {
        CutPair::select(b.bound.gt(a.bound), b, a)
    }

    #[inline(always)]
    pub(in crate::contact) fn select(mask: L::Mask, b: CutPair<L>, a: CutPair<L>) -> CutPair<L> {
        let ([a0, a1, a2], [b0, b1, b2]) = (a.weights, b.weights);
        CutPair {
            cuts: [TangentPlane::select(mask, b.cuts[0], a.cuts[0]), TangentPlane::select(mask, b.cuts[1], a.cuts[1])],
            share: L::select(mask, b.share, a.share),
            bound: L::select(mask, b.bound, a.bound),
            weights: [L::select(mask, b0, a0), L::select(mask, b1, a1), L::select(mask, b2, a2)],
        }
    }

    /// The gradient in which both are in balance.
    #[inline(always)]
    pub(in crate::contact) fn gradient(&self) -> V3<L> {
        self.cuts[1].gradient + (self.cuts[0].gradient - self.cuts[1].gradient) * self.share
    }
}
