//! Colliders that hold data: signed distance fields of meshes, convex hulls, height fields. How near they are to what
//! they stand for; and that nothing passes them, whatever its speed.

use crate::runs;
use crate::runs::{FRAME, P, meshes, norm, particles, positions, run, scene, solver, sub, velocities};
use seidel::collider::{ConvexHull, Form, HeightField, Key, Motion, Sdf, Shape};
use seidel::{Cloth, Collider, Input, Isa, Mesh, Plan, Pose, Scene, Solver};
use std::sync::{Arc, LazyLock};

fn sdf(mesh: &Mesh, cell: f32) -> Arc<Sdf> {
    Arc::new(Sdf::from_mesh(mesh, cell).expect("a closed mesh"))
}

fn ring() -> Arc<Sdf> {
    sdf(&meshes::torus(0.4, 0.1, 96, 48), 0.02)
}

fn hull() -> Arc<ConvexHull> {
    // An octahedron with its corners cut by a box: 14 faces, of edges blunt and sharp.
    let mut points = vec![[0.5, 0.0, 0.0], [-0.5, 0.0, 0.0], [0.0, 0.0, 0.4], [0.0, 0.0, -0.4]];
    for i in 0..8 {
        points.push([0, 1, 2].map(|k| if i >> k & 1 == 0 { 0.25 } else { -0.25 }).map(|c: f32| c * 0.8));
    }
    Arc::new(ConvexHull::new(&points).expect("a hull"))
}

/// Waves in a square of two metres.
fn hills() -> Arc<HeightField> {
    let n = 81;
    let at = |i: u32| 0.025 * f64::from(i) - 1.0;
    let height = |i: u32, j: u32| (0.1 * (6.0 * at(i)).sin() * (5.0 * at(j)).cos()) as f32;
    let heights: Vec<f32> = (0..n).flat_map(|j| (0..n).map(move |i| height(i, j))).collect();
    Arc::new(HeightField::new([n, n], &heights, 0.025).expect("a field"))
}

