//! What colliders do to the density of a fluid beside them.

use super::Spiky;
use super::pass::check;
use crate::contact::{SignedDistance, Solid};
use crate::integrate::rows::{in_order, put_in_order};
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::{BATCH, Isa, Layout, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

/// A collider as a wall. Several together fill 1 - prod (1 - F).
#[derive(Clone, Copy, Debug)]
pub struct Walls<'a> {
    /// The smoothing kernel.
    pub spiky: Spiky,
    /// Positions of the slots, relative, and inverse masses.
    pub at: Shared<'a, Row>,
    /// For each slot: [grad F, F]; added to.
    pub walls: Shared<'a, Row>,
    /// Where the collider is at the substep's end, relative as slots are, metres.
    pub origin: [f32; 3],
    /// How it is turned: rows of a matrix from its own frame to the world's.
    pub turn: [[f32; 3]; 3],
    /// What is added to its surface, metres.
    pub thickness: f32,
    /// Its shape; none is the half space below the plane through `origin` whose normal is its own +y.
    pub shape: Option<Solid<'a>>,
}

impl Walls<'_> {
    /// Runs for groups of 16 slots.
    ///
    /// # Safety
    /// Nobody writes positions, or uses what is written for these slots.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn run(self, isa: Isa, groups: Range<usize>) {
        check(&groups, &[self.at.len(), self.walls.len()]);
        isa.dispatch(Solve { of: self, groups });
    }
}

struct Solve<'a> {
    of: Walls<'a>,
    groups: Range<usize>,
}

/// Into a shape's frame.
#[inline(always)]
pub(super) fn into<L: Lanes<Elem = f32>>(m: &[[f32; 3]; 3], v: V3<L>) -> V3<L> {
    let column = |k: usize| V3::<L>::set([m[0][k], m[1][k], m[2][k]]);
    V3::new(column(0).dot(v), column(1).dot(v), column(2).dot(v))
}

/// Out of it.
#[inline(always)]
pub(super) fn out_of<L: Lanes<Elem = f32>>(m: &[[f32; 3]; 3], v: V3<L>) -> V3<L> {
    V3::new(V3::<L>::set(m[0]).dot(v), V3::<L>::set(m[1]).dot(v), V3::<L>::set(m[2]).dot(v))
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl Solve<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(&self) {
        let of = &self.of;
        let mut row = self.groups.start * BATCH;
        while row < self.groups.end * BATCH {
            // SAFETY: `Walls::run` has found every array long enough, and its caller keeps others away; WIDTH
            // divides 16.
            unsafe {
                let [x, y, z, _] = in_order::<L>(of.at.as_ptr(), Layout::Rows, row);
                let x = into(&of.turn, V3::new(x, y, z) - V3::set(of.origin));
                let (distance, normal) = match &of.shape {
                    None => (x.y, V3::set([0.0, 1.0, 0.0])),
                    Some(shape) => {
                        let about = L::set(shape.bound() + of.thickness + of.spiky.support);
                        let far = shape.ends() & !x.length_squared().le(about * about).any();
                        if far {
                            row += L::WIDTH;
                            continue;
                        }
                        shape.distance(x)
                    }
                };
                let distance = distance - L::set(of.thickness);
                let near = distance.lt(L::set(of.spiky.support));
                if near.any() {
                    let (value, slope) = of.spiky.wall::<L>(distance);
                    let (value, slope) = (value.or_zero(near), slope.or_zero(near));
                    let gradient = out_of(&of.turn, normal) * -slope;
                    let [gx, gy, gz, f] = in_order::<L>(of.walls.as_ptr(), Layout::Rows, row);
                    let (one, all) = (L::splat(1.0), V3::new(gx, gy, gz));
                    let all = all * (one - value) + gradient * (one - f);
                    let f = f + value * (one - f);
                    put_in_order([all.x, all.y, all.z, f], of.walls, row);
                }
            }
            row += L::WIDTH;
        }
    }
}
