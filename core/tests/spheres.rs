//! Oracle: bodies that collide as spheres keep apart, keep their momentum, and promise nothing else.

use crate::runs::{FRAME, G, P, add, norm, positions, run, scale, scene, solver, sub, velocities};
use seidel::{BodyId, Cloth, Collide, Execution, Filter, Input, Isa, Plan, Pose, Scene, Scratch, Solver, State, step};

const SIDE: f32 = 0.5;
/// Mean side of the triangles of a lattice of 17 x 17: a sphere's diameter.
const WIDE: f64 = 0.5 / 16.0 * (2.0 + std::f64::consts::SQRT_2) / 3.0;

fn sheet() -> Cloth {
    Cloth::grid([17, 17], [SIDE; 2]).thickness(0.001).collide(Collide::Spheres)
}

fn mean(x: &[P]) -> P {
    scale(x.iter().fold([0.0; 3], |sum, x| add(sum, *x)), 1.0 / x.len() as f64)
}

/// A sheet falls on one that is fixed, and comes to lie on its spheres: between four of them at the lowest.
#[test]
fn layers_lie_a_sphere_apart() {
    let mut scene = scene(G as f32, 20);
    let all: Vec<u32> = (0..17 * 17).collect();
    scene.add(sheet().pin(&all));
    let upper = scene.add(sheet().placed(Pose::at([0.003, 0.1, 0.005]), 1.0).friction(1.0).linear_damping(1.0));
    let mut solver = solver(&scene);
    run(&mut solver, 90, FRAME);
    let heights = positions(&solver, upper).into_iter().map(|x| x[1]);
    let (low, high) = heights.fold((f64::INFINITY, 0.0f64), |(low, high), y| (low.min(y), high.max(y)));
    assert!(low > 0.6 * WIDE && high < 1.05 * WIDE, "{low} to {high} m above, spheres are {WIDE} m wide");
    let fastest = velocities(&solver, upper).into_iter().map(norm).fold(0.0, f64::max);
    assert!(fastest < 0.02, "{fastest} m/s at rest");
}

/// Sheets that begin closer than their spheres are wide come apart, and are not flung.
#[test]
fn what_begins_in_each_other_opens_slowly() {
    let mut scene = scene(0.0, 20);
    let lower = scene.add(sheet());
    let upper = scene.add(sheet().placed(Pose::at([0.003, 0.2 * WIDE as f32, 0.005]), 1.0));
    let mut solver = solver(&scene);
    let gap = |solver: &Solver| mean(&positions(solver, upper))[1] - mean(&positions(solver, lower))[1];
    let mut fastest = 0.0f64;
    for _ in 0..40 {
        solver.step(&Input::frame(FRAME));
        let speeds = [lower, upper].map(|body| velocities(&solver, body).into_iter().map(norm).fold(0.0, f64::max));
        fastest = fastest.max(speeds[0]).max(speeds[1]);
    }
    assert!(gap(&solver) > 0.6 * WIDE, "{} m apart, spheres are {WIDE} m wide", gap(&solver));
    assert!(fastest < 4.1, "{fastest} m/s");
}

/// Two sheets that meet without gravity keep their momentum.
#[test]
fn momentum_is_kept() {
    let mut scene = scene(0.0, 20);
    let upper = Pose::at([0.03, 0.06, 0.02]).turned([1.0, 0.0, 0.3], seidel::degrees(15.0));
    let bodies = [
        scene.add(sheet().velocity([0.3, 1.0, 0.0]).friction(0.4)),
        scene.add(sheet().density(0.5).placed(upper, 1.0).velocity([0.0, -1.0, 0.2]).friction(0.4)),
    ];
    let mut solver = solver(&scene);
    let weights =
        bodies.map(|body| solver.plan().inv_masses(body).iter().map(|w| 1.0 / f64::from(*w)).collect::<Vec<_>>());
    let momentum = |solver: &Solver| {
        let of = |(body, masses): (&BodyId, &Vec<f64>)| {
            velocities(solver, *body).into_iter().zip(masses).fold([0.0; 3], |sum, (v, m)| add(sum, scale(v, *m)))
        };
        bodies.iter().zip(&weights).map(of).fold([0.0; 3], add)
    };
    let (before, mut most) = (momentum(&solver), 0);
    for _ in 0..30 {
        most = most.max(solver.step(&Input::frame(FRAME)).pairs.contacts);
    }
    let drift = norm(sub(momentum(&solver), before)) / norm(before);
    assert!(most > 30 && drift < 1e-4, "{most} contacts, drift {drift:.1e}");
}

