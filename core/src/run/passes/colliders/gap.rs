//! Distances of points and triangles from colliders, in f64: for measurements, and for the clamp, which must not move
//! anything into a collider.

use super::moving::{Transform, solid};
use crate::describe::collider::{Collider, Shape};
use crate::geometry::vector::{P, add, cross, dot, length, scale, sub};
use seidel_kernels::contact::{SignedDistance, Solid};
use seidel_kernels::{Row, V3};

/// Distance of a point or triangle from a collider minus both thicknesses, metres.
pub(crate) fn gap(collider: &Collider, frame: &Transform, points: &[[f64; 3]], thickness: f32) -> f64 {
    let local = |p: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|k| p[k] - frame.position[k]) };
    let thickness = f64::from(thickness) + f64::from(collider.thickness);
    let distance = match collider.shape {
        Shape::Plane => {
            let m = &frame.turn;
            let height = |p: &[f64; 3]| m[0][1] * p[0] + m[1][1] * p[1] + m[2][1] * p[2];
            let lowest = points.iter().map(|p| height(&local(p))).fold(f64::INFINITY, f64::min);
            let highest = points.iter().map(|p| height(&local(p))).fold(f64::NEG_INFINITY, f64::max);
            // A triangle that reaches through a two-sided plane has the shorter of two ways out.
            if collider.two_sided { lowest.max(-highest) } else { lowest }
        }
        Shape::Sphere { radius } => {
            let reach = f64::from(radius) + thickness;
            let bound = points.iter().map(|p| length(local(p))).fold(f64::INFINITY, f64::min);
            let span = points.iter().map(|p| length(sub(*p, points[0]))).fold(0.0, f64::max);
            let closest = match points {
                // Otherwise no point between the corners is nearer than `reach`.
                [a, b, c] if bound - span < reach => length(closest_on_triangle(local(a), local(b), local(c))),
                _ => bound,
            };
            closest - f64::from(radius)
        }
        _ => nearest(&solid(&collider.shape), frame, points, thickness),
    };
    distance - thickness
}

/// Distance of a point, or of a triangle's nearest point, from a shape, metres. For a triangle farther away than
/// `thickness`, any number above `thickness`.
fn nearest(shape: &Solid<'_>, frame: &Transform, points: &[[f64; 3]], thickness: f64) -> f64 {
    let m = &frame.turn;
    let local = |p: &[f64; 3]| -> [f64; 3] {
        let d = sub(*p, frame.position);
        std::array::from_fn(|k| m[0][k] * d[0] + m[1][k] * d[1] + m[2][k] * d[2])
    };
    let of = |p: [f64; 3]| shape.distance(V3::<f64>::set(p)).0;
    let corners = points.iter().map(|p| of(local(p))).fold(f64::INFINITY, f64::min);
    let [a, b, c] = points else { return corners };
    let [a, b, c] = [local(a), local(b), local(c)];
    // No point is farther from its nearest corner than the longest edge / sqrt(3).
    let longest = length(sub(b, a)).max(length(sub(c, b))).max(length(sub(a, c)));
    if corners - f64::from(shape.slope()) * longest * 0.578 > thickness {
        return corners;
    }
    let at = |s: f64, t: f64| of(std::array::from_fn(|k| a[k] + (b[k] - a[k]) * s + (c[k] - a[k]) * t));
    if shape.convex() {
        return lowest(at).min(corners);
    }
    // Samples so dense, up to `MOST_PARTS`, that no part of the shape fits between two of them.
    let parts = (SAMPLES * longest / f64::from(shape.girth())).ceil().max(f64::from(PARTS)).min(MOST_PARTS as f64);
    lowest_of_all(at, parts as usize, f64::from(shape.slope()) * longest / parts).min(corners)
}

/// Parts into which samples divide a triangle's edges: at least `PARTS`, at most `MOST_PARTS`. For a shape that is not
/// convex, samples are girth / `SAMPLES` apart.
const PARTS: u32 = 6;
const SAMPLES: f64 = 4.0;
const MOST_PARTS: usize = 48;

