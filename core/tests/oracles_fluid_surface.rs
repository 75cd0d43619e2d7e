//! Oracles: surface tension. Balls, how drops swing, momentum, pools at rest, rigid bodies beside it.

use crate::runs::FRAME;
use glam::{DVec3, Vec3};
use seidel::collider::Shape;
use seidel::{
    BodyId, Cloth, Collider, Execution, Fluid, FluidLook, Input, Isa, Plan, Pose, RigidBody, Scene, Scratch, Solver,
    State, degrees, step,
};
use std::f64::consts::PI;

/// Without gravity.
fn scene(substeps: u32) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = substeps.into();
    scene.settings.gravity = Vec3::ZERO;
    scene
}

fn run(solver: &mut Solver, frames: u32) {
    for frame in 0..frames {
        let report = solver.step(&Input::frame(FRAME));
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
        assert_eq!(report.fluid_overflowed, 0, "frame {frame}");
    }
}

/// Places and velocities.
fn particles(solver: &Solver, fluid: BodyId) -> Vec<(DVec3, DVec3)> {
    let (plan, state) = (solver.plan(), solver.state());
    let (mut p, mut v) = (vec![Vec3::ZERO; plan.vertices(fluid)], vec![Vec3::ZERO; plan.vertices(fluid)]);
    state.read_positions(plan, fluid, &mut p);
    state.read_velocities(plan, fluid, &mut v);
    p.iter().zip(&v).map(|(p, v)| (p.as_dvec3(), v.as_dvec3())).collect()
}

/// Second moments along the axes, m^2, and the middle.
fn moments(of: &[(DVec3, DVec3)]) -> (DVec3, DVec3) {
    let count = of.len() as f64;
    let middle = of.iter().map(|(p, _)| *p).sum::<DVec3>() / count;
    (of.iter().map(|(p, _)| (*p - middle) * (*p - middle)).sum::<DVec3>() / count, middle)
}

/// A cube becomes a ball and comes to rest; it moves on as it was thrown, and does not begin to turn.
#[test]
fn a_cube_becomes_a_ball() {
    let (dx, n) = (0.01f32, 10);
    let mut scene = scene(20);
    let side = n as f32 * dx;
    let cube = Fluid::block([0.0; 3], [side; 3]).spacing(dx).surface_tension(15.0).viscosity(2e-3);
    let water = scene.add(cube.velocity([0.3, -0.1, 0.2]));
    let mut solver = Solver::new(&scene).unwrap();
    assert_eq!(solver.plan().warnings(), [""; 0]);
    let before = particles(&solver, water);
    run(&mut solver, 90);
    let after = particles(&solver, water);
    let momentum = |of: &[(DVec3, DVec3)]| of.iter().map(|(_, v)| *v).sum::<DVec3>() / of.len() as f64;
    let drift = (momentum(&after) - momentum(&before)).length();
    let (second, middle) = moments(&after);
    let mean = momentum(&after);
    let turn = after.iter().map(|(p, v)| (*p - middle).cross(*v - mean)).sum::<DVec3>();
    let inertia: f64 = after.iter().map(|(p, _)| (*p - middle).length_squared()).sum::<f64>() * 2.0 / 3.0;
    let speed = (after.iter().map(|(_, v)| (*v - mean).length_squared()).sum::<f64>() / after.len() as f64).sqrt();
    let radius = f64::from(dx) * (3.0 * after.len() as f64 / (4.0 * PI)).cbrt();
    // Corners of the cube were at 1.2 radii; a ball's outer layer lies a little less than half a spacing inside of its
    // surface.
    let far = after.iter().map(|(p, _)| (*p - middle).length()).fold(0.0, f64::max) / radius;
    let wide = (second.element_sum() / (0.6 * radius * radius)).sqrt();
    println!(
        "drift {drift:.1e} m/s, turns with {:.1e} /s, {speed:.1e} m/s; moments {:.4}, the farthest at {far:.3}, as wide as {wide:.3}",
        turn.length() / inertia,
        second / second.element_sum() * 3.0
    );
    assert!(drift < 1e-5 && turn.length() / inertia < 2e-2, "{drift} {turn}");
    assert!((second / second.element_sum() * 3.0 - DVec3::ONE).abs().max_element() < 0.03, "{second}");
    assert!((0.9..1.02).contains(&far) && (wide - 1.0).abs() < 0.04 && speed < 5e-3, "{far} {wide} {speed}");
}

