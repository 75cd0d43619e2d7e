//! Rigid bodies and joints.

use super::Row;
use glam::{DVec3, Vec3};
use seidel::joint::{Motor, Spring};
use seidel::{Cloth, Collider, Input, Mesh, Pose, RigidBody, RigidId, RigidJoint, Scene, Solver};
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;
const DT: f64 = 1.0 / 60.0;

/// All of them. It takes some ten seconds.
///
/// # Panics
/// If a scene cannot be planned or stepped, which is a fault of this program.
#[must_use]
pub fn all() -> Vec<Row> {
    let stack = |oracle, bar, count, most: [f64; 2]| {
        let [aside, sunk, speed] = stack(count);
        let reached = format!("{aside:.2} mm aside, {sunk:.2} mm down, {speed:.2} mm/s");
        row(oracle, bar, reached, aside < most[0] && speed < most[1])
    };
    vec![
        middle_axis(),
        slow_spin(),
        stack("ten boxes, each 2 cm beside the last, 60 s", "1 mm, 1 mm/s", 10, [1.0, 1.0]),
        stack("twenty", "5 mm", 20, [5.0, f64::INFINITY]),
        stack("fifty", "stands, 30 mm", 50, [30.0, f64::INFINITY]),
        heavy_on_light(),
        chain("chain of 20 links, 1000 : 1 at its end", "gap 1.5 M/m g h^2", false),
        chain("the same, `direct`", "gap 0.1 mm", true),
        cards(),
        incline(),
        rolling(),
        cradle(),
        pendulum(),
        double_pendulum(),
        heavy_top(),
        spring(),
        motor(),
        limit(),
        breaking(),
        fast(),
        collision(),
        inertia(),
        box_on_cloth(),
        ball_into_sheet(),
    ]
}

fn row(oracle: &'static str, bar: &'static str, reached: String, good: bool) -> Row {
    Row { oracle, bar, reached, good }
}

/// A scene of so many substeps a step of 1/60 s, with gravity or without.
fn scene(substeps: u32, gravity: bool) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = substeps.into();
    scene.settings.gravity = if gravity { Vec3::new(0.0, -G as f32, 0.0) } else { Vec3::ZERO };
    scene
}

fn solver(scene: &Scene) -> Solver {
    Solver::new(scene).expect("a sound scene")
}

/// Takes steps with an input, and calls `after` with each.
fn run(solver: &mut Solver, seconds: f64, input: &Input, mut after: impl FnMut(&Solver)) {
    for _ in 0..(seconds / DT).round() as u32 {
        let report = solver.step(input);
        assert!(report.rejected.is_none() && report.lost_rigid.is_none(), "{report:?}");
        after(solver);
    }
}

fn frame() -> Input {
    Input::frame(DT as f32)
}

fn pose(solver: &Solver, body: RigidId) -> Pose {
    solver.state().rigid_pose(solver.plan(), body)
}

fn at(solver: &Solver, body: RigidId) -> DVec3 {
    pose(solver, body).position()
}

/// Velocity and angular velocity.
fn velocity(solver: &Solver, body: RigidId) -> [DVec3; 2] {
    solver.state().rigid_velocity(solver.plan(), body)
}

/// Kinetic and potential energy, J.
fn energy(solver: &Solver) -> f64 {
    solver.plan().energies(solver.state()).iter().sum()
}

/// The mean time between upward passages through zero, s, of samples a step apart.
fn period(samples: &[f64]) -> f64 {
    let up = samples.windows(2).enumerate().filter(|(_, pair)| pair[0] < 0.0 && pair[1] >= 0.0);
    let times: Vec<f64> = up.map(|(i, pair)| (i as f64 + pair[0] / (pair[0] - pair[1])) * DT).collect();
    (times[times.len() - 1] - times[0]) / (times.len() - 1) as f64
}

