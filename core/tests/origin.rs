//! The origin: where local coordinates are in the world. It changes nothing that is computed, and goes with the state.

use crate::runs::{FRAME, sub};
use glam::DVec3;
use seidel::collider::{Key, Motion};
use seidel::{
    Cloth, Collider, Fluid, Grains, GridPins, Input, Mesh, MovingPins, Plan, Pose, Recording, RigidBody, RigidJoint,
    Rod, Scene, ShapeMatched, SnapshotError, Solver, State, VelocityUpdate,
};
use xxhash_rust::xxh3::xxh3_64;

/// As far as a large world goes, and nowhere f32 could hold.
const FAR: [f64; 3] = [1e4, -3e5, 7e9];

/// Something of all that has a place.
fn scene(origin: [f64; 3], update: VelocityUpdate) -> Scene {
    let mut scene = Scene::new();
    scene.origin = origin;
    (scene.settings.substeps, scene.settings.velocity_update) = (4.into(), update);
    let lifted = Motion::Linear { velocity: DVec3::new(0.0, 0.2, 0.1) };
    let cloth = Cloth::grid([9, 8], [0.6, 0.5]).placed(Pose::at([0.0, 0.5, 0.0]), 1.0).pin_grid(GridPins::FirstRow);
    scene.add(cloth.move_pins(MovingPins::new(vec![0, 1], lifted)).named("cloth"));
    scene.add(Rod::new([-0.3, 0.7, 0.1], [0.3, 0.7, 0.1], 6).pin(&[0]).named("rod"));
    scene.add(ShapeMatched::new(Mesh::ball(0.1, 1)).placed(Pose::at([-0.3, 0.2, -0.6]), 1.0).named("soft"));
    scene.add_collider(Collider::ground());
    let away = Key { time: 0.4, offset: DVec3::new(0.1, 0.1, 0.0), axis: DVec3::Y, angle: 1.0 };
    let path = Motion::KeyFrames { keys: vec![Key::default(), away] };
    scene.add_collider(Collider::sphere(0.2).at([0.0, 0.1, 0.0]).moving(path).named("ball"));
    let lower = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([1.0, 0.1, 0.0]).named("lower"));
    let upper = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([1.02, 0.3, 0.0]));
    scene.join_rigid(RigidJoint::hinge(lower, upper, [1.1, 0.2, 0.0], [0.0, 0.0, 1.0]));
    if update == VelocityUpdate::FirstOrder {
        scene.add(Fluid::block([-1.2, 0.0, 0.4], [-1.0, 0.2, 0.6]).spacing(0.05).named("water"));
        scene.add(Grains::block([1.0, 0.0, 0.8], [1.2, 0.3, 1.0]).radius(0.02).named("sand"));
    }
    scene
}

fn after(origin: [f64; 3], update: VelocityUpdate, frames: u32) -> Solver {
    let mut solver = Solver::new(&scene(origin, update)).unwrap();
    play(&mut solver, frames);
    solver
}

fn play(solver: &mut Solver, frames: u32) {
    for frame in 0..frames {
        let report = solver.step(&Input::frame(FRAME));
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
    }
}

/// The large world of the oracles: 10 km away, and much further, every bit is the same.
#[test]
fn the_bits_are_the_same_wherever_the_origin_is() {
    for update in [VelocityUpdate::FirstOrder, VelocityUpdate::SecondOrder] {
        let here = after([0.0; 3], update, 30);
        for origin in [[1e4, 0.0, 0.0], FAR, [-1e12; 3]] {
            let there = after(origin, update, 30);
            assert_eq!(there.state().hash(), here.state().hash(), "{origin:?}");
            assert_eq!((there.plan().id(), there.plan().layout_id()), (here.plan().id(), here.plan().layout_id()));
            for body in ["cloth", "rod", "soft"] {
                let [a, b] = [&here, &there].map(|solver| solver.positions(solver.plan().body(body).unwrap()));
                assert_eq!(a, b, "{body}");
            }
            assert!(there.origin() == origin && there.state() != here.state());
        }
    }
}