/// A drop that is longer than wide swings: omega^2 = 8 sigma / (rho R^3) (Rayleigh 1879), within 15 %.
fn drop_swings(support: f32, sigma: f64, across: i32) {
    let dx = 0.01f32;
    let mut scene = scene(20);
    let half = 0.5 * across as f32;
    let mut points = Vec::new();
    for i in 0..across {
        for j in 0..across {
            for k in 0..across {
                let p = Vec3::new(i as f32, j as f32, k as f32) + Vec3::splat(0.5 - half);
                if p.length() < half {
                    points.push((p * dx).to_array());
                }
            }
        }
    }
    let radius = f64::from(dx) * (3.0 * points.len() as f64 / (4.0 * PI)).cbrt();
    let water = Fluid::points(points).spacing(dx).support(support).surface_tension(sigma as f32);
    let water = scene.add(water);
    let mut solver = Solver::new(&scene).unwrap();
    // The lattice first becomes a drop.
    run(&mut solver, 40);
    let omega = (8.0 * sigma / (1000.0 * radius.powi(3))).sqrt();
    let push: Vec<Vec3> = particles(&solver, water)
        .iter()
        .map(|(p, _)| (0.04 * omega * DVec3::new(2.0 * p.x, -p.y, -p.z)).as_vec3())
        .collect();
    let plan = solver.plan().clone();
    solver.state_mut().write_velocities(&plan, water, &push).unwrap();
    let long = |solver: &Solver| {
        let (second, _) = moments(&particles(solver, water));
        (second.x * second.x / (second.y * second.z)).ln()
    };
    let rest = long(&solver);
    let mut values = Vec::new();
    let dt = 0.1 / omega;
    for _ in 0..50 {
        assert!(solver.step(&Input::frame(dt as f32)).rejected.is_none());
        values.push(long(&solver) - rest);
    }
    // The first crossing, half a period after the push.
    let back = values.iter().position(|v| *v < 0.0).expect("it does not swing");
    let (a, b) = (values[back - 1], values[back]);
    let found = PI / ((back as f64 + a / (a - b)) * dt);
    println!(
        "support {support}, sigma {sigma}, R {:.1} dx: omega {found:.2}, {omega:.2} wanted: sigma {:.2}",
        radius / f64::from(dx),
        sigma * (found / omega).powi(2)
    );
    println!("{values:.2?}");
    assert!((found / omega).powi(2) < 1.15 && (found / omega).powi(2) > 0.85, "{found} {omega}");
}

#[test]
fn drops_swing_in_their_time() {
    drop_swings(2.0, 12.0, 13);
    drop_swings(2.0, 6.0, 18);
    drop_swings(2.5, 12.0, 13);
}

/// Walls at x = 0 and `x`, z = 0 and `z`, on the ground; without friction.
fn tank(scene: &mut Scene, x: f32, z: f32) {
    scene.add_collider(Collider::ground().friction(0.0));
    let mut wall = |at: [f32; 3], axis: [f64; 3], angle: f64| {
        scene.add_collider(Collider::new(Shape::Plane).at(at).turned(axis, degrees(angle)).friction(0.0));
    };
    wall([0.0; 3], [0.0, 0.0, 1.0], -90.0);
    wall([x, 0.0, 0.0], [0.0, 0.0, 1.0], 90.0);
    wall([0.0; 3], [1.0, 0.0, 0.0], 90.0);
    wall([0.0, 0.0, z], [1.0, 0.0, 0.0], -90.0);
}

/// A pool between walls that is as high as it was filled stays as it is, though the tension is seventy times that of
/// water: walls are wetted at about a right angle, so it neither climbs nor draws together. (What is left of the
/// start's trembling is 5 mm/s then; without tension 5 mm/s, too.)
#[test]
fn a_pool_stays_level() {
    let (side, depth) = (0.24f32, 0.1f32);
    let mut scene = scene(20);
    scene.settings.gravity = Vec3::new(0.0, -9.81, 0.0);
    tank(&mut scene, side, side);
    let water = scene.add(Fluid::block([0.0; 3], [side, depth, side]).surface_tension(5.0));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 240);
    let now = particles(&solver, water);
    let middle = now.iter().map(|(p, _)| p.y).sum::<f64>() / now.len() as f64;
    let speed = (now.iter().map(|(_, v)| v.length_squared()).sum::<f64>() / now.len() as f64).sqrt();
    let top = |near: &dyn Fn(f64) -> bool| {
        now.iter().filter(|(p, _)| near(p.x.min(f64::from(side) - p.x))).map(|(p, _)| p.y).fold(0.0, f64::max)
    };
    let (edge, inner) = (top(&|x| x < 0.02), top(&|x| x > 0.08));
    let mut look = FluidLook::default();
    look.read(solver.plan(), solver.state());
    let found = look.figures(solver.plan(), solver.state());
    println!("middle {middle:.4}, {speed:.1e} m/s; highest {edge:.4} at walls, {inner:.4} away from them; {found:?}");
    assert!((middle / 0.05 - 1.0).abs() < 0.03 && speed < 1e-2, "{middle} {speed}");
    assert!((edge - inner).abs() < 0.01, "{edge} {inner}");
}

