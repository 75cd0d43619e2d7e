//! Inputs as bytes, and recordings that are replayed.

use crate::runs::{self, FRAME};
use glam::{DVec3, Quat, Vec3};
use seidel::joint::Motor;
use seidel::{
    Balloon, Cloth, Collider, Error, Execution, Input, InputError, Isa, Mesh, Obstacle, Plan, Pose, Recording,
    ReplayError, RigidBody, RigidJoint, Rod, Scene, Scratch, Solver, Stiffness, kinds, step,
};
use std::sync::Arc;

/// A scene in which every sort of input has something to do, and an input that has all of them.
fn everything() -> (Scene, Input) {
    let mut scene = runs::scene(9.81, 3);
    let sheet = scene.add(Cloth::grid([6, 6], [1.0, 1.0]).pin(&[0, 5]));
    let rod = scene.add(Rod::new([2.0, 0.0, 0.0], [2.5, 0.0, 0.0], 5).pin(&[0, 1]));
    let balloon = scene.add(Balloon::new(Mesh::ball(0.2, 1)).placed(Pose::at([4.0, 0.0, 0.0]), 1.0));
    let shell = Mesh::ball(0.1, 1);
    let obstacle = scene.add(Obstacle::new(shell.clone()));
    let ball = scene.add_collider(Collider::sphere(0.1).at([0.0, -1.0, 0.0]));
    let door = scene.add_rigid(RigidBody::cuboid([0.2; 3]).at([6.0, 0.0, 0.0]));
    let hinge = scene.join_rigid(RigidJoint::hinge(Some(door), None, [6.0, 0.0, 0.0], [0.0, 0.0, 1.0]));
    let rows = 2 * Plan::new(&scene).unwrap().rows(sheet, &kinds::DISTANCE).len() / 4;
    let moved: Vec<Vec3> = shell.positions.iter().map(|p| Vec3::from(*p) + Vec3::Y * 0.1).collect();
    let forces: Vec<Vec3> = (0..36).map(|i| Vec3::new(0.0, 0.01 * i as f32, -0.1)).collect();
    let soft: Vec<f32> = (0..rows).map(|row| 1e-6 * row as f32).collect();
    let input = Input::frame(FRAME)
        .gravity([0.0, -3.0, 1.0])
        .wind([2.0, 0.0, 0.5])
        .pose(ball, Pose::at([0.0, -0.9, 0.1]).turned([0.0, 1.0, 0.0], 0.3))
        .pin(sheet, 0, [-0.5, 0.1, -0.5])
        .turn(rod, 0, Quat::from_rotation_x(0.2) * first_turn(&scene, rod))
        .vertices(obstacle, &moved)
        .pull(sheet, 20, [0.1, 0.2, 0.3], 1e-3)
        .forces(sheet, &forces)
        .stiffness(sheet, &kinds::DISTANCE, Stiffness::compliance(soft))
        .stiffness(rod, &kinds::STRETCH_SHEAR, Stiffness::compliance(1e-7))
        .pressure(balloon, 1.3)
        .push(door, DVec3::new(1.0, 2.0, 3.0), DVec3::X)
        .motor(hinge, Motor::Velocity { target: 1.0, limit: 5.0 });
    (scene, input)
}

fn first_turn(scene: &Scene, rod: seidel::BodyId) -> Quat {
    let plan = Plan::new(scene).unwrap();
    let mut turns = vec![Quat::IDENTITY; plan.frames(rod)];
    seidel::State::new(&plan).read_rotations(&plan, rod, &mut turns);
    turns[0]
}

#[test]
fn an_input_comes_back_from_its_bytes() {
    let (scene, input) = everything();
    let mut solver = Solver::new(&scene).unwrap();
    let plan = Arc::clone(solver.plan());
    assert_eq!(solver.step(&input).rejected, None);
    let bytes = input.to_bytes();
    assert_eq!(Input::from_bytes(&plan, &bytes), Ok(input.clone()));
    let held = Input::frame(0.25).held();
    assert_eq!(Input::from_bytes(&plan, &held.to_bytes()), Ok(held.clone()));
    let motors = [Motor::Off, Motor::Position { target: 0.5, limit: 2.0 }];
    for motor in motors {
        let hinge = scene.rigid_joint("joint-0").unwrap();
        let input = Input::frame(0.25).motor(hinge, motor);
        assert_eq!(Input::from_bytes(&plan, &input.to_bytes()), Ok(input));
    }
    let mut cleared = input;
    cleared.clear();
    assert_eq!(cleared, Input::frame(FRAME));
    // Whatever is cut off or flipped is told.
    for length in 0..bytes.len() {
        assert!(Input::from_bytes(&plan, &bytes[..length]).is_err(), "{length} bytes");
    }
    for at in 0..bytes.len() {
        let mut wrong = bytes.clone();
        wrong[at] ^= 0x10;
        assert!(Input::from_bytes(&plan, &wrong).is_err(), "byte {at}");
    }
    assert_eq!(Input::from_bytes(&plan, &[&bytes[..], &[0]].concat()), {
        Err(InputError::Length { got: bytes.len() as u64 + 1, want: bytes.len() as u64 })
    });
    // A scene without such constraints.
    let mut other = Scene::new();
    other.add_collider(Collider::ground());
    let none = Input::from_bytes(&Plan::new(&other).unwrap(), &bytes).unwrap_err();
    assert_eq!(
        none.to_string(),
        "the input holds something wrong: no constraint of the plan is of the kind that it names"
    );
}

