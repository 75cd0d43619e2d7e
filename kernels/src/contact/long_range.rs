//! Long range attachments: particles that stay within a distance of one point or two (Kim, Chentanez, Müller 2012,
//! section 3).
//!
//! ```text
//!   d = (x - p) + u, p a point;  |d| <= r
//! ```
//! A projection to the nearest place that it allows, for one point after the other. Where the two points are further
//! apart than r0 + r1, no place is near both, and neither holds: otherwise all of the stretch would gather where one of
//! them lets go.
//!
//! Rows are taken in their order, sixteen at a time.

use crate::integrate::rows::{in_order, numbers, put};
use crate::integrate::{Motion, Run};
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::slots::IN_ORDER;
use crate::{BATCH, Isa, Layout, Pack, Row, V3};
use seidel_workers::Shared;
use seidel_workers::claims::Use;

/// For each row of a plan the points that it stays near, and how near.
#[derive(Clone, Debug, Default)]
pub struct LongRange {
    first: Layer,
    /// Of those that have a second point; empty if none has.
    second: Layer,
    /// Number of points.
    count: usize,
}

/// Sixteen rows each: points, in pairs of numbers as [`Lanes::load_rows`] counts, and distances, metres; infinite:
/// none.
#[derive(Clone, Debug, Default)]
struct Layer {
    points: Vec<[u32; BATCH]>,
    distances: Vec<Pack<f32>>,
}

impl Layer {
    fn of(batches: usize) -> Layer {
        Layer { points: vec![[0; BATCH]; batches], distances: vec![Pack([f32::INFINITY; BATCH]); batches] }
    }
}

impl LongRange {
    /// Of `rows` rows and `points` points; each of `held` is a row, a point, and how near it stays, metres, >= 0. A row
    /// may be there twice: its nearer point first.
    ///
    /// # Panics
    /// If a row or a point does not exist, a row is there three times, or there are 2^31 points or more.
    #[must_use]
    pub fn new(rows: usize, points: usize, held: impl IntoIterator<Item = (usize, usize, f32)>) -> LongRange {
        assert!(points < 1 << 31, "points are counted in pairs of numbers");
        let batches = rows.div_ceil(BATCH);
        let mut all = LongRange { first: Layer::of(batches), second: Layer::default(), count: points };
        for (row, point, distance) in held {
            assert!(point < points, "a row stays near a point that does not exist");
            let (batch, lane) = (row / BATCH, row % BATCH);
            let layer = if all.first.distances[batch].0[lane].is_infinite() {
                &mut all.first
            } else {
                if all.second.points.is_empty() {
                    all.second = Layer::of(batches);
                }
                assert!(all.second.distances[batch].0[lane].is_infinite(), "a row stays near three points");
                &mut all.second
            };
            layer.points[batch][lane] = 2 * point as u32;
            layer.distances[batch].0[lane] = distance;
        }
        all
    }

    /// Whether no row has a point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.points.is_empty()
    }

    /// Everything, as bytes.
    pub fn bytes(&self, mut add: impl FnMut(&[u8])) {
        for layer in [&self.first, &self.second] {
            add(bytemuck::cast_slice(&layer.points));
            layer.distances.iter().for_each(|pack| add(bytemuck::cast_slice(&pack.0)));
        }
    }

    /// Moves rows that are further from their points than they may be. Fixed ones, and those of a point that is NaN,
    /// stay where they are.
    ///
    /// # Panics
    /// If there are fewer points, or fewer rows, than it was made for.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    pub unsafe fn keep(&self, isa: Isa, motion: Motion<'_>, run: Run, points: &[Row]) {
        assert!(points.len() >= self.count, "there are fewer points than rows stay near");
        run.check([self.first.distances.len() * BATCH, motion.x.len(), motion.u.len()]);
        motion.x.claim(run.start, run.len, Use::Read);
        motion.u.claim(run.start, run.len, Use::Write);
        isa.dispatch(Keep { all: self, motion, run, points });
    }
}

