//! Oracle: what joints hold. Forces over compliances, places on triangles, seams that carry, a chain's catenary,
//! momentum.

use crate::runs;
use crate::runs::{
    FRAME, G, P, add, cross, momentum, norm, particles, positions, run, run_with_drag, scale, scene, solver, sub,
};
use seidel::{Cloth, Collide, Constraints, GridPins, Joint, Mesh, Pose, Rope, Scene, ShapeMatched, Stiffness, kinds};

/// A weight hangs from a joint of a known compliance: from a point, and from a triangle that does not move.
#[test]
fn a_compliance_is_a_stretch_over_a_force() {
    let (mass, compliance) = (0.3, 2e-3);
    for on_triangle in [false, true] {
        let mut scene = scene(G as f32, 20);
        let beam = scene.add(particles(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], &[f64::INFINITY; 3]));
        let weight = scene.add(particles(&[[0.0; 3]], &[mass]));
        scene.join(match on_triangle {
            true => Joint::triangles(weight, beam, &[(0, [1, 0, 2])]).compliance(compliance as f32),
            false => Joint::points(beam, weight, &[[0, 0]]).compliance(compliance as f32),
        });
        let mut solver = solver(&scene);
        run_with_drag(&mut solver, weight, 300, FRAME, 0.1);
        let [x, y, z] = positions(&solver, weight)[0];
        let want = -mass * G * compliance;
        println!("on a triangle {on_triangle}: {y:.6} m, {want:.6} expected");
        assert!((y / want - 1.0).abs() < 1e-3 && x.abs() < 1e-6 && z.abs() < 1e-6, "{x} {y} {z}, {want} m expected");
    }
}

/// A ball of particles is glued by one of them to the middle of a triangle of a cloth that flutters.
#[test]
fn what_is_glued_to_a_triangle_stays_in_its_place() {
    let mut scene = scene(G as f32, 20);
    let cloth = Cloth::grid([12, 12], [1.0, 1.0]).stretch(1e-5).bend(1e3).pin_grid(GridPins::FirstRow);
    let corners = cloth.mesh().triangles[131];
    let at = corners.map(|v| cloth.mesh().positions[v as usize].map(f64::from));
    let shares = [0.5, 0.3, 0.2];
    let place = |at: [P; 3]| add(add(scale(at[0], shares[0]), scale(at[1], shares[1])), scale(at[2], shares[2]));
    let below = |by: f64| sub(place(at), [0.0, by, 0.0]);
    let weight = particles(&[below(0.0), below(0.1), below(0.2)], &[0.01, 0.01, 0.05]);
    let links = Constraints::measured(kinds::DISTANCE, vec![0, 1, 1, 2], Stiffness::compliance(0.0));
    let (cloth, weight) = (scene.add(cloth), scene.add(weight.constraints(vec![links])));
    scene.join(Joint::triangles(weight, cloth, &[(0, corners)]));
    let mut solver = solver(&scene);
    let mut off = 0.0f64;
    for _ in 0..240 {
        run(&mut solver, 1, FRAME);
        let all = positions(&solver, cloth);
        off = off.max(norm(sub(place(corners.map(|v| all[v as usize])), positions(&solver, weight)[0])));
    }
    println!("off by {off:.1e} m at most");
    assert!(off < 1e-4, "{off:.1e} m");
    assert!(positions(&solver, weight)[2][1] < -0.5, "the cloth has swung down");
}

