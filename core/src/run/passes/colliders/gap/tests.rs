//! Triangles that are left early are no deeper than was asked, and the others have the very number.

use super::{Gaps, gap_below};
use crate::describe::collider::{Collider, ConvexHull, HeightField, Sdf};
use crate::describe::mesh::Mesh;
use crate::describe::pose::Pose;
use crate::geometry::chance::uniform;
use crate::run::passes::colliders::moving::Transform;
use std::sync::Arc;

fn shapes() -> Vec<Collider> {
    let corners: Vec<[f32; 3]> =
        (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|side| 0.6 * side as f32 - 0.3)).collect();
    let hull = ConvexHull::new(&corners[..7]).expect("a solid");
    // A step: its distance jumps beside it.
    let heights: Vec<f32> = (0..225).map(|node| if node % 15 < 8 { 0.0 } else { 0.5 }).collect();
    let steep = HeightField::new([15, 15], &heights, 0.1).expect("a field");
    let sdf = Arc::new(Sdf::from_mesh(&Mesh::cuboid([0.3, 0.2, 0.25], [3, 3, 3]), 0.08).expect("closed"));
    vec![
        Collider::ground(),
        Collider::ground().two_sided(),
        Collider::sphere(0.3),
        Collider::capsule(0.2, 0.2),
        Collider::cuboid([0.3, 0.2, 0.25]),
        Collider::cylinder(0.25, 0.2),
        Collider::cone(0.3, 0.3),
        Collider::torus(0.3, 0.1),
        Collider::hull(Arc::new(hull)),
        Collider::sdf(Arc::clone(&sdf)),
        Collider::shell(sdf, 0.05),
        Collider::height_field(Arc::new(steep)),
    ]
}

/// A triangle 0.4 m long that a wire of 2 mm goes through near a corner, at a slant. Dense samples find 0.7596 mm,
/// to which the thickness comes.
#[test]
fn long_triangles_are_as_deep_as_they_are() {
    let wire = Collider::capsule(0.001, 0.15);
    let frame = Transform::of(&Pose::at([0.013, 0.0, 0.011]).turned([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2));
    let x = [
        [0.11698825, 0.045139033, 0.009984694],
        [0.1331811, -0.34958205, 0.037642658],
        [0.1722229, 0.02746471, 0.008870013],
    ];
    let gaps = Gaps::new(&wire, &frame);
    for thickness in [0.0, 0.002] {
        let depth = -gaps.between(&x, |k| gaps.away(&x[k]), thickness, f64::INFINITY);
        assert!((depth - 0.000_759_6 - f64::from(thickness)).abs() < 1e-7, "{depth}");
    }
}

#[test]
fn what_is_left_early_is_no_deeper() {
    let (mut left, mut deep) = (0, 0);
    for (number, collider) in shapes().into_iter().enumerate() {
        let frame = Transform::of(&Pose::at([0.1, -0.05, 0.2]).turned([1.0, 2.0, 0.5], 0.7));
        let gaps = Gaps::new(&collider, &frame);
        for k in 0..300u64 {
            let chance = |n: u64| 2.0 * uniform(100_000 * number as u64 + 20 * k + n) - 1.0;
            let middle = [0, 1, 2].map(|axis| 0.55 * chance(axis));
            let size = 0.02 + 0.1 * chance(3).abs();
            let x = [0, 1, 2].map(|c| [0, 1, 2].map(|axis| middle[axis] + size * chance(4 + 3 * c + axis as u64)));
            let (away, own) = (|k: usize| gaps.away(&x[k]), 0.01);
            let exact = gaps.between(&x, away, own, f64::INFINITY);
            for enough in [0.0, -1e-3, -0.03, exact + 1e-4, exact + 1e-12, exact, exact - 1e-12, exact - 1e-4] {
                let found = gap_below(&collider, &frame, &x, own, enough);
                if exact < enough {
                    assert_eq!(found.to_bits(), exact.to_bits(), "{collider:?}, triangle {k}, {enough}");
                    deep += 1;
                } else {
                    assert!(found >= enough, "{collider:?}, triangle {k}: {found}, {enough}");
                    left += usize::from(found != exact);
                }
            }
        }
    }
    assert!(left > 500 && deep > 1000, "{left} were left early, {deep} were deeper");
}
