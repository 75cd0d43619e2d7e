//! What is switched while a scene runs: pins, colliders, bodies and rigid bodies that are planned and wait.

use crate::runs::{self, FRAME};
use glam::{DVec3, Vec3};
use seidel::collider::{Motion, Shape};
use seidel::query::{Look, Queries, Ray};
use seidel::{
    Balloon, Body, BodyId, Cloth, Collide, Collider, Error, Execution, Fluid, Input, Intersections, Isa, Joint, Mesh,
    MovingPins, ParticleJoint, Pose, RigidBody, RigidJoint, Rod, Scene, ShapeMatched, SoftBody, Solver, State,
    VelocityUpdate,
};
use std::sync::Arc;

const ONE: Execution = Execution::new(Isa::PORTABLE, 1);

fn solver(scene: &Scene) -> Solver {
    Solver::on(scene, ONE).expect("a sound scene")
}

fn play(solver: &mut Solver, steps: u32) {
    runs::run(solver, steps, FRAME);
}

fn cloth(side: u32, at: [f32; 3]) -> Cloth {
    Cloth::grid([side, side], [0.8, 0.8]).placed(Pose::at(at), 1.0)
}

fn masses(solver: &Solver, body: BodyId) -> Vec<f32> {
    let mut w = vec![0.0; solver.plan().vertices(body)];
    solver.state().read_inv_masses(solver.plan(), body, &mut w);
    w
}

fn bits(solver: &Solver, body: BodyId) -> Vec<[u32; 3]> {
    runs::positions(solver, body).into_iter().map(|x| x.map(|c| (c as f32).to_bits())).collect()
}

#[test]
fn pins_remember_masses() {
    let mut scene = runs::scene(9.81, 4);
    let sheet = scene.add(cloth(8, [0.0, 1.0, 0.0]).pin(&[0, 7]));
    let points = scene.add(Body::particles(vec![[3.0, 1.0, 0.0], [3.5, 1.0, 0.0]], vec![0.0, 2.0]));
    let mut solver = solver(&scene);
    let free = {
        let mut scene = Scene::new();
        let sheet = scene.add(cloth(8, [0.0, 1.0, 0.0]));
        Solver::on(&scene, ONE).unwrap().plan().inv_masses(sheet)
    };
    play(&mut solver, 5);
    let at = runs::positions(&solver, sheet);
    // One is pinned where it is, one that the scene has pinned is let go.
    solver.pin(sheet, 63).unwrap();
    solver.unpin(sheet, 0).unwrap();
    assert!(solver.state().is_pinned(solver.plan(), sheet, 63) && !solver.state().is_pinned(solver.plan(), sheet, 0));
    play(&mut solver, 10);
    let now = runs::positions(&solver, sheet);
    assert_eq!((now[63], now[7]), (at[63], at[7]));
    assert!(runs::norm(runs::sub(now[0], at[0])) > 0.01);
    // An input takes it along.
    let target = Vec3::new(0.4, 0.9, 0.4);
    assert!(solver.step(&Input::frame(FRAME).pin(sheet, 63, target)).rejected.is_none());
    assert!((solver.positions(sheet)[63] - target).length() < 1e-5);
    solver.unpin(sheet, 63).unwrap();
    let mut want = free.clone();
    want[7] = 0.0;
    assert_eq!(masses(&solver, sheet), want);
    // A mass that was written is the one that it goes back to, also from bytes and after an edit.
    let plan = Arc::clone(solver.plan());
    want[9] = 0.25;
    solver.state_mut().write_inv_masses(&plan, sheet, &want).unwrap();
    let hash = solver.state().hash();
    solver.pin(sheet, 9).unwrap();
    solver.pin(sheet, 9).unwrap();
    assert_ne!(solver.state().hash(), hash);
    let mut again = State::from_bytes(&plan, &solver.state().to_bytes()).unwrap();
    assert_eq!(again, *solver.state());
    again.unpin(&plan, sheet, 9).unwrap();
    solver.edit(|scene| scene.remove(points)).unwrap();
    solver.unpin(sheet, 9).unwrap();
    let mut of_bytes = vec![0.0; 64];
    again.read_inv_masses(&plan, sheet, &mut of_bytes);
    assert_eq!((&of_bytes, &masses(&solver, sheet)), (&want, &want));
}

