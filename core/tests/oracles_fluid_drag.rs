//! Oracles: fluids that do not slip, and whirls. Flow between plates, a plate that moves, a sphere that falls,
//! momentum, vorticity confinement.

use crate::runs::FRAME;
use glam::{DVec3, Vec3};
use seidel::collider::{Motion, Shape};
use seidel::{
    BodyId, Cloth, Collider, Execution, Fluid, Input, Isa, Plan, Pose, RigidBody, Scene, Scratch, Solver, State,
    degrees, step,
};
use std::f64::consts::PI;

fn scene(gravity: f32) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = 20.into();
    scene.settings.gravity = Vec3::new(0.0, -gravity, 0.0);
    scene
}

/// A plane through a point that faces along a horizontal direction, degrees from +x towards +z.
fn wall(at: [f32; 3], towards: f64) -> Collider {
    let mut wall = Collider::new(Shape::Plane).friction(0.0);
    wall.pose = Pose::at(at).turned([0.0, 0.0, 1.0], degrees(-90.0)).turned([0.0, 1.0, 0.0], degrees(-towards));
    wall
}

fn run(solver: &mut Solver, frames: u32) {
    for frame in 0..frames {
        let report = solver.step(&Input::frame(FRAME));
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
    }
}

/// Places and velocities.
fn particles(solver: &Solver, body: BodyId) -> Vec<(DVec3, DVec3)> {
    let (plan, state) = (solver.plan(), solver.state());
    let (mut p, mut v) = (vec![Vec3::ZERO; plan.vertices(body)], vec![Vec3::ZERO; plan.vertices(body)]);
    state.read_positions(plan, body, &mut p);
    state.read_velocities(plan, body, &mut v);
    p.iter().zip(&v).map(|(p, v)| (p.as_dvec3(), v.as_dvec3())).collect()
}

fn set(solver: &mut Solver, body: BodyId, velocity: impl Fn(DVec3) -> DVec3) {
    let v: Vec<Vec3> = particles(solver, body).iter().map(|(p, _)| velocity(*p).as_vec3()).collect();
    let plan = solver.plan().clone();
    solver.state_mut().write_velocities(&plan, body, &v).unwrap();
}

/// What falls between two plates has the parabola g x (H - x) / (2 nu), within 5 %; with a slip length b it is g (x
/// (H - x) + b H) / (2 nu).
#[test]
fn a_fluid_falls_between_plates_as_poiseuille_says() {
    for slip in [0.0, 0.02] {
        let (dx, wide, nu, g) = (0.01f32, 0.1f32, 5e-3f64, 1.0f64);
        let mut scene = scene(g as f32);
        scene.add_collider(wall([0.0; 3], 0.0));
        scene.add_collider(wall([wide, 0.0, 0.0], 180.0));
        let honey = Fluid::block([0.0; 3], [wide, 0.4, 0.1]).spacing(dx).viscosity(nu as f32).slip_length(slip);
        let honey = scene.add(honey);
        let mut solver = Solver::new(&scene).unwrap();
        let wanted = |x: f64| -g * (x * (f64::from(wide) - x) + f64::from(slip * wide)) / (2.0 * nu);
        // From half of it: what is missing falls to e^-4 in 0.8 s.
        set(&mut solver, honey, |p| DVec3::Y * 0.5 * wanted(p.x));
        run(&mut solver, if slip > 0.0 { 72 } else { 48 });
        let now = particles(&solver, honey);
        let middle = now.iter().map(|(p, _)| p.y).sum::<f64>() / now.len() as f64;
        let inner: Vec<_> =
            now.iter().filter(|(p, _)| (p.y - middle).abs() < 0.05 && (p.z - 0.05).abs() < 0.02).collect();
        let mut worst = 0.0f64;
        for layer in 0..10 {
            let x = (f64::from(layer) + 0.5) * f64::from(dx);
            let of: Vec<f64> = inner.iter().filter(|(p, _)| (p.x - x).abs() < 0.005).map(|(_, v)| v.y).collect();
            let mean = of.iter().sum::<f64>() / of.len() as f64;
            println!("slip {slip}, x {x:.3}: {mean:.4}, {:.4} wanted, of {}", wanted(x), of.len());
            worst = worst.max((mean - wanted(x)).abs() / wanted(0.05).abs());
        }
        println!("off by {worst:.3} of the largest");
        assert!(worst < 0.05, "{worst}");
    }
}

