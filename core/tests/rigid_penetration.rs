//! How deep vertices of deformable bodies are in rigid bodies.

use crate::runs::rigid::run;
use seidel::collider::ConvexHull;
use seidel::glam::Vec3;
use seidel::{
    BodyId, Cloth, Filter, ParticleJoint, Plan, Pose, RigidBody, RigidId, RigidPenetration, Scene, SoftBody, Solver,
    State,
};

/// The deepest vertex, by distances from a ball's centre.
fn by_hand(plan: &Plan, state: &State, body: BodyId, (centre, radius): (Vec3, f32)) -> (u32, f32) {
    let mut x = vec![Vec3::ZERO; plan.vertices(body)];
    state.read_positions(plan, body, &mut x);
    let depths = (0..).zip(x.iter().map(|x| radius - x.distance(centre)));
    depths.fold((0, f32::NEG_INFINITY), |most, of| if of.1 > most.1 { of } else { most })
}

fn sheet() -> Cloth {
    Cloth::grid([12, 12], [2.0, 2.0]).thickness(0.01).named("sheet")
}

fn through(ball: RigidBody, sheet: Cloth) -> (Scene, RigidId, BodyId) {
    let mut scene = Scene::new();
    let ids = (scene.add_rigid(ball.named("ball")), scene.add(sheet));
    (scene, ids.0, ids.1)
}

/// A sheet that is put through a ball: its deepest vertex is the one that is nearest to the ball's centre.
#[test]
fn a_sheet_through_a_ball_is_measured() {
    let centre = Vec3::new(0.2, 0.1, -0.3);
    let ball = || RigidBody::sphere(0.5).at(centre);
    let (scene, rigid, body) = through(ball(), sheet());
    let plan = Plan::new(&scene).unwrap();
    let state = State::new(&plan);
    let (vertex, depth) = by_hand(&plan, &state, body, (centre, 0.5));
    let found = plan.rigid_penetrations(&state);
    let [RigidPenetration { body: of, rigid: within, vertex: deepest, depth: deep }] = found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((of, within, deepest), (body, rigid, vertex));
    assert!((deep - depth).abs() < 1e-6 && depth > 0.3, "{deep} for {depth}");
    assert!((plan.max_rigid_penetration(&state).unwrap() - depth - 0.01).abs() < 1e-6);
    // Pinned, and held by a joint: the next one.
    let (pinned, ..) = through(ball(), sheet().pin(&[vertex]));
    let (mut joined, rigid, body) = through(ball(), sheet());
    joined.join_particle(ParticleJoint::new(rigid, body, vertex));
    for scene in [pinned, joined] {
        let plan = Plan::new(&scene).unwrap();
        let [found] = plan.rigid_penetrations(&State::new(&plan))[..] else { panic!("one pair") };
        assert!(found.vertex != vertex && found.depth < depth && found.depth > 0.2, "{found:?}");
    }
    // A body whose filter does not meet the ball is not in it.
    for ball in [ball().sensor(), ball().filter(Filter::new(2, !1))] {
        let plan = Plan::new(&through(ball, sheet()).0).unwrap();
        let state = State::new(&plan);
        assert_eq!((plan.rigid_penetrations(&state), plan.max_rigid_penetration(&state)), (vec![], Some(0.0)));
    }
    let mut state = State::new(&plan);
    state.disable_rigid(&plan, plan.rigid_ids().next().unwrap()).unwrap();
    assert_eq!(plan.max_rigid_penetration(&state), Some(0.0));
    let mut alone = Scene::new();
    alone.add(sheet());
    let plan = Plan::new(&alone).unwrap();
    assert_eq!(plan.max_rigid_penetration(&State::new(&plan)), None);
}

/// All shapes, turned, beside each other in one body; a solid's skin.
#[test]
fn every_shape_is_measured_where_it_is() {
    let half = [0.3, 0.2, 0.25];
    for (body, deepest) in [
        (RigidBody::cuboid(half), 0.2),
        (RigidBody::sphere(0.3), 0.3),
        (RigidBody::capsule(0.2, 0.2), 0.2),
        (RigidBody::cylinder(0.3, 0.2), 0.2),
        (RigidBody::cone(0.4, 0.4), 0.1),
    ] {
        // The vertex in the middle of 13 x 13 is at the origin.
        let pose = Pose::IDENTITY.turned([0.3, 1.0, 0.2], 0.7);
        let (scene, ..) = through(body.kinematic().placed(pose), Cloth::grid([13, 13], [2.0, 2.0]).named("sheet"));
        let plan = Plan::new(&scene).unwrap();
        let [found] = plan.rigid_penetrations(&State::new(&plan))[..] else { panic!("one pair") };
        assert!(found.depth >= deepest && found.depth < deepest + 0.1, "{found:?}");
    }
    // Of a solid its vertices; of one with a skin that one's, farther out.
    let bar = || SoftBody::bar([0.5; 3], [4, 4, 4]);
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 1 { 0.3 } else { -0.3 });
    let skin = ConvexHull::new(&(0..8).map(corner).collect::<Vec<_>>()).unwrap().surface().clone();
    let corner = skin.positions.iter().position(|x| *x == [0.3; 3]).unwrap() as u32;
    for (solid, side, vertex) in [(bar(), 0.25f32, None), (bar().skin(skin), 0.3, Some(corner))] {
        let mut scene = Scene::new();
        scene.add_rigid(RigidBody::sphere(0.5).at([0.5; 3]));
        scene.add(solid);
        let plan = Plan::new(&scene).unwrap();
        let [found] = plan.rigid_penetrations(&State::new(&plan))[..] else { panic!("one pair") };
        let depth = 0.5 - (0.5 - side) * 3f32.sqrt();
        assert!((found.depth - depth).abs() < 1e-5 && vertex.is_none_or(|v| v == found.vertex), "{found:?}, {depth}");
    }
}

/// A ball that falls on a sheet pushes it, and is not in it.
#[test]
fn a_ball_on_a_sheet_is_hardly_in_it() {
    let border = |v: u32| v.is_multiple_of(20) || v % 20 == 19 || !(20..380).contains(&v);
    let pins: Vec<u32> = (0..400).filter(|&v| border(v)).collect();
    let cloth = Cloth::grid([20, 20], [2.0, 2.0]).thickness(5e-3).pin(&pins);
    let (scene, ..) = through(RigidBody::sphere(0.3).mass(0.5).at([0.05, 0.5, 0.02]), cloth);
    let mut solver = Solver::new(&scene).unwrap();
    let mut deepest = 0.0f32;
    for _ in 0..30 {
        run(&mut solver, 1.0 / 60.0);
        deepest = deepest.max(solver.plan().max_rigid_penetration(solver.state()).unwrap());
    }
    assert!(deepest < 5e-3, "{deepest}");
}
