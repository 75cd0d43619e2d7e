//! From substep to substep: position and velocity from the displacement, forces, the next displacement.

use super::motion::{Motion, NAN, Run};
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::tuning::MAX_POSITION;
use crate::{BATCH, Isa, Layout, Row};
use seidel_workers::Shared;

/// What becomes of a row that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLost {
    /// It stays where it was, with velocity 0 and inverse mass 0.
    Freeze,
    /// It keeps its numbers; what is NaN becomes [`NAN`].
    Keep,
}

/// Parts of a substep, in this order, in one pass over the rows: what ends one substep and begins the next reads and
/// writes each number once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Advance {
    /// Length of a substep, s.
    pub h: f32,
    /// Velocity, position and rounding from the displacement (Müller et al. 2007, lines 12-15), and what becomes of
    /// what is lost.
    pub commit: Option<OnLost>,
    /// Velocity after forces, where w > 0 (line 5).
    pub kick: Option<Kick>,
    /// `u = r + h v` (line 7, as a displacement).
    pub drift: bool,
}

/// `v = keep v + share h (gravity + w f)`: forces, and drag that is linear in the velocity relative to the world. For a
/// drag of c (1/s), dv/dt = gravity + w f - c v has this solution with keep = exp(-c h) and share = (1 - keep) / (c h),
/// whatever h is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kick {
    /// m/s^2.
    pub gravity: [f32; 3],
    /// The part of the velocity that is left, 0 to 1.
    pub keep: f32,
    /// The part of the forces' effect that is left, 0 to 1.
    pub share: f32,
}

impl Advance {
    /// # Safety
    /// As for [`Motion::advance`]; the arrays hold the run.
    pub(super) unsafe fn dispatch(self, isa: Isa, motion: Motion<'_>, run: Run) -> Option<usize> {
        // Lanes have inverse masses, and numbers that are always zero, in registers of their own, which are left alone.
        match run.layout {
            Layout::Rows => isa.dispatch(Pass::<4> { by: self, motion, run }),
            Layout::Lanes => isa.dispatch(Pass::<3> { by: self, motion, run }),
        }
    }
}

const LIMIT: f32 = MAX_POSITION as f32;
/// What a committed row may be, number by number: positions are limited, the inverse mass is the plan's affair.
static LIMITS: [Row; BATCH] = [[LIMIT, LIMIT, LIMIT, f32::MAX]; BATCH];

/// The numbers of `WIDTH` particles: four registers of whole rows, or three components of a [`Layout::Lanes`], as `N`
/// tells.
///
/// # Safety
/// `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody writes these.
#[inline(always)]
unsafe fn numbers<L: Lanes<Elem = f32>, const N: usize>(rows: *const Row, row: usize) -> [L; N] {
    let mut numbers = [L::zero(); N];
    // SAFETY: the caller promises that `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody writes
    // these; a block's 64 numbers are its rows'.
    unsafe {
        if N == 4 {
            numbers.copy_from_slice(&L::load_lines(rows.add(row))[..N]);
            return numbers;
        }
        let from = rows.cast::<f32>().add(Layout::Lanes.offset(row));
        for (k, number) in numbers.iter_mut().enumerate() {
            *number = L::load(from.add(k * BATCH));
        }
    }
    numbers
}

/// Writes what [`numbers`] read.
///
/// # Safety
/// As there; nobody else uses these rows.
#[inline(always)]
unsafe fn put<L: Lanes<Elem = f32>, const N: usize>(values: [L; N], rows: Shared<'_, Row>, row: usize) {
    // SAFETY: the caller promises that `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody else uses
    // these.
    unsafe {
        if N == 4 {
            let mut lines = [L::zero(); 4];
            lines[..N].copy_from_slice(&values);
            return L::store_lines(lines, rows.as_ptr().add(row));
        }
        let to = rows.as_ptr().cast::<f32>().add(Layout::Lanes.offset(row));
        for (k, value) in values.into_iter().enumerate() {
            value.store(to.add(k * BATCH));
        }
    }
}

/// Over rows of which `N` registers for `WIDTH` particles change: whole rows, or a component each.
struct Pass<'a, const N: usize> {
    by: Advance,
    motion: Motion<'a>,
    run: Run,
}

impl<const N: usize> Kernel for Pass<'_, N> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Option<usize> {
        let Self { by: Advance { h, commit, kick, drift }, motion, run } = self;
        let mut limit = [L::set(LIMIT); N];
        if N == 4 {
            // SAFETY: LIMITS has BATCH rows.
            let lines = unsafe { L::load_lines(LIMITS.as_ptr()) };
            limit.copy_from_slice(&lines[..N]);
        }
        let mut lost = None;
        let mut row = run.start;
        while row < run.start + run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                let of = |rows: Shared<'_, Row>| numbers::<L, N>(rows.as_ptr(), row);
                let (mut r, mut v) = (of(motion.r), of(motion.v));
                if let Some(on_lost) = commit {
                    let committed = Committed::new(of(motion.x), r, v, of(motion.u), h, limit);
                    if committed.good {
                        put(committed.x, motion.x, row);
                        put(committed.r, motion.r, row);
                        (r, v) = (committed.r, committed.v);
                    } else {
                        // Row by row: which rows are lost must not depend on how many are looked at together.
                        for row in row..row + L::WIDTH {
                            if !self.row(row, on_lost) {
                                lost = lost.or(Some(row));
                            }
                        }
                        (r, v) = (of(motion.r), of(motion.v));
                    }
                }
                if let Some(kick) = kick {
                    v = self.kick(row, v, kick);
                }
                if commit.is_some() || kick.is_some() {
                    put(v, motion.v, row);
                }
                if drift {
                    let mut u = r;
                    for k in 0..N {
                        u[k] = r[k] + L::set(h) * v[k];
                    }
                    put(u, motion.u, row);
                }
            }
            row += L::WIDTH;
        }
        lost
    }
}

