//! Rigid bodies on height fields, meshes and rings.

use crate::runs::FRAME;
use crate::runs::rigid::{pose, run};
use seidel::collider::{HeightField, Sdf};
use seidel::{Collider, Execution, Input, Isa, Mesh, Plan, RigidBody, Scene, Scratch, Solver, State, step};
use std::sync::Arc;

/// Nodes along x and z, cells of 0.25 m.
fn field(nodes: [u32; 2], height: impl Fn(f32, f32) -> f32) -> Collider {
    let at = |i: u32, n: u32| 0.25 * (i as f32 - 0.5 * (n - 1) as f32);
    let [nx, nz] = nodes;
    let heights: Vec<f32> = (0..nx * nz).map(|k| height(at(k % nx, nx), at(k / nx, nz))).collect();
    Collider::height_field(Arc::new(HeightField::new(nodes, &heights, 0.25).unwrap()))
}

/// Without friction nothing slows down what slides over a level floor of triangles: no edge between them is felt.
#[test]
fn what_slides_over_a_level_grid_keeps_its_speed() {
    let bodies = [
        ("box", RigidBody::cuboid([0.3, 0.1, 0.2]), 0.1f32),
        ("ball", RigidBody::sphere(0.2), 0.2),
        ("cylinder", RigidBody::cylinder(0.25, 0.1), 0.1),
        ("cone", RigidBody::cone(0.25, 0.1), 0.1),
        ("capsule", RigidBody::capsule(0.1, 0.3).turned([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2), 0.1),
    ];
    let mut scene = Scene::new();
    scene.add_collider(field([81, 41], |_, _| 0.0).friction(0.0));
    let mut ids = Vec::new();
    for (k, (_, body, height)) in bodies.iter().enumerate() {
        let at = [-8.0, *height, -3.0 + 1.3 * k as f32];
        ids.push(scene.add_rigid(body.clone().friction(0.0).at(at).velocity([5.0, 0.0, 0.7])));
    }
    let mut solver = Solver::new(&scene).unwrap();
    assert!(solver.plan().warnings().is_empty(), "{:?}", solver.plan().warnings());
    run(&mut solver, 2.5);
    for (id, (what, _, height)) in ids.iter().zip(&bodies) {
        let [v, w] = solver.state().rigid_velocity(solver.plan(), *id);
        let [x, y, _] = pose(&solver, *id).position().to_array();
        let off = (v - glam::DVec3::new(5.0, 0.0, 0.7)).length();
        // A fast body's fourth point is the ball inside it: a disc trembles on the three others.
        let trembles = if matches!(*what, "cone" | "cylinder") { 0.2 } else { 5e-3 };
        assert!(off < 1e-3 * 5.0 && w.length() < trembles, "{what}: {v} m/s, {w} rad/s");
        assert!((x - 4.5).abs() < 0.02 && (y - f64::from(*height)).abs() < 1e-3, "{what}: {x}, {y}");
    }
}

/// A slope of triangles holds what friction holds, and what rolls down it does so as its inertia says.
#[test]
fn a_slope_of_triangles_is_one() {
    let rise = 0.3f32;
    let slope = field([81, 41], |x, _| rise * x).friction(0.5);
    let angle = f64::from(rise).atan();
    let mut scene = Scene::new();
    scene.add_collider(slope);
    let up = [-(angle.sin() as f32), angle.cos() as f32];
    let on = |x: f32, height: f32| [x + up[0] * height, rise * x + up[1] * height];
    let [x, y] = on(2.0, 0.2);
    let still =
        scene.add_rigid(RigidBody::cuboid([0.2; 3]).friction(0.5).turned([0.0, 0.0, 1.0], angle).at([x, y, 2.0]));
    let [x0, y0] = on(5.0, 0.3);
    let wheel = RigidBody::cylinder(0.3, 0.2).friction(0.5).turned([1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_2);
    let wheel = scene.add_rigid(wheel.at([x0, y0, -2.0]));
    let ball = scene.add_rigid(RigidBody::sphere(0.3).friction(0.5).at([x0, y0, -4.0]));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 1.5);
    let [px, py, pz] = pose(&solver, still).position().to_array();
    let moved = (px - f64::from(x)).hypot(py - f64::from(y)).hypot(pz - 2.0);
    assert!(moved < 2e-3, "{moved} m down the slope");
    for (what, id, share) in [("wheel", wheel, 1.5), ("ball", ball, 1.4)] {
        let [x, y, _] = pose(&solver, id).position().to_array();
        let gone = (f64::from(x0) - x).hypot(f64::from(y0) - y);
        let want = 0.5 * 9.81 * angle.sin() / share * 1.5 * 1.5;
        assert!((gone / want - 1.0).abs() < 5e-3, "{what}: {gone} for {want} m");
    }
}

/// Bodies of all shapes settle on hills, in a bowl that is a mesh turned inside out, and on a ring.
#[test]
fn bodies_rest_on_surfaces() {
    let mut scene = Scene::new();
    scene.add_collider(field([33, 33], |x, z| 0.4 * (1.3 * x).sin() * (1.1 * z).cos()).friction(0.8));
    let ball = Mesh::of_balls(&[[0.0, 0.0, 0.0, 1.0]], 0.12).unwrap();
    let bowl = Collider::container(Arc::new(Sdf::from_mesh(&ball, 0.12).unwrap()));
    scene.add_collider(bowl.at([0.0, 50.0, 0.0]).friction(0.8));
    scene.add_collider(Collider::torus(0.6, 0.3).at([30.0, 5.0, 0.0]).friction(0.8));
    let solid = Collider::sdf(Arc::new(Sdf::from_mesh(&ball, 0.12).unwrap()));
    scene.add_collider(solid.at([40.0, 4.0, 0.0]).friction(0.8));
    let mut ids = Vec::new();
    let bodies = || {
        [
            RigidBody::sphere(0.15),
            RigidBody::cuboid([0.15, 0.1, 0.2]),
            RigidBody::cylinder(0.15, 0.12),
            RigidBody::cone(0.15, 0.15),
            RigidBody::capsule(0.1, 0.12),
        ]
    };
    for (k, body) in bodies().into_iter().cycle().take(25).enumerate() {
        let at = [0.9 * (k % 5) as f32 - 1.8, 1.5, 0.9 * (k / 5) as f32 - 1.8];
        ids.push((scene.add_rigid(body.at(at).friction(0.8).angular_damping(1.0)), -1.0));
    }
    for (k, body) in bodies().into_iter().enumerate() {
        let at = [0.35 * (k % 2) as f32 - 0.2, 49.7 + 0.3 * k as f32 - 0.3, 0.2 * (k % 3) as f32 - 0.2];
        ids.push((scene.add_rigid(body.at(at).friction(0.8).angular_damping(1.0)), 48.9));
    }
    // A ball lies in the hole of the ring, and a plate on the solid ball.
    ids.push((scene.add_rigid(RigidBody::sphere(0.45).at([30.0, 5.6, 0.0]).friction(0.8)), 4.9));
    ids.push((scene.add_rigid(RigidBody::cuboid([0.4, 0.05, 0.4]).at([40.0, 5.1, 0.0]).friction(0.8)), 4.9));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 15.0);
    for (k, (id, least)) in ids.iter().enumerate() {
        let [x, y, z] = pose(&solver, *id).position().to_array();
        let [v, _] = solver.state().rigid_velocity(solver.plan(), *id);
        // A ball in a ring touches it all around; four normals hold it, and it trembles between them. What is round may
        // still roll to and fro in a valley.
        let trembles = if k == 30 { 1.0 } else { 0.4 };
        assert!(y > *least && v.length() < trembles, "{k}: {x}, {y}, {z}, {v}");
    }
}

