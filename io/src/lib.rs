//! Files of the seidel engine: meshes and scenes in, arrays and pages out.

#![forbid(unsafe_code)]

pub mod aside;
pub mod check;
pub mod drawn;
mod error;
mod figures;
pub mod frames;
pub mod glb;
pub mod gltf;
pub mod html;
mod kept;
pub mod mesh;
pub mod npz;
mod parts;
pub mod pbd;
pub mod pc2;
pub mod pvd;
pub mod recording;
pub mod room;
pub mod scene;
mod shape;
mod solid;
mod source;
pub mod tets;
pub mod writers;

pub use drawn::Drawn;
pub use error::Error;
