//! Scenes of grains.

use super::parts::{cloth, ground, scene};
use crate::tables::{ClothSpec, ColliderSpec, GrainsSpec, SceneSpec, ShapeSpec};
use seidel::{Collide, GridPins, Substeps};

/// Sand in a box.
fn sand(radius: f32, from: [f32; 3], to: [f32; 3]) -> GrainsSpec {
    GrainsSpec { name: "sand".to_owned(), radius, friction: 0.35, from, to, ..GrainsSpec::default() }
}

/// A column of sand that falls and becomes a heap.
pub(super) fn sand_pile() -> SceneSpec {
    SceneSpec {
        min_contacts: 1000,
        frames: 180,
        grains: vec![sand(0.01, [-0.12, 0.02, -0.12], [0.12, 1.0, 0.12])],
        collider: vec![ground()],
        ..scene("sand-pile", "a column of sand falls, and lies as a heap", Substeps::Auto)
    }
}

/// A glass of two bulbs, the upper one full.
pub(super) fn hourglass() -> SceneSpec {
    let glass = ColliderSpec {
        name: "glass".to_owned(),
        shape: ShapeSpec::Mesh,
        balls: Some(vec![[0.0, 0.24, 0.0, 0.2], [0.0, 0.0, 0.0, 0.05], [0.0, -0.24, 0.0, 0.2]]),
        cell: Some(0.012),
        inverted: true,
        position: [0.0, 0.5, 0.0],
        friction: 0.2,
        ..ColliderSpec::default()
    };
    SceneSpec {
        min_contacts: 1000,
        frames: 360,
        grains: vec![GrainsSpec { fraction: 0.28, ..sand(0.007, [-0.12, 0.62, -0.12], [0.12, 0.86, 0.12]) }],
        collider: vec![glass],
        ..scene("hourglass", "sand runs through the neck of a glass", Substeps::Auto)
    }
}

/// Sand that falls onto a sheet.
pub(super) fn sand_on_cloth() -> SceneSpec {
    let sheet = ClothSpec {
        density: Some(2.0),
        stretch_compliance: Some(1e-6),
        shear_compliance: Some(1e-3),
        thickness: Some(0.004),
        collide: Collide::Others,
        pin: vec![GridPins::FirstRow, GridPins::LastRow, GridPins::FirstColumn, GridPins::LastColumn],
        damping: 0.05,
        ..cloth("sheet", [28, 28], [1.0, 1.0], 0.5)
    };
    SceneSpec {
        min_contacts: 1000,
        frames: 180,
        cloth: vec![sheet],
        grains: vec![sand(0.012, [-0.2, 0.56, -0.2], [0.2, 0.8, 0.2])],
        collider: vec![ground()],
        ..scene(
            "sand-on-cloth",
            "sand falls onto a sheet that is held at its edges, and weighs it down",
            Substeps::Auto,
        )
    }
}

/// Heights of a valley that falls along x, rows along z, metres.
fn valley(x: u32, z: u32) -> f32 {
    let (x, z) = (0.1 * x as f32, 0.1 * (z as f32 - 6.0));
    let slope = if x < 1.6 { 0.75 * (1.6 - x) } else { 0.0 };
    // It winds a little, and its sides are steep.
    let aside = z - 0.12 * libm::sinf(3.0 * x);
    slope + 1.2 * aside * aside
}

/// Mud that comes loose at the top of a valley.
pub(super) fn mudslide() -> SceneSpec {
    let ground = ColliderSpec {
        name: "valley".to_owned(),
        shape: ShapeSpec::HeightField,
        heights: Some((0..13).map(|z| (0..45).map(|x| valley(x, z)).collect()).collect()),
        cell: Some(0.1),
        position: [0.8, 0.0, 0.0],
        friction: 0.25,
        ..ColliderSpec::default()
    };
    let mud = GrainsSpec {
        name: "mud".to_owned(),
        density: 1800.0,
        friction: 0.3,
        dynamic_friction: Some(0.15),
        cohesion: 100.0,
        ..sand(0.012, [-1.35, 1.2, -0.2], [-0.95, 1.6, 0.2])
    };
    SceneSpec {
        min_contacts: 1000,
        frames: 240,
        grains: vec![mud],
        collider: vec![ground],
        ..scene("mudslide", "wet soil comes loose, runs down a valley and stops on the flat", Substeps::Auto)
    }
}
