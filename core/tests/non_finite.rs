//! What is lost: a particle whose numbers are none is named, frozen or not as the scene says, and lost alone.

use crate::runs;
use crate::runs::{FRAME, particles, positions, scene, solver, solver_on};
use glam::Vec3;
use seidel::{
    BodyId, Cloth, Collide, Collider, Error, Execution, Input, Intersections, Isa, NonFinite, Pose, Rope, Scratch,
    Solver, step,
};
use std::sync::Arc;

/// A rope of 20 under gravity beside a lone particle; vertex 7 of the rope is pushed by NaN.
fn with_a_wrong_force(non_finite: NonFinite, damping: f32) -> (Solver, BodyId, BodyId, Input) {
    let mut scene = scene(9.81, 4);
    scene.settings.non_finite = non_finite;
    let rope = scene.add(Rope::new([0.0, 1.0, 0.0], [1.0, 1.0, 0.0], 19).pin(&[0]).damping(damping).named("rope"));
    let lone = scene.add(particles(&[[5.0, 1.0, 0.0]], &[1.0]));
    scene.add_collider(Collider::ground());
    let mut forces = vec![Vec3::ZERO; 20];
    forces[7].x = f32::NAN;
    let input = Input::frame(FRAME).forces(rope, &forces);
    (solver_on(&scene, Isa::detect(), 1), rope, lone, input)
}

fn is_finite(solver: &Solver, body: BodyId) -> Vec<bool> {
    let x = runs::positions(solver, body).into_iter().zip(runs::velocities(solver, body));
    x.map(|(x, v)| x.iter().chain(&v).all(|c| c.is_finite())).collect()
}

#[test]
fn a_lost_particle_freezes_and_is_named() {
    for damping in [0.0, 0.1] {
        let (mut solver, rope, lone, input) = with_a_wrong_force(NonFinite::Freeze, damping);
        let at = runs::positions(&solver, rope)[7];
        let report = solver.step(&input);
        let lost = report.lost.expect("vertex 7 is lost");
        assert_eq!((lost.body.as_str(), lost.vertex, lost.substep), ("rope", 7, 0), "damping {damping}");
        assert!(!report.stopped);
        for _ in 0..60 {
            assert_eq!(solver.step(&input).lost, None, "a frozen particle is not lost again");
        }
        assert!(is_finite(&solver, rope).into_iter().chain(is_finite(&solver, lone)).all(|good| good));
        assert_eq!(runs::positions(&solver, rope)[7], at);
        let masses = runs::masses(&solver, rope);
        let fixed: Vec<_> = (0..20).filter(|&v| masses[v].is_infinite()).collect();
        assert_eq!(fixed, [0, 7], "no other particle is fixed, damping {damping}");
        // The others go on: the free end hangs from where the seventh is.
        assert!(runs::positions(&solver, rope)[19][1] < 0.9);
    }
}

#[test]
fn numbers_that_are_none_do_not_spread() {
    for damping in [0.0, 0.1] {
        let (mut solver, rope, lone, input) = with_a_wrong_force(NonFinite::Ignore, damping);
        for _ in 0..60 {
            let report = solver.step(&input);
            assert_eq!(report.lost.map(|lost| lost.vertex), Some(7));
            assert!(!report.stopped);
        }
        let lost: Vec<_> = (0..20).filter(|&v| !is_finite(&solver, rope)[v]).collect();
        assert_eq!(lost, [7], "damping {damping}");
        assert!(is_finite(&solver, lone)[0]);
    }
}

/// Whichever it is: also the one about which a body's moments are taken.
#[test]
fn any_lost_particle_is_lost_alone() {
    for wrong in [f32::NAN, f32::MAX] {
        for vertex in 0..81 {
            let mut scene = scene(9.81, 4);
            scene.settings.non_finite = NonFinite::Ignore;
            let cloth = scene.add(Cloth::grid([9, 9], [0.4, 0.4]).bend(1e2).damping(0.1));
            let rope = scene.add(Rope::new([0.0, 1.0, 0.0], [1.0, 1.0, 0.0], 80).damping(0.1));
            let mut forces = vec![Vec3::ZERO; 81];
            forces[vertex].x = wrong;
            let input = Input::frame(FRAME).forces(cloth, &forces).forces(rope, &forces);
            let mut solver = solver_on(&scene, Isa::detect(), 1);
            (0..5).for_each(|_| drop(solver.step(&input)));
            for body in [cloth, rope] {
                let good = is_finite(&solver, body);
                assert!((0..81).all(|v| good[v] == (v != vertex)), "force {wrong} on {vertex}: {good:?}");
            }
        }
    }
}

