//! Checks of a whole scene. Bodies and colliders check themselves.

use crate::describe::body::Body;
use crate::describe::error::{Error, range};
use crate::describe::ids::BodyId;
use crate::describe::scene::Scene;
use crate::describe::settings::{Method, Settings};
use crate::plan::joint::JointRows;
use crate::tuning;
use crate::tuning::{MAX_NAME, MAX_ORIGIN, MAX_SUBSTEPS};
use std::sync::Arc;

/// Whether a scene can be solved as it says.
pub(super) fn check_settings(settings: &Settings) -> Result<(), Error> {
    let of = || "settings".to_owned();
    for g in settings.gravity.to_array() {
        range(of, || "gravity".to_owned(), f64::from(g), g.abs() <= 1e6, "within +-1e6 m/s^2")?;
    }
    settings.air.check()?;
    let n = settings.iterations;
    range(of, || "iterations".to_owned(), f64::from(n), (1..=MAX_SUBSTEPS).contains(&n), "within 1 .. 100000")?;
    range(of, || "dt".to_owned(), settings.dt, (1e-6..=1e3).contains(&settings.dt), "within 1e-6 .. 1000 s")?;
    settings.method.check(of)
}

/// Whether the zero of coordinates is where f64 can tell.
pub(super) fn check_origin(origin: [f64; 3]) -> Result<(), Error> {
    let limit = "within +-1e12 m: move the world's zero nearer, or take more of the distance out of it";
    let check = |(axis, x): (&str, f64)| {
        range(|| "scene".to_owned(), || format!("origin along {axis}"), x, x.abs() <= MAX_ORIGIN, limit)
    };
    ["x", "y", "z"].into_iter().zip(origin).try_for_each(check)
}

/// Whether a scene can take so many substeps in a step; `of` says who wants them.
pub(super) fn check_substeps(of: &dyn Fn() -> String, substeps: u32, scene: &Scene) -> Result<(), Error> {
    let good = (1..=MAX_SUBSTEPS).contains(&substeps);
    range(of, || "substeps".to_owned(), f64::from(substeps), good, "within 1 .. 100000")?;
    let sweeps = u64::from(substeps) * u64::from(scene.settings.iterations);
    let few = sweeps <= u64::from(MAX_SUBSTEPS);
    range(of, || "substeps x iterations".to_owned(), sweeps as f64, few, "at most 100000")?;
    let moving = scene.colliders.len() as u64 * u64::from(substeps);
    let few = moving <= tuning::MAX_COLLIDER_SUBSTEPS as u64;
    range(of, || "colliders x substeps".to_owned(), moving as f64, few, "at most 1048576")
}

/// Whether the contacts of a scene may be remembered (`Scratch` does it).
pub(super) fn few_contacts(particles: usize, triangles: usize, colliders: usize) -> Result<(), Error> {
    let got = (particles as u64).saturating_add(triangles as u64).saturating_mul(colliders as u64);
    let limit = tuning::MAX_HELD_CONTACTS;
    if got <= limit { Ok(()) } else { Err(Error::TooManyContacts { particles, triangles, colliders, got, limit }) }
}

/// Whether the method can solve the bodies' frames: averages are made of displacements, not of turns.
pub(super) fn check_framed(bodies: &[Arc<Body>], settings: &Settings) -> Result<(), Error> {
    for body in bodies.iter().filter(|body| !body.frames.is_empty()) {
        let method = body.method.unwrap_or(settings.method);
        if method != Method::GaussSeidel {
            return Err(Error::Framed { body: body.name.clone(), method: method.name() });
        }
    }
    Ok(())
}

/// Whether joints hold bodies of one method each: a particle has its whole mass for a sweep, or is split into parts.
pub(super) fn check_joined(bodies: &[Arc<Body>], joints: &[JointRows], settings: &Settings) -> Result<(), Error> {
    let method = |body: usize| bodies[body].method.unwrap_or(settings.method);
    for rows in joints {
        // Nothing moves an obstacle, so it is not split.
        let mut solved = rows.ends().map(|(body, _)| body).filter(|&body| bodies[body].obstacle.is_none());
        let Some(first) = solved.next() else { continue };
        if let Some(other) = solved.find(|&body| method(body) != method(first)) {
            let [(of, by), (other, others)] =
                [first, other].map(|body| (format!("body `{}`", bodies[body].name), method(body).told()));
            return Err(Error::MethodsDiffer { of, method: by, other, others });
        }
    }
    Ok(())
}

/// Refuses a name that two have.
pub(super) fn unique<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut sorted: Vec<_> = names.collect();
    if let Some(name) = sorted.iter().find(|name| name.len() > MAX_NAME) {
        let of = || format!("{what}, `{}...`", name.chars().take(20).collect::<String>());
        range(of, || "bytes of the name".to_owned(), name.len() as f64, false, "at most 1000")?;
    }
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::Name { what, name: pair[0].to_owned() }),
        None => Ok(()),
    }
}

/// Bytes that the scene needs; an error if its settings allow fewer. Before bodies are made: they take the first of it.
pub(super) fn check_memory(scene: &Scene) -> Result<u64, Error> {
    let (need, limit) = (scene.need().bytes, scene.settings.memory);
    let rigid = scene.rigid_need().bytes;
    if need > limit && !scene.rigid.is_empty() && (rigid > need / 2 || scene.bodies.is_empty()) {
        return Err(Error::RigidMemory { bodies: scene.rigid.len(), need, limit });
    }
    let most = scene.bodies.iter().max_by_key(|body| body.need().bytes);
    match most.filter(|_| need > limit) {
        Some(body) => {
            let (of, particles) = (format!("body `{}`", body.name()), body.need().particles);
            Err(Error::Memory { of, particles, less: body.needs_less_with(), need, limit })
        }
        None => Ok(need),
    }
}

/// Ids that bodies and joints name are this scene's; those of bodies become places.
pub(super) fn check_ids(scene: &Scene, bodies: &mut [Arc<Body>]) -> Result<(), Error> {
    let check = |of: &dyn Fn() -> String, id: BodyId| match id.scene == scene.tag {
        true => Ok(()),
        false => Err(Error::ForeignId { of: of(), what: "body", index: id.index() }),
    };
    for body in bodies.iter_mut().filter(|body| !(body.attached.is_empty() && body.tethers.is_empty())) {
        let Body { name, attached, tethers, .. } = Arc::make_mut(body);
        for (i, attached) in attached.iter_mut().enumerate() {
            let of = || format!("body `{name}`, attachment {i}");
            check(&of, attached.to)?;
            scene.put_in_place(&mut attached.to, of)?;
        }
        for (i, tether) in tethers.iter_mut().enumerate() {
            let of = || format!("body `{name}`, tether {i}");
            check(&of, tether.to)?;
            scene.put_in_place(&mut tether.to, of)?;
        }
    }
    for (i, joint) in scene.joints.iter().enumerate() {
        joint.bodies().try_for_each(|id| check(&|| format!("joint {i}"), id))?;
    }
    Ok(())
}
