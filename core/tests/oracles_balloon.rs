//! Oracle: balloons hold their volume.

use crate::runs;
use crate::runs::{
    FRAME, P, cross, dot, momentum, norm, positions, run, scale, scene, solver, solver_on, sub, velocities,
};
use seidel::{
    Balloon, Body, BodyId, Collider, Error, Input, Isa, Mesh, Method, Plan, Pose, Pressure, Report, Scene, Solver,
    Stiffness, VolumeConstraint,
};

fn volume(x: &[P], triangles: &[[u32; 3]]) -> f64 {
    let o = x[triangles[0][0] as usize];
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| sub(x[v as usize], o));
        dot(a, cross(b, c)) / 6.0
    };
    triangles.iter().map(of).sum()
}

/// The volume now, of that of the mesh.
fn ratio(solver: &Solver, body: BodyId, mesh: &Mesh) -> f64 {
    let rest: Vec<P> = mesh.positions.iter().map(|p| p.map(f64::from)).collect();
    volume(&positions(solver, body), &mesh.triangles) / volume(&rest, &mesh.triangles)
}

/// A ball, and a body that is not round: both with a compliant skin.
fn meshes() -> [Mesh; 3] {
    let pear = Mesh::of_balls(&[[0.0, 0.0, 0.0, 0.2], [0.0, 0.2, 0.05, 0.12]], 0.04).expect("two balls");
    [Mesh::ball(0.2, 3), pear, Mesh::cuboid([0.2, 0.1, 0.15], [8, 5, 6])]
}

/// volume ratio = pressure to 1e-3, whatever it is, whatever sweeps there are; the skin pulls, and gravity too.
#[test]
fn the_volume_is_the_pressure_s() {
    for (mesh, method) in meshes().into_iter().flat_map(|m| [(m.clone(), Method::GaussSeidel), (m, Method::JACOBI)]) {
        for (k, substeps, iterations) in [(0.5, 10, 1), (1.0, 20, 1), (1.3, 5, 4), (2.0, 20, 1), (4.0, 40, 2)] {
            let mut scene = scene(9.81, substeps);
            (scene.settings.iterations, scene.settings.method) = (iterations, method);
            let keys = [[0.0, 1.0], [0.5, k]];
            let balloon = Balloon::new(&mesh).stretch(0.05).bend(1e4).damping(0.1).pressure_path(&keys);
            let body = scene.add(balloon);
            let mut solver = solver(&scene);
            run(&mut solver, 60, FRAME);
            let off = ratio(&solver, body, &mesh) / k - 1.0;
            assert!(off.abs() < 1e-3, "k {k}, {substeps} x {iterations}, {method:?}: off by {off:.1e}");
        }
    }
}

/// With a compliance the pressure is what is missing of the volume over it: a gas under a lid.
#[test]
fn a_compliance_is_a_gas() {
    let mesh = Mesh::cuboid([0.1, 0.1, 0.1], [1, 1, 1]);
    let rest: Vec<P> = mesh.positions.iter().map(|p| p.map(f64::from)).collect();
    let (pressure, compliance) = (50.0, 1e-6);
    let mut body = Body::particles(mesh.positions.clone(), vec![2.0; 8]);
    body.volumes = vec![VolumeConstraint::new(
        mesh.triangles.clone(),
        Stiffness::compliance(compliance as f32),
        Pressure::constant(1.0),
    )];
    let is_lid = |v: usize| rest[v][1] > 0.0;
    (0..8).filter(|&v| !is_lid(v)).for_each(|v| body.inv_mass[v] = 0.0);
    let mut scene = scene(0.0, 10);
    let body = scene.add(body);
    let mut solver = solver(&scene);
    // What presses from outside, on the corners of the lid as on all its triangles' third parts.
    let mut forces = vec![seidel::glam::Vec3::ZERO; 8];
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| rest[v as usize]);
        let third = scale(cross(sub(b, a), sub(c, a)), -pressure / 6.0);
        t.iter().filter(|&&v| is_lid(v as usize)).for_each(|&v| forces[v as usize] += runs::narrow(third));
    }
    for _ in 0..120 {
        let report = solver.step(&Input::frame(FRAME).forces(body, &forces));
        assert!(report.rejected.is_none() && report.lost.is_none());
        let slowed: Vec<P> = velocities(&solver, body).into_iter().map(|v| scale(v, 0.5)).collect();
        runs::set_velocities(&mut solver, body, &slowed);
    }
    let lost = volume(&rest, &mesh.triangles) - volume(&positions(&solver, body), &mesh.triangles);
    let want = pressure * compliance;
    assert!((lost / want - 1.0).abs() < 0.02, "{lost:.3e} m^3 less and not {want:.3e}");
}

