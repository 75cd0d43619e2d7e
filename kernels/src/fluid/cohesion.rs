//! Surface tension: neighbours attract each other (as in Becker, Teschner 2007; Akinci et al. 2013; Tartakovsky, Panchenko 2016).

use super::gather::{Places, add_to};
use super::lists::own;
use super::{GROUPS_A_BLOCK, Lists, Spiky};
use crate::integrate::rows::in_order;
use crate::lanes::{Kernel, Lanes};
use crate::tuning::MIN_LENGTH;
use crate::{BATCH, Isa, Layout, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

/// Pulls particles together:
///
/// ```text
///   f = B q^3 (1 - q)^3,   q = r / s < 1,     du_i = h^2 w_i sum_j f (x_j - x_i) / r
///   sigma = pi / 8 n^2 integral r^4 f dr = pi / 8 n^2 s^5 B / 1320,     n: particles in a m^3
/// ```
/// which is the energy of a plane surface of so many per volume that attract each other so. Near each other they hardly do, so that none clump. Of two fluids the
/// smaller B counts, so that what is between them has the difference of their tensions (Antonow 1907). What i gives j takes: momentum stays.
#[derive(Clone, Copy, Debug)]
pub struct Cohesion<'a> {
    /// The smoothing kernel.
    pub spiky: Spiky,
    /// Positions of the slots, relative, and inverse masses.
    pub at: Shared<'a, Row>,
    /// Positions again, with h^2 B, kg m.
    pub pulls: Shared<'a, Row>,
    /// Of each slot the fluid near it.
    pub lists: Lists<'a>,
    /// The row of each slot.
    pub row_of: &'a [u32],
    /// Displacements of all particles: added to.
    pub u: Shared<'a, Row>,
}

impl Spiky {
    /// B, newtons, of a surface tension, N/m.
    #[must_use]
    pub fn cohesion(&self, sigma: f64) -> f64 {
        let (spacing, s) = (f64::from(self.spacing), f64::from(self.support));
        let volume = (spacing * spacing) * spacing;
        let s2 = s * s;
        // B(8, 4), Euler's integral of q^7 (1 - q)^3, is 1/1320.
        8.0 * 1320.0 / std::f64::consts::PI * sigma * ((volume / (s2 * s2)) * (volume / s))
    }
}

impl Cohesion<'_> {
    /// Some sixteens of slots.
    ///
    /// # Safety
    /// Nobody writes positions or pulls, or uses these particles' displacements.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn run(self, isa: Isa, groups: Range<usize>) {
        let end = groups.end * BATCH;
        self.lists.check(groups.end, &[self.pulls.len()]);
        assert!(groups.len() <= GROUPS_A_BLOCK && end <= self.at.len() && end <= self.pulls.len(), "no such slots");
        isa.dispatch(Solve { of: self, groups });
    }
}

struct Solve<'a> {
    of: Cohesion<'a>,
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
                // SAFETY: `Cohesion::run` has found every array long enough, and its caller keeps others away; WIDTH divides 16, so
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

impl Cohesion<'_> {
    /// # Safety
    /// As for [`Cohesion::run`], which has checked the arrays.
    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, first: usize) -> V3<L> {
        let (row, own) = (group * BATCH + first, own(group));
        // SAFETY: as the caller promises.
        unsafe {
            let [x, y, z, b] = L::transpose(L::load_rows(self.pulls.as_ptr().cast(), own.as_ptr().add(first)));
            let [.., w] = in_order::<L>(self.at.as_ptr(), Layout::Rows, row);
            let x = V3::new(x, y, z);
            let [one, zero, inverse] = [L::splat(1.0), L::zero(), L::set(1.0 / self.spiky.support)];
            let mut sum = V3::zero();
            for near in self.lists.of(group) {
                let at = near.0.as_ptr().add(first);
                let [nx, ny, nz, nb] = L::transpose(L::load_rows(self.pulls.as_ptr().cast(), at));
                let d = V3::new(nx, ny, nz) - x;
                let r = d.length();
                let q = r * inverse;
                let t = (one - q).larger(zero);
                let both = q * t;
                let towards = ((both * both * both) / r).or_zero(r.gt(L::splat(MIN_LENGTH)) & t.gt(zero));
                sum = sum + d * (towards * nb.smaller(b));
            }
            let du = sum * w;
            du.or_zero(du.x.finite() & du.y.finite() & du.z.finite())
        }
    }
}
