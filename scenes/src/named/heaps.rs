//! Rigid bodies in heaps: a house of cards, a drum that turns, marbles in a bag; and a ball that a sheet holds.

use super::machines::links;
use super::parts::{cloth, ground, scene};
use crate::tables::{
    ClothSpec, ColliderSpec, JoinSpec, KeySpec, MotionSpec, MovingPinsSpec, RigidJointKindSpec, RigidJointSpec,
    RigidShapeSpec, RigidSpec, RopeSpec, SceneSpec, ShapeSpec, Turn,
};
use seidel::GridPins;
use std::f64::consts::PI;

/// A box about a position.
fn cuboid(name: String, half: [f32; 3], position: [f64; 3]) -> RigidSpec {
    let position = position.map(|c| c as f32);
    RigidSpec { name, shape: RigidShapeSpec::Cuboid, half: Some(half), position, ..RigidSpec::default() }
}

pub(super) fn cards() -> SceneSpec {
    const LEVELS: u32 = 4;
    /// Half a card's height and thickness, metres; how far two lean against each other, radians.
    const HALF: f64 = 0.1;
    const THIN: f64 = 0.002;
    const LEAN: f64 = 0.44;
    let (s, c) = (libm::sin(LEAN), libm::cos(LEAN));
    // Of two that lean: the height, and how far their lower corners are from the middle.
    let (high, wide) = (2.0 * (HALF * c + THIN * s), 2.0 * HALF * s + THIN * c);
    let apart = 2.0 * wide + 0.004;
    let card = |name: String, half: [f64; 3], position: [f64; 3]| RigidSpec {
        friction: 0.8,
        density: Some(700.0),
        ..cuboid(name, half.map(|c| c as f32), position)
    };
    let mut body = Vec::new();
    for level in 0..LEVELS {
        let below = f64::from(level) * (high + 2.0 * THIN);
        let pairs = LEVELS - level;
        let middle = |i: u32| apart * (f64::from(i) - 0.5 * f64::from(pairs - 1));
        for i in 0..pairs {
            for (side, way) in [("left", -1.0), ("right", 1.0)] {
                let position = [middle(i) + way * (HALF * s + THIN * c), below + 0.5 * high, 0.0];
                let leaning = card(format!("{side}-{level}-{i}"), [THIN, HALF, 0.06], position);
                let rotation = Turn { axis: [0.0, 0.0, 1.0], degrees: way * LEAN * 180.0 / PI };
                body.push(RigidSpec { rotation, ..leaning });
            }
        }
        // Cards that lie on the tips, half as deep, in front and behind by turns: each reaches beyond its tips.
        for i in 1..pairs {
            let position =
                [0.5 * (middle(i - 1) + middle(i)), below + high + THIN, if i % 2 == 1 { -0.031 } else { 0.031 }];
            body.push(card(format!("flat-{level}-{i}"), [HALF, THIN, 0.028], position));
        }
    }
    SceneSpec {
        body,
        collider: vec![ColliderSpec { friction: 0.8, ..ground() }],
        ..scene("cards", "a house of cards stands", 40)
    }
}

pub(super) fn washer() -> SceneSpec {
    const LOBES: u32 = 6;
    // A drum of balls that flow into one another: its lobes carry along what lies in them.
    let lobe = |i: u32| {
        let angle = f64::from(i) * 2.0 * PI / f64::from(LOBES);
        [1.1 * libm::cos(angle), 1.1 * libm::sin(angle), 0.0, 0.75].map(|c| c as f32)
    };
    let drum = ColliderSpec {
        name: "drum".to_owned(),
        shape: ShapeSpec::Mesh,
        balls: Some((0..LOBES).map(lobe).chain([[0.0, 0.0, 0.0, 1.25]]).collect()),
        cell: Some(0.15),
        inverted: true,
        position: [0.0, 2.0, 0.0],
        friction: 0.6,
        motion: MotionSpec::Steady { velocity: [0.0; 3], axis: [0.0, 0.0, 1.0], turns: 0.2, start: 0.5, end: None },
        ..ColliderSpec::default()
    };
    let body = |i: u32| {
        let position =
            [0.24 * (f64::from(i % 7) - 3.0), 1.4 + 0.27 * f64::from(i / 28), 0.24 * (f64::from(i / 7 % 4) - 1.5)];
        let (name, turn) = (format!("body-{i}"), Turn { axis: [1.0, 0.3, 0.5], degrees: 20.0 * f64::from(i % 5) });
        match i % 3 {
            0 => RigidSpec {
                name,
                radius: Some(0.1),
                position: position.map(|c| c as f32),
                density: Some(500.0),
                ..RigidSpec::default()
            },
            1 => RigidSpec { density: Some(500.0), rotation: turn, ..cuboid(name, [0.09, 0.07, 0.1], position) },
            _ => RigidSpec {
                name,
                shape: RigidShapeSpec::Capsule,
                radius: Some(0.06),
                half_length: Some(0.05),
                position: position.map(|c| c as f32),
                rotation: turn,
                density: Some(500.0),
                ..RigidSpec::default()
            },
        }
    };
    SceneSpec {
        frames: 480,
        body: (0..84).map(body).collect(),
        collider: vec![drum],
        ..scene("washer", "a drum turns with 84 bodies in it", 12)
    }
}

