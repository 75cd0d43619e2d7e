//! Rods against beam theory, frames against rotations, and the same bits from every lane, thread and restored state.

use crate::runs;
use crate::runs::{FRAME, P, add, angular_momentum, cross, dot, norm, scale, sub};
use glam::{Quat, Vec3};
use seidel::collider::Motion;
use seidel::{
    Body, BodyId, Collide, Collider, Constraints, Error, Execution, Input, Isa, MaterialFrame, Method, MovingPins,
    NonFinite, Plan, Rod, Scene, Scratch, Solver, State, Stiffness, kinds, step,
};
use std::f64::consts::PI;
use std::sync::Arc;

fn rotations(solver: &Solver, body: BodyId) -> Vec<[f32; 4]> {
    let mut q = vec![Quat::IDENTITY; solver.plan().frames(body)];
    solver.state().read_rotations(solver.plan(), body, &mut q);
    q.iter().map(Quat::to_array).collect()
}

fn spins(solver: &Solver, body: BodyId) -> Vec<Vec3> {
    let mut omega = vec![Vec3::ZERO; solver.plan().frames(body)];
    solver.state().read_angular_velocities(solver.plan(), body, &mut omega);
    omega
}

fn set_spins(solver: &mut Solver, body: BodyId, omegas: &[Vec3]) {
    let plan = Arc::clone(solver.plan());
    solver.state_mut().write_angular_velocities(&plan, body, omegas).unwrap();
}

/// Takes a share of all velocities away.
fn slow(solver: &mut Solver, body: BodyId, k: f64) {
    let v: Vec<P> = runs::velocities(solver, body).into_iter().map(|v| scale(v, 1.0 - k)).collect();
    runs::set_velocities(solver, body, &v);
    let omegas: Vec<Vec3> = spins(solver, body).into_iter().map(|omega| omega * (1.0 - k) as f32).collect();
    set_spins(solver, body, &omegas);
}

/// The direction that a frame gives its third axis.
fn third_axis([x, y, z, w]: [f32; 4]) -> P {
    let [x, y, z, w] = [x, y, z, w].map(f64::from);
    [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)]
}

/// A rod that is clamped at one end and pushed across at the other: F L^3 / (3 E I), where L counts from the middle of
/// the clamped segment; exactly (F l^3 / E I) n (n + 1) (2 n + 1) / 6 with n free segments, and F l n / (G A kappa) of
/// shear. One sweep a substep bends it further by about 12 E I h^2 / (rho A l^4): at 9600 substeps a second by 0.5 %.
#[test]
fn a_cantilever_bends_as_far_as_it_should() {
    let (n, length, radius, young, force) = (20u32, 1.0, 0.01, 1e7, 0.01f64);
    let l = length / f64::from(n);
    for along in [[1.0, 0.0, 0.0], [0.0, 0.6, -0.8]] {
        let mut scene = runs::scene(0.0, 20);
        let end = scale(along, length + l);
        let rod = Rod::new([0.0; 3], end.map(|c| c as f32), n + 1).radius(radius as f32).young(young as f32);
        let rod = scene.add(rod.pin(&[0, 1]));
        let mut solver = runs::solver(&scene);
        let across = [0.0, 0.8, 0.6];
        let mut forces = vec![Vec3::ZERO; n as usize + 2];
        forces[n as usize + 1] = runs::narrow(scale(across, force));
        for _ in 0..7200 {
            let report = solver.step(&Input::frame(FRAME / 8.0).forces(rod, &forces));
            assert!(report.lost.is_none() && report.rejected.is_none());
            slow(&mut solver, rod, 0.004);
        }
        let tip = sub(runs::positions(&solver, rod)[n as usize + 1], end);
        let (bend, n) = (young * PI * f64::powi(radius, 4) / 4.0, f64::from(n));
        let sheared = force * l * n / (young / 2.6 * PI * radius * radius * (7.8 / 8.8));
        let exact = force * l.powi(3) / bend * n * (n + 1.0) * (2.0 * n + 1.0) / 6.0 + sheared;
        let beam = force * ((n + 0.5) * l).powi(3) / (3.0 * bend);
        let deflection = dot(tip, across);
        println!("deflection {deflection}, of the segments {exact}, of the beam {beam}");
        assert!((deflection / beam - 1.0).abs() < 0.02, "{deflection} and not {beam}");
        assert!((deflection / exact - 1.0).abs() < 0.01, "{deflection} and not {exact}");
        // It bends in the plane of the force.
        assert!(norm(cross(tip, across)) < 0.05 * deflection, "{tip:?}");
    }
}

