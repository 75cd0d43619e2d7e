//! Convex solids that are cast.

/// A convex solid in its own frame, metres. Sizes are finite; nothing here checks them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid<'a> {
    /// About the origin.
    Ball {
        /// Its radius.
        radius: f64,
    },
    /// All within a radius of a segment along y about the origin.
    Capsule {
        /// The radius.
        radius: f64,
        /// Half the segment.
        half_length: f64,
    },
    /// A box about the origin along the axes.
    Cuboid {
        /// Half its sides.
        half: [f64; 3],
    },
    /// Between two discs about y: a cylinder, a cone.
    Frustum {
        /// Of the disc at -y, and of that at y; may be 0.
        radii: [f64; 2],
        /// Half the height.
        half_height: f64,
    },
    /// The convex hull of points.
    Hull(&'a [[f32; 3]]),
    /// All within a radius of a segment.
    Segment {
        /// Its ends.
        ends: [[f64; 3]; 2],
        /// May be 0.
        radius: f64,
    },
    /// A triangle.
    Triangle([[f64; 3]; 3]),
}
