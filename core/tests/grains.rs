//! Oracle: grains. Heaps and their angles, momentum, friction and cohesion on a slope, what lies on cloth, what is
//! refused.

use crate::runs::{FRAME, Random, run, solver};
use glam::Vec3;
use seidel::{
    BodyId, Cloth, Collide, Collider, Error, Execution, Grain, Grains, GridPins, Input, Isa, Plan, Pose, RigidBody,
    Scene, Scratch, SoftBody, Solver, State, degrees, step,
};

const R: f32 = 0.01;

fn scene(substeps: u32) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = substeps.into();
    scene
}

fn positions(solver: &Solver, body: BodyId) -> Vec<Vec3> {
    let mut p = vec![Vec3::ZERO; solver.plan().vertices(body)];
    solver.state().read_positions(solver.plan(), body, &mut p);
    p
}

fn velocities(solver: &Solver, body: BodyId) -> Vec<Vec3> {
    let mut v = vec![Vec3::ZERO; solver.plan().vertices(body)];
    solver.state().read_velocities(solver.plan(), body, &mut v);
    v
}

fn mean(of: impl ExactSizeIterator<Item = f32>) -> f64 {
    let count = of.len();
    of.map(f64::from).sum::<f64>() / count as f64
}

/// Degrees: of the cone whose grains are as high and as far from its middle, on the average. Those of a cone of height
/// H and radius R lie at H / 4 and R / 2.
fn angle(p: &[Vec3]) -> f64 {
    let [x, z] = [mean(p.iter().map(|p| p.x)) as f32, mean(p.iter().map(|p| p.z)) as f32];
    let high = mean(p.iter().map(|p| p.y - R));
    let wide = mean(p.iter().map(|p| ((p.x - x).powi(2) + (p.z - z).powi(2)).sqrt()));
    (2.0 * high / wide).atan().to_degrees()
}

/// A column sinks slowly, for the air is thick, and lies as a heap: flat without friction, the steeper the more of it;
/// it lies still, and creeps less than a tenth of a grain in ten seconds.
#[test]
fn heaps_are_as_steep_as_friction_makes_them() {
    let heap = |mu: f32| {
        let mut scene = scene(20);
        scene.add_collider(Collider::ground().friction(mu));
        let sand =
            scene.add(Grains::block([-0.1, 0.0, -0.1], [0.1, 0.4, 0.1]).radius(R).friction(mu).linear_damping(15.0));
        let mut solver = solver(&scene);
        run(&mut solver, 150, FRAME);
        let before = positions(&solver, sand);
        run(&mut solver, 60, FRAME);
        let after = positions(&solver, sand);
        let moved = before.iter().zip(&after).map(|(a, b)| f64::from(a.distance(*b))).sum::<f64>() / after.len() as f64;
        (angle(&after), moved)
    };
    let all = [0.0, 0.1, 0.2, 0.3, 0.5].map(|mu| (mu, heap(mu)));
    for (mu, (angle, moved)) in &all {
        println!("friction {mu}: {angle:.1} degrees, moves {moved:.1e} m in the last second");
    }
    assert!(all[0].1.0 < 0.5, "{} degrees without friction", all[0].1.0);
    for two in all.windows(2) {
        let [(_, (flat, _)), (mu, (steep, _))] = [two[0], two[1]];
        assert!(steep > flat + 1.0, "{steep} degrees at {mu}, {flat} at less friction");
    }
    for (mu, (_, moved)) in &all[2..] {
        assert!(*moved < 0.1 * 2.0 * f64::from(R) / 10.0, "it creeps {moved} m a second at {mu}");
    }
    let steepest = all[4].1.0;
    assert!((40.0..60.0).contains(&steepest), "{steepest} degrees at 0.5");
}

/// Grains in a box, at rest, a little apart: half its width, and how high they were before they fell.
fn settled(half: f32, high: f32, mu: f32) -> Vec<Vec3> {
    let mut scene = scene(20);
    scene.add_collider(Collider::ground().friction(mu));
    walls(&mut scene, half, mu);
    let block = Grains::block([-half, 0.0, -half], [half, high, half]).radius(R).friction(mu).fraction(0.3);
    let sand = scene.add(block);
    let mut solver = solver(&scene);
    run(&mut solver, 32, FRAME);
    positions(&solver, sand).iter().map(|p| 1.02 * *p).collect()
}

