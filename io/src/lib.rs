//! Files of the seidel engine: meshes and scenes in, arrays and pages out.

mod aside;
mod error;
pub mod frames;
pub mod npz;
mod shape;

pub use error::Error;
