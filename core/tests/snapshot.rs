//! States as bytes: everything is in them, and bytes that are none are refused.

use crate::runs::FRAME;
use glam::DQuat;
use seidel::kinds::DISTANCE;
use seidel::{
    Balloon, Cloth, Collider, Error, Execution, GridPins, Input, Isa, Mesh, Plan, Pose, RigidBody, RigidJoint, Rod,
    Scene, Scratch, ShapeMatched, SnapshotError, State, Stiffness, VelocityUpdate, step,
};
use xxhash_rust::xxh3::xxh3_64;

/// Something of all that a state holds.
fn scene(update: VelocityUpdate) -> Scene {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.velocity_update) = (4.into(), update);
    let cloth = Cloth::grid([7, 6], [0.6, 0.5]).placed(Pose::at([0.0, 0.4, 0.0]), 1.0).pin_grid(GridPins::FirstRow);
    scene.add(cloth.bend(1e2).named("cloth"));
    scene.add(Rod::new([-0.3, 0.6, 0.1], [0.3, 0.6, 0.1], 6).pin(&[0]).named("rod"));
    scene.add(Balloon::new(Mesh::ball(0.1, 1)).placed(Pose::at([0.3, 0.2, 0.3]), 1.0).named("balloon"));
    scene.add(ShapeMatched::new(Mesh::ball(0.1, 1)).placed(Pose::at([-0.3, 0.2, -0.2]), 1.0).named("soft"));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::sphere(0.2).at([0.0, 0.1, 0.0]).named("ball"));
    let lower = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([1.0, 0.1, 0.0]));
    let upper = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([1.02, 0.3, 0.0]));
    scene.add_rigid(RigidBody::sphere(0.1).at([1.0, 0.52, 0.0]));
    scene.join_rigid(RigidJoint::hinge(lower, upper, [1.1, 0.2, 0.0], [0.0, 0.0, 1.0]));
    scene
}

fn play(plan: &Plan, state: &mut State, scratch: &mut Scratch, frames: std::ops::Range<u32>) {
    for frame in frames {
        let cloth = plan.body("cloth").unwrap();
        let lift = 0.005 * f64::from(frame);
        let ball = Pose::new([0.0, 0.1 + lift, 0.0], DQuat::IDENTITY);
        let mut input = Input::frame(FRAME).pose(plan.collider("ball").unwrap(), ball);
        if frame == 1 {
            input = input.stiffness(cloth, &DISTANCE, Stiffness::compliance(1e-4));
        }
        let report = step(plan, state, &input, scratch);
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
    }
}

/// A state after some frames.
fn played(plan: &Plan, frames: u32) -> State {
    let (mut state, mut scratch) = (State::new(plan), Scratch::new(plan, Execution::default()));
    play(plan, &mut state, &mut scratch, 0..frames);
    state
}

/// With the right checksum at its end.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let sum = xxh3_64(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

#[test]
fn bytes_go_on_as_the_original_does() {
    for update in [VelocityUpdate::FirstOrder, VelocityUpdate::SecondOrder] {
        let plan = Plan::new(&scene(update)).unwrap();
        let mut state = played(&plan, 12);
        assert!(state.hash() != State::new(&plan).hash());
        let bytes = state.to_bytes();
        let restored = State::from_bytes(&plan, &bytes).unwrap();
        assert_eq!((&restored, restored.hash(), restored.to_bytes()), (&state, state.hash(), bytes.clone()));
        // In place, over a later state and over one of another plan.
        let other = Plan::new(&scene(VelocityUpdate::FirstOrder)).unwrap();
        let mut places = [restored, played(&plan, 3), State::new(&other)];
        let mut scratch = Scratch::new(&plan, Execution::default());
        play(&plan, &mut state, &mut scratch, 12..20);
        for place in &mut places {
            place.restore(&plan, &bytes).unwrap();
            let mut scratch = Scratch::new(&plan, Execution::new(Isa::available()[0], 1));
            scratch.poison();
            play(&plan, place, &mut scratch, 12..20);
            assert_eq!((&*place, place.hash()), (&state, state.hash()));
        }
    }
}

#[test]
fn bytes_are_few() {
    let mut scene = Scene::new();
    scene.add(Cloth::grid([100, 100], [1.0, 1.0]));
    let plan = Plan::new(&scene).unwrap();
    let bytes = State::new(&plan).to_bytes().len();
    // Sixteen rows lie behind the last particle.
    assert_eq!(bytes, 48 * (10_000 + 16) + 60);
}

