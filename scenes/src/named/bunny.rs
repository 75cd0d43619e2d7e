//! A sheet on a solid that is made of balls.

use super::parts::{cloth, ground, scene};
use crate::tables::{ClothSpec, ColliderSpec, SceneSpec, ShapeSpec};

/// A hare that sits, its ears laid back: x, y, z and radius of its balls, in metres; it looks along +x.
pub(super) const BALLS: [[f32; 4]; 20] = [
    // Body, breast and haunches.
    [-0.15, 0.45, 0.0, 0.44],
    [0.12, 0.45, 0.0, 0.36],
    [-0.30, 0.36, 0.20, 0.30],
    [-0.30, 0.36, -0.20, 0.30],
    // Head, muzzle and neck.
    [0.36, 0.86, 0.0, 0.27],
    [0.55, 0.80, 0.0, 0.16],
    [0.24, 0.66, 0.0, 0.25],
    // Ears, from the root.
    [0.22, 1.08, 0.12, 0.12],
    [0.10, 1.16, 0.17, 0.13],
    [-0.04, 1.21, 0.21, 0.13],
    [-0.17, 1.22, 0.24, 0.11],
    [0.22, 1.08, -0.12, 0.12],
    [0.10, 1.16, -0.17, 0.13],
    [-0.04, 1.21, -0.21, 0.13],
    [-0.17, 1.22, -0.24, 0.11],
    // Feet and tail.
    [0.40, 0.11, 0.17, 0.12],
    [0.40, 0.11, -0.17, 0.12],
    [0.03, 0.11, 0.30, 0.14],
    [0.03, 0.11, -0.30, 0.14],
    [-0.66, 0.36, 0.0, 0.15],
];

/// A fine sheet on a bunny, or on any closed mesh.
pub(super) fn drape_bunny() -> SceneSpec {
    let sheet = ClothSpec { thickness: Some(0.004), friction: 0.4, ..cloth("sheet", [200, 200], [3.2, 3.2], 1.45) };
    let obstacle = ColliderSpec {
        name: "obstacle".to_owned(),
        shape: ShapeSpec::Mesh,
        balls: Some(BALLS.to_vec()),
        cell: Some(0.03),
        friction: 0.4,
        ..ColliderSpec::default()
    };
    SceneSpec {
        frames: 90,
        min_contacts: 20_000,
        cloth: vec![sheet],
        collider: vec![ground(), obstacle],
        ..scene("drape-bunny", "a fine sheet falls on a bunny of balls, or on `--set collider.obstacle.file=FILE`", 40)
    }
}
