//! The order of particles inside the engine: neighbours in space are neighbours in memory.

/// Internal order of a body's vertices: `order[i]` is the mesh's number of particle i.
///
/// Along a Z-order curve (Morton 1966) through the rest positions, 2^21 cells a side; ties stay in the mesh's order.
pub(crate) fn z_order(positions: &[[f32; 3]]) -> Vec<u32> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in positions {
        for k in 0..3 {
            low[k] = low[k].min(f64::from(p[k]));
            high[k] = high[k].max(f64::from(p[k]));
        }
    }
    let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let scale = if size > 0.0 { f64::from((1u32 << 21) - 1) / size } else { 0.0 };
    let code = |p: &[f32; 3]| (0..3).fold(0, |code, k| code | spread(((f64::from(p[k]) - low[k]) * scale) as u64) << k);
    let codes: Vec<u64> = positions.iter().map(code).collect();
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_by_key(|&v| (codes[v as usize], v));
    order
}

/// 21 bits, two zeros after each.
fn spread(mut v: u64) -> u64 {
    v &= 0x1f_ffff;
    v = (v | v << 32) & 0x1f_0000_0000_ffff;
    v = (v | v << 16) & 0x1f_0000_ff00_00ff;
    v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
    v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
    (v | v << 2) & 0x1249_2492_4924_9249
}
