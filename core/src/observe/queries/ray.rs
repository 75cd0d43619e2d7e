//! A ray, and whether what is asked is within its limits.

use super::error::QueryError;
use super::part;
use crate::geometry::vector::{P, add, scale};
use glam::DVec3;

/// Rays that a thread takes at a time.
pub(super) const CHUNK: usize = 64;

/// A ray, or the way of a ball's centre.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ray {
    /// Where it begins, metres.
    pub origin: DVec3,
    /// Where it goes; any length above 0.
    pub direction: DVec3,
    /// How far it goes, metres, >= 0; may be infinite.
    pub most: f64,
}

impl Ray {
    /// From a point, metres, in a direction of any length, so far, metres.
    #[must_use]
    pub fn new(origin: impl Into<DVec3>, direction: impl Into<DVec3>, most: f64) -> Ray {
        Ray { origin: origin.into(), direction: direction.into(), most }
    }
}

impl Ray {
    /// Origin and direction at length 1.
    pub(super) fn line(&self) -> (P, P) {
        (self.origin.to_array(), unit_way(self.direction))
    }

    pub(super) fn at(&self, distance: f64) -> P {
        let (from, way) = self.line();
        add(from, scale(way, distance))
    }

    pub(super) fn check(&self, index: usize) -> Result<(), QueryError> {
        check_way(index, self.direction, self.most)?;
        check_position(index, self.origin)
    }
}

/// A direction at length 1.
pub(super) fn unit_way(direction: DVec3) -> P {
    let largest = direction.to_array().iter().fold(0.0, |a: f64, c| if c.abs() > a { c.abs() } else { a });
    // First by the largest: squares of very small or large numbers leave the range.
    part::unit((direction / largest).to_array(), [0.0, 1.0, 0.0])
}

pub(super) fn check_way(index: usize, direction: DVec3, most: f64) -> Result<(), QueryError> {
    if !direction.is_finite() || direction == DVec3::ZERO {
        return Err(QueryError::Direction { index, direction });
    }
    let good = most >= 0.0;
    if good { Ok(()) } else { Err(QueryError::Length { index, what: "distance", value: most }) }
}

pub(super) fn check_position(index: usize, position: DVec3) -> Result<(), QueryError> {
    let good = position.to_array().iter().all(|c| c.abs() <= 1e9);
    if good { Ok(()) } else { Err(QueryError::Position { index, position }) }
}

pub(super) fn check_length(what: &'static str, value: f64, finite: bool) -> Result<(), QueryError> {
    if value >= 0.0 && finite { Ok(()) } else { Err(QueryError::Length { index: 0, what, value }) }
}
