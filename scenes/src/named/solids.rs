//! Scenes of solids.

use super::bunny::BALLS;
use super::parts::{ground, scene};
use crate::tables::{ColliderSpec, KeySpec, MotionSpec, MovingPinsSpec, SceneSpec, ShapeSpec, SoftBodySpec, Turn};
use seidel::{Collide, Side, SolidModel};

/// Bars whose ends are held.
pub(super) fn bar_bend() -> SceneSpec {
    let bar = |name: &str, z: f32, moving: Option<MotionSpec>| SoftBodySpec {
        name: name.to_owned(),
        size: [1.0, 0.16, 0.16],
        cells: [25, 4, 4],
        position: [0.0, 0.6, z],
        young: Some(1e6),
        poisson: 0.45,
        relaxation: 0.004,
        pin_sides: vec![Side::MinX],
        moving_pins: moving.map_or_else(Vec::new, |motion| {
            vec![MovingPinsSpec {
                pin_sides: vec![Side::MaxX],
                about: [0.5, 0.6, f64::from(z)],
                motion,
                ..MovingPinsSpec::default()
            }]
        }),
        ..SoftBodySpec::default()
    };
    let turned = |axis, degrees, offset| {
        let key = |time, degrees, offset| KeySpec { time, offset, axis, degrees };
        MotionSpec::KeyFrames {
            keys: vec![
                key(0.0, 0.0, [0.0; 3]),
                key(2.5, degrees, offset),
                key(3.0, degrees, offset),
                key(4.5, 0.0, [0.0; 3]),
            ],
        }
    };
    // A U of the bar's own length: a half circle of radius length / pi.
    let across = 2.0 / std::f64::consts::PI;
    SceneSpec {
        frames: 300,
        soft_body: vec![
            SoftBodySpec { young: Some(3e5), ..bar("hangs", -0.9, None) },
            bar("bends", -0.45, Some(turned([0.0, 0.0, 1.0], 180.0, [-1.0, across, 0.0]))),
            bar("twists", 0.0, Some(turned([1.0, 0.0, 0.0], 350.0, [0.0; 3]))),
            bar("stretches", 0.45, Some(turned([0.0; 3], 0.0, [0.6, 0.0, 0.0]))),
            bar("shrinks", 0.9, Some(turned([0.0; 3], 0.0, [-0.45, 0.0, 0.0]))),
        ],
        ..scene(
            "bar-bend",
            "five bars of rubber hang, are bent, twisted, drawn out and pressed together, and let go",
            20,
        )
    }
}

/// Solids that fall.
pub(super) fn jelly_drop() -> SceneSpec {
    let thing = |name: &str, position, axis, degrees| SoftBodySpec {
        name: name.to_owned(),
        position,
        rotation: Turn { axis, degrees },
        young: Some(1.5e4),
        poisson: 0.45,
        relaxation: 0.003,
        thickness: 0.005,
        friction: 0.4,
        collide: Collide::Others,
        ..SoftBodySpec::default()
    };
    let bunny = SoftBodySpec {
        balls: BALLS.to_vec(),
        cell: Some(0.055),
        scale: 0.5.into(),
        ..thing("bunny", [0.0, 0.75, 0.0], [0.3, 0.2, 1.0], -25.0)
    };
    let bar = SoftBodySpec {
        size: [0.6, 0.12, 0.12],
        cells: [15, 3, 3],
        young: Some(5e4),
        ..thing("bar", [0.1, 1.7, 0.0], [0.0, 1.0, 0.2], 70.0)
    };
    let ring = SoftBodySpec {
        tube: Some([0.3, 0.18]),
        size: [0.12, 0.0, 0.0],
        cells: [3, 3, 32],
        model: SolidModel::NeoHookean,
        ..thing("ring", [0.05, 2.2, 0.0], [0.0, 0.0, 1.0], 90.0)
    };
    let step = ColliderSpec {
        name: "step".to_owned(),
        shape: ShapeSpec::Cuboid,
        half: Some([0.25, 0.1, 0.6]),
        position: [-0.45, 0.1, 0.0],
        friction: 0.6,
        ..ColliderSpec::default()
    };
    SceneSpec {
        frames: 240,
        min_contacts: 5_000,
        soft_body: vec![bunny, bar, ring],
        collider: vec![ground(), step],
        ..scene(
            "jelly-drop",
            "a bunny, a bar and a ring of jelly fall; other solids by `--set soft_body.bunny.mesh=FILE`",
            20,
        )
    }
}
