//! What a grid refuses.

use std::fmt;

/// An error that names the point or the value, and the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A point has a coordinate that is NaN or infinite.
    NotFinite {
        /// Index of the first such point.
        point: usize,
        /// Its coordinates.
        position: [f32; 3],
    },
    /// The width of a cell is not a finite number > 0.
    Cell {
        /// The width.
        cell: f32,
    },
    /// A tolerance is not a finite number >= 0.
    Tolerance {
        /// The tolerance.
        tolerance: f32,
    },
    /// More points than 32-bit ids can name.
    TooMany {
        /// How many.
        points: usize,
        /// How many there may be.
        limit: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { point, position } => {
                write!(f, "point {point} is not finite: {position:?}")
            }
            Self::Cell { cell } => write!(f, "cell width {cell} must be finite and above 0"),
            Self::Tolerance { tolerance } => {
                write!(f, "tolerance {tolerance} must be finite and not below 0")
            }
            Self::TooMany { points, limit } => {
                write!(f, "{points} points, but there may be {limit} at most")
            }
        }
    }
}

impl std::error::Error for Error {}

/// The most points that a structure here takes: ids are `u32`, and `u32::MAX` means none.
pub(crate) const MAX_POINTS: usize = u32::MAX as usize - 1;

/// Checks the number of points.
pub(crate) fn countable(points: usize) -> Result<(), Error> {
    if points > MAX_POINTS {
        return Err(Error::TooMany { points, limit: MAX_POINTS });
    }
    Ok(())
}
