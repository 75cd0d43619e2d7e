//! The nearest points of two convex shapes, or the deepest.

use crate::vector::V;

/// A normal from A to B, the separation along it, and the points of both that are nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearestPair {
    pub(crate) normal: V,
    pub(crate) separation: f64,
    pub(crate) a: V,
    pub(crate) b: V,
}
