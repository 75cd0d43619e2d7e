//! What a grid refuses.

use std::fmt;

/// An error that names the point, the box or the value, and the limit.
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
    /// A box has a coordinate that is NaN or infinite, or ends before it begins.
    Box {
        /// Index of the first such box.
        index: usize,
        /// Its low corner.
        low: [f32; 3],
        /// Its high corner.
        high: [f32; 3],
    },
    /// A radius is not a finite number > 0.
    Radius {
        /// The radius.
        radius: f32,
    },
    /// A radius is above that for which the grid was made.
    Beyond {
        /// The radius.
        radius: f32,
        /// That of the grid.
        limit: f32,
    },
    /// A tolerance is not a finite number >= 0.
    Tolerance {
        /// The tolerance.
        tolerance: f32,
    },
    /// More points or boxes than 32-bit ids can name.
    TooMany {
        /// How many.
        points: usize,
        /// How many there may be.
        limit: usize,
    },
    /// More neighbours, or pairs, than was allowed.
    Crowded {
        /// How many there may be in all.
        limit: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { point, position } => {
                write!(f, "point {point} is not finite: {position:?}")
            }
            Self::Box { index, low, high } => {
                write!(f, "box {index} is not finite or ends before it begins: {low:?} to {high:?}")
            }
            Self::Radius { radius } => write!(f, "radius {radius} must be finite and above 0"),
            Self::Beyond { radius, limit } => {
                write!(f, "radius {radius} is above {limit}, for which the grid was made")
            }
            Self::Tolerance { tolerance } => {
                write!(f, "tolerance {tolerance} must be finite and not below 0")
            }
            Self::TooMany { points, limit } => {
                write!(f, "{points} points or boxes, but there may be {limit} at most")
            }
            Self::Crowded { limit } => write!(f, "more than {limit} neighbours or pairs, which is the limit set"),
        }
    }
}

impl std::error::Error for Error {}

/// The most points that a structure here takes: ids are `u32`, and `u32::MAX` means none.
pub(crate) const MAX_POINTS: usize = u32::MAX as usize - 1;

/// The most neighbours, or pairs, unless said otherwise: 4 GiB of them.
pub(crate) const MOST: usize = 1 << 30;

/// Checks the number of points.
pub(crate) fn countable(points: usize) -> Result<(), Error> {
    if points > MAX_POINTS {
        return Err(Error::TooMany { points, limit: MAX_POINTS });
    }
    Ok(())
}
