//! Triangles against solids: what lies between the vertices of a coarse cloth is kept out, too, and nothing goes
//! through between them.

use crate::runs;
use crate::runs::{FRAME, P, meshes, norm, positions, run, scene, solver, velocities};
use glam::DMat3;
use seidel::collider::{ConvexHull, Form, HeightField, Key, Motion, Sdf, Shape};
use seidel::{BodyId, Cloth, Collider, Isa, Pose, Scene, Solver};
use std::sync::{Arc, LazyLock};

/// Solids about the origin, thinner than the triangles of the cloths below; made once for all tests.
fn solids() -> Vec<(&'static str, Collider)> {
    static ALL: LazyLock<Vec<(&str, Collider)>> = LazyLock::new(made);
    ALL.clone()
}

fn made() -> Vec<(&'static str, Collider)> {
    let sdf = |mesh, cell| Arc::new(Sdf::from_mesh(&mesh, cell).expect("a closed mesh"));
    let roof: Vec<[f32; 3]> =
        [-0.3f32, 0.3].into_iter().flat_map(|z| [[-0.1, -0.1, z], [0.1, -0.1, z], [0.0, 0.1, z]]).collect();
    let ball = sdf(meshes::ball(0.12, 4), 0.01);
    let tip = [[-0.1f32, -0.1, -0.1], [0.1, -0.1, -0.1], [0.1, -0.1, 0.1], [-0.1, -0.1, 0.1], [0.013, 0.15, 0.007]];
    vec![
        ("sphere", Collider::sphere(0.12)),
        ("capsule", Collider::capsule(0.05, 0.2).turned([1.0, 0.0, 0.0], seidel::degrees(90.0))),
        ("thin capsule", Collider::capsule(0.01, 0.3).turned([1.0, 0.0, 0.2], seidel::degrees(90.0))),
        ("torus", Collider::torus(0.25, 0.04).turned([1.0, 0.0, 0.3], seidel::degrees(70.0))),
        ("cylinder", Collider::cylinder(0.1, 0.15).turned([0.0, 0.0, 1.0], seidel::degrees(30.0))),
        ("cuboid", Collider::cuboid([0.2, 0.1, 0.15])),
        ("cuboid on edge", Collider::cuboid([0.15, 0.15, 0.3]).turned([0.0, 0.0, 1.0], seidel::degrees(45.0))),
        ("plate", Collider::cuboid([0.3, 0.002, 0.3]).turned([1.0, 0.0, 0.3], seidel::degrees(20.0))),
        ("ball's field", Collider::sdf(Arc::clone(&ball))),
        (
            "ring's field",
            Collider::sdf(sdf(meshes::torus(0.25, 0.05, 96, 32), 0.01)).turned([1.0, 0.0, 0.3], seidel::degrees(70.0)),
        ),
        ("shell", Collider::shell(ball, 0.002)),
        ("tip", Collider::hull(Arc::new(ConvexHull::new(&tip).expect("a hull")))),
        ("hull", Collider::hull(Arc::new(ConvexHull::new(&roof).expect("a hull")))),
    ]
}

/// A point in a collider's frame.
fn local(pose: &Pose, x: P) -> P {
    let (m, d) =
        (DMat3::from_quat(pose.rotation()).transpose().to_cols_array_2d(), runs::sub(x, pose.position().to_array()));
    std::array::from_fn(|k| m[0][k] * d[0] + m[1][k] * d[1] + m[2][k] * d[2])
}

/// Distance from a solid by its definition, not by the kernel's.
fn distance(collider: &Collider, x: P) -> f64 {
    let [x, y, z] = x;
    let beyond = |q: &[f64]| {
        let out = q.iter().map(|q| q.max(0.0) * q.max(0.0)).sum::<f64>().sqrt();
        out + q.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b)).min(0.0)
    };
    match &collider.shape {
        Shape::Sphere { radius } => norm([x, y, z]) - f64::from(*radius),
        Shape::Capsule { radius, half_length } => {
            let half = f64::from(*half_length);
            norm([x, y - y.clamp(-half, half), z]) - f64::from(*radius)
        }
        Shape::Cuboid { half } => {
            beyond(&[x.abs() - f64::from(half[0]), y.abs() - f64::from(half[1]), z.abs() - f64::from(half[2])])
        }
        Shape::Cylinder { radius, half_height } => {
            beyond(&[(x * x + z * z).sqrt() - f64::from(*radius), y.abs() - f64::from(*half_height)])
        }
        Shape::Torus { ring, tube } => {
            let out = (x * x + z * z).sqrt() - f64::from(*ring);
            (out * out + y * y).sqrt() - f64::from(*tube)
        }
        Shape::Sdf { sdf, form } => {
            let d = f64::from(sdf.distance([x, y, z].map(|c| c as f32)));
            match form {
                Form::Solid => d,
                Form::Shell(half) => d.abs() - f64::from(*half),
                Form::Container => -d,
            }
        }
        Shape::Hull(hull) => {
            let mesh = hull.surface();
            let above = |t: &[u32; 3]| {
                let [a, b, c]: [P; 3] = t.map(|v| mesh.positions[v as usize].map(f64::from));
                let n = runs::cross(runs::sub(b, a), runs::sub(c, a));
                runs::dot(n, runs::sub([x, y, z], a)) / norm(n)
            };
            mesh.triangles.iter().map(above).fold(f64::NEG_INFINITY, f64::max)
        }
        _ => unreachable!("not among these solids"),
    }
}

