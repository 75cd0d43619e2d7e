//! Oracle: energy. What swings keeps it where velocities are updated in second order; that update is of second order; it is as robust as it
//! says.

use crate::runs;
use crate::runs::{FRAME, G, P, add, norm, particles, positions, run, scale, scene, solver, sub, velocities};
use seidel::{BodyId, Constraints, Scene, Solver, Stiffness, VelocityUpdate, kinds};

const BOTH: [VelocityUpdate; 2] = [VelocityUpdate::FirstOrder, VelocityUpdate::SecondOrder];

/// A scene that is updated so.
fn updated(gravity: f64, (substeps, iterations): (u32, u32), update: VelocityUpdate) -> Scene {
    let mut scene = scene(gravity as f32, substeps);
    (scene.settings.iterations, scene.settings.velocity_update) = (iterations, update);
    scene
}

/// Particles in a chain, each held by the one before it.
fn chain(scene: &mut Scene, points: &[P], masses: &[f64], compliance: f32) -> BodyId {
    let mut body = particles(points, masses);
    let at = (1..points.len() as u32).flat_map(|i| [i - 1, i]).collect();
    body.constraints = vec![Constraints::measured(kinds::DISTANCE, at, Stiffness::compliance(compliance))];
    scene.add(body)
}

/// Kinetic and gravitational energy of what is free, J.
fn energy(solver: &Solver, body: BodyId) -> f64 {
    let (x, v) = (positions(solver, body), velocities(solver, body));
    let free = runs::masses(solver, body).into_iter().enumerate().filter(|(_, m)| m.is_finite());
    free.map(|(i, m)| m * (0.5 * norm(v[i]).powi(2) + G * x[i][1])).sum()
}

/// The part of its energy, from the lowest point on, that a rigid pendulum of 1 m loses in 10 s when it is let go horizontally.
fn lost_by_a_pendulum(substeps: u32, update: VelocityUpdate) -> f64 {
    let mut scene = updated(G, (substeps, 1), update);
    let body = chain(&mut scene, &[[0.0; 3], [1.0, 0.0, 0.0]], &[f64::INFINITY, 1.0], 0.0);
    let mut solver = solver(&scene);
    run(&mut solver, 600, FRAME);
    -energy(&solver, body) / G
}

#[test]
fn a_pendulum_loses_less_than_a_percent_in_ten_seconds() {
    for (substeps, first, second) in [(5, 0.445, 8e-4), (10, 0.269, 2e-4), (20, 0.148, 1e-4), (40, 0.078, 1e-4)] {
        let lost = BOTH.map(|update| lost_by_a_pendulum(substeps, update));
        println!("{substeps} substeps: {:.2} % and {:.4} %", lost[0] * 100.0, lost[1] * 100.0);
        assert!((lost[0] - first).abs() < 0.01, "{substeps} substeps, first order: {lost:?}");
        assert!(lost[1].abs() < second, "{substeps} substeps, second order: {lost:?}");
    }
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let lost = BOTH.map(|update| {
        let mut scene = updated(G, (20, 2), update);
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        let body = chain(&mut scene, &points, &[f64::INFINITY, 1.0, 1.0], 0.0);
        let mut solver = solver(&scene);
        run(&mut solver, 600, FRAME);
        // From both at their lowest points on.
        -energy(&solver, body) / (3.0 * G)
    });
    println!("{:.2} % and {:.4} %", lost[0] * 100.0, lost[1] * 100.0);
    assert!(lost[0] > 0.1 && lost[1].abs() < 1e-2, "{lost:?}");
}

/// A mass on a spring along x: the largest error of its place in `seconds`, and the largest amplitude in the last second, metres of 0.1 m.
fn spring(hertz: f64, seconds: u32, substeps: u32, update: VelocityUpdate) -> [f64; 2] {
    let omega = std::f64::consts::TAU * hertz;
    let mut scene = updated(0.0, (substeps, 1), update);
    let mut body = particles(&[[0.0; 3], [1.1, 0.0, 0.0]], &[f64::INFINITY, 1.0]);
    let soft = Stiffness::compliance((1.0 / (omega * omega)) as f32);
    body.constraints = vec![Constraints::new(kinds::DISTANCE, vec![0, 1], vec![1.0], soft)];
    let body = scene.add(body);
    let mut solver = solver(&scene);
    let (mut error, mut amplitude) = (0.0f64, 0.0f64);
    for frame in 1..=60 * seconds {
        run(&mut solver, 1, FRAME);
        let x = positions(&solver, body)[1][0] - 1.0;
        error = error.max((x - 0.1 * (omega * f64::from(frame) * f64::from(FRAME)).cos()).abs());
        if frame > 60 * (seconds - 1) {
            amplitude = amplitude.max(x.abs());
        }
    }
    [error, amplitude]
}

