//! What a query looks at, and what it finds.

use crate::describe::filter::Filter;
use crate::describe::ids::{BodyId, ColliderId, RigidId};
use glam::DVec3;

/// The thing that a query found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Target {
    /// A body that deforms, or an obstacle.
    Body(BodyId),
    /// A rigid body.
    Rigid(RigidId),
    /// A collider.
    Collider(ColliderId),
}

/// Which part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// A triangle of a body, or of the surface of a distance field or height field, and the corners' shares in the
    /// point: their sum is 1.
    Triangle(u32, [f64; 3]),
    /// Two vertices of a rope or rod, and their shares in the point of its axis.
    Segment([u32; 2], [f64; 2]),
    /// A particle that is in no triangle and no segment.
    Particle(u32),
    /// A shape, by its number in its rigid body; 0 of a collider.
    Shape(u32),
}

/// Where a query met something.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// The thing that it met.
    pub target: Target,
    /// Which part of it.
    pub part: Part,
    /// On its surface, metres.
    pub position: DVec3,
    /// Unit normal: of a triangle against the ray; of a shape out of it, also where the ray begins inside.
    pub normal: DVec3,
    /// Along the ray, or from the point (negative within a solid), metres.
    pub distance: f64,
}

/// The things that a query looks at: all unless told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Look {
    /// Only what this meets ([`Filter::meets`]); everything if there is none.
    pub filter: Option<Filter>,
    /// Not this.
    pub exclude: Option<Target>,
}

impl Look {
    /// Only at what meets a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Look {
        self.filter = Some(filter);
        self
    }

    /// At all but this.
    #[must_use]
    pub fn exclude(mut self, target: Target) -> Look {
        self.exclude = Some(target);
        self
    }
}
