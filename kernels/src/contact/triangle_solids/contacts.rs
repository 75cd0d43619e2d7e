//! Triangles that a solid keeps out, and how exactly.

use crate::contact::{Slack, Solid, Surface, Traced, TriangleBounce};
use crate::integrate::Motion;
use crate::{Batches, Pack, Row};
use seidel_workers::Shared;
use std::ops::Range;

/// Part of the thickness by which a triangle may be deep.
pub(super) const SHALLOW: f64 = 1.0 / 2048.0;

/// `SLACK` as part of the girth, at least: what is thin is not looked at more closely than the shape's own detail asks
/// for.
pub(super) const LEAST_SLACK: f64 = 1.0 / 1024.0;

/// Part of a coordinate: roundings of f32 in a distance.
pub(super) const ROUNDING: f64 = 3e-7;

/// Keeps triangles out of a solid, with friction. The rows have the parameters [thickness, friction as
/// `Surface::combine` takes it, restitution].
#[derive(Clone, Copy, Debug)]
pub struct TriangleSolidContacts<'a> {
    /// The rows of the particles.
    pub motion: Motion<'a>,
    /// The solid in this substep.
    pub surface: Surface<Traced<Solid<'a>>>,
    /// The solid's own, added to that of triangles, metres.
    pub thickness: f32,
    /// Substep, seconds, if triangles may be inside at its start and are to leave without a velocity.
    pub leaving: Option<f32>,
    /// Multipliers [tau x, tau y, tau z, normal], four packs a batch; empty if they need not be kept.
    pub held: Shared<'a, Pack<f32>>,
    /// True if nothing is held yet in this substep.
    pub first: bool,
    /// For each row of the motion the last normal and the sum of the pushes along it, [n, metres], to which this adds
    /// for the corners; empty if nobody asks.
    pub record: Shared<'a, Row>,
    /// When each lane of the batches is to be looked at.
    pub slack: Slack<'a>,
    /// Where what is to bounce is written down; None if nothing does.
    pub bounce: Option<TriangleBounce<'a>>,
    /// In place of being pushed, a triangle that has gone into the solid goes back along its way.
    pub back: Option<Back>,
}

/// How far a triangle goes back that has gone into a solid from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// To where it was still outside.
    Outside,
    /// To where it began, beside the solid.
    ToBegin,
}

/// Depth below the surface beyond which a triangle has gone in, as part of the girth (half of what a shape is thick
/// where it is thinnest): as deep as a least step along a way overtakes. With less, roundings send triangles back.
pub(super) const GONE_IN: f64 = 1.0 / 64.0;

/// Depth of a begin up to which a triangle counts as one that came from outside, as part of the girth: so near the
/// surface the distance still tells the right way out. With half a girth it would be as near to the other side.
pub(super) const TOLD: f64 = 0.25;

pub(super) struct Solve<'a, D> {
    pub(super) contacts: &'a TriangleSolidContacts<'a>,
    pub(super) shape: &'a D,
    pub(super) triangles: &'a Batches,
    pub(super) batches: Range<usize>,
}
