//! Vorticity confinement (Steinhoff, Underhill 1994; Fedkiw, Stam, Jensen 2001, section 3; Macklin, Müller 2013, eq. 15 and 16): what a coarse fluid loses of its
//! whirls is given back to them.
//!
//! ```text
//!   omega_i = sum_j V (v_j - v_i) x grad_j W_ij,    eta_i = sum_j V (|omega_j| - |omega_i|) grad_i W_ij
//!   a_i = epsilon l (eta / |eta|) x omega,    l: the spacing
//! ```
//! The acceleration goes round the middle of a whirl, along with it. It has no opposite, so momentum is not conserved. Velocities are displacements of a substep.

use super::gather::{Places, add_to};
use super::lists::own;
use super::{GROUPS_A_BLOCK, Lists, Spiky};
use crate::integrate::rows::{in_order, put_in_order};
use crate::lanes::{Kernel, Lanes};
use crate::tuning::MIN_LENGTH;
use crate::{BATCH, Isa, Layout, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

/// Finds omega h of slots.
#[derive(Clone, Copy, Debug)]
pub struct Curl<'a> {
    /// The smoothing kernel.
    pub spiky: Spiky,
    /// Positions of the slots, relative.
    pub at: Shared<'a, Row>,
    /// For each slot: how far it goes, [d, _].
    pub ways: Shared<'a, Row>,
    /// For each slot: the fluid near it.
    pub lists: Lists<'a>,
    /// For each slot: [omega h, its length]: written.
    pub curls: Shared<'a, Row>,
}

impl Curl<'_> {
    /// Runs for groups of 16 slots.
    ///
    /// # Safety
    /// Nobody writes positions or ways, or uses what is written for these slots.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn run(self, isa: Isa, groups: Range<usize>) {
        let end = groups.end * BATCH;
        self.lists.check(groups.end, &[self.at.len(), self.ways.len()]);
        let arrays = [self.at, self.ways, self.curls];
        assert!(groups.len() <= GROUPS_A_BLOCK && arrays.iter().all(|rows| end <= rows.len()), "no such slots");
        isa.dispatch(Find { of: self, groups });
    }

    /// # Safety
    /// As for [`Curl::run`], which has checked the arrays.
    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, first: usize) {
        let (row, own) = (group * BATCH + first, own(group));
        // SAFETY: `run` has found every array and list long enough; the caller promises that nobody writes what is read, or uses what is
        // written.
        unsafe {
            let [x, y, z, _] = L::transpose(L::load_rows(self.at.as_ptr().cast(), own.as_ptr().add(first)));
            let [dx, dy, dz, _] = in_order::<L>(self.ways.as_ptr(), Layout::Rows, row);
            let (x, way) = (V3::new(x, y, z), V3::new(dx, dy, dz));
            let [s, zero] = [L::set(self.spiky.support), L::zero()];
            let mut sum = V3::zero();
            for near in self.lists.of(group) {
                let at = near.0.as_ptr().add(first);
                let [nx, ny, nz, _] = L::transpose(L::load_rows(self.at.as_ptr().cast(), at));
                let [ndx, ndy, ndz, _] = L::transpose(L::load_rows(self.ways.as_ptr().cast(), at));
                let d = x - V3::new(nx, ny, nz);
                let r = d.length();
                let t = (s - r).larger(zero);
                let towards = ((t * t) / r).or_zero(r.gt(L::splat(MIN_LENGTH)));
                sum = sum + (V3::new(ndx, ndy, ndz) - way).cross(d) * towards;
            }
            let curl = sum * L::set(self.spiky.slope);
            let curl = curl.or_zero(curl.x.finite() & curl.y.finite() & curl.z.finite());
            put_in_order([curl.x, curl.y, curl.z, curl.length()], self.curls, row);
        }
    }
}

struct Find<'a> {
    of: Curl<'a>,
    groups: Range<usize>,
}

impl Kernel for Find<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        for group in self.groups.clone() {
            let mut first = 0;
            while first < BATCH {
                // SAFETY: `Curl::run` has found every array long enough, and its caller keeps others away; WIDTH divides 16.
                unsafe { self.of.lanes::<L>(group, first) };
                first += L::WIDTH;
            }
        }
    }
}

