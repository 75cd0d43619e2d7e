//! Why a query has no answer.

use glam::{DQuat, DVec3};

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The state belongs to another plan than the one that the queries were made of.
    #[error("queries are asked with another plan or state than they were made for")]
    Foreign,
    /// A direction without length or with a number that is not finite.
    #[error("ray {index}: direction is {direction}, which is no direction")]
    Direction {
        /// Of the ray.
        index: usize,
        /// As given.
        direction: DVec3,
    },
    /// A position that is not within +-1e9 m.
    #[error("query {index}: position is {position}, which is not within +-1e9 m")]
    Position {
        /// Of the query.
        index: usize,
        /// As given.
        position: DVec3,
    },
    /// A length below 0, or not a number.
    #[error("query {index}: {what} is {value} m, which is not at least 0")]
    Length {
        /// Of the query.
        index: usize,
        /// Radius or distance.
        what: &'static str,
        /// As given.
        value: f64,
    },
    /// A shape that is not convex cannot be cast.
    #[error("shape {index}: a {shape} is not convex; cast a sphere, a capsule, a cuboid, a cylinder, a cone or a hull")]
    NotConvex {
        /// Of the shape.
        index: usize,
        /// Its name.
        shape: &'static str,
    },
    /// A size of a shape that is 0, below 0, or not within 1e6 m.
    #[error("shape {index}: {what} is {value} m, which is not above 0 and at most 1e6")]
    Size {
        /// Of the shape.
        index: usize,
        /// Which size.
        what: &'static str,
        /// As given.
        value: f64,
    },
    /// A rotation that is no unit quaternion.
    #[error("shape {index}: rotation is {:?}, which is no unit quaternion", rotation.to_array())]
    Rotation {
        /// Of the shape.
        index: usize,
        /// As given.
        rotation: DQuat,
    },
    /// Answers have another number of places than there are questions.
    #[error("there are {rays} rays and {places} places for answers")]
    Places {
        /// Questions.
        rays: usize,
        /// Places.
        places: usize,
    },
}