fn walls(scene: &mut Scene, half: f32, mu: f32) {
    let (x, z) = ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    for (at, axis, turn) in [
        ([-half, 0.0, 0.0], z, -90.0),
        ([half, 0.0, 0.0], z, 90.0),
        ([0.0, 0.0, -half], x, 90.0),
        ([0.0, 0.0, half], x, -90.0),
    ] {
        let pose = Pose::at(at).turned(axis, degrees(turn));
        scene.add_collider(Collider { pose, ..Collider::ground().friction(mu) });
    }
}

/// Grains flow through an opening as fast from a full box as from one that is filled half as high (a liquid would flow
/// 1.4 times as fast), and bridge one that is two grains wide (bench/src/oracles/grains.rs measures more).
#[test]
fn flow_does_not_depend_on_the_height() {
    let (half, mu) = (9.0 * R, 0.2);
    let grains = settled(half, 80.0 * R, mu);
    let flow = |opening: f32, high: f32| {
        let mut scene = scene(20);
        // Four boxes around a square.
        let (long, wide) = (half + 2.0 * R, 0.5 * opening);
        let (middle, thick) = (0.5 * (long + wide), 0.5 * (long - wide));
        for side in [-middle, middle] {
            scene.add_collider(Collider::cuboid([thick, R, long]).friction(mu).at([side, -R, 0.0]));
            scene.add_collider(Collider::cuboid([wide, R, thick]).friction(mu).at([0.0, -R, side]));
        }
        walls(&mut scene, half, mu);
        let low: Vec<_> = grains.iter().filter(|p| p.y < high).map(|p| p.to_array()).collect();
        let sand = scene.add(Grains::points(low).radius(R).friction(mu));
        let mut solver = solver(&scene);
        let below = |solver: &Solver| positions(solver, sand).iter().filter(|p| p.y < -2.0 * R).count();
        run(&mut solver, 20, FRAME);
        let before = below(&solver);
        run(&mut solver, 24, FRAME);
        2.5 * (below(&solver) - before) as f64
    };
    let (low, high) = (flow(10.0 * R, 20.0 * R), flow(10.0 * R, f32::INFINITY));
    println!("grains a second: {low} from 10 high, {high} from the full box");
    assert!(low > 200.0 && (high / low - 1.0).abs() < 0.25, "{low} and {high} grains a second");
    let bridged = flow(4.0 * R, 20.0 * R);
    assert!(bridged < 0.05 * low, "{bridged} grains a second through an opening of two");
}

/// A column runs out the farther the higher it was, and half as far with twice the friction.
#[test]
fn columns_run_out_by_their_height() {
    let radius = 10.0 * R;
    let grains = settled(1.05 * radius, 42.0 * R, 0.25);
    let far = |aspect: f32, mu: f32| {
        let mut scene = scene(20);
        scene.add_collider(Collider::ground().friction(mu));
        let is_in = |p: &&Vec3| p.x.hypot(p.z) + R < radius && p.y + R < aspect * radius;
        let column: Vec<_> = grains.iter().filter(is_in).map(|p| p.to_array()).collect();
        let sand = scene.add(Grains::points(column).radius(R).friction(mu));
        let mut solver = solver(&scene);
        run(&mut solver, 60, FRAME);
        let mut reached: Vec<_> = positions(&solver, sand).iter().map(|p| p.x.hypot(p.z) + R).collect();
        reached.sort_by(f32::total_cmp);
        reached[reached.len() * 99 / 100] / radius - 1.0
    };
    let (low, high, rough) = (far(1.0, 0.25), far(2.0, 0.25), far(2.0, 0.5));
    println!("run-out: {low} radii of 1, {high} of 2, {rough} of 2 with friction 0.5");
    assert!((0.5..1.5).contains(&low) && (1.5 * low..4.0 * low).contains(&high), "{low} and {high} radii");
    assert!((0.2 * high..0.7 * high).contains(&rough), "{rough} radii with friction 0.5, {high} with half of that");
}

