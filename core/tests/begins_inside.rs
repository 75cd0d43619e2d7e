//! What begins inside a collider gets out without being flung.

use crate::runs;
use crate::runs::{FRAME, norm, positions, run, velocities};
use glam::DQuat;
use seidel::{BodyId, Cloth, Collider, Isa, Mesh, Pose, Scene, Solver, collider::Motion, collider::Sdf};
use std::sync::Arc;

/// Fastest vertex and highest position of a second or more.
fn watch(solver: &mut Solver, body: BodyId, frames: u32) -> (f64, f64) {
    let (mut fastest, mut highest) = (0.0f64, f64::NEG_INFINITY);
    for _ in 0..frames {
        run(solver, 1, FRAME);
        fastest = velocities(solver, body).into_iter().map(norm).fold(fastest, f64::max);
        highest = positions(solver, body).into_iter().map(|p| p[1]).fold(highest, f64::max);
    }
    (fastest, highest)
}

fn sheet(y: f64) -> Cloth {
    let pose = Pose::new([0.0, y, 0.0], DQuat::IDENTITY);
    Cloth::grid([12, 12], [0.5, 0.5]).placed(pose, 1.0).bend(1e2).thickness(0.002)
}

#[test]
fn a_cloth_below_the_ground_comes_up_and_rests() {
    for (depth, frames) in [(0.0, 30), (0.001, 30), (0.01, 30), (1.0, 90)] {
        for iterations in [1, 3] {
            let mut scene = runs::scene(9.81, 20);
            scene.settings.iterations = iterations;
            let body = scene.add(sheet(-depth));
            scene.add_collider(Collider::ground());
            let mut solver = runs::solver(&scene);
            let (fastest, highest) = watch(&mut solver, body, frames);
            assert!(fastest < 0.1 && highest < 0.003, "{depth} m deep: {fastest} m/s, up to {highest} m");
            assert!(solver.measure().max_penetration < 1e-6, "{depth} m deep: still inside");
        }
    }
}

/// Through the middle of a ball, off its middle, and just in its top.
#[test]
fn a_cloth_in_a_ball_is_not_flung() {
    for y in [0.0, 0.05, 0.15, 0.199] {
        let mut scene = runs::scene(0.0, 20);
        let body = scene.add(sheet(y));
        scene.add_collider(Collider::sphere(0.2));
        let mut solver = runs::solver(&scene);
        let (fastest, _) = watch(&mut solver, body, 120);
        assert!(fastest < 5.0, "{y} m: {fastest} m/s");
    }
}

/// A ball that appears in a cloth, by a teleport.
#[test]
fn a_ball_that_is_put_into_a_cloth_does_not_fling_it() {
    let mut scene = runs::scene(9.81, 20);
    let body = scene.add(sheet(0.01));
    scene.add_collider(Collider::ground());
    let ball = scene.add_collider(Collider::sphere(0.1).at([0.0, 2.0, 0.0]));
    let mut solver = runs::solver(&scene);
    watch(&mut solver, body, 30);
    solver.state_mut().teleport(ball, Pose::at([0.05, 0.08, 0.0]));
    let (fastest, highest) = watch(&mut solver, body, 120);
    assert!(fastest < 3.0 && highest < 0.4, "{fastest} m/s, up to {highest} m");
}

/// A collider pushes what it meets at its own speed, also what it was put into.
#[test]
fn a_ball_still_pushes_at_its_own_speed() {
    for start in [-0.5, -0.15] {
        let mut scene = runs::scene(0.0, 20);
        let body = scene.add(runs::particles(&[[0.0; 3]], &[0.01]));
        let motion = Motion::Linear { velocity: [2.0, 0.0, 0.0].into() };
        scene.add_collider(Collider::sphere(0.2).at([start, 0.0, 0.0]).moving(motion));
        let mut solver = runs::solver(&scene);
        run(&mut solver, 60, FRAME);
        let v = velocities(&solver, body)[0][0];
        assert!((v - 2.0).abs() < 1e-3, "{v} m/s");
        let gap = positions(&solver, body)[0][0] - (f64::from(start) + 2.0 + 0.2);
        assert!(gap.abs() < 1e-4, "{gap} m ahead");
    }
}

/// The way out is no velocity, and takes none along the surface: without friction, what begins inside slides on, also
/// where constraints pull at it; with friction it is slowed down.
#[test]
fn what_begins_inside_slides_on() {
    let half = 0.05_f32;
    let slab = Sdf::from_mesh(&Mesh::cuboid([3.0, half, 0.5], [1, 1, 1]), 0.05).expect("a closed mesh");
    let shapes =
        [(Collider::ground(), 0.0), (Collider::cuboid([8.0, half, 2.0]), half), (Collider::sdf(Arc::new(slab)), half)];
    for (shape, top) in shapes {
        for (height, tilt) in [(0.0015, 0.0), (0.0, 0.0), (-0.01, 0.0), (0.0, 0.1), (0.0, 0.8)] {
            for (columns, iterations) in [(2, 1), (9, 1), (9, 3), (9, 10)] {
                let mean = |friction: f32| {
                    let mut scene = runs::scene(9.81, 10);
                    scene.settings.iterations = iterations;
                    let turn = DQuat::from_rotation_z(tilt);
                    let pose = Pose::new([-2.0, f64::from(top) + height, 0.0], turn);
                    let sheet = Cloth::grid([columns, columns], [0.08, 0.08]).placed(pose, 1.0).thickness(0.002);
                    let body = scene.add(sheet.velocity([3.0, 0.0, 0.0]).friction(friction));
                    scene.add_collider(shape.clone().friction(friction));
                    let mut solver = runs::solver(&scene);
                    run(&mut solver, 40, FRAME);
                    let all = velocities(&solver, body);
                    let mean = all.iter().map(|v| v[0]).sum::<f64>() / all.len() as f64;
                    (mean, solver.measure().max_penetration)
                };
                let what = format!("{:?}, {height} m, {tilt} rad, {columns} columns, {iterations}", shape.shape);
                let (slides, depth) = mean(0.0);
                assert!((slides - 3.0).abs() < 0.03, "{what}: {slides} m/s");
                assert!(depth < 2e-5, "{what}: {depth} m deep");
                let (slowed, _) = mean(0.3);
                assert!(slowed < 2.6, "{what}: {slowed} m/s with friction");
            }
        }
    }
}

