//! A sleeve on an arm that bends.

use super::parts::{cloth, ground, scene};
use crate::tables::{AttachSpec, ClothSpec, LimbSpec, ObstacleSpec, SceneSpec};
use seidel::GridPins;

/// A wide sleeve, held at the shoulder: the elbow bends upwards and stretches out again, and the cloth wrinkles in its
/// crook.
pub(super) fn sleeve() -> SceneSpec {
    let arm = ObstacleSpec {
        name: "arm".to_owned(),
        limb: Some(LimbSpec { radius: 0.07, length: 1.2, period: 4.0, ..LimbSpec::default() }),
        position: [-0.6, 0.5, 0.0],
        friction: 0.2,
        ..ObstacleSpec::default()
    };
    let shoulder = AttachSpec { to: "arm".to_owned(), pin: vec![GridPins::FirstColumn], ..AttachSpec::default() };
    let sleeve = ClothSpec {
        tube: true,
        bend_compliance: Some(2e4),
        thickness: Some(0.003),
        friction: 0.2,
        attach: vec![shoulder],
        position: [-0.1, 0.5, 0.0],
        ..cloth("sleeve", [60, 36], [0.9, 0.55], 0.5)
    };
    SceneSpec {
        frames: 240,
        min_contacts: 30_000,
        cloth: vec![sleeve],
        obstacle: vec![arm],
        collider: vec![ground()],
        ..scene("sleeve", "a sleeve, held at the shoulder, on an arm whose elbow bends and stretches out again", 60)
    }
}
