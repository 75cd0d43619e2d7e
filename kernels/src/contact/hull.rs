//! Convex hull: what lies behind all of its planes.
//!
//! C(x) = max_i (n_i.x - d_i). Inside this is the distance; outside it is at most that, equal where a face is nearest,
//! and less over edges and corners: there the surface at a thickness is mitred, thickness / cos(half the angle between
//! the normals) away. C is convex and |grad C| = 1, which is all that following a path needs.

use super::signed::{SignedDistance, number};
use crate::V3;
use crate::lanes::Lanes;

/// Planes that somebody else holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hull<'a> {
    planes: &'a [[f32; 4]],
    bound: f32,
    girth: f32,
}

impl<'a> Hull<'a> {
    /// Planes [unit normal, d], metres: n.x = d on them; the radius of a ball about the origin that holds the hull; and
    /// half the distance of the closest two parallel planes that have it between them, about.
    ///
    /// # Panics
    /// If there is no plane.
    #[must_use]
    pub fn new(planes: &'a [[f32; 4]], bound: f32, girth: f32) -> Self {
        assert!(!planes.is_empty(), "a hull without a face");
        Self { planes, bound, girth }
    }
}

/// How far a point is above a plane, and the plane's normal.
#[inline(always)]
fn above<L: Lanes>([a, b, c, d]: [f32; 4], x: V3<L>) -> (L, V3<L>) {
    let n = V3::new(number(a), number(b), number(c));
    (n.dot(x) - number(d), n)
}

impl SignedDistance for Hull<'_> {
    #[cfg_attr(not(seidel_portable), inline(always))]
    #[cfg_attr(seidel_portable, inline(never))]
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>) {
        let (mut most, mut normal) = above(self.planes[0], x);
        for &plane in &self.planes[1..] {
            let (c, n) = above(plane, x);
            let further = most.lt(c);
            most = L::select(further, c, most);
            normal = V3::select(further, n, normal);
        }
        (most, normal)
    }

    fn bound(&self) -> f32 {
        self.bound
    }

    fn girth(&self) -> f32 {
        self.girth
    }

    fn dear(&self) -> bool {
        true
    }
}
