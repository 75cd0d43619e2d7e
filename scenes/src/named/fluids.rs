//! Scenes of fluids.

use super::{ground, scene};
use crate::tables::{ColliderSpec, FluidSpec, SceneSpec, Turn};
use seidel::Substeps;

/// Walls of a tank that stands on the ground, between two corners of its floor [x, z], facing inward.
pub(super) fn tank(low: [f32; 2], high: [f32; 2]) -> Vec<ColliderSpec> {
    let wall = |name: &str, position, axis, degrees| ColliderSpec {
        name: name.to_owned(),
        position,
        rotation: Turn { axis, degrees },
        friction: 0.0,
        ..ColliderSpec::default()
    };
    vec![
        wall("left", [low[0], 0.0, 0.0], [0.0, 0.0, 1.0], -90.0),
        wall("right", [high[0], 0.0, 0.0], [0.0, 0.0, 1.0], 90.0),
        wall("back", [0.0, 0.0, low[1]], [1.0, 0.0, 0.0], 90.0),
        wall("front", [0.0, 0.0, high[1]], [1.0, 0.0, 0.0], -90.0),
    ]
}

/// A column of water whose gate has been taken away.
pub(super) fn dam_break() -> SceneSpec {
    let water = FluidSpec {
        name: "water".to_owned(),
        from: [0.0, 0.0, 0.0],
        to: [0.5, 0.5, 0.4],
        spacing: 0.02,
        ..FluidSpec::default()
    };
    SceneSpec {
        frames: 240,
        fluid: vec![water],
        collider: std::iter::once(ground()).chain(tank([0.0, 0.0], [1.6, 0.4])).collect(),
        ..scene("dam-break", "a column of water falls over, runs up the far wall and comes back", Substeps::Auto)
    }
}
