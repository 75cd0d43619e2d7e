//! The named scenes: one library for the command line, tests and benches.

use crate::collider::Motion;
use crate::recipe::GridPins;
use crate::spec::{ClothSpec, ColliderSpec, RopeSpec, SceneSpec, ShapeSpec, Turn};

/// All names, in order.
pub const NAMES: &[&str] = &["cloth-sphere", "flag", "curtain", "chain"];

/// The scene of a name.
///
/// # Example
/// ```
/// assert_eq!(seidel::scenes::named("flag").unwrap().cloth[0].resolution, [96, 64]);
/// assert!(seidel::scenes::named("flog").is_none());
/// ```
#[must_use]
pub fn named(name: &str) -> Option<SceneSpec> {
    match name {
        "cloth-sphere" => Some(cloth_sphere()),
        "flag" => Some(flag()),
        "curtain" => Some(curtain()),
        "chain" => Some(chain()),
        _ => None,
    }
}

fn scene(name: &str, about: &str) -> SceneSpec {
    SceneSpec { name: name.to_owned(), about: about.to_owned(), ..SceneSpec::default() }
}

fn ground() -> ColliderSpec {
    ColliderSpec { name: "ground".to_owned(), ..ColliderSpec::default() }
}

/// The main job. Three metres of cloth, because one sweep a substep lets a sheet of n rows stretch by about
/// 2 g height h^2 n^2 / size^2; shear soft enough to lie on a ball.
fn cloth_sphere() -> SceneSpec {
    let mut scene = SceneSpec {
        cloth: vec![ClothSpec {
            name: "cloth".to_owned(),
            resolution: [128, 128],
            size: [3.0, 3.0],
            position: [0.0, 2.2, 0.0],
            stretch_compliance: Some(1e-4),
            shear_compliance: Some(0.1),
            bend_compliance: Some(2e3),
            friction: 0.4,
            thickness: 0.008,
            damping: 0.02,
            ..ClothSpec::default()
        }],
        collider: vec![
            ground(),
            ColliderSpec {
                name: "sphere".to_owned(),
                shape: ShapeSpec::Sphere,
                radius: 0.8,
                position: [0.0, 1.2, 0.0],
                friction: 0.4,
                motion: Motion::Sinusoidal { amplitude: [0.8, 0.0, 0.0], period: 4.0, phase: 0.0 },
                ..ColliderSpec::default()
            },
        ],
        ..scene("cloth-sphere", "a cloth falls on a sphere that moves to and fro, wraps it and slides with friction")
    };
    scene.solver.substeps = 40;
    scene
}

/// A sheet that hangs from one edge and swings.
fn flag() -> SceneSpec {
    let mut scene = SceneSpec {
        cloth: vec![ClothSpec {
            name: "flag".to_owned(),
            resolution: [96, 64],
            size: [3.0, 2.0],
            position: [0.0, 3.5, 0.0],
            stretch_compliance: Some(1e-4),
            shear_compliance: Some(0.1),
            bend_compliance: Some(2e3),
            pin: vec![GridPins::FirstColumn],
            damping: 0.02,
            ..ClothSpec::default()
        }],
        collider: vec![ground()],
        ..scene("flag", "a sheet pinned along one edge falls from the horizontal and swings")
    };
    scene.solver.substeps = 40;
    scene
}

/// A hanging sheet that is pushed.
fn curtain() -> SceneSpec {
    let mut scene = SceneSpec {
        cloth: vec![ClothSpec {
            name: "curtain".to_owned(),
            resolution: [80, 80],
            size: [3.0, 2.6],
            position: [0.0, 1.5, 0.0],
            rotation: Turn { axis: [1.0, 0.0, 0.0], degrees: 90.0 },
            stretch_compliance: Some(1e-4),
            compress: Some(1e-3),
            shear_compliance: Some(0.1),
            bend_compliance: Some(1e3),
            pin: vec![GridPins::FirstRow],
            damping: 0.02,
            thickness: 0.008,
            friction: 0.2,
            ..ClothSpec::default()
        }],
        collider: vec![
            ground(),
            ColliderSpec {
                name: "sphere".to_owned(),
                shape: ShapeSpec::Sphere,
                radius: 0.4,
                position: [0.0, 1.1, -0.8],
                friction: 0.2,
                motion: Motion::Sinusoidal {
                    amplitude: [0.0, 0.0, 0.8],
                    period: 5.0,
                    phase: -std::f64::consts::FRAC_PI_2,
                },
                ..ColliderSpec::default()
            },
        ],
        ..scene("curtain", "a hanging sheet, soft in compression, is pushed by a sphere that swings to and fro")
    };
    scene.solver.substeps = 40;
    scene
}

/// A chain that swings with a heavy end.
fn chain() -> SceneSpec {
    let mut scene = SceneSpec {
        rope: vec![RopeSpec {
            name: "chain".to_owned(),
            from: [0.0, 2.0, 0.0],
            to: [1.5, 2.0, 0.0],
            segments: 60,
            end_mass: Some(0.2),
            pin_vertices: vec![0],
            ..RopeSpec::default()
        }],
        collider: vec![
            ground(),
            ColliderSpec {
                name: "sphere".to_owned(),
                shape: ShapeSpec::Sphere,
                radius: 0.25,
                position: [-0.1, 1.2, 0.0],
                ..ColliderSpec::default()
            },
        ],
        ..scene("chain", "a chain with a heavy end swings down, winds around a sphere and back")
    };
    scene.solver.substeps = 60;
    scene
}
