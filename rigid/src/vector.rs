//! Vectors in f64.

use seidel_kernels::V3;

pub(crate) type V = V3<f64>;

/// At length 1; none of what has no direction.
pub(crate) fn unit(v: V) -> Option<V> {
    let length = v.length();
    (length > 0.0 && length.is_finite()).then(|| v * (1.0 / length))
}
