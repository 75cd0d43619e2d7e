//! Rigid bodies on joints: a chain with a heavy end, ragdolls, a car, a crane.

use super::parts::{ground, scene};
use crate::tables::{
    ColliderSpec, MotorSpec, RigidJointKindSpec, RigidJointSolverSpec, RigidJointSpec, RigidShapeSpec, RigidSpec,
    SceneSpec, ShapeSpec, Turn,
};
use seidel::RigidKind;
use std::f64::consts::PI;

/// A box about a position.
fn cuboid(name: impl Into<String>, half: [f32; 3], position: [f32; 3]) -> RigidSpec {
    RigidSpec { name: name.into(), shape: RigidShapeSpec::Cuboid, half: Some(half), position, ..RigidSpec::default() }
}

/// A capsule from a point to another.
pub(super) fn capsule(name: impl Into<String>, radius: f32, from: [f64; 3], to: [f64; 3]) -> RigidSpec {
    let way: [f64; 3] = std::array::from_fn(|k| to[k] - from[k]);
    let long = f64::sqrt(way.iter().map(|c| c * c).sum());
    // From y to the way: about y x way.
    let axis = if way[0].abs() + way[2].abs() > 1e-9 { [way[2], 0.0, -way[0]] } else { [1.0, 0.0, 0.0] };
    RigidSpec {
        name: name.into(),
        shape: RigidShapeSpec::Capsule,
        radius: Some(radius),
        half_length: Some((0.5 * long) as f32),
        position: std::array::from_fn(|k| (0.5 * (from[k] + to[k])) as f32),
        rotation: Turn { axis, degrees: libm::acos((way[1] / long).clamp(-1.0, 1.0)) * 180.0 / PI },
        ..RigidSpec::default()
    }
}

/// A joint of two bodies, or of one with the world.
fn joint(kind: RigidJointKindSpec, a: Option<&str>, b: &str, position: [f64; 3]) -> RigidJointSpec {
    RigidJointSpec {
        kind,
        a: a.map(str::to_owned),
        b: Some(b.to_owned()),
        position: position.map(|c| c as f32),
        ..RigidJointSpec::default()
    }
}

/// Links from a point downwards, at an angle to the vertical, each joined to the one before, the first to `hung`.
/// Returns them, their joints and where the last ends.
pub(super) fn links(
    name: &str,
    (count, long, radius, mass): (u32, f64, f32, f64),
    (from, angle): ([f64; 3], f64),
    hung: Option<&str>,
) -> (Vec<RigidSpec>, Vec<RigidJointSpec>, [f64; 3]) {
    let at = |i: u32| {
        let s = f64::from(i) * long;
        [from[0] + s * libm::sin(angle), from[1] - s * libm::cos(angle), from[2]]
    };
    let called = |i: u32| format!("{name}-{i}");
    let links = (0..count).map(|i| RigidSpec {
        mass: Some(mass),
        angular_damping: 0.2,
        ..capsule(called(i), radius, at(i), at(i + 1))
    });
    let joints = (0..count).map(|i| {
        let before = if i == 0 { hung.map(str::to_owned) } else { Some(called(i - 1)) };
        joint(RigidJointKindSpec::Ball, before.as_deref(), &called(i), at(i))
    });
    (links.collect(), joints.collect(), at(count))
}

pub(super) fn chain_1000() -> SceneSpec {
    const LINKS: u32 = 10;
    let (mut body, mut joints, end) = links("link", (LINKS, 0.3, 0.03, 1.0), ([0.0, 5.0, 0.0], 0.35), None);
    // A ball of steel of 1000 kg.
    let radius = 0.313;
    let (s, c) = (libm::sin(0.35), libm::cos(0.35));
    let middle = [end[0] + radius * s, end[1] - radius * c, end[2]];
    body.push(RigidSpec {
        name: "load".to_owned(),
        radius: Some(radius as f32),
        position: middle.map(|c| c as f32),
        mass: Some(1000.0),
        ..RigidSpec::default()
    });
    let last = format!("link-{}", LINKS - 1);
    joints.push(joint(RigidJointKindSpec::Ball, Some(&last), "load", end));
    joints.iter_mut().for_each(|joint| joint.solver = RigidJointSolverSpec::Direct);
    SceneSpec {
        body,
        joint: joints,
        collider: vec![ground()],
        ..scene("chain-1000", "a chain of ten links of 1 kg swings with 1,000 kg at its end", 10)
    }
}

