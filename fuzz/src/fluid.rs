//! Fluids of any spacing, density and place, with emitters and drains, and grains, beside colliders, a sheet and rigid
//! bodies: a typed error, or a state that stays finite and does not depend on the lanes.

use super::bytes::Bytes;
use super::check::settles;
use seidel::collider::Shape;
use seidel::glam::DQuat;
use seidel::{
    Cloth, Collide, Collider, Emitter, Filter, Fluid, Grains, Input, Mesh, NonFinite, Opening, Pose, Region, RigidBody,
    Scene, Substeps,
};
use std::sync::Arc;

pub fn fluid(data: &[u8]) {
    let mut bytes = Bytes(data);
    let bytes = &mut bytes;
    let mut scene = Scene::new();
    scene.settings.substeps = Substeps::Fixed(1 + bytes.below(4) as u32);
    scene.settings.iterations = 1 + bytes.below(2) as u32;
    // Some thousand particles.
    scene.settings.memory = 4 << 20;
    if bytes.flag() {
        scene.settings.non_finite = if bytes.flag() { NonFinite::Stop } else { NonFinite::Ignore };
    }
    if bytes.flag() {
        scene.settings.gravity = bytes.point().into();
    }
    for _ in 0..bytes.below(3) {
        let pose = pose(bytes);
        let shape = shape(bytes);
        scene.add_collider(Collider { pose, ..Collider::new(shape).friction(bytes.mostly(1.0)) });
    }
    let spacing = 0.01 + bytes.mostly(0.1);
    let mut fluids: Vec<Fluid> = (0..1 + bytes.below(3)).map(|_| body(bytes, spacing)).collect();
    let mut sheet = None;
    if bytes.flag() {
        let cells = [2 + bytes.below(6) as u32, 2 + bytes.below(6) as u32];
        let cloth = Cloth::grid(cells, [0.1 + bytes.mostly(0.5), 0.1 + bytes.mostly(0.5)]).placed(pose(bytes), 1.0);
        sheet = Some(if bytes.flag() { cloth.pin(&[0]) } else { cloth });
    }
    for _ in 0..bytes.below(3) {
        let body = RigidBody::new(shape(bytes)).mass(f64::from(bytes.mostly(10.0)));
        scene.add_rigid(body.placed(pose(bytes)));
    }
    let steps: Vec<f32> = (0..3).map(|_| bytes.mostly(1.0 / 30.0)).collect();
    let grains: Vec<Grains> = (0..bytes.below(3)).map(|_| grains(bytes)).collect();
    // Last, so that what older inputs mean stays.
    for fluid in &mut fluids {
        let mut with = fluid.clone();
        if bytes.flag() {
            with = with.surface_tension(bytes.mostly(20.0));
        }
        if bytes.flag() {
            with = with.slip_length(bytes.mostly(0.1)).vorticity_confinement(bytes.mostly(10.0));
        }
        *fluid = with;
    }
    for fluid in fluids {
        scene.add(fluid);
    }
    if let Some(sheet) = sheet {
        scene.add(if bytes.flag() { sheet.permeance(bytes.mostly(1e-3)) } else { sheet });
    }
    for mut grains in grains {
        if bytes.flag() {
            grains = grains.capacity(1 + 4 * bytes.below(256));
        }
        for _ in 0..bytes.below(3) {
            grains = grains.emit(emitter(bytes));
        }
        scene.add(if bytes.flag() { grains.drain(drain(bytes)) } else { grains });
    }
    settles(&scene, |at, _, _| Input::new(steps[at]).unwrap_or_else(|_| Input::frame(1.0 / 60.0)));
}

/// Most of them within the same half metre.
fn body(bytes: &mut Bytes<'_>, spacing: f32) -> Fluid {
    let corner = |bytes: &mut Bytes<'_>| [bytes.mostly(0.5), bytes.mostly(0.5), bytes.mostly(0.5)];
    let fluid = match bytes.below(3) {
        0 => {
            let low = corner(bytes);
            let sides = [1, 2, 3].map(|_| spacing * (1.0 + bytes.mostly(8.0)));
            Fluid::block(low, [0, 1, 2].map(|k| low[k] + sides[k]))
        }
        1 => Fluid::points((0..1 + bytes.below(64)).map(|_| corner(bytes)).collect()),
        _ => Fluid::empty(),
    };
    let mut fluid = fluid.spacing(spacing);
    if bytes.flag() {
        fluid = fluid.support(1.5 + bytes.mostly(1.5)).density(bytes.mostly(2000.0)).viscosity(bytes.mostly(0.1));
    }
    if bytes.flag() {
        fluid = fluid.friction(bytes.mostly(1.0)).restitution(bytes.mostly(1.0));
    }
    if bytes.flag() {
        fluid = fluid.velocity(bytes.point()).linear_damping(bytes.mostly(2.0));
    }
    if bytes.flag() {
        fluid = fluid.filter(Filter::new(u32::from(bytes.byte()), u32::from(bytes.byte())));
    }
    for _ in 0..bytes.below(3) {
        fluid = fluid.emit(emitter(bytes));
    }
    if bytes.flag() {
        fluid = fluid.drain(drain(bytes));
    }
    if bytes.flag() { fluid } else { fluid.capacity(1 + 4 * bytes.below(256)) }
}

