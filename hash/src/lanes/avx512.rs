//! Sixteen lanes of AVX-512F. Values of this type exist only below `enter`, which `Isa` calls where the processor has
//! it.
#![allow(unsafe_code)]

use super::{BLOCK, Job, Lanes};
use std::arch::x86_64::*;

/// Sixteen `f32`.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512);

/// Runs a job on these lanes.
///
/// # Safety
/// The processor has AVX-512F, AVX2 and POPCNT (`Isa` checks with `is_x86_feature_detected`).
#[target_feature(enable = "avx512f,avx2,popcnt")]
pub(super) unsafe fn enter<J: Job>(job: J) -> J::Output {
    job.run::<Avx512>()
}

/// An instruction on registers.
macro_rules! avx {
    ($e:expr) => {
        // SAFETY: reached only below `enter`, whose caller has checked the processor; registers only, no memory.
        unsafe { $e }
    };
}

impl Lanes for Avx512 {
    const WIDTH: usize = 16;

    #[inline(always)]
    fn set(value: f32) -> Self {
        Self(avx!(_mm512_set1_ps(value)))
    }
    #[inline(always)]
    fn load(from: &[f32; BLOCK], _: usize) -> Self {
        // SAFETY: sixteen numbers; the load asks for no alignment.
        Self(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(avx!(_mm512_add_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(avx!(_mm512_sub_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self(avx!(_mm512_mul_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        u32::from(avx!(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0)))
    }
    #[inline(always)]
    fn keep(ids: &[u32; BLOCK], _: usize, bits: u32, to: &mut [u32]) {
        let to = &mut to[..16];
        // SAFETY: sixteen numbers to read and to write. Compressed in a register and stored whole: compressing into
        // memory is a hundred times slower on Zen 4.
        unsafe {
            let ids = _mm512_loadu_si512(ids.as_ptr().cast());
            _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_maskz_compress_epi32(bits as __mmask16, ids));
        }
    }
}
