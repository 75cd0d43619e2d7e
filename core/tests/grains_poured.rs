//! Oracles: grains that emitters pour and drains take. Their number, room, what they do not touch before they have
//! come, the same bits everywhere.

use crate::runs::{FRAME, solver};
use glam::Vec3;
use seidel::collider::Shape;
use seidel::{
    BodyId, Cloth, Collide, Collider, Emitter, Execution, Grains, GridPins, Input, Isa, Opening, Plan, Pose, Region,
    RigidBody, Scene, Scratch, Solver, State, degrees, step,
};

const R: f32 = 0.01;

/// An opening of 10 cm by 10 cm at a height, downwards: four by four places.
fn spout(height: f32, speed: f64) -> Emitter {
    let pose = Pose::at([0.0, height, 0.0]).turned([1.0, 0.0, 0.0], degrees(180.0));
    Emitter::new(pose, Opening::Rectangle([0.05; 2]), speed).jitter(0.0, 7)
}

fn scene(substeps: u32) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = substeps.into();
    scene.add_collider(Collider::ground());
    scene
}

/// Grains that are there, and how fast they are.
fn there(solver: &Solver, sand: BodyId) -> Vec<(Vec3, f32)> {
    let (plan, state) = (solver.plan(), solver.state());
    let count = plan.vertices(sand);
    let (mut p, mut v, mut w) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count], vec![0.0; count]);
    state.read_positions(plan, sand, &mut p);
    state.read_velocities(plan, sand, &mut v);
    state.read_inv_masses(plan, sand, &mut w);
    p.into_iter().zip(v).zip(w).filter(|(_, w)| *w > 0.0).map(|((p, v), _)| (p, v.length())).collect()
}

/// What has come and gone in some frames: born, drained, full, blocked.
fn run(solver: &mut Solver, frames: u32) -> [u32; 4] {
    let mut all = [0; 4];
    for frame in 0..frames {
        let report = solver.step(&Input::frame(FRAME));
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
        let now = [report.grain_born, report.grain_drained, report.grain_full, report.grain_blocked];
        all = std::array::from_fn(|k| all[k] + now[k]);
    }
    all
}

/// Four by four grains each 2.5 cm of way, for as long as it is told; each with a number of its own. None goes faster
/// than it has fallen, and they lie as a heap.
#[test]
fn an_opening_gives_area_times_speed() {
    for speed in [0.3, 1.5, 4.0] {
        let mut scene = scene(20);
        let sand = scene.add(Grains::empty().radius(R).emit(spout(0.5, speed).during(0.0, 1.0)));
        let mut solver = solver(&scene);
        let came = run(&mut solver, 70);
        let layers = (speed / 0.025 + 1e-9).floor() as u32 + 1;
        // Chance leaves some places without room.
        let [born, drained, full, blocked] = came;
        assert_eq!([born + blocked, drained, full], [16 * layers, 0, 0], "{speed} m/s");
        let all = there(&solver, sand);
        assert!(all.len() == born as usize && 50 * blocked < born, "{speed} m/s: {came:?}");
        let mut w = vec![0.0; solver.plan().vertices(sand)];
        solver.state().read_inv_masses(solver.plan(), sand, &mut w);
        let ids = solver.state().grain_ids(solver.plan(), sand).iter().zip(w).filter(|(_, w)| *w > 0.0);
        assert!(ids.map(|(id, _)| *id).eq(0..all.len() as u64));
        let fastest = all.iter().map(|of| of.1).fold(0.0, f32::max);
        assert!(f64::from(fastest) < 1.05 * (speed * speed + 2.0 * 9.81 * 0.5).sqrt(), "{speed}: {fastest}");
        run(&mut solver, 120);
        let all = there(&solver, sand);
        let figures = solver.state().grain_figures(solver.plan());
        assert!(figures.deepest_overlap < 0.1 * 2.0 * f64::from(R), "{figures:?}");
        let top = all.iter().map(|(p, _)| p.y).fold(0.0, f32::max);
        let wide = all.iter().map(|(p, _)| Vec3::new(p.x, 0.0, p.z).length()).fold(0.0, f32::max);
        println!("{speed} m/s: {} grains, {top:.3} m high, {wide:.3} m wide", all.len());
        assert!(all.iter().all(|(p, _)| p.y > 0.9 * R) && top > 2.0 * R && top < wide);
    }
}

