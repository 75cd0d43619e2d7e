//! Many rows that share a particle: a fixed one is no conflict, a free one is named.

use crate::runs::solver_on;
use seidel::{Body, Constraints, Error, Input, Isa, Plan, Scene, Solver, State, Stiffness, kinds};

/// A net of 24 x 24 vertices, each on a line to one of four anchors, which come last.
fn anchored(inv_mass: f32) -> Scene {
    let mut x: Vec<[f32; 3]> = (0..576).map(|i| [(i % 24) as f32 * 0.1, 0.0, (i / 24) as f32 * 0.1]).collect();
    x.extend([[0.0, 1.0, 0.0], [2.3, 1.0, 0.0], [0.0, 1.0, 2.3], [2.3, 1.0, 2.3]]);
    let w = [vec![1.0; 576], vec![inv_mass; 4]].concat();
    let at = (0..576u32).flat_map(|i| [i, 576 + (i % 24 / 12) + 2 * (i / 24 / 12)]).collect();
    let mut body = Body::particles(x, w);
    body.constraints = vec![Constraints::measured(kinds::DISTANCE, at, Stiffness::compliance(1e-4))];
    let mut scene = Scene::new();
    scene.add(body);
    scene
}

#[test]
fn rows_that_share_a_fixed_particle_are_solved_at_once() {
    let scene = anchored(0.0);
    let plan = Plan::new(&scene).unwrap();
    assert_eq!(plan.families().map(|(.., colors)| colors).collect::<Vec<_>>(), [1]);
    assert!(plan.warnings().is_empty(), "{:?}", plan.warnings());
    let hash = |isa: Isa, threads: usize| {
        let mut solver = solver_on(&scene, isa, threads);
        (0..5).for_each(|_| drop(solver.step(&Input::frame(1.0 / 60.0))));
        solver.state().hash()
    };
    let scalar = hash(Isa::SCALAR, 1);
    assert!(Isa::available().into_iter().all(|isa| hash(isa, 1) == scalar && hash(isa, 3) == scalar));
    let mut solver = Solver::new(&scene).unwrap();
    for _ in 0..30 {
        solver.step(&Input::frame(1.0 / 60.0));
    }
    assert!(solver.measure().max_stretch < 0.05);
    // What is planned as fixed stays so: rows that were to wait for each other do not.
    let body = plan.body_ids().next().unwrap();
    let mut state = State::new(&plan);
    let mut w = vec![1.0; 580];
    w[576..].fill(0.0);
    state.write_inv_masses(&plan, body, &w).unwrap();
    w[577] = 1.0;
    let Err(Error::Range { what, limit, .. }) = state.write_inv_masses(&plan, body, &w) else {
        panic!("it is refused")
    };
    assert!(what == "inverse mass of vertex 577" && limit.contains("plan it with a mass"), "{what}: {limit}");
}

#[test]
fn a_free_particle_of_many_rows_is_named() {
    let plan = Plan::new(&anchored(1.0)).unwrap();
    assert_eq!(plan.families().map(|(.., colors)| colors).collect::<Vec<_>>(), [144]);
    let [warning] = &plan.warnings()[..] else { panic!("one") };
    assert!(
        warning.starts_with("144 rows of kind `distance` share vertex 57") && warning.contains("144 colors"),
        "{warning}"
    );
}