/// Two balls of grains hit each other: no momentum is lost, whatever the friction and cohesion.
#[test]
fn momentum_stays() {
    let mut scene = scene(10);
    scene.settings.gravity = [0.0; 3].into();
    let kind = |from: [f32; 3], to: [f32; 3], r: f32| Grains::block(from, to).radius(r).cohesion(300.0);
    let a = scene.add(kind([-0.25, -0.1, -0.1], [-0.05, 0.1, 0.1], R).velocity([1.0, 0.2, 0.0]).dynamic_friction(0.2));
    let b = scene.add(kind([0.05, -0.1, -0.1], [0.25, 0.1, 0.1], 1.5 * R).velocity([-0.7, 0.0, 0.1]));
    let mut solver = solver(&scene);
    let momentum = |solver: &Solver| {
        let of = |id: BodyId| {
            let grain = solver.plan().grains().find(|(of, _)| *of == id).expect("grains").1;
            velocities(solver, id).iter().fold(glam::DVec3::ZERO, |sum, v| sum + v.as_dvec3() * grain.mass())
        };
        (of(a) + of(b), of(a).length())
    };
    let (before, size) = momentum(&solver);
    run(&mut solver, 60, FRAME);
    let (after, rest) = momentum(&solver);
    assert!(rest < 0.8 * size, "they have not met: {rest} of {size}");
    assert!((after - before).length() < 1e-4 * size, "{before} has become {after}");
}

/// A lump that cohesion holds together lies on a slope: it rests at 0.95 of the friction coefficient, and slides at
/// 1.05 of it as fast as a block.
#[test]
fn a_lump_slides_as_a_block_does() {
    let mu = 0.4f32;
    let slid = |part: f32| {
        let mut scene = scene(20);
        let slope = f64::from(part * mu).atan();
        scene.settings.gravity = [9.81 * slope.sin() as f32, -9.81 * slope.cos() as f32, 0.0].into();
        scene.add_collider(Collider::ground().friction(mu));
        // Three layers of a lattice in which each lies on four.
        let mut points = Vec::new();
        for layer in 0..3u16 {
            let n = 8 - layer;
            let side = |i: u16| 2.0 * R * (f32::from(i) - 0.5 * f32::from(n));
            let y = R * (1.0 + 2f32.sqrt() * f32::from(layer));
            (0..n).for_each(|i| points.extend((0..n).map(|j| [side(i), y, side(j)])));
        }
        let lump = scene.add(Grains::points(points).radius(R).friction(mu).cohesion(1e4));
        let mut solver = solver(&scene);
        run(&mut solver, 60, FRAME);
        mean(positions(&solver, lump).iter().map(|p| p.x + R))
    };
    let (rests, slides) = (slid(0.95), slid(1.5));
    let slope = f64::from(1.5 * mu).atan();
    let expected = 0.5 * 9.81 * (slope.sin() - f64::from(mu) * slope.cos());
    assert!(slid(1.05) > 0.02, "it should slide at 1.05: {} m", slid(1.05));
    assert!(rests.abs() < 1e-3, "it should rest: {rests} m");
    assert!((slides / expected - 1.0).abs() < 0.05, "it slid {slides} m, a block slides {expected} m");
}

/// What slides is held less than what rests: a lump that has been pushed goes on where one at rest stays.
#[test]
fn static_friction_holds_what_dynamic_friction_lets_go() {
    let far = |speed: f32| {
        let mut scene = scene(20);
        scene.add_collider(Collider::ground().friction(10.0));
        // A plate of grains that stick to the ground, and three grains in the hollows of it.
        let n = 24u16;
        let at = |i: u16| 2.0 * R * f32::from(i);
        let plate: Vec<_> = (0..n).flat_map(|i| (0..6).map(move |j| [at(i), R, at(j)])).collect();
        scene.add(Grains::points(plate).radius(R).friction(10.0).density(1e5));
        let y = R * (1.0 + 2f32.sqrt());
        let riders = vec![[3.0 * R, y, 5.0 * R]];
        let riders = Grains::points(riders).radius(R).friction(0.05).dynamic_friction(0.0).velocity([speed, 0.0, 0.0]);
        let rider = scene.add(riders);
        let mut solver = solver(&scene);
        run(&mut solver, 30, FRAME);
        positions(&solver, rider)[0].x - 3.0 * R
    };
    assert!(far(0.0).abs() < 1e-3, "at rest it stays in its hollow: {} m", far(0.0));
    assert!(far(0.8) > 4.0 * R, "it runs over hollows: {} m", far(0.8));
}