/// A play of hands and inputs comes to the same bits again, and what differs is named.
#[test]
fn a_recording_is_replayed() {
    let (scene, input) = everything();
    let mut solver = Solver::on(&scene, Execution::new(Isa::PORTABLE, 1)).unwrap();
    let plan = Arc::clone(solver.plan());
    let sheet = plan.body("body-0").unwrap();
    let mut recording = Recording::new(&plan, solver.state());
    for frame in 0..12 {
        if frame == 4 {
            solver.unpin(sheet, 5).unwrap();
            recording.placed(solver.state());
        }
        let input = if frame % 3 == 0 { input.clone() } else { Input::frame(FRAME) };
        assert_eq!(solver.step(&input).rejected, None);
        recording.step(&input, solver.state());
    }
    // One that is not taken is replayed as it was.
    let refused = Input::frame(FRAME).pin(sheet, 5, [0.0; 3]);
    assert!(matches!(solver.step(&refused).rejected, Some(Error::Range { .. })));
    recording.step(&refused, solver.state());
    let bytes = recording.to_bytes();
    let again = Recording::from_bytes(&bytes).unwrap();
    assert_eq!((again.steps(), again.plan(), &again), (13, plan.id(), &recording));
    let mut told = Vec::new();
    for (isa, threads) in [(Isa::PORTABLE, 1), (Isa::detect(), 3)] {
        told.clear();
        let end = again.replay(&plan, Execution::new(isa, threads), |number, _| told.push(number)).unwrap();
        assert_eq!(end.hash(), solver.state().hash());
        assert_eq!(told, (0..13).collect::<Vec<_>>());
    }
    // Without what the hand has done, the first step after it differs.
    let mut forgets = Recording::new(&plan, &seidel::State::new(&plan));
    let (mut state, mut scratch) = (seidel::State::new(&plan), Scratch::new(&plan, Execution::default()));
    for frame in 0..3 {
        if frame == 2 {
            state.unpin(&plan, sheet, 5).unwrap();
        }
        step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
        forgets.step(&Input::frame(FRAME), &state);
    }
    let differs = forgets.replay(&plan, Execution::default(), |_, _| ()).unwrap_err();
    assert!(matches!(differs, ReplayError::Differs { step: 2, .. }), "{differs}");
    // Of another plan, damaged, or nothing of the kind.
    let mut other = scene.clone();
    other.settings.gravity = Vec3::ZERO;
    let refused = again.replay(&Plan::new(&other).unwrap(), Execution::default(), |_, _| ()).unwrap_err();
    assert!(matches!(refused, ReplayError::OtherPlan { .. }));
    for at in (0..bytes.len()).step_by(7) {
        let mut wrong = bytes.clone();
        wrong[at] ^= 0x40;
        assert!(Recording::from_bytes(&wrong).is_err(), "byte {at}");
        assert!(Recording::from_bytes(&bytes[..at]).is_err(), "{at} bytes");
    }
}

/// Bytes with a right checksum and wrong numbers are an error or an input, and a step takes or refuses it.
#[test]
fn wrong_numbers_with_a_right_checksum_never_panic() {
    let (scene, input) = everything();
    let plan = Plan::new(&scene).unwrap();
    let (start, bytes) = (seidel::State::new(&plan), input.to_bytes());
    let (mut state, mut scratch) = (start.clone(), Scratch::new(&plan, Execution::new(Isa::PORTABLE, 1)));
    let mut random = runs::Random(24);
    let (mut read, mut taken) = (0, 0);
    for _ in 0..3000 {
        let mut wrong = bytes.clone();
        let at = 24 + (random.unit().abs() * (bytes.len() - 32) as f64) as usize;
        wrong[at] = (random.unit() * 127.0) as i8 as u8;
        let end = wrong.len() - 8;
        let sum = xxhash_rust::xxh3::xxh3_64(&wrong[..end]);
        wrong[end..].copy_from_slice(&sum.to_le_bytes());
        let Ok(input) = Input::from_bytes(&plan, &wrong) else { continue };
        read += 1;
        state.clone_from(&start);
        taken += usize::from(step(&plan, &mut state, &input, &mut scratch).rejected.is_none());
    }
    assert!(read > 1000 && taken > 500, "{read} read, {taken} taken");
}

