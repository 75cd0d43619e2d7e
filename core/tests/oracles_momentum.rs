//! Oracle: momentum. What constraints and damping may change, and what they must not.

use crate::runs;
use crate::runs::{
    FRAME, P, Random, angular_momentum, cross, dot, momentum, norm, particles, positions, run, scale, scene, solver,
    sub, velocities,
};
use seidel::{Body, Cloth, Constraints, Stiffness, kinds};

/// 1,000 substeps of a cloth that tumbles in free space: its momentum drifts by less than 1e-5 of what moves in it.
#[test]
fn a_tumbling_cloth_keeps_its_momentum() {
    let mut scene = scene(0.0, 20);
    let body = scene.add(Cloth::grid([24, 24], [1.0, 1.0]).stretch(1e-6).bend(1e2));
    let mut solver = solver(&scene);
    let mut random = Random(5);
    let v: Vec<P> = positions(&solver, body)
        .iter()
        .map(|x| {
            let turn = cross([2.0, 5.0, 1.0], *x);
            std::array::from_fn(|k| [3.0, 1.0, -2.0][k] + turn[k] + 0.5 * random.unit())
        })
        .collect();
    runs::set_velocities(&mut solver, body, &v);
    let before = momentum(&solver, body);
    let size: f64 = velocities(&solver, body).iter().zip(runs::masses(&solver, body)).map(|(v, m)| m * norm(*v)).sum();
    run(&mut solver, 50, FRAME);
    let drift = norm(sub(momentum(&solver, body), before)) / size;
    println!("drift {drift:.1e}");
    assert!(drift < 1e-5, "drift {drift:.1e}");
}

/// The method itself, in f64 too, loses L/L0 = (1 + 2 omega^2 h t)^(-1/2) of a rigid spin: to 5 % of the loss.
#[test]
fn a_rigid_spin_slows_down_as_it_must() {
    let triangle: &[P] = &[[1.0, 0.0, 0.0], [-0.5, 0.75f64.sqrt(), 0.0], [-0.5, -(0.75f64.sqrt()), 0.0]];
    for (points, masses, iterations) in
        [(&[[-0.4, 0.0, 0.0], [0.8, 0.0, 0.0]][..], &[2.0, 1.0][..], 1), (triangle, &[1.0, 1.0, 1.0], 30)]
    {
        for (omega, substeps) in [(2.0, 5), (6.0, 20), (10.0, 20)] {
            let mut scene = scene(0.0, substeps);
            scene.settings.iterations = iterations;
            let mut made = particles(points, masses);
            made.constraints = vec![runs::all_pairs(points.len() as u32)];
            let body = scene.add(made);
            let mut solver = solver(&scene);
            let spin: Vec<P> = points.iter().map(|x| cross([0.0, 0.0, omega], *x)).collect();
            runs::set_velocities(&mut solver, body, &spin);
            let l = |solver: &_| {
                let (x, v) = (positions(solver, body), velocities(solver, body));
                norm(angular_momentum(&x, &v, masses))
            };
            let before = l(&solver);
            run(&mut solver, 300, FRAME);
            let h = f64::from(FRAME) / f64::from(substeps);
            let want = (1.0 + 2.0 * omega * omega * h * 5.0).powf(-0.5);
            let error = (l(&solver) / before - want).abs() / (1.0 - want);
            println!(
                "{} points, omega {omega}: left {want:.4}, off by {:.2} % of the loss",
                points.len(),
                error * 100.0
            );
            assert!(error < 0.05, "omega {omega}: {} and not {want}", l(&solver) / before);
        }
    }
}

/// A cloud with velocities and unequal masses, some fixed.
fn cloud(damping: f32, substeps: u32, fixed: bool) -> (seidel::Scene, seidel::BodyId, Vec<P>) {
    let mut random = Random(9);
    let points: Vec<P> = (0..300).map(|_| random.point()).collect();
    let velocities: Vec<P> = (0..300).map(|_| scale(random.point(), 3.0)).collect();
    let mass = |v: usize| if fixed && v.is_multiple_of(11) { f64::INFINITY } else { 1.0 + (v % 5) as f64 };
    let mut body: Body = particles(&points, &(0..300).map(mass).collect::<Vec<_>>());
    body.velocities = velocities.iter().map(|v| v.map(|c| c as f32)).collect();
    body.damping = damping;
    let mut scene = scene(0.0, substeps);
    let body = scene.add(body);
    (scene, body, points)
}

