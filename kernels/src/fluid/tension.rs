//! Surface tension: neighbours attract each other, and more so where the surface is bent (Akinci, Akinci, Teschner
//! 2013, "Versatile Surface Tension and Adhesion for SPH Fluids", eq. 1 to 5).
//!
//! ```text
//!   n_i = s grad (sum_j V_j W_ij + F_i)                                  s: the range; n_i points into the fluid
//!   du_i = -w_i sum_j (tau_i + tau_j) / (rho_i + rho_j) (C(r) + u (n_i - n_j).d / r) d / r  +  w_i kappa tau_i grad F_i
//!   C(r) = u^3 for r > s / 2, else 2 u^3 - 1,    u = 4 r (s - r) / s^2,    d = x_i - x_j,    rho: density over that at rest
//! ```
//! C is the paper's spline, divided by its largest value. Deviations: the paper's second term, n_i - n_j, is projected
//! on d and falls to 0 at the range, so that it lies along the pair and angular momentum is conserved as linear
//! momentum is (without it a drop begins to turn); and both terms have one strength, tau, a force times h^2. Walls
//! attract a particle along the gradient of what they add to its density.

use super::gather::Places;
use super::lists::own;
use super::pass::{Displace, Find, check, check_walls, rows};
use super::{Lists, Side, Spiky};
use crate::integrate::rows::{in_order, put_in_order};
use crate::lanes::Lanes;
use crate::tuning::MIN_LENGTH;
use crate::{BATCH, Chunk, Layout, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

/// Finds where the surface is.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceNormals<'a> {
    /// A smoothing kernel as wide as the forces reach, which is at most as far as the lists do.
    pub spiky: Spiky,
    /// Positions of the slots, relative, and inverse masses.
    pub at: Shared<'a, Row>,
    /// For each slot: the fluid near it.
    pub lists: Lists<'a>,
    /// What lies beside the fluid, if anything does.
    pub side: Option<Side<'a>>,
    /// For each slot: what walls do to it, [grad F, F]; empty without walls.
    pub walls: Shared<'a, Row>,
    /// For each slot: [n, rho], no units: written.
    pub normals: Shared<'a, Row>,
}

impl Find for SurfaceNormals<'_> {
    fn check(&self, groups: &Range<usize>) {
        self.lists.check(groups.end, &[self.at.len()]);
        if let Some(side) = &self.side {
            side.lists.check(groups.end, &[side.at.len()]);
        }
        check(groups, &[self.at.len(), self.normals.len()]);
        check_walls(groups, self.walls);
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, chunk: Chunk<L>) {
        let (row, own) = (group * BATCH + chunk.first(), own(group));
        // SAFETY: `check` has found every array and list long enough; the caller promises that nobody writes what is
        // read, or uses what is written.
        unsafe {
            let [x, y, z, _] = rows(self.at, chunk.of(&own));
            let x = V3::new(x, y, z);
            let [s, zero] = [L::set(self.spiky.support), L::zero()];
            let (mut density, mut gradient) = (zero, V3::zero());
            for near in self.lists.of(group) {
                let at = chunk.of(&near.0);
                let [nx, ny, nz, _] = rows(self.at, at);
                let d = x - V3::new(nx, ny, nz);
                let r = d.length();
                let t = (s - r).larger(zero);
                let t2 = t * t;
                density = density + t2 * t;
                gradient = gradient - d * (t2 / r).or_zero(r.gt(L::splat(MIN_LENGTH)));
            }
            density = L::set(self.spiky.of_itself()) + density * L::set(self.spiky.density);
            gradient = gradient * L::set(self.spiky.slope);
            if let Some(side) = &self.side {
                let per_volume = [self.spiky.density, self.spiky.slope].map(|c| L::set(c / self.spiky.volume));
                for near in side.lists.of(group) {
                    let at = chunk.of(&near.0);
                    let [nx, ny, nz, v] = rows(side.at, at);
                    let d = x - V3::new(nx, ny, nz);
                    let r = d.length();
                    let t = (s - r).larger(zero);
                    let t2 = t * t;
                    density = density + (t2 * t) * (v * per_volume[0]);
                    let towards = (t2 / r).or_zero(r.gt(L::splat(MIN_LENGTH)));
                    gradient = gradient - d * (towards * (v * per_volume[1]));
                }
            }
            if !self.walls.is_empty() {
                let [gx, gy, gz, f] = in_order::<L>(self.walls.as_ptr(), Layout::Rows, row);
                density = density + f;
                gradient = gradient + V3::new(gx, gy, gz);
            }
            let n = gradient * s;
            put_in_order([n.x, n.y, n.z, density], self.normals, row);
        }
    }
}

/// Changes displacements by the forces of a substep.
#[derive(Clone, Copy, Debug)]
pub struct Tension<'a> {
    /// The smoothing kernel that [`SurfaceNormals`] has used.
    pub spiky: Spiky,
    /// [.., w], inverse masses of the slots.
    pub at: Shared<'a, Row>,
    /// Positions of the slots, relative, with kappa tau, kg m^2.
    pub pulled: Shared<'a, Row>,
    /// kappa, metres.
    pub wetting: f32,
    /// For each slot: [n, rho]; those of the last group, which lists are padded with, are finite.
    pub normals: Shared<'a, Row>,
    /// For each slot: the fluid near it.
    pub lists: Lists<'a>,
    /// For each slot: what walls do to it, [grad F, F]; empty without walls.
    pub walls: Shared<'a, Row>,
    /// The row of each slot.
    pub row_of: &'a [u32],
    /// Displacements of all particles: added to.
    pub u: Shared<'a, Row>,
}

impl Displace for Tension<'_> {
    fn check(&self, groups: &Range<usize>) {
        self.lists.check(groups.end, &[self.pulled.len(), self.normals.len()]);
        check(groups, &[self.at.len(), self.pulled.len(), self.normals.len()]);
        check_walls(groups, self.walls);
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
            let [x, y, z, tau] = rows(self.pulled, chunk.of(&own));
            let [nx, ny, nz, rho] = in_order::<L>(self.normals.as_ptr(), Layout::Rows, row);
            let [.., w] = in_order::<L>(self.at.as_ptr(), Layout::Rows, row);
            let (x, n) = (V3::new(x, y, z), V3::new(nx, ny, nz));
            let [s, zero, one] = [L::set(self.spiky.support), L::zero(), L::splat(1.0)];
            let per_square = L::set(4.0 / (self.spiky.support * self.spiky.support));
            let mut sum = V3::zero();
            for near in self.lists.of(group) {
                let at = chunk.of(&near.0);
                let [px, py, pz, other] = rows(self.pulled, at);
                let [ox, oy, oz, density] = rows(self.normals, at);
                let d = x - V3::new(px, py, pz);
                let r = d.length();
                let along = d * (one / r).or_zero(r.gt(L::splat(MIN_LENGTH)));
                // 0 where r is the range or more: r is then finite, and so is all that it is multiplied with.
                let u = ((s - r).larger(zero) * per_square) * r;
                let u3 = (u * u) * u;
                let cohesion = u3 - (one - u3).or_zero((r + r).lt(s));
                let bent = u * (n - V3::new(ox, oy, oz)).dot(along);
                sum = sum - along * (((tau + other) / (rho + density)) * (cohesion + bent));
            }
            sum = sum * L::set(1.0 / self.wetting);
            if !self.walls.is_empty() {
                let [gx, gy, gz, _] = in_order::<L>(self.walls.as_ptr(), Layout::Rows, row);
                sum = sum + V3::new(gx, gy, gz) * tau;
            }
            sum * w
        }
    }
}
