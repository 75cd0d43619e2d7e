//! Joints that are solved at once, in scenes.

use crate::runs::FRAME;
use crate::runs::rigid::{pose, run, same_bits_everywhere};
use glam::DVec3;
use seidel::joint::Spring;
use seidel::{Collider, Input, Plan, RigidBody, RigidId, RigidJoint, Scene, Solver, Substeps};

/// Links of 1 kg and 20 cm under each other, the first on the world, with a ball at the end.
fn chain(scene: &mut Scene, links: usize, load: f64, x: f32) -> (Vec<RigidId>, Vec<RigidJoint>) {
    let mut bodies: Vec<RigidId> = Vec::new();
    let mut joints = Vec::new();
    for i in 0..=links {
        let top = -0.2 * i as f32;
        let body = match i == links {
            false => RigidBody::capsule(0.03, 0.07).at([x, top - 0.1, 0.0]).mass(1.0),
            true => RigidBody::sphere(0.5).at([x, top - 0.5, 0.0]).mass(load).velocity([0.5, 0.0, 0.0]),
        };
        let id = scene.add_rigid(body);
        let at = [f64::from(x), f64::from(top), 0.0];
        joints.push(RigidJoint::ball(bodies.last().copied(), id, at).direct());
        bodies.push(id);
    }
    (bodies, joints)
}

/// A hundred links and a ball a thousand times as heavy as each, at four substeps: no gap is wider than 0.1 mm.
#[test]
fn a_chain_of_a_hundred_links_carries_a_thousandfold_load() {
    let mut scene = Scene::new();
    scene.settings.substeps = Substeps::from(4);
    let (bodies, joints) = chain(&mut scene, 100, 1000.0, 0.0);
    joints.into_iter().for_each(|joint| {
        scene.join_rigid(joint);
    });
    let mut solver = Solver::new(&scene).unwrap();
    let mut widest: f64 = 0.0;
    for _ in 0..90 {
        run(&mut solver, FRAME);
        for pair in bodies.windows(2) {
            let [above, below] = [0, 1].map(|k| pose(&solver, pair[k]));
            let top = if pair[1] == bodies[100] { 0.5 } else { 0.1 };
            let (a, b) = (above.transform_point([0.0, -0.1, 0.0]), below.transform_point([0.0, top, 0.0]));
            widest = widest.max(a.distance(b));
        }
    }
    // It has swung out by some centimetres.
    let x = pose(&solver, bodies[100]).position()[0];
    assert!(widest < 1e-4 && x > 0.3, "{widest} m, {x} m");
}

/// Trees, a loop, a kinematic body between two of them, contacts and a joint that breaks: the same bits on all lanes
/// and threads.
#[test]
fn trees_have_the_same_bits_everywhere_and_break() {
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground().at([0.0, -1.65, 0.0]));
    // So many that threads share them.
    (0..120u8).for_each(|k| _ = scene.add_rigid(RigidBody::sphere(0.1).at([-3.0 - f32::from(k), -1.5, 0.0])));
    for (x, load) in [(0.0, 20.0), (3.0, 400.0)] {
        let (bodies, joints) = chain(&mut scene, 3, load, x);
        for (number, joint) in joints.into_iter().enumerate() {
            let breaks = if number == 2 { 3000.0 } else { f32::INFINITY };
            scene.join_rigid(joint.breaking_at(breaks, f32::INFINITY).named(format!("{x}-{number}")));
        }
        let at = [f64::from(x), -0.2, 0.0];
        scene.join_rigid(
            RigidJoint::distance(bodies[0], bodies[2], [at.into(), [at[0], -0.4, 0.0].into()], [0.2, 0.2])
                .direct()
                .named(format!("loop {x}")),
        );
        let hub =
            scene.add_rigid(RigidBody::sphere(0.05).at([x, 0.5, 0.0]).kinematic().angular_velocity([0.0, 1.0, 0.0]));
        for side in [-1.0, 1.0] {
            let arm = scene.add_rigid(RigidBody::cuboid([0.2, 0.02, 0.02]).at([x + 0.25 * side, 0.5, 0.0]));
            scene.join_rigid(RigidJoint::fixed(hub, arm, [f64::from(x + 0.05 * side), 0.5, 0.0]).direct());
        }
    }
    let plan = Plan::new(&scene).unwrap();
    assert_eq!(plan.joint_loops().collect::<Vec<_>>(), ["loop 0", "loop 3"]);
    let notes = plan.warnings();
    assert!(notes.iter().any(|note| note.contains("joint `loop 3` closes a loop")), "{notes:?}");
    let reports = same_bits_everywhere(&plan, 40);
    let broken: Vec<&str> = reports.iter().flat_map(|report| &report.broken).map(|joint| &*joint.name).collect();
    assert_eq!(broken, ["3-2"]);
}