/// Euler's equations, by steps of 10 microseconds: when the middle axis first turns over.
fn first_flip(inertia: DVec3, start: DVec3) -> f64 {
    let rate = |w: DVec3| {
        let turn = DVec3::new((inertia.y - inertia.z) * w.y * w.z, (inertia.z - inertia.x) * w.z * w.x, 0.0);
        (turn + DVec3::Z * (inertia.x - inertia.y) * w.x * w.y) / inertia
    };
    let (mut w, mut t, h) = (start, 0.0, 1e-5);
    while w.y > 0.0 {
        let half = w + 0.5 * h * rate(w);
        let (a, b) = (rate(half), rate(w + 0.5 * h * rate(half)));
        w += h / 6.0 * (rate(w) + 2.0 * a + 2.0 * b + rate(w + h * b));
        t += h;
    }
    t
}

fn middle_axis() -> Row {
    let mut scene = scene(20, false);
    let half = [0.724_569, 0.474_342, 0.273_861];
    let inertia = DVec3::from_array([[1, 2], [0, 2], [0, 1]].map(|[i, j]| {
        let square = |k: usize| f64::from(half[k] as f32) * f64::from(half[k] as f32);
        10.0 / 3.0 * (square(i) + square(j))
    }));
    let start = DVec3::new(0.01, 10.0, 0.01);
    let body = scene.add_rigid(RigidBody::cuboid(half.map(|h| h as f32)).mass(10.0).angular_velocity(start));
    let mut solver = solver(&scene);
    let momentum = |solver: &Solver| {
        let q = pose(solver, body).rotation();
        q * (inertia * (q.inverse() * velocity(solver, body)[1]))
    };
    let (l, e) = (momentum(&solver), energy(&solver));
    let (mut flip, mut before, mut t) = (None, 0.0, 0.0);
    run(&mut solver, 100.0, &frame(), |solver| {
        let along = (pose(solver, body).rotation().inverse() * velocity(solver, body)[1]).y;
        t += DT;
        if along < 0.0 && flip.is_none() {
            flip = Some(t - DT * along / (along - before));
        }
        before = along;
    });
    let (dl, de) = ((momentum(&solver) - l).length() / l.length(), (energy(&solver) / e - 1.0).abs());
    let flip = flip.unwrap_or(f64::INFINITY) / first_flip(inertia, start) - 1.0;
    let reached = format!("L {dl:.0e}, energy {de:.0e}, first flip {:+.2} %", 100.0 * flip);
    row(
        "middle axis, I = 1, 2, 2.5, 10 rad/s, 100 s",
        "L to rounding, energy 1e-4, flip 0.5 %",
        reached,
        dl < 1e-12 && de < 1e-4 && flip.abs() < 5e-3,
    )
}

fn slow_spin() -> Row {
    let mut scene = scene(20, false);
    let body = scene.add_rigid(RigidBody::cuboid([0.1, 0.2, 0.3]).angular_velocity([0.0, 0.0, 3e-5]));
    let mut solver = solver(&scene);
    run(&mut solver, 100.0, &frame(), |_| {});
    let error = 2.0 * pose(&solver, body).rotation().z.asin() / 3e-3 - 1.0;
    row("spin of 3e-5 rad/s, 100 s", "1 %", format!("{:+.4} %", 100.0 * error), error.abs() < 0.01)
}

fn ground(scene: &mut Scene, friction: f32) {
    scene.add_collider(Collider::ground().friction(friction));
}

fn cube(half: f32, mass: f64, friction: f32) -> RigidBody {
    RigidBody::cuboid([half; 3]).mass(mass).friction(friction)
}

/// Sideways, sunk, speed: mm and mm/s.
fn stack(count: u32) -> [f64; 3] {
    let mut scene = scene(20, true);
    ground(&mut scene, 0.6);
    let starts: Vec<DVec3> = (0..count).map(|k| DVec3::new(0.02 * f64::from(k % 2), 0.5 + f64::from(k), 0.0)).collect();
    let ids: Vec<RigidId> = starts.iter().map(|at| scene.add_rigid(cube(0.5, 1000.0, 0.6).at(at.as_vec3()))).collect();
    let mut solver = solver(&scene);
    run(&mut solver, 60.0, &frame(), |_| {});
    let mut found = [0.0f64; 3];
    for (start, &id) in starts.iter().zip(&ids) {
        let gone = at(&solver, id) - start;
        found[0] = found[0].max(1e3 * gone.x.hypot(gone.z));
        found[1] = found[1].max(-1e3 * gone.y);
        found[2] = found[2].max(1e3 * velocity(&solver, id)[0].length());
    }
    found
}

