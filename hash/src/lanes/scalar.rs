//! One lane.

use super::{BLOCK, Lanes};

impl Lanes for f32 {
    const WIDTH: usize = 1;

    #[inline(always)]
    fn set(value: f32) -> f32 {
        value
    }
    #[inline(always)]
    fn load(from: &[f32; BLOCK], part: usize) -> f32 {
        from[part]
    }
    #[inline(always)]
    fn plus(self, other: f32) -> f32 {
        self + other
    }
    #[inline(always)]
    fn minus(self, other: f32) -> f32 {
        self - other
    }
    #[inline(always)]
    fn times(self, other: f32) -> f32 {
        self * other
    }
    #[inline(always)]
    fn le(self, other: f32) -> u32 {
        u32::from(self <= other)
    }
    #[inline(always)]
    fn keep(ids: &[u32; BLOCK], part: usize, _: u32, to: &mut [u32]) {
        // Written in any case: whether it counts, the caller knows.
        to[0] = ids[part];
    }
}
