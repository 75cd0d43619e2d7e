//! SIMD lanes and constraint kernels of the seidel position based dynamics engine.
//!
//! A constraint is written once, as its paper's equation ([`Constraint`]), and runs on every lane type with the same
//! bits ([`lanes`]). This crate is a leaf: slices in, slices out; it knows no scene; who runs which slice is the
//! caller's affair.

mod asymmetric;
pub mod average;
mod batch;
pub mod conformance;
pub mod contact;
mod coupled;
pub mod damping;
pub mod field;
pub mod fluid;
pub mod integrate;
mod kind;
pub mod lanes;
mod m3;
mod pack;
mod particles;
pub mod plasticity;
mod project;
mod quat;
pub mod render;
mod slots;
mod solve;
pub mod trig;
pub mod tuning;
mod v3;
pub mod vector;

pub use asymmetric::AsymmetricCompliance;
pub use batch::{Access, Batches, NO_ROW, PackError, Piece, RowArrays, in_sixteens};
pub use coupled::{CoupledConstraint, Solved, Values};
pub use kind::{Kind, Parameter};
pub use lanes::{Isa, Lanes};
pub use m3::{M3, Symmetric};
pub use pack::{BATCH, Chunk, Chunks, InChunks, Layout, Line, Pack, Row, Rows};
pub use particles::Particles;
pub use project::{
    AtLeast, AtMost, AtRest, Bound, Constraint, Equality, Framed, Project, Projected, Reference, Softness, positions,
};
pub use quat::Quat;
pub use seidel_workers::{Shared, claims};
pub use slots::{Place, Point, Slots, Turn, Visitor};
pub use solve::Sweep;
pub use v3::V3;
