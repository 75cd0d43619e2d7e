//! Oracle: what contacts do where velocities are updated in second order, and what restitution is to a body that
//! deforms.

use crate::runs;
use crate::runs::{FRAME, G, P, norm, particles, positions, run, scene, solver, velocities};
use seidel::{BodyId, Cloth, Collide, Collider, Input, Mesh, Pose, Rope, Scene, SoftBody, Solver, VelocityUpdate};

const BOTH: [VelocityUpdate; 2] = [VelocityUpdate::FirstOrder, VelocityUpdate::SecondOrder];

fn updated(gravity: f64, (substeps, iterations): (u32, u32), update: VelocityUpdate) -> Scene {
    let mut scene = scene(gravity as f32, substeps);
    (scene.settings.iterations, scene.settings.velocity_update) = (iterations, update);
    scene
}

/// Velocity of a body's centre, m/s.
fn drift(solver: &Solver, body: BodyId) -> P {
    let mass: f64 = runs::masses(solver, body).iter().sum();
    runs::scale(runs::momentum(solver, body), 1.0 / mass)
}

/// The largest upward speed after a fall from `height`, over the largest downward speed before it.
fn rebound(solver: &mut Solver, body: BodyId, frames: u32) -> f64 {
    let (mut down, mut up) = (0.0f64, 0.0f64);
    for _ in 0..frames {
        run(solver, 1, FRAME / 4.0);
        let v = drift(solver, body)[1];
        (down, up) = (down.max(-v), up.max(v));
    }
    up / down
}

/// Restitution is a particle's: e of the speed with which it came, whatever the update.
#[test]
fn a_particle_comes_back_with_e() {
    for update in BOTH {
        for e in [0.0, 0.5, 1.0] {
            let mut scene = updated(G, (20, 1), update);
            let mut body = particles(&[[0.0, 1.002, 0.0]], &[1.0]);
            body.thickness = 0.002.into();
            let body = scene.add(body);
            scene.add_collider(Collider::ground().restitution(e as f32));
            let got = rebound(&mut solver(&scene), body, 160);
            println!("{update:?}, e {e}: {got:.3}");
            assert!((got - e).abs() < 0.02, "{update:?}: {got} and not {e}");
        }
    }
}

/// A body that deforms comes back with what its material gives back: its particles have come to rest on the ground
/// before the body has. The coefficient hardly matters. In first order the update takes a part of it.
#[test]
fn a_soft_ball_comes_back_with_what_its_material_gives() {
    let of = |update, substeps, e| {
        let mut scene = updated(G, (substeps, 1), update);
        let ball = SoftBody::filled(Mesh::ball(0.2, 3), 0.08).young(1e6).placed(Pose::at([0.0, 1.21, 0.0]), 1.0);
        let body = scene.add(ball);
        scene.add_collider(Collider::ground().restitution(e));
        rebound(&mut solver(&scene), body, 200)
    };
    let [first, second] = BOTH.map(|update| [of(update, 5, 0.0), of(update, 5, 0.5), of(update, 40, 0.5)]);
    println!("first order {first:.3?}, second order {second:.3?}");
    assert!(first[2] - first[1] > 0.05, "finer substeps give more back: {first:?}");
    assert!((second[2] - second[1]).abs() < 0.03, "{second:?}");
    assert!(second[1] > first[1] + 0.05 && second[1] < 1.0, "{first:?}, {second:?}");
    for [without, with, _] in [first, second] {
        assert!((without - with).abs() < 0.05, "the coefficient: {without} and {with}");
    }
}

/// The table of docs/tuning.md: what its material keeps of a strain says how a ball rebounds, and half of its speed is
/// what a relaxation of 12 ms leaves one of 1e5 Pa, in either order.
#[test]
fn relaxation_makes_a_soft_ball_rebound_with_half() {
    let of = |update, relaxation, fall: f32| {
        let mut scene = updated(G, (5, 1), update);
        let ball = SoftBody::filled(Mesh::ball(0.2, 3), 0.08).young(1e5).relaxation(relaxation);
        let body = scene.add(ball.placed(Pose::at([0.0, 0.21 + fall, 0.0]), 1.0));
        scene.add_collider(Collider::ground().restitution(0.5));
        rebound(&mut solver(&scene), body, 200)
    };
    for update in BOTH {
        let [none, half, twice] = [0.0, 0.012, 0.024].map(|relaxation| of(update, relaxation, 1.0));
        println!("{update:?}: {none:.3}, {half:.3}, {twice:.3}");
        assert!((half - 0.5).abs() < 0.05, "{update:?}: {half}");
        assert!(none > 0.7 && twice < 0.45, "{update:?}: {none}, {twice}");
    }
}

