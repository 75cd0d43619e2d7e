//! Restitution of particles' contacts, at velocity level.
//!
//! v_n = -e v_pre, where v_n is the velocity along the normal relative to the surface once the substep has been solved, and v_pre the
//! same with the velocity that the substep began with, forces included: Müller, Macklin, Chentanez, Jeschke, Kim 2020, "Detailed Rigid
//! Body Simulation with Extended Position Based Dynamics", section 3.6. Nothing bounces that comes slower than a threshold, 2 |g| h
//! (what rests on the surface falls g h a substep), and what leaves faster than that anyway is not held back.
//!
//! In displacement form the velocity is taken from u - r, so r is changed: no particle is moved. Of several contacts in one substep
//! the one counts that throws a particle off the fastest.

use crate::integrate::rows::{columns, put_columns};
use crate::integrate::{Motion, Run};
use crate::lanes::{Kernel, Lanes, Mask};
use crate::{Isa, Row, V3};
use seidel_workers::Shared;

/// Of a particle that nothing throws off, instead of how far along the normal.
pub const STAYS: f32 = f32::MIN;

/// Where contacts write down what is to bounce.
#[derive(Clone, Copy, Debug)]
pub struct Bounce<'a> {
    /// For each row of the motion [n, way]: a unit normal, and how far along it the particle is to go in a substep, metres, or [`STAYS`].
    pub rows: Shared<'a, Row>,
    /// Coefficient e of the two, 0..=1.
    pub restitution: f32,
    /// Substep, s.
    pub h: f32,
    /// What comes slower than this does not bounce, m/s.
    pub least: f32,
}

impl Bounce<'_> {
    /// What is noted of particles that `touches` a surface along `n` which moves by `surface` in this substep, where `rows` was and the
    /// velocities are `v`.
    #[inline(always)]
    pub(super) fn noted<L: Lanes<Elem = f32>>(
        &self,
        [nx, ny, nz, way]: [L; 4],
        v: V3<L>,
        touches: L::Mask,
        n: V3<L>,
        surface: V3<L>,
    ) -> [L; 4] {
        let h = L::set(self.h);
        let moves = surface.dot(n);
        let comes = h * v.dot(n) - moves;
        let thrown = moves - L::set(self.restitution) * comes;
        let bounces = touches & comes.lt(-(h * L::set(self.least))) & thrown.gt(way);
        let n = V3::select(bounces, n, V3::new(nx, ny, nz));
        [n.x, n.y, n.z, L::select(bounces, thrown, way)]
    }
}

impl Motion<'_> {
    /// Throws off what contacts have noted in `rows`, and forgets it.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn bounce(self, isa: Isa, run: Run, rows: Shared<'_, Row>) {
        self.check(run);
        assert!(rows.len() >= run.start + run.len, "too few bounces");
        isa.dispatch(Throw { motion: self, run, rows });
    }
}

struct Throw<'a> {
    motion: Motion<'a>,
    run: Run,
    rows: Shared<'a, Row>,
}

impl Kernel for Throw<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl Throw<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        let Self { motion, run: Run { start, len, layout }, rows } = self;
        let mut row = start;
        while row < start + len {
            // SAFETY: `bounce` found the run inside every array; WIDTH divides 16; its caller keeps others away.
            unsafe {
                let [nx, ny, nz, way] = columns::<L>(rows.as_ptr(), layout, row);
                let stays = L::set(STAYS);
                let bounces = way.gt(stays);
                if bounces.any() {
                    let n = V3::new(nx, ny, nz);
                    let [ux, uy, uz, _] = columns::<L>(motion.u.as_ptr(), layout, row);
                    let [rx, ry, rz, zeros] = columns::<L>(motion.r.as_ptr(), layout, row);
                    let r = V3::new(rx, ry, rz);
                    let short = (way - (V3::new(ux, uy, uz) - r).dot(n)).larger(L::zero());
                    let r = V3::select(bounces & short.finite(), r - n * short, r);
                    put_columns([r.x, r.y, r.z, zeros], motion.r, layout, row);
                    put_columns([nx, ny, nz, stays], rows, layout, row);
                }
            }
            row += L::WIDTH;
        }
    }
}
