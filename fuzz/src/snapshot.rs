//! Bytes as states: a typed error, or a state that is written as it was read and steps without a panic.
//!
//! The first byte: 0 takes the rest as it is. All others take a state of the engine after as many frames (modulo 8),
//! and change it: a place (two bytes, from the end) and four new bytes, as often as there are any; then the checksum is
//! set right, unless the byte is above 127. With its bit 64 the states are of a scene that yields, softens and breaks.

use super::bytes::Bytes;
use seidel::{
    Balloon, Cloth, Collider, Execution, Input, Isa, Mesh, Plan, Plasticity, Pose, RigidBody, RigidJoint, Rod, Rope,
    Scene, Scratch, ShapeMatched, Side, SnapshotError, SoftBody, State, VelocityUpdate, step,
};
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

/// A plan, and its states after 0 to 7 frames.
struct Written {
    plan: Plan,
    states: Vec<Vec<u8>>,
}

impl Written {
    fn of(scene: &Scene) -> Written {
        let plan = Plan::new(scene).expect("the scene is sound");
        let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(Isa::detect(), 1)));
        let frame = |_| {
            let bytes = state.to_bytes();
            step(&plan, &mut state, &Input::frame(1.0 / 30.0), &mut scratch);
            bytes
        };
        let states = (0..8).map(frame).collect();
        Written { plan, states }
    }
}

static ALL: LazyLock<Written> = LazyLock::new(|| Written::of(&scene()));
static TIRED: LazyLock<Written> = LazyLock::new(|| Written::of(&tired()));

pub fn snapshot(data: &[u8]) {
    let mut bytes = Bytes(data);
    let begin = bytes.byte();
    let written = if begin & 64 == 0 { &*ALL } else { &*TIRED };
    let state = if begin == 0 { bytes.0.to_vec() } else { changed(&mut bytes, begin, &written.states) };
    let plan = &written.plan;
    let mut read = match State::from_bytes(plan, &state) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(!matches!(error, SnapshotError::Damaged { .. }) || begin == 0 || begin > 127, "{error}");
            return;
        }
        Ok(read) => read,
    };
    if State::plan_of(&state) == Ok(plan.id()) {
        assert!(read.to_bytes() == state, "another state is written than was read");
    }
    let mut scratch = Scratch::new(plan, Execution::new(Isa::detect(), 1));
    for _ in 0..2 {
        step(plan, &mut read, &Input::frame(1.0 / 60.0), &mut scratch);
    }
    let _ = plan.measure(&read);
}

fn changed(bytes: &mut Bytes, begin: u8, states: &[Vec<u8>]) -> Vec<u8> {
    let mut state = states[usize::from(begin) % states.len()].clone();
    while !bytes.is_empty() {
        // What is small stands at the end.
        let back = 4 + (usize::from(bytes.byte()) | usize::from(bytes.byte()) << 8);
        let value = [bytes.byte(), bytes.byte(), bytes.byte(), bytes.byte()];
        if let Some(at) = state.len().checked_sub(back) {
            state[at..at + 4].copy_from_slice(&value);
        }
    }
    if begin <= 127 {
        let end = state.len() - 8;
        let sum = xxh3_64(&state[..end]);
        state[end..].copy_from_slice(&sum.to_le_bytes());
    }
    state
}

/// Something of all that a state holds, and not much of it.
fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = 2.into();
    scene.settings.velocity_update = VelocityUpdate::SecondOrder;
    scene.add(Cloth::grid([4, 4], [0.4, 0.4]).placed(Pose::at([0.0, 0.3, 0.0]), 1.0).pin(&[0, 3]));
    scene.add(Rod::new([-0.3, 0.6, 0.1], [0.3, 0.6, 0.1], 4).pin(&[0]));
    scene.add(Balloon::new(Mesh::ball(0.1, 0)).placed(Pose::at([0.3, 0.2, 0.3]), 1.0));
    scene.add(ShapeMatched::new(Mesh::ball(0.1, 0)).placed(Pose::at([-0.3, 0.2, -0.2]), 1.0));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::sphere(0.2).at([0.0, 0.1, 0.0]));
    let lower = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([1.0, 0.1, 0.0]));
    let upper = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([1.02, 0.3, 0.0]));
    scene.add_rigid(RigidBody::sphere(0.1).at([1.0, 0.5, 0.0]));
    scene.join_rigid(RigidJoint::hinge(lower, upper, [1.1, 0.2, 0.0], [0.0, 0.0, 1.0]));
    scene
}

/// Lengths, hinges and tetrahedra that soften and break.
fn tired() -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = 2.into();
    let tires = Plasticity::new(0.001).creep(20.0).fatigue(5.0).breaks(0.05);
    let sheet = Cloth::grid([4, 4], [0.4, 0.4]).stretch(1e-2).compress(1e-1).bend(1e-1).plastic(tires);
    scene.add(sheet.plastic_bend(tires).pin(&[0, 3]));
    let bar = SoftBody::bar([0.3, 0.1, 0.1], [2, 1, 1]).young(1e4).plastic(tires);
    scene.add(bar.pin_side(Side::MinX).placed(Pose::at([1.0, 0.0, 0.0]), 1.0));
    scene.add(Rope::new([2.0, 0.0, 0.0], [2.0, -1.0, 0.0], 4).stretch(1e-1).plastic(Plasticity::new(0.001)).pin(&[0]));
    scene
}
