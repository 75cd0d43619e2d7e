//! The parts of a substep that touch every particle alone: predict, and take position and velocity from the displacement.
//!
//! Displacement form (why: f32). A state keeps position x, velocity v and the rounding r that x could not hold:
//!   v += h (gravity + w f);  u = r + h v;  solve on p = x + u, writing u only;
//!   v += (u - (r + h v)) / h;  y = x + u;  r = what y lost (Knuth's TwoSum);  x = y.
//! With v = (x - x_prev) / h on plain f32 positions free fall is 20 % wrong after 10 s at 20 substeps.
//! The velocity is corrected by the part of u that the solver added, not recomputed as (u - r) / h: a row that nothing
//! touches keeps its v to the bit.

use crate::lanes::{Kernel, Lanes, Mask};
use crate::slots::IN_ORDER;
use crate::tuning::MAX_POSITION;
use crate::{BATCH, Isa, Layout, Row, Shared};

/// The rows of a state and the displacements of a step.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Positions and inverse masses [x, y, z, w].
    pub x: Shared<'a, Row>,
    /// Rounding of the positions [rx, ry, rz, 0].
    pub r: Shared<'a, Row>,
    /// Velocities [vx, vy, vz, 0].
    pub v: Shared<'a, Row>,
    /// Displacements [ux, uy, uz, 0].
    pub u: Shared<'a, Row>,
    /// External forces [fx, fy, fz, 0]; empty if there are none.
    pub force: Shared<'a, Row>,
}

/// A run of rows; the start and the length are multiples of 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First row.
    pub start: usize,
    /// Number of rows.
    pub len: usize,
    /// How they lie.
    pub layout: Layout,
}

impl Run {
    /// Arrays of these lengths hold it, so that kernels may go through it unchecked.
    pub(crate) fn check<const N: usize>(self, lens: [usize; N]) {
        assert!(self.start.is_multiple_of(16) && self.len.is_multiple_of(16), "runs are whole batches of rows");
        let end = self.start.checked_add(self.len).expect("the run ends behind the rows");
        assert!(lens.into_iter().all(|len| end <= len), "the run ends behind the rows");
    }
}

impl Motion<'_> {
    /// Every array holds the run, so that kernels may go through it unchecked.
    pub(crate) fn check(&self, run: Run) {
        let force = if self.force.is_empty() { self.x.len() } else { self.force.len() };
        run.check([self.x.len(), self.r.len(), self.v.len(), self.u.len(), force]);
    }

    /// `v += h (gravity + w f)` where w > 0 (Müller et al. 2007, line 5).
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    pub unsafe fn kick(self, isa: Isa, run: Run, h: f32, gravity: [f32; 3]) {
        self.check(run);
        isa.dispatch(Kick { motion: self, run, h, gravity });
    }

    /// `u = r + h v` (line 7, as a displacement).
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    pub unsafe fn drift(self, isa: Isa, run: Run, h: f32) {
        self.check(run);
        isa.dispatch(Drift { motion: self, run, h });
    }

    /// Velocity, position and rounding from the displacement (lines 12-15).
    ///
    /// Returns the first row that is lost: its position or velocity is not finite, or beyond `tuning::MAX_POSITION`.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    #[must_use]
    pub unsafe fn commit(self, isa: Isa, run: Run, h: f32, on_lost: OnLost) -> Option<usize> {
        self.check(run);
        isa.dispatch(Commit { motion: self, run, h, on_lost })
    }

    /// Lowest and highest coordinates of the paths x + r -> x + u of these rows.
    ///
    /// # Safety
    /// Nobody writes these rows meanwhile.
    #[must_use]
    pub unsafe fn bounds(self, isa: Isa, run: Run) -> [[f32; 3]; 2] {
        self.check(run);
        isa.dispatch(Bounds { motion: self, run })
    }

    /// Moves velocities towards a rigid motion: `v += k (v_cm + omega x (x - center) - v)` where w > 0.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    pub unsafe fn damp(self, isa: Isa, run: Run, k: f32, rigid: RigidMotion) {
        self.check(run);
        isa.dispatch(Damp { motion: self, run, k, rigid });
    }
}

