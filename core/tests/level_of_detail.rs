//! Substeps of one body beside others: each level of detail moves as if it were alone.

use crate::runs::{self, FRAME, bits, sheet};
use glam::Vec3;
use seidel::collider::Motion;
use seidel::{
    Air, Balloon, Body, BodyId, Cloth, Collide, Collider, Error, Execution, Filter, Fluid, Grain, Grains, Input, Isa,
    Joint, Mesh, Method, MovingPins, NonFinite, NonFiniteParticle, Obstacle, ParticleJoint, Plan, Plasticity, Pose,
    Recording, RigidBody, Rod, Rope, Scene, Scratch, ShapeMatched, SoftBody, Solver, State, Substeps, Tearing, Tether,
    VelocityUpdate, step,
};
use std::sync::Arc;

const ONE: Execution = Execution::new(Isa::PORTABLE, 1);
/// Substeps of what is near, and of what is far.
const NEAR: u32 = 5;
const FAR: u32 = 2;
const STEPS: u32 = 10;

fn solver(scene: &Scene) -> Solver {
    Solver::on(scene, ONE).expect("a sound scene")
}

fn text(scene: &Scene) -> String {
    Plan::new(scene).unwrap_err().to_string()
}

/// Every sort of body about a place, of one group, with substeps of its own if told; and what they meet there.
fn everything(scene: &mut Scene, at: f32, group: u32, own: Option<u32>) -> Vec<BodyId> {
    let filter = Filter::new(group, group);
    let place = |y: f32| Pose::at([at, y, 0.0]);
    let swing = |y: f64| Motion::Sinusoidal { amplitude: [0.1, y, 0.0].into(), period: 0.7, phase: 0.2 };
    let ball = Collider::sphere(0.15).at([at, 0.1, 0.0]).moving(swing(0.1)).restitution(0.5);
    let block = Collider::cuboid([0.2, 0.1, 0.2]).at([at, -0.5, 0.0]).moving(swing(0.2));
    [ball, block].into_iter().for_each(|of| _ = scene.add_collider(of.filter(filter)));
    let mut all = Vec::new();
    macro_rules! add {
        ($recipe:expr) => {{
            let recipe = $recipe.filter(filter).linear_damping(0.2);
            all.push(scene.add(match own {
                Some(own) => recipe.substeps(own),
                None => recipe,
            }))
        }};
    }
    let plastic = Plasticity::new(0.02);
    add!(sheet(32, [at, 0.6, 0.0]).collide(Collide::All).thickness(0.005).pin(&[0]).drag(1.2).lift(1.0).damping(0.1));
    add!(sheet(14, [at, 0.4, 0.0]).move_pins(MovingPins::new(vec![3], swing(0.3))).collide(Collide::Others));
    add!(sheet(9, [at, 0.9, 0.0]).collide(Collide::Spheres));
    add!(sheet(9, [at, 1.5, 0.0]).pin(&[0, 8]).long_range(0.02));
    add!(Rope::new([at, 0.2, 0.5], [at + 0.5, 0.2, 0.5], 9).pin(&[0]).collide(Collide::All));
    // The Jacobi method has no rods.
    if scene.settings.method == Method::GaussSeidel {
        add!(Rod::new([at, 0.2, -0.5], [at + 0.4, 0.2, -0.4], 9).pin(&[0, 1]).relaxation(0.02));
    }
    add!(ShapeMatched::new(Mesh::ball(0.2, 2)).placed(place(0.5), 1.0).clusters(0.15));
    add!(ShapeMatched::new(Mesh::ball(0.2, 3)).placed(place(0.8), 1.0));
    add!(Balloon::new(Mesh::ball(0.2, 2)).placed(place(1.1), 1.0).collide(Collide::All));
    add!(SoftBody::bar([0.3; 3], [3; 3]).placed(place(1.4), 1.0).plastic(plastic));
    add!(SoftBody::filled(Mesh::ball(0.2, 3), 0.1).placed(place(1.8), 1.0));
    all
}

fn windy(substeps: u32, iterations: u32) -> Scene {
    let mut scene = runs::scene(9.81, substeps);
    scene.settings.iterations = iterations;
    scene.settings.air = Air::default().wind([3.0, 0.0, 1.0]).gusts(0.3, 7);
    scene
}