/// How deep a cloth is below a thickness about a collider, at points all over its triangles: as many as 30 to an edge,
/// then about the deepest of each triangle.
fn deepest(solver: &Solver, body: BodyId, collider: &Collider, time: f64, thickness: f64) -> f64 {
    let pose = collider.motion.at(&collider.pose, time);
    let x: Vec<P> = positions(solver, body).into_iter().map(|x| local(&pose, x)).collect();
    let mut worst = 0.0f64;
    for t in solver.plan().triangles(body) {
        let [a, b, c]: [P; 3] = t.map(|v| x[v as usize]);
        let depth = |s: f64, t: f64| {
            let at = std::array::from_fn(|k| a[k] + (b[k] - a[k]) * s + (c[k] - a[k]) * t);
            thickness - distance(collider, at)
        };
        let size = norm(runs::sub(b, a)).max(norm(runs::sub(c, a))).max(norm(runs::sub(c, b)));
        if depth(0.0, 0.0) < -1.3 * size {
            continue;
        }
        let n = 30;
        let at = |i: i32| f64::from(i) / f64::from(n);
        let points = (0..=n).flat_map(|i| (0..=n - i).map(move |j| (i, j)));
        let of = |(i, j)| (depth(at(i), at(j)), at(i), at(j));
        let (_, s, t) = points.map(of).fold((f64::NEG_INFINITY, 0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        let m = 20;
        for (i, j) in (-m..=m).flat_map(|i| (-m..=m).map(move |j| (i, j))) {
            let (s, t) = ((s + at(i) / f64::from(m)).max(0.0), (t + at(j) / f64::from(m)).max(0.0));
            if s + t <= 1.0 {
                worst = worst.max(depth(s, t));
            }
        }
    }
    worst
}

/// A sheet of few triangles falls on a solid and comes to lie on it.
#[test]
fn a_coarse_cloth_is_not_pierced() {
    for (name, collider) in solids() {
        let mut scene = scene(9.81, 20);
        let pose = Pose::at([0.01, 0.4, 0.02]).turned([0.0, 1.0, 0.0], seidel::degrees(25.0));
        let body =
            scene.add(Cloth::grid([6, 6], [1.0, 1.0]).placed(pose, 1.0).bend(1e2).thickness(0.004).damping(0.05));
        scene.add_collider(collider.clone());
        let mut solver = solver(&scene);
        let (mut worst, mut fastest) = (0.0f64, 0.0f64);
        for frame in 0..90 {
            run(&mut solver, 1, FRAME);
            if frame % 10 == 9 {
                worst = worst.max(deepest(&solver, body, &collider, 0.0, 0.004));
            }
            fastest = velocities(&solver, body).into_iter().map(norm).fold(fastest, f64::max);
        }
        // At rest two thousandths of the thickness; on the way there what triangles that are pushed leave each other.
        let rests = deepest(&solver, body, &collider, 0.0, 0.004);
        assert!(rests <= 8e-6 && worst <= 1e-4, "{name}: {rests:.1e} m deep at rest, {worst:.1e} m before");
        assert!(fastest < 12.0, "{name}: {fastest} m/s");
    }
}

/// Asked for particles alone, a collider that is finer than the mesh comes through between them, and its corners do
/// not.
#[test]
fn particles_only_keeps_particles_out() {
    for particles_only in [false, true] {
        let mut scene = scene(10.0, 20);
        let body = scene.add(Cloth::grid([5, 5], [0.8, 0.8]).placed(Pose::at([0.0, 0.1, 0.0]), 1.0).thickness(0.004));
        let collider = Collider::cuboid([0.03, 0.05, 0.03]).at([0.1, 0.0, 0.1]);
        let collider = if particles_only { collider.particles_only() } else { collider };
        scene.add_collider(collider.clone());
        scene.add_collider(Collider::ground().at([0.0, -0.02, 0.0]));
        let mut solver = solver(&scene);
        run(&mut solver, 60, FRAME);
        let depth = deepest(&solver, body, &collider, 0.0, 0.004);
        assert_eq!(depth > 0.01, particles_only, "{depth} m deep");
        let inside =
            positions(&solver, body).into_iter().filter(|&x| distance(&collider, local(&collider.pose, x)) < 0.003);
        assert_eq!(inside.count(), 0, "a particle is in it");
    }
}

/// Where the line through the solid's middle along y meets the cloth: highest.
fn above(solver: &Solver, body: BodyId) -> Option<f64> {
    let x = positions(solver, body);
    let meets = |t: &[u32; 3]| {
        let [a, b, c]: [P; 3] = t.map(|v| x[v as usize]);
        let side = |p: P, q: P| p[0] * q[2] - p[2] * q[0];
        let s = [side(b, c), side(c, a), side(a, b)];
        let area: f64 = s.iter().sum();
        let inside = s.iter().all(|s| *s >= 0.0) || s.iter().all(|s| *s <= 0.0);
        (inside && area != 0.0).then(|| (a[1] * s[0] + b[1] * s[1] + c[1] * s[2]) / area)
    };
    solver.plan().triangles(body).iter().filter_map(meets).reduce(f64::max)
}

/// A sheet thrown down at 100 m/s, of one or twenty substeps a frame: what was above the solid is still.
#[test]
fn a_fast_coarse_cloth_does_not_pass() {
    // Each solid in two of four ways.
    for (k, (name, collider)) in solids().into_iter().enumerate() {
        let ways = [(4, 20, false), (4, 1, false), (9, 20, false), (4, 20, true)];
        for (cells, substeps, spin) in [ways[k % 4], ways[(k + 1) % 4]] {
            let mut scene: Scene = scene(0.0, substeps);
            let pose = Pose::at([0.03, 0.9, 0.04]).turned([0.0, 1.0, 0.0], seidel::degrees(25.0));
            let cloth = Cloth::grid([cells, cells], [1.0, 1.0]).placed(pose, 1.0).velocity([0.0, -100.0, 0.0]);
            let body = scene.add(cloth.thickness(0.002).stretch(1e-5));
            let key = |time, degrees| Key {
                time,
                offset: [0.0; 3].into(),
                axis: [0.0, 1.0, 0.0].into(),
                angle: seidel::degrees(degrees),
            };
            let path = Motion::KeyFrames { keys: vec![key(0.0, 0.0), key(1.0, 720.0)] };
            let collider = collider.clone().moving(if spin { path } else { Motion::Fixed });
            scene.add_collider(collider.clone());
            let mut solver = solver(&scene);
            run(&mut solver, 1, FRAME);
            let deep = deepest(&solver, body, &collider, f64::from(FRAME), 0.002);
            let what = format!("{name}, {cells} cells, {substeps} substeps, spin {spin}: {deep:.1e} m deep");
            // The edge of a plate of 4 mm may stay in a sheet that meets it at 4 cm or more a substep; nothing is
            // behind it.
            assert!(deep <= if name == "plate" { 4.1e-3 } else { 1e-3 }, "{what}");
            // The middle of a ring is free.
            let free = name.starts_with("torus") || name.starts_with("ring");
            assert!(free || above(&solver, body).is_some_and(|y| y > 0.0), "{what}: {:?}", above(&solver, body));
        }
    }
}

#[test]
fn the_same_bits_on_every_isa() {
    let hills = HeightField::new([3, 3], &[0.0, 0.1, 0.0, 0.1, 0.2, 0.1, 0.0, 0.1, 0.0], 0.2).expect("a field");
    let mut all = solids();
    all.push(("heights", Collider::height_field(Arc::new(hills))));
    for (k, (name, collider)) in all.into_iter().enumerate() {
        // In turn lying on it, and thrown at it.
        let (height, speed) = [(0.02, 0.0), (0.3, 30.0)][k % 2];
        let mut scene = scene(9.81, 2);
        scene.settings.iterations = 2;
        let pose = Pose::at([0.0, height, 0.0]);
        scene.add(Cloth::grid([5, 5], [1.0, 1.0]).placed(pose, 1.0).velocity([0.0, -speed, 0.0]).bend(1e2));
        scene.add_collider(collider.clone());
        let hash = |isa| {
            let mut solver = runs::solver_on(&scene, isa, 1);
            run(&mut solver, 1, FRAME);
            solver.state().hash()
        };
        let first = hash(Isa::SCALAR);
        for isa in Isa::available().into_iter().filter(|&isa| isa != Isa::SCALAR) {
            assert_eq!(hash(isa), first, "{name}, {isa}, {speed} m/s");
        }
    }
}