/// A straight chain of frames by hand: n segments along z, the first clamped, the last with a disc on it that has this
/// inertia. The points are fixed, so that nothing but twist is left.
fn shaft(n: u32, l: f32, twist: f32, inertia: f32, disc: f32) -> Body {
    let points: Vec<P> = (0..=n).map(|i| [0.0, 0.0, f64::from(i) * f64::from(l)]).collect();
    let mut body = runs::particles(&points, &vec![f64::INFINITY; points.len()]);
    body.frames = (0..n)
        .map(|i| {
            let inertia = if i + 1 == n { disc } else { inertia };
            let inv_inertia = if i == 0 { 0.0 } else { 1.0 / inertia };
            MaterialFrame::new(Quat::IDENTITY, inv_inertia, [i, i + 1])
        })
        .collect();
    let at = (0..n - 1).flat_map(|i| [i, i + 1]).collect();
    body.constraints = vec![Constraints::measured(kinds::BEND_TWIST, at, Stiffness::compliance(l / (4.0 * twist)))];
    body
}

/// A torque at the free end turns it by torque x L / (G J).
#[test]
fn a_torque_twists_a_rod_as_far_as_it_should() {
    let (n, l, twist, inertia) = (21, 0.05f32, 0.02f32, 1e-5f32);
    let mut scene = runs::scene(0.0, 1);
    let rod = scene.add(shaft(n, l, twist, inertia, inertia));
    let mut solver = runs::solver(&scene);
    let (torque, dt) = (0.01f32, 1.0 / 4000.0);
    for _ in 0..40_000 {
        slow(&mut solver, rod, 0.02);
        let mut omegas = spins(&solver, rod);
        omegas.last_mut().unwrap().z += torque * dt / inertia;
        set_spins(&mut solver, rod, &omegas);
        runs::run(&mut solver, 1, dt);
    }
    let want = f64::from(torque) * f64::from(l) * f64::from(n - 1) / f64::from(twist);
    let [x, y, z, w] = rotations(&solver, rod)[n as usize - 1].map(f64::from);
    let angle = 2.0 * z.atan2(w);
    println!("twisted by {angle}, and {want} expected");
    assert!(x == 0.0 && y == 0.0);
    assert!((angle / want - 1.0).abs() < 0.02, "{angle} and not {want}");
}

/// A disc on a shaft swings with 2 pi sqrt(I L / (G J)).
#[test]
fn a_disc_on_a_shaft_swings_in_time() {
    let (n, l, twist, inertia, disc) = (11, 0.1f32, 0.02f32, 1e-6f32, 2e-3f32);
    let mut scene = runs::scene(0.0, 120);
    let rod = scene.add(shaft(n, l, twist, inertia, disc));
    let mut solver = runs::solver(&scene);
    let mut omegas = vec![Vec3::ZERO; n as usize];
    omegas[n as usize - 1].z = 0.5;
    set_spins(&mut solver, rod, &omegas);
    // Passes through zero, upwards.
    let (mut before, mut crossings) = (0.0, Vec::new());
    for frame in 1..900 {
        runs::run(&mut solver, 1, FRAME);
        let angle = f64::from(rotations(&solver, rod)[n as usize - 1][2]);
        if before < 0.0 && angle >= 0.0 {
            crossings.push((f64::from(frame) - angle / (angle - before)) * f64::from(FRAME));
        }
        before = angle;
    }
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    let want = 2.0 * PI * (f64::from(disc) * f64::from(n - 1) * f64::from(l) / f64::from(twist)).sqrt();
    println!("period {period} s, and {want} expected");
    assert!((period / want - 1.0).abs() < 0.02, "{period} and not {want}");
}