/// Sand on a sheet that is held at its edges: none falls through, and the sheet hangs lower.
#[test]
fn sand_lies_on_cloth() {
    let hangs = |with: bool| {
        let mut scene = scene(30);
        let cloth = Cloth::grid([24, 24], [0.5, 0.5]).placed(Pose::at([0.0, 0.3, 0.0]), 1.0).density(0.4).stretch(1e-6);
        let pins = [GridPins::FirstRow, GridPins::LastRow, GridPins::FirstColumn, GridPins::LastColumn];
        let cloth = cloth.shear(1e-3).thickness(0.003).damping(0.05).collide(Collide::Others);
        let cloth = scene.add(pins.into_iter().fold(cloth, Cloth::pin_grid));
        let sand =
            with.then(|| scene.add(Grains::block([-0.1, 0.33, -0.1], [0.1, 0.53, 0.1]).radius(R).friction(0.35)));
        let mut solver = solver(&scene);
        run(&mut solver, 60, FRAME);
        let low = positions(&solver, cloth).iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        if let Some(sand) = sand {
            let lowest = positions(&solver, sand).iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
            assert!(lowest > low, "a grain is at {lowest} m, the sheet at {low} m");
        }
        low
    };
    let (alone, loaded) = (hangs(false), hangs(true));
    assert!(loaded < alone - 0.01, "it hangs at {loaded} m under sand, at {alone} m without");
}

/// A heavy ball sinks into sand and is stopped by it; a light one stays on it.
#[test]
fn balls_fall_into_sand() {
    let sinks = |density: f64| {
        let mut scene = scene(20);
        scene.add_collider(Collider::ground());
        walls(&mut scene, 0.12, 0.5);
        scene.add(Grains::block([-0.12, 0.0, -0.12], [0.12, 0.2, 0.12]).radius(R).friction(0.3));
        let ball = scene.add_rigid(RigidBody::sphere(0.04).density(density).at([0.0, 0.3, 0.0]));
        let mut solver = solver(&scene);
        run(&mut solver, 90, FRAME);
        solver.state().rigid_pose(solver.plan(), ball).position()[1]
    };
    let (light, heavy) = (sinks(300.0), sinks(20_000.0));
    assert!(light > heavy + 0.01 && heavy > 0.039, "the light one lies at {light} m, the heavy one at {heavy} m");
}

/// The same bits on all lanes and numbers of threads, from a snapshot, and whatever the scratch holds.
#[test]
fn a_snapshot_goes_on_bit_for_bit() {
    let mut scene = scene(4);
    scene.add_collider(Collider::ground());
    scene.add(Grains::block([-0.1, 0.0, -0.1], [0.1, 0.3, 0.1]).radius(R).cohesion(50.0));
    let plan = Plan::new(&scene).expect("sound");
    let input = Input::frame(FRAME);
    let goes_on = |isa: Isa, threads: usize| {
        let mut scratch = Scratch::new(&plan, Execution::new(isa, threads));
        let mut state = State::new(&plan);
        for _ in 0..20 {
            scratch.poison();
            step(&plan, &mut state, &input, &mut scratch);
        }
        let mut copy = State::from_bytes(&plan, &state.to_bytes()).expect("its own bytes");
        assert!(copy == state && state.grain_contacts(&plan).count() > 100);
        for _ in 0..5 {
            step(&plan, &mut state, &input, &mut scratch);
            scratch.poison();
            step(&plan, &mut copy, &input, &mut scratch);
            assert!(copy == state);
        }
        state.hash()
    };
    let first = goes_on(Isa::detect(), 1);
    for isa in Isa::available() {
        assert_eq!(goes_on(isa, 2), first, "{isa:?}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |grains: Grains| {
        let mut scene = scene(4);
        scene.add(grains.named("sand"));
        Plan::new(&scene).expect_err("it should be refused").to_string()
    };
    let block = || Grains::block([0.0; 3], [0.1; 3]);
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let error = refused(block().radius(radius));
        assert!(
            error.starts_with("body `sand`: radius is ") && error.ends_with("which is not within 5e-5 .. 50 m"),
            "{error}"
        );
    }
    let error = refused(block().friction(0.2).dynamic_friction(0.3));
    assert_eq!(error, "body `sand`: dynamic_friction is 0.3, which is not within 0 .. the friction at rest");
    let error = refused(block().cohesion(f32::NAN));
    assert!(error.contains("cohesion is NaN"), "{error}");
    let error = refused(Grains::block([0.0; 3], [0.1, 0.01, 0.1]));
    assert!(error.contains("side of the block is 0.01"), "{error}");
    let error = refused(Grains::points(vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.015, 0.0]]));
    assert!(error.starts_with("body `sand`: grain 1 and grain 2 are 1.500e-2 m apart at the start"), "{error}");
    let error = refused(Grains::points(Vec::new()));
    assert!(error.contains("number of grains is 0"), "{error}");
    let error = refused(block().collide(Collide::Spheres));
    assert!(
        error.starts_with("body `sand`: grains collide with `others` or with `nothing`, not with `spheres`"),
        "{error}"
    );
    let error = refused(Grains::points(vec![[f32::NAN; 3]]));
    assert!(error.contains("position of vertex 0"), "{error}");
    let mut small = scene(4);
    small.settings.memory = 1 << 20;
    small.add(Grains::block([0.0; 3], [10.0; 3]).radius(0.001).named("sand"));
    assert!(matches!(Plan::new(&small), Err(Error::Memory { .. })));
}

