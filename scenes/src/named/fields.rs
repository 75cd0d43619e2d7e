//! Scenes of balloons and soft shapes.

use super::parts::{ground, scene, sphere};
use crate::tables::{BalloonSpec, ColliderSpec, MotionSpec, SceneSpec, ShapeMatchedSpec, ShapeSpec, Turn};
use seidel::Collide;

/// Walls about a square of a half width, metres, facing inward.
fn walls(half: f32) -> Vec<ColliderSpec> {
    let wall = |name: &str, position, axis, degrees| ColliderSpec {
        name: name.to_owned(),
        position,
        rotation: Turn { axis, degrees },
        friction: 0.3,
        ..ColliderSpec::default()
    };
    vec![
        wall("left", [-half, 0.0, 0.0], [0.0, 0.0, 1.0], -90.0),
        wall("right", [half, 0.0, 0.0], [0.0, 0.0, 1.0], 90.0),
        wall("back", [0.0, 0.0, -half], [1.0, 0.0, 0.0], 90.0),
        wall("front", [0.0, 0.0, half], [1.0, 0.0, 0.0], -90.0),
    ]
}

/// A box of balloons.
pub(super) fn balloons() -> SceneSpec {
    let balloon = |i: u32, position: [f32; 3]| BalloonSpec {
        name: format!("balloon-{i}"),
        radius: 0.16,
        position,
        rotation: Turn { axis: [1.0, 0.4, 0.2], degrees: 37.0 * f64::from(i) },
        pressure_path: vec![[0.2 + 0.2 * f64::from(i), 1.0], [2.5 + 0.2 * f64::from(i), 3.5]],
        density: 0.1,
        stretch_compliance: Some(0.02),
        bend_compliance: Some(1e3),
        damping: 0.02,
        thickness: 0.004,
        friction: 0.3,
        collide: Collide::Others,
        ..BalloonSpec::default()
    };
    let places = [[-0.24, 0.2, -0.24], [0.24, 0.2, -0.24], [-0.24, 0.2, 0.24], [0.24, 0.2, 0.24], [0.0, 0.52, 0.0]];
    let motion = MotionSpec::Sinusoidal { amplitude: [0.25, 0.0, 0.1], period: 2.5, phase: 0.0 };
    let pusher = ColliderSpec { motion, friction: 0.3, ..sphere(0.14, [0.0, 0.2, 0.0]) };
    SceneSpec {
        frames: 300,
        min_contacts: 20_000,
        balloon: (0..5).zip(places).map(|(i, place)| balloon(i, place)).collect(),
        collider: std::iter::once(ground()).chain(walls(0.5)).chain([pusher]).collect(),
        ..scene(
            "balloons",
            "five balloons in a box are blown up to three and a half times their volume and pushed by a sphere",
            20,
        )
    }
}

/// Soft things that fall on each other.
pub(super) fn soft_heap() -> SceneSpec {
    let soft = |i: u32, half: Option<[f32; 3]>| {
        let column = f64::from(i) * 2.4;
        ShapeMatchedSpec {
            name: format!("soft-{i}"),
            radius: 0.15,
            detail: 2,
            half,
            cells: half.map(|half| half.map(|side| (side * 34.0) as u32)),
            position: [0.14 * libm::cos(column) as f32, 0.4 + 0.36 * i as f32, 0.14 * libm::sin(column) as f32],
            rotation: Turn { axis: [1.0, 0.3 * f64::from(i), 0.5], degrees: 29.0 * f64::from(i) },
            mass: 0.5,
            clusters: Some(0.16),
            compliance: Some(5e-4),
            linear: 0.4,
            thickness: 0.006,
            friction: 0.4,
            damping: 0.02,
            collide: Collide::All,
            ..ShapeMatchedSpec::default()
        }
    };
    let brick = |i: u32, half| ShapeMatchedSpec { linear: 0.0, ..soft(i, Some(half)) };
    let post = ColliderSpec {
        name: "post".to_owned(),
        shape: ShapeSpec::Capsule,
        radius: Some(0.08),
        half_length: Some(0.35),
        rotation: Turn { axis: [1.0, 0.0, 0.0], degrees: 90.0 },
        position: [0.05, 0.06, 0.0],
        friction: 0.4,
        ..ColliderSpec::default()
    };
    SceneSpec {
        frames: 240,
        min_contacts: 15_000,
        shape_matched: vec![
            soft(0, None),
            brick(1, [0.24, 0.06, 0.12]),
            soft(2, None),
            brick(3, [0.12, 0.12, 0.12]),
            soft(4, None),
            brick(5, [0.3, 0.06, 0.06]),
            soft(6, None),
        ],
        collider: [ground(), post].into_iter().chain(walls(0.4)).collect(),
        ..scene("soft-heap", "soft balls and bricks fall on a post and on each other", 20)
    }
}
