//! An origin that moves while a scene runs: all stays where it is in the world, and goes on.

use crate::runs::{FRAME, norm, scene as plain, sub, velocities};
use glam::{DVec3, Vec3};
use seidel::collider::{Key, Motion};
use seidel::kinds::DISTANCE;
use seidel::{
    BodyId, Cloth, Collider, Emitter, Fluid, GridPins, Input, Mesh, MovingPins, Obstacle, Opening, Plan, Pose,
    Recording, Region, RigidBody, RigidJoint, Rod, Scene, ShapeMatched, Solver, State, Stiffness, Tearing,
    VelocityUpdate,
};
use std::sync::Arc;

/// Where the origin goes: a kilometre away, by numbers that f32 adds to nothing without rounding.
const AWAY: [f64; 3] = [1000.0, 0.1, -500.0];

/// All that has a place, and nothing that touches: paths of pins, obstacles and colliders, joints, emitters.
fn scene(update: VelocityUpdate) -> Scene {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.velocity_update) = (4.into(), update);
    let lifted = Motion::Linear { velocity: DVec3::new(0.0, 0.2, 0.1) };
    let cloth = Cloth::grid([9, 8], [0.6, 0.5]).placed(Pose::at([0.0, 0.5, 0.0]), 1.0).pin_grid(GridPins::FirstRow);
    scene.add(cloth.move_pins(MovingPins::new(vec![0, 1], lifted.clone())).named("cloth"));
    let sheet = Cloth::grid([9, 8], [0.6, 0.5]).placed(Pose::at([-2.0, 0.5, 0.0]), 1.0);
    scene.add(sheet.pin_grid(GridPins::FirstRow).named("sheet"));
    scene.add(Rod::new([-0.3, 0.7, 0.1], [0.3, 0.7, 0.1], 6).pin(&[0]).named("rod"));
    scene.add(ShapeMatched::new(Mesh::ball(0.1, 1)).placed(Pose::at([-0.3, 0.2, -0.6]), 1.0).named("soft"));
    let mut ball = Mesh::ball(0.1, 1);
    ball.positions.iter_mut().for_each(|x| x[1] -= 3.0);
    let ball = scene.add(Obstacle::new(ball).motion(lifted, DVec3::new(0.0, -3.0, 0.0)).named("obstacle"));
    let worn = Cloth::grid([3, 3], [0.1, 0.1]).placed(Pose::at([0.0, -2.9, 0.0]), 1.0).pin(&[4]);
    scene.add(worn.attach(ball, &[4]).named("worn"));
    let away = Key { time: 0.4, offset: DVec3::new(0.1, 0.1, 0.0), axis: DVec3::Y, angle: 1.0 };
    let path = Motion::KeyFrames { keys: vec![Key::default(), away] };
    scene.add_collider(Collider::sphere(0.2).at([0.0, -9.0, 0.0]).moving(path).named("ball"));
    scene.add_collider(Collider::sphere(0.2).at([0.0, -9.0, 5.0]).named("given"));
    let lower = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([1.0, 0.1, 0.0]));
    let upper = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([1.02, 0.5, 0.0]));
    scene.join_rigid(RigidJoint::hinge(lower, upper, [1.1, 0.3, 0.0], [0.0, 0.0, 1.0]));
    if update == VelocityUpdate::FirstOrder {
        let jet = Emitter::new(Pose::at([5.0, 0.0, 0.0]), Opening::Rectangle([0.06; 2]), 2.0);
        let drain = Region::side([0.0, -0.4, 0.0], [0.0, -1.0, 0.0]);
        scene.add(Fluid::empty().spacing(0.05).emit(jet).drain(drain).capacity(200).named("water"));
    }
    scene
}

fn body(solver: &Solver, name: &str) -> BodyId {
    solver.plan().body(name).unwrap()
}

/// Places in the world of all vertices, rigid bodies and colliders; of fluids of those that are there.
fn world(solver: &Solver) -> Vec<[f64; 3]> {
    let (plan, state) = (solver.plan(), solver.state());
    let (mut all, mut one) = (Vec::new(), Vec::new());
    for id in plan.body_ids() {
        solver.world_positions(id, &mut one);
        let mut masses = vec![0.0; one.len()];
        state.read_inv_masses(plan, id, &mut masses);
        let is_fluid = plan.fluids().any(|(of, _)| of == id);
        all.extend(one.iter().zip(&masses).filter(|(_, w)| !is_fluid || **w > 0.0).map(|(x, _)| *x));
    }
    let poses = plan.rigid_ids().map(|id| state.rigid_pose(plan, id));
    let poses = poses.chain(plan.collider_ids().map(|id| state.pose(id)));
    all.extend(poses.map(|pose| state.world_pose(pose).position().to_array()));
    all
}

