//! Four lanes of the crate `wide`: SSE2, NEON, simd128, or plain code, chosen when the crate is compiled.

use super::{Lanes, Mask};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};
use wide::f32x4;

/// Four `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable(f32x4);

impl super::sealed::Sealed for Portable {}

/// Four truth values: all bits of a lane, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortableMask(f32x4);

macro_rules! binary {
    ($($op:ident $method:ident),*) => {$(
        impl $op for Portable {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self($op::$method(self.0, other.0))
            }
        }
    )*};
}
binary!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Portable {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // A flipped sign bit, also of zero and NaN (0 - x would lose the sign of zero).
        Self(self.0 ^ f32x4::splat(-0.0))
    }
}

impl BitAnd for PortableMask {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for PortableMask {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for PortableMask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Mask for PortableMask {
    const LANES: usize = 4;

    #[inline(always)]
    fn any(self) -> bool {
        self.0.any()
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.0.all()
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.0.to_bitmask().count_ones()
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.to_bitmask()
    }
}

impl Lanes for Portable {
    type Elem = f32;
    type Mask = PortableMask;
    type One = Self;
    const WIDTH: usize = 4;

    #[inline(always)]
    fn set(value: f32) -> Self {
        Self(f32x4::splat(value))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(self.0.floor())
    }
    #[inline(always)]
    fn lt(self, other: Self) -> PortableMask {
        PortableMask(self.0.simd_lt(other.0))
    }
    #[inline(always)]
    fn le(self, other: Self) -> PortableMask {
        PortableMask(self.0.simd_le(other.0))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> PortableMask {
        PortableMask(self.0.simd_eq(other.0))
    }
    #[inline(always)]
    fn select(mask: PortableMask, yes: Self, no: Self) -> Self {
        Self((mask.0 & yes.0) | (!mask.0 & no.0))
    }
    #[inline(always)]
    fn or_zero(self, mask: PortableMask) -> Self {
        Self(self.0 & mask.0)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller promises four numbers; [f32; 4] asks for no more alignment than f32.
        Self(f32x4::new(unsafe { from.cast::<[f32; 4]>().read() }))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller promises room for four numbers; [f32; 4] asks for no more alignment than f32.
        unsafe { to.cast::<[f32; 4]>().write(self.0.to_array()) }
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let [x, y, z, w] = f32x4::transpose([a.0, b.0, c.0, d.0]);
        [Self(x), Self(y), Self(z), Self(w)]
    }
    #[inline(always)]
    unsafe fn load_rows(base: *const [f32; 2], at: *const u32) -> [Self; 4] {
        let mut rows = [Self::zero(); 4];
        for (k, row) in rows.iter_mut().enumerate() {
            // SAFETY: the caller promises four indices and their rows.
            *row = unsafe { Self::load(base.add(at.add(k).read() as usize).cast()) };
        }
        rows
    }
    #[inline(always)]
    unsafe fn add_rows(rows: [Self; 4], base: *mut [f32; 2], at: *const u32) {
        for (k, row) in rows.into_iter().enumerate() {
            // SAFETY: the caller promises four indices and their rows.
            unsafe {
                let to = base.add(at.add(k).read() as usize).cast();
                (Self::load(to) + row).store(to);
            }
        }
    }
}