/// Changes displacements by a substep of confinement.
#[derive(Clone, Copy, Debug)]
pub struct Confine<'a> {
    /// The smoothing kernel.
    pub spiky: Spiky,
    /// Positions of the slots, relative, and inverse masses.
    pub at: Shared<'a, Row>,
    /// For each slot: [omega h, its length]; of the last group, which lists are padded with, 0.
    pub curls: Shared<'a, Row>,
    /// For each slot: [epsilon l h, _, _, _], metres.
    pub strengths: Shared<'a, Row>,
    /// For each slot: the fluid near it.
    pub lists: Lists<'a>,
    /// The row of each slot.
    pub row_of: &'a [u32],
    /// Displacements of all particles: added to.
    pub u: Shared<'a, Row>,
}

impl Confine<'_> {
    /// Runs for groups of 16 slots.
    ///
    /// # Safety
    /// Nobody writes positions, curls or strengths, or uses these particles' displacements.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn run(self, isa: Isa, groups: Range<usize>) {
        let end = groups.end * BATCH;
        self.lists.check(groups.end, &[self.at.len(), self.curls.len()]);
        let arrays = [self.at, self.curls, self.strengths];
        assert!(groups.len() <= GROUPS_A_BLOCK && arrays.iter().all(|rows| end <= rows.len()), "no such slots");
        isa.dispatch(Solve { of: self, groups });
    }

    /// # Safety
    /// As for [`Confine::run`], which has checked the arrays.
    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, first: usize) -> V3<L> {
        let (row, own) = (group * BATCH + first, own(group));
        // SAFETY: `run` has found every array and list long enough; the caller promises that nobody writes what is read, or uses what is
        // written.
        unsafe {
            let [x, y, z, w] = L::transpose(L::load_rows(self.at.as_ptr().cast(), own.as_ptr().add(first)));
            let [cx, cy, cz, size] = in_order::<L>(self.curls.as_ptr(), Layout::Rows, row);
            let [strength, ..] = in_order::<L>(self.strengths.as_ptr(), Layout::Rows, row);
            let x = V3::new(x, y, z);
            let [s, zero] = [L::set(self.spiky.support), L::zero()];
            let mut eta = V3::zero();
            for near in self.lists.of(group) {
                let at = near.0.as_ptr().add(first);
                let [nx, ny, nz, _] = L::transpose(L::load_rows(self.at.as_ptr().cast(), at));
                let [.., other] = L::transpose(L::load_rows(self.curls.as_ptr().cast(), at));
                let d = x - V3::new(nx, ny, nz);
                let r = d.length();
                let t = (s - r).larger(zero);
                let towards = ((t * t) / r).or_zero(r.gt(L::splat(MIN_LENGTH)));
                eta = eta - d * (towards * (other - size));
            }
            let eta = eta * L::set(self.spiky.slope * self.spiky.spacing);
            let length = eta.length();
            // Where the curl is the same all about there is no middle to go round; a share of its own size is.
            let there = length.gt(size * L::splat(1e-4)) & w.gt(zero);
            let n = eta * (L::splat(1.0) / length).or_zero(there);
            let du = n.cross(V3::new(cx, cy, cz)) * strength;
            du.or_zero(du.x.finite() & du.y.finite() & du.z.finite())
        }
    }
}

struct Solve<'a> {
    of: Confine<'a>,
    groups: Range<usize>,
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Solve { of, groups } = self;
        for group in groups {
            let mut by = [[0.0f32; BATCH]; 3];
            let mut first = 0;
            while first < BATCH {
                // SAFETY: `Confine::run` has found every array long enough, and its caller keeps others away; WIDTH divides 16, so
                // the lanes fit.
                unsafe {
                    let du = of.lanes::<L>(group, first);
                    du.x.store(by[0].as_mut_ptr().add(first));
                    du.y.store(by[1].as_mut_ptr().add(first));
                    du.z.store(by[2].as_mut_ptr().add(first));
                }
                first += L::WIDTH;
            }
            // SAFETY: these particles' displacements are the caller's alone.
            unsafe { add_to(of.u, group, Places::Rows(of.row_of, of.u.within(0, 0)), &by) };
        }
    }
}