/// At rest it stays where it is, anywhere in space; its skin too.
#[test]
fn at_rest_it_stays() {
    for at in [0.0, 50.0] {
        let mut scene = scene(0.0, 20);
        let balloon = Balloon::new(Mesh::ball(0.2, 3)).placed(seidel::Pose::at([at, -at, 0.3 * at]), 1.0);
        let body = scene.add(balloon.bend(1.0));
        let mut solver = solver(&scene);
        let start = positions(&solver, body);
        run(&mut solver, 60, FRAME);
        let moved = positions(&solver, body).iter().zip(&start).map(|(a, b)| norm(sub(*a, *b))).fold(0.0, f64::max);
        // Steps of f32 at 50 m are 4e-6 m.
        assert!(moved <= if at == 0.0 { 1e-7 } else { 4e-6 }, "at {at} m: {moved:.1e} m");
    }
}

/// Blowing it up moves its parts, and not the whole.
#[test]
fn inside_there_is_no_thrust() {
    let mut scene = scene(0.0, 20);
    let pear = &meshes()[1];
    let body = scene.add(Balloon::new(pear).stretch(0.01).pressure_path(&[[0.0, 1.0], [0.5, 3.0]]));
    let mut solver = solver(&scene);
    let mut fastest = 0.0;
    for _ in 0..30 {
        run(&mut solver, 1, FRAME);
        let parts = velocities(&solver, body).into_iter().zip(runs::masses(&solver, body));
        fastest = parts.map(|(v, m)| m * norm(v)).sum::<f64>().max(fastest);
    }
    let drift = norm(momentum(&solver, body)) / fastest;
    assert!(drift < 1e-4, "{drift:.1e} of what moves");
}

/// Input before path, path before nothing; several balloons each have their own.
#[test]
fn pressure_is_given_or_follows_its_path() {
    let mesh = Mesh::ball(0.2, 2);
    let mut scene = scene(0.0, 10);
    let one = scene.add(Balloon::new(&mesh).stretch(0.1).damping(0.2).pressure(1.5));
    let two = scene.add(Balloon::new(&mesh).stretch(0.1).damping(0.2).pressure_path(&[[0.2, 1.0], [0.4, 2.0]]));
    let mut solver = solver(&scene);
    let near = |solver: &Solver, body, k: f64| {
        let ratio = ratio(solver, body, &mesh);
        assert!((ratio / k - 1.0).abs() < 2e-3, "{ratio} and not {k}");
    };
    run(&mut solver, 6, FRAME);
    near(&solver, one, 1.5);
    near(&solver, two, 1.0);
    run(&mut solver, 12, FRAME);
    near(&solver, two, 1.5);
    for _ in 0..20 {
        assert_eq!(solver.step(&Input::frame(FRAME).pressure(two, 0.9)).rejected, None);
    }
    near(&solver, two, 0.9);
    near(&solver, one, 1.5);
    run(&mut solver, 30, FRAME);
    near(&solver, two, 2.0);
}

