//! Many states of one plan at once, and steps on a rayon pool: the bits are those of one state stepped alone.

use crate::runs::FRAME;
use glam::Vec3;
use seidel::rayon::{ThreadPool, ThreadPoolBuilder};
use seidel::{
    BatchScratch, Cloth, Collide, Collider, Execution, Input, Isa, Plan, Pool, Pose, Report, Scene, Scratch, Solver,
    State, Tearing, step, step_many,
};
use std::sync::{Arc, mpsc};

/// A cloth that falls on a ball; `side^2` particles.
fn plan(side: u32) -> Plan {
    let mut scene = Scene::new();
    scene.settings.substeps = 5.into();
    scene.add(Cloth::grid([side, side], [1.0, 1.0]).placed(Pose::at([0.0, 0.5, 0.0]), 1.0).bend(1e3));
    scene.add_collider(Collider::sphere(0.4));
    Plan::new(&scene).expect("a sound scene")
}

fn on(threads: usize) -> Execution {
    Execution::new(Isa::detect(), threads)
}

/// States that differ: each is thrown another way.
fn states(plan: &Plan, count: usize) -> Vec<State> {
    let body = plan.body_ids().next().expect("a cloth");
    let thrown = |i: usize| {
        let mut state = State::new(plan);
        let velocity = Vec3::new(0.1 * i as f32, -1.0, 0.0);
        state.write_velocities(plan, body, &vec![velocity; plan.vertices(body)]).expect("a small velocity");
        state
    };
    (0..count).map(thrown).collect()
}

fn pool() -> Arc<ThreadPool> {
    Arc::new(ThreadPoolBuilder::new().num_threads(3).build().expect("threads"))
}

#[test]
fn many_states_step_as_each_alone() {
    let plan = plan(16);
    let inputs: Vec<Input> = (0..7).map(|i| Input::frame(FRAME).gravity([0.0, -(i as f32), 0.0])).collect();
    let mut alone = states(&plan, 7);
    let mut scratch = Scratch::new(&plan, on(1));
    let expected: Vec<u32> = (0..20)
        .flat_map(|_| {
            let each = alone.iter_mut().zip(&inputs);
            each.map(|(state, input)| step(&plan, state, input, &mut scratch).contacts).collect::<Vec<_>>()
        })
        .collect();
    assert!(expected.iter().any(|&contacts| contacts > 0), "no cloth has reached the ball");
    let batches = [
        BatchScratch::new(&plan, on(1)),
        BatchScratch::new(&plan, on(3)),
        BatchScratch::in_pool(&plan, on(4), Pool::Of(pool())),
    ];
    for mut batch in batches {
        let mut together = states(&plan, 7);
        let mut contacts = Vec::new();
        for _ in 0..20 {
            let reports = step_many(&plan, &mut together, &inputs, &mut batch).expect("an input for each");
            contacts.extend(reports.iter().map(|report| report.contacts));
        }
        assert!(together == alone && contacts == expected, "{} threads", batch.threads());
    }
}

#[test]
fn one_input_for_all_or_one_for_each() {
    let plan = plan(4);
    let mut batch = BatchScratch::new(&plan, on(2));
    let mut all = states(&plan, 3);
    let before = all.clone();
    let input = Input::frame(FRAME);
    let error = step_many(&plan, &mut all, &[input.clone(), input.clone()], &mut batch).unwrap_err();
    assert_eq!(error.to_string(), "3 states are given 2 inputs: give one for each, or one for all");
    assert!(all == before, "stepped all the same");
    assert_eq!(step_many(&plan, &mut all, &[input], &mut batch).expect("one for all").len(), 3);
    assert!(all.iter().zip(&before).all(|(now, then)| now != then));
    assert!(step_many(&plan, &mut [], &[], &mut batch).expect("none for none").is_empty());
}

/// What is refused is refused alone.
#[test]
fn a_foreign_state_is_rejected_alone() {
    let (plan, other) = (plan(4), plan(5));
    let mut batch = BatchScratch::new(&plan, on(1));
    let mut all = vec![State::new(&plan), State::new(&other), State::new(&plan)];
    let reports = step_many(&plan, &mut all, &[Input::frame(FRAME)], &mut batch).expect("one for all");
    let rejected: Vec<bool> = reports.iter().map(|report| report.rejected.is_some()).collect();
    assert_eq!(rejected, [false, true, false]);
}

