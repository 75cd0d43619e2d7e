//! Filters, thicknesses and sides of colliders: each does what it says.

use crate::runs;
use crate::runs::{FRAME, G, P, particles, positions, run, scene, solver};
use glam::DVec3;
use seidel::collider::{Key, Motion, Sdf};
use seidel::{BodyId, Cloth, Collide, Collider, Filter, Input, Isa, Plan, Pose, Rope, Scene, Solver};
use std::sync::Arc;

const fn filter(groups: u32, mask: u32) -> Filter {
    Filter::new(groups, mask)
}

fn lowest(solver: &Solver, body: BodyId) -> f64 {
    positions(solver, body).iter().map(|x| x[1]).fold(f64::INFINITY, f64::min)
}

/// One word a pair: who falls through what.
#[test]
fn a_collider_meets_who_meets_it() {
    let shapes = [
        Collider::ground(),
        Collider::sphere(0.5).at([0.0, -0.5, 0.0]),
        Collider::cuboid([1.0, 0.5, 1.0]).at([0.0, -0.5, 0.0]),
    ];
    for shape in shapes {
        for (collider, body, meet) in [
            (Filter::default(), Filter::default(), true),
            (filter(1, 2), filter(2, 1), true),
            (filter(1, 2), filter(1, 1), false),
            (filter(1, 2), filter(2, 2), false),
            (filter(1, 0), Filter::default(), false),
            (filter(6, 4), filter(4, 2), true),
            (filter(0, !0), Filter::default(), false),
        ] {
            let mut scene = scene(G as f32, 10);
            // Coarse: a triangle may hit what its corners miss.
            let sheet = |x: f32| Cloth::grid([3, 3], [0.6, 0.6]).placed(Pose::at([x, 0.1, 0.0]), 1.0).thickness(0.01);
            let sheet = scene.add(sheet(0.05).filter(body));
            scene.add_collider(shape.clone().filter(collider));
            let mut solver = solver(&scene);
            run(&mut solver, 30, FRAME);
            let fell = positions(&solver, sheet).iter().all(|x| x[1] < -0.9);
            assert_eq!(fell, !meet, "{:?}: {collider:?} and {body:?}", shape.shape.name());
            let deep = solver.measure().max_penetration;
            assert!(deep < 1e-3, "{deep} m into what it {}", if meet { "meets" } else { "does not" });
        }
    }
}

/// Two coarse sheets in one batch of triangles, and a ball that only one of them meets.
#[test]
fn triangles_of_one_batch_may_meet_different_colliders() {
    for isa in Isa::available() {
        let mut scene = scene(0.0, 20);
        let sheet = |x: f32, groups: u32| {
            let cloth = Cloth::grid([2, 2], [0.8, 0.8]).placed(Pose::at([x, 0.0, 0.0]), 1.0);
            cloth.pin(&[0, 1, 2, 3]).filter(filter(groups, !0))
        };
        let free = |x: f32, groups: u32| {
            Cloth::grid([2, 2], [0.8, 0.8]).placed(Pose::at([x, 0.0, 0.0]), 1.0).filter(filter(groups, !0))
        };
        let (met, missed) = (scene.add(free(0.0, 1)), scene.add(free(1.0, 2)));
        scene.add(sheet(3.0, 1));
        for x in [0.05, 1.05] {
            let rising = Motion::Linear { velocity: [0.0, 1.0, 0.0].into() };
            scene.add_collider(Collider::sphere(0.05).at([x, -0.2, 0.1]).moving(rising).filter(filter(1, 1)));
        }
        let mut solver = runs::solver_on(&scene, isa, 1);
        run(&mut solver, 30, FRAME);
        let moved = |body| positions(&solver, body).iter().map(|x| x[1]).fold(0.0, f64::max);
        assert!(moved(met) > 0.2, "{isa}: the ball has gone through: {}", moved(met));
        assert_eq!(moved(missed), 0.0, "{isa}: moved by a ball that it does not meet");
        assert!(solver.measure().max_penetration < 1e-3);
    }
}

/// Bodies that do not meet go through each other; and a body always meets itself if it wants to.
#[test]
fn bodies_meet_who_meets_them() {
    for (a, b, meet) in [
        (Filter::default(), Filter::default(), true),
        (filter(2, 1), filter(2, 1), false),
        (filter(2, 4), filter(4, 2), true),
        (filter(2, 4), filter(4, 4), false),
    ] {
        let mut scene = scene(G as f32, 20);
        let sheet =
            |y: f32, x: f32| Cloth::grid([9, 9], [0.4, 0.4]).placed(Pose::at([x, y, 0.0]), 1.0).thickness(0.005);
        let all: Vec<u32> = (0..81).collect();
        scene.add(sheet(0.0, 0.0).pin(&all).collide(Collide::Others).filter(a));
        let upper = scene.add(sheet(0.1, 0.01).collide(Collide::All).filter(b));
        let mut solver = solver(&scene);
        run(&mut solver, 30, FRAME);
        assert_eq!(lowest(&solver, upper) > 0.0, meet, "{a:?} and {b:?}");
    }
}