/// A doll of eleven parts that stands at a place, turned about the vertical, and its joints.
fn ragdoll(number: u32, at: [f64; 3], turn: f64, velocity: [f64; 3]) -> (Vec<RigidSpec>, Vec<RigidJointSpec>) {
    let place = |[x, y, z]: [f64; 3]| {
        let (s, c) = (libm::sin(turn), libm::cos(turn));
        [at[0] + c * x + s * z, at[1] + y, at[2] - s * x + c * z]
    };
    let called = |part: &str| format!("doll-{number}-{part}");
    let part = |name: &str, radius: f32, from: [f64; 3], to: [f64; 3]| RigidSpec {
        density: Some(950.0),
        friction: 0.6,
        velocity,
        angular_damping: 0.3,
        ..capsule(called(name), radius, place(from), place(to))
    };
    let mut body = vec![
        part("pelvis", 0.11, [-0.07, 0.95, 0.0], [0.07, 0.95, 0.0]),
        part("chest", 0.13, [-0.06, 1.27, 0.0], [0.06, 1.27, 0.0]),
        part("head", 0.1, [0.0, 1.58, 0.0], [0.0, 1.64, 0.0]),
    ];
    let ball = |a: &str, b: &str, position: [f64; 3], axis: [f64; 3], cone: f32, twist: f32| {
        let ([x, y, z], origin) = (place(axis), place([0.0; 3]));
        RigidJointSpec {
            axis: Some([x - origin[0], y - origin[1], z - origin[2]]),
            cone: Some(cone),
            limits: Some([-twist, twist]),
            ..joint(RigidJointKindSpec::Ball, Some(&called(a)), &called(b), place(position))
        }
    };
    // Knees and elbows turn about the doll's x.
    let hinge = |a: &str, b: &str, position: [f64; 3], limits: [f32; 2]| {
        let ([x, y, z], origin) = (place([1.0, 0.0, 0.0]), place([0.0; 3]));
        RigidJointSpec {
            axis: Some([x - origin[0], y - origin[1], z - origin[2]]),
            limits: Some(limits),
            ..joint(RigidJointKindSpec::Hinge, Some(&called(a)), &called(b), place(position))
        }
    };
    let up = [0.0, 1.0, 0.0];
    let mut joints = vec![
        ball("pelvis", "chest", [0.0, 1.1, 0.0], up, 0.4, 0.3),
        ball("chest", "head", [0.0, 1.46, 0.0], up, 0.5, 0.6),
    ];
    for (side, x) in [("left", -1.0), ("right", 1.0)] {
        let name = |part: &str| format!("{side}-{part}");
        body.push(part(&name("arm"), 0.05, [0.26 * x, 1.33, 0.0], [0.47 * x, 1.33, 0.0]));
        body.push(part(&name("hand"), 0.045, [0.58 * x, 1.33, 0.0], [0.8 * x, 1.33, 0.0]));
        body.push(part(&name("thigh"), 0.075, [0.1 * x, 0.78, 0.0], [0.1 * x, 0.58, 0.0]));
        body.push(part(&name("shin"), 0.06, [0.1 * x, 0.43, 0.0], [0.1 * x, 0.1, 0.0]));
        joints.push(ball("chest", &name("arm"), [0.2 * x, 1.33, 0.0], [x, 0.0, 0.0], 1.3, 0.5));
        let elbow = [0.53 * x, 1.33, 0.0];
        let ([a, b, c], origin) = (place(up), place([0.0; 3]));
        joints.push(RigidJointSpec {
            axis: Some([a - origin[0], b - origin[1], c - origin[2]]),
            limits: Some(if x > 0.0 { [-2.2, 0.05] } else { [-0.05, 2.2] }),
            ..joint(RigidJointKindSpec::Hinge, Some(&called(&name("arm"))), &called(&name("hand")), place(elbow))
        });
        joints.push(ball("pelvis", &name("thigh"), [0.1 * x, 0.86, 0.0], [0.0, -1.0, 0.0], 1.0, 0.3));
        joints.push(hinge(&name("thigh"), &name("shin"), [0.1 * x, 0.5, 0.0], [-0.05, 2.2]));
    }
    (body, joints)
}