/// Between a plate that moves along itself and one that stands: a linear profile; and between turning cylinders' walls
/// a fluid takes up their turning.
#[test]
fn a_moving_plate_drags_a_fluid_along() {
    let (dx, speed) = (0.01f32, 0.05f64);
    let mut scene = scene(0.0);
    scene.add_collider(wall([0.0; 3], 0.0));
    let moves =
        Motion::Steady { velocity: [0.0, speed, 0.0].into(), axis: [0.0; 3].into(), turns: 0.0, start: 0.0, end: None };
    scene.add_collider(wall([0.1, 0.0, 0.0], 180.0).moving(moves));
    let honey = scene.add(Fluid::block([0.0; 3], [0.1, 0.2, 0.1]).spacing(dx).viscosity(5e-3).slip_length(0.0));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 72);
    let inner: Vec<_> = particles(&solver, honey)
        .into_iter()
        .filter(|(p, _)| (p.y - 0.13).abs() < 0.04 && (p.z - 0.05).abs() < 0.02)
        .collect();
    for layer in 0..10 {
        let x = (f64::from(layer) + 0.5) * 0.01;
        let of: Vec<f64> = inner.iter().filter(|(p, _)| (p.x - x).abs() < 0.005).map(|(_, v)| v.y).collect();
        let mean = of.iter().sum::<f64>() / of.len() as f64;
        println!("x {x:.3}: {mean:.5}, {:.5} wanted", speed * x / 0.1);
        assert!((mean - speed * x / 0.1).abs() < 0.05 * speed, "at {x}: {mean}");
    }
}

/// A sphere that falls on the axis of a cylinder of 2.5 times its radius, in a viscous fluid: Stokes' speed over 3.596
/// (Haberman, Sayre 1958), within 25 %. (It has 0.78 of it: at four spacings to its radius the drag is too large. With
/// six it has 0.93, and takes four times as long.)
#[test]
fn a_sphere_falls_as_stokes_says() {
    let (dx, radius, wide, nu, density, g) = (0.01f32, 0.04f64, 0.1f32, 9e-3f64, 4000.0f64, 2.0f64);
    let mut scene = scene(g as f32);
    scene.add_collider(Collider::ground().friction(0.0));
    for k in 0..32 {
        let angle = 2.0 * PI * f64::from(k) / 32.0;
        let at = [-(wide * angle.cos() as f32), 0.0, -(wide * angle.sin() as f32)];
        scene.add_collider(wall(at, angle.to_degrees()));
    }
    let mut points = Vec::new();
    for j in 0..36 {
        for i in -10..10 {
            for l in -10..10 {
                let at = [i, j, l].map(|k| (k as f32 + 0.5) * dx);
                if at[0].hypot(at[2]) < wide - 0.4 * dx {
                    points.push(at);
                }
            }
        }
    }
    scene.add(Fluid::points(points).spacing(dx).viscosity(nu as f32).slip_length(0.0));
    let ball = RigidBody::new(Shape::Sphere { radius: radius as f32 }).density(density).at([0.0, 0.24, 0.0]);
    let ball = scene.add_rigid(ball);
    let mut solver = Solver::new(&scene).unwrap();
    let height = |solver: &Solver| solver.state().rigid_pose(solver.plan(), ball).position()[1];
    // First the fluid fills the round vessel.
    let plan = solver.plan().clone();
    for _ in 0..24 {
        solver.state_mut().teleport_rigid(&plan, ball, Pose::at([0.0, 0.24, 0.0]));
        solver.state_mut().set_rigid_velocity(&plan, ball, [DVec3::ZERO; 2]);
        run(&mut solver, 1);
    }
    let mut heights = Vec::new();
    for _ in 0..8 {
        heights.push(height(&solver));
        run(&mut solver, 6);
    }
    let speeds: Vec<f64> = heights.windows(2).map(|two| (two[0] - two[1]) * 10.0).collect();
    let free = 2.0 / 9.0 * radius * radius * g * (density / 1000.0 - 1.0) / nu;
    let found = (heights[3] - heights[7]) / 0.4;
    println!("speeds {speeds:.4?}; {found:.4}, {:.4} wanted", free / 3.596);
    assert!((found / (free / 3.596) - 1.0).abs() < 0.25, "{found}");
}