#[test]
fn bytes_that_are_not_whole_or_have_changed_are_refused() {
    let plan = Plan::new(&scene(VelocityUpdate::SecondOrder)).unwrap();
    let state = played(&plan, 3);
    let bytes = state.to_bytes();
    let mut place = State::new(&plan);
    let before = place.clone();
    for end in (0..bytes.len()).step_by(7).chain([7, 8, 12, 39, 40, 47, 48, 55, bytes.len() - 1]) {
        let error = place.restore(&plan, &bytes[..end]).unwrap_err();
        let expected = if end < 8 { SnapshotError::Foreign } else { error.clone() };
        assert!(error == expected && (end < 8 || matches!(error, SnapshotError::Length { .. })), "{end}: {error}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(place.restore(&plan, &longer), Err(SnapshotError::Length { .. })));
    for at in (0..bytes.len()).step_by(5).chain(0..64).chain(bytes.len() - 8..bytes.len()) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        let error = place.restore(&plan, &flipped).unwrap_err();
        let good = match at {
            0..8 => error == SnapshotError::Foreign,
            8..12 => matches!(error, SnapshotError::Format { want: 3, .. }),
            32..40 => matches!(error, SnapshotError::Length { .. }),
            _ => matches!(error, SnapshotError::Damaged { .. }),
        };
        assert!(good, "byte {at}: {error}");
    }
    assert_eq!(place.restore(&plan, b""), Err(SnapshotError::Foreign));
    assert_eq!(place, before, "what is refused changes nothing");
    assert!(matches!(Error::from(SnapshotError::Foreign), Error::Snapshot(_)));
}

#[test]
fn wrong_numbers_with_a_right_checksum_never_panic() {
    let plan = Plan::new(&scene(VelocityUpdate::FirstOrder)).unwrap();
    let state = played(&plan, 12);
    let bytes = state.to_bytes();
    let (mut place, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(Isa::detect(), 1)));
    let (mut refused, mut taken) = (0, 0);
    // Four bytes at a time, all over the small parts, here and there in the rows.
    let rows = 48 + 48 * (plan.particles() + 16);
    for at in (8..rows).step_by(332).chain((rows..bytes.len() - 8).step_by(12)) {
        for value in [0u32, u32::MAX, f32::NAN.to_bits(), 1e30f32.to_bits(), 0x7fff_ffff, 3] {
            let mut wrong = bytes.clone();
            wrong[at..at + 4].copy_from_slice(&value.to_le_bytes());
            match place.restore(&plan, &summed(wrong)) {
                Err(error) => refused += usize::from(!error.to_string().is_empty()),
                Ok(()) => {
                    taken += 1;
                    step(&plan, &mut place, &Input::frame(FRAME), &mut scratch);
                }
            }
        }
    }
    assert!(refused > 50 && taken > 500, "{refused} and {taken}");
}

#[test]
fn a_state_belongs_to_bodies_and_not_to_settings() {
    let plan = Plan::new(&scene(VelocityUpdate::FirstOrder)).unwrap();
    let (state, bytes) = { (played(&plan, 8), played(&plan, 8).to_bytes()) };
    assert_eq!(State::plan_of(&bytes), Ok(plan.id()));
    // Other settings and materials, another collider: the same layout.
    let mut other = scene(VelocityUpdate::FirstOrder);
    (other.settings.substeps, other.settings.gravity.y) = (9.into(), -3.0);
    let softer = Plan::new(&other).unwrap();
    assert_eq!(softer.layout_id(), plan.layout_id());
    assert_ne!(softer.id(), plan.id());
    let mut taken = State::from_bytes(&softer, &bytes).unwrap();
    assert_eq!((taken.time(), taken.pose(softer.collider("ball").unwrap())), {
        (state.time(), state.pose(plan.collider("ball").unwrap()))
    });
    let [mut a, mut b] = [(); 2].map(|()| vec![seidel::glam::Vec3::ZERO; plan.vertices(plan.body("cloth").unwrap())]);
    state.read_positions(&plan, plan.body("cloth").unwrap(), &mut a);
    taken.read_positions(&softer, softer.body("cloth").unwrap(), &mut b);
    assert_eq!(a, b);
    let mut scratch = Scratch::new(&softer, Execution::default());
    assert!(step(&softer, &mut taken, &Input::frame(FRAME), &mut scratch).rejected.is_none());
    // Other bodies, masses, joints or colliders' number, or another order of velocity: another layout.
    let refused = |change: &dyn Fn(&mut Scene)| {
        let mut other = scene(VelocityUpdate::FirstOrder);
        change(&mut other);
        let other = Plan::new(&other).unwrap();
        matches!(State::from_bytes(&other, &bytes), Err(SnapshotError::Layout { .. }))
    };
    assert!(refused(&|scene| {
        scene.add(Cloth::grid([3, 3], [1.0, 1.0]));
    }));
    assert!(refused(&|scene| {
        scene.add_collider(Collider::sphere(0.1));
    }));
    assert!(refused(&|scene| {
        scene.add_rigid(RigidBody::sphere(0.1));
    }));
    assert!(refused(&|scene| scene.settings.velocity_update = VelocityUpdate::SecondOrder));
    let cloth = |density: f32| {
        let mut scene = Scene::new();
        scene.add(Cloth::grid([4, 4], [1.0, 1.0]).density(density));
        Plan::new(&scene).unwrap()
    };
    let light = State::new(&cloth(0.1)).to_bytes();
    assert!(State::from_bytes(&cloth(0.1), &light).is_ok());
    assert!(matches!(State::from_bytes(&cloth(0.2), &light), Err(SnapshotError::Layout { .. })));
}
