//! What is free moves as it should: pendulums, springs, dampers; and limits stop it.

use super::super::{ABOUT, ALONG, Axis, Joint, JointFrame, Spring, WORLD};
use super::{DT, G, World};
use std::f64::consts::{PI, TAU};

const ROD: f64 = 0.3;

/// A rod of 30 cm that hangs on the world by a hinge along y, raised by `angle` rad.
fn pendulum(angle: f64) -> World {
    let mut world = World::new();
    let rod = world.add_box(0.5, [0.02, 0.02, ROD], [0.0, 0.0, -0.5 * ROD]);
    let frames = world.frames([WORLD, rod], [0.0; 3], [0.0, 1.0, 0.0]);
    world.join(Joint::hinge([WORLD, rod], frames));
    world.bodies[0].turn([0.0, angle, 0.0]);
    world.bodies[0].pose.at = [-0.5 * ROD * angle.sin(), 0.0, -0.5 * ROD * angle.cos()];
    world
}

fn angle_of(world: &World) -> f64 {
    let [x, _, z] = world.bodies[0].pose.at;
    (-x).atan2(-z)
}

/// The mean time between passages upward through zero, of samples a step apart.
fn period(samples: &[f64]) -> f64 {
    let mut passages = vec![];
    for (i, pair) in samples.windows(2).enumerate() {
        if pair[0] < 0.0 && pair[1] >= 0.0 {
            passages.push((i as f64 + pair[0] / (pair[0] - pair[1])) * DT);
        }
    }
    (passages[passages.len() - 1] - passages[0]) / (passages.len() - 1) as f64
}

#[test]
fn a_hinge_pendulum_has_the_elliptic_period() {
    for amplitude in [0.1, 1.0, 2.0] {
        let mut world = pendulum(amplitude);
        let inertia = 0.5 * ((ROD * ROD + 0.0004) / 12.0 + 0.25 * ROD * ROD);
        let omega = (0.5 * G * 0.5 * ROD / inertia).sqrt();
        let (mut x, mut y) = (1.0, (0.5 * amplitude).cos());
        for _ in 0..8 {
            (x, y) = (0.5 * (x + y), f64::sqrt(x * y));
        }
        let exact = TAU / (omega * x);
        let energy = world.energy();
        let mut samples = vec![];
        for _ in 0..1200 {
            world.step();
            samples.push(angle_of(&world));
        }
        let (ratio, swing) = (period(&samples) / exact, 0.25 * G * ROD * (1.0 - amplitude.cos()));
        let lost = (world.energy() - energy) / swing;
        println!("pendulum {amplitude} rad: period {:+.4} %, energy {lost:+.1e} in 20 s", (ratio - 1.0) * 100.0);
        assert!((ratio - 1.0).abs() < 2e-3);
        assert!(lost.abs() < 0.01);
    }
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let mut world = pendulum(0.0);
    let rod = world.add_box(0.5, [0.02, 0.02, ROD], [0.0, 0.0, -1.5 * ROD]);
    let frames = world.frames([0, rod], [0.0, 0.0, -ROD], [0.0, 1.0, 0.0]);
    world.join(Joint::hinge([0, rod], frames));
    // A pull for a moment, then none.
    world.bodies[1].force = [8.0, 0.0, 0.0];
    world.run(0.5);
    world.bodies[1].force = [0.0; 3];
    let rest = -0.5 * G * ROD * (0.5 + 1.5);
    let begin = world.energy() - rest;
    let (mut least, mut most): (f64, f64) = (0.0, 0.0);
    for _ in 0..600 {
        world.step();
        let change = (world.energy() - rest) / begin - 1.0;
        (least, most) = (least.min(change), most.max(change));
    }
    println!(
        "double pendulum, 10 s: energy {:+.3} % to {:+.3} %, aside {:.1e}",
        least * 100.0,
        most * 100.0,
        world.bodies[1].pose.at[1]
    );
    assert!(most < 1e-3 && least > -0.02);
}

#[test]
fn a_limit_stops_a_pendulum() {
    for free_side in [0.0, 0.1] {
        let mut world = pendulum(1.5);
        world.joints[0] = world.joints[0].with_limits(ABOUT, -0.3, 3.0 + free_side);
        let (mut passed, mut end): (f64, f64) = (0.0, 0.0);
        for _ in 0..120 {
            world.step();
            end = angle_of(&world);
            passed = passed.max(-0.3 - end);
        }
        println!("limit: passed by {:.4} degrees, rests at {end:.6}", passed.to_degrees());
        assert!(passed.to_degrees() < 0.5);
    }
}

#[test]
fn a_limit_counts_full_turns() {
    let mut world = pendulum(0.0);
    world.joints[0] = world.joints[0].with_limits(ABOUT, -1.0, (3.0 * TAU + 0.5) as f32);
    world.bodies[0].torque = [0.0, 2.0, 0.0];
    world.run(4.0);
    let angle = f64::from(world.states[0].angle) + TAU * f64::from(world.states[0].turns);
    println!("limit of three turns and 0.5: {:.5}", angle - 3.0 * TAU);
    assert!((angle - 3.0 * TAU - 0.5).abs() < 1e-3, "{angle}");
}