/// Two volumes of one body share a wall: one after the other, the same bits on all lanes.
#[test]
fn rooms_may_share_a_wall() {
    let mesh = Mesh::cuboid([0.2, 0.1, 0.1], [2, 1, 1]);
    let middle: Vec<u32> =
        (0..mesh.positions.len() as u32).filter(|&v| mesh.positions[v as usize][0].abs() < 0.01).collect();
    assert_eq!(middle.len(), 4);
    // The wall's four corners in order around it.
    let corner = |y: f32, z: f32| {
        *middle
            .iter()
            .find(|&&v| mesh.positions[v as usize][1] * y > 0.0 && mesh.positions[v as usize][2] * z > 0.0)
            .unwrap()
    };
    let wall = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let side = |sign: f32| -> Vec<[u32; 3]> {
        let own = |t: &&[u32; 3]| t.iter().map(|&v| mesh.positions[v as usize][0]).sum::<f32>() * sign > 0.0;
        let mut room: Vec<[u32; 3]> = mesh.triangles.iter().filter(own).copied().collect();
        let [a, b, c, d] = wall;
        room.extend(if sign < 0.0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        room
    };
    let mut body = Body::particles(mesh.positions.clone(), vec![10.0; mesh.positions.len()]);
    for (sign, k) in [(-1.0, 1.2), (1.0, 0.9)] {
        let (triangles, stiffness) = (side(sign), Stiffness::compliance(0.0));
        body.volumes.push(VolumeConstraint::new(triangles, stiffness, Pressure::constant(k)));
    }
    body.damping = 0.1;
    let mut hashes = Vec::new();
    for isa in Isa::available() {
        let mut scene = scene(0.0, 10);
        scene.settings.iterations = 3;
        let id = scene.add(body.clone());
        let mut solver = solver_on(&scene, isa, 1);
        run(&mut solver, 30, FRAME);
        for (sign, k) in [(-1.0, 1.2), (1.0, 0.9)] {
            let ratio = volume(&positions(&solver, id), &side(sign)) / 0.008;
            assert!((ratio / k - 1.0).abs() < 1e-3, "{isa}: {ratio} and not {k}");
        }
        hashes.push(solver.state().hash());
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
}

/// Inwards or outwards, it is blown up.
#[test]
fn faces_that_look_inwards_are_turned_over() {
    let mesh = Mesh::ball(0.2, 2);
    let inwards = Mesh { triangles: mesh.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect(), ..mesh.clone() };
    let mut scene = scene(0.0, 10);
    let body = scene.add(Balloon::new(&inwards).stretch(0.1).damping(0.2).pressure(1.5));
    let mut solver = solver(&scene);
    run(&mut solver, 30, FRAME);
    assert!((ratio(&solver, body, &mesh) / 1.5 - 1.0).abs() < 2e-3);
}

#[test]
fn what_is_no_balloon_is_refused() {
    let error = |balloon: Balloon| {
        let mut scene = Scene::new();
        scene.add(balloon.named("b"));
        Plan::new(&scene).unwrap_err()
    };
    let mesh = Mesh::ball(0.2, 1);
    let open = Mesh { triangles: mesh.triangles[1..].to_vec(), ..mesh.clone() };
    let [a, b, _] = mesh.triangles[0];
    match error(Balloon::new(&open)) {
        Error::NotClosed { of, edge, count: 3 } => {
            assert_eq!(of, "body `b`, volume 0");
            assert!(
                mesh.triangles[0].contains(&edge[0]) && mesh.triangles[0].contains(&edge[1]),
                "{edge:?} of {a}-{b}"
            );
        }
        other => panic!("{other}"),
    }
    for k in [-0.1, f32::NAN, f32::INFINITY, 2e6] {
        let said = error(Balloon::new(&mesh).pressure(k)).to_string();
        assert!(said.starts_with("body `b`, volume 0: pressure is "), "{said}");
    }
    let said = error(Balloon::new(&mesh).pressure_path(&[[1.0, 1.0], [1.0, 2.0]])).to_string();
    assert_eq!(said, "body `b`, volume 0: time of pressure 1 is 1, which is not after the one before");
    let said = error(Balloon::new(&mesh).pressure_path(&[])).to_string();
    assert!(said.contains("number of keys of the pressure is 0"), "{said}");
    let said = error(Balloon::new(&mesh).volume_by(Stiffness::pbd(1.5))).to_string();
    assert_eq!(said, "body `b`, volume 0: stiffness is 1.5, which is not within 0 .. 1");
    let flat = Mesh {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 3], [0, 3, 2], [0, 3, 1], [0, 2, 3]],
    };
    let mut body = Body::particles(flat.positions, vec![1.0; 4]);
    body.volumes = vec![VolumeConstraint::new(flat.triangles, Stiffness::compliance(0.0), Pressure::constant(1.0))];
    let mut scene = Scene::new();
    scene.add(body);
    let said = Plan::new(&scene).unwrap_err().to_string();
    assert!(said.contains("volume at rest is 0, which is not above 0 m^3"), "{said}");

    let mut scene = Scene::new();
    let (balloon, rope) =
        (scene.add(Balloon::new(&mesh)), scene.add(seidel::Rope::new([0.0; 3], [1.0, 0.0, 0.0], 4).named("r")));
    let mut solver = solver(&scene);
    let mut rejected = |input: Input| -> String {
        let Report { rejected, .. } = solver.step(&input);
        rejected.expect("no pressure").to_string()
    };
    assert_eq!(rejected(Input::frame(FRAME).pressure(rope, 1.0)), "input: body `r` has no field that holds a volume");
    assert!(rejected(Input::frame(FRAME).pressure(balloon, f32::NAN)).starts_with("input: pressure is NaN"));
}