#[test]
fn a_spring_vibrates_on() {
    let [first, second] = BOTH.map(|update| spring(1.0, 10, 20, update)[1] / 0.1);
    println!("amplitude after 10 s: {first:.4} and {second:.5}");
    assert!(first < 0.86 && (second - 1.0).abs() < 2e-3, "{first}, {second}");
}

/// Half the substep, a quarter of the error.
#[test]
fn the_update_is_of_second_order() {
    let errors = [5, 10, 20, 40].map(|substeps| spring(2.0, 2, substeps, VelocityUpdate::SecondOrder)[0]);
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.7..4.3).contains(&ratio), "{ratio:.2}: {errors:?}");
    }
    let first = [20, 40].map(|substeps| spring(2.0, 2, substeps, VelocityUpdate::FirstOrder)[0]);
    assert!(first[0] / errors[2] > 20.0 && first[0] / first[1] < 2.2, "{first:?}, {errors:?}");
}

/// y = y0 + v t - g t^2 / 2, but for 3/4 g h^2 of the first substep, which has no past; with steps of changing length, too.
#[test]
fn a_fall_is_exact() {
    for steps in [[1.0f32; 4], [1.0, 0.5, 0.7, 1.3], [1.0, 0.2, 3.0, 1.0]] {
        let mut scene = updated(G, (20, 1), VelocityUpdate::SecondOrder);
        let body = scene.add(particles(&[[0.0, 3.0, 0.0]], &[1.0]));
        let mut solver = solver(&scene);
        runs::set_velocities(&mut solver, body, &[[0.5, 4.0, 0.0]]);
        let (mut time, mut starts) = (0.0f64, 0.0f64);
        for step in 0..240 {
            let share = steps[step % 4];
            run(&mut solver, 1, FRAME * share);
            let h = f64::from(FRAME * share) / 20.0;
            // A substep of more than twice the length of the last one starts anew.
            if step == 0 || share > 2.0 * steps[(step + 3) % 4] {
                starts += 0.75 * G * h * h;
            }
            time += f64::from(FRAME * share);
            let (x, v) = (positions(&solver, body)[0], velocities(&solver, body)[0]);
            let off = norm(sub(x, [0.5 * time, 3.0 + time * (4.0 - 0.5 * G * time), 0.0]));
            assert!(
                off < starts * 1.01 + 5e-5 * (0.01 + time * (4.0 + 0.5 * G * time)),
                "{steps:?}, step {step}: {off:.1e} of {starts:.1e} m"
            );
            assert!((v[1] - (4.0 - G * time)).abs() < 3e-5 * (4.0 + G * time), "{steps:?}, step {step}: {v:?}");
        }
    }
}

/// Nothing acts: velocities keep their bits, also where the length of a step changes.
#[test]
fn what_nothing_touches_keeps_its_velocity_to_the_bit() {
    let mut scene = updated(0.0, (20, 1), VelocityUpdate::SecondOrder);
    let body = scene.add(particles(&[[1.0, -3.0, 100.0]], &[0.37]));
    let mut solver = solver(&scene);
    runs::set_velocities(&mut solver, body, &[[0.123_456_7, -7.7, 1e-4]]);
    let (from, v) = (positions(&solver, body)[0], velocities(&solver, body)[0]);
    let mut time = 0.0;
    for step in 0..200 {
        let dt = FRAME * [1.0, 1.1, 0.4, 2.0][step % 4];
        run(&mut solver, 1, dt);
        time += f64::from(dt);
    }
    assert_eq!(velocities(&solver, body)[0], v);
    let off = norm(sub(positions(&solver, body)[0], add(from, scale(v, time))));
    assert!(off < 3e-7 * norm(v) * time + 1e-5, "off by {off:.1e} m");
}