/// What begins inside a collider is left out and named; what begins beside it stays.
#[test]
fn grains_inside_of_something_are_left_out() {
    let mut scene = scene(4);
    scene.add_collider(Collider::sphere(0.1).named("ball"));
    scene.add(SoftBody::bar([0.1; 3], [2; 3]).placed(Pose::at([2.0, 0.0, 0.0]), 1.0).named("block"));
    let places = vec![[0.0; 3], [0.0, 0.109, 0.0], [0.2, 0.0, 0.0], [2.01, 0.02, 0.03], [2.2, 0.0, 0.0]];
    let sand = scene.add(Grains::points(places).radius(R).named("sand"));
    let plan = Plan::new(&scene).expect("sound");
    let notes = plan.warnings();
    for within in ["collider `ball`", "body `block`"] {
        let wanted = format!("body `sand`: 1 of its 5 grains began inside {within} and are left out");
        assert!(notes.contains(&wanted), "{notes:?}");
    }
    let mut w = vec![0.0; 5];
    State::new(&plan).read_inv_masses(&plan, sand, &mut w);
    assert_eq!(w.iter().map(|w| *w > 0.0).collect::<Vec<_>>(), [false, true, true, false, true]);
}

/// Masses that count as less upwards press less on what is below.
#[test]
fn scaled_masses_make_high_heaps_stiffer() {
    let pressed = |scaling: f32| {
        let mut scene = scene(8);
        scene.add_collider(Collider::ground());
        let tower: Vec<_> = (0..40u8).map(|i| [0.0, R + 2.0 * R * f32::from(i), 0.0]).collect();
        let tower = scene.add(Grains::points(tower).radius(R).mass_scaling(scaling));
        let mut solver = solver(&scene);
        run(&mut solver, 60, FRAME);
        // A column of single grains trembles: the mean of a second.
        let pressed = |_| {
            run(&mut solver, 1, FRAME);
            let p = positions(&solver, tower);
            1.0 - f64::from(p[1].distance(p[0]) / (2.0 * R))
        };
        (0..60).map(pressed).sum::<f64>() / 60.0
    };
    let (plain, scaled) = (pressed(0.0), pressed(5.0));
    assert!(scaled < 0.7 * plain && plain < 0.2, "pressed by {plain} of a grain, with scaled masses by {scaled}");
}

/// Fast grains of all sizes everywhere: finite numbers.
#[test]
fn crowds_stay_finite() {
    let mut random = Random(3);
    let mut scene = scene(3);
    scene.add_collider(Collider::ground());
    for k in 0..3 {
        let low = [0.3 * k as f32, 0.0, 0.0];
        let block =
            Grains::block(low, [low[0] + 0.3, 0.3, 0.3]).radius(0.008 + 0.006 * k as f32).cohesion(1e4 * k as f32);
        scene.add(block.velocity(random.point().map(|c| 30.0 * c as f32)));
    }
    let mut solver = solver(&scene);
    run(&mut solver, 20, FRAME);
    for (id, _) in solver.plan().grains().collect::<Vec<(BodyId, Grain)>>() {
        assert!(positions(&solver, id).iter().all(|p| p.is_finite()));
    }
}