/// By how much M on m yields in substeps of h, m: M / m g h^2.
fn yields(ratio: f64, substeps: u32) -> f64 {
    let h = DT / f64::from(substeps);
    ratio * G * h * h
}

fn heavy_on_light() -> Row {
    let mut scene = scene(20, true);
    ground(&mut scene, 0.6);
    scene.add_rigid(cube(0.5, 1.0, 0.6).at([0.0, 0.5, 0.0]));
    let heavy = scene.add_rigid(cube(0.5, 1000.0, 0.6).at([0.0, 1.5, 0.0]));
    let mut solver = solver(&scene);
    run(&mut solver, 20.0, &frame(), |_| {});
    let (sunk, speed) = ((1.5 - at(&solver, heavy).y) / yields(1000.0, 20), velocity(&solver, heavy)[0].length());
    let reached = format!("{sunk:.2} M/m g h^2, {:.3} mm/s", 1e3 * speed);
    row("1000 kg on 1 kg", "1.2 M/m g h^2, 1 mm/s", reached, sunk < 1.2 && speed < 1e-3)
}

fn chain(oracle: &'static str, bar: &'static str, direct: bool) -> Row {
    const LINKS: u32 = 20;
    let mut scene = scene(20, true);
    let mut links: Vec<RigidId> = Vec::new();
    for i in 0..=LINKS {
        let top = -0.2 * f64::from(i);
        let link = match i == LINKS {
            false => RigidBody::capsule(0.03, 0.07).mass(1.0).at([0.0, top as f32 - 0.1, 0.0]),
            true => RigidBody::sphere(0.5).mass(1000.0).at([0.0, top as f32 - 0.5, 0.0]),
        };
        let id = scene.add_rigid(link);
        let joint = RigidJoint::ball(links.last().copied(), id, [0.0, top, 0.0]);
        scene.join_rigid(if direct { joint.direct() } else { joint });
        links.push(id);
    }
    let mut solver = solver(&scene);
    let mut widest = 0.0f64;
    run(&mut solver, 5.0, &frame(), |_| {});
    for (i, pair) in links.windows(2).enumerate() {
        let top = if i as u32 + 1 == LINKS { 0.5 } else { 0.1 };
        let [above, below] = [pose(&solver, pair[0]), pose(&solver, pair[1])];
        let gap = above.transform_point([0.0, -0.1, 0.0]) - below.transform_point([0.0, top, 0.0]);
        widest = widest.max(gap.length());
    }
    let shares = widest / yields(1000.0, 20);
    let good = if direct { widest < 1e-4 } else { shares < 1.5 };
    row(oracle, bar, format!("{:.3} mm, {shares:.2} M/m g h^2", 1e3 * widest), good)
}

fn cards() -> Row {
    let spec = seidel_scenes::named("cards").expect("a named scene");
    let scene = seidel_io::scene::build("cards", &spec).expect("a sound scene");
    let mut solver = solver(&scene);
    let ids: Vec<RigidId> = solver.plan().rigid_ids().collect();
    let starts: Vec<DVec3> = ids.iter().map(|&id| at(&solver, id)).collect();
    run(&mut solver, 30.0, &frame(), |_| {});
    let (mut gone, mut speed) = (0.0f64, 0.0f64);
    for (&id, start) in ids.iter().zip(starts) {
        gone = gone.max((at(&solver, id) - start).length());
        speed = speed.max(velocity(&solver, id)[0].length());
    }
    let reached = format!("moved by {:.2} mm, {:.3} mm/s", 1e3 * gone, 1e3 * speed);
    row("house of cards (scene `cards`), 30 s", "stands (10 mm), 1 mm/s", reached, gone < 0.01 && speed < 1e-3)
}

