//! Motors and gears.

use super::super::{ABOUT, ALONG, Joint, Motor, WORLD};
use super::{DT, G, World, v3};
use std::f64::consts::TAU;

/// A box of 1 kg m^2 about y, on a hinge along y through `pivot`.
fn wheel(pivot: [f64; 3]) -> World {
    let mut world = World::new();
    let body = world.add(4.0, [1.0; 3], [0.0; 3]);
    let frames = world.frames([WORLD, body], pivot, [0.0, 1.0, 0.0]);
    world.join(Joint::hinge([WORLD, body], frames));
    world
}

fn angle(world: &World, joint: usize) -> f64 {
    f64::from(world.states[joint].angle) + TAU * f64::from(world.states[joint].turns)
}

#[test]
fn a_velocity_motor_reaches_its_target_and_stalls_at_its_limit() {
    for pivot in [[0.0; 3], [0.5, 0.0, 0.0]] {
        let mut world = wheel(pivot);
        world.gravity = [0.0; 3];
        world.joints[0] = world.joints[0].with_motor(ABOUT, Motor::Velocity { target: 3.0, limit: 10.0 });
        world.run(3.0);
        let w = world.bodies[0].w()[1];
        println!("velocity motor at {w:.6} of 3 rad/s");
        assert!((w / 3.0 - 1.0).abs() < 1e-3);
    }
    // Against a torque: it drives below its limit, and is driven back above.
    for (load, inertia) in [(-9.9, 1.0), (-10.1, 1.0)] {
        let mut world = wheel([0.0; 3]);
        world.gravity = [0.0; 3];
        world.joints[0] = world.joints[0].with_motor(ABOUT, Motor::Velocity { target: 3.0, limit: 10.0 });
        world.bodies[0].torque = [0.0, load, 0.0];
        world.run(1.0);
        let (w, torque) = (world.bodies[0].w()[1], world.loads[0].torque[1]);
        println!("stall: load {load}, {w:.5} rad/s of {:.5}, torque {torque}", (10.0 + load) / inertia);
        assert!((w - (10.0 + load) / inertia).abs() < 2e-3);
        assert!((torque / 10.0 - 1.0).abs() < 0.02);
    }
}

#[test]
fn a_motor_that_is_switched_off_lets_go() {
    let mut world = wheel([0.0; 3]);
    world.gravity = [0.0; 3];
    world.bodies[0].torque = [0.0, -5.0, 0.0];
    world.joints[0] = world.joints[0].with_motor(ABOUT, Motor::Velocity { target: 0.0, limit: 10.0 });
    world.run(1.0);
    assert!(world.bodies[0].w()[1].abs() < 1e-4);
    world.joints[0] = world.joints[0].with_motor(ABOUT, Motor::Off);
    world.run(1.0);
    assert!((world.bodies[0].w()[1] + 5.0).abs() < 1e-3);
}

#[test]
fn a_position_motor_reaches_its_target_and_stays() {
    // At its centre, and with a load; two turns and a quarter.
    for (pivot, limit, target) in [
        ([0.0; 3], 20.0, 1.0),
        ([0.5, 0.0, 0.0], 60.0, 1.0),
        ([0.0; 3], 20.0, 2.25 * TAU as f32),
        ([0.5, 0.0, 0.0], f32::INFINITY, -1.0),
    ] {
        let mut world = wheel(pivot);
        world.joints[0] = world.joints[0].with_motor(ABOUT, Motor::Position { target, limit });
        let mut over: f64 = 0.0;
        for _ in 0..300 {
            world.step();
            over = over.max((angle(&world, 0) - f64::from(target)) * f64::from(target.signum()));
        }
        let end = angle(&world, 0) / f64::from(target);
        println!("position motor {target:.3}, limit {limit}: reached {end:.6} of it, over by {over:.1e} rad");
        assert!((end - 1.0).abs() < 1e-3);
        assert!(over < 0.02 * f64::from(target.abs()));
    }
}