impl<const N: usize> Pass<'_, N> {
    /// Velocities after forces.
    ///
    /// # Safety
    /// As for [`Motion::advance`]; `row` and the `WIDTH - 1` after it are of the run.
    #[inline(always)]
    unsafe fn kick<L: Lanes<Elem = f32>>(&self, row: usize, mut v: [L; N], kick: Kick) -> [L; N] {
        let Kick { gravity, keep, share } = kick;
        let h = self.by.h * share;
        let motion = &self.motion;
        // SAFETY: the caller promises that the rows are of the run, which the arrays hold, and nobody else uses them.
        unsafe {
            let (w, f) = match self.run.layout {
                Layout::Rows => {
                    let columns = |rows: Shared<'_, Row>| L::transpose(numbers::<L, 4>(rows.as_ptr(), row));
                    let f = if motion.force.is_empty() { [L::zero(); 4] } else { columns(motion.force) };
                    (columns(motion.x)[3], [f[0], f[1], f[2]])
                }
                Layout::Lanes => {
                    let at = self.run.layout.offset(row);
                    let w = L::load(motion.x.as_ptr().cast::<f32>().add(at + 3 * BATCH).cast_const());
                    let f = if motion.force.is_empty() {
                        [L::zero(); 3]
                    } else {
                        numbers::<L, 3>(motion.force.as_ptr(), row)
                    };
                    (w, f)
                }
            };
            let moves = w.gt(L::zero());
            let mut columns = [L::zero(); 4];
            columns[..N].copy_from_slice(&v);
            if N == 4 {
                columns = L::transpose(columns);
            }
            for k in 0..3 {
                let mut dv = L::set(h * gravity[k]);
                if !motion.force.is_empty() {
                    dv = dv + L::set(h) * (w * f[k]);
                }
                if keep != 1.0 {
                    columns[k] = L::select(moves, columns[k] * L::set(keep), columns[k]);
                }
                columns[k] = columns[k] + dv.or_zero(moves);
            }
            if N == 4 {
                columns = L::transpose(columns);
            }
            v.copy_from_slice(&columns[..N]);
        }
        v
    }

    /// Commits one row; false if it is lost.
    ///
    /// # Safety
    /// As for [`Motion::advance`]; the row is of the run.
    unsafe fn row(&self, row: usize, on_lost: OnLost) -> bool {
        let (motion, layout) = (&self.motion, self.run.layout);
        let number = |rows: Shared<'_, Row>, k: usize| {
            // SAFETY: as the caller promises, the row is within every array and nobody else's.
            unsafe { rows.as_ptr().cast::<f32>().add(layout.offset(row) + k * layout.stride()) }
        };
        // SAFETY: the caller promises that the row is of the run, which the arrays hold, and nobody else's.
        unsafe {
            let of = |rows| -> [f32; 3] { std::array::from_fn(|k| number(rows, k).read()) };
            let set = |rows, row: [f32; 3]| row.into_iter().enumerate().for_each(|(k, c)| number(rows, k).write(c));
            let (x, r, v, u) = (of(motion.x), of(motion.r), of(motion.v), of(motion.u));
            let Committed { x, r, v, good } = Committed::new(x, r, v, u, self.by.h, [LIMIT; 3]);
            if good || on_lost == OnLost::Keep {
                let canonical = |row: [f32; 3]| row.map(|c| if c.is_nan() { NAN } else { c });
                set(motion.x, canonical(x));
                set(motion.r, canonical(r));
                set(motion.v, canonical(v));
            } else {
                number(motion.x, 3).write(0.0);
                // Not on its way out of a collider either.
                set(motion.r, [0.0; 3]);
                set(motion.v, [0.0; 3]);
            }
            good
        }
    }
}

/// Particles after a substep, in registers.
struct Committed<L, const N: usize> {
    x: [L; N],
    r: [L; N],
    v: [L; N],
    good: bool,
}

impl<L: Lanes<Elem = f32>, const N: usize> Committed<L, N> {
    #[inline(always)]
    fn new(mut x: [L; N], mut r: [L; N], mut v: [L; N], u: [L; N], h: f32, limit: [L; N]) -> Self {
        let (h, inv_h) = (L::set(h), L::set(1.0 / h));
        let mut good = true;
        for k in 0..N {
            v[k] = v[k] + (u[k] - (r[k] + h * v[k])) * inv_h;
            let y = x[k] + u[k];
            let added = y - x[k];
            r[k] = (x[k] - (y - added)) + (u[k] - added);
            x[k] = y;
            // In whole rows the inverse mass passes through: u is zero there.
            good &= y.abs().le(limit[k]).all() & v[k].finite().all();
        }
        Self { x, r, v, good }
    }
}
