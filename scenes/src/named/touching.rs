//! Scenes of bodies that touch themselves and each other.

use super::parts::{cloth, ground, scene, sphere};
use crate::tables::{
    ClothSpec, ColliderSpec, KeySpec, MotionSpec, MovingPinsSpec, RopeSpec, SceneSpec, ShapeSpec, Turn,
};
use seidel::{Collide, GridPins};

/// A sheet that does not go through itself or others.
fn sheet(name: &str, resolution: u32, size: [f32; 2], height: f32) -> ClothSpec {
    ClothSpec { thickness: Some(0.004), friction: 0.3, ..cloth(name, [resolution; 2], size, height) }
}

/// A sheet that piles up on itself.
pub(super) fn folds() -> SceneSpec {
    let sheet = ClothSpec {
        rotation: Turn { axis: [1.0, 0.0, 0.02], degrees: 88.0 },
        thickness: Some(0.006),
        ..sheet("sheet", 56, [2.0, 2.0], 1.05)
    };
    SceneSpec {
        min_contacts: 40_000,
        frames: 180,
        cloth: vec![sheet],
        collider: vec![ground()],
        ..scene("folds", "a sheet falls on its edge and piles up in folds, without going through itself", 40)
    }
}

/// A sheet that is wrung.
pub(super) fn twist() -> SceneSpec {
    // Two turns each way; what the rope of cloth is shorter than the sheet, the ends come nearer.
    let end = |pin, way: f64| MovingPinsSpec {
        pin: vec![pin],
        about: [0.0, 1.0, 0.0],
        motion: MotionSpec::Steady {
            velocity: [0.1 * way, 0.0, 0.0],
            axis: [1.0, 0.0, 0.0],
            turns: 0.5 * way,
            start: 0.0,
            end: Some(4.0),
        },
        ..MovingPinsSpec::default()
    };
    let sheet = ClothSpec {
        moving_pins: vec![end(GridPins::FirstColumn, 1.0), end(GridPins::LastColumn, -1.0)],
        resolution: [64, 20],
        stretch_compliance: Some(1e-5),
        ..sheet("sheet", 64, [1.6, 0.5], 1.0)
    };
    SceneSpec {
        min_contacts: 40_000,
        frames: 270,
        cloth: vec![sheet],
        ..scene("twist", "a sheet is held at two ends and wrung by four turns", 40)
    }
}

/// Five sheets on a ball, one upon the other.
pub(super) fn layers() -> SceneSpec {
    let layer = |i: u32| {
        let turn = Turn { axis: [0.0, 1.0, 0.0], degrees: 18.0 * f64::from(i) };
        let sheet = sheet(&format!("layer-{i}"), 24, [1.2, 1.2], 0.86 + 0.05 * i as f32);
        ClothSpec { rotation: turn, ..sheet }
    };
    SceneSpec {
        min_contacts: 50_000,
        frames: 120,
        cloth: (0..5).map(layer).collect(),
        collider: vec![ground(), ColliderSpec { friction: 0.4, ..sphere(0.4, [0.0, 0.42, 0.0]) }],
        ..scene("layers", "five sheets fall on a sphere and lie on each other", 20)
    }
}

/// A sheet that is pulled through rings, each narrower than the one above.
pub(super) fn funnel() -> SceneSpec {
    let ring = |i: u32| {
        let below = f64::from(i) / 6.0;
        // From 0.6 to 0.13 m: wide at the top, then steeper.
        let hole = 0.13 + 0.47 * (1.0 - below) * (1.0 - below);
        ColliderSpec {
            name: format!("ring-{i}"),
            shape: ShapeSpec::Torus,
            radius: Some(0.05),
            ring: Some(hole as f32 + 0.05),
            position: [0.0, 1.3 - 0.085 * i as f32, 0.0],
            friction: 0.1,
            ..ColliderSpec::default()
        }
    };
    let pull = MovingPinsSpec {
        pin: vec![GridPins::Middle],
        motion: MotionSpec::Steady {
            velocity: [0.0, -0.5, 0.0],
            axis: [0.0; 3],
            turns: 0.0,
            start: 0.5,
            end: Some(3.5),
        },
        ..MovingPinsSpec::default()
    };
    let sheet = ClothSpec {
        thickness: Some(0.003),
        friction: 0.1,
        moving_pins: vec![pull],
        ..sheet("sheet", 48, [1.2, 1.2], 1.42)
    };
    SceneSpec {
        min_contacts: 8_000,
        frames: 240,
        cloth: vec![sheet],
        collider: (0..7).map(ring).collect(),
        ..scene("funnel", "a sheet is pulled by its middle through a funnel of seven rings", 40)
    }
}

