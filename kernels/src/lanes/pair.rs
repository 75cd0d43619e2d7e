//! Two registers as one: twice the lanes, and two chains of dependent instructions where there was one.
//!
//! A constraint is a long chain (root, division, arc tangent, division); a processor waits for most of it, and looks
//! too few instructions ahead to begin the next constraints by itself. With every operation on two registers it has two
//! chains to go on with. AVX2, grid of 100 x 100: distance 1.50 and 1.22 ns, dihedral 6.1 and 5.2; SSE2 2.78 and 2.63,
//! 15.0 and 12.1. What is gathered by index has its next constraints in registers already, and takes one (`Lanes::One`;
//! AVX2 2.5 ns, with two 3.6).

use super::{Lanes, Mask};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// The first half of the lanes, and the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<L>(L, L);

impl<L: Lanes> super::sealed::Sealed for Pair<L> {}

/// Truth values of the two halves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairMask<M>(M, M);

macro_rules! binary {
    ($($op:ident $method:ident),*) => {$(
        impl<L: Lanes> $op for Pair<L> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self($op::$method(self.0, other.0), $op::$method(self.1, other.1))
            }
        }
    )*};
}
binary!(Add add, Sub sub, Mul mul, Div div);

macro_rules! logic {
    ($($op:ident $method:ident),*) => {$(
        impl<M: Mask> $op for PairMask<M> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self($op::$method(self.0, other.0), $op::$method(self.1, other.1))
            }
        }
    )*};
}
logic!(BitAnd bitand, BitOr bitor);

impl<L: Lanes> Neg for Pair<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<M: Mask> Not for PairMask<M> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0, !self.1)
    }
}

impl<M: Mask> Mask for PairMask<M> {
    const LANES: usize = 2 * M::LANES;

    #[inline(always)]
    fn any(self) -> bool {
        (self.0 | self.1).any()
    }
    #[inline(always)]
    fn all(self) -> bool {
        (self.0 & self.1).all()
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.0.count() + self.1.count()
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        let (low, high) = (self.0.bits(), self.1.bits());
        low | high << M::LANES
    }
}

impl<L: Lanes> Lanes for Pair<L> {
    type Elem = L::Elem;
    type Mask = PairMask<L::Mask>;
    type One = L::One;
    const WIDTH: usize = 2 * L::WIDTH;

    #[inline(always)]
    fn set(value: L::Elem) -> Self {
        Self(L::set(value), L::set(value))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(self.0.floor(), self.1.floor())
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        PairMask(self.0.lt(other.0), self.1.lt(other.1))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        PairMask(self.0.le(other.0), self.1.le(other.1))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self::Mask {
        PairMask(self.0.equals(other.0), self.1.equals(other.1))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(L::select(mask.0, yes.0, no.0), L::select(mask.1, yes.1, no.1))
    }
    #[inline(always)]
    fn or_zero(self, mask: Self::Mask) -> Self {
        Self(self.0.or_zero(mask.0), self.1.or_zero(mask.1))
    }
    #[inline(always)]
    unsafe fn load(from: *const L::Elem) -> Self {
        // SAFETY: as the caller promises, as many numbers as both halves have lanes.
        unsafe { Self(L::load(from), L::load(from.add(L::WIDTH))) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut L::Elem) {
        // SAFETY: the caller promises room for as many numbers as both halves have lanes.
        unsafe {
            self.0.store(to);
            self.1.store(to.add(L::WIDTH));
        }
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let [a0, b0, c0, d0] = L::transpose([a.0, b.0, c.0, d.0]);
        let [a1, b1, c1, d1] = L::transpose([a.1, b.1, c.1, d.1]);
        [Self(a0, a1), Self(b0, b1), Self(c0, c1), Self(d0, d1)]
    }
    #[inline(always)]
    unsafe fn load_rows(base: *const [L::Elem; 2], at: *const u32) -> [Self; 4] {
        // SAFETY: as the caller promises, as many indices as both halves have lanes.
        let ([a0, b0, c0, d0], [a1, b1, c1, d1]) =
            unsafe { (L::load_rows(base, at), L::load_rows(base, at.add(L::WIDTH))) };
        [Self(a0, a1), Self(b0, b1), Self(c0, c1), Self(d0, d1)]
    }
    #[inline(always)]
    unsafe fn add_rows([a, b, c, d]: [Self; 4], base: *mut [L::Elem; 2], at: *const u32) {
        // SAFETY: the caller promises as many indices as both halves have lanes, of rows that nobody else uses.
        unsafe {
            L::add_rows([a.0, b.0, c.0, d.0], base, at);
            L::add_rows([a.1, b.1, c.1, d.1], base, at.add(L::WIDTH));
        }
    }
}

/// Lanes that are read from `B` places and written to them, as many from each, in order.
pub trait Spread<const B: usize>: Lanes {
    /// Reads them.
    ///
    /// # Safety
    /// Every place is valid for reading `WIDTH / B` numbers.
    unsafe fn gather(from: [*const Self::Elem; B]) -> Self;

    /// Writes them.
    ///
    /// # Safety
    /// Every place is valid for writing `WIDTH / B` numbers.
    unsafe fn scatter(self, to: [*mut Self::Elem; B]);
}

impl<L: Lanes> Spread<1> for L {
    #[inline(always)]
    unsafe fn gather([from]: [*const L::Elem; 1]) -> Self {
        // SAFETY: the caller promises that every place holds `WIDTH / B` numbers.
        unsafe { L::load(from) }
    }
    #[inline(always)]
    unsafe fn scatter(self, [to]: [*mut L::Elem; 1]) {
        // SAFETY: the caller promises that every place holds `WIDTH / B` numbers.
        unsafe { self.store(to) }
    }
}

impl<L: Lanes> Spread<2> for Pair<L> {
    #[inline(always)]
    unsafe fn gather([first, second]: [*const L::Elem; 2]) -> Self {
        // SAFETY: the caller promises that every place holds `WIDTH / B` numbers.
        unsafe { Self(L::load(first), L::load(second)) }
    }
    #[inline(always)]
    unsafe fn scatter(self, [first, second]: [*mut L::Elem; 2]) {
        // SAFETY: the caller promises that every place holds `WIDTH / B` numbers.
        unsafe {
            self.0.store(first);
            self.1.store(second);
        }
    }
}
