//! Viscosity against what is not fluid: walls, and vertices beside the fluid.
//!
//! ```text
//!   walls      du_i = sum c F(d) (d + z) / (d + b) P (d_w - d_i),     z: half a spacing,  d >= z
//!   vertices   du_i = sum_b c V_b W_ib 2 m_b / (m_i + m_b) (d_b - d_i),     du_b the opposite by mass
//! ```
//! d_i, d_w and d_b are how far a particle, the wall where the particle is and a vertex go in the substep; P leaves out
//! what is along the wall's normal. The lattice behind a wall (`Spiky::wall`), whose first layer is z deep, moves as a
//! linear profile goes on behind the surface: to nothing at the depth b, the slip length of Navier's condition (no
//! slip: 0), after Morris, Fox, Zhu 1997, "Modeling Low Reynolds Number Incompressible Flows Using SPH", eq. 26.

use super::gather::Places;
use super::lists::own;
use super::pass::{Displace, check, rows};
use super::walls::{into, out_of};
use super::{Lists, Spiky};
use crate::contact::{SignedDistance, Solid};
use crate::integrate::rows::{in_order, put_in_order};
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::{BATCH, Chunk, Isa, Layout, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

impl Spiky {
    /// The share of a wall's displacement, relative to its own, that a particle `d` metres away takes on per unit of
    /// XSPH's coefficient; the slip length in metres.
    #[inline(always)]
    fn clings<L: Lanes<Elem = f32>>(&self, d: L, slip: L) -> L {
        let half = L::set(0.5 * self.spacing);
        let (value, _) = self.wall(d);
        let d = d.larger(half);
        value * ((d + half) / (d + slip))
    }

    /// The same for one particle; none if the wall is as far as the support or farther.
    #[must_use]
    pub fn drags(&self, distance: f32, slip: f32) -> Option<f32> {
        (distance < self.support).then(|| self.clings(distance, slip))
    }
}

/// A collider that drags along what is beside it.
#[derive(Clone, Copy, Debug)]
pub struct Drag<'a> {
    /// The smoothing kernel.
    pub spiky: Spiky,
    /// Positions of the slots, relative.
    pub at: Shared<'a, Row>,
    /// For each slot: how far it goes, [d, _].
    pub ways: Shared<'a, Row>,
    /// For each slot: [c, b, _, _], XSPH's coefficient and the slip length, metres.
    pub clings: Shared<'a, Row>,
    /// For each slot: by how much its displacement changes, [du, _]; added to.
    pub dragged: Shared<'a, Row>,
    /// Where the collider is at the substep's end, relative as slots are, metres.
    pub origin: [f32; 3],
    /// How it is turned: rows of a matrix from its own frame to the world's.
    pub turn: [[f32; 3]; 3],
    /// How far its origin has come in the substep, metres; and, for a point of it, by how much more by the place
    /// relative to the origin.
    pub moved: [f32; 3],
    /// Rows of that matrix.
    pub turned: [[f32; 3]; 3],
    /// What is added to its surface, metres.
    pub thickness: f32,
    /// Its shape; none is the half space below the plane through `origin` whose normal is its own +y.
    pub shape: Option<Solid<'a>>,
}

impl Drag<'_> {
    /// Runs for groups of 16 slots.
    ///
    /// # Safety
    /// Nobody writes positions or ways, or uses what is written for these slots.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn run(self, isa: Isa, groups: Range<usize>) {
        check(&groups, &[self.at.len(), self.ways.len(), self.clings.len(), self.dragged.len()]);
        isa.dispatch(OfWalls { of: self, groups });
    }
}

struct OfWalls<'a> {
    of: Drag<'a>,
    groups: Range<usize>,
}

