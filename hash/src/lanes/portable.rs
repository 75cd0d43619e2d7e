//! Four lanes of what the target always has.

use super::{BLOCK, Lanes};
use wide::f32x4;

impl Lanes for f32x4 {
    const WIDTH: usize = 4;

    #[inline(always)]
    fn set(value: f32) -> f32x4 {
        f32x4::splat(value)
    }
    #[inline(always)]
    fn load(from: &[f32; BLOCK], part: usize) -> f32x4 {
        let from = &from[4 * part..][..4];
        f32x4::new([from[0], from[1], from[2], from[3]])
    }
    #[inline(always)]
    fn plus(self, other: f32x4) -> f32x4 {
        self + other
    }
    #[inline(always)]
    fn minus(self, other: f32x4) -> f32x4 {
        self - other
    }
    #[inline(always)]
    fn times(self, other: f32x4) -> f32x4 {
        self * other
    }
    #[inline(always)]
    fn le(self, other: f32x4) -> u32 {
        self.simd_le(other).to_bitmask()
    }
    #[inline(always)]
    fn keep(ids: &[u32; BLOCK], part: usize, bits: u32, to: &mut [u32]) {
        let (ids, to) = (&ids[4 * part..][..4], &mut to[..4]);
        // Without a branch on what is near, which no processor foretells.
        let mut at = 0;
        for (k, &id) in ids.iter().enumerate() {
            to[at & 3] = id;
            at += (bits >> k & 1) as usize;
        }
    }
}