#[test]
fn pins_that_cannot_be_are_refused() {
    let mut scene = runs::scene(9.81, 2);
    let points = scene.add(Body::particles(vec![[3.0, 1.0, 0.0], [3.5, 1.0, 0.0]], vec![0.0, 2.0]).named_by("points"));
    let mut known = Body::particles(vec![[5.0, 1.0, 0.0]], vec![0.0]);
    known.free_masses = vec![(0, 4.0)];
    let known = scene.add(known);
    let water = scene.add(Fluid::block([8.0, 0.0, 0.0], [8.2, 0.2, 0.2]).spacing(0.1));
    let mut solver = solver(&scene);
    let hash = solver.state().hash();
    let text = |result: Result<(), Error>| result.unwrap_err().to_string();
    let none = "body `points`: vertex 0 has no mass to go back to: give it one with State::write_inv_masses";
    assert_eq!(text(solver.unpin(points, 0)), none);
    assert_eq!(text(solver.pin(points, 2)), "body `points`: vertex 2 does not exist; there are 2");
    assert!(text(solver.pin(water, 0)).contains("emitters and drains say"));
    assert_eq!(solver.state().hash(), hash);
    solver.unpin(known, 0).unwrap();
    assert_eq!(masses(&solver, known), [4.0]);
    let mut wrong = Body::particles(vec![[5.0, 1.0, 0.0]], vec![0.0]);
    wrong.free_masses = vec![(1, 4.0)];
    let error = solver.edit(|scene| Ok(scene.add(wrong))).unwrap_err();
    assert!(matches!(error, Error::Missing { what: "vertex of `free_masses`", index: 1, .. }), "{error}");
}

trait Named {
    fn named_by(self, name: &str) -> Self;
}

impl Named for Body {
    fn named_by(mut self, name: &str) -> Body {
        self.name = name.to_owned();
        self
    }
}

/// Every sort of body that waits, in the way of everything else.
fn pool(scene: &mut Scene, at: f32) -> Vec<BodyId> {
    let place = |y: f32| Pose::at([at, y, 0.0]);
    let path = Motion::Sinusoidal { amplitude: [0.0, 0.5, 0.0].into(), period: 1.0, phase: 0.0 };
    vec![
        scene.add(cloth(9, [at, 0.3, 0.0]).collide(Collide::All).thickness(0.01).pin(&[0])),
        scene.add(cloth(9, [at, 0.1, 0.0]).move_pins(MovingPins::new(vec![3], path)).collide(Collide::Spheres)),
        scene.add(Rod::new([at, 0.2, 0.0], [at + 0.4, 0.2, 0.1], 6).collide(Collide::All).pin(&[0, 1])),
        scene.add(ShapeMatched::new(Mesh::ball(0.2, 2)).placed(place(0.2), 1.0).clusters(0.15)),
        scene.add(Balloon::new(Mesh::ball(0.2, 2)).placed(place(0.3), 1.0).collide(Collide::All)),
        scene.add(SoftBody::bar([0.3; 3], [3; 3]).placed(place(0.2), 1.0).collide(Collide::All)),
    ]
}

/// A sheet that collides, one of spheres, a rigid body and water, which fall through what is disabled.
fn falling(scene: &mut Scene) -> Vec<BodyId> {
    scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.1, 0.7, 0.0]));
    vec![
        scene.add(cloth(10, [0.0, 0.6, 0.0]).collide(Collide::All).thickness(0.01)),
        scene.add(cloth(8, [0.05, 0.8, 0.0]).collide(Collide::Spheres)),
        scene.add(Fluid::block([-0.1, 1.0, -0.1], [0.1, 1.2, 0.1]).spacing(0.04)),
    ]
}

