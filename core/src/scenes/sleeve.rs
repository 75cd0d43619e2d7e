//! A sheet on an arm that bends.

use super::{cloth, ground, scene};
use crate::body::Collide;
use crate::recipe::GridPins;
use crate::spec::{AttachSpec, ClothSpec, LimbSpec, ObstacleSpec, SceneSpec};

/// A towel that lies over a forearm, held at the shoulder's end of it.
pub(super) fn sleeve() -> SceneSpec {
    let arm = ObstacleSpec {
        name: "arm".to_owned(),
        limb: Some(LimbSpec { radius: 0.07, length: 1.2, bend: 100.0, period: 3.0, ..LimbSpec::default() }),
        position: [-0.6, 0.9, 0.0],
        friction: 0.4,
        ..ObstacleSpec::default()
    };
    let rim = AttachSpec {
        to: "arm".to_owned(),
        pin: vec![GridPins::FirstColumn],
        within: Some(0.04),
        ..AttachSpec::default()
    };
    let sheet = ClothSpec {
        position: [-0.05, 0.98, 0.0],
        thickness: 0.003,
        friction: 0.4,
        collide: Collide::All,
        attach: vec![rim],
        ..cloth("sheet", [56, 48], [0.8, 0.6], 0.98)
    };
    SceneSpec {
        frames: 240,
        min_contacts: 12_000,
        cloth: vec![sheet],
        obstacle: vec![arm],
        collider: vec![ground()],
        ..scene("sleeve", "a sheet, held at one rim, lies over an arm that bends and stretches", 30)
    }
}