/// A ball that is wetted by a drop is drawn to it, and both together keep their momentum; also with other fluids and
/// different tensions beside.
#[test]
fn what_is_wetted_is_drawn_the_opposite_way() {
    let mut scene = scene(20);
    let mut drops = Vec::new();
    for (x, sigma) in [(0.0f32, 20.0), (0.16, 5.0)] {
        let drop = Fluid::block([x, 0.0, 0.0], [x + 0.16, 0.16, 0.16]).surface_tension(sigma);
        drops.push(scene.add(drop.velocity([0.1, 0.0, 0.0])));
    }
    let ball = RigidBody::new(Shape::Sphere { radius: 0.05 }).density(600.0).at([0.11, 0.22, 0.08]);
    let ball = scene.add_rigid(ball);
    let mut solver = Solver::new(&scene).unwrap();
    let momentum = |solver: &Solver| {
        let of_drops = drops.iter().flat_map(|drop| particles(solver, *drop)).map(|(_, v)| v * 8e-3).sum::<DVec3>();
        let mass = 600.0 * 4.0 / 3.0 * PI * 0.05f64.powi(3);
        let [velocity, _] = solver.state().rigid_velocity(solver.plan(), ball);
        (of_drops, velocity * mass)
    };
    let (before, _) = momentum(&solver);
    run(&mut solver, 12);
    let (drops, of_ball) = momentum(&solver);
    println!("the ball got {of_ball:.5}, the drops lost {:.5}", before - drops);
    assert!(of_ball.y < -0.01, "it is not drawn: {of_ball}");
    assert!((drops + of_ball - before).length() < 1e-4 * before.length(), "{before} {drops} {of_ball}");
}

/// The same bits on all lanes and threads, with all that a surface meets.
#[test]
fn the_same_bits() {
    let mut scene = scene(8);
    scene.settings.gravity = Vec3::new(0.0, -9.81, 0.0);
    tank(&mut scene, 0.4, 0.2);
    scene.add(Fluid::block([0.0; 3], [0.2, 0.2, 0.2]).surface_tension(10.0).viscosity(1e-3));
    scene.add(Fluid::block([0.24, 0.0, 0.0], [0.36, 0.16, 0.2]).density(700.0));
    scene.add(Cloth::grid([12, 12], [0.2, 0.2]).placed(Pose::at([0.3, 0.24, 0.1]), 1.0).stretch(1e-5).shear(1e-3));
    scene.add_rigid(RigidBody::new(Shape::Sphere { radius: 0.04 }).density(400.0).at([0.1, 0.26, 0.1]));
    let plan = Plan::new(&scene).unwrap();
    let hash = |isa: Isa, threads: usize| {
        let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(isa, threads)));
        for _ in 0..6 {
            let report = step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
            assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
            scratch.poison();
        }
        state.hash()
    };
    let first = hash(Isa::PORTABLE, 1);
    for isa in Isa::available() {
        for threads in [1, 3] {
            assert_eq!(hash(isa, threads), first, "{isa}, {threads} threads");
        }
    }
}

/// What cannot be is refused; more than substeps carry is said, and does no harm.
#[test]
fn bad_tensions_are_named() {
    let plan = |fluid: Fluid, substeps: u32| {
        let mut scene = scene(substeps);
        scene.add(fluid.named("water"));
        Plan::new(&scene)
    };
    let block = || Fluid::block([0.0; 3], [0.1; 3]);
    for (fluid, error) in [
        (block().surface_tension(-0.1), "body `water`: surface_tension is -0.1, which is not within 0 .. 1000 N/m"),
        (block().surface_tension(f32::NAN), "body `water`: surface_tension is NaN, which is not within 0 .. 1000 N/m"),
        (
            block().surface_tension(0.1).support(1.8),
            "body `water`: support is 1.8, which is not 2 spacings or more, as its surface tension wants",
        ),
    ] {
        assert_eq!(plan(fluid, 10).unwrap_err().to_string(), error);
    }
    let plan = plan(block().surface_tension(900.0), 10).unwrap();
    let limit = plan.surface_tension_limit(1.0 / 60.0).unwrap();
    assert!((limit / 288.0 - 1.0).abs() < 1e-3, "{limit}");
    let notes = plan.warnings();
    assert!(
        notes.len() == 1
            && notes[0].starts_with("body `water` has a surface tension of 900 N/m, and 10 substeps carry 2.88e2"),
        "{notes:?}"
    );
    let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(Isa::PORTABLE, 1)));
    for _ in 0..30 {
        assert!(step(&plan, &mut state, &Input::frame(FRAME), &mut scratch).lost.is_none());
    }
    let id = plan.fluids().next().unwrap().0;
    let mut p = vec![Vec3::ZERO; plan.vertices(id)];
    state.read_positions(&plan, id, &mut p);
    assert!(p.iter().all(|p| (*p - Vec3::splat(0.05)).length() < 0.1), "it flew apart");
    // Chosen substeps carry it well.
    let mut scene = Scene::new();
    scene.add(block().surface_tension(900.0));
    let plan = Plan::new(&scene).unwrap();
    assert!(plan.warnings().is_empty() && plan.substeps() >= 39, "{}", plan.substeps());
}
