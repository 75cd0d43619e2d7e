//! States that go on in another plan of the same bodies.

use crate::runs::{self, FRAME, positions};
use glam::{Quat, Vec3};
use seidel::collider::{Key, Motion};
use seidel::{
    Cloth, Collider, Error, Input, Mesh, Obstacle, Plan, Pose, Rod, Scene, ShapeMatched, Solver, State, Stiffness,
    VelocityUpdate,
};
use std::sync::Arc;

/// The settings in which a test's scene differs from [`lively`].
#[derive(Clone, Copy)]
struct Given {
    update: VelocityUpdate,
    compliance: f32,
    substeps: u32,
    gravity: f32,
    /// Radius of the ball under the cloth.
    ball: f32,
    resolution: [u32; 2],
    rod: u32,
}

const GIVEN: Given = Given {
    update: VelocityUpdate::FirstOrder,
    compliance: 1e-6,
    substeps: 4,
    gravity: 9.81,
    ball: 0.2,
    resolution: [12, 12],
    rod: 8,
};

/// A cloth on a ball that moves, a rod with frames, and matched shapes that roll on the ground.
fn lively(given: Given) -> Scene {
    with(bodies(given), colliders(given))
}

fn with(mut scene: Scene, colliders: impl IntoIterator<Item = Collider>) -> Scene {
    for collider in colliders {
        scene.add_collider(collider);
    }
    scene
}

fn bodies(given: Given) -> Scene {
    let mut scene = runs::scene(given.gravity, given.substeps);
    scene.settings.velocity_update = given.update;
    let cloth = Cloth::grid(given.resolution, [0.8, 0.8]).placed(Pose::at([0.0, 0.42, 0.0]), 1.0);
    scene.add(cloth.stretch(given.compliance).pin(&[0]).named("cloth"));
    let rod = Rod::new([0.6, 0.3, 0.0], [1.0, 0.35, 0.1], given.rod).pin(&[0, 1]);
    scene.add(rod.named("rod"));
    let ball = ShapeMatched::new(Mesh::ball(0.1, 2)).placed(Pose::at([-0.8, 0.12, 0.0]), 1.0);
    scene.add(ball.clusters(0.1).velocity([1.0, 0.0, 0.5]).named("ball"));
    scene
}

fn colliders(given: Given) -> [Collider; 3] {
    let motion = Motion::Sinusoidal { amplitude: [0.1, 0.0, 0.0].into(), period: 1.0, phase: 0.0 };
    [
        Collider::ground().named("ground"),
        Collider::sphere(given.ball).at([0.0, 0.2, 0.0]).moving(motion).named("mover"),
        Collider::sphere(0.1).at([0.9, 0.1, 0.0]).named("rest"),
    ]
}

fn play(solver: &mut Solver, steps: u32) {
    runs::run(solver, steps, FRAME);
}

/// A solver of another scene that goes on with this one's state.
fn on(solver: &Solver, scene: &Scene) -> Solver {
    let mut other = runs::solver(scene);
    *other.state_mut() = solver.state().carried(solver.plan(), other.plan()).expect("the same bodies");
    other
}

#[test]
fn to_a_plan_of_the_same_scene_all_goes_on_with_the_same_bits() {
    for update in [VelocityUpdate::FirstOrder, VelocityUpdate::SecondOrder] {
        let scene = lively(Given { update, ..GIVEN });
        let mut solver = runs::solver(&scene);
        // At the start, on the way, and where all lie on each other.
        for steps in [0, 7, 30] {
            play(&mut solver, steps);
            let mut other = on(&solver, &scene);
            assert_eq!(solver.state().hash(), other.state().hash(), "{update:?}");
            for frame in 0..6 {
                play(&mut solver, 1);
                play(&mut other, 1);
                assert_eq!(solver.state().hash(), other.state().hash(), "{update:?}, frame {frame}");
                assert_eq!(solver.state().time(), other.state().time());
            }
        }
    }
}

