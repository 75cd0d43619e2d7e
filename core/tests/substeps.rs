//! Where a substep ends changes nothing: where the next begins, cell by cell, or in a stage of its own, as damping (of
//! any body) and a step that may stop need it.

use crate::runs;
use crate::runs::{FRAME, P, particles, run};
use glam::Vec3;
use seidel::{Cloth, Collider, Execution, Input, Joint, Method, NonFinite, Plan, Pose, Rope, Scene, Solver, Substeps};
use std::sync::Arc;

/// Damping of the sheet, of the ropes and of the rag.
type Damping = [f32; 3];

/// A sheet of several cells on a ball; ropes, a rag, a lone particle and nothing at all, which share cells; the ground.
fn scene(damping: Damping) -> Scene {
    let mut scene = runs::scene(9.81, 6);
    let sheet = Cloth::grid([70, 60], [1.0, 1.0]).placed(Pose::at([0.0, 0.35, 0.0]), 1.0);
    scene.add(sheet.bend(1e2).damping(damping[0]).named("sheet"));
    scene.add(particles(&[[5.0, 1.0, 0.0], [6.0, 1.0, 0.0]], &[1.0, f64::INFINITY]));
    for i in 0..100 {
        let (x, name) = (2.0 + 0.02 * f64::from(i), format!("rope {i}"));
        let (from, to) = ([x as f32, 0.3, 0.0], [x as f32, 0.3, 0.6]);
        scene.add(Rope::new(from, to, 30).pin(&[0]).damping(damping[1]).named(&name));
    }
    scene.add(particles(&[], &[]));
    let rag = Cloth::grid([12, 9], [0.6, 0.5])
        .placed(Pose::at([4.5, 0.1, 0.0]).turned([1.0, 0.2, 0.0], seidel::degrees(15.0)), 1.0);
    scene.add(rag.damping(damping[2]).named("rag"));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::sphere(0.2).at([0.0, 0.1, 0.0]));
    scene
}

fn after_frames(scene: &Scene, threads: usize) -> Solver {
    let plan = Arc::new(Plan::new(scene).expect("the scene is sound"));
    let mut solver = Solver::with(plan, Execution::default().threads(threads));
    run(&mut solver, 12, FRAME);
    solver
}

#[test]
fn what_is_done_with_lost_particles_changes_nothing_where_none_is() {
    for damping in [[0.0; 3], [0.0, 0.1, 0.0]] {
        for (iterations, method) in
            [(1, Method::GaussSeidel), (3, Method::GaussSeidel), (2, Method::Jacobi { relaxation: 1.2 })]
        {
            let mut scene = scene(damping);
            (scene.settings.iterations, scene.settings.method) = (iterations, method);
            let mut hashes = Vec::new();
            for policy in [NonFinite::Freeze, NonFinite::Stop, NonFinite::Ignore] {
                scene.settings.non_finite = policy;
                hashes.extend([1, 3].map(|threads| after_frames(&scene, threads).state().hash()));
            }
            assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{damping:?}, {iterations}, {method:?}: {hashes:x?}");
        }
    }
}

#[test]
fn damping_is_its_bodys_alone() {
    let of = |damping: Damping, body: &str| -> (Vec<P>, Vec<P>) {
        let solver = after_frames(&scene(damping), 2);
        let body = solver.plan().body(body).expect("a body of the scene");
        (runs::positions(&solver, body), runs::velocities(&solver, body))
    };
    for (body, others, own) in [
        ("sheet", [0.0, 0.1, 0.2], [0.3, 0.0, 0.0]),
        ("rope 7", [0.3, 0.0, 0.2], [0.0, 0.1, 0.0]),
        ("rag", [0.3, 0.1, 0.0], [0.0, 0.0, 0.2]),
    ] {
        let free = of([0.0; 3], body);
        assert!(of(others, body) == free, "others' damping moves {body}");
        assert!(of(own, body) != free, "{body} is not damped");
    }
}

#[test]
fn a_particle_is_lost_in_the_substep_that_loses_it() {
    for damping in [0.0, 0.1] {
        for policy in [NonFinite::Freeze, NonFinite::Stop, NonFinite::Ignore] {
            let mut scene = runs::scene(0.0, 4);
            scene.settings.non_finite = policy;
            let lone = scene.add(particles(&[[0.0; 3]], &[1.0]));
            scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 20).damping(damping).named("rope"));
            let mut solver = after_frames(&scene, 1);
            // Steps of 200,000, 400,000 and 600,000 km; 1,000,000 km is too far.
            let force = Vec3::new(2e8 * 240.0 * 240.0, 0.0, 0.0);
            let lost = solver.step(&Input::frame(FRAME).forces(lone, &[force])).lost.expect("it is too far");
            assert_eq!((lost.body.as_str(), lost.vertex, lost.substep), ("body-0", 0, 2), "{policy:?}, {damping}");
        }
    }
}

/// A joint between free bodies that are in one place has no length, and asks for as many substeps as a row that has
/// one.
#[test]
fn free_bodies_that_are_joined_need_no_more_than_one() {
    let needed = |parts: u32| {
        let mut scene = Scene::new();
        scene.settings.substeps = Substeps::Auto;
        let length = 2.0 / parts as f32;
        let ends = |k: u32| [k, k + 1].map(|k| [length * k as f32, 0.0, 0.0]);
        let ropes: Vec<_> = (0..parts).map(|k| scene.add(Rope::new(ends(k)[0], ends(k)[1], 64 / parts))).collect();
        for two in ropes.windows(2) {
            scene.join(Joint::distances(two[0], two[1], &[[64 / parts, 0]]));
        }
        let plan = Plan::new(&scene).unwrap();
        assert!(plan.warnings().is_empty(), "{:?}", plan.warnings());
        plan.substeps()
    };
    let (one, two) = (needed(1), needed(2));
    assert!(one > 20 && two <= 2 * one, "{one} and {two}");
}
