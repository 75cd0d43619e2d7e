//! A method of a body's own beside others: each is solved as in a scene of its method.

use crate::runs;
use crate::runs::joined::patchwork;
use crate::runs::{FRAME, P, add, bits, momentum, norm, scale, sheet, sub};
use seidel::collider::Motion;
use seidel::{
    Balloon, Body, BodyId, Cloth, Collide, Collider, Error, Execution, Filter, Input, Isa, Joint, Mesh, Method,
    MovingPins, Plan, Plasticity, Pose, Rod, Rope, Scene, ShapeMatched, SoftBody, Solver, State, Stiffness,
    VelocityUpdate, kinds,
};
use std::sync::Arc;

const JACOBI: Method = Method::Jacobi { relaxation: 1.2 };

/// Every sort of body about a place, of one group, with a method of its own if told. They do not touch each other: all
/// contacts of bodies in a scene are put in order together.
fn everything(scene: &mut Scene, at: f32, group: u32, own: Option<Method>) -> Vec<BodyId> {
    let filter = Filter::new(group, group);
    let place = |y: f32| Pose::at([at, y, 0.0]);
    let swing = Motion::Sinusoidal { amplitude: [0.1, 0.1, 0.0].into(), period: 0.7, phase: 0.2 };
    scene.add_collider(Collider::sphere(0.15).at([at, 0.1, 0.0]).moving(swing.clone()).filter(filter));
    let mut all = Vec::new();
    macro_rules! add {
        ($recipe:expr) => {{
            let recipe = $recipe.filter(filter);
            all.push(scene.add(match own {
                Some(own) => recipe.method(own),
                None => recipe,
            }))
        }};
    }
    let plastic = Plasticity::new(0.02);
    add!(sheet(40, [at, 0.6, 0.0]).thickness(0.005).pin(&[0]).drag(1.2).damping(0.1));
    add!(sheet(14, [at, 0.4, 0.0]).bend(1e2).move_pins(MovingPins::new(vec![3], swing)));
    add!(sheet(9, [at, 1.5, 0.0]).pin(&[0, 8]).long_range(0.02));
    add!(Rope::new([at, 0.2, 0.5], [at + 0.5, 0.2, 0.5], 9).stretch(1e-4).pin(&[0]));
    add!(ShapeMatched::new(Mesh::ball(0.2, 2)).placed(place(0.8), 1.0).clusters(0.15));
    add!(Balloon::new(Mesh::ball(0.2, 2)).placed(place(1.1), 1.0));
    add!(SoftBody::bar([0.3; 3], [3; 3]).placed(place(1.4), 1.0).plastic(plastic).relaxation(0.01));
    all
}

/// Two groups of bodies that do not meet; which has a method of its own, and what the scene's is.
fn both(method: Method, own: [Option<Method>; 2], change: fn(&mut Scene)) -> (Scene, [Vec<BodyId>; 2]) {
    let mut scene = runs::scene(9.81, 4);
    scene.settings.method = method;
    change(&mut scene);
    let all = [0, 1].map(|k| everything(&mut scene, 40.0 * k as f32, 1 << k, own[k]));
    (scene, all)
}

#[test]
fn each_body_moves_as_in_a_scene_of_its_method() {
    let changes: [fn(&mut Scene); 3] = [
        |_| {},
        |scene| scene.settings.iterations = 3,
        |scene| scene.settings.velocity_update = VelocityUpdate::SecondOrder,
    ];
    let gauss = Method::GaussSeidel;
    for (number, change) in changes.into_iter().enumerate() {
        let run = |method, own| {
            let (scene, all) = both(method, own, change);
            let mut solver = runs::solver(&scene);
            runs::run(&mut solver, 10, FRAME);
            all.map(|bodies| bodies.into_iter().map(|body| bits(&solver, body)).collect::<Vec<_>>())
        };
        let (by_gauss, by_jacobi) = (run(gauss, [None; 2]), run(JACOBI, [None; 2]));
        assert!(by_gauss[0] != by_jacobi[0] && by_gauss[1] != by_jacobi[1]);
        for (method, own, want) in [
            (gauss, [None, Some(JACOBI)], [&by_gauss[0], &by_jacobi[1]]),
            (gauss, [Some(JACOBI), Some(gauss)], [&by_jacobi[0], &by_gauss[1]]),
            (JACOBI, [Some(gauss), None], [&by_gauss[0], &by_jacobi[1]]),
            (Method::JACOBI, [Some(gauss), Some(JACOBI)], [&by_gauss[0], &by_jacobi[1]]),
            (gauss, [Some(gauss), None], [&by_gauss[0], &by_gauss[1]]),
            (gauss, [Some(JACOBI); 2], [&by_jacobi[0], &by_jacobi[1]]),
        ] {
            let got = run(method, own);
            for k in [0, 1] {
                let same: Vec<bool> = got[k].iter().zip(want[k]).map(|(got, want)| got == want).collect();
                assert!(!same.contains(&false), "{number}: {method:?} {own:?}, group {k}: {same:?}");
            }
        }
    }
}

