//! The named scenes: one library for the command line, tests and benches.

mod bunny;
mod dents;
mod fabrics;
mod fields;
mod fluids;
mod fracture;
mod grains;
mod heaps;
mod joined;
mod machines;
mod parts;
mod rigid;
mod rods;
mod sleeve;
mod solids;
mod tear;
mod touching;

use crate::tables::{AirSpec, ClothSpec, ColliderSpec, KeySpec, MotionSpec, RopeSpec, SceneSpec, ShapeSpec, Turn};
use parts::{cloth, ground, scene, sphere};
use seidel::{GridPins, Substeps};

/// All names, in order.
pub const NAMES: &[&str] = &[
    "cloth-sphere",
    "flag",
    "curtain",
    "chain",
    "shapes",
    "folds",
    "twist",
    "layers",
    "funnel",
    "knot",
    "drape-bunny",
    "bullet",
    "tangled",
    "sleeve",
    "balloons",
    "soft-heap",
    "bar-bend",
    "jelly-drop",
    "dents",
    "tear",
    "fracture",
    "rod-twist",
    "flag-materials",
    "orthotropic",
    "rope-bridge",
    "curtain-hooks",
    "stack",
    "pyramid",
    "dominoes",
    "cradle",
    "top",
    "hammock",
    "cards",
    "washer",
    "chain-1000",
    "ragdolls",
    "car",
    "crane",
    "wrecking-ball",
    "marbles",
    "dam-break",
    "fountain",
    "two-phase",
    "buoyant-balls",
    "stirrer",
    "cloth-bag",
    "sand-pile",
    "hourglass",
    "sand-on-cloth",
    "mudslide",
];

/// The scene of a name: of those in [`NAMES`].
///
/// # Example
/// ```
/// assert_eq!(seidel_scenes::named("flag").unwrap().cloth[0].resolution, [96, 64]);
/// assert!(seidel_scenes::named("flog").is_none());
/// ```
#[must_use]
pub fn named(name: &str) -> Option<SceneSpec> {
    match name {
        "cloth-sphere" => Some(cloth_sphere()),
        "flag" => Some(flag()),
        "curtain" => Some(curtain()),
        "chain" => Some(chain()),
        "shapes" => Some(shapes()),
        "folds" => Some(touching::folds()),
        "twist" => Some(touching::twist()),
        "layers" => Some(touching::layers()),
        "funnel" => Some(touching::funnel()),
        "knot" => Some(touching::knot()),
        "drape-bunny" => Some(bunny::drape_bunny()),
        "bullet" => Some(touching::bullet()),
        "tangled" => Some(touching::tangled()),
        "sleeve" => Some(sleeve::sleeve()),
        "balloons" => Some(fields::balloons()),
        "soft-heap" => Some(fields::soft_heap()),
        "bar-bend" => Some(solids::bar_bend()),
        "jelly-drop" => Some(solids::jelly_drop()),
        "dents" => Some(dents::dents()),
        "tear" => Some(tear::tear()),
        "fracture" => Some(fracture::fracture()),
        "rod-twist" => Some(rods::rod_twist()),
        "flag-materials" => Some(fabrics::flag_materials()),
        "orthotropic" => Some(fabrics::orthotropic()),
        "rope-bridge" => Some(joined::rope_bridge()),
        "curtain-hooks" => Some(joined::curtain_hooks()),
        "stack" => Some(rigid::stack()),
        "pyramid" => Some(rigid::pyramid()),
        "dominoes" => Some(rigid::dominoes()),
        "cradle" => Some(rigid::cradle()),
        "top" => Some(rigid::top()),
        "hammock" => Some(rigid::hammock()),
        "dam-break" => Some(fluids::dam_break()),
        "fountain" => Some(fluids::fountain()),
        "two-phase" => Some(fluids::two_phase()),
        "buoyant-balls" => Some(fluids::buoyant_balls()),
        "stirrer" => Some(fluids::stirrer()),
        "cloth-bag" => Some(fluids::cloth_bag()),
        "sand-pile" => Some(grains::sand_pile()),
        "hourglass" => Some(grains::hourglass()),
        "sand-on-cloth" => Some(grains::sand_on_cloth()),
        "mudslide" => Some(grains::mudslide()),
        "cards" => Some(heaps::cards()),
        "washer" => Some(heaps::washer()),
        "chain-1000" => Some(machines::chain_1000()),
        "ragdolls" => Some(machines::ragdolls()),
        "car" => Some(machines::car()),
        "crane" => Some(machines::crane()),
        "wrecking-ball" => Some(heaps::wrecking_ball()),
        "marbles" => Some(heaps::marbles()),
        _ => None,
    }
}

