//! The tables of docs/tuning.md: what substeps, iterations, masses and damping leave in things at rest, and of energy
//! in what moves.
//!
//! `cargo run --release -p seidel --example tuning`

use seidel::glam::Vec3;
use seidel::{
    BodyId, Cloth, Collider, GridPins, Input, Mesh, Pose, Rope, Scene, Side, SoftBody, Solver, VelocityUpdate,
};

fn main() -> Result<(), seidel::Error> {
    solid()?;
    damping()?;
    refinement()?;
    cloth()?;
    masses()?;
    energy()?;
    rebound()
}

const UPDATES: [VelocityUpdate; 2] = [VelocityUpdate::FirstOrder, VelocityUpdate::SecondOrder];

/// The part of its energy that a rigid pendulum of 1 m, let go horizontally, loses in 10 s.
fn energy() -> Result<(), seidel::Error> {
    println!("| substeps | first order | second order |\n|--:|--:|--:|");
    for substeps in [5, 10, 20, 40, 80] {
        let mut lost = [0.0; 2];
        for (update, lost) in UPDATES.into_iter().zip(&mut lost) {
            let mut scene = Scene::new();
            (scene.settings.substeps, scene.settings.velocity_update) = (substeps.into(), update);
            let body = scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 1).stretch(0.0).pin(&[0]));
            let mut solver = Solver::new(&scene)?;
            (0..600).for_each(|_| drop(solver.step(&Input::frame(1.0 / 60.0))));
            let mut v = [Vec3::ZERO; 2];
            solver.state().read_velocities(solver.plan(), body, &mut v);
            *lost = -(0.5 * v[1].length_squared() + 9.81 * solver.positions(body)[1].y) / 9.81 * 100.0;
        }
        println!("| {substeps} | {:.1} % | {:.4} % |", lost[0], lost[1]);
    }
    Ok(())
}

/// The speed with which balls of some stiffness come back from the ground, over the speed with which they came.
fn rebound() -> Result<(), seidel::Error> {
    println!("| Young's modulus | e | first order | second order | first order, 320 substeps |\n|--:|--:|--:|--:|--:|");
    for (young, e) in [(1e5, 0.0), (1e5, 0.5), (1e6, 0.0), (1e6, 0.5)] {
        let mut ratios = Vec::new();
        for (update, substeps) in [(UPDATES[0], 20), (UPDATES[1], 20), (UPDATES[0], 320)] {
            let mut scene = Scene::new();
            (scene.settings.substeps, scene.settings.velocity_update) = (substeps.into(), update);
            let ball = SoftBody::filled(Mesh::ball(0.2, 3), 0.08).young(young);
            let body = scene.add(ball.placed(Pose::at([0.0, 1.21, 0.0]), 1.0));
            scene.add_collider(Collider::ground().restitution(e));
            let mut solver = Solver::new(&scene)?;
            let plan = solver.plan().clone();
            let (mut v, mut w) = (vec![Vec3::ZERO; plan.vertices(body)], vec![0.0f32; plan.vertices(body)]);
            solver.state().read_inv_masses(&plan, body, &mut w);
            let (mut down, mut up) = (0.0f32, 0.0f32);
            for _ in 0..60 {
                solver.step(&Input::frame(1.0 / 60.0));
                solver.state().read_velocities(&plan, body, &mut v);
                let momentum: f32 = v.iter().zip(&w).map(|(v, w)| v.y / w).sum();
                let speed = momentum / w.iter().map(|w| 1.0 / w).sum::<f32>();
                (down, up) = (down.max(-speed), up.max(speed));
            }
            ratios.push(format!("{:.2}", up / down));
        }
        println!("| {young:.0e} Pa | {e} | {} |", ratios.join(" | "));
    }
    Ok(())
}

/// Steps to where nothing moves: at each peak of the kinetic energy all velocities are taken away (dynamic relaxation,
/// Day 1965).
fn settle(scene: &Scene, body: BodyId) -> Result<Vec<Vec3>, seidel::Error> {
    settle_under(scene, body, &Input::frame(1.0 / 60.0))
}

/// The same under forces.
fn settle_under(scene: &Scene, body: BodyId, input: &Input) -> Result<Vec<Vec3>, seidel::Error> {
    let mut solver = Solver::new(scene)?;
    let plan = solver.plan().clone();
    let (mut v, mut before) = (vec![Vec3::ZERO; plan.vertices(body)], 0.0);
    for _ in 0..20_000 {
        let report = solver.step(input);
        assert!(report.lost.is_none() && report.rejected.is_none(), "{report:?}");
        solver.state().read_velocities(&plan, body, &mut v);
        let energy: f32 = v.iter().map(|v| v.length_squared()).sum();
        if energy >= before {
            before = energy;
            continue;
        }
        if v.iter().all(|v| v.length() < SLOW) {
            break;
        }
        v.fill(Vec3::ZERO);
        solver.state_mut().write_velocities(&plan, body, &v)?;
        before = 0.0;
    }
    Ok(solver.positions(body).to_vec())
}

/// m/s, at a peak of the kinetic energy: at rest.
const SLOW: f32 = 1e-4;

const SWEEPS: [(u32, u32); 8] = [(10, 1), (20, 1), (40, 1), (80, 1), (160, 1), (20, 4), (20, 16), (5, 16)];

