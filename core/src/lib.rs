//! Position based dynamics: deterministic, data-oriented, SIMD.
//!
//! mesh -> [`Scene`] -> [`Plan`] -> [`step`] -> positions. What you want is cooked once; everything that moves is
//! [`State`]; a step is given an [`Input`] and returns a [`Report`]. Same plan, same state, same input: the same bits, on
//! every machine, lane width and thread count.

pub mod body;
pub mod collider;
mod contact;
mod error;
mod input;
pub mod kinds;
mod measure;
pub mod mesh;
mod plan;
mod pose;
mod recipe;
mod report;
mod scene;
pub mod scenes;
mod scratch;
mod solver;
pub mod spec;
mod state;
mod step;
pub mod tuning;
mod workers;

pub use body::{Body, Constraints, Stiffness};
pub use collider::Collider;
pub use error::Error;
pub use input::Input;
pub use measure::Measurements;
pub use mesh::Mesh;
pub use plan::Plan;
pub use pose::Pose;
pub use recipe::{Cloth, GridPins, Recipe, Rope};
pub use report::{Lost, Report, StageTimes};
pub use scene::{BodyId, ColliderId, NonFinite, Scene, Settings};
pub use scratch::{Execution, Scratch};
pub use seidel_kernels as kernels;
pub use seidel_kernels::Isa;
pub use solver::Solver;
pub use state::State;
pub use step::step;

/// The README's code, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct ReadmeDoctests;