/// A cloth between two balls and on the ground, one vertex of which is pushed by what is no force: it alone is lost.
#[test]
fn a_wrong_force_loses_its_particle_alone() {
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
        for (policy, iterations) in [(NonFinite::Freeze, 1), (NonFinite::Ignore, 3)] {
            let mut hashes = Vec::new();
            for isa in Isa::available() {
                let mut scene = scene(9.81, 4);
                (scene.settings.non_finite, scene.settings.iterations) = (policy, iterations);
                let cloth = Cloth::grid([9, 9], [0.4, 0.4]).placed(Pose::at([0.0, 0.22, 0.0]), 1.0).damping(0.1);
                let cloth = scene.add(cloth.bend(1e2).compress(1e-4));
                scene.add_collider(Collider::ground().at([0.0, 0.1, 0.0]));
                scene.add_collider(Collider::sphere(0.15).at([-0.05, 0.05, 0.0]));
                scene.add_collider(Collider::sphere(0.15).at([0.05, 0.06, 0.05]));
                let mut forces = vec![Vec3::ZERO; 81];
                forces[40].y = wrong;
                let input = Input::frame(FRAME).forces(cloth, &forces);
                let mut solver = solver_on(&scene, isa, 1);
                let lost = solver.step(&input).lost.expect("a vertex is lost");
                assert_eq!((lost.vertex, lost.substep), (40, 0), "force {wrong}, {policy:?}");
                for _ in 0..30 {
                    let again = solver.step(&input).lost.map(|lost| lost.vertex);
                    assert_eq!(again, Some(40).filter(|_| policy == NonFinite::Ignore), "force {wrong}");
                }
                let good = is_finite(&solver, cloth);
                assert!((0..81).all(|v| v == 40 || good[v]), "force {wrong}, {policy:?}: {good:?}");
                // Neighbours have fallen as a cloth does, and have not been flung.
                let x = runs::positions(&solver, cloth);
                assert!((0..81).all(|v| v == 40 || runs::norm(x[v]) < 1.0), "force {wrong}, {policy:?}: {x:?}");
                hashes.push(solver.state().hash());
            }
            assert!(hashes.iter().all(|hash| *hash == hashes[0]), "force {wrong}, {policy:?}: {hashes:x?}");
        }
    }
}

/// Which NaN an operation gives is the processor's affair; what a state holds is not.
#[test]
fn a_state_holds_one_nan() {
    for policy in [NonFinite::Ignore, NonFinite::Stop] {
        let hash = |nan: u32| {
            let (mut solver, rope, _, _) = with_a_wrong_force(policy, 0.1);
            let mut forces = vec![Vec3::ZERO; 20];
            forces[7] = Vec3::new(f32::from_bits(nan), 0.0, f32::INFINITY);
            solver.step(&Input::frame(FRAME).forces(rope, &forces));
            assert!(!is_finite(&solver, rope)[7]);
            solver.state().hash()
        };
        assert_eq!(hash(0x7fc0_0000), hash(0xffc0_0000), "{policy:?}: another sign");
        assert_eq!(hash(0x7fc0_0000), hash(0x7fc1_2345), "{policy:?}: other digits");
    }
}

#[test]
fn a_stopped_state_waits_until_it_is_resumed() {
    let (mut solver, rope, _, input) = with_a_wrong_force(NonFinite::Stop, 0.0);
    let report = solver.step(&input);
    assert_eq!(report.lost.map(|lost| (lost.vertex, lost.substep)), Some((7, 0)));
    assert!(report.stopped && solver.state().is_stopped());
    let stopped = solver.state().hash();
    let report = solver.step(&Input::frame(FRAME));
    assert!(report.stopped && report.lost.is_none() && report.rejected.is_none());
    assert_eq!(solver.state().hash(), stopped, "a stopped state takes no step");

    let plan = Arc::clone(solver.plan());
    let mut x = vec![Vec3::ZERO; 20];
    let mut v = x.clone();
    solver.state().read_positions(&plan, rope, &mut x);
    solver.state().read_velocities(&plan, rope, &mut v);
    assert!(x[7].is_nan() && v[7].is_nan(), "the numbers are kept for inspection");
    (x[7], v[7]) = (Vec3::new(7.0 / 19.0, 1.0, 0.0), Vec3::ZERO);
    let mut resumed = solver.state().clone();
    resumed.resume();
    assert_ne!(resumed.hash(), stopped, "a state that steps is another than one that does not");
    let state = solver.state_mut();
    state.write_positions(&plan, rope, &x).unwrap();
    state.write_velocities(&plan, rope, &v).unwrap();
    state.resume();
    runs::run(&mut solver, 10, FRAME);
    assert!(is_finite(&solver, rope).into_iter().all(|good| good));
}