/// What is near, what is far, and both at their levels; how each is alone.
#[test]
fn each_level_moves_as_if_it_were_alone() {
    for (iterations, method, stops) in [
        (1, Method::GaussSeidel, NonFinite::Freeze),
        (2, Method::GaussSeidel, NonFinite::Stop),
        (1, Method::Jacobi { relaxation: 1.2 }, NonFinite::Freeze),
    ] {
        let both = |substeps, own: [Option<u32>; 2]| {
            let mut scene = windy(substeps, iterations);
            (scene.settings.method, scene.settings.non_finite) = (method, stops);
            let near = everything(&mut scene, 0.0, 1, own[0]);
            let far = everything(&mut scene, 40.0, 2, own[1]);
            (scene, near, far)
        };
        let alone = |substeps: u32, is_near: bool| {
            let (scene, near, far) = both(substeps, [None; 2]);
            let mut solver = solver(&scene);
            let (there, gone) = if is_near { (near, far) } else { (far, near) };
            gone.iter().for_each(|&body| solver.disable(body).unwrap());
            runs::run(&mut solver, STEPS, FRAME);
            let all: Vec<_> = there.iter().map(|&body| bits(&solver, body)).collect();
            all
        };
        let (want_near, want_far) = (alone(NEAR, true), alone(FAR, false));
        // The scene's level is that of what is near, of what is far, or nobody's.
        for (scenes, own) in [(NEAR, [None, Some(FAR)]), (FAR, [Some(NEAR), None]), (4, [Some(NEAR), Some(FAR)])] {
            let (scene, near, far) = both(scenes, own);
            let mut solver = solver(&scene);
            let levels = if scenes == FAR { [NEAR, FAR] } else { [FAR, NEAR] };
            assert_eq!(solver.plan().levels(), levels);
            let (plan, mut state) = (Arc::clone(solver.plan()), solver.state().clone());
            let mut scratch = Scratch::new(&plan, ONE);
            for _ in 0..STEPS {
                // Nothing of a step or level lies where another reads it.
                scratch.poison();
                assert!(step(&plan, &mut state, &Input::frame(FRAME), &mut scratch).rejected.is_none());
            }
            solver.state_mut().clone_from(&state);
            for (number, (body, want)) in near.iter().zip(&want_near).chain(far.iter().zip(&want_far)).enumerate() {
                assert!(bits(&solver, *body) == *want, "{scenes} {own:?} {iterations} {method:?}: body {number}");
            }
        }
    }
}

/// A particle is lost in each of two levels: both are named, in the order in which a step takes levels, or the step ends
/// with the first.
#[test]
fn what_is_lost_in_several_levels_is_named_by_level() {
    let with = |non_finite: NonFinite, wrong: [Option<usize>; 2]| {
        let mut scene = runs::scene(9.81, NEAR);
        scene.settings.non_finite = non_finite;
        let rope = |z: f32| Rope::new([0.0, 1.0, z], [1.0, 1.0, z], 9).pin(&[0]);
        let bodies = [scene.add(rope(0.0).named("near")), scene.add(rope(5.0).substeps(FAR).named("far"))];
        let (mut solver, mut input) = (solver(&scene), Input::frame(FRAME));
        for (body, wrong) in bodies.into_iter().zip(wrong) {
            let mut forces = vec![Vec3::ZERO; 10];
            wrong.into_iter().for_each(|vertex| forces[vertex].y = f32::NAN);
            input = input.forces(body, &forces);
        }
        let report = solver.step(&input);
        (solver, bodies, report, input)
    };
    let name = |lost: &NonFiniteParticle| (lost.body.clone(), lost.vertex, lost.substep);
    let (mut solver, bodies, report, input) = with(NonFinite::Freeze, [Some(4), Some(7)]);
    assert_eq!(report.lost.as_ref().map(name), Some(("far".into(), 7, 0)));
    assert_eq!(report.lost_later.iter().map(name).collect::<Vec<_>>(), [("near".into(), 4, 0)]);
    assert!(!report.stopped);
    for _ in 0..STEPS {
        let report = solver.step(&input);
        assert!(report.lost.is_none() && report.lost_later.is_empty(), "a frozen particle is not lost again");
    }
    // Each as where the other loses nothing.
    for (k, wrong) in [[Some(4), None], [None, Some(7)]].into_iter().enumerate() {
        let (mut alone, there, report, input) = with(NonFinite::Freeze, wrong);
        assert!(report.lost.is_some() && report.lost_later.is_empty());
        (0..STEPS).for_each(|_| _ = alone.step(&input));
        assert!(bits(&alone, there[k]) == bits(&solver, bodies[k]), "level {k}");
    }
    let (mut solver, bodies, report, input) = with(NonFinite::Stop, [Some(4), Some(7)]);
    assert_eq!(report.lost.as_ref().map(name), Some(("far".into(), 7, 0)));
    assert!(report.stopped && report.lost_later.is_empty(), "{report:?}");
    let near = bits(&solver, bodies[0]);
    let again = solver.step(&input);
    assert!(again.stopped && again.lost.is_none());
    assert!(near == bits(&solver, bodies[0]), "the level that was not taken stays where it was");
    assert!(near[..10].iter().all(|x| f32::from_bits(x[1]) == 1.0), "it has not fallen");
}

