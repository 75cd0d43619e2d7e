#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod cells;
mod coincident;
mod error;
mod grid;

pub use coincident::coincident;
pub use error::Error;
pub use grid::PointGrid;