/// Angular momentum of points and frames about the origin.
fn spin(solver: &Solver, body: BodyId, inertias: &[f64]) -> P {
    let (x, v) = (runs::positions(solver, body), runs::velocities(solver, body));
    let of_points = angular_momentum(&x, &v, &runs::masses(solver, body));
    let each = spins(solver, body).into_iter().zip(inertias);
    each.fold(of_points, |sum, (omega, inertia)| add(sum, scale(runs::wide(omega), *inertia)))
}

/// How much of a free rod's angular momentum is lost in five seconds, in which it turns, bends and swings; its momentum
/// is kept.
fn lost_spin(substeps: u32) -> f64 {
    let n = 24;
    let mut scene = runs::scene(0.0, substeps);
    let curve = (0..=n).map(|i| {
        let t = f64::from(i) / f64::from(n);
        [t as f32, (0.1 * (4.0 * t).sin()) as f32, (0.2 * t * t) as f32]
    });
    let points: Vec<[f32; 3]> = curve.collect();
    let rod = scene.add(Rod::through(points.clone()).radius(0.01).young(2e5));
    let mut solver = runs::solver(&scene);
    let (omega, x) = ([0.4, -1.0, 2.0], runs::positions(&solver, rod));
    let v: Vec<P> = x.iter().map(|&x| add(cross(omega, x), [0.0, 0.3 * (5.0 * x[0]).sin(), 0.1])).collect();
    runs::set_velocities(&mut solver, rod, &v);
    set_spins(&mut solver, rod, &vec![runs::narrow(omega); n as usize]);
    let inertia = |ends: &[[f32; 3]]| {
        let l = norm(sub(ends[1].map(f64::from), ends[0].map(f64::from)));
        1000.0 * PI * 1e-4 * l * (3.0 * 1e-4 + l * l) / 12.0
    };
    let inertias: Vec<f64> = points.windows(2).map(inertia).collect();
    let (before, pushed) = (spin(&solver, rod, &inertias), runs::momentum(&solver, rod));
    runs::run(&mut solver, 300, FRAME);
    let (after, now) = (spin(&solver, rod, &inertias), runs::momentum(&solver, rod));
    assert!(norm(sub(now, pushed)) < 1e-4 * norm(pushed), "{pushed:?} {now:?}");
    let off = norm(sub(after, before)) / norm(before);
    println!("{substeps} substeps: angular momentum {before:?}, off by {off}");
    off
}

#[test]
fn a_free_rod_keeps_its_angular_momentum() {
    let (coarse, fine) = (lost_spin(20), lost_spin(80));
    assert!(coarse < 5e-3 && fine < 1e-3 && fine < coarse / 2.0, "{coarse} {fine}");
}

/// A frame that nothing touches keeps its angular velocity to the bit, and turns by it.
#[test]
fn a_free_frame_turns_evenly() {
    let mut body = runs::particles(&[[0.0; 3], [1.0, 0.0, 0.0]], &[1.0, 1.0]);
    body.frames = (0..20).map(|_| MaterialFrame::new(Quat::from_array([0.5; 4]), 3.0, [0, 1])).collect();
    body.frames[3].inv_inertia = 0.0;
    let mut scene = runs::scene(9.81, 7);
    let body = scene.add(body);
    let mut solver = runs::solver(&scene);
    let omegas: Vec<Vec3> = (0..20).map(|i| Vec3::new(0.1 * i as f32, 1.0 - 0.3 * i as f32, 0.7)).collect();
    set_spins(&mut solver, body, &omegas);
    runs::run(&mut solver, 60, FRAME);
    let (after, turned) = (spins(&solver, body), rotations(&solver, body));
    for (i, (omega, q)) in omegas.iter().zip(turned).enumerate() {
        if i == 3 {
            assert_eq!((after[i], q), (Vec3::ZERO, [0.5; 4]), "a fixed frame rests");
            continue;
        }
        assert_eq!(after[i].to_array().map(f32::to_bits), omega.to_array().map(f32::to_bits));
        let omega = runs::wide(*omega);
        let (angle, axis) = (norm(omega) * 60.0 * f64::from(FRAME), scale(omega, 1.0 / norm(omega)));
        let z = third_axis([0.5; 4]);
        let want = add(
            add(scale(z, angle.cos()), scale(cross(axis, z), angle.sin())),
            scale(axis, dot(axis, z) * (1.0 - angle.cos())),
        );
        assert!(norm(sub(third_axis(q), want)) < 2e-4, "frame {i}: {q:?}");
    }
}

