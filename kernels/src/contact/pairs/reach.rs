//! How far groups of particles reach and go.
//!
//! ```text
//!   way(x) = a + w cross (x - c) + what is left     a: mean way, c: mean place, w: angular velocity times the substep
//!   L = sum (x - c) cross (way - a),  I = sum |x - c|^2 1 - (x - c)(x - c)^T,  w = I^-1 L
//! ```
//! What turns as a whole comes no nearer to what turns with it: |d + w cross d| >= |d|.

use super::Ends;
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::{BATCH, Chunk, InChunks, Isa, Pack, V3};

/// Sixteen groups of particles, one in a lane.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The rows of one particle of each, twice; of groups with fewer, the first one's again.
    at: Vec<Pack<u32>>,
    rows: usize,
}

/// Where groups' particles are on their ways, and how far these go. Of a group whose particles are all nowhere, the
/// least is above the most.
#[derive(Clone, Copy, Debug)]
pub struct Reaches {
    /// Least and largest x, y and z, metres.
    pub low: [Pack<f32>; 3],
    /// See `low`.
    pub high: [Pack<f32>; 3],
    /// Least and largest x, y and z of end - start, metres.
    pub least: [Pack<f32>; 3],
    /// See `least`.
    pub most: [Pack<f32>; 3],
    /// The least inverse mass, 1/kg.
    pub lightest: Pack<f32>,
    /// Mean of the starts and of the ways, metres, and the angle by which a group turns, radians.
    pub middle: [Pack<f32>; 3],
    /// See `middle`.
    pub shift: [Pack<f32>; 3],
    /// See `middle`.
    pub turn: [Pack<f32>; 3],
    /// No particle's start is farther from the middle, and no way from what shift and turn make of its start, metres.
    pub extent: Pack<f32>,
    /// See `extent`.
    pub left: Pack<f32>,
    /// Unit vectors along which groups are thinnest; of a straight row, or a point, any or none.
    pub normal: [Pack<f32>; 3],
}

/// Part of the mean squared extent that is added to the inertia: a straight row of particles has none about itself.
const ROUND: f64 = 1e-3;

/// Particles of a group whose ways are kept between the two passes over them; those of a group with more are gathered
/// again. A cluster of a grid has some 30.
const KEPT: usize = 40;

impl Group {
    /// Of the rows of one to sixteen groups.
    ///
    /// # Panics
    /// If there is none, there are more, or one has no row.
    #[must_use]
    pub fn new(groups: &[&[u32]]) -> Group {
        assert!((1..=BATCH).contains(&groups.len()), "one to sixteen groups");
        let length = groups.iter().map(|rows| rows.len()).max().unwrap_or(0);
        let of = |lane: usize, k: usize| {
            let rows = groups[lane.min(groups.len() - 1)];
            rows[if k < rows.len() { k } else { 0 }]
        };
        let at = (0..length).map(|k| Pack(std::array::from_fn(|lane| of(lane, k) * 2))).collect();
        let last = groups.iter().flat_map(|rows| rows.iter()).max().map_or(0, |row| *row as usize + 1);
        Group { at, rows: last }
    }

    /// Looks at all of them.
    ///
    /// # Safety
    /// Nobody writes these rows meanwhile.
    ///
    /// # Panics
    /// If a row is not there.
    #[must_use]
    pub unsafe fn look(&self, isa: Isa, ends: Ends<'_>) -> Reaches {
        assert!(self.rows <= ends.start.len().min(ends.end.len()), "groups of other rows");
        isa.dispatch(Look { group: self, ends })
    }
}

struct Look<'a> {
    group: &'a Group,
    ends: Ends<'a>,
}

impl Kernel for Look<'_> {
    type Output = Reaches;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Reaches {
        self.all::<L::One>()
    }
}

