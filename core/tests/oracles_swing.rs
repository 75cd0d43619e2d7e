//! Oracle: what hangs and swings. Pendulum period, catenary, pins that move.

use crate::runs;
use crate::runs::{FRAME, G, P, norm, particles, positions, run, run_with_drag, scene, solver, sub, velocities};
use seidel::{Cloth, Constraints, GridPins, Input, Rope, Stiffness, kinds};

/// First period of a pendulum of length 1 m, by crossings of the vertical.
fn period(angle: f64, substeps: u32) -> f64 {
    let mut scene = scene(G as f32, substeps);
    let mut body = particles(&[[0.0; 3], [angle.sin(), -angle.cos(), 0.0]], &[f64::INFINITY, 1.0]);
    let (at, rest, stiffness) = (vec![0, 1], vec![1.0], Stiffness::compliance(0.0));
    body.constraints = vec![Constraints::new(kinds::DISTANCE, at, rest, stiffness)];
    let body = scene.add(body);
    let mut solver = solver(&scene);
    let dt = 1.0 / 240.0;
    let (mut crossings, mut before) = (Vec::new(), positions(&solver, body)[1][0]);
    for step in 0..2000 {
        run(&mut solver, 1, dt);
        let x = positions(&solver, body)[1][0];
        if before * x < 0.0 {
            crossings.push((f64::from(step) + before / (before - x)) * f64::from(dt));
        }
        before = x;
        if crossings.len() == 2 {
            break;
        }
    }
    // From the turning point to the first crossing is a quarter, to the second three quarters.
    crossings[1] * 4.0 / 3.0
}

#[test]
fn pendulum_period() {
    for angle in [0.1, 0.5, 1.0] {
        let want = std::f64::consts::TAU
            * (1.0 / G).sqrt()
            * (1.0 + angle * angle / 16.0 + 11.0 * f64::powi(angle, 4) / 3072.0);
        // 5 substeps of 1/240 s are the 20 of a frame.
        let error = period(angle, 5) / want - 1.0;
        println!("released at {angle}: off by {:.3} %", error * 100.0);
        assert!(error.abs() < 5e-3, "released at {angle}: off by {:.3} %", error * 100.0);
    }
}

/// The parameter a of y = a cosh(x / a) for a span of 1 and a length, by bisection of 2 a sinh(1 / (2 a)) = length.
fn catenary(length: f64) -> f64 {
    let (mut low, mut high) = (0.05f64, 50.0);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        if 2.0 * a * (0.5 / a).sinh() > length { low = a } else { high = a }
    }
    low
}

/// A chain of 50 links between supports 1 m apart comes to rest on the catenary, to 0.5 % of the span.
#[test]
fn a_hanging_chain_is_a_catenary() {
    const LINKS: u32 = 50;
    for (length, substeps) in [(1.5, 20), (1.1, 100)] {
        // A parabola of about that sag to start from; the links' lengths are given, not measured.
        let sag = (3.0f64 / 8.0 * (length - 1.0) * length).sqrt();
        let points: Vec<P> = (0..=LINKS)
            .map(|i| {
                let x = f64::from(i) / f64::from(LINKS) - 0.5;
                [x, -sag * (1.0 - 4.0 * x * x), 0.0]
            })
            .collect();
        let masses: Vec<f64> = (0..=LINKS).map(|i| if i == 0 || i == LINKS { f64::INFINITY } else { 0.01 }).collect();
        let mut made = particles(&points, &masses);
        let at = (0..LINKS).flat_map(|i| [i, i + 1]).collect();
        let rest = vec![(length / f64::from(LINKS)) as f32; LINKS as usize];
        made.constraints = vec![Constraints::new(kinds::DISTANCE, at, rest, Stiffness::compliance(0.0))];
        let mut scene = scene(G as f32, substeps);
        let body = scene.add(made);
        let mut solver = solver(&scene);
        run_with_drag(&mut solver, body, 900, FRAME, 0.05);
        let a = catenary(length);
        let height = |x: f64| a * ((x / a).cosh() - (0.5 / a).cosh());
        let worst = positions(&solver, body).iter().map(|p| (p[1] - height(p[0])).abs()).fold(0.0, f64::max);
        let speed = velocities(&solver, body).iter().map(|v| norm(*v)).fold(0.0, f64::max);
        println!("length {length}, {substeps} substeps: off by {:.3} % of the span", worst * 100.0);
        assert!(speed < 1e-2, "it still moves at {speed} m/s");
        assert!(worst < 5e-3, "length {length}, {substeps} substeps: off by {:.3} % of the span", worst * 100.0);
    }
}

/// A pin is where it was sent when the step ends, not a step later, and rests when nothing is said.
#[test]
fn pins_reach_their_targets_in_the_same_step() {
    let mut scene = scene(G as f32, 20);
    let body = scene.add(Cloth::grid([8, 8], [0.7, 0.7]).pin_grid(GridPins::FirstRow));
    let mut solver = solver(&scene);
    let home = positions(&solver, body);
    for frame in 1..=60 {
        let t = f64::from(frame) * 0.05;
        let target = |p: P| [p[0] + 0.3 * t.sin(), p[1] + 0.2 * (1.0 - t.cos()), p[2] - 0.1 * t];
        let input =
            (0..8).fold(Input::frame(FRAME), |input, v| input.pin(body, v, runs::narrow(target(home[v as usize]))));
        let report = solver.step(&input);
        assert!(report.lost.is_none() && report.rejected.is_none());
        for (v, p) in positions(&solver, body).iter().enumerate().take(8) {
            let lag = norm(sub(*p, runs::wide(runs::narrow(target(home[v])))));
            assert!(lag < 1e-6, "frame {frame}, vertex {v}: {lag:.1e} m behind");
        }
    }
    assert!(norm(velocities(&solver, body)[3]) > 0.1, "while it is moved a pin has a velocity");
    let at = positions(&solver, body);
    run(&mut solver, 5, FRAME);
    assert_eq!(positions(&solver, body)[..8], at[..8], "without a target a pin rests");
    assert_eq!(velocities(&solver, body)[3], [0.0; 3]);
}

/// A chain hung from a pin that moves evenly hangs straight below it: no lag of the pin, no drag of its own.
#[test]
fn a_rope_follows_its_pin() {
    let mut scene = scene(G as f32, 20);
    let rope = scene.add(Rope::new([0.0; 3], [0.0, -0.5, 0.0], 5).pin(&[0]));
    let mut solver = solver(&scene);
    let v = [0.7, 0.0, 0.0];
    runs::set_velocities(&mut solver, rope, &[v; 6]);
    for frame in 1..=120 {
        let x = 0.7 * f64::from(frame) * f64::from(FRAME);
        solver.step(&Input::frame(FRAME).pin(rope, 0, runs::narrow([x, 0.0, 0.0])));
        for p in positions(&solver, rope) {
            assert!((p[0] - x).abs() < 1e-4, "frame {frame}: {} from the vertical", p[0] - x);
        }
    }
}
