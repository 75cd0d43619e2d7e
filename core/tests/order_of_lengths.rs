//! The order in which lengths are solved, as pictures show it.

use crate::runs;
use seidel::{Cloth, GridPins, Joint, Method, Plan, Pose, Rod, Rope, Scene, SoftBody, Stiffness};
use std::collections::{BTreeMap, BTreeSet};

/// Bodies of all sorts that have lengths, large enough for several patches, and rows with compliances and with PBD's k.
fn scene(method: Method) -> Scene {
    let mut scene = runs::scene(9.81, 2);
    scene.settings.method = method;
    scene.add(Cloth::grid([70, 60], [1.0, 1.0]).pin_grid(GridPins::Corners));
    scene.add(Cloth::grid([9, 9], [0.5, 0.5]).placed(Pose::at([0.0, 1.0, 0.0]), 1.0).stretch_by(Stiffness::pbd(0.5)));
    scene.add(Rope::new([2.0, 0.0, 0.0], [3.0, 0.0, 0.0], 30));
    if method == Method::GaussSeidel {
        scene.add(Rod::new([2.0, 1.0, 0.0], [3.0, 1.0, 0.0], 10).pin(&[0, 1]));
    }
    scene.add(SoftBody::bar([0.3, 0.1, 0.1], [6, 2, 2]).placed(Pose::at([-2.0, 0.0, 0.0]), 1.0));
    scene
}

#[test]
fn every_length_has_its_place() {
    for method in [Method::GaussSeidel, Method::JACOBI] {
        let plan = Plan::new(&scene(method)).unwrap();
        let mut patches = BTreeSet::new();
        for body in plan.body_ids() {
            let (lengths, order) = (plan.lengths(body), plan.order_of_lengths(body));
            assert_eq!(lengths.len(), order.len(), "{}", plan.body_name(body));
            patches.extend(order.iter().map(|[patch, _]| *patch));
        }
        assert!(patches.len() > 2, "{method:?}: {patches:?}");
    }
}

/// Rows of a batch are solved at once, so they share no vertex that moves; and a batch has sixteen at most.
#[test]
fn lengths_of_a_batch_share_no_vertex() {
    let plan = Plan::new(&scene(Method::GaussSeidel)).unwrap();
    // A batch may have rows of several bodies.
    let mut batches: BTreeMap<[u32; 2], Vec<(usize, [u32; 2])>> = BTreeMap::new();
    for (number, body) in plan.body_ids().enumerate() {
        for ((edge, _), place) in plan.lengths(body).into_iter().zip(plan.order_of_lengths(body)) {
            batches.entry(place).or_default().push((number, edge));
        }
    }
    for (place, edges) in &batches {
        assert!(edges.len() <= 16, "{place:?} has {} rows", edges.len());
        let mut vertices: Vec<(usize, u32)> = edges.iter().flat_map(|(body, edge)| edge.map(|v| (*body, v))).collect();
        let count = vertices.len();
        vertices.sort_unstable();
        vertices.dedup();
        assert_eq!(vertices.len(), count, "{place:?}: {edges:?}");
    }
    // The large cloth has 69 x 60 + 70 x 59 + 69 x 59 x 2 edges, and batches are mostly full.
    assert!(batches.len() > 100 && batches.len() < 2000, "{} batches", batches.len());
}

/// Two plans of one scene have one order.
#[test]
fn the_order_is_the_plans_alone() {
    let [a, b] = [(); 2].map(|()| Plan::new(&scene(Method::GaussSeidel)).unwrap());
    for (one, other) in a.body_ids().zip(b.body_ids()) {
        assert_eq!(a.order_of_lengths(one), b.order_of_lengths(other));
    }
}

/// A body has the same lengths in the same order beside others, by itself and in the section of a joint.
#[test]
fn lengths_of_a_body_are_the_same_beside_others() {
    let mut scene = runs::scene(9.81, 2);
    let ids: Vec<_> = (0..40).map(|_| scene.add(Cloth::grid([4, 4], [1.0, 1.0]))).collect();
    scene.join(Joint::points(ids[3], ids[5], &[[0, 1]]));
    let plan = Plan::new(&scene).unwrap();
    let first = plan.lengths(ids[0]);
    assert_eq!(first.len(), 42);
    for &body in &ids {
        assert_eq!((plan.lengths(body), plan.order_of_lengths(body).len()), (first.clone(), 42));
    }
    // Later bodies are solved later.
    let last = |body| plan.order_of_lengths(body).into_iter().max();
    assert!(last(ids[39]) > last(ids[0]));
}
