//! Three numbers a lane: points, directions, gradients.

use crate::Lanes;
use std::ops::{Add, Mul, Neg, Sub};

/// A vector of three in each lane.
#[derive(Clone, Copy, Debug)]
pub struct V3<L> {
    /// First component.
    pub x: L,
    /// Second component.
    pub y: L,
    /// Third component.
    pub z: L,
}

impl<L: Lanes> V3<L> {
    /// From components.
    #[inline(always)]
    pub fn new(x: L, y: L, z: L) -> Self {
        Self { x, y, z }
    }

    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(L::zero(), L::zero(), L::zero())
    }

    /// The same vector in every lane.
    #[inline(always)]
    pub fn set([x, y, z]: [L::Elem; 3]) -> Self {
        Self::new(L::set(x), L::set(y), L::set(z))
    }

    /// Scalar product, summed (x + y) + z.
    #[inline(always)]
    pub fn dot(self, other: Self) -> L {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// Sum of the components' sizes, (|x| + |y|) + |z|.
    #[inline(always)]
    pub fn norm_1(self) -> L {
        (self.x.abs() + self.y.abs()) + self.z.abs()
    }

    /// Square of the length.
    #[inline(always)]
    pub fn length_squared(self) -> L {
        self.dot(self)
    }

    /// Length.
    #[inline(always)]
    pub fn length(self) -> L {
        self.length_squared().sqrt()
    }

    /// Zero where the mask is false, whatever stood there.
    #[inline(always)]
    pub fn or_zero(self, mask: L::Mask) -> Self {
        Self::new(self.x.or_zero(mask), self.y.or_zero(mask), self.z.or_zero(mask))
    }

    /// `mask ? yes : no`
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self::new(L::select(mask, yes.x, no.x), L::select(mask, yes.y, no.y), L::select(mask, yes.z, no.z))
    }
}

impl<L: Lanes> Add for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl<L: Lanes> Sub for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl<L: Lanes> Neg for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl<L: Lanes> Mul<L> for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: L) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }
}

/// |x| + |y| + |z|: at least the length, and no root.
#[inline(always)]
pub(crate) fn at_most<L: Lanes>(v: V3<L>) -> L {
    (v.x.abs() + v.y.abs()) + v.z.abs()
}
