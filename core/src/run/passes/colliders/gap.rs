//! Distances of points and triangles from colliders, in f64: for measurements, and for the clamp, which must not move
//! anything into a collider.

use super::moving::{Transform, solid};
use crate::describe::collider::{Collider, Shape};
use crate::geometry::vector::{P, add, cross, dot, length, scale, sub};
use seidel_kernels::contact::{SignedDistance, Solid};
use seidel_kernels::{Row, V3};

/// Distance of a point or triangle from a collider minus both thicknesses, metres.
pub(crate) fn gap(collider: &Collider, frame: &Transform, points: &[[f64; 3]], thickness: f32) -> f64 {
    gap_below(collider, frame, points, thickness, f64::INFINITY)
}

/// The same if it is below `enough`; otherwise some number that is not.
pub(crate) fn gap_below(
    collider: &Collider,
    frame: &Transform,
    points: &[[f64; 3]],
    thickness: f32,
    enough: f64,
) -> f64 {
    let gaps = Gaps::new(collider, frame);
    gaps.between(points, |k| gaps.away(&points[k]), thickness, enough)
}

/// Distances of points and triangles from one collider.
#[derive(Debug)]
pub(crate) struct Gaps<'a> {
    collider: &'a Collider,
    frame: &'a Transform,
    /// None of a plane or a ball.
    solid: Option<Solid<'a>>,
}

