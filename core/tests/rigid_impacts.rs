//! Heavy bodies fall on light ones, and light ones are clamped: little comes back, and no energy appears.

use crate::runs::FRAME;
use crate::runs::rigid::{pose, same_bits_everywhere};
use seidel::glam::{DVec3, Vec3};
use seidel::joint::Motor;
use seidel::{Collider, Input, Plan, RigidBody, RigidId, RigidJoint, Scene, Solver};

/// How fast a body falls at most, and how fast it rises from then on, m/s, beside what rises at a speed.
fn fall_and_rise(solver: &mut Solver, body: RigidId, lift: f64) -> [f64; 2] {
    let speeds: Vec<f64> = (0..90)
        .map(|_| {
            solver.step(&Input::frame(FRAME));
            solver.state().rigid_velocity(solver.plan(), body)[0].y - lift
        })
        .collect();
    let lowest = (0..speeds.len()).reduce(|least, k| if speeds[k] < speeds[least] { k } else { least }).unwrap();
    [-speeds[lowest], speeds[lowest..].iter().fold(0.0, |most: f64, speed| most.max(*speed))]
}

fn scene(substeps: u32) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = substeps.into();
    scene
}

fn cube(half: f32, mass: f64) -> RigidBody {
    RigidBody::cuboid([half; 3]).mass(mass)
}

/// A cube that falls a metre onto a lighter one, on the ground and on a lift that rises: it comes back with 0.14 of its
/// speed at most (0.38 where kept impulses are taken as they are), and stays on it.
#[test]
fn what_is_stopped_stays() {
    for (substeps, lift) in [5, 20, 60].into_iter().flat_map(|substeps| [(substeps, 0.0), (substeps, 1.0)]) {
        for heavy in [10.0, 40.0, 200.0] {
            let mut scene = scene(substeps);
            let ground = RigidBody::cuboid([5.0, 0.5, 5.0]).at([0.0, -0.5, 0.0]).kinematic();
            scene.add_rigid(ground.velocity([0.0, lift, 0.0]));
            let light = scene.add_rigid(cube(0.15, 10.0).at([0.0, 0.15, 0.0]).velocity([0.0, lift, 0.0]));
            let falls = scene.add_rigid(cube(0.15, heavy).at([0.0, 1.45, 0.0]).velocity([0.0, lift, 0.0]));
            let mut solver = Solver::new(&scene).unwrap();
            let [fell, rose] = fall_and_rise(&mut solver, falls, lift);
            let what = format!("{heavy} kg, {substeps} substeps, lift at {lift} m/s");
            assert!(fell > 4.0 && rose < 0.16 * fell, "{what}: {fell}, {rose}");
            let [at, of_light] = [falls, light].map(|body| pose(&solver, body).position());
            let gap = at.y - of_light.y - 0.3;
            assert!(gap.abs() < 3e-3 && at.x.hypot(at.z) < 0.03, "{what}: {at}, {of_light}");
        }
    }
}

/// Bodies that hit each other far from everything keep their momentum, also the angular one.
#[test]
fn impacts_keep_momentum() {
    let mut apart = Scene::new();
    apart.settings.gravity = Vec3::ZERO;
    let masses = [10.0, 200.0, 3.0];
    let places = [0.0, 0.5, 0.9];
    let bodies: Vec<RigidId> = (0..3)
        .map(|k| {
            let body = cube(HALVES[k] as f32, masses[k]).at([places[k], 0.02 * k as f32, 0.0]);
            apart.add_rigid(body.velocity([[0.0, -5.0, -8.0][k], 0.0, 0.0]))
        })
        .collect();
    let mut solver = Solver::new(&apart).unwrap();
    // Of cubes, which turn alike about all axes.
    let inertia = |k: usize| masses[k] * (2.0 * HALVES[k]).powi(2) / 6.0;
    let momenta = |solver: &Solver| {
        (0..3).fold([DVec3::ZERO; 2], |[linear, angular], k| {
            let ([v, w], at) =
                (solver.state().rigid_velocity(solver.plan(), bodies[k]), pose(solver, bodies[k]).position());
            [linear + v * masses[k], angular + at.cross(v * masses[k]) + w * inertia(k)]
        })
    };
    let before = momenta(&solver);
    (0..20).for_each(|_| drop(solver.step(&Input::frame(FRAME))));
    let after = momenta(&solver);
    assert!((after[0] - before[0]).length() < 4e-6 * before[0].length(), "{before:?}, {after:?}");
    assert!((after[1] - before[1]).length() < 1e-5 * before[0].length(), "{before:?}, {after:?}");
    let [first, _] = solver.state().rigid_velocity(solver.plan(), bodies[0]);
    assert!(first.x < -4.0, "the first was hit: {first}");
}

/// Half sides of three cubes, metres.
const HALVES: [f64; 3] = [0.15, 0.2, 0.1];