/// A recording goes on across edits: of ids that stay and of new ones inputs find their things by number.
#[test]
fn a_recording_goes_on_across_edits() {
    let mut scene = runs::scene(9.81, 4);
    let sheet = |x: f32| Cloth::grid([6, 6], [1.0, 1.0]).placed(Pose::at([x, 1.0, 0.0]), 1.0).pin(&[0, 5]);
    let (first, second) = (scene.add(sheet(0.0)), scene.add(sheet(3.0)));
    scene.add_collider(Collider::ground());
    let mut solver = Solver::new(&scene).unwrap();
    let mut recording = Recording::new(solver.plan(), solver.state());
    let mut plans = Vec::new();
    let take = |solver: &mut Solver, recording: &mut Recording, input: Input| {
        for _ in 0..4 {
            assert_eq!(solver.step(&input).rejected, None);
            recording.step(&input, solver.state());
        }
    };
    take(&mut solver, &mut recording, Input::frame(FRAME).pull(second, 20, [3.0, 2.0, 0.0], 1e-3));
    solver.edit(|scene| scene.remove(first)).unwrap();
    recording.edited(solver.plan(), solver.state());
    plans.push(Arc::clone(solver.plan()));
    // The same bytes as before the edit: an input is read for its plan.
    take(&mut solver, &mut recording, Input::frame(FRAME).pull(second, 20, [3.0, 2.0, 0.0], 1e-3));
    let third = solver.edit(|scene| Ok(scene.add(sheet(6.0)))).unwrap();
    recording.edited(solver.plan(), solver.state());
    plans.push(Arc::clone(solver.plan()));
    solver.unpin(third, 5).unwrap();
    recording.placed(solver.state());
    let forces = [Vec3::new(0.0, 0.02, 0.01); 36];
    take(&mut solver, &mut recording, Input::frame(FRAME).forces(third, &forces).pin(second, 0, [2.5, 1.1, -0.5]));
    let recording = Recording::from_bytes(&recording.to_bytes()).unwrap();
    assert_eq!(recording.steps(), 12);

    let begin = Plan::new(&scene).unwrap();
    for isa in Isa::available() {
        let execution = Execution::new(isa, 1);
        let mut hashes = Vec::new();
        let plan_of = |edit: u64, _: &seidel::State| plans.get(edit as usize).cloned();
        let end = recording.replay_edited(&begin, execution, plan_of, |_, state| hashes.push(state.hash())).unwrap();
        assert_eq!((end.hash(), hashes.len()), (solver.state().hash(), 12));
    }
    // Without the plan of an edit, or with another.
    let one = Execution::new(Isa::detect(), 1);
    assert_eq!(recording.replay(&begin, one, |_, _| ()).unwrap_err(), ReplayError::Edited { edit: 0, step: 4 });
    let second_missing =
        recording.replay_edited(&begin, one, |edit, _| plans[..1].get(edit as usize).cloned(), |_, _| ());
    assert_eq!(second_missing.unwrap_err(), ReplayError::Edited { edit: 1, step: 8 });
    let wrong = recording.replay_edited(&begin, one, |_, _| Some(Arc::clone(&plans[1])), |_, _| ());
    assert_eq!(wrong.unwrap_err(), ReplayError::OtherPlan { got: plans[0].id(), want: plans[1].id() });
    // Those with edits are of the second format; the first, in which they were written before, is read; a later is not.
    let bytes = recording.to_bytes();
    let of_format = |format: u32| {
        let mut bytes = bytes.clone();
        bytes[8..12].copy_from_slice(&format.to_le_bytes());
        let end = bytes.len() - 8;
        let sum = xxhash_rust::xxh3::xxh3_64(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        Recording::from_bytes(&bytes)
    };
    let without = Recording::new(&begin, &seidel::State::new(&begin)).to_bytes();
    assert_eq!((bytes[8], without[8]), (2, 1));
    assert_eq!(of_format(1).unwrap().to_bytes(), bytes);
    assert!(of_format(2).is_ok());
    for got in [0, 3] {
        assert_eq!(of_format(got).unwrap_err(), ReplayError::Format { got, want: 2 });
    }
    // Cut off anywhere, it is told.
    assert!((0..bytes.len()).step_by(31).all(|end| Recording::from_bytes(&bytes[..end]).is_err()));
}