pub(super) fn ragdolls() -> SceneSpec {
    const STEPS: u32 = 10;
    let step = |i: u32| ColliderSpec {
        name: format!("step-{i}"),
        shape: ShapeSpec::Cuboid,
        half: Some([3.0, 0.125 * (STEPS - i) as f32, 0.2]),
        position: [0.0, 0.125 * (STEPS - i) as f32, 0.4 * i as f32],
        friction: 0.6,
        ..ColliderSpec::default()
    };
    let (mut body, mut joints) = (Vec::new(), Vec::new());
    for i in 0..8u32 {
        let (x, row) = (1.5 * (f64::from(i % 4) - 1.5), f64::from(i / 4));
        let at = [x, 2.7 + 1.9 * row, 0.1 * f64::from(i % 3)];
        let (parts, of) = ragdoll(i, at, 0.7 * f64::from(i), [0.0, 0.0, 1.2]);
        body.extend(parts);
        joints.extend(of);
    }
    SceneSpec {
        body,
        joint: joints,
        collider: std::iter::once(ground()).chain((0..STEPS).map(step)).collect(),
        ..scene("ragdolls", "eight ragdolls fall down a flight of stairs", 20)
    }
}

pub(super) fn car() -> SceneSpec {
    const NODES: u32 = 65;
    const CELL: f64 = 0.5;
    // Hills that grow with the way.
    let height = |i: u32, j: u32| {
        let (x, z) = (CELL * (f64::from(i) - 4.0), CELL * (f64::from(j) - 8.0));
        let part = (x / 30.0).clamp(0.0, 1.0);
        part * (0.5 * libm::sin(0.9 * x) + 0.25 * libm::sin(1.3 * z + 0.5 * x)) + 0.06 * part * libm::sin(5.0 * x)
    };
    let field = ColliderSpec {
        name: "hills".to_owned(),
        shape: ShapeSpec::HeightField,
        heights: Some((0..17).map(|j| (0..NODES).map(|i| height(i, j) as f32).collect()).collect()),
        cell: Some(CELL as f32),
        position: [(0.5 * CELL * f64::from(NODES - 1) - 4.0 * CELL) as f32, 0.0, 0.0],
        friction: 1.0,
        ..ColliderSpec::default()
    };
    let mut body = vec![
        RigidSpec {
            mass: Some(800.0),
            additional_mass: Some(400.0),
            ..cuboid("chassis", [1.2, 0.2, 0.5], [0.0, 1.0, 0.0])
        },
        RigidSpec { mass: Some(60.0), ..cuboid("cabin", [0.55, 0.22, 0.45], [-0.15, 1.43, 0.0]) },
    ];
    body[0].additional_at = Some([0.0, -0.25, 0.0]);
    let mut joints = vec![joint(RigidJointKindSpec::Fixed, Some("chassis"), "cabin", [-0.15, 1.2, 0.0])];
    for (k, [x, z]) in [[-0.85, -0.75], [-0.85, 0.75], [0.85, -0.75], [0.85, 0.75]].into_iter().enumerate() {
        let (hub, wheel) = (format!("hub-{k}"), format!("wheel-{k}"));
        let at = [x, 0.62, z];
        body.push(RigidSpec { mass: Some(20.0), mask: 0, ..cuboid(&hub, [0.08; 3], at.map(|c| c as f32)) });
        body.push(RigidSpec {
            name: wheel.clone(),
            shape: RigidShapeSpec::Cylinder,
            radius: Some(0.38),
            half_length: Some(0.12),
            position: at.map(|c| c as f32),
            rotation: Turn { axis: [1.0, 0.0, 0.0], degrees: 90.0 },
            mass: Some(25.0),
            friction: 1.0,
            ..RigidSpec::default()
        });
        joints.push(RigidJointSpec {
            axis: Some([0.0, 1.0, 0.0]),
            limits: Some([-0.25, 0.2]),
            stiffness: Some(3e4),
            damping: Some(3e3),
            rest: Some(-0.1),
            ..joint(RigidJointKindSpec::Slider, Some("chassis"), &hub, at)
        });
        joints.push(RigidJointSpec {
            axis: Some([0.0, 0.0, 1.0]),
            // Turning about +z drives to -x.
            motor: Some(MotorSpec { velocity: Some(-8.0), limit: 700.0, ..MotorSpec::default() }),
            ..joint(RigidJointKindSpec::Hinge, Some(&hub), &wheel, at)
        });
    }
    SceneSpec {
        frames: 480,
        body,
        joint: joints,
        collider: vec![field],
        ..scene("car", "a car with springs and four driven wheels goes over hills", 20)
    }
}

