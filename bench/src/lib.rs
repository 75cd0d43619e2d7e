//! Workloads of the benches: the same sweeps and steps for criterion, for instruction counts and for the scoreboard.
//!
//! Every workload says what it did before it is measured: constraints, colors, lanes, threads and a hash of the result
//! ([`Line`]). Two times are compared only if their lines are the same work.
//!
//! The scoreboard measures a [`work::Work`] as [`entry::Entry`]s: [`rounds`] let this engine on all lanes and its
//! [`peers`] take turns, [`limits`] says what the machine allows, [`table`] prints it all.

pub mod contest;
pub mod curve;
pub mod entry;
pub mod fields;
pub mod hanging;
pub mod limits;
mod line;
pub mod measure;
pub mod meshes;
pub mod motion;
pub mod neighbours;
pub mod oracles;
pub mod overhead;
pub mod peers;
pub mod quality;
mod random;
pub mod rounds;
pub mod rows;
pub mod step;
pub mod sweep;
pub mod swept;
pub mod table;
mod timed;
pub mod touching;
pub mod work;

pub use line::Line;
pub use step::Steps;
pub use sweep::{Sweep, SweepRun};