/// What hands have done goes on, too: pins, a collider that was moved, a vertex that was placed.
#[test]
fn what_was_done_by_hand_survives() {
    let scene = lively(GIVEN);
    let mut solver = runs::solver(&scene);
    let [cloth, rest] = [solver.plan().body("cloth").unwrap(), solver.plan().body("ball").unwrap()];
    play(&mut solver, 4);
    let plan = Arc::clone(solver.plan());
    let mut masses = vec![0.0; 144];
    solver.state().read_inv_masses(&plan, cloth, &mut masses);
    let planned = masses[1];
    // One more pin, and the scene's own is let go.
    (masses[143], masses[0]) = (0.0, planned);
    solver.state_mut().write_inv_masses(&plan, cloth, &masses).unwrap();
    let mut placed = positions(&solver, rest).into_iter().map(runs::narrow).collect::<Vec<Vec3>>();
    placed.iter_mut().for_each(|x| x.y += 0.3);
    solver.state_mut().write_positions(&plan, rest, &placed).unwrap();
    let ball = plan.collider("rest").unwrap();
    solver.step(&Input::frame(FRAME).pose(ball, Pose::at([0.9, 0.3, 0.2])));

    let mut same = on(&solver, &scene);
    play(&mut solver, 3);
    play(&mut same, 3);
    assert_eq!(solver.state().hash(), same.state().hash());

    // Of another material, with another mass: pins stay, others have the new mass.
    let mut heavy = Scene::new();
    heavy.settings.substeps = 4.into();
    let sheet = Cloth::grid([12, 12], [0.8, 0.8]).placed(Pose::at([0.0, 0.42, 0.0]), 1.0).density(3.0);
    heavy.add(sheet.pin(&[0]).named("cloth"));
    let mut light = Scene::new();
    light.settings.substeps = 4.into();
    let sheet = Cloth::grid([12, 12], [0.8, 0.8]).placed(Pose::at([0.0, 0.42, 0.0]), 1.0).density(0.3);
    light.add(sheet.pin(&[0]).named("cloth"));
    let mut solver = runs::solver(&light);
    let (plan, cloth) = (Arc::clone(solver.plan()), solver.plan().body("cloth").unwrap());
    solver.state().read_inv_masses(&plan, cloth, &mut masses);
    (masses[143], masses[0]) = (0.0, 0.5);
    solver.state_mut().write_inv_masses(&plan, cloth, &masses).unwrap();
    let mut other = on(&solver, &heavy);
    let (to, cloth) = (Arc::clone(other.plan()), other.plan().body("cloth").unwrap());
    let mut got = vec![0.0; 144];
    other.state().read_inv_masses(&to, cloth, &mut got);
    assert_eq!((got[143], got[0]), (0.0, 0.5));
    assert_eq!(got[1..143], to.inv_masses(cloth)[1..143]);
    assert!(got[1] < 0.2 * masses[1]);
    let corner = positions(&other, cloth)[143];
    play(&mut other, 10);
    assert_eq!(positions(&other, cloth)[143], corner);
}

#[test]
fn other_materials_and_settings_go_on_from_the_same_positions() {
    let scene = lively(GIVEN);
    let mut solver = runs::solver(&scene);
    play(&mut solver, 10);
    let others = [
        Given { compliance: 1e-2, ..GIVEN },
        Given { substeps: 9, ..GIVEN },
        Given { gravity: -2.0, ..GIVEN },
        Given { update: VelocityUpdate::SecondOrder, ..GIVEN },
    ];
    for (number, given) in others.into_iter().enumerate() {
        let mut other = on(&solver, &lively(given));
        for (a, b) in solver.plan().body_ids().zip(other.plan().body_ids()) {
            assert_eq!(positions(&solver, a), positions(&other, b), "{number}");
            assert_eq!(runs::velocities(&solver, a), runs::velocities(&other, b), "{number}");
        }
        let mut as_before = on(&solver, &scene);
        play(&mut other, 5);
        play(&mut as_before, 5);
        let [one, two] = [&other, &as_before].map(|s| positions(s, s.plan().body("cloth").unwrap()));
        assert_ne!(one, two, "{number}");
        // It goes on: nothing jumps.
        let moved = one.iter().zip(&two).map(|(a, b)| runs::norm(runs::sub(*a, *b))).fold(0.0, f64::max);
        assert!(moved < 0.2, "{number}: {moved} m in five frames");
    }
    // From second order to first, and back: the past begins anew.
    let second = lively(Given { update: VelocityUpdate::SecondOrder, ..GIVEN });
    let mut swinging = runs::solver(&second);
    play(&mut swinging, 10);
    let mut back = on(&on(&swinging, &scene), &second);
    play(&mut swinging, 1);
    play(&mut back, 1);
    assert_ne!(swinging.state().hash(), back.state().hash());
}

