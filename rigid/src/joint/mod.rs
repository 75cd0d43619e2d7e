//! Joints: what keeps two bodies together, lets them move along some axes, and drives them along these.
//!
//! ```text
//!      A ----+  anchor and axes in A        six coordinates: three gaps along A's axes, three angles between the axes
//!            :  d = b - a                   (a distance or a gear: one coordinate)
//!            +---- B                        each is free, locked or limited; it may have a spring and a motor
//! ```
//!
//! One mechanism for every kind: `measure` gives each coordinate with its Jacobian, [`Joints`] and [`JointRows`] solve
//! them in velocities, locked ones together in one exact block. A kind is a constructor that says which coordinates are
//! locked ([`Joint::hinge`] and its like). Jacobians: Catto, "Iterative Dynamics with Temporal Coherence", 2005; soft
//! rows: Catto, "Soft Constraints", 2011, and "Solver2D", 2024. The list of kinds is that of the PositionBasedDynamics
//! library (Bender) and of Müller et al. 2020, section 3.4.

mod axis;
mod ball;
mod balls;
mod batch;
mod block;
mod crowd;
mod joints;
mod kinds;
mod lanes;
mod load;
mod measure;
mod pairs;
mod pattern;
mod reading;
mod row;
mod rows;
mod softness;
mod state;
mod taut;
#[cfg(test)]
mod tests;
mod tree;

pub use axis::{Axis, Motion, Motor, Spring};
pub use ball::{Ball, BodyLanes};
pub use balls::Balls;
pub use batch::{JointBatch, JointStage};
pub use crowd::crowding_of;
pub use joints::Joints;
pub use load::Load;
pub use measure::Measure;
pub use pattern::Pattern;
pub use reading::{Reading, Side};
pub use rows::JointRows;
pub use state::JointState;
pub use taut::stiffened;
pub use tree::{Branches, Forest, Link, Tree};

use seidel_kernels::{Quat, V3};

/// The body index of the world, for joints with it: the caller gives [`crate::BodyRow::FIXED`] and a pose of its
/// choice.
pub const WORLD: u32 = u32::MAX;

/// Index in [`Joint::axes`] of the first axis of translation: a slider's.
pub const ALONG: usize = 0;

/// Index in [`Joint::axes`] of the first axis of rotation: a hinge's, a ball's twist.
pub const ABOUT: usize = 3;

/// Where a body is: its centre of mass and its principal axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Centre of mass, metres.
    pub at: [f64; 3],
    /// Body to world, a unit quaternion [x, y, z, w].
    pub rotation: [f64; 4],
}

impl Pose {
    /// At the origin, unturned: the world's.
    pub const IDENTITY: Pose = Pose { at: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
}

/// A joint's frame in a body's own frame (centre of mass, principal axes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFrame {
    /// Origin, metres.
    pub anchor: [f32; 3],
    /// Joint to body, a unit quaternion [x, y, z, w]. The first axis is a hinge's or a slider's.
    pub axes: [f32; 4],
}

impl JointFrame {
    /// The frame in a body that is now at this place of the world, with these axes (a unit quaternion, joint to world).
    #[must_use]
    pub fn at(body: &Pose, anchor: [f64; 3], axes: [f64; 4]) -> JointFrame {
        let inverse = Quat::<f64>::set(body.rotation).conjugate();
        let r = inverse.rotate(V3::set(anchor) - V3::set(body.at));
        let q = inverse.times(Quat::set(axes));
        JointFrame {
            anchor: [r.x as f32, r.y as f32, r.z as f32],
            axes: [q.v.x as f32, q.v.y as f32, q.v.z as f32, q.w as f32],
        }
    }
}

/// What a joint is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum JointKind {
    Ball,
    BallOnLine,
    Hinge,
    Universal,
    Slider,
    Fixed,
    Distance,
    Spring,
    Gear,
    RackAndPinion,
    SixDof,
}

/// A joint, planned once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Bodies A and B; [`WORLD`] is none.
    pub bodies: [u32; 2],
    /// Where its anchor and axes are in each.
    pub frames: [JointFrame; 2],
    /// What it is called, and so what its coordinates are: [`JointKind::measure`].
    pub kind: JointKind,
    /// How each coordinate may move: gaps along A's axes, then angles. A distance, a spring or a gear has the first
    /// only.
    pub axes: [Axis; 6],
    /// Of a gear: angle of A = ratio * angle of B. Of a rack and pinion: angle of A = ratio * way of B, rad/m.
    pub ratio: f32,
    /// How often its K counts, of what is locked or limited, and of springs: 1, and more where many joints hold one of
    /// its bodies ([`crowding_of`]).
    pub crowding: [f32; 2],
    /// Of each coordinate the share, above 0 and up to 1, of the inverse mass of its two bodies that a motor to a place
    /// can brake: less than 1 where more hangs on them.
    pub hauled: [f32; 6],
    /// Newtons at which it breaks; infinite: never.
    pub break_force: f32,
    /// Newton metres at which it breaks; infinite: never.
    pub break_torque: f32,
    /// Whether its bodies collide with each other.
    pub collide: bool,
}
