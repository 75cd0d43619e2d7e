//! What tears.

use super::parts::scene;
use crate::tables::{
    ClothSpec, ColliderSpec, KeySpec, MotionSpec, MovingPinsSpec, SceneSpec, SelectSpec, ShapeSpec, TearSpec,
};
use seidel::{Collide, GridPins};

/// A ball goes through a sheet that is held at its border, and two bands are drawn apart: one has a notch.
pub(super) fn tear() -> SceneSpec {
    let key = |time, offset| KeySpec { time, offset, ..KeySpec::default() };
    let sheet = ClothSpec {
        name: "paper".to_owned(),
        resolution: [33, 33],
        size: [0.8, 0.8],
        position: [0.0, 0.6, 0.0],
        density: Some(0.15),
        stretch_compliance: Some(1e-4),
        shear_compliance: Some(1e-3),
        bend_compliance: Some(0.3),
        tear: Some(TearSpec { strain: Some(0.12), copies: None }),
        pin: vec![GridPins::FirstRow, GridPins::LastRow, GridPins::FirstColumn, GridPins::LastColumn],
        linear_damping: 1.0,
        collide: Collide::All,
        ..ClothSpec::default()
    };
    let end = |x: f32, way: f64| MovingPinsSpec {
        pin_where: vec![SelectSpec {
            side: Some([[x, 0.0, 0.0], [f32::signum(x), 0.0, 0.0]]),
            ..SelectSpec::default()
        }],
        motion: MotionSpec::KeyFrames { keys: vec![key(0.0, [0.0; 3]), key(0.5, [0.0; 3]), key(2.5, [way, 0.0, 0.0])] },
        ..MovingPinsSpec::default()
    };
    let band = |name: &str, z: f32| ClothSpec {
        name: name.to_owned(),
        resolution: [25, 9],
        size: [0.6, 0.2],
        position: [0.0, 0.6, z],
        moving_pins: vec![end(-0.29, -0.15), end(0.29, 0.15)],
        pin: Vec::new(),
        tear: Some(TearSpec { strain: Some(0.25), copies: None }),
        ..sheet.clone()
    };
    let punch = ColliderSpec {
        name: "punch".to_owned(),
        shape: ShapeSpec::Sphere,
        radius: Some(0.12),
        position: [0.0, 0.76, 0.0],
        friction: 0.3,
        motion: MotionSpec::KeyFrames {
            keys: vec![key(0.0, [0.0; 3]), key(2.0, [0.0, -0.6, 0.0]), key(3.0, [0.0, 0.1, 0.0])],
        },
        ..ColliderSpec::default()
    };
    SceneSpec {
        frames: 200,
        min_contacts: 100,
        cloth: vec![sheet.clone(), band("band", -0.7)],
        collider: vec![punch],
        ..scene("tear", "a ball tears a sheet of paper open, and a band is drawn until it parts", 30)
    }
}