/// Müller et al. 2007, section 3.5: damping changes neither momentum nor angular momentum.
#[test]
fn damping_keeps_both_momenta() {
    for (k, fixed) in [(0.3, false), (1.0, false), (0.3, true)] {
        let (scene, body, points) = cloud(k, 1, fixed);
        let mut solver = solver(&scene);
        let masses: Vec<f64> =
            runs::masses(&solver, body).into_iter().map(|m| if m.is_finite() { m } else { 0.0 }).collect();
        let sums = |v: &[P]| {
            let p = v.iter().zip(&masses).fold([0.0; 3], |sum, (v, m)| runs::add(sum, scale(*v, *m)));
            (p, angular_momentum(&points, v, &masses))
        };
        let before = velocities(&solver, body);
        let size: f64 = before.iter().zip(&masses).map(|(v, m)| m * norm(*v)).sum();
        run(&mut solver, 1, FRAME);
        let after = velocities(&solver, body);
        let ((p0, l0), (p1, l1)) = (sums(&before), sums(&after));
        let (p, l) = (norm(sub(p1, p0)) / size, norm(sub(l1, l0)) / size);
        println!("k {k}: momentum by {p:.1e}, angular momentum by {l:.1e}");
        assert!(p < 1e-6 && l < 1e-6, "k {k}: {p:.1e}, {l:.1e}");
        assert!(norm(sub(after[1], before[1])) > 0.1, "damping did nothing");
        for v in (0..300).filter(|v| fixed && v % 11 == 0) {
            assert_eq!(after[v], [0.0; 3], "a fixed particle rests");
        }
    }
}

/// At k = 1 what is left is rigid: (v_i - v_j).(x_i - x_j) = 0 for all pairs.
#[test]
fn full_damping_leaves_a_rigid_motion() {
    let (scene, body, points) = cloud(1.0, 1, false);
    let mut solver = solver(&scene);
    run(&mut solver, 1, FRAME);
    let v = velocities(&solver, body);
    let mut worst = 0.0f64;
    for i in 0..points.len() {
        for j in 0..i {
            let (dv, dx) = (sub(v[i], v[j]), sub(points[i], points[j]));
            worst = worst.max(dot(dv, dx).abs() / norm(dx));
        }
    }
    println!("relative velocity along a pair: {worst:.1e} m/s");
    assert!(worst < 1e-6, "{worst:.1e}");
    // It still moves and turns: the motion itself has not been taken away.
    assert!(v.iter().map(|v| norm(*v)).fold(0.0, f64::max) > 0.05);
}

/// k is a share of a step, however many substeps it has; bodies are damped apart.
#[test]
fn damping_is_the_same_for_all_substeps() {
    for substeps in [1, 4, 20] {
        let mut scene = scene(0.0, substeps);
        let points: Vec<P> = (0..8).map(|i| [f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)]).collect();
        let swell = |c: f64| points.iter().map(|x| x.map(|x| (0.01 * c * (x - 0.5)) as f32 + c as f32)).collect();
        let bodies: Vec<_> = [1.0, -2.0]
            .into_iter()
            .map(|c| {
                let mut body = particles(&points, &[1.5; 8]);
                (body.velocities, body.damping) = (swell(c), 0.4);
                (scene.add(body), c)
            })
            .collect();
        let mut solver = solver(&scene);
        run(&mut solver, 1, FRAME);
        for (body, c) in bodies {
            let v = velocities(&solver, body);
            let left = (v[7][0] - v[0][0]) / (0.01 * c);
            assert!((left - 0.6).abs() < 1e-3, "{substeps} substeps leave {left}");
            assert!((v[0][1] + v[7][1] - 2.0 * c).abs() < 1e-5 * c.abs(), "the body's own motion stays");
        }
    }
}

/// A chain that nothing holds keeps both its momentum and its place: internal constraints cannot move the whole.
#[test]
fn constraints_do_not_move_the_whole() {
    let points: Vec<P> = (0..30).map(|i| [0.1 * f64::from(i), (f64::from(i) * 0.7).sin() * 0.1, 0.0]).collect();
    let masses: Vec<f64> = (0..30).map(|i| 0.1 + f64::from(i % 4)).collect();
    let mut made = particles(&points, &masses);
    let at: Vec<u32> = (0..29).flat_map(|i| [i, i + 1]).collect();
    made.constraints = vec![Constraints::new(kinds::DISTANCE, at, vec![0.08; 29], Stiffness::compliance(1e-6))];
    let mut scene = scene(0.0, 20);
    let body = scene.add(made);
    let mut solver = solver(&scene);
    let total: f64 = masses.iter().sum();
    let center = |solver: &_| {
        let x = positions(solver, body);
        scale(x.iter().zip(&masses).fold([0.0; 3], |sum, (x, m)| runs::add(sum, scale(*x, *m))), 1.0 / total)
    };
    let before = center(&solver);
    run(&mut solver, 60, FRAME);
    let moved = norm(sub(center(&solver), before));
    println!("centre of mass moved by {moved:.1e} m");
    assert!(moved < 1e-5, "{moved:.1e} m");
}
