//! Cells of an unbounded grid: the ball that they have to cover, and their numbers.

/// A cell's number along each axis.
pub(crate) type Cell = [i64; 3];

/// The cell of `p`, cells being `1 / inv` wide.
#[inline(always)]
pub(crate) fn cell(p: [f64; 3], inv: f64) -> Cell {
    [number(p[0] * inv), number(p[1] * inv), number(p[2] * inv)]
}

/// The cell of a point.
#[inline(always)]
pub(crate) fn cell_of(p: [f32; 3], inv: f64) -> Cell {
    cell([f64::from(p[0]), f64::from(p[1]), f64::from(p[2])], inv)
}

/// The floor of a finite number as an integer; from 2^52 on, where all are whole, the numbers are counted instead.
///
/// So it never decreases, neighbours beyond 2^52 are neighbours here too, and all of `f64` fits: 1e30 m over cells of 1
/// mm is beyond an `i64`, and a saturated number would put all far points into one cell.
#[inline(always)]
pub(crate) fn number(t: f64) -> i64 {
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    if t.abs() < WHOLE {
        let down = t as i64;
        // `floor` is a call on the x86-64 that every machine has.
        return down - i64::from(down as f64 > t);
    }
    let beyond = (t.abs().to_bits() - WHOLE.to_bits()) as i64 + (1 << 52);
    if t > 0.0 { beyond } else { -beyond }
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

/// Cells that are so much wider than the reach of a ball have whatever it reaches at most one cell further on.
///
/// Coordinates of two `f32` in the ball are at most (1 - 2^-20) cells apart, and below 2^31 cells from the origin the
/// numbers' rounding is less than the rest. Further out, two `f32` are equal or 128 cells apart.
pub(crate) const WIDER: f64 = 1.0 + 1.0 / (1 << 19) as f64;

/// At least about the number of cells from `lo` to `hi`.
pub(crate) fn volume(lo: Cell, hi: Cell) -> f64 {
    (0..3).map(|k| (hi[k] - lo[k]) as f64 + 1.0).product()
}

/// Visits the cells from `lo` to `hi`, the last axis fastest.
pub(crate) fn for_each_cell(lo: Cell, hi: Cell, mut visit: impl FnMut(Cell)) {
    for x in lo[0]..=hi[0] {
        for y in lo[1]..=hi[1] {
            for z in lo[2]..=hi[2] {
                visit([x, y, z]);
            }
        }
    }
}

/// A hash of three numbers.
#[inline(always)]
pub(crate) fn hash(numbers: [u64; 3]) -> u64 {
    let mut h = 0;
    for n in numbers {
        h = mix(h ^ n);
    }
    h
}

/// The finaliser of MurmurHash3 (Appleby 2011) after a step by the golden ratio, so that 0 does not stay 0.
#[inline(always)]
fn mix(h: u64) -> u64 {
    let mut h = h.wrapping_add(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_floors_and_count_on_where_floats_are_whole() {
        for t in [-3.0, -2.5, -1e-300, -0.0, 0.0, 0.3, 1.0, 7.9, 1e15 + 0.5, -1e15 - 0.5] {
            assert_eq!(number(t), f64::floor(t) as i64, "{t}");
        }
        for start in [2f64.powi(52) - 3.0, 2f64.powi(53) - 6.0, 1e83, -1e83, -2f64.powi(52) - 3.0] {
            let mut t = start;
            for k in 1..9 {
                let mut next = t.next_up();
                while next.floor() != next {
                    next = next.next_up();
                }
                assert_eq!(number(next), number(start) + k, "{start} {k}");
                t = next;
            }
        }
        assert!(number(f64::MAX) < i64::MAX / 2 && number(f64::MAX) == -number(f64::MIN));
    }
}
