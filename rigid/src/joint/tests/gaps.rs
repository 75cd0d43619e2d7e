//! How far joints are open.

use super::{Pose, World, v3};
use crate::joint::{Axis, Joint, JointFrame, Motion, Spring};
use seidel_kernels::Quat;

/// The gap of a joint between two bodies 1 m apart, once the second has gone by `by` in the frame of the first, which
/// is turned.
fn gap(joint: impl Fn([u32; 2], [JointFrame; 2]) -> Joint, by: [f64; 3]) -> f64 {
    let mut world = World::new();
    let bodies = [[0.0; 3], [1.0, 0.0, 0.0]].map(|at| world.add_box(1.0, [0.5; 3], at));
    let joint = joint(bodies, world.frames(bodies, [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]));
    let turn = Quat::new(v3([0.3, -0.2, 0.4]), 0.8).normalised();
    let rotation = [turn.v.x, turn.v.y, turn.v.z, turn.w];
    let away = |at: [f64; 3]| {
        let at = v3([5.0, -3.0, 1.0]) + turn.rotate(v3(at));
        Pose { at: [at.x, at.y, at.z], rotation }
    };
    joint.gap(&away([0.0; 3]), &away([1.0 + by[0], by[1], by[2]]))
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-7, "{found} for {expected}");
}

#[test]
fn gaps_are_along_what_is_kept() {
    let by = [0.3, 0.4, 1.2];
    near(gap(Joint::ball, [0.0; 3]), 0.0);
    near(gap(Joint::ball, by), 1.3);
    near(gap(Joint::hinge, by), 1.3);
    near(gap(Joint::fixed, by), 1.3);
    // It slides along x.
    near(gap(Joint::slider, by), f64::hypot(0.4, 1.2));
    // By 0.1 beyond its limit.
    let limited = |bodies, frames| Joint::slider(bodies, frames).with_limits(0, -0.1, 0.2);
    near(gap(limited, by), f64::sqrt(0.01 + 0.16 + 1.44));
    near(gap(limited, [0.15, 0.0, 0.0]), 0.0);
    near(gap(limited, [-0.3, 0.0, 0.0]), 0.2);
    let along = [Axis::FREE, Axis::LOCKED, Axis::FREE, Axis::FREE, Axis::FREE, Axis::FREE];
    near(gap(|bodies, frames| Joint::six_dof(bodies, frames, along), by), 0.4);
    let at = Axis { motion: Motion::Locked { at: 0.1 }, ..Axis::FREE };
    let along = [at, Axis::FREE, Axis::FREE, Axis::FREE, Axis::FREE, Axis::FREE];
    near(gap(|bodies, frames| Joint::six_dof(bodies, frames, along), by), 0.2);
    near(gap(Joint::ball_on_line, by), f64::hypot(0.4, 1.2));
}

#[test]
fn distances_are_those_of_anchors() {
    let by = [0.3, 0.4, 1.2];
    near(gap(|bodies, frames| Joint::rope(bodies, frames, 1.0), by), 0.3);
    near(gap(|bodies, frames| Joint::rope(bodies, frames, 1.4), by), 0.0);
    near(gap(|bodies, frames| Joint::distance(bodies, frames, 1.5, 1.6), by), 0.2);
    // A spring holds nothing in place, nor does a gear.
    let spring = Spring { stiffness: 10.0, ..Spring::NONE };
    near(gap(|bodies, frames| Joint::spring(bodies, frames, spring), by), 0.0);
    near(gap(|bodies, frames| Joint::gear(bodies, frames, 2.0), by), 0.0);
    near(gap(|bodies, frames| Joint::rack_and_pinion(bodies, frames, 2.0), by), 0.0);
}