impl Look<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> Reaches {
        let (up, down, none) = (Pack([f32::INFINITY; BATCH]), Pack([f32::NEG_INFINITY; BATCH]), Pack([0.0; BATCH]));
        let mut reaches = Reaches {
            low: [up; 3],
            high: [down; 3],
            least: [up; 3],
            most: [down; 3],
            lightest: up,
            middle: [none; 3],
            shift: [none; 3],
            turn: [none; 3],
            extent: none,
            left: none,
            normal: [none; 3],
        };
        for chunk in Chunk::<L>::all() {
            // SAFETY: `look` checked the rows, which nobody writes, as its caller promises.
            unsafe { self.lanes(chunk, &mut reaches) };
        }
        reaches
    }

    /// Where a particle of each group begins, how far it goes, and its inverse mass.
    ///
    /// # Safety
    /// `look` has checked the rows; nobody writes them.
    #[inline(always)]
    unsafe fn way<L: Lanes<Elem = f32>>(&self, at: &Pack<u32>, chunk: Chunk<L>) -> (V3<L>, V3<L>, L) {
        let at = chunk.of(&at.0);
        // SAFETY: the caller promises that `look` has checked the rows, and that nobody writes them.
        unsafe {
            let [ax, ay, az, _] = L::transpose(L::load_rows(self.ends.start.as_ptr().cast(), at));
            let [bx, by, bz, w] = L::transpose(L::load_rows(self.ends.end.as_ptr().cast(), at));
            let a = V3::new(ax, ay, az);
            (a, V3::new(bx, by, bz) - a, w)
        }
    }

    /// # Safety
    /// As for [`Look::way`].
    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, chunk: Chunk<L>, to: &mut Reaches) {
        // SAFETY: the caller promises that `look` has checked the rows, and that nobody writes them.
        let origin = unsafe { self.way(&self.group.at[0], chunk).0 };
        let (mut low, mut high) = (all(f64::INFINITY), all(f64::NEG_INFINITY));
        let (mut least, mut most, mut lightest) = (low, high, L::splat(f64::INFINITY));
        let (mut count, mut places, mut ways, mut turning) = (L::zero(), V3::zero(), V3::zero(), V3::zero());
        // Products of x x, y y, z z; y z, z x, x y.
        let (mut squares, mut mixed) = (V3::zero(), V3::zero());
        let mut kept = [[V3::zero(); 2]; KEPT];
        for (k, at) in self.group.at.iter().enumerate() {
            // SAFETY: the caller promises that `look` has checked the rows, and that nobody writes them.
            let (a, way, w) = unsafe { self.way(at, chunk) };
            if let Some(kept) = kept.get_mut(k) {
                *kept = [a, way];
            }
            // What is no number is passed over, and a way that is none.
            let known = way.length_squared().finite();
            let way = V3::select(known, way, all(f64::NAN));
            let b = a + way;
            (low, high) = (smaller(smaller(low, a), b), larger(larger(high, a), b));
            (least, most) = (smaller(least, way), larger(most, way));
            lightest = lightest.smaller(w);
            let (r, way) = ((a - origin).or_zero(known), way.or_zero(known));
            count = count + L::splat(1.0).or_zero(known);
            (places, ways, turning) = (places + r, ways + way, turning + r.cross(way));
            squares = squares + V3::new(r.x * r.x, r.y * r.y, r.z * r.z);
            mixed = mixed + V3::new(r.y * r.z, r.z * r.x, r.x * r.y);
        }
        let share = L::splat(1.0) / count.larger(L::splat(1.0));
        let (m, shift) = (places * share, ways * share);
        let spin = turning - m.cross(ways);
        let squares = squares - V3::new(m.x * places.x, m.y * places.y, m.z * places.z);
        let mixed = mixed - V3::new(m.y * places.z, m.z * places.x, m.x * places.y);
        let turn = solve(squares, mixed, spin);
        let turn = turn.or_zero(turn.length_squared().finite());
        let middle = origin + m;
        let (mut extent, mut left) = (L::zero(), L::zero());
        for (k, at) in self.group.at.iter().enumerate() {
            let [a, way] = if let Some(kept) = kept.get(k) {
                *kept
            } else {
                // SAFETY: the caller promises that `look` has checked the rows, and that nobody writes them.
                let (a, way, _) = unsafe { self.way(at, chunk) };
                [a, way]
            };
            let r = a - middle;
            extent = extent.larger(r.length());
            let off = (way - shift) - turn.cross(r);
            left = left.larger(off.length().or_zero(way.length_squared().finite()));
        }
        to.low.store(chunk, low);
        to.high.store(chunk, high);
        to.least.store(chunk, least);
        to.most.store(chunk, most);
        to.middle.store(chunk, middle);
        to.shift.store(chunk, shift);
        to.turn.store(chunk, turn);
        to.normal.store(chunk, thinnest(squares, mixed));
        to.lightest.store(chunk, lightest);
        to.extent.store(chunk, extent);
        to.left.store(chunk, left);
    }
}

/// I^-1 L, of the sums of squares and of mixed products that make I.
#[inline(always)]
fn solve<L: Lanes>(squares: V3<L>, mixed: V3<L>, spin: V3<L>) -> V3<L> {
    let round = ((squares.x + squares.y) + squares.z) * L::splat(ROUND);
    let (a, b, c) = ((squares.y + squares.z) + round, (squares.z + squares.x) + round, (squares.x + squares.y) + round);
    // The inertia's other entries; its cofactors.
    let (d, e, f) = (-mixed.x, -mixed.y, -mixed.z);
    let (aa, bb, cc) = (b * c - d * d, c * a - e * e, a * b - f * f);
    let (dd, ee, ff) = (e * f - a * d, f * d - b * e, d * e - c * f);
    let det = (a * aa + f * ff) + e * ee;
    let of = V3::new(
        (aa * spin.x + ff * spin.y) + ee * spin.z,
        (ff * spin.x + bb * spin.y) + dd * spin.z,
        (ee * spin.x + dd * spin.y) + cc * spin.z,
    );
    of * (L::splat(1.0) / det)
}

/// The direction along which sums of squares are least: of the cofactors of their matrix, in which the product of the
/// two larger eigenvalues outweighs the others, the largest column.
#[inline(always)]
fn thinnest<L: Lanes>(squares: V3<L>, mixed: V3<L>) -> V3<L> {
    let (x, y, z) = (squares.x, squares.y, squares.z);
    let (yz, zx, xy) = (mixed.x, mixed.y, mixed.z);
    let (a, b, c) = (y * z - yz * yz, z * x - zx * zx, x * y - xy * xy);
    let (d, e, f) = (zx * xy - x * yz, xy * yz - y * zx, yz * zx - z * xy);
    let (first, second) = (V3::new(a, f, e), V3::new(f, b, d));
    let larger = V3::select(a.ge(b), first, second);
    let n = V3::select(c.gt(a.larger(b)), V3::new(e, d, c), larger);
    let n = n * (L::splat(1.0) / n.length());
    n.or_zero(n.length_squared().finite())
}

#[inline(always)]
fn all<L: Lanes>(value: f64) -> V3<L> {
    V3::new(L::splat(value), L::splat(value), L::splat(value))
}

#[inline(always)]
fn smaller<L: Lanes>(a: V3<L>, b: V3<L>) -> V3<L> {
    V3::new(a.x.smaller(b.x), a.y.smaller(b.y), a.z.smaller(b.z))
}

#[inline(always)]
fn larger<L: Lanes>(a: V3<L>, b: V3<L>) -> V3<L> {
    V3::new(a.x.larger(b.x), a.y.larger(b.y), a.z.larger(b.z))
}
