//! Eight lanes of AVX2. Values of this type exist only below `enter`, which `Isa` calls where the processor has AVX2.
#![allow(unsafe_code)]

use super::{BLOCK, Job, Lanes};
use std::arch::x86_64::*;

/// Eight `f32`.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256);

/// Runs a job on these lanes.
///
/// # Safety
/// The processor has AVX2 and POPCNT (`Isa` checks with `is_x86_feature_detected`).
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe fn enter<J: Job>(job: J) -> J::Output {
    job.run::<Avx2>()
}

/// An instruction on registers.
macro_rules! avx {
    ($e:expr) => {
        // SAFETY: reached only below `enter`, whose caller has checked the processor; registers only, no memory.
        unsafe { $e }
    };
}

/// Which lanes the set bits of a byte name, in order.
const NAMED: [[u32; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            if bits >> lane & 1 == 1 {
                all[bits][at] = lane;
                at += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    all
};

impl Lanes for Avx2 {
    const WIDTH: usize = 8;

    #[inline(always)]
    fn set(value: f32) -> Self {
        Self(avx!(_mm256_set1_ps(value)))
    }
    #[inline(always)]
    fn load(from: &[f32; BLOCK], part: usize) -> Self {
        let from = &from[8 * part..][..8];
        // SAFETY: eight numbers; the load asks for no alignment.
        Self(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(avx!(_mm256_add_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(avx!(_mm256_sub_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self(avx!(_mm256_mul_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        avx!(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0))) as u32
    }
    #[inline(always)]
    fn keep(ids: &[u32; BLOCK], part: usize, bits: u32, to: &mut [u32]) {
        let (ids, to) = (&ids[8 * part..][..8], &mut to[..8]);
        let named = &NAMED[(bits & 255) as usize];
        // SAFETY: eight numbers each to read and to write; loads and the store ask for no alignment.
        unsafe {
            let ids = _mm256_loadu_si256(ids.as_ptr().cast());
            let kept = _mm256_permutevar8x32_epi32(ids, _mm256_loadu_si256(named.as_ptr().cast()));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), kept);
        }
    }
}