#[test]
fn frames_and_shapes_keep_their_rotations() {
    let scene = lively(GIVEN);
    let mut solver = runs::solver(&scene);
    play(&mut solver, 15);
    let other = on(&solver, &lively(Given { compliance: 1e-3, ..GIVEN }));
    let read = |solver: &Solver| {
        let rod = solver.plan().body("rod").unwrap();
        let count = solver.plan().frames(rod);
        let (mut turns, mut omegas) = (vec![Quat::IDENTITY; count], vec![Vec3::ZERO; count]);
        solver.state().read_rotations(solver.plan(), rod, &mut turns);
        solver.state().read_angular_velocities(solver.plan(), rod, &mut omegas);
        (turns, omegas)
    };
    assert_eq!(read(&solver), read(&other));
    assert!(read(&solver).1.iter().any(|omega| omega.length() > 0.1));
}

/// Colliders: those that are as they were stay where they are; others are where the plan has them at this time.
#[test]
fn colliders_are_found_by_their_names() {
    let scene = lively(GIVEN);
    let mut solver = runs::solver(&scene);
    play(&mut solver, 10);
    let ball = solver.plan().collider("rest").unwrap();
    solver.step(&Input::frame(FRAME).pose(ball, Pose::at([0.9, 0.3, 0.2])));
    let place = |solver: &Solver, name: &str| {
        solver.state().pose(solver.plan().collider(name).unwrap()).position().as_vec3().to_array()
    };

    // The same, of another size.
    let other = on(&solver, &lively(Given { ball: 0.22, ..GIVEN }));
    for name in ["ground", "mover", "rest"] {
        assert_eq!(place(&solver, name), place(&other, name), "{name}");
    }
    // In another order, one of them elsewhere, one gone, one that has begun to move, and new ones.
    let [ground, mover, rest] = colliders(GIVEN);
    let keys = [(0.0, 0.0), (2.0, 2.0)].map(|(time, x)| Key {
        time,
        offset: [x, 0.0, 0.0].into(),
        axis: [0.0, 1.0, 0.0].into(),
        angle: 0.0,
    });
    let path = Motion::KeyFrames { keys: keys.to_vec() };
    let new = Collider::sphere(0.1).at([0.0, -1.0, 0.0]).moving(path.clone()).named("new");
    let other = on(&solver, &with(bodies(GIVEN), [new, rest.clone(), mover.clone().at([0.0, 0.25, 0.0])]));
    assert_eq!(place(&other, "rest"), [0.9, 0.3, 0.2], "as a hand has put it");
    let time = solver.state().time() as f32;
    assert!((place(&other, "new")[0] - time).abs() < 1e-6, "{:?} after {time} s", place(&other, "new"));
    assert_eq!(place(&other, "mover")[1], 0.25);
    assert_ne!(place(&other, "mover")[0], 0.0, "it is on its path");
    // A collider that has got a path is on it, and does not fly there.
    let other = on(&solver, &with(bodies(GIVEN), [ground, mover, rest.moving(path)]));
    assert!((place(&other, "rest")[0] - 0.9 - time).abs() < 1e-6, "{:?}", place(&other, "rest"));
    // None at all.
    let mut other = on(&solver, &bodies(GIVEN));
    play(&mut other, 20);
    let cloth = other.plan().body("cloth").unwrap();
    assert!(positions(&other, cloth).iter().any(|x| x[1] < -0.05), "it falls");
}

