//! Rigid bodies: stacks that stand, dominoes that fall, a top that turns over.

use super::parts::{cloth, ground, scene};
use crate::tables::{
    ClothSpec, KeySpec, MotionSpec, MovingPinsSpec, RigidJointKindSpec, RigidJointSpec, RigidShapeSpec, RigidSpec,
    SceneSpec, SelectSpec, Turn,
};

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

/// Metres of the hammock's sheet along x and z, and its height at the start.
const SHEET: [f64; 2] = [1.2, 2.4];
const HEIGHT: f64 = 1.0;

/// Pins that gather the hammock's first and last row in half a second. The middle third of a row comes nearer to the
/// other row; what is to both sides of it turns up, and the outer half of that by twice the angle. So the sides of the
/// sheet hang higher than its middle.
///
/// ```text
///   o                   o
///    o                 o     70 degrees
///      o             o       35 degrees
///         o  o  o  o
/// ```
fn gathered() -> Vec<MovingPinsSpec> {
    const SECONDS: f64 = 0.5;
    const NEARER: f64 = 0.08;
    const DEGREES: f64 = 35.0;
    // Boxes end beside the creases, where a vertex may be, so that none is in two of them.
    const BESIDE: f64 = 0.005;
    const BEHIND: f64 = 0.0051;
    let sixth = SHEET[0] / 6.0;
    // In tenths of a millimetre: a scene file has as many digits.
    let rounded = |x: f64| (x * 1e4).round() / 1e4;
    // Pins between two places along x, which turn about a third, and where that goes.
    let part = |end: f64, between: [f64; 2], about: f64, [x, y]: [f64; 2], degrees: f64| {
        let z = 0.5 * end * SHEET[1];
        let (low, high) = (between[0].min(between[1]), between[0].max(between[1]));
        let corner = |x: f64, way: f64| [x, HEIGHT + way, z + way].map(|c| rounded(c) as f32);
        let key = |time: f64, offset: [f64; 3], degrees: f64| KeySpec { time, offset, axis: [0.0, 0.0, 1.0], degrees };
        let there = [x, y, -end * NEARER].map(rounded);
        MovingPinsSpec {
            pin_where: vec![SelectSpec {
                cuboid: Some([corner(low, -0.01), corner(high, 0.01)]),
                ..SelectSpec::default()
            }],
            about: [rounded(about), HEIGHT, z],
            motion: MotionSpec::KeyFrames { keys: vec![key(0.0, [0.0; 3], 0.0), key(SECONDS, there, degrees)] },
            ..MovingPinsSpec::default()
        }
    };
    let angle = DEGREES.to_radians();
    let row = |end: f64| {
        let middle = part(end, [-sixth - BESIDE, sixth + BESIDE], 0.0, [0.0; 2], 0.0);
        let sides = [-1.0, 1.0].into_iter().flat_map(move |side| {
            let x = |sixths: f64, more: f64| side * (sixths * sixth + more);
            // The outer crease turns about the inner one.
            let moves = [side * sixth * (libm::cos(angle) - 1.0), sixth * libm::sin(angle)];
            [
                part(end, [x(1.0, BEHIND), x(2.0, BESIDE)], x(1.0, 0.0), [0.0; 2], side * DEGREES),
                part(end, [x(2.0, BEHIND), x(3.0, BESIDE)], x(2.0, 0.0), moves, 2.0 * side * DEGREES),
            ]
        });
        std::iter::once(middle).chain(sides)
    };
    [-1.0, 1.0].into_iter().flat_map(row).collect()
}

pub(super) fn hammock() -> SceneSpec {
    let sheet = ClothSpec {
        moving_pins: gathered(),
        density: Some(0.4),
        friction: 0.5,
        thickness: Some(4e-3),
        linear_damping: 0.5,
        bend_compliance: Some(30.0),
        ..cloth("hammock", [16, 32], SHEET.map(|side| side as f32), HEIGHT as f32)
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
        ball("ball-0", 0.16, [0.1, 1.7, -0.3]),
        ball("ball-1", 0.12, [-0.15, 1.8, 0.35]),
        ball("ball-2", 0.09, [0.2, 2.2, 0.1]),
    ];
    for (name, half, position) in [("box", [0.16, 0.06, 0.1], [-0.1, 2.2, -0.2]), ("die", [0.07; 3], [0.0, 2.6, 0.3])] {
        let turned = Turn { axis: [1.0, 0.4, 0.2], degrees: 35.0 };
        body.push(RigidSpec { density: Some(120.0), rotation: turned, ..cuboid(name.to_owned(), half, position) });
    }
    SceneSpec {
        cloth: vec![sheet],
        body,
        collider: vec![ground()],
        ..scene("hammock", "balls and boxes fall into a sheet that is gathered at both ends, and stay in it", 40)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Geometry;
    use seidel::{Input, Plan, Solver};

    /// What falls into the hammock is in it when it has come to rest: above the lowest vertex of the sheet, and below
    /// the sides of its middle row.
    #[test]
    fn the_hammock_holds_what_falls_into_it() {
        for substeps in [20, 40] {
            let mut spec = hammock();
            spec.solver.substeps = substeps.into();
            let scene = spec.build(|file| Err::<Geometry, _>(file.to_owned())).expect("no file");
            let mut solver = Solver::new(&scene).expect("sound");
            for _ in 0..150 {
                solver.step(&Input::frame(1.0 / 60.0));
            }
            let (plan, state) = (solver.plan(), solver.state());
            let sheet = solver.positions(plan.body("hammock").expect("is there"));
            let [columns, rows] = spec.cloth[0].resolution.map(|count| count as usize);
            let lowest = sheet.iter().map(|x| f64::from(x.y)).fold(f64::INFINITY, f64::min);
            let middle = rows / 2 * columns;
            let side = f64::from(sheet[middle].y.min(sheet[middle + columns - 1].y));
            for id in plan.rigid_ids() {
                let (name, y) = (plan.rigid_name(id), state.rigid_pose(plan, id).position()[1]);
                assert!(lowest < y && y < side, "{name}, {substeps} substeps: {lowest} < {y} < {side}");
            }
            assert_eq!(plan.max_rigid_penetration(state), Some(0.0), "{substeps} substeps");
        }
    }

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