/// Groups that are pushed hard: the same bits on all lanes and any number of threads.
#[test]
fn impacts_are_the_same_everywhere() {
    let mut scene = scene(8);
    scene.add_collider(Collider::ground());
    for k in 0..100u8 {
        let x = f32::from(k);
        scene.add_rigid(cube(0.15, 1.0).at([x, 0.15, 0.0]));
        scene.add_rigid(cube(0.15, 2.0 + 2.0 * f64::from(k)).at([x + 0.05, 0.8, 0.02]).velocity([0.3, -2.0, 0.1]));
        let beam = scene.add_rigid(RigidBody::cuboid([0.5, 0.04, 0.1]).mass(2.0).at([x, 0.5, 3.0]));
        scene.join_rigid(RigidJoint::hinge(None, beam, DVec3::new(f64::from(x), 0.5, 3.0), DVec3::Z).limits(-0.3, 0.3));
        scene.add_rigid(cube(0.1, 20.0).at([x + 0.3, 1.2, 3.0]));
    }
    same_bits_everywhere(&Plan::new(&scene).unwrap(), 60);
}

/// A light ball that a kinematic body pushes against a crate, and one that a motor presses against another body: what
/// kept impulses give the ball is no approach, so it does not bounce from it. The crate had up to 377 m/s, the jaw 462.
#[test]
fn what_is_clamped_does_not_bounce() {
    for substeps in [5, 20, 60, 200] {
        let ball = RigidBody::sphere(0.06).mass(0.3).at([0.065, 0.06, 0.0]).restitution(0.8);
        let mut pushed = scene(substeps);
        pushed.add_collider(Collider::ground());
        let pusher = RigidBody::cuboid([0.05, 0.3, 0.5]).at([-0.05, 0.3, 0.0]).kinematic();
        pushed.add_rigid(pusher.velocity([3.0, 0.0, 0.0]));
        pushed.add_rigid(ball.clone());
        let crate_ = pushed.add_rigid(cube(0.3, 50.0).at([0.5, 0.3, 0.0]).restitution(0.8));
        let mut solver = Solver::new(&pushed).unwrap();
        let mut fastest = 0.0f64;
        for _ in 0..90 {
            solver.step(&Input::frame(FRAME));
            fastest = fastest.max(solver.state().rigid_velocity(solver.plan(), crate_)[0].length());
        }
        // Of a wall of 3 m/s an elastic body gets 6.
        assert!(fastest < 6.0, "{substeps} substeps: {fastest} m/s");

        let mut press = scene(substeps);
        press.add_collider(Collider::ground());
        press.add_rigid(RigidBody::cuboid([0.05, 0.3, 0.5]).at([-0.05, 0.3, 0.0]).kinematic());
        press.add_rigid(ball);
        let jaw = RigidBody::cuboid([0.05, 0.2, 0.2]).mass(10.0).at([0.3, 0.21, 0.0]);
        let jaw = press.add_rigid(jaw.restitution(0.8));
        let slider = RigidJoint::slider(None, jaw, [0.3, 0.21, 0.0], DVec3::X);
        press.join_rigid(slider.motor(Motor::Velocity { target: -0.5, limit: 100.0 }));
        let mut solver = Solver::new(&press).unwrap();
        (0..120).for_each(|_| drop(solver.step(&Input::frame(FRAME))));
        let [v, _] = solver.state().rigid_velocity(solver.plan(), jaw);
        assert!(v.length() < 1e-3, "{substeps} substeps: the jaw has {v}");
    }
}

/// An elastic ball comes back from the ground with e times its speed, whatever share of gravity pulls it.
#[test]
fn rebounds_are_those_of_any_share_of_gravity() {
    for (scale, substeps) in [0.0, 0.1, 0.5, 3.0, 8.0].into_iter().flat_map(|scale| [5, 20, 60].map(|n| (scale, n))) {
        let mut scene = scene(substeps);
        scene.add_collider(Collider::ground().restitution(1.0));
        let ball = RigidBody::sphere(0.1).mass(1.0).at([0.0, 0.3, 0.0]).velocity([0.0, -2.0, 0.0]);
        let ball = scene.add_rigid(ball.restitution(0.8).gravity_scale(scale));
        let mut solver = Solver::new(&scene).unwrap();
        let speed = |solver: &Solver| {
            let [v, _] = solver.state().rigid_velocity(solver.plan(), ball);
            // What it would have at the ground's height.
            let fallen = 2.0 * 9.81 * f64::from(scale) * (pose(solver, ball).position().y - 0.1);
            (v.y, (v.y * v.y + fallen).sqrt())
        };
        let came = speed(&solver).1;
        let mut rose = 0.0;
        for _ in 0..30 {
            solver.step(&Input::frame(FRAME));
            let (upwards, fast) = speed(&solver);
            if upwards > 0.0 {
                rose = fast;
                break;
            }
        }
        // It is met where the substep ends, up to its way in one deep.
        let of_a_substep = 9.81 * f64::from(scale) / (60.0 * f64::from(substeps));
        let error = (rose / came - 0.8).abs();
        assert!(error < 0.02 + 3.0 * of_a_substep / came, "{scale} of gravity, {substeps} substeps: {came}, {rose}");
    }
}
