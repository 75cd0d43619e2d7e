//! Vorticity confinement (Steinhoff, Underhill 1994; Fedkiw, Stam, Jensen 2001, section 3; Macklin, Müller 2013, eq. 15
//! and 16): what a coarse fluid loses of its whirls is given back to them.
//!
//! ```text
//!   omega_i = sum_j V (v_j - v_i) x grad_j W_ij,    eta_i = sum_j V (|omega_j| - |omega_i|) grad_i W_ij
//!   a_i = epsilon l (eta / |eta|) x omega,    l: the spacing
//! ```
//! The acceleration goes round the middle of a whirl, along with it. It has no opposite, so momentum is not conserved.
//! Velocities are displacements of a substep.

use super::gather::Places;
use super::lists::own;
use super::pass::{Displace, Find, check, if_finite, rows};
use super::{Lists, Spiky};
use crate::integrate::rows::{in_order, put_in_order};
use crate::lanes::Lanes;
use crate::tuning::MIN_LENGTH;
use crate::{BATCH, Chunk, Layout, Row, V3};
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

impl Find for Curl<'_> {
    fn check(&self, groups: &Range<usize>) {
        self.lists.check(groups.end, &[self.at.len(), self.ways.len()]);
        check(groups, &[self.at.len(), self.ways.len(), self.curls.len()]);
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, chunk: Chunk<L>) {
        let (row, own) = (group * BATCH + chunk.first(), own(group));
        // SAFETY: `check` has found every array and list long enough; the caller promises that nobody writes what is
        // read, or uses what is written.
        unsafe {
            let [x, y, z, _] = rows(self.at, chunk.of(&own));
            let [dx, dy, dz, _] = in_order::<L>(self.ways.as_ptr(), Layout::Rows, row);
            let (x, way) = (V3::new(x, y, z), V3::new(dx, dy, dz));
            let [s, zero] = [L::set(self.spiky.support), L::zero()];
            let mut sum = V3::zero();
            for near in self.lists.of(group) {
                let at = chunk.of(&near.0);
                let [nx, ny, nz, _] = rows(self.at, at);
                let [ndx, ndy, ndz, _] = rows(self.ways, at);
                let d = x - V3::new(nx, ny, nz);
                let r = d.length();
                let t = (s - r).larger(zero);
                let towards = ((t * t) / r).or_zero(r.gt(L::splat(MIN_LENGTH)));
                sum = sum + (V3::new(ndx, ndy, ndz) - way).cross(d) * towards;
            }
            let curl = if_finite(sum * L::set(self.spiky.slope));
            put_in_order([curl.x, curl.y, curl.z, curl.length()], self.curls, row);
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

impl Displace for Confine<'_> {
    fn check(&self, groups: &Range<usize>) {
        self.lists.check(groups.end, &[self.at.len(), self.curls.len()]);
        check(groups, &[self.at.len(), self.curls.len(), self.strengths.len()]);
    }

    fn target(&self) -> (Places<'_>, Shared<'_, Row>) {
        (Places::only(self.row_of), self.u)
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, chunk: Chunk<L>) -> V3<L> {
        let (row, own) = (group * BATCH + chunk.first(), own(group));
        // SAFETY: `check` has found every array and list long enough; the caller promises that nobody writes what is
        // read, or uses what is written.
        unsafe {
            let [x, y, z, w] = rows(self.at, chunk.of(&own));
            let [cx, cy, cz, size] = in_order::<L>(self.curls.as_ptr(), Layout::Rows, row);
            let [strength, ..] = in_order::<L>(self.strengths.as_ptr(), Layout::Rows, row);
            let x = V3::new(x, y, z);
            let [s, zero] = [L::set(self.spiky.support), L::zero()];
            let mut eta = V3::zero();
            for near in self.lists.of(group) {
                let at = chunk.of(&near.0);
                let [nx, ny, nz, _] = rows(self.at, at);
                let [.., other] = rows::<L>(self.curls, at);
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
            n.cross(V3::new(cx, cy, cz)) * strength
        }
    }
}
