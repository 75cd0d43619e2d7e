//! Trees of joints that are solved at once: heavy loads, both ends held, branches, loops, and the same motion as by the
//! sweeps.

use super::super::{Forest, Joint, JointKind, Link, Motor, Spring, WORLD};
use super::held::{chain, widest};
use super::{DT, G, World, v3};

fn all_direct(world: &mut World) {
    world.direct = vec![true; world.joints.len()];
}

/// How far the last body's joint is below where it began.
fn stretch(world: &World, n: usize) -> f64 {
    let joint = &world.joints[n - 1];
    -0.2 * (n - 1) as f64 - world.point(joint.bodies[1], joint.frames[1].anchor).z
}

/// A hundred links and a ball a thousand times as heavy, at few substeps.
#[test]
fn a_long_chain_with_a_thousandfold_load_does_not_stretch() {
    for (substeps, least) in [(1, 2e-3), (2, 1e-3), (4, 1e-4)] {
        let mut world = chain(100, 1000.0);
        world.substeps = substeps;
        all_direct(&mut world);
        world.bodies[99].set_v([0.5, 0.0, 0.0]);
        let (mut most, mut sum): (f64, f64) = (0.0, 0.0);
        for _ in 0..180 {
            world.step();
            most = most.max(widest(&world));
            sum = sum.max((0..100).map(|j| world.gap(j)).sum());
        }
        let h = DT / substeps as f64;
        println!(
            "100 links, 1000:1, {substeps} substeps: widest gap {most:.1e} m, sum {sum:.1e} m; M/m g h^2 {:.1e}",
            1000.0 * G * h * h
        );
        assert!(most < least, "{substeps} substeps: {most}");
    }
}

#[test]
fn a_hanging_load_comes_to_rest_where_it_should() {
    let mut world = chain(100, 1000.0);
    world.substeps = 4;
    all_direct(&mut world);
    world.run(5.0);
    let speed = world.bodies.iter().map(|b| v3(b.v()).length()).fold(0.0, f64::max);
    println!("stretch {:.1e} m, {speed:.1e} m/s", stretch(&world, 100));
    assert!(stretch(&world, 100).abs() < 1e-4 && speed < 1e-3, "{} {speed}", stretch(&world, 100));
    // The first joint carries all.
    let force = world.loads[0].force;
    assert!((v3(force.map(f64::from)).length() / (1099.0 * G) - 1.0).abs() < 1e-3, "{force:?}");
}

/// A beam of fixed boxes: the sweeps let its end sink by 39 mm.
#[test]
fn a_beam_of_boxes_stays_straight() {
    let mut world = World::new();
    let mut last = WORLD;
    for i in 0..10 {
        let x = 0.2 * f64::from(i);
        let body = world.add_box(1.0, [0.2; 3], [x + 0.1, 0.0, 0.0]);
        let frames = world.frames([last, body], [x, 0.0, 0.0], [1.0, 0.0, 0.0]);
        world.join(Joint::fixed([last, body], frames));
        last = body;
    }
    all_direct(&mut world);
    world.run(3.0);
    let sunk = -world.point(9, [0.1, 0.0, 0.0]).z;
    println!("the end of a beam of 2 m sinks {sunk:.1e} m");
    assert!(sunk.abs() < 2e-4, "{sunk}");
}

