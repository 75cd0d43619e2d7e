//! Small matrices in f64, in a fixed order, and a cube root.

/// Of the cube of the trace of Q. Flatter, Q has no inverse that f32 positions tell.
const FLAT: f64 = 1e-9;

pub(super) fn product(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| (a[i][0] * b[0][j] + a[i][1] * b[1][j]) + a[i][2] * b[2][j]))
}

pub(super) fn determinant(m: &[[f64; 3]; 3]) -> f64 {
    let minor = |i: usize, j: usize| m[1][i] * m[2][j] - m[1][j] * m[2][i];
    (m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2)) + m[0][2] * minor(0, 1)
}

/// Of a symmetric matrix; None if it is flat, beside its size.
pub(super) fn inverse(m: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let det = determinant(m);
    let trace = (m[0][0] + m[1][1]) + m[2][2];
    let thick = det > FLAT * trace * trace * trace;
    let minor = |i: usize, j: usize| {
        let ([a, b], [c, d]) = (others(i), others(j));
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    thick.then(|| std::array::from_fn(|i| std::array::from_fn(|j| minor(j, i) / det)))
}

/// The other two of three, in cyclic order: so that minors have their sign.
fn others(i: usize) -> [usize; 2] {
    [(i + 1) % 3, (i + 2) % 3]
}

/// Of a number above 0, to a rounding or two: a third of the exponent, then Halley's steps.
pub(super) fn cube_root(x: f64) -> f64 {
    let mut y = f64::from_bits(x.to_bits() / 3 + 0x2a9f_7893_0000_0000);
    for _ in 0..4 {
        let cube = y * y * y;
        y *= (cube + 2.0 * x) / (2.0 * cube + x);
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_roots() {
        for x in [0.01, 0.3, 1.0, 2.0, 8.0, 1e6, 1e-9, 7.3e20] {
            let y = cube_root(x);
            assert!((y * y * y / x - 1.0).abs() < 1e-15, "{x}: {y}");
        }
        assert_eq!((cube_root(1.0), cube_root(8.0)), (1.0, 2.0));
    }
}
