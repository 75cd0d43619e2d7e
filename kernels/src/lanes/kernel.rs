//! A computation on any lanes.

use super::Lanes;

/// A piece of work written once for all lanes; [`super::Dispatch::dispatch`] runs it on one of them.
///
/// `run` and what it calls must be `#[inline(always)]`: only what is inlined uses the chosen instructions.
pub trait Kernel {
    /// What the work returns.
    type Output;
    /// The work.
    fn run<L: Lanes<Elem = f32>>(self) -> Self::Output;
}