/// How far a body goes in two seconds on a slope of a coefficient of friction of 0.5, m.
fn slides(angle: f64, body: RigidBody) -> (f64, f64) {
    let mut scene = scene(20, true);
    scene.settings.gravity = Vec3::new((G * angle.sin()) as f32, (-G * angle.cos()) as f32, 0.0);
    ground(&mut scene, 0.5);
    let id = scene.add_rigid(body.friction(0.5));
    let mut solver = solver(&scene);
    let start = at(&solver, id).x;
    run(&mut solver, 2.0, &frame(), |_| {});
    (at(&solver, id).x - start, velocity(&solver, id)[1].z.abs())
}

fn incline() -> Row {
    let of = |share: f64| {
        let angle = (0.5 * share).atan();
        (slides(angle, cube(0.5, 1000.0, 0.5).at([0.0, 0.5, 0.0])).0, 2.0 * G * (angle.sin() - 0.5 * angle.cos()))
    };
    let ((rests, _), (gone, want)) = (of(0.95), of(1.05));
    let error = gone / want - 1.0;
    let reached = format!("{:.3} mm at 0.95 mu; {:+.2} % at 1.05", 1e3 * rests, 100.0 * error);
    row("box on a slope", "rests at 0.95 mu, slides at 1.05 within 2 %", reached, rests < 1e-3 && error.abs() < 0.02)
}

fn rolling() -> Row {
    let ball = || RigidBody::sphere(0.5).density(1000.0).at([0.0, 0.5, 0.0]);
    let (gone, _) = slides(0.3, ball());
    let error = gone / (2.0 * 5.0 / 7.0 * G * 0.3f64.sin()) - 1.0;
    // Steeper than tan a = 7/2 mu it slips: the turn is 5/2 mu g cos a / r t.
    let angle = (1.2 * 3.5 * 0.5f64).atan();
    let (_, spin) = slides(angle, ball());
    let slip = spin / (2.5 * 0.5 * G * angle.cos() / 0.5 * 2.0) - 1.0;
    let reached = format!("{:+.2} %; slipping, its turn {:+.2} %", 100.0 * error, 100.0 * slip);
    row(
        "ball down a slope",
        "5/7 g sin a within 1 %; slips within 2 %",
        reached,
        error.abs() < 0.01 && slip.abs() < 0.02,
    )
}

fn cradle() -> Row {
    let mut scene = scene(20, false);
    let ids: Vec<RigidId> = (0..5u8)
        .map(|k| {
            let ball = RigidBody::sphere(0.5).density(1000.0).friction(0.0).restitution(1.0);
            let x = 1.0001 * f32::from(k) - if k == 0 { 0.5 } else { 0.0 };
            let v = if k == 0 { 2.0 } else { 0.0 };
            scene.add_rigid(ball.at([x, 0.0, 0.0]).velocity([v, 0.0, 0.0]))
        })
        .collect();
    let mut solver = solver(&scene);
    run(&mut solver, 1.0, &frame(), |_| {});
    let speeds: Vec<f64> = ids.iter().map(|&id| velocity(&solver, id)[0].x / 2.0).collect();
    let others = speeds[..4].iter().fold(0.0f64, |most, v| most.max(v.abs()));
    let reached = format!("{:.4} v, others {others:.4} v", speeds[4]);
    row("Newton's cradle, e = 1", "last 0.98 v, others 0.02 v", reached, speeds[4] > 0.98 && others < 0.02)
}

/// A rod of 30 cm by a hinge along z at its upper end, raised by an angle.
fn rod(scene: &mut Scene, above: Option<RigidId>, top: [f64; 2], angle: f64) -> RigidId {
    let middle = [top[0] + 0.15 * angle.sin(), top[1] - 0.15 * angle.cos()].map(|c| c as f32);
    let rod = RigidBody::cuboid([0.01, 0.15, 0.01]).mass(0.5).turned([0.0, 0.0, 1.0], angle);
    let id = scene.add_rigid(rod.at([middle[0], middle[1], 0.0]));
    scene.join_rigid(RigidJoint::hinge(above, id, [top[0], top[1], 0.0], [0.0, 0.0, 1.0]));
    id
}

