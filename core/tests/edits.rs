//! Edits while a scene runs: what stays goes on as if nothing had happened, ids stay good, those of what is gone are
//! refused.

use crate::runs::{self, FRAME};
use glam::{DVec3, Vec3};
use seidel::collider::Motion;
use seidel::joint::Motor;
use seidel::{
    Balloon, BodyId, Cloth, Collide, Collider, CombineRule, Emitter, Error, Execution, Filter, Fluid, Input, Isa,
    Joint, Mesh, Method, Opening, ParticleJoint, Plan, Pose, Recipe, RigidBody, RigidId, RigidJoint, Rod, Scene,
    Settings, ShapeMatched, SoftBody, Solver, State, Stiffness, Substeps, VelocityUpdate, kinds,
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

/// Bits of all that moves of a scene's first things.
fn bits(solver: &Solver, bodies: &[BodyId], rigid: &[RigidId]) -> Vec<u64> {
    let (plan, state) = (solver.plan(), solver.state());
    let mut all = vec![state.time().to_bits()];
    for &body in bodies {
        let count = plan.vertices(body);
        let mut rows = vec![Vec3::ZERO; count];
        state.read_positions(plan, body, &mut rows);
        all.extend(rows.iter().flat_map(|x| x.to_array()).map(|c| u64::from(c.to_bits())));
        state.read_velocities(plan, body, &mut rows);
        all.extend(rows.iter().flat_map(|x| x.to_array()).map(|c| u64::from(c.to_bits())));
    }
    for &body in rigid {
        let (pose, velocity) = (state.rigid_pose(plan, body), state.rigid_velocity(plan, body));
        let numbers = pose
            .position()
            .to_array()
            .into_iter()
            .chain(pose.rotation().to_array())
            .chain(velocity.iter().flat_map(|v| v.to_array()));
        all.extend(numbers.map(f64::to_bits));
        all.push(u64::from(state.is_asleep(plan, body)));
    }
    all
}

/// Everything that a scene can hold, and that moves.
fn everything(update: VelocityUpdate) -> (Scene, Vec<BodyId>, Vec<RigidId>) {
    let mut scene = runs::scene(9.81, 4);
    scene.settings.velocity_update = update;
    let mut bodies = vec![
        scene.add(cloth(12, [0.0, 0.42, 0.0]).pin(&[0]).collide(Collide::All).thickness(0.01)),
        scene.add(cloth(9, [0.05, 0.5, 0.0]).collide(Collide::All).thickness(0.01)),
        scene.add(Rod::new([0.6, 0.3, 0.0], [1.0, 0.35, 0.1], 8).pin(&[0, 1])),
        scene.add(ShapeMatched::new(Mesh::ball(0.1, 2)).placed(Pose::at([-0.8, 0.12, 0.0]), 1.0).clusters(0.1)),
        scene.add(Balloon::new(Mesh::ball(0.2, 2)).placed(Pose::at([-2.0, 0.3, 0.0]), 1.0)),
        scene.add(SoftBody::bar([0.3; 3], [4; 3]).placed(Pose::at([2.0, 0.3, 0.0]), 1.0)),
        scene.add(cloth(8, [0.0, 0.3, 3.0]).collide(Collide::Spheres)),
        scene.add(cloth(8, [0.0, 0.4, 3.0]).collide(Collide::Spheres)),
    ];
    if update == VelocityUpdate::FirstOrder {
        let jet = Emitter::new(Pose::at([0.0, 1.0, -3.0]), Opening::Disk(0.06), 1.0);
        bodies.push(scene.add(Fluid::block([-0.1, 0.2, -3.1], [0.1, 0.4, -2.9]).spacing(0.03).emit(jet).capacity(400)));
    }
    scene.join(Joint::distances(bodies[3], bodies[4], &[[0, 0]]).compliance(1e-3));
    let motion = Motion::Sinusoidal { amplitude: [0.1, 0.0, 0.0].into(), period: 1.0, phase: 0.0 };
    scene.add_collider(Collider::ground().named("ground"));
    scene.add_collider(Collider::sphere(0.2).at([0.0, 0.2, 0.0]).moving(motion).named("mover"));
    let stack = [0.1f32, 0.3, 0.5].map(|y| scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([4.0, y, 0.0])));
    scene.join_rigid(RigidJoint::hinge(Some(stack[2]), None, [4.0, 0.6, 0.0], [0.0, 0.0, 1.0]));
    scene.join_particle(ParticleJoint::new(stack[0], bodies[5], 0).compliance(1e-4));
    (scene, bodies, stack.to_vec())
}

