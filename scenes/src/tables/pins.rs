//! Moving pins by name.

use super::motion::MotionSpec;
use super::select::{SelectSpec, selected};
use super::vertices::{Numbers, Vertices};
use seidel::{GridPins, MovingPins, Side};
use serde::{Deserialize, Serialize};

/// Pins that follow a path together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MovingPinsSpec {
    /// Parts of a grid.
    pub pin: Vec<GridPins>,
    /// Vertices.
    pub pin_vertices: Vec<u32>,
    /// Vertices by name and place: those of any of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pin_where: Vec<SelectSpec>,
    /// Sides of a solid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pin_sides: Vec<Side>,
    /// The point about which the path turns, metres.
    pub about: [f64; 3],
    /// Path from where they are at the start.
    pub motion: MotionSpec,
}

impl MovingPinsSpec {
    /// The pins of a body.
    pub(super) fn build<B: Vertices>(&self, of: &str, body: &B, numbers: &Numbers) -> Result<MovingPins, String> {
        if self.motion == MotionSpec::Fixed {
            return Err(format!("{of}: its path is fixed; give it another, or use `pin` or `pin_vertices`"));
        }
        let motion = self.motion.build(of)?;
        if !self.pin_sides.is_empty() && !B::SIDES {
            return Err(format!("{of}: `pin_sides` names sides of a solid; give it `pin_vertices`"));
        }
        let mut vertices = numbers.renumbered(of, &self.pin_vertices)?;
        vertices.extend(self.pin_sides.iter().flat_map(|side| body.on_side(*side)));
        for &part in &self.pin {
            let has = if B::SIDES { "has `pin_sides` and" } else { "is pinned by" };
            let what = || format!("{of}: `pin` names parts of a grid; {} {has} `pin_vertices`", B::WHAT);
            vertices.extend(body.part(part).ok_or_else(what)?);
        }
        vertices.extend(selected(&format!("{of}, pin_where"), &self.pin_where, body, numbers)?);
        // Two parts of a grid share corners.
        vertices.sort_unstable();
        vertices.dedup();
        if vertices.is_empty() {
            return Err(format!("{of}: it moves nothing; give it `pin`, `pin_vertices` or `pin_where`"));
        }
        Ok(MovingPins { vertices, about: self.about.into(), motion })
    }
}
