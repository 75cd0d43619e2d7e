//! Clipping a face of one solid to the sides of a face of the other (Sutherland and Hodgman 1974), with a name for each
//! corner.
//!
//! Each side of the polygon has a number: that of the incident face's edge, or 128 and that of the side plane that cut
//! it. The numbers of the two sides at a corner are the corner's name, which stays while the same features touch.

use super::point::{Manifold, Point};
use super::reduce;
use crate::tuning::{CLIP_SLACK, CLIP_SLACK_SHARE, LOWEST_LOST};
use seidel_kernels::{Lanes, V3};

/// How a manifold was found; the two highest bits of a feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reference {
    /// By a face of A.
    A = 0,
    /// By a face of B.
    B = 1,
    /// By an edge of each.
    Edges = 2,
}

/// The upper half of a feature.
#[inline(always)]
pub(super) fn feature(reference: Reference, first: u32, second: u32) -> u32 {
    ((reference as u32) << 30) | ((first & 127) << 23) | ((second & 127) << 16)
}

/// Number of the side that side plane `k` of the reference face cuts.
#[inline(always)]
pub(super) fn cut_side(k: usize) -> u32 {
    128 | (k as u32 & 127)
}

/// How far beyond a side a corner still counts as inside: else corners of two equal faces one on the other would change
/// their names with each rounding.
#[inline(always)]
pub(super) fn slack(side_length: f32) -> f32 {
    CLIP_SLACK.smaller(side_length * CLIP_SLACK_SHARE)
}

/// A convex polygon of at most N corners.
pub(super) struct Polygon<const N: usize> {
    corners: [Corner; N],
    count: usize,
    /// What it was before a cut.
    before: [Corner; N],
}

#[derive(Clone, Copy)]
struct Corner {
    at: V3<f32>,
    /// The number of the side from here to the next corner.
    side: u32,
}

impl<const N: usize> Polygon<N> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        let nothing = Corner { at: V3 { x: 0.0, y: 0.0, z: 0.0 }, side: 0 };
        Polygon { corners: [nothing; N], count: 0, before: [nothing; N] }
    }

    /// Adds a corner; one beyond N is left out.
    #[inline(always)]
    pub(super) fn push(&mut self, at: V3<f32>, side: u32) {
        if let Some(free) = self.corners.get_mut(self.count) {
            *free = Corner { at, side };
            self.count += 1;
        }
    }

    /// Cuts off all that is more than 0 above a plane.
    #[inline(always)]
    pub(super) fn cut(&mut self, side: u32, above: impl Fn(V3<f32>) -> f32) {
        let mut outside = false;
        for corner in &self.corners[..self.count] {
            outside |= above(corner.at) > 0.0;
        }
        if !outside {
            return;
        }
        let count = self.count;
        for (before, corner) in self.before.iter_mut().zip(&self.corners[..count]) {
            *before = *corner;
        }
        self.count = 0;
        let Corner { at: mut p, side: mut along } = self.before[count - 1];
        let mut hp = above(p);
        for k in 0..count {
            let Corner { at: q, side: next } = self.before[k];
            let hq = above(q);
            // Each crossing is reckoned from its inner end.
            if hp <= 0.0 && hq > 0.0 {
                self.push(p + (q - p) * (hp / (hp - hq)), side);
            } else if hp > 0.0 && hq <= 0.0 {
                self.push(q + (p - q) * (hq / (hq - hp)), along);
            }
            if hq <= 0.0 {
                self.push(q, next);
            }
            (p, hp, along) = (q, hq, next);
        }
    }

    /// The manifold of a reference face with outward unit `normal`: corners at most `reach` above it, reduced to four.
    ///
    /// `height` is that above the face, `name` the upper half of the features. `lowest` is the incident corner that was
    /// lowest before clipping, and `onto` the nearest point to it on the reference face.
    #[inline(always)]
    pub(super) fn manifold(
        &self,
        normal: V3<f32>,
        name: u32,
        reach: f32,
        height: impl Fn(V3<f32>) -> f32,
        lowest: V3<f32>,
        onto: impl Fn(V3<f32>) -> V3<f32>,
    ) -> Manifold {
        let mut found = [reduce::NOTHING; N];
        let mut count = 0;
        let mut least = f32::INFINITY;
        let corners = &self.corners[..self.count];
        let mut before = corners.last().map_or(0, |corner| corner.side);
        for Corner { at, side } in corners {
            let separation = height(*at);
            if separation <= reach {
                found[count] = reduce::Candidate { at: *at, separation, feature: name | (before << 8) | side };
                count += 1;
                least = least.smaller(separation);
            }
            before = *side;
        }
        let mut manifold = Manifold::with_normal(normal);
        // Solids apart whose nearest features are not above one another, as two corners: the lowest corner is a point
        // of its own, lest the separation be more than the distance.
        let lowest_height = height(lowest);
        if lowest_height <= reach && (count == 0 || (lowest_height > 0.0 && least > lowest_height + LOWEST_LOST)) {
            manifold.push(Point {
                a: onto(lowest),
                b: lowest,
                separation: lowest_height,
                feature: name | u32::from(u16::MAX),
            });
        }
        let room = 4 - manifold.count;
        let (kept, count) = reduce::reduce(&found[..count], normal, room);
        for index in &kept[..count] {
            let reduce::Candidate { at, separation, feature } = found[*index];
            manifold.push(Point { a: at - normal * separation, b: at, separation, feature });
        }
        manifold
    }
}
