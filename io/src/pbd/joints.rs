//! All kinds of joints. Positions and axes are those of the world at the start, as here.

use super::deformable::Particles;
use super::item::Item;
use super::log::Log;
use super::rigid::{Bodies, BodyMotion};
use seidel_scenes::{MotorSpec, ParticleJointSpec, RigidJointKindSpec, RigidJointSpec, SceneSpec};
use std::collections::BTreeSet;

/// N or N m: the library's motors have no limit.
const STRONG: f32 = 1e18;

/// A kind of the library.
struct PbdJoint {
    key: &'static str,
    is: RigidJointKindSpec,
    motor: Option<Drive>,
}

/// What a motor drives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drive {
    Angle,
    Position,
    Velocity,
}

const fn kind(key: &'static str, is: RigidJointKindSpec) -> PbdJoint {
    PbdJoint { key, is, motor: None }
}

const KINDS: [PbdJoint; 12] = [
    kind("BallJoints", RigidJointKindSpec::Ball),
    kind("BallOnLineJoints", RigidJointKindSpec::BallOnLine),
    kind("HingeJoints", RigidJointKindSpec::Hinge),
    kind("UniversalJoints", RigidJointKindSpec::Universal),
    kind("SliderJoints", RigidJointKindSpec::Slider),
    kind("DistanceJoints", RigidJointKindSpec::Distance),
    kind("RigidBodySprings", RigidJointKindSpec::Spring),
    kind("DamperJoints", RigidJointKindSpec::Slider),
    PbdJoint { key: "TargetAngleMotorHingeJoints", is: RigidJointKindSpec::Hinge, motor: Some(Drive::Angle) },
    PbdJoint { key: "TargetVelocityMotorHingeJoints", is: RigidJointKindSpec::Hinge, motor: Some(Drive::Velocity) },
    PbdJoint { key: "TargetPositionMotorSliderJoints", is: RigidJointKindSpec::Slider, motor: Some(Drive::Position) },
    PbdJoint { key: "TargetVelocityMotorSliderJoints", is: RigidJointKindSpec::Slider, motor: Some(Drive::Velocity) },
];

/// Ids of bodies that a joint names.
pub(super) fn joined(root: &Item<'_>) -> Result<BTreeSet<u64>, String> {
    let mut ids = BTreeSet::new();
    let lists = KINDS.iter().map(|kind| kind.key).chain(["RigidBodyParticleBallJoints", "CosseratJoints"]);
    for key in lists {
        for item in root.list(key)? {
            for key in ["bodyID1", "bodyID2", "rbID"] {
                ids.extend(item.whole(key)?);
            }
        }
    }
    Ok(ids)
}

/// The two bodies of a joint.
pub(super) fn ends<'a>(item: &Item<'_>, bodies: &'a Bodies) -> Result<[&'a BodyMotion; 2], String> {
    let (a, b) = (bodies.find(item, "bodyID1")?, bodies.find(item, "bodyID2")?);
    if std::ptr::eq(a, b) {
        return item.wrong("bodyID2", "is that of bodyID1, and a joint is of two bodies");
    }
    if !a.dynamic && !b.dynamic {
        return item.wrong("bodyID2", "names a body that does not move, as bodyID1 does; one of the two has to move");
    }
    Ok([a, b])
}

pub(super) fn joints(root: &Item<'_>, bodies: &Bodies, (spec, log): (&mut SceneSpec, &mut Log)) -> Result<(), String> {
    for kind in &KINDS {
        for item in root.list(kind.key)? {
            item.known(&["comment", "id"]);
            let ends = ends(&item, bodies)?;
            spec.joint.push(joint(kind, &item, ends, log)?);
            item.finish(log);
        }
    }
    Ok(())
}

fn joint(kind: &PbdJoint, item: &Item<'_>, [a, b]: [&BodyMotion; 2], log: &mut Log) -> Result<RigidJointSpec, String> {
    use RigidJointKindSpec as Is;
    let place =
        |key: &'static str| -> Result<[f32; 3], String> { Ok(item.required(key, item.place(key)?)?.map(|c| c as f32)) };
    let mut joint = RigidJointSpec { kind: kind.is, a: a.name.clone(), b: b.name.clone(), ..RigidJointSpec::default() };
    match kind.is {
        Is::Distance | Is::Spring => {
            let [from, to] = [place("position1")?, place("position2")?];
            (joint.position, joint.position_b) = (from, Some(to));
            if kind.is == Is::Spring {
                joint.stiffness = Some(stiffness(item)?);
            } else {
                let d: [f64; 3] = std::array::from_fn(|k| f64::from(to[k]) - f64::from(from[k]));
                let length = f64::sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) as f32;
                joint.limits = Some([length; 2]);
            }
        }
        // A slider has no place of its own: it turns nothing.
        Is::Slider => joint.position = b.position.map(|c| c as f32),
        _ => joint.position = place("position")?,
    }
    match kind.is {
        Is::BallOnLine | Is::Hinge | Is::Slider => joint.axis = Some(item.axis("axis")?),
        Is::Universal => {
            let [first, second] = [item.axis("axis1")?, item.axis("axis2")?];
            let cross: [f64; 3] = std::array::from_fn(|k| {
                first[(k + 1) % 3] * second[(k + 2) % 3] - first[(k + 2) % 3] * second[(k + 1) % 3]
            });
            let square = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>();
            if square(cross) < 1e-12 * square(first) * square(second) {
                return item.wrong("axis2", format!("is {second:?}, which is along axis1, and they are to cross"));
            }
            (joint.axis, joint.axis_b) = (Some(first), Some(second));
        }
        _ => {}
    }
    if kind.key == "DamperJoints" {
        joint.stiffness = Some(stiffness(item)?);
    }
    if let Some(drive) = kind.motor {
        joint.motor = Some(motor(item, drive, log)?);
    }
    Ok(joint)
}