/// The one NaN that a state holds: which one an operation gives differs between processors.
pub const NAN: f32 = f32::from_bits(0x7fc0_0000);

/// What becomes of a row that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLost {
    /// It stays where it was, with velocity 0 and inverse mass 0.
    Freeze,
    /// It keeps its numbers; what is NaN becomes [`NAN`].
    Keep,
}

/// A rigid motion: the velocity of a point and the rotation about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidMotion {
    /// The point, metres.
    pub center: [f32; 3],
    /// Its velocity, m/s.
    pub velocity: [f32; 3],
    /// Angular velocity, rad/s.
    pub omega: [f32; 3],
}

/// The numbers of `WIDTH` particles in four registers: whole rows (`Layout::Rows`) or a component each (`Layout::Lanes`).
///
/// # Safety
/// `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody writes these.
#[inline(always)]
unsafe fn numbers<L: Lanes<Elem = f32>>(rows: *const Row, layout: Layout, row: usize) -> [L; 4] {
    // SAFETY: the caller's promise; a block's 64 numbers are its rows'.
    unsafe {
        match layout {
            Layout::Rows => L::load_lines(rows.add(row)),
            Layout::Lanes => {
                let from = rows.cast::<f32>().add(layout.offset(row));
                [L::load(from), L::load(from.add(BATCH)), L::load(from.add(2 * BATCH)), L::load(from.add(3 * BATCH))]
            }
        }
    }
}

/// Writes what [`numbers`] read.
///
/// # Safety
/// As there; nobody else uses these rows.
#[inline(always)]
unsafe fn put<L: Lanes<Elem = f32>>(values: [L; 4], rows: Shared<'_, Row>, layout: Layout, row: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match layout {
            Layout::Rows => L::store_lines(values, rows.as_ptr().add(row)),
            Layout::Lanes => {
                let to = rows.as_ptr().cast::<f32>().add(layout.offset(row));
                for (k, value) in values.into_iter().enumerate() {
                    value.store(to.add(k * BATCH));
                }
            }
        }
    }
}

/// The four components of `WIDTH` particles.
///
/// # Safety
/// As for [`numbers`].
#[inline(always)]
pub(crate) unsafe fn columns<L: Lanes<Elem = f32>>(rows: *const Row, layout: Layout, row: usize) -> [L; 4] {
    // SAFETY: the caller's promise.
    let numbers = unsafe { numbers::<L>(rows, layout, row) };
    if layout == Layout::Rows { L::transpose(numbers) } else { numbers }
}

/// The same with particle i in lane i on every instruction set, for sums over lanes.
///
/// # Safety
/// As for [`numbers`].
#[inline(always)]
pub(crate) unsafe fn in_order<L: Lanes<Elem = f32>>(rows: Shared<'_, Row>, layout: Layout, row: usize) -> [L; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        match layout {
            Layout::Rows => L::transpose(L::load_rows(rows.as_ptr().add(row).cast(), IN_ORDER.as_ptr())),
            Layout::Lanes => numbers(rows.as_ptr(), layout, row),
        }
    }
}

/// Writes what [`columns`] read.
///
/// # Safety
/// As for [`put`].
#[inline(always)]
pub(crate) unsafe fn put_columns<L: Lanes<Elem = f32>>(c: [L; 4], rows: Shared<'_, Row>, layout: Layout, row: usize) {
    let numbers = if layout == Layout::Rows { L::transpose(c) } else { c };
    // SAFETY: the caller's promise.
    unsafe { put(numbers, rows, layout, row) }
}

struct Kick<'a> {
    motion: Motion<'a>,
    run: Run,
    h: f32,
    gravity: [f32; 3],
}

