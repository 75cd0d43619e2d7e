//! Oracle: restitution. What falls from H on a collider of coefficient e comes back to e^2 H, to 2 % at 20 substeps.

use crate::runs;
use crate::runs::{FRAME, G, P, norm, particles, positions, run, scene, solver, velocities};
use seidel::collider::{ConvexHull, Motion};
use seidel::{BodyId, Cloth, Collide, Collider, Isa, Pose, Rope, Scene, Solver};

/// A particle of 2 mm at a point with a velocity.
fn ball(scene: &mut Scene, at: P, v: P) -> BodyId {
    let mut body = particles(&[at], &[0.1]);
    (body.thickness, body.friction) = (0.002_f32.into(), 0.0_f32.into());
    body.velocities = vec![v.map(|c| c as f32)];
    scene.add(body)
}

/// Height over the ground to which a particle would rise from where it is, metres.
fn rises_to(solver: &Solver, body: BodyId) -> f64 {
    let (x, v) = (positions(solver, body)[0], velocities(solver, body)[0]);
    x[1] - 0.002 + v[1] * v[1] / (2.0 * G)
}

#[test]
fn a_ball_comes_back_to_e_squared_of_its_height() {
    for iterations in [1, 3] {
        for height in [0.1, 0.3, 1.0] {
            for e in [0.3, 0.5, 0.8, 1.0] {
                let mut scene = scene(G as f32, 20);
                scene.settings.iterations = iterations;
                let body = ball(&mut scene, [0.0, height + 0.002, 0.0], [0.0; 3]);
                scene.add_collider(Collider::ground().restitution(e as f32));
                let mut solver = solver(&scene);
                let (mut frames, mut before) = (0, -1.0);
                // Falling until it is thrown up.
                while before <= 0.0 {
                    run(&mut solver, 1, FRAME);
                    before = velocities(&solver, body)[0][1];
                    frames += 1;
                    assert!(frames < 60, "never thrown up from {height} m with {e}");
                }
                let off = rises_to(&solver, body) / (e * e * height) - 1.0;
                assert!(off.abs() < 0.02, "{iterations} iterations, {height} m, e {e}: off by {off:.3}");
            }
        }
    }
}

/// Half a dozen bounces without a loss neither lose nor gain more than each may; with one the ball comes to rest.
#[test]
fn bounces_neither_grow_nor_go_on_forever() {
    let mut scene = scene(G as f32, 20);
    let lossless = ball(&mut scene, [0.0, 0.502, 0.0], [0.0; 3]);
    let mut dull = particles(&[[1.0, 0.502, 0.0]], &[0.1]);
    (dull.thickness, dull.restitution) = (0.002_f32.into(), 0.8);
    let dull = scene.add(dull);
    scene.add_collider(Collider::ground().restitution(1.0));
    let mut solver = solver(&scene);
    for _ in 0..180 {
        run(&mut solver, 1, FRAME);
        let height = rises_to(&solver, lossless);
        assert!((0.44..0.52).contains(&height), "{height} m");
    }
    run(&mut solver, 420, FRAME);
    let (x, v) = (positions(&solver, dull)[0], velocities(&solver, dull)[0]);
    assert!((x[1] - 0.002).abs() < 1e-5 && norm(v) < 1e-3, "not at rest: {x:?}, {v:?}");
}

/// Relative to a surface that moves, whatever its shape: v' = V - e (v - V).
#[test]
fn a_moving_collider_throws() {
    let shapes = [
        ("plane", Collider::ground()),
        ("sphere", Collider::sphere(0.3).at([0.0, -0.3, 0.0])),
        ("cuboid", Collider::cuboid([0.4, 0.2, 0.3]).at([0.0, -0.2, 0.0])),
        ("capsule", Collider::capsule(0.1, 0.3).at([0.0, -0.4, 0.0])),
    ];
    for (name, shape) in shapes {
        for (speed, e) in [(0.0, 0.5), (1.0, 0.5), (1.0, 1.0), (-2.0, 0.7)] {
            let mut scene = scene(0.0, 20);
            let body = ball(&mut scene, [0.0, 0.5, 0.0], [0.0, -6.0, 0.0]);
            let moving = Motion::Linear { velocity: [0.0, speed, 0.0].into() };
            scene.add_collider(shape.clone().moving(moving).restitution(e as f32));
            let mut solver = solver(&scene);
            run(&mut solver, 12, FRAME);
            let (got, want) = (velocities(&solver, body)[0], speed + e * (6.0 + speed));
            assert!((got[1] - want).abs() < 2e-3 * want.abs(), "{name} at {speed} m/s, e {e}: {got:?} and not {want}");
        }
    }
}