fn stiffness(item: &Item<'_>) -> Result<f32, String> {
    Ok(item.required("stiffness", item.within("stiffness", 0.0..=1e18)?)? as f32)
}

/// `target` goes before `targetSequence`, as in the library.
fn motor(item: &Item<'_>, drive: Drive, log: &mut Log) -> Result<MotorSpec, String> {
    let bound = |target: f64| match drive {
        Drive::Angle => target.clamp(-std::f64::consts::PI, std::f64::consts::PI),
        _ => target,
    };
    let target = item.within("target", -1e6..=1e6)?;
    let sequence = item.numbers("targetSequence")?.unwrap_or_default();
    let repeat = item.flag("repeatSequence")?.unwrap_or(false);
    let mut motor = MotorSpec { limit: STRONG, ..MotorSpec::default() };
    // The last of an odd number is lost in the library, too.
    let keys: Vec<[f64; 2]> = sequence.chunks_exact(2).map(|pair| [pair[0], bound(pair[1])]).collect();
    if let Some(last) = sequence.chunks_exact(2).remainder().first() {
        let (key, count) = (item.at("targetSequence"), sequence.len());
        log.notes.push(format!("`{key}` has {count} numbers, and they are pairs: the last, {last}, is left out"));
    }
    if target.is_some() && !keys.is_empty() {
        log.notes.push(format!("`{}` has no effect: `target` is there", item.at("targetSequence")));
    }
    if target.is_none() && keys.is_empty() {
        let key = item.at("target");
        log.notes.push(format!("`{key}` is not there, and no pair of `targetSequence`: its motor's target is 0"));
    }
    if target.is_some() || keys.is_empty() {
        let target = Some(bound(target.unwrap_or(0.0)) as f32);
        match drive {
            Drive::Velocity => motor.velocity = target,
            _ => motor.position = target,
        }
        return Ok(motor);
    }
    if let Some(i) = keys.iter().position(|[time, target]| time.abs() > 1e9 || target.abs() > 1e6) {
        let what = format!("pair {i} is {:?}, which is not within +-1e9 s and +-1e6", keys[i]);
        return item.wrong("targetSequence", what);
    }
    if let Some(i) = keys.windows(2).position(|pair| pair[1][0] < pair[0][0]) {
        let what = format!("time {} of pair {} is before {}; times do not fall", keys[i + 1][0], i + 1, keys[i][0]);
        return item.wrong("targetSequence", what);
    }
    motor.repeat = repeat;
    match drive {
        Drive::Velocity => motor.velocity_path = keys,
        _ => motor.position_path = keys,
    }
    Ok(motor)
}

pub(super) fn particle_joints(
    root: &Item<'_>,
    bodies: &Bodies,
    particles: &Particles,
    (spec, log): (&mut SceneSpec, &mut Log),
) -> Result<(), String> {
    let names = spec.names();
    for item in root.list("RigidBodyParticleBallJoints")? {
        // Where it holds is where the particle is at the start.
        item.known(&["comment", "id", "position"]);
        let body = bodies.find(&item, "rbID")?;
        let particle = item.required("particleID", item.whole("particleID")?)?;
        let Some((number, vertex)) = particles.find(particle) else {
            let count = particles.count();
            return item.wrong("particleID", format!("is {particle}, and the models have {count} vertices, from 0"));
        };
        let Some(rigid) = body.name.clone() else {
            return item.wrong("rbID", "names a hollow or inverted body that does not move; use `staticParticles`");
        };
        spec.particle_joint.push(ParticleJointSpec {
            rigid,
            // Cloths are the first bodies of a scene, and solids come behind them, for it has no others.
            body: names[number].clone(),
            vertices: vec![vertex],
            ..ParticleJointSpec::default()
        });
        item.finish(log);
    }
    Ok(())
}
