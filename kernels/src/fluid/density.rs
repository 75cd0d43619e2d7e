//! Density, and the multiplier of each particle.

use super::lists::own;
use super::pass::{Find, check, check_walls, rows};
use super::{Lists, Side, Spiky};
use crate::integrate::rows::{in_order, put_in_order};
use crate::lanes::Lanes;
use crate::tuning::{MIN_DENOMINATOR, MIN_LENGTH};
use crate::{BATCH, Chunk, InChunks, Layout, Pack, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

/// Finds C and lambda of particles.
#[derive(Clone, Copy, Debug)]
pub struct Density<'a> {
    /// The smoothing kernel.
    pub spiky: Spiky,
    /// Share of the correction that is made: omega.
    pub relaxation: f32,
    /// Positions of the slots, relative, and inverse masses.
    pub at: Shared<'a, Row>,
    /// For each slot: the fluid near it.
    pub lists: Lists<'a>,
    /// What lies beside the fluid, if anything does.
    pub side: Option<Side<'a>>,
    /// For each slot: what walls do to it, [grad F, F]; empty without walls.
    pub walls: Shared<'a, Row>,
    /// Read: [.., the multiplier so far in this substep]. Written: [x, y, z, the change of the multiplier in this
    /// sweep].
    pub pressed: Shared<'a, Row>,
    /// C of each slot, a pack for each group of 16: written.
    pub excess: Shared<'a, Pack<f32>>,
}

/// What neighbours add up to.
#[derive(Clone, Copy)]
struct DensitySums<L> {
    /// sum V_j W_ij
    density: L,
    /// sum V_j grad W_ij
    gradient: V3<L>,
    /// sum w_j V_j^2 |grad W_ij|^2
    weight: L,
}

impl Find for Density<'_> {
    fn check(&self, groups: &Range<usize>) {
        self.lists.check(groups.end, &[self.at.len()]);
        if let Some(side) = &self.side {
            side.lists.check(groups.end, &[side.at.len(), side.weight.len()]);
        }
        check(groups, &[self.at.len()]);
        check_walls(groups, self.walls);
        let room = groups.end * BATCH <= self.pressed.len() && groups.end <= self.excess.len();
        assert!(room, "no room for multipliers");
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, chunk: Chunk<L>) {
        let (row, own) = (group * BATCH + chunk.first(), own(group));
        // SAFETY: `check` has found every array and list long enough; the caller promises that nobody writes positions
        // or walls, or uses what is written for these slots.
        unsafe {
            let [x, y, z, w] = rows(self.at, chunk.of(&own));
            let x = V3::new(x, y, z);
            let [s, zero] = [L::set(self.spiky.support), L::zero()];
            let mut sums = DensitySums { density: zero, gradient: V3::zero(), weight: zero };
            for near in self.lists.of(group) {
                let at = chunk.of(&near.0);
                let [nx, ny, nz, nw] = rows(self.at, at);
                let d = x - V3::new(nx, ny, nz);
                let r = d.length();
                let t = (s - r).larger(zero);
                let t2 = t * t;
                sums.density = sums.density + t2 * t;
                // Towards the neighbour the density grows: the gradient is -t^2 d / r. Two in one place have no
                // direction.
                sums.gradient = sums.gradient - d * (t2 / r).or_zero(r.gt(L::splat(MIN_LENGTH)));
                sums.weight = sums.weight + nw * (t2 * t2);
            }
            let slope = L::set(self.spiky.slope);
            sums.density = L::set(self.spiky.of_itself()) + sums.density * L::set(self.spiky.density);
            sums.gradient = sums.gradient * slope;
            sums.weight = sums.weight * (slope * slope);
            if let Some(side) = &self.side {
                let (density, slope) = (self.spiky.density / self.spiky.volume, self.spiky.slope / self.spiky.volume);
                for near in side.lists.of(group) {
                    let at = chunk.of(&near.0);
                    let [nx, ny, nz, v] = rows(side.at, at);
                    let [wv2, ..] = rows::<L>(side.weight, at);
                    let d = x - V3::new(nx, ny, nz);
                    let r = d.length();
                    let t = (s - r).larger(zero);
                    let t2 = t * t;
                    sums.density = sums.density + (t2 * t) * (v * L::set(density));
                    let towards = (t2 / r).or_zero(r.gt(L::splat(MIN_LENGTH)));
                    sums.gradient = sums.gradient - d * (towards * (v * L::set(slope)));
                    sums.weight = sums.weight + wv2 * ((t2 * L::set(slope)) * (t2 * L::set(slope)));
                }
            }
            if !self.walls.is_empty() {
                let [gx, gy, gz, f] = in_order::<L>(self.walls.as_ptr(), Layout::Rows, row);
                sums.density = sums.density + f;
                sums.gradient = sums.gradient + V3::new(gx, gy, gz);
            }
            let c = sums.density - L::splat(1.0);
            let weight = w * sums.gradient.length_squared() + sums.weight;
            // The substep's multiplier stays <= 0: it pushes particles apart and never pulls them together. An excess
            // from the warm start is taken back.
            let [.., before] = in_order::<L>(self.pressed.as_ptr(), Layout::Rows, row);
            let by =
                (-(c * L::set(self.relaxation)) / weight).or_zero(w.gt(zero) & weight.gt(L::splat(MIN_DENOMINATOR)));
            let lambda = (before + by).smaller(zero) - before;
            self.excess.part(group, 1)[0].store(chunk, c);
            put_in_order([x.x, x.y, x.z, lambda], self.pressed, row);
        }
    }
}
