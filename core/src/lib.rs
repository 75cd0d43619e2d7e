//! Position based dynamics: deterministic, data-oriented, SIMD.
//!
//! mesh -> [`Scene`] -> [`Plan`] -> [`step`] -> positions. The scene is planned once; everything that moves is
//! [`State`]; a step is given an [`Input`] and returns a [`Report`]. Same plan, same state, same input: the same bits,
//! on every machine, lane width and thread count. [`Solver`] holds plan, state and working memory in one.
//!
//! # Points and rotations
//! A point, a direction, a rotation is [`glam`]'s: `Vec3` and `Quat`, or `DVec3` and `DQuat` of what is kept in f64
//! (poses, rigid bodies, paths, queries). Methods take `impl Into<Vec3>`, so three numbers in brackets will do. Angles
//! are radians. What moves is read and written as slices of `Vec3`. Meshes, and points that make a body, are
//! `Vec<[f32; 3]>`, as files and vertex buffers have them; `bytemuck::cast_slice` turns one into the other without a
//! copy. Weights, counts and sizes in two dimensions are arrays.
//!
//! # Example
//! ```
//! use seidel::{Cloth, Collider, GridPins, Input, Pose, Scene, Solver};
//! let mut scene = Scene::new();
//! let flag = scene.add(Cloth::grid([20, 20], [1.0, 1.0]).placed(Pose::at([0.0, 1.0, 0.0]), 1.0).pin_grid(GridPins::FirstRow));
//! scene.add_collider(Collider::sphere(0.2).at([0.0, 0.5, 0.3]));
//! let mut solver = Solver::new(&scene)?;
//! let report = solver.step(&Input::frame(1.0 / 60.0));
//! assert!(report.rejected.is_none());
//! assert_eq!(solver.positions(flag)[0], seidel::glam::Vec3::new(-0.5, 1.0, -0.5));
//! # Ok::<(), seidel::Error>(())
//! ```

mod describe;
mod geometry;
mod many;
mod observe;
mod plan;
mod replay;
mod run;
mod settle;
mod solver;
mod tuning;

/// Limits that others than the engine check, too: readers of files, and command lines.
pub mod limits {
    pub use crate::tuning::{
        MAX_BALL_NODES, MAX_COORDINATE, MAX_HULL_FACES, MAX_HULL_POINTS, MAX_NAME, MAX_PARTICLES, MAX_SDF_NODES,
        MAX_SUBSTEPS, MIN_TET_HEIGHT, MIN_TRIANGLE_HEIGHT,
    };
}

