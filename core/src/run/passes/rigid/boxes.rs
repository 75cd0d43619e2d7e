//! Poses of rigid bodies, and boxes about their shapes.

use crate::describe::pose::Pose;
use crate::run::passes::colliders::moving::Bounds;
use seidel_kernels::Lanes;
use seidel_kernels::contact::{Capsule, Solid};
use seidel_rigid::motion::Motion;

/// 1 - R0 R1^T: a point of a body at d from its origin comes by so much of d more than the origin.
pub(super) fn turned(then: &Pose, now: &Pose) -> [[f64; 3]; 3] {
    if then.rotation == now.rotation {
        return [[0.0; 3]; 3];
    }
    let (m0, m1) = (then.matrix(), now.matrix());
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let same = if i == j { 1.0 } else { 0.0 };
            same - ((m0[i][0] * m1[j][0] + m0[i][1] * m1[j][1]) + m0[i][2] * m1[j][2])
        })
    })
}

pub(super) fn meet([low, high]: &Bounds, [least, most]: &Bounds) -> bool {
    (0..3).all(|k| low[k] <= most[k] && least[k] <= high[k])
}

pub(super) fn grown([low, high]: &Bounds, by: f32) -> Bounds {
    [low.map(|x| x - by), high.map(|x| x + by)]
}

pub(super) fn joined(a: &Bounds, b: &Bounds) -> Bounds {
    let ends = [0, 1, 2].map(|k| [Lanes::smaller(a[0][k], b[0][k]), Lanes::larger(a[1][k], b[1][k])]);
    [ends.map(|[low, _]| low), ends.map(|[_, high]| high)]
}

/// A shape of a rigid body as particles meet it.
pub(crate) fn solid(shape: &crate::describe::collider::Shape) -> Option<Solid<'_>> {
    match *shape {
        crate::describe::collider::Shape::Sphere { radius } => {
            Some(Solid::Capsule(Capsule { radius, half_length: 0.0 }))
        }
        ref other => other.solid(),
    }
}

/// The box about a box that is turned.
pub(super) fn around(pose: &Pose, half: [f32; 3]) -> Bounds {
    let m = pose.matrix();
    let reach = m.map(|row| (0..3).fold(0.0, |sum, k| sum + row[k].abs() * f64::from(half[k])));
    // Rounded outwards.
    let out = |k: usize| reach[k] + (pose.position[k].abs() + reach[k]) * 1e-6;
    [[0, 1, 2].map(|k| (pose.position[k] - out(k)) as f32), [0, 1, 2].map(|k| (pose.position[k] + out(k)) as f32)]
}

pub(super) fn pose(motion: &Motion) -> Pose {
    Pose { position: motion.position, rotation: motion.rotation }
}