impl<'a> Gaps<'a> {
    pub(crate) fn new(collider: &'a Collider, frame: &'a Transform) -> Gaps<'a> {
        let round_or_flat = matches!(collider.shape, Shape::Plane | Shape::Sphere { .. });
        Gaps { collider, frame, solid: (!round_or_flat).then(|| solid(&collider.shape)) }
    }

    /// Distance of a point from the plane, from a ball's centre, or from any other shape, metres.
    pub(crate) fn away(&self, p: &[f64; 3]) -> f64 {
        let Some(solid) = &self.solid else {
            let (d, m) = (sub(*p, self.frame.position), &self.frame.turn);
            let flat = matches!(self.collider.shape, Shape::Plane);
            return if flat { m[0][1] * d[0] + m[1][1] * d[1] + m[2][1] * d[2] } else { length(d) };
        };
        distance(solid, self.local(p))
    }

    fn local(&self, p: &[f64; 3]) -> P {
        let (d, m) = (sub(*p, self.frame.position), &self.frame.turn);
        std::array::from_fn(|k| m[0][k] * d[0] + m[1][k] * d[1] + m[2][k] * d[2])
    }

    /// The gap of a point or triangle whose corners are so far `away` ([`Gaps::away`]); or, where it is no less than
    /// `enough`, some other number that is no less.
    pub(crate) fn between(&self, points: &[[f64; 3]], away: impl Fn(usize) -> f64, thickness: f32, enough: f64) -> f64 {
        let thickness = f64::from(thickness) + f64::from(self.collider.thickness);
        // A height field's distance jumps where cells meet, so that none tells of others.
        let enough = if matches!(self.collider.shape, Shape::HeightField(_)) { f64::INFINITY } else { enough };
        if self.is_free(points, enough + thickness) {
            return f64::INFINITY;
        }
        let mut corners = [f64::INFINITY; 3];
        corners.iter_mut().enumerate().take(points.len()).for_each(|(k, corner)| *corner = away(k));
        let away = &corners[..points.len()];
        let lowest = away.iter().copied().fold(f64::INFINITY, f64::min);
        let distance = match self.collider.shape {
            Shape::Plane => {
                let highest = away.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                // A triangle that reaches through a two-sided plane has the shorter of two ways out.
                if self.collider.two_sided { lowest.max(-highest) } else { lowest }
            }
            Shape::Sphere { radius } => {
                let reach = f64::from(radius) + thickness;
                let span = points.iter().map(|p| length(sub(*p, points[0]))).fold(0.0, f64::max);
                let local = |p: &P| sub(*p, self.frame.position);
                let closest = match points {
                    // Otherwise no point between the corners is nearer than `reach`.
                    [a, b, c] if lowest - span < reach => length(closest_on_triangle(local(a), local(b), local(c))),
                    _ => lowest,
                };
                closest - f64::from(radius)
            }
            _ => self.nearest(points, lowest, thickness, enough + thickness),
        };
        distance - thickness
    }

    /// Whether the distance at a triangle's middle alone says that it is no nearer than `enough`.
    fn is_free(&self, points: &[[f64; 3]], enough: f64) -> bool {
        let (&[a, b, c], Some(shape)) = (points, &self.solid) else { return false };
        if enough == f64::INFINITY {
            return false;
        }
        let x = [a, b, c].map(|p| self.local(&p));
        let middle = scale(add(add(x[0], x[1]), x[2]), 1.0 / 3.0);
        let farthest = x.iter().map(|corner| length(sub(*corner, middle))).fold(0.0, f64::max);
        let least = match shape.convex() {
            true => above_tangent(shape, &x, middle),
            false => distance(shape, middle) - f64::from(shape.slope()) * farthest,
        };
        least - ROUNDING * farthest > enough
    }

    /// Distance of a point, or of a triangle's nearest point, from a shape, metres; `corners` is that of the nearest
    /// corner. For a triangle farther away than `thickness`, any number above `thickness`; for one no nearer than
    /// `enough`, any number that is no less.
    fn nearest(&self, points: &[[f64; 3]], corners: f64, thickness: f64, enough: f64) -> f64 {
        let (&[a, b, c], Some(shape)) = (points, &self.solid) else { return corners };
        let slope = f64::from(shape.slope());
        let longest_of = |[a, b, c]: [P; 3]| length(sub(b, a)).max(length(sub(c, b))).max(length(sub(a, c)));
        // No point is farther from its nearest corner than the longest edge / sqrt(3).
        if corners - slope * longest_of([a, b, c]) * 0.578 > enough {
            return corners;
        }
        let x = [a, b, c].map(|p| self.local(&p));
        let longest = longest_of(x);
        if corners - slope * longest * 0.578 > thickness {
            return corners;
        }
        let [a, b, c] = x;
        let point = |s: f64, t: f64| -> P { std::array::from_fn(|k| a[k] + (b[k] - a[k]) * s + (c[k] - a[k]) * t) };
        let at = |s: f64, t: f64| distance(shape, point(s, t));
        if shape.convex() {
            // Along a flat side the nearest corner is the nearest point.
            if x.iter().any(|&corner| above_tangent(shape, &x, corner) >= corners - ROUNDING * longest) {
                return corners;
            }
            let bound = |s: f64, t: f64| above_tangent(shape, &x, point(s, t)) - ROUNDING * longest;
            let free = |s: f64, t: f64| enough < f64::INFINITY && bound(s, t) > enough;
            let found = lowest(at, |_, [s, t], _| free(s, t)).min(corners);
            // Steps around the best sample lose their way in a triangle that is long beside what the shape is thin.
            let is_long = longest > LONG * f64::from(shape.girth());
            return if is_long { found.min(lowest_of_convex(at)) } else { found };
        }
        // Samples so dense, up to `MOST_PARTS`, that no part of the shape fits between two of them.
        let parts = (SAMPLES * longest / f64::from(shape.girth())).ceil().max(f64::from(PARTS)).min(MOST_PARTS as f64);
        let falls = slope * longest / parts;
        let lowest = |enough: f64| match parts <= f64::from(PARTS) {
            true => lowest_of_all::<{ PARTS as usize + 1 }>(at, parts as usize, [falls, enough]),
            false => lowest_of_all::<{ MOST_PARTS + 1 }>(at, parts as usize, [falls, enough]),
        };
        let found = lowest(enough);
        // A sample that was left out may have led elsewhere: the first that is deep enough is looked for once more.
        let is_far = enough == f64::INFINITY || found - ROUNDING * longest > enough;
        let found = if is_far { found } else { lowest(f64::INFINITY) };
        found.min(corners)
    }
}

fn distance(shape: &Solid<'_>, p: P) -> f64 {
    shape.distance(V3::<f64>::set(p)).0
}

/// The least that a convex distance can be over a triangle, by its tangent plane at a point of it.
fn above_tangent(shape: &Solid<'_>, x: &[P; 3], at: P) -> f64 {
    let (value, normal, slope) = shape.graded(V3::<f64>::set(at));
    let gradient = [normal.x * slope, normal.y * slope, normal.z * slope];
    value + x.iter().map(|corner| dot(gradient, sub(*corner, at))).fold(f64::INFINITY, f64::min)
}

/// Part of a triangle's longest edge: far more than the rounding of a tangent plane.
const ROUNDING: f64 = 1e-9;

/// Parts into which samples divide a triangle's edges: at least `PARTS`, at most `MOST_PARTS`. For a shape that is not
/// convex, samples are girth / `SAMPLES` apart.
const PARTS: u32 = 6;
const SAMPLES: f64 = 4.0;
const MOST_PARTS: usize = 48;

