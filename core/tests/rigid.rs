//! Rigid bodies in a scene.

use crate::runs::FRAME;
use crate::runs::rigid::{pose, run, same_bits_everywhere};
use glam::{DQuat, DVec3};
use seidel::collider::Shape;
use seidel::{Collider, Execution, Input, Isa, Plan, Pose, RigidBody, RigidId, Scene, Scratch, Solver, State, step};
use std::sync::Arc;

fn boxes(scene: &mut Scene, base: u32) -> Vec<RigidId> {
    let mut ids = Vec::new();
    for level in 0..base {
        for k in 0..base - level {
            let x = f64::from(k) - 0.5 * f64::from(base - level);
            let at = [x as f32 * 1.05, 0.5 + level as f32 * 1.0, 0.0];
            ids.push(scene.add_rigid(RigidBody::cuboid([0.5; 3]).at(at)));
        }
    }
    ids
}

fn ground() -> Scene {
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground().friction(0.6));
    scene
}

#[test]
fn ten_boxes_stand() {
    let mut scene = ground();
    let starts: Vec<[f32; 3]> = (0..10u8).map(|k| [0.02 * f32::from(k % 2), 0.5 + f32::from(k), 0.0]).collect();
    let ids: Vec<_> =
        starts.iter().map(|&at| scene.add_rigid(RigidBody::cuboid([0.5; 3]).friction(0.6).at(at))).collect();
    let mut solver = Solver::new(&scene).unwrap();
    assert_eq!(solver.plan().substeps(), 20);
    run(&mut solver, 30.0);
    for (id, start) in ids.iter().zip(&starts) {
        let end = pose(&solver, *id).position();
        let [v, _] = solver.state().rigid_velocity(solver.plan(), *id);
        let aside = (end[0] - f64::from(start[0])).hypot(end[2]);
        assert!(aside < 1e-3 && v.length() < 1e-3, "{aside} m aside, {v} m/s");
        assert!((end[1] - f64::from(start[1])).abs() < 1e-3, "{} for {}", end[1], start[1]);
    }
}

/// Contacts are found, colored and solved alike by everybody, and no step knows what working memory held before it.
#[test]
fn lanes_threads_and_old_memory_change_no_bit() {
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground().friction(0.6).restitution(0.5));
    boxes(&mut scene, 18);
    let heavy = RigidBody::cuboid([0.5; 3]).restitution(0.3).mass(50.0);
    (0..6u8).for_each(|k| _ = scene.add_rigid(heavy.clone().at([2.0 * f32::from(k), 3.0, -3.0])));
    scene.add_rigid(RigidBody::sphere(0.7).restitution(0.5).at([0.3, 12.0, 8.0]).velocity([0.0, 0.0, -25.0]));
    let plan = Plan::new(&scene).unwrap();
    same_bits_everywhere(&plan, 40);
}

/// Contacts whose masses are found anew in some lanes of a batch and not in others.
#[test]
fn what_is_fast_changes_no_bit_by_lanes_and_threads() {
    let mut scene = Scene::new();
    for k in 0..3 {
        for side in [-1.0, 1.0] {
            let (mut half, mut at) = ([5.2; 3], [0.0; 3]);
            (half[k], at[k]) = (0.1, side * 5.1);
            scene.add_collider(Collider::cuboid(half).at(at));
        }
    }
    for k in 0..240u8 {
        let x = f32::from(k);
        let body = match k % 4 {
            0 => RigidBody::sphere(0.1),
            1 => RigidBody::cuboid([0.05, 0.1, 0.2]),
            2 => RigidBody::cylinder(0.1, 0.2).rolling_resistance(0.01),
            _ => RigidBody::capsule(0.05, 0.2),
        };
        let speed = if k % 3 == 0 { 0.3 } else { 40.0 };
        let at = [0.8 * (x % 12.0) - 4.4, 0.8 * (x / 12.0).floor() % 9.6 - 4.4, 0.9 * (x / 144.0).floor()];
        let moves = body.velocity([speed * (x % 30.0 - 15.0), 9.0 * speed, -speed].map(f64::from));
        scene.add_rigid(moves.angular_velocity([3.0 * speed, -8.0 * speed, x].map(f64::from)).at(at));
    }
    same_bits_everywhere(&Plan::new(&scene).unwrap(), 5);
}

