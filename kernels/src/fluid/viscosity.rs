//! Viscosity: neighbours' velocities draw near each other (XSPH; Monaghan 1992, Schechter, Bridson 2012).

use super::gather::Places;
use super::lists::own;
use super::pass::{Displace, check, rows};
use super::{Lists, Spiky};
use crate::integrate::rows::in_order;
use crate::lanes::Lanes;
use crate::{BATCH, Chunk, Layout, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

/// Changes displacements: du_i = sum_j c V W_ij 2 m_j / (m_i + m_j) (d_j - d_i), d being how far a particle goes in the
/// substep. What i gives j takes, so momentum is conserved. All particles see the same displacements.
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

impl Displace for Viscosity<'_> {
    fn check(&self, groups: &Range<usize>) {
        self.lists.check(groups.end, &[self.at.len(), self.ways.len()]);
        check(groups, &[self.at.len(), self.ways.len()]);
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
            let [dx, dy, dz, c] = in_order::<L>(self.ways.as_ptr(), Layout::Rows, row);
            let (x, way) = (V3::new(x, y, z), V3::new(dx, dy, dz));
            let [s, zero] = [L::set(self.spiky.support), L::zero()];
            let mut sum = V3::zero();
            for near in self.lists.of(group) {
                let at = chunk.of(&near.0);
                let [nx, ny, nz, nw] = rows(self.at, at);
                let [ndx, ndy, ndz, nc] = rows(self.ways, at);
                let t = (s - (x - V3::new(nx, ny, nz)).length()).larger(zero);
                // 2 m_j / (m_i + m_j) = 2 w_i / (w_i + w_j), and c is the mean: the twos go.
                let both = w + nw;
                let share = (w / both).or_zero(both.gt(zero));
                sum = sum + (V3::new(ndx, ndy, ndz) - way) * (((t * t) * t) * ((c + nc) * share));
            }
            sum * L::set(self.spiky.density)
        }
    }
}