/// A body and a sheet that a stream drags along take exactly what it loses, also where they are light.
#[test]
fn drag_takes_what_it_gives() {
    for light in [false, true] {
        let mut scene = scene(0.0);
        let stream = Fluid::block([0.0; 3], [0.24, 0.16, 0.24])
            .and_block([0.0, 0.18, 0.0], [0.24; 3])
            .viscosity(1e-2)
            .slip_length(0.0);
        let stream = scene.add(stream.velocity([0.4, 0.0, 0.0]));
        let density = if light { 20.0 } else { 1000.0 };
        let body = RigidBody::new(Shape::Cuboid { half: [0.04; 3].into() }).density(density);
        let body = scene.add_rigid(body.at([0.08, 0.08, 0.12]));
        let sheet = Cloth::grid([8, 8], [0.12, 0.12]).placed(Pose::at([0.15, 0.17, 0.12]), 1.0);
        let sheet = scene.add(sheet.density(if light { 0.05 } else { 2.0 }).stretch(1e-5).shear(1e-3));
        let mut solver = Solver::new(&scene).unwrap();
        let of_sheet = |solver: &Solver| {
            let mut w = vec![0.0; solver.plan().vertices(sheet)];
            solver.state().read_inv_masses(solver.plan(), sheet, &mut w);
            particles(solver, sheet).iter().zip(w).map(|((_, v), w)| *v / f64::from(w)).sum::<DVec3>()
        };
        let of_body = |solver: &Solver| {
            let [velocity, _] = solver.state().rigid_velocity(solver.plan(), body);
            velocity * density * 0.08 * 0.08 * 0.08
        };
        let of_stream = |solver: &Solver| particles(solver, stream).iter().map(|(_, v)| *v * 8e-3).sum::<DVec3>();
        let before = of_stream(&solver);
        run(&mut solver, 12);
        let after = [of_stream(&solver), of_body(&solver), of_sheet(&solver)];
        let speed = of_body(&solver).x / (density * 5.12e-4);
        println!("light {light}: {before:.5} -> {after:.5?}; the body has {speed:.3} m/s");
        assert!((after.iter().sum::<DVec3>() - before).length() < 2e-4 * before.length(), "{after:?}");
        // A light one is thrown about by the pressure.
        assert!(light && speed.abs() < 1.0 || speed > 0.1 && speed < 0.4, "{speed}");
    }
}

