//! Finds the pairs of features that may come near.

use super::corners::{Boxes, Sixteens};
use super::{Corners, FeatureBoxes, Features, Nearest, Pair, bits, gather, largest, smallest};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::tuning::AT_REST;
use crate::{BATCH, Chunk, InChunks, Isa, Pack, Row};
use std::ops::Range;

/// Which features of two clusters may come nearer than their distance while no two particles move against each other by
/// more than some way. Boxes around features leave out most; of the others the distance is found.
#[derive(Clone, Copy, Debug)]
pub struct Find<'a> {
    /// Where the particles are [x, y, z, -], metres.
    pub x: &'a [Row],
    /// Where they rest, if clusters are of one body: its features come no nearer than [`AT_REST`] of their distance
    /// there.
    pub rest: Option<&'a [Row]>,
    /// The features of two clusters.
    pub clusters: [&'a Corners; 2],
    /// Whether both are the same.
    pub same: bool,
    /// Which pairs of a point and a triangle are wanted, and which of two edges.
    pub wanted: [Wanted; 2],
    /// Distance that a point and a triangle keep, and that two edges do, metres.
    pub keep: [f32; 2],
    /// Friction coefficient of a pair.
    pub friction: f32,
    /// How far particles may move against each other, metres.
    pub spread: f32,
    /// For [`Wanted::Nearest`], metres.
    pub slide: f32,
    /// Rounding of coordinates, metres: at least a few steps of f32 at the largest.
    pub rounding: f32,
}

/// Which pairs are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    /// None.
    Nothing,
    /// Those that may meet.
    Meet,
    /// Those that may come nearer than the distance that they keep.
    Touch,
    /// Of these, for each feature of the first cluster the nearest, and what may be the nearest when it has slid by
    /// [`Find::slide`].
    Nearest,
}

/// Part of the distance that pairs keep within which those count as meeting.
const MEET: f64 = 0.0625;

/// What [`Find`] finds; filled again and again in the same memory.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Of points and triangles, and of edges; of each those that are nearer than half the way, and the others.
    pub found: [[Vec<Numbered>; 2]; 2],
    placed: [FeatureBoxes; 2],
    close: Vec<Close>,
}

/// A pair, and its features' numbers in their clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbered {
    /// The pair; its distance is lessened where features are nearer at rest.
    pub pair: Pair,
    /// A point and a triangle or two edges. The highest bit of the first number is set where the point is the second
    /// cluster's.
    pub numbers: [u16; 2],
}

/// Set in the number of a point of the second cluster.
const OF_SECOND: u16 = 1 << 15;

impl Find<'_> {
    /// Finds them, in an order that depends on the clusters alone. What is no number is near nothing: it is lost.
    ///
    /// # Panics
    /// If a row is not there, or a cluster has 32,768 features of a kind.
    pub fn find(self, isa: Isa, pairs: &mut Pairs) {
        let rows = self.rest.map_or(self.x.len(), |rest| rest.len().min(self.x.len()));
        for of in self.clusters {
            assert!(of.rows <= rows, "clusters of other rows");
            let most = of.points.count.max(of.triangles.count).max(of.edges.count);
            assert!(most < usize::from(OF_SECOND), "{most} features in a cluster");
        }
        isa.dispatch(All { find: self, pairs });
    }
}

struct All<'a> {
    find: Find<'a>,
    pairs: &'a mut Pairs,
}

impl Kernel for All<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl All<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        let All { find, pairs } = self;
        let Pairs { found, placed, close } = pairs;
        for some in found.as_flattened_mut() {
            some.clear();
        }
        let edges = find.wanted[1] != Wanted::Nothing;
        for (k, of) in find.clusters.into_iter().enumerate() {
            if k == 1 && find.same {
                continue;
            }
            // SAFETY: `find` has checked the rows.
            unsafe { placed[k].gather::<L>(of, find.x.as_ptr(), edges) };
        }
        let [a, b] = find.clusters;
        let placed = [&placed[0], &placed[usize::from(!find.same)]];
        let [of_faces, of_edges] = found;
        let of = [a, b];
        for (p, t, marked) in [(0, 1, 0), (1, 0, OF_SECOND)] {
            if p == 1 && find.same {
                continue;
            }
            let first = Side { of: &of[p].points, boxes: &placed[p].points };
            let second = Side { of: &of[t].triangles, boxes: &placed[t].triangles };
            let features = Features::PointTriangle;
            let search = Search { find: &find, features, marked, found: &mut *of_faces, close: &mut *close };
            search.run::<L, 1, 3>(first, second, false);
        }
        if !edges {
            return;
        }
        let first = Side { of: &a.edges, boxes: &placed[0].edges };
        let second = Side { of: &b.edges, boxes: &placed[1].edges };
        let search = Search { find: &find, features: Features::EdgeEdge, marked: 0, found: of_edges, close };
        search.run::<L, 2, 2>(first, second, find.same);
    }
}

