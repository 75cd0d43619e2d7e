//! Files of the seidel engine: meshes and scenes in, arrays and pages out.

mod aside;
pub mod check;
mod error;
pub mod frames;
pub mod html;
pub mod mesh;
pub mod npz;
mod shape;
pub mod writers;

pub use error::Error;
