//! Oracle: drag and lift in the air.

use crate::runs;
use crate::runs::{FRAME, G, P, dot, momentum, norm, positions, run, scale, scene, solver, sub, velocities};
use seidel::{Air, Cloth, Execution, GridPins, Input, Isa, NonFinite, Plan, Pose, Scratch, State, step};

/// Density of the cloths here, kg/m^2, and of the air, kg/m^3.
const SIGMA: f64 = 0.2;
const RHO: f64 = 1.2;

fn sheet(n: u32, drag: f64, lift: f64) -> Cloth {
    Cloth::grid([n, n], [1.0, 1.0]).density(SIGMA as f32).drag(drag as f32).lift(lift as f32)
}

/// A horizontal sheet falls with sqrt(2 m g / (rho Cd A)) in the end; the impulse's limit adds about h g / 2. With a
/// lift it would tilt and glide away, as paper does.
#[test]
fn a_sheet_falls_with_its_terminal_velocity() {
    for (drag, substeps, limit) in [(1.2, 20, 0.005), (0.3, 20, 0.005), (1.2, 5, 0.02)] {
        let mut scene = scene(G as f32, substeps);
        let body = scene.add(sheet(8, drag, 0.0));
        let mut solver = solver(&scene);
        run(&mut solver, 240, FRAME);
        let want = (2.0 * SIGMA * G / (RHO * drag)).sqrt();
        for v in velocities(&solver, body) {
            let off = (-v[1] / want - 1.0).abs();
            assert!(off < limit, "Cd {drag}, {substeps} substeps: {v:?} m/s and not {want}");
            assert!(v[0].abs() < 1e-3 && v[2].abs() < 1e-3, "{v:?} m/s sideways");
        }
    }
}

/// A plate at an angle in the flow: the formula's drag along it and lift across it, to the lee side, whichever way it
/// is turned.
#[test]
fn a_plate_at_an_angle_has_drag_and_lift() {
    let (drag, lift, dt) = (1.1, 1.7, 1e-5f32);
    let wind = [9.0, 2.0, -1.0];
    let flow = scale(wind, 1.0 / norm(wind));
    for degrees in [0.0, 5.0, 20.0, 45.0, 70.0, 90.0, 110.0, 160.0, 200.0] {
        let mut scene = scene(0.0, 1);
        let pose = Pose::at([0.0; 3]).turned([0.3, 0.1, 1.0], seidel::degrees(degrees));
        let body = scene.add(sheet(5, drag, lift).placed(pose, 1.0));
        let mut solver = solver(&scene);
        let x = positions(&solver, body);
        let n = runs::cross(sub(x[1], x[0]), sub(x[5], x[0]));
        let n = scale(n, 1.0 / norm(n));
        let report = solver.step(&Input::frame(dt).wind(wind.map(|c| c as f32)));
        assert!(report.rejected.is_none());
        let force = scale(momentum(&solver, body), 1.0 / f64::from(dt));

        let cos = dot(n, flow);
        let pressure = 0.5 * RHO * dot(wind, wind);
        let across: P = std::array::from_fn(|k| n[k] - cos * flow[k]);
        let want: P = std::array::from_fn(|k| pressure * (drag * cos.abs() * flow[k] + lift * cos * across[k]));
        let off = norm(sub(force, want)) / (pressure * drag);
        assert!(off < 1e-3, "{degrees} degrees: {force:?} N and not {want:?}");
        // The lift alone is across the flow.
        let lifted = sub(force, scale(flow, pressure * drag * cos.abs()));
        assert!(dot(lifted, flow).abs() < 1e-3 * pressure, "{degrees} degrees: {lifted:?} is not across");
    }
}

