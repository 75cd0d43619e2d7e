//! Everything against the definition: every point tested against every ball, every box against every box.

use proptest::prelude::*;
use seidel_hash::{
    Aabb, BoxGrid, CurrentPool, Error, Isa, Lists, Neighbours, POINTS_A_BLOCK, Pairs, PointGrid, coincident,
};

/// The ball as the crate's front page states it.
fn inside(p: [f32; 3], q: [f32; 3], radius: f32) -> bool {
    let [dx, dy, dz] = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    (dx * dx + dy * dy) + dz * dz <= radius * radius
}

fn overlap(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|k| a.low[k] <= b.high[k] && b.low[k] <= a.high[k])
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

/// Scattered, on a line, at one place, or far from the origin.
fn points(n: usize) -> impl Strategy<Value = Vec<[f32; 3]>> {
    let any = prop::collection::vec([finite(), finite(), finite()], 0..n);
    let line = prop::collection::vec(finite(), 0..n).prop_map(|xs| xs.iter().map(|&x| [x, 0.25, -3.0]).collect());
    let place = (0..n, [finite(), finite(), finite()]).prop_map(|(n, p)| vec![p; n]);
    let far = prop::collection::vec([0u32..400, 0u32..4, 0u32..4], 0..n).prop_map(|steps| {
        let at = |k: u32| f32::from_bits(1e7f32.to_bits() + k);
        steps.iter().map(|&[x, y, z]| [at(x), -at(y), at(z)]).collect()
    });
    prop_oneof![4 => any, 1 => line, 1 => place, 1 => far]
}

fn width() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => 0.1f32..3.0,
        2 => prop::sample::select(vec![0.5, 1.0, 1e-45, 1e-30, 1e30, f32::MAX]),
    ]
}

fn boxes(n: usize) -> impl Strategy<Value = Vec<Aabb>> {
    let size = prop_oneof![3 => 0.0f32..1.0, 1 => Just(0.0), 1 => width()];
    let sizes = prop_oneof![
        2 => [size.clone(), size.clone(), size.clone()],
        1 => size.prop_map(|s| [s; 3]),
    ];
    let one = ([finite(), finite(), finite()], sizes)
        .prop_map(|(low, size)| Aabb { low, high: [0, 1, 2].map(|k| (low[k] + size[k]).min(f32::MAX)) });
    let one = one.boxed();
    prop_oneof![4 => prop::collection::vec(one.clone(), 0..n), 1 => (one, 0..n).prop_map(|(b, n)| vec![b; n])]
}