pub(super) fn crane() -> SceneSpec {
    let (top, reach, rope) = (6.0f64, 4.0f64, 8u32);
    let mast = RigidSpec { density: Some(2000.0), ..cuboid("mast", [0.25, 3.0, 0.25], [0.0, 3.05, 0.0]) };
    let boom = RigidSpec { density: Some(600.0), ..cuboid("boom", [2.6, 0.15, 0.15], [1.9, top as f32 + 0.25, 0.0]) };
    let trolley =
        RigidSpec { mass: Some(150.0), ..cuboid("trolley", [0.2, 0.1, 0.2], [reach as f32, top as f32 - 0.1, 0.0]) };
    let (links, ropes, end) = links("rope", (rope, 0.4, 0.03, 4.0), ([reach, top - 0.2, 0.0], 0.0), Some("trolley"));
    let load = [end[0], end[1] - 0.3, end[2]];
    let mut body = vec![mast, boom, trolley];
    body.extend(links);
    body.push(RigidSpec { mass: Some(300.0), ..cuboid("load", [0.4, 0.3, 0.4], load.map(|c| c as f32)) });
    let last = format!("rope-{}", rope - 1);
    let mut joints = vec![
        RigidJointSpec {
            axis: Some([0.0, 1.0, 0.0]),
            motor: Some(MotorSpec { velocity: Some(0.5), limit: 3e3, ..MotorSpec::default() }),
            ..joint(RigidJointKindSpec::Hinge, None, "mast", [0.0, 0.05, 0.0])
        },
        joint(RigidJointKindSpec::Fixed, Some("mast"), "boom", [0.0, top + 0.1, 0.0]),
        RigidJointSpec {
            axis: Some([1.0, 0.0, 0.0]),
            limits: Some([-3.0, 0.3]),
            motor: Some(MotorSpec { position: Some(-2.0), limit: 1500.0, ..MotorSpec::default() }),
            ..joint(RigidJointKindSpec::Slider, Some("boom"), "trolley", [reach, top - 0.1, 0.0])
        },
        joint(RigidJointKindSpec::Ball, Some(&last), "load", end),
    ];
    joints.extend(ropes);
    // A tower of boxes stands where the load comes by.
    for i in 0..6u32 {
        let position = [-1.6, 0.2 + 0.4 * (i / 2) as f32, 1.6 + 0.42 * (i % 2) as f32];
        body.push(RigidSpec { density: Some(200.0), ..cuboid(format!("box-{i}"), [0.2; 3], position) });
    }
    body.push(RigidSpec { kind: RigidKind::Fixed, ..cuboid("base", [0.6, 0.02, 0.6], [0.0, 0.02, 0.0]) });
    SceneSpec {
        frames: 480,
        body,
        joint: joints,
        collider: vec![ground()],
        ..scene("crane", "a crane turns with a load on a rope and draws its trolley in", 40)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Geometry;
    use seidel::Plan;

    #[test]
    fn machines_are_sound() {
        for (spec, bodies, joints) in [(chain_1000(), 11, 11), (ragdolls(), 88, 80), (car(), 10, 9), (crane(), 19, 12)]
        {
            assert_eq!((spec.body.len(), spec.joint.len()), (bodies, joints), "{}", spec.name);
            assert_eq!(crate::named(&spec.name), Some(spec.clone()));
            let scene = spec.build(|file| Err::<Geometry, _>(file.to_owned())).expect("no file");
            Plan::new(&scene).unwrap_or_else(|e| panic!("{}: {e}", spec.name));
        }
    }
}
