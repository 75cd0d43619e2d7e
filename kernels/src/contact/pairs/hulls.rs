//! How far apart the features of two clusters are along some directions: all their corners, of which some are other
//! clusters' points.
//!
//! ```text
//!   along n:  min n.a - max n.b  <=  |a - b|   for every a and b in the hulls of both
//! ```
//! Where n separates two hulls where a substep starts and where it ends, it separates them on the whole straight way:
//! the difference of two corners is linear in time. So nothing of the one has met anything of the other.

use super::{Corners, largest, smallest};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::{BATCH, Chunk, InChunks, Isa, Row, V3};

/// The features of two clusters, and unit directions.
#[derive(Clone, Copy, Debug)]
pub struct Hulls<'a> {
    /// Where the particles are [x, y, z, -], metres.
    pub x: &'a [Row],
    /// Where they end, if that is asked for.
    pub end: Option<&'a [Row]>,
    /// The features of two clusters.
    pub clusters: [&'a Corners; 2],
    /// Unit vectors, or no numbers, or zero: nothing is apart along these.
    pub directions: [[f32; 3]; 3],
}

impl Hulls<'_> {
    /// How far apart the two are along one of the directions, at the start and at the end, metres (twice the start's
    /// without an end); not above 0 where they are not known to be. Of the directions, the one with the largest least
    /// gap. Corners that are no number are nowhere: they are passed over.
    ///
    /// # Panics
    /// If a row is not there.
    #[must_use]
    pub fn gaps(self, isa: Isa) -> [f32; 2] {
        let rows = self.end.map_or(self.x.len(), |end| end.len().min(self.x.len()));
        assert!(self.clusters.iter().all(|of| of.rows <= rows), "clusters of other rows");
        isa.dispatch(Gaps(self))
    }
}

struct Gaps<'a>(Hulls<'a>);

impl Kernel for Gaps<'_> {
    type Output = [f32; 2];

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> [f32; 2] {
        self.gaps::<L::One>()
    }
}

impl Gaps<'_> {
    #[inline(always)]
    fn gaps<L: Lanes<Elem = f32>>(self) -> [f32; 2] {
        let Hulls { x, end, clusters: [a, b], directions } = self.0;
        let Some(first) = a.all.at.first() else { return [0.0; 2] };
        let [ox, oy, oz, _] = x[first[0].0[0] as usize / 2];
        let origin = V3::new(L::set(ox), L::set(oy), L::set(oz));
        // SAFETY: `gaps` has checked the rows.
        let [of_a, of_b] = unsafe { [spans::<L>(a, x, origin, directions), spans::<L>(b, x, origin, directions)] };
        let before = between(of_a, of_b);
        let mut after = before;
        if let Some(end) = end {
            // SAFETY: `gaps` has checked the rows.
            let [of_a, of_b] =
                unsafe { [spans::<L>(a, end, origin, directions), spans::<L>(b, end, origin, directions)] };
            after = between(of_a, of_b);
        }
        let mut best = [0.0f32; 2];
        for (&before, &after) in before.as_flattened().iter().zip(after.as_flattened()) {
            let least = Lanes::smaller(before, after);
            if least > Lanes::smaller(best[0], best[1]) && before.is_finite() && after.is_finite() {
                best = [before, after];
            }
        }
        best
    }
}
/// How far the first is in front of the second along each direction, and the second in front of the first.
fn between(a: [[f32; 2]; 3], b: [[f32; 2]; 3]) -> [[f32; 2]; 3] {
    std::array::from_fn(|k| [a[k][0] - b[k][1], b[k][0] - a[k][1]])
}

