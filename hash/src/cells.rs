//! Cells of an unbounded grid: numbering, walking, hashing, and the ball test that they have to cover.

/// A cell's number along each axis: a whole `f64`, never -0.
///
/// Not `i64`: 1e30 m over cells of 1 mm is beyond it, and a saturated number would put all far points in one cell.
pub(crate) type Cell = [f64; 3];

/// The cell of `p`, cells being `1 / inv` wide. Monotone in each coordinate, which is all that a query relies on.
pub(crate) fn cell(p: [f64; 3], inv: f64) -> Cell {
    // + 0.0 turns -0 to 0: equal numbers must have equal bits.
    p.map(|x| (x * inv).floor() + 0.0)
}

/// The first and last cell of a ball's box.
pub(crate) fn span(p: [f32; 3], reach: f64, inv: f64) -> (Cell, Cell) {
    let p = p.map(f64::from);
    (cell(p.map(|x| x - reach), inv), cell(p.map(|x| x + reach), inv))
}

/// Whether `q` lies in the closed ball, in `f32` as the crate's front page states it.
pub(crate) fn inside(p: [f32; 3], q: [f32; 3], radius: f32) -> bool {
    let [dx, dy, dz] = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    (dx * dx + dy * dy) + dz * dz <= radius * radius
}

/// How far apart, along one axis, two points can be that `inside` accepts; `radius` >= 0.
pub(crate) fn reach(radius: f32) -> f64 {
    if (radius * radius).is_infinite() {
        // Then every distance passes; this is more than any difference of two f32.
        return 1.0e39;
    }
    // Seven roundings of 6e-8 each.
    f64::from(radius) * (1.0 + 1.0e-6) + VANISHES
}

/// More than the differences whose squares vanish, being below half the least subnormal, 1.4e-45.
pub(crate) const VANISHES: f64 = 1.0e-22;

/// At least the number of cells from `lo` to `hi`; above 2^53, where whole `f64`s are more than 1 apart, more.
pub(crate) fn volume(lo: Cell, hi: Cell) -> f64 {
    (0..3).map(|k| hi[k] - lo[k] + 1.0).product()
}

/// Visits the cells from `lo` to `hi`, the last axis fastest.
pub(crate) fn for_each_cell(lo: Cell, hi: Cell, mut visit: impl FnMut(Cell)) {
    let mut x = lo[0];
    while x <= hi[0] {
        let mut y = lo[1];
        while y <= hi[1] {
            let mut z = lo[2];
            while z <= hi[2] {
                visit([x, y, z]);
                z = next(z);
            }
            y = next(y);
        }
        x = next(x);
    }
}

/// The next whole number that an `f64` can hold.
fn next(n: f64) -> f64 {
    let (one, ulp) = (n + 1.0, n.next_up());
    // Beyond 2^53, n + 1 may be n again: the walk would not end.
    (if one > ulp { one } else { ulp }) + 0.0
}

/// The bucket of a cell in a table of `mask + 1` buckets, a power of two.
pub(crate) fn bucket(cell: Cell, mask: usize) -> usize {
    let mut h = 0;
    for c in cell {
        h = mix(h ^ c.to_bits());
    }
    h as usize & mask
}

/// The finaliser of MurmurHash3 (Appleby 2011) after a step by the golden ratio, so that 0 does not stay 0.
fn mix(h: u64) -> u64 {
    let mut h = h.wrapping_add(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_reach_their_end() {
        for start in [-3.0, -1.0, 0.0, 2f64.powi(53), -2f64.powi(53) - 4.0, 1e83] {
            let mut end = start;
            for _ in 0..4 {
                end = next(end);
            }
            let mut seen = Vec::new();
            for_each_cell([start, 0.0, 0.0], [end, 0.0, 0.0], |c| seen.push(c[0]));
            assert_eq!(seen.len(), 5);
            assert!(seen.iter().all(|c| c.floor() == *c));
            assert!(volume([start, 0.0, 0.0], [end, 0.0, 0.0]) >= 5.0);
        }
    }

    #[test]
    fn no_cell_is_minus_zero() {
        assert_eq!(cell([-0.0; 3], 1.0)[0].to_bits(), 0);
        assert_eq!(next(-1.0).to_bits(), 0);
    }
}