/// A cloth that moves as the air does feels nothing: what is left are the roundings of its constraints.
#[test]
fn no_relative_wind_is_no_force() {
    let wind = [3.0, -1.0, 0.5];
    let mut scene = scene(0.0, 10);
    scene.settings.air.wind = wind.into();
    let body = scene.add(
        sheet(9, 1.2, 1.5)
            .velocity(wind)
            .placed(Pose::at([0.0; 3]).turned([1.0, 2.0, 0.0], seidel::degrees(40.0)), 1.0),
    );
    let mut solver = solver(&scene);
    run(&mut solver, 30, FRAME);
    for v in velocities(&solver, body) {
        assert!(norm(sub(v, wind.map(f64::from))) < 5e-5, "{v:?}");
    }
    // And without a drag or lift, whatever blows.
    let mut scene = runs::scene(0.0, 10);
    scene.settings.air.wind = wind.into();
    let body = scene.add(sheet(9, 0.0, 0.0));
    let mut solver = runs::solver(&scene);
    run(&mut solver, 30, FRAME);
    assert_eq!(solver.state().time(), 30.0 * f64::from(FRAME));
    assert!(velocities(&solver, body).iter().all(|v| *v == [0.0; 3]));
}

/// A gram a square metre at 100 m/s in one substep of a sixtieth: the impulse would be a thousand times too large.
#[test]
fn the_lightest_cloth_never_overtakes_the_wind() {
    for lift in [0.0, 2.0] {
        let mut scene = scene(0.0, 1);
        scene.settings.air.wind = [0.0, 0.0, 100.0].into();
        let pose = Pose::at([0.0; 3]).turned([1.0, 0.0, 0.2], seidel::degrees(60.0));
        let body = scene.add(sheet(12, 1.2, lift).density(1e-3).placed(pose, 1.0));
        let mut solver = solver(&scene);
        for _ in 0..120 {
            run(&mut solver, 1, FRAME);
            for v in velocities(&solver, body) {
                assert!(norm(v) < 100.0 * 1.05 && v[2] > -5.0, "lift {lift}: {v:?} m/s in a wind of 100");
            }
        }
        let mean = scale(momentum(&solver, body), 1.0 / 1e-3);
        assert!(mean[2] > 90.0, "lift {lift}: {mean:?} m/s after two seconds");
    }
}

/// Mean angle of a flag from its pole's downward direction, degrees, over its last second.
fn angle(wind: [f32; 3]) -> f64 {
    let mut scene = scene(G as f32, 20);
    scene.settings.air.wind = wind.into();
    let pose = Pose::at([0.0; 3]).turned([1.0, 0.0, 0.0], seidel::degrees(90.0));
    let flag = Cloth::grid([25, 17], [1.5, 1.0]).placed(pose, 1.0).density(0.12).stretch(1e-5).shear(1e-2).bend(1e4);
    let body = scene.add(flag.drag(1.2).lift(1.5).damping(0.02).pin_grid(GridPins::FirstColumn));
    let mut solver = solver(&scene);
    run(&mut solver, 180, FRAME);
    let (mut sum, frames) = (0.0, 60);
    for _ in 0..frames {
        run(&mut solver, 1, FRAME);
        let x = positions(&solver, body);
        let middle = |column: usize| scale((0..17).fold([0.0; 3], |s, j| runs::add(s, x[j * 25 + column])), 1.0 / 17.0);
        let along = sub(middle(24), middle(0));
        sum += (-along[1] / norm(along)).acos().to_degrees();
    }
    sum / f64::from(frames)
}

#[test]
fn a_flag_flies_in_eight_metres_a_second() {
    let (still, breeze, wind) = (angle([0.0; 3]), angle([3.0, 0.0, 0.3]), angle([8.0, 0.0, 0.8]));
    assert!(still < 45.0, "{still} degrees without a wind");
    assert!(breeze > still + 5.0, "{breeze} degrees in 3 m/s, {still} in none");
    assert!((70.0..110.0).contains(&wind), "{wind} degrees in 8 m/s");
}

