//! One lane: `f32` and `f64` themselves. The reference that every other lane type equals bit for bit.

use super::{Lanes, Mask};

impl Mask for bool {
    const LANES: usize = 1;

    #[inline(always)]
    fn any(self) -> bool {
        self
    }
    #[inline(always)]
    fn all(self) -> bool {
        self
    }
    #[inline(always)]
    fn count(self) -> u32 {
        u32::from(self)
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(self)
    }
}

macro_rules! scalar {
    ($float:ty) => {
        impl Lanes for $float {
            type Elem = $float;
            type Mask = bool;
            type One = Self;
            const WIDTH: usize = 1;

            #[inline(always)]
            fn set(value: $float) -> Self {
                value
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$float>::abs(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$float>::sqrt(self)
            }
            #[inline(always)]
            fn floor(self) -> Self {
                <$float>::floor(self)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                self <= other
            }
            #[inline(always)]
            fn equals(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
            #[inline(always)]
            fn or_zero(self, mask: bool) -> Self {
                if mask { self } else { 0.0 }
            }
            #[inline(always)]
            unsafe fn load(from: *const $float) -> Self {
                // SAFETY: the caller promises that what is read here may be read (`Lanes`).
                unsafe { from.read() }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $float) {
                // SAFETY: the caller promises that what is written here may be written (`Lanes`).
                unsafe { to.write(self) }
            }
            #[inline(always)]
            fn transpose(rows: [Self; 4]) -> [Self; 4] {
                rows
            }
            #[inline(always)]
            unsafe fn load_rows(base: *const [$float; 2], at: *const u32) -> [Self; 4] {
                // SAFETY: the caller promises that what is read here may be read (`Lanes`).
                unsafe { base.add(at.read() as usize).cast::<[$float; 4]>().read() }
            }
            #[inline(always)]
            unsafe fn add_rows(rows: [Self; 4], base: *mut [$float; 2], at: *const u32) {
                // SAFETY: the caller promises that each index names a row that nobody else uses (`Lanes::add_rows`).
                let to = unsafe { &mut *base.add(at.read() as usize).cast::<[$float; 4]>() };
                to.iter_mut().zip(rows).for_each(|(to, number)| *to += number);
            }
        }
    };
}

scalar!(f32);
scalar!(f64);
