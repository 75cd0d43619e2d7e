//! Measurements of a state. They change nothing.

pub(crate) mod contacts;
pub(crate) mod fluid;
mod goals;
pub(crate) mod grains;
pub(crate) mod in_rigid;
pub(crate) mod intersections;
pub(crate) mod joints;
mod measure;
pub(crate) mod normals;
mod outside;
mod overlaps;
pub(crate) mod penetration;
pub(crate) mod queries;
pub(crate) mod rigid;
mod shown;
pub(crate) mod skin;
mod stiff;
mod tangles;
mod twice;
mod unguided;

pub use measure::Measurements;
pub use tangles::Tangle;