#[test]
fn what_is_added_far_away_changes_no_bit() {
    for update in [VelocityUpdate::FirstOrder, VelocityUpdate::SecondOrder] {
        let (scene, mut bodies, rigid) = everything(update);
        // A fluid's sums follow the grid about all that it may meet.
        bodies.truncate(8);
        let mut plain = solver(&scene);
        let mut edited = solver(&scene);
        for round in 0..3u8 {
            play(&mut plain, 4);
            play(&mut edited, 4);
            let x = 40.0 + 5.0 * f32::from(round);
            let new = edited.edit(|scene| {
                let ball = scene.add_rigid(RigidBody::sphere(0.1).at([x, 0.1, 3.0]));
                let sheet = scene.add(cloth(3 + 12 * u32::from(round), [x, 0.5, 0.0]));
                scene.join_particle(ParticleJoint::new(ball, sheet, 0).compliance(1e-2));
                scene.add(cloth(5, [x, 0.5, 5.0]).collide(Collide::Spheres));
                Ok(sheet)
            });
            let new = new.unwrap();
            for frame in 0..4 {
                assert!(bits(&plain, &bodies, &rigid) == bits(&edited, &bodies, &rigid), "{update:?} {round} {frame}");
                play(&mut plain, 1);
                play(&mut edited, 1);
            }
            let low = edited.positions(new).iter().map(|p| p.y).fold(1.0, f32::min);
            assert!(low < 0.49, "the new sheet falls: {low}");
        }
    }
}

/// An edit is the plan of the edited scene, and the state carried there by hand.
#[test]
fn an_edit_is_a_plan_anew_and_a_carried_state() {
    let (mut scene, bodies, rigid) = everything(VelocityUpdate::FirstOrder);
    let mut edited = solver(&scene);
    play(&mut edited, 6);
    let mut by_hand = solver(&scene);
    play(&mut by_hand, 6);
    let ball = scene.collider("mover").unwrap();
    let change = |scene: &mut Scene| {
        scene.remove(bodies[1])?;
        scene.remove_rigid(rigid[1])?;
        scene.remove_collider(ball)?;
        scene.settings.gravity = [0.0, -5.0, 0.0].into();
        let Recipe::Cloth(sheet) = scene.get(bodies[0])?.clone() else { panic!("a cloth") };
        scene.replace(bodies[0], sheet.stretch(1e-5).pin(&[0, 11]))?;
        scene.add_collider(Collider::sphere(0.1).at([0.0, 0.1, 1.0]));
        Ok(scene.add(cloth(4, [0.0, 1.0, 0.0])))
    };
    let new = edited.edit(change).unwrap();
    assert_eq!(change(&mut scene).unwrap(), new);
    let plan = Arc::new(Plan::new(&scene).unwrap());
    let state = by_hand.state().carried(by_hand.plan(), &plan).unwrap();
    assert_eq!(state.hash(), edited.state().hash());
    by_hand.go_on_in(plan).unwrap();
    assert!(by_hand.scene().is_none() && edited.scene().is_some_and(|scene| scene.get(new).is_ok()));
    for _ in 0..5 {
        play(&mut edited, 1);
        play(&mut by_hand, 1);
        assert_eq!(by_hand.state().hash(), edited.state().hash());
    }
    // A snapshot of what has gaps is read again.
    let again = State::from_bytes(edited.plan(), &edited.state().to_bytes()).unwrap();
    assert_eq!(again.hash(), edited.state().hash());
}