/// Four links in a row, each held level by a motor: whatever these may, they hold still (with motors that gave all of
/// the impulse that their speed asks for, four links had kilojoules after some seconds).
#[test]
fn an_arm_holds_still_however_strong_its_motors_are() {
    for direct in [false, true] {
        for (limit, payload) in [(70.0, 0.0), (200.0, 0.0), (1e4, 0.0), (1e4, 5.0), (f32::INFINITY, 5.0)] {
            let mut world = World::new();
            let mut last = WORLD;
            let mass = |i: i32| if i == 3 { 1.0 + payload } else { 1.0 };
            // Of link j about the axis of joint i.
            let about = |i: i32, j: i32| mass(j) * ((0.4 * f64::from(j - i) + 0.2).powi(2) + 0.1625 / 12.0);
            for i in 0..4 {
                let x = 0.4 * f64::from(i);
                let link = world.add_box(mass(i), [0.4, 0.05, 0.05], [x + 0.2, 0.0, 0.0]);
                let frames = world.frames([last, link], [x, 0.0, 0.0], [0.0, 1.0, 0.0]);
                let motor = Motor::Position { target: 0.3, limit };
                let mut joint = Joint::hinge([last, link], frames).with_motor(ABOUT, motor);
                let own = 1.0 / about(i, i) + if i > 0 { 1.0 / about(i, i - 1) } else { 0.0 };
                joint.hauled[ABOUT] = (1.0 / (i..4).map(|j| about(i, j)).sum::<f64>() / own) as f32;
                world.join(joint);
                last = link;
            }
            world.direct = vec![direct; 4];
            world.run(5.0);
            let off = (0..4).map(|joint| (angle(&world, joint) - 0.3).abs()).fold(0.0, f64::max);
            let speed = world.bodies.iter().map(|body| v3(body.w()).length()).fold(0.0, f64::max);
            println!("arm, {limit} N m, {payload} kg, direct {direct}: off by {off:.1e} rad, {speed:.1e} rad/s");
            assert!(off < 3e-3 && speed < 0.3);
        }
    }
}

#[test]
fn a_slider_is_driven_to_places_and_at_velocities() {
    for at_place in [true, false] {
        let mut world = World::new();
        let body = world.add_box(2.0, [0.2; 3], [0.0; 3]);
        let frames = world.frames([WORLD, body], [0.0, 0.3, 0.0], [0.0, 0.0, 1.0]);
        let motor = if at_place {
            Motor::Position { target: 0.5, limit: 60.0 }
        } else {
            Motor::Velocity { target: 0.25, limit: 60.0 }
        };
        world.join(Joint::slider([WORLD, body], frames).with_motor(ALONG, motor));
        world.run(2.0);
        let (z, v) = (world.bodies[0].pose.at[2], world.bodies[0].v()[2]);
        println!("slider motor: at {z:.6} m, {v:.6} m/s, force {:.4} of {:.4} N", world.loads[0].force[2], 2.0 * G);
        assert!(if at_place { (z / 0.5 - 1.0).abs() < 1e-3 && v.abs() < 1e-3 } else { (v / 0.25 - 1.0).abs() < 1e-3 });
        assert!((f64::from(world.loads[0].force[2]) / (2.0 * G) - 1.0).abs() < 0.02);
    }
}

#[test]
fn a_gear_holds_its_ratio() {
    let mut world = wheel([0.0; 3]);
    let other = world.add(1.0, [0.2; 3], [1.0, 0.0, 0.0]);
    let frames = world.frames([WORLD, other], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    world.join(Joint::hinge([WORLD, other], frames));
    let axes = [world.joints[0].frames[1], frames[1]];
    world.join(Joint::gear([0, other], axes, -0.4));
    world.joints[0] = world.joints[0].with_motor(ABOUT, Motor::Velocity { target: 5.0, limit: 20.0 });
    let mut off: f64 = 0.0;
    while angle(&world, 0) < 3.0 * TAU {
        world.step();
        off = off.max((angle(&world, 0) + 0.4 * angle(&world, 1)).abs());
    }
    println!("gear: off by {off:.1e} rad over 3 turns, {:.1e} of the angle", off / (3.0 * TAU));
    assert!(off < 1e-3 * 3.0 * TAU);
}

#[test]
fn a_rack_goes_with_its_pinion() {
    let mut world = wheel([0.0; 3]);
    let rack = world.add_box(1.0, [1.0, 0.1, 0.1], [0.0, 0.0, 0.5]);
    let slide = world.frames([WORLD, rack], [0.0, 0.0, 0.5], [1.0, 0.0, 0.0]);
    world.join(Joint::slider([WORLD, rack], slide));
    let radius = 0.25;
    world.join(Joint::rack_and_pinion([0, rack], [world.joints[0].frames[1], slide[1]], 1.0 / radius));
    world.joints[0] = world.joints[0].with_motor(ABOUT, Motor::Velocity { target: 4.0, limit: 20.0 });
    let mut off: f64 = 0.0;
    for _ in 0..(5.0 / DT) as usize {
        world.step();
        off = off.max((angle(&world, 0) * f64::from(radius) - world.bodies[1].pose.at[0]).abs());
    }
    let way = world.bodies[1].pose.at[0];
    println!("rack: way {way:.4} m, off by {off:.1e} m");
    assert!(way > 4.0 && off < 1e-3 * way);
}