/// A helix that falls on a ball and onto itself, held at one end by a pin that turns: enough rows for workers.
fn busy() -> (Scene, BodyId) {
    let points: Vec<[f32; 3]> = (0..1800)
        .map(|i| {
            let t = 0.02 * f64::from(i);
            [(0.3 * t.cos()) as f32, (0.6 + 0.01 * t) as f32, (0.3 * t.sin()) as f32]
        })
        .collect();
    let mut scene = runs::scene(9.81, 4);
    scene.settings.iterations = 2;
    let rod = Rod::through(points).radius(0.002).young(1e6).damping(0.02).relaxation(1e-3).collide(Collide::All);
    let turning = Motion::Steady {
        velocity: [0.1, 0.0, 0.0].into(),
        axis: [0.0, 1.0, 0.0].into(),
        turns: 0.5,
        start: 0.0,
        end: None,
    };
    let rod = scene.add(rod.move_pins(MovingPins::new(vec![0, 1], turning).about([0.3, 0.6, 0.0])));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::sphere(0.2).at([0.3, 0.35, 0.0]));
    (scene, rod)
}

#[test]
fn lanes_threads_snapshots_and_poison_change_no_bit() {
    let (scene, _) = busy();
    let plan = Plan::new(&scene).unwrap();
    let mut hashes = Vec::new();
    for isa in Isa::available() {
        for threads in [1, 3] {
            let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(isa, threads)));
            for frame in 0..8 {
                if frame % 2 == 1 {
                    scratch.poison();
                }
                if frame == 5 {
                    state = state.clone();
                    scratch = Scratch::new(&plan, Execution::new(isa, threads));
                }
                let report = step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
                assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
            }
            hashes.push(state.hash());
        }
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
}

/// A rotation is part of what a state is.
#[test]
fn rotations_are_written_read_and_hashed() {
    let (scene, rod) = busy();
    let plan = Plan::new(&scene).unwrap();
    let mut state = State::new(&plan);
    let mut q = vec![Quat::IDENTITY; plan.frames(rod)];
    state.read_rotations(&plan, rod, &mut q);
    assert!(q.iter().all(|q| (q.length_squared() - 1.0).abs() < 1e-6));
    let before = state.clone();
    q[17] = Quat::from_array([1.0, 0.0, 0.0, 0.0]);
    state.write_rotations(&plan, rod, &q).unwrap();
    assert!(state != before && state.hash() != before.hash());
    let mut again = q.clone();
    state.read_rotations(&plan, rod, &mut again);
    assert_eq!(q[17], again[17]);
    q[3] = Quat::from_array([0.0, 0.0, 0.0, 2.0]);
    let error = state.write_rotations(&plan, rod, &q).unwrap_err().to_string();
    assert_eq!(error, "body `body-0`: rotation of frame 3 (squared length) is 4, which is not 1");
}