/// The least value of a function with several local minima. Samples that are lower than their neighbours are refined,
/// but not those that exceed the least value so far by `falls` or more: the function falls no more than that from a
/// sample to the next.
fn lowest_of_all(at: impl Fn(f64, f64) -> f64, parts: usize, falls: f64) -> f64 {
    // Of neighbours with equal values only one is refined.
    const BEFORE: [(isize, isize); 3] = [(-1, 0), (0, -1), (1, -1)];
    const AFTER: [(isize, isize); 3] = [(1, 0), (0, 1), (-1, 1)];
    let mut values = [[f64::INFINITY; MOST_PARTS + 1]; MOST_PARTS + 1];
    let part = 1.0 / parts as f64;
    for (i, row) in values.iter_mut().enumerate().take(parts + 1) {
        for (j, value) in row.iter_mut().enumerate().take(parts + 1 - i) {
            *value = at(i as f64 * part, j as f64 * part);
        }
    }
    let sample = |i: isize, j: isize| {
        let row = usize::try_from(i).ok().and_then(|i| values.get(i));
        row.zip(usize::try_from(j).ok()).and_then(|(row, j)| row.get(j)).copied().unwrap_or(f64::INFINITY)
    };
    let mut least = values.as_flattened().iter().fold(f64::INFINITY, |a, &b| a.min(b));
    for (i, row) in values.iter().enumerate().take(parts + 1) {
        for (j, &value) in row.iter().enumerate().take(parts + 1 - i) {
            let beside = |&(di, dj): &(isize, isize)| sample(i as isize + di, j as isize + dj);
            let low = BEFORE.iter().all(|at| value < beside(at)) && AFTER.iter().all(|at| value <= beside(at));
            if low && value - falls < least {
                least = least.min(followed(&at, (value, [i as f64 * part, j as f64 * part]), 0.5 * part));
            }
        }
    }
    least
}

/// The least value of a function of the barycentric coordinates (s, t) of a triangle, by finer and finer steps around
/// the best sample. The kernel uses another method, so that each checks the other.
fn lowest(at: impl Fn(f64, f64) -> f64) -> f64 {
    let mut best = (f64::INFINITY, [0.0; 2]);
    for (i, j) in (0..=PARTS).flat_map(|i| (0..=PARTS - i).map(move |j| (i, j))) {
        let [s, t] = [f64::from(i) / f64::from(PARTS), f64::from(j) / f64::from(PARTS)];
        let value = at(s, t);
        if value < best.0 {
            best = (value, [s, t]);
        }
    }
    followed(&at, best, 0.5 / f64::from(PARTS))
}

/// The least value near a point, by steps that begin at `reach`. `best` is the value at the point, and the point.
fn followed(at: &impl Fn(f64, f64) -> f64, mut best: (f64, [f64; 2]), mut reach: f64) -> f64 {
    const AROUND: [f64; 3] = [-1.0, 0.0, 1.0];
    for _ in 0..22 {
        let [s0, t0] = best.1;
        for (ds, dt) in AROUND.into_iter().flat_map(|ds| AROUND.map(|dt| (ds, dt))) {
            let s = (s0 + reach * ds).clamp(0.0, 1.0);
            let t = (t0 + reach * dt).clamp(0.0, 1.0 - s);
            let value = at(s, t);
            if value < best.0 {
                best = (value, [s, t]);
            }
        }
        reach *= 0.65;
    }
    best.0
}

/// Point of a triangle that is closest to the origin: on its inside if the projection falls there, otherwise on an
/// edge. The kernel uses another method, so that each checks the other.
fn closest_on_triangle(a: P, b: P, c: P) -> P {
    let n = cross(sub(b, a), sub(c, a));
    let nn = dot(n, n);
    let side = |p: P, q: P| dot(cross(p, q), n);
    if nn > 0.0 && side(a, b) >= 0.0 && side(b, c) >= 0.0 && side(c, a) >= 0.0 {
        return scale(n, dot(a, n) / nn);
    }
    let on_edge = |p: P, q: P| {
        let d = sub(q, p);
        let dd = dot(d, d);
        let t = if dd > 0.0 { (-dot(p, d) / dd).clamp(0.0, 1.0) } else { 0.0 };
        add(p, scale(d, t))
    };
    let edges = [on_edge(a, b), on_edge(b, c), on_edge(c, a)];
    edges.into_iter().min_by(|&p, &q| length(p).total_cmp(&length(q))).unwrap_or(a)
}

pub(crate) fn point(row: &Row) -> [f64; 3] {
    std::array::from_fn(|k| f64::from(row[k]))
}