/// What an edit leaves alone is taken over from the plan before. Whatever the edit is, that is the plan which is made
/// from nothing.
#[test]
fn an_edit_plans_what_a_plan_from_nothing_is() {
    type Edit = Box<dyn Fn(&mut Scene) -> Result<(), Error>>;
    let (mut scene, bodies, rigid) = everything(VelocityUpdate::FirstOrder);
    scene.settings.substeps = 2.into();
    // One that has patches and seams, and one with two stiffnesses.
    let large = scene.add(cloth(40, [0.0, 0.5, 20.0]).pin(&[0, 39]));
    let soft = scene.add(cloth(33, [0.0, 0.5, 30.0]).bend(1e2).stretch(1e-4).pin(&[0]));
    let (flag, ball, ground) = (bodies[6], scene.collider("mover"), scene.collider("ground"));
    let (ball, ground) = (ball.unwrap(), ground.unwrap());
    let last = |scene: &Scene| scene.body(scene.body_names().last().expect("there are bodies")).expect("by its name");
    let add = |side: u32, at: [f32; 3]| -> Edit {
        Box::new(move |scene| {
            scene.add(cloth(side, at).bend(1e3).pin(&[0, side - 1]));
            Ok(())
        })
    };
    let changed = |change: fn(Cloth) -> Cloth, id: BodyId| -> Edit {
        Box::new(move |scene| {
            let Recipe::Cloth(sheet) = scene.get(id)?.clone() else { panic!("a cloth") };
            scene.replace(id, change(sheet)).map(drop)
        })
    };
    let remove = |id: BodyId| -> Edit { Box::new(move |scene| scene.remove(id).map(drop)) };
    let set = |set: fn(&mut Settings)| -> Edit {
        Box::new(move |scene| {
            set(&mut scene.settings);
            Ok(())
        })
    };
    let edits: Vec<Edit> = vec![
        add(32, [0.0, 0.5, 40.0]),
        add(5, [0.0, 0.5, 50.0]),
        add(6, [0.0, 0.5, 51.0]),
        Box::new(move |scene| scene.remove(last(scene)).map(drop)),
        changed(|sheet| sheet.pin(&[40]), large),
        changed(|sheet| sheet.stretch(1e-6), soft),
        changed(|sheet| sheet.drag(1.0).filter(Filter::new(2, u32::MAX)), soft),
        Box::new(move |scene| {
            let of_others = Collider::sphere(0.1).at([0.0, 0.1, 1.0]).filter(Filter::new(1, 1));
            scene.replace_collider(ball, of_others).map(drop)
        }),
        Box::new(move |scene| {
            scene.add(SoftBody::bar([0.3; 3], [5; 3]).placed(Pose::at([6.0, 0.3, 0.0]), 1.0).skin(Mesh::ball(0.1, 1)));
            Ok(())
        }),
        set(|settings| settings.substeps = Substeps::Auto),
        remove(bodies[0]),
        remove(bodies[8]),
        // What all sheets of a family have in common is that of one less.
        remove(soft),
        Box::new(move |scene| {
            scene.join(Joint::distances(large, last(scene), &[[3, 0]]).compliance(1e-3));
            Ok(())
        }),
        add(32, [0.0, 0.5, 60.0]),
        remove(bodies[3]),
        set(|settings| settings.gravity = [0.0, -3.0, 0.0].into()),
        set(|settings| settings.iterations = 2),
        set(|settings| settings.friction_rule = CombineRule::Minimum),
        set(|settings| settings.substeps = 6.into()),
        remove(flag),
        Box::new(move |scene| scene.remove_rigid(rigid[1]).map(drop)),
        Box::new(move |scene| scene.remove_collider(ground).map(drop)),
        // Frames have no averages.
        remove(bodies[2]),
        set(|settings| settings.method = Method::JACOBI),
        add(33, [0.0, 0.5, 70.0]),
    ];
    let mut solver = solver(&scene);
    for (number, edit) in edits.iter().enumerate() {
        solver.edit(edit).unwrap();
        let anew = Plan::new(solver.scene().unwrap()).unwrap();
        assert_eq!(solver.plan().id(), anew.id(), "edit {number}");
        assert!(format!("{:?}", **solver.plan()) == format!("{anew:?}"), "edit {number}");
        // One that fails changes nothing of what is kept.
        let failing = |scene: &mut Scene| scene.replace(large, cloth(40, [0.0; 3]).density(-1.0)).map(drop);
        assert!(solver.edit(failing).is_err());
        // With automatic substeps there are many.
        if solver.plan().substeps() < 10 {
            play(&mut solver, 1);
        }
    }
}