/// Some features of a cluster, and the boxes around them.
#[derive(Clone, Copy)]
struct Side<'a, const N: usize> {
    of: &'a Sixteens<N>,
    boxes: &'a [Boxes],
}

struct Search<'a> {
    find: &'a Find<'a>,
    features: Features,
    marked: u16,
    found: &'a mut [Vec<Numbered>; 2],
    close: &'a mut Vec<Close>,
}

/// Two features, by their numbers, that are near each other.
#[derive(Clone, Copy, Debug)]
struct Close {
    numbers: [u16; 2],
    /// Distance that they keep, and that they have, metres.
    keep: f32,
    distance: f32,
}

impl Search<'_> {
    /// Each of the first against all of the second; of one set each pair once. Pairs whose boxes overlap are taken
    /// together, sixteen by sixteen, for their distance: of sixteen neighbours in a cluster, one feature's box meets
    /// few.
    #[inline(always)]
    fn run<L: Lanes<Elem = f32>, const N: usize, const M: usize>(
        mut self,
        first: Side<'_, N>,
        second: Side<'_, M>,
        once: bool,
    ) {
        let Find { x, spread, rounding, rest, .. } = *self.find;
        let kind = usize::from(self.features == Features::EdgeEdge);
        let reach = self.find.keep[kind];
        let meet = self.find.wanted[kind] == Wanted::Meet;
        let part = if meet { MEET as f32 } else { 1.0 };
        // Rounded outwards.
        let within = (reach * part + spread) * (1.0 + 1e-5) + rounding;
        self.overlap::<L, N, M>(first, second, within, once);
        let (mut from, mut to) = (0, 0);
        while from < self.close.len() {
            let count = BATCH.min(self.close.len() - from);
            // SAFETY: `find` has checked the rows.
            let distances = unsafe { self.distances::<L, N, M>(x, first, second, from..from + count) };
            for distance in &distances[..count] {
                // Written in any case, and kept if it is near.
                self.close[to] = Close { keep: reach, distance: *distance, ..self.close[from] };
                to += usize::from(*distance <= reach * part + spread);
                from += 1;
            }
        }
        self.close.truncate(to);
        // Pairs may meet whatever they keep: their distance at rest does not matter.
        if let Some(rest) = rest.filter(|_| !meet) {
            let (mut from, mut to) = (0, 0);
            while from < self.close.len() {
                let count = BATCH.min(self.close.len() - from);
                // SAFETY: `find` has checked the rows.
                let rests = unsafe { self.distances::<L, N, M>(rest, first, second, from..from + count) };
                for rests in &rests[..count] {
                    let close = self.close[from];
                    let keep = Lanes::smaller(reach, rests * AT_REST as f32);
                    self.close[to] = Close { keep, ..close };
                    to += usize::from(close.distance <= keep * part + spread);
                    from += 1;
                }
            }
            self.close.truncate(to);
        }
        self.take(first.of, second.of, (reach, part));
    }

    /// Finds the pairs whose boxes overlap if one is grown by `within`.
    #[inline(always)]
    fn overlap<L: Lanes<Elem = f32>, const N: usize, const M: usize>(
        &mut self,
        first: Side<'_, N>,
        second: Side<'_, M>,
        within: f32,
        once: bool,
    ) {
        self.close.clear();
        let [floor, roof] = around(second.boxes);
        for number in 0..first.of.count {
            let (sixteen, lane) = (number / BATCH, number % BATCH);
            let boxes = &first.boxes[sixteen];
            let (mut low, mut high, mut inside) = ([0.0; 3], [0.0; 3], true);
            for k in 0..3 {
                (low[k], high[k]) = (boxes.low[k].0[lane] - within, boxes.high[k].0[lane] + within);
                inside &= low[k] <= roof[k] && floor[k] <= high[k];
            }
            if !inside {
                continue;
            }
            let from = if once { sixteen } else { 0 };
            let corners: [u32; N] = std::array::from_fn(|k| first.of.at[sixteen][k].0[lane]);
            for (pack, boxes) in second.boxes.iter().enumerate().skip(from) {
                let mut lanes = 0;
                for chunk in Chunk::<L>::all() {
                    lanes |= bits(overlapping([low, high], boxes, chunk)) << chunk.first();
                }
                lanes &= second.of.lanes(pack);
                if once && pack == from {
                    // Those behind it.
                    lanes &= !(((2u32 << lane) - 1) as u16);
                }
                while lanes != 0 {
                    let lane = lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    // Features that share a particle are no pair.
                    if !second.of.at[pack].iter().any(|of| corners.contains(&of.0[lane])) {
                        let numbers = [number as u16, (pack * BATCH + lane) as u16];
                        self.close.push(Close { numbers, keep: 0.0, distance: 0.0 });
                    }
                }
            }
        }
    }

    /// The distances of up to sixteen pairs where particles are at `x`.
    ///
    /// # Safety
    /// `x` has the rows of both.
    #[inline(always)]
    unsafe fn distances<L: Lanes<Elem = f32>, const N: usize, const M: usize>(
        &self,
        x: &[Row],
        first: Side<'_, N>,
        second: Side<'_, M>,
        range: Range<usize>,
    ) -> [f32; BATCH] {
        let pairs = &self.close[range];
        let (mut at, mut distances) = ([Pack([0; BATCH]); 4], [0.0; BATCH]);
        for (lane, close) in pairs.iter().enumerate() {
            let [one, other] = close.numbers.map(usize::from);
            for (at, of) in at.iter_mut().zip(&first.of.at[one / BATCH]) {
                at.0[lane] = of.0[one % BATCH];
            }
            for (at, of) in at[N..].iter_mut().zip(&second.of.at[other / BATCH]) {
                at.0[lane] = of.0[other % BATCH];
            }
        }
        // Lanes without a pair read the first one's rows.
        for at in &mut at {
            let first = at.0[0];
            at.0[pairs.len()..].fill(first);
        }
        for chunk in Chunk::<L>::holding(pairs.len()) {
            // SAFETY: the caller promises the rows.
            let (x, _) = unsafe { gather(x.as_ptr(), &at, chunk) };
            distances.store(chunk, Nearest::of(x, self.features).distance);
        }
        distances
    }

    /// Takes the pairs that are wanted over from `close`.
    #[inline(always)]
    fn take<const N: usize, const M: usize>(
        self,
        first: &Sixteens<N>,
        second: &Sixteens<M>,
        (reach, part): (f32, f32),
    ) {
        let Find { spread, friction, slide, .. } = *self.find;
        let kind = usize::from(self.features == Features::EdgeEdge);
        let slide = if self.find.wanted[kind] == Wanted::Nearest { slide } else { f32::INFINITY };
        // As if all kept the same.
        let distance = |close: &Close| close.distance + (reach - close.keep);
        for of_one in self.close.chunk_by(|a, b| a.numbers[0] == b.numbers[0]) {
            let least = of_one.iter().fold(f32::INFINITY, |least, close| Lanes::smaller(least, distance(close)));
            let most = least * least + slide * slide;
            for close in of_one.iter().filter(|close| distance(close) * distance(close) <= most) {
                let [one, other] = close.numbers.map(usize::from);
                let mut rows = [0; 4];
                rows[..N].copy_from_slice(&first.corners(one));
                rows[N..].copy_from_slice(&second.corners(other));
                let far = close.distance - close.keep * part > spread * 0.5;
                let numbers = [close.numbers[0] | self.marked, close.numbers[1]];
                let pair = Pair { rows, reach: close.keep, friction };
                self.found[usize::from(far)].push(Numbered { pair, numbers });
            }
        }
    }
}

