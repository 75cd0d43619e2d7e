//! Rates of every coordinate against differences in f64.

use super::super::measure::{Moved, Start};
use super::super::{Joint, JointFrame, JointKind, Pose};
use super::{exp, v3};
use seidel_kernels::{Quat, V3};

#[test]
fn rates_are_those_of_differences() {
    let kinds = [JointKind::SixDof, JointKind::Ball, JointKind::Distance, JointKind::Gear, JointKind::RackAndPinion];
    let frame = |anchor, axes: [f64; 3]| {
        let q = exp(v3(axes));
        JointFrame { anchor, axes: [q.v.x as f32, q.v.y as f32, q.v.z as f32, q.w as f32] }
    };
    let pose = |at, by: [f64; 3]| {
        let q = exp(v3(by));
        Pose { at, rotation: [q.v.x, q.v.y, q.v.z, q.w] }
    };
    let (a, b) = (pose([1.0, 2.0, 3.0], [0.3, -0.2, 0.9]), pose([1.5, 2.2, 2.4], [-0.1, 0.4, 0.7]));
    let (v, w) = ([v3([0.3, -0.5, 0.2]), v3([-0.4, 0.1, 0.6])], [v3([0.5, 0.7, -0.4]), v3([-0.2, 0.9, 0.3])]);
    for kind in kinds {
        let frames = [frame([0.2, 0.1, -0.3], [0.2, 0.5, -0.3]), frame([-0.1, 0.3, 0.2], [0.4, -0.3, 0.2])];
        let joint = Joint { ratio: 1.7, ..Joint::new(kind, [0, 1], frames, Default::default()) };
        let start = Start::new(&joint, [&a, &b], 0.0);
        let at = |t: f64| {
            let moved = [0, 1].map(|i| {
                // For a gear, each body turns about its own axis: elsewhere its angle has no rate of its own.
                let n = start.axes[i][0];
                let geared = matches!(kind, JointKind::Gear | JointKind::RackAndPinion);
                let w = if geared { n * w[i].dot(n) } else { w[i] };
                // Some way first, so that the rows are seen where bodies have moved.
                let first = if geared { V3::zero() } else { v3([0.1, 0.2, -0.1]) * (i as f64 + 0.5) };
                Moved { dx: v3([0.05, -0.02, 0.03]) + v[i] * t, turn: exp(w * t).times(exp(first)) }
            });
            start.measure(kind.measure(), 0b11_1111, moved)
        };
        let (e, now) = (1e-5, at(0.0));
        let (before, after) = (at(-e), at(e));
        for i in 0..6 {
            let (rate, difference) = (now[i].row.rate(v, w), (after[i].value - before[i].value) / (2.0 * e));
            // atan2 has the digits of f32, but no jumps within its polynomial.
            assert!((rate - difference).abs() < 2e-6, "{kind:?} {i}: {rate} {difference}");
        }
    }
}

#[test]
fn values_are_the_angles_that_bodies_were_turned_by() {
    let frames = [JointFrame { anchor: [0.0; 3], axes: [0.0, 0.0, 0.0, 1.0] }; 2];
    let unit = [Quat::new(V3::zero(), 1.0f64), Quat::new(V3::zero(), 1.0)];
    let [x, y, z] = [v3([1.0, 0.0, 0.0]), v3([0.0, 1.0, 0.0]), v3([0.0, 0.0, 1.0])];
    let (p, q, r) = (2.0, -0.7, 1.3);
    let b = exp(x * p).times(exp(y * q)).times(exp(z * r));
    let turned = |kind: JointKind, b: Quat<f64>| {
        let joint = Joint::new(kind, [0, 1], frames, Default::default());
        let start = Start::new(&joint, [&Pose::IDENTITY, &Pose::IDENTITY], 0.0);
        let moved = [unit[0], b].map(|turn| Moved { dx: V3::zero(), turn });
        start.measure(kind.measure(), 0b11_1000, moved).map(|c| c.value)
    };
    let gimbal = turned(JointKind::SixDof, b);
    let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-6, "{x} {y}");
    (0..3).for_each(|i| near(gimbal[3 + i], [p, q, r][i]));
    // First a twist of 1.2, then a swing of 0.8 about an axis square to x.
    let swing = turned(JointKind::Ball, exp((y * 0.6 + z * 0.8) * 0.8).times(exp(x * 1.2)));
    near(swing[3], 1.2);
    near(swing[4], 0.8);
}
