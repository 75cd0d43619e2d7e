#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod boxes;
mod candidates;
mod cells;
mod coincident;
mod error;
mod executor;
mod grid;
mod lanes;
mod neighbours;
mod pairs;
mod scatter;
mod table;
mod tally;

pub use boxes::{Aabb, BoxGrid};
pub use coincident::coincident;
pub use error::Error;
pub use executor::{Alone, CurrentPool, Executor};
pub use grid::PointGrid;
pub use neighbours::{Lists, Neighbours, POINTS_A_BLOCK};
pub use pairs::Pairs;
pub use seidel_workers::{Isa, IsaError};