/// A whirl in a round vessel keeps more of its spin in the middle with confinement, and what is at rest stays there.
#[test]
fn confinement_keeps_a_whirl() {
    let (radius, dx) = (0.2f32, 0.02f32);
    let whirl = |confinement: f32| {
        let mut scene = scene(9.81);
        scene.add_collider(Collider::ground().friction(0.0));
        for k in 0..32 {
            let angle = 2.0 * PI * f64::from(k) / 32.0;
            let at = [-(radius * angle.cos() as f32), 0.0, -(radius * angle.sin() as f32)];
            scene.add_collider(wall(at, angle.to_degrees()));
        }
        let mut points = Vec::new();
        for j in 0..6 {
            for i in -10..10 {
                for l in -10..10 {
                    let at = [i, j, l].map(|k| (k as f32 + 0.5) * dx);
                    if at[0].hypot(at[2]) < radius - 0.4 * dx {
                        points.push(at);
                    }
                }
            }
        }
        let water = scene.add(Fluid::points(points).vorticity_confinement(confinement));
        let mut solver = Solver::new(&scene).unwrap();
        // Lamb's whirl: its core is four spacings wide.
        let spin = |p: DVec3| {
            let r2 = p.x * p.x + p.z * p.z;
            let turn = 0.02 * (1.0 - (-r2 / (0.08 * 0.08)).exp()) / r2;
            DVec3::new(turn * p.z, 0.0, -turn * p.x)
        };
        set(&mut solver, water, spin);
        // Of the middle: how fast it turns, from which its vorticity is found; and the kinetic energy of all.
        let figures = |solver: &Solver| {
            let all = particles(solver, water);
            let inner = all.iter().filter(|(p, _)| p.x.hypot(p.z) < 0.06);
            let (turn, inertia) = inner.fold((0.0, 0.0), |(turn, inertia), (p, v)| {
                (turn + (v.x * p.z - v.z * p.x), inertia + (p.x * p.x + p.z * p.z))
            });
            (turn / inertia, all.iter().map(|(_, v)| 0.5 * 8e-3 * v.length_squared()).sum::<f64>())
        };
        let (before, first) = figures(&solver);
        run(&mut solver, 90);
        let (after, last) = figures(&solver);
        println!("confinement {confinement}: {before:.3} -> {after:.3} rad/s, {first:.4} -> {last:.4} J");
        (after / before, last / first)
    };
    let (without, _) = whirl(0.0);
    let (some, energy) = whirl(2.0);
    assert!(some > 1.2 * without && some < 1.3 && energy < 1.3, "{without} {some} {energy}");
}

/// The same bits on all lanes and threads, with all that drags.
#[test]
fn the_same_bits() {
    let mut scene = scene(9.81);
    scene.settings.substeps = 8.into();
    scene.add_collider(Collider::ground());
    let turns =
        Motion::Steady { velocity: [0.0; 3].into(), axis: [0.0, 1.0, 0.0].into(), turns: 1.0, start: 0.0, end: None };
    let paddle = Collider::new(Shape::Cuboid { half: [0.06, 0.05, 0.01].into() }).at([0.1, 0.1, 0.1]);
    scene.add_collider(paddle.moving(turns));
    let syrup = Fluid::block([0.0; 3], [0.2; 3]).viscosity(3e-3).slip_length(0.001).vorticity_confinement(2.0);
    scene.add(syrup.surface_tension(2.0));
    scene.add(Fluid::block([0.22, 0.0, 0.0], [0.3, 0.1, 0.2]).viscosity(0.0));
    scene.add(Cloth::grid([10, 10], [0.2, 0.2]).placed(Pose::at([0.1, 0.24, 0.1]), 1.0).stretch(1e-5).shear(1e-3));
    scene.add_rigid(RigidBody::new(Shape::Sphere { radius: 0.03 }).density(400.0).at([0.05, 0.17, 0.15]));
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

#[test]
fn what_cannot_be_is_refused() {
    let refused = |fluid: Fluid| {
        let mut scene = Scene::new();
        scene.add(fluid.named("water"));
        Plan::new(&scene).unwrap_err().to_string()
    };
    let block = || Fluid::block([0.0; 3], [0.1; 3]);
    for (fluid, error) in [
        (
            block().viscosity(0.0).slip_length(0.01),
            "body `water`: slip_length is 0.01, which is not infinite: without a viscosity nothing drags it, so give it one, or leave the slip length out",
        ),
        (block().slip_length(-1.0), "body `water`: slip_length is -1, which is not 0 m or more, or infinite"),
        (block().slip_length(f32::NAN), "body `water`: slip_length is NaN, which is not 0 m or more, or infinite"),
        (
            block().vorticity_confinement(-1.0),
            "body `water`: vorticity_confinement is -1, which is not within 0 .. 100 1/s",
        ),
        (
            block().vorticity_confinement(f32::INFINITY),
            "body `water`: vorticity_confinement is inf, which is not within 0 .. 100 1/s",
        ),
    ] {
        assert_eq!(refused(fluid), error);
    }
}