#[test]
fn what_is_disabled_is_not_there() {
    for update in [VelocityUpdate::FirstOrder, VelocityUpdate::SecondOrder] {
        let run = |at: f32, frames: u32| {
            let mut scene = runs::scene(9.81, 4);
            scene.settings.velocity_update = update;
            let (bodies, waiting) = (falling(&mut scene), pool(&mut scene, at));
            let anvil = scene.add_rigid(RigidBody::cuboid([0.3; 3]).fixed().at([at, 0.0, 0.0]));
            let mut solver = solver(&scene);
            waiting.iter().for_each(|&id| solver.disable(id).unwrap());
            solver.disable_rigid(anvil).unwrap();
            let before: Vec<_> = waiting.iter().map(|&id| bits(&solver, id)).collect();
            play(&mut solver, frames);
            let after: Vec<_> = waiting.iter().map(|&id| bits(&solver, id)).collect();
            assert!(before == after, "{update:?}");
            (solver, bodies, waiting)
        };
        let (near, bodies, waiting) = run(0.0, 20);
        let (far, others, _) = run(30.0, 20);
        for (number, (a, b)) in bodies.iter().zip(&others).enumerate() {
            assert!(bits(&near, *a) == bits(&far, *b), "{update:?}, body {number}");
        }
        let rigid =
            |solver: &Solver| solver.state().rigid_pose(solver.plan(), solver.plan().rigid_ids().next().unwrap());
        assert_eq!(rigid(&near), rigid(&far));
        assert!(rigid(&near).position()[1] < 0.3, "it falls freely");
        // Nor is it measured, hit, or met by triangles.
        let [a, b] = [&near, &far].map(|solver| solver.plan().measure(solver.state()));
        assert_eq!((a.kinetic, a.max_stretch), (b.kinetic, b.max_stretch));
        let sheet = waiting[0];
        let down = Ray::new(DVec3::new(0.35, 0.5, 0.35), DVec3::NEG_Y, 0.35);
        let hit = |solver: &Solver| {
            Queries::new(solver.plan(), solver.state()).unwrap().ray(&down, &Look::default()).unwrap()
        };
        assert!(hit(&near).is_none_or(|hit| hit.target != seidel::query::Target::Body(sheet)));
        let crossings = |solver: &Solver| Intersections::new().count(solver.plan(), solver.state()).unwrap();
        assert_eq!(crossings(&near), crossings(&far));
    }
}

/// Where bodies do not collide with bodies, the others are as in a scene without the one that is disabled.
#[test]
fn a_scene_with_a_disabled_body_is_one_without_it() {
    let run = |with: bool| {
        let mut scene = runs::scene(9.81, 4);
        scene.add_collider(Collider::sphere(0.3));
        let sheet = scene.add(cloth(12, [0.0, 0.4, 0.0]));
        // Large: it has cells of its own, and so no say in how the other is solved.
        let spare = with.then(|| scene.add(cloth(48, [0.0, 0.35, 0.0])));
        let mut solver = solver(&scene);
        spare.into_iter().for_each(|id| solver.disable(id).unwrap());
        play(&mut solver, 30);
        bits(&solver, sheet)
    };
    assert!(run(true) == run(false));
}

#[test]
fn what_is_enabled_begins_as_planned() {
    let mut scene = runs::scene(9.81, 4);
    let waiting = pool(&mut scene, 0.0);
    let box_ = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([3.0, 1.0, 0.0]).velocity([1.0, 0.0, 0.0]));
    let mut one = solver(&scene);
    play(&mut one, 4);
    for &id in &waiting {
        one.disable(id).unwrap();
    }
    one.disable_rigid(box_).unwrap();
    play(&mut one, 4);
    // It survives bytes, a plan of the same scene and an edit.
    let bytes = State::from_bytes(one.plan(), &one.state().to_bytes()).unwrap();
    assert_eq!(bytes, *one.state());
    assert_eq!(one.state().carried(one.plan(), one.plan()).unwrap().hash(), one.state().hash());
    one.edit(|scene| Ok(scene.add(cloth(3, [40.0, 0.0, 0.0])))).unwrap();
    for &id in &waiting {
        assert!(!one.state().is_enabled(one.plan(), id));
        one.enable(id).unwrap();
        let count = one.plan().vertices(id);
        let (mut x, mut v) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count]);
        one.state().read_positions(one.plan(), id, &mut x);
        one.state().read_velocities(one.plan(), id, &mut v);
        assert_eq!(x, one.plan().positions(id).into_iter().map(Vec3::from).collect::<Vec<_>>());
        assert_eq!(v, vec![Vec3::ZERO; count]);
        assert_eq!(masses(&one, id), one.plan().inv_masses(id));
    }
    // One that a joint comes to hold takes part again.
    let mut held = solver(&scene);
    held.disable(waiting[2]).unwrap();
    held.disable_rigid(box_).unwrap();
    held.edit(|scene| {
        scene.join(Joint::points(waiting[2], waiting[3], &[[6, 0]]));
        Ok(scene.join_rigid(RigidJoint::hinge(Some(box_), None, [3.0, 1.0, 0.0], [0.0, 0.0, 1.0])))
    })
    .unwrap();
    assert!(held.state().is_enabled(held.plan(), waiting[2]) && held.state().is_rigid_enabled(held.plan(), box_));
    assert_eq!(masses(&held, waiting[2]), held.plan().inv_masses(waiting[2]));
    one.enable_rigid(box_).unwrap();
    let motion = |solver: &Solver| {
        (
            solver.state().rigid_pose(solver.plan(), box_).position(),
            solver.state().rigid_velocity(solver.plan(), box_)[0],
        )
    };
    assert_eq!(motion(&one), (DVec3::new(3.0, 1.0, 0.0), DVec3::X));
    play(&mut one, 3);
    assert!(motion(&one).0[1] < 1.0);
    // A rod that waited turns again.
    assert!(runs::positions(&one, waiting[2])[6][1] < 0.2);
}

