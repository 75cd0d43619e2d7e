//! Moves particles by their multipliers and those of their neighbours.

use super::gather::Places;
use super::lists::own;
use super::pass::{Displace, check, check_walls, rows};
use super::{Lists, Side, Spiky};
use crate::integrate::rows::in_order;
use crate::lanes::Lanes;
use crate::tuning::MIN_LENGTH;
use crate::{BATCH, Chunk, Layout, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

/// Corrects positions: dx_i = w_i (sum_j (V_j lambda_i + V_i lambda_j) grad W_ij + lambda_i grad F_i). Slots are a
/// fluid's, or vertices beside it, whose own lambda is 0.
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

impl Displace for Push<'_> {
    fn check(&self, groups: &Range<usize>) {
        self.lists.check(groups.end, &[self.pressed.len()]);
        if let Some(side) = &self.side {
            side.lists.check(groups.end, &[side.at.len()]);
        }
        check(groups, &[self.scale.len(), self.own.len()]);
        check_walls(groups, self.walls);
    }

    fn target(&self) -> (Places<'_>, Shared<'_, Row>) {
        (self.places, self.u)
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, chunk: Chunk<L>) -> V3<L> {
        let (row, own) = (group * BATCH + chunk.first(), own(group));
        // SAFETY: `check` has found every array and list long enough; the caller promises that nobody writes positions,
        // multipliers or walls.
        unsafe {
            let [x, y, z, lambda] = rows(self.own, chunk.of(&own));
            let [.., w] = in_order::<L>(self.scale.as_ptr(), Layout::Rows, row);
            let x = V3::new(x, y, z);
            let [s, zero] = [L::set(self.spiky.support), L::zero()];
            let mut sum = V3::zero();
            for near in self.lists.of(group) {
                let at = chunk.of(&near.0);
                let [nx, ny, nz, other] = rows(self.pressed, at);
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
                    let at = chunk.of(&near.0);
                    let [nx, ny, nz, v] = rows(side.at, at);
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
            sum * w
        }
    }
}
