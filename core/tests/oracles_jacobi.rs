//! Oracle: Jacobi with averaged corrections. What it shares with Gauss-Seidel, and what it alone has.

use crate::runs;
use crate::runs::{
    FRAME, G, P, Random, cross, momentum, norm, particles, positions, run, run_with_drag, scene, solver, sub,
};
use seidel::{Body, Cloth, Collide, Constraints, Error, Method, Plan, Rope, Scene, Stiffness, kinds};
use seidel_scenes::{MethodSpec, SceneSpec, SolverSpec};

const METHODS: [Method; 3] = [Method::GaussSeidel, Method::JACOBI, Method::Jacobi { relaxation: 1.3 }];

/// A particle that one constraint touches takes all that it asks for, at any relaxation from 1 on: the same bits.
#[test]
fn a_lone_constraint_is_solved_as_ever() {
    for (stiffness, iterations) in [(Stiffness::compliance(1e-4), 1), (Stiffness::compliance(1e-4), 4)]
        .into_iter()
        .chain([(Stiffness::pbd(0.6), 1), (Stiffness::pbd(0.6), 5)])
    {
        let hashes = METHODS.map(|method| {
            let mut scene = scene(G as f32, 3);
            (scene.settings.iterations, scene.settings.method) = (iterations, method);
            let mut body = particles(&[[0.0; 3], [0.9, 1.2, 0.0]], &[1.0, 3.0]);
            let (at, rest) = (vec![0, 1], vec![1.0]);
            body.constraints = vec![Constraints::new(kinds::DISTANCE, at, rest, stiffness.clone())];
            scene.add(body);
            let mut solver = solver(&scene);
            run(&mut solver, 30, FRAME);
            solver.state().hash()
        });
        assert_eq!(hashes, [hashes[0]; 3], "{stiffness:?}, {iterations} iterations");
    }
}

/// As many rows meet in the middle as at the border of a cloth do not: averages that take n w for w keep the momentum.
#[test]
fn momentum_is_kept() {
    for iterations in [1, 4] {
        let mut scene = scene(0.0, 20);
        (scene.settings.iterations, scene.settings.method) = (iterations, Method::JACOBI);
        let body = scene.add(Cloth::grid([24, 24], [1.0, 1.0]).stretch(1e-6).bend(1e2));
        let mut solver = solver(&scene);
        let mut random = Random(5);
        let velocity = |x: &P| {
            let turn = cross([2.0, 5.0, 1.0], *x);
            std::array::from_fn(|k| [3.0, 1.0, -2.0][k] + turn[k] + 0.5 * random.unit())
        };
        let v: Vec<P> = positions(&solver, body).iter().map(velocity).collect();
        runs::set_velocities(&mut solver, body, &v);
        let before = momentum(&solver, body);
        let size: f64 = v.iter().zip(runs::masses(&solver, body)).map(|(v, m)| m * norm(*v)).sum();
        run(&mut solver, 50, FRAME);
        let drift = norm(sub(momentum(&solver, body), before)) / size;
        assert!(drift < 1e-5, "{iterations} iterations: drift {drift:.1e}");
    }
}

/// The multipliers that are kept are those that were applied: springs in series stretch by their load times compliance.
#[test]
fn springs_in_series_carry_their_loads() {
    for (method, iterations) in [(METHODS[0], 40), (METHODS[1], 40), (METHODS[1], 81), (METHODS[2], 40)] {
        let mut scene = scene(G as f32, 4);
        (scene.settings.iterations, scene.settings.method) = (iterations, method);
        let points: [P; 4] = std::array::from_fn(|i| [0.0, -(i as f64), 0.0]);
        let mut body = particles(&points, &[f64::INFINITY, 1.0, 2.0, 0.5]);
        let (at, rest, stiffness) = (vec![0, 1, 1, 2, 2, 3], vec![1.0; 3], Stiffness::compliance(1e-3));
        body.constraints = vec![Constraints::new(kinds::DISTANCE, at, rest, stiffness)];
        let body = scene.add(body);
        let mut solver = solver(&scene);
        run_with_drag(&mut solver, body, 600, FRAME, 0.2);
        let x = positions(&solver, body);
        for (link, load) in [3.5, 2.5, 0.5].into_iter().enumerate() {
            let extension = x[link][1] - x[link + 1][1] - 1.0;
            let error = (extension / (load * G * 1e-3) - 1.0).abs();
            assert!(error < 5e-3, "{method:?}, {iterations} iterations, link {link}: off by {error:.1e}");
        }
    }
}

/// A chain between two supports comes to rest where Gauss-Seidel lays it.
#[test]
fn a_chain_hangs_as_with_gauss_seidel() {
    let rests = METHODS.map(|method| {
        let mut scene = scene(G as f32, 10);
        (scene.settings.iterations, scene.settings.method) = (40, method);
        let body = scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 12).stretch(1e-3).pin(&[0, 12]));
        let mut solver = solver(&scene);
        run_with_drag(&mut solver, body, 400, FRAME, 0.1);
        positions(&solver, body)
    });
    let lowest = rests[0].iter().map(|x| -x[1]).fold(0.0, f64::max);
    assert!(lowest > 0.03, "it sags: {lowest}");
    for (method, rest) in METHODS.iter().zip(&rests).skip(1) {
        for (v, (a, b)) in rest.iter().zip(&rests[0]).enumerate() {
            let apart = norm(sub(*a, *b));
            assert!(apart < 2e-4, "{method:?}: vertex {v} is {apart:.1e} m off");
        }
    }
}