/// Two sheets that do not collide with bodies: each as in a scene of its own, and not as at the other's level.
#[test]
fn each_sheet_moves_as_in_a_scene_of_its_own() {
    let sheets = [sheet(50, [0.0, 1.0, 0.0]).pin(&[0, 49]), sheet(33, [9.0, 1.0, 0.0]).pin(&[0]).drag(1.0)];
    let with = |substeps: u32, chosen: &[(usize, Option<u32>)]| {
        let mut scene = windy(substeps, 1);
        scene.add_collider(Collider::sphere(0.3).at([0.0, 0.6, 0.0]));
        scene.add_collider(Collider::sphere(0.3).at([9.0, 0.6, 0.0]));
        let add = |&(number, own): &(usize, Option<u32>)| match own {
            Some(own) => scene.add(sheets[number].clone().substeps(own)),
            None => scene.add(sheets[number].clone()),
        };
        let all: Vec<BodyId> = chosen.iter().map(add).collect();
        let mut solver = solver(&scene);
        runs::run(&mut solver, 40, FRAME);
        let all: Vec<_> = all.into_iter().map(|body| bits(&solver, body)).collect();
        all
    };
    let both = with(40, &[(0, None), (1, Some(4))]);
    assert!(both[0] == with(40, &[(0, None)])[0] && both[1] == with(4, &[(1, None)])[0]);
    assert!(both[1] != with(40, &[(0, None), (1, None)])[1]);
    // The number of the scene is no level of its own.
    assert!(with(40, &[(0, None), (1, Some(40))]) == with(40, &[(0, None), (1, None)]));
}

/// A sheet that lies on an obstacle, is attached and tethered to it, beside another that takes more.
#[test]
fn an_obstacle_goes_with_the_level_of_what_it_wears() {
    let run = |substeps: u32, own: Option<u32>, beside: bool| {
        let mut scene = runs::scene(9.81, substeps);
        let turn = Motion::Sinusoidal { amplitude: [0.1, 0.2, 0.0].into(), period: 0.7, phase: 0.2 };
        let table = Cloth::grid([4, 4], [1.0, 1.0]);
        let mut table = Obstacle::new(table.mesh()).motion(turn, [0.0; 3]);
        let mut worn = sheet(20, [0.0, 0.02, 0.0]).collide(Collide::All).thickness(0.004);
        if let Some(own) = own {
            (table, worn) = (table.substeps(own), worn.substeps(own));
        }
        let table = scene.add(table.named("table"));
        let worn = scene.add(worn.attach(table, &[0, 1, 2]).tether(Tether::new(table, vec![200, 201], 0.03)));
        let flag = beside.then(|| scene.add(sheet(30, [5.0, 0.0, 0.0]).pin(&[0, 29])));
        let mut solver = solver(&scene);
        runs::run(&mut solver, 40, FRAME);
        let ends = bits(&solver, table);
        (ends, bits(&solver, worn), flag.map(|flag| bits(&solver, flag)))
    };
    let (alone, both) = (run(FAR, None, false), run(NEAR, Some(FAR), true));
    assert!(alone.0 == both.0 && alone.1 == both.1);
    assert!(both.2 == run(NEAR, None, true).2);
}

