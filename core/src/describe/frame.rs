//! Frames: rotations between the points of a body, as the segments of a rod have them.

use crate::describe::error::{Error, range};
use glam::Quat;

/// Inverse inertia of a frame that turns, 1/(kg m^2): from a bridge's girder to a hair's segment.
const INV_INERTIA: std::ops::RangeInclusive<f32> = 1e-9..=1e20;

/// A frame of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MaterialFrame {
    /// Rotation at rest and at the start, body to world: a unit quaternion.
    pub rotation: Quat,
    /// 1/(kg m^2), the same about all axes; 0 does not turn.
    pub inv_inertia: f32,
    /// The points between which it lies. Where both follow one path of [`crate::MovingPins`] and it does not turn by
    /// itself, it follows the path's turn.
    pub between: [u32; 2],
}

impl MaterialFrame {
    /// A rotation at rest and at the start, an inverse inertia, 1/(kg m^2), and the two points between which it lies.
    #[must_use]
    pub fn new(rotation: Quat, inv_inertia: f32, between: [u32; 2]) -> MaterialFrame {
        MaterialFrame { rotation, inv_inertia, between }
    }
}

/// Whether a quaternion has length 1 (to 1e-3; it is normalised when used).
pub(crate) fn is_unit(q: [f32; 4]) -> bool {
    let squared: f64 = q.iter().map(|&c| f64::from(c) * f64::from(c)).sum();
    (squared - 1.0).abs() < 2e-3
}

/// Of length 1, from about that.
pub(crate) fn normalised(q: [f32; 4]) -> [f32; 4] {
    let q = q.map(f64::from);
    let length = f64::sqrt((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
    q.map(|c| (c / length) as f32)
}

/// Whether the frames of a body of `count` vertices are rotations and lie between points that exist.
pub(crate) fn check_frames(frames: &[MaterialFrame], body: &str, count: usize) -> Result<(), Error> {
    for (f, frame) in frames.iter().enumerate() {
        let of = || format!("body `{body}`, frame {f}");
        let squared: f64 = frame.rotation.to_array().iter().map(|&c| f64::from(c) * f64::from(c)).sum();
        range(of, || "rotation (squared length)".to_owned(), squared, is_unit(frame.rotation.to_array()), "1")?;
        let w = frame.inv_inertia;
        let good = w == 0.0 || INV_INERTIA.contains(&w);
        let limit = "0 or within 1e-9 .. 1e20 per kg m^2";
        range(of, || "inverse inertia".to_owned(), f64::from(w), good, limit)?;
        for vertex in frame.between {
            let index = vertex as usize;
            if index >= count {
                return Err(Error::Missing { of: of(), what: "vertex", index, count });
            }
        }
    }
    Ok(())
}