fn pendulum() -> Row {
    let mut most = 0.0f64;
    for amplitude in [0.1f64, 1.0, 2.0] {
        let mut scene = scene(20, true);
        let id = rod(&mut scene, None, [0.0; 2], amplitude);
        let mut solver = solver(&scene);
        let mut samples = Vec::new();
        run(&mut solver, 20.0, &frame(), |solver| {
            let p = at(solver, id);
            samples.push(p.x.atan2(-p.y));
        });
        let inertia = 0.5 * ((0.3 * 0.3 + 0.02 * 0.02) / 12.0 + 0.15 * 0.15);
        // The elliptic integral by the arithmetic-geometric mean.
        let (mut x, mut y) = (1.0, (0.5 * amplitude).cos());
        for _ in 0..8 {
            (x, y) = (0.5 * (x + y), f64::sqrt(x * y));
        }
        let exact = TAU / ((0.5 * G * 0.15 / inertia).sqrt() * x);
        most = most.max((period(&samples) / exact - 1.0).abs());
    }
    let reached = format!("{:.3} % at most", 100.0 * most);
    row("pendulum on a hinge, 0.1 to 2 rad", "period 0.2 %", reached, most < 2e-3)
}

/// From both rods level: by how much its energy rises and falls in ten seconds, as shares of what it has above rest.
fn double(substeps: u32) -> [f64; 2] {
    let mut scene = scene(substeps, true);
    let first = rod(&mut scene, None, [0.0; 2], 0.5 * PI);
    rod(&mut scene, Some(first), [0.3, 0.0], 0.5 * PI);
    let mut solver = solver(&scene);
    // Above where both hang.
    let rest = -0.5 * G * (0.15 + 0.45);
    let begin = energy(&solver) - rest;
    let (mut least, mut most) = (0.0f64, 0.0f64);
    run(&mut solver, 10.0, &frame(), |solver| {
        let change = (energy(solver) - rest) / begin - 1.0;
        (least, most) = (least.min(change), most.max(change));
    });
    [most, least]
}

fn double_pendulum() -> Row {
    let ([most, least], [more, _]) = (double(20), double(80));
    let reached = format!("{:+.3} %, {:+.3} %; with 80 substeps {:+.3} %", 100.0 * most, 100.0 * least, 100.0 * more);
    row("double pendulum from the side, 10 s", "energy +0.1 %, -2 %", reached, most < 1e-3 && least > -0.02)
}

fn heavy_top() -> Row {
    let mut scene = scene(20, true);
    let (r, d, spin) = (0.1, 0.1, 400.0);
    let disk = RigidBody::cylinder(r as f32, 0.01).mass(1.0).turned([0.0, 0.0, 1.0], -PI / 2.0);
    let id = scene.add_rigid(disk.at([d as f32, 0.0, 0.0]).angular_velocity([spin, 0.0, 0.0]));
    scene.join_rigid(RigidJoint::ball(None, id, [0.0; 3]));
    let mut solver = solver(&scene);
    // It nods, so the mean of two seconds.
    run(&mut solver, 2.0, &frame(), |_| {});
    let p = at(&solver, id);
    let want = G * d / (0.5 * r * r * spin) * 2.0;
    let error = (-p.z).atan2(p.x) / want - 1.0;
    row("heavy top", "precession m g d / (I3 w) within 1 %", format!("{:+.2} %", 100.0 * error), error.abs() < 0.01)
}