/// Neighbours at rest do not push each other, and neither do spheres and what is not one, nor what filters part.
#[test]
fn who_does_not_meet_does_not_push() {
    let mut scene = scene(0.0, 5);
    let apart = |groups: u32| Filter::new(groups, groups);
    let placed = |y: f32| Pose::at([0.002, y, 0.003]);
    let bodies = [
        scene.add(sheet().filter(apart(1))),
        scene.add(sheet().placed(placed(0.004), 1.0).filter(apart(2))),
        scene.add(sheet().placed(placed(0.008), 1.0).filter(apart(4)).collide(Collide::Others)),
    ];
    let mut solver = solver(&scene);
    let before = bodies.map(|body| positions(&solver, body));
    run(&mut solver, 5, FRAME);
    assert_eq!(bodies.map(|body| positions(&solver, body)), before);
}

/// A tangle of sheets, one of them with a lost particle: the same bits on all lanes and threads, whatever the scratch
/// held.
#[test]
fn lanes_and_threads_agree() {
    let mut scene = scene(G as f32, 8);
    scene.settings.iterations = 2;
    let all: Vec<u32> = (0..17).collect();
    scene.add(sheet().pin(&all).friction(0.3));
    let pose =
        |k: f32| Pose::at([0.01 * k, 0.03 * k, 0.02]).turned([1.0, 0.0, 0.2], seidel::degrees(20.0 * f64::from(k)));
    for k in 1..4u8 {
        scene.add(sheet().placed(pose(f32::from(k)), 1.0).velocity([0.0, -1.0, f32::from(k)]));
    }
    let plan = Plan::new(&scene).expect("a sound scene");
    let mut hashes = Vec::new();
    for (isa, threads, poisoned) in Isa::available().into_iter().flat_map(|isa| [(isa, 1, false), (isa, 3, true)]) {
        let mut state = State::new(&plan);
        let mut scratch = Scratch::new(&plan, Execution::new(isa, threads));
        let body = plan.body_ids().nth(2).expect("three bodies");
        let mut contacts = 0;
        for frame in 0..20 {
            if poisoned {
                scratch.poison();
            }
            let mut forces = [seidel::glam::Vec3::ZERO; 17 * 17];
            forces[40].x = if frame == 5 { 1e30 } else { 0.0 };
            let report = step(&plan, &mut state, &Input::frame(FRAME).forces(body, &forces), &mut scratch);
            contacts += report.pairs.contacts;
            assert_eq!(report.rejected, None);
        }
        assert!(contacts > 1000, "{contacts} contacts");
        hashes.push((isa, threads, state.hash()));
    }
    assert!(hashes.iter().all(|(.., hash)| *hash == hashes[0].2), "{hashes:?}");
}

/// Two particles in one place are pushed apart.
#[test]
fn what_is_in_one_place_comes_apart() {
    let mut scene: Scene = scene(0.0, 20);
    let bodies = [scene.add(sheet()), scene.add(sheet())];
    let mut solver = solver(&scene);
    run(&mut solver, 60, FRAME);
    let [a, b] = bodies.map(|body| mean(&positions(&solver, body)));
    assert!(a[1] - b[1] > 0.5 * WIDE, "{a:?} {b:?}");
}

#[test]
fn a_thickness_as_large_as_its_sheet_is_told() {
    let said = |thickness: f32, side: f32| {
        let mut scene = Scene::new();
        scene.add(Cloth::grid([4, 4], [side, side]).thickness(thickness));
        Plan::new(&scene).expect("a sound scene").warnings()
    };
    let found = said(2.0, 1.0);
    assert!(found.len() == 1 && found[0].contains("is 1.00 m large and keeps 2 m from what it touches"), "{found:?}");
    assert!(said(0.002, 1.0).is_empty() && said(0.002, 0.01).is_empty());
}

/// Beside a body that collides exactly they meet nothing: a warning says so, where their filters would let them meet.
#[test]
fn spheres_beside_what_collides_exactly_are_warned_of() {
    let notes = |count: usize, collide: Collide, filter: Filter| {
        let mut scene = scene(G as f32, 20);
        for k in 0..count {
            scene.add(sheet().named(format!("soft-{k}")).placed(Pose::at([0.0, -1.0 - k as f32, 0.0]), 1.0));
        }
        let above = Pose::at([0.0, 0.1, 0.0]);
        scene.add(sheet().collide(collide).named("exact").placed(above, 1.0).filter(filter));
        Plan::new(&scene).expect("a sound scene").warnings()
    };
    for collide in [Collide::All, Collide::Others] {
        let [note] = &notes(1, collide, Filter::default())[..] else { panic!("one") };
        let said = "body `soft-0` collides as spheres and body `exact` exactly, so they pass through each other: with";
        assert!(note.starts_with(said), "{note}");
        let [note] = &notes(3, collide, Filter::default())[..] else { panic!("one") };
        assert!(note.contains("through each other, and so do 2 more bodies: with"), "{note}");
    }
    assert_eq!(notes(2, Collide::Spheres, Filter::default()), [""; 0]);
    assert_eq!(notes(2, Collide::Nothing, Filter::default()), [""; 0]);
    assert_eq!(notes(2, Collide::Others, Filter::new(2, 2)), [""; 0]);
}
