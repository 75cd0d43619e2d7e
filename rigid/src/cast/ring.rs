//! A ring is not convex: it is cut into arcs, and each arc lies within a capsule about its chord.
//!
//! ```text
//!      ___---___        An arc is at most s = R (1 - cos(angle / 2)) from its chord, so the capsule of radius tube + s
//!    /___________\      holds it, and what meets the arc meets the capsule first. The capsule that is met first is
//!       chord           halved, which takes three quarters of s away, until s is nothing: then its arc is met there.
//! ```

use super::{Impact, Placed, Solid};
use std::cmp::Ordering;

/// Arcs that a ring is cut into at first.
const ARCS: u32 = 24;

/// Metres, as a share of the ring: a distance from the chord that is none.
const FLAT: f64 = 1e-10;

/// Halvings at most of whichever arc is met first; each of them leaves one more. Where so many are met at once, as by a
/// plate, any is right.
const MOST_CUTS: usize = 256;

/// A part of a ring, and when its capsule is met.
#[derive(Clone, Copy)]
struct Arc {
    /// Where it begins and ends, rad.
    from: f64,
    to: f64,
    impact: Impact,
    flat: bool,
}

impl Placed<'_> {
    /// Where it meets a ring about y on a way of length 1, within `most` metres. The ring has a radius of its middle
    /// line and of its tube, axes and an origin.
    #[must_use]
    pub fn cast_ring(
        &self,
        [ring, tube]: [f64; 2],
        (axes, at): ([[f64; 3]; 3], [f64; 3]),
        way: [f64; 3],
        most: f64,
    ) -> Option<Impact> {
        let point = |angle: f64| {
            let (s, c) = libm::sincos(angle);
            let (x, z) = (ring * c, ring * s);
            [0, 1, 2].map(|k| at[k] + (axes[0][k] * x + axes[2][k] * z))
        };
        let met = |from: f64, to: f64| {
            let off = ring * (1.0 - libm::cos(0.5 * (to - from)));
            let flat = off <= FLAT * ring;
            let ends = [point(from), point(to)];
            let radius = if flat { tube } else { tube + off };
            let impact = self.cast(&Placed::here(Solid::Segment { ends, radius }), way, most)?;
            Some(Arc { from, to, impact, flat })
        };
        let step = std::f64::consts::TAU / f64::from(ARCS);
        let each = (0..ARCS).filter_map(|k| met(f64::from(k) * step, f64::from(k + 1) * step));
        let mut arcs: Vec<Arc> = each.collect();
        let halves = |arc: &Arc| {
            let middle = 0.5 * (arc.from + arc.to);
            [met(arc.from, middle), met(middle, arc.to)].into_iter().flatten()
        };
        for _ in 0..MOST_CUTS {
            let first = (0..arcs.len()).reduce(|first, k| if before(&arcs[k], &arcs[first]) { k } else { first })?;
            let arc = arcs[first];
            if arc.flat {
                return Some(arc.impact);
            }
            arcs.swap_remove(first);
            arcs.extend(halves(&arc));
        }
        // One after the other, each to its end: where no half is met, the arc is not.
        arcs.sort_by(later_first);
        while let Some(arc) = arcs.pop() {
            if arc.flat {
                return Some(arc.impact);
            }
            let start = arcs.len();
            arcs.extend(halves(&arc));
            arcs[start..].sort_by(later_first);
        }
        None
    }
}

fn later_first(a: &Arc, b: &Arc) -> Ordering {
    b.impact.at.total_cmp(&a.impact.at).then(a.flat.cmp(&b.flat))
}

/// Of two that are met at once the flat one is enough.
fn before(a: &Arc, b: &Arc) -> bool {
    a.impact.at < b.impact.at || (a.impact.at == b.impact.at && a.flat && !b.flat)
}
