//! Bad input: nothing moves that should not, and nothing becomes NaN.

use super::super::{ABOUT, Axis, Joint, JointFrame, JointKind, JointState, Motor, Pose, Spring, WORLD};
use super::{World, v3};
use crate::BodyRow;

fn frame(anchor: [f32; 3]) -> JointFrame {
    JointFrame { anchor, axes: [0.0, 0.0, 0.0, 1.0] }
}

/// One of each, with everything on it.
pub(super) fn joints() -> Vec<Joint> {
    let (bodies, frames) = ([0, 1], [frame([0.0; 3]), frame([0.0; 3])]);
    let all = Axis {
        spring: Spring { stiffness: 100.0, damping: 10.0, rest: 0.1 },
        motor: Motor::Position { target: 1.0, limit: f32::INFINITY },
        ..Axis::limited(-1.0, 0.5)
    };
    vec![
        Joint::ball(bodies, frames),
        Joint::ball_in_cone(bodies, frames, 0.5, [-0.1, 0.1]),
        Joint::ball_on_line(bodies, frames),
        Joint::hinge(bodies, frames).with_motor(ABOUT, Motor::Velocity { target: 5.0, limit: f32::INFINITY }),
        Joint::universal(bodies, frames),
        Joint::slider(bodies, frames),
        Joint::fixed(bodies, frames),
        Joint::distance(bodies, frames, 1.0, 1.0),
        Joint::rope(bodies, frames, 0.0),
        Joint::spring(bodies, frames, all.spring),
        Joint::gear(bodies, frames, 0.0),
        Joint::rack_and_pinion(bodies, frames, 3.0),
        Joint::six_dof(bodies, frames, [all; 6]),
        Joint::new(JointKind::Ball, bodies, frames, [all; 6]),
    ]
}

fn substep(joint: &Joint, poses: [Pose; 2], a: &mut BodyRow, b: &mut BodyRow) -> JointState {
    let mut rows = joint.prepare(&JointState::default(), &poses[0], &poses[1], 1.0 / 1200.0);
    for _ in 0..3 {
        rows.warm_start(a, b);
        rows.solve(a, b, true);
        rows.solve(a, b, false);
        rows.solve(a, b, false);
    }
    rows.store(a, b)
}

fn is_finite(body: &BodyRow) -> bool {
    body.v.iter().chain(&body.w).all(|x| x.is_finite())
}

#[test]
fn fixed_bodies_stay() {
    for joint in joints() {
        let (mut a, mut b) = (BodyRow::FIXED, BodyRow::FIXED);
        let far = Pose { at: [1.0, 2.0, 3.0], ..Pose::IDENTITY };
        let state = substep(&joint, [Pose::IDENTITY, far], &mut a, &mut b);
        assert_eq!((a, b), (BodyRow::FIXED, BodyRow::FIXED), "{:?}", joint.kind);
        assert!(state.bits().all(|x| f32::from_bits(x).is_finite()));
    }
}

#[test]
fn coincident_points_and_bodies_without_inertia_stay_finite() {
    for joint in joints() {
        // A point without inertia, one that turns about one axis only, and a fixed partner.
        for diagonal in [[0.0; 4], [1.0, 0.0, 0.0, 0.0]] {
            let mut a = BodyRow { diagonal, ..BodyRow::FIXED };
            (a.v, a.w) = ([0.5, 1.0, -1.0, 1.0], [0.1, 0.0, 0.0, 0.0]);
            let mut b = BodyRow::FIXED;
            substep(&joint, [Pose::IDENTITY; 2], &mut a, &mut b);
            assert!(is_finite(&a) && b == BodyRow::FIXED, "{:?} {a:?}", joint.kind);
        }
    }
}

#[test]
fn what_is_not_a_number_stays_where_it_is() {
    for joint in joints() {
        let free = BodyRow { diagonal: [1.0, 1.0, 1.0, 0.0], v: [1.0, 2.0, 3.0, 1.0], ..BodyRow::FIXED };
        for bad in [f32::NAN, f32::INFINITY, -1e38] {
            let (mut a, mut b) = (free, free);
            a.v[0] = bad;
            substep(&joint, [Pose::IDENTITY; 2], &mut a, &mut b);
            assert!(is_finite(&b), "{:?} {b:?}", joint.kind);
            let nowhere = Pose { at: [f64::from(bad), 0.0, 0.0], ..Pose::IDENTITY };
            let (mut a, mut b) = (free, free);
            substep(&joint, [Pose::IDENTITY, nowhere], &mut a, &mut b);
            assert!(is_finite(&a) && is_finite(&b), "{:?} {a:?} {b:?}", joint.kind);
        }
    }
}