/// How far a bar's end sinks, metres.
fn sunk(substeps: u32, iterations: u32, relaxation: f32) -> Result<f32, seidel::Error> {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (substeps.into(), iterations);
    scene.settings.gravity = [0.0, -0.5, 0.0].into();
    let bar = SoftBody::bar([0.5, 0.1, 0.1], [10, 2, 2]).young(1e5).relaxation(relaxation).pin_side(Side::MinX);
    let (rest, end) = (bar.mesh()?.positions, bar.side(Side::MaxX));
    let body = scene.add(bar);
    let now = settle(&scene, body)?;
    Ok(end.iter().map(|&v| rest[v as usize][1] - now[v as usize].y).sum::<f32>() / end.len() as f32)
}

fn solid() -> Result<(), seidel::Error> {
    println!(
        "A bar of 0.5 x 0.1 x 0.1 m, 240 tetrahedra, E = 1e5 Pa, 1000 kg/m^3, under 0.5 m/s^2: how far its end sinks"
    );
    let exact = sunk(640, 1, 0.0)?;
    for (substeps, iterations) in SWEEPS {
        let got = sunk(substeps, iterations, 0.0)?;
        println!("| {substeps} x {iterations} | {:.2} mm | {:+.1} % |", got * 1e3, (got / exact - 1.0) * 100.0);
    }
    println!("| 640 x 1 | {:.2} mm | |\n", exact * 1e3);
    Ok(())
}

fn damping() -> Result<(), seidel::Error> {
    println!("The same with 20 and 80 substeps and a relaxation time, in substeps");
    let exact = sunk(640, 1, 0.0)?;
    for substeps in [20, 80] {
        for ratio in [0.0, 1.0, 4.0, 16.0, 64.0] {
            let got = sunk(substeps, 1, ratio / 60.0 / substeps as f32)?;
            println!("| {substeps} | {ratio} | {:+.1} % |", (got / exact - 1.0) * 100.0);
        }
    }
    println!();
    Ok(())
}

/// How far the end of a cantilever sinks under a load, of F L^3 / (3 E I).
fn refinement() -> Result<(), seidel::Error> {
    println!(
        "The same bar without gravity, 0.1 N at its end, of finer and finer cells: its deflection over F L^3 / (3 E I)"
    );
    let beam = 0.1 * 0.5f32.powi(3) / (3.0 * 1e5 * (0.1f32.powi(4) / 12.0));
    for (n, substeps) in [(1, 80), (2, 160), (4, 320), (6, 480)] {
        let mut scene = Scene::new();
        scene.settings.substeps = substeps.into();
        scene.settings.gravity = [0.0; 3].into();
        let bar = SoftBody::bar([0.5, 0.1, 0.1], [10 * n, 2 * n, 2 * n]).young(1e5).pin_side(Side::MinX);
        let (mesh, end) = (bar.mesh()?, bar.side(Side::MaxX));
        let body = scene.add(bar);
        let mut forces = vec![Vec3::ZERO; mesh.positions.len()];
        end.iter().for_each(|&v| forces[v as usize].y = -0.1 / end.len() as f32);
        let now = settle_under(&scene, body, &Input::frame(1.0 / 60.0).forces(body, &forces))?;
        let sunk =
            end.iter().map(|&v| mesh.positions[v as usize][1] - now[v as usize].y).sum::<f32>() / end.len() as f32;
        println!(
            "| {0} x {1} x {1} | {2} | {3:.2} mm | {4:.3} |",
            10 * n,
            2 * n,
            mesh.tets.len(),
            sunk * 1e3,
            sunk / beam
        );
    }
    println!();
    Ok(())
}

/// The largest stretch of a cloth's structural rows, in percent.
fn stretched(now: &[Vec3], edges: &[([u32; 2], f32)]) -> f32 {
    edges.iter().map(|&([a, b], rest)| now[a as usize].distance(now[b as usize]) / rest - 1.0).fold(0.0, f32::max)
        * 100.0
}

fn cloth() -> Result<(), seidel::Error> {
    println!("A cloth of 1 x 1 m, 0.2 kg/m^2, rigid rows, hung by its upper row: its largest stretch");
    for n in [20, 40] {
        for (substeps, iterations) in SWEEPS {
            let mut scene = Scene::new();
            (scene.settings.substeps, scene.settings.iterations) = (substeps.into(), iterations);
            let cloth = Cloth::grid([n, n], [1.0, 1.0]).stretch(0.0).pin_grid(GridPins::FirstRow);
            let pose = seidel::Pose::IDENTITY.turned([1.0, 0.0, 0.0], seidel::degrees(90.0));
            let body = scene.add(cloth.placed(pose, 1.0));
            let now = settle(&scene, body)?;
            let plan = seidel::Plan::new(&scene)?;
            println!("| {n} x {n} | {substeps} x {iterations} | {:.2} % |", stretched(&now, &plan.lengths(body)));
        }
    }
    println!();
    Ok(())
}

fn masses() -> Result<(), seidel::Error> {
    println!("A chain of 20 rigid links of 10 g, 1 m, with a weight at its end: its largest stretch");
    for ratio in [1.0, 10.0, 100.0, 1000.0] {
        for (substeps, iterations) in [(20, 1), (80, 1), (320, 1), (20, 16)] {
            let mut scene = Scene::new();
            (scene.settings.substeps, scene.settings.iterations) = (substeps.into(), iterations);
            let rope = Rope::new([0.0; 3], [0.0, -1.0, 0.0], 20).link_mass(0.01).end_mass(0.01 * ratio).pin(&[0]);
            let body = scene.add(rope.stretch_by(seidel::Stiffness::compliance(0.0)));
            let now = settle(&scene, body)?;
            let plan = seidel::Plan::new(&scene)?;
            println!("| {ratio} | {substeps} x {iterations} | {:.2} % |", stretched(&now, &plan.lengths(body)));
        }
    }
    Ok(())
}