/// A ball amid a triangle, away from its corners: there is no particle inside.
#[test]
fn a_triangle_on_a_small_ball_is_moved_off() {
    let mut scene = runs::scene(9.81, 20);
    let mut body = runs::particles(&[[-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0], [1.0, 0.0, 0.0]], &[1.0; 3]);
    (body.triangles, body.thickness) = (vec![[0, 1, 2]].into(), 0.001_f32.into());
    let body = scene.add(body);
    scene.add_collider(Collider::sphere(0.1).at([-0.3, -0.05, 0.0]));
    let mut solver = runs::solver(&scene);
    let (fastest, highest) = watch(&mut solver, body, 15);
    assert!(highest < 0.08 && solver.measure().max_penetration < 1e-3, "up to {highest} m, {:?}", solver.measure());
    assert!(fastest < 3.0, "{fastest} m/s");
}

/// One way out a substep, whatever else is pushed at the same time, and however often.
#[test]
fn the_way_out_is_gone_once_a_substep() {
    for iterations in [1, 2] {
        let mut scene = runs::scene(0.0, 4);
        scene.settings.iterations = iterations;
        let alone = scene.add(runs::particles(&[[0.2, 0.0, 0.0]], &[0.01]));
        // Its triangles meet the ball between their corners in every substep.
        let plate = Pose::new([0.0, 1.02, 0.0], DQuat::IDENTITY);
        scene.add(Cloth::grid([2, 2], [3.0, 3.0]).placed(plate, 1.0).velocity([0.0, -2.0, 0.0]).thickness(0.001));
        scene.add_collider(Collider::sphere(1.0));
        let mut solver = runs::solver(&scene);
        run(&mut solver, 3, FRAME);
        let moved = positions(&solver, alone)[0][0] - 0.2;
        assert!((moved - 0.05).abs() < 1e-4, "{iterations} iterations: {moved} m in 50 ms");
    }
}

/// Lanes and threads, with and without iterations.
#[test]
fn the_same_bits_on_every_isa() {
    for (y, iterations, cells) in [(0.03, 1, 12), (0.15, 2, 12), (0.03, 1, 50)] {
        let mut scene: Scene = runs::scene(9.81, 20);
        scene.settings.iterations = iterations;
        let pose = Pose::new([0.0, y, 0.0], DQuat::IDENTITY);
        scene.add(Cloth::grid([cells, cells], [0.5, 0.5]).placed(pose, 1.0).bend(1e2));
        scene.add_collider(Collider::ground().at([0.0, 0.05, 0.0]));
        scene.add_collider(Collider::sphere(0.1).at([0.0, 0.1, 0.0]));
        let hash = |isa, threads| {
            let mut solver = runs::solver_on(&scene, isa, threads);
            run(&mut solver, 10, FRAME);
            solver.state().hash()
        };
        let scalar = hash(Isa::SCALAR, 1);
        for isa in Isa::available() {
            assert_eq!(hash(isa, 3), scalar, "{isa}");
        }
    }
}

/// The body, the collider and the depth, thicknesses aside; what is only nearer than its thickness is not in.
#[test]
fn what_is_in_a_surface_is_named() {
    let mut scene = runs::scene(0.0, 1);
    let mut add = |x: [f64; 3]| {
        let mut body = runs::particles(&[x], &[1.0]);
        body.thickness = 0.02_f32.into();
        scene.add(body)
    };
    let (_, low) = (add([0.0, 0.51, 0.0]), add([3.0, -0.03, 0.0]));
    let ground = scene.add_collider(Collider::ground().named("ground"));
    let ball = scene.add_collider(Collider::sphere(0.5));
    let mut solver = runs::solver(&scene);
    let found = solver.plan().penetrations(solver.state());
    let [found] = found[..] else { panic!("{found:?}") };
    assert_eq!((found.body, found.collider, found.depth), (low, ground, 0.03));
    assert_eq!((solver.plan().collider_name(ground), solver.plan().collider_name(ball)), ("ground", "collider-1"));
    assert!((solver.measure().max_penetration - 0.05).abs() < 1e-7);
    solver.state_mut().teleport(ground, Pose::at([0.0, -9.0, 0.0]));
    assert_eq!(solver.plan().penetrations(solver.state()), []);
    assert!((solver.measure().max_penetration - 0.01).abs() < 1e-7);
}
