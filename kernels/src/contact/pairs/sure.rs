//! The last word on a pair's way, in f64.
//!
//! Conservative advancement (Mirtich 1996; Li, Kaufman, Jiang 2021): at a distance d, two features whose particles move
//! by at most s against each other over the whole way cannot be nearer than l before the part (d - l) / s of it. So
//! time goes on by no more than that, again and again: nothing is overtaken, and what is called free is free, whatever
//! the features' shape.

use super::{Features, Nearest};
use crate::lanes::Lanes;
use crate::{Row, V3};

/// Steps in time before a pair counts as meeting.
const STEPS: u32 = 64;

/// The four particles of a pair, metres, in the order of [`super::Pair::rows`].
pub type Four = [V3<f64>; 4];

/// Places of a pair's particles.
#[must_use]
pub fn four(rows: [Row; 4]) -> Four {
    rows.map(|[x, y, z, _]| V3::new(f64::from(x), f64::from(y), f64::from(z)))
}

/// The distance of two features; of triangles that are nearly edges, and of edges that are nearly parallel, no more
/// than that of their ends from the others.
fn distance(x: Four, features: Features) -> f64 {
    let ends = match features {
        Features::PointTriangle => [[0, 1, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]],
        Features::EdgeEdge => [[0, 2, 3], [1, 2, 3], [2, 0, 1], [3, 0, 1]],
    };
    let of_ends = ends.into_iter().fold(f64::INFINITY, |least, [p, a, b]| least.min(from_edge(x[p], x[a], x[b])));
    Nearest::of(x, features).distance.min(of_ends)
}

/// The distance of a point from an edge.
fn from_edge(p: V3<f64>, a: V3<f64>, b: V3<f64>) -> f64 {
    let (edge, from) = (b - a, p - a);
    let squared = edge.length_squared();
    let along = if squared > 0.0 { (from.dot(edge) / squared).clamp(0.0, 1.0) } else { 0.0 };
    (from - edge * along).length()
}

/// Whether two features may come nearer than `least` metres, >= 0, on straight ways from `a` to `b`, evenly in time.
/// Never false where they do, but for the rounding of f64; true where it cannot be told, also of places that are no
/// numbers.
///
/// # Example
/// ```
/// use seidel_kernels::V3;
/// use seidel_kernels::contact::pairs::{Features, sure::meet};
/// let at = |height: f64| [[0.2, height, 0.2], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|[x, y, z]| V3::new(x, y, z));
/// assert!(meet(at(50.0), at(-50.0), Features::PointTriangle, 1e-6));
/// assert!(!meet(at(50.0), at(1.0), Features::PointTriangle, 0.5));
/// ```
#[must_use]
pub fn meet(a: Four, b: Four, features: Features, least: f64) -> bool {
    let mut way = [b[0] - a[0], b[1] - a[1], b[2] - a[2], b[3] - a[3]];
    let mean = (way[0] + way[1] + (way[2] + way[3])) * 0.25;
    way = way.map(|way| way - mean);
    let longest = |of: &[V3<f64>]| of.iter().fold(0.0, |most: f64, way| most.max(way.length()));
    let split = if features == Features::PointTriangle { 1 } else { 2 };
    let speed = longest(&way[..split]) + longest(&way[split..]);
    let mut time = 0.0;
    for _ in 0..STEPS {
        let at = std::array::from_fn(|k| a[k] + way[k] * time);
        let slack = distance(at, features) - least;
        if slack <= 0.0 || slack.is_nan() {
            return true;
        }
        time += 0.999 * slack / speed;
        if time >= 1.0 {
            return false;
        }
    }
    true
}

/// How far all particles of the first feature are in front of all of the second along a direction of length 1, metres.
#[must_use]
pub fn clearance(x: Four, n: V3<f64>, features: Features) -> f64 {
    let h = x.map(|x| x.dot(n));
    match features {
        Features::PointTriangle => h[0] - Lanes::larger(Lanes::larger(h[1], h[2]), h[3]),
        Features::EdgeEdge => Lanes::smaller(h[0], h[1]) - Lanes::larger(h[2], h[3]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn four_points() -> impl Strategy<Value = Four> {
        // Often on a coarse grid, where features are flat, parallel, without extent, or meet at a corner.
        let point = prop_oneof![
            prop::array::uniform3(-2i32..=2).prop_map(|p| p.map(f64::from)),
            prop::array::uniform3(-2.0f64..2.0),
        ];
        prop::array::uniform4(point).prop_map(|x| x.map(|[x, y, z]| V3::new(x, y, z)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        /// Where samples of the way are too near, it says so; where they are well apart, it says that.
        #[test]
        fn samples_are_never_nearer(a in four_points(), b in four_points(), edges in any::<bool>(), least in 0.001f64..0.3) {
            let features = if edges { Features::EdgeEdge } else { Features::PointTriangle };
            let samples = (0..=400).map(|k| {
                let t = f64::from(k) / 400.0;
                distance(std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t), features)
            });
            let nearest = samples.fold(f64::INFINITY, f64::min);
            let meets = meet(a, b, features, least);
            prop_assert!(meets || nearest > least, "{nearest} is nearer than {least}");
            prop_assert!(!meets || nearest < least + 0.25, "{nearest} is far from {least}");
        }
    }

    /// A point that goes through a triangle, and one that passes beside it, both fast; edges that cross in the middle
    /// of the way.
    #[test]
    fn what_crosses_meets() {
        let p = |x: f64, y: f64, z: f64| V3::new(x, y, z);
        let triangle = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0)];
        let way = |x: f64, y: f64| {
            let [t0, t1, t2] = triangle;
            ([p(x, y, 50.0), t0, t1, t2], [p(x, y, -49.0), t0, t1, t2])
        };
        let (a, b) = way(0.2, 0.2);
        assert!(meet(a, b, Features::PointTriangle, 1e-6));
        let (a, b) = way(0.8, 0.8);
        assert!(!meet(a, b, Features::PointTriangle, 1e-6));
        let edges = |z: f64| [p(-1.0, 0.0, z), p(1.0, 0.0, z), p(0.0, -1.0, 0.0), p(0.0, 1.0, 0.0)];
        assert!(meet(edges(0.3), edges(-7.0), Features::EdgeEdge, 1e-6));
        assert!(!meet(edges(0.3), edges(0.2), Features::EdgeEdge, 1e-6));
        // All together, whatever their speed.
        let fast = edges(0.3).map(|x| x + p(1e3, -1e3, 5e2));
        assert!(!meet(edges(0.3), fast, Features::EdgeEdge, 0.29));
    }
}
