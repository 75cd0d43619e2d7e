//! A work that an engine has prepared, and its slopes.

use seidel_bench::rounds::Contender;

/// An engine that has prepared a work.
pub(crate) struct Prepared {
    /// Of a sweep.
    pub(crate) constraints: usize,
    /// How wide it was built.
    pub(crate) lanes: &'static str,
    pub(crate) contender: Box<dyn Contender>,
}

/// A slope that another program has turned over is no time; it never counts as the smallest.
pub(crate) fn positive(slope: f64) -> f64 {
    if slope > 0.0 { slope } else { f64::INFINITY }
}
