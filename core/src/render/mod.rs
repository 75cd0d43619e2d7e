//! What a picture needs: vertex normals of a body, and a render mesh that follows it. Neither changes the simulation.
//!
//! Both are made once, keep their memory, and take positions in the mesh's vertex order, as [`crate::Solver::positions`]
//! and [`crate::State::read_positions`] give them. `update` does a frame. To share a frame among threads, one calls `read`,
//! then each `write` for vertices of its own; the bits do not depend on who writes what, or on the lanes.

mod bind;
mod embed;
pub(crate) mod nearest;
mod normals;
mod skin;

pub use embed::Embedding;
pub use normals::Normals;
pub use skin::Skin;

use crate::error::{Error, range};
use crate::tuning::MAX_COORDINATE;
use glam::Vec3;

/// The kernels' form of vectors.
fn plain(vectors: &[Vec3]) -> &[[f32; 3]] {
    bytemuck::cast_slice(vectors)
}

/// The kernels' form of vectors, to write.
fn plain_mut(vectors: &mut [Vec3]) -> &mut [[f32; 3]] {
    bytemuck::cast_slice_mut(vectors)
}

/// Whether positions are numbers, and as near as those of a body.
fn check_positions(of: &str, positions: &[[f32; 3]]) -> Result<(), Error> {
    for (vertex, p) in positions.iter().enumerate() {
        for &c in p {
            let what = || format!("position of vertex {vertex}");
            range(|| of.to_owned(), what, f64::from(c), c.abs() <= MAX_COORDINATE, "within +-1e6")?;
        }
    }
    Ok(())
}
