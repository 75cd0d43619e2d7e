//! Times of edits while a scene of 100,000 vertices runs: the table of docs/linking.md.
//!
//! `cargo run --release -p seidel --example edit_times`

use seidel::{Cloth, Collider, Error, GridPins, Input, Plan, Pose, Scene, Solver, State};
use std::sync::Arc;
use std::time::Instant;

/// Each is done so often, and the shortest time counts.
const ROUNDS: usize = 5;

fn cloth(side: u32, at: [f32; 3]) -> Cloth {
    let size = side as f32 * 0.03;
    Cloth::grid([side, side], [size, size]).bend(1e3).pin_grid(GridPins::FirstRow).placed(Pose::at(at), 1.0)
}

/// A scene of one sheet, or of a hundred.
fn scene(sheets: u32) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = 10.into();
    scene.add_collider(Collider::ground().named("ground"));
    scene.add_collider(Collider::sphere(0.2).at([0.0, 1.0, 40.0]).named("ball"));
    for i in 0..sheets {
        let side = if sheets == 1 { 316 } else { 32 };
        scene.add(cloth(side, [2.0 * (i % 10) as f32, 3.0, 2.0 * (i / 10) as f32]));
    }
    scene
}

/// The shortest time of some rounds, milliseconds.
fn least(mut once: impl FnMut() -> Result<f64, Error>) -> Result<f64, Error> {
    (0..ROUNDS).try_fold(f64::INFINITY, |least, _| Ok(least.min(once()?)))
}

fn timed<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<(f64, T), Error> {
    let start = Instant::now();
    let made = work()?;
    Ok((start.elapsed().as_secs_f64() * 1e3, made))
}

fn main() -> Result<(), Error> {
    println!("| milliseconds, shortest of {ROUNDS} | 100 sheets of 32 x 32 | one of 316 x 316 |\n|---|--:|--:|");
    let mut rows: Vec<(&str, Vec<f64>)> = Vec::new();
    for sheets in [100, 1] {
        let scene = scene(sheets);
        let mut solver = Solver::new(&scene)?;
        let ball = scene.collider("ball").expect("it was added");
        (0..2).for_each(|_| drop(solver.step(&Input::frame(1.0 / 60.0))));
        let mut note = |what, time| match rows.iter_mut().find(|(of, _)| *of == what) {
            Some((_, times)) => times.push(time),
            None => rows.push((what, vec![time])),
        };
        note("`Plan::new`", least(|| Ok(timed(|| Plan::new(&scene))?.0))?);
        let (mut added, mut removed) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ROUNDS {
            let sheet = cloth(32, [0.0, 6.0, 0.0]);
            let (time, id) = timed(|| solver.edit(|scene| Ok(scene.add(sheet))))?;
            added = added.min(time);
            removed = removed.min(timed(|| solver.edit(|scene| scene.remove(id)))?.0);
        }
        note("a sheet of 32 x 32 added", added);
        note("it is removed", removed);
        let mut radius = 0.2;
        let larger = least(|| {
            radius += 0.01;
            let larger = Collider::sphere(radius).at([0.0, 1.0, 40.0]);
            Ok(timed(|| solver.edit(|scene| scene.replace_collider(ball, larger)))?.0)
        })?;
        note("a collider is replaced", larger);
        let (plan, state) = (Arc::clone(solver.plan()), solver.state().clone());
        note("of these: the state carried over", least(|| Ok(timed(|| state.carried(&plan, &plan))?.0))?);
        note("a state made, to compare", least(|| Ok(timed(|| Ok(State::new(&plan)))?.0))?);
    }
    for (what, times) in rows {
        println!("| {what} | {} |", times.iter().map(|time| format!("{time:.2}")).collect::<Vec<_>>().join(" | "));
    }
    Ok(())
}
