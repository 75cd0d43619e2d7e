//! A substep of second order: BDF2, which looks back one substep (Curtiss, Hirschfelder 1952; for particles with
//! constraints English, Bridson 2008, and Bender, Müller, Macklin 2017, "A Survey on Position Based Dynamics", on
//! updates of second order).
//!
//! With q = h / h_before, k = q^2 / (1 + 2 q) and h' = h (1 + q) / (1 + 2 q); 1/3 and 2/3 h where substeps are equal
//! (Hairer, Nørsett, Wanner 1993, "Solving Ordinary Differential Equations I", section III.5):
//! ```text
//!   v* = v + k (v - v_before) + h' (gravity + w f)
//!   u  = r + k d + h' v*,   d being the last substep's displacement
//!   solve on p = x + u, with h' in place of h in the compliance alpha / h^2
//!   v  = v* + (u - (r + k d + h' v*)) / h',   which is (3 x - 4 x_before + x_before_that) / (2 h)
//! ```
//! So it is the displacement form of `integrate` with h' for h, and r + k d for r. With k = 0 and h' = h it is that
//! form: so it begins.
//!
//! Damping and drag are no forces here: they change v, and v - v_before is what forces alone have changed.
//!
//! A contact is a jump of the velocity, which BDF2 would go on with: a particle that falls onto the ground would leave
//! it with up to 1.25 times its speed. For two substeps after a contact has begun a particle takes its velocity from
//! this substep's displacement alone, and starts anew. Later it slides or rests smoothly. (If it always started anew,
//! forces would act on it as if it had 9/4 of its mass.)

use super::advance::{Kick, OnLost};
use super::motion::{Motion, NAN, Run};
use super::rows::{columns, put_columns};
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::tuning::MAX_POSITION;
use crate::{Isa, Row, V3};
use seidel_workers::Shared;
use seidel_workers::claims::Use;

/// Substeps in contact after which a particle keeps its history; while it does, its count is one more.
pub const ANEW: f32 = 2.0;

/// Weights of a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Length h of the substep, s.
    pub h: f32,
    /// h', s: constraints and forces act as if the substep were so long.
    pub effective: f32,
    /// k, of the last substep.
    pub past: f32,
}

impl Weights {
    /// A substep of `h` seconds without a past.
    #[must_use]
    pub fn first_order(h: f32) -> Weights {
        Weights { h, effective: h, past: 0.0 }
    }

    /// A substep of `h` seconds after one of `before` seconds. 0 is none; and after one of less than half the length a
    /// substep starts anew, because BDF2 is stable for q < 1 + sqrt(2).
    #[must_use]
    pub fn second_order(h: f32, before: f32) -> Weights {
        if before * 2.0 < h {
            return Weights::first_order(h);
        }
        let (h64, q) = (f64::from(h), f64::from(h) / f64::from(before));
        let (effective, past) = (h64 * (1.0 + q) / (1.0 + 2.0 * q), q * q / (1.0 + 2.0 * q));
        Weights { h, effective: effective as f32, past: past as f32 }
    }
}

/// What a state keeps of the last substep, and what contacts did in this one. Rows lie as those of the motion.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    /// How far particles went, [dx, dy, dz, n], metres, n being the number of substeps in contact, at most `ANEW` + 1.
    /// Of frames the rotation [rx, ry, rz, 0], rad.
    pub d: Shared<'a, Row>,
    /// By how much forces changed the velocity, m/s; of frames omega, rad/s. Within a substep, once forces have acted:
    /// the velocity before them.
    pub dv: Shared<'a, Row>,
    /// u - r before contacts, and whether they changed it; empty if nothing touches.
    pub met: Shared<'a, Row>,
}

/// Parts of a substep, in this order, as [`super::Advance`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Follow {
    /// Velocity, position and history from the displacement, with the weights of the substep that ends, and what
    /// becomes of what is lost.
    pub commit: Option<(OnLost, Weights)>,
    /// Velocity after forces and from the past, where w > 0.
    pub kick: Option<Kick>,
    /// The displacement that is expected.
    pub drift: bool,
    /// Weights of the substep that begins.
    pub next: Weights,
}

/// The displacement that is expected of what has velocity v, (r + k d) + h' v. What is fixed goes h v, as its velocity
/// says.
#[inline(always)]
pub(crate) fn expected<L: Lanes<Elem = f32>>(
    moves: L::Mask,
    [r, d, v]: [V3<L>; 3],
    Weights { h, effective, past }: Weights,
) -> V3<L> {
    V3::select(moves, (r + d * L::set(past)) + v * L::set(effective), r + v * L::set(h))
}

/// Three numbers of each row, and the fourth. No closure: those are not inlined into their kernels.
///
/// # Safety
/// As for [`columns`].
#[inline(always)]
unsafe fn read<L: Lanes<Elem = f32>>(rows: Shared<'_, Row>, run: Run, row: usize) -> (V3<L>, L) {
    // SAFETY: the caller promises that `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody writes
    // these.
    let [x, y, z, rest] = unsafe { columns::<L>(rows.as_ptr(), run.layout, row) };
    (V3::new(x, y, z), rest)
}

