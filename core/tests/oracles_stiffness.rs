//! Oracle: stiffness. What PBD's k and XPBD's compliance promise, and which way a constraint acts.

use crate::runs;
use crate::runs::{FRAME, G, P, norm, particles, positions, run, run_with_drag, scene, solver, sub};
use seidel::{Constraints, Input, Rope, Stiffness, kinds};

/// One substep of n iterations leaves 1 - k of a lone constraint, whatever n (Müller et al. 2007, section 3.3).
#[test]
fn pbd_leaves_one_minus_k() {
    let mut worst = 0.0f64;
    for n in [1, 2, 5, 20] {
        for k in [0.05, 0.5, 0.9, 1.0] {
            let mut scene = scene(0.0, 1);
            scene.settings.iterations = n;
            let mut body = particles(&[[0.0; 3], [0.9, 1.2, 0.0]], &[1.0, 3.0]);
            let (at, rest, stiffness) = (vec![0, 1], vec![1.0], Stiffness::pbd(k as f32));
            body.constraints = vec![Constraints::new(kinds::DISTANCE, at, rest, stiffness)];
            let body = scene.add(body);
            let mut solver = solver(&scene);
            run(&mut solver, 1, FRAME);
            let x = positions(&solver, body);
            let left = (norm(sub(x[1], x[0])) - 1.0) / 0.5;
            worst = worst.max((left - (1.0 - k)).abs());
            assert!((left - (1.0 - k)).abs() < 1e-3, "n {n}, k {k}: {left} left");
        }
    }
    println!("off by {worst:.1e}");
}

/// A damped spring with a weight comes to rest at m g alpha, whatever the iterations and the time step.
#[test]
fn xpbd_extension_is_compliance_times_load() {
    let mut worst = 0.0f64;
    for alpha in [1e-3, 1e-5] {
        for iterations in [1, 10, 100] {
            for rate in [30.0, 60.0, 120.0, 240.0] {
                for substeps in [1, 20] {
                    let mut scene = scene(G as f32, substeps);
                    scene.settings.iterations = iterations;
                    let mut body = particles(&[[0.0; 3], [0.0, -1.0, 0.0]], &[f64::INFINITY, 2.0]);
                    let (at, rest, stiffness) = (vec![0, 1], vec![1.0], Stiffness::compliance(alpha as f32));
                    body.constraints = vec![Constraints::new(kinds::DISTANCE, at, rest, stiffness)];
                    let body = scene.add(body);
                    let mut solver = solver(&scene);
                    run_with_drag(&mut solver, body, 1200, 1.0 / rate, 0.5);
                    let extension = -1.0 - positions(&solver, body)[1][1];
                    let error = (extension / (2.0 * G * alpha) - 1.0).abs();
                    worst = worst.max(error);
                    assert!(
                        error < 5e-3,
                        "alpha {alpha}, {iterations} iterations, {substeps} substeps at {rate}/s: {error:.1e}"
                    );
                }
            }
        }
    }
    println!("off by {:.3} %", worst * 100.0);
}

/// 100 links with an end mass of 1,000 links: stretch below 1 % hung at 400 substeps, released sideways at 1,000.
#[test]
fn a_chain_with_a_heavy_end() {
    for (to, substeps) in [([0.0, -10.0, 0.0], 400), ([10.0, 0.0, 0.0], 1000)] {
        let mut scene = scene(G as f32, substeps);
        scene.add(Rope::new([0.0; 3], to, 100).link_mass(0.01).end_mass(10.0).pin(&[0]));
        let mut solver = solver(&scene);
        let mut worst = 0.0f32;
        for _ in 0..120 {
            run(&mut solver, 1, FRAME);
            worst = worst.max(solver.measure().max_stretch);
        }
        println!("to {to:?} at {substeps} substeps: {:.2} %", worst * 100.0);
        assert!(worst < 0.01, "to {to:?} at {substeps} substeps: {:.2} %", worst * 100.0);
    }
}

/// Two particles, of which the first is fixed, the other moved by one step from `length`.
fn length_after(kind: seidel::kernels::Kind, rest: Vec<f32>, length: f64, iterations: u32) -> f64 {
    let mut scene = scene(0.0, 4);
    scene.settings.iterations = iterations;
    let mut body = particles(&[[0.0; 3], [length, 0.0, 0.0]], &[f64::INFINITY, 1.0]);
    let stiffness = Stiffness::compliance(0.0);
    body.constraints = vec![Constraints::new(kind, vec![0, 1], rest, stiffness)];
    let body = scene.add(body);
    let mut solver = solver(&scene);
    run(&mut solver, 1, FRAME);
    positions(&solver, body)[1][0]
}