/// The least and the largest of n.x, relative to the origin, of a cluster's corners.
///
/// # Safety
/// `x` has the rows of the cluster.
#[inline(always)]
unsafe fn spans<L: Lanes<Elem = f32>>(
    of: &Corners,
    x: &[Row],
    origin: V3<L>,
    directions: [[f32; 3]; 3],
) -> [[f32; 2]; 3] {
    let (none, most) = (L::splat(f64::INFINITY), L::splat(f64::NEG_INFINITY));
    let (mut low, mut high) = ([none; 3], [most; 3]);
    for [at] in &of.all.at {
        for chunk in Chunk::<L>::all() {
            // SAFETY: the caller promises that `x` has the rows of the cluster.
            let [x, y, z, _] = L::transpose(unsafe { L::load_rows(x.as_ptr().cast(), chunk.of(&at.0)) });
            let r = V3::new(x, y, z) - origin;
            let known = r.length_squared().finite();
            for k in 0..3 {
                let [nx, ny, nz] = directions[k];
                let along = r.dot(V3::new(L::set(nx), L::set(ny), L::set(nz)));
                low[k] = low[k].smaller(L::select(known, along, none));
                high[k] = high[k].larger(L::select(known, along, most));
            }
        }
    }
    let mut spans = [[f32::INFINITY, f32::NEG_INFINITY]; 3];
    for k in 0..3 {
        let (mut lows, mut highs) = ([f32::INFINITY; BATCH], [f32::NEG_INFINITY; BATCH]);
        lows.store(Chunk::<L>::FIRST, low[k]);
        highs.store(Chunk::<L>::FIRST, high[k]);
        spans[k] = [smallest(lows), largest(highs)];
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_two_points_are_nearer_on_all_lanes(
            x in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 40),
            n in prop::array::uniform3(prop::array::uniform3(-1.0f32..1.0)),
            (apart, count, lost) in (0.0f32..3.0, 1u32..20, prop::option::of(0usize..40)),
        ) {
            let mut x: Vec<Row> = x.iter().enumerate().map(|(i, p)| {
                let by = if i < 20 { 0.0 } else { apart };
                [p[0] + by, p[1] * 0.1 + by, p[2], 1.0]
            }).collect();
            if let Some(lost) = lost {
                x[lost][2] = f32::NAN;
            }
            let unit = |[a, b, c]: [f32; 3]| {
                let length = (a * a + b * b + c * c).sqrt();
                [a / length, b / length, c / length]
            };
            let directions = [unit(n[0]), [0.0, 1.0, 0.0], [f32::NAN, 0.0, 0.0]];
            let rows: [Vec<u32>; 2] = [(0..count).collect(), (20..40).collect()];
            // One point of its own; the others are corners of its edges.
            let edges = rows.each_ref().map(|rows| rows.windows(2).map(|w| [w[0], w[1]]).collect::<Vec<_>>());
            let clusters = [0, 1].map(|k| Corners::new(&rows[k][..1], &[], &edges[k]));
            let hulls = Hulls { x: &x, end: None, clusters: [&clusters[0], &clusters[1]], directions };
            let [gap, _] = hulls.gaps(Isa::available()[0]);
            for isa in Isa::available() {
                prop_assert_eq!(gap.to_bits(), hulls.gaps(isa)[0].to_bits(), "{:?}", isa);
            }
            let known = |row: &&u32| x[**row as usize][2].is_finite();
            let span = |of: usize, n: [f32; 3]| {
                let along = rows[of].iter().filter(known).map(|&row| (0..3).map(|k| f64::from(n[k] * x[row as usize][k])).sum::<f64>());
                along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)])
            };
            let spans = directions.iter().take(2).map(|&n| [span(0, n), span(1, n)]);
            let best = spans.map(|[a, b]| (a[0] - b[1]).max(b[0] - a[1])).fold(0.0, f64::max);
            // Relative to what is nowhere nothing is known.
            let unknown = best.is_infinite() || lost == Some(0);
            prop_assert!(unknown && gap == 0.0 || !unknown && (f64::from(gap) - best).abs() < 1e-5, "{gap} {best}");
        }
    }
}
