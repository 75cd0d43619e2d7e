//! Frames: the parts of a substep that touch each rotation alone, beside [`Motion::advance`] for positions.
//!
//! A frame is a row: x its rotation [x, y, z, w], v its angular velocity [wx, wy, wz, 0] in the world, r [0, 0, 0,
//! 1/I], where I is its inertia, the same about all axes. Within a substep
//!   q* = exp(h omega) q, u = [theta, 1/I], theta = 0; solve on (1 - |theta|^2 / 8, theta / 2) q*, writing theta only;
//!   omega += theta / h, q = that, of length 1.
//! A frame that nothing touches keeps its omega to the bit. Meanwhile r holds [-h omega, 1/I], so that u - r is the
//! rotation since the substep's start, as it is the way of a particle.
//!
//! With a history omega and the rotation follow BDF2 as the velocity and the displacement of particles do
//! (`integrate::history`), the rotation of a substep being a rotation vector in the world: q* = exp(k d + h' omega*) q.
//! Rotations do not commute, which changes this by a part that is of third order in h.

use super::advance::OnLost;
use super::history::{History, Weights, expected};
use super::motion::{Motion, NAN, Run};
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::tuning::{MAX_CORRECTED_TURN, MAX_TURN};
use crate::{BATCH, Isa, Layout, Quat, Row, V3};
use seidel_workers::Shared;

/// Parts of a substep, in this order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turning<'a> {
    /// Length of a substep, s.
    pub h: f32,
    /// Angular velocity and rotation from the corrections, and what becomes of what is lost.
    pub commit: Option<OnLost>,
    /// The part of omega that is left, as [`Kick::keep`](super::Kick::keep).
    pub keep: Option<f32>,
    /// Takes a share k of what omega differs from another, rad/s: (k, that).
    pub pull: Option<(f32, [f32; 3])>,
    /// The rotation that is expected; corrections begin at zero.
    pub drift: bool,
    /// Some with a substep of second order.
    pub past: Option<Past<'a>>,
}

/// What a substep of second order takes of the last one.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// Rotations of the last substep, and how forces changed omega.
    pub history: History<'a>,
    /// Weights of the substep that ends.
    pub ended: Weights,
    /// Weights of the substep that begins.
    pub next: Weights,
    /// Whether omega goes on from the past, after drag and before `pull`.
    pub goes_on: bool,
}

/// Frames after a substep.
struct Committed<L> {
    q: Quat<L>,
    omega: V3<L>,
    /// Corrections, rad, and as far as they count.
    theta: V3<L>,
    short: V3<L>,
}

impl<L: Lanes<Elem = f32>> Committed<L> {
    #[inline(always)]
    fn new(q: Quat<L>, omega: V3<L>, theta: V3<L>, h: f32) -> Self {
        // What a substep's corrections turn further is too much for the series, and no motion.
        let long = theta.length();
        let most = L::splat(MAX_CORRECTED_TURN);
        let short = V3::select(long.gt(most), theta * (most / long), theta);
        let after = q.turned(short).normalised();
        // What does not turn keeps its rotation to the bit.
        let rests = (omega.length_squared() + short.length_squared()).equals(L::zero());
        Self { q: Quat::select(rests, q, after), omega: omega + short * L::set(1.0 / h), theta, short }
    }

    #[inline(always)]
    fn good(&self, h: f32) -> L::Mask {
        within(self.omega, L::set((MAX_TURN as f32) / h))
            & within(self.theta, L::splat(MAX_TURN))
            & self.q.length_squared().finite()
    }
}

/// Whether no component is further from 0.
#[inline(always)]
fn within<L: Lanes>(v: V3<L>, limit: L) -> L::Mask {
    v.x.abs().le(limit) & v.y.abs().le(limit) & v.z.abs().le(limit)
}

struct Turn<'a> {
    by: Turning<'a>,
    motion: Motion<'a>,
    run: Run,
}