fn spring() -> Row {
    let (mut frequency, mut decay) = (0.0f64, 0.0f64);
    for (hertz, ratio) in [(1.0, 0.0), (3.0, 0.0), (2.0, 0.05), (3.0, 0.2)] {
        let (mass, omega) = (2.0, TAU * hertz);
        let deflection = G / (omega * omega);
        let mut scene = scene(20, true);
        let start = -1.0 - deflection - 0.05;
        let id = scene.add_rigid(RigidBody::sphere(0.05).mass(mass).at([0.0, start as f32, 0.0]));
        let stiffness = Spring {
            stiffness: (mass * omega * omega) as f32,
            damping: (2.0 * ratio * mass * omega) as f32,
            rest: 1.0,
        };
        scene.join_rigid(RigidJoint::spring(None, id, [DVec3::ZERO, DVec3::new(0.0, start, 0.0)], stiffness));
        let mut solver = solver(&scene);
        let mut samples = Vec::new();
        run(&mut solver, if ratio > 0.0 { 2.5 } else { 10.0 }, &frame(), |solver| {
            samples.push(at(solver, id).y + 1.0 + deflection);
        });
        let damped = omega * f64::sqrt(1.0 - ratio * ratio);
        frequency = frequency.max((TAU / (period(&samples) * damped) - 1.0).abs());
        if ratio > 0.0 {
            let each = (TAU / damped / DT).round() as usize;
            let peak = |from: usize| samples[from..from + each].iter().fold(0.0f64, |most, x| most.max(x.abs()));
            let of_two = (peak(0) / peak(2 * each)).ln();
            decay = decay.max((of_two / (ratio * omega * 2.0 * TAU / damped) - 1.0).abs());
        }
    }
    let reached = format!("{:.3} %, {:.2} %", 100.0 * frequency, 100.0 * decay);
    row("spring and damper", "frequency 0.5 %, decay 2 %", reached, frequency < 5e-3 && decay < 0.02)
}

/// A wheel of 1 kg m^2 about y on a hinge.
fn wheel(scene: &mut Scene) -> (RigidId, RigidJoint) {
    let id = scene.add_rigid(RigidBody::cylinder(1.0, 0.1).mass(2.0));
    (id, RigidJoint::hinge(None, id, [0.0; 3], [0.0, 1.0, 0.0]))
}

fn motor() -> Row {
    let driven = |seconds: f64, load: f64| {
        let mut scene = scene(20, false);
        let (id, hinge) = wheel(&mut scene);
        scene.join_rigid(hinge.motor(Motor::Velocity { target: 3.0, limit: 10.0 }));
        let mut solver = solver(&scene);
        run(&mut solver, seconds, &frame().push(id, DVec3::ZERO, [0.0, load, 0.0]), |_| {});
        velocity(&solver, id)[1].y
    };
    let target = driven(3.0, 0.0) / 3.0 - 1.0;
    // A load of 20 N m against a limit of 10 N m: after a second the wheel turns backwards at 10 rad/s.
    let stall = (20.0 + driven(1.0, -20.0)) / 10.0 - 1.0;
    let reached = format!("{:+.4} %, {:+.3} %", 100.0 * target, 100.0 * stall);
    row("motor of a hinge", "target 0.1 %, stall torque 2 %", reached, target.abs() < 1e-3 && stall.abs() < 0.02)
}

fn limit() -> Row {
    let mut scene = scene(20, false);
    let (id, hinge) = wheel(&mut scene);
    scene.join_rigid(hinge.limits(-0.5, 0.5));
    let mut solver = solver(&scene);
    let plan = solver.plan().clone();
    solver.state_mut().set_rigid_velocity(&plan, id, [DVec3::ZERO, DVec3::new(0.0, 2.0, 0.0)]);
    let mut most = 0.0f64;
    run(&mut solver, 2.0, &frame(), |solver| {
        most = most.max(2.0 * pose(solver, id).rotation().y.asin());
    });
    let passed = (most - 0.5).to_degrees();
    row("limit of a hinge, at 2 rad/s", "passed by 0.5 degrees", format!("{passed:.3} degrees"), passed < 0.5)
}

fn breaking() -> Row {
    // The load at which a rope breaks, by halving; and how often it is told.
    let breaks = |mass: f64| {
        let mut scene = scene(20, true);
        let load = scene.add_rigid(RigidBody::sphere(0.1).mass(mass).at([0.0, -1.0, 0.0]));
        let ends = [DVec3::ZERO, DVec3::new(0.0, -0.9, 0.0)];
        scene.join_rigid(RigidJoint::distance(None, load, ends, [0.0, 0.9]).breaking_at(100.0, f32::INFINITY));
        let mut solver = solver(&scene);
        (0..120).map(|_| solver.step(&frame()).broken.len()).sum::<usize>()
    };
    let (mut low, mut high) = (5.0, 20.0);
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        (low, high) = if breaks(middle) > 0 { (low, middle) } else { (middle, high) };
    }
    let error = high * G / 100.0 - 1.0;
    let reached = format!("{:+.2} %, told {} times", 100.0 * error, breaks(15.0));
    row("a rope that breaks at 100 N", "2 %, told once", reached, error.abs() < 0.02 && breaks(15.0) == 1)
}