/// A sheet, a particle and a rope keep both thicknesses from each shape, and no more.
#[test]
fn a_colliders_thickness_is_added() {
    let sdf = Arc::new(Sdf::from_mesh(&runs::meshes::ball(0.5, 3), 0.05).expect("a closed mesh"));
    let shapes = [
        (Collider::ground(), 1e-5),
        (Collider::sphere(0.5).at([0.0, -0.5, 0.0]), 1e-5),
        (Collider::cuboid([1.0, 0.5, 1.0]).at([0.0, -0.5, 0.0]), 1e-5),
        (Collider::sdf(sdf).at([0.0, -0.5, 0.0]), 5e-3),
    ];
    for (shape, limit) in shapes {
        for (own, added) in [(0.01, 0.0), (0.01, 0.05), (0.0, 0.05)] {
            let mut scene = scene(G as f32, 20);
            let mut body = particles(&[[0.0, 0.3, 0.0]], &[1.0]);
            body.thickness = own.into();
            let body = scene.add(body);
            scene.add_collider(shape.clone().thickness(added));
            let mut solver = solver(&scene);
            run(&mut solver, 60, FRAME);
            let (y, want) = (positions(&solver, body)[0][1], f64::from(own + added));
            assert!((y - want).abs() < limit, "{}, {own} + {added}: {y}", shape.shape.name());
            assert!(solver.measure().max_penetration <= 1e-6);
        }
    }
    // Also where only a triangle is near.
    let mut scene = scene(G as f32, 20);
    let sheet = Cloth::grid([2, 2], [1.0, 1.0]).placed(Pose::at([0.0, 0.3, 0.0]), 1.0).thickness(0.01);
    let sheet = scene.add(sheet);
    scene.add_collider(Collider::sphere(0.05).thickness(0.03).at([0.2, 0.0, -0.2]).friction(10.0));
    let mut solver = solver(&scene);
    run(&mut solver, 20, FRAME);
    assert!(lowest(&solver, sheet) < 0.2 && solver.measure().max_penetration < 1e-4);
}

/// A wall keeps what is over it there, and what is under it, too; a half space lets nothing be under it.
#[test]
fn a_two_sided_plane_is_a_wall() {
    let mut random = runs::Random(11);
    for substeps in [1, 20] {
        let mut scene = scene(0.0, substeps);
        let points: Vec<P> = (0..200).map(|_| random.point()).filter(|x| x[1].abs() > 0.02).collect();
        let mut body = particles(&points, &vec![1.0; points.len()]);
        body.thickness = 0.01_f32.into();
        let body = scene.add(body);
        // It turns and moves to and fro while they fly about.
        let key = |time, degrees, y| Key {
            time,
            offset: [0.0, y, 0.0].into(),
            axis: [1.0, 0.0, 0.4].into(),
            angle: seidel::degrees(degrees),
        };
        let keys = vec![key(0.0, 0.0, 0.0), key(0.5, 30.0, 0.1), key(1.0, -20.0, -0.2)];
        let wall = scene.add_collider(Collider::ground().two_sided().moving(Motion::KeyFrames { keys }));
        let mut solver = solver(&scene);
        let fast: Vec<P> = points.iter().map(|_| runs::scale(random.point(), 20.0)).collect();
        runs::set_velocities(&mut solver, body, &fast);
        let mut met = false;
        for _ in 0..60 {
            met |= solver.step(&Input::frame(FRAME)).contacts > 0;
            let pose = solver.state().pose(wall);
            let n = pose.transform_vector(DVec3::Y).to_array();
            for (x, start) in positions(&solver, body).iter().zip(&points) {
                let height = runs::dot(n, runs::sub(*x, pose.position().to_array()));
                assert!(
                    height * start[1].signum() > 0.01 - 1e-4,
                    "{substeps} substeps: {start:?} is at {x:?}, {height}"
                );
            }
        }
        assert!(met && solver.measure().max_penetration < 1e-4);
    }
    // The same from below with a half space: it is inside, and is moved out.
    let mut scene = Scene::new();
    let rope = scene.add(Rope::new([0.0, -0.1, 0.0], [1.0, -0.1, 0.0], 10));
    scene.add_collider(Collider::ground());
    let mut solver = solver(&scene);
    run(&mut solver, 60, FRAME);
    assert!(lowest(&solver, rope) > 0.0);
}

#[test]
fn what_is_out_of_range_is_refused() {
    let refused = |collider: Collider| {
        let mut scene = scene(G as f32, 1);
        scene.add(Cloth::grid([2, 2], [1.0, 1.0]));
        scene.add_collider(collider.named("c"));
        Plan::new(&scene).expect_err("it is refused").to_string()
    };
    let said = "collider `c`: thickness is -0.5, which is not within 0 .. 1e6 m";
    assert_eq!(refused(Collider::ground().thickness(-0.5)), said);
    assert!(refused(Collider::ground().thickness(f32::NAN)).contains("thickness is NaN"));
    let said = "collider `c`: a sphere has an inside; two-sided is a plane, or the shell of a mesh";
    assert_eq!(refused(Collider::sphere(1.0).two_sided()), said);
}