/// A bridge: both ends are the world's, so all rows along it contradict each other by what it is too short.
#[test]
fn a_taut_bridge_carries_a_load() {
    for length in [1.0, 0.9999] {
        let mut world = World::new();
        let mut last = WORLD;
        for i in 0..20 {
            let x = 0.2 * f64::from(i);
            let body = world.add_box(if i == 10 { 500.0 } else { 1.0 }, [0.2; 3], [x + 0.1, 0.0, 0.0]);
            let frames = world.frames([last, body], [x, 0.0, 0.0], [1.0, 0.0, 0.0]);
            world.join(Joint::ball([last, body], frames));
            last = body;
        }
        let mut frames = world.frames([last, WORLD], [4.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        frames[0].anchor[0] *= length;
        world.join(Joint::ball([last, WORLD], frames));
        all_direct(&mut world);
        for _ in 0..300 {
            world.step();
            let speed = world.bodies.iter().map(|b| v3(b.v()).length()).fold(0.0, f64::max);
            assert!(speed < 0.5, "{length}: {speed}");
        }
        println!("bridge {length}: widest gap {:.1e} m", widest(&world));
        assert!(widest(&world) < 1e-5, "{length}: {}", widest(&world));
    }
}

/// Without loads both ways tell the same: a double pendulum for a second.
#[test]
fn a_pendulum_swings_as_by_the_sweeps() {
    let run = |direct: bool| {
        let mut world = World::new();
        let mut last = WORLD;
        for i in 0..2 {
            let x = f64::from(i);
            let body = world.add_box(1.0, [1.0, 0.1, 0.1], [x + 0.5, 0.0, 0.0]);
            let frames = world.frames([last, body], [x, 0.0, 0.0], [0.0, 1.0, 0.0]);
            world.join(Joint::hinge([last, body], frames));
            last = body;
        }
        world.substeps = 100;
        world.direct = vec![direct; 2];
        let before = world.energy();
        world.run(1.0);
        (world.pose(1).at, (world.energy() - before) / G)
    };
    let ((one, energy), (other, _)) = (run(true), run(false));
    let away = (v3(one) - v3(other)).length();
    println!("apart by {away:.1e} m, energy {energy:.1e}");
    assert!(away < 1e-3 && energy.abs() < 1e-3, "{away}, {energy}");
}

/// Motors and limits are the sweeps', on joints of a tree: they come as near as by sweeps alone (5 mm).
#[test]
fn a_motor_lifts_an_arm_of_a_tree() {
    let mut world = World::new();
    let mut last = WORLD;
    for i in 0..3 {
        let x = 0.5 * f64::from(i);
        let body = world.add_box(1.0, [0.5, 0.1, 0.1], [x + 0.25, 0.0, 0.0]);
        let frames = world.frames([last, body], [x, 0.0, 0.0], [0.0, 1.0, 0.0]);
        let motor = Motor::Position { target: -0.3, limit: 500.0 };
        world.join(Joint::hinge([last, body], frames).with_motor(super::super::ABOUT, motor));
        last = body;
    }
    all_direct(&mut world);
    world.run(4.0);
    // Each is lifted by 0.3 rad about the one before.
    let tip = world.point(2, [0.25, 0.0, 0.0]);
    let want: f64 = (1..4).map(|k| 0.5 * (0.3 * f64::from(k)).sin()).sum();
    println!("tip at {:.4} m of {want:.4}", tip.z);
    assert!((tip.z - want).abs() < 5e-3 && widest(&world) < 1e-5, "{tip:?}, {want}");
}

#[test]
fn a_forest_goes_from_the_leaves_to_the_root_and_leaves_loops_out() {
    // 0 - 1 - 2, 1 - 3, 3 - 0 closes a loop, 4 - 5 on their own, 2 and 5 with the world, 6 does not move.
    let joints = [
        (0, [0, 1]),
        (1, [2, 1]),
        (2, [1, 3]),
        (3, [3, 0]),
        (4, [5, 4]),
        (5, [WORLD, 2]),
        (6, [5, 6]),
        (7, [6, WORLD]),
    ];
    let forest = Forest::new(7, &joints, |body| body != 6);
    assert_eq!(forest.loops, [3]);
    let link = |parent, child, parent_is_b| Link { parent, child, parent_is_b };
    assert_eq!(forest.trees.len(), 2);
    let tree = &forest.trees[0];
    assert_eq!((&tree.bodies[..], &tree.joints[..]), (&[0, 1, 2, 3][..], &[2, 5, 1, 0][..]));
    let want = [link(1, Some(3), false), link(2, None, true), link(1, Some(2), true), link(0, Some(1), false)];
    assert_eq!(tree.links, want);
    let tree = &forest.trees[1];
    assert_eq!((&tree.bodies[..], &tree.joints[..]), (&[4, 5][..], &[6, 4][..]));
    assert_eq!(tree.links, [link(1, None, false), link(0, Some(1), true)]);
}

/// A rod of segments with springs against bending, clamped at one end: a force at its tip bends it at once as far as
/// its segments say.
#[test]
fn a_stiff_rod_bends_as_its_segments_say() {
    let (count, length, force, stiffness) = (20, 0.1, 5.0, 2e4f32);
    let bent = |direct: bool, substeps: usize| {
        let mut world = World::new();
        (world.gravity, world.substeps) = ([0.0; 3], substeps);
        let mut last = WORLD;
        for i in 0..count {
            let x = length * f64::from(i);
            let body = world.add_box(0.1, [length, 0.02, 0.02], [x + 0.5 * length, 0.0, 0.0]);
            let frames = world.frames([last, body], [x, 0.0, 0.0], [1.0, 0.0, 0.0]);
            let spring = Spring { stiffness, damping: 20.0, rest: 0.0 };
            let joint = (3..6).fold(Joint::ball([last, body], frames), |joint, axis| joint.with_spring(axis, spring));
            world.join(Joint { kind: JointKind::SixDof, ..joint });
            last = body;
        }
        world.direct = vec![direct; count as usize];
        // Through the tip.
        let at = world.bodies.len() - 1;
        world.bodies[at].force = [0.0, 0.0, -force];
        world.bodies[at].torque = [0.0, 0.5 * length * force, 0.0];
        world.run(6.0);
        -world.point(at as u32, [0.5 * length as f32, 0.0, 0.0]).z
    };
    // Each joint turns by F a / k with its arm a to the tip, which moves by that times a.
    let want: f64 = (1..=count).map(|k| force * (length * f64::from(k)).powi(2) / f64::from(stiffness)).sum();
    for substeps in [2, 20] {
        let (got, swept) = (bent(true, substeps), bent(false, substeps));
        println!(
            "rod of {count}, {substeps} substeps: {:.4} of what it should, {:.4} by the sweeps",
            got / want,
            swept / want
        );
        assert!((got / want - 1.0).abs() < 0.01, "{got} {want}");
    }
}

/// Without outer forces a chain that spins keeps its momentum; its angular momentum but for what geometric stiffness
/// takes, which falls as h^2.
#[test]
fn a_chain_that_spins_keeps_its_momenta() {
    let drift = |substeps: usize| {
        let mut world = chain(10, 1.0);
        world.joints.remove(0);
        world.states.remove(0);
        world.loads.remove(0);
        (world.gravity, world.substeps) = ([0.0; 3], substeps);
        for body in &mut world.bodies {
            let z = body.pose.at[2];
            body.set_v([3.0 * (z + 1.0), 0.2, 0.0]);
            body.set_w([0.0, 3.0, 0.0]);
        }
        all_direct(&mut world);
        let (p, l) = world.momenta();
        world.run(2.0);
        let (q, m) = world.momenta();
        ((q - p).length() / p.length(), (m - l).length() / l.length(), widest(&world))
    };
    let [coarse, fine] = [5, 20].map(drift);
    println!(
        "momentum {:.1e}, angular {:.1e} with 5 substeps, {:.1e} with 20; gap {:.1e} m",
        fine.0, coarse.1, fine.1, fine.2
    );
    assert!(fine.0 < 1e-5 && fine.1 < 2e-2 && fine.1 < 0.5 * coarse.1 + 1e-5, "{coarse:?} {fine:?}");
}
