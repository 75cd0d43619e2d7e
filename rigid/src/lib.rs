//! Rigid bodies: what they weigh, how they turn, where two of them touch, and the rows of their contacts and joints.
//!
//! ```text
//!  shapes --mass--> mass, centre, principal axes          planned once, f64
//!  two shapes --manifold--> normal, up to four points     once a step, f32, in the frame of the first
//!  rows of contacts and joints --sweeps--> velocities     every substep, in lanes
//!  velocities --motion--> poses                           every substep, f64
//! ```
//!
//! Contacts are soft rows whose impulses are kept from step to step, with sweeps without bias after the positions
//! (Catto, "Soft Contact", box2d 3; docs/decisions/rigid-contacts.md has what else was tried). This crate is a leaf:
//! slices in, slices out; it knows no scene and no thread.

mod body;
mod bounds;
pub mod cast;
pub mod contact;
pub mod joint;
pub mod manifold;
mod mass;
pub mod motion;
mod packed;
mod polyhedron;
mod shape;
mod softness;
mod solid;
pub mod surface;
mod triangles;
pub mod tuning;
mod vector;

pub use body::BodyRow;
pub use mass::MassProperties;
pub use shape::{Polyhedron, Shape};
pub use softness::Softness;