/// A clamped end follows its pins' path, and an input's turn goes before it.
#[test]
fn clamped_frames_follow_pins_and_input() {
    let mut scene = runs::scene(0.0, 10);
    let turning =
        Motion::Steady { velocity: [0.0; 3].into(), axis: [0.0, 0.0, 1.0].into(), turns: 1.0, start: 0.0, end: None };
    let rod = Rod::new([0.0; 3], [1.0, 0.0, 0.0], 10).move_pins(MovingPins::new(vec![0, 1], turning)).pin(&[9, 10]);
    let rod = scene.add(rod);
    let mut solver = runs::solver(&scene);
    let near = |q: [f32; 4], want: P| assert!(norm(sub(third_axis(q), want)) < 1e-5, "{q:?} {want:?}");
    for _ in 0..20 {
        runs::run(&mut solver, 1, FRAME);
    }
    let angle = 2.0 * PI * 20.0 * f64::from(FRAME);
    near(rotations(&solver, rod)[0], [angle.cos(), angle.sin(), 0.0]);
    near(rotations(&solver, rod)[9], [1.0, 0.0, 0.0]);
    let to = Quat::IDENTITY;
    let report = solver.step(&Input::frame(FRAME).turn(rod, 0, to).turn(rod, 9, to));
    assert!(report.rejected.is_none());
    let q = rotations(&solver, rod);
    near(q[0], [0.0, 0.0, 1.0]);
    near(q[9], [0.0, 0.0, 1.0]);
    // What was turned rests where nothing turns it further.
    runs::run(&mut solver, 1, FRAME);
    assert_eq!(rotations(&solver, rod)[9], q[9]);
    let refused = |input: Input, says: &str, solver: &mut Solver| {
        let report = solver.step(&input);
        let error = report.rejected.expect("refused").to_string();
        assert!(error.contains(says), "{error}");
    };
    refused(Input::frame(FRAME).turn(rod, 5, to), "inverse inertia of turned frame 5", &mut solver);
    refused(Input::frame(FRAME).turn(rod, 10, to), "turned frame 10 does not exist; there are 10", &mut solver);
    refused(
        Input::frame(FRAME).turn(rod, 0, Quat::from_array([0.0; 4])),
        "rotation of frame 0 (squared length) is 0",
        &mut solver,
    );
}

/// What is lost is named by a point, frozen or kept, and lost alone.
#[test]
fn a_lost_frame_is_named() {
    for (damping, non_finite) in [(0.0, NonFinite::Freeze), (0.05, NonFinite::Freeze), (0.0, NonFinite::Ignore)] {
        let mut body = runs::particles(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[1.0; 3]);
        body.name = "frames".to_owned();
        body.damping = damping;
        let frame = |i: u32| MaterialFrame::new(Quat::from_array([0.6, 0.0, 0.0, 0.8]), 2.0, [i % 2 + 1, 0]);
        body.frames = (0..20).map(frame).collect();
        let mut scene = runs::scene(9.81, 4);
        scene.settings.non_finite = non_finite;
        let body = scene.add(body);
        let mut solver = runs::solver(&scene);
        let mut omegas = vec![Vec3::Y; 20];
        omegas[7].y = 1e6;
        set_spins(&mut solver, body, &omegas);
        let lost = solver.step(&Input::frame(FRAME)).lost.expect("frame 7 is lost");
        assert_eq!((lost.body.as_str(), lost.vertex, lost.substep), ("frames", 2, 0), "{damping}");
        for _ in 0..30 {
            let lost = solver.step(&Input::frame(FRAME)).lost;
            assert_eq!(lost.is_some(), non_finite == NonFinite::Ignore, "{lost:?}");
        }
        if non_finite == NonFinite::Freeze {
            let (q, omega) = (rotations(&solver, body)[7], spins(&solver, body)[7]);
            assert!((q[0] - 0.6).abs() + (q[3] - 0.8).abs() < 1e-6 && omega == Vec3::ZERO, "{q:?} {omega}");
        }
        let others = spins(&solver, body).into_iter().enumerate().filter(|(i, _)| *i != 7);
        assert!(others.map(|(_, omega)| omega).all(|omega| omega.is_finite() && omega.y > 0.1 && omega.y <= 1.0));
    }
}