#[test]
fn a_cone_and_a_twist_are_kept() {
    let mut world = World::new();
    let body = world.add_box(1.0, [0.3, 0.1, 0.1], [0.15, 0.0, 0.0]);
    let frames = world.frames([WORLD, body], [0.0; 3], [1.0, 0.0, 0.0]);
    world.join(Joint::ball_in_cone([WORLD, body], frames, 0.6, [-0.2, 0.3]));
    world.bodies[0].set_w([8.0, 0.0, 3.0]);
    let mut most: f64 = 0.0;
    for _ in 0..300 {
        world.step();
        let [x, y, z] = world.bodies[0].pose.at;
        most = most.max(y.hypot(z).atan2(x));
    }
    let twist = world.states[0].angle;
    println!("cone of 0.6: at most {most:.5}, gap {:.1e}, twist {twist:.4}", world.gap(0));
    assert!(most < 0.6 + 0.5f64.to_radians());
    assert!((-0.201..0.301).contains(&twist));
}

fn anchor(at: [f32; 3]) -> JointFrame {
    JointFrame { anchor: at, axes: [0.0, 0.0, 0.0, 1.0] }
}

#[test]
fn a_spring_has_its_frequency_and_deflection() {
    for (hertz, ratio) in [(1.0, 0.0), (3.0, 0.0), (2.0, 0.05), (3.0, 0.2), (4.0, 1.0)] {
        let (mass, omega) = (2.0, TAU * hertz);
        let (k, c) = (mass * omega * omega, 2.0 * ratio * mass * omega);
        let mut world = World::new();
        let deflection = mass * G / k;
        let bob = world.add_box(mass, [0.1; 3], [0.0, 0.0, -1.0 - deflection - 0.05]);
        let spring = Spring { stiffness: k as f32, damping: c as f32, rest: 1.0 };
        world.join(Joint::spring([WORLD, bob], [anchor([0.0; 3]), anchor([0.0; 3])], spring));
        let mut samples = vec![-0.05];
        for _ in 0..600 {
            world.step();
            samples.push(world.bodies[0].pose.at[2] + 1.0 + deflection);
        }
        let end = samples[600] / deflection;
        if ratio < 0.5 {
            let damped = omega * f64::sqrt(1.0 - ratio * ratio);
            // The last of what is damped is rounding.
            let seen = if ratio > 0.0 { &samples[..150] } else { &samples[..] };
            let frequency = TAU / (period(seen) * damped) - 1.0;
            // Peaks: exp(-ratio omega t).
            let peak = |from: usize, to: usize| samples[from..to].iter().fold(0.0f64, |a, b| a.max(b.abs()));
            let per = (TAU / damped / DT).round() as usize;
            let (first, later) = (peak(0, per), peak(2 * per, 3 * per));
            let decay =
                if ratio > 0.0 { (first / later).ln() / (ratio * omega * 2.0 * TAU / damped) - 1.0 } else { 0.0 };
            let kept = peak(600 - per, 600) / 0.05;
            println!(
                "spring {hertz} Hz, ratio {ratio}: frequency {:+.4} %, decay {:+.2} %, kept {kept:.5} in 10 s",
                frequency * 100.0,
                decay * 100.0
            );
            assert!(frequency.abs() < 5e-3 && decay.abs() < 0.02);
            assert!(ratio > 0.0 || kept > 0.98);
        }
        if ratio > 0.0 {
            println!("spring {hertz} Hz, ratio {ratio}: deflection off by {:.1e} of it", end.abs());
            assert!(end.abs() < 5e-3);
        }
    }
}

#[test]
fn a_stiff_spring_stays_calm() {
    // omega h is 0.5, 3, 30 and beyond.
    for stiffness in [3.6e5, 1.3e7, 1.3e9, 1e15] {
        let mut world = World::new();
        let bob = world.add_box(1.0, [0.1; 3], [0.0, 0.0, -1.01]);
        let spring = Spring { stiffness, damping: 0.0, rest: 1.0 };
        world.join(Joint::spring([WORLD, bob], [anchor([0.0; 3]), anchor([0.0; 3])], spring));
        world.run(5.0);
        let off = world.bodies[0].pose.at[2] + 1.0;
        println!("spring of {stiffness:e} N/m: off by {off:.1e} m");
        assert!(off.abs() < 0.011);
    }
}