/// What is rigid, wet or loose takes the scene's substeps, and moves as if bodies of other levels were not there.
#[test]
fn what_has_the_scenes_substeps_moves_as_if_it_were_alone() {
    let build = |own: bool| {
        let mut scene = windy(NEAR, 1);
        let apart = Filter::new(2, 2);
        let far = sheet(30, [20.0, 0.5, 0.0]).pin(&[0, 29]).collide(Collide::All).filter(apart);
        let far = scene.add(if own { far.substeps(FAR) } else { far });
        scene.add_collider(Collider::ground());
        let body = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.0, 0.3, 0.0]).filter(Filter::new(1, 1)));
        let near = |at: [f32; 3]| sheet(12, at).filter(Filter::new(1, 1));
        let hung = scene.add(near([0.0, 0.6, 0.0]).collide(Collide::All));
        scene.join_particle(ParticleJoint::new(body, hung, 0));
        let water = Fluid::block([1.0, 0.0, -0.1], [1.2, 0.2, 0.1]).spacing(0.05).filter(Filter::new(1, 1));
        let sand = Grains::block([-1.2, 0.1, -0.1], [-1.0, 0.3, 0.1]).radius(0.03).filter(Filter::new(1, 1));
        let all = vec![hung, scene.add(water), scene.add(sand)];
        (scene, far, body, all)
    };
    let run = |own: bool| {
        let (scene, far, body, all) = build(own);
        let mut solver = solver(&scene);
        if !own {
            solver.disable(far).unwrap();
        }
        runs::run(&mut solver, 40, FRAME);
        let all: Vec<_> = all.into_iter().map(|body| bits(&solver, body)).collect();
        (all, solver.state().rigid_pose(solver.plan(), body), bits(&solver, far))
    };
    let (alone, both) = (run(false), run(true));
    assert!(alone.0 == both.0 && alone.1 == both.1 && alone.2 != both.2);
}

/// What pushes is counted and listed level by level.
#[test]
fn contacts_of_all_levels_are_counted_and_listed() {
    let run = |substeps: u32, own: [Option<u32>; 2], gone: Option<usize>| {
        let mut scene = runs::scene(9.81, substeps);
        let mut all = Vec::new();
        for (number, own) in own.into_iter().enumerate() {
            let (at, group) = (number as f32 * 8.0, 1 << number);
            for y in [0.21, 0.212] {
                let cloth = sheet(12, [at, y, 0.0]).collide(Collide::All).filter(Filter::new(group, group));
                all.push(scene.add(match own {
                    Some(own) => cloth.substeps(own),
                    None => cloth,
                }));
            }
            scene.add_collider(Collider::sphere(0.2).at([at, 0.0, 0.0]).filter(Filter::new(group, group)));
        }
        let mut solver = solver(&scene);
        let gone = gone.map_or(0..0, |pair| 2 * pair..2 * pair + 2);
        gone.for_each(|body| solver.disable(all[body]).unwrap());
        solver.record_contacts(true).unwrap();
        runs::run(&mut solver, 12, FRAME);
        let report = solver.step(&Input::frame(FRAME));
        let number = |body: BodyId| all.iter().position(|of| *of == body);
        let touched = solver.contacts().map(|c| (number(c.body), c.vertex, c.impulse.to_bits()));
        let mut touched: Vec<_> = touched.collect();
        touched.sort_unstable();
        let pairs = solver.pair_contacts().map(|c| (c.bodies.map(number), c.vertices, c.impulse.to_bits()));
        let pairs: Vec<_> = pairs.collect();
        (report.contacts, report.pairs.contacts, touched, pairs)
    };
    let near = run(NEAR, [None; 2], Some(1));
    let far = run(FAR, [None; 2], Some(0));
    let both = run(NEAR, [None, Some(FAR)], None);
    assert!(near.0 > 0 && far.0 > 0 && near.1 > 0 && far.1 > 0);
    assert_eq!((both.0, both.1), (near.0 + far.0, near.1 + far.1));
    assert_eq!(both.2, [near.2, far.2].concat());
    // The far level is stepped first.
    assert_eq!(both.3, [far.3, near.3].concat());
}

fn both(substeps: u32) -> (Scene, Vec<BodyId>, Vec<BodyId>) {
    let mut scene = windy(substeps, 1);
    let near = everything(&mut scene, 0.0, 1, None);
    let far = everything(&mut scene, 40.0, 2, Some(FAR));
    (scene, near, far)
}

