//! Oracle: damping of strain (Macklin et al. 2016, equation 26), and stiffness that an input changes.

use crate::runs;
use crate::runs::{FRAME, P, norm, particles, positions, run, scene, solver, sub};
use seidel::{
    BodyId, Cloth, Constraints, GridPins, Input, Isa, LongRange, Pose, Rod, Side, SoftBody, Solver, Stiffness,
    VelocityUpdate, kinds,
};

/// A spring of 1 Hz on a mass of 2 kg, drawn out by 0.1 m.
fn spring(relaxation: f32, substeps: u32, iterations: u32) -> (Solver, BodyId) {
    let omega = std::f64::consts::TAU;
    let compliance = (1.0 / (2.0 * omega * omega)) as f32;
    let mut scene = scene(0.0, substeps);
    scene.settings.iterations = iterations;
    let mut body = particles(&[[0.0; 3], [1.1, 0.0, 0.0]], &[f64::INFINITY, 2.0]);
    let rows = Constraints::new(kinds::DISTANCE, vec![0, 1], vec![1.0], Stiffness::compliance(compliance));
    body.constraints = vec![rows.damped(relaxation)];
    let body = scene.add(body);
    (solver(&scene), body)
}

/// x'' + 2 zeta omega x' + omega^2 x = 0 with zeta = omega tau / 2, below, at and above the critical one.
#[test]
fn a_damped_spring_moves_as_the_equation_says() {
    let omega = std::f64::consts::TAU;
    for zeta in [0.0, 0.05, 0.3, 0.7, 1.5] {
        for (substeps, iterations) in [(400, 1), (400, 3)] {
            let (mut solver, body) = spring((2.0 * zeta / omega) as f32, substeps, iterations);
            let mut worst = 0.0f64;
            for frame in 1..=120 {
                run(&mut solver, 1, FRAME);
                let t = f64::from(frame) * f64::from(FRAME);
                let (decay, beat) = (zeta * omega, omega * f64::sqrt((1.0 - zeta * zeta).abs()));
                let (c, s) = if zeta < 1.0 {
                    (libm::cos(beat * t), libm::sin(beat * t) / beat)
                } else {
                    (libm::cosh(beat * t), libm::sinh(beat * t) / beat)
                };
                let exact = 0.1 * libm::exp(-decay * t) * (c + decay * s);
                worst = worst.max((positions(&solver, body)[1][0] - 1.0 - exact).abs());
            }
            println!("zeta {zeta}, {substeps} x {iterations}: off by {worst:.1e} m of 0.1");
            // Implicit Euler's own damping is omega h / 2 = 1.3e-4 of the critical one: 1.6e-4 m in two seconds.
            assert!(worst < 2.5e-4, "zeta {zeta}, {substeps} x {iterations}: {worst} m");
        }
    }
}

/// Damping pulls at relative motion alone: what falls freely falls as without, to a micrometre in half a second.
#[test]
fn free_fall_is_not_damped() {
    let fall = |relaxation: f32| -> Vec<P> {
        let mut scene = scene(9.81, 20);
        let body = scene.add(SoftBody::bar([0.4, 0.1, 0.1], [4, 1, 1]).relaxation(relaxation));
        let mut solver = solver(&scene);
        run(&mut solver, 30, FRAME);
        positions(&solver, body)
    };
    let (free, damped) = (fall(0.0), fall(0.5));
    let off = free.iter().zip(&damped).map(|(a, b)| norm(sub(*a, *b))).fold(0.0, f64::max);
    assert!(off < 1e-6, "{off} m");
}

