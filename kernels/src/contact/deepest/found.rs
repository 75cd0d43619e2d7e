//! When the search for a triangle's deepest point ends, and the point that it finds.

use crate::V3;

/// Weights of the middle, and of the corners.
pub(super) const MIDDLE: [f64; 3] = [1.0 / 3.0; 3];

/// When a search may end.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Enough {
    /// A triangle above this is free.
    pub(in crate::contact) free: f64,
    /// Metres between the bound and what was found, or this part of the bound's height above `free`.
    pub(in crate::contact) gap: f64,
    pub(in crate::contact) share: f64,
}

impl Enough {
    /// Whether it is enough to know that nothing is lower than `bound`, where `lowest` is.
    pub(super) fn reached(&self, bound: f64, lowest: f64) -> bool {
        let (above, gap) = (bound - self.free, lowest - bound);
        above >= 0.0 && gap <= (self.share * above).max(self.gap) || gap <= self.gap
    }
}

/// The deepest point of a triangle.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Deepest {
    pub(in crate::contact) weights: [f64; 3],
    pub(in crate::contact) at: V3<f64>,
    /// The distance there, metres.
    pub(in crate::contact) value: f64,
    /// No point is deeper.
    pub(in crate::contact) bound: f64,
    /// How `value` grows with the triangle: the normal, or that of all sides which meet there, then shorter than 1.
    pub(in crate::contact) normal: V3<f64>,
    /// The height at `at` of a plane with this gradient that a convex distance is nowhere below; -infinity if none is
    /// known.
    pub(in crate::contact) plane: f64,
}

impl Deepest {
    /// The share of a way on which this plane shows that a triangle of a convex shape stays above a level: from `x`, a
    /// whole way is `way`. 0 if it shows nothing.
    pub(in crate::contact) fn above_until(&self, x: &[V3<f64>; 3], way: &[V3<f64>; 3], level: f64) -> f64 {
        let mut until = f64::INFINITY;
        for (x, way) in x.iter().zip(way) {
            let height = (self.plane - level) + self.normal.dot(*x - self.at);
            if height < 0.0 || height.is_nan() {
                return 0.0;
            }
            let sinks = -self.normal.dot(*way);
            until = if sinks > 0.0 { until.min(height / sinks) } else { until };
        }
        until
    }
}

pub(in crate::contact) fn weighted(x: &[V3<f64>; 3], w: [f64; 3]) -> V3<f64> {
    x[0] * w[0] + x[1] * w[1] + x[2] * w[2]
}

/// Lanes have no nearest point of a triangle that is none.
pub(super) fn known(weights: [f64; 3]) -> [f64; 3] {
    if weights.iter().all(|w| w.is_finite()) { weights } else { MIDDLE }
}
