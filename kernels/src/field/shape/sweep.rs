//! Shape matching in lanes: members to registers, their sums, and what they lack of their goals.

use super::super::Sums;
use super::rest::{Fit, Match, Residual, Shape};
use crate::lanes::{Kernel, Lanes};
use crate::tuning::MAX_CORRECTION;
use crate::{BATCH, Chunk, InChunks, Layout, Row, V3};
use std::ops::Range;

impl Match<'_> {
    /// Relative positions and inverse masses of a chunk of a register's members.
    ///
    /// # Safety
    /// Nobody writes them.
    #[inline(always)]
    unsafe fn members<L: Lanes<Elem = f32>>(&self, register: usize, chunk: Chunk<L>) -> (V3<L>, L) {
        // SAFETY: the caller promises that nobody writes them; a register holds sixteen numbers of each.
        unsafe {
            let p = self.p.as_ptr().add(register).cast::<f32>().cast_const().add(chunk.first());
            let load = [L::load(p), L::load(p.add(BATCH)), L::load(p.add(2 * BATCH)), L::load(p.add(3 * BATCH))];
            (V3::new(load[0], load[1], load[2]), load[3])
        }
    }
}

impl Shape {
    /// r and mu of a chunk of a register's members.
    #[inline(always)]
    fn at_rest<L: Lanes<Elem = f32>>(&self, register: usize, chunk: Chunk<L>) -> (V3<L>, L) {
        let [x, y, z, mu] = &self.rest[register];
        (V3::new(x.load(chunk), y.load(chunk), z.load(chunk)), mu.load(chunk))
    }
}

/// The four numbers of some particles.
///
/// # Safety
/// There are `WIDTH` places at `at`, of rows that exist and nobody writes.
#[inline(always)]
unsafe fn gather<L: Lanes<Elem = f32>>(rows: *const Row, at: *const u32, layout: Layout) -> [L; 4] {
    // SAFETY: the caller promises that there are `WIDTH` places at `at`, of rows that exist and nobody writes. A buffer
    // holds BATCH numbers of each, of which WIDTH are used.
    unsafe {
        if layout == Layout::Rows {
            return L::transpose(L::load_rows(rows.cast(), at));
        }
        let mut columns = [[0.0f32; BATCH]; 4];
        for lane in 0..L::WIDTH {
            let from = rows.cast::<f32>().add(at.add(lane).read() as usize);
            for (k, column) in columns.iter_mut().enumerate() {
                column[lane] = from.add(k * BATCH).read();
            }
        }
        let mut loaded = [L::zero(); 4];
        for (l, column) in loaded.iter_mut().zip(&columns) {
            *l = column.load(Chunk::<L>::FIRST);
        }
        loaded
    }
}

/// Adds to the rows of `lanes` particles.
///
/// # Safety
/// As for [`gather`], for writing; nobody else uses these rows, and no two are the same.
#[inline(always)]
unsafe fn add<L: Lanes<Elem = f32>>(dx: V3<L>, rows: *mut Row, at: *const u32, layout: Layout, lanes: usize) {
    // SAFETY: the caller promises that the places are of rows that exist, no two the same, and nobody else uses them. A
    // buffer holds BATCH numbers of each, of which WIDTH are used.
    unsafe {
        if layout == Layout::Rows && lanes >= L::WIDTH {
            return L::add_rows(L::transpose([dx.x, dx.y, dx.z, L::zero()]), rows.cast(), at);
        }
        let mut columns = [[0.0f32; BATCH]; 3];
        columns.store(Chunk::<L>::FIRST, dx);
        let (unit, stride) = if layout == Layout::Rows { (2, 1) } else { (1, BATCH) };
        for lane in 0..lanes.min(L::WIDTH) {
            let to = rows.cast::<f32>().add(unit * at.add(lane).read() as usize);
            for (k, column) in columns.iter().enumerate() {
                *to.add(k * stride) += column[lane];
            }
        }
    }
}

pub(super) struct PlaceMembers<'a> {
    pub(super) of: Match<'a>,
    pub(super) registers: Range<usize>,
}

impl Kernel for PlaceMembers<'_> {
    type Output = [f64; 3];

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> [f64; 3] {
        let Match { shape, x, u, p } = self.of;
        let mut lanes = Sums::new();
        // SAFETY: `check` and `Shape::new` found all rows; the caller keeps others away. All lanes are the first
        // member.
        let (xo, uo) = unsafe {
            let first = [shape.at[0][0]; BATCH];
            (
                gather::<L>(x.as_ptr(), first.as_ptr(), shape.layout),
                gather::<L>(u.as_ptr(), first.as_ptr(), shape.layout),
            )
        };
        for chunk in Chunk::<L>::all() {
            let mut sum = V3::<L>::zero();
            for register in self.registers.clone() {
                let (_, mu) = shape.at_rest(register, chunk);
                // SAFETY: `check` and `Shape::new` found all rows; the caller keeps others away; a register holds
                // sixteen numbers of each.
                unsafe {
                    let at = chunk.of(&shape.at[register]);
                    let xs = gather::<L>(x.as_ptr(), at, shape.layout);
                    let us = gather::<L>(u.as_ptr(), at, shape.layout);
                    let mut relative = xs;
                    for k in 0..3 {
                        relative[k] = (xs[k] - xo[k]) + (us[k] - uo[k]);
                    }
                    let to = p.as_ptr().add(register).cast::<f32>().add(chunk.first());
                    for (k, column) in relative.into_iter().enumerate() {
                        column.store(to.add(k * BATCH));
                    }
                    sum = sum + V3::new(relative[0], relative[1], relative[2]) * mu;
                }
            }
            lanes.put(chunk, [sum.x, sum.y, sum.z]);
        }
        lanes.fold()
    }
}