/// An opening that a heap has grown up to gives no more, and throws nothing about.
#[test]
fn a_heap_stops_what_comes() {
    let mut scene = scene(20);
    for [x, z] in [[0.07, 0.0], [-0.07, 0.0], [0.0, 0.07], [0.0, -0.07]] {
        let half = [if x == 0.0 { 0.09 } else { 0.02 }, 0.3, if z == 0.0 { 0.09 } else { 0.02 }];
        let wall = Collider::new(Shape::Cuboid { half: half.into() });
        scene.add_collider(wall.at([x, 0.3, z]).friction(0.2));
    }
    // Its walls stand 10 cm apart: it is full when 30 cm of it are.
    let sand = scene.add(Grains::empty().radius(R).friction(0.2).emit(spout(0.3, 1.0)).capacity(2_000));
    let mut solver = solver(&scene);
    let [born, .., blocked] = run(&mut solver, 180);
    let all = there(&solver, sand);
    let share = all.len() as f64 * 4.0 / 3.0 * std::f64::consts::PI * f64::from(R * R * R) / (0.1 * 0.1 * 0.3);
    println!("{born} came, {blocked} did not; they fill {share:.3}");
    assert!(born as usize == all.len() && blocked > born, "{born} {blocked}");
    assert!((0.45..0.68).contains(&share), "{share}");
    let [more, ..] = run(&mut solver, 60);
    let fastest = there(&solver, sand).iter().map(|of| of.1).fold(0.0, f32::max);
    assert!(more < born / 50 && fastest < 1.5, "{more} {fastest}");
    let figures = solver.state().grain_figures(solver.plan());
    assert!(figures.deepest_overlap < 0.15 * 2.0 * f64::from(R), "{figures:?}");
}

/// Where a rigid body or a collider lies in the opening, none comes: nothing is flung out of it.
#[test]
fn nothing_comes_into_what_lies_there() {
    for kind in ["fixed", "dynamic", "collider"] {
        let mut scene = scene(20);
        let sand = scene.add(Grains::empty().radius(R).emit(spout(0.3, 1.0)).capacity(500));
        let body = RigidBody::cuboid([0.2; 3]).at([0.0, 0.2, 0.0]);
        match kind {
            "fixed" => drop(scene.add_rigid(body.fixed())),
            "dynamic" => drop(scene.add_rigid(body.mass(20.0))),
            _ => drop(scene.add_collider(Collider::new(Shape::Cuboid { half: [0.2; 3].into() }).at([0.0, 0.2, 0.0]))),
        }
        let mut solver = Solver::new(&scene).unwrap();
        let [born, .., blocked] = run(&mut solver, 60);
        assert!(born == 0 && blocked > 500, "{kind}: {born} {blocked}");
        assert!(there(&solver, sand).is_empty());
    }
}

/// What a drain takes comes again, as often as there is need: grains of a number that is given go round.
#[test]
fn what_is_drained_is_born_again() {
    let mut scene = scene(10);
    let sand = Grains::empty().radius(R).emit(spout(0.5, 1.0)).capacity(900);
    let sand = scene.add(sand.drain(Region::Box { from: [-9.0, -1.0, -9.0].into(), to: [9.0, 0.1, 9.0].into() }));
    let mut solver = solver(&scene);
    let [born, drained, full, blocked] = run(&mut solver, 240);
    let all = there(&solver, sand);
    assert_eq!(born - drained, all.len() as u32);
    assert!(
        50 * blocked < born && full == 0 && drained > 2_000 && all.len() < 300,
        "{born} {drained} {full} {blocked}"
    );
    assert!(all.iter().all(|(p, _)| p.y > 0.1));
    // Too few for what falls at a time.
    let mut few = Scene::new();
    few.settings.substeps = 10.into();
    few.add(Grains::empty().radius(R).emit(spout(0.5, 1.0)).capacity(100));
    let mut few = Solver::new(&few).unwrap();
    let [born, _, full, _] = run(&mut few, 60);
    assert!(born == 100 && full > 400, "{born} {full}");
}

