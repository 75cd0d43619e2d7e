//! Up to six rows at once, exactly: K x = r with K = L D L^T.
//!
//! A row that the ones before it settle already, or that moves nothing (bodies without inertia, parallel axes), has no
//! pivot: it gets 0.

use crate::tuning::PIVOT;
use seidel_kernels::Lanes;

/// A factored symmetric matrix: L below the diagonal, 1 / D.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<L> {
    pub(super) lower: [[L; 6]; 6],
    pub(super) inverse: [L; 6],
    pub(super) size: usize,
}

// Indices as in the formulas.
#[allow(clippy::needless_range_loop)]
impl<L: Lanes> Block<L> {
    /// Of the lower triangle of a matrix.
    #[inline(always)]
    pub(super) fn factored(k: &[[L; 6]; 6], size: usize) -> Block<L> {
        let zero = L::zero();
        let mut block = Block { lower: [[zero; 6]; 6], inverse: [zero; 6], size };
        for i in 0..size {
            // L_ij D_j, and with it L_ij.
            let mut scaled = [zero; 6];
            let mut pivot = k[i][i];
            for j in 0..i {
                let mut sum = k[i][j];
                for m in 0..j {
                    sum = sum - scaled[m] * block.lower[j][m];
                }
                scaled[j] = sum;
                block.lower[i][j] = sum * block.inverse[j];
                pivot = pivot - sum * block.lower[i][j];
            }
            let some = pivot.gt(L::splat(f64::from(PIVOT)) * k[i][i]);
            block.inverse[i] = (L::splat(1.0) / pivot).or_zero(some);
        }
        block
    }

    /// x, for the first `size` numbers of r.
    #[inline(always)]
    pub(super) fn solve(&self, mut x: [L; 6]) -> [L; 6] {
        for i in 0..self.size {
            for j in 0..i {
                x[i] = x[i] - self.lower[i][j] * x[j];
            }
        }
        for i in (0..self.size).rev() {
            x[i] = x[i] * self.inverse[i];
            for j in i + 1..self.size {
                x[i] = x[i] - self.lower[j][i] * x[j];
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