fn fast() -> Row {
    let mut lowest = f64::INFINITY;
    let bodies = [
        RigidBody::sphere(0.05),
        RigidBody::capsule(0.02, 0.2).angular_velocity([0.0, 0.0, 50.0]),
        RigidBody::cuboid([0.05; 3]).turned([1.0, 1.0, 0.3], 0.7),
    ];
    for body in bodies {
        let mut scene = scene(20, false);
        scene.add_collider(Collider::cuboid([5.0, 0.005, 5.0]));
        let id = scene.add_rigid(body.density(1000.0).at([0.1, 3.0, 0.2]).velocity([0.0, -100.0, 0.0]));
        let mut solver = solver(&scene);
        run(&mut solver, 0.5, &frame(), |solver| lowest = lowest.min(at(solver, id).y));
    }
    let reached = format!("their middles stay {:.1} mm above", 1e3 * lowest);
    row("ball, spinning rod, box at 100 m/s, plate of 1 cm", "do not pass", reached, lowest > 0.0)
}

fn collision() -> Row {
    let mut scene = scene(20, false);
    let (half_a, half_b) = ([0.3f64, 0.2, 0.1], [0.2f64; 3]);
    let body =
        |half: [f64; 3], mass: f64| RigidBody::cuboid(half.map(|h| h as f32)).mass(mass).friction(0.5).restitution(0.5);
    let a = scene.add_rigid(body(half_a, 16.8).velocity([3.0, 0.4, 0.0]).angular_velocity([1.0, 2.0, 0.5]));
    let b = scene.add_rigid(body(half_b, 28.8).at([0.6, 0.1, 0.05]));
    let mut solver = solver(&scene);
    let momenta = |solver: &Solver| {
        let mut sums = [DVec3::ZERO; 2];
        for (id, half, mass) in [(a, half_a, 16.8), (b, half_b, 28.8)] {
            let square = half.map(|h| f64::from(h as f32).powi(2));
            let inertia = DVec3::new(square[1] + square[2], square[0] + square[2], square[0] + square[1]) * mass / 3.0;
            let ([v, w], q) = (velocity(solver, id), pose(solver, id).rotation());
            sums[0] += mass * v;
            sums[1] += at(solver, id).cross(mass * v) + q * (inertia * (q.inverse() * w));
        }
        sums
    };
    let before = momenta(&solver);
    run(&mut solver, 1.0, &frame(), |_| {});
    let met = velocity(&solver, b)[0].length() > 0.1;
    let change: Vec<f64> =
        momenta(&solver).iter().zip(before).map(|(now, was)| (*now - was).length() / was.length()).collect();
    let reached = format!("{:.0e}, {:.0e}", change[0], change[1]);
    row("two boxes collide", "momentum 1e-6, angular 1e-5", reached, met && change[0] < 1e-6 && change[1] < 1e-5)
}

/// The moments of a mesh about its centre, kg m^2, by the torque that turns it.
fn moments(size: [f32; 3], shift: f32) -> [f64; 3] {
    let mut surface = Mesh::cuboid(size.map(|edge| 0.5 * edge), [2, 3, 4]);
    surface.positions.iter_mut().flatten().for_each(|c| *c += shift);
    [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
        let mut scene = scene(1, false);
        let id = scene.add_rigid(RigidBody::sphere(0.1).solid(surface.clone()).density(1000.0));
        let mut solver = solver(&scene);
        let report = solver.step(&frame().push(id, DVec3::ZERO, axis));
        assert!(report.rejected.is_none(), "{report:?}");
        f64::from(DT as f32) / velocity(&solver, id)[1].dot(axis)
    })
}