struct Pass<'a> {
    by: Follow,
    motion: Motion<'a>,
    history: History<'a>,
    run: Run,
}

impl Kernel for Pass<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Option<usize> {
        self.all::<L::One>()
    }
}

/// Particles after a substep.
struct Committed<L: Lanes> {
    x: [L; 4],
    r: V3<L>,
    v: V3<L>,
    d: [L; 4],
    dv: V3<L>,
    good: L::Mask,
}

impl Pass<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> Option<usize> {
        let Follow { commit, kick, drift, next } = self.by;
        let Self { motion, history, run, .. } = &self;
        let mut lost = None;
        let mut row = run.start;
        while row < run.start + run.len {
            // SAFETY: `follow` found the run inside every array; WIDTH divides 16; its caller keeps others away.
            unsafe {
                if let Some((on_lost, weights)) = commit {
                    let done = self.committed::<L>(row, weights);
                    if done.good.all() {
                        self.write(row, &done);
                    } else {
                        // Row by row: which rows are lost must not depend on how many are looked at together.
                        for row in row..row + L::WIDTH {
                            if !self.row(row, on_lost, weights) {
                                lost = lost.or(Some(row));
                            }
                        }
                    }
                }
                if kick.is_none() && !drift {
                    row += L::WIDTH;
                    continue;
                }
                let ((_, w), (mut v, rest)) = (read::<L>(motion.x, *run, row), read::<L>(motion.v, *run, row));
                let moves = w.gt(L::zero());
                if let Some(Kick { gravity, keep, share }) = kick {
                    let h = next.effective * share;
                    let slowed = if keep == 1.0 { v } else { V3::select(moves, v * L::set(keep), v) };
                    let mut dv = V3::set(gravity.map(|g| h * g));
                    if !motion.force.is_empty() {
                        dv = dv + (read::<L>(motion.force, *run, row).0 * w) * L::set(h);
                    }
                    let (past, none) = read::<L>(history.dv, *run, row);
                    v = slowed + (past * L::set(next.past) + dv).or_zero(moves);
                    put_columns([v.x, v.y, v.z, rest], motion.v, run.layout, row);
                    put_columns([slowed.x, slowed.y, slowed.z, none], history.dv, run.layout, row);
                }
                if drift {
                    let u =
                        expected(moves, [read::<L>(motion.r, *run, row).0, read::<L>(history.d, *run, row).0, v], next);
                    put_columns([u.x, u.y, u.z, L::zero()], motion.u, run.layout, row);
                }
            }
            row += L::WIDTH;
        }
        lost
    }

    /// Rows after the substep.
    ///
    /// # Safety
    /// As for [`Motion::follow`]; `row` and the `WIDTH - 1` after it are of the run, `row` a multiple of WIDTH.
    #[inline(always)]
    unsafe fn committed<L: Lanes<Elem = f32>>(&self, row: usize, weights: Weights) -> Committed<L> {
        let Self { motion, history, run, .. } = self;
        // SAFETY: the caller promises that the rows are of the run, which the arrays hold, and nobody else uses them.
        let (x, w, r, v, u, d, count, before) = unsafe {
            let ((x, w), (r, _)) = (read::<L>(motion.x, *run, row), read::<L>(motion.r, *run, row));
            let ((v, _), (u, _)) = (read::<L>(motion.v, *run, row), read::<L>(motion.u, *run, row));
            let ((d, count), (before, _)) = (read::<L>(history.d, *run, row), read::<L>(history.dv, *run, row));
            (x, w, r, v, u, d, count, before)
        };
        let (zero, one) = (L::zero(), L::splat(1.0));
        // The velocity is corrected by what was added to the displacement: what nothing touches keeps it to the bit.
        let added = u - expected(w.gt(zero), [r, d, v], weights);
        let mut v = v + added * L::set(1.0 / weights.effective);
        let way = u - r;
        let (mut dv, mut touching) = (v - before, zero);
        if !history.met.is_empty() {
            // SAFETY: `History::check` has found the run in `met`; the caller promises that nobody else uses its rows.
            let (noted, met) = unsafe { read::<L>(history.met, *run, row) };
            // What a clamp or restitution has changed since is a jump, however long the particle has been in contact.
            let jumps = differ(way, noted);
            let meets = jumps | met.gt(zero);
            let anew = meets & (jumps | count.lt(L::set(ANEW)));
            v = V3::select(anew, way * L::set(1.0 / weights.h), v);
            dv = V3::select(anew, V3::zero(), dv);
            let begun = (count + one).smaller(L::set(ANEW));
            touching = L::select(anew, begun, L::set(ANEW) + one).or_zero(meets);
        }
        let y = x + u;
        let limit = L::splat(MAX_POSITION);
        let within = y.x.abs().le(limit) & y.y.abs().le(limit) & y.z.abs().le(limit);
        let good = within & v.x.finite() & v.y.finite() & v.z.finite();
        let (rx, ry, rz) = (lost(x.x, u.x, y.x), lost(x.y, u.y, y.y), lost(x.z, u.z, y.z));
        Committed { x: [y.x, y.y, y.z, w], r: V3::new(rx, ry, rz), v, d: [way.x, way.y, way.z, touching], dv, good }
    }

    /// Writes rows after the substep. Numbers that are always zero are written as zero.
    ///
    /// # Safety
    /// As for [`Pass::committed`].
    #[inline(always)]
    unsafe fn write<L: Lanes<Elem = f32>>(&self, row: usize, done: &Committed<L>) {
        let Self { motion, history, run, .. } = self;
        let padded = |v: V3<L>| [v.x, v.y, v.z, L::zero()];
        // SAFETY: the caller promises that the rows are of the run, which the arrays hold, and nobody else uses them.
        unsafe {
            put_columns(done.x, motion.x, run.layout, row);
            put_columns(padded(done.r), motion.r, run.layout, row);
            put_columns(padded(done.v), motion.v, run.layout, row);
            put_columns(done.d, history.d, run.layout, row);
            put_columns(padded(done.dv), history.dv, run.layout, row);
        }
    }

    /// Commits one row; false if it is lost.
    ///
    /// # Safety
    /// As for [`Motion::follow`]; the row is of the run.
    unsafe fn row(&self, row: usize, on_lost: OnLost, weights: Weights) -> bool {
        let Self { motion, run, .. } = self;
        // SAFETY: the row is of the run, which the arrays hold, and nobody else's, as the caller promises.
        unsafe {
            let mut done = self.committed::<f32>(row, weights);
            if !done.good && on_lost == OnLost::Freeze {
                let ([x, y, z, _], none) = (columns::<f32>(motion.x.as_ptr(), run.layout, row), V3::zero());
                done = Committed { x: [x, y, z, 0.0], r: none, v: none, d: [0.0; 4], dv: none, good: false };
            } else if !done.good {
                let canonical = |c: f32| if c.is_nan() { NAN } else { c };
                let three = |v: V3<f32>| V3::new(canonical(v.x), canonical(v.y), canonical(v.z));
                let (r, v, dv) = (three(done.r), three(done.v), three(done.dv));
                done = Committed { x: done.x.map(canonical), r, v, d: done.d.map(canonical), dv, good: false };
            }
            self.write(row, &done);
            done.good
        }
    }
}