#[test]
fn what_stays_is_where_it_was_and_answers_to_its_id() {
    let (scene, bodies, rigid) = everything(VelocityUpdate::FirstOrder);
    let mut solver = solver(&scene);
    play(&mut solver, 8);
    let stay: Vec<BodyId> = bodies.iter().copied().filter(|id| *id != bodies[0] && *id != bodies[2]).collect();
    let before = bits(&solver, &stay, &[rigid[2], rigid[0]]);
    let names: Vec<String> = stay.iter().map(|&id| solver.plan().body_name(id).to_owned()).collect();
    solver
        .edit(|scene| {
            scene.remove(bodies[0])?;
            scene.remove(bodies[2])?;
            scene.remove_rigid(rigid[1]).map(drop)
        })
        .unwrap();
    assert_eq!(before, bits(&solver, &stay, &[rigid[2], rigid[0]]));
    assert_eq!(names, stay.iter().map(|&id| solver.plan().body_name(id)).collect::<Vec<_>>());
    assert_eq!(solver.plan().body_ids().collect::<Vec<_>>(), stay);
    assert_eq!(solver.plan().rigid_ids().collect::<Vec<_>>(), [rigid[0], rigid[2]]);
    assert_eq!(solver.plan().body(&names[0]), Some(stay[0]));
    play(&mut solver, 3);
    // What is added gets a number that nobody had.
    let new = solver.edit(|scene| Ok(scene.add(cloth(3, [9.0, 1.0, 0.0])))).unwrap();
    assert_eq!(new.index(), bodies.len());
    assert!(!bodies.contains(&new));
}

#[test]
fn ids_of_what_is_gone_are_refused() {
    let (scene, bodies, rigid) = everything(VelocityUpdate::FirstOrder);
    let ball = scene.collider("mover").unwrap();
    let mut solver = solver(&scene);
    let hinge = solver.edit(|scene| {
        scene.remove(bodies[1])?;
        scene.remove_rigid(rigid[1])?;
        scene.remove_collider(ball)?;
        Ok(scene.join_rigid(RigidJoint::hinge(Some(rigid[0]), None, [4.0, 0.1, 0.0], [0.0, 0.0, 1.0])))
    });
    let hinge = hinge.unwrap();
    solver.edit(|scene| scene.remove_rigid_joint(hinge).map(drop)).unwrap();
    let frame = || Input::frame(FRAME);
    let inputs = [
        (frame().pull(bodies[1], 0, [0.0; 3], 0.1), "input: body 1 was removed from the scene"),
        (frame().pose(ball, Pose::IDENTITY), "input: collider 1 was removed from the scene"),
        (frame().push(rigid[1], [0.0; 3], [0.0; 3]), "input: rigid body 1 was removed from the scene"),
        (frame().motor(hinge, Motor::Off), "input: joint 1 was removed from the scene"),
    ];
    for (input, message) in inputs {
        let hash = solver.state().hash();
        let rejected = solver.step(&input).rejected.expect(message);
        assert!(matches!(rejected, Error::Removed { .. }));
        assert_eq!(rejected.to_string(), message);
        assert_eq!(solver.state().hash(), hash);
    }
    // Edits with such ids change nothing.
    let (plan, hash) = (solver.plan().id(), solver.state().hash());
    let mut refused = |edit: &dyn Fn(&mut Scene) -> Result<(), Error>, message: &str| {
        let error = solver.edit(|scene| {
            scene.settings.gravity = Vec3::ZERO;
            edit(scene)
        });
        assert_eq!(error.unwrap_err().to_string(), message);
        assert_eq!((solver.plan().id(), solver.state().hash()), (plan, hash));
    };
    let other = Scene::new().add(cloth(3, [0.0; 3]));
    refused(&|scene| scene.remove(bodies[1]).map(drop), "scene: body 1 was removed from the scene");
    refused(&|scene| scene.get_collider(ball).map(drop), "scene: collider 1 was removed from the scene");
    refused(&|scene| scene.replace(other, cloth(3, [0.0; 3])).map(drop), {
        "scene: body 0 belongs to another scene; take its id from this one, or find it by its name"
    });
    let joins = |scene: &mut Scene| {
        scene.join(Joint::points(bodies[0], bodies[1], &[[0, 0]]));
        Ok(())
    };
    refused(&joins, "joint 1: body 1 was removed from the scene");
    let hangs = |scene: &mut Scene| {
        scene.join_rigid(RigidJoint::hinge(Some(rigid[1]), None, [0.0; 3], [0.0, 0.0, 1.0]).named("late"));
        Ok(())
    };
    refused(&hangs, "joint `late`: rigid body 1 was removed from the scene");
    let finer = |scene: &mut Scene| scene.replace(bodies[0], cloth(13, [0.0; 3])).map(drop);
    refused(&finer, "carried state: vertices of body `body-0` has 144 entries and should have 169");
    let bad = |scene: &mut Scene| scene.replace(bodies[0], cloth(12, [0.0; 3]).density(-1.0)).map(drop);
    refused(&bad, "body `body-0`: density is -1, which is not within 1e-9 .. 1e9 kg/m^2");
    // Who does not know the scene says so.
    let mut blind = Solver::with(Arc::clone(solver.plan()), ONE);
    assert_eq!(blind.edit(|_| Ok(())), Err(Error::NoScene));
}

