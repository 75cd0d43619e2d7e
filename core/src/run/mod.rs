//! The simulation: the state, the input of a step, its report, and the step itself.

mod before;
pub(crate) mod bytes;
mod carry;
pub(crate) mod counts;
pub(crate) mod fluid;
pub(crate) mod grains;
pub(crate) mod input;
mod input_bytes;
mod long_range;
pub(crate) mod obstacle;
pub(crate) mod off;
pub(crate) mod passes;
pub(crate) mod past;
mod pins;
mod pour;
mod prescribe;
pub(crate) mod report;
pub(crate) mod rigid;
mod rigid_access;
pub(crate) mod rigid_events;
pub(crate) mod rigid_sleep;
pub(crate) mod scratch;
mod snapshot;
pub(crate) mod state;
pub(crate) mod step;
mod switches;
mod told;
