//! Workloads of the benches: the same sweeps and steps for criterion, for instruction counts and for the README's figures.
//!
//! Every workload says what it did before it is measured: constraints, colors, lanes, threads and a hash of the result
//! ([`Line`]). Two times are compared only if their lines are the same work.

mod line;
pub mod meshes;
mod random;
pub mod record;
pub mod step;
pub mod sweep;
mod timed;

pub use line::Line;
pub use step::Steps;
pub use sweep::{Sweep, SweepRun};