/// The least value of a function with several local minima. Samples that are lower than their neighbours are refined,
/// but not those that exceed the least value so far by `falls` or more: the function falls no more than that from a
/// sample to the next.
/// Where no sample can lead below `enough`, it is not followed. `SIDE` samples or fewer lie along an edge.
fn lowest_of_all<const SIDE: usize>(at: impl Fn(f64, f64) -> f64, parts: usize, [falls, enough]: [f64; 2]) -> f64 {
    // Of neighbours with equal values only one is refined.
    const BEFORE: [(isize, isize); 3] = [(-1, 0), (0, -1), (1, -1)];
    const AFTER: [(isize, isize); 3] = [(1, 0), (0, 1), (-1, 1)];
    let mut values = [[f64::INFINITY; SIDE]; SIDE];
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
            // A step is of two edges, `reach` of each; all that follow it, and it, are of no more than `WAY` of it.
            let free = |value: f64, _, reach: f64| value - 2.0 * WAY * reach * (falls / part) > enough;
            let from = (value, [i as f64 * part, j as f64 * part]);
            if low && value - falls < least && !free(value, from.1, 0.5 * part) {
                least = least.min(followed(&at, from, 0.5 * part, free));
            }
        }
    }
    least
}

/// Girths. Triangles of convex shapes with a longer edge are searched by [`lowest_of_convex`].
const LONG: f64 = 8.0;

/// The least value of a convex function of the barycentric coordinates (s, t) of a triangle: of each s the least along
/// t, which is convex again, by golden sections (Kiefer 1953).
fn lowest_of_convex(at: impl Fn(f64, f64) -> f64) -> f64 {
    golden(1.0, |s| golden(1.0 - s, |t| at(s, t)))
}

/// The least value of a convex function on 0 to `end`.
fn golden(end: f64, at: impl Fn(f64) -> f64) -> f64 {
    const SHARE: f64 = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (0.0, end);
    let inner = |low: f64, high: f64| [high - SHARE * (high - low), low + SHARE * (high - low)];
    let [mut a, mut b] = inner(low, high);
    let [mut of_a, mut of_b] = [at(a), at(b)];
    for _ in 0..40 {
        if of_a < of_b {
            (high, b, of_b) = (b, a, of_a);
            a = inner(low, high)[0];
            of_a = at(a);
        } else {
            (low, a, of_a) = (a, b, of_b);
            b = inner(low, high)[1];
            of_b = at(b);
        }
    }
    of_a.min(of_b).min(at(0.0)).min(at(end))
}

/// The least value of a function of the barycentric coordinates (s, t) of a triangle, by finer and finer steps around
/// the best sample. The kernel uses another method, so that each checks the other. It ends early where what has been
/// found says that nothing matters.
fn lowest(at: impl Fn(f64, f64) -> f64, free: impl Fn(f64, [f64; 2], f64) -> bool) -> f64 {
    let mut best = (f64::INFINITY, [0.0; 2]);
    for (i, j) in (0..=PARTS).flat_map(|i| (0..=PARTS - i).map(move |j| (i, j))) {
        let [s, t] = [f64::from(i) / f64::from(PARTS), f64::from(j) / f64::from(PARTS)];
        let value = at(s, t);
        if value < best.0 {
            best = (value, [s, t]);
        }
    }
    followed(&at, best, 0.5 / f64::from(PARTS), free)
}

/// By how much a step is shorter than the one before, and more than the sum of 1, that, its square and so on.
const SHORTER: f64 = 0.65;
const WAY: f64 = 3.0;

/// The least value near a point, by steps that begin at `reach`. `best` is the value at the point, and the point. It
/// ends where `free` of the value, the point and the step says so.
fn followed(
    at: &impl Fn(f64, f64) -> f64,
    mut best: (f64, [f64; 2]),
    mut reach: f64,
    free: impl Fn(f64, [f64; 2], f64) -> bool,
) -> f64 {
    const AROUND: [f64; 3] = [-1.0, 0.0, 1.0];
    for _ in 0..22 {
        if free(best.0, best.1, reach) {
            break;
        }
        let [s0, t0] = best.1;
        for (ds, dt) in AROUND.into_iter().flat_map(|ds| AROUND.map(|dt| (ds, dt))) {
            let s = (s0 + reach * ds).clamp(0.0, 1.0);
            let t = (t0 + reach * dt).clamp(0.0, 1.0 - s);
            let value = at(s, t);
            if value < best.0 {
                best = (value, [s, t]);
            }
        }
        reach *= SHORTER;
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

#[cfg(test)]
mod tests;