#[test]
#[should_panic(expected = "body 1 was removed: here are 8")]
fn reading_what_is_gone_panics() {
    let (scene, bodies, _) = everything(VelocityUpdate::FirstOrder);
    let mut solver = solver(&scene);
    solver.edit(|scene| scene.remove(bodies[1])).unwrap();
    let _ = solver.positions(bodies[1]);
}

/// What inputs have set stays, on the rows that it was set for.
#[test]
fn stiffnesses_of_inputs_go_on() {
    let mut scene = runs::scene(9.81, 4);
    let [first, second] = [0.0, 2.0].map(|x| scene.add(cloth(8, [x, 1.0, 0.0]).pin(&[0, 7])));
    let (mut plain, mut edited) = (solver(&scene), solver(&scene));
    let map: Vec<f32> =
        (0..plain.plan().rows(second, &kinds::DISTANCE).len() / 2).map(|i| 1e-4 * (1 + i % 9) as f32).collect();
    let soft = Input::frame(FRAME).stiffness(second, &kinds::DISTANCE, Stiffness::compliance(map));
    for solver in [&mut plain, &mut edited] {
        assert!(solver.step(&soft).rejected.is_none());
    }
    edited.edit(|scene| Ok(scene.add(cloth(8, [9.0, 1.0, 0.0])))).unwrap();
    play(&mut plain, 6);
    play(&mut edited, 6);
    assert_eq!(bits(&plain, &[first, second], &[]), bits(&edited, &[first, second], &[]));
    edited.edit(|scene| scene.remove(first)).unwrap();
    play(&mut plain, 6);
    play(&mut edited, 6);
    assert_eq!(bits(&plain, &[second], &[]), bits(&edited, &[second], &[]));
    // It was set: without it the sheet moves otherwise.
    let mut stiff = solver(&scene);
    play(&mut stiff, 13);
    assert_ne!(bits(&stiff, &[second], &[]), bits(&plain, &[second], &[]));
}

#[test]
fn islands_sleep_on_unless_what_holds_them_goes() {
    let mut scene = runs::scene(9.81, 4);
    scene.settings.sleep = true;
    scene.add_collider(Collider::ground());
    let stack = [0.1f32, 0.3].map(|y| scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.0, y, 0.0])));
    let other = [0.1f32, 0.3].map(|y| scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([3.0, y, 0.0])));
    let mut solver = solver(&scene);
    play(&mut solver, 90);
    let asleep = |solver: &Solver, of: &[RigidId]| -> Vec<bool> {
        of.iter().map(|&id| solver.state().is_asleep(solver.plan(), id)).collect()
    };
    assert_eq!(asleep(&solver, &stack), [true; 2]);
    // Something far away.
    solver.edit(|scene| Ok(scene.add_rigid(RigidBody::sphere(0.1).at([9.0, 0.5, 0.0])))).unwrap();
    play(&mut solver, 1);
    assert_eq!((asleep(&solver, &stack), asleep(&solver, &other)), (vec![true; 2], vec![true; 2]));
    // The lower box of one.
    solver.edit(|scene| scene.remove_rigid(stack[0])).unwrap();
    assert_eq!((asleep(&solver, &stack[1..]), asleep(&solver, &other)), (vec![false], vec![true; 2]));
    let falls = |solver: &Solver, id: RigidId| solver.state().rigid_pose(solver.plan(), id).position()[1];
    play(&mut solver, 30);
    assert!(falls(&solver, stack[1]) < 0.11, "{}", falls(&solver, stack[1]));
    assert!(falls(&solver, other[1]) > 0.29);
    // The ground.
    let ground = solver.plan().collider_ids().next().unwrap();
    solver.edit(|scene| scene.remove_collider(ground)).unwrap();
    play(&mut solver, 30);
    assert!(falls(&solver, other[0]) < -0.5);
}

