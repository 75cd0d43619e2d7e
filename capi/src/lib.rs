//! The engine for C, and for whatever calls C: capi/include/seidel.h says what each function does.
//!
//! Three things hold for all of them. No panic crosses the border: it becomes a status, and what it met refuses further calls. A
//! handle is a number in a pointer's place, so one that is freed, or never was one, is told from those that are. And a solver that
//! one thread uses answers another with a status.

mod defs;
mod handles;
mod input;
mod plan;
mod pointers;
mod snapshot;
mod solver;
mod status;

pub use defs::*;
pub use plan::*;
pub use snapshot::*;
pub use solver::*;
pub use status::{SeidelStatus, seidel_last_error, seidel_status_name};