/// What rests on the ground goes to sleep with its tree, and wakes with it.
#[test]
fn a_tree_sleeps_and_wakes() {
    let mut scene = Scene::new();
    scene.settings.sleep = true;
    scene.add_collider(Collider::ground());
    let ends = [0.0f32, 0.5].map(|x| scene.add_rigid(RigidBody::cuboid([0.2, 0.1, 0.2]).at([x, 0.1, 0.0])));
    scene.join_rigid(RigidJoint::fixed(ends[0], ends[1], [0.25, 0.1, 0.0]).direct());
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 2.0);
    assert_eq!(solver.step(&Input::frame(FRAME)).rigid_asleep, 2);
    solver.step(&Input::frame(FRAME).push(ends[0], [0.0, 5000.0, 0.0], [0.0; 3]));
    run(&mut solver, 0.05);
    let heights = ends.map(|body| pose(&solver, body).position()[1]);
    assert!(heights[0] > 0.102 && heights.iter().all(|y| *y > 0.09), "{heights:?}");
    let away = (pose(&solver, ends[1]).position()[0] - pose(&solver, ends[0]).position()[0]).abs();
    assert!((away - 0.5).abs() < 0.05, "{away}");
}

/// A chain hangs from the world, its lower half breaks off, falls and sleeps: the upper one is solved on.
#[test]
fn a_tree_holds_on_while_what_broke_off_sleeps() {
    let mut scene = Scene::new();
    (scene.settings.sleep, scene.settings.substeps) = (true, 4.into());
    scene.add_collider(Collider::ground().at([0.0, -3.0, 0.0]).friction(0.8));
    let link = |i: u8| RigidBody::cuboid([0.05, 0.1, 0.05]).at([0.0, -0.1 - 0.2 * f32::from(i), 0.0]).mass(1.0);
    let bodies: Vec<RigidId> =
        (0..8).map(|i| scene.add_rigid(link(i).velocity([0.3 * f64::from(i), 0.0, 0.0]))).collect();
    for i in 0..8usize {
        // The fifth carries 40 N at rest.
        let breaks = if i == 4 { 30.0 } else { f32::INFINITY };
        let above = i.checked_sub(1).map(|above| bodies[above]);
        let joint = RigidJoint::ball(above, bodies[i], [0.0, -0.2 * i as f64, 0.0]).direct();
        scene.join_rigid(joint.breaking_at(breaks, f32::INFINITY));
    }
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 8.0);
    let (mut widest, mut slept, mut moved): (f64, u32, f64) = (0.0, 0, 0.0);
    for _ in 0..300 {
        slept = slept.max(solver.step(&Input::frame(FRAME)).rigid_asleep);
        for (number, body) in bodies[..4].iter().enumerate() {
            let above = match number {
                0 => DVec3::ZERO,
                _ => pose(&solver, bodies[number - 1]).transform_point([0.0, -0.1, 0.0]),
            };
            let top = pose(&solver, *body).transform_point([0.0, 0.1, 0.0]);
            widest = widest.max(above.distance(top));
        }
        moved = moved.max(pose(&solver, bodies[3]).position()[0].abs());
    }
    assert!(slept == 4 && widest < 1e-4 && moved > 0.01, "{slept} sleep, {widest} m, {moved} m");
}

/// A joint that locks nothing has nothing to solve at once, and is told of.
#[test]
fn a_direct_joint_that_locks_nothing_is_warned_of() {
    let mut scene = Scene::new();
    let body = scene.add_rigid(RigidBody::sphere(0.1));
    let ends = [[0.0, 1.0, 0.0].into(), [0.0; 3].into()];
    let spring = |damping| RigidJoint::spring(None, body, ends, Spring { stiffness: 100.0, damping, rest: 1.0 });
    scene.join_rigid(spring(1.0).direct().named("loose"));
    scene.join_rigid(spring(2.0).named("swept"));
    scene.join_rigid(RigidJoint::fixed(None, body, [0.0; 3]).direct());
    let notes = Plan::new(&scene).unwrap().warnings();
    let wanted = "joint `loose` is to be solved at once with others and locks nothing: all of it is left to the sweeps";
    assert_eq!(notes, [wanted]);
}

/// Kept impulses of a ball in a tree are along other axes: such states are not exchanged with those of a ball that is
/// swept.
#[test]
fn states_of_trees_are_not_those_of_sweeps() {
    let layout = |direct: bool| {
        let mut scene = Scene::new();
        let body = scene.add_rigid(RigidBody::sphere(0.1));
        let joint = RigidJoint::ball(None, body, [0.0, 1.0, 0.0]);
        scene.join_rigid(if direct { joint.direct() } else { joint });
        Plan::new(&scene).unwrap().layout_id()
    };
    assert_ne!(layout(true), layout(false));
}
