//! The parts of a substep that touch every particle alone: predict, and take position and velocity from the displacement.
//!
//! Displacement form (why: f32). A state keeps position x, velocity v and the rounding r that x could not hold:
//!   v += h (gravity + w f);  u = r + h v;  solve on p = x + u, writing u only;
//!   v += (u - (r + h v)) / h;  y = x + u;  r = what y lost (Knuth's TwoSum);  x = y.
//! With v = (x - x_prev) / h on plain f32 positions free fall is 20 % wrong after 10 s at 20 substeps.
//! The velocity is corrected by the part of u that the solver added, not recomputed as (u - r) / h: a row that nothing
//! touches keeps its v to the bit.

use crate::lanes::{Kernel, Lanes, Mask};
use crate::tuning::MAX_POSITION;
use crate::{Isa, Row, Shared};

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
}

impl Motion<'_> {
    /// Every array holds the run, so that kernels may go through it unchecked.
    pub(crate) fn check(&self, run: Run) {
        assert!(run.start.is_multiple_of(16) && run.len.is_multiple_of(16), "runs are whole batches of rows");
        let end = run.start.checked_add(run.len).expect("the run ends behind the rows");
        for len in [self.x.len(), self.r.len(), self.v.len(), self.u.len()] {
            assert!(end <= len, "the run ends behind the rows");
        }
        assert!(self.force.is_empty() || end <= self.force.len(), "the run ends behind the forces");
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

/// Reads `WIDTH` rows of an array.
///
/// # Safety
/// `row + WIDTH <= rows.len()`, and nobody writes them.
#[inline(always)]
unsafe fn lines<L: Lanes<Elem = f32>>(rows: Shared<'_, Row>, row: usize) -> [L; 4] {
    // SAFETY: the caller's promise.
    unsafe { L::load_lines(rows.as_ptr().add(row)) }
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
        let hg = [self.h * self.gravity[0], self.h * self.gravity[1], self.h * self.gravity[2]];
        let mut row = self.run.start;
        while row < self.run.start + self.run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                let w = L::transpose(lines::<L>(self.motion.x, row))[3];
                let moves = w.gt(L::zero());
                let mut dv = [L::set(hg[0]), L::set(hg[1]), L::set(hg[2]), L::zero()];
                if !self.motion.force.is_empty() {
                    let f = L::transpose(lines::<L>(self.motion.force, row));
                    for k in 0..3 {
                        dv[k] = dv[k] + h * (w * f[k]);
                    }
                }
                for dv in &mut dv {
                    *dv = dv.or_zero(moves);
                }
                let dv = L::transpose(dv);
                let mut v = lines::<L>(self.motion.v, row);
                for k in 0..4 {
                    v[k] = v[k] + dv[k];
                }
                L::store_lines(v, self.motion.v.as_ptr().add(row));
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
                let (r, v) = (lines::<L>(self.motion.r, row), lines::<L>(self.motion.v, row));
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

/// What a committed row may be, number by number: positions are limited, the inverse mass is the plan's affair.
static LIMITS: [Row; 16] = [[MAX_POSITION as f32, MAX_POSITION as f32, MAX_POSITION as f32, f32::MAX]; 16];

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
        let mut lost = None;
        let mut row = self.run.start;
        while row < self.run.start + self.run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                let committed = self.rows::<L>(row);
                if committed.good {
                    committed.store(self.motion, row);
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

/// Rows after a substep, in registers.
struct Committed<L> {
    x: [L; 4],
    r: [L; 4],
    v: [L; 4],
    good: bool,
}

impl<L: Lanes<Elem = f32>> Committed<L> {
    /// # Safety
    /// As for [`Motion::commit`].
    #[inline(always)]
    unsafe fn store(self, motion: Motion<'_>, row: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            L::store_lines(self.x, motion.x.as_ptr().add(row));
            L::store_lines(self.r, motion.r.as_ptr().add(row));
            L::store_lines(self.v, motion.v.as_ptr().add(row));
        }
    }
}

impl Commit<'_> {
    /// # Safety
    /// As for [`Motion::commit`].
    #[inline(always)]
    unsafe fn rows<L: Lanes<Elem = f32>>(&self, row: usize) -> Committed<L> {
        let (h, inv_h) = (L::set(self.h), L::set(1.0 / self.h));
        // SAFETY: the caller's promise.
        let (mut x, mut r, mut v, u, limit) = unsafe {
            let motion = &self.motion;
            let limit = L::load_lines(LIMITS.as_ptr());
            let (x, r) = (lines::<L>(motion.x, row), lines::<L>(motion.r, row));
            (x, r, lines::<L>(motion.v, row), lines::<L>(motion.u, row), limit)
        };
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
        // SAFETY: the caller's promise.
        unsafe {
            let committed = self.rows::<f32>(row);
            let good = committed.good;
            if good {
                committed.store(self.motion, row);
            } else if self.on_lost == OnLost::Keep {
                let Committed { x, r, v, .. } = committed;
                let [x, r, v] = [x, r, v].map(|row| row.map(|c| if c.is_nan() { NAN } else { c }));
                Committed { x, r, v, good }.store(self.motion, row);
            } else {
                let x = self.motion.x.as_ptr().add(row);
                (*x)[3] = 0.0;
                self.motion.v.as_ptr().add(row).write([0.0; 4]);
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
        let (mut low, mut high) = ([L::set(f32::INFINITY); 4], [L::set(f32::NEG_INFINITY); 4]);
        let mut row = self.run.start;
        while row < self.run.start + self.run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps writers away.
            unsafe {
                let (x, r) = (lines::<L>(self.motion.x, row), lines::<L>(self.motion.r, row));
                let u = lines::<L>(self.motion.u, row);
                for k in 0..4 {
                    let (a, p) = (x[k] + r[k], x[k] + u[k]);
                    low[k] = low[k].smaller(a).smaller(p);
                    high[k] = high[k].larger(a).larger(p);
                }
            }
            row += L::WIDTH;
        }
        // A minimum does not depend on the order in which its numbers come.
        let mut rows = [[[0.0f32; 4]; 16]; 2];
        // SAFETY: WIDTH <= 16 rows of four numbers fit.
        unsafe {
            L::store_lines(low, rows[0].as_mut_ptr());
            L::store_lines(high, rows[1].as_mut_ptr());
        }
        let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        let [lows, highs] = &rows;
        for (low, high) in lows.iter().zip(highs).take(L::WIDTH) {
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
                let [x, y, z, w] = L::transpose(lines::<L>(self.motion.x, row));
                let [vx, vy, vz, rest] = L::transpose(lines::<L>(self.motion.v, row));
                let v = V3::new(vx, vy, vz);
                let rigid = velocity + omega.cross(V3::new(x, y, z) - center);
                let dv = ((rigid - v) * L::set(self.k)).or_zero(w.gt(L::zero()));
                let v = v + dv;
                L::store_lines(L::transpose([v.x, v.y, v.z, rest]), self.motion.v.as_ptr().add(row));
            }
            row += L::WIDTH;
        }
    }
}
