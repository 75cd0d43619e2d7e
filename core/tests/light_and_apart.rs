//! Regressions: particles of the largest inverse mass allowed are not lost, and a second sweep of a spring with two
//! compliances does not undo the first.

use seidel::{Body, Cloth, Constraints, Input, Rope, Scene, Solver, Stiffness, kinds};

#[test]
fn the_lightest_and_heaviest_particles_are_not_lost() {
    for mass in [2e-12, 1e-6, 9e8] {
        let mut scene = Scene::new();
        scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 4).link_mass(mass));
        let mut solver = Solver::new(&scene).unwrap();
        for _ in 0..3 {
            assert_eq!(solver.step(&Input::frame(1.0 / 60.0)).lost, None, "{mass} kg");
        }
    }
    let mut scene = Scene::new();
    scene.add(Cloth::grid([64, 64], [1e-3, 1e-3]));
    assert_eq!(Solver::new(&scene).unwrap().step(&Input::frame(1.0 / 60.0)).lost, None);
}

#[test]
fn a_second_sweep_keeps_what_the_first_has_corrected() {
    let length = |iterations| {
        let mut body = Body::particles(vec![[0.0; 3], [1.1, 0.0, 0.0]], vec![100.0, 100.0]);
        let (at, rest) = (vec![0, 1], vec![1.0, 1e-3]);
        let stiffness = Stiffness::compliance(0.0);
        body.constraints = vec![Constraints::new(kinds::STRETCH, at, rest, stiffness)];
        let mut scene = Scene::new();
        scene.settings.gravity = [0.0; 3].into();
        scene.settings.substeps = 1.into();
        scene.settings.iterations = iterations;
        let body = scene.add(body);
        let mut solver = Solver::new(&scene).unwrap();
        solver.step(&Input::frame(1.0 / 1200.0));
        let x = solver.positions(body);
        (x[1] - x[0]).length()
    };
    for iterations in 1..6 {
        assert!((length(iterations) - 1.0).abs() < 1e-5, "{iterations} iterations: {}", length(iterations));
    }
}
