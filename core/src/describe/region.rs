//! Parts of space that select vertices: a box, a ball, or one side of a plane.

use glam::Vec3;

/// A part of space. Its border belongs to it.
///
/// Positions are taken as they are given: those of a placed recipe (`cloth.mesh().positions`) are metres in the world
/// at the start.
///
/// # Example
/// ```
/// use seidel::{Cloth, Region};
/// let cloth = Cloth::grid([3, 3], [1.0, 1.0]);
/// let upper = Region::side([0.0, 0.0, 0.0], [0.0, 0.0, -1.0]);
/// let pins = upper.vertices(&cloth.mesh().positions);
/// assert_eq!(pins, [0, 1, 2, 3, 4, 5]);
/// let cloth = cloth.pin(&pins);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Region {
    /// A box along the axes, between any two opposite corners, metres.
    Box {
        /// A corner.
        from: Vec3,
        /// The one opposite.
        to: Vec3,
    },
    /// A ball, metres.
    Ball {
        /// Its centre.
        centre: Vec3,
        /// Its radius.
        radius: f32,
    },
    /// The side of a plane to which its normal points.
    Side {
        /// A point of the plane, metres.
        point: Vec3,
        /// Its normal, of any length above 0. (With 0 all points are on that side.)
        normal: Vec3,
    },
}

impl Region {
    /// [`Region::Box`] between two opposite corners, metres.
    #[must_use]
    pub fn cuboid(from: impl Into<Vec3>, to: impl Into<Vec3>) -> Region {
        Region::Box { from: from.into(), to: to.into() }
    }

    /// [`Region::Ball`], metres.
    #[must_use]
    pub fn ball(centre: impl Into<Vec3>, radius: f32) -> Region {
        Region::Ball { centre: centre.into(), radius }
    }

    /// [`Region::Side`]: what lies on the side of the plane through a point, metres, to which the normal points.
    #[must_use]
    pub fn side(point: impl Into<Vec3>, normal: impl Into<Vec3>) -> Region {
        Region::Side { point: point.into(), normal: normal.into() }
    }

    /// The same somewhere else, metres, as near as f32 can say.
    pub(crate) fn moved(self, by: [f64; 3]) -> Region {
        let at = |p: Vec3| Vec3::from_array(std::array::from_fn(|k| (f64::from(p[k]) + by[k]) as f32));
        match self {
            Region::Box { from, to } => Region::Box { from: at(from), to: at(to) },
            Region::Ball { centre, radius } => Region::Ball { centre: at(centre), radius },
            Region::Side { point, normal } => Region::Side { point: at(point), normal },
        }
    }

    /// Whether a point is in it, metres. What is not finite is in none.
    #[must_use]
    pub fn contains(&self, point: impl Into<Vec3>) -> bool {
        let point = point.into();
        if !point.is_finite() {
            return false;
        }
        let wide = |of: Vec3| of.to_array().map(f64::from);
        let p = wide(point);
        let from = |of: Vec3| [0, 1, 2].map(|k| p[k] - f64::from(of[k]));
        match *self {
            Region::Box { from, to } => (0..3).all(|k| {
                let between = |a: f32, b: f32| a <= point[k] && point[k] <= b;
                between(from[k], to[k]) || between(to[k], from[k])
            }),
            Region::Ball { centre, radius } => {
                let [x, y, z] = from(centre);
                let radius = f64::from(radius);
                radius >= 0.0 && (x * x + y * y) + z * z <= radius * radius
            }
            Region::Side { point, normal } => {
                let ([x, y, z], [a, b, c]) = (from(point), wide(normal));
                (x * a + y * b) + z * c >= 0.0
            }
        }
    }

    /// The positions that are in it, by number, in rising order.
    #[must_use]
    pub fn vertices(&self, positions: &[[f32; 3]]) -> Vec<u32> {
        (0..).zip(positions).filter(|(_, p)| self.contains(**p)).map(|(vertex, _)| vertex).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_have_their_borders_and_nothing_that_is_no_number() {
        let cube = Region::cuboid([1.0, 0.0, 0.0], [0.0, 1.0, 2.0]);
        assert!(cube.contains([1.0, 1.0, 2.0]) && cube.contains([0.0; 3]) && !cube.contains([0.5, 0.5, 2.1]));
        let ball = Region::ball([1.0, 0.0, 0.0], 0.5);
        assert!(ball.contains([1.5, 0.0, 0.0]) && !ball.contains([1.4, 0.4, 0.0]));
        let side = Region::side([0.0, 2.0, 0.0], [0.0, 3.0, 0.0]);
        assert!(side.contains([9.0, 2.0, 1.0]) && !side.contains([9.0, 1.9, 1.0]));
        for region in [cube, ball, side] {
            assert!(!region.contains([f32::NAN; 3]), "{region:?}");
        }
    }
}
