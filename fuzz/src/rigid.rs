//! Rigid bodies of any size, mass, place and speed, joined in any way, beside a sheet: a typed error, or a state that
//! stays finite and does not depend on the lanes.

use super::bytes::Bytes;
use super::check::settles;
use seidel::collider::{ConvexHull, HeightField, Shape};
use seidel::glam::{DQuat, DVec3};
use seidel::joint::{Axis, Motion, Motor, Spring};
use seidel::{
    Cloth, Collider, Filter, Input, NonFinite, Pose, RigidBody, RigidId, RigidJoint, RigidKind, Scene, Substeps,
};
use std::sync::Arc;

const MOST_BODIES: usize = 12;
const MOST_JOINTS: usize = 8;

pub fn rigid(data: &[u8]) {
    let mut bytes = Bytes(data);
    let bytes = &mut bytes;
    let mut scene = Scene::new();
    scene.settings.substeps = Substeps::Fixed(1 + bytes.below(4) as u32);
    scene.settings.iterations = 1 + bytes.below(2) as u32;
    if bytes.flag() {
        scene.settings.non_finite = if bytes.flag() { NonFinite::Stop } else { NonFinite::Ignore };
    }
    if bytes.flag() {
        scene.settings.gravity = bytes.point().into();
    }
    for _ in 0..bytes.below(3) {
        let collider = Collider::new(surface(bytes)).restitution(bytes.mostly(1.0)).friction(bytes.mostly(1.0));
        let pose = pose(bytes);
        scene.add_collider(Collider { pose, ..collider });
    }
    let mut ids = Vec::new();
    // The last byte says whether those before it are options of bodies: they are read from the end, so older seeds mean
    // what they meant.
    let odd = data.last().is_some_and(|last| last & 1 == 1);
    scene.settings.sleep = odd;
    for k in 0..1 + bytes.below(MOST_BODIES) {
        let body = body(bytes);
        let options = data.len().checked_sub(2 + k).filter(|_| odd).map_or(0, |at| data[at]);
        ids.push(scene.add_rigid(with_options(body, options)));
    }
    let mut joints = Vec::new();
    for _ in 0..bytes.below(MOST_JOINTS) {
        let joint = joint(bytes, &ids);
        joints.push(scene.join_rigid(joint));
    }
    let acts: Vec<_> = (0..3)
        .map(|_| (bytes.byte(), bytes.doubles(), bytes.doubles(), bytes.number(), bytes.mostly(1.0 / 30.0)))
        .collect();
    if bytes.flag() {
        let cells = [2 + bytes.below(4) as u32, 2 + bytes.below(4) as u32];
        let sheet = Cloth::grid(cells, [0.1 + bytes.mostly(1.0), 0.1 + bytes.mostly(1.0)]);
        let sheet = sheet.thickness(bytes.mostly(0.05)).friction(bytes.mostly(1.0)).placed(pose(bytes), 1.0);
        scene.add(if bytes.flag() { sheet.pin(&[0]) } else { sheet });
    }
    settles(&scene, |at, plan, state| {
        let (act, a, b, number, dt) = &acts[at];
        let input = Input::new(*dt).unwrap_or_else(|_| Input::frame(1.0 / 60.0));
        let id = ids[usize::from(*act) % ids.len()];
        let sane = |v: &[f64; 3]| v.iter().all(|c| c.abs() <= 1e6);
        // What is read of joints is read, whatever it is.
        joints.iter().for_each(|&joint| {
            std::hint::black_box(state.joint(plan, joint));
        });
        match act % 5 {
            0 => input.push(id, *a, *b),
            1 if !joints.is_empty() => {
                let joint = joints[usize::from(*act) % joints.len()];
                let (target, limit) = (*number, a[0].abs() as f32);
                input.motor(joint, Motor::Velocity { target, limit })
            }
            // A controller: targets to positions, one a step.
            4 => {
                let (target, limit) = (*number * (1 + at) as f32, a[0].abs() as f32);
                joints.iter().fold(input, |input, &joint| input.motor(joint, Motor::Position { target, limit }))
            }
            2 if sane(a) && sane(b) => {
                state.set_rigid_velocity(plan, id, [DVec3::from(*a), DVec3::from(*b)]);
                input
            }
            3 if sane(a) => {
                state.teleport_rigid(plan, id, Pose::new(*a, DQuat::IDENTITY));
                input
            }
            _ => input,
        }
    });
}

/// A shape of a collider: one that bodies may have, too, or triangles.
fn surface(bytes: &mut Bytes) -> Shape {
    match bytes.below(10) {
        8 => {
            let tube = bytes.mostly(0.5);
            Shape::Torus { ring: tube + bytes.mostly(1.0), tube }
        }
        9 => {
            let nodes = [2 + bytes.below(3) as u32, 2 + bytes.below(3) as u32];
            let heights: Vec<f32> = (0..nodes[0] * nodes[1]).map(|_| bytes.mostly(1.0)).collect();
            HeightField::new(nodes, &heights, bytes.mostly(1.0))
                .map_or(Shape::Plane, |field| Shape::HeightField(Arc::new(field)))
        }
        _ => shape(bytes),
    }
}

fn shape(bytes: &mut Bytes) -> Shape {
    match bytes.below(8) {
        0 => Shape::Sphere { radius: bytes.mostly(1.0) },
        1 => Shape::Capsule { radius: bytes.mostly(0.5), half_length: bytes.mostly(1.0) },
        2 => Shape::Plane,
        6 => Shape::Cylinder { radius: bytes.mostly(1.0), half_height: bytes.mostly(1.0) },
        7 => Shape::Cone { radius: bytes.mostly(1.0), half_height: bytes.mostly(1.0) },
        3 => hull(bytes).map_or(Shape::Plane, |hull| Shape::Hull(Arc::new(hull))),
        _ => Shape::Cuboid { half: [bytes.mostly(1.0), bytes.mostly(1.0), bytes.mostly(1.0)].into() },
    }
}