#[test]
fn a_snapshot_goes_on_as_the_original_does() {
    let mut scene = ground();
    boxes(&mut scene, 5);
    let plan = Plan::new(&scene).unwrap();
    let mut scratch = Scratch::new(&plan, Execution::default());
    let play = |state: &mut State, scratch: &mut Scratch| {
        (0..20).for_each(|_| _ = step(&plan, state, &Input::frame(FRAME), scratch));
    };
    let mut state = State::new(&plan);
    play(&mut state, &mut scratch);
    let mut snapshot = state.clone();
    play(&mut state, &mut scratch);
    play(&mut snapshot, &mut Scratch::new(&plan, Execution::new(Isa::SCALAR, 1)));
    assert_eq!(snapshot, state);
    assert_eq!(snapshot.hash(), state.hash());
}

#[test]
fn a_platform_carries_what_lies_on_it() {
    let mut scene = Scene::new();
    let platform = scene.add_collider(Collider::cuboid([2.0, 0.5, 2.0]).at([0.0, -0.5, 0.0]).friction(0.6));
    let body = scene.add_rigid(RigidBody::cuboid([0.5; 3]).friction(0.6).at([0.0, 0.5, 0.0]));
    let belt =
        scene.add_rigid(RigidBody::cuboid([2.0, 0.5, 2.0]).at([10.0, -0.5, 0.0]).kinematic().velocity([0.0, 0.0, 0.5]));
    let other = scene.add_rigid(RigidBody::cuboid([0.5; 3]).friction(0.6).at([10.0, 0.5, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    for frame in 1..=120u16 {
        // From rest to 1 m/s within half a second.
        let t = f32::from(frame) * FRAME;
        let x = if t < 0.5 { t * t } else { t - 0.25 };
        solver.step(&Input::frame(FRAME).pose(platform, Pose::at([x, -0.5, 0.0])));
    }
    let [x, y, _] = pose(&solver, body).position().to_array();
    assert!((x - 1.75).abs() < 0.01 && (y - 0.5).abs() < 1e-3, "{x}, {y}");
    let [_, _, z] = pose(&solver, belt).position().to_array();
    assert!((z - 1.0).abs() < 1e-6, "{z}");
    let [_, y, z] = pose(&solver, other).position().to_array();
    // It slides until it has the belt's speed: for v / (mu g) seconds, v^2 / (2 mu g) metres behind.
    assert!((z - 1.0 + 0.5 * 0.5 / (2.0 * 0.55 * 9.81)).abs() < 0.01 && (y - 0.5).abs() < 1e-3, "{y}, {z}");
}

#[test]
fn nothing_fast_passes_through_a_thin_plate() {
    let shapes: [(&str, RigidBody); 3] = [
        ("ball", RigidBody::sphere(0.05)),
        ("box", RigidBody::cuboid([0.05; 3]).turned([1.0, 1.0, 0.3], 0.7)),
        ("rod", RigidBody::capsule(0.02, 0.3).angular_velocity([0.0, 0.0, 30.0])),
    ];
    for (what, body) in shapes {
        for collider in [true, false] {
            let mut scene = Scene::new();
            scene.settings.gravity = glam::Vec3::ZERO;
            if collider {
                scene.add_collider(Collider::cuboid([5.0, 0.005, 5.0]));
            } else {
                scene.add_rigid(RigidBody::cuboid([5.0, 0.005, 5.0]).fixed());
            }
            let id = scene.add_rigid(body.clone().at([0.1, 3.0, 0.2]).velocity([0.0, -100.0, 0.0]));
            let mut solver = Solver::new(&scene).unwrap();
            run(&mut solver, 0.5);
            let y = pose(&solver, id).position()[1];
            assert!(y > 0.0, "a {what} has passed: {y}");
        }
    }
}

#[test]
fn many_shapes_fall_into_a_heap_that_comes_to_rest() {
    let corners: Vec<[f32; 3]> = (0..12u8)
        .map(|i| {
            let a = f64::from(i % 6) * std::f64::consts::FRAC_PI_3;
            [0.3 * libm::cos(a) as f32, if i < 6 { -0.25 } else { 0.25 }, 0.3 * libm::sin(a) as f32]
        })
        .collect();
    let hull = Arc::new(seidel::collider::ConvexHull::new(&corners).unwrap());
    let mut scene = ground();
    for (n, wall) in [[3.0, 0.0], [-3.0, 0.0], [0.0, 3.0], [0.0, -3.0]].into_iter().enumerate() {
        let half = if n < 2 { [0.1, 2.0, 3.0] } else { [3.0, 2.0, 0.1] };
        scene.add_collider(Collider::cuboid(half).at([wall[0], 2.0, wall[1]]));
    }
    let mut ids = Vec::new();
    for k in 0..60u8 {
        let body = match k % 4 {
            0 => RigidBody::sphere(0.3),
            1 => RigidBody::capsule(0.2, 0.25),
            2 => RigidBody::hull(Arc::clone(&hull)),
            _ => RigidBody::compound([
                (Shape::Cuboid { half: [0.4, 0.1, 0.1].into() }, Pose::IDENTITY),
                (Shape::Cuboid { half: [0.1, 0.4, 0.1].into() }, Pose::at([0.3, 0.3, 0.0])),
            ]),
        };
        let (x, z) = (f32::from(k % 3) - 1.0, f32::from(k / 3 % 3) - 1.0);
        let at = [1.2 * x, 1.0 + 0.9 * f32::from(k / 9), 1.2 * z];
        let body = body.angular_damping(3.0).linear_damping(1.0);
        ids.push(scene.add_rigid(body.at(at).turned([1.0, f64::from(k), 0.5], f64::from(k))));
    }
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 8.0);
    for id in ids {
        let at = pose(&solver, id).position();
        assert!(at.y > 0.05 && at.x.abs() < 3.0 && at.z.abs() < 3.0, "{at} is outside");
        let [v, _] = solver.state().rigid_velocity(solver.plan(), id);
        assert!(v.length() < 0.05, "{v} m/s");
    }
}

#[test]
fn rigid_bodies_meet_all_that_is_in_a_scene() {
    let mut scene = ground();
    scene.add_rigid(RigidBody::sphere(0.1).at([0.0, 3.0, 0.0]));
    scene.add_collider(Collider::torus(1.0, 0.1).named("ring"));
    scene.add(seidel::Cloth::grid([4, 4], [1.0, 1.0]).named("sheet").placed(Pose::at([0.0, 2.0, 0.0]), 1.0));
    let warnings = Plan::new(&scene).unwrap().warnings();
    assert!(!warnings.iter().any(|w| w.contains("pass through")), "{warnings:?}");
}

#[test]
fn a_body_beyond_all_numbers_is_named_and_stays() {
    let mut scene = ground();
    let id = scene.add_rigid(RigidBody::sphere(0.1).at([0.0, 1.0, 0.0]).named("lost"));
    let mut solver = Solver::new(&scene).unwrap();
    let plan = Arc::clone(solver.plan());
    solver.state_mut().teleport_rigid(&plan, id, Pose::new([2e9, 0.0, 0.0], DQuat::IDENTITY));
    let report = solver.step(&Input::frame(FRAME));
    assert_eq!(report.lost_rigid.as_deref(), Some("lost"));
    assert!(solver.step(&Input::frame(FRAME)).lost_rigid.is_none());
}

/// Kinetic and gravitational energy of what is measured count rigid bodies: m v^2 / 2 + I w^2 / 2, and m g y times the
/// scale of gravity.
#[test]
fn energies_count_rigid_bodies() {
    let mut scene = Scene::new();
    scene.settings.gravity = [0.0, -10.0, 0.0].into();
    let ball = RigidBody::sphere(0.5).mass(2.0).at([0.0, 3.0, 0.0]).gravity_scale(0.5);
    scene.add_rigid(ball.velocity([3.0, 0.0, 0.0]).angular_velocity([0.0, 4.0, 0.0]));
    scene.add_rigid(RigidBody::cuboid([1.0; 3]).kinematic().at([0.0, 20.0, 0.0]));
    let solver = Solver::new(&scene).unwrap();
    let [kinetic, potential] = solver.plan().energies(solver.state());
    let turning = 0.5 * (0.4 * 2.0 * 0.25) * 16.0;
    assert!((kinetic - (9.0 + turning)).abs() < 1e-5, "{kinetic} J");
    assert!((potential - 30.0).abs() < 1e-5, "{potential} J");
}

/// Boxes, rods and plates that land on an edge, some spinning, and turn onto their faces within a frame.
#[test]
fn what_lands_on_an_edge_does_not_sink() {
    let mut scene = ground();
    let mut bodies = Vec::new();
    for (row, half) in [[0.05, 0.1, 0.05], [0.5, 0.05, 0.3], [0.1, 0.1, 0.3], [0.5, 0.02, 0.02]].into_iter().enumerate()
    {
        let reach = half.iter().map(|x: &f32| x * x).sum::<f32>().sqrt();
        for (column, degrees) in [3.0, 10.0, 20.0, 30.0, 44.0, 80.0].into_iter().enumerate() {
            for (k, spin) in [0.0, 8.0, -8.0].into_iter().enumerate() {
                let at = [3.0 * (3 * column + k) as f32, 5.0 + reach, 3.0 * row as f32];
                let body = RigidBody::cuboid(half).at(at).turned([0.0, 0.0, 1.0], f64::to_radians(degrees));
                bodies.push((scene.add_rigid(body.angular_velocity([0.0, 0.0, spin])), half));
            }
        }
    }
    let mut solver = Solver::new(&scene).unwrap();
    let (mut deepest, mut deep) = (0.0f64, vec![false; bodies.len()]);
    for _ in 0..90 {
        solver.step(&Input::frame(FRAME));
        for ((body, half), deep) in bodies.iter().zip(&mut deep) {
            let pose = pose(&solver, *body);
            let up = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (pose.transform_point(axis) - pose.position()).y.abs());
            let low = pose.position().y - (0..3).map(|k| up[k] * f64::from(half[k])).sum::<f64>();
            deepest = deepest.min(low);
            *deep |= low < -0.005;
        }
    }
    let deep = deep.into_iter().filter(|deep| *deep).count();
    // It was every second of them, and 107 mm.
    assert!(deep <= 2 && deepest > -0.03, "{deep} of {} by up to {deepest} m", bodies.len());
}

/// Nothing drives or slows what rolls.
#[test]
fn what_rolls_neither_gains_nor_loses() {
    let (mut scene, mut bodies) = (ground(), Vec::new());
    let table = [0.0, 0.5, 10.0];
    scene.add_rigid(RigidBody::cuboid([20.0, 0.5, 1.0]).at(table).fixed());
    for (k, radius) in [0.05f32, 0.15, 0.5].into_iter().enumerate() {
        for (height, z) in [(0.0, 3.0 * k as f32), (1.0, 9.6 + 0.4 * k as f32)] {
            if height > 0.0 && radius > 0.2 {
                continue;
            }
            let roll = |body: RigidBody| {
                let spin = [0.0, 0.0, -1.0 / f64::from(radius)];
                body.at([-5.0, height + radius, z]).velocity([1.0, 0.0, 0.0]).angular_velocity(spin)
            };
            bodies.push(scene.add_rigid(roll(RigidBody::sphere(radius))));
            let aside = roll(RigidBody::capsule(radius, 0.1)).turned([1.0, 0.0, 0.0], f64::to_radians(90.0));
            bodies.push(scene.add_rigid(aside.at([5.0, height + radius, z])));
        }
    }
    let mut solver = Solver::new(&scene).unwrap();
    (0..300).for_each(|_| drop(solver.step(&Input::frame(FRAME))));
    for body in bodies {
        let [v, _] = solver.state().rigid_velocity(solver.plan(), body);
        assert!((v.x - 1.0).abs() < 2e-3 && v.z.abs() < 1e-3, "{v}");
    }
}

/// A bounce is not lost where a body begins a frame far above what it hits in it.
#[test]
fn what_falls_fast_bounces_at_any_time_in_a_frame() {
    for (speed, half) in [(10.0, 0.1f32), (20.0, 0.1), (5.0, 0.02)] {
        let (mut scene, mut bodies) = (Scene::new(), Vec::new());
        scene.add_collider(Collider::ground().restitution(1.0));
        scene.settings.gravity = [0.0; 3].into();
        for phase in 0..12u8 {
            let height = half + 0.3 + speed as f32 / 60.0 * f32::from(phase) / 12.0;
            let body = RigidBody::cuboid([half; 3]).at([f32::from(phase), height, 0.0]).restitution(1.0);
            bodies.push(scene.add_rigid(body.velocity([0.0, -speed, 0.0])));
        }

        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 0.5);
        for body in bodies {
            let [v, w] = solver.state().rigid_velocity(solver.plan(), body);
            assert!(
                (v.y / speed - 1.0).abs() < 0.01 && w.length() * f64::from(half) < 1e-3 * speed,
                "{v} {w} at {speed} m/s"
            );
        }
    }
}
