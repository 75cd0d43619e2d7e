//! Rigid bodies and what is deformable push each other.

use crate::runs::rigid::{run, same_bits_everywhere};
use glam::{DVec3, Vec3};
use seidel::{
    BodyId, Cloth, Collide, Collider, GridPins, Mesh, Obstacle, Plan, Pose, RigidBody, RigidId, Rope, Scene, SoftBody,
    Solver, Substeps,
};

fn at(solver: &Solver, body: RigidId) -> DVec3 {
    solver.state().rigid_pose(solver.plan(), body).position()
}

fn speed(solver: &Solver, body: RigidId) -> f64 {
    solver.state().rigid_velocity(solver.plan(), body)[0].length()
}

fn sheet(side: u32, length: f32, mass: f32) -> Cloth {
    let border = |v: u32| v.is_multiple_of(side) || v % side == side - 1 || v < side || v >= side * (side - 1);
    let pins: Vec<u32> = (0..side * side).filter(|&v| border(v)).collect();
    Cloth::grid([side, side], [length, length]).density(mass / (length * length)).pin(&pins)
}

/// Linear momentum of particles, kg m/s, and angular momentum about the origin, kg m^2/s.
fn momenta(solver: &Solver, bodies: &[BodyId]) -> [DVec3; 2] {
    let (plan, state) = (solver.plan(), solver.state());
    let mut sums = [DVec3::ZERO; 2];
    for &body in bodies {
        let count = plan.vertices(body);
        let (mut x, mut v, mut w) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count], vec![0.0; count]);
        state.read_positions(plan, body, &mut x);
        state.read_velocities(plan, body, &mut v);
        state.read_inv_masses(plan, body, &mut w);
        for k in 0..count {
            let p = v[k].as_dvec3() / f64::from(w[k]);
            sums[0] += p;
            sums[1] += x[k].as_dvec3().cross(p);
        }
    }
    sums
}

/// An impulse acts on both sides, at one point. (Angular momentum where threads do not pull: cloth's own rows keep
/// theirs to some 1e-3 here.)
#[test]
fn a_ball_that_flies_into_a_free_sheet_keeps_all_momentum() {
    for (mass, radius, soft) in [(0.05, 0.1, false), (2.0, 0.2, false), (0.05, 0.1, true), (2.0, 0.2, true)] {
        let mut scene = Scene::new();
        (scene.settings.gravity, scene.settings.substeps) = (Vec3::ZERO, 20.into());
        let sheet = Cloth::grid([20, 20], [1.0, 1.0]).density(0.2).friction(0.5).thickness(5e-3);
        let sheet = scene.add(if soft { sheet.stretch(1e9).shear(1e9) } else { sheet });
        let ball = scene.add_rigid(
            RigidBody::sphere(radius)
                .mass(mass)
                .at([0.1, 0.5, 0.05])
                .velocity([0.3, -4.0, 0.2])
                .angular_velocity([3.0, 0.0, 20.0]),
        );
        let mut solver = Solver::new(&scene).unwrap();
        let inertia = 0.4 * mass * f64::from(radius) * f64::from(radius);
        let all = |solver: &Solver| {
            let [v, w] = solver.state().rigid_velocity(solver.plan(), ball);
            let [p, l] = momenta(solver, &[sheet]);
            [p + v * mass, l + at(solver, ball).cross(v) * mass + w * inertia]
        };
        let [p0, l0] = all(&solver);
        run(&mut solver, 0.5);
        let [p1, l1] = all(&solver);
        let given = momenta(&solver, &[sheet])[0].length();
        assert!(given > 0.01 * p0.length(), "{mass} kg: the sheet got {given} of {p0}");
        assert!((p1 - p0).length() < 1e-5 * p0.length(), "{mass} kg: {p1} for {p0}");
        let bar = if soft { 1e-5 } else { 1e-2 };
        assert!((l1 - l0).length() < bar * l0.length().max(p0.length()), "{mass} kg: {l1} for {l0}");
    }
}

/// RIGID: "box of 1 kg on a cloth of 10 g", at 80 substeps; a tenth of it at 20.
#[test]
fn a_box_rests_on_a_sheet_that_is_held_by_its_border() {
    for (mass, substeps, most) in [(0.1, 20, 0.012), (1.0, 80, 0.012)] {
        let mut scene = Scene::new();
        let cloth = scene.add(sheet(24, 1.0, 0.01).thickness(2e-3).linear_damping(1.0));
        let body = scene.add_rigid(RigidBody::cuboid([0.15; 3]).mass(mass).at([0.0, 0.153, 0.0]));
        scene.settings.substeps = substeps.into();
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, if substeps > 20 { 3.0 } else { 5.0 });
        let fastest = speed(&solver, body);
        let at = at(&solver, body);
        let lowest = solver.positions(cloth).iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        assert!(fastest < most, "{mass} kg, {substeps} substeps: {fastest} m/s");
        // It lies on the sheet, not in it.
        let depth = f64::from(lowest) - (at.y - 0.15);
        assert!(depth < 2e-3, "{mass} kg, {substeps} substeps: {depth} m deep, at {at}");
    }
}