pub use describe::air::Air;
pub use describe::attachment::Attached;
pub use describe::balloon::Balloon;
pub use describe::body::{Body, Collide, Constraints};
pub use describe::cloth::{BendModel, Cloth, ClothModel, Fabric, GridPins};
pub use describe::collider::Collider;
pub use describe::cut::Cut;
pub use describe::decomposition::Decomposition;
pub use describe::emitter::{Emitter, Opening, Outlet};
pub use describe::error::Error;
pub use describe::field::{Pressure, ShapeMatching, VolumeConstraint};
pub use describe::filter::Filter;
pub use describe::fluid::Fluid;
pub use describe::frame::MaterialFrame;
pub use describe::friction::CombineRule;
pub use describe::grain::Grain;
pub use describe::grains::Grains;
pub use describe::ids::{AnyId, BodyId, ColliderId, JointId, ParticleJointId, RigidId, RigidJointId};
pub use describe::joint::Joint;
pub use describe::liquid::Liquid;
pub use describe::long_range::LongRange;
pub use describe::mesh::Mesh;
pub use describe::obstacle::Obstacle;
pub use describe::particle_joint::ParticleJoint;
pub use describe::pins::MovingPins;
pub use describe::plasticity::Plasticity;
pub use describe::pose::{Pose, degrees};
pub use describe::recipe::Recipe;
pub use describe::region::Region;
pub use describe::rigid::{RigidBody, RigidKind, Weight};
pub use describe::rigid_joint::RigidJoint;
pub use describe::rod::Rod;
pub use describe::rope::Rope;
pub use describe::scale::Scale;
pub use describe::scene::Scene;
pub use describe::settings::{Method, NonFinite, Settings, Substeps, VelocityUpdate};
pub use describe::shape_matched::ShapeMatched;
pub use describe::snapshot::{InputError, SnapshotError};
pub use describe::soft_body::{Side, SoftBody, SolidModel};
pub use describe::stiffness::{Stiffness, Values};
pub use describe::tearing::Tearing;
pub use describe::tether::{Backstop, Tether};
pub use describe::tets::TetMesh;
pub use describe::track::{Track, VertexAnimation};
pub use describe::{collider, memory, mesh, tets};
/// The version of glam whose vectors the API takes and gives.
pub use glam;
pub use many::{BatchScratch, step_many};
pub use observe::contacts::{Contact, Features, PairContact};
pub use observe::fluid::{FluidFigures, FluidLook};
pub use observe::grains::GrainFigures;
pub use observe::in_rigid::RigidPenetration;
pub use observe::intersections::{Crossings, Intersections};
pub use observe::joints::JointReading;
pub use observe::penetration::Penetration;
pub use observe::rigid::{RigidFigures, RigidOverlap};
pub use observe::{Measurements, Tangle};
#[doc(hidden)]
pub use plan::Order;
pub use plan::Plan;
/// The version of rayon whose pools the API takes.
pub use rayon;
pub use replay::{Recording, ReplayError};
pub use run::counts::Counts as PairCounts;
pub use run::input::Input;
pub use run::report::{ContactTimes, NonFiniteParticle, Report, StageTimes, Torn};
pub use run::rigid_events::{BrokenJoint, RigidEvent, RigidEventKind, RigidParty};
pub use run::scratch::{Execution, Scratch};
pub use run::state::State;
pub use run::step::step;
pub use seidel_kernels::Isa;
pub use seidel_kinds as kinds;
pub use seidel_workers::Pool;
pub use settle::{Settled, settle, settle_while};
pub use solver::Solver;

/// What a joint of rigid bodies is made of: its axes, limits, springs and motors ([`RigidJoint`]).
pub mod joint {
    pub use crate::describe::motor_path::MotorPath;
    pub use seidel_rigid::joint::{ABOUT, ALONG, Axis, Motion, Motor, Spring};
}

/// Words for constraint kinds of one's own: `core/examples/own_kind.rs` writes one. The built-in constraints are in
/// [`kinds`].
pub mod kernels {
    pub use seidel_kernels::{
        AsymmetricCompliance, AtLeast, AtMost, AtRest, Bound, Constraint, CoupledConstraint, Equality, Framed, Kind,
        Lanes, M3, Parameter, Project, Projected, Quat, Reference, Softness, Solved, Symmetric, V3, Values,
        conformance, trig,
    };
}

/// For rendering: vertex normals of a body, and a render mesh that follows it. Neither changes the simulation.
///
/// Both are made once, keep their memory, and take positions in the mesh's vertex order, as
/// [`crate::Solver::positions`] and [`crate::State::read_positions`] give them. `update` does a frame. To share a frame
/// among threads, one calls `read`, then each `write` for vertices of its own; the bits do not depend on who writes
/// what, or on the lanes.
pub mod render {
    pub use crate::observe::normals::Normals;
    pub use crate::observe::skin::Skin;
    pub use crate::plan::embedding::Embedding;
}

/// Rays, shapes on a straight way and points against a state: bodies, rigid bodies and colliders that they meet.
pub mod query {
    pub use crate::observe::queries::{Hit, Look, Part, Queries, QueryError, Ray, ShapeCast, Target};
}

/// The README's code, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct ReadmeDoctests;
