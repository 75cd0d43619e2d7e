//! The engine for C, and for whatever calls C: capi/include/seidel.h says what each function does.
//!
//! Three things hold for all of them. No panic reaches C: the call returns a status, and the solver in which it
//! happened refuses further calls. A handle is a number in place of a pointer, so freed and invalid handles are
//! detected. If one thread uses a solver, a call from another thread returns a status.

mod defs;
mod handles;
mod input;
mod plan;
mod pointers;
mod snapshot;
mod solver;
mod status;
mod switches;

pub use defs::*;
pub use plan::*;
pub use snapshot::*;
pub use solver::*;
pub use status::{SeidelStatus, seidel_last_error, seidel_status_name};
pub use switches::*;