/// Columns of `WIDTH` rows that follow one another, in an order of lanes that is the same for all arrays.
///
/// # Safety
/// There are as many rows, and nobody writes them.
#[inline(always)]
unsafe fn read<L: Lanes<Elem = f32>>(rows: Shared<'_, Row>, row: usize) -> [L; 4] {
    // SAFETY: the caller promises that there are as many rows, and nobody writes them.
    unsafe { L::transpose(L::load_lines(rows.as_ptr().add(row).cast_const())) }
}

/// Writes what [`read`] read.
///
/// # Safety
/// As there; nobody else uses these rows.
#[inline(always)]
unsafe fn put<L: Lanes<Elem = f32>>(columns: [L; 4], rows: Shared<'_, Row>, row: usize) {
    // SAFETY: the caller promises that `row` is a multiple of WIDTH, there are `row + WIDTH` rows, and nobody else uses
    // these.
    unsafe { L::store_lines(L::transpose(columns), rows.as_ptr().add(row)) }
}

impl Kernel for Turn<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Option<usize> {
        let Self { by: Turning { h, commit, keep, pull, drift, past }, motion, run } = self;
        let (goes_on, ended) = (past.filter(|past| past.goes_on), self.by.ended());
        let mut lost = None;
        let mut row = run.start;
        while row < run.start + run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                if let Some(on_lost) = commit {
                    let [qx, qy, qz, qw] = read::<L>(motion.x, row);
                    let [vx, vy, vz, rest] = read::<L>(motion.v, row);
                    let [a, b, c, _] = read::<L>(motion.u, row);
                    let [rx, ry, rz, w] = read::<L>(motion.r, row);
                    let (q, omega) = (Quat::new(V3::new(qx, qy, qz), qw), V3::new(vx, vy, vz));
                    let done = Committed::new(q, omega, V3::new(a, b, c), ended);
                    if done.good(ended).all() {
                        let none = L::zero();
                        if let Some(Past { history, .. }) = past {
                            let [px, py, pz, _] = read::<L>(history.dv, row);
                            let (d, dv) = (done.short - V3::new(rx, ry, rz), done.omega - V3::new(px, py, pz));
                            put([d.x, d.y, d.z, none], history.d, row);
                            put([dv.x, dv.y, dv.z, none], history.dv, row);
                        }
                        put([done.q.v.x, done.q.v.y, done.q.v.z, done.q.w], motion.x, row);
                        put([done.omega.x, done.omega.y, done.omega.z, rest], motion.v, row);
                        put([none, none, none, w], motion.r, row);
                    } else {
                        // Row by row: which are lost must not depend on how many are looked at together.
                        for row in row..row + L::WIDTH {
                            if !self.row(row, on_lost) {
                                lost = lost.or(Some(row));
                            }
                        }
                    }
                }
                if keep.is_none() && pull.is_none() && goes_on.is_none() && !drift {
                    row += L::WIDTH;
                    continue;
                }
                let [vx, vy, vz, rest] = read::<L>(motion.v, row);
                let [.., w] = read::<L>(motion.r, row);
                let mut omega = V3::new(vx, vy, vz);
                if let Some(keep) = keep {
                    omega = V3::select(w.gt(L::zero()), omega * L::set(keep), omega);
                }
                if let Some(Past { history, next, .. }) = goes_on {
                    let [px, py, pz, none] = read::<L>(history.dv, row);
                    put([omega.x, omega.y, omega.z, none], history.dv, row);
                    omega = omega + (V3::new(px, py, pz) * L::set(next.past)).or_zero(w.gt(L::zero()));
                }
                if let Some((k, to)) = pull {
                    let pulled = ((V3::set(to) - omega) * L::set(k)).or_zero(w.gt(L::zero()));
                    omega = omega + pulled;
                    if let Some(Past { history, .. }) = past {
                        // Damping is no force that goes on.
                        let [px, py, pz, none] = read::<L>(history.dv, row);
                        put([px + pulled.x, py + pulled.y, pz + pulled.z, none], history.dv, row);
                    }
                }
                if keep.is_some() || pull.is_some() || goes_on.is_some() {
                    put([omega.x, omega.y, omega.z, rest], motion.v, row);
                }
                if drift {
                    let [qx, qy, qz, qw] = read::<L>(motion.x, row);
                    let (q, mut way, none) = (Quat::new(V3::new(qx, qy, qz), qw), omega * L::set(h), L::zero());
                    if let Some(Past { history, next, .. }) = past {
                        let [dx, dy, dz, _] = read::<L>(history.d, row);
                        way = expected(w.gt(none), [V3::zero(), V3::new(dx, dy, dz), omega], next);
                    }
                    let rests = way.length_squared().equals(none);
                    let q = Quat::select(rests, q, Quat::exp(way).times(q));
                    put([q.v.x, q.v.y, q.v.z, q.w], motion.x, row);
                    put([none, none, none, w], motion.u, row);
                    put([-way.x, -way.y, -way.z, w], motion.r, row);
                }
            }
            row += L::WIDTH;
        }
        lost
    }
}