/// Lists that are read block by block are those that are kept.
fn visited(passing: &mut Neighbours, (grid, radius): (&PointGrid, f32), kept: &Neighbours) {
    let mut read = vec![Vec::new(); kept.len().div_ceil(POINTS_A_BLOCK)];
    let look = |block: usize, read: &mut Vec<Vec<u32>>, lists: Lists<'_>| {
        assert_eq!(lists.len(), (kept.len() - block * POINTS_A_BLOCK).min(POINTS_A_BLOCK));
        for first in (0..lists.len() + 32).step_by(16) {
            let (numbers, spans) = lists.sixteen(first);
            let longest = spans.iter().map(|[start, end]| end - start).max().unwrap();
            for (list, [start, end]) in (first..).zip(spans) {
                assert!(start % 2 == 0 && (start + longest + 16) as usize <= numbers.len());
                match list < lists.len() {
                    true => read.push(numbers[start as usize..end as usize].to_vec()),
                    false => assert_eq!(start, end),
                }
            }
        }
    };
    passing.visit_with(&mut CurrentPool, (grid, radius), &mut read, look).unwrap();
    assert!(passing.is_empty());
    if kept.total() > 0 {
        let most = kept.total() - 1;
        let crowded =
            Neighbours::new().most(most).visit_with(&mut CurrentPool, (grid, radius), &mut read.clone(), |_, _, _| {});
        assert_eq!(crowded, Err(Error::Crowded { limit: most }));
    }
    let kept: Vec<&[u32]> = (0..kept.len()).map(|slot| kept.in_slot(slot)).collect();
    assert_eq!(read.concat(), kept);
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
    fn a_ball_of_many_cells_holds_what_the_definition_says_where_cells_are_hashed(
        points in prop::collection::vec([0.0f32..3.0, 0.0f32..3.0, 0.0f32..3.0], 1500..2500),
        balls in prop::collection::vec((0usize..1500, 0.1f32..2.5), 1..8),
    ) {
        // Two clusters, so far apart that the domain has more cells than a table; a ball covers up to all of one.
        let points: Vec<_> = points.iter().enumerate().map(|(i, p)| p.map(|x| if i % 2 == 0 { x } else { x + 5e3 })).collect();
        let grid = PointGrid::new(&points, 0.25).unwrap();
        let mut near = Vec::new();
        for (about, radius) in balls {
            grid.within(points[about], radius, &mut near);
            let naive: Vec<u32> =
                (0..points.len()).filter(|&i| inside(points[i], points[about], radius)).map(|i| i as u32).collect();
            prop_assert_eq!(&near, &naive);
        }
    }

    #[test]
    fn lists_hold_what_the_definition_says_in_the_order_of_the_grid(
        sets in prop::collection::vec((points(200), width()), 1..3),
        share in prop_oneof![Just(1.0f32), 0.1f32..1.0],
    ) {
        // One memory for all of them.
        let (mut grid, mut lists, mut passing) = (PointGrid::default(), Neighbours::new(), Neighbours::new());
        for (points, radius) in sets {
            grid.build(&points, radius).unwrap();
            let mut order = grid.order().to_vec();
            let radius = if radius * share > 0.0 { radius * share } else { radius };
            lists.find(&grid, radius).unwrap();
            prop_assert_eq!(lists.len(), points.len());
            let mut total = 0;
            for (slot, &i) in order.iter().enumerate() {
                let naive: Vec<u32> = order.iter().copied()
                    .filter(|&j| i != j && inside(points[i as usize], points[j as usize], radius)).collect();
                prop_assert_eq!(lists.of(i as usize), &naive);
                prop_assert_eq!(lists.in_slot(slot), &naive);
                total += naive.len();
            }
            visited(&mut passing, (&grid, radius), &lists);
            prop_assert_eq!(lists.total(), total);
            order.sort_unstable();
            prop_assert!(order.iter().enumerate().all(|(i, &id)| id == i as u32));
            if total > 0 {
                prop_assert_eq!(Neighbours::new().most(total - 1).find(&grid, radius), Err(Error::Crowded { limit: total - 1 }));
            }
        }
    }

    #[test]
    fn pairs_are_what_the_definition_says(first in boxes(150), second in boxes(150), isa in prop::sample::select(Isa::available())) {
        let (mut a, mut b) = (BoxGrid::default().on(isa), BoxGrid::default().on(isa));
        a.build(&first).unwrap();
        b.build(&second).unwrap();
        let mut pairs = Pairs::new();
        for _ in 0..2 {
            pairs.among(&a).unwrap();
            let pair = |i: usize, j: usize| [i as u32, j as u32];
            let n = first.len();
            let naive: Vec<_> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)))
                .filter(|&(i, j)| overlap(&first[i], &first[j])).map(|(i, j)| pair(i, j)).collect();
            prop_assert_eq!(pairs.iter().collect::<Vec<_>>(), naive);
            pairs.between(&a, &b).unwrap();
            let naive: Vec<_> = (0..n).flat_map(|i| (0..second.len()).map(move |j| (i, j)))
                .filter(|&(i, j)| overlap(&first[i], &second[j])).map(|(i, j)| pair(i, j)).collect();
            prop_assert_eq!(pairs.len(), naive.len());
            prop_assert_eq!(pairs.iter().collect::<Vec<_>>(), naive);
        }
        if let Some(limit) = pairs.len().checked_sub(1) {
            prop_assert_eq!(Pairs::new().most(limit).between(&a, &b), Err(Error::Crowded { limit }));
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
