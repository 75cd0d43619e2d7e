//! What a joint's coordinate is and what it carries, read from its bodies between two steps.

use super::measure::{Coordinate, Measure, Moved, Start};
use super::{ABOUT, Joint, JointState, Pose};
use crate::BodyRow;
use seidel_kernels::{Quat, V3};
use std::f64::consts::{PI, TAU};

/// A joint between two steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// Its coordinate ([`Joint::driven_axis`]): m or rad, turns about the first axis over full turns where they are
    /// counted.
    pub position: f64,
    /// How fast that changes, m/s or rad/s.
    pub velocity: f64,
    /// Force or torque of the coordinate's motor in the last substep, N or N m, along or about its axis.
    pub motor: f64,
    /// Force of A on B at the anchor in the last substep, N, world: of all that the joint locks, limits, springs and
    /// drives.
    pub force: [f32; 3],
    /// Torque of A on B about the anchor, N m, world.
    pub torque: [f32; 3],
}

/// A body between two steps; [`super::WORLD`] is at [`Pose::IDENTITY`], at rest, and [`BodyRow::FIXED`].
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Where it is.
    pub pose: &'a Pose,
    /// Its velocity, m/s, and its angular velocity, rad/s.
    pub velocities: [[f64; 3]; 2],
    /// Its mass and its inertia there.
    pub row: &'a BodyRow,
}

impl Start<f64> {
    /// All coordinates, where the bodies are.
    fn at_rest(&self, measure: Measure) -> [Coordinate<f64>; 6] {
        let still = Moved { dx: V3::zero(), turn: Quat::<f64>::set([0.0, 0.0, 0.0, 1.0]) };
        self.measure(measure, u8::MAX, [still; 2])
    }
}

impl Joint {
    /// The angle that [`JointState::angle`] begins with, where its bodies are at these poses: about the first axis,
    /// rad; 0 of a joint without one.
    #[must_use]
    pub fn first_angle(&self, poses: [&Pose; 2]) -> f64 {
        match self.kind.measure() {
            measure @ (Measure::Gimbal | Measure::Swing) => Start::new(self, poses, 0.0).at_rest(measure)[ABOUT].value,
            _ => 0.0,
        }
    }

    /// Reads it from its memory, with the motor that it has now, and from its bodies. `h` is the last substep's length,
    /// seconds, 0 before the first: then it has carried nothing. `in_tree`: a [`super::Tree`] solves it.
    #[must_use]
    pub fn read(&self, state: &JointState, [a, b]: [Side<'_>; 2], h: f32, in_tree: bool) -> Reading {
        let start = Start::new(self, [a.pose, b.pose], state.angle);
        let (i, coordinates) = (self.driven_axis(), start.at_rest(self.kind.measure()));
        let mut position = coordinates[i].value;
        if i == ABOUT && self.pattern().counts_turns() {
            // It may have passed pi since the turns were counted, by a rounding.
            let passed = position - f64::from(state.angle);
            let back = if passed > PI { -1.0 } else { f64::from(u8::from(passed < -PI)) };
            position += TAU * (f64::from(state.turns) + back);
        }
        let [[va, wa], [vb, wb]] = [a.velocities, b.velocities].map(|of| of.map(V3::<f64>::set));
        let velocity = coordinates[i].row.rate([va, vb], [wa, wb]);
        if h <= 0.0 || state.broken {
            return Reading { position, velocity, ..Reading::default() };
        }
        let load = self.prepare(state, a.pose, b.pose, h).load_at_rest([a.row, b.row], in_tree);
        let motor = f64::from(state.motor[i]) / f64::from(h);
        Reading { position, velocity, motor, force: load.force, torque: load.torque }
    }

    /// The inverse mass that its motor sees where its bodies are, 1/kg or 1/(kg m^2): what the joint locks held, and
    /// what its bodies haul taken off.
    #[must_use]
    pub fn motor_inv_mass(&self, [a, b]: [(&Pose, &BodyRow); 2]) -> f32 {
        let i = self.driven_axis();
        self.prepare(&JointState::default(), a.0, b.0, 1.0).inv_mass([a.1, b.1], i) * self.hauled[i]
    }
}
