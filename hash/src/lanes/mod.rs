//! Lanes: a few distances at once, and the ids of those that are near written without gaps.
//!
//! Operations whose bits agree on every machine, as everywhere in this engine: no fused multiply-add.

#[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
mod avx512;
mod isa;
mod job;
mod portable;
mod scalar;

pub(crate) use isa::dispatch;
pub(crate) use job::Job;

/// Numbers in a block, on every instruction set; narrower lanes take several parts.
pub(crate) const BLOCK: usize = 16;

/// `WIDTH` numbers side by side: 1, 4, 8 or 16.
pub(crate) trait Lanes: Copy {
    /// Number of lanes.
    const WIDTH: usize;

    /// The same number in every lane.
    fn set(value: f32) -> Self;
    /// The numbers from `part * WIDTH` on.
    fn load(from: &[f32; BLOCK], part: usize) -> Self;
    /// `self + other`
    fn plus(self, other: Self) -> Self;
    /// `self - other`
    fn minus(self, other: Self) -> Self;
    /// `self * other`
    fn times(self, other: Self) -> Self;
    /// `self <= other`, bit k for lane k; false if one is NaN.
    fn le(self, other: Self) -> u32;
    /// Writes the ids from `part * WIDTH` on whose bit is set to the beginning of `to`, in order. May write `WIDTH` of
    /// them.
    fn keep(ids: &[u32; BLOCK], part: usize, bits: u32, to: &mut [u32]);
}
