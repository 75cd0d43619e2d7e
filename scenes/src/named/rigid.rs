//! Rigid bodies: stacks that stand, dominoes that fall, a top that turns over.

use super::parts::{cloth, ground, scene};
use crate::tables::{ClothSpec, RigidJointKindSpec, RigidJointSpec, RigidShapeSpec, RigidSpec, SceneSpec, Turn};
use seidel::GridPins;

/// A box about a position.
fn cuboid(name: String, half: [f32; 3], position: [f32; 3]) -> RigidSpec {
    RigidSpec { name, shape: RigidShapeSpec::Cuboid, half: Some(half), position, ..RigidSpec::default() }
}

pub(super) fn stack() -> SceneSpec {
    // To one side and back, so that a higher stack stands, too.
    let body = |i: u32| {
        let x = if i.is_multiple_of(2) { 0.0 } else { 0.02 };
        cuboid(format!("box-{i}"), [0.5; 3], [x, i as f32 + 0.5, 0.0])
    };
    SceneSpec {
        body: (0..10).map(body).collect(),
        collider: vec![ground()],
        ..scene("stack", "ten boxes, each 2 cm beside the last, stand on one another", 20)
    }
}

pub(super) fn pyramid() -> SceneSpec {
    const BASE: u32 = 20;
    let row = |y: u32| {
        (0..BASE - y).map(move |i| {
            // Gaps of 5 cm.
            let x = 1.05 * (i as f32 - 0.5 * (BASE - y - 1) as f32);
            cuboid(format!("box-{y}-{i}"), [0.5; 3], [x, y as f32 + 0.5, 0.0])
        })
    };
    SceneSpec {
        body: (0..BASE).flat_map(row).collect(),
        collider: vec![ground()],
        ..scene("pyramid", "210 boxes on a base of twenty", 20)
    }
}

pub(super) fn dominoes() -> SceneSpec {
    const HALF: [f32; 3] = [0.04, 0.24, 0.12];
    /// Metres along the curve, and the curve's radius.
    const APART: f64 = 0.2;
    const RADIUS: f64 = 1.9;
    let body = |i: u32| {
        let angle = f64::from(i) * APART / RADIUS;
        let position = [RADIUS * libm::sin(angle), f64::from(HALF[1]), RADIUS * (libm::cos(angle) - 1.0)];
        let degrees = angle * 180.0 / std::f64::consts::PI;
        let stands = RigidSpec {
            rotation: Turn { axis: [0.0, 1.0, 0.0], degrees },
            ..cuboid(format!("domino-{i}"), HALF, position.map(|c| c as f32))
        };
        // The first turns about its lower edge at 3 rad/s; 0.9 would do.
        match i {
            0 => RigidSpec {
                angular_velocity: [0.0, 0.0, -3.0],
                velocity: [3.0 * f64::from(HALF[1]), 0.0, 0.0],
                ..stands
            },
            _ => stands,
        }
    };
    SceneSpec {
        body: (0..30).map(body).collect(),
        collider: vec![ground()],
        ..scene("dominoes", "thirty dominoes on a curve; the first is pushed", 20)
    }
}

pub(super) fn top() -> SceneSpec {
    // Squares of the sides are as 3 : 1 : 2, so moments are as 3 : 5 : 4 about x, y and z.
    let half = [0.346_41, 0.2, 0.282_843];
    let body = RigidSpec { angular_velocity: [0.01, 0.01, 10.0], ..cuboid("top".to_owned(), half, [0.0, 1.0, 0.0]) };
    SceneSpec {
        gravity: [0.0; 3],
        body: vec![body],
        ..scene("top", "a box without weight turns about its middle axis, and over again and again", 20)
    }
}

pub(super) fn cradle() -> SceneSpec {
    const RADIUS: f32 = 0.1;
    /// Metres from the ball to the line that it swings about, and to either side of it; radians of the first ball.
    const ROPE: f64 = 0.8;
    const ASIDE: f32 = 0.3;
    const BEGIN: f64 = 0.7;
    let height = 1.2f32;
    let x = |i: u32| (2.0 * RADIUS + 1e-4) * (i as f32 - 2.0);
    let ball = |i: u32| {
        let angle = if i == 0 { BEGIN } else { 0.0 };
        let (aside, down) = ((ROPE * libm::sin(angle)) as f32, (ROPE * libm::cos(angle)) as f32);
        RigidSpec {
            name: format!("ball-{i}"),
            radius: Some(RADIUS),
            position: [x(i) - aside, height - down, 0.0],
            density: Some(7800.0),
            restitution: 1.0,
            friction: 0.0,
            ..RigidSpec::default()
        }
    };
    let ropes = |i: u32| {
        let position_b = ball(i).position;
        [-ASIDE, ASIDE].map(|z| {
            let position = [x(i), height, z];
            let squared: f32 = (0..3).map(|k| (position[k] - position_b[k]) * (position[k] - position_b[k])).sum();
            RigidJointSpec {
                kind: RigidJointKindSpec::Distance,
                b: Some(format!("ball-{i}")),
                position,
                position_b: Some(position_b),
                limits: Some([squared.sqrt(); 2]),
                ..RigidJointSpec::default()
            }
        })
    };
    SceneSpec {
        body: (0..5).map(ball).collect(),
        joint: (0..5).flat_map(ropes).collect(),
        ..scene("cradle", "five balls of steel on two rods each: one hits, one leaves", 20)
    }
}

pub(super) fn hammock() -> SceneSpec {
    const LENGTH: f32 = 2.4;
    let sheet = ClothSpec {
        pin: vec![GridPins::FirstRow, GridPins::LastRow],
        density: Some(0.4),
        friction: 0.5,
        thickness: Some(4e-3),
        linear_damping: 0.5,
        ..cloth("hammock", [32, 64], [1.2, LENGTH], 1.0)
    };
    let ball = |name: &str, radius: f32, position: [f32; 3]| RigidSpec {
        name: name.to_owned(),
        radius: Some(radius),
        position,
        density: Some(120.0),
        angular_damping: 0.5,
        ..RigidSpec::default()
    };
    let mut body = vec![
        ball("ball-0", 0.16, [0.1, 1.4, -0.3]),
        ball("ball-1", 0.12, [-0.15, 1.5, 0.35]),
        ball("ball-2", 0.09, [0.2, 1.9, 0.1]),
    ];
    for (name, half, position) in [("box", [0.16, 0.06, 0.1], [-0.1, 1.9, -0.2]), ("die", [0.07; 3], [0.0, 2.3, 0.3])] {
        let turned = Turn { axis: [1.0, 0.4, 0.2], degrees: 35.0 };
        body.push(RigidSpec { density: Some(120.0), rotation: turned, ..cuboid(name.to_owned(), half, position) });
    }
    SceneSpec {
        cloth: vec![sheet],
        body,
        collider: vec![ground()],
        ..scene("hammock", "balls and boxes fall into a sheet that hangs by two sides", 40)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Geometry;
    use seidel::Plan;

    #[test]
    fn rigid_scenes_are_sound() {
        for (spec, bodies) in
            [(stack(), 10), (pyramid(), 210), (dominoes(), 30), (top(), 1), (cradle(), 5), (hammock(), 5)]
        {
            assert_eq!(spec.body.len(), bodies, "{}", spec.name);
            assert_eq!(crate::named(&spec.name), Some(spec.clone()));
            let scene = spec.build(|file| Err::<Geometry, _>(file.to_owned())).expect("no file");
            Plan::new(&scene).unwrap_or_else(|e| panic!("{}: {e}", spec.name));
        }
    }
}
