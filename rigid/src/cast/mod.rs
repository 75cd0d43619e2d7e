//! Where a convex shape on a straight way first meets another one, in f64.
//!
//! ```text
//!   A at t = 0          A at t                   d(t), the distance of A + t w from B, is convex: its tangent
//!    ___                 ___   ___               lies below it, so a step of d / -d' never goes too far, and a
//!   |   |  --- w --->   |   |n|   | B            distance that does not fall never will.    d' = w.n, n from A to B
//!   |___|               |___| |___|
//! ```
//!
//! The distance is that of GJK, the steps are Newton's (with d(t) for a time of impact they are the conservative
//! advancement of Mirtich and Canny 1995, which for a translation loses nothing). What begins in the other is told its
//! depth by EPA.

// !(t <= most) is also true where t is NaN.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod ring;
#[cfg(test)]
mod tests;

use crate::manifold::convex::{Convex, WideTransform, nearest, separation};
pub use crate::solid::Solid;
use crate::vector::V;
use seidel_kernels::V3;

/// Steps at most. Of polyhedra they are a few; grazing round shapes halve what is left with each.
const MOST_STEPS: usize = 128;

/// Metres, as a share of coordinates and sizes: what is nearer touches; where steps ran out it is more.
const TOUCHES: f64 = 1e-10;
const GRAZES: f64 = 1e-7;

/// A solid somewhere.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    convex: Convex<'a>,
}

/// Where a shape on its way meets another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// How far it has gone, metres; 0 where it begins in the other or touches it.
    pub at: f64,
    /// Unit normal out of the other, towards the shape.
    pub normal: [f64; 3],
    /// A point of the other's surface that is met; of several any.
    pub point: [f64; 3],
}

fn v(x: [f64; 3]) -> V {
    V3::set(x)
}

fn array(v: V) -> [f64; 3] {
    [v.x, v.y, v.z]
}

impl<'a> Placed<'a> {
    /// With its axes and its origin in the world.
    #[must_use]
    pub fn new(solid: Solid<'a>, axes: [[f64; 3]; 3], at: [f64; 3]) -> Placed<'a> {
        Placed { convex: Convex::of(solid, WideTransform { axes: axes.map(v), at: v(at) }) }
    }

    /// In the world's own frame.
    #[must_use]
    pub fn here(solid: Solid<'a>) -> Placed<'a> {
        Placed { convex: Convex::of(solid, WideTransform::HERE) }
    }

    /// The box about it: lowest and highest corner.
    #[must_use]
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            let mut axis = [0.0; 3];
            axis[k] = 1.0;
            low[k] = array(self.convex.support(-v(axis)))[k] - self.convex.radius;
            high[k] = array(self.convex.support(v(axis)))[k] + self.convex.radius;
        }
        [low, high]
    }

    /// A point of its inside, wherever its own frame's origin is: the mean of what is outermost along the axes.
    #[must_use]
    pub fn inner(&self) -> [f64; 3] {
        let mut sum = v([0.0; 3]);
        for k in 0..3 {
            let mut axis = [0.0; 3];
            axis[k] = 1.0;
            sum = sum + (self.convex.support(v(axis)) + self.convex.support(-v(axis)));
        }
        array(sum * (1.0 / 6.0))
    }

    fn at(&self, way: V, t: f64) -> Convex<'a> {
        self.convex.moved(way * t)
    }

    /// Where it meets another on a way of length 1, within `most` metres.
    #[must_use]
    pub fn cast(&self, other: &Placed<'_>, way: [f64; 3], most: f64) -> Option<Impact> {
        let way = v(way);
        let (b, radii) = (&other.convex, self.convex.radius + other.convex.radius);
        // What GJK begins with: a better guess saves steps, any is right.
        let first = b.support(-way) - self.convex.support(way);
        let (mut t, mut last, mut grazes) = (0.0, None, false);
        for _ in 0..MOST_STEPS {
            let a = self.at(way, t);
            // None of what is no number.
            let pair = nearest(&a, b, first, f64::INFINITY)?;
            let left = pair.separation - radii;
            let impact =
                Impact { at: t, normal: array(-pair.normal), point: array(pair.b - pair.normal * other.convex.radius) };
            let touches = TOUCHES * (1.0 + t + (pair.a.norm_1() + pair.b.norm_1()));
            if left <= touches {
                // A normal of what hardly separates is a rounding; that of the step before is none.
                let begins = t == 0.0 || radii > 0.0;
                return Some(last.filter(|_| !begins).map_or(impact, |last| Impact { normal: last, ..impact }));
            }
            let falls = pair.normal.dot(way);
            if falls <= 0.0 {
                return None;
            }
            (last, grazes) = (Some(impact.normal), left <= GRAZES / TOUCHES * touches);
            // Along the normal they are apart by what GJK is sure of, which roundings leave below the distance.
            let sure = separation(&a, b, pair.normal) - radii;
            t += if sure > touches { sure } else { 0.25 * left } / falls;
            if !(t <= most) {
                return None;
            }
        }
        // Its steps ran out: it grazes, or it is not known to meet anything.
        last.filter(|_| grazes).map(|normal| Impact {
            at: t,
            normal,
            point: array(self.at(way, t).support(-v(normal))),
        })
    }

    /// The same of a half space: all below the plane through a point, whose unit normal is given.
    #[must_use]
    pub fn cast_half_space(&self, normal: [f64; 3], on: [f64; 3], way: [f64; 3], most: f64) -> Option<Impact> {
        let (n, way) = (v(normal), v(way));
        let lowest = self.convex.support(-n) - n * self.convex.radius;
        let height = n.dot(lowest - v(on));
        let falls = -n.dot(way);
        let t = if height <= 0.0 { 0.0 } else { height / falls };
        // Along the plane it falls by 0, of either sign: never.
        if height > 0.0 && !(falls > 0.0) || !(t <= most && t < f64::INFINITY) {
            return None;
        }
        let met = lowest + way * t;
        let point = if height <= 0.0 { met - n * height } else { met };
        Some(Impact { at: t, normal, point: array(point) })
    }
}
