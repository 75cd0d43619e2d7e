//! What reports tell of rigid bodies' contacts and sensors.

use crate::runs::FRAME;
use crate::runs::rigid::same_bits_everywhere;
use glam::DVec3;
use seidel::RigidEventKind::{Begin, End, Persist};
use seidel::{Collider, Input, Plan, Report, RigidBody, RigidEvent, RigidParty, Scene, Solver};
use std::sync::Arc;

fn step(solver: &mut Solver) -> Report {
    solver.step(&Input::frame(FRAME))
}

/// A ball that falls, bounces and comes to rest: its contacts begin and end with the impulses that mechanics asks for.
#[test]
fn impulses_are_those_of_mechanics() {
    let mut scene = Scene::new();
    let ground = scene.add_collider(Collider::ground().restitution(1.0));
    let ball = RigidBody::sphere(0.1).mass(2.0).restitution(0.5).at([0.0, 1.1, 0.0]).contact_events();
    let ball = scene.add_rigid(ball);
    let silent = scene.add_rigid(RigidBody::sphere(0.1).at([3.0, 0.1, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    let mut events: Vec<(u32, RigidEvent)> = Vec::new();
    for frame in 0..360 {
        let report = step(&mut solver);
        assert!(report.rigid_events.iter().all(|event| event.body != silent && !event.sensor));
        events.extend(report.rigid_events.iter().map(|event| (frame, *event)));
    }
    assert!(events.iter().all(|(_, e)| e.body == ball && e.other == RigidParty::Collider(ground)));
    // sqrt(2 g) down and half as fast up again; for a step it also weighs m g dt at most.
    let (frame, first) = events[0];
    let speed = f64::sqrt(2.0 * 9.81);
    assert_eq!((first.kind, frame), (Begin, (speed / 9.81 / f64::from(FRAME)) as u32));
    let want = 2.0 * 1.5 * speed;
    let weight = 2.0 * 9.81 * f64::from(FRAME);
    assert!((f64::from(first.impulse) - want).abs() < 0.5 * weight, "{} for {want} N s", first.impulse);
    assert_eq!((events[1].0, events[1].1.kind, events[1].1.impulse), (frame + 1, End, 0.0));
    // At rest it weighs what it weighs, in each step.
    let (_, last) = events[events.len() - 1];
    assert_eq!(last.kind, Persist);
    assert!((f64::from(last.impulse) / weight - 1.0).abs() < 1e-3, "{} for {weight} N s", last.impulse);
    let mut touches = false;
    for (_, event) in &events {
        assert_eq!(touches, event.kind != Begin, "begin and end take turns");
        touches = event.kind != End;
    }
}

#[test]
fn a_sensor_tells_who_is_in_it_and_pushes_nobody() {
    let mut scene = Scene::new();
    scene.settings.gravity = glam::Vec3::ZERO;
    let gate = scene.add_rigid(RigidBody::cuboid([0.5, 1.0, 1.0]).fixed().sensor());
    let ball = scene.add_rigid(RigidBody::sphere(0.25).at([-2.0, 0.0, 0.0]).velocity([1.0, 0.0, 0.0]));
    let carried = scene.add_rigid(RigidBody::sphere(0.25).at([0.0, 5.0, 0.0]).sensor().velocity([0.0, 1.0, 0.0]));
    let wall = scene.add_collider(Collider::cuboid([1.0, 0.5, 1.0]).at([0.0, 7.0, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    let plan = Arc::clone(solver.plan());
    let (mut told, mut inside) = (Vec::new(), 0);
    for frame in 1..=240u32 {
        let report = step(&mut solver);
        assert_eq!(report.rigid_contacts, 0);
        for event in report.rigid_events {
            assert!(event.sensor && event.impulse == 0.0);
            if event.kind == Persist {
                inside += u32::from(event.body == gate);
            } else {
                told.push((frame, event.kind, event.body, event.other));
            }
        }
    }
    // The ball's surface is at -0.5 after 1.25 s and leaves at 2.75 s; the sensor reaches the wall at 1.25 s.
    assert_eq!(told.len(), 4, "{told:?}");
    let at = |seconds: f32| (seconds / FRAME) as u32;
    let near = |frame: u32, seconds: f32| frame.abs_diff(at(seconds)) <= 1;
    let of_gate: Vec<_> = told.iter().filter(|(_, _, body, _)| *body == gate).collect();
    assert!(near(of_gate[0].0, 1.25) && of_gate[0].1 == Begin && of_gate[0].3 == RigidParty::Body(ball));
    assert!(near(of_gate[1].0, 2.75) && of_gate[1].1 == End);
    assert_eq!(inside, of_gate[1].0 - of_gate[0].0 - 1);
    let of_wall: Vec<_> = told.iter().filter(|(_, _, body, _)| *body == carried).collect();
    assert!(near(of_wall[0].0, 1.25) && of_wall[0].3 == RigidParty::Collider(wall));
    assert!(near(of_wall[1].0, 2.75) && of_wall[1].1 == End);
    let v = solver.state().rigid_velocity(&plan, ball)[0];
    assert_eq!(v, DVec3::new(1.0, 0.0, 0.0));
}

/// Events come from the state: a snapshot tells the same, on all lanes and threads; what sleeps tells nothing.
#[test]
fn events_are_the_same_everywhere_and_sleep_is_silent() {
    let mut scene = Scene::new();
    (scene.settings.sleep, scene.settings.substeps) = (true, 4.into());
    scene.add_collider(Collider::ground());
    scene.add_rigid(RigidBody::cuboid([30.0, 0.6, 3.0]).fixed().sensor());
    for k in 0..140u8 {
        let body = RigidBody::cuboid([0.2; 3]).contact_events();
        scene.add_rigid(body.at([0.5 * f32::from(k / 2) - 17.0, 0.25 + 0.45 * f32::from(k % 2), 0.0]));
    }
    let plan = Plan::new(&scene).unwrap();
    let reports = same_bits_everywhere(&plan, 60);
    let count = |kind| reports.iter().flat_map(|r| &r.rigid_events).filter(|e| e.kind == kind && !e.sensor).count();
    // 70 on the ground, 70 on these.
    assert!(count(Begin) >= 140 && count(Persist) > 140 * 10, "{} and {}", count(Begin), count(Persist));
    let last = &reports[59];
    assert!(last.rigid_asleep == 140 && last.rigid_events.is_empty() && last.rigid_events_dropped == 0);
    assert!(reports.iter().all(|report| report.rigid_events.is_sorted_by_key(|event| event.sensor)));
    // The same bodies are told nothing of when they wake: they touch still.
    let mut solver = Solver::new(&scene).unwrap();
    (0..60).for_each(|_| _ = step(&mut solver));
    let first = plan.rigid_ids().nth(1).unwrap();
    solver.state_mut().wake_rigid(&plan, first);
    let report = step(&mut solver);
    assert!(report.rigid_events.len() >= 3 && report.rigid_events.iter().all(|event| event.kind == Persist));
}

/// What an edit takes away ends, with its id; what stays goes on.
#[test]
fn what_an_edit_removes_ends_in_the_next_step() {
    let mut scene = Scene::new();
    let ground = scene.add_collider(Collider::ground());
    let gate = scene.add_rigid(RigidBody::cuboid([0.3, 0.3, 0.3]).fixed().sensor().at([0.0, 0.3, 0.0]));
    let lower = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.0, 0.1, 0.0]).contact_events());
    let upper = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.0, 0.3, 0.0]).contact_events());
    let mut solver = Solver::new(&scene).unwrap();
    (0..10).for_each(|_| _ = step(&mut solver));
    let told = |report: &Report| {
        let all = report.rigid_events.iter().map(|event| (event.kind, event.sensor, event.body, event.other));
        all.collect::<Vec<_>>()
    };
    let before = told(&step(&mut solver));
    assert!(before.contains(&(Persist, false, lower, RigidParty::Body(upper))), "{before:?}");
    solver.edit(|scene| scene.remove_rigid(upper)).unwrap();
    // A step that is not taken tells nothing, and keeps it.
    let refused = solver.step(&Input::frame(FRAME).push(upper, DVec3::X, DVec3::ZERO));
    assert!(refused.rejected.is_some() && refused.rigid_events.is_empty());
    let after = told(&step(&mut solver));
    let ends = [(End, false, lower, RigidParty::Body(upper)), (End, true, gate, RigidParty::Body(upper))];
    assert_eq!(after[..2], ends);
    assert!(after[2..].contains(&(Persist, false, lower, RigidParty::Collider(ground))), "{after:?}");
    solver.edit(|scene| scene.remove_collider(ground)).unwrap();
    let after = told(&step(&mut solver));
    assert_eq!(after[0], (End, false, lower, RigidParty::Collider(ground)));
    assert!(after[1..].iter().all(|(kind, ..)| *kind != End), "{after:?}");
    // An edit that ends nothing tells nothing.
    let lighter = |scene: &mut Scene| {
        scene.settings.gravity *= 0.5;
        Ok(())
    };
    solver.edit(lighter).unwrap();
    assert!(step(&mut solver).rigid_events.iter().all(|event| event.kind != End));
}

