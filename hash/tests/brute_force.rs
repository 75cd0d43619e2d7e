//! The grid against the definition: every point tested against every ball.

use proptest::prelude::*;
use seidel_hash::{PointGrid, coincident};

/// The ball as the crate's front page states it.
fn inside(p: [f32; 3], q: [f32; 3], radius: f32) -> bool {
    let [dx, dy, dz] = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    (dx * dx + dy * dy) + dz * dz <= radius * radius
}

fn finite() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -2.0f32..2.0,
        // A lattice: points on cell walls, at equal places, and at exactly the radius.
        4 => (-4i8..5).prop_map(|k| f32::from(k) * 0.5),
        1 => any::<f32>().prop_filter("finite", |x| x.is_finite()),
        1 => prop::sample::select(vec![0.0, -0.0, 1e30, -1e30, f32::MAX, f32::MIN, 1e-45, -1e-40]),
    ]
}

fn points(n: usize) -> impl Strategy<Value = Vec<[f32; 3]>> {
    prop::collection::vec([finite(), finite(), finite()], 0..n)
}

fn width() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => 0.1f32..3.0,
        1 => prop::sample::select(vec![0.5, 1.0, 1e-45, 1e-30, 1e30, f32::MAX]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_ball_holds_what_the_definition_says(
        points in points(60),
        cell in width(),
        balls in prop::collection::vec(([finite(), finite(), finite()], width()), 1..8),
    ) {
        let grid = PointGrid::new(&points, cell).unwrap();
        let mut near = vec![7];
        let about = points.iter().map(|&p| (p, cell));
        for (at, radius) in balls.into_iter().chain(about) {
            for radius in [radius, 0.0, f32::INFINITY] {
                grid.within(at, radius, &mut near);
                let naive: Vec<u32> =
                    (0..points.len()).filter(|&i| inside(points[i], at, radius)).map(|i| i as u32).collect();
                prop_assert_eq!(&near, &naive);
            }
        }
    }

    #[test]
    fn each_point_joins_the_first_representative(points in points(60), tolerance in prop_oneof![Just(0.0), width()]) {
        let mut naive: Vec<u32> = Vec::new();
        for (i, &p) in points.iter().enumerate() {
            let same = |j: &usize| {
                let q = points[*j];
                naive[*j] == *j as u32 && if tolerance == 0.0 { p == q } else { inside(p, q, tolerance) }
            };
            let first = (0..i).find(same).unwrap_or(i);
            naive.push(first as u32);
        }
        prop_assert_eq!(coincident(&points, tolerance).unwrap(), naive);
    }
}