#[test]
fn values_beyond_reason_stay_finite() {
    let values = [0.0, -1.0, 1e-30, 1e30, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    for joint in joints() {
        for x in values {
            for y in values {
                let axis = Axis {
                    spring: Spring { stiffness: x, damping: y, rest: y },
                    motor: Motor::Position { target: y, limit: x },
                    ..Axis::limited(x, y)
                };
                let joint = Joint { axes: [axis; 6], ratio: x, ..joint };
                let free = BodyRow { diagonal: [1.0, 1.0, 1.0, 0.0], v: [0.0, 2.0, 0.0, 1.0], ..BodyRow::FIXED };
                let (mut a, mut b) = (free, free);
                substep(&joint, [Pose::IDENTITY, Pose { at: [0.3; 3], ..Pose::IDENTITY }], &mut a, &mut b);
                assert!(is_finite(&a) && is_finite(&b), "{:?} {x} {y}", joint.kind);
            }
        }
    }
}

#[test]
fn a_state_written_and_read_goes_on_with_the_same_bits() {
    let world = || {
        let mut world = World::new();
        let a = world.add_box(1.0, [0.2; 3], [0.3, 0.0, 0.0]);
        let b = world.add_box(2.0, [0.3; 3], [0.7, 0.0, 0.0]);
        let first = world.frames([WORLD, a], [0.0; 3], [0.0, 1.0, 0.0]);
        let second = world.frames([a, b], [0.5, 0.0, 0.0], [0.0, 1.0, 0.0]);
        let motor = Motor::Velocity { target: 8.0, limit: 50.0 };
        world.join(Joint::hinge([WORLD, a], first).with_motor(ABOUT, motor));
        world.join(Joint::ball([a, b], second));
        world
    };
    let (mut one, mut two) = (world(), world());
    one.run(2.0);
    for _ in 0..120 {
        two.step();
        for state in &mut two.states {
            *state = JointState::from_bits(&mut state.bits().collect::<Vec<_>>().into_iter()).unwrap();
        }
    }
    assert_eq!(one.states, two.states);
    for (a, b) in one.bodies.iter().zip(&two.bodies) {
        assert_eq!(a.row, b.row);
    }
    assert!(one.states[0].turns > 0);
}

#[test]
fn parallel_axes_and_opposite_ones_stay_finite() {
    let flipped = Pose { at: [0.0; 3], rotation: [0.0, 1.0, 0.0, 0.0] };
    let bent = Pose { at: [0.0; 3], rotation: [0.0, 0.5f64.sqrt(), 0.0, 0.5f64.sqrt()] };
    for joint in joints() {
        for pose in [flipped, bent] {
            let free = BodyRow { diagonal: [1.0, 1.0, 1.0, 0.0], w: [1.0, 2.0, 3.0, 0.0], ..BodyRow::FIXED };
            let (mut a, mut b) = (BodyRow::FIXED, free);
            substep(&joint, [Pose::IDENTITY, pose], &mut a, &mut b);
            assert!(is_finite(&b), "{:?}", joint.kind);
        }
    }
}

#[test]
fn a_body_that_begins_a_metre_away_is_not_thrown_far() {
    for joint in joints() {
        let turns = [[0.0, 3.0, 0.0], [0.5, 0.2, -1.4], [3.1, 0.0, 0.0]];
        for (turn, mass) in turns.into_iter().zip([1.0, 1000.0, 1e-3]) {
            let mut world = World::new();
            world.gravity = [0.0; 3];
            let bodies =
                [world.add_box(1.0, [0.3, 0.4, 0.2], [0.0; 3]), world.add_box(mass, [0.4; 3], [0.6, 0.8, -0.3])];
            world.bodies[1].turn(turn);
            world.join(Joint { bodies, ..joint });
            world.joints[0].axes.iter_mut().for_each(|axis| (axis.motor, axis.spring) = (Motor::Off, Spring::NONE));
            world.run(1.0);
            let fastest = world.bodies.iter().map(|b| v3(b.v()).length() + v3(b.w()).length()).fold(0.0, f64::max);
            // Closing turns some of its 8 m/s into motion along what is free: at worst 72 rad/s, of 1 kg in a narrow
            // cone on 1,000 kg.
            assert!(fastest < 100.0, "{:?} on {mass} kg: {fastest}", joint.kind);
        }
    }
}