/// 60 particles in a tangle of springs; `order` permutes the rows.
fn tangle(method: Method, order: impl Fn(usize) -> usize) -> Vec<P> {
    let mut random = Random(11);
    let points: Vec<P> = (0..60).map(|_| random.point()).collect();
    let mut body: Body = particles(&points, &(0..60).map(|v| 1.0 + f64::from(v % 3)).collect::<Vec<_>>());
    let rows: Vec<[u32; 2]> = (0..60).flat_map(|v| [[v, (v + 1) % 60], [v, (v * 7 + 3) % 60]]).collect();
    let rows: Vec<[u32; 2]> = rows.into_iter().filter(|[a, b]| a != b).collect();
    let at: Vec<u32> = (0..rows.len()).flat_map(|i| rows[order(i)]).collect();
    let rest = vec![0.7; rows.len()];
    body.constraints = vec![Constraints::new(kinds::DISTANCE, at, rest, Stiffness::compliance(1e-5))];
    let mut scene = scene(0.0, 2);
    (scene.settings.iterations, scene.settings.method) = (3, method);
    let body = scene.add(body);
    let mut solver = solver(&scene);
    run(&mut solver, 2, FRAME);
    positions(&solver, body)
}

/// The order in which constraints stand in the scene changes roundings, where Gauss-Seidel gives another result.
#[test]
fn the_order_of_constraints_does_not_matter() {
    let count = (0..60u32).map(|v| 1 + u32::from((v * 7 + 3) % 60 != v)).sum::<u32>() as usize;
    let apart = |method| {
        let (a, b) = (tangle(method, |i| i), tangle(method, |i| count - 1 - i));
        a.iter().zip(&b).map(|(a, b)| norm(sub(*a, *b))).fold(0.0, f64::max)
    };
    assert!(apart(Method::GaussSeidel) > 1e-2, "the tangle does not depend on the order at all");
    for method in &METHODS[1..] {
        let far = apart(*method);
        assert!(far < 1e-4, "{method:?}: {far:.1e} m");
    }
}

/// Nothing grows where the relaxation is 1, whatever the iterations, nor above it where `notes` has nothing to say.
#[test]
fn named_scenes_stay_together() {
    for name in seidel_scenes::NAMES {
        let mut spec = seidel_scenes::named(name).expect("a named scene");
        // What is pulled, hit, piled up or blown up stretches whatever the solver.
        const PRESSED: &[&str] = &[
            "folds",
            "twist",
            "layers",
            "funnel",
            "drape-bunny",
            "bullet",
            "tangled",
            "sleeve",
            "flag-materials",
            "curtain-hooks",
        ];
        let yields = |cloth: &seidel_scenes::ClothSpec| cloth.plastic.is_some();
        let pressed = PRESSED.contains(name) || spec.cloth.iter().any(yields) || !spec.balloon.is_empty();
        // Fluids and grains are solved in their own way, and are too fine for cloths of so few vertices.
        if pressed || !spec.fluid.is_empty() || !spec.grains.is_empty() {
            continue;
        }
        spec.cloth.iter_mut().for_each(|cloth| (cloth.resolution, cloth.collide) = ([16, 16], Collide::Nothing));
        let mut scene = spec.build(|_| Err(())).expect("named scenes are sound");
        // Rigid bodies know no relaxation.
        if scene.body_names().next().is_none() {
            continue;
        }
        for (relaxation, iterations) in [(1.0, 1), (1.3, 1), (1.9, 4)] {
            (scene.settings.iterations, scene.settings.method) = (iterations, Method::Jacobi { relaxation });
            if !spec.rod.is_empty() {
                assert!(matches!(Plan::new(&scene), Err(Error::Framed { .. })), "{name} has frames");
                continue;
            }
            let mut solver = solver(&scene);
            assert_eq!(solver.plan().warnings(), [""; 0]);
            run(&mut solver, 15, FRAME);
            let stretch = solver.measure().max_stretch;
            assert!(stretch < 0.1, "{name}, {iterations} iterations, relaxation {relaxation}: {stretch}");
        }
    }
}

/// Above what `notes` allows a chain does shake: the limit is not timid.
#[test]
fn too_much_relaxation_is_noted() {
    let mut scene = scene(G as f32, 40);
    scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 40).pin(&[0]));
    scene.settings.method = Method::Jacobi { relaxation: 1.5 };
    let mut solver = solver(&scene);
    assert_eq!(solver.plan().warnings(), ["chains may shake at a relaxation of 1.5 and 1 sweeps a substep"]);
    let mut worst = 0.0f32;
    for _ in 0..60 {
        run(&mut solver, 1, FRAME);
        worst = worst.max(solver.measure().max_stretch);
    }
    assert!(worst > 0.3, "{worst}");
}

#[test]
fn what_is_wrong_is_refused() {
    for relaxation in [0.0, -1.0, 2.0, f32::NAN, f32::INFINITY] {
        let mut scene = Scene::new();
        scene.settings.method = Method::Jacobi { relaxation };
        let error = Plan::new(&scene).unwrap_err().to_string();
        assert!(error.starts_with("settings: relaxation is ") && error.ends_with("not within 0.01 .. 1.99"), "{error}");
    }
    let build = |method, relaxation| {
        let solver = SolverSpec { method, relaxation, ..SolverSpec::default() };
        SceneSpec { solver, rope: vec![Default::default()], ..SceneSpec::default() }.build(|_| Err("no file"))
    };
    let error = build(MethodSpec::GaussSeidel, Some(1.5)).unwrap_err().to_string();
    assert_eq!(error, "solver: `relaxation` is for the method jacobi");
    assert_eq!(build(MethodSpec::Jacobi, None).unwrap().settings.method, Method::JACOBI);
    assert_eq!(build(MethodSpec::Jacobi, Some(1.5)).unwrap().settings.method, Method::Jacobi { relaxation: 1.5 });
}
