//! Velocities of second order: the past is a part of the state, and every lane type, thread and scratch gives the same
//! bits.

use crate::runs;
use crate::runs::{FRAME, positions, run, velocities};
use glam::Vec3;
use seidel::{
    Balloon, Cloth, Collide, Collider, Execution, GridPins, Input, Isa, Mesh, Method, NonFinite, Plan, Pose, Rod, Rope,
    Scene, Scratch, ShapeMatched, SnapshotError, SoftBody, State, Stiffness, VelocityUpdate, step,
};
use std::sync::Arc;

/// Bodies of all sorts, that touch and bounce, with every damping, and enough particles for workers.
fn lively(iterations: u32) -> Scene {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (4.into(), iterations);
    scene.settings.velocity_update = VelocityUpdate::SecondOrder;
    let cloth = Cloth::grid([48, 48], [1.0, 1.0])
        .placed(Pose::at([0.0, 0.45, 0.0]).turned([1.0, 0.0, 0.3], seidel::degrees(20.0)), 1.0);
    scene.add(cloth.bend(1e3).damping(0.02).drag(1.0).restitution(0.8).named("cloth"));
    let flag = Cloth::grid([9, 9], [0.4, 0.4]).placed(Pose::at([0.0, 0.9, 0.0]), 1.0).pin_grid(GridPins::Corners);
    scene.add(flag.stretch_by(Stiffness::pbd(0.8)).long_range(1.05).named("flag"));
    scene.add(Rope::new([-0.5, 0.7, 0.1], [0.5, 0.7, 0.1], 30).slack(true).linear_damping(0.5));
    scene.add(Rod::new([0.5, 0.3, 0.0], [0.9, 0.3, 0.0], 8).relaxation(0.01).damping(0.02).pin(&[0, 1]));
    scene.add(Rod::new([0.5, 0.5, 0.0], [0.9, 0.5, 0.1], 8).linear_damping(0.3));
    scene.add(Balloon::new(Mesh::ball(0.1, 2)).placed(Pose::at([0.5, 0.11, 0.5]), 1.0).stretch(1e-2).pressure(1.5));
    let soft = ShapeMatched::new(Mesh::ball(0.1, 2)).placed(Pose::at([-0.5, 0.2, -0.5]), 1.0);
    scene.add(soft.clusters(0.1).linear(0.3).compliance(1e-3).velocity([1.0, 0.0, 0.5]));
    let bar = |y: f32| SoftBody::bar([0.3, 0.1, 0.1], [6, 2, 2]).young(3e4).placed(Pose::at([-0.6, y, 0.4]), 1.0);
    scene.add(bar(0.3).collide(Collide::Others).thickness(0.004).relaxation(0.005));
    scene.add(bar(0.12).collide(Collide::Others).thickness(0.004));
    scene.add_collider(Collider::ground().restitution(0.5));
    scene.add_collider(Collider::sphere(0.2).at([0.1, 0.2, 0.0]).friction(0.6).named("ball"));
    scene
}

/// An input of each frame: pins and colliders move, and no two frames take as long.
fn input(plan: &Plan, frame: u32) -> Input {
    let lift = 0.004 * frame as f32;
    Input::frame(FRAME * [1.0, 0.7, 1.2][frame as usize % 3])
        .pin(plan.body("flag").unwrap(), 0, [-0.2, 0.9 + lift, -0.2])
        .pose(plan.collider("ball").unwrap(), Pose::at([0.1, 0.2 + lift, 0.0]))
}

fn play(plan: &Plan, state: &mut State, scratch: &mut Scratch, frames: std::ops::Range<u32>) {
    for frame in frames {
        let report = step(plan, state, &input(plan, frame), scratch);
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
    }
}

#[test]
fn all_lanes_and_threads_agree() {
    for iterations in [1, 2] {
        let plan = Plan::new(&lively(iterations)).unwrap();
        let of = |isa: Isa, threads: usize| {
            let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(isa, threads)));
            play(&plan, &mut state, &mut scratch, 0..12);
            state.hash()
        };
        let first = of(Isa::detect(), 1);
        for isa in Isa::available() {
            assert_eq!(of(isa, 3), first, "{isa}, {iterations} iterations");
        }
    }
}