/// Grains that have not come touch nothing where they wait: beside a cloth that is pinned, a rigid body and a cloth
/// pass through the opening with the same bits as without them; and what comes later lies on both.
#[test]
fn what_has_not_come_touches_nothing() {
    let of = |has_grains: bool, frames: u32| {
        let mut scene = scene(10);
        let body = scene.add_rigid(RigidBody::cuboid([0.1; 3]).mass(3.0).at([0.0, 0.8, 0.0]));
        let sheet = Cloth::grid([12; 2], [0.3; 2]).placed(Pose::at([0.0, 1.0, 0.0]), 1.0).collide(Collide::Others);
        let sheet = scene.add(sheet.density(1.0).thickness(0.004));
        let held = Cloth::grid([20; 2], [0.5; 2]).placed(Pose::at([0.0, 0.3, 0.0]), 1.0).collide(Collide::Others);
        let held = held.pin_grid(GridPins::FirstRow).pin_grid(GridPins::LastRow).thickness(0.004).density(1.0);
        let held = scene.add(held);
        let sand = has_grains.then(|| {
            let late = spout(0.7, 1.0).during(1.0, 1.4);
            scene.add(Grains::empty().radius(R).emit(late))
        });
        let mut solver = Solver::new(&scene).unwrap();
        for _ in 0..frames {
            let report = solver.step(&Input::frame(FRAME));
            assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
        }
        let pose = solver.state().rigid_pose(solver.plan(), body).to_array().map(f32::to_bits);
        let bits = |id: BodyId| solver.positions(id).iter().map(|p| p.to_array().map(f32::to_bits)).collect::<Vec<_>>();
        let all = (pose, bits(sheet), bits(held));
        let heights = sand.map(|sand| there(&solver, sand).iter().map(|(p, _)| p.y).collect::<Vec<f32>>());
        (all, heights)
    };
    let (without, _) = of(false, 55);
    let (with, none) = of(true, 55);
    assert!(with == without, "grains that have not come were met");
    assert!(none.unwrap().is_empty());
    let (_, heights) = of(true, 130);
    let heights = heights.unwrap();
    let held = heights.iter().filter(|y| **y > 0.15).count();
    assert!(heights.len() > 200 && held > heights.len() / 2, "{held} of {}", heights.len());
}

#[test]
fn poured_grains_have_the_same_bits_everywhere() {
    let mut scene = scene(8);
    let first = Grains::block([0.2, 0.0, -0.1], [0.4, 0.2, 0.1]).radius(R).emit(spout(0.6, 2.0));
    scene.add(first.capacity(1_200).drain(Region::Ball { centre: [0.0, 0.0, 0.0].into(), radius: 0.05 }));
    scene.add(Grains::empty().radius(0.008).emit(spout(0.55, 1.0).during(0.1, 0.5)));
    scene.add_rigid(RigidBody::cuboid([0.05; 3]).mass(0.5).at([0.1, 0.2, 0.0]));
    let plan = Plan::new(&scene).unwrap();
    let hash = |isa: Isa, threads: usize| {
        let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(isa, threads)));
        for frame in 0..40 {
            let report = step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
            assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
            scratch.poison();
            if frame == 15 {
                state = State::from_bytes(&plan, &state.to_bytes()).unwrap();
                scratch = Scratch::new(&plan, Execution::new(isa, threads));
            }
            if frame == 25 {
                state = state.carried(&plan, &plan).unwrap();
            }
        }
        state.hash()
    };
    let first = hash(Isa::PORTABLE, 1);
    for (isa, threads) in Isa::available().into_iter().zip([2, 5, 1].into_iter().cycle()) {
        assert_eq!(hash(isa, threads), first, "{isa}, {threads} threads");
    }
}

#[test]
fn bad_sources_of_grains_are_refused() {
    let refused = |grains: Grains| {
        let mut scene = Scene::new();
        scene.add(grains.named("sand"));
        Plan::new(&scene).unwrap_err().to_string()
    };
    let spout = || spout(0.5, 1.0);
    for (grains, error) in [
        (
            Grains::empty().emit(spout()),
            "body `sand`, emitter 0: end is inf, which is not finite: give it one, or its body a capacity",
        ),
        (
            Grains::empty().emit(spout().during(0.0, 1.0).jitter(0.7, 1)),
            "body `sand`, emitter 0: jitter is 0.7, which is not within 0 .. 0.5 spacings",
        ),
        (
            Grains::block([0.0; 3], [0.2; 3]).emit(spout()).capacity(10),
            "body `sand`: capacity is 10, which is not at least the grains at the start",
        ),
        (Grains::empty().emit(spout()).capacity(0), "body `sand`: capacity is 0, which is not 1 or more"),
        (Grains::empty(), "body `sand`: number of grains is 0, which is not 1 or more"),
    ] {
        assert_eq!(refused(grains), error);
    }
    let mut scene = Scene::new();
    let sand = scene.add(Grains::empty().emit(spout()).capacity(10).named("sand"));
    let mut solver = Solver::new(&scene).unwrap();
    let error = solver.disable(sand).unwrap_err().to_string();
    assert!(error.contains("emitters and drains say which of its grains are there"), "{error}");
}