/// A rigid skin that is blown up to twice its volume, and so is torn between the two in every sweep, does not begin to
/// turn or to drift.
#[test]
fn what_works_against_itself_does_not_spin_up() {
    let methods = [(Method::GaussSeidel, 1), (Method::GaussSeidel, 3), (Method::JACOBI, 3)];
    for (mesh, (method, iterations)) in meshes().into_iter().flat_map(|m| methods.map(|of| (m.clone(), of))) {
        let mut scene = scene(0.0, 20);
        (scene.settings.iterations, scene.settings.method) = (iterations, method);
        let body = scene.add(Balloon::new(&mesh).stretch(0.0).pressure(2.0));
        let mut solver = solver(&scene);
        run(&mut solver, 60, FRAME);
        let (x, v, m) = (positions(&solver, body), velocities(&solver, body), runs::masses(&solver, body));
        let (p, l) = (norm(momentum(&solver, body)), norm(runs::angular_momentum(&x, &v, &m)));
        let mass: f64 = m.iter().sum();
        println!("{method:?}, {iterations} iterations: {:.1e} m/s, {:.1e} m^2/s", p / mass, l / mass);
        assert!(p < 1e-5 * mass && l < 5e-6 * mass, "{iterations} iterations: {p:.1e} N s, {l:.1e} N m s of {mass} kg");
    }
}

/// On ground, with friction, it is blown up, let go and blown up again where it is, and does not roll away.
#[test]
fn on_the_ground_it_stays_where_it_is() {
    for (method, iterations) in [(Method::GaussSeidel, 1), (Method::GaussSeidel, 2), (Method::JACOBI, 4)] {
        let mut scene = scene(9.81, 20);
        (scene.settings.iterations, scene.settings.method) = (iterations, method);
        scene.add_collider(Collider::ground());
        let path = [[0.0, 1.0], [1.0, 3.0], [2.0, 0.5], [2.5, 2.0]];
        let balloon = Balloon::new(Mesh::ball(0.2, 3)).placed(Pose::at([0.0, 0.21, 0.0]), 1.0).pressure_path(&path);
        let body = scene.add(balloon);
        let mut solver = solver(&scene);
        run(&mut solver, 180, FRAME);
        let x = positions(&solver, body);
        let center = scale(x.iter().fold([0.0; 3], |sum, x| runs::add(sum, *x)), 1.0 / x.len() as f64);
        let away = (center[0] * center[0] + center[2] * center[2]).sqrt();
        println!("{method:?}, {iterations} iterations: {away:.1e} m away");
        assert!(away < 0.2, "{method:?}, {iterations} iterations: {away} m away");
    }
}