impl Kernel for Kick<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let h = L::set(self.h);
        let layout = self.run.layout;
        let hg = [self.h * self.gravity[0], self.h * self.gravity[1], self.h * self.gravity[2]];
        let mut row = self.run.start;
        while row < self.run.start + self.run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                let w = columns::<L>(self.motion.x.as_ptr(), layout, row)[3];
                let moves = w.gt(L::zero());
                let mut dv = [L::set(hg[0]), L::set(hg[1]), L::set(hg[2])];
                if !self.motion.force.is_empty() {
                    let f = columns::<L>(self.motion.force.as_ptr(), layout, row);
                    for k in 0..3 {
                        dv[k] = dv[k] + h * (w * f[k]);
                    }
                }
                let mut v = columns::<L>(self.motion.v.as_ptr(), layout, row);
                for k in 0..3 {
                    v[k] = v[k] + dv[k].or_zero(moves);
                }
                put_columns(v, self.motion.v, layout, row);
            }
            row += L::WIDTH;
        }
    }
}

struct Drift<'a> {
    motion: Motion<'a>,
    run: Run,
    h: f32,
}

impl Kernel for Drift<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let h = L::set(self.h);
        let mut row = self.run.start;
        while row < self.run.start + self.run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                // Every number alike, however they lie.
                let lines = |rows: Shared<'_, Row>| L::load_lines(rows.as_ptr().add(row));
                let (r, v) = (lines(self.motion.r), lines(self.motion.v));
                let mut u = [L::zero(); 4];
                for k in 0..4 {
                    u[k] = r[k] + h * v[k];
                }
                L::store_lines(u, self.motion.u.as_ptr().add(row));
            }
            row += L::WIDTH;
        }
    }
}

const LIMIT: Row = [MAX_POSITION as f32, MAX_POSITION as f32, MAX_POSITION as f32, f32::MAX];
/// What a committed row may be, number by number: positions are limited, the inverse mass is the plan's affair.
static LIMITS: [Row; BATCH] = [LIMIT; BATCH];

struct Commit<'a> {
    motion: Motion<'a>,
    run: Run,
    h: f32,
    on_lost: OnLost,
}

impl Kernel for Commit<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Option<usize> {
        let Self { motion, run, .. } = self;
        let layout = run.layout;
        let mut lost = None;
        let mut row = run.start;
        while row < run.start + run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                let limit = match layout {
                    Layout::Rows => L::load_lines(LIMITS.as_ptr()),
                    Layout::Lanes => LIMIT.map(L::set),
                };
                let of = |rows: Shared<'_, Row>| numbers::<L>(rows.as_ptr(), layout, row);
                let committed = self.commit(of(motion.x), of(motion.r), of(motion.v), of(motion.u), limit);
                if committed.good {
                    put(committed.x, motion.x, layout, row);
                    put(committed.r, motion.r, layout, row);
                    put(committed.v, motion.v, layout, row);
                } else {
                    // Row by row: which rows are lost must not depend on how many are looked at together.
                    for row in row..row + L::WIDTH {
                        if !self.row(row) {
                            lost = lost.or(Some(row));
                        }
                    }
                }
            }
            row += L::WIDTH;
        }
        lost
    }
}

/// Particles after a substep, in registers.
struct Committed<L> {
    x: [L; 4],
    r: [L; 4],
    v: [L; 4],
    good: bool,
}

