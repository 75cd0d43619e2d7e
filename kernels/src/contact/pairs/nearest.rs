//! The nearest points of two features.

use super::{Features, weighted};
use crate::V3;
use crate::contact::touch::closest;
use crate::lanes::Lanes;
use crate::tuning::{MIN_LENGTH, PARALLEL, PARALLEL_F64};

/// The nearest points of two features, and the way between them.
#[derive(Clone, Copy, Debug)]
pub struct Nearest<L> {
    /// Of the four particles: positive of the first feature, where they sum to 1, negative of the second.
    pub weights: [L; 4],
    /// From the second point to the first, metres.
    pub gap: V3<L>,
    /// Its length.
    pub distance: L,
    /// Its direction; where the features meet, at right angles to both; zero where they have no such direction.
    pub n: V3<L>,
}

impl<L: Lanes> Nearest<L> {
    /// Of two features.
    #[inline(always)]
    #[must_use]
    pub fn of(x: [V3<L>; 4], features: Features) -> Nearest<L> {
        let (weights, across) = match features {
            Features::PointTriangle => {
                let [b1, b2, b3] = closest([x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
                ([L::splat(1.0), -b1, -b2, -b3], (x[2] - x[1]).cross(x[3] - x[1]))
            }
            Features::EdgeEdge => {
                let (a, b) = (x[1] - x[0], x[3] - x[2]);
                let (s, t) = edges(a, b, x[0] - x[2]);
                ([L::splat(1.0) - s, s, t - L::splat(1.0), -t], a.cross(b))
            }
        };
        let gap = weighted(x, weights);
        let distance = gap.length();
        let apart = distance.gt(L::splat(MIN_LENGTH));
        let unit = gap * (L::splat(1.0) / distance);
        let width = across.length();
        let across = (across * (L::splat(1.0) / width)).or_zero(width.gt(L::splat(MIN_LENGTH * MIN_LENGTH)));
        Nearest { weights, gap, distance, n: V3::select(apart, unit, across) }
    }
}

/// Where on two edges a and b, the first beginning r from where the second does, their nearest points are: from 0 to 1
/// each.
///
/// # Source
/// Ericson 2005, "Real-Time Collision Detection", section 5.1.9, without branches.
#[inline(always)]
fn edges<L: Lanes>(a: V3<L>, b: V3<L>, r: V3<L>) -> (L, L) {
    let (zero, one) = (L::zero(), L::splat(1.0));
    let (aa, bb, ab) = (a.length_squared(), b.length_squared(), a.dot(b));
    let (ar, br) = (a.dot(r), b.dot(r));
    // A quotient with a vanishing divisor is zero: an edge without length is its beginning.
    let along = |x: L| x.larger(zero).smaller(one);
    let tiny = L::splat(MIN_LENGTH * MIN_LENGTH);
    let (long_a, long_b) = (aa.gt(tiny), bb.gt(tiny));
    let det = aa * bb - ab * ab;
    let parallel = if size_of::<L::Elem>() == size_of::<f64>() { PARALLEL_F64 } else { PARALLEL };
    let skew = det.gt(aa * bb * L::splat(parallel)) & long_a & long_b;
    let s = along(((ab * br - ar * bb) / det).or_zero(skew));
    let t = ((ab * s + br) / bb).or_zero(long_b);
    // Beyond an end of the second edge: the nearest to that end.
    let before = t.lt(zero) | !long_b;
    let behind = t.gt(one);
    let s0 = along((-ar / aa).or_zero(long_a));
    let s1 = along(((ab - ar) / aa).or_zero(long_a));
    let s = L::select(before, s0, L::select(behind, s1, s));
    (s, along(t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = [f64; 3]> {
        // Often on a coarse grid, where features are parallel, flat or meet.
        prop_oneof![
            prop::array::uniform3(-2i32..=2).prop_map(|p| p.map(|c| f64::from(c) * 0.5)),
            prop::array::uniform3(-1.0f64..1.0),
        ]
    }

    fn of(x: [[f64; 3]; 4], features: Features) -> Nearest<f64> {
        Nearest::of(x.map(|p| V3::new(p[0], p[1], p[2])), features)
    }

    /// The least distance of many points of both features.
    fn sampled(x: [[f64; 3]; 4], features: Features) -> f64 {
        const N: usize = 24;
        let at = |k: usize| k as f64 / N as f64;
        let mut least = f64::INFINITY;
        let mut try_weights = |w: [f64; 4]| {
            let d: f64 = (0..3).map(|k| (0..4).map(|i| w[i] * x[i][k]).sum::<f64>().powi(2)).sum();
            least = least.min(d.sqrt());
        };
        for i in 0..=N {
            for j in 0..=N {
                match features {
                    Features::PointTriangle if i + j <= N => {
                        try_weights([1.0, -at(i), -at(j), -(1.0 - at(i) - at(j))]);
                    }
                    Features::PointTriangle => (),
                    Features::EdgeEdge => try_weights([1.0 - at(i), at(i), at(j) - 1.0, -at(j)]),
                }
            }
        }
        least
    }

    proptest! {
        #[test]
        fn no_sample_is_nearer(x in prop::array::uniform4(point()), edges in any::<bool>()) {
            let features = if edges { Features::EdgeEdge } else { Features::PointTriangle };
            let nearest = of(x, features);
            let least = sampled(x, features);
            prop_assert!(nearest.distance <= least + 1e-6, "{nearest:?} {least}");
            // Its own points are the features': weights within, and as far as it says.
            let w = nearest.weights;
            let sums = match features {
                Features::PointTriangle => [w[0], w[1] + w[2] + w[3]],
                Features::EdgeEdge => [w[0] + w[1], w[2] + w[3]],
            };
            prop_assert!((sums[0] - 1.0).abs() < 1e-9 && (sums[1] + 1.0).abs() < 1e-9, "{w:?}");
            prop_assert!(w[0] >= -1e-9 && w[2] <= 1e-9 && w[3] <= 1e-9, "{w:?}");
            prop_assert!(nearest.distance >= least - 0.2, "{nearest:?} {least}");
        }

        /// The clearance along its direction is the distance: nothing of either feature is nearer along it.
        #[test]
        fn the_direction_parts_them(x in prop::array::uniform4(point()), edges in any::<bool>()) {
            let features = if edges { Features::EdgeEdge } else { Features::PointTriangle };
            let nearest = of(x, features);
            prop_assume!(nearest.distance > 1e-3);
            let clear = super::super::clearance(x.map(|p| V3::new(p[0], p[1], p[2])), nearest.n, features);
            prop_assert!((clear - nearest.distance).abs() < 1e-5, "{clear} {nearest:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        /// Triangles whose corners lie in a line, or nearly: f32 says where the nearest point is as f64 does.
        #[test]
        fn needles_are_where_they_are(
            x in prop::array::uniform3(prop::array::uniform3(prop_oneof![Just(0.0f32), -0.5f32..0.5])),
            along in -0.5f32..1.5, off in prop::array::uniform3(-0.5f32..0.5),
            thin in prop::sample::select(vec![0.0f32, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2]),
        ) {
            let [point, a, b] = x;
            let c: [f32; 3] = std::array::from_fn(|k| a[k] + (b[k] - a[k]) * along + off[k] * thin);
            let x = [point, a, b, c];
            let found = Nearest::of(x.map(|p| V3::new(p[0], p[1], p[2])), Features::PointTriangle);
            let sure = of(x.map(|p| p.map(f64::from)), Features::PointTriangle);
            prop_assert!((f64::from(found.distance) - sure.distance).abs() < 1e-3, "{found:?} {sure:?}");
            prop_assert!(found.weights[1..].iter().all(|w| (-1.0 - 1e-6..=1e-6).contains(w)), "{found:?}");
        }
    }
}
