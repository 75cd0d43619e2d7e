//! Files of the seidel engine: meshes and scenes in, arrays and pages out.

mod error;
pub mod frames;

pub use error::Error;
