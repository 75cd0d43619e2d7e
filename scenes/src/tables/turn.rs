//! A rotation by axis and angle.

use serde::{Deserialize, Serialize};

/// A rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Turn {
    /// Axis, of any length above 0.
    pub axis: [f64; 3],
    /// Angle.
    pub degrees: f64,
}

/// Refuses a rotation that is none.
pub(super) fn rotation(of: &str, Turn { axis, degrees }: Turn) -> Result<(), String> {
    if let Some(c) = axis.into_iter().find(|c| !c.is_finite()) {
        return Err(format!("{of}: rotation.axis has {c}, which is not finite"));
    }
    if !degrees.is_finite() {
        return Err(format!("{of}: rotation.degrees is {degrees}, which is not finite"));
    }
    turn(of, "rotation", axis, degrees)
}

/// Refuses an angle about no axis.
pub(super) fn turn(of: &str, key: &str, axis: [f64; 3], degrees: f64) -> Result<(), String> {
    if degrees == 0.0 || axis != [0.0; 3] {
        return Ok(());
    }
    Err(format!("{of}: {key} turns by {degrees} degrees about no axis; give it one, such as axis = [1, 0, 0]"))
}
