//! Bodies on fixed surfaces of triangles.
//!
//! A triangle has contacts along its own normal, and along others only where an edge or corner of it sticks out there:
//! where no neighbour of the corner that is farthest along the normal is farther still. So a body that slides over a
//! level floor meets no edge between two triangles of it ("ghost collisions"; box2d's chains and Jolt's active edges do
//! alike).
//!
//! Contacts of a body are joined into patches of nearly one normal, each a manifold of four points.

mod ball;
mod patches;
#[cfg(test)]
mod tests;
mod touch;

pub use crate::triangles::Surface;
pub use patches::PATCHES;
pub use touch::{SurfacePlace, meet};
