//! Three columns a lane: deformation gradients and their like.

use crate::V3;
use crate::lanes::Lanes;

/// A matrix of three columns.
#[derive(Clone, Copy, Debug)]
pub struct M3<L>(pub [V3<L>; 3]);

impl<L: Lanes> M3<L> {
    /// Cofactors: J F^-T, defined where J = det F is zero or negative too. Columns f1 x f2, f2 x f0, f0 x f1.
    #[inline(always)]
    pub fn cofactors(self) -> M3<L> {
        let [a, b, c] = self.0;
        M3([b.cross(c), c.cross(a), a.cross(b)])
    }

    /// Sum of products of all entries: the scalar product of two matrices.
    #[inline(always)]
    pub fn dot(self, other: M3<L>) -> L {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        (a.dot(d) + b.dot(e)) + c.dot(f)
    }

    /// Every entry times a number.
    #[inline(always)]
    pub fn scaled(self, factor: L) -> M3<L> {
        let [a, b, c] = self.0;
        M3([a * factor, b * factor, c * factor])
    }

    /// Entry by entry.
    #[inline(always)]
    pub fn plus(self, other: M3<L>) -> M3<L> {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        M3([a + d, b + e, c + f])
    }

    /// Entry by entry.
    #[inline(always)]
    pub fn minus(self, other: M3<L>) -> M3<L> {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        M3([a - d, b - e, c - f])
    }

    /// The matrix times a vector.
    #[inline(always)]
    pub fn times(self, v: V3<L>) -> V3<L> {
        let [a, b, c] = self.0;
        (a * v.x + b * v.y) + c * v.z
    }

    /// The matrix times a symmetric one.
    #[inline(always)]
    pub fn times_symmetric(self, s: Symmetric<L>) -> M3<L> {
        let [a, b, c] = self.0;
        M3([(a * s.xx + b * s.xy) + c * s.xz, (a * s.xy + b * s.yy) + c * s.yz, (a * s.xz + b * s.yz) + c * s.zz])
    }
}

/// A symmetric matrix of three by three.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Symmetric<L> {
    pub xx: L,
    pub yy: L,
    pub zz: L,
    pub xy: L,
    pub yz: L,
    pub xz: L,
}

impl<L: Lanes> Symmetric<L> {
    /// Sum of the diagonal.
    #[inline(always)]
    pub fn trace(self) -> L {
        (self.xx + self.yy) + self.zz
    }

    /// Sum of the squares of all nine entries: the trace of the square.
    #[inline(always)]
    pub fn square(self) -> L {
        let off = (self.xy * self.xy + self.yz * self.yz) + self.xz * self.xz;
        ((self.xx * self.xx + self.yy * self.yy) + self.zz * self.zz) + (off + off)
    }

    /// Determinant.
    #[inline(always)]
    pub fn determinant(self) -> L {
        let a = self.xx * (self.yy * self.zz - self.yz * self.yz);
        let b = self.xy * (self.xy * self.zz - self.yz * self.xz);
        let c = self.xz * (self.xy * self.yz - self.yy * self.xz);
        (a - b) + c
    }

    /// Every entry times a number, and another added to the diagonal.
    #[inline(always)]
    pub fn scaled_plus(self, factor: L, diagonal: L) -> Symmetric<L> {
        Symmetric {
            xx: self.xx * factor + diagonal,
            yy: self.yy * factor + diagonal,
            zz: self.zz * factor + diagonal,
            xy: self.xy * factor,
            yz: self.yz * factor,
            xz: self.xz * factor,
        }
    }
}
