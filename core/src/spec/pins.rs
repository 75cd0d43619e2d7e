//! Moving pins by name.

use super::turn;
use crate::collider::Motion;
use crate::pins::MovingPins;
use crate::recipe::{GridPins, Side};
use serde::{Deserialize, Serialize};

/// Pins that follow a path together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MovingPinsSpec {
    /// Parts of a grid.
    pub pin: Vec<GridPins>,
    /// Vertices.
    pub pin_vertices: Vec<u32>,
    /// Sides of a solid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pin_sides: Vec<Side>,
    /// The point about which the path turns, metres.
    pub about: [f64; 3],
    /// Path from where they are at the start.
    pub motion: Motion,
}

impl MovingPinsSpec {
    /// The pins; `part` has the vertices of a part of a grid, `renumber` those of named vertices.
    pub(super) fn build(
        &self,
        of: &str,
        part: impl Fn(GridPins) -> Result<Vec<u32>, String>,
        renumber: impl Fn(&[u32]) -> Result<Vec<u32>, String>,
    ) -> Result<MovingPins, String> {
        if self.motion == Motion::Fixed {
            return Err(format!("{of}: its path is fixed; give it another, or use `pin` or `pin_vertices`"));
        }
        check_path(of, &self.motion)?;
        if !self.pin_sides.is_empty() {
            return Err(format!("{of}: `pin_sides` names sides of a solid; give it `pin_vertices`"));
        }
        let mut vertices = renumber(&self.pin_vertices)?;
        for &name in &self.pin {
            // Two parts of a grid share corners.
            let more = part(name)?;
            vertices.extend(more);
        }
        vertices.sort_unstable();
        vertices.dedup();
        if vertices.is_empty() {
            return Err(format!("{of}: it moves nothing; give it `pin` or `pin_vertices`"));
        }
        Ok(MovingPins { vertices, about: self.about, motion: self.motion.clone() })
    }
}

/// Refuses a path without keys, and one that turns about no axis.
pub(crate) fn check_path(of: &str, motion: &Motion) -> Result<(), String> {
    match motion {
        Motion::KeyFrames { keys } if keys.is_empty() => {
            Err(format!("{of}: its path is key-frames, and `keys` has none"))
        }
        Motion::KeyFrames { keys } => {
            keys.iter().enumerate().try_for_each(|(i, key)| turn(of, &format!("key {i}"), key.axis, key.degrees))
        }
        Motion::Steady { axis, turns, .. } => turn(of, "its path, each second,", *axis, 360.0 * turns),
        _ => Ok(()),
    }
}
