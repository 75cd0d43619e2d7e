//! Scenes of fluids.

use super::parts::{ground, scene};
use crate::tables::{
    ClothSpec, ColliderSpec, EmitterSpec, FluidSpec, KeySpec, MotionSpec, MovingPinsSpec, RigidShapeSpec, RigidSpec,
    SceneSpec, SelectSpec, ShapeSpec, Turn,
};
use seidel::{Collide, Substeps};

/// The walls of a tank that stands on the ground, between two corners of its floor [x, z], facing inward.
fn tank(low: [f32; 2], high: [f32; 2]) -> impl Iterator<Item = ColliderSpec> {
    let wall = |name: &str, position, axis, degrees| ColliderSpec {
        name: name.to_owned(),
        position,
        rotation: Turn { axis, degrees },
        friction: 0.0,
        ..ColliderSpec::default()
    };
    let walls = [
        wall("left", [low[0], 0.0, 0.0], [0.0, 0.0, 1.0], -90.0),
        wall("right", [high[0], 0.0, 0.0], [0.0, 0.0, 1.0], 90.0),
        wall("back", [0.0, 0.0, low[1]], [1.0, 0.0, 0.0], 90.0),
        wall("front", [0.0, 0.0, high[1]], [1.0, 0.0, 0.0], -90.0),
    ];
    std::iter::once(ground()).chain(walls)
}

/// Water in a box.
fn water(from: [f32; 3], to: [f32; 3]) -> FluidSpec {
    FluidSpec { name: "water".to_owned(), from, to, ..FluidSpec::default() }
}

/// A column of water whose gate has been taken away.
pub(super) fn dam_break() -> SceneSpec {
    SceneSpec {
        frames: 240,
        fluid: vec![water([0.0, 0.0, 0.0], [0.5, 0.5, 0.4])],
        collider: tank([0.0, 0.0], [1.6, 0.4]).collect(),
        ..scene("dam-break", "a column of water falls over, runs up the far wall and comes back", Substeps::Auto)
    }
}

/// Water that shoots up from a basin and runs over its rim.
pub(super) fn fountain() -> SceneSpec {
    let jet = EmitterSpec { position: [0.0, 0.1, 0.0], radius: Some(0.05), speed: 3.5, ..EmitterSpec::default() };
    let fluid = FluidSpec {
        empty: true,
        emitter: vec![jet],
        // What has left the plinth.
        drain: vec![SelectSpec { side: Some([[0.0, -0.5, 0.0], [0.0, -1.0, 0.0]]), ..SelectSpec::default() }],
        capacity: Some(12_000),
        ..water([0.0; 3], [0.5; 3])
    };
    let basin = ColliderSpec {
        name: "basin".to_owned(),
        shape: ShapeSpec::Cylinder,
        radius: Some(0.45),
        half_length: Some(0.05),
        ..ColliderSpec::default()
    };
    let rim = ColliderSpec {
        name: "rim".to_owned(),
        shape: ShapeSpec::Torus,
        radius: Some(0.05),
        ring: Some(0.42),
        position: [0.0, 0.07, 0.0],
        ..ColliderSpec::default()
    };
    SceneSpec {
        frames: 360,
        fluid: vec![fluid],
        collider: vec![basin, rim],
        ..scene("fountain", "water shoots up, fills a basin and runs over its rim", Substeps::Auto)
    }
}

/// Oil below water: it rises through it.
pub(super) fn two_phase() -> SceneSpec {
    let oil = FluidSpec {
        name: "oil".to_owned(),
        density: 800.0,
        viscosity: 1e-4,
        ..water([0.0, 0.0, 0.0], [0.6, 0.16, 0.3])
    };
    SceneSpec {
        frames: 360,
        fluid: vec![FluidSpec { ..water([0.0, 0.16, 0.0], [0.6, 0.32, 0.3]) }, oil],
        collider: tank([0.0, 0.0], [0.6, 0.3]).collect(),
        ..scene("two-phase", "oil that lies below water rises through it in drops", Substeps::Auto)
    }
}

