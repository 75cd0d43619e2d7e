//! What is locked stays: chains, sliders, cantilevers, ropes; what breaks does once.

use super::super::{Axis, Joint, JointFrame, JointKind, Motor, WORLD};
use super::{DT, G, World, v3};
use seidel_kernels::{Quat, V3};

/// `n` boxes of 1 kg and 20 cm under each other, the first on the world; the last weighs `load` kg.
pub(super) fn chain(n: usize, load: f64) -> World {
    let mut world = World::new();
    let mut last = WORLD;
    for i in 0..n {
        let mass = if i + 1 == n { load } else { 1.0 };
        // Of the same density: a heavy one is large.
        let side = 0.2 * mass.cbrt();
        let top = -0.2 * i as f64;
        let body = world.add_box(mass, [side; 3], [0.0, 0.0, top - 0.5 * side]);
        let frames = world.frames([last, body], [0.0, 0.0, top], [1.0, 0.0, 0.0]);
        world.join(Joint::ball([last, body], frames));
        last = body;
    }
    world
}

pub(super) fn widest(world: &World) -> f64 {
    (0..world.joints.len()).map(|j| world.gap(j)).fold(0.0, f64::max)
}

#[test]
fn a_chain_of_ten_balls_hangs_without_a_gap() {
    let mut world = chain(10, 1.0);
    world.bodies[9].set_v([2.0, 1.0, 0.0]);
    let mut most: f64 = 0.0;
    for _ in 0..300 {
        world.step();
        most = most.max(widest(&world));
    }
    println!("chain of 10, swinging: {most:.2e} m");
    assert!(most < 1e-4, "{most}");
}

#[test]
fn a_chain_with_a_thousandfold_load_sags_little() {
    for (load, goal) in [(100.0, 1.5), (1000.0, 1.5)] {
        let mut world = chain(10, load);
        world.run(10.0);
        let h = DT / 20.0;
        let (gap, unit) = (widest(&world), load * G * h * h);
        let sum: f64 = (0..10).map(|j| world.gap(j)).sum();
        let speed = world.bodies.iter().map(|b| v3(b.v()).length()).fold(0.0, f64::max);
        println!(
            "chain with {load}:1: widest {gap:.2e} m, {:.2} M/m g h^2; sum {sum:.2e}; {speed:.1e} m/s",
            gap / unit
        );
        assert!(gap < goal * unit, "{gap}");
    }
}

#[test]
fn a_ball_keeps_momenta() {
    let mut world = World::new();
    world.gravity = [0.0; 3];
    let bodies = [world.add_box(2.0, [0.5, 0.2, 0.1], [0.0; 3]), world.add_box(0.7, [0.1, 0.4, 0.3], [0.5, 0.1, 0.0])];
    world.bodies[0].set_v([1.0, -0.5, 0.3]);
    world.bodies[0].set_w([1.0, 5.0, -2.0]);
    world.bodies[1].set_w([-3.0, 0.5, 4.0]);
    let frames = world.frames(bodies, [0.3, 0.1, 0.0], [1.0, 0.0, 0.0]);
    world.join(Joint::ball(bodies, frames));
    let (p, l) = world.momenta();
    for (seconds, times) in [(1.0, 2.0), (9.0, 10.0)] {
        world.run(seconds);
        let (p1, l1) = world.momenta();
        let (dp, dl) = ((p1 - p).length() / p.length(), (l1 - l).length() / l.length());
        println!("momentum {dp:.1e}, angular {dl:.1e}, gap {:.1e}", world.gap(0));
        // Velocities are rounded to f32 some thousand times a second: a walk.
        assert!(dp < times * 1e-6 && dl < times * 5e-6, "{dp} {dl}");
    }
}

#[test]
fn every_kind_keeps_momenta() {
    for mut joint in super::robust::joints() {
        // A motor without limit against a limit is a sum of large impulses, of which the rounding is left.
        for axis in &mut joint.axes {
            if let Motor::Position { limit, .. } | Motor::Velocity { limit, .. } = &mut axis.motor {
                *limit = 50.0;
            }
        }
        // The other bodies of a gear's hinges are missing here, and they take the difference.
        if matches!(joint.kind, JointKind::Gear | JointKind::RackAndPinion) {
            continue;
        }
        let mut world = World::new();
        world.gravity = [0.0; 3];
        let bodies =
            [world.add_box(2.0, [0.5, 0.2, 0.1], [0.0; 3]), world.add_box(0.7, [0.1, 0.4, 0.3], [0.3, 0.1, 0.2])];
        world.bodies[1].turn([0.3, 0.2, -0.1]);
        world.bodies[0].set_v([1.0, -0.5, 0.3]);
        world.bodies[1].set_w([-1.0, 0.5, 2.0]);
        world.join(Joint { bodies, ..joint });
        let (p, l) = world.momenta();
        for _ in 0..10 {
            world.step();
            let fastest = world.bodies.iter().map(|b| v3(b.v()).length() + v3(b.w()).length()).fold(0.0, f64::max);
            let (p1, l1) = world.momenta();
            let (dp, dl) = ((p1 - p).length(), (l1 - l).length());
            // Roundings of the motors' impulses, 50 N times h, are as large however slow the bodies are.
            assert!(dp < 4e-6 * (1.0 + fastest) && dl < 1e-5 * (1.0 + fastest), "{:?} {dp} {dl} {fastest}", joint.kind);
        }
    }
}

