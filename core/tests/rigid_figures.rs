//! Figures of rigid bodies, overlaps and gaps of joints, beside the same from the bodies' places.

use crate::runs::FRAME;
use crate::runs::rigid::{pose, run};
use seidel::collider::HeightField;
use seidel::glam::DVec3;
use seidel::{Collider, Input, RigidBody, RigidFigures, RigidId, RigidJoint, RigidParty, Scene, Solver};
use std::sync::Arc;

fn figures(solver: &Solver) -> RigidFigures {
    solver.state().rigid_figures(solver.plan())
}

/// Balls rest on a ground and on a surface of triangles, a box on a box; the deepest overlap is told.
#[test]
fn overlaps_are_those_of_places() {
    let ball = RigidBody::sphere(0.5).mass(10.0);
    let mut scene = Scene::new();
    scene.settings.substeps = 4.into();
    let ground = scene.add_collider(Collider::ground());
    let on_ground = scene.add_rigid(ball.clone().at([0.0, 0.5, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    assert_eq!(figures(&solver).contacts, 0);
    run(&mut solver, 0.5);
    let told = figures(&solver);
    let deep = 0.5 - pose(&solver, on_ground).position()[1];
    assert!((told.deepest_overlap - deep).abs() < 1e-6 && deep > 1e-5, "{told:?}, {deep}");
    assert_eq!((told.bodies, told.contacts, told.joints, told.joint_gap), (1, 1, 0, 0.0));
    let [pair] = solver.state().rigid_overlaps(solver.plan())[..] else { panic!("one pair touches") };
    assert_eq!((pair.body, pair.other, pair.depth), (on_ground, RigidParty::Collider(ground), told.deepest_overlap));
    assert!((pair.share - pair.depth).abs() < 1e-9, "its least side is 1 m: {pair:?}");
    // Disabled colliders and bodies have no contacts.
    let mut state = solver.state().clone();
    state.disable_collider(solver.plan(), ground);
    let told = state.rigid_figures(solver.plan());
    assert_eq!((told.bodies, told.contacts, told.deepest_overlap), (1, 0, 0.0));
    assert!(state.rigid_overlaps(solver.plan()).is_empty());
    state.enable_collider(solver.plan(), ground);
    assert_eq!(state.rigid_figures(solver.plan()).contacts, 1);
    state.disable_rigid(solver.plan(), on_ground).unwrap();
    let told = state.rigid_figures(solver.plan());
    assert_eq!((told.bodies, told.contacts, told.kinetic_energy), (0, 0, 0.0));

    // A surface of triangles, at 1 m.
    let mut scene = Scene::new();
    scene.settings.substeps = 4.into();
    let level = HeightField::new([3, 3], &[0.0; 9], 2.0).unwrap();
    scene.add_collider(Collider::height_field(Arc::new(level)).at([0.0, 1.0, 0.0]));
    let on_field = scene.add_rigid(ball.at([0.3, 1.5, 0.2]));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 0.5);
    let deep = 1.5 - pose(&solver, on_field).position()[1];
    let told = figures(&solver);
    assert!((told.deepest_overlap - deep).abs() < 1e-6 && deep > 1e-5, "{told:?}, {deep}");

    // A heavy box on a light one.
    let mut scene = Scene::new();
    scene.settings.substeps = 4.into();
    scene.add_collider(Collider::ground());
    let low = scene.add_rigid(RigidBody::cuboid([0.5; 3]).mass(10.0).at([0.0, 0.5, 0.0]));
    let high = scene.add_rigid(RigidBody::cuboid([0.5; 3]).mass(200.0).at([0.0, 1.5, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 1.0);
    let [low, high] = [low, high].map(|body| pose(&solver, body).position()[1]);
    let deep = f64::max(0.5 - low, 1.0 - (high - low));
    let told = figures(&solver);
    assert!((told.deepest_overlap - deep).abs() < 1e-5 && deep > 1e-4, "{told:?}, {deep}");
}

/// A beam that is welded to the world turns against it, by as much as is told.
#[test]
fn bent_joints_are_told() {
    let mut scene = Scene::new();
    scene.settings.substeps = 4.into();
    let long = scene.add_rigid(RigidBody::cuboid([0.5, 0.02, 0.02]).mass(0.1).at([0.5, 0.0, 0.0]));
    let load = scene.add_rigid(RigidBody::sphere(0.1).mass(5.0).at([1.1, 0.0, 0.0]));
    let root = scene.join_rigid(RigidJoint::fixed(None, long, [0.0; 3]));
    scene.join_rigid(RigidJoint::ball(Some(long), Some(load), [1.0, 0.0, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    assert_eq!((figures(&solver).joint_bend, figures(&solver).most_bent_joint), (0.0, None));
    run(&mut solver, 1.0);
    let q = pose(&solver, long).rotation();
    let turned = 2.0 * q.xyz().length().atan2(q.w.abs());
    let told = figures(&solver);
    assert!(told.most_bent_joint == Some(root) && turned > 0.01, "{told:?}, {turned}");
    assert!((told.joint_bend - turned).abs() < 1e-3 * turned, "{told:?}, {turned}");
}

/// A load on a chain opens its joints.
#[test]
fn open_joints_are_told() {
    let mut scene = Scene::new();
    scene.settings.substeps = 8.into();
    let links: Vec<_> = (0..5u8)
        .map(|k| scene.add_rigid(RigidBody::cuboid([0.1, 0.5, 0.1]).mass(1.0).at([0.0, -0.5 - f32::from(k), 0.0])))
        .collect();
    let load = scene.add_rigid(RigidBody::sphere(0.5).mass(1000.0).at([0.0, -5.5, 0.0]));
    let bodies: Vec<_> = links.iter().copied().chain([load]).collect();
    scene.join_rigid(RigidJoint::ball(Some(bodies[0]), None, [0.0; 3]));
    for (k, pair) in bodies.windows(2).enumerate() {
        scene.join_rigid(RigidJoint::ball(Some(pair[0]), Some(pair[1]), [0.0, -1.0 - k as f64, 0.0]));
    }
    let mut solver = Solver::new(&scene).unwrap();
    assert_eq!((figures(&solver).joints, figures(&solver).joint_gap), (6, 0.0));
    run(&mut solver, 1.0);
    let end = |number: usize, y: f64| pose(&solver, bodies[number]).transform_point([0.0, y, 0.0]);
    let gaps = (1..6).map(|k| end(k - 1, -0.5).distance(end(k, 0.5)));
    let widest = gaps.fold(end(0, 0.5).distance(DVec3::ZERO), f64::max);
    let told = figures(&solver);
    assert!((told.joint_gap - widest).abs() < 1e-6 && widest > 1e-3, "{told:?}, {widest}");
    let energy = |(number, body): (usize, &RigidId)| {
        let [v, _] = solver.state().rigid_velocity(solver.plan(), *body);
        0.5 * if number < 5 { 1.0 } else { 1000.0 } * v.length_squared()
    };
    let kinetic: f64 = bodies.iter().enumerate().map(energy).sum();
    assert!((told.kinetic_energy - kinetic).abs() < 1e-6 * kinetic && told.contacts == 0, "{told:?}, {kinetic}");
}

/// The widest joint is named; a broken one is left out. Energy has the spin's, too.
#[test]
fn broken_joints_are_left_out() {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.gravity) = (4.into(), [0.0; 3].into());
    let half = [0.1, 0.2, 0.3];
    let spun = RigidBody::cuboid(half).mass(2.0).angular_velocity([0.0, 0.0, 5.0]);
    scene.add_rigid(spun.at([5.0, 0.0, 0.0]));
    let fixed = scene.add_rigid(RigidBody::sphere(0.1).fixed());
    let load = scene.add_rigid(RigidBody::sphere(0.1).mass(1.0).at([0.0, -1.0, 0.0]));
    let thread = RigidJoint::ball(fixed, load, [0.0, -0.5, 0.0]).breaking_at(1e3, f32::INFINITY);
    let thread = scene.join_rigid(thread.named("thread"));
    let mut solver = Solver::new(&scene).unwrap();
    let told = figures(&solver);
    let energy = 0.5 * 2.0 * (0.1 * 0.1 + 0.2 * 0.2) / 3.0 * 25.0;
    assert!((told.kinetic_energy - energy).abs() < 1e-6 * energy, "{told:?}, {energy}");
    assert_eq!((told.bodies, told.lost, told.joints, told.widest_joint), (3, 0, 1, None));

    // 100 kN: it breaks.
    let pull = |force: f64| Input::frame(FRAME).push(load, [0.0, -force, 0.0], [0.0; 3]);
    solver.step(&pull(500.0));
    let told = figures(&solver);
    assert!(told.joint_gap > 0.0 && told.widest_joint == Some(thread), "{told:?}");
    assert_eq!(solver.plan().rigid_joint_name(thread), "thread");
    (0..10).for_each(|_| drop(solver.step(&pull(1e5))));
    let told = figures(&solver);
    assert!(solver.state().is_broken(solver.plan(), thread), "{told:?}");
    assert_eq!((told.bodies, told.joints, told.joint_gap, told.widest_joint), (3, 0, 0.0, None));
}

/// As many figures on one thread as on three.
#[test]
fn threads_change_nothing() {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.sleep) = (4.into(), true);
    scene.add_collider(Collider::ground().friction(0.6));
    for k in 0..60u8 {
        let [x, y] = [k % 6, k / 6].map(f32::from);
        scene.add_rigid(RigidBody::cuboid([0.5; 3]).at([1.02 * x, 0.5 + y, 0.0]));
    }
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 0.2);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| figures(&solver))
    };
    let told = on(1);
    assert!(told == on(3) && told.contacts > 0 && told.asleep == 0 && told.deepest_overlap > 1e-5, "{told:?}");
    run(&mut solver, 2.0);
    let told = figures(&solver);
    assert!(told.asleep == 60 && told.contacts >= 60 && told.kinetic_energy == 0.0, "{told:?}");
}