/// A box around all features: the least and the largest.
#[inline(always)]
fn around(boxes: &[Boxes]) -> [[f32; 3]; 2] {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for at in boxes {
        for k in 0..3 {
            low[k] = Lanes::smaller(low[k], smallest(at.low[k].0));
            high[k] = Lanes::larger(high[k], largest(at.high[k].0));
        }
    }
    [low, high]
}

/// The lanes of boxes that overlap one.
#[inline(always)]
fn overlapping<L: Lanes<Elem = f32>>([low, high]: [[f32; 3]; 2], boxes: &Boxes, chunk: Chunk<L>) -> L::Mask {
    let mut all = L::zero().le(L::zero());
    for k in 0..3 {
        let (floor, roof) = (boxes.low[k].load(chunk), boxes.high[k].load(chunk));
        all = all & L::set(low[k]).le(roof) & floor.le(L::set(high[k]));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::V3;
    use proptest::prelude::*;

    /// Points, triangles and edges.
    type Mesh = (Vec<u32>, Vec<[u32; 3]>, Vec<[u32; 2]>);

    /// A strip of n by 3 points from a row on.
    fn strip(n: u32, from: u32) -> Mesh {
        let at = |i: u32, j: u32| from + 3 * i + j;
        let (mut triangles, mut edges) = (Vec::new(), Vec::new());
        for i in 0..n {
            for j in 0..3 {
                if j < 2 {
                    edges.push([at(i, j), at(i, j + 1)]);
                }
                if i + 1 < n {
                    edges.push([at(i, j), at(i + 1, j)]);
                }
                if i + 1 < n && j < 2 {
                    triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                    triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
        ((from..from + 3 * n).collect(), triangles, edges)
    }

    /// Distance of a pair, in f64.
    fn distance(x: &[Row], rows: [u32; 4], features: Features) -> f64 {
        let x = rows.map(|row| x[row as usize].map(f64::from)).map(|p| V3::new(p[0], p[1], p[2]));
        Nearest::of(x, features).distance
    }

    /// All pairs of features that share no particle, and whether they must, and may, be found.
    fn expected(find: &Find<'_>, sets: [&Mesh; 2]) -> Vec<(usize, [u32; 4], bool, bool)> {
        let mut all = Vec::new();
        let mut add = |rows: [u32; 4], features: Features| {
            let n = if features == Features::PointTriangle { 1 } else { 2 };
            if rows[..n].iter().any(|row| rows[n..].contains(row)) {
                return;
            }
            let reach = f64::from(find.keep[n - 1]);
            let keep = find.rest.map_or(reach, |rest| reach.min(distance(rest, rows, features) * AT_REST));
            let slack = keep + f64::from(find.spread) - distance(find.x, rows, features);
            all.push((n - 1, rows, slack > 1e-5, slack > -1e-5));
        };
        for (of, other) in [(0, 1), (1, 0)].into_iter().take(if find.same { 1 } else { 2 }) {
            for &p in &sets[of].0 {
                sets[other].1.iter().for_each(|&[a, b, c]| add([p, a, b, c], Features::PointTriangle));
            }
        }
        for (i, &[a, b]) in sets[0].2.iter().enumerate() {
            for (j, &[c, d]) in sets[1].2.iter().enumerate() {
                if !find.same || j > i {
                    add([a, b, c, d], Features::EdgeEdge);
                }
            }
        }
        all
    }

    /// All lanes find the same.
    fn on_all_lanes(find: Find<'_>) -> [[Vec<Numbered>; 2]; 2] {
        let of = |isa: Isa| {
            let mut pairs = Pairs::default();
            find.find(isa, &mut pairs);
            pairs.found
        };
        let found = of(Isa::available()[0]);
        Isa::available().into_iter().for_each(|isa| assert_eq!(found, of(isa), "{isa}"));
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn it_finds_what_may_come_near_and_nothing_else_on_all_lanes(
            x in prop::collection::vec(prop::array::uniform3(-0.5f32..0.5), 66),
            lost in prop::option::of(0usize..66),
            size in 0.1f32..1.0, same in any::<bool>(), resting in any::<bool>(),
            keep in prop::array::uniform2(0.01f32..0.1), spread in 0.0f32..0.2,
        ) {
            let rest: Vec<Row> = (0..66).map(|i| [(i / 3) as f32 * 0.1, (i % 3) as f32 * 0.1, 0.0, 1.0]).collect();
            let mut x: Vec<Row> = x.iter().map(|p| [p[0] * size, p[1] * size, p[2] * size, 1.0]).collect();
            if let Some(lost) = lost {
                x[lost][1] = f32::NAN;
            }
            let sets = [strip(12, 0), strip(10, 36)];
            let sets = [&sets[0], &sets[usize::from(!same)]];
            let corners = sets.map(|(points, triangles, edges)| Corners::new(points, triangles, edges));
            let rest = resting.then_some(&rest[..]);
            let find = Find {
                x: &x, rest, clusters: [&corners[0], &corners[1]], same, wanted: [Wanted::Touch; 2], keep, friction: 0.5, spread, slide: 0.0, rounding: 1e-6,
            };
            let found = on_all_lanes(find);
            for (kind, rows, must, may) in expected(&find, sets) {
                let times = found[kind].iter().flatten().filter(|found| found.pair.rows == rows).count();
                prop_assert!(times <= usize::from(may) && times >= usize::from(must), "{rows:?}: {times}, {must} {may}");
            }
            for (kind, features) in [Features::PointTriangle, Features::EdgeEdge].into_iter().enumerate() {
                for (far, Numbered { pair, .. }) in [0, 1].into_iter().flat_map(|far| found[kind][far].iter().map(move |p| (far, p))) {
                    let slack = distance(&x, pair.rows, features) - f64::from(pair.reach);
                    prop_assert!((slack > 0.5 * f64::from(spread)) == (far == 1) || (slack - 0.5 * f64::from(spread)).abs() < 1e-5);
                    prop_assert!(pair.reach <= keep[kind] && pair.friction == 0.5);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Of each point the nearest triangle, and those that are hardly farther; of clusters of one body none that
        /// shares the point.
        #[test]
        fn the_nearest_of_each_point_are_found_on_all_lanes(
            x in prop::collection::vec(prop::array::uniform3(-0.5f32..0.5), 66),
            (same, slide, keep, spread) in (any::<bool>(), 0.0f32..0.2, 0.01f32..0.4, 0.0f32..0.2),
        ) {
            let x: Vec<Row> = x.iter().map(|p| [p[0], p[1], p[2], 1.0]).collect();
            let sets = [strip(12, 0), strip(10, 36)];
            let sets = [&sets[0], &sets[usize::from(!same)]];
            let corners = sets.map(|(points, triangles, edges)| Corners::new(points, triangles, edges));
            let wanted = [Wanted::Nearest, Wanted::Nothing];
            let find = Find {
                x: &x, rest: None, clusters: [&corners[0], &corners[1]], same, wanted, keep: [keep; 2], friction: 0.5, spread, slide,
                rounding: 1e-6,
            };
            let found = on_all_lanes(find);
            prop_assert!(found[1].iter().all(Vec::is_empty), "no edges");
            for (of, other) in [(0, 1), (1, 0)].into_iter().take(if same { 1 } else { 2 }) {
                for &p in &sets[of].0 {
                    let free = sets[other].1.iter().filter(|t| !t.contains(&p));
                    let all: Vec<([u32; 4], f64)> = free.map(|&[a, b, c]| {
                        let rows = [p, a, b, c];
                        (rows, distance(&x, rows, Features::PointTriangle))
                    }).collect();
                    let least = all.iter().map(|(_, d)| *d).fold(f64::INFINITY, f64::min);
                    let within = f64::from(keep + spread);
                    let most = least.hypot(f64::from(slide)).min(within);
                    for (rows, d) in all {
                        let times = found[0].iter().flatten().filter(|found| found.pair.rows == rows).count();
                        prop_assert!(times <= usize::from(d < most + 1e-5), "{rows:?} at {d}, {least} is nearer");
                        prop_assert!(times == 1 || d > most - 1e-5 || least > within, "{rows:?} at {d} is missing, {least} is the nearest");
                    }
                }
            }
        }
    }
}
