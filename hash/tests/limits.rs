//! Refusals, and inputs that would overflow, hang or go quadratic.

use seidel_hash::{Aabb, BoxGrid, Error, Neighbours, Pairs, PointGrid, coincident};
use std::time::{Duration, Instant};

#[test]
fn refuses_by_name() {
    let nan = [[0.0; 3], [0.0, f32::NAN, 0.0]];
    let error = PointGrid::new(&nan, 1.0).unwrap_err();
    assert!(matches!(error, Error::NotFinite { point: 1, .. }));
    assert_eq!(error.to_string(), "point 1 is not finite: [0.0, NaN, 0.0]");
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(PointGrid::new(&[], radius), Err(Error::Radius { .. })));
    }
    for tolerance in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(coincident(&[], tolerance), Err(Error::Tolerance { .. })));
    }
    let sound = Aabb { low: [0.0; 3], high: [1.0; 3] };
    for (high, text) in [(-1.0, "-1.0"), (f32::NAN, "NaN"), (f32::INFINITY, "inf")] {
        let error = BoxGrid::new(&[sound, Aabb { low: [0.0; 3], high: [2.0, 2.0, high] }]).unwrap_err();
        assert!(matches!(error, Error::Box { index: 1, .. }));
        assert!(error.to_string().starts_with("box 1") && error.to_string().contains(text), "{error}");
    }
}

#[test]
fn the_first_bad_point_is_named_wherever_it_is() {
    let mut points = vec![[1.0; 3]; 100_000];
    for bad in [99_999, 50_001, 16_384, 13, 0] {
        points[bad][bad % 3] = f32::NEG_INFINITY;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let error = pool.install(|| PointGrid::new(&points, 1.0).unwrap_err());
        assert!(matches!(error, Error::NotFinite { point, .. } if point == bad), "{error}");
    }
}

#[test]
fn what_was_refused_leaves_nothing_behind() {
    let mut grid = PointGrid::new(&[[0.0; 3]; 5], 1.0).unwrap();
    let mut lists = Neighbours::new().most(20);
    lists.find(&grid, 1.0).unwrap();
    assert_eq!((lists.len(), lists.total()), (5, 20));
    assert_eq!(lists.find(&grid, 1.5), Err(Error::Beyond { radius: 1.5, limit: 1.0 }));
    assert!(lists.is_empty() && lists.total() == 0);
    lists.find(&grid, 1.0).unwrap();
    assert!(grid.build(&[[f32::NAN; 3]], 1.0).is_err());
    assert!(grid.is_empty());
    lists.find(&grid, 1.0).unwrap();
    assert!(lists.is_empty());
    grid.build(&[[0.0; 3]; 6], 1.0).unwrap();
    assert_eq!(lists.find(&grid, 1.0), Err(Error::Crowded { limit: 20 }));
    assert!(lists.is_empty());

    let mut boxes = BoxGrid::new(&[Aabb::default(); 5]).unwrap();
    let mut pairs = Pairs::new().most(10);
    pairs.among(&boxes).unwrap();
    assert_eq!((pairs.len(), pairs.of(3)), (10, &[4][..]));
    boxes.build(&[Aabb::default(); 6]).unwrap();
    assert_eq!(pairs.among(&boxes), Err(Error::Crowded { limit: 10 }));
    assert!(pairs.is_empty() && pairs.iter().next().is_none());
    assert!(boxes.build(&[Aabb { low: [1.0; 3], high: [0.0; 3] }]).is_err());
    assert!(boxes.is_empty());
    pairs.among(&boxes).unwrap();
    assert!(pairs.is_empty());
}

#[test]
fn odd_questions_hold_nothing() {
    let grid = PointGrid::new(&[[0.0; 3]], 1.0).unwrap();
    assert_eq!(grid.len(), 1);
    let mut near = Vec::new();
    for (at, radius) in [
        ([f32::NAN, 0.0, 0.0], 1.0),
        ([f32::INFINITY, 0.0, 0.0], f32::INFINITY),
        ([0.0; 3], -1.0),
        ([0.0; 3], f32::NAN),
    ] {
        grid.within(at, radius, &mut near);
        assert!(near.is_empty());
    }
    let none = PointGrid::new(&[], 1.0).unwrap();
    assert!(none.is_empty());
    none.within([0.0; 3], f32::INFINITY, &mut near);
    assert!(near.is_empty());
    let mut lists = Neighbours::new();
    lists.find(&none, 1.0).unwrap();
    assert!(lists.is_empty());
}