/// v^2 / (2 mu g), and then it rests.
#[test]
fn friction_is_as_strong_as_in_first_order() {
    for update in BOTH {
        let mut scene = updated(G, (20, 1), update);
        let mut body = particles(&[[0.0, 0.002, 0.0]], &[1.0]);
        (body.thickness, body.friction) = (0.002.into(), 0.3.into());
        let body = scene.add(body);
        scene.add_collider(Collider::ground().friction(0.3));
        let mut solver = solver(&scene);
        runs::set_velocities(&mut solver, body, &[[2.0, 0.0, 0.0]]);
        run(&mut solver, 90, FRAME);
        let (x, exact) = (positions(&solver, body)[0][0], 4.0 / (2.0 * 0.3 * G));
        println!("{update:?}: {:.4} of the way", x / exact);
        assert!((x / exact - 1.0).abs() < 0.01, "{update:?}: {x} and not {exact}");
        assert!(norm(velocities(&solver, body)[0]) < 1e-6, "{update:?}");
    }
}

/// Two balls that hit each other keep their momentum, to a thousandth of what passes from one to the other.
#[test]
fn balls_that_hit_each_other_keep_their_momentum() {
    let mut scene = updated(0.0, (20, 1), VelocityUpdate::SecondOrder);
    let ball = |x: f32, v: f32| {
        let ball = SoftBody::filled(Mesh::ball(0.2, 3), 0.08).young(1e5).placed(Pose::at([x, 0.0, 0.0]), 1.0);
        ball.velocity([v, 0.0, 0.0]).collide(Collide::Others).thickness(0.005)
    };
    let balls = [scene.add(ball(-0.3, 2.0)), scene.add(ball(0.3, 0.0))];
    let mut solver = solver(&scene);
    let all = |solver: &Solver| balls.map(|ball| runs::momentum(solver, ball)[0]);
    let before = all(&solver);
    run(&mut solver, 30, FRAME);
    let after = all(&solver);
    println!("{before:?} -> {after:?}");
    assert!(after[1] > 0.9 * before[0], "{after:?}");
    assert!((after[0] + after[1] - before[0]).abs() < 1e-3 * before[0], "{before:?} -> {after:?}");
}

/// A minute of contacts, stiff rows, pins that move and steps that change: nothing is lost, nothing flies off, the bar
/// that lies on the ground comes to rest.
#[test]
fn a_minute_is_stable() {
    let mut scene = updated(G, (8, 1), VelocityUpdate::SecondOrder);
    let sheet = scene.add(Cloth::grid([14, 14], [1.0, 1.0]).bend(1e3).placed(Pose::at([0.0, 0.6, 0.0]), 1.0));
    let flag = scene.add(Cloth::grid([8, 8], [0.5, 0.5]).placed(Pose::at([1.5, 1.0, 0.0]), 1.0).pin(&[0, 7]));
    let rope = scene.add(Rope::new([-1.0, 1.0, 0.0], [-0.4, 1.0, 0.0], 6).pin(&[0]));
    let bar = scene.add(SoftBody::bar([0.4, 0.1, 0.1], [6, 2, 2]).young(1e5).placed(Pose::at([0.1, 1.2, 0.0]), 1.0));
    scene.add_collider(Collider::ground().friction(0.4));
    scene.add_collider(Collider::sphere(0.3).at([0.0, 0.3, 0.0]));
    let mut solver = solver(&scene);
    let fastest = |solver: &Solver, body| velocities(solver, body).into_iter().map(norm).fold(0.0, f64::max);
    for frame in 0..3600 {
        let t = f64::from(frame) / 60.0;
        let dt = FRAME * [1.0, 1.3, 0.7, 0.9, 1.1][frame as usize % 5];
        let input = Input::frame(dt).pin(flag, 0, [1.25 + 0.1 * t.sin() as f32, 1.0, -0.25]).pin(
            rope,
            0,
            [-1.0, 1.0 + 0.1 * (2.0 * t).sin() as f32, 0.0],
        );
        let report = solver.step(&input);
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
        for body in [sheet, flag, rope, bar] {
            let speed = fastest(&solver, body);
            assert!(speed < 40.0, "frame {frame}: {speed} m/s in body {body:?}");
        }
    }
    let last = [sheet, flag, rope, bar].map(|body| fastest(&solver, body));
    println!("{last:.3?}");
    assert!(last.iter().all(|speed| *speed < 5.0) && last[3] < 0.5, "{last:?}");
}
