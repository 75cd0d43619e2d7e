//! Restitution of contacts of particles and triangles, at velocity level.
//!
//! v_n = -e v_pre, where v_n is the velocity along the normal relative to the surface once the substep has been solved,
//! and v_pre the same with the velocity that the substep began with, forces included: Müller, Macklin, Chentanez,
//! Jeschke, Kim 2020, "Detailed Rigid Body Simulation with Extended Position Based Dynamics", section 3.6. Nothing
//! bounces that comes slower than a threshold, 2 |g| h (what rests on the surface falls g h a substep), and what leaves
//! faster than that anyway is not held back.
//!
//! In displacement form the velocity is taken from u - r, so r is changed: no particle is moved. Of several contacts in
//! one substep the one counts that throws a particle, or a triangle, off the fastest. A triangle's contact is at q =
//! sum b_k x_k: its corners share the impulse as they do the push, dv_k = b_k w_k p n.

use crate::integrate::rows::{columns, put_columns};
use crate::integrate::{Motion, Run};
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::slots::Place;
use crate::{BATCH, Batches, Isa, Pack, Row, V3};
use seidel_workers::Shared;
use seidel_workers::claims::Use;
use std::ops::Range;

/// Of a particle that nothing throws off, instead of how far along the normal.
pub const STAYS: f32 = f32::MIN;

/// Where contacts write down what is to bounce.
#[derive(Clone, Copy, Debug)]
pub struct Bounce<'a> {
    /// For each row of the motion [n, way]: a unit normal, and how far along it the particle is to go in a substep,
    /// metres, or [`STAYS`].
    pub rows: Shared<'a, Row>,
    /// Coefficient e of the two, 0..=1.
    pub restitution: f32,
    /// Substep, s.
    pub h: f32,
    /// What comes slower than this does not bounce, m/s.
    pub least: f32,
}

impl Bounce<'_> {
    /// What is noted of particles that `touches` a surface along `n` which moves by `surface` in this substep, where
    /// `rows` was and the velocities are `v`.
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

/// Numbers that are noted of a triangle's rebound: where it touches (three weights), the normal, and how far along it
/// that point is to go in a substep, metres, or [`STAYS`].
pub const NOTED: usize = 7;

/// Where contacts of triangles write down what is to bounce.
#[derive(Clone, Copy, Debug)]
pub struct TriangleBounce<'a> {
    /// [`NOTED`] packs a batch.
    pub packs: Shared<'a, Pack<f32>>,
    /// Coefficient e of the collider, 0..=1; the triangle's is its third parameter.
    pub restitution: f32,
    /// Substep, s.
    pub h: f32,
    /// What comes slower than this does not bounce, m/s.
    pub least: f32,
}

/// A triangle of a batch.
#[derive(Clone, Copy)]
pub(super) struct OfTriangle<'a> {
    pub(super) triangles: &'a Batches,
    pub(super) batch: usize,
    pub(super) lane: usize,
}

impl OfTriangle<'_> {
    /// The row of a corner.
    ///
    /// # Safety
    /// There is a triangle, the batches are this motion's, and nobody writes the row.
    unsafe fn corner(self, rows: Shared<'_, Row>, corner: usize) -> [f32; 4] {
        // SAFETY: `Place` gives addresses of rows that `Batches` has checked; the caller promises a triangle in this
        // lane, and that nobody writes the row.
        unsafe {
            let (offset, stride) = Place::new(self.triangles, self.batch, 0).lane(corner, self.lane);
            let from = rows.as_ptr().cast::<f32>().add(offset);
            [0, 1, 2, 3].map(|k| from.add(k * stride).read())
        }
    }

    /// Where a number of what was noted is.
    fn at(self, number: usize) -> usize {
        (self.batch * NOTED + number) * BATCH + self.lane
    }
}

