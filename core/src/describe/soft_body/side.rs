//! Sides of a solid.

use serde::{Deserialize, Serialize};

/// A side of the box around a body as it was made, before it is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Smallest x.
    MinX,
    /// Largest x.
    MaxX,
    /// Smallest y.
    MinY,
    /// Largest y.
    MaxY,
    /// Smallest z.
    MinZ,
    /// Largest z.
    MaxZ,
}

/// Part of a box's side within which a vertex lies on another side of it.
const ON_SIDE: f32 = 1e-4;

impl Side {
    /// The vertices that lie on it.
    pub(super) fn of(self, positions: &[[f32; 3]]) -> Vec<u32> {
        let (axis, largest) = match self {
            Side::MinX => (0, false),
            Side::MaxX => (0, true),
            Side::MinY => (1, false),
            Side::MaxY => (1, true),
            Side::MinZ => (2, false),
            Side::MaxZ => (2, true),
        };
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        for p in positions {
            (low, high) = (low.min(p[axis]), high.max(p[axis]));
        }
        let slack = (high - low) * ON_SIDE;
        let on = |c: f32| if largest { c >= high - slack } else { c <= low + slack };
        (0..positions.len() as u32).filter(|&v| on(positions[v as usize][axis])).collect()
    }
}