#[test]
fn a_pool_gives_the_same_bits() {
    let plan = plan(64);
    let run = |mut scratch: Scratch| {
        let mut state = State::new(&plan);
        for _ in 0..10 {
            step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
        }
        state.hash()
    };
    let expected = run(Scratch::new(&plan, on(1)));
    assert_eq!(run(Scratch::in_pool(&plan, on(4), Pool::Of(pool()))), expected);
    assert_eq!(run(Scratch::in_pool(&plan, on(2), Pool::Global)), expected);
    // From inside of the pool, where the caller is one of its threads.
    let pool = pool();
    assert_eq!(pool.install(|| run(Scratch::in_pool(&plan, on(4), Pool::Of(Arc::clone(&pool))))), expected);
}

/// A pool whose threads are all busy is not waited for: this test would not end.
#[test]
fn a_busy_pool_is_not_waited_for() {
    let plan = plan(64);
    let pool = pool();
    let (free, busy) = mpsc::channel::<()>();
    let busy = Arc::new(std::sync::Mutex::new(busy));
    for _ in 0..3 {
        let busy = Arc::clone(&busy);
        pool.spawn(move || {
            let _ = busy.lock().expect("nobody panics").recv();
        });
    }
    let mut state = State::new(&plan);
    let mut scratch = Scratch::in_pool(&plan, on(4), Pool::Of(Arc::clone(&pool)));
    for _ in 0..3 {
        assert!(step(&plan, &mut state, &Input::frame(FRAME), &mut scratch).rejected.is_none());
    }
    drop(free);
}

/// A sheet that hangs by its corners and tears under its own weight.
fn brittle() -> Plan {
    let mut scene = Scene::new();
    scene.settings.substeps = 5.into();
    let sheet = Cloth::grid([12, 12], [1.0, 1.0]).stretch(1e-3).pin(&[0, 11]).tear(Tearing::new(0.05));
    scene.add(sheet.collide(Collide::All).thickness(0.01));
    scene.add_collider(Collider::sphere(0.3).at([0.0, -1.0, 0.0]));
    Plan::new(&scene).expect("a sound scene")
}

/// States that tear at different times, and one that does not: each as a solver of its own, also when they are put back
/// and moved among the others.
#[test]
fn states_that_tear_go_on_as_each_alone() {
    let plan = Arc::new(brittle());
    let body = plan.body_ids().next().expect("a cloth");
    let pull = |i: usize| Input::frame(FRAME).gravity([0.0, -100.0 * i as f32, 0.1]);
    let inputs: Vec<Input> = (0..4).map(pull).collect();
    let mut solvers: Vec<Solver> = (0..4).map(|_| Solver::with(Arc::clone(&plan), on(1))).collect();
    let mut states = vec![State::new(&plan); 4];
    let mut batches = [1, 3].map(|threads| BatchScratch::new(&plan, on(threads)));
    let mut saved: Vec<State> = Vec::new();
    let mut step_all = |solvers: &mut [Solver], states: &mut [State], at: usize| {
        let alone: Vec<_> = solvers.iter_mut().zip(&inputs).map(|(solver, input)| solver.step(input)).collect();
        let batch = &mut batches[at % 2];
        let reports = step_many(&plan, states, &inputs, batch).expect("an input each");
        let splits = |report: &Report| report.torn.iter().map(|torn| (torn.vertex, torn.copy)).collect::<Vec<_>>();
        for (i, (report, want)) in reports.iter().zip(&alone).enumerate() {
            assert!(report.rejected.is_none() && want.rejected.is_none(), "{i}: {:?}", report.rejected);
            assert_eq!((splits(report), report.contacts), (splits(want), want.contacts), "state {i} at {at}");
        }
        for (i, (state, solver)) in states.iter().zip(solvers).enumerate() {
            assert_eq!(state.hash(), solver.state().hash(), "state {i} at {at}");
            let torn = batch.plan(i).unwrap_or(&plan);
            assert!(torn.is_torn_as(state));
            assert_eq!(torn.triangles(body), solver.plan().triangles(body));
        }
        alone.iter().map(|report| report.torn.len()).collect::<Vec<_>>()
    };
    let mut torn = vec![0; 4];
    for at in 0..24 {
        // Two batches in turn: each finds states as the other has left them.
        let now = step_all(&mut solvers, &mut states, at);
        torn.iter_mut().zip(now).for_each(|(sum, now)| *sum += now);
        if at == 11 {
            saved.clone_from(&states);
        }
    }
    assert!(torn[0] == 0 && torn[1..].iter().all(|&count| count > 0), "{torn:?}");
    // Rolled back, and one in another's place, which begins anew.
    saved.swap(1, 3);
    saved[2] = State::new(&plan);
    states.clone_from_slice(&saved);
    solvers.iter_mut().zip(&saved).for_each(|(solver, state)| solver.set_state(state.clone()).expect("of this plan"));
    for at in 24..36 {
        step_all(&mut solvers, &mut states, at);
    }
}
