//! Files of the seidel engine: meshes and scenes in, arrays and pages out.

#![forbid(unsafe_code)]

pub mod aside;
pub mod check;
mod error;
pub mod frames;
pub mod html;
pub mod mesh;
pub mod npz;
pub mod recording;
pub mod scene;
mod shape;
pub mod tets;
pub mod writers;

pub use error::Error;