impl TriangleBounce<'_> {
    /// Notes that a triangle is pressed at a point with these weights along `n` by a surface that moves by `moves`
    /// along it.
    ///
    /// # Safety
    /// There is a triangle, the batches are this motion's; nobody else uses its rows and what is noted of it.
    pub(super) unsafe fn note(
        &self,
        motion: &Motion<'_>,
        of: OfTriangle<'_>,
        weights: [f32; 3],
        (n, moves): ([f32; 3], f32),
    ) {
        // SAFETY: the caller promises that the triangle's rows, and what is noted of it, are there and its alone.
        unsafe {
            let mut comes = -moves;
            for (k, weight) in weights.into_iter().enumerate() {
                let v = of.corner(motion.v, k);
                comes += self.h * weight * ((v[0] * n[0] + v[1] * n[1]) + v[2] * n[2]);
            }
            let restitution = self.restitution * of.triangles.rest(of.batch)[2].0[of.lane];
            let thrown = moves - restitution * comes;
            let noted = self.packs.as_ptr().cast::<f32>();
            if comes < -(self.h * self.least) && thrown > noted.add(of.at(6)).read() {
                for (k, number) in weights.into_iter().chain(n).chain([thrown]).enumerate() {
                    noted.add(of.at(k)).write(number);
                }
            }
        }
    }
}

impl TriangleBounce<'_> {
    /// [`TriangleBounce::note`] for those lanes from `of` on whose bit is set: of each the weights, n and `moves`.
    ///
    /// Few bounce: their numbers must not take registers from the others.
    ///
    /// # Safety
    /// As there.
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn note_each(
        &self,
        motion: &Motion<'_>,
        of: OfTriangle<'_>,
        mut pressed: u32,
        numbers: &[[f32; BATCH]; 7],
    ) {
        while pressed != 0 {
            let lane = pressed.trailing_zeros() as usize;
            pressed &= pressed - 1;
            let [b0, b1, b2, nx, ny, nz, moves] = numbers.map(|of| of[lane]);
            // SAFETY: the caller promises that lanes with a bit have a triangle of this motion, whose rows and notes
            // are its alone.
            unsafe {
                self.note(motion, OfTriangle { lane: of.lane + lane, ..of }, [b0, b1, b2], ([nx, ny, nz], moves));
            }
        }
    }
}

impl Motion<'_> {
    /// Throws off triangles that contacts have noted in [`TriangleBounce::packs`], one after another, and forgets it.
    ///
    /// # Safety
    /// Nobody else uses the rows of these triangles, nor what is noted of them, meanwhile.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn bounce_triangles(self, triangles: &Batches, batches: Range<usize>, packs: Shared<'_, Pack<f32>>) {
        let rows = [self.x.len(), self.r.len(), self.u.len()];
        assert!(rows.into_iter().all(|len| triangles.particles() <= len), "batches of another plan");
        assert!(packs.len() >= NOTED * batches.end, "too few packs");
        triangles.claim(batches.clone(), self.r.as_ptr());
        for batch in batches {
            for lane in 0..triangles.lanes(batch) {
                // SAFETY: there are as many packs, as was checked, and the batches are the motion's; the caller keeps
                // others away.
                unsafe { self.throw(OfTriangle { triangles, batch, lane }, packs) };
            }
        }
    }

    /// # Safety
    /// As for [`Motion::bounce_triangles`].
    unsafe fn throw(&self, of: OfTriangle<'_>, packs: Shared<'_, Pack<f32>>) {
        // SAFETY: the caller promises that nobody else uses these rows and notes; `bounce_triangles` has found them;
        // what is noted there is of a triangle.
        unsafe {
            let noted = |k: usize| packs.as_ptr().cast::<f32>().add(of.at(k));
            let way = noted(6).read();
            if way.partial_cmp(&STAYS) != Some(std::cmp::Ordering::Greater) {
                return;
            }
            noted(6).write(STAYS);
            let [b, n] = [0, 3].map(|first| [0, 1, 2].map(|k| noted(first + k).read()));
            let (mut short, mut weight) = (way, 0.0);
            let mut w = [0.0; 3];
            for k in 0..3 {
                let (u, r) = (of.corner(self.u, k), of.corner(self.r, k));
                short -= b[k] * (((u[0] - r[0]) * n[0] + (u[1] - r[1]) * n[1]) + (u[2] - r[2]) * n[2]);
                w[k] = of.corner(self.x, k)[3];
                weight += b[k] * b[k] * w[k];
            }
            let impulse = short / weight;
            if !(impulse > 0.0 && impulse.is_finite()) {
                return;
            }
            for k in 0..3 {
                let (offset, stride) = Place::new(of.triangles, of.batch, 0).lane(k, of.lane);
                for (c, n) in n.into_iter().enumerate() {
                    let r = self.r.as_ptr().cast::<f32>().add(offset + c * stride);
                    r.write(r.read() - n * (impulse * (b[k] * w[k])));
                }
            }
        }
    }

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
        [self.r, rows].iter().for_each(|rows| rows.claim(run.start, run.len, Use::Write));
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
