//! Manifolds that no longer hold: found anew within a step where bodies have moved too far against each other.
//!
//! ```text
//!  moved = |way| + radius |turn|           since the manifold was found, of B against A at the contact
//!  pace  = by how much that grows in a substep, and closing by how much the gap shrinks
//!  stale:  moved + pace > most,  and gap < 2 (closing + pace) + radius |turn|:
//!          they may meet in this substep or the next
//! ```
//! Found anew is a manifold before the substep at whose start it no longer holds. Velocities within a sweep are of no
//! use for that: impulses of a heap are kept from substep to substep, and each of them alone is a kick.

use super::rows::{Batch, NONE, Resistance};
use super::{Contact, get};
use crate::tuning::{FACE_SLIDES, HOLDS, HOLDS_FLAT, HOLDS_ROUND, HOLDS_SURFACE, LEAST_CORE, ROUND_NEARS};
use crate::{BodyRow, Shape};
use seidel_kernels::{BATCH, Isa, Lanes, Pack, V3};

/// How far the bodies of a contact may move against each other before its manifold is found anew.
#[derive(Clone, Copy, Debug)]
pub struct Lasts {
    /// How much of a way counts, and of a turn about the normal: 0 on a half space, all of whose places are alike,
    /// little where faces lie on each other.
    slides: f32,
    /// Metres by which a turn of 1 rad counts.
    radius: f32,
    /// Metres.
    most: f32,
    /// Metres: shapes that are farther apart, and would not meet otherwise, are not looked at.
    near: f32,
    /// Metres that it moves in a substep, and by which the shapes come nearer.
    pace: f32,
    closing: f32,
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
    /// Points at which they meet.
    pub points: usize,
    /// Whether the second does not move in this step.
    pub still: bool,
    /// The bodies, and the length of the substep, seconds.
    pub rows: [&'a BodyRow; 2],
    /// See `rows`.
    pub h: f32,
}

impl Lasts {
    /// A manifold that holds wherever bodies go.
    pub const FOREVER: Lasts = Lasts { slides: 0.0, radius: 0.0, most: 0.0, near: 0.0, pace: 0.0, closing: 0.0 };

    /// Of two shapes that meet.
    #[must_use]
    pub fn of(meeting: &Meeting<'_>) -> Lasts {
        let Meeting { shapes: [a, b], balls, origins, offset, normal, points, still, rows: [row_a, row_b], h } =
            *meeting;
        let smaller = usize::from(balls[1][0] < balls[0][0]);
        let is_flat = |shape: &Shape| shape.is_polyhedron() || matches!(shape, Shape::HalfSpace);
        let is_round = |shape: &Shape| matches!(shape, Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::HalfSpace);
        let slides = match b {
            Shape::HalfSpace if still => 0.0,
            _ if points > 2 => FACE_SLIDES,
            _ => 1.0,
        };
        // What a ball turns by is of no consequence.
        let radius = if matches!([a, b][smaller], Shape::Sphere { .. }) { 0.0 } else { balls[smaller][0] };
        let ([of_bound, of_core, metres], nears) = match () {
            () if is_flat(a) && is_flat(b) => (HOLDS_FLAT, 0.0),
            () if is_round(a) && is_round(b) => (HOLDS_ROUND, ROUND_NEARS),
            () if matches!(b, Shape::Surface(_)) => (HOLDS_SURFACE, 0.0),
            () => (HOLDS, 0.0),
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
        Lasts { slides, radius, most, near: most * nears, pace, closing: -normal.dot(velocity) * h }
    }
}

/// The same of up to sixteen contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Age {
    pub(super) slides: Pack<f32>,
    pub(super) radius: Pack<f32>,
    pub(super) most: Pack<f32>,
    pub(super) near: Pack<f32>,
    /// How far they had moved a substep before, and the least gap then.
    pub(super) moved: Pack<f32>,
    pub(super) gap: Pack<f32>,
    /// 1 where the manifold no longer holds; once some are found anew, of these.
    pub(super) stale: Pack<f32>,
}

/// How far a body has gone since the step began, metres, and the rotation since then.
pub(super) type Since<T> = ([T; 3], [T; 4]);

/// Of both bodies, before any manifold is found anew.
pub(super) const START: [Since<Pack<f32>>; 2] = [([NONE; 3], [NONE, NONE, NONE, Pack([1.0; BATCH])]); 2];

impl Age {
    pub(super) const NONE: Age =
        Age { slides: NONE, radius: NONE, most: NONE, near: NONE, moved: NONE, gap: NONE, stale: NONE };

