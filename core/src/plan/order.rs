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

/// Points in `parts` parts of neighbours, part i those from `n i / parts` on: cut across the longest side again and
/// again. Inside a part the points keep their order.
pub(crate) fn by_halves(points: &[[f32; 3]], parts: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut open = vec![(0, parts.max(1))];
    let end = |part: usize| points.len() * part / parts.max(1);
    while let Some((first, last)) = open.pop() {
        let slice = &mut order[end(first)..end(last)];
        if last - first < 2 || slice.len() < 2 {
            slice.sort_unstable();
            continue;
        }
        let extent = |k: usize| {
            let of = slice.iter().map(|&i| points[i as usize][k]);
            of.clone().fold(f32::NEG_INFINITY, f32::max) - of.fold(f32::INFINITY, f32::min)
        };
        let axis = (1..3).fold(0, |axis, k| if extent(k) > extent(axis) { k } else { axis });
        let middle = first + (last - first) / 2;
        let at = end(middle) - end(first);
        if at < slice.len() {
            let key = |i: &u32| points[*i as usize][axis];
            slice.select_nth_unstable_by(at, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        }
        open.extend([(first, middle), (middle, last)]);
    }
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