#[test]
fn who_is_held_by_others_cannot_be_disabled() {
    let mut scene = runs::scene(9.81, 2);
    let [a, b, c] = [0.0, 1.0, 2.0].map(|x| scene.add(cloth(4, [x, 0.0, 0.0])));
    scene.join(Joint::points(a, b, &[[3, 0]]));
    let [held, hinged] = [0.0f32, 1.0].map(|x| scene.add_rigid(RigidBody::sphere(0.1).at([x, 5.0, 0.0])));
    scene.join_particle(ParticleJoint::new(held, c, 0));
    scene.join_rigid(RigidJoint::hinge(Some(hinged), None, [1.0, 5.0, 0.0], [0.0, 0.0, 1.0]));
    let water = scene.add(Fluid::block([8.0, 0.0, 0.0], [8.2, 0.2, 0.2]).spacing(0.1));
    let mut solver = solver(&scene);
    let hash = solver.state().hash();
    for id in [a, b, c, water] {
        assert!(matches!(solver.disable(id), Err(Error::NotAlone { .. })));
        assert!(matches!(solver.enable(id), Err(Error::NotAlone { .. })));
    }
    let told = solver.disable(a).unwrap_err().to_string();
    assert_eq!(told, "body `body-0` cannot be disabled or enabled: a joint holds it");
    for id in [held, hinged] {
        assert!(matches!(solver.disable_rigid(id), Err(Error::NotAlone { .. })));
    }
    assert_eq!(solver.state().hash(), hash);
}

#[test]
fn nothing_meets_a_disabled_collider() {
    let shapes = [
        Shape::Plane,
        Shape::Sphere { radius: 0.5 },
        Shape::Cuboid { half: [1.0, 0.2, 1.0].into() },
        Shape::Capsule { radius: 0.3, half_length: 0.4 },
    ];
    for (number, shape) in shapes.into_iter().enumerate() {
        let run = |with: bool| {
            let mut scene = runs::scene(9.81, 4);
            let mut bodies = falling(&mut scene);
            bodies.push(scene.add(SoftBody::bar([0.2; 3], [3; 3]).placed(Pose::at([0.0, 0.7, 0.0]), 1.0)));
            let collider = with.then(|| scene.add_collider(Collider::new(shape.clone()).at([0.0, 0.1, 0.0])));
            let mut solver = solver(&scene);
            collider.into_iter().for_each(|id| solver.disable_collider(id));
            play(&mut solver, 25);
            (solver, bodies, collider)
        };
        let ((mut with, bodies, collider), (without, others, _)) = (run(true), run(false));
        for (&id, &other) in bodies.iter().zip(&others) {
            let (a, b) = (runs::positions(&with, id), runs::positions(&without, other));
            // A collider that may come back changes how contacts of bodies round.
            let apart = a.iter().zip(&b).map(|(a, b)| runs::norm(runs::sub(*a, *b))).fold(0.0, f64::max);
            assert!(apart < 1e-3, "shape {number}, body {}: {apart}", id.index());
        }
        let rigid =
            |solver: &Solver| solver.state().rigid_pose(solver.plan(), solver.plan().rigid_ids().next().unwrap());
        assert_eq!(rigid(&with), rigid(&without));
        assert_eq!(with.plan().max_penetration(with.state()), 0.0);
        assert!(!with.state().is_collider_enabled(with.plan(), collider.unwrap()));
        // It comes back around them, and lets them out gently.
        with.enable_collider(collider.unwrap());
        play(&mut with, 1);
        for &id in &bodies[..2] {
            assert!(runs::velocities(&with, id).iter().all(|v| runs::norm(*v) < 12.0), "shape {number}");
        }
    }
}