/// The farthest that two are apart, metres.
fn apart(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| norm(sub(*a, *b))).fold(0.0, f64::max)
}

/// Steps; a collider is taken somewhere that is given in the world.
fn play(solver: &mut Solver, frames: std::ops::Range<u32>) {
    for frame in frames {
        let origin = DVec3::from(solver.origin());
        let given = solver.plan().collider("given").unwrap();
        let at = DVec3::new(0.01 * f64::from(frame), -9.0, 5.0) - origin;
        let report = solver.step(&Input::frame(FRAME).pose(given, Pose::new(at, glam::DQuat::IDENTITY)));
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
    }
}

#[test]
fn what_flies_and_hangs_goes_on_as_if_nothing_had_been_moved() {
    for update in [VelocityUpdate::FirstOrder, VelocityUpdate::SecondOrder] {
        let [mut still, mut moved] = [(); 2].map(|()| Solver::new(&scene(update)).unwrap());
        play(&mut still, 0..10);
        play(&mut moved, 0..10);
        let before = world(&moved);
        moved.move_origin(AWAY).unwrap();
        assert_eq!(moved.origin(), AWAY);
        let here = moved.positions(body(&moved, "cloth"))[0];
        assert!((here.x + 1000.3).abs() < 1e-3, "coordinates are others: {here}");
        let jump = apart(&before, &world(&moved));
        assert!(jump < 1e-9, "{jump}");
        play(&mut still, 10..40);
        play(&mut moved, 10..40);
        let off = |name: &str| {
            let [a, b] = [&still, &moved].map(|solver| {
                let mut places = Vec::new();
                solver.world_positions(body(solver, name), &mut places);
                places
            });
            apart(&a, &b)
        };
        for (name, bar) in [("sheet", 1e-5), ("rod", 1e-6), ("soft", 1e-6)] {
            assert!(off(name) < bar, "{update:?}, {name}: {}", off(name));
        }
        let poses = |solver: &Solver| world(solver).split_off(world(solver).len() - 4);
        assert!(apart(&poses(&still), &poses(&moved)) < 1e-9, "rigid bodies and colliders are in f64");
        // What is taken along a path goes where f32 says, in steps of 6e-5 m here, and what hangs there shakes by it.
        assert!(off("obstacle") < 6.2e-5, "{update:?}: {}", off("obstacle"));
        let shaken = if update == VelocityUpdate::FirstOrder { 2e-3 } else { 0.1 };
        for name in ["cloth", "worn"] {
            assert!(off(name) < shaken, "{update:?}, {name}: {}", off(name));
        }
        if update == VelocityUpdate::FirstOrder {
            assert!(off("water") < 1e-4, "born where f32 says: {}", off("water"));
        }
    }
}

/// Far and back: what the engine keeps in f64 has its bits again; of a vertex the position, and the remainder to what
/// f32 can say of it a kilometre away.
#[test]
fn there_and_back_is_the_same() {
    for update in [VelocityUpdate::FirstOrder, VelocityUpdate::SecondOrder] {
        let mut solver = Solver::new(&scene(update)).unwrap();
        play(&mut solver, 0..10);
        let (id, before, state) = (solver.plan().id(), world(&solver), solver.state().clone());
        // Of these numbers f64 keeps every bit of what is near.
        solver.move_origin([1024.0, 0.0, -512.0]).unwrap();
        assert!(solver.plan().id() != id && solver.state().hash() != state.hash());
        assert_eq!(solver.plan().layout_id(), Plan::new(&scene(update)).unwrap().layout_id());
        solver.move_origin([0.0; 3]).unwrap();
        assert_eq!((solver.plan().id(), solver.origin()), (id, [0.0; 3]));
        let plan = solver.plan();
        for body in plan.body_ids() {
            let [mut a, mut b] = [(); 2].map(|()| vec![glam::Vec3::ZERO; plan.vertices(body)]);
            solver.state().read_positions(plan, body, &mut a);
            state.read_positions(plan, body, &mut b);
            let differ = a.iter().zip(&b).filter(|(a, b)| a != b).count();
            assert_eq!(differ, 0, "of body {}", plan.body_name(body));
        }
        for rigid in plan.rigid_ids() {
            let [a, b] = [solver.state(), &state].map(|state| state.rigid_pose(plan, rigid));
            assert!(
                (a.position() - b.position()).length() < 2.0 * f64::EPSILON * 1024.0 && a.rotation() == b.rotation()
            );
        }
        let off = apart(&before, &world(&solver));
        assert!(off < 5e-12, "{off:e}");
        // A second time nothing is lost any more.
        let once = solver.state().clone();
        solver.move_origin([1024.0, 0.0, -512.0]).unwrap();
        solver.move_origin([0.0; 3]).unwrap();
        assert_eq!(solver.state(), &once);
    }
}