/// Several steps are one report: of what they all lost, and of all that they took and met.
#[test]
fn advance_reports_all_its_steps() {
    let (mut solver, rope, lone, input) = with_a_wrong_force(NonFinite::Freeze, 0.0);
    let dt = f64::from(FRAME);
    assert_eq!(solver.advance(0.5 * dt, &input), None);
    let report = solver.advance(3.0 * dt, &input).expect("three steps");
    assert_eq!(report.lost.map(|lost| lost.vertex), Some(7), "lost in the first step of three");
    assert_eq!(report.lost_later, []);

    // The lone particle is pushed fast enough to be beyond all limits in the second step.
    let plan = Arc::clone(solver.plan());
    solver.state_mut().write_positions(&plan, lone, &[Vec3::new(0.0, 9e5, 0.0)]).unwrap();
    let push = Input::frame(FRAME).forces(lone, &[Vec3::new(3.0e12, 0.0, 0.0)]);
    let mut other = solver.state().clone();
    let mut scratch = Scratch::new(&plan, Execution::default());
    let mut forces = vec![Vec3::ZERO; 20];
    forces[9].x = f32::NAN;
    let push = push.forces(rope, &forces);
    let singly: Vec<_> = (0..3).map(|_| step(&plan, &mut other, &push, &mut scratch)).collect();
    let lost: Vec<_> = singly.iter().filter_map(|report| report.lost.clone()).collect();
    assert_eq!(
        lost.iter().map(|lost| (lost.body.as_str(), lost.vertex)).collect::<Vec<_>>(),
        [("rope", 9), ("body-1", 0)]
    );
    let report = solver.advance(3.0 * dt, &push).expect("three steps");
    assert_eq!((report.lost.as_ref(), &report.lost_later[..]), (Some(&lost[0]), &lost[1..]));
    assert_eq!(report.contacts, singly.iter().map(|report| report.contacts).sum::<u32>());
    assert!(report.times.motion > std::time::Duration::ZERO);
    assert_eq!(solver.state().hash(), other.hash());

    let wrong = Input::frame(FRAME).gravity([f32::NAN, 0.0, 0.0]);
    let report = solver.advance(2.0 * dt, &wrong).expect("two steps");
    assert!(matches!(report.rejected, Some(Error::Range { .. })));
}

/// Numbers that are not lost but infinite from the start of a step: huge forces overflow and freeze, too.
#[test]
fn an_overflow_freezes() {
    let (mut solver, rope, _, _) = with_a_wrong_force(NonFinite::Freeze, 0.1);
    let mut forces = vec![Vec3::ZERO; 20];
    forces[3] = Vec3::splat(f32::MAX);
    let report = solver.step(&Input::frame(FRAME).forces(rope, &forces));
    assert_eq!(report.lost.map(|lost| lost.vertex), Some(3));
    assert!(is_finite(&solver, rope).into_iter().all(|good| good));
}

/// Where a body is lost, others that collide still do.
#[test]
fn what_is_lost_lets_nothing_through() {
    let mut scene = scene(9.81, 10);
    scene.settings.non_finite = NonFinite::Ignore;
    let all: Vec<u32> = (0..100).collect();
    let sheet = |y: f32| Cloth::grid([10, 10], [0.5, 0.5]).placed(Pose::at([0.01, y, 0.02]), 1.0);
    scene.add(sheet(0.0).pin(&all).collide(Collide::All));
    let falling = scene.add(sheet(0.1).collide(Collide::All));
    let lost = scene.add(sheet(2.0).collide(Collide::All));
    let mut solver = solver(&scene);
    let mut forces = [Vec3::ZERO; 100];
    forces[37].x = 1e18;
    let mut search = Intersections::new();
    for frame in 0..30 {
        let input = Input::frame(FRAME);
        let report = solver.step(&if frame < 2 { input.forces(lost, &forces) } else { input });
        assert!(report.rejected.is_none());
        search.count(solver.plan(), solver.state()).expect("few boxes overlap");
        let crossing = search.pairs().find(|pair| pair.iter().all(|(body, _)| *body != lost));
        assert_eq!(crossing, None, "frame {frame}");
    }
    let far = positions(&solver, lost).into_iter().any(|x| x[0].abs() > 1e9 || !x[0].is_finite());
    assert!(far, "nothing was lost");
    let low = positions(&solver, falling).into_iter().fold(f64::INFINITY, |low, x| low.min(x[1]));
    // Both thicknesses, and what a contact leaves.
    assert!(low > 0.0035 && low < 0.01, "{low} m");
}
