//! Numbers that look like chance, and are the same on every machine.

/// How far apart keys of one stream are.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number within 0 .. 1: of the same key the same. `SplitMix64` (Steele, Lea, Flood 2014) yields those of a seed and
/// each [`STEP`] behind it.
pub(crate) fn uniform(key: u64) -> f64 {
    let mut z = key.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}
