//! On which side of a plane a point lies: the sign of a determinant, exactly, by the adaptive predicates of Shewchuk
//! 1997, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates".
//!
//! Those are exact as long as nothing overflows or underflows, and with coordinates that are f32 nothing ever does:
//! differences, their products and every part of an expansion are multiples of 2^-447, the third power of the least
//! subnormal, and below 2^400; f64 reaches from 2^-1074 to 2^1024. So all finite f32 will do, subnormal ones too.

use robust::{Coord3D, orient3d};

/// Coordinates of an f32 point, metres.
pub(super) type Point = [f64; 3];

/// A triangle of any shape: one without an area is a segment or a point.
pub(super) type Triangle = [Point; 3];

/// -1, 0 or 1.
pub(super) fn sign(value: f64) -> i32 {
    i32::from(value > 0.0) - i32::from(value < 0.0)
}

/// On which side of the plane through a, b and c the point d is; 0 if it is on it, or if there is no plane.
pub(super) fn side([a, b, c]: Triangle, d: Point) -> i32 {
    let at = |[x, y, z]: Point| Coord3D { x, y, z };
    sign(orient3d(at(a), at(b), at(c), at(d)))
}

/// Whether four points lie in one plane.
pub(super) fn coplanar([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    side([a, b, c], d) == 0
}