/// A rope that is pulled tight into an overhand knot.
pub(super) fn knot() -> SceneSpec {
    let points = overhand(100);
    let last = points.len() as u32 - 1;
    let end = |vertex: u32, way: f64| {
        let from = points[vertex as usize].map(f64::from);
        let to = [0.73 * way, 1.0, 0.0];
        let key = |time, part: f64| KeySpec {
            time,
            offset: std::array::from_fn(|k| part * (to[k] - from[k])),
            axis: [0.0; 3],
            degrees: 0.0,
        };
        MovingPinsSpec {
            pin_vertices: vec![vertex],
            motion: MotionSpec::KeyFrames { keys: vec![key(0.0, 0.0), key(4.0, 1.0)] },
            ..MovingPinsSpec::default()
        }
    };
    let rope = RopeSpec {
        name: "rope".to_owned(),
        moving_pins: vec![end(0, -1.0), end(last, 1.0)],
        link_mass: 0.002,
        stretch_compliance: Some(1e-5),
        thickness: 0.008,
        friction: 0.2,
        damping: 0.02,
        collide: Collide::All,
        points,
        ..RopeSpec::default()
    };
    SceneSpec {
        min_contacts: 700,
        rope: vec![rope],
        ..scene("knot", "a rope is pulled tight into an overhand knot", 100)
    }
}

/// The long trefoil x = t^3 - 3 t, y = t^4 - 4 t^2, z = t^5 - 10 t (Shastri 1992), in even links of 17 mm.
fn overhand(links: u32) -> Vec<[f32; 3]> {
    const FINE: u32 = 20_000;
    let point = |i: u32| {
        let t = 4.1 * (f64::from(i) / f64::from(FINE)) - 2.05;
        let square = t * t;
        [0.08 * t * (square - 3.0), 1.0 + 0.05 * square * (square - 4.0), 0.012 * t * (square * square - 10.0)]
    };
    let mut lengths = vec![0.0];
    for i in 0..FINE {
        let (a, b) = (point(i), point(i + 1));
        let d: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
        lengths.push(lengths[i as usize] + f64::sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]));
    }
    let all = lengths[FINE as usize];
    let at = |link: u32| {
        let length = all * (f64::from(link) / f64::from(links));
        let i = lengths.partition_point(|&l| l < length).min(FINE as usize);
        point(i as u32).map(|c| c as f32)
    };
    (0..=links).map(at).collect()
}

/// A ball of a pistol's speed and a sheet between posts.
pub(super) fn bullet() -> SceneSpec {
    // It comes from 50 m away and stops behind the sheet.
    let motion =
        MotionSpec::Steady { velocity: [0.0, 0.0, 100.0], axis: [0.0; 3], turns: 0.0, start: 0.0, end: Some(0.504) };
    let sheet = ClothSpec {
        rotation: Turn { axis: [1.0, 0.0, 0.0], degrees: 90.0 },
        pin: vec![GridPins::Corners],
        ..sheet("sheet", 48, [2.0, 2.0], 1.5)
    };
    SceneSpec {
        min_contacts: 800,
        frames: 90,
        cloth: vec![sheet],
        collider: vec![ground(), ColliderSpec { motion, ..sphere(0.15, [0.0, 1.4, -50.0]) }],
        ..scene("bullet", "a ball of 100 m/s is stopped in a hanging sheet", 40)
    }
}

/// Sheets that begin within one another.
pub(super) fn tangled() -> SceneSpec {
    let leaf = |i: u32| {
        let rotation = Turn { axis: [1.0, 0.3 * f64::from(i), 0.5], degrees: 25.0 * f64::from(i) };
        ClothSpec { rotation, ..sheet(&format!("sheet-{i}"), 24, [1.0, 1.0], 0.7 + 0.03 * i as f32) }
    };
    SceneSpec {
        min_contacts: 11_000,
        frames: 120,
        cloth: (0..3).map(leaf).collect(),
        collider: vec![ground()],
        ..scene("tangled", "three sheets begin within one another, and fall without flying apart", 20)
    }
}