#[test]
fn a_ball_is_the_same_in_the_general_rows() {
    let run = |cone: bool| {
        let mut world = World::new();
        let bodies =
            [world.add_box(2.0, [0.5, 0.2, 0.1], [0.0; 3]), world.add_box(0.7, [0.1, 0.4, 0.3], [0.5, 0.1, 0.0])];
        world.bodies[1].set_w([-3.0, 0.5, 4.0]);
        let frames = world.frames(bodies, [0.3, 0.1, 0.0], [1.0, 0.0, 0.0]);
        let limits = [f32::NEG_INFINITY, f32::INFINITY];
        let joint = Joint::ball(bodies, frames);
        world.join(if cone { Joint::ball_in_cone(bodies, frames, f32::INFINITY, limits) } else { joint });
        world.run(1.0);
        (world.point(1, [0.1, 0.2, 0.3]), world.loads[0])
    };
    let ((a, load), (b, other)) = (run(false), run(true));
    println!("ball alone and in general rows: {:.1e} m apart after 1 s", (a - b).length());
    assert!((a - b).length() < 1e-4);
    (0..3).for_each(|i| assert!((load.force[i] - other.force[i]).abs() < 1e-2, "{load:?} {other:?}"));
}

#[test]
fn few_substeps_are_softer_and_stand() {
    for substeps in [4, 8] {
        let mut chained = chain(10, 100.0);
        let h = DT / substeps as f64;
        chained.substeps = substeps;
        chained.run(10.0);
        let gap = widest(&chained) / (100.0 * G * h * h);
        println!("chain with 100:1, {substeps} substeps: {gap:.2} M/m g h^2");
        assert!(gap < 1.5);
    }
}

#[test]
fn a_slider_moves_along_its_axis_alone() {
    let mut world = World::new();
    let body = world.add_box(3.0, [0.3, 0.2, 0.1], [0.0; 3]);
    let frames = world.frames([WORLD, body], [0.1, 0.2, 0.0], [1.0, 0.0, -1.0]);
    world.join(Joint::slider([WORLD, body], frames));
    world.run(1.0);
    let [x, y, z] = world.bodies[0].pose.at;
    let q = world.bodies[0].pose.rotation;
    let (aside, turned) = ((x + z).abs().max(y.abs()), 2.0 * V3::new(q[0], q[1], q[2]).length());
    let way = 0.25 * G; // g sin 45 t^2 / 2, along x: times cos 45
    println!("slider: aside {aside:.1e} m, turned {turned:.1e} rad, way {x:.5} of {way:.5}");
    assert!(aside < 1e-5 && turned < 1e-5);
    assert!((x / way - 1.0).abs() < 2e-3);
}

#[test]
fn a_fixed_box_stays_at_the_wall() {
    let mut world = World::new();
    let body = world.add_box(10.0, [1.0, 0.2, 0.2], [0.5, 0.0, 0.0]);
    let frames = world.frames([WORLD, body], [0.0; 3], [1.0, 0.0, 0.0]);
    world.join(Joint::fixed([WORLD, body], frames));
    world.run(5.0);
    let sunk = -world.bodies[0].pose.at[2];
    let speed = v3(world.bodies[0].v()).length();
    let load = world.loads[0];
    println!("cantilever: sunk {sunk:.1e} m, {speed:.1e} m/s, {load:?}");
    assert!(sunk < 1e-4 && speed < 1e-4);
    assert!((f64::from(load.force[2]) / (10.0 * G) - 1.0).abs() < 1e-3);
    assert!((f64::from(load.torque[1]) / (10.0 * G * 0.5) + 1.0).abs() < 1e-3);
}

#[test]
fn a_beam_of_fixed_boxes_stays_straight() {
    let mut world = World::new();
    let mut last = WORLD;
    for i in 0..10 {
        let body = world.add_box(1.0, [0.2; 3], [0.1 + 0.2 * f64::from(i), 0.0, 0.0]);
        let frames = world.frames([last, body], [0.2 * f64::from(i), 0.0, 0.0], [1.0, 0.0, 0.0]);
        world.join(Joint::fixed([last, body], frames));
        last = body;
    }
    world.run(5.0);
    let sunk = -world.bodies[9].pose.at[2];
    let speed = v3(world.bodies[9].v()).length();
    println!("beam of 10 fixed boxes, 2 m: end sunk {sunk:.1e} m, {speed:.1e} m/s");
    // A joint is as soft as a substep: its angle is 0.4 h^2 times its torque times its inverse inertia.
    assert!(sunk < 0.05 && speed < 1e-2);
}

