//! Colliders that are signed distances: nothing passes them, whatever its speed; they turn, and take with them what
//! lies on them.

use crate::runs;
use crate::runs::{P, norm, particles, run, scene, solver, sub};
use seidel::{Cloth, Collide, Collider, Pose, Scene, Solver, collider::Key, collider::Motion};

const FRAME: f32 = 1.0 / 60.0;

/// Each shape, and a point inside of it.
fn shapes() -> [(&'static str, Collider, P); 4] {
    [
        ("capsule", Collider::capsule(0.2, 0.3), [0.0; 3]),
        ("cuboid", Collider::cuboid([0.3, 0.02, 0.4]), [0.0; 3]),
        ("cylinder", Collider::cylinder(0.3, 0.05), [0.0; 3]),
        ("torus", Collider::torus(0.4, 0.05), [0.4, 0.0, 0.0]),
    ]
}

/// Shot from all sides at 100 m/s at a point inside: none is inside afterwards, and none has come out on the other
/// side. A step is 1.7 m, of twenty or of one substep; the plate is 4 cm thick.
#[test]
fn nothing_passes_at_a_hundred_metres_a_second() {
    for (name, collider, target) in shapes() {
        for (substeps, spin) in [(20, false), (1, false), (20, true)] {
            let from = runs::directions(300);
            let x: Vec<P> = from.iter().map(|d| [target[0] + 1.2 * d[0], 1.2 * d[1], 1.2 * d[2]]).collect();
            let mut scene: Scene = scene(0.0, substeps);
            let mut body = particles(&x, &vec![1.0; x.len()]);
            body.velocities = from.iter().map(|d| d.map(|d| -100.0 * d as f32)).collect();
            body.thickness = 0.001_f32.into();
            body.friction = 0.0_f32.into();
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
            // Where what meets nothing is now; what slides along a plate is beside it.
            let behind = 100.0 / 60.0 - 1.2;
            let passed = runs::positions(&solver, body)
                .into_iter()
                .zip(&from)
                .filter(|(x, d)| norm(sub(*x, [target[0] - behind * d[0], -behind * d[1], -behind * d[2]])) < 0.005);
            let passed: Vec<_> = passed.collect();
            assert!(passed.is_empty(), "{name}, {substeps} substeps, spin {spin}: {passed:?}");
        }
    }
}

/// Thin solids, half 1 to 2 mm, about the origin.
fn thin_solids() -> [(&'static str, Collider); 4] {
    let lying = |collider: Collider| collider.turned([0.0, 0.0, 1.0], seidel::degrees(90.0)).at([0.013, 0.0, 0.011]);
    [
        ("plate", Collider::cuboid([0.05, 0.001, 0.05])),
        ("turned plate", Collider::cuboid([0.05, 0.001, 0.05]).turned([0.3, 0.2, 1.0], seidel::degrees(40.0))),
        ("wire", lying(Collider::capsule(0.001, 0.15))),
        ("rod", lying(Collider::cylinder(0.002, 0.15))),
    ]
}

/// A sheet whose cells are ten times as wide as a solid is thin, that comes at it with 30 to 170 mm a substep: no
/// triangle is left with a convex solid through it, and the solid does not come out behind the sheet. Pushes alone left
/// up to sixty triangles so, and for good.
#[test]
fn no_thin_solid_goes_through_a_triangle() {
    for (name, collider) in thin_solids() {
        for (speed, substeps) in [(10.0, 5), (50.0, 5), (50.0, 20)] {
            let mut scene = scene(9.81, substeps);
            let cloth = Cloth::grid([20, 20], [0.5, 0.5]).placed(Pose::at([0.0, 0.4, 0.0]), 1.0);
            let body = scene.add(cloth.thickness(0.002).velocity([0.0, -speed, 0.0]).collide(Collide::All));
            scene.add_collider(collider.clone());
            let mut solver = solver(&scene);
            let corners: Vec<[u32; 3]> = solver.plan().triangles(body).to_vec();
            for frame in 0..10 {
                run(&mut solver, 1, FRAME);
                let says = format!("{name}, {speed} m/s, {substeps} substeps, frame {frame}");
                // The sheet's thickness, and a 64th of what is half of the thinnest.
                let deep = solver.measure().max_penetration;
                assert!(deep < 0.002 + 0.000_05, "{says}: {deep:.1e} m deep");
                let x = runs::positions(&solver, body);
                let met = |sign: f64| {
                    let turned = |x: P| x.map(|c| sign * c);
                    let from = turned([0.013, 0.0, 0.011]);
                    corners.iter().filter(|t| is_above(&t.map(|v| turned(x[v as usize])), from)).count()
                };
                // A sheet that has bounced off is above it, in folds.
                let (above, below) = (met(1.0), met(-1.0));
                assert!(above > 0 || below % 2 == 0, "{says}: the sheet is {below} times below");
            }
        }
    }
}

/// Whether the line from a point upwards (+y) meets a triangle.
fn is_above(x: &[P; 3], from: P) -> bool {
    let [a, b, c] = x.map(|x| sub(x, from));
    let turn = |p: P, q: P| p[0] * q[2] - p[2] * q[0];
    let (u, v, w) = (turn(b, c), turn(c, a), turn(a, b));
    let inside = (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
    inside && (u * a[1] + v * b[1] + w * c[1]) / (u + v + w) > 0.0
}

/// A sheet that slides on a thin solid without friction goes on as fast, with ways up to thirty times as long as the
/// solid is thin. (A search along the way in steps of a 64th of that ended before the way did, and stopped it.)
#[test]
fn what_slides_on_a_thin_solid_goes_on() {
    let wire = |collider: Collider| collider.turned([0.0, 0.0, 1.0], seidel::degrees(90.0));
    let solids = [
        ("plate", Collider::cuboid([5.0, 0.001, 1.0]).at([0.0, -0.001, 0.0])),
        ("wire", wire(Collider::capsule(0.001, 5.0)).at([0.0, -0.001, 0.011])),
        ("rod", wire(Collider::cylinder(0.001, 5.0)).at([0.0, -0.001, 0.011])),
    ];
    for (name, collider) in solids {
        for (speed, substeps) in [(5.0, 5), (20.0, 20)] {
            let mut scene = scene(0.0, substeps);
            let cloth = Cloth::grid([20, 20], [0.5, 0.5]).placed(Pose::at([-2.0, 0.0021, 0.0]), 1.0);
            // Pressed down by 1 mm a substep at least.
            let cloth = cloth.thickness(0.002).friction(0.0).velocity([speed, -0.1 * speed, 0.0]);
            let body = scene.add(cloth);
            scene.add_collider(collider.clone().friction(0.0));
            let mut solver = solver(&scene);
            let mean = |solver: &Solver| runs::positions(solver, body).iter().map(|x| x[0]).sum::<f64>() / 400.0;
            let before = mean(&solver);
            run(&mut solver, 10, FRAME);
            let way = (mean(&solver) - before) / (f64::from(speed) * 10.0 / 60.0);
            assert!((way - 1.0).abs() < 0.01, "{name}, {speed} m/s, {substeps} substeps: went {way:.3} of its way");
        }
    }
}

/// Thrown on a turned shape from above, particles come to rest on it or slide off, and are never inside.
#[test]
fn what_falls_on_a_turned_shape_stays_outside() {
    for (name, collider, _) in shapes() {
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
            assert!(deep <= 2e-6, "{name}, frame {frame}: {deep:.1e} m deep");
        }
    }
}

/// A box that turns evenly takes with it what lies on it, as far from the axis as it lay.
#[test]
fn a_turntable_takes_along() {
    let mut scene = scene(9.81, 20);
    let x: [P; 2] = [[0.2, 0.105, 0.0], [-0.1, 0.105, 0.3]];
    let mut body = particles(&x, &[1.0, 1.0]);
    // At once as fast as the table: omega x r.
    let omega = std::f64::consts::FRAC_PI_2;
    body.velocities = x.iter().map(|x| [(omega * x[2]) as f32, 0.0, (-omega * x[0]) as f32]).collect();
    (body.thickness, body.friction) = (0.005_f32.into(), 1.0_f32.into());
    let body = scene.add(body);
    let key = |time, degrees| Key {
        time,
        offset: [0.0; 3].into(),
        axis: [0.0, 1.0, 0.0].into(),
        angle: seidel::degrees(degrees),
    };
    let path = Motion::KeyFrames { keys: vec![key(0.0, 0.0), key(10.0, 900.0)] };
    scene.add_collider(Collider::cuboid([0.5, 0.1, 0.5]).friction(1.0).moving(path));
    let mut solver = solver(&scene);
    run(&mut solver, 60, FRAME);
    // A second: 90 degrees about y, x to -z.
    let x = runs::positions(&solver, body);
    for (x, want) in x.iter().zip([[0.0, 0.105, -0.2], [0.3, 0.105, 0.1]]) {
        assert!(norm(sub(*x, want)) < 1e-3, "{x:?}, not {want:?}");
    }
}

#[test]
fn what_is_no_shape_is_named() {
    let says = |collider: Collider, text: &str| {
        let mut scene = Scene::new();
        scene.add_collider(collider.named("lid"));
        let error = seidel::Plan::new(&scene).unwrap_err().to_string();
        assert!(error.starts_with("collider `lid`: ") && error.contains(text), "{error}");
    };
    says(Collider::capsule(0.0, 1.0), "radius is 0");
    says(Collider::capsule(1.0, -1.0), "half_length is -1");
    says(Collider::cuboid([1.0, f32::NAN, 1.0]), "half along y is NaN");
    says(Collider::cylinder(1.0, 0.0), "half_height is 0");
    says(Collider::torus(0.5, 0.5), "ring is 0.5");
    says(Collider::torus(0.5, 2e6), "tube is 2000000");
}