struct Keep<'a> {
    all: &'a LongRange,
    motion: Motion<'a>,
    run: Run,
    points: &'a [Row],
}

impl Kernel for Keep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Run { start, len, layout } = self.run;
        let (x, u) = (self.motion.x, self.motion.u);
        let twice = !self.all.second.points.is_empty();
        for first in (start..start + len).step_by(L::WIDTH) {
            // SAFETY: `keep` found the run inside of all arrays, and as many points as `new` has checked the numbers
            // against; WIDTH divides BATCH, and runs begin at a multiple of it; the caller promises that nobody else
            // uses these rows.
            unsafe {
                let near = self.near::<L>(&self.all.first, first);
                let [px, py, pz, w] = in_order::<L>(x.as_ptr(), layout, first);
                let [ux, uy, uz, _] = in_order::<L>(u.as_ptr(), layout, first);
                let (x, moved) = (V3::new(px, py, pz), V3::new(ux, uy, uz));
                let (free, none) = (w.gt(L::zero()), L::splat(-0.0));
                // u - 0 is u to the bit.
                let mut by = V3::new(none, none, none);
                let mut any = false;
                if twice {
                    let next = self.near::<L>(&self.all.second, first);
                    let ways = near.1 + next.1;
                    let free = free & !(near.0 - next.0).length_squared().gt(ways * ways);
                    // The nearer point has the last word.
                    for near in [next, near] {
                        any |= pull(x, moved, near, free, &mut by);
                    }
                } else {
                    any |= pull(x, moved, near, free, &mut by);
                }
                if any {
                    add([by.x, by.y, by.z, none], u, layout, first);
                }
            }
        }
    }
}

impl Keep<'_> {
    /// Points and distances of the rows from `first` on.
    ///
    /// # Safety
    /// There are so many rows, and `first` is a multiple of WIDTH.
    #[inline(always)]
    unsafe fn near<L: Lanes<Elem = f32>>(&self, layer: &Layer, first: usize) -> (V3<L>, L) {
        let (batch, lane) = (first / BATCH, first % BATCH);
        let (points, distances) = (&layer.points[batch], &layer.distances[batch]);
        // SAFETY: WIDTH divides BATCH; `keep` found as many points as `new` has checked the numbers against.
        unsafe {
            let at = L::load_rows(self.points.as_ptr().cast(), points.as_ptr().add(lane));
            let [x, y, z, _] = L::transpose(at);
            (V3::new(x, y, z), L::load(distances.0.as_ptr().add(lane)))
        }
    }
}

/// Adds to `by` what takes free particles back to within their distance. Whether there is any.
#[inline(always)]
fn pull<L: Lanes<Elem = f32>>(x: V3<L>, u: V3<L>, (point, most): (V3<L>, L), free: L::Mask, by: &mut V3<L>) -> bool {
    let d = (x - point) + (u + *by);
    let length = d.length();
    let far = length.gt(most) & free & length.finite();
    if far.any() {
        let back = d * (most / length) - d;
        *by = V3::select(far, *by + back, *by);
    }
    far.any()
}

