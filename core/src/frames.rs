//! Frames: rotations between the points of a body, as the segments of a rod have them.
//!
//! A frame is a row of the same arrays as a particle's, in blocks of its own: position [x, y, z, w] is its unit quaternion, velocity
//! its angular velocity in the world, and its inverse inertia stands beside the rounding remainder (kernels/src/integrate/turn.rs).

use crate::body::Body;
use crate::error::{Error, range};
use crate::plan::BodyPlan;
use crate::pose::product;
use crate::state::State;
use seidel_kernels::Row;

/// Inverse inertia of a frame that turns, 1/(kg m^2): from a bridge's girder to a hair's segment.
const INV_INERTIA: std::ops::RangeInclusive<f32> = 1e-9..=1e20;

/// A frame of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Rotation at rest and at the start, body to world: a unit quaternion [x, y, z, w].
    pub rotation: [f32; 4],
    /// 1/(kg m^2), the same about all axes; 0 does not turn.
    pub inv_inertia: f32,
    /// The points between which it lies. Where both follow one path of [`crate::MovingPins`] and it does not turn by itself,
    /// it follows the path's turn.
    pub between: [u32; 2],
}

/// Whether a quaternion has length 1 (to 1e-3; it is normalised when used).
pub(crate) fn is_unit(q: [f32; 4]) -> bool {
    let squared: f64 = q.iter().map(|&c| f64::from(c) * f64::from(c)).sum();
    (squared - 1.0).abs() < 2e-3
}

/// Of length 1, from about that.
pub(crate) fn normalised(q: [f32; 4]) -> [f32; 4] {
    let q = q.map(f64::from);
    let length = libm::sqrt((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
    q.map(|c| (c / length) as f32)
}

impl Body {
    /// Frames are rotations and lie between points that exist.
    pub(crate) fn check_frames(&self) -> Result<(), Error> {
        for (f, frame) in self.frames.iter().enumerate() {
            let of = || format!("body `{}`, frame {f}", self.name);
            let squared: f64 = frame.rotation.iter().map(|&c| f64::from(c) * f64::from(c)).sum();
            range(of, || "rotation (squared length)".to_owned(), squared, is_unit(frame.rotation), "1")?;
            let w = frame.inv_inertia;
            let good = w == 0.0 || INV_INERTIA.contains(&w);
            let limit = "0 or within 1e-9 .. 1e20 per kg m^2";
            range(of, || "inverse inertia".to_owned(), f64::from(w), good, limit)?;
            for vertex in frame.between {
                let (index, count) = (vertex as usize, self.positions.len());
                if index >= count {
                    return Err(Error::Missing { of: of(), what: "vertex", index, count });
                }
            }
        }
        Ok(())
    }
}

/// A body's frames in a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct FramePlan {
    /// Row of each frame, counted from the body's first.
    pub(crate) to_row: Vec<u32>,
    /// Frame of each row, or `u32::MAX`; empty if there is no frame.
    pub(crate) of_row: Vec<u32>,
    /// Runs of rows of frames, counted likewise, ascending; each is whole blocks.
    pub(crate) runs: Vec<std::ops::Range<usize>>,
    /// A vertex of each frame, for messages.
    pub(crate) vertex: Vec<u32>,
}

impl FramePlan {
    /// The frame of a row that is counted from the body's first.
    pub(crate) fn at(&self, row: usize) -> Option<usize> {
        self.of_row.get(row).filter(|&&frame| frame != u32::MAX).map(|&frame| frame as usize)
    }
}

impl BodyPlan {
    /// The row of a frame.
    pub(crate) fn frame(&self, frame: usize) -> usize {
        self.start + self.frames.to_row[frame] as usize
    }
}

/// Gives a frame of inverse inertia 0 the angular velocity that turns it to a rotation within `dt` seconds, the shorter way.
pub(crate) fn turn(body: &BodyPlan, state: &mut State, frame: usize, to: [f64; 4], dt: f32) {
    let row = body.frame(frame);
    let [.., w] = state.r[row];
    if w == 0.0 {
        state.v[row] = angular_velocity(state.x[row], to, dt);
    }
}

/// The angular velocity that takes one rotation to another in `dt` seconds, the shorter way, rad/s.
fn angular_velocity(from: Row, to: [f64; 4], dt: f32) -> Row {
    let [x, y, z, w] = from.map(f64::from);
    let by = product(to, [-x, -y, -z, w]);
    let sign = if by[3] < 0.0 { -1.0 } else { 1.0 };
    let sin = libm::sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]);
    let angle = 2.0 * libm::atan2(sin, sign * by[3]);
    // atan2(s, c) / s of nothing is 1 / c.
    let share = if sin > 1e-12 { angle / sin } else { 2.0 };
    let [a, b, c] = std::array::from_fn(|k| (sign * by[k] * share / f64::from(dt)) as f32);
    [a, b, c, 0.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose;

    #[test]
    fn the_shorter_way_is_taken() {
        for (degrees, turned) in [(30.0, 30.0f64), (170.0, 170.0), (190.0, -170.0), (-1e-5, -1e-5)] {
            let to = Pose::IDENTITY.turned([0.0, 0.0, 1.0], degrees).rotation;
            for to in [to, to.map(|c| -c)] {
                let [x, y, z, _] = angular_velocity([0.0, 0.0, 0.0, 1.0], to, 0.5);
                assert!(
                    x == 0.0 && y == 0.0 && (f64::from(z) - 2.0 * turned.to_radians()).abs() < 1e-6,
                    "{degrees}: {z}"
                );
            }
        }
    }
}