/// The main job. Three metres of cloth, because one sweep a substep lets a sheet of n rows stretch by about
/// 2 g height h^2 n^2 / size^2.
fn cloth_sphere() -> SceneSpec {
    let motion = MotionSpec::Sinusoidal { amplitude: [0.8, 0.0, 0.0], period: 4.0, phase: 0.0 };
    SceneSpec {
        min_contacts: 200_000,
        // One swing of the sphere.
        frames: 240,
        cloth: vec![ClothSpec { friction: 0.4, thickness: Some(0.008), ..cloth("cloth", [128, 128], [3.0, 3.0], 2.2) }],
        collider: vec![ground(), ColliderSpec { friction: 0.4, motion, ..sphere(0.8, [0.0, 1.2, 0.0]) }],
        ..scene(
            "cloth-sphere",
            "a cloth falls on a sphere that moves to and fro, wraps it and slides with friction",
            Substeps::Auto,
        )
    }
}

/// A flag that flies.
fn flag() -> SceneSpec {
    let flag = ClothSpec {
        rotation: Turn { axis: [1.0, 0.0, 0.0], degrees: 90.0 },
        density: Some(0.15),
        drag: 1.2,
        lift: 1.5,
        damping: 0.005,
        pin: vec![GridPins::FirstColumn],
        ..cloth("flag", [96, 64], [3.0, 2.0], 3.5)
    };
    SceneSpec {
        air: AirSpec { wind: [8.0, 0.0, 1.0], gusts: 0.3, ..AirSpec::default() },
        cloth: vec![flag],
        collider: vec![ground()],
        ..scene("flag", "a flag flies in a gusty wind of 8 m/s", 40)
    }
}

/// A hanging sheet that is pushed.
fn curtain() -> SceneSpec {
    let phase = -std::f64::consts::FRAC_PI_2;
    let motion = MotionSpec::Sinusoidal { amplitude: [0.0, 0.0, 0.8], period: 5.0, phase };
    SceneSpec {
        min_contacts: 4_000,
        cloth: vec![ClothSpec {
            rotation: Turn { axis: [1.0, 0.0, 0.0], degrees: 90.0 },
            compress: Some(1e-3),
            bend_compliance: Some(1e3),
            pin: vec![GridPins::FirstRow],
            thickness: Some(0.008),
            friction: 0.2,
            ..cloth("curtain", [80, 80], [3.0, 2.6], 1.5)
        }],
        collider: vec![ground(), ColliderSpec { friction: 0.2, motion, ..sphere(0.4, [0.0, 1.1, -0.8]) }],
        ..scene("curtain", "a hanging sheet, soft in compression, is pushed by a sphere that swings to and fro", 40)
    }
}

/// A chain that swings with a heavy end.
fn chain() -> SceneSpec {
    SceneSpec {
        min_contacts: 250,
        rope: vec![RopeSpec {
            name: "chain".to_owned(),
            from: [0.0, 2.0, 0.0],
            to: [1.5, 2.0, 0.0],
            segments: 60,
            end_mass: Some(0.2),
            pin_vertices: vec![0],
            ..RopeSpec::default()
        }],
        collider: vec![ground(), sphere(0.25, [-0.1, 1.2, 0.0])],
        ..scene("chain", "a chain with a heavy end swings down, winds around a sphere and back", 60)
    }
}

/// One of each collider, two of them turning.
fn shapes() -> SceneSpec {
    let of = |name: &str, shape, position, axis, degrees| ColliderSpec {
        name: name.to_owned(),
        shape,
        position,
        rotation: Turn { axis, degrees },
        ..ColliderSpec::default()
    };
    let capsule = of("capsule", ShapeSpec::Capsule, [-0.8, 0.6, -0.7], [1.0, 0.0, 0.4], 70.0);
    let cuboid = of("cuboid", ShapeSpec::Cuboid, [0.7, 0.5, -0.7], [0.0, 1.0, 0.3], 30.0);
    let cylinder = of("cylinder", ShapeSpec::Cylinder, [-0.7, 0.5, 0.7], [0.0; 3], 0.0);
    let torus = of("torus", ShapeSpec::Torus, [0.7, 0.6, 0.7], [1.0, 0.0, 0.0], 40.0);
    let turning = |degrees: f64| MotionSpec::KeyFrames {
        keys: [0.0, 5.0]
            .map(|time| KeySpec { time, offset: [0.0; 3], axis: [0.0, 1.0, 0.0], degrees: degrees * time })
            .to_vec(),
    };
    SceneSpec {
        min_contacts: 100_000,
        cloth: vec![ClothSpec { friction: 0.4, thickness: Some(0.008), ..cloth("sheet", [120, 120], [3.0, 3.0], 1.6) }],
        collider: vec![
            ground(),
            ColliderSpec { radius: Some(0.15), half_length: Some(0.3), ..capsule },
            ColliderSpec { half: Some([0.3, 0.4, 0.2]), motion: turning(60.0), ..cuboid },
            ColliderSpec { radius: Some(0.3), half_length: Some(0.5), motion: turning(-45.0), ..cylinder },
            ColliderSpec { radius: Some(0.15), ring: Some(0.4), ..torus },
        ],
        ..scene("shapes", "a sheet falls on a capsule, a turning cuboid, a turning cylinder and a torus", 40)
    }
}