impl Commit<'_> {
    #[inline(always)]
    fn commit<L: Lanes<Elem = f32>>(
        &self,
        mut x: [L; 4],
        mut r: [L; 4],
        mut v: [L; 4],
        u: [L; 4],
        limit: [L; 4],
    ) -> Committed<L> {
        let (h, inv_h) = (L::set(self.h), L::set(1.0 / self.h));
        let mut good = true;
        for k in 0..4 {
            v[k] = v[k] + (u[k] - (r[k] + h * v[k])) * inv_h;
            let y = x[k] + u[k];
            let added = y - x[k];
            r[k] = (x[k] - (y - added)) + (u[k] - added);
            x[k] = y;
            // The fourth number, the inverse mass, passes through: u is zero there.
            good &= y.abs().le(limit[k]).all() & v[k].finite().all();
        }
        Committed { x, r, v, good }
    }

    /// One row; false if it is lost.
    ///
    /// # Safety
    /// As for [`Motion::commit`].
    unsafe fn row(&self, row: usize) -> bool {
        let (motion, layout) = (&self.motion, self.run.layout);
        let number = |rows: Shared<'_, Row>, k: usize| {
            // SAFETY: the caller's promise: the row is within every array and nobody else's.
            unsafe { rows.as_ptr().cast::<f32>().add(layout.offset(row) + k * layout.stride()) }
        };
        // SAFETY: as above.
        unsafe {
            let of = |rows| std::array::from_fn(|k| number(rows, k).read());
            let set = |rows, row: Row| row.into_iter().enumerate().for_each(|(k, c)| number(rows, k).write(c));
            let Committed { x, r, v, good } =
                self.commit(of(motion.x), of(motion.r), of(motion.v), of(motion.u), LIMIT);
            if good || self.on_lost == OnLost::Keep {
                let canonical = |row: Row| row.map(|c| if c.is_nan() { NAN } else { c });
                set(motion.x, canonical(x));
                set(motion.r, canonical(r));
                set(motion.v, canonical(v));
            } else {
                number(motion.x, 3).write(0.0);
                // Not on its way out of a collider either.
                set(motion.r, [0.0; 4]);
                set(motion.v, [0.0; 4]);
            }
            good
        }
    }
}

struct Bounds<'a> {
    motion: Motion<'a>,
    run: Run,
}

impl Kernel for Bounds<'_> {
    type Output = [[f32; 3]; 2];

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> [[f32; 3]; 2] {
        let layout = self.run.layout;
        let (mut low, mut high) = ([L::set(f32::INFINITY); 4], [L::set(f32::NEG_INFINITY); 4]);
        let mut row = self.run.start;
        while row < self.run.start + self.run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps writers away.
            unsafe {
                let of = |rows: Shared<'_, Row>| numbers::<L>(rows.as_ptr(), layout, row);
                let (x, r, u) = (of(self.motion.x), of(self.motion.r), of(self.motion.u));
                for k in 0..4 {
                    let (a, p) = (x[k] + r[k], x[k] + u[k]);
                    low[k] = low[k].smaller(a).smaller(p);
                    high[k] = high[k].larger(a).larger(p);
                }
            }
            row += L::WIDTH;
        }
        // A minimum does not depend on the order in which its numbers come.
        let mut rows = [[[0.0f32; 4]; BATCH]; 2];
        let [lows, highs] = &mut rows;
        // SAFETY: WIDTH <= 16 rows of four numbers fit.
        unsafe {
            put(low, Shared::new(lows), layout, 0);
            put(high, Shared::new(highs), layout, 0);
        }
        let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for particle in 0..L::WIDTH {
            let (low, high) = (layout.read(lows, particle), layout.read(highs, particle));
            for k in 0..3 {
                bounds[0][k] = Lanes::smaller(bounds[0][k], low[k]);
                bounds[1][k] = Lanes::larger(bounds[1][k], high[k]);
            }
        }
        bounds
    }
}

struct Damp<'a> {
    motion: Motion<'a>,
    run: Run,
    k: f32,
    rigid: RigidMotion,
}

impl Kernel for Damp<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        use crate::V3;
        let RigidMotion { center, velocity, omega } = self.rigid;
        let (center, velocity, omega) = (V3::<L>::set(center), V3::set(velocity), V3::set(omega));
        let mut row = self.run.start;
        while row < self.run.start + self.run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                let layout = self.run.layout;
                let [x, y, z, w] = columns::<L>(self.motion.x.as_ptr(), layout, row);
                let [vx, vy, vz, rest] = columns::<L>(self.motion.v.as_ptr(), layout, row);
                let v = V3::new(vx, vy, vz);
                let rigid = velocity + omega.cross(V3::new(x, y, z) - center);
                let dv = ((rigid - v) * L::set(self.k)).or_zero(w.gt(L::zero()));
                let v = v + dv;
                put_columns([v.x, v.y, v.z, rest], self.motion.v, layout, row);
            }
            row += L::WIDTH;
        }
    }
}