/// A sheet that appears in a ball is let out, and what rests elsewhere does not notice.
#[test]
fn what_begins_inside_is_let_out() {
    let mut scene = runs::scene(9.81, 4);
    scene.add_collider(Collider::sphere(0.3));
    let sheet = scene.add(cloth(10, [0.0, 0.35, 0.0]));
    let mut solver = solver(&scene);
    play(&mut solver, 10);
    let inside = solver.edit(|scene| Ok(scene.add(cloth(10, [0.0, 0.1, 0.0])))).unwrap();
    play(&mut solver, 20);
    for id in [sheet, inside] {
        assert!(solver.positions(id).iter().all(|p| p.length() > 0.29), "{}", id.index());
        assert!(runs::velocities(&solver, id).iter().all(|v| runs::norm(*v) < 8.0));
    }
}

#[test]
fn what_a_sleeping_body_lies_on_may_be_replaced() {
    let mut scene = runs::scene(9.81, 8);
    scene.settings.sleep = true;
    let ground = scene.add_collider(Collider::cuboid([1.0, 0.1, 1.0]).at([0.0, -0.1, 0.0]));
    let ball = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.0, 0.1, 0.0]));
    let mut solver = solver(&scene);
    play(&mut solver, 90);
    assert!(solver.state().is_asleep(solver.plan(), ball));
    // At the same pose, and lower.
    solver
        .edit(|scene| scene.replace_collider(ground, Collider::cuboid([1.0, 0.05, 1.0]).at([0.0, -0.1, 0.0])))
        .unwrap();
    play(&mut solver, 30);
    let y = solver.state().rigid_pose(solver.plan(), ball).position()[1];
    assert!((y - 0.05).abs() < 5e-3, "{y}");
}

#[test]
fn what_waits_stays_where_it_is_put() {
    let mut scene = runs::scene(9.81, 4);
    let wall = scene.add_collider(Collider::cuboid([1.0, 0.1, 1.0]).at([0.0, -0.1, 0.0]));
    let crate_ = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.0, 0.1, 0.0]));
    let mut solver = solver(&scene);
    solver.disable_rigid(crate_).unwrap();
    let plan = Arc::clone(solver.plan());
    solver.state_mut().teleport_rigid(&plan, crate_, Pose::at([5.0, 3.0, 0.0]));
    solver.state_mut().set_rigid_velocity(&plan, crate_, [[1.0; 3].into(), [0.0; 3].into()]);
    play(&mut solver, 10);
    assert_eq!(solver.state().rigid_pose(&plan, crate_).position(), DVec3::new(5.0, 3.0, 0.0));
    // A collider that is moved by an edit still waits.
    solver.disable_collider(wall);
    solver.edit(|scene| scene.replace_collider(wall, Collider::cuboid([1.0, 0.1, 1.0]).at([0.0, -0.5, 0.0]))).unwrap();
    assert!(!solver.state().is_collider_enabled(solver.plan(), wall));
}

#[test]
fn an_emitter_of_an_edit_flows_at_once() {
    let mut scene = runs::scene(9.81, 4);
    scene.add(cloth(4, [9.0, 0.0, 0.0]));
    let mut solver = solver(&scene);
    play(&mut solver, 60);
    // Narrower than a spacing: its layers are farther apart than that.
    let fluid = solver
        .edit(|scene| {
            // Longer than a count of layers can say.
            let drops = Emitter::new(Pose::at([0.0, 1.0, 0.0]), Opening::Disk(0.01), 2.0).during(0.0, 1e30);
            Ok(scene.add(Fluid::empty().spacing(0.02).emit(drops).capacity(500)))
        })
        .unwrap();
    // Those that fall back on the opening take places.
    let given: u32 =
        (0..30).map(|_| solver.step(&Input::frame(FRAME))).map(|of| of.fluid_born + of.fluid_blocked).sum();
    let per_second = std::f64::consts::PI * 0.01 * 0.01 * 2.0 / 0.02f64.powi(3);
    assert!((f64::from(given) - 0.5 * per_second).abs() <= 2.0, "{given} of {}", 0.5 * per_second);
    assert_eq!(solver.positions(fluid).len(), 500);
}