fn inertia() -> Row {
    let size = [0.5f32, 1.0, 2.0];
    let want = [[1, 2], [0, 2], [0, 1]].map(|[i, j]| 1000.0 / 12.0 * f64::from(size[i] * size[i] + size[j] * size[j]));
    let off = |found: [f64; 3], scale: f64| {
        found.iter().zip(want).fold(0.0f64, |most, (found, want)| most.max((found / (scale * want) - 1.0).abs()))
    };
    let (here, there) = (off(moments(size, 0.0), 1.0), off(moments(size, 64.0), 1.0));
    let larger = off(moments(size.map(|s| 2.0 * s), 0.0), 32.0);
    let reached = format!("{here:.0e}; {there:.0e} 64 m away; {larger:.0e} twice as large");
    row("moments of a mesh", "box 1e-9, shifted, k^5", reached, here < 1e-9 && there < 1e-9 && larger < 1e-9)
}

/// A sheet of 1 m and 24 x 24 vertices that is held by its border.
fn held_sheet() -> Cloth {
    let border = |v: u32| v.is_multiple_of(24) || v % 24 == 23 || !(24..24 * 23).contains(&v);
    let pins: Vec<u32> = (0..24 * 24).filter(|&v| border(v)).collect();
    Cloth::grid([24, 24], [1.0, 1.0]).pin(&pins)
}

fn box_on_cloth() -> Row {
    let mut scene = scene(80, true);
    let cloth = scene.add(held_sheet().density(0.01).thickness(2e-3).linear_damping(1.0));
    let id = scene.add_rigid(RigidBody::cuboid([0.15; 3]).mass(1.0).at([0.0, 0.153, 0.0]));
    let mut solver = solver(&scene);
    run(&mut solver, 6.0, &frame(), |_| {});
    let lowest = solver.positions(cloth).iter().map(|p| f64::from(p.y)).fold(f64::INFINITY, f64::min);
    let (deep, speed) = (lowest - (at(&solver, id).y - 0.15), velocity(&solver, id)[0].length());
    let reached = format!("{:.2} mm deep, {:.1} mm/s", 1e3 * deep.max(0.0), 1e3 * speed);
    row(
        "1 kg on a cloth of 10 g, 80 substeps",
        "rests on it within 2 mm, 12 mm/s",
        reached,
        deep < 2e-3 && speed < 0.012,
    )
}

fn ball_into_sheet() -> Row {
    let mut scene = scene(20, false);
    // Its threads do not pull: their rows keep angular momentum to 1e-3 only.
    let sheet = Cloth::grid([20, 20], [1.0, 1.0]).density(0.2).friction(0.5).thickness(5e-3).stretch(1e9).shear(1e9);
    let cloth = scene.add(sheet);
    let ball = RigidBody::sphere(0.2).mass(2.0).at([0.1, 0.5, 0.05]).velocity([0.3, -4.0, 0.2]);
    let id = scene.add_rigid(ball.angular_velocity([3.0, 0.0, 20.0]));
    let mut solver = solver(&scene);
    let momenta = |solver: &mut Solver| {
        let count = solver.plan().vertices(cloth);
        let (mut v, mut w) = (vec![Vec3::ZERO; count], vec![0.0; count]);
        solver.state().read_velocities(solver.plan(), cloth, &mut v);
        solver.state().read_inv_masses(solver.plan(), cloth, &mut w);
        let [vb, wb] = velocity(solver, id);
        let mut sums = [2.0 * vb, at(solver, id).cross(2.0 * vb) + 0.4 * 2.0 * 0.04 * wb];
        for ((x, v), w) in solver.positions(cloth).iter().zip(&v).zip(&w) {
            let p = v.as_dvec3() / f64::from(*w);
            sums[0] += p;
            sums[1] += x.as_dvec3().cross(p);
        }
        sums
    };
    let before = momenta(&mut solver);
    run(&mut solver, 0.5, &frame(), |_| {});
    let change: Vec<f64> =
        momenta(&mut solver).iter().zip(before).map(|(now, was)| (*now - was).length() / was.length()).collect();
    let reached = format!("{:.0e}, angular {:.0e}", change[0], change[1]);
    row("a ball flies into a loose sheet", "both momenta 1e-5", reached, change.iter().all(|change| *change < 1e-5))
}
