//! Oracle: shape matching. Bodies go back to their shape, and gain nothing by it.

use crate::runs;
use crate::runs::{
    FRAME, G, P, Random, add, angular_momentum, cross, masses, momentum, norm, positions, run, scale, scene, solver,
    solver_on, sub, velocities,
};
use seidel::{Body, BodyId, Collider, Isa, Mesh, Plan, Pose, Scene, ShapeMatched, ShapeMatching, Solver, Stiffness};

/// A box, whole or in clusters.
fn brick(clusters: Option<f32>) -> ShapeMatched {
    let soft = ShapeMatched::new(Mesh::cuboid([0.2, 0.1, 0.15], [8, 4, 6]));
    match clusters {
        Some(radius) => soft.clusters(radius),
        None => soft,
    }
}

/// The largest difference of a length between two vertices from that at rest, metres, over some of them.
fn strain(solver: &Solver, body: BodyId, rest: &Mesh) -> f64 {
    let x = positions(solver, body);
    let rest: Vec<P> = rest.positions.iter().map(|p| p.map(f64::from)).collect();
    let mut most = 0.0f64;
    for a in (0..x.len()).step_by(3) {
        for b in (0..a).step_by(7) {
            most = most.max((norm(sub(x[a], x[b])) - norm(sub(rest[a], rest[b]))).abs());
        }
    }
    most
}

/// Free fall is free fall, spinning or not: roundings of centre and rotation push it by less than 5e-5 of the way.
#[test]
fn it_falls_as_its_particles_do() {
    for (substeps, clusters) in [(1, None), (20, None), (20, Some(0.12))] {
        for spin in [0.0, 1.0] {
            let mut scene = scene(9.81, substeps);
            let body = scene.add(brick(clusters).placed(Pose::at([3.0, 10.0, -2.0]), 1.0));
            let mut solver = solver(&scene);
            let start = positions(&solver, body);
            let spins: Vec<P> =
                start.iter().map(|x| cross([0.0, spin, 0.2 * spin], sub(*x, [3.0, 10.0, -2.0]))).collect();
            runs::set_velocities(&mut solver, body, &spins);
            let frames = 60;
            run(&mut solver, frames, FRAME);
            let (n, h) = (f64::from(frames * substeps), f64::from(FRAME) / f64::from(substeps));
            let want = -G * h * h * n * (n + 1.0) / 2.0;
            let center = |x: &[P]| {
                let m = masses(&solver, body);
                let sum = x.iter().zip(&m).fold([0.0; 3], |sum, (x, m)| add(sum, scale(*x, *m)));
                scale(sum, 1.0 / m.iter().sum::<f64>())
            };
            let moved = sub(center(&positions(&solver, body)), center(&start));
            let off = norm(sub(moved, [0.0, want, 0.0])) / want.abs();
            println!("{substeps} substeps, clusters {clusters:?}, spin {spin}: {off:.1e}");
            assert!(off < 5e-5, "{substeps} substeps, clusters {clusters:?}, spin {spin}: {off:.1e}");
        }
    }
}

/// To 0.2 micrometres, a few roundings of coordinates of metres, in 1200 substeps.
#[test]
fn at_rest_it_stays() {
    for soft in [brick(None), brick(Some(0.1)), brick(None).linear(0.5).compliance(1e-4)] {
        let mut scene = scene(0.0, 20);
        let body =
            scene.add(soft.placed(Pose::at([0.3, 1.0, 7.0]).turned([1.0, 2.0, 0.5], seidel::degrees(40.0)), 1.3));
        let mut solver = solver(&scene);
        let start = positions(&solver, body);
        run(&mut solver, 60, FRAME);
        let moved = positions(&solver, body).iter().zip(&start).map(|(a, b)| norm(sub(*a, *b))).fold(0.0, f64::max);
        assert!(moved <= 2e-7, "{moved:.1e} m");
    }
}

/// Deformed at random it keeps both momenta while it goes back.
#[test]
fn both_momenta_are_kept() {
    for soft in
        [brick(None).compliance(1e-3), brick(Some(0.12)).compliance(1e-3), brick(None).linear(0.6).compliance(1e-2)]
    {
        let mut scene = scene(0.0, 20);
        let body = scene.add(soft.mass(2.0));
        let mut solver = solver(&scene);
        let mut random = Random(11);
        let v: Vec<P> = positions(&solver, body)
            .iter()
            .map(|x| add(cross([1.0, 0.4, -0.6], *x), scale(random.point(), 0.3)))
            .collect();
        runs::set_velocities(&mut solver, body, &v);
        let m = masses(&solver, body);
        let sums = |solver: &Solver| {
            let (x, v) = (positions(solver, body), velocities(solver, body));
            (momentum(solver, body), angular_momentum(&x, &v, &m))
        };
        let (p0, l0) = sums(&solver);
        let size: f64 = velocities(&solver, body).iter().zip(&m).map(|(v, m)| m * norm(*v)).sum();
        run(&mut solver, 50, FRAME);
        let (p1, l1) = sums(&solver);
        let (p, l) = (norm(sub(p1, p0)) / size, norm(sub(l1, l0)) / norm(l0));
        println!("momentum by {p:.1e}, angular momentum by {l:.1e}");
        assert!(p < 1e-5, "momentum by {p:.1e} of what moves");
        // The method itself slows a spin: by omega^2 h t, here some 1.5e-3.
        assert!(l < 5e-3, "angular momentum by {l:.1e}");
    }
}