impl Kernel for OfWalls<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl OfWalls<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(&self) {
        let of = &self.of;
        let mut row = self.groups.start * BATCH;
        while row < self.groups.end * BATCH {
            // SAFETY: `Drag::run` has found every array long enough, and its caller keeps others away; WIDTH
            // divides 16.
            unsafe {
                let [x, y, z, _] = in_order::<L>(of.at.as_ptr(), Layout::Rows, row);
                let arm = V3::new(x, y, z) - V3::set(of.origin);
                let local = into(&of.turn, arm);
                let (distance, normal) = match &of.shape {
                    None => (local.y, V3::set([0.0, 1.0, 0.0])),
                    Some(shape) => {
                        let about = L::set(shape.bound() + of.thickness + of.spiky.support);
                        if shape.ends() & !local.length_squared().le(about * about).any() {
                            row += L::WIDTH;
                            continue;
                        }
                        shape.distance(local)
                    }
                };
                let distance = distance - L::set(of.thickness);
                let near = distance.lt(L::set(of.spiky.support));
                if near.any() {
                    let [c, slip, ..] = in_order::<L>(of.clings.as_ptr(), Layout::Rows, row);
                    let [wx, wy, wz, _] = in_order::<L>(of.ways.as_ptr(), Layout::Rows, row);
                    let n = out_of(&of.turn, normal);
                    let away = V3::set(of.moved) + out_of(&of.turned, arm) - V3::new(wx, wy, wz);
                    let along = away - n * away.dot(n);
                    let du = along * (c * of.spiky.clings(distance, slip));
                    let du = du.or_zero(near & du.x.finite() & du.y.finite() & du.z.finite());
                    let [sx, sy, sz, _] = in_order::<L>(of.dragged.as_ptr(), Layout::Rows, row);
                    put_in_order([sx + du.x, sy + du.y, sz + du.z, L::zero()], of.dragged, row);
                }
            }
            row += L::WIDTH;
        }
    }
}

/// Drags a fluid's slots along with vertices near them, or vertices along with the fluid.
#[derive(Clone, Copy, Debug)]
pub struct Cling<'a> {
    /// The smoothing kernel.
    pub spiky: Spiky,
    /// Whether the slots are a fluid's, and the others vertices; or the other way round.
    pub fluid: bool,
    /// Positions of the slots, relative, and how far they go. A fluid's: [x, w], [d, c]; of vertices: [x, V], [d, w]. c
    /// is XSPH's coefficient.
    pub own: [Shared<'a, Row>; 2],
    /// The same of what they are near to.
    pub others: [Shared<'a, Row>; 2],
    /// For each slot: the others near it.
    pub lists: Lists<'a>,
    /// Where each slot's displacement is.
    pub places: Places<'a>,
    /// Displacements of all particles: added to.
    pub u: Shared<'a, Row>,
}

impl Displace for Cling<'_> {
    fn check(&self, groups: &Range<usize>) {
        self.lists.check(groups.end, &[self.others[0].len(), self.others[1].len()]);
        check(groups, &[self.own[0].len(), self.own[1].len()]);
    }

    fn target(&self) -> (Places<'_>, Shared<'_, Row>) {
        (self.places, self.u)
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, chunk: Chunk<L>) -> V3<L> {
        let (row, own) = (group * BATCH + chunk.first(), own(group));
        // SAFETY: `check` has found every array and list long enough; the caller promises that nobody writes what is
        // read, or uses what is written.
        unsafe {
            let [x, y, z, a] = rows(self.own[0], chunk.of(&own));
            let [dx, dy, dz, b] = in_order::<L>(self.own[1].as_ptr(), Layout::Rows, row);
            let (x, way) = (V3::new(x, y, z), V3::new(dx, dy, dz));
            let [s, zero] = [L::set(self.spiky.support), L::zero()];
            let mut sum = V3::zero();
            for near in self.lists.of(group) {
                let at = chunk.of(&near.0);
                let [nx, ny, nz, na] = rows(self.others[0], at);
                let [ndx, ndy, ndz, nb] = rows(self.others[1], at);
                let ([w, c], [nw, v]) = if self.fluid { ([a, b], [nb, na]) } else { ([b, nb], [na, a]) };
                let t = (s - (x - V3::new(nx, ny, nz)).length()).larger(zero);
                let both = w + nw;
                let share = ((w + w) / both).or_zero(both.gt(zero));
                sum = sum + (V3::new(ndx, ndy, ndz) - way) * (((t * t) * t) * ((c * v) * share));
            }
            sum * L::set(self.spiky.density / self.spiky.volume)
        }
    }
}
