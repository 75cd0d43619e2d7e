//! Up to six rows at once, exactly: K x = r with K = L D L^T.
//!
//! A row that the ones before it settle already, or that moves nothing (bodies without inertia, parallel axes), has no
//! pivot: it gets 0.

use crate::tuning::PIVOT;

/// A factored symmetric matrix: L below the diagonal, 1 / D.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    lower: [[f32; 6]; 6],
    inverse: [f32; 6],
    size: usize,
}

impl Block {
    pub(super) const EMPTY: Block = Block { lower: [[0.0; 6]; 6], inverse: [0.0; 6], size: 0 };

    /// Of the lower triangle of a matrix.
    #[allow(clippy::needless_range_loop)] // Indices as in the formula.
    pub(super) fn factored(k: &[[f32; 6]; 6], size: usize) -> Block {
        let mut block = Block { size, ..Block::EMPTY };
        for i in 0..size {
            // L_ij D_j, and with it L_ij.
            let mut scaled = [0.0; 6];
            let mut pivot = k[i][i];
            for j in 0..i {
                let mut sum = k[i][j];
                for (x, l) in scaled.iter().zip(&block.lower[j]).take(j) {
                    sum -= x * l;
                }
                scaled[j] = sum;
                block.lower[i][j] = sum * block.inverse[j];
                pivot -= sum * block.lower[i][j];
            }
            block.inverse[i] = if pivot > PIVOT * k[i][i] { 1.0 / pivot } else { 0.0 };
        }
        block
    }

    /// x, for the first `size` numbers of r.
    pub(super) fn solve(&self, mut x: [f32; 6]) -> [f32; 6] {
        for i in 0..self.size {
            for j in 0..i {
                x[i] -= self.lower[i][j] * x[j];
            }
        }
        for i in (0..self.size).rev() {
            x[i] *= self.inverse[i];
            for j in i + 1..self.size {
                x[i] -= self.lower[j][i] * x[j];
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_leaves_rows_without_a_pivot() {
        // J J^T of six rows in five dimensions: the last is the sum of the first two.
        let mut j = [[0.0f32; 5]; 6];
        for (i, row) in j.iter_mut().enumerate() {
            for (k, x) in row.iter_mut().enumerate() {
                *x = ((i * 7 + k * 3) % 5) as f32 - 1.5 + if i == k { 4.0 } else { 0.0 };
            }
        }
        j[5] = [0, 1, 2, 3, 4].map(|k| j[0][k] + j[1][k]);
        let mut matrix = [[0.0f32; 6]; 6];
        for a in 0..6 {
            for b in 0..6 {
                matrix[a][b] = (0..5).map(|k| j[a][k] * j[b][k]).sum();
            }
        }
        let want = [1.0, -2.0, 3.0, 0.5, -1.0, 0.0];
        let mut r = [0.0; 6];
        for a in 0..6 {
            r[a] = (0..6).map(|b| matrix[a][b] * want[b]).sum();
        }
        let x = Block::factored(&matrix, 6).solve(r);
        for a in 0..6 {
            assert!((x[a] - want[a]).abs() < 1e-3, "{x:?}");
        }
        assert_eq!(Block::factored(&[[f32::NAN; 6]; 6], 6).inverse, [0.0; 6]);
        assert_eq!(Block::factored(&[[0.0; 6]; 6], 6).solve([1.0; 6]), [0.0; 6]);
    }
}