#[test]
fn lanes_and_threads_change_no_bit() {
    let (scene, _) = both(Method::GaussSeidel, [None, Some(JACOBI)], |_| {});
    let plan = Arc::new(Plan::new(&scene).unwrap());
    assert!(plan.particles() >= 2048);
    let mut hashes = Vec::new();
    for isa in Isa::available() {
        for threads in [1, 2, 3] {
            let mut solver = Solver::with(Arc::clone(&plan), Execution::new(isa, threads));
            runs::run(&mut solver, 3, FRAME);
            hashes.push(solver.state().hash());
        }
    }
    assert!(hashes.windows(2).all(|two| two[0] == two[1]), "{hashes:x?}");
}

/// Bodies that are joined, all of a method that is not the scene's: as in a scene of that method.
#[test]
fn what_is_joined_is_solved_in_one_way() {
    let run = |scene: &Scene| {
        let mut solver = runs::solver(scene);
        runs::run(&mut solver, 10, FRAME);
        let names: Vec<String> = scene.body_names().map(str::to_owned).collect();
        let all: Vec<_> = names.iter().map(|name| bits(&solver, scene.body(name).unwrap())).collect();
        all
    };
    for (own, scenes) in [(JACOBI, Method::GaussSeidel), (Method::GaussSeidel, JACOBI)] {
        let want = run(&patchwork(own, None));
        assert!(run(&patchwork(scenes, Some(own))) == want, "{own:?}");
        assert!(run(&patchwork(scenes, None)) != want, "{own:?}");
    }
}

/// Sheets of two methods that fall on each other in free space: what they touch with is solved as ever, and momentum
/// stays.
#[test]
fn bodies_of_two_methods_touch() {
    let mut scene = runs::scene(0.0, 10);
    let thrown = |y: f32, v: f32| sheet(12, [0.0, y, 0.0]).velocity([0.1, v, 0.0]).thickness(0.005);
    let lower = scene.add(thrown(0.0, 1.0).collide(Collide::All));
    let upper = scene.add(thrown(0.05, -1.5).collide(Collide::All).method(JACOBI));
    let mut solver = runs::solver(&scene);
    let sum = |solver: &Solver| -> P { add(momentum(solver, lower), momentum(solver, upper)) };
    let (start, own) = (sum(&solver), momentum(&solver, upper));
    let mut touched = 0;
    for _ in 0..30 {
        touched += solver.step(&Input::frame(FRAME)).pairs.contacts;
    }
    assert!(touched > 0 && norm(sub(momentum(&solver, upper), own)) > 0.1 * norm(own));
    let lost = norm(sub(sum(&solver), start)) / norm(scale(own, 1.0));
    assert!(lost < 2e-6, "{lost}");
}

#[test]
fn what_cannot_be_solved_so_is_named() {
    let text = |scene: &Scene| Plan::new(scene).unwrap_err().to_string();
    let mut scene = runs::scene(9.81, 10);
    let a = scene.add(sheet(4, [0.0; 3]).named("a"));
    let b = scene.add(sheet(4, [0.8, 0.0, 0.0]).named("b").method(JACOBI));
    Plan::new(&scene).unwrap();
    scene.join(Joint::points(a, b, &[[3, 0]]));
    let says = "body `a` is solved by gauss-seidel and body `b` by jacobi at a relaxation of 1.2, but a joint holds them \
                together: give both one `method` with one relaxation";
    assert_eq!(text(&scene), says);
    assert!(matches!(Plan::new(&scene), Err(Error::MethodsDiffer { .. })));

    let mut scene = runs::scene(9.81, 10);
    scene.add(Rod::new([0.0; 3], [1.0, 0.0, 0.0], 4).named("rod").method(JACOBI));
    assert_eq!(text(&scene), "body `rod` has frames, which the method jacobi cannot solve: use gauss-seidel");
    // Beside others that are solved by it.
    let mut scene = runs::scene(9.81, 10);
    scene.settings.method = JACOBI;
    scene.add(Rod::new([0.0; 3], [1.0, 0.0, 0.0], 4).named("rod").method(Method::GaussSeidel));
    scene.add(sheet(4, [0.0, 1.0, 0.0]));
    Plan::new(&scene).unwrap();

    for relaxation in [0.0, 2.0, f32::NAN, -1.0] {
        let mut scene = runs::scene(9.81, 10);
        let mut body = Body::particles(vec![[0.0; 3]], vec![1.0]);
        body.name = "body".to_owned();
        body.method = Some(Method::Jacobi { relaxation });
        scene.add(body);
        let said = text(&scene);
        assert!(said.contains("body `body`: relaxation is ") && said.contains("within 0.01 .. 1.99"), "{said}");
    }
    let mut scene = runs::scene(9.81, 10);
    scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 9).method(Method::Jacobi { relaxation: 1.9 }));
    let plan = Plan::new(&scene).unwrap();
    assert!(plan.warnings().iter().any(|note| note.contains("may shake at a relaxation of 1.9")));
}