#[test]
fn a_rope_pulls_and_never_pushes() {
    for iterations in [1, 5] {
        assert_eq!(length_after(kinds::ROPE, vec![1.0], 0.25, iterations), 0.25, "slack is left alone");
        assert!((length_after(kinds::ROPE, vec![1.0], 1.5, iterations)) < 1.0 + 1e-6, "too long is pulled in");
        assert!((length_after(kinds::DISTANCE, vec![1.0], 0.5, iterations) - 0.5) > 0.4, "a distance pushes");
    }
    // Thrown upwards, it goes slack and flies freely until it is taut again.
    let mut scene = scene(G as f32, 20);
    let rope = scene.add(Rope::new([0.0; 3], [0.0, -1.0, 0.0], 1).slack(true).pin(&[0]));
    let mut solver = solver(&scene);
    let before = [[0.0; 3], [0.0, 3.0, 0.0]];
    runs::set_velocities(&mut solver, rope, &before);
    let mut longest = 0.0f64;
    let mut rise = [0.0; 2];
    for frame in 0..60 {
        run(&mut solver, 1, FRAME);
        let y = positions(&solver, rope)[1][1];
        longest = longest.max(y.abs());
        if frame < 10 {
            let t = f64::from(frame + 1) * f64::from(FRAME);
            rise = [y + 1.0, 3.0 * t - 0.5 * G * t * (t + f64::from(FRAME) / 20.0)];
            assert!((rise[0] - rise[1]).abs() < 1e-5, "a slack rope acts: {rise:?}");
        }
    }
    assert!(longest < 1.0 + 1e-4, "it stretches to {longest}; rise {rise:?}");
}

/// Hung it has the compliance of stretch, stood on its end that of compression.
#[test]
fn stretch_and_compression_are_apart() {
    let (stretch, compress) = (1e-3, 4e-3);
    let mut errors: [f64; 2] = [0.0; 2];
    for (case, (end, compliance)) in [(-1.0, stretch), (1.0, compress)].into_iter().enumerate() {
        for iterations in [1, 10] {
            let mut scene = scene(G as f32, 20);
            scene.settings.iterations = iterations;
            let mut body = particles(&[[0.0; 3], [0.0, end, 0.0]], &[f64::INFINITY, 1.0]);
            let stiffness = Stiffness::compliance(stretch as f32);
            let (at, rest) = (vec![0, 1], vec![1.0, compress as f32]);
            body.constraints = vec![Constraints::new(kinds::STRETCH, at, rest, stiffness)];
            let body = scene.add(body);
            let mut solver = solver(&scene);
            run_with_drag(&mut solver, body, 200, FRAME, 0.5);
            let x: P = positions(&solver, body)[1];
            let sunk = end - x[1];
            let error = (sunk / (G * compliance) - 1.0).abs();
            errors[case] = errors[case].max(error);
            assert!(error < 5e-3, "end {end}, {iterations} iterations: {sunk} m");
        }
    }
    println!("stretch off by {:.1e}, compression by {:.1e}", errors[0], errors[1]);
}

/// What an input makes softer is measured so: of one spring C^2 / (2 alpha) with the alpha that is given.
#[test]
fn a_stiffness_that_is_given_is_measured() {
    let mut scene = scene(0.0, 1);
    let mut body = particles(&[[0.0; 3], [1.5, 0.0, 0.0]], &[f64::INFINITY, 1.0]);
    body.constraints =
        vec![Constraints::new(kinds::DISTANCE, vec![0, 1], vec![1.0], Stiffness::compliance(1e6)).damped(0.0)];
    let body = scene.add(body);
    let mut solver = solver(&scene);
    assert!((solver.measure().constraint_error / (0.25 / 2e6) - 1.0).abs() < 1e-6);
    let input = Input::frame(1e-6).stiffness(body, &kinds::DISTANCE, Stiffness::compliance(2e3));
    assert!(solver.step(&input).rejected.is_none());
    let c = norm(positions(&solver, body)[1]) - 1.0;
    assert!(c > 0.499, "{c}");
    let want = c * c / 4e3;
    let found = solver.measure().constraint_error;
    assert!((found / want - 1.0).abs() < 1e-5, "{found} J and not {want} J");
}

/// A state to which stiffness is given is the same as its copy, with and without parameters, in all lanes and in few;
/// and differs from one to which another is given.
#[test]
fn a_state_with_stiffness_of_its_own_equals_its_copy() {
    for (kind, rest) in [(&kinds::DISTANCE, vec![0.5; 3]), (&kinds::ATTACH, Vec::new())] {
        let step = |compliance: f32| {
            let mut scene = scene(0.0, 2);
            let mut body = particles(&[[0.0; 3], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [1.5, 0.0, 0.0]], &[1.0; 4]);
            let soft = Stiffness::compliance(vec![1e-3, 2e-3, 3e-3]);
            body.constraints = vec![Constraints::new(*kind, vec![0, 1, 1, 2, 2, 3], rest.clone(), soft)];
            let body = scene.add(body);
            let mut solver = solver(&scene);
            let given = Stiffness::compliance(vec![compliance, 1e-2, 1e-2]);
            assert!(solver.step(&Input::frame(FRAME).stiffness(body, kind, given)).rejected.is_none());
            assert!(positions(&solver, body).as_flattened().iter().all(|c| c.is_finite()));
            solver
        };
        let solver = step(1e-2);
        assert_eq!(*solver.state(), solver.state().clone(), "{}", kind.name());
        assert_ne!(*solver.state(), *step(2e-2).state(), "{}", kind.name());
    }
}