#[test]
fn lanes_threads_and_old_memory_change_no_bit() {
    let mut scene = Scene::new();
    scene.add(sheet(46, 2.0, 0.5));
    scene.add(SoftBody::bar([0.3, 0.3, 0.3], [3, 3, 3]).young(1e5).placed(Pose::at([0.4, 0.6, 0.4]), 1.0));
    for k in 0..12u8 {
        let at = [0.3 * f32::from(k % 4) - 0.45, 0.3 + 0.25 * f32::from(k / 4), 0.1 * f32::from(k % 3)];
        let body = if k % 2 == 0 { RigidBody::sphere(0.1) } else { RigidBody::cuboid([0.1, 0.05, 0.08]) };
        scene.add_rigid(body.density(300.0).at(at));
    }
    scene.settings.substeps = 10.into();
    let plan = Plan::new(&scene).unwrap();
    let contacts: u32 = same_bits_everywhere(&plan, 20).iter().map(|report| report.rigid_particle_contacts).sum();
    assert!(contacts > 300, "{contacts}");
}

/// At 100 m/s and 20 substeps a body goes 8 cm in a substep, which is more than its size.
#[test]
fn what_is_fast_does_not_pass_through_a_sheet() {
    let shapes = [
        ("ball", RigidBody::sphere(0.03)),
        ("box", RigidBody::cuboid([0.03; 3]).turned([1.0, 1.0, 0.3], 0.7)),
        ("rod", RigidBody::capsule(0.02, 0.1).angular_velocity([0.0, 0.0, 30.0])),
    ];
    for (what, body) in shapes {
        for speed in [5.0, 30.0, 100.0] {
            let mut scene = Scene::new();
            (scene.settings.gravity, scene.settings.substeps) = (Vec3::ZERO, 20.into());
            let cloth = scene.add(Cloth::grid([20, 20], [1.0, 1.0]).density(0.3).thickness(2e-3));
            let body = scene.add_rigid(body.clone().mass(0.05).at([0.013, 0.4, 0.021]).velocity([0.0, -speed, 0.0]));
            let mut solver = Solver::new(&scene).unwrap();
            run(&mut solver, 0.25);
            let at = at(&solver, body);
            let lowest = solver.positions(cloth).iter().map(|p| f64::from(p.y) - at.y).fold(f64::INFINITY, f64::min);
            assert!(lowest < 0.0, "a {what} at {speed} m/s has passed: at {at}, the sheet is {lowest} m above it");
        }
    }
}

/// A body that goes many times its size in a substep, as heavy as the particles that it hits: its arms at both ends of
/// that are no levers. Used as such, they turned it in each round more, until nothing was finite and it was lost.
#[test]
fn light_fast_bodies_stay_finite() {
    for (mass, radius, speed, substeps) in [
        (0.004, 0.1, 300.0, 5),
        (0.004, 0.1, 600.0, 10),
        (0.004, 0.1, 90.0, 3),
        (4.0, 0.1, 300.0, 3),
        (0.03, 0.05, 5e3, 20),
    ] {
        for shape in [RigidBody::sphere(radius), RigidBody::cuboid([radius, 0.5 * radius, radius])] {
            let mut scene = Scene::new();
            scene.settings.substeps = substeps.into();
            let cloth = scene.add(Cloth::grid([30, 30], [2.0, 2.0]).pin_grid(GridPins::Corners));
            let ball = scene.add_rigid(shape.mass(mass).at([0.5, 1.0, 0.5]).velocity([0.0, -speed, 0.0]));
            let mut solver = Solver::new(&scene).unwrap();
            run(&mut solver, 0.2);
            // `run` fails where anything is lost. The body may be thrown out faster than it came.
            let most = solver.positions(cloth).iter().fold(0.0, |most, p| f64::max(most, p.length().into()));
            assert!(most < 4.0 * speed && at(&solver, ball).is_finite(), "{mass} kg, {speed} m/s: {most} m");
        }
    }
}