/// However it is turned, also by 180 degrees at once, it is in its shape; thrown about, it comes back to it.
#[test]
fn it_comes_back_from_any_turn() {
    for degrees in [30.0f64, 90.0, 179.9, 180.0] {
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, -0.8, 0.5]] {
            let mut scene = scene(0.0, 4);
            let soft = brick(None);
            let rest = soft.mesh().clone();
            let body = scene.add(soft);
            let mut solver = solver(&scene);
            let pose = Pose::at([0.1, 0.2, 0.0]).turned(axis, seidel::degrees(degrees));
            let mut random = Random(3);
            let mut turned = |p: &[f32; 3]| {
                let p = add(pose.transform_point(p.map(f64::from)).to_array(), scale(random.point(), 0.02));
                runs::narrow(p)
            };
            let places: Vec<_> = rest.positions.iter().map(&mut turned).collect();
            let plan = std::sync::Arc::clone(solver.plan());
            solver.state_mut().write_positions(&plan, body, &places).expect("in range");
            run(&mut solver, 1, FRAME);
            let far = strain(&solver, body, &rest);
            assert!(far < 1e-5, "{degrees} degrees about {axis:?}: {far:.1e} m");
            let stays = positions(&solver, body)
                .iter()
                .zip(&places)
                .map(|(x, p)| norm(sub(*x, runs::wide(*p))))
                .fold(0.0, f64::max);
            assert!(stays < 0.1, "it has turned: {stays} m");
        }
    }
}

/// What is fixed stays and weighs: a brick that hangs at a corner of its shape hangs below it, and does not stretch
/// far.
#[test]
fn it_hangs_from_what_is_fixed() {
    for clusters in [None, Some(0.15)] {
        let mut scene = scene(9.81, 20);
        let soft = brick(clusters).pin(&[0, 1, 2]).damping(0.1);
        let rest = soft.mesh().clone();
        let body = scene.add(soft);
        let mut solver = solver(&scene);
        run(&mut solver, 240, FRAME);
        let x = positions(&solver, body);
        for (x, at_rest) in x.iter().zip(&rest.positions).take(3) {
            assert_eq!(runs::narrow(*x).to_array(), *at_rest);
        }
        let far = strain(&solver, body, &rest);
        println!("clusters {clusters:?}: {far:.1e} m");
        assert!(far < 0.02, "clusters {clusters:?}: {far}");
    }
}

/// A compliance is that of a spring: under weights of ends that pull it apart, C = |F_x| compliance.
#[test]
fn a_compliance_is_a_spring_s() {
    // Two particles of 1 kg, pulled apart by 3 N each: C is half the change of length.
    let mut body = Body::particles(vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]], vec![1.0; 2]);
    let compliance = 1e-2f32;
    body.matched_shapes = vec![ShapeMatching::new(vec![0, 1], vec![1.0; 2], Stiffness::compliance(compliance))];
    let mut scene = scene(0.0, 10);
    let body = scene.add(body);
    let mut solver = solver(&scene);
    let forces = [seidel::glam::Vec3::X * -3.0, seidel::glam::Vec3::X * 3.0];
    for _ in 0..600 {
        solver.step(&seidel::Input::frame(FRAME).forces(body, &forces));
        let slowed: Vec<P> = velocities(&solver, body).into_iter().map(|v| scale(v, 0.9)).collect();
        runs::set_velocities(&mut solver, body, &slowed);
    }
    let x = positions(&solver, body);
    // E = C^2 / (2 compliance), C = (l - 1) / 2: the force on the ends is C / (2 compliance) each.
    let longer = norm(sub(x[1], x[0])) - 1.0;
    let want = 3.0 * 4.0 * f64::from(compliance);
    assert!((longer / want - 1.0).abs() < 5e-3, "{longer} and not {want}");
}

