//! What moves: the state, what a step is given and what it reports, and the step itself.

pub(crate) mod counts;
pub(crate) mod input;
mod long_range;
pub(crate) mod obstacle;
pub(crate) mod passes;
mod prescribe;
pub(crate) mod report;
pub(crate) mod scratch;
pub(crate) mod state;
pub(crate) mod step;