/// Fast ones do not pass through a mesh, and many on triangles give the same bits on all lanes and threads.
#[test]
fn surfaces_are_the_same_for_lanes_and_threads() {
    let mut scene = Scene::new();
    scene.add_collider(field([33, 33], |x, z| 0.3 * (1.3 * x).sin() * (1.1 * z).cos()).friction(0.6));
    let mut ids = Vec::new();
    for k in 0..40u8 {
        let body = match k % 4 {
            0 => RigidBody::sphere(0.15),
            1 => RigidBody::cuboid([0.15, 0.1, 0.2]),
            2 => RigidBody::cylinder(0.15, 0.12),
            _ => RigidBody::cone(0.15, 0.15),
        };
        let at = [0.8 * f32::from(k % 8) - 3.0, 1.0 + 0.5 * f32::from(k / 8), 0.7 * f32::from(k % 5) - 1.5];
        let speed = if k < 4 { -60.0 } else { 0.0 };
        ids.push(scene.add_rigid(body.at(at).velocity([0.0, speed, 0.0])));
    }
    let plan = Plan::new(&scene).unwrap();
    let play = |isa, threads, poison| {
        let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(isa, threads)));
        for _ in 0..60 {
            if poison {
                scratch.poison();
            }
            let report = step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
            assert!(report.rejected.is_none() && report.lost_rigid.is_none());
        }
        assert!(ids.iter().all(|&id| state.rigid_pose(&plan, id).position()[1] > -0.6));
        state.hash()
    };
    let first = play(Isa::SCALAR, 1, false);
    for isa in Isa::available() {
        assert_eq!(play(isa, 1, isa == Isa::PORTABLE), first, "{isa}");
    }
    for threads in [2, 3] {
        assert_eq!(play(Isa::detect(), threads, threads == 3), first, "{threads} threads");
    }
}