#[test]
fn distances_are_kept_and_ropes_only_pull() {
    let mut world = World::new();
    let bob = world.add_box(1.0, [0.1; 3], [0.7, 0.0, 0.0]);
    let anchor = |at: [f32; 3]| JointFrame { anchor: at, axes: [0.0, 0.0, 0.0, 1.0] };
    world.join(Joint::distance([WORLD, bob], [anchor([0.0; 3]), anchor([0.0; 3])], 0.7, 0.7));
    // A stone that falls into its rope of 1 m.
    let stone = world.add_box(1.0, [0.1; 3], [5.0, 0.0, 0.0]);
    world.join(Joint::rope([WORLD, stone], [anchor([5.0, 0.0, 0.0]), anchor([0.0; 3])], 1.0));
    let (mut off, mut far): (f64, f64) = (0.0, 0.0);
    for n in 0..300 {
        world.step();
        off = off.max((world.gap(0) - 0.7).abs());
        far = far.max(world.gap(1));
        if n == 20 {
            let t = 21.0 * DT;
            let fallen = world.bodies[1].pose.at[2] / (-0.5 * G * t * t);
            assert!((fallen - 1.0).abs() < 1e-2, "a slack rope pulled: {fallen}");
        }
    }
    println!("distance off {off:.1e} m; rope to {far:.7} m, at rest {:.7}", world.gap(1));
    // At 3.7 m/s each substep leaves the circle by (h v)^2 / 2 r = 7e-6 m.
    assert!(off < 5e-5 && far < 1.0001);
    assert!((world.gap(1) - 1.0).abs() < 5e-6);
}

#[test]
fn a_joint_breaks_at_its_force_and_once() {
    for by_torque in [false, true] {
        let mut world = World::new();
        world.gravity = [0.0; 3];
        let body = world.add_box(2.0, [0.2; 3], [0.5, 0.0, 0.0]);
        let frames = world.frames([WORLD, body], [0.0; 3], [1.0, 0.0, 0.0]);
        let limits = if by_torque { (f32::INFINITY, 50.0) } else { (100.0, f32::INFINITY) };
        world.join(Joint::fixed([WORLD, body], frames).breaking_at(limits.0, limits.1));
        let (mut broke_at, mut events, mut force) = (0.0, 0, 0.0);
        while force < 150.0 {
            force += 0.1;
            world.bodies[0].force = [0.0, 0.0, force];
            let before = world.states[0].broken;
            world.step();
            if world.states[0].broken && !before {
                (broke_at, events) = (force, events + 1);
            }
        }
        println!("broke at {broke_at} N of 100 ({})", if by_torque { "50 N m" } else { "force" });
        assert!((broke_at / 100.0 - 1.0).abs() < 0.02 && events == 1);
    }
}

#[test]
fn six_axes_are_each_free_limited_or_locked() {
    let mut world = World::new();
    let body = world.add_box(1.0, [0.2, 0.3, 0.4], [0.0; 3]);
    let frames = world.frames([WORLD, body], [0.05, 0.02, 0.0], [1.0, 0.0, 0.0]);
    let axes = [
        Axis::limited(-0.1, 0.2),
        Axis::LOCKED,
        Axis::limited(-0.05, 0.05),
        Axis::limited(-0.5, 0.4),
        Axis::limited(-0.3, 0.3),
        Axis::LOCKED,
    ];
    world.join(Joint::six_dof([WORLD, body], frames, axes));
    world.bodies[0].force = [5.0, 3.0, 0.0];
    world.bodies[0].torque = [1.0, -1.0, 2.0];
    world.run(5.0);
    let at = v3(world.bodies[0].pose.at)
        + Quat::set(world.bodies[0].pose.rotation).rotate(v3(frames[1].anchor.map(f64::from)))
        - v3([0.05, 0.02, 0.0]);
    println!("six axes: {at:?}, angle {}", world.states[0].angle);
    assert!((at.x - 0.2).abs() < 1e-4 && at.y.abs() < 1e-4 && (at.z + 0.05).abs() < 1e-4);
    assert!((world.states[0].angle - 0.4).abs() < 1e-3);
}

#[test]
fn far_from_the_origin_gaps_are_the_same() {
    let gap_at = |far: f64| {
        let mut world = World::new();
        world.gravity = [0.0; 3];
        for i in 0..3 {
            world.add_box(1.0, [0.2; 3], [far + 0.25 * f64::from(i), far, 0.0]);
        }
        for i in 0..2 {
            let frames = world.frames([i, i + 1], [far + 0.125 + 0.25 * f64::from(i), far, 0.0], [1.0, 0.0, 0.0]);
            world.join(Joint::ball([i, i + 1], frames));
        }
        world.bodies[0].set_v([0.0, 1.0, 0.5]);
        let mut most: f64 = 0.0;
        for _ in 0..120 {
            world.step();
            most = most.max(widest(&world));
        }
        most
    };
    let (near, far) = (gap_at(0.0), gap_at(10_000.0));
    println!("gap at the origin {near:.2e}, 10 km away {far:.2e}");
    assert!(far < 1.5 * near + 1e-7);
}