/// What ends by an edit is told behind a time of settling, and not where the state is put back.
#[test]
fn an_end_waits_for_settling_and_is_forgotten_where_the_state_is_put_back() {
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground());
    let lower = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.0, 0.1, 0.0]).contact_events());
    let upper = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([0.0, 0.3, 0.0]));
    let ends = |report: &Report| report.rigid_events.iter().filter(|event| event.kind == End).count();
    let edited = || {
        let mut solver = Solver::new(&scene).unwrap();
        (0..10).for_each(|_| _ = step(&mut solver));
        solver.edit(|scene| scene.remove_rigid(upper)).unwrap();
        solver
    };
    let mut solver = edited();
    solver.settle(&Input::frame(FRAME), 0.05);
    // Waking a body does not put it back.
    let plan = Arc::clone(solver.plan());
    solver.state_mut().wake_rigid(&plan, lower);
    assert_eq!([ends(&step(&mut solver)), ends(&step(&mut solver))], [1, 0]);
    let mut solver = edited();
    solver.reset();
    assert_eq!(ends(&step(&mut solver)), 0);
    let mut solver = edited();
    let (plan, bytes) = (Arc::clone(solver.plan()), solver.state().to_bytes());
    solver.state_mut().restore(&plan, &bytes).unwrap();
    assert_eq!(ends(&step(&mut solver)), 0);
    // Two edits, and one that takes the last rigid body away: all of it is told.
    let mut solver = edited();
    solver.edit(|scene| scene.remove_rigid(lower)).unwrap();
    let report = step(&mut solver);
    assert_eq!(ends(&report), 2, "{:?}", report.rigid_events);
}