/// What y = x + u has lost by rounding (Knuth's TwoSum).
#[inline(always)]
fn lost<L: Lanes>(x: L, u: L, y: L) -> L {
    let added = y - x;
    (x - (y - added)) + (u - added)
}

/// Whether a component differs.
#[inline(always)]
fn differ<L: Lanes>(a: V3<L>, b: V3<L>) -> L::Mask {
    !(a.x.equals(b.x) & a.y.equals(b.y) & a.z.equals(b.z))
}

struct Note<'a> {
    motion: Motion<'a>,
    met: Shared<'a, Row>,
    run: Run,
    when: When,
}

/// When u - r is noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before contacts, in the first sweep of the substep: none has changed it.
    First,
    /// Before contacts, in a later sweep.
    Before,
    /// After contacts: notes whether they have changed it, too.
    After,
}

impl Kernel for Note<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl Note<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        let Self { motion, met, run, when } = self;
        for row in (run.start..run.start + run.len).step_by(L::WIDTH) {
            // SAFETY: `note` found the run inside every array; WIDTH divides 16; its caller keeps others away.
            unsafe {
                let way = read::<L>(motion.u, run, row).0 - read::<L>(motion.r, run, row).0;
                let mut meets = L::zero();
                if when != When::First {
                    let (noted, met) = read::<L>(met, run, row);
                    meets = met;
                    if when == When::After {
                        meets = L::select(differ(way, noted), L::splat(1.0), met);
                    }
                }
                put_columns([way.x, way.y, way.z, meets], met, run.layout, row);
            }
        }
    }
}

impl History<'_> {
    /// Every array holds the run, so that kernels may go through it unchecked.
    pub(crate) fn check(&self, run: Run) {
        let met = if self.met.is_empty() { self.d.len() } else { self.met.len() };
        run.check([self.d.len(), self.dv.len(), met]);
        [self.d, self.dv].iter().for_each(|rows| rows.claim(run.start, run.len, Use::Write));
    }
}

impl Motion<'_> {
    /// Takes rows through the parts of a substep of second order that touch every particle alone: see [`Follow`].
    ///
    /// Returns the first row that was lost when committed, as [`Motion::advance`].
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    #[must_use]
    pub unsafe fn follow(self, isa: Isa, run: Run, history: History<'_>, by: Follow) -> Option<usize> {
        self.check(run);
        self.claim(run);
        history.check(run);
        isa.dispatch(Pass { by, motion: self, history, run })
    }

    /// Notes how far rows go, u - r, before and after contacts.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    pub unsafe fn note(self, isa: Isa, run: Run, met: Shared<'_, Row>, when: When) {
        self.check(run);
        run.check([met.len()]);
        met.claim(run.start, run.len, Use::Write);
        isa.dispatch(Note { motion: self, met, run, when });
    }
}