pub(super) struct Moments<'a> {
    pub(super) of: Match<'a>,
    pub(super) registers: Range<usize>,
    pub(super) c: [f32; 3],
}

impl Kernel for Moments<'_> {
    type Output = [f64; 9];

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> [f64; 9] {
        let shape = self.of.shape;
        let (mut lanes, c) = (Sums::new(), V3::<L>::set(self.c));
        for chunk in Chunk::<L>::all() {
            let mut sums = [L::zero(); 9];
            for register in self.registers.clone() {
                let (r, mu) = shape.at_rest(register, chunk);
                // SAFETY: `check` found the registers; the caller keeps writers away.
                let (p, _) = unsafe { self.of.members(register, chunk) };
                let d = p - c;
                // The product first: where p - c is r, the matrix is symmetric to the bit and nothing turns.
                let (d, r) = ([d.x, d.y, d.z], [r.x, r.y, r.z]);
                for i in 0..3 {
                    for j in 0..3 {
                        sums[3 * i + j] = sums[3 * i + j] + (d[i] * r[j]) * mu;
                    }
                }
            }
            lanes.put(chunk, sums);
        }
        lanes.fold()
    }
}

/// A fit in registers.
struct Goals<L> {
    c: V3<L>,
    t: [V3<L>; 3],
}

impl<L: Lanes<Elem = f32>> Goals<L> {
    #[inline(always)]
    fn new(fit: &Fit) -> Self {
        Goals { c: V3::set(fit.c), t: [V3::set(fit.t[0]), V3::set(fit.t[1]), V3::set(fit.t[2])] }
    }

    /// T r
    #[inline(always)]
    fn turned(&self, r: V3<L>) -> V3<L> {
        V3::new(self.t[0].dot(r), self.t[1].dot(r), self.t[2].dot(r))
    }
}

pub(super) struct Differ<'a> {
    pub(super) of: Match<'a>,
    pub(super) registers: Range<usize>,
    pub(super) fit: &'a Fit,
}

impl Kernel for Differ<'_> {
    type Output = Residual;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Residual {
        let shape = self.of.shape;
        let (mut lanes, goals) = (Sums::new(), Goals::<L>::new(self.fit));
        for chunk in Chunk::<L>::all() {
            let (mut mean, mut moment) = (V3::<L>::zero(), V3::<L>::zero());
            let (mut square, mut weighted) = (L::zero(), L::zero());
            for register in self.registers.clone() {
                let (r, mu) = shape.at_rest(register, chunk);
                // SAFETY: `check` found the registers; the caller keeps writers away.
                let (p, w) = unsafe { self.of.members(register, chunk) };
                let arm = p - goals.c;
                let d = arm - goals.turned(r);
                let weighed = d * mu;
                mean = mean + weighed;
                moment = moment + arm.cross(weighed);
                let moving = (weighed.dot(d)).or_zero(w.gt(L::zero()));
                square = square + moving;
                weighted = weighted + moving * (w * mu);
            }
            let (m, n) = (mean, moment);
            lanes.put(chunk, [m.x, m.y, m.z, n.x, n.y, n.z, square, weighted]);
        }
        lanes.fold()
    }
}

pub(super) struct Push<'a> {
    pub(super) of: Match<'a>,
    pub(super) registers: Range<usize>,
    pub(super) fit: &'a Fit,
}

impl Kernel for Push<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let (Match { shape, u, .. }, fit) = (self.of, self.fit);
        let (goals, mean, turn) = (Goals::<L>::new(fit), V3::<L>::set(fit.mean), V3::<L>::set(fit.turn));
        let by = L::set(fit.by);
        for register in self.registers {
            for chunk in Chunk::<L>::all() {
                let (r, mu) = shape.at_rest(register, chunk);
                let lanes = shape.count.saturating_sub(register * BATCH + chunk.first());
                // SAFETY: `check` and `Shape::new` found all rows, and no member twice; the caller keeps others away.
                unsafe {
                    let (p, w) = self.of.members(register, chunk);
                    let goal = goals.turned(r);
                    let d = (((p - goals.c) - goal) - mean) - turn.cross(goal);
                    let dx = d * (by * (w * mu));
                    let size = (dx.x.abs() + dx.y.abs()) + dx.z.abs();
                    let dx = dx.or_zero(size.lt(L::splat(MAX_CORRECTION)));
                    add(dx, u.as_ptr(), chunk.of(&shape.at[register]), shape.layout, lanes);
                }
            }
        }
    }
}