#[test]
fn what_is_no_rod_is_refused() {
    let refused = |rod: Rod, says: &str| {
        let mut scene = Scene::new();
        scene.add(rod.named("rod"));
        let error = Plan::new(&scene).unwrap_err().to_string();
        assert_eq!(error, format!("body `rod`: {says}"));
    };
    let rod = || Rod::new([0.0; 3], [1.0, 0.0, 0.0], 4);
    refused(Rod::new([0.0; 3], [1.0, 0.0, 0.0], 0), "number of points is 1, which is not 2 or more");
    refused(Rod::new([0.0; 3], [0.0; 3], 2), "length of segment 0 is 0, which is not 1e-6 m or more");
    refused(Rod::through(vec![[0.0; 3]]), "number of points is 1, which is not 2 or more");
    refused(
        Rod::through(vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]),
        "length of segment 1 is 0, which is not 1e-6 m or more",
    );
    refused(rod().radius(0.0), "radius is 0, which is not within 1e-7 .. 1e3 m");
    refused(rod().density(f32::NAN), "density is NaN, which is not within 1e-3 .. 1e6 kg/m^3");
    refused(rod().young(-1.0), "Young's modulus is -1, which is not within 1 .. 1e13 Pa");
    refused(rod().shear_modulus(0.0), "shear modulus is 0, which is not within 1 .. 1e13 Pa");
    refused(rod().poisson(0.6), "Poisson's ratio is 0.6, which is not within -0.99 .. 0.5");
    refused(rod().shear_correction(2.0), "correction of shear is 2, which is not within 0.01 .. 1");
    refused(rod().end_masses([0.0, -1.0]), "mass at the last point is -1, which is not 0 or within 1e-9 .. 1e9 kg");
    refused(rod().thickness(-1.0), "thickness is -1, which is not 0 m or more");
    let nan = Rod::through(vec![[0.0; 3], [f32::NAN, 0.0, 0.0]]);
    refused(nan, "position of vertex 1 is NaN, which is not within +-1e6 m");
}

#[test]
fn what_is_no_frame_is_refused() {
    let refused = |change: &dyn Fn(&mut Body), says: &str| {
        let mut scene = Scene::new();
        let mut body = shaft(5, 0.1, 1.0, 1.0, 1.0);
        body.name = "shaft".to_owned();
        change(&mut body);
        scene.add(body);
        assert_eq!(Plan::new(&scene).unwrap_err().to_string(), says);
    };
    refused(
        &|body| body.frames[2].rotation = Quat::from_array([0.0; 4]),
        "body `shaft`, frame 2: rotation (squared length) is 0, which is not 1",
    );
    refused(
        &|body| body.frames[2].inv_inertia = -1.0,
        "body `shaft`, frame 2: inverse inertia is -1, which is not 0 or within 1e-9 .. 1e20 per kg m^2",
    );
    refused(&|body| body.frames[1].between[1] = 6, "body `shaft`, frame 1: vertex 6 does not exist; there are 6");
    refused(
        &|body| body.constraints[0].at[3] = 5,
        "body `shaft`, kind `bend-twist` row 1: frame 5 does not exist; there are 5",
    );
    refused(&|body| body.constraints[0].at[3] = 1, "body `shaft`, kind `bend-twist`: row 1 names frame 1 twice");
    let mut scene = Scene::new();
    scene.settings.method = Method::JACOBI;
    scene.add(Rod::new([0.0; 3], [1.0, 0.0, 0.0], 4));
    let error = Plan::new(&scene).unwrap_err();
    assert!(matches!(error, Error::Framed { .. }));
    let says = "body `body-0` has frames, which the method jacobi cannot solve: use gauss-seidel";
    assert_eq!(error.to_string(), says);
}

/// Rods have lines for pictures, and rows that name frames.
#[test]
fn a_plan_tells_a_rod_s_rows() {
    let mut scene = Scene::new();
    let rod = scene.add(Rod::new([0.0; 3], [1.0, 0.0, 0.0], 40));
    let plan = Plan::new(&scene).unwrap();
    let lines = plan.lengths(rod);
    assert_eq!(lines.len(), 40);
    assert!(lines.iter().enumerate().all(|(i, (ends, _))| *ends == [i as u32, i as u32 + 1]));
    assert_eq!(plan.rows(rod, &kinds::STRETCH_SHEAR)[..6], [0, 1, 0, 1, 2, 1]);
    assert_eq!(plan.rows(rod, &kinds::BEND_TWIST)[74..], [37, 38, 38, 39]);
}