/// Balls of different densities in water.
pub(super) fn buoyant_balls() -> SceneSpec {
    let ball = |i: u32, density: f64| RigidSpec {
        name: format!("ball-{i}"),
        shape: RigidShapeSpec::Sphere,
        radius: Some(0.1),
        density: Some(density),
        position: [0.2 + 0.3 * i as f32, 0.55 + 0.05 * i as f32, 0.25],
        ..RigidSpec::default()
    };
    SceneSpec {
        frames: 360,
        fluid: vec![water([0.0, 0.0, 0.0], [1.0, 0.4, 0.5])],
        body: vec![ball(0, 250.0), ball(1, 500.0), ball(2, 2000.0)],
        collider: tank([0.0, 0.0], [1.0, 0.5]).collect(),
        ..scene(
            "buoyant-balls",
            "balls fall into water: two float, each as deep as it weighs, and one sinks",
            Substeps::Auto,
        )
    }
}

/// A paddle that stirs two syrups together.
pub(super) fn stirrer() -> SceneSpec {
    let paddle = ColliderSpec {
        name: "paddle".to_owned(),
        shape: ShapeSpec::Cuboid,
        half: Some([0.18, 0.12, 0.02]),
        position: [0.25, 0.16, 0.25],
        motion: MotionSpec::Steady { velocity: [0.0; 3], axis: [0.0, 1.0, 0.0], turns: 0.75, start: 0.5, end: None },
        ..ColliderSpec::default()
    };
    // One on each side of the paddle.
    let syrup = |name: &str, z: [f32; 2]| FluidSpec {
        name: name.to_owned(),
        viscosity: 5e-4,
        friction: 0.3,
        ..water([0.0, 0.0, z[0]], [0.5, 0.24, z[1]])
    };
    SceneSpec {
        frames: 360,
        fluid: vec![syrup("back", [0.0, 0.22]), syrup("front", [0.28, 0.5])],
        collider: tank([0.0, 0.0], [0.5, 0.5]).chain([paddle]).collect(),
        ..scene("stirrer", "a paddle stirs two syrups together", Substeps::Auto)
    }
}

/// A sheet whose corners are drawn together, and water that is poured into it.
pub(super) fn cloth_bag() -> SceneSpec {
    // A corner, drawn to the middle.
    let drawn = |x: f64, z: f64| {
        let keys = [(0.0, 0.0), (1.0, 1.0)].map(|(time, part)| KeySpec {
            time,
            offset: [-0.22 * x * part, 0.0, -0.22 * z * part],
            ..KeySpec::default()
        });
        MovingPinsSpec {
            pin_where: vec![SelectSpec {
                ball: Some([0.45 * x as f32, 0.8, 0.45 * z as f32, 1e-3]),
                ..SelectSpec::default()
            }],
            motion: MotionSpec::KeyFrames { keys: keys.to_vec() },
            ..MovingPinsSpec::default()
        }
    };
    let sheet = ClothSpec {
        name: "sheet".to_owned(),
        resolution: [64, 64],
        size: [0.9, 0.9],
        position: [0.0, 0.8, 0.0],
        // Tarpaulin.
        density: Some(1.0),
        stretch_compliance: Some(1e-6),
        shear_compliance: Some(0.1),
        moving_pins: vec![drawn(-1.0, -1.0), drawn(1.0, -1.0), drawn(-1.0, 1.0), drawn(1.0, 1.0)],
        damping: 0.2,
        collide: Collide::All,
        ..ClothSpec::default()
    };
    let jet = EmitterSpec {
        position: [0.0, 0.9, 0.0],
        rotation: Turn { axis: [1.0, 0.0, 0.0], degrees: 180.0 },
        radius: Some(0.05),
        // Slow enough that it does not splash over the rim.
        speed: 0.4,
        from: 1.6,
        until: Some(3.2),
        ..EmitterSpec::default()
    };
    SceneSpec {
        frames: 300,
        cloth: vec![sheet],
        fluid: vec![FluidSpec { empty: true, emitter: vec![jet], ..water([0.0; 3], [0.5; 3]) }],
        collider: vec![ground()],
        ..scene("cloth-bag", "water is poured into a sheet whose corners are drawn together", 60)
    }
}