/// How far the lowest row of a hanging sheet is below the highest: of one piece, or of two that are sewn together.
fn hangs(pieces: u32) -> f64 {
    let (columns, rows, height) = (9, 33u32, 1.0f32);
    let mut scene = scene(G as f32, 40);
    let per_piece = (rows - 1) / pieces + 1;
    let part = height / pieces as f32;
    let mut bodies = Vec::new();
    for piece in 0..pieces {
        let pose = Pose::at([0.0, -part * (piece as f32 + 0.5), 0.0]).turned([1.0, 0.0, 0.0], seidel::degrees(90.0));
        let cloth = Cloth::grid([columns, per_piece], [0.25, part]).stretch(2e-2).shear(1.0).placed(pose, 1.0);
        bodies.push(scene.add(if piece == 0 { cloth.pin_grid(GridPins::FirstRow) } else { cloth }));
    }
    for pair in bodies.windows(2) {
        scene.join(Joint::seam(pair[0], pair[1], 1e-3));
    }
    let mut solver = solver(&scene);
    let last = *bodies.last().expect("a sheet");
    let attached: Vec<_> = solver.plan().families().filter(|family| family.0 == "attach").collect();
    let rows_of_seams: usize = attached.iter().map(|family| family.1).sum();
    assert_eq!(rows_of_seams, columns as usize * (pieces as usize - 1), "{attached:?}");
    for _ in 0..600 {
        run(&mut solver, 1, FRAME);
        for &body in &bodies {
            let slowed: Vec<P> = runs::velocities(&solver, body).into_iter().map(|v| scale(v, 0.9)).collect();
            runs::set_velocities(&mut solver, body, &slowed);
        }
    }
    let all = positions(&solver, last);
    let row = &all[all.len() - columns as usize..];
    -row.iter().map(|x| x[1]).sum::<f64>() / f64::from(columns)
}

/// A sheet of two pieces, or four, is as long as one of a piece.
#[test]
fn a_seam_carries_as_the_sheet_does() {
    let one = hangs(1);
    for pieces in [2, 4] {
        let sewn = hangs(pieces);
        let ratio = (sewn - 1.0) / (one - 1.0);
        println!("{pieces} pieces: {sewn:.5} m, of one {one:.5} m; stretch by {ratio:.4}");
        assert!(one > 1.01 && (ratio - 1.0).abs() < 0.02, "{sewn} m and {one} m");
    }
}

/// A chain of ten pieces between two pins: the depth of its lowest link is that of the catenary.
#[test]
fn joined_pieces_hang_in_a_catenary() {
    let (pieces, links, length, span) = (10u32, 16u32, 1.5f64, 1.0f64);
    let mut scene = scene(G as f32, 100);
    let all = f64::from(pieces * links);
    // Along a V, whose sides are as long as half of the chain.
    let drop = ((length / 2.0) * (length / 2.0) - span * span / 4.0).sqrt();
    let at = |i: u32| {
        let s = f64::from(i) / all;
        [span * s, -drop * (1.0 - (2.0 * s - 1.0).abs()), 0.0]
    };
    let mut bodies = Vec::new();
    for piece in 0..pieces {
        let points: Vec<P> = (0..=links).map(|i| at(piece * links + i)).collect();
        let mut masses = vec![0.01; points.len()];
        // What is joined weighs as much as one.
        (masses[0], masses[links as usize]) = (0.005, 0.005);
        if piece == 0 {
            masses[0] = f64::INFINITY;
        }
        if piece == pieces - 1 {
            masses[links as usize] = f64::INFINITY;
        }
        let rows = Constraints::measured(
            kinds::ROPE,
            (0..links).flat_map(|i| [i, i + 1]).collect(),
            Stiffness::compliance(0.0),
        );
        let mut body = particles(&points, &masses).constraints(vec![rows]);
        body.damping = 0.02;
        bodies.push(scene.add(body));
    }
    for pair in bodies.windows(2) {
        scene.join(Joint::points(pair[0], pair[1], &[[links, 0]]));
    }
    let mut solver = solver(&scene);
    for _ in 0..600 {
        run(&mut solver, 1, FRAME);
        for &body in &bodies {
            let slowed: Vec<P> = runs::velocities(&solver, body).into_iter().map(|v| scale(v, 0.95)).collect();
            runs::set_velocities(&mut solver, body, &slowed);
        }
    }
    let lowest = bodies.iter().flat_map(|&body| positions(&solver, body)).map(|x| x[1]).fold(0.0, f64::min);
    // length = 2 a sinh(span / 2 a), depth = a (cosh(span / 2 a) - 1).
    let (mut low, mut high) = (0.01f64, 10.0f64);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        if 2.0 * a * (span / (2.0 * a)).sinh() > length { low = a } else { high = a }
    }
    let depth = low * ((span / (2.0 * low)).cosh() - 1.0);
    println!("depth {:.5} m, of the catenary {depth:.5} m: {:.3} %", -lowest, 100.0 * (-lowest / depth - 1.0));
    assert!((-lowest / depth - 1.0).abs() < 0.01, "{lowest} {depth}");
}