fn emitter(bytes: &mut Bytes<'_>) -> Emitter {
    let opening = match bytes.below(5) {
        0 | 1 => Opening::Disk(bytes.mostly(0.1)),
        2 | 3 => Opening::Rectangle([bytes.mostly(0.1), bytes.mostly(0.1)]),
        _ => {
            let positions = (0..3 + bytes.below(4)).map(|_| bytes.point().map(|c| 0.05 * c)).collect();
            let triangles = (0..1 + bytes.below(4)).map(|_| [0; 3].map(|_: u32| bytes.below(7) as u32)).collect();
            Opening::Mesh(Arc::new(Mesh { positions, triangles }))
        }
    };
    let mut emitter = Emitter::new(pose(bytes), opening, bytes.double().abs());
    if bytes.flag() {
        emitter = emitter.during(bytes.double(), bytes.double());
    }
    if bytes.flag() { emitter.jitter(bytes.mostly(0.5), 7) } else { emitter }
}

fn drain(bytes: &mut Bytes<'_>) -> Region {
    match bytes.below(3) {
        0 => Region::cuboid(bytes.point(), bytes.point()),
        1 => Region::ball(bytes.point(), bytes.mostly(0.5)),
        _ => Region::side(bytes.point(), bytes.point()),
    }
}

/// Some hundred at most.
fn grains(bytes: &mut Bytes<'_>) -> Grains {
    let radius = 0.005 + bytes.mostly(0.05);
    let corner = |bytes: &mut Bytes<'_>| [bytes.mostly(0.5), bytes.mostly(0.5), bytes.mostly(0.5)];
    let mut grains = if bytes.flag() {
        Grains::points((0..1 + bytes.below(32)).map(|_| corner(bytes)).collect())
    } else {
        let low = corner(bytes);
        let sides = [1, 2, 3].map(|_| radius * (2.0 + bytes.mostly(16.0)));
        Grains::block(low, [0, 1, 2].map(|k| low[k] + sides[k])).fraction(bytes.mostly(0.3)).seed(bytes.byte().into())
    };
    if bytes.flag() {
        grains = grains.density(bytes.mostly(4000.0)).friction(bytes.mostly(1.0));
    }
    if bytes.flag() {
        grains = grains.dynamic_friction(bytes.mostly(0.5));
    }
    if bytes.flag() {
        grains = grains.cohesion(bytes.mostly(1e4)).mass_scaling(bytes.mostly(4.0));
    }
    if bytes.flag() {
        grains = grains.velocity(bytes.point()).linear_damping(bytes.mostly(2.0));
    }
    if bytes.flag() {
        grains = grains.filter(Filter::new(u32::from(bytes.byte()), u32::from(bytes.byte())));
    }
    let collide = if bytes.flag() { Collide::Nothing } else { Collide::Others };
    grains.radius(radius).collide(collide)
}

fn shape(bytes: &mut Bytes<'_>) -> Shape {
    match bytes.below(4) {
        0 => Shape::Plane,
        1 => Shape::Sphere { radius: bytes.mostly(0.3) },
        2 => Shape::Capsule { radius: bytes.mostly(0.2), half_length: bytes.mostly(0.3) },
        _ => Shape::Cuboid { half: [bytes.mostly(0.3), bytes.mostly(0.3), bytes.mostly(0.3)].into() },
    }
}

fn pose(bytes: &mut Bytes<'_>) -> Pose {
    let position = [bytes.mostly(0.5), bytes.mostly(0.5), bytes.mostly(0.5)].map(f64::from);
    let pose = Pose::new(position, DQuat::IDENTITY);
    if bytes.flag() { pose.turned(bytes.point().map(f64::from), f64::from(bytes.mostly(6.3))) } else { pose }
}