/// Linear goals keep the volume, and let it be sheared: it resists less than a rotation.
#[test]
fn linear_shapes_give_way() {
    let shortest = |beta: f32| {
        let mut scene = scene(9.81, 20);
        let soft =
            ShapeMatched::new(Mesh::cuboid([0.1, 0.1, 0.1], [4; 3])).linear(beta).stiffness_by(Stiffness::pbd(0.5));
        let body = scene.add(soft.placed(Pose::at([0.0, 0.3, 0.0]), 1.0).thickness(0.0));
        scene.add_collider(Collider::ground());
        let mut solver = solver(&scene);
        let mut least = f64::INFINITY;
        for _ in 0..60 {
            run(&mut solver, 1, FRAME);
            let x = positions(&solver, body);
            let (low, high) = x.iter().fold((f64::INFINITY, 0.0f64), |(l, h), x| (x[1].min(l), x[1].max(h)));
            least = least.min(high - low);
        }
        least
    };
    let [rigid, soft] = [0.0, 0.9].map(shortest);
    println!("height of 0.2 m on impact: {rigid:.3}, linear {soft:.3}");
    assert!(soft < rigid - 0.003, "{soft} and {rigid}");
}

/// Whole, cut into blocks, in clusters and linear, over several iterations: the same bits on all lanes and threads,
/// from a snapshot too.
#[test]
fn the_same_bits_everywhere() {
    let mut scene = scene(9.81, 4);
    scene.settings.iterations = 2;
    let ball = Mesh::ball(0.3, 4);
    scene.add(ShapeMatched::new(&ball).placed(Pose::at([0.0, 0.35, 0.0]), 1.0).compliance(1e-4));
    scene.add(ShapeMatched::new(&ball).placed(Pose::at([0.8, 0.32, 0.0]), 1.0).clusters(0.2).linear(0.5));
    scene.add(
        ShapeMatched::of_points(&ball.positions)
            .placed(Pose::at([-0.8, 0.4, 0.0]), 1.0)
            .stiffness_by(Stiffness::pbd(0.3)),
    );
    scene.add_collider(Collider::ground());
    let mut hashes = Vec::new();
    for (isa, threads) in Isa::available().into_iter().flat_map(|isa| [1, 3].map(|threads| (isa, threads))) {
        let mut solver = solver_on(&scene, isa, threads);
        run(&mut solver, 10, FRAME);
        let snapshot = solver.state().clone();
        run(&mut solver, 5, FRAME);
        hashes.push(solver.state().hash());
        solver.state_mut().clone_from(&snapshot);
        run(&mut solver, 5, FRAME);
        assert_eq!(solver.state().hash(), *hashes.last().unwrap(), "from a snapshot");
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
}

#[test]
fn what_is_no_shape_is_refused() {
    let said = |soft: ShapeMatched| {
        let mut scene = Scene::new();
        scene.add(soft.named("s"));
        Plan::new(&scene).unwrap_err().to_string()
    };
    assert!(said(brick(None).mass(-1.0)).starts_with("body `s`: mass is -1"));
    assert!(said(brick(None).linear(1.5)).starts_with("body `s`, shape 0: linear is 1.5"));
    assert!(said(brick(None).clusters(f32::NAN)).starts_with("body `s`: radius of the clusters is NaN"));
    assert!(said(brick(None).compliance(-1.0)).starts_with("body `s`, shape 0: compliance is -1"));
    let flat: Vec<[f32; 3]> = (0..25).map(|i| [(i % 5) as f32, 0.0, (i / 5) as f32]).collect();
    assert!(
        said(ShapeMatched::of_points(&flat).linear(0.1)).starts_with("body `s`: shape 0 lies in a plane or on a line")
    );
    assert!(said(ShapeMatched::of_points(&[])).starts_with("body `s`: number of vertices is 0"));
    let mut body = Body::particles(vec![[0.0; 3]; 2], vec![1.0; 2]);
    let shape = |vertices: Vec<u32>, masses: Vec<f32>| ShapeMatching::new(vertices, masses, Stiffness::compliance(0.0));
    let mut of_body = |field| {
        body.matched_shapes = vec![field];
        let mut scene = Scene::new();
        scene.add(body.clone());
        Plan::new(&scene).unwrap_err().to_string()
    };
    assert_eq!(
        of_body(shape(vec![0, 5], vec![1.0; 2])),
        "body `body-0`, shape 0: vertex 5 does not exist; there are 2"
    );
    assert_eq!(of_body(shape(vec![1, 1], vec![1.0; 2])), "body `body-0`, shape 0: row 0 names vertex 1 twice");
    assert_eq!(of_body(shape(vec![0, 1], vec![1.0])), "body `body-0`, shape 0: masses has 1 entries and should have 2");
    assert!(of_body(shape(vec![0, 1], vec![1.0, 0.0])).contains("mass of vertex 1 is 0"));
}