#[test]
fn a_snapshot_and_bytes_go_on_as_the_original_does() {
    let plan = Plan::new(&lively(2)).unwrap();
    let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::default()));
    play(&plan, &mut state, &mut scratch, 0..8);
    let (mut snapshot, bytes) = (state.clone(), state.to_bytes());
    let mut restored = State::from_bytes(&plan, &bytes).unwrap();
    assert_eq!((&restored, restored.hash()), (&state, state.hash()));
    play(&plan, &mut state, &mut scratch, 8..16);
    for other in [&mut snapshot, &mut restored] {
        let mut scratch = Scratch::new(&plan, Execution::new(Isa::SCALAR, 1));
        scratch.poison();
        play(&plan, other, &mut scratch, 8..16);
        assert_eq!((&*other, other.hash()), (&state, state.hash()));
    }
    assert!(matches!(State::from_bytes(&plan, &bytes[..bytes.len() - 1]), Err(SnapshotError::Length { .. })));
    let mut scene = lively(2);
    scene.settings.velocity_update = VelocityUpdate::FirstOrder;
    let first = Plan::new(&scene).unwrap();
    assert!(matches!(State::from_bytes(&first, &bytes), Err(SnapshotError::Layout { .. })), "another plan");
    assert!(State::new(&first).to_bytes().len() < bytes.len(), "a state of first order keeps no past");
}

#[test]
fn scratch_holds_nothing_from_one_step_to_the_next() {
    let plan = Plan::new(&lively(2)).unwrap();
    let [mut clean, mut dirty] = [(); 2].map(|()| Scratch::new(&plan, Execution::default()));
    let (mut a, mut b) = (State::new(&plan), State::new(&plan));
    for frame in 0..8 {
        play(&plan, &mut a, &mut clean, frame..frame + 1);
        dirty.poison();
        play(&plan, &mut b, &mut dirty, frame..frame + 1);
        assert_eq!(a.hash(), b.hash(), "frame {frame}");
    }
}

/// Written velocities are velocities of a motion that has always had them: the next substeps go on with them, and
/// gravity goes on.
#[test]
fn written_velocities_are_gone_on_with() {
    let mut scene = runs::scene(9.81, 10);
    scene.settings.velocity_update = VelocityUpdate::SecondOrder;
    let body = scene.add(runs::particles(&[[0.0, 5.0, 0.0]], &[1.0]));
    let mut solver = runs::solver(&scene);
    for round in 0..20 {
        run(&mut solver, 1, FRAME);
        let (x, v) = (positions(&solver, body)[0], [1.0, 2.0, f64::from(round)]);
        runs::set_velocities(&mut solver, body, &[v]);
        run(&mut solver, 1, FRAME);
        let dt = f64::from(FRAME);
        let want = [x[0] + dt, x[1] + dt * (2.0 - 0.5 * 9.81 * dt), x[2] + dt * v[2]];
        assert!(runs::norm(runs::sub(positions(&solver, body)[0], want)) < 2e-6, "round {round}");
        let got = velocities(&solver, body)[0];
        assert!(runs::norm(runs::sub(got, [1.0, 2.0 - 9.81 * dt, v[2]])) < 1e-5, "round {round}: {got:?}");
    }
}

/// What is moved to another place goes on from there as it did; what is pinned stays, to the bit, and hangs on from
/// there when it is freed.
#[test]
fn what_is_moved_or_pinned_keeps_no_wrong_past() {
    let mut scene = runs::scene(9.81, 10);
    scene.settings.velocity_update = VelocityUpdate::SecondOrder;
    let body = scene.add(runs::particles(&[[0.0, 5.0, 0.0]], &[1.0]));
    let mut solver = runs::solver(&scene);
    let plan = Arc::clone(solver.plan());
    run(&mut solver, 10, FRAME);
    let v = velocities(&solver, body)[0];
    solver.state_mut().write_positions(&plan, body, &[Vec3::new(7.0, 0.0, 0.0)]).unwrap();
    run(&mut solver, 1, FRAME);
    let dt = f64::from(FRAME);
    let fallen = v[1] * dt - 0.5 * 9.81 * dt * dt;
    assert!((positions(&solver, body)[0][1] - fallen).abs() < 1e-5 && positions(&solver, body)[0][0] == 7.0);
    let at = positions(&solver, body);
    solver.state_mut().write_inv_masses(&plan, body, &[0.0]).unwrap();
    run(&mut solver, 5, FRAME);
    assert_eq!(positions(&solver, body), at);
    solver.state_mut().write_inv_masses(&plan, body, &[1.0]).unwrap();
    run(&mut solver, 30, FRAME);
    let fallen = at[0][1] - positions(&solver, body)[0][1];
    // The first substep after it was freed has no acceleration to go on with: h g / 3 of speed, and of the others'
    // share of it.
    let h = dt / 10.0;
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 0.5 * 9.81 * h * 0.5 + 1e-4, "{fallen}");
}