/// Stiffness from an input is stiffness of a plan: the same positions to the bit, uniform or painted, XPBD and PBD.
#[test]
fn an_input_changes_stiffness_as_a_plan_would() {
    let compliances = |n: usize| (0..n).map(|row| 1e-6 * (1 + row % 7) as f32).collect::<Vec<f32>>();
    let cloth = |stretch: Stiffness| {
        let pose = Pose::at([0.0, 1.0, 0.0]);
        Cloth::grid([20, 20], [1.0, 1.0])
            .placed(pose, 1.0)
            .stretch_by(stretch)
            .pin_grid(GridPins::Corners)
            .long_range(LongRange::Off)
    };
    let edges = {
        let mut scene = scene(9.81, 10);
        let body = scene.add(cloth(Stiffness::compliance(0.0)));
        solver(&scene).plan().rows(body, &kinds::DISTANCE).len() / 2
    };
    for (planned, given) in [
        (Stiffness::compliance(1e-3), Stiffness::compliance(1e-6)),
        (Stiffness::compliance(0.0), Stiffness::compliance(compliances(edges))),
        (Stiffness::pbd(0.1), Stiffness::pbd(0.9)),
        (Stiffness::pbd(0.1), Stiffness::pbd((0..edges).map(|row| (row % 5) as f32 / 4.0).collect::<Vec<f32>>())),
    ] {
        let make = |stretch: &Stiffness| {
            let mut scene = scene(9.81, 10);
            let body = scene.add(cloth(stretch.clone()));
            (solver(&scene), body)
        };
        let ((mut changed, body), (mut as_planned, other)) = (make(&planned), make(&given));
        let input = Input::frame(FRAME).stiffness(body, &kinds::DISTANCE, given.clone());
        assert!(changed.step(&input).rejected.is_none());
        run(&mut as_planned, 1, FRAME);
        // The state keeps it.
        let snapshot = changed.state().clone();
        run(&mut changed, 9, FRAME);
        run(&mut as_planned, 9, FRAME);
        assert_eq!(positions(&changed, body), positions(&as_planned, other), "{given:?}");
        let end = changed.state().hash();
        *changed.state_mut() = snapshot;
        run(&mut changed, 9, FRAME);
        assert_eq!(changed.state().hash(), end, "a snapshot has it");
    }
}

/// Of a painted map each number is for the row that `Plan::rows` names in its place.
#[test]
fn a_painted_map_is_in_the_order_of_the_rows() {
    let mut scene = scene(9.81, 20);
    let mut body = particles(&[[0.0; 3]; 16], &[1.0; 16]);
    for pair in 0..8 {
        let x = pair as f32;
        (body.positions[2 * pair], body.positions[2 * pair + 1]) = ([x, 0.0, 0.0], [x, -1.0, 0.0]);
        (body.inv_mass[2 * pair], body.inv_mass[2 * pair + 1]) = (0.0, 1.0);
    }
    body.damping = 0.0;
    let at = (0..8).rev().flat_map(|pair| [2 * pair, 2 * pair + 1]).collect();
    body.constraints = vec![Constraints::measured(kinds::DISTANCE, at, Stiffness::compliance(1e-3))];
    let body = scene.add(body);
    let mut solver = solver(&scene);
    let rows = solver.plan().rows(body, &kinds::DISTANCE);
    let of_pair = |pair: u32| 1e-4 * (1 + pair) as f32;
    let painted: Vec<f32> = rows.chunks_exact(2).map(|row| of_pair(row[0].min(row[1]) / 2)).collect();
    let input = Input::frame(FRAME).stiffness(body, &kinds::DISTANCE, Stiffness::compliance(painted));
    for _ in 0..1200 {
        assert!(solver.step(&input).rejected.is_none());
        let slowed: Vec<P> = runs::velocities(&solver, body).into_iter().map(|v| runs::scale(v, 0.5)).collect();
        runs::set_velocities(&mut solver, body, &slowed);
    }
    for pair in 0..8u32 {
        let sunk = -1.0 - positions(&solver, body)[2 * pair as usize + 1][1];
        let want = 9.81 * f64::from(of_pair(pair));
        assert!((sunk / want - 1.0).abs() < 5e-3, "pair {pair}: {sunk} m and not {want}");
    }
}

