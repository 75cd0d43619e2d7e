//! Moves particles by their multipliers and those of their neighbours.

use super::gather::{Places, add_to};
use super::lists::own;
use super::{GROUPS_A_BLOCK, Lists, Side, Spiky};
use crate::integrate::rows::in_order;
use crate::lanes::{Kernel, Lanes};
use crate::tuning::MIN_LENGTH;
use crate::{BATCH, Isa, Layout, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

/// Corrects positions: dx_i = w_i (sum_j (V_j lambda_i + V_i lambda_j) grad W_ij + lambda_i grad F_i). Slots are a fluid's, or vertices beside it, whose
/// own lambda is 0.
#[derive(Clone, Copy, Debug)]
pub struct Push<'a> {
    /// The smoothing kernel.
    pub spiky: Spiky,
    /// For each slot: [.., w V_i / V], w being the inverse mass, V_i its volume and V a fluid particle's.
    pub scale: Shared<'a, Row>,
    /// Positions of the slots, relative, with lambda.
    pub own: Shared<'a, Row>,
    /// The same of a fluid's slots.
    pub pressed: Shared<'a, Row>,
    /// For each slot: the fluid near it.
    pub lists: Lists<'a>,
    /// What lies beside the fluid, if anything does.
    pub side: Option<Side<'a>>,
    /// For each slot: what walls do to it, [grad F, F]; empty without walls.
    pub walls: Shared<'a, Row>,
    /// Where each slot's displacement is.
    pub places: Places<'a>,
    /// Displacements of all particles: added to.
    pub u: Shared<'a, Row>,
}

impl Push<'_> {
    /// Runs for groups of 16 slots.
    ///
    /// # Safety
    /// Nobody writes positions, multipliers or walls, or uses these particles' displacements.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn run(self, isa: Isa, groups: Range<usize>) {
        let end = groups.end * BATCH;
        self.lists.check(groups.end, &[self.pressed.len()]);
        if let Some(side) = &self.side {
            side.lists.check(groups.end, &[side.at.len()]);
        }
        assert!(groups.len() <= GROUPS_A_BLOCK && end <= self.scale.len() && end <= self.own.len(), "no such slots");
        assert!(self.walls.is_empty() || end <= self.walls.len(), "too few walls");
        isa.dispatch(Solve { of: self, groups });
    }
}

struct Solve<'a> {
    of: Push<'a>,
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
                // SAFETY: `Push::run` has found every array long enough, and its caller keeps others away; WIDTH divides 16, so the
                // lanes fit.
                unsafe {
                    let dx = of.lanes::<L>(group, first);
                    dx.x.store(by[0].as_mut_ptr().add(first));
                    dx.y.store(by[1].as_mut_ptr().add(first));
                    dx.z.store(by[2].as_mut_ptr().add(first));
                }
                first += L::WIDTH;
            }
            // SAFETY: these particles' displacements are the caller's alone.
            unsafe { add_to(of.u, group, of.places, &by) };
        }
    }
}

impl Push<'_> {
    /// How far `WIDTH` slots of a group move.
    ///
    /// # Safety
    /// As for [`Push::run`], which has checked the arrays.
    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, first: usize) -> V3<L> {
        let (row, own) = (group * BATCH + first, own(group));
        // SAFETY: `run` has found every array and list long enough; the caller promises that nobody writes positions,
        // multipliers or walls.
        unsafe {
            let [x, y, z, lambda] = L::transpose(L::load_rows(self.own.as_ptr().cast(), own.as_ptr().add(first)));
            let [.., w] = in_order::<L>(self.scale.as_ptr(), Layout::Rows, row);
            let x = V3::new(x, y, z);
            let [s, zero] = [L::set(self.spiky.support), L::zero()];
            let mut sum = V3::zero();
            for near in self.lists.of(group) {
                let at = near.0.as_ptr().add(first);
                let [nx, ny, nz, other] = L::transpose(L::load_rows(self.pressed.as_ptr().cast(), at));
                let d = x - V3::new(nx, ny, nz);
                let r = d.length();
                let t = (s - r).larger(zero);
                let towards = ((t * t) / r).or_zero(r.gt(L::splat(MIN_LENGTH)));
                sum = sum - d * (towards * (lambda + other));
            }
            sum = sum * L::set(self.spiky.slope);
            if let Some(side) = &self.side {
                let slope = L::set(self.spiky.slope / self.spiky.volume);
                for near in side.lists.of(group) {
                    let at = near.0.as_ptr().add(first);
                    let [nx, ny, nz, v] = L::transpose(L::load_rows(side.at.as_ptr().cast(), at));
                    let d = x - V3::new(nx, ny, nz);
                    let r = d.length();
                    let t = (s - r).larger(zero);
                    let towards = ((t * t) / r).or_zero(r.gt(L::splat(MIN_LENGTH)));
                    sum = sum - d * ((towards * slope) * (v * lambda));
                }
            }
            if !self.walls.is_empty() {
                let [gx, gy, gz, _] = in_order::<L>(self.walls.as_ptr(), Layout::Rows, row);
                sum = sum + V3::new(gx, gy, gz) * lambda;
            }
            let dx = sum * w;
            // A displacement that is not finite moves nothing.
            let good = dx.x.finite() & dx.y.finite() & dx.z.finite();
            dx.or_zero(good)
        }
    }
}