/// A particle that is lost is frozen, and nothing of its past moves it.
#[test]
fn a_lost_particle_is_frozen() {
    let mut scene = runs::scene(9.81, 10);
    scene.settings.velocity_update = VelocityUpdate::SecondOrder;
    let mut body = runs::particles(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[1.0; 3]);
    body.velocities = vec![[0.0; 3], [0.0, 1e6, 0.0], [1.0, 0.0, 0.0]];
    let body = scene.add(body);
    for non_finite in [NonFinite::Freeze, NonFinite::Stop] {
        scene.settings.non_finite = non_finite;
        let mut solver = runs::solver(&scene);
        let forces = [Vec3::ZERO, Vec3::splat(f32::MAX), Vec3::ZERO];
        let report = solver.step(&Input::frame(FRAME).forces(body, &forces));
        assert_eq!(report.lost.expect("a lost particle").vertex, 1);
        if non_finite == NonFinite::Freeze {
            let at = positions(&solver, body)[1];
            run(&mut solver, 10, FRAME);
            assert_eq!((positions(&solver, body)[1], velocities(&solver, body)[1]), (at, [0.0; 3]));
            assert!((velocities(&solver, body)[2][1] + 9.81 * 11.0 * f64::from(FRAME)).abs() < 1e-4);
        } else {
            assert!(report.stopped);
        }
    }
}

/// It comes to rest, and starts from there without a jerk.
#[test]
fn a_sheet_settles() {
    let mut scene = runs::scene(9.81, 20);
    scene.settings.velocity_update = VelocityUpdate::SecondOrder;
    let body = scene.add(Cloth::grid([10, 10], [1.0, 1.0]).stretch(1e-4).pin(&[0, 9]));
    let mut solver = runs::solver(&scene);
    let settled = solver.settle(&Input::frame(FRAME), 8.0);
    assert!(settled.failed.is_none() && settled.speed < 0.05, "{settled:?}");
    run(&mut solver, 60, FRAME);
    let fastest = velocities(&solver, body).into_iter().map(runs::norm).fold(0.0, f64::max);
    assert!(fastest < 0.1, "{fastest} m/s");
}

/// What lies weighs what it weighs: contacts that last tell the force, as in first order.
#[test]
fn contacts_tell_their_impulse() {
    let mut scene = Scene::new();
    scene.settings.velocity_update = VelocityUpdate::SecondOrder;
    scene.add(Cloth::grid([3, 3], [0.2, 0.2]).placed(Pose::at([0.0, 0.0021, 0.0]), 1.0));
    scene.add_collider(Collider::ground());
    let mut solver = runs::solver(&scene);
    solver.record_contacts(true).unwrap();
    run(&mut solver, 60, FRAME);
    let weight: f32 = solver.contacts().map(|contact| contact.impulse / (FRAME / 20.0)).sum();
    assert!((weight / (0.2 * 0.2 * 0.2 * 9.81) - 1.0).abs() < 0.01, "{weight} N");
}

/// Jacobi's averages shake chains later than in first order, as the sweep over rates holds them: q < -0.81 in place
/// of -1/3.
#[test]
fn a_relaxation_that_shakes_is_told() {
    let of = |update, relaxation| {
        let mut scene = runs::scene(9.81, 10);
        (scene.settings.velocity_update, scene.settings.method) = (update, Method::Jacobi { relaxation });
        scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 10));
        Plan::new(&scene).unwrap().warnings().iter().any(|note| note.contains("may shake"))
    };
    for (update, relaxation, shakes) in [
        (VelocityUpdate::FirstOrder, 1.3, false),
        (VelocityUpdate::FirstOrder, 1.4, true),
        (VelocityUpdate::SecondOrder, 1.75, false),
        (VelocityUpdate::SecondOrder, 1.85, true),
    ] {
        assert_eq!(of(update, relaxation), shakes, "{update:?}, {relaxation}");
    }
}