/// A body's families are solved, told and set in the order of a scene of one method: a sheet whose stretch is PBD
/// stands before one whose bending is XPBD as the first one's, and whose stretch is of a family behind that.
#[test]
fn families_stay_in_their_order() {
    let run = |scenes: Method, own: [Option<Method>; 2]| {
        let mut scene = runs::scene(9.81, 4);
        scene.settings.method = scenes;
        let by = |cloth: Cloth, own: Option<Method>| match own {
            Some(own) => cloth.method(own),
            None => cloth,
        };
        let side = 36; // A cell of its own.
        scene.add(by(sheet(side, [0.0; 3]).stretch_by(Stiffness::pbd(0.5)).bend(1e3).pin(&[0]), own[0]));
        let second = sheet(side, [3.0, 0.0, 0.0]).stretch(1e-4).bend(1e3).pin(&[0]);
        let second = scene.add(by(second, own[1]));
        let plan = Plan::new(&scene).unwrap();
        let families: Vec<&str> = plan.families().map(|family| family.0).collect();
        let mut solver = runs::solver(&scene);
        let rows = plan.rows(second, &kinds::DISTANCE).len() / 2;
        let compliances: Vec<f32> = (0..rows).map(|row| 1e-4 + 1e-7 * row as f32).collect();
        let input = Input::frame(FRAME).stiffness(second, &kinds::DISTANCE, Stiffness::compliance(compliances));
        assert!(solver.step(&input).rejected.is_none());
        runs::run(&mut solver, 5, FRAME);
        (families, bits(&solver, second))
    };
    let gauss = Method::GaussSeidel;
    for (one, other) in [(gauss, JACOBI), (JACOBI, gauss)] {
        let want = run(one, [None; 2]).1;
        for (scenes, own) in [(other, [None, Some(one)]), (one, [Some(other), None]), (one, [Some(other), Some(one)])] {
            let (families, got) = run(scenes, own);
            assert!(got == want, "{scenes:?} {own:?}: {families:?}");
        }
    }
}

/// A state goes on under another method, and an edit plans what a new scene has.
#[test]
fn methods_change_while_it_runs() {
    let build = |own: Option<Method>| both(Method::GaussSeidel, [None, own], |_| {});
    let (scene, before) = build(None);
    let mut solver = runs::solver(&scene);
    runs::run(&mut solver, 5, FRAME);
    let saved = solver.state().to_bytes();
    let (scene, all) = build(Some(JACOBI));
    let plan = Arc::new(Plan::new(&scene).unwrap());
    assert_eq!(all.clone().map(|bodies| plan.method_of(bodies[0])), [Method::GaussSeidel, JACOBI]);
    assert_eq!(plan.layout_id(), solver.plan().layout_id());
    assert_ne!(plan.id(), solver.plan().id());
    let go_on = |plan: &Arc<Plan>, all: &[Vec<BodyId>; 2]| {
        let mut other = Solver::with(Arc::clone(plan), Execution::new(Isa::PORTABLE, 1));
        other.set_state(State::from_bytes(plan, &saved).unwrap()).unwrap();
        runs::run(&mut other, 5, FRAME);
        all.clone().map(|bodies| bodies.into_iter().map(|body| bits(&other, body)).collect::<Vec<_>>())
    };
    let (changed, same) = (go_on(&plan, &all), go_on(solver.plan(), &before));
    // The solid that yields had its rows beside the other's: what has flowed of them is lost.
    let solid = changed[0].len() - 1;
    assert!(changed[0][..solid] == same[0][..solid]);
    assert!((0..solid).filter(|&body| changed[1][body] != same[1][body]).count() > solid / 2);

    // The scene's method, by an edit: what has its own is planned anew, too, and has the bits of a new plan.
    let mut solver = Solver::on(&scene, Execution::new(Isa::PORTABLE, 1)).unwrap();
    solver
        .edit(|scene| {
            scene.settings.method = JACOBI;
            Ok(())
        })
        .unwrap();
    let mut changed = scene.clone();
    changed.settings.method = JACOBI;
    assert_eq!(solver.plan().id(), Plan::new(&changed).unwrap().id());
    runs::run(&mut solver, 5, FRAME);
    let mut new = runs::solver(&changed);
    runs::run(&mut new, 5, FRAME);
    assert_eq!(solver.state().hash(), new.state().hash());
}