/// An obstacle at rest keeps the remainder of its place, however many steps are taken away from home.
#[test]
fn an_obstacle_that_rests_comes_back_to_where_it_was() {
    let mut scene = plain(9.81, 4);
    let mut ball = Mesh::ball(0.3, 2);
    ball.positions.iter_mut().for_each(|[x, y, _]| (*x, *y) = (*x + 0.1, *y + 0.7));
    let obstacle = scene.add(Obstacle::new(ball));
    let mut solver = Solver::new(&scene).unwrap();
    let places = |solver: &Solver| {
        let mut places = Vec::new();
        solver.world_positions(obstacle, &mut places);
        places
    };
    let (before, given) = (places(&solver), solver.positions(obstacle).to_vec());
    for to in [AWAY, [-7.1, 3.3, 1e5], [0.0; 3]] {
        solver.move_origin(to).unwrap();
        (0..3).for_each(|_| _ = solver.step(&Input::frame(FRAME)));
        let off = apart(&before, &places(&solver));
        assert!(off < 1e-8, "{to:?}: {off:e}");
    }
    assert_eq!(solver.positions(obstacle), given);
    // An obstacle that has been taken elsewhere rests there.
    let taken: Vec<Vec3> = given.iter().map(|x| *x + Vec3::X).collect();
    solver.step(&Input::frame(FRAME).vertices(obstacle, &taken));
    (0..2).for_each(|_| _ = solver.step(&Input::frame(FRAME)));
    assert_eq!(solver.positions(obstacle), taken);
    assert!(velocities(&solver, obstacle).iter().all(|v| norm(*v) == 0.0));
}

#[test]
fn snapshots_go_on_where_they_were_in_the_world() {
    let scene = scene(VelocityUpdate::FirstOrder);
    let mut solver = Solver::new(&scene).unwrap();
    let input = Input::frame(FRAME).stiffness(body(&solver, "cloth"), &DISTANCE, Stiffness::compliance(1e-4));
    solver.step(&input);
    play(&mut solver, 0..5);
    let (early, places) = (solver.state().to_bytes(), world(&solver));
    solver.move_origin(AWAY).unwrap();
    let late = solver.state().to_bytes();
    assert_eq!(State::from_bytes(solver.plan(), &late).unwrap(), *solver.state());
    play(&mut solver, 5..10);
    let end = world(&solver);
    // One of after the move, in the plan of after it: the same bits.
    let hash = solver.state().hash();
    solver.restore(&late).unwrap();
    play(&mut solver, 5..10);
    assert_eq!(solver.state().hash(), hash);
    // One of before it there, and one of after it in a plan as the scene describes it: the same places.
    solver.restore(&early).unwrap();
    assert_eq!(solver.origin(), AWAY);
    assert!(apart(&world(&solver), &places) < 1e-9);
    play(&mut solver, 5..10);
    assert_eq!(apart(&world(&solver), &end), 0.0);
    let mut fresh = Solver::new(&scene).unwrap();
    fresh.restore(&late).unwrap();
    assert_eq!(fresh.origin(), [0.0; 3]);
    assert!(apart(&world(&fresh), &places) < 1e-9);
    play(&mut fresh, 5..10);
    assert!(apart(&world(&fresh), &end) < 1e-3, "pins on paths go where f32 says");
    // States of before are another plan's.
    let state = State::from_bytes(&Plan::new(&scene).unwrap(), &early).unwrap();
    assert!(solver.set_state(state).is_err());
}

