//! Lanes: a few numbers side by side, on which every kernel is written once.
//!
//! The operations are the ones whose bits agree on every machine (IEEE 754 add, subtract, multiply, divide, square
//! root, negation, comparison, selection) and nothing else: no fused multiply-add, no reciprocal, no minimum, no
//! horizontal sum.

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

#[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
mod avx512;
mod isa;
mod kernel;
mod pair;
mod portable;
mod scalar;

pub use isa::Dispatch;
pub(crate) use isa::Everywhere;
pub use kernel::Kernel;
pub(crate) use pair::Pair;
pub use pair::Spread;
pub use seidel_workers::{Isa, IsaError};

/// A number that lanes are made of: `f32`, or `f64` for checks of gradients.
pub trait Element:
    Copy + Debug + Default + PartialOrd + bytemuck::Pod + Send + Sync + From<f32> + Into<f64> + 'static
{
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
}

impl Element for f32 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Element for f64 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
}

/// Result of a comparison, one truth value a lane.
pub trait Mask: Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Number of lanes.
    const LANES: usize;

    /// True if any lane is.
    fn any(self) -> bool;
    /// True if every lane is.
    fn all(self) -> bool;
    /// Number of lanes that are.
    fn count(self) -> u32;
    /// Bit i is that of lane i; of at most 32 lanes.
    fn bits(self) -> u32;
}

/// `WIDTH` numbers side by side. Sealed: the lane types are this crate's, so that no other can bring other bits.
pub trait Lanes:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + sealed::Sealed
    + 'static
{
    /// What a lane holds.
    type Elem: Element + Add<Output = Self::Elem>;
    /// What a comparison gives.
    type Mask: Mask;
    /// The lanes of one register, where these are two: for what needs the registers for more.
    type One: Lanes<Elem = Self::Elem>;
    /// Number of lanes: 1, 8 or 16; of one register also 4.
    const WIDTH: usize;

    /// The same number in every lane.
    fn set(value: Self::Elem) -> Self;

    /// The same constant in every lane, rounded to the lane's type.
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::set(Self::Elem::from_f64(value))
    }

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }

    /// Absolute value.
    fn abs(self) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Largest whole number not above.
    fn floor(self) -> Self;

    /// `self < other`; false if one is NaN, as in all comparisons here.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`
    fn le(self, other: Self) -> Self::Mask;
    /// `self > other`
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }
    /// `self >= other`
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }
    /// `self == other`
    fn equals(self, other: Self) -> Self::Mask;

    /// Neither infinite nor NaN: x - x is 0 only then.
    #[inline(always)]
    #[allow(clippy::eq_op)]
    fn finite(self) -> Self::Mask {
        (self - self).equals(Self::zero())
    }

    /// `mask ? yes : no`, lane by lane; NaN in the lane not taken does no harm.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// `mask ? self : 0`
    fn or_zero(self, mask: Self::Mask) -> Self;

    /// `other < self ? other : self`: the one stated minimum (a NaN in `other` is passed over).
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        Self::select(other.lt(self), other, self)
    }

    /// `self < other ? other : self`: the one stated maximum (a NaN in `other` is passed over).
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Self::select(self.lt(other), other, self)
    }

    /// Reads `WIDTH` numbers.
    ///
    /// # Safety
    /// `from` is valid for reading `WIDTH` numbers; it need not be aligned beyond the number's own alignment.
    unsafe fn load(from: *const Self::Elem) -> Self;

    /// Writes `WIDTH` numbers.
    ///
    /// # Safety
    /// `to` is valid for writing `WIDTH` numbers; it need not be aligned beyond the number's own alignment.
    unsafe fn store(self, to: *mut Self::Elem);

    /// Turns `WIDTH` rows of four numbers, as [`Lanes::load_rows`] lays them out, into their four columns, and back.
    ///
    /// Register k holds in its 128-bit part j the row k + 4 j; within each part the four registers are transposed.
    fn transpose(rows: [Self; 4]) -> [Self; 4];

    /// Reads the rows of four numbers that begin at `base[at[0]], ..., base[at[WIDTH - 1]]`, counted in pairs of
    /// numbers: what an instruction can make an address of.
    ///
    /// # Safety
    /// `at` is valid for reading `WIDTH` indices and `base` for reading the row of each.
    unsafe fn load_rows(base: *const [Self::Elem; 2], at: *const u32) -> [Self; 4];

    /// Adds to the rows that begin there.
    ///
    /// # Safety
    /// As for [`Lanes::load_rows`], for writing; nobody else reads or writes these rows meanwhile.
    unsafe fn add_rows(rows: [Self; 4], base: *mut [Self::Elem; 2], at: *const u32);

    /// Reads `WIDTH` rows that follow one another. Their order among the lanes is another than that of
    /// [`Lanes::load_rows`]; it is the same for every array read this way, and [`Lanes::store_lines`] undoes it.
    ///
    /// # Safety
    /// `from` is valid for reading `WIDTH` rows.
    #[inline(always)]
    unsafe fn load_lines(from: *const [Self::Elem; 4]) -> [Self; 4] {
        let from = from.cast::<Self::Elem>();
        let mut rows = [Self::zero(); 4];
        for (k, row) in rows.iter_mut().enumerate() {
            // SAFETY: the caller's rows are 4 * WIDTH numbers; register k takes the k-th quarter.
            *row = unsafe { Self::load(from.add(k * Self::WIDTH)) };
        }
        rows
    }

    /// Writes what [`Lanes::load_lines`] read.
    ///
    /// # Safety
    /// `to` is valid for writing `WIDTH` rows.
    #[inline(always)]
    unsafe fn store_lines(rows: [Self; 4], to: *mut [Self::Elem; 4]) {
        let to = to.cast::<Self::Elem>();
        for (k, row) in rows.into_iter().enumerate() {
            // SAFETY: the caller's rows are 4 * WIDTH numbers; register k is the k-th quarter.
            unsafe { row.store(to.add(k * Self::WIDTH)) };
        }
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