fn hull(bytes: &mut Bytes) -> Option<ConvexHull> {
    let points: Vec<_> =
        (0..4 + bytes.below(9)).map(|_| [bytes.mostly(1.0), bytes.mostly(1.0), bytes.mostly(1.0)]).collect();
    ConvexHull::new(&points).ok()
}

/// Mostly near the origin and near each other.
fn pose(bytes: &mut Bytes) -> Pose {
    let position = [bytes.mostly(2.0), bytes.mostly(2.0), bytes.mostly(2.0)].map(f64::from);
    let pose = Pose::new(position, DQuat::IDENTITY);
    match bytes.byte() {
        0..100 => pose,
        100..250 => pose.turned(bytes.point().map(f64::from), f64::from(bytes.mostly(6.3))),
        _ => Pose::new(position, DQuat::from_array(std::array::from_fn(|_| bytes.double()))),
    }
}

fn body(bytes: &mut Bytes) -> RigidBody {
    let parts: Vec<_> = (0..1 + bytes.below(8) / 6).map(|_| (shape(bytes), pose(bytes))).collect();
    let single = parts.len() == 1 && bytes.flag();
    let mut body = if single { RigidBody::new(parts[0].0.clone()) } else { RigidBody::compound(parts) };
    body.pose = pose(bytes);
    body.kind = [RigidKind::Dynamic, RigidKind::Dynamic, RigidKind::Dynamic, RigidKind::Kinematic, RigidKind::Fixed]
        [bytes.below(5)];
    if bytes.flag() {
        body = body.mass(f64::from(bytes.mostly(1000.0)));
    }
    if bytes.flag() && body.kind != RigidKind::Fixed {
        body = body.velocity(bytes.doubles()).angular_velocity(bytes.doubles());
    }
    if bytes.flag() {
        body.filter = Filter::new(u32::from(bytes.byte()), u32::from(bytes.byte()));
        body =
            body.gravity_scale(bytes.mostly(2.0)).linear_damping(bytes.mostly(2.0)).angular_damping(bytes.mostly(2.0));
    }
    body.friction(bytes.mostly(1.0)).friction_kinetic(bytes.mostly(0.7)).restitution(bytes.mostly(1.0))
}

/// Locked axes, a point mass, resistance, events, a sensor: a bit each.
fn with_options(mut body: RigidBody, bits: u8) -> RigidBody {
    let bit = |k: u8| bits >> k & 1 == 1;
    body.locked_translation = [bit(0), bit(1) && bit(0), bit(2) && bit(0)];
    body.locked_rotation = [bit(1), bit(2), bit(3) && bit(1)];
    if bit(4) {
        body = body.additional_mass(0.5, [0.1, -0.2, 0.3]);
    }
    if bit(5) {
        body = body.rolling_resistance(0.01).spinning_resistance(0.02);
    }
    if bit(6) {
        body = body.contact_events();
    }
    if bit(7) && bit(3) { body.sensor() } else { body }
}

fn joint(bytes: &mut Bytes, ids: &[RigidId]) -> RigidJoint {
    let a = Some(ids[bytes.index(ids.len()) as usize % ids.len()]);
    let b = if bytes.flag() { None } else { Some(ids[bytes.index(ids.len()) as usize % ids.len()]) };
    let at = [bytes.mostly(2.0), bytes.mostly(2.0), bytes.mostly(2.0)].map(f64::from);
    let other = [bytes.mostly(2.0), bytes.mostly(2.0), bytes.mostly(2.0)].map(f64::from);
    let axis = bytes.doubles();
    let (least, most) = (bytes.number(), bytes.mostly(2.0));
    let spring = Spring { stiffness: bytes.mostly(1e4), damping: bytes.mostly(10.0), rest: bytes.mostly(1.0) };
    let ends = [DVec3::from(at), DVec3::from(other)];
    let joint = match bytes.below(10) {
        0 => RigidJoint::ball(a, b, at),
        1 => RigidJoint::ball_in_cone(a, b, at, axis, [least, most]),
        2 => RigidJoint::ball_on_line(a, b, at, axis),
        3 => RigidJoint::hinge(a, b, at, axis),
        4 => RigidJoint::universal(a, b, at, [DVec3::from(axis), DVec3::from(other)]),
        5 => RigidJoint::slider(a, b, at, axis),
        6 => RigidJoint::fixed(a, b, at),
        7 => RigidJoint::distance(a, b, ends, [least, most]),
        8 => RigidJoint::spring(a, b, ends, spring),
        _ => RigidJoint::six_dof(
            a,
            b,
            at,
            std::array::from_fn(|_| match bytes.below(4) {
                0 => Axis::FREE,
                1 => Axis::limited(bytes.number(), bytes.mostly(1.0)),
                2 => Axis { motion: Motion::Locked { at: bytes.mostly(1.0) }, ..Axis::FREE },
                _ => Axis::LOCKED,
            }),
        ),
    };
    let joint = match bytes.below(6) {
        0 => joint.limits(least, most),
        1 => joint.motor(Motor::Velocity { target: least, limit: spring.stiffness }),
        2 => joint.motor(Motor::Position { target: most, limit: spring.stiffness }),
        3 => joint.sprung(spring),
        4 => joint.direct(),
        _ => joint,
    };
    let joint = if bytes.flag() { joint.breaking_at(bytes.mostly(1e3), bytes.mostly(1e3)) } else { joint };
    if bytes.flag() { joint.colliding() } else { joint }
}
