//! Viscosity: neighbours' velocities draw near each other (XSPH; Monaghan 1992, Schechter, Bridson 2012).

use super::gather::{Places, add_to};
use super::lists::own;
use super::{GROUPS_A_BLOCK, Lists, Spiky};
use crate::integrate::rows::in_order;
use crate::lanes::{Kernel, Lanes};
use crate::{BATCH, Isa, Layout, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

/// Changes displacements: du_i = sum_j c V W_ij 2 m_j / (m_i + m_j) (d_j - d_i), d being how far a particle goes in the substep. What i gives j
/// takes, so momentum is conserved. All particles see the same displacements.
#[derive(Clone, Copy, Debug)]
pub struct Viscosity<'a> {
    /// The smoothing kernel.
    pub spiky: Spiky,
    /// Positions of the slots, relative, and inverse masses.
    pub at: Shared<'a, Row>,
    /// For each slot: how far it goes, [d, c]. The c of a pair is the mean of both.
    pub ways: Shared<'a, Row>,
    /// For each slot: the fluid near it.
    pub lists: Lists<'a>,
    /// The row of each slot.
    pub row_of: &'a [u32],
    /// Displacements of all particles: added to.
    pub u: Shared<'a, Row>,
}

impl Viscosity<'_> {
    /// Runs for groups of 16 slots.
    ///
    /// # Safety
    /// Nobody writes positions or ways, or uses these particles' displacements.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn run(self, isa: Isa, groups: Range<usize>) {
        let end = groups.end * BATCH;
        self.lists.check(groups.end, &[self.at.len(), self.ways.len()]);
        assert!(groups.len() <= GROUPS_A_BLOCK && end <= self.at.len() && end <= self.ways.len(), "no such slots");
        isa.dispatch(Solve { of: self, groups });
    }
}

struct Solve<'a> {
    of: Viscosity<'a>,
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
                // SAFETY: `Viscosity::run` has found every array long enough, and its caller keeps others away; WIDTH divides 16, so
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

impl Viscosity<'_> {
    /// # Safety
    /// As for [`Viscosity::run`], which has checked the arrays.
    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, first: usize) -> V3<L> {
        let (row, own) = (group * BATCH + first, own(group));
        // SAFETY: `run` has found every array and list long enough; the caller promises that nobody writes what is read, or uses what is
        // written.
        unsafe {
            let [x, y, z, w] = L::transpose(L::load_rows(self.at.as_ptr().cast(), own.as_ptr().add(first)));
            let [dx, dy, dz, c] = in_order::<L>(self.ways.as_ptr(), Layout::Rows, row);
            let (x, way) = (V3::new(x, y, z), V3::new(dx, dy, dz));
            let [s, zero] = [L::set(self.spiky.support), L::zero()];
            let mut sum = V3::zero();
            for near in self.lists.of(group) {
                let at = near.0.as_ptr().add(first);
                let [nx, ny, nz, nw] = L::transpose(L::load_rows(self.at.as_ptr().cast(), at));
                let [ndx, ndy, ndz, nc] = L::transpose(L::load_rows(self.ways.as_ptr().cast(), at));
                let t = (s - (x - V3::new(nx, ny, nz)).length()).larger(zero);
                // 2 m_j / (m_i + m_j) = 2 w_i / (w_i + w_j), and c is the mean: the twos go.
                let both = w + nw;
                let share = (w / both).or_zero(both.gt(zero));
                sum = sum + (V3::new(ndx, ndy, ndz) - way) * (((t * t) * t) * ((c + nc) * share));
            }
            let du = sum * L::set(self.spiky.density);
            du.or_zero(du.x.finite() & du.y.finite() & du.z.finite())
        }
    }
}