/// A collider that appears around particles lets them out, as at a scene's start; it does not throw them.
#[test]
fn what_is_inside_a_new_collider_is_taken_out_gently() {
    let mut scene = runs::scene(0.0, 4);
    scene.add(Cloth::grid([8, 8], [0.4, 0.4]).placed(Pose::at([0.0, 0.0, 0.0]), 1.0).named("cloth"));
    let mut solver = runs::solver(&scene);
    play(&mut solver, 3);
    let alone = solver.state().carried(solver.plan(), solver.plan()).unwrap();
    assert_eq!(alone.hash(), solver.state().hash());
    scene.add_collider(Collider::sphere(0.3).at([0.0, -0.2, 0.0]).named("appears"));
    let mut other = on(&solver, &scene);
    let mut fresh = runs::solver(&scene);
    play(&mut fresh, 5);
    play(&mut other, 5);
    let [one, two] = [&other, &fresh].map(|s| positions(s, s.plan().body("cloth").unwrap()));
    assert_eq!(one, two, "as from a start in the ball");
    assert!(one.iter().all(|x| runs::norm(runs::sub(*x, [0.0, -0.2, 0.0])) > 0.2));
}

/// An obstacle goes where it is taken, whatever a hand has given the body's vertices before.
#[test]
fn an_obstacles_vertices_stay_fixed() {
    let sheet = || Cloth::grid([4, 4], [0.5, 0.5]);
    let mut free = runs::scene(9.81, 2);
    free.add(sheet().pin(&[0]).named("sheet"));
    free.add(sheet().placed(Pose::at([0.0, 1.0, 0.0]), 1.0).named("other"));
    let mut solver = runs::solver(&free);
    let (plan, body) = (Arc::clone(solver.plan()), solver.plan().body("sheet").unwrap());
    solver.state_mut().write_inv_masses(&plan, body, &[2.0; 16]).unwrap();
    let mut fixed = runs::scene(9.81, 2);
    let shell = sheet();
    fixed.add(Obstacle::new(shell.mesh()).named("sheet"));
    fixed.add(sheet().placed(Pose::at([0.0, 1.0, 0.0]), 1.0).named("other"));
    let mut other = on(&solver, &fixed);
    let obstacle = other.plan().body("sheet").unwrap();
    let mut masses = vec![1.0; 16];
    other.state().read_inv_masses(other.plan(), obstacle, &mut masses);
    assert_eq!(masses, [0.0; 16]);
    play(&mut other, 3);
}

#[test]
fn other_bodies_and_other_plans_are_refused() {
    let mut solver = runs::solver(&lively(GIVEN));
    play(&mut solver, 2);
    let message = |scene: &Scene| {
        let to = Plan::new(scene).unwrap();
        solver.state().carried(solver.plan(), &to).unwrap_err().to_string()
    };
    let mut more = lively(GIVEN);
    more.add(Cloth::grid([3, 3], [0.1, 0.1]).placed(Pose::at([3.0, 0.0, 0.0]), 1.0));
    assert_eq!(message(&more), "carried state: bodies has 3 entries and should have 4");
    let finer = lively(Given { resolution: [13, 12], ..GIVEN });
    assert_eq!(message(&finer), "carried state: vertices of body `cloth` has 144 entries and should have 156");
    let longer = lively(Given { rod: 9, ..GIVEN });
    let says = message(&longer);
    assert!(says.contains("of body `rod`"), "{says}");
    // As many vertices, and another grid.
    let other = lively(Given { resolution: [9, 16], ..GIVEN });
    assert_eq!(message(&other), "carried state: body `cloth` has other triangles or tetrahedra");

    let to = Plan::new(&lively(Given { gravity: 1.0, ..GIVEN })).unwrap();
    assert_eq!(State::new(&to).carried(solver.plan(), &to), Err(Error::OtherPlan { what: "state" }));
    assert_eq!(solver.state().carried(&to, &to), Err(Error::OtherPlan { what: "state" }));
}

/// Also in the plan of another scene.
#[test]
fn stiffnesses_of_inputs_are_kept() {
    let scene = lively(GIVEN);
    let mut solver = runs::solver(&scene);
    let cloth = solver.plan().body("cloth").unwrap();
    let soft = Input::frame(FRAME).stiffness(cloth, &seidel::kinds::DISTANCE, Stiffness::compliance(1e-2));
    assert!(solver.step(&soft).rejected.is_none());
    let mut other = on(&solver, &scene);
    assert_eq!(other.state().hash(), solver.state().hash());
    play(&mut solver, 2);
    play(&mut other, 2);
    assert_eq!(other.state().hash(), solver.state().hash());
}