/// Ten links in a row, each with a spring against turning. Springs that substeps cannot resolve are as stiff and as
/// damped as what is locked: stiffer, the chain would gain energy until it is lost.
#[test]
fn chains_with_springs_of_any_stiffness_stay_calm() {
    for (mass, length, stiff) in [(0.75, 0.3, 1e5f32), (0.02, 0.1, 200.0)] {
        for stiffness in [1e-2 * stiff, stiff, 1e2 * stiff, 1e15] {
            for substeps in [4, 20] {
                let mut world = World::new();
                world.substeps = substeps;
                let mut last = WORLD;
                for i in 0..10 {
                    let x = length * f64::from(i);
                    let body = world.add_box(mass, [length, 0.03, 0.03], [x + 0.5 * length, 0.0, 0.0]);
                    let frames = world.frames([last, body], [x, 0.0, 0.0], [0.0, 1.0, 0.0]);
                    let spring = Spring { stiffness, damping: 0.0, rest: 0.0 };
                    world.join(Joint::hinge([last, body], frames).with_spring(ABOUT, spring));
                    last = body;
                }
                let begin = world.energy();
                let mut most = 0.0f64;
                for _ in 0..300 {
                    world.step();
                    most = most.max(world.energy() - begin);
                }
                let scale = mass * G * length;
                println!("{mass} kg, {stiffness:e} N m/rad, {substeps} substeps: gained {:.1e} m g l", most / scale);
                // A chain that begins straight and at rest has no energy but that of its height.
                assert!(most < 1e-3 * scale);
            }
        }
    }
}

#[test]
fn a_damper_decays_as_it_should() {
    for damping in [0.5, 5.0, 50.0] {
        let mut world = World::new();
        world.gravity = [0.0; 3];
        let body = world.add_box(1.0, [0.1; 3], [0.0; 3]);
        let frames = world.frames([WORLD, body], [0.0; 3], [1.0, 0.0, 0.0]);
        let spring = Spring { stiffness: 0.0, damping, rest: 0.0 };
        world.join(Joint::slider([WORLD, body], frames).with_spring(ALONG, spring));
        world.bodies[0].set_v([2.0, 0.0, 0.0]);
        let seconds = (2.0 / f64::from(damping)).max(0.05);
        let steps = (seconds / DT).round();
        world.run(seconds);
        let decay = (2.0 / world.bodies[0].v()[0]).ln() / (f64::from(damping) * steps * DT);
        println!("damper {damping} 1/s: decay {:+.3} %", (decay - 1.0) * 100.0);
        assert!((decay - 1.0).abs() < 0.02);
    }
}

#[test]
fn a_torsion_spring_on_a_hinge_has_its_frequency() {
    let mut world = pendulum(0.2);
    world.gravity = [0.0; 3];
    let inertia = 0.5 * ((ROD * ROD + 0.0004) / 12.0 + 0.25 * ROD * ROD);
    let k = inertia * (TAU * 2.0) * (TAU * 2.0);
    world.joints[0] = world.joints[0].with_spring(ABOUT, Spring { stiffness: k as f32, damping: 0.0, rest: 0.0 });
    let samples: Vec<f64> = (0..600)
        .map(|_| {
            world.step();
            angle_of(&world)
        })
        .collect();
    let frequency = 0.5 / period(&samples) - 1.0;
    println!("torsion spring: frequency {:+.4} %", frequency * 100.0);
    assert!(frequency.abs() < 5e-3);
}

#[test]
fn a_universal_joint_turns_both_ways_and_twists_not() {
    let mut world = World::new();
    world.gravity = [0.0; 3];
    let body = world.add_box(1.0, [0.3, 0.1, 0.1], [0.0; 3]);
    let frames = world.frames([WORLD, body], [0.0; 3], [1.0, 0.0, 0.0]);
    world.join(Joint::universal([WORLD, body], frames));
    world.bodies[0].set_w([1.0, 0.7, 0.0]);
    let mut off: f64 = 0.0;
    for _ in 0..60 {
        world.step();
        // A's x and B's y stay square to each other.
        let y = world.point(0, [0.0, 1.0, 0.0]) - world.point(0, [0.0; 3]);
        off = off.max(y.x.abs());
    }
    println!("universal: off by {off:.1e} rad, turned by {}", world.states[0].angle);
    assert!(off < 1e-4 && f64::from(world.states[0].angle).abs() < PI && world.states[0].angle > 0.5);
}

#[test]
fn a_ball_on_a_line_slides_and_turns() {
    let mut world = World::new();
    let body = world.add_box(1.0, [0.3, 0.1, 0.1], [0.1, 0.0, -0.2]);
    let frames = world.frames([WORLD, body], [0.0; 3], [1.0, 0.0, 0.0]);
    world.join(Joint::ball_on_line([WORLD, body], frames));
    world.joints[0].axes[ALONG] = Axis::limited(-0.5, 0.5);
    world.bodies[0].set_v([1.0, 0.5, 0.0]);
    let (mut aside, mut far): (f64, f64) = (0.0, 0.0);
    for _ in 0..300 {
        world.step();
        let at = world.point(0, frames[1].anchor);
        (aside, far) = (aside.max(at.y.hypot(at.z)), far.max(at.x.abs()));
    }
    println!("ball on line: aside {aside:.1e} m, at most {far:.5} m along");
    assert!(aside < 1e-4 && far < 0.501);
}