/// Adds to rows that lie one after another, particle i being lane i on every instruction set.
///
/// # Safety
/// As for [`put`].
#[inline(always)]
unsafe fn add<L: Lanes<Elem = f32>>(by: [L; 4], rows: Shared<'_, Row>, layout: Layout, first: usize) {
    // SAFETY: the caller promises that `first` is a multiple of WIDTH, there are `first + WIDTH` rows, and nobody else
    // uses these.
    unsafe {
        match layout {
            Layout::Rows => L::add_rows(L::transpose(by), rows.as_ptr().add(first).cast(), IN_ORDER.as_ptr()),
            Layout::Lanes => {
                let now = numbers::<L>(rows.as_ptr(), layout, first);
                put(std::array::from_fn(|k| now[k] + by[k]), rows, layout, first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 64;
    const POINTS: [Row; 3] = [[0.0, 1.0, 0.0, 0.0], [f32::NAN; 4], [2.0, 0.0, 0.5, 0.0]];

    fn number(i: usize, k: usize) -> f32 {
        ((i * 37 + k * 101) % 97) as f32 / 25.0 - 2.0
    }

    /// Two points a row, or one; some no number, some far apart.
    fn points_of(row: usize) -> Vec<(usize, f32)> {
        let most = if row % 5 == 4 { f32::INFINITY } else { 0.5 + (row % 4) as f32 * 0.6 };
        let mut near = vec![(row % 3, most)];
        near.extend((row.is_multiple_of(2)).then_some(((row + 2) % 3, 0.7 + (row % 6) as f32 * 0.4)));
        near
    }

    /// The definition, one row after another. None where nothing moves.
    fn kept(row: usize, x: Row, u: Row) -> Option<Row> {
        let near = points_of(row);
        let minus = |a: [f32; 3], b: Row| std::array::from_fn::<f32, 3, _>(|k| a[k] - b[k]);
        let length = |d: [f32; 3]| ((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]).sqrt();
        let three = |[x, y, z, _]: Row| [x, y, z];
        let squared = |[x, y, z]: [f32; 3]| (x * x + y * y) + z * z;
        if let [(a, r), (b, s)] = near[..]
            && squared(minus(three(POINTS[a]), POINTS[b])) > (r + s) * (r + s)
        {
            return None;
        }
        let mut by = [-0.0f32; 3];
        for (point, most) in near.into_iter().rev() {
            let d = minus(three(x), POINTS[point]);
            let d: [f32; 3] = std::array::from_fn(|k| d[k] + (u[k] + by[k]));
            if length(d) > most && x[3] > 0.0 {
                by = std::array::from_fn(|k| by[k] + (d[k] * (most / length(d)) - d[k]));
            }
        }
        let moved = by.iter().any(|c| *c != 0.0);
        moved.then(|| [u[0] + by[0], u[1] + by[1], u[2] + by[2], u[3]])
    }

    /// Every lane type moves the rows that the definition moves, in both layouts, and no others.
    #[test]
    fn lanes_do_what_a_loop_does() {
        let near = |row: usize| points_of(row).into_iter().map(move |(point, most)| (row, point, most));
        let all = LongRange::new(ROWS, POINTS.len(), (0..ROWS).flat_map(near).filter(|held| held.2.is_finite()));
        for layout in [Layout::Rows, Layout::Lanes] {
            let (mut x, mut u) = (vec![[0.0f32; 4]; ROWS], vec![[0.0f32; 4]; ROWS]);
            for row in 0..ROWS {
                let w = if row % 7 == 6 { 0.0 } else { 1.0 };
                layout.write(&mut x, row, [number(row, 0), number(row, 1), number(row, 2), w]);
                layout.write(&mut u, row, [0.1 * number(row, 3), -0.0, 0.1 * number(row, 4), 0.0]);
            }
            let (mut wanted, mut moved) = (u.clone(), 0);
            for row in 16..ROWS {
                if let Some(to) = kept(row, layout.read(&x, row), layout.read(&u, row)) {
                    layout.write(&mut wanted, row, to);
                    moved += 1;
                }
            }
            assert!((8..40).contains(&moved), "{moved}");
            for isa in Isa::available() {
                let mut u = u.clone();
                let (mut r, mut v) = (vec![[0.0; 4]; ROWS], vec![[0.0; 4]; ROWS]);
                let motion = Motion {
                    x: Shared::new(&mut x),
                    r: Shared::new(&mut r),
                    v: Shared::new(&mut v),
                    u: Shared::new(&mut u),
                    force: Shared::new(&mut []),
                };
                // SAFETY: nobody else has these rows.
                unsafe { all.keep(isa, motion, Run { start: 16, len: 48, layout }, &POINTS) };
                let bits = |rows: &[Row]| rows.iter().map(|row| row.map(f32::to_bits)).collect::<Vec<_>>();
                assert_eq!(bits(&u), bits(&wanted), "{layout:?} on {}", isa.name());
            }
        }
    }
}