/// A plate of triangles that an obstacle is made from carries a box, and holds it on a slope by friction.
#[test]
fn a_box_stands_on_an_obstacle() {
    for (share, slides) in [(0.95, false), (1.05, true)] {
        let mu = 0.5f64;
        let angle = libm::atan(mu * share);
        let (mut mesh, n) = (Mesh::default(), 9u32);
        for k in 0..n * n {
            let [x, z] = [k % n, k / n].map(|k| f64::from(k) * 0.25 - 1.0);
            mesh.positions.push([(x * libm::cos(angle)) as f32, (x * libm::sin(angle)) as f32, z as f32]);
        }
        for (i, j) in (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| (i, j))) {
            let v = i + j * n;
            mesh.triangles.extend([[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]);
        }
        let mut scene = Scene::new();
        scene.add(Obstacle::new(&mesh).friction(0.5).thickness(5e-3));
        let up = DVec3::new(-libm::sin(angle), libm::cos(angle), 0.0);
        let body = RigidBody::cuboid([0.1; 3]).friction(0.5).turned([0.0, 0.0, 1.0], angle);
        let body = scene.add_rigid(body.at((up * 0.105 + up.cross(DVec3::Z) * 0.0).as_vec3()));
        scene.settings.substeps = 20.into();
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 1.0);
        let gone = (at(&solver, body) - up * 0.105).length();
        let a = 9.81 * (libm::sin(angle) - mu * libm::cos(angle));
        match slides {
            false => assert!(gone < 2e-3, "it creeps by {gone} m in a second"),
            true => assert!((gone / (0.5 * a) - 1.0).abs() < 0.05, "{gone} m for {}", 0.5 * a),
        }
    }
}

/// A ball is caught by two ropes, and a filled skin rests on a box.
#[test]
fn ropes_and_skins_meet_rigid_bodies() {
    let mut scene = Scene::new();
    for z in [-0.08, 0.08] {
        scene.add(Rope::new([-0.5, 0.0, z], [0.5, 0.0, z], 40).link_mass(0.01).pin(&[0, 40]).thickness(0.01));
    }
    let ball = scene.add_rigid(RigidBody::sphere(0.12).mass(0.2).at([0.02, 0.2, 0.0]));
    scene.add_rigid(RigidBody::cuboid([0.3; 3]).fixed().at([2.0, 0.0, 0.0]));
    let jelly = SoftBody::filled(Mesh::ball(0.15, 2), 0.08).young(2e4).density(500.0);
    let jelly = scene.add(jelly.placed(Pose::at([2.0, 0.5, 0.0]), 1.0).linear_damping(0.5));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 3.0);
    let ball = at(&solver, ball);
    assert!(ball.y > -0.2 && ball.z.abs() < 0.02, "the ball is at {ball}");
    let lowest = solver.positions(jelly).iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    assert!((lowest - 0.3).abs() < 0.03, "the jelly lies at {lowest}");
}

/// A box on two carpets that lie on the floor, 300 and 600 times as heavy as they are under it: the automatic substeps
/// hold it, and `Plan::warnings` tells of fewer.
#[test]
fn what_is_heavy_lies_on_two_carpets() {
    let scene = |substeps: Substeps, mass: f64, carpets: u8| {
        let mut scene = Scene::new();
        scene.settings.substeps = substeps;
        scene.add_collider(Collider::ground());
        for k in 0..carpets {
            let carpet = Cloth::grid([21; 2], [1.5, 1.0]).collide(Collide::All).density(0.5).thickness(0.005);
            let at = [0.02 * f32::from(k), 0.006 + 0.011 * f32::from(k), 0.03 * f32::from(k)];
            scene.add(carpet.placed(Pose::at(at), 1.0).named(format!("carpet {k}")));
        }
        let high = 0.105 + 0.011 * f32::from(carpets);
        let body = RigidBody::cuboid([0.1; 3]).mass(mass).at([-0.1, high, 0.0]);
        let body = scene.add_rigid(body.named("load"));
        (scene, body)
    };
    for mass in [5.0, 10.0] {
        let (auto, body) = scene(Substeps::Auto, mass, 2);
        let mut solver = Solver::new(&auto).unwrap();
        assert_eq!(solver.plan().warnings(), [""; 0], "{mass} kg");
        run(&mut solver, 1.5);
        let high = at(&solver, body).y - 0.1;
        println!("{mass} kg, {} substeps: {:.2} mm above the floor", solver.plan().substeps(), 1e3 * high);
        assert!((high - 0.02).abs() < 1e-3, "{mass} kg: {high}");
    }
    let few = Plan::new(&scene(Substeps::Fixed(20), 5.0, 2).0).unwrap();
    let warnings = few.warnings();
    assert!(warnings[0].starts_with("rigid body `load` may come to lie on body `carpet 1`"), "{warnings:?}");
    // The ground under one carpet is known.
    let one = scene(Substeps::Fixed(20), 5.0, 1).0;
    assert_eq!(Plan::new(&one).unwrap().warnings(), [""; 0]);
}