/// Who is there stays through an edit: neither what comes to where grains began nor what goes from there changes who
/// that is.
#[test]
fn an_edit_keeps_the_grains_that_are_there() {
    let mut scene = scene(10);
    scene.add_collider(Collider::ground());
    let post = scene.add_collider(Collider::cuboid([0.04, 0.2, 0.2]).at([-0.1, 0.4, 0.0]));
    let sand = scene.add(Grains::block([-0.1, 0.3, -0.1], [0.1, 0.5, 0.1]).radius(R));
    let mut solver = Solver::new(&scene).expect("a sound scene");
    run(&mut solver, 60, FRAME);
    let touching = |solver: &Solver| solver.state().grain_contacts(solver.plan()).count();
    let (before, contacts) = (positions(&solver, sand), touching(&solver));
    assert!(contacts > 100 && mean_height(&before) < 0.25, "they have fallen");
    solver
        .edit(|scene| {
            scene.add_rigid(RigidBody::cuboid([0.2, 0.15, 0.2]).mass(1.0).at([0.0, 0.45, 0.0]));
            scene.remove_collider(post)
        })
        .expect("a sound edit");
    assert_eq!((positions(&solver, sand), touching(&solver)), (before, contacts));
    run(&mut solver, 6, FRAME);
    let fastest = velocities(&solver, sand).iter().fold(0.0f32, |most, v| most.max(v.length()));
    assert!(touching(&solver) > contacts / 2 && fastest < 2.0, "{} of {contacts}, {fastest} m/s", touching(&solver));
}

fn mean_height(p: &[Vec3]) -> f64 {
    mean(p.iter().map(|p| p.y))
}

/// Cohesion is a force: it takes as much from what flies apart whatever the number of sweeps.
#[test]
fn cohesion_is_shared_by_sweeps() {
    let left = |iterations: u32, cohesion: f32| {
        let mut scene = scene(400);
        scene.settings.iterations = iterations;
        scene.settings.gravity = [0.0; 3].into();
        let one = |side: f32| Grains::points(vec![[side * R, 0.0, 0.0]]).radius(R).cohesion(cohesion);
        scene.add(one(-1.0).velocity([-1.0, 0.0, 0.0]));
        let right = scene.add(one(1.0).velocity([1.0, 0.0, 0.0]));
        let mut solver = solver(&scene);
        run(&mut solver, 2, FRAME);
        velocities(&solver, right)[0].x
    };
    assert!((left(1, 0.0) - 1.0).abs() < 1e-3);
    let (one, four) = (left(1, 1e4), left(4, 1e4));
    assert!(one < 0.9 && (one - four).abs() < 0.03, "{one} and {four} m/s");
}

/// What is put elsewhere touches nothing yet.
#[test]
fn positions_that_are_written_end_contacts() {
    let mut scene = scene(4);
    scene.add_collider(Collider::ground());
    let sand = scene.add(Grains::block([-0.1, 0.0, -0.1], [0.1, 0.3, 0.1]).radius(R));
    let mut solver = solver(&scene);
    let start = positions(&solver, sand);
    run(&mut solver, 30, FRAME);
    let plan = solver.plan().clone();
    assert!(solver.state().grain_contacts(&plan).count() > 100);
    solver.state_mut().write_positions(&plan, sand, &start).expect("sound places");
    assert_eq!(solver.state().grain_contacts(&plan).count(), 0);
}

/// All 32 bits of a seed count, and boxes of one body are filled differently.
#[test]
fn seeds_and_boxes_differ() {
    let block = |seed: u32| Grains::block([0.0; 3], [0.2; 3]).radius(R).seed(seed);
    let places = |grains: Grains| {
        let mut scene = Scene::new();
        let sand = scene.add(grains);
        positions(&solver(&scene), sand)
    };
    assert_ne!(places(block(1)), places(block(1 + (1 << 24))));
    let two = places(block(1).and_block([1.0, 0.0, 0.0], [1.2, 0.2, 0.2]));
    let (first, second) = two.split_at(two.len() / 2);
    assert!(first.iter().zip(second).any(|(a, b)| (*b - *a - Vec3::X).length() > R));
}