pub(super) fn wrecking_ball() -> SceneSpec {
    let (from, angle) = ([-0.6, 4.4, 0.0], -1.2);
    let (mut body, mut joint, end) = links("link", (6, 0.45, 0.03, 0.5), (from, angle), None);
    let radius = 0.25;
    let position = [end[0] + radius * libm::sin(angle), end[1] - radius * libm::cos(angle), end[2]];
    body.push(RigidSpec {
        name: "ball".to_owned(),
        radius: Some(radius as f32),
        position: position.map(|c| c as f32),
        mass: Some(20.0),
        ..RigidSpec::default()
    });
    joint.push(RigidJointSpec {
        kind: RigidJointKindSpec::Ball,
        a: Some("link-5".to_owned()),
        b: Some("ball".to_owned()),
        position: end.map(|c| c as f32),
        ..RigidJointSpec::default()
    });
    // Behind the sheet, and to stand there still.
    for i in 0..9u32 {
        let position = [1.6, 0.2 + 0.4 * f64::from(i / 3), 0.42 * (f64::from(i % 3) - 1.0)];
        body.push(RigidSpec { density: Some(100.0), ..cuboid(format!("box-{i}"), [0.2; 3], position) });
    }
    let sheet = ClothSpec {
        position: [0.0, 1.6, 0.0],
        rotation: Turn { axis: [0.0, 0.0, 1.0], degrees: 90.0 },
        pin: vec![GridPins::FirstRow, GridPins::LastRow, GridPins::FirstColumn, GridPins::LastColumn],
        density: Some(1.0),
        thickness: Some(0.01),
        friction: 0.4,
        stretch_compliance: Some(2e-4),
        ..cloth("sheet", [40, 40], [2.4, 2.4], 1.6)
    };
    SceneSpec {
        cloth: vec![sheet],
        body,
        joint,
        collider: vec![ground()],
        ..scene("wrecking-ball", "a ball of 20 kg on a chain swings into a sheet, which holds it", 40)
    }
}

pub(super) fn marbles() -> SceneSpec {
    const SIDE: f64 = 1.2;
    let corner = |i: u32| [f64::from(i % 2), f64::from(i / 2)].map(|c| (c - 0.5) * SIDE);
    // A rope from each corner; its upper end goes up and inwards, so the sheet becomes a bag.
    let rope = |i: u32| {
        let [x, z] = corner(i);
        let key = |time, part: f64| KeySpec {
            time,
            offset: [-0.85 * x * part, part, -0.85 * z * part],
            axis: [0.0; 3],
            degrees: 0.0,
        };
        RopeSpec {
            name: format!("rope-{i}"),
            from: [x as f32, 0.31, z as f32],
            to: [x as f32, 0.01, z as f32],
            segments: 3,
            link_mass: 0.05,
            moving_pins: vec![MovingPinsSpec {
                pin_vertices: vec![0],
                motion: MotionSpec::KeyFrames { keys: vec![key(0.0, 0.0), key(2.0, 1.0)] },
                ..MovingPinsSpec::default()
            }],
            ..RopeSpec::default()
        }
    };
    let join = |i: u32| JoinSpec {
        a: format!("rope-{i}"),
        b: "bag".to_owned(),
        vertices: vec![3],
        within: Some(0.01),
        ..JoinSpec::default()
    };
    let bag = ClothSpec {
        density: Some(0.5),
        thickness: Some(0.008),
        friction: 0.3,
        stretch_compliance: Some(1e-5),
        ..cloth("bag", [24, 24], [SIDE as f32; 2], 0.01)
    };
    let marble = |i: u32| RigidSpec {
        name: format!("marble-{i}"),
        radius: Some(0.06),
        position: [0.13 * ((i % 5) as f32 - 2.0), 0.079, 0.13 * ((i / 5) as f32 - 2.0)],
        density: Some(300.0),
        friction: 0.3,
        rolling_resistance: 1e-3,
        ..RigidSpec::default()
    };
    SceneSpec {
        frames: 240,
        cloth: vec![bag],
        rope: (0..4).map(rope).collect(),
        body: (0..25).map(marble).collect(),
        join: (0..4).map(join).collect(),
        collider: vec![ground()],
        ..scene("marbles", "a sheet with 25 marbles is drawn up at its corners and is a bag", 120)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Geometry;
    use seidel::Plan;

    #[test]
    fn heaps_are_sound() {
        for (spec, bodies) in [(cards(), 26), (washer(), 84), (wrecking_ball(), 16), (marbles(), 25)] {
            assert_eq!(spec.body.len(), bodies, "{}", spec.name);
            assert_eq!(crate::named(&spec.name), Some(spec.clone()));
            let scene = spec.build(|file| Err::<Geometry, _>(file.to_owned())).expect("no file");
            Plan::new(&scene).unwrap_or_else(|e| panic!("{}: {e}", spec.name));
        }
    }
}
