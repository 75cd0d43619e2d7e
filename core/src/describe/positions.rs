//! Positions as pictures give them: slices of vectors, and whether they are near enough to be anything's.

use crate::describe::error::{Error, range};
use crate::tuning::MAX_COORDINATE;
use glam::Vec3;

/// The kernels' form of vectors.
pub(crate) fn plain(vectors: &[Vec3]) -> &[[f32; 3]] {
    bytemuck::cast_slice(vectors)
}

/// The kernels' form of vectors, to write.
pub(crate) fn plain_mut(vectors: &mut [Vec3]) -> &mut [[f32; 3]] {
    bytemuck::cast_slice_mut(vectors)
}

/// Whether positions are numbers, and as near as those of a body.
pub(crate) fn check_positions(of: &str, positions: &[[f32; 3]]) -> Result<(), Error> {
    for (vertex, p) in positions.iter().enumerate() {
        for &c in p {
            let what = || format!("position of vertex {vertex}");
            range(|| of.to_owned(), what, f64::from(c), c.abs() <= MAX_COORDINATE, "within +-1e6")?;
        }
    }
    Ok(())
}
