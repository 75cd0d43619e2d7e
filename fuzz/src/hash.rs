//! Points and boxes as hostile as bytes can make them, through the spatial hash on every lane type: a typed error, or
//! just the neighbours and pairs that the definition names, each once and in the stated order.

use super::bytes::Bytes;
use seidel_hash::{Aabb, BoxGrid, Isa, Neighbours, Pairs, PointGrid, coincident};

/// Few enough to test each with each.
const MOST: usize = 64;

pub fn hash(data: &[u8]) {
    let mut bytes = Bytes(data);
    // What was built before lies in the same memory.
    let (mut grid, mut lists) = (PointGrid::default(), Neighbours::new());
    let (mut first, mut second, mut pairs) = (BoxGrid::default(), BoxGrid::default(), Pairs::new());
    for _ in 0..1 + bytes.below(3) {
        if bytes.flag() {
            neighbours(&mut bytes, &mut grid, &mut lists);
        } else {
            let (a, b) = (boxes(&mut bytes), boxes(&mut bytes));
            overlaps(&a, &b, (&mut first, &mut second, &mut pairs));
        }
        if bytes.is_empty() {
            return;
        }
    }
}

fn points(bytes: &mut Bytes) -> Vec<[f32; 3]> {
    let mut points: Vec<[f32; 3]> = Vec::new();
    for _ in 0..bytes.below(MOST) {
        let point = match (bytes.byte(), points.last()) {
            // Equal to the last, or next to it in floating point.
            (0..32, Some(&last)) => last,
            (32..64, Some(&last)) => last.map(f32::next_up),
            _ => bytes.point(),
        };
        points.push(point);
    }
    points
}

fn inside(p: [f32; 3], q: [f32; 3], radius: f32) -> bool {
    let [dx, dy, dz] = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    (dx * dx + dy * dy) + dz * dz <= radius * radius
}

fn neighbours(bytes: &mut Bytes, grid: &mut PointGrid, lists: &mut Neighbours) {
    let points = points(bytes);
    let (radius, smaller) = (bytes.mostly(2.0), bytes.mostly(1.0));
    let sound = points.iter().flatten().all(|x| x.is_finite()) && radius.is_finite() && radius > 0.0;
    assert_eq!(grid.build(&points, radius).is_ok(), sound);
    if !sound {
        assert!(grid.is_empty());
        return;
    }
    let order = grid.order().to_vec();
    let built = radius;
    for radius in [radius, smaller] {
        let found = lists.find(grid, radius);
        let asks = radius > 0.0 && radius <= built;
        assert_eq!(found.is_ok(), asks);
        if !asks {
            assert!(lists.is_empty());
            continue;
        }
        for i in 0..points.len() {
            let near = |&&j: &&u32| j != i as u32 && inside(points[i], points[j as usize], radius);
            let naive: Vec<u32> = order.iter().filter(near).copied().collect();
            assert_eq!(lists.of(i), naive, "neighbours of {i}");
        }
        for isa in Isa::available() {
            let mut same = PointGrid::default().on(isa);
            same.build(&points, radius).unwrap();
            let mut near = Vec::new();
            let at = points.first().copied().unwrap_or_default();
            for reach in [smaller, radius, f32::INFINITY] {
                same.within(at, reach, &mut near);
                let holds = |&j: &usize| reach >= 0.0 && inside(points[j], at, reach);
                let naive: Vec<u32> = (0..points.len()).filter(holds).map(|j| j as u32).collect();
                assert_eq!(near, naive, "{isa}");
            }
        }
    }
    let first = coincident(&points, 0.0).unwrap();
    for (i, &f) in first.iter().enumerate() {
        assert_eq!(Some(f as usize), points.iter().position(|&q| q == points[i]));
    }
}

fn boxes(bytes: &mut Bytes) -> Vec<Aabb> {
    let lows = points(bytes);
    let size = |bytes: &mut Bytes| match bytes.byte() {
        0..64 => 0.0,
        _ => bytes.mostly(1.0),
    };
    let sound = |low: [f32; 3], bytes: &mut Bytes| {
        // Mostly sound; sometimes inside out, or endless.
        let high = low.map(|x| x + size(bytes));
        Aabb { low, high }
    };
    lows.into_iter().map(|low| sound(low, bytes)).collect()
}

fn overlap(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|k| a.low[k] <= b.high[k] && b.low[k] <= a.high[k])
}

fn overlaps(a: &[Aabb], b: &[Aabb], memory: (&mut BoxGrid, &mut BoxGrid, &mut Pairs)) {
    let (first, second, pairs) = memory;
    let sound = |b: &Aabb| (0..3).all(|k| b.low[k].is_finite() && b.high[k].is_finite() && b.low[k] <= b.high[k]);
    for (grid, boxes) in [(&mut *first, a), (&mut *second, b)] {
        assert_eq!(grid.build(boxes).is_ok(), boxes.iter().all(sound));
    }
    let each = |n: usize, m: usize| (0..n).flat_map(move |i| (0..m).map(move |j| (i, j)));
    let named = |(i, j): (usize, usize)| [i as u32, j as u32];
    if !first.is_empty() {
        pairs.among(first).unwrap();
        let holds = |&(i, j): &(usize, usize)| i < j && overlap(&a[i], &a[j]);
        assert_eq!(
            pairs.iter().collect::<Vec<_>>(),
            each(a.len(), a.len()).filter(holds).map(named).collect::<Vec<_>>()
        );
    }
    if !first.is_empty() && !second.is_empty() {
        for isa in Isa::available() {
            let (first, second) = (rebuilt(a, isa), rebuilt(b, isa));
            pairs.between(&first, &second).unwrap();
            let holds = |&(i, j): &(usize, usize)| overlap(&a[i], &b[j]);
            let naive: Vec<_> = each(a.len(), b.len()).filter(holds).map(named).collect();
            assert_eq!(pairs.iter().collect::<Vec<_>>(), naive, "{isa}");
        }
    }
}

fn rebuilt(boxes: &[Aabb], isa: Isa) -> BoxGrid {
    let mut grid = BoxGrid::default().on(isa);
    grid.build(boxes).unwrap();
    grid
}