impl Turning<'_> {
    /// Length of the substep that ends, for its constraints, s.
    fn ended(&self) -> f32 {
        self.past.map_or(self.h, |past| past.ended.effective)
    }
}

impl Turn<'_> {
    /// Commits one frame; false if it is lost.
    ///
    /// # Safety
    /// As for [`Motion::turn`]; the row is of the run.
    unsafe fn row(&self, row: usize, on_lost: OnLost) -> bool {
        let (motion, h) = (&self.motion, self.by.ended());
        let vector = |row: &Row| V3::<f32>::set([row[0], row[1], row[2]]);
        // SAFETY: as the caller promises, the row is within every array and nobody else's.
        unsafe {
            let at = |rows: Shared<'_, Row>| rows.as_ptr().add(row);
            let (q, omega, r) = (Quat::<f32>::set(*at(motion.x)), *at(motion.v), *at(motion.r));
            let done = Committed::new(q, vector(&omega), vector(&*at(motion.u)), h);
            let good = done.good(h);
            let canonical = |row: Row| row.map(|c| if c.is_nan() { NAN } else { c });
            if let Some(Past { history, .. }) = self.by.past {
                let before = vector(&*at(history.dv));
                let (d, dv) = (done.short - vector(&r), done.omega - before);
                let none = !good && on_lost == OnLost::Freeze;
                let kept = |v: V3<f32>| if none { [0.0; 4] } else { canonical([v.x, v.y, v.z, 0.0]) };
                (*at(history.d), *at(history.dv)) = (kept(d), kept(dv));
            }
            if good || on_lost == OnLost::Keep {
                *at(motion.x) = canonical([done.q.v.x, done.q.v.y, done.q.v.z, done.q.w]);
                *at(motion.v) = canonical([done.omega.x, done.omega.y, done.omega.z, omega[3]]);
                *at(motion.r) = [0.0, 0.0, 0.0, r[3]];
            } else {
                // Where it was when the substep began.
                let before = Quat::exp(vector(&r)).times(q).normalised();
                *at(motion.x) = [before.v.x, before.v.y, before.v.z, before.w];
                *at(motion.v) = [0.0; 4];
                *at(motion.r) = [0.0; 4];
            }
            good
        }
    }
}

impl Motion<'_> {
    /// Takes frames through the parts of a substep that touch each alone: see [`Turning`].
    ///
    /// Returns the first that was lost when committed: its rotation is no number, or it turns by more than
    /// `tuning::MAX_TURN` in a substep.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    ///
    /// # Panics
    /// If the rows lie otherwise than [`Layout::Rows`].
    #[must_use]
    pub unsafe fn turn(self, isa: Isa, run: Run, by: Turning<'_>) -> Option<usize> {
        self.check(run);
        self.claim(run);
        if let Some(past) = by.past {
            past.history.check(run);
        }
        assert!(run.layout == Layout::Rows && run.len.is_multiple_of(BATCH), "frames lie row by row");
        isa.dispatch(Turn { by, motion: self, run })
    }
}