/// A mesh without a lattice and a grid, with forces of the user's, gusts, damping and a pin: the same on all lanes and
/// threads.
#[test]
fn all_lanes_and_threads_agree() {
    let mut scene = scene(G as f32, 6);
    scene.settings.air = Air::default().wind([6.0, 1.0, -2.0]).gusts(0.5, 7);
    let ring = scene.add(Cloth::new(runs::meshes::torus(0.5, 0.2, 40, 19)).drag(1.2).lift(1.0).damping(0.05));
    let grid = Cloth::grid([50, 50], [1.0, 1.0])
        .placed(Pose::at([0.0, 2.0, 0.0]).turned([1.0, 0.0, 0.0], seidel::degrees(80.0)), 1.0);
    scene.add(grid.bend(1e3).drag(0.8).lift(1.5).pin_grid(GridPins::FirstRow));
    scene.add(sheet(6, 0.0, 0.0));
    let plan = Plan::new(&scene).expect("a sound scene");
    let run = |isa: Isa, threads: usize| {
        let mut state = State::new(&plan);
        let mut scratch = Scratch::new(&plan, Execution::new(isa, threads));
        let forces = vec![glam::Vec3::new(0.0, 1e-3, 2e-3); plan.vertices(ring)];
        for frame in 0..12 {
            let input = Input::frame(FRAME);
            let input = if frame % 3 == 0 { input.forces(ring, &forces) } else { input };
            let input = if frame == 5 { input.wind([0.0, 0.0, 9.0]) } else { input };
            // What a step does not write first it must not read.
            scratch.poison();
            let report = step(&plan, &mut state, &input, &mut scratch);
            assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
        }
        state.hash()
    };
    let first = run(Isa::detect(), 1);
    for isa in Isa::available() {
        for threads in [1, 3] {
            assert_eq!(run(isa, threads), first, "{isa} with {threads} threads");
        }
    }
}

/// One particle that is no number makes none of its neighbours one, through the triangles that they share.
#[test]
fn what_is_lost_does_not_spread_through_the_air() {
    let mut scene = scene(G as f32, 4);
    scene.settings.non_finite = NonFinite::Ignore;
    scene.settings.air.wind = [5.0, 0.0, 0.0].into();
    let body = scene.add(sheet(6, 1.2, 1.0));
    let mut solver = solver(&scene);
    let mut forces = vec![glam::Vec3::ZERO; 36];
    forces[14].y = f32::NAN;
    for _ in 0..5 {
        solver.step(&Input::frame(FRAME).forces(body, &forces));
    }
    let wrong = velocities(&solver, body).iter().filter(|v| !norm(**v).is_finite()).count();
    assert_eq!(wrong, 1);
}

#[test]
fn what_is_out_of_range_is_refused() {
    let plan = |cloth: Cloth, air: Air| {
        let mut scene = scene(G as f32, 1);
        scene.settings.air = air;
        scene.add(cloth.named("sail"));
        Plan::new(&scene).unwrap_err().to_string()
    };
    let still = Air::default();
    for (want, got) in [
        ("body `sail`: drag is -1, which is not within 0 .. 1e6", plan(sheet(3, -1.0, 0.0), still)),
        ("body `sail`: lift is NaN, which is not within 0 .. 1e6", plan(sheet(3, 1.0, f64::NAN), still)),
        ("air: density is -1.2, which is not within 0 .. 1e6 kg/m^3", plan(sheet(3, 1.0, 0.0), still.density(-1.2))),
        ("air: wind is NaN, which is not within +-1e6 m/s", plan(sheet(3, 1.0, 0.0), still.wind([0.0, f32::NAN, 0.0]))),
        ("air: gusts is 2, which is not within 0 .. 1", plan(sheet(3, 1.0, 0.0), still.gusts(2.0, 0))),
    ] {
        assert_eq!(got, want);
    }
    let mut scene = scene(G as f32, 1);
    scene.add(sheet(3, 1.0, 0.0));
    let mut solver = solver(&scene);
    let before = solver.state().hash();
    let rejected = solver.step(&Input::frame(FRAME).wind([f32::INFINITY, 0.0, 0.0])).rejected.expect("no such wind");
    assert_eq!(rejected.to_string(), "input: wind is inf, which is not within +-1e6 m/s");
    assert_eq!(solver.state().hash(), before);
}
