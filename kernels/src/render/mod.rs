//! What a picture needs of a simulated mesh: vertex normals, and a render mesh that follows.
//!
//! [`Normals`] and [`Skin`] are made once for a mesh. A frame is two calls each: `read` copies the mesh's positions
//! into the form that lanes load, `write` makes any range of the output, so that threads may share it in slices that do
//! not meet. Neither allocates. What is written depends on no range, lane type or thread.

mod access;
mod fan;
mod groups;
mod normals;
mod skin;

pub use fan::Missing;
pub use normals::Normals;
pub use skin::{Bond, Skin};

/// Three numbers a vertex, metres or a direction: the form of a mesh in memory.
pub type Vertex = [f32; 3];