/// A triangle without constraints that is hit between its corners, at q = sum b_k x_k, by something that is smaller: q
/// comes back as a particle does, and the corners share the impulse: v_k' = v + b_k w_k (1 + e) |v| / sum b_j^2 w_j.
#[test]
fn a_triangle_that_is_hit_between_its_corners_shares_the_impulse() {
    let corners = [[-0.3, 0.0, -0.2], [0.4, 0.0, -0.2], [0.0, 0.0, 0.5]];
    let tip = [[-0.05f32, -0.1, -0.05], [0.05, -0.1, -0.05], [0.05, -0.1, 0.05], [-0.05, -0.1, 0.05], [0.0, 0.0, 0.0]];
    let shapes = [
        ("sphere", Collider::sphere(0.05).at([0.0, -0.05, 0.0])),
        ("capsule", Collider::capsule(0.03, 0.1).at([0.0, -0.13, 0.0])),
        ("tip", Collider::hull(std::sync::Arc::new(ConvexHull::new(&tip).expect("a hull")))),
        ("ring", Collider::torus(0.05, 0.02).at([0.0, -0.07, 0.0]).turned([1.0, 0.0, 0.0], seidel::degrees(90.0))),
    ];
    for (name, shape) in shapes {
        for (b, masses) in [([1.0 / 3.0; 3], [0.1; 3]), ([0.2, 0.5, 0.3], [0.1, 0.1, 0.3])] {
            for (e, own) in [(0.6, 1.0), (1.0, 0.5), (0.8, 0.9)] {
                let mut scene = scene(0.0, 20);
                let q: P = std::array::from_fn(|k| (0..3).map(|i| b[i] * corners[i][k]).sum());
                let mut body = particles(&corners.map(|x| [x[0] - q[0], 0.3, x[2] - q[2]]), &masses);
                body.triangles = vec![[0, 1, 2]].into();
                (body.thickness, body.friction, body.restitution) = (0.002_f32.into(), 0.0_f32.into(), own);
                body.velocities = vec![[0.0, -5.0, 0.0]; 3];
                let body = scene.add(body);
                scene.add_collider(shape.clone().restitution(e));
                let mut solver = solver(&scene);
                run(&mut solver, 6, FRAME);
                let e = f64::from(e * own);
                let sum: f64 = (0..3).map(|k| b[k] * b[k] / masses[k]).sum();
                for (k, v) in velocities(&solver, body).into_iter().enumerate() {
                    let want = -5.0 + b[k] / masses[k] * (1.0 + e) * 5.0 / sum;
                    let off = norm([v[0], v[1] - want, v[2]]);
                    assert!(off < 0.02 * 5.0, "{name}, e {e}, corner {k}: {v:?} and not {want}");
                }
            }
        }
    }
}

/// What a body that collides with others does at a collider is the same; and without a coefficient nothing bounces.
#[test]
fn bodies_that_touch_others_bounce_too() {
    for (e, body_e) in [(0.6, 1.0), (0.0, 1.0), (0.6, 0.0)] {
        let mut scene = scene(0.0, 10);
        let rope = |y: f32| {
            let rope = Rope::new([-0.5, y, 0.0], [0.5, y, 0.0], 10).thickness(0.01).restitution(body_e);
            rope.collide(Collide::Others)
        };
        let low = scene.add(rope(0.3));
        scene.add(rope(0.8));
        scene.add_collider(Collider::ground().restitution(e));
        let mut solver = solver(&scene);
        runs::set_velocities(&mut solver, low, &[[0.0, -4.0, 0.0]; 11]);
        run(&mut solver, 7, FRAME);
        for v in velocities(&solver, low) {
            let want = f64::from(4.0 * e * body_e);
            assert!((v[1] - want).abs() < 1e-2, "e {e} x {body_e}: {v:?}");
        }
    }
}

#[test]
fn what_is_out_of_range_is_refused() {
    for (value, said) in [(1.5f32, "1.5"), (-0.5, "-0.5"), (f32::NAN, "NaN")] {
        let mut scene = scene(G as f32, 1);
        ball(&mut scene, [0.0, 1.0, 0.0], [0.0; 3]);
        scene.add_collider(Collider::ground().restitution(value).named("floor"));
        let error = seidel::Plan::new(&scene).expect_err("out of range").to_string();
        assert_eq!(error, format!("collider `floor`: restitution is {said}, which is not within 0 .. 1"));
        let mut scene = runs::scene(G as f32, 1);
        scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 3).named("rope").restitution(value));
        let error = seidel::Plan::new(&scene).expect_err("out of range").to_string();
        assert_eq!(error, format!("body `rope`: restitution is {said}, which is not within 0 .. 1"));
    }
}

/// A sheet in lanes and a rope in rows, thrown about by a ground, a ball and a turning box: the same bits on all lanes.
#[test]
fn all_lanes_and_threads_agree() {
    let mut scene = scene(G as f32, 8);
    scene.settings.iterations = 2;
    let cloth = Cloth::grid([48, 48], [1.0, 1.0])
        .placed(Pose::at([0.0, 0.3, 0.0]).turned([1.0, 0.0, 0.2], seidel::degrees(20.0)), 1.0);
    scene.add(cloth.restitution(0.9));
    scene.add(Rope::new([-0.5, 0.5, 0.2], [0.5, 0.6, 0.2], 40));
    scene.add_collider(Collider::ground().restitution(0.8));
    scene.add_collider(Collider::sphere(0.15).restitution(0.5));
    scene.add_collider(
        Collider::cuboid([0.2, 0.1, 0.1])
            .at([0.3, 0.1, 0.1])
            .turned([0.0, 1.0, 0.0], seidel::degrees(30.0))
            .restitution(1.0),
    );
    let run = |isa: Isa, threads: usize| {
        let mut solver = runs::solver_on(&scene, isa, threads);
        runs::run(&mut solver, 30, FRAME);
        solver.state().hash()
    };
    let first = run(Isa::detect(), 1);
    for isa in Isa::available() {
        assert_eq!(run(isa, 3), first, "{isa}");
    }
}
