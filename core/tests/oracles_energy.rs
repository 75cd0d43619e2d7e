//! Oracle: energy. What swings keeps it where velocities are updated in second order; that update is of second order;
//! it is as robust as it says.

use crate::runs;
use crate::runs::{FRAME, G, P, add, norm, particles, positions, run, scale, scene, solver, sub, velocities};
use glam::{Quat, Vec3};
use seidel::{BodyId, Cloth, Constraints, MaterialFrame, Rod, Scene, Solver, Stiffness, VelocityUpdate, kinds};
use std::sync::Arc;

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

/// The part of its energy, from the lowest point on, that a rigid pendulum of 1 m loses in 10 s when it is let go
/// horizontally.
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

/// A rope of rigid links keeps its energy as long as its links turn by little in a substep: in swings, and with more
/// substeps when it falls slack and cracks (docs/tuning.md).
#[test]
fn a_rope_of_rigid_links_keeps_its_energy_while_its_links_are_slow() {
    const LINKS: usize = 20;
    let lost = |degrees: f64, substeps: u32, seconds: u32| {
        let mut scene = updated(G, (substeps, 1), VelocityUpdate::SecondOrder);
        let (sin, cos) = degrees.to_radians().sin_cos();
        let at = |i: usize| i as f64 / LINKS as f64;
        let points: Vec<P> = (0..=LINKS).map(|i| [at(i) * sin, -at(i) * cos, 0.0]).collect();
        let masses: Vec<f64> = (0..=LINKS).map(|i| if i == 0 { f64::INFINITY } else { 0.01 }).collect();
        let body = chain(&mut scene, &points, &masses, 0.0);
        let mut solver = solver(&scene);
        let before = energy(&solver, body);
        run(&mut solver, 60 * seconds, FRAME);
        let lowest: f64 = -(1..=LINKS).map(|i| 0.01 * G * at(i)).sum::<f64>();
        (before - energy(&solver, body)) / (before - lowest)
    };
    let swing = lost(60.0, 20, 10);
    let [few, many] = [20, 160].map(|substeps| lost(90.0, substeps, 3));
    println!("from 60 degrees {:.2} %; level {:.1} % and {:.2} %", swing * 100.0, few * 100.0, many * 100.0);
    assert!(swing.abs() < 0.01, "{swing}");
    assert!(few > 0.05 && many.abs() < 0.02, "{few} and {many}");
}

/// A mass on a spring along x: the largest error of its place in `seconds`, and the largest amplitude in the last
/// second, metres of 0.1 m.
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

/// y = y0 + v t - g t^2 / 2, but for 3/4 g h^2 of the first substep, which has no past; with steps of changing length,
/// too.
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

/// What a substep does not resolve gains no energy: rigid rows that share particles, one sweep a substep, weights of a
/// hundred links.
#[test]
fn stiff_rows_gain_no_energy() {
    for weight in [1.0, 100.0] {
        let mut scene = updated(G, (20, 1), VelocityUpdate::SecondOrder);
        let points: Vec<P> = (0..=20).map(|i| [0.05 * f64::from(i), 0.0, 0.0]).collect();
        let masses: Vec<f64> =
            (0..=20).map(|i| [f64::INFINITY, 0.01, 0.01 * weight][(i > 0) as usize + (i == 20) as usize]).collect();
        let rope = chain(&mut scene, &points, &masses, 0.0);
        let sheet = scene.add(Cloth::grid([12, 12], [1.0, 1.0]).stretch(0.0).pin(&[0, 11]));
        let mut solver = solver(&scene);
        for frame in 0..600 {
            run(&mut solver, 1, FRAME);
            let now = [energy(&solver, rope), energy(&solver, sheet)];
            assert!(now.iter().all(|energy| *energy < 1e-3), "weight {weight}, frame {frame}: {now:?} J");
        }
    }
}