#[test]
fn places_in_the_world_have_the_digits_that_f32_lacks() {
    let origin = [1e4, -3e5, 0.0];
    let solver = after(origin, VelocityUpdate::FirstOrder, 20);
    let (plan, state) = (solver.plan(), solver.state());
    let cloth = plan.body("cloth").unwrap();
    let (mut world, mut held) = (vec![[9.0; 3]; 200], 0);
    solver.world_positions(cloth, &mut world);
    assert_eq!(world.len(), plan.vertices(cloth));
    for (at, local) in world.iter().zip(solver.positions(cloth)) {
        let rest = sub(sub(*at, origin), local.as_dvec3().to_array());
        // Half a step of f32 at 1 m, and what f64 rounds at 3e5 m.
        assert!(rest.iter().all(|r| r.abs() <= 6e-8 + 1e-10), "{at:?} is not {local:?}");
        // What f32 lacks is more than roundings of f64.
        held += usize::from(rest.iter().any(|r| r.abs() > 1e-9));
    }
    assert!(held > 40, "remainders of {held} vertices");
    for (pose, shape) in [
        (state.rigid_pose(plan, plan.rigid_ids().next().unwrap()), "lower"),
        (state.pose(plan.collider("ball").unwrap()), "ball"),
    ] {
        let there = state.world_pose(pose);
        let want: [f64; 3] = std::array::from_fn(|k| origin[k] + pose.position()[k]);
        assert_eq!((there.position().to_array(), there.rotation()), (want, pose.rotation()), "{shape}");
    }
}

#[test]
fn a_snapshot_brings_its_origin() {
    let [here, there] = [[0.0; 3], FAR].map(|origin| after(origin, VelocityUpdate::FirstOrder, 5));
    let (plan, near) = (there.plan(), here.state().to_bytes());
    let far = there.state().to_bytes();
    // A scene at zero writes what it wrote before there were origins.
    assert_eq!(far.len(), near.len() + 24);
    assert_eq!((near[13] & 2, far[13] & 2), (0, 2), "flag 512");
    let restored = State::from_bytes(plan, &far).unwrap();
    assert_eq!((&restored, restored.origin(), restored.to_bytes()), (there.state(), FAR, far.clone()));
    // It goes where plans are alike: coordinates are local in both.
    let mut moved = Solver::new(&scene(FAR, VelocityUpdate::FirstOrder)).unwrap();
    moved.restore(&near).unwrap();
    assert_eq!((moved.origin(), moved.state().hash()), ([0.0; 3], here.state().hash()));
    moved.restore(&far).unwrap();
    assert_eq!(moved.origin(), FAR);
    moved.reset();
    assert_eq!(moved.origin(), FAR);
    // Of origins that no scene may have none is taken.
    let at = 48;
    for bad in [f64::NAN, f64::INFINITY, -1.1e12] {
        let mut bytes = far.clone();
        bytes[at..at + 8].copy_from_slice(&bad.to_le_bytes());
        let end = bytes.len() - 8;
        let sum = xxh3_64(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        let refused = State::from_bytes(plan, &bytes).unwrap_err();
        assert!(matches!(refused, SnapshotError::Value { what } if what.contains("origin")), "{refused}");
    }
}

#[test]
fn a_recording_replays_in_a_scene_elsewhere() {
    let input = Input::frame(FRAME);
    let mut solver = Solver::new(&scene(FAR, VelocityUpdate::FirstOrder)).unwrap();
    let mut recording = Recording::new(solver.plan(), solver.state());
    for _ in 0..5 {
        solver.step(&input);
        recording.step(&input, solver.state());
    }
    for origin in [FAR, [0.0; 3]] {
        let plan = Plan::new(&scene(origin, VelocityUpdate::FirstOrder)).unwrap();
        let end = recording.replay(&plan, seidel::Execution::default(), |_, _| ()).unwrap();
        assert_eq!(&end, solver.state());
    }
}

#[test]
fn an_edit_keeps_the_origin_or_sets_it() {
    let mut solver = after(FAR, VelocityUpdate::FirstOrder, 3);
    let near = after([0.0; 3], VelocityUpdate::FirstOrder, 3).state().to_bytes();
    // A state that came from elsewhere keeps its own while the scene's stays.
    solver.restore(&near).unwrap();
    solver.edit(|scene| Ok(scene.add_collider(Collider::sphere(0.1).at([5.0, 0.0, 0.0])))).unwrap();
    assert_eq!(solver.origin(), [0.0; 3]);
    let hash = solver.state().hash();
    let set = |scene: &mut Scene| {
        scene.origin = [1.0, 2.0, 3.0];
        Ok(())
    };
    solver.edit(set).unwrap();
    assert_eq!((solver.origin(), solver.state().hash()), ([1.0, 2.0, 3.0], hash));
    let refused = solver.edit(|scene| {
        scene.origin[1] = -2e12;
        Ok(())
    });
    let says = "scene: origin along y is -2000000000000, which is not within +-1e12 m: move the world's zero nearer, or \
                take more of the distance out of it";
    assert_eq!(refused.unwrap_err().to_string(), says);
    assert_eq!(solver.origin(), [1.0, 2.0, 3.0]);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(Plan::new(&scene([0.0, 0.0, bad], VelocityUpdate::FirstOrder)).is_err());
    }
}