#[test]
fn lanes_and_threads_change_no_bit() {
    let (scene, ..) = both(NEAR);
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

#[test]
fn saved_states_and_recordings_go_on_with_the_same_bits() {
    let (scene, near, far) = both(NEAR);
    let mut solver = solver(&scene);
    let mut recording = Recording::new(solver.plan(), solver.state());
    let mut saved = Vec::new();
    for frame in 0..8 {
        if frame == 4 {
            saved = solver.state().to_bytes();
        }
        let up = Vec3::new(0.1 * frame as f32, 0.5, 0.0);
        let input = Input::frame(FRAME).pin(far[0], 0, Vec3::X * 40.0 + up).pull(near[0], 30, up, 1e-3);
        assert!(solver.step(&input).rejected.is_none());
        recording.step(&input, solver.state());
    }
    let again = Recording::from_bytes(&recording.to_bytes()).unwrap();
    let again = again.replay(solver.plan(), Execution::new(Isa::detect(), 2), |_, _| ()).unwrap();
    assert_eq!(again.hash(), solver.state().hash());
    let (mut state, mut scratch) =
        (State::from_bytes(solver.plan(), &saved).unwrap(), Scratch::new(solver.plan(), ONE));
    for frame in 4..8 {
        let up = Vec3::new(0.1 * frame as f32, 0.5, 0.0);
        let input = Input::frame(FRAME).pin(far[0], 0, Vec3::X * 40.0 + up).pull(near[0], 30, up, 1e-3);
        assert!(step(solver.plan(), &mut state, &input, &mut scratch).rejected.is_none());
    }
    assert_eq!(state.hash(), solver.state().hash());
}

/// A body of another level that is disabled stays where it is; enabled, it begins anew.
#[test]
fn bodies_of_each_level_are_disabled_and_enabled() {
    let (scene, near, far) = both(NEAR);
    let mut solver = solver(&scene);
    runs::run(&mut solver, 6, FRAME);
    for body in [far[0], near[1]] {
        solver.disable(body).unwrap();
        let before = bits(&solver, body);
        runs::run(&mut solver, 4, FRAME);
        assert!(bits(&solver, body) == before);
        solver.enable(body).unwrap();
        runs::run(&mut solver, 4, FRAME);
        assert!(bits(&solver, body) != before);
    }
    let masses = |solver: &Solver, body| {
        let mut masses = vec![0.0; solver.plan().vertices(body)];
        solver.state().read_inv_masses(solver.plan(), body, &mut masses);
        masses
    };
    near.iter().chain(&far).for_each(|&body| assert_eq!(masses(&solver, body), solver.plan().inv_masses(body)));
}

/// An edit changes a body's substeps, and the state goes on.
#[test]
fn an_edit_changes_a_bodys_substeps() {
    let mut scene = runs::scene(9.81, 12);
    let near = scene.add(sheet(20, [0.0; 3]).pin(&[0, 19]));
    let far = scene.add(sheet(20, [9.0, 0.0, 0.0]).pin(&[0, 19]).substeps(3));
    let mut solver = solver(&scene);
    runs::run(&mut solver, 5, FRAME);
    let (before, plan) = (solver.state().clone(), solver.plan().id());
    let replace = |scene: &mut Scene, substeps: Option<u32>| {
        let sheet = sheet(20, [9.0, 0.0, 0.0]).pin(&[0, 19]);
        scene.replace(far, substeps.map_or(sheet.clone(), |substeps| sheet.substeps(substeps)))
    };
    solver.edit(|scene| replace(scene, Some(6))).unwrap();
    assert_ne!(solver.plan().id(), plan);
    assert_eq!((solver.plan().levels(), solver.plan().substeps_of(far)), (&[6, 12][..], 6));
    assert_eq!(solver.state().time(), before.time());
    let mut anew = scene.clone();
    replace(&mut anew, Some(6)).unwrap();
    let anew = Plan::new(&anew).unwrap();
    assert_eq!(anew.id(), solver.plan().id());
    let mut other = before.carried(&Plan::new(&scene).unwrap(), &anew).unwrap();
    runs::run(&mut solver, 5, FRAME);
    let mut scratch = Scratch::new(&anew, ONE);
    (0..5).for_each(|_| drop(step(&anew, &mut other, &Input::frame(FRAME), &mut scratch)));
    assert_eq!(other.hash(), solver.state().hash());
    solver.edit(|scene| replace(scene, None)).unwrap();
    assert_eq!((solver.plan().levels(), solver.plan().substeps_of(near)), (&[12][..], 12));
    runs::run(&mut solver, 5, FRAME);
}

/// Automatic substeps are those of the bodies that have none of their own.
#[test]
fn automatic_substeps_are_of_bodies_without_their_own() {
    let sheets = [sheet(8, [0.0; 3]).pin(&[0, 7]), sheet(80, [5.0, 0.0, 0.0]).pin(&[0, 79])];
    let plan = |chosen: &[Cloth]| {
        let mut scene = Scene::new();
        assert_eq!(scene.settings.substeps, Substeps::Auto);
        chosen.iter().for_each(|sheet| _ = scene.add(sheet.clone()));
        Plan::new(&scene).unwrap()
    };
    let [coarse, fine] = &sheets;
    let (alone, both) = (plan(std::slice::from_ref(coarse)).substeps(), plan(&sheets).substeps());
    assert!(alone < both);
    let own = plan(&[coarse.clone(), fine.clone().substeps(9)]);
    assert_eq!((own.substeps(), own.levels()), (alone, &[9, alone][..]));
    // Where all have their own, nothing takes the scene's.
    assert_eq!(plan(&[coarse.clone().substeps(6), fine.clone().substeps(9)]).levels(), [6, 9]);
}

#[test]
fn what_meets_or_holds_bodies_of_other_substeps_is_refused() {
    let named = |name: &str| sheet(6, [0.0; 3]).named(name);
    let of = |add: &dyn Fn(&mut Scene)| {
        let mut scene = runs::scene(9.81, 40);
        add(&mut scene);
        scene
    };
    let others = |scene: &mut Scene, of: Collide| {
        let near = scene.add(named("near").collide(of));
        [near, scene.add(named("far").collide(of).substeps(4))]
    };
    let apart = "give both as many, or groups and masks that keep them apart";
    for collide in [Collide::Others, Collide::All, Collide::Spheres] {
        assert_eq!(
            text(&of(&|scene| _ = others(scene, collide))),
            format!("body `near` takes 40 substeps and body `far` 4, but they may touch: {apart}")
        );
    }
    // Of other groups, or as many, or with colliders alone, they may be.
    for good in [
        of(&|scene| _ = others(scene, Collide::Nothing)),
        of(&|scene| {
            scene.add(named("near").collide(Collide::All));
            scene.add(named("far").collide(Collide::Spheres).substeps(4));
        }),
        of(&|scene| {
            scene.add(named("near").collide(Collide::All).substeps(4));
            scene.add(named("far").collide(Collide::All).substeps(4));
        }),
        of(&|scene| {
            scene.add(named("near").collide(Collide::All).filter(Filter::new(1, 1)));
            scene.add(named("far").collide(Collide::All).filter(Filter::new(2, 2)).substeps(4));
        }),
    ] {
        assert!(Plan::new(&good).is_ok());
    }
    let joined = of(&|scene| {
        let [near, far] = others(scene, Collide::Nothing);
        scene.join(Joint::points(near, far, &[[0, 1]]));
    });
    let both = "give both as many";
    assert_eq!(
        text(&joined),
        format!("body `near` takes 40 substeps and body `far` 4, but a joint holds them together: {both}")
    );
    let table = |scene: &mut Scene| {
        let mesh = Cloth::grid([4, 4], [1.0, 1.0]);
        scene.add(Obstacle::new(mesh.mesh()).named("table"))
    };
    let attached = of(&|scene| {
        let table = table(scene);
        scene.add(named("far").attach(table, &[0]).substeps(4));
    });
    let held = "body `far` takes 4 substeps and body `table` 40, but the one is";
    assert_eq!(text(&attached), format!("{held} attached to the other: {both}"));
    let tethered = of(&|scene| {
        let table = table(scene);
        scene.add(named("far").tether(Tether::new(table, vec![0], 0.1)).substeps(4));
    });
    assert_eq!(text(&tethered), format!("{held} tethered to the other: {both}"));
    let on_table = of(&|scene| {
        table(scene);
        scene.add(named("far").collide(Collide::Others).substeps(4));
    });
    assert_eq!(
        text(&on_table),
        format!("body `table` takes 40 substeps and body `far` 4, but they may touch: {apart}")
    );
    let rigid = |scene: &mut Scene| {
        let far = scene.add(named("far").substeps(4));
        (far, scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.0, 5.0, 0.0]).named("box")))
    };
    assert_eq!(
        text(&of(&|scene| _ = rigid(scene))),
        format!("body `far` takes 4 substeps and rigid body `box` 40, but they may touch: {apart}")
    );
    let held = of(&|scene| {
        let (far, body) = rigid(scene);
        scene.join_particle(ParticleJoint::new(body, far, 0));
    });
    assert_eq!(
        text(&held),
        format!("body `far` takes 4 substeps and rigid body `box` 40, but a joint holds them together: {both}")
    );
    let wet = of(&|scene| {
        scene.add(Fluid::block([3.0, 0.0, 0.0], [3.2, 0.2, 0.2]).spacing(0.1).named("water"));
        scene.add(named("far").substeps(4));
    });
    let wets = "the one may wet the other";
    assert_eq!(text(&wet), format!("body `water` takes 40 substeps and body `far` 4, but {wets}: {apart}"));
    let sandy = of(&|scene| {
        let sand = Grains::block([3.0, 0.0, 0.0], [3.2, 0.2, 0.2]).radius(0.05).named("sand");
        scene.add(sand.collide(Collide::Others));
        scene.add(named("far").collide(Collide::Others).substeps(4));
    });
    assert_eq!(text(&sandy), format!("body `sand` takes 40 substeps and body `far` 4, but they may touch: {apart}"));
}

