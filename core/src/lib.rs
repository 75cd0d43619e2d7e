//! Position based dynamics: deterministic, data-oriented, SIMD.
//!
//! mesh -> [`Scene`] -> [`Plan`] -> [`step`] -> positions. What you want is cooked once; everything that moves is
//! [`State`]; a step is given an [`Input`] and returns a [`Report`]. Same plan, same state, same input: the same bits, on
//! every machine, lane width and thread count. [`Solver`] holds plan, state and working memory in one.
//!
//! # Example
//! ```
//! use seidel::{Cloth, Collider, GridPins, Input, Pose, Scene, Solver};
//! let mut scene = Scene::new();
//! let flag = scene.add(Cloth::grid([20, 20], [1.0, 1.0]).placed(Pose::at([0.0, 1.0, 0.0]), 1.0).pin_grid(GridPins::FirstRow));
//! scene.collide(Collider::sphere(0.2).at([0.0, 0.5, 0.3]));
//! let mut solver = Solver::new(&scene)?;
//! let report = solver.step(&Input::frame(1.0 / 60.0));
//! assert!(report.rejected.is_none());
//! assert_eq!(solver.positions(flag)[0], seidel::glam::Vec3::new(-0.5, 1.0, -0.5));
//! # Ok::<(), seidel::Error>(())
//! ```

mod air;
mod attach;
pub mod body;
mod collide;
pub mod collider;
mod contact;
mod error;
pub mod field;
mod filter;
mod frames;
mod input;
mod intersections;
mod join;
mod long_range;
pub use seidel_kinds as kinds;
mod many;
mod measure;
pub mod mesh;
mod obstacle;
mod pins;
mod plan;
mod pose;
mod recipe;
pub mod render;
mod report;
mod scene;
pub mod scenes;
mod scratch;
mod solver;
pub mod spec;
mod state;
mod step;
mod tether;
pub mod tets;
mod touches;
pub mod tuning;
mod workers;

pub use air::Air;
pub use attach::Attached;
pub use body::{Body, Collide, Constraints, Stiffness};
pub use collide::Counts as PairCounts;
pub use collider::Collider;
pub use error::Error;
pub use field::{Field, Pressure};
pub use filter::Filter;
pub use frames::Frame;
/// The version of glam whose vectors the API takes and gives.
pub use glam;
pub use input::Input;
pub use intersections::{Crossings, Intersections};
pub use join::Joint;
pub use many::{Crowd, step_many};
pub use measure::Measurements;
pub use mesh::Mesh;
pub use obstacle::{Frames, Track};
pub use pins::MovingPins;
#[doc(hidden)]
pub use plan::Order;
pub use plan::Plan;
pub use pose::Pose;
/// The version of rayon whose pools the API takes.
pub use rayon;
pub use recipe::{
    Balloon, BendModel, Cloth, ClothModel, Fabric, GridPins, Jelly, Obstacle, Recipe, Rod, Rope, Side, SoftShape,
    SolidModel,
};
pub use report::{Lost, Report, StageTimes};
pub use scene::{BodyId, ColliderId, Method, NonFinite, Scene, Settings};
pub use scratch::{Execution, Pool, Scratch};
pub use seidel_kernels as kernels;
pub use seidel_kernels::Isa;
pub use solver::Solver;
pub use state::State;
pub use step::step;
pub use tether::{Backstop, Tether};
pub use tets::TetMesh;
pub use touches::{Contact, Features, PairContact};

/// The README's code, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct ReadmeDoctests;