#[test]
fn edits_and_recordings_go_across() {
    let described = scene(VelocityUpdate::FirstOrder);
    let mut solver = Solver::new(&described).unwrap();
    let input = Input::frame(FRAME);
    let mut recording = Recording::new(solver.plan(), solver.state());
    let steps = |solver: &mut Solver, recording: &mut Recording| {
        for _ in 0..4 {
            solver.step(&input);
            recording.step(&input, solver.state());
        }
    };
    steps(&mut solver, &mut recording);
    solver.move_origin(AWAY).unwrap();
    recording.edited(solver.plan(), solver.state());
    steps(&mut solver, &mut recording);
    // What an edit adds is described where everything else was.
    let added = |scene: &mut Scene| {
        let sheet = Cloth::grid([4, 4], [0.5, 0.5]).placed(Pose::at([9.0, 1.0, 0.0]), 1.0).named("rug");
        scene.add_collider(Collider::sphere(0.1).at([20.0, 0.0, 0.0]).named("late"));
        Ok(scene.add(sheet))
    };
    let before = world(&solver);
    let sheet = solver.edit(added).unwrap();
    recording.edited(solver.plan(), solver.state());
    assert_eq!(solver.origin(), AWAY);
    let mut places = Vec::new();
    solver.world_positions(sheet, &mut places);
    assert!(apart(&places[..1], &[[8.75, 1.0, -0.25]]) < 1e-9, "{:?}", places[0]);
    let after = world(&solver);
    let stays = before.iter().filter(|x| after.iter().any(|y| norm(sub(**x, *y)) < 1e-9)).count();
    assert_eq!((stays, after.len()), (before.len(), before.len() + 17));
    steps(&mut solver, &mut recording);
    // Planned anew it is the same plan.
    let mut edited = described.clone();
    added(&mut edited).unwrap();
    let plans = [&described, &edited].map(|scene| Plan::new(scene).unwrap().with_origin(AWAY).unwrap());
    let plans = plans.map(Arc::new);
    assert_eq!(plans[1].id(), solver.plan().id());
    let first = Plan::new(&described).unwrap();
    let plan = |edit: u64, _: &State| Some(Arc::clone(&plans[edit as usize]));
    let end = recording.replay_edited(&first, seidel::Execution::default(), plan, |_, _| ()).unwrap();
    assert_eq!(&end, solver.state());
    // Back at the start it is as the scene says, seen from there.
    solver.reset();
    let mut fresh = Solver::new(&edited).unwrap();
    assert!(solver.origin() == AWAY && apart(&world(&solver), &world(&fresh)) < 1e-9);
    // A state is carried into a plan as described, and stays where it is.
    play(&mut solver, 0..5);
    play(&mut fresh, 0..5);
    let carried = solver.state().carried(solver.plan(), fresh.plan()).unwrap();
    let places = world(&solver);
    fresh.set_state(carried).unwrap();
    assert!(fresh.origin() == [0.0; 3] && apart(&world(&fresh), &places) < 1e-9);
}

#[test]
fn what_has_torn_moves_and_tears_on() {
    let mut scene = Scene::new();
    scene.settings.substeps = 4.into();
    let sheet = Cloth::grid([9, 9], [1.0, 1.0]).pin_grid(GridPins::FirstRow).tear(Tearing::by_cuts());
    let sheet = scene.add(sheet.named("sheet"));
    let mut solver = Solver::new(&scene).unwrap();
    let across = |x: f64| seidel::Cut::plane([x, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let torn = solver.step(&Input::frame(FRAME).cut(sheet, across(0.01))).torn.len();
    assert!(torn > 0);
    let before = world(&solver);
    solver.move_origin(AWAY).unwrap();
    assert!(apart(&before, &world(&solver)) < 1e-9);
    let again = solver.step(&Input::frame(FRAME).cut(sheet, across(0.26 - AWAY[0]))).torn.len();
    assert!(again > 0 && solver.positions(sheet).len() == 81 + torn + again, "{torn} and {again}");
    solver.step(&Input::frame(FRAME));
    let places = world(&solver);
    solver.move_origin([0.0; 3]).unwrap();
    assert!(apart(&places, &world(&solver)) < 1e-9);
    solver.reset();
    assert_eq!(solver.positions(sheet).len(), 81);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut solver = Solver::new(&scene(VelocityUpdate::FirstOrder)).unwrap();
    play(&mut solver, 0..3);
    solver.move_origin([5.0, 0.0, 0.0]).unwrap();
    let before = solver.state().clone();
    for bad in [[f64::NAN, 0.0, 0.0], [0.0, 2e12, 0.0], [0.0, 0.0, -1.1e6], [1e6, 0.0, 0.0], [f64::INFINITY; 3]] {
        assert!(solver.move_origin(bad).is_err(), "{bad:?}");
        assert_eq!(solver.state(), &before);
    }
    let far = solver.move_origin([0.0, 0.0, -1.1e6]).unwrap_err().to_string();
    assert!(
        far.starts_with("origin: distance of the origin from the scene's along z is 1100000, which is not"),
        "{far}"
    );
    let near = solver.move_origin([1e6, 0.0, 0.0]).unwrap_err().to_string();
    assert!(near.contains("a coordinate from the origin is -100000"), "{near}");
    play(&mut solver, 3..5);
}
