//! Of the corners of a clipped face four are enough: the deepest, the farthest from it, the one that makes the largest
//! triangle with these, and the one that adds most to it (Gregorius 2013).
//!
//! A box that rests has many corners that are equally deep or far but for roundings. Those are ties, which the lowest
//! feature wins, lest the choice change in each step.

use crate::tuning::{SAME_DEPTH, SAME_DEPTH_SHARE, SAME_POINT, SAME_SHARE};
use seidel_kernels::{Lanes, V3};

/// A point that may be kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) at: V3<f32>,
    pub(super) separation: f32,
    pub(super) feature: u32,
}

pub(super) const NOTHING: Candidate = Candidate { at: V3 { x: 0.0, y: 0.0, z: 0.0 }, separation: 0.0, feature: 0 };

/// The indices of at most `room` (at most 4) candidates, and how many they are.
#[inline(always)]
pub(super) fn reduce(candidates: &[Candidate], normal: V3<f32>, room: usize) -> ([usize; 4], usize) {
    let mut kept = [0, 1, 2, 3];
    if candidates.len() <= room {
        return (kept, candidates.len());
    }
    let (mut extent, mut least) = (0.0, f32::INFINITY);
    for candidate in candidates {
        extent = (candidate.at - candidates[0].at).length_squared().larger(extent);
        least = least.smaller(candidate.separation);
    }
    // Solids that are apart keep the nearest point itself: no separation may be more than the distance.
    let tie = SAME_DEPTH.smaller(SAME_DEPTH_SHARE * extent.sqrt());
    let depth = if least > tie { 0.0 } else { tie };
    kept[0] = best(candidates, depth, 0.0, |c| -c.separation).0;
    let p0 = candidates[kept[0]].at;
    let same = SAME_POINT * SAME_POINT;
    let (second, far) = best(candidates, 0.0, SAME_SHARE, |c| (c.at - p0).length_squared());
    if far <= same {
        return (kept, 1);
    }
    kept[1] = second;
    let p1 = candidates[second].at;
    // Twice the area of p, q, r, seen against the normal.
    let area = |p: V3<f32>, q: V3<f32>, r: V3<f32>| (q - p).cross(r - p).dot(normal);
    let (third, large) = best(candidates, 0.0, SAME_SHARE, |c| area(p0, p1, c.at).abs());
    if large <= same || room < 3 {
        return (kept, 2);
    }
    kept[2] = third;
    let p2 = candidates[third].at;
    let (q1, q2) = if area(p0, p1, p2) > 0.0 { (p1, p2) } else { (p2, p1) };
    let (fourth, more) = best(candidates, 0.0, SAME_SHARE, |c| {
        (-area(p0, q1, c.at)).larger(-area(q1, q2, c.at)).larger(-area(q2, p0, c.at))
    });
    if more <= same || room < 4 {
        return (kept, 3);
    }
    kept[3] = fourth;
    (kept, 4)
}

/// The candidate with the largest score, and the largest score: of those that are less by at most `metres` or a `share`
/// of the score, the one with the lowest feature.
#[inline(always)]
fn best(candidates: &[Candidate], metres: f32, share: f32, score: impl Fn(&Candidate) -> f32) -> (usize, f32) {
    let mut largest = f32::NEG_INFINITY;
    for candidate in candidates {
        largest = largest.larger(score(candidate));
    }
    let enough = largest - (metres + share * largest.abs());
    let mut best = (0, u32::MAX);
    for (index, candidate) in candidates.iter().enumerate() {
        if candidate.feature < best.1 && score(candidate) >= enough {
            best = (index, candidate.feature);
        }
    }
    (best.0, largest)
}