#[test]
fn points_that_are_not_finite_stand_alone() {
    let points = [[f32::NAN; 3], [f32::INFINITY; 3], [f32::NAN; 3], [f32::INFINITY; 3]];
    assert_eq!(coincident(&points, 0.0).unwrap(), [0, 1, 2, 3]);
    assert_eq!(coincident(&points, 1.0).unwrap(), [0, 1, 2, 3]);
}

/// Generous: quadratic would be minutes, and this takes milliseconds.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn a_hundred_thousand_equal_points() {
    let start = Instant::now();
    let points = vec![[0.25, -0.5, 1e30]; 100_000];
    for tolerance in [0.0, 1e-6, 1.0, f32::MAX] {
        assert!(coincident(&points, tolerance).unwrap().iter().all(|&i| i == 0));
    }
    let grid = PointGrid::new(&points, 1e-3).unwrap();
    let mut near = Vec::new();
    grid.within(points[0], 0.0, &mut near);
    assert_eq!(near.len(), points.len());
    // Ten billion neighbours are refused before they fill the memory.
    assert_eq!(Neighbours::new().most(10_000_000).find(&grid, 1e-3), Err(Error::Crowded { limit: 10_000_000 }));
    let boxes = BoxGrid::new(&points.iter().map(|&p| Aabb { low: p, high: p }).collect::<Vec<_>>()).unwrap();
    assert_eq!(Pairs::new().most(10_000_000).among(&boxes), Err(Error::Crowded { limit: 10_000_000 }));
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn one_cell_holds_everything() {
    let points: Vec<[f32; 3]> = (0..3000).map(|k| [k as f32, 0.0, -(k as f32)]).collect();
    let grid = PointGrid::new(&points, f32::MAX).unwrap();
    let mut lists = Neighbours::new();
    lists.find(&grid, f32::MAX).unwrap();
    assert_eq!(lists.total(), 3000 * 2999);
    lists.find(&grid, 2.0).unwrap();
    assert_eq!(lists.total(), 2 * 2999);
    // In the order of the grid: by z.
    assert_eq!((lists.of(0), lists.of(1)), (&[1][..], &[2, 0][..]));
}

#[test]
fn a_huge_extent_with_a_tiny_cell() {
    let start = Instant::now();
    // 100,000 neighbours in f32 from 1e30 on: further apart than any cell number in i64 reaches.
    let x = |i: u32| f32::from_bits(1e30f32.to_bits() + i);
    let points: Vec<_> = (0..100_000).map(|i| [x(i), -x(i), 0.0]).collect();
    let grid = PointGrid::new(&points, 1e-30).unwrap();
    let mut near = Vec::new();
    for (i, &p) in points.iter().enumerate() {
        grid.within(p, 1e-30, &mut near);
        assert_eq!(near, [i as u32]);
    }
    let mut lists = Neighbours::new();
    lists.find(&grid, 1e-30).unwrap();
    assert_eq!((lists.len(), lists.total()), (100_000, 0));
    assert!(coincident(&points, 1e-30).unwrap().iter().enumerate().all(|(i, &f)| i as u32 == f));
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

/// One point that has left for 1e30 makes the domain huge, and must not make the others slow.
#[test]
fn a_stray_point() {
    let mut points: Vec<[f32; 3]> = (0..64_000).map(|k| [k % 40, k / 40 % 40, k / 1600].map(|c| c as f32)).collect();
    points.push([1e30, -1e30, 1e30]);
    let mut lists = Neighbours::new();
    lists.find(&PointGrid::new(&points, 1.0).unwrap(), 1.0).unwrap();
    assert_eq!(lists.total(), 6 * 64_000 - 6 * 1600);
    let mut boxes: Vec<Aabb> = points.iter().map(|&p| Aabb { low: p, high: p.map(|c| c + 0.5) }).collect();
    boxes.push(Aabb { low: [f32::MIN; 3], high: [f32::MAX; 3] });
    let mut pairs = Pairs::new();
    pairs.among(&BoxGrid::new(&boxes).unwrap()).unwrap();
    assert_eq!(pairs.len(), 64_001);
}
