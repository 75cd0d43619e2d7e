//! Sixteen lanes of AVX-512 (F and DQ). Values of this type exist only below `enter`, which `Isa` calls where the
//! processor has both.

use super::{Kernel, Lanes, Mask};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Sixteen `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(__m512);

impl super::sealed::Sealed for Avx512 {}

/// Sixteen truth values, one bit each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512Mask(__mmask16);

/// Runs a kernel on these lanes.
///
/// # Safety
/// The processor has AVX-512F and AVX-512DQ (`Isa` checks with `is_x86_feature_detected`).
#[target_feature(enable = "avx512f,avx512dq")]
pub(crate) unsafe fn enter<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
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
        impl $op for Avx512 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(avx!($instruction(self.0, other.0)))
            }
        }
    )*};
}
binary!(Add add _mm512_add_ps, Sub sub _mm512_sub_ps, Mul mul _mm512_mul_ps, Div div _mm512_div_ps);

impl Neg for Avx512 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(avx!(_mm512_xor_ps(self.0, _mm512_set1_ps(-0.0))))
    }
}

impl BitAnd for Avx512Mask {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Avx512Mask {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for Avx512Mask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Mask for Avx512Mask {
    const LANES: usize = 16;

    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.0 == 0xffff
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.0.count_ones()
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(self.0)
    }
}

impl Lanes for Avx512 {
    type Elem = f32;
    type Mask = Avx512Mask;
    type One = Self;
    const WIDTH: usize = 16;

    #[inline(always)]
    fn set(value: f32) -> Self {
        Self(avx!(_mm512_set1_ps(value)))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(avx!(_mm512_andnot_ps(_mm512_set1_ps(-0.0), self.0)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(avx!(_mm512_sqrt_ps(self.0)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(avx!(_mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(self.0)))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Avx512Mask {
        Avx512Mask(avx!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Avx512Mask {
        Avx512Mask(avx!(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Avx512Mask {
        Avx512Mask(avx!(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn select(mask: Avx512Mask, yes: Self, no: Self) -> Self {
        Self(avx!(_mm512_mask_blend_ps(mask.0, no.0, yes.0)))
    }
    #[inline(always)]
    fn or_zero(self, mask: Avx512Mask) -> Self {
        Self(avx!(_mm512_maskz_mov_ps(mask.0, self.0)))
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller promises sixteen numbers; the load asks for no alignment.
        Self(unsafe { _mm512_loadu_ps(from) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller promises room for sixteen numbers; the store asks for no alignment.
        unsafe { _mm512_storeu_ps(to, self.0) }
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let ab_low = avx!(_mm512_unpacklo_ps(a.0, b.0)); // a0 b0 a1 b1
        let ab_high = avx!(_mm512_unpackhi_ps(a.0, b.0)); // a2 b2 a3 b3
        let cd_low = avx!(_mm512_unpacklo_ps(c.0, d.0));
        let cd_high = avx!(_mm512_unpackhi_ps(c.0, d.0));
        [
            Self(avx!(_mm512_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low))),
            Self(avx!(_mm512_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low))),
            Self(avx!(_mm512_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high))),
            Self(avx!(_mm512_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high))),
        ]
    }
    #[inline(always)]
    unsafe fn load_rows(base: *const [f32; 2], at: *const u32) -> [Self; 4] {
        let mut rows = [Self::zero(); 4];
        for (k, row) in rows.iter_mut().enumerate() {
            // SAFETY: the caller promises sixteen indices and their rows; unaligned loads.
            *row = unsafe {
                let part = |j: usize| _mm_loadu_ps(base.add(at.add(k + 4 * j).read() as usize).cast());
                let low = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(part(0)), part(1));
                let high = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(part(2)), part(3));
                Self(_mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high))
            };
        }
        rows
    }
    #[inline(always)]
    unsafe fn add_rows(rows: [Self; 4], base: *mut [f32; 2], at: *const u32) {
        for (k, row) in rows.into_iter().enumerate() {
            // SAFETY: the caller promises sixteen indices and their rows; unaligned loads and stores.
            unsafe {
                let add = |j: usize, part: __m128| {
                    let to = base.add(at.add(k + 4 * j).read() as usize).cast::<f32>();
                    _mm_storeu_ps(to, _mm_add_ps(_mm_loadu_ps(to), part));
                };
                add(0, _mm512_castps512_ps128(row.0));
                add(1, _mm512_extractf32x4_ps::<1>(row.0));
                add(2, _mm512_extractf32x4_ps::<2>(row.0));
                add(3, _mm512_extractf32x4_ps::<3>(row.0));
            }
        }
    }
}
