//! A step's input, from keywords.

use crate::arrays::{numbers, vectors};
use crate::error::Error;
use crate::planned::Planned;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use seidel::glam::{DQuat, DVec3, Vec3};
use seidel::joint::Motor;
use seidel::{Cut, Input, Pose};

/// What a step is given.
pub(crate) const KEYS: &str =
    "held, gravity, wind, forces, vertices, poses, pins, pulls, pressures, pushes, motors, cuts";

/// The input of a step of `dt` seconds.
pub(crate) fn input(scene: &Planned, dt: Option<f64>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Input> {
    let dt = dt.unwrap_or(1.0 / scene.spec.fps) as f32;
    let mut input = Input::new(dt).map_err(|e| Error::new_err(e.to_string()))?;
    for (key, value) in given.iter().flat_map(|given| given.iter()) {
        if !value.is_none() {
            input = add(scene, input, &key.extract::<String>()?, &value)?;
        }
    }
    Ok(input)
}

fn vector(any: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec3> {
    numbers::<3>(any, what).map(|v| DVec3::from(v).as_vec3())
}

fn add(scene: &Planned, mut input: Input, key: &str, value: &Bound<'_, PyAny>) -> PyResult<Input> {
    let plan = &scene.plan;
    let named = || -> PyResult<Vec<(String, Bound<'_, PyAny>)>> {
        let table = value.cast::<PyDict>().map_err(|_| Error::new_err(format!("{key}: a dict by names is wanted")))?;
        table.iter().map(|(name, value)| Ok((name.extract()?, value))).collect()
    };
    match key {
        "held" if value.extract()? => input = input.held(),
        "held" => {}
        "gravity" => input = input.gravity(vector(value, "gravity")?),
        "wind" => input = input.wind(vector(value, "wind")?),
        "forces" | "vertices" => {
            for (name, value) in named()? {
                let body = scene.body(&name)?;
                let each = vectors(&value, Some(plan.vertices(body)), &format!("{key} of `{name}`"))?;
                let each: Vec<Vec3> = each.into_iter().map(Vec3::from_array).collect();
                input = if key == "forces" { input.forces(body, &each) } else { input.vertices(body, &each) };
            }
        }
        "poses" => {
            for (name, value) in named()? {
                input = input.pose(scene.collider(&name)?, pose(&value, &name)?);
            }
        }
        "pins" => {
            for (name, value) in named()? {
                let body = scene.body(&name)?;
                let targets: Vec<(u32, Bound<'_, PyAny>)> = value
                    .cast::<PyDict>()
                    .map_err(|_| Error::new_err(format!("pins of `{name}`: a dict by vertices is wanted")))?
                    .iter()
                    .map(|(vertex, target)| Ok((vertex.extract()?, target)))
                    .collect::<PyResult<_>>()?;
                for (vertex, target) in targets {
                    input = input.pin(body, vertex, vector(&target, &format!("pin {vertex} of `{name}`"))?);
                }
            }
        }
        "pulls" => {
            for pull in value.try_iter()? {
                let (name, vertex, target, compliance): (String, u32, Bound<'_, PyAny>, f32) = pull?.extract()?;
                let target = vector(&target, &format!("pull at `{name}`"))?;
                input = input.pull(scene.body(&name)?, vertex, target, compliance);
            }
        }
        "pressures" => {
            for (name, value) in named()? {
                input = input.pressure(scene.body(&name)?, value.extract()?);
            }
        }
        "pushes" => {
            for (name, value) in named()? {
                let id = scene.rigid(&name)?;
                let (force, torque): (Bound<'_, PyAny>, Bound<'_, PyAny>) = value.extract()?;
                let what = format!("push of `{name}`");
                input = input.push(id, numbers::<3>(&force, &what)?, numbers::<3>(&torque, &what)?);
            }
        }
        "motors" => {
            for (name, value) in named()? {
                input = input.motor(scene.joint(&name)?, motor(&value, &name)?);
            }
        }
        "cuts" => {
            for cut in value.try_iter()? {
                let (name, points): (String, Vec<Bound<'_, PyAny>>) = cut?.extract()?;
                let what = format!("cut of `{name}`");
                let points = points.iter().map(|point| numbers::<3>(point, &what)).collect::<PyResult<Vec<_>>>()?;
                let cut = match points[..] {
                    [point, normal] => Cut::plane(point, normal),
                    [a, b, c, d] => Cut::blade([a, b], [c, d]),
                    _ => {
                        let count = points.len();
                        return Err(Error::new_err(format!(
                            "{what}: a plane's point and normal, or the two ends of a blade before and after; {count} points are given"
                        )));
                    }
                };
                input = input.cut(scene.body(&name)?, cut);
            }
        }
        _ => return Err(Error::new_err(format!("a step is given no `{key}`; known are {KEYS}"))),
    }
    Ok(input)
}

/// `("position", target, limit)` or `("velocity", target, limit)`; None switches it off.
fn motor(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Motor> {
    if value.is_none() {
        return Ok(Motor::Off);
    }
    let given: PyResult<(String, f32, f32)> = value.extract();
    match given.as_ref().map(|(drive, target, limit)| (drive.as_str(), *target, *limit)) {
        Ok(("position", target, limit)) => Ok(Motor::Position { target, limit }),
        Ok(("velocity", target, limit)) => Ok(Motor::Velocity { target, limit }),
        _ => Err(Error::new_err(format!(
            "motor of `{name}`: (\"position\", target, limit), (\"velocity\", target, limit) or None is wanted"
        ))),
    }
}

/// A pair of a position and a unit quaternion x, y, z, w; or a position alone.
fn pose(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Pose> {
    let what = format!("pose of `{name}`");
    if let Ok(position) = numbers::<3>(value, &what) {
        return Ok(Pose::new(position, DQuat::IDENTITY));
    }
    let pair: PyResult<(Bound<'_, PyAny>, Bound<'_, PyAny>)> = value.extract();
    let (position, rotation) =
        pair.map_err(|_| Error::new_err(format!("{what}: a position, or a pair of a position and a quaternion")))?;
    Ok(Pose::new(numbers::<3>(&position, &what)?, DQuat::from_array(numbers(&rotation, &what)?)))
}
