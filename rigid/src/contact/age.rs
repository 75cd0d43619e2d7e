//! Manifolds that no longer hold: found anew within a step where bodies have moved too far against each other.
//!
//! ```text
//!  moved = |way| + radius |turn|           since the manifold was found, of B against A at the contact
//!  pace  = by how much that grows in a substep, and closing by how much the gap shrinks
//!  stale:  moved + pace > most,  and gap < 2 (closing + pace) + radius |turn|:
//!          they may meet in this substep or the next
//!          where solids of faces are apart, beside their faces: moved + pace > gap / 2 will do
//! ```
//! Found anew is a manifold before the substep at whose start it no longer holds. Velocities within a sweep are of no
//! use for that: impulses of a heap are kept from substep to substep, and each of them alone is a kick.

use crate::tuning::{FACE_SLIDES, HOLDS, HOLDS_FLAT, HOLDS_ROUND, HOLDS_SURFACE, LEAST_CORE, ROUND_NEARS};
use crate::{BodyRow, Shape};
use seidel_kernels::{Lanes, V3};

/// How far the bodies of a contact may move against each other before its manifold is found anew.
#[derive(Clone, Copy, Debug)]
pub struct Lasts {
    /// How much of a way counts, and of a turn about the normal: 0 on a half space, all of whose places are alike,
    /// little where faces lie on each other.
    pub(super) slides: f32,
    /// Metres by which a turn of 1 rad counts.
    pub(super) radius: f32,
    /// Metres.
    pub(super) most: f32,
    /// Metres: shapes that are farther apart, and would not meet otherwise, are not looked at.
    pub(super) near: f32,
    /// Metres that it moves in a substep, and by which the shapes come nearer.
    pub(super) pace: f32,
    pub(super) closing: f32,
    /// Whether the way between them is that between closest points, which may turn fast where one passes a corner of the
    /// other.
    pub(super) passes: bool,
}

/// Two shapes that meet, as a substep begins. Directions are the world's, places are seen from the first body's centre.
#[derive(Clone, Copy, Debug)]
pub struct Meeting<'a> {
    /// The shapes.
    pub shapes: [&'a Shape; 2],
    /// Radii of the balls about the origin of each ([`Shape::bound`], [`Shape::core`]), metres.
    pub balls: [[f32; 2]; 2],
    /// Their origins, and the centre of the second body, metres.
    pub origins: [V3<f32>; 2],
    /// See `origins`.
    pub offset: V3<f32>,
    /// From the first to the second.
    pub normal: V3<f32>,
    /// Points at which they meet, and whether beside their faces ([`crate::manifold::Manifold::aside`]).
    pub points: usize,
    /// See `points`.
    pub aside: bool,
    /// Whether the second does not move in this step.
    pub still: bool,
    /// The bodies, and the length of the substep, seconds.
    pub rows: [&'a BodyRow; 2],
    /// See `rows`.
    pub h: f32,
}

impl Lasts {
    /// A manifold that holds wherever bodies go.
    pub const FOREVER: Lasts =
        Lasts { slides: 0.0, radius: 0.0, most: 0.0, near: 0.0, pace: 0.0, closing: 0.0, passes: false };

    /// Of two shapes that meet.
    #[must_use]
    pub fn of(meeting: &Meeting<'_>) -> Lasts {
        let Meeting { shapes: [a, b], balls, origins, offset, normal, points, aside, still, rows: [row_a, row_b], h } =
            *meeting;
        let smaller = usize::from(balls[1][0] < balls[0][0]);
        let is_flat = |shape: &Shape| shape.is_polyhedron() || matches!(shape, Shape::HalfSpace);
        let is_round = |shape: &Shape| matches!(shape, Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::HalfSpace);
        let slides = match b {
            Shape::HalfSpace if still => 0.0,
            _ if points > 2 => FACE_SLIDES,
            _ => 1.0,
        };
        // A ball's turn is of no consequence.
        let radius = if matches!([a, b][smaller], Shape::Sphere { .. }) { 0.0 } else { balls[smaller][0] };
        let ([of_bound, of_core, metres], nears) = if is_flat(a) && is_flat(b) {
            (HOLDS_FLAT, 0.0)
        } else if is_round(a) && is_round(b) {
            (HOLDS_ROUND, ROUND_NEARS)
        } else if matches!(b, Shape::Surface(_)) {
            (if matches!(a, Shape::Sphere { .. }) { HOLDS_ROUND } else { HOLDS_SURFACE }, 0.0)
        } else {
            (HOLDS, 0.0)
        };
        let [[bound_a, core_a], [bound_b, core_b]] = match b {
            Shape::HalfSpace | Shape::Surface(_) => [balls[0]; 2],
            _ => balls,
        };
        let bound = bound_a.smaller(bound_b);
        // The origin of a hull may lie outside of it.
        let core = core_a.smaller(core_b).larger(bound * LEAST_CORE);
        let most = (bound * of_bound).smaller(core * of_core).smaller(metres);
        let at = |row: &BodyRow, r| row.velocity() + row.angular_velocity().cross(r);
        let velocity = at(row_b, origins[smaller] - offset) - at(row_a, origins[smaller]);
        let spin = row_b.angular_velocity() - row_a.angular_velocity();
        let about = normal.dot(spin);
        let turn = (spin - normal * about).length() + about.abs() * slides;
        let pace = (velocity.length() * slides + turn * radius) * h;
        Lasts { slides, radius, most, near: most * nears, pace, closing: -normal.dot(velocity) * h, passes: aside }
    }
}