#[test]
fn stiffness_that_does_not_fit_is_refused() {
    let mut scene = scene(9.81, 10);
    let bar = scene.add(SoftBody::bar([0.4, 0.1, 0.1], [4, 1, 1]).pin_side(Side::MinX).named("bar"));
    let mut solver = solver(&scene);
    let before = solver.state().clone();
    let kind = &kinds::STABLE_NEO_HOOKEAN;
    for (kind, stiffness, says) in [
        (kind, Stiffness::compliance(vec![1.0; 3]), "stiffness has 3 entries and should have 24"),
        (kind, Stiffness::compliance(-1.0), "compliance of row 0 is -1, which is not within 0 .. 1e18"),
        (kind, Stiffness::compliance(f32::NAN), "compliance of row 0 is NaN"),
        (kind, Stiffness::pbd(0.5), "PBD's k are given, and its rows have compliances: give those"),
        (&kinds::DISTANCE, Stiffness::compliance(1.0), "body `bar`, kind `distance`: row of this kind"),
    ] {
        let report = solver.step(&Input::frame(FRAME).stiffness(bar, kind, stiffness));
        let error = report.rejected.expect(says).to_string();
        assert!(error.contains(says), "{error} / {says}");
        assert_eq!(*solver.state(), before);
    }
}

/// Thirteen rows of one compliance: a batch of sixteen has lanes without a row, whose rates once moved the first row's
/// particles again.
#[test]
fn rows_of_one_compliance_are_damped_alike_on_all_lanes() {
    let mut scene = scene(9.81, 10);
    let points: Vec<P> = (0..14).map(|i| [0.1 * f64::from(i), 0.0, 0.0]).collect();
    let mut body = particles(&points, &[0.01; 14]);
    let at = (0..13).flat_map(|i| [i, i + 1]).collect();
    body.constraints = vec![Constraints::measured(kinds::DISTANCE, at, Stiffness::compliance(1e-3)).damped(0.01)];
    let body = scene.add(body);
    let states = Isa::available().into_iter().map(|isa| {
        let mut solver = runs::solver_on(&scene, isa, 1);
        let v: Vec<P> = points.iter().map(|p| [p[0] * p[0], p[0], 0.5 - p[0]]).collect();
        runs::set_velocities(&mut solver, body, &v);
        let before = runs::momentum(&solver, body);
        run(&mut solver, 20, FRAME);
        let fallen = [0.0, -9.81 * 0.14 * 20.0 * f64::from(FRAME), 0.0];
        let drift = norm(sub(sub(runs::momentum(&solver, body), before), fallen));
        assert!(drift < 1e-6, "{isa}: momentum drifts by {drift:.1e} kg m/s");
        solver.state().hash()
    });
    let states: Vec<u64> = states.collect();
    assert!(states.iter().all(|state| *state == states[0]), "{states:x?}");
}

/// Bodies that are damped have stages of their own: the others move, bit for bit, as without them.
#[test]
fn a_damped_body_leaves_others_as_they_are() {
    // Forces of the air have a pass of their own between prediction and damping.
    let first = [0.0, 1.2].map(|drag| (VelocityUpdate::FirstOrder, drag));
    for (update, drag) in first.into_iter().chain([(VelocityUpdate::SecondOrder, 0.0)]) {
        let [with, without] = [0.3, 0.0].map(|damping| {
            let mut scene = scene(9.81, 5);
            scene.settings.velocity_update = update;
            let sheet =
                |x: f32| Cloth::grid([12, 12], [1.0, 1.0]).placed(Pose::at([x, 0.0, 0.0]), 1.0).bend(1e-2).drag(drag);
            let ids = [
                scene.add(sheet(0.0).pin(&[0, 11])),
                scene.add(Rod::new([2.0, 0.0, 0.0], [3.0, 0.0, 0.0], 20).pin(&[0, 1])),
            ];
            let damped = scene.add(sheet(5.0).pin(&[0, 11]).damping(damping));
            let mut solver = solver(&scene);
            run(&mut solver, 30, FRAME);
            let all = |body| (positions(&solver, body), runs::velocities(&solver, body));
            (ids.map(all), all(damped))
        });
        assert_eq!(with.0, without.0, "{update:?}, {drag}");
        assert_ne!(with.1, without.1, "{update:?}, {drag}");
    }
}