#[test]
fn substeps_that_cannot_be_are_refused() {
    for (count, got) in [(0, "0"), (100_001, "100001")] {
        let mut scene = Scene::new();
        scene.add(sheet(6, [0.0; 3]).named("far").substeps(count));
        assert_eq!(text(&scene), format!("body `far`: substeps is {got}, which is not within 1 .. 100000"));
    }
    let mut scene = Scene::new();
    let mut sand = Body::particles(vec![[3.0, 0.0, 0.0]], vec![1.0]);
    (sand.name, sand.grain, sand.substeps) = ("sand".to_owned(), Some(Grain::sand(0.1)), Some(4));
    scene.add(sand);
    let own = "cannot have substeps of its own";
    let refused = Plan::new(&scene).unwrap_err();
    assert!(matches!(refused, Error::OwnSubsteps { .. }));
    assert_eq!(
        refused.to_string(),
        format!("body `sand` {own}: fluids and grains take those of the scene; leave them out")
    );
    let mut scene = runs::scene(9.81, 40);
    scene.settings.velocity_update = VelocityUpdate::SecondOrder;
    scene.add(sheet(6, [0.0; 3]).named("near").substeps(40));
    assert!(Plan::new(&scene).is_ok());
    scene.add(sheet(6, [0.0; 3]).named("far").substeps(4));
    let why = "velocities of second order take one number of substeps for all";
    assert_eq!(text(&scene), format!("body `far` {own}: {why}; leave them out"));
    // Limits of a step hold for each level.
    let mut scene = runs::scene(9.81, 4);
    scene.settings.iterations = 2;
    scene.add(sheet(6, [0.0; 3]).named("far").substeps(60_000));
    assert!(text(&scene).contains("body `far`: substeps x iterations is 120000"));
}

/// A sheet that tears at its own level tears as it does alone.
#[test]
fn what_tears_has_a_level() {
    let run = |substeps: u32, own: Option<u32>, beside: bool| {
        let mut scene = runs::scene(9.81, substeps);
        let torn = sheet(16, [5.0, 0.0, 0.0]).pin(&[0, 15]).tear(Tearing::new(0.05)).stretch(1e-3);
        let torn = scene.add(own.map_or(torn.clone(), |own| torn.substeps(own)));
        if beside {
            scene.add(sheet(30, [0.0; 3]).pin(&[0, 29]));
        }
        let mut solver = solver(&scene);
        let mut tears = 0;
        for _ in 0..30 {
            let report = solver.step(&Input::frame(FRAME));
            assert!(report.rejected.is_none());
            tears += report.torn.len();
        }
        (tears, bits(&solver, torn))
    };
    let (alone, both) = (run(FAR, None, false), run(NEAR, Some(FAR), true));
    assert!(alone.0 > 0 && alone == both, "{} {}", alone.0, both.0);
}