    /// Of a manifold that is found; `gap` is its least separation.
    pub(super) fn set(&mut self, lane: usize, lasts: &Lasts, gap: f32) {
        (self.slides.0[lane], self.radius.0[lane]) = (lasts.slides, lasts.radius);
        (self.most.0[lane], self.near.0[lane]) = (lasts.most, lasts.near);
        (self.moved.0[lane], self.gap.0[lane]) = (-lasts.pace, gap + lasts.closing);
    }
}

impl Batch {
    /// Whether a manifold of any of its contacts no longer holds, since [`Batch::warm`] looked.
    #[must_use]
    pub fn is_any_stale(&self) -> bool {
        self.stales
    }

    /// Whether that of a contact does not.
    #[must_use]
    pub fn is_stale(&self, lane: usize) -> bool {
        self.stales && self.age.stale.0[lane] > 0.0
    }

    /// Forgets which manifolds no longer hold; [`Batch::renew`] of some comes next, then [`Batch::weigh_renewed`].
    pub fn begin_renewal(&mut self) {
        self.age.stale = NONE;
    }

    /// The normal of a contact, of the world, and where it lies: the middle of its points, from the first body's
    /// centre. Both of when the manifold was found.
    #[must_use]
    pub fn place(&self, lane: usize) -> [V3<f32>; 2] {
        [get(&self.normal, lane), get(&self.friction.begun, lane)]
    }

    /// Whether its shapes were in each other when the substep before began.
    #[must_use]
    pub fn presses(&self, lane: usize) -> bool {
        self.age.gap.0[lane] <= 0.0
    }

    /// Takes a manifold that was found where the bodies now are; `rows` are the bodies now, and `contact` of now.
    pub fn renew(&mut self, lane: usize, contact: &Contact<'_>, rows: &[BodyRow]) {
        if !self.renewed {
            (self.renewed, self.since) = (true, START);
        }
        for (since, body) in self.since.iter_mut().zip(contact.bodies) {
            let row = &rows[body as usize];
            (0..3).for_each(|k| since.0[k].0[lane] = row.dx[k]);
            (0..4).for_each(|k| since.1[k].0[lane] = row.turn[k]);
        }
        self.points.iter_mut().for_each(|point| point.normal.0[lane] = 0.0);
        self.age.stale.0[lane] = 1.0;
        self.set(lane, contact, rows);
    }

    /// Fills what only some batches write with what is no number, to show that nobody reads it before.
    pub fn poison(&mut self) {
        let nan = Pack([f32::NAN; BATCH]);
        self.since = [([nan; 3], [nan; 4]); 2];
        self.resistance = Resistance { rolling: nan, spinning: nan, inertia: [nan; 3], impulse: [nan; 2] };
        for points in &mut self.points {
            points.begun = [nan; 3];
            points.round = [nan; 2];
            points.arm = [nan; 3];
            for of in [&mut points.separation, &mut points.lean, &mut points.gap, &mut points.mass] {
                *of = nan;
            }
            (points.normal, points.lever) = (nan, nan);
        }
    }

    /// Finds the masses that impulses see, of contacts that were found anew.
    pub fn weigh_renewed(&mut self, isa: Isa, rows: &[BodyRow]) {
        self.weigh_some(isa, rows, true);
    }

    /// Where a body is, as its row tells it, relative to where it was when a manifold was found.
    pub(super) fn moved(&self, body: usize, lane: usize, row: &BodyRow) -> BodyRow {
        if !self.renewed {
            return *row;
        }
        let (dx, turn) = &self.since[body];
        let (dx, turn) = (dx.each_ref().map(|of| of.0[lane]), turn.each_ref().map(|of| of.0[lane]));
        let [x, y, z, w] = row.turn;
        let (q, w) = since((V3::new(x, y, z), w), (V3::new(turn[0], turn[1], turn[2]), turn[3]));
        let mut moved = *row;
        (0..3).for_each(|k| moved.dx[k] = row.dx[k] - dx[k]);
        moved.turn = [q.x, q.y, q.z, w];
        moved
    }
}

/// A rotation since another: q p~.
#[inline(always)]
pub(super) fn since<L: Lanes>((q, w): (V3<L>, L), (p, u): (V3<L>, L)) -> (V3<L>, L) {
    ((q * u - p * w) - q.cross(p), w * u + q.dot(p))
}