/// A clamped rod swings on: bending, and the frames' rotations with it.
#[test]
fn a_rod_swings_on() {
    let swing = BOTH.map(|update| {
        let mut scene = updated(G, (40, 1), update);
        let rod = scene.add(Rod::new([0.0; 3], [0.5, 0.0, 0.0], 10).radius(0.01).young(1e7).pin(&[0, 1]));
        let mut solver = solver(&scene);
        let amplitude = |solver: &mut Solver| {
            let (mut low, mut high) = (0.0f64, -1.0f64);
            for _ in 0..90 {
                run(solver, 1, FRAME);
                let y = positions(solver, rod)[10][1];
                (low, high) = (low.min(y), high.max(y));
            }
            high - low
        };
        let first = amplitude(&mut solver);
        run(&mut solver, 420, FRAME);
        amplitude(&mut solver) / first
    });
    println!("left after 8 s: {:.3} and {:.3}", swing[0], swing[1]);
    assert!(swing[0] < 0.95 && swing[1] > 0.98 && swing[1] < 1.02, "{swing:?}");
}

/// A disc on a shaft of frames turns to and fro about the shaft: the frames alone, in second order.
#[test]
fn a_disc_on_a_shaft_turns_on() {
    let (twist, disc) = (0.02f32, 1e-3f32);
    let left = BOTH.map(|update| {
        let mut scene = updated(0.0, (20, 1), update);
        let mut body = particles(&[[0.0; 3], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0]], &[f64::INFINITY; 3]);
        let frame = |inv_inertia, i| MaterialFrame::new(Quat::IDENTITY, inv_inertia, [i, i + 1]);
        body.frames = vec![frame(0.0, 0), frame(1.0 / disc, 1)];
        let soft = Stiffness::compliance(1.0 / (4.0 * twist));
        body.constraints = vec![Constraints::measured(kinds::BEND_TWIST, vec![0, 1], soft)];
        let body = scene.add(body);
        let mut solver = solver(&scene);
        let plan = Arc::clone(solver.plan());
        solver.state_mut().write_angular_velocities(&plan, body, &[Vec3::ZERO, Vec3::new(0.0, 0.0, 1.0)]).unwrap();
        let mut peak = 0.0f32;
        for frame in 0..600 {
            run(&mut solver, 1, FRAME);
            let mut spins = [Vec3::ZERO; 2];
            solver.state().read_angular_velocities(&plan, body, &mut spins);
            peak = if frame < 480 { 0.0 } else { peak.max(spins[1].z.abs()) };
        }
        peak
    });
    println!("left after 10 s of 1 rad/s: {:.3} and {:.4}", left[0], left[1]);
    assert!(left[0] < 0.95 && (left[1] - 1.0).abs() < 5e-3, "{left:?}");
}

/// Drag has its exact solution, and damping its rate: neither is doubled by the past.
#[test]
fn damping_is_as_strong_as_in_first_order() {
    let speeds = BOTH.map(|update| {
        let mut scene = updated(G, (20, 1), update);
        let mut falling = particles(&[[0.0; 3]], &[1.0]);
        falling.linear_damping = 2.0;
        let falling = scene.add(falling);
        let mut pair = particles(&[[0.0; 3], [1.0, 0.0, 0.0]], &[1.0, 1.0]);
        pair.damping = 0.01;
        let pair = scene.add(pair);
        let mut solver = solver(&scene);
        runs::set_velocities(&mut solver, pair, &[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        run(&mut solver, 6, FRAME);
        let apart = velocities(&solver, pair)[1][0];
        run(&mut solver, 300, FRAME);
        [-velocities(&solver, falling)[0][1], apart]
    });
    println!("{speeds:?}");
    assert!(speeds.iter().all(|[terminal, _]| (terminal - G / 2.0).abs() < 1e-4 * G), "{speeds:?}");
    assert!((speeds[0][1] / speeds[1][1] - 1.0).abs() < 1e-3, "{speeds:?}");
}