/// What ends somewhere, and a point inside of it; made once for all tests.
fn solids() -> [(&'static str, Collider, P); 4] {
    static ALL: LazyLock<[(&str, Collider, P); 4]> = LazyLock::new(|| {
        [
            ("mesh", Collider::sdf(ring()), [0.4, 0.0, 0.0]),
            ("thin mesh", Collider::sdf(sdf(&meshes::torus(0.4, 0.03, 96, 24), 0.02)), [0.4, 0.0, 0.0]),
            ("shell", Collider::shell(sdf(&meshes::ball(0.3, 4), 0.02), 0.004), [0.3, 0.0, 0.0]),
            ("hull", Collider::hull(hull()), [0.0; 3]),
        ]
    });
    ALL.clone()
}

/// The field of a ball's mesh and of a ring's, against the ball and the ring, within what the documentation says: a^2 /
/// 8 times the sum of the curvatures, and the mesh's own difference.
#[test]
fn a_field_is_as_near_as_it_says() {
    for cell in [0.05f32, 0.025] {
        let a = f64::from(cell);
        let field = sdf(&meshes::ball(0.5, 6), cell);
        let mut random = runs::Random(4);
        let (mut worst, mut checked) = (0.0f64, 0);
        for _ in 0..20_000 {
            let x = random.point().map(|c| 0.57 * c);
            let r = norm(x);
            if r > 0.3 {
                let off = f64::from(field.distance(x.map(|c| c as f32))) - (r - 0.5);
                worst = worst.max(off.abs() * (r - 3.0f64.sqrt() * a));
                checked += 1;
            }
        }
        // The nodes about a point at r are on spheres no smaller than r less a cell's diagonal. The mesh: edges e of
        // 1/64 of a right angle or twice that, the middle of a triangle e^2 / 6 R below the ball.
        let mesh = (2.0 * 0.5 * std::f64::consts::FRAC_PI_2 / 64.0).powi(2) / 6.0;
        assert!(checked > 5_000 && worst <= a * a / 4.0 + mesh, "cell {cell}: {worst} m^2 off, {}", a * a / 4.0 + mesh);

        let (tube, ring) = (0.15, 0.4);
        let field = sdf(&meshes::torus(ring, tube, 400, 160), cell);
        let mut worst = 0.0f64;
        for _ in 0..20_000 {
            let x = random.point().map(|c| 0.6 * c);
            let (out, y) = ((x[0] * x[0] + x[2] * x[2]).sqrt() - ring, x[1]);
            let away = (out * out + y * y).sqrt();
            // Neither near the middle of the tube nor near the axis, where several points are nearest.
            if (away - tube).abs() < 0.03 {
                let off = f64::from(field.distance(x.map(|c| c as f32))) - (away - tube);
                worst = worst.max(off.abs());
            }
        }
        // Within the cells about such a point radii are at least the tube's less 3 cm and a cell's diagonal.
        let least = tube - 0.03 - 3.0f64.sqrt() * a;
        let curved = 1.0 / least.max(1e-3) + 1.0 / (ring - tube);
        let most = (a * a / 8.0 * curved).min(0.87 * a) + 2e-4;
        assert!(worst <= most, "cell {cell}: {worst} m off, {most} said");
    }
}

/// A field is the same whichever way its mesh is oriented, and pieces that overlap are one.
#[test]
fn inside_is_where_the_surface_winds() {
    let mut mesh = meshes::ball(0.3, 3);
    let field = sdf(&mesh, 0.03);
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    assert_eq!(field.distance([0.1, 0.0, 0.05]), sdf(&mesh, 0.03).distance([0.1, 0.0, 0.05]));
    let mut two = meshes::ball(0.3, 3);
    let (first, count) = (two.positions.clone(), two.positions.len() as u32);
    two.positions.extend(first.iter().map(|x| [x[0] + 0.2, x[1], x[2]]));
    two.triangles.extend(two.triangles.clone().iter().map(|t| t.map(|v| v + count)));
    let both = sdf(&two, 0.03);
    for x in [[-0.2, 0.0, 0.0], [0.1, 0.0, 0.0], [0.4, 0.0, 0.0]] {
        assert!(both.distance(x) < -0.05, "{x:?}: {}", both.distance(x));
    }
    assert!(both.distance([0.1, 0.29, 0.0]) > 0.0);
}

/// As for the other solids: shot from all sides at 100 m/s, also while they spin.
#[test]
fn nothing_passes_at_a_hundred_metres_a_second() {
    for (name, collider, target) in solids() {
        for (substeps, spin) in [(20, false), (1, false), (20, true)] {
            let from = runs::directions(300);
            let x: Vec<P> = from.iter().map(|d| [target[0] + 1.2 * d[0], 1.2 * d[1], 1.2 * d[2]]).collect();
            let mut scene: Scene = scene(0.0, substeps);
            let mut body = particles(&x, &vec![1.0; x.len()]);
            body.velocities = from.iter().map(|d| d.map(|d| -100.0 * d as f32)).collect();
            (body.thickness, body.friction) = (0.001_f32.into(), 0.0_f32.into());
            let body = scene.add(body);
            let key = |time, degrees| Key {
                time,
                offset: [0.0; 3].into(),
                axis: [0.3, 1.0, 0.2].into(),
                angle: seidel::degrees(degrees),
            };
            let path = Motion::KeyFrames { keys: vec![key(0.0, 0.0), key(1.0, 720.0)] };
            scene.add_collider(collider.clone().friction(0.0).moving(if spin { path } else { Motion::Fixed }));
            let mut solver: Solver = solver(&scene);
            run(&mut solver, 1, FRAME);
            let deep = solver.measure().max_penetration;
            assert!(deep <= 2e-6, "{name}, {substeps} substeps, spin {spin}: {deep:.1e} m deep");
            let behind = 100.0 / 60.0 - 1.2;
            let passed: Vec<_> = positions(&solver, body)
                .into_iter()
                .zip(&from)
                .filter(|(x, d)| norm(sub(*x, [target[0] - behind * d[0], -behind * d[1], -behind * d[2]])) < 0.005)
                .collect();
            assert!(passed.is_empty(), "{name}, {substeps} substeps, spin {spin}: {passed:?}");
        }
    }
}

/// What comes down on hills at 100 m/s, steeply or flat, is never below them.
#[test]
fn nothing_passes_a_height_field() {
    for (substeps, down) in
        [(20, [0.0, -1.0, 0.0]), (1, [0.0, -1.0, 0.0]), (20, [0.9, -0.3, 0.3]), (1, [0.6, -0.6, 0.5])]
    {
        let x: Vec<P> =
            (0..400).map(|i| [f64::from(i % 20) * 0.08 - 0.8, 0.5, f64::from(i / 20) * 0.08 - 0.8]).collect();
        let mut scene = scene(9.81, substeps);
        let mut body = particles(&x, &vec![1.0; x.len()]);
        body.velocities = vec![runs::scale(down, 100.0 / norm(down)).map(|v| v as f32); x.len()];
        (body.thickness, body.friction) = (0.001_f32.into(), 0.0_f32.into());
        scene.add(body);
        scene.add_collider(Collider::height_field(hills()).turned([1.0, 0.0, 0.0], seidel::degrees(5.0)));
        let mut solver = solver(&scene);
        for frame in 0..10 {
            run(&mut solver, 1, FRAME);
            let deep = solver.measure().max_penetration;
            assert!(deep <= 5e-6, "{substeps} substeps, {down:?}, frame {frame}: {deep:.1e} m deep");
        }
    }
}

/// What falls on a turned shape comes to rest on it or slides off, and is never inside.
#[test]
fn what_falls_on_a_turned_shape_stays_outside() {
    for (name, collider, _) in solids() {
        let mut scene = scene(9.81, 20);
        let x: Vec<P> =
            (0..400).map(|i| [f64::from(i % 20) * 0.05 - 0.475, 0.8, f64::from(i / 20) * 0.05 - 0.475]).collect();
        let mut body = particles(&x, &vec![2.0; x.len()]);
        body.thickness = 0.004_f32.into();
        scene.add(body);
        scene.add_collider(collider.turned([1.0, 0.0, 0.5], seidel::degrees(35.0)));
        let mut solver = solver(&scene);
        for frame in 0..60 {
            run(&mut solver, 1, FRAME);
            let deep = solver.measure().max_penetration;
            assert!(deep <= 4e-6, "{name}, frame {frame}: {deep:.1e} m deep");
        }
    }
}

/// A particle rests at its thickness: on a face of a hull, in a valley, on top of a ball's field.
#[test]
fn what_rests_is_its_thickness_away() {
    let box_hull = Arc::new(ConvexHull::new(&corners(0.2)).expect("a hull"));
    let flat = Arc::new(HeightField::new([5, 5], &[0.2; 25], 0.1).expect("a field"));
    let resting = [
        ("hull", Collider::hull(box_hull), 1e-6),
        ("heights", Collider::height_field(flat), 1e-6),
        // Of cells of 1 cm on a ball of 20 cm: 1e-4 / 0.8, and its mesh.
        ("mesh", Collider::sdf(sdf(&meshes::ball(0.2, 5), 0.01)), 2.5e-4),
    ];
    for (name, collider, off) in resting {
        let mut scene = scene(9.81, 20);
        let mut body = particles(&[[0.0, 0.21, 0.0]], &[1.0]);
        (body.thickness, body.friction) = (0.005_f32.into(), 1.0_f32.into());
        let body = scene.add(body);
        scene.add_collider(collider.friction(1.0));
        let mut solver = solver(&scene);
        run(&mut solver, 60, FRAME);
        let y = positions(&solver, body)[0][1];
        assert!((y - 0.205).abs() <= off, "{name}: at {y}");
        assert!(norm(velocities(&solver, body)[0]) < 1e-4, "{name}: {:?}", velocities(&solver, body));
    }
}

/// Triangles that are held off lie still: what lifts one gives it no velocity.
#[test]
fn a_cloth_lies_still() {
    let flat = Arc::new(HeightField::new([5, 5], &[0.0; 25], 0.2).expect("a field"));
    let lying = [
        ("heights", Collider::height_field(flat), 0.01),
        ("mesh", Collider::sdf(sdf(&meshes::ball(0.3, 5), 0.02)), 0.31),
        ("coarse mesh", Collider::sdf(sdf(&meshes::ball(0.3, 5), 0.06)), 0.31),
        ("torus", Collider::torus(0.06, 0.04), 0.05),
    ];
    for (name, collider, y) in lying {
        for thickness in [0.002, 0.01] {
            let mut scene = scene(9.81, 20);
            let sheet = Cloth::grid([14, 14], [0.2, 0.2]).thickness(thickness).friction(1.0).bend(1.0).damping(0.1);
            let sheet = scene.add(sheet.placed(Pose::at([0.0, y + thickness, 0.0]), 1.0));
            scene.add_collider(collider.clone().friction(1.0));
            let mut solver = solver(&scene);
            run(&mut solver, 400, FRAME);
            let mut fastest = 0.0f64;
            for _ in 0..40 {
                run(&mut solver, 1, FRAME);
                fastest = velocities(&solver, sheet).iter().map(|&v| norm(v)).fold(fastest, f64::max);
                let depth = solver.measure().max_penetration;
                assert!(depth <= 1e-3 * thickness + 1e-6, "{name}: {depth} m deep, {thickness} m thick");
            }
            assert!(fastest < 0.01, "{name}, {thickness} m thick: {fastest} m/s");
        }
    }
}

fn corners(half: f32) -> Vec<[f32; 3]> {
    (0..8).map(|i| [0, 1, 2].map(|k| if i >> k & 1 == 0 { half } else { -half })).collect()
}

/// A cloth thrown about in a ball stays in it; the ball swings.
#[test]
fn a_container_keeps_what_is_in_it() {
    let mut scene = scene(9.81, 20);
    let cloth = Cloth::grid([24, 24], [0.4, 0.4]).velocity([20.0, 5.0, -10.0]).bend(1e2).thickness(0.004);
    scene.add(cloth);
    let wave = Motion::Sinusoidal { amplitude: [0.5, 0.0, 0.0].into(), period: 0.5, phase: 0.0 };
    scene.add_collider(Collider::container(sdf(&meshes::ball(0.35, 4), 0.025)).moving(wave));
    let mut solver = solver(&scene);
    for frame in 0..90 {
        run(&mut solver, 1, FRAME);
        let deep = solver.measure().max_penetration;
        assert!(deep <= 4e-6, "frame {frame}: {deep:.1e} m outside");
    }
}

/// What begins inside gets out, slowly.
#[test]
fn what_begins_inside_is_not_flung() {
    let all = solids().map(|(name, collider, _)| (name, collider));
    for (name, collider) in all.into_iter().chain([("heights", Collider::height_field(hills()).at([0.0, 0.02, 0.0]))]) {
        let mut scene = scene(0.0, 20);
        let pose = Pose::IDENTITY.turned([1.0, 0.0, 0.0], seidel::degrees(20.0));
        let body = scene.add(Cloth::grid([16, 16], [0.9, 0.9]).placed(pose, 1.0).bend(1e2).thickness(0.002));
        scene.add_collider(collider);
        let notes = Plan::new(&scene).expect("a sound scene").warnings();
        assert!(notes.iter().any(|note| note.contains("inside collider")), "{name}: {notes:?}");
        let mut solver = solver(&scene);
        let mut fastest = 0.0f64;
        // Only from below hills there is one way out; the others show within the first frames how fast they are.
        for _ in 0..if name == "heights" { 30 } else { 15 } {
            run(&mut solver, 1, FRAME);
            fastest = velocities(&solver, body).into_iter().map(norm).fold(fastest, f64::max);
        }
        assert!(fastest < 8.0, "{name}: {fastest} m/s");
        // A cloth through the middle of a solid is drawn either way. Below hills there is one way.
        let out = solver.measure().max_penetration < 1e-5;
        assert!(out || name != "heights", "{name}: {:?}", solver.measure());
    }
}

#[test]
fn the_same_bits_on_every_isa() {
    let mut all: Vec<_> = solids().map(|(name, collider, _)| (name, collider)).into();
    all.push(("container", Collider::container(sdf(&meshes::ball(0.5, 4), 0.04))));
    all.push(("heights", Collider::height_field(hills())));
    let spin = |degrees| Key {
        time: degrees / 360.0,
        offset: [0.0; 3].into(),
        axis: [0.3, 1.0, 0.2].into(),
        angle: seidel::degrees(degrees),
    };
    let mut touched = vec![false; all.len()];
    for (number, (name, collider)) in all.into_iter().enumerate() {
        let mut scene = scene(9.81, 4);
        scene.settings.iterations = 2;
        // In lanes, and rows by index.
        let cloth = Cloth::grid([18, 18], [0.8, 0.8]).placed(Pose::at([0.0, 0.12, 0.0]), 1.0).bend(1e2);
        scene.add(cloth.velocity([0.0, -4.0, 0.0]));
        let x: Vec<P> = runs::directions(100).into_iter().map(|d| runs::scale(d, 0.45)).collect();
        scene.add(particles(&x, &[1.0; 100]));
        scene.add_collider(collider.moving(Motion::KeyFrames { keys: vec![spin(0.0), spin(360.0)] }));
        let mut hash = |isa| {
            let mut solver = runs::solver_on(&scene, isa, 1);
            // Until they touch.
            touched[number] |= (0..2).any(|_| solver.step(&Input::frame(FRAME)).contacts > 0);
            solver.state().hash()
        };
        let first = hash(Isa::SCALAR);
        for isa in Isa::available().into_iter().filter(|&isa| isa != Isa::SCALAR) {
            assert_eq!(hash(isa), first, "{name}, {isa}");
        }
    }
    assert!(touched.iter().all(|touched| *touched), "{touched:?}");
}

#[test]
fn what_is_no_field_is_named() {
    let says = |mesh: &Mesh, cell: f32, text: &str| {
        let error = Sdf::from_mesh(mesh, cell).unwrap_err().to_string();
        assert!(error.starts_with("signed distance field") && error.contains(text), "{error}");
    };
    let mut mesh = meshes::torus(0.4, 0.1, 12, 8);
    says(&mesh, 0.0, "cell is 0");
    says(&mesh, f32::NAN, "cell is NaN");
    says(&mesh, f32::INFINITY, "cell is inf");
    says(&mesh, 1e-4, "at most 33554432");
    says(&mesh, 1e-30, "at most 33554432");
    mesh.triangles.remove(5);
    says(&mesh, 0.05, "the mesh is not closed: edge 2-3");
    mesh.positions[7][0] = f32::NAN;
    says(&mesh, 0.05, "coordinate of vertex 7 is NaN");
    says(&Mesh::default(), 0.05, "no triangle");
    let says = |nodes, heights: &[f32], cell, text: &str| {
        let error = HeightField::new(nodes, heights, cell).unwrap_err().to_string();
        assert!(error.starts_with("height field: ") && error.contains(text), "{error}");
    };
    says([1, 5], &[0.0; 5], 1.0, "nodes along x is 1");
    says([2, 2], &[0.0; 5], 1.0, "has 5 entries and should have 4");
    says([2, 2], &[0.0; 4], -1.0, "cell is -1");
    says([2, 2], &[0.0, 0.0, 0.0, f32::NAN], 1.0, "height 1 of row 1 is NaN");
    says([u32::MAX, u32::MAX], &[], 1.0, "at most 16777216");
    let mut scene = Scene::new();
    scene.add_collider(Collider::new(Shape::Sdf { sdf: ring(), form: Form::Shell(0.0) }).named("bowl"));
    let error = Plan::new(&scene).unwrap_err().to_string();
    assert!(error.contains("collider `bowl`: half the shell is 0"), "{error}");
}
