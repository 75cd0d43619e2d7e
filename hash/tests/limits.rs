//! Refusals, and inputs that would overflow, hang or go quadratic.

use seidel_hash::{Error, PointGrid, coincident};
use std::time::{Duration, Instant};

#[test]
fn refuses_by_name() {
    let nan = [[0.0; 3], [0.0, f32::NAN, 0.0]];
    let error = PointGrid::new(&nan, 1.0).unwrap_err();
    assert!(matches!(error, Error::NotFinite { point: 1, .. }));
    assert_eq!(error.to_string(), "point 1 is not finite: [0.0, NaN, 0.0]");
    for cell in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(PointGrid::new(&[], cell), Err(Error::Cell { .. })));
    }
    for tolerance in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(coincident(&[], tolerance), Err(Error::Tolerance { .. })));
    }
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
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
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
    assert!(coincident(&points, 1e-30).unwrap().iter().enumerate().all(|(i, &f)| i as u32 == f));
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}
