//! Boxes around shapes.

use crate::Shape;
use seidel_kernels::{Lanes, V3};

impl Shape {
    /// How far the shape reaches along each axis of the world from its origin, when its own axes are `axes`; None of a
    /// half space, which has no end.
    #[must_use]
    pub fn extent(&self, axes: &[V3<f32>; 3]) -> Option<[f32; 3]> {
        let [x, y, z] = *axes;
        let of = |v: V3<f32>| [v.x.abs(), v.y.abs(), v.z.abs()];
        match self {
            Shape::HalfSpace => None,
            Shape::Sphere { radius } => Some([*radius; 3]),
            Shape::Capsule { radius, half_length } => Some(of(y).map(|c| c * half_length + radius)),
            Shape::Cuboid { .. } | Shape::Surface(_) => {
                let [a, b, c] = self.half();
                let (x, y, z) = (of(x), of(y), of(z));
                Some([0, 1, 2].map(|k| (x[k] * a + y[k] * b) + z[k] * c))
            }
            Shape::Cylinder { radius, half_height } | Shape::Cone { radius, half_height } => {
                // Of a disc: its radius times the sine of the angle between its axis and that of the world.
                let disc = |c: f32| radius * (1.0 - c * c).larger(0.0).sqrt();
                Some(of(y).map(|c| c * half_height + disc(c)))
            }
            Shape::Hull(hull) => {
                let mut most = [0.0f32; 3];
                for &[a, b, c] in &hull.parts.vertices {
                    let at = of((x * a + y * b) + z * c);
                    most = [0, 1, 2].map(|k| most[k].larger(at[k]));
                }
                Some(most)
            }
        }
    }

    /// Half the sides of a box, or of the box about the origin that holds a surface, metres; 0 of others.
    fn half(&self) -> [f32; 3] {
        match self {
            Shape::Cuboid { half } => *half,
            Shape::Surface(surface) => surface.half(),
            _ => [0.0; 3],
        }
    }

    /// How far the surface lies from the point or segment inside that turns it: the radius of balls and capsules, 0 of
    /// all others.
    #[must_use]
    pub fn rounding(&self) -> f32 {
        match self {
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
            _ => 0.0,
        }
    }

    /// The radius of a ball about the origin that the shape holds, metres; 0 where the origin is outside.
    #[must_use]
    pub fn core(&self) -> f32 {
        match self {
            Shape::HalfSpace | Shape::Surface(_) => 0.0,
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
            Shape::Cuboid { half: [a, b, c] } => a.smaller(*b).smaller(*c),
            Shape::Cylinder { radius, half_height } => radius.smaller(*half_height),
            Shape::Cone { radius, half_height } => {
                let slant = (4.0 * half_height * half_height + radius * radius).sqrt();
                half_height.smaller(half_height * radius / slant)
            }
            Shape::Hull(hull) => {
                hull.parts.planes.iter().fold(f32::INFINITY, |least, plane| least.smaller(plane[3])).larger(0.0)
            }
        }
    }

    /// The radius of a ball about the origin that holds the shape, metres; infinite of a half space.
    #[must_use]
    pub fn bound(&self) -> f32 {
        let length = |[x, y, z]: [f32; 3]| (x * x + y * y + z * z).sqrt() * (1.0 + 1e-6);
        match self {
            Shape::HalfSpace => f32::INFINITY,
            Shape::Sphere { radius } => *radius,
            Shape::Capsule { radius, half_length } => radius + half_length,
            Shape::Cuboid { .. } | Shape::Surface(_) => length(self.half()),
            Shape::Cylinder { radius, half_height } | Shape::Cone { radius, half_height } => {
                length([*radius, *half_height, 0.0])
            }
            Shape::Hull(hull) => hull.parts.vertices.iter().fold(0.0f32, |most, &x| most.larger(length(x))),
        }
    }
}
