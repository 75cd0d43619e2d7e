//! Clipping a feature, which may be a polygon, a segment or a point, to the sides of a polygon (Sutherland and Hodgman
//! 1974).

use super::support::{Feature, MOST};
use crate::tuning::{CLIP_SLACK, CLIP_SLACK_SHARE};
use crate::vector::{V, unit};
use seidel_kernels::V3;

/// Corners of a clipped polygon at most: each side adds one.
pub(super) const CORNERS: usize = 2 * MOST;

/// The bit in the names of corners that a side has cut.
pub(crate) const CUT: u32 = 1 << 11;

/// A corner, and a name by which it is found again: the number of the incident corner, or that of the side that cut and
/// of what it cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub(super) at: V,
    pub(super) name: u32,
}

impl Default for Corner {
    fn default() -> Corner {
        Corner { at: V3::zero(), name: 0 }
    }
}

/// The corners of `incident` within the sides of `reference`, seen along its normal.
pub(super) fn clipped(incident: &Feature, reference: &Feature, out: &mut [Corner; CORNERS]) -> usize {
    let mut count = 0;
    for (number, at) in incident.points().iter().enumerate() {
        out[count] = Corner { at: *at, name: number as u32 };
        count += 1;
    }
    let ring = reference.points();
    for (side, from) in ring.iter().enumerate() {
        let to = ring[if side + 1 < ring.len() { side + 1 } else { 0 }];
        let length = (to - *from).length();
        let Some(away) = unit((to - *from).cross(reference.normal)) else { continue };
        let slack = smaller(f64::from(CLIP_SLACK), f64::from(CLIP_SLACK_SHARE) * length);
        count = cut(out, count, side as u32, |p| away.dot(p - *from) - slack);
    }
    count
}

/// Cuts off what is more than 0 above a plane.
fn cut(corners: &mut [Corner; CORNERS], count: usize, side: u32, above: impl Fn(V) -> f64) -> usize {
    let heights = |k: usize, of: &[Corner; CORNERS]| above(of[k].at);
    if (0..count).all(|k| heights(k, corners) <= 0.0) {
        return count;
    }
    let before = *corners;
    let mut kept = 0;
    let mut push = |corner: Corner| {
        if kept < CORNERS {
            corners[kept] = corner;
            kept += 1;
        }
    };
    let crossing = |inner: usize, outer: usize| {
        let (p, q) = (before[inner], before[outer]);
        let (hp, hq) = (above(p.at), above(q.at));
        Corner { at: p.at + (q.at - p.at) * (hp / (hp - hq)), name: CUT | side << 6 | (p.name & 31) << 1 }
    };
    for k in 0..count {
        let next = if k + 1 < count { k + 1 } else { 0 };
        let (here, there) = (heights(k, &before) <= 0.0, heights(next, &before) <= 0.0);
        if here {
            push(before[k]);
        }
        // The way back along a segment crosses where the way there did.
        if here != there && (count > 2 || k == 0) {
            let (inner, outer) = if here { (k, next) } else { (next, k) };
            let mut corner = crossing(inner, outer);
            corner.name |= u32::from(here);
            push(corner);
        }
    }
    kept
}

/// Two segments along each other: the ends of the part that both share, on A and on B.
pub(super) fn of_parallel(a: &Feature, b: &Feature, sine: f64) -> Option<[[V; 2]; 2]> {
    let (&[a0, a1], &[b0, b1]) = (a.points(), b.points()) else { return None };
    let (along, long) = (unit(a1 - a0)?, (a1 - a0).length());
    if unit(b1 - b0)?.cross(along).length() > sine {
        return None;
    }
    let [t0, t1] = [b0, b1].map(|p| along.dot(p - a0));
    let (low, high) = if t0 < t1 { (t0, t1) } else { (t1, t0) };
    let (low, high) = (if low > 0.0 { low } else { 0.0 }, smaller(high, long));
    (high > low).then(|| [low, high].map(|t| [a0 + along * t, b0 + (b1 - b0) * ((t - t0) / (t1 - t0))]))
}

fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}