/// Angular momentum of a body about the origin.
fn spin(solver: &seidel::Solver, body: seidel::BodyId) -> P {
    let (x, v, m) = (positions(solver, body), runs::velocities(solver, body), runs::masses(solver, body));
    x.iter().zip(&v).zip(&m).fold([0.0; 3], |sum, ((&x, &v), &m)| add(sum, scale(cross(x, v), m)))
}

/// Sheets that are sewn to each other, and a rope and a soft ball that hang on them, tumble freely.
fn tumbling(within: f32) -> (Scene, Vec<seidel::BodyId>) {
    let mut scene = scene(0.0, 20);
    let sheet = |n: u32, x: f32, y: f32| {
        let pose = Pose::at([x, y, 0.0]).turned([1.0, 0.0, 0.0], seidel::degrees(4.0));
        Cloth::grid([n, n], [0.5, 0.5]).placed(pose, 1.0).stretch(1e-5).bend(1e3).thickness(0.002)
    };
    let left = scene.add(sheet(20, 0.0, 0.0).velocity([0.3, 1.0, 0.0]).collide(Collide::All));
    let right = scene.add(sheet(14, 0.5, 0.0).velocity([0.0, -1.0, 0.5]).collide(Collide::All));
    let rope = scene.add(Rope::new([-0.25, 0.0, 0.0], [-0.6, 0.0, 0.0], 20).velocity([0.0, 0.0, 2.0]));
    let ball = ShapeMatched::new(Mesh::ball(0.05, 2)).placed(Pose::at([-0.65, 0.0, 0.0]), 1.0).mass(0.1);
    let ball = scene.add(ball);
    scene.join(Joint::seam(left, right, within));
    scene.join(Joint::near(rope, &[0], left, 0.02));
    scene.join(Joint::near(rope, &[20], ball, 0.02));
    (scene, vec![left, right, rope, ball])
}

#[test]
fn joints_conserve_momentum() {
    let (scene, bodies) = tumbling(1e-3);
    let mut solver = solver(&scene);
    let sum = |solver: &seidel::Solver, of: fn(&seidel::Solver, seidel::BodyId) -> P| {
        bodies.iter().fold([0.0; 3], |sum, &body| add(sum, of(solver, body)))
    };
    // What begins a little beside its place is drawn there first.
    run(&mut solver, 1, FRAME);
    let before = [sum(&solver, momentum), sum(&solver, spin)];
    let each = momentum(&solver, bodies[1]);
    run(&mut solver, 120, FRAME);
    let after = [sum(&solver, momentum), sum(&solver, spin)];
    // What turns is slowed down, joined or not: by a share of some h omega.
    let most = [("momentum", 1e-6), ("angular momentum", 3e-3)];
    for ((what, most), (a, b)) in most.into_iter().zip(before.into_iter().zip(after)) {
        let drift = norm(sub(a, b)) / norm(a);
        println!("{what}: {drift:.1e}");
        assert!(drift < most, "{what}: {a:?} {b:?}");
    }
    assert!(norm(sub(momentum(&solver, bodies[1]), each)) > 1e-3, "momentum goes over the seam");
}
