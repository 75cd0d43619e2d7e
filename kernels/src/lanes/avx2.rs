//! Eight lanes of AVX2. Values of this type exist only below `enter`, which `Isa` calls where the processor has AVX2.

use super::{Kernel, Lanes, Mask};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Eight `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(__m256);

impl super::sealed::Sealed for Avx2 {}

/// Eight truth values: all bits of a lane, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2Mask(__m256);

/// Runs a kernel on these lanes.
///
/// # Safety
/// The processor has AVX2 (`Isa` checks with `is_x86_feature_detected`).
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn enter<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<super::pair::Pair<Avx2>>()
}

/// An instruction on registers.
macro_rules! avx {
    ($e:expr) => {
        // SAFETY: reached only below `enter`, whose caller has checked the processor; registers only, no memory.
        unsafe { $e }
    };
}

macro_rules! binary {
    ($($op:ident $method:ident $instruction:ident),*) => {$(
        impl $op for Avx2 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(avx!($instruction(self.0, other.0)))
            }
        }
    )*};
}
binary!(Add add _mm256_add_ps, Sub sub _mm256_sub_ps, Mul mul _mm256_mul_ps, Div div _mm256_div_ps);

impl Neg for Avx2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(avx!(_mm256_xor_ps(self.0, _mm256_set1_ps(-0.0))))
    }
}

impl BitAnd for Avx2Mask {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(avx!(_mm256_and_ps(self.0, other.0)))
    }
}

impl BitOr for Avx2Mask {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(avx!(_mm256_or_ps(self.0, other.0)))
    }
}

impl Not for Avx2Mask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(avx!(_mm256_xor_ps(self.0, _mm256_castsi256_ps(_mm256_set1_epi32(-1)))))
    }
}

impl Mask for Avx2Mask {
    const LANES: usize = 8;

    #[inline(always)]
    fn any(self) -> bool {
        avx!(_mm256_movemask_ps(self.0)) != 0
    }
    #[inline(always)]
    fn all(self) -> bool {
        avx!(_mm256_movemask_ps(self.0)) == 0xff
    }
    #[inline(always)]
    fn count(self) -> u32 {
        avx!(_mm256_movemask_ps(self.0)).count_ones()
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        avx!(_mm256_movemask_ps(self.0)).cast_unsigned()
    }
}

impl Lanes for Avx2 {
    type Elem = f32;
    type Mask = Avx2Mask;
    type One = Self;
    const WIDTH: usize = 8;

    #[inline(always)]
    fn set(value: f32) -> Self {
        Self(avx!(_mm256_set1_ps(value)))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(avx!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(avx!(_mm256_sqrt_ps(self.0)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(avx!(_mm256_floor_ps(self.0)))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Avx2Mask {
        Avx2Mask(avx!(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Avx2Mask {
        Avx2Mask(avx!(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Avx2Mask {
        Avx2Mask(avx!(_mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn select(mask: Avx2Mask, yes: Self, no: Self) -> Self {
        Self(avx!(_mm256_blendv_ps(no.0, yes.0, mask.0)))
    }
    #[inline(always)]
    fn or_zero(self, mask: Avx2Mask) -> Self {
        Self(avx!(_mm256_and_ps(self.0, mask.0)))
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller promises eight numbers; the load asks for no alignment.
        Self(unsafe { _mm256_loadu_ps(from) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller promises room for eight numbers; the store asks for no alignment.
        unsafe { _mm256_storeu_ps(to, self.0) }
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let ab_low = avx!(_mm256_unpacklo_ps(a.0, b.0)); // a0 b0 a1 b1
        let ab_high = avx!(_mm256_unpackhi_ps(a.0, b.0)); // a2 b2 a3 b3
        let cd_low = avx!(_mm256_unpacklo_ps(c.0, d.0));
        let cd_high = avx!(_mm256_unpackhi_ps(c.0, d.0));
        [
            Self(avx!(_mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low))),
            Self(avx!(_mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low))),
            Self(avx!(_mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high))),
            Self(avx!(_mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high))),
        ]
    }
    #[inline(always)]
    unsafe fn load_rows(base: *const [f32; 2], at: *const u32) -> [Self; 4] {
        let mut rows = [Self::zero(); 4];
        for (k, row) in rows.iter_mut().enumerate() {
            // SAFETY: the caller promises eight indices and their rows; unaligned loads.
            *row = unsafe {
                let low = _mm_loadu_ps(base.add(at.add(k).read() as usize).cast());
                let high = _mm_loadu_ps(base.add(at.add(k + 4).read() as usize).cast());
                Self(_mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high))
            };
        }
        rows
    }
    #[inline(always)]
    unsafe fn add_rows(rows: [Self; 4], base: *mut [f32; 2], at: *const u32) {
        for (k, row) in rows.into_iter().enumerate() {
            // SAFETY: the caller promises eight indices and their rows; unaligned loads and stores.
            unsafe {
                let add = |j: usize, part: __m128| {
                    let to = base.add(at.add(k + 4 * j).read() as usize).cast::<f32>();
                    _mm_storeu_ps(to, _mm_add_ps(_mm_loadu_ps(to), part));
                };
                add(0, _mm256_castps256_ps128(row.0));
                add(1, _mm256_extractf128_ps::<1>(row.0));
            }
        }
    }
}
