//! Who does the work of a seidel step: [`Workers`] are threads that help the caller through stages of blocks,
//! [`Shared`] is a slice of which blocks take parts, and an [`Executor`] is whoever runs the blocks of a loop; [`Isa`]
//! says on which instructions. This crate is a leaf; it knows no particle.
//!
//! In debug builds the parts that blocks take can be recorded and compared ([`claims`]).
//!
//! The gate between the caller and its helpers is checked in two ways: every order in which two threads can take turns,
//! by a model (`.ci/loom`), and real runs under ThreadSanitizer (`.ci/tsan`).
//!
//! # Example
//! ```
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! let (mut workers, sum) = (seidel_workers::Workers::new(2), AtomicUsize::new(0));
//! workers.run(|crew| crew.each(100, |block| _ = sum.fetch_add(block, Ordering::Relaxed)));
//! assert_eq!(sum.into_inner(), 4950);
//! ```
#![allow(unsafe_code)]

pub mod claims;
mod executor;
mod isa;
mod parts;
mod shared;
mod sync;
mod workers;

pub use executor::{Alone, CurrentPool, Executor};
pub use isa::{Isa, IsaError, IsaKind};
pub use parts::{Pieces, Slices, bordered, parts};
pub use shared::Shared;
pub use workers::{Crew, Pool, Workers};
