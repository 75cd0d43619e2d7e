//! Walls of a fluid: colliders, which the fluid does not move, and rigid bodies, which move by the sum of all
//! particles' pushes.

use super::afloat;
use crate::describe::collider::{Collider, Shape};
use crate::plan::fluid::Fluids as Plans;
use crate::run::passes::Common;
use crate::run::passes::afloat::Afloat;
use crate::run::passes::colliders::moving::Moving;
use seidel_kernels::contact::{Capsule, Solid};
use seidel_kernels::fluid::{Drag, Spiky, Walls as Kernel};
use seidel_kernels::{BATCH, Isa, Row, Shared};
use std::ops::Range;

/// All walls of a sweep; `end` gives their memory back.
pub(super) struct Walls<'a> {
    colliders: Vec<Wall<'a>>,
    pub(super) afloat: Vec<Afloat<'a>>,
}

/// A collider in a substep.
#[derive(Debug)]
pub(super) struct Wall<'a> {
    origin: [f32; 3],
    turn: [[f32; 3]; 3],
    thickness: f32,
    shape: Option<Solid<'a>>,
    /// How far it comes in the substep (`Moving::way`).
    way: ([f32; 3], [[f32; 3]; 3]),
}

impl<'a> Walls<'a> {
    /// Those that meet a fluid, relative to a point. One that meets some of the scene's fluids is a wall to all of
    /// them.
    pub(super) fn new(
        common: &Common<'a>,
        plan: &Plans,
        moving: &[Moving],
        origin: [f32; 3],
        (mut colliders, afloat): (Vec<Wall<'a>>, Vec<Afloat<'a>>),
    ) -> Walls<'a> {
        let meets = |collider: &Collider| {
            plan.bodies.iter().any(|fluid| common.plan.bodies[fluid.body].filter.meets(collider.filter))
        };
        let all = common
            .plan
            .colliders
            .iter()
            .zip(moving)
            .filter(|(collider, moving)| meets(collider) && !matches!(moving, Moving::Off));
        colliders.clear();
        colliders.extend(all.map(|(collider, moving)| {
            let frame = moving.frame();
            let shape = match collider.shape {
                Shape::Plane => None,
                Shape::Sphere { radius } => Some(Solid::Capsule(Capsule { radius, half_length: 0.0 })),
                ref other => other.solid(),
            };
            Wall {
                origin: std::array::from_fn(|k| (frame.position[k] - f64::from(origin[k])) as f32),
                turn: frame.turn.map(|row| row.map(|v| v as f32)),
                thickness: collider.thickness,
                shape,
                way: moving.way(),
            }
        }));
        Walls { colliders, afloat }
    }

    /// Gives back the memory.
    pub(super) fn end(self) -> (Vec<Wall<'static>>, Vec<Afloat<'static>>) {
        (recycled(self.colliders), recycled(self.afloat))
    }

    /// What colliders that drag the fluid along add to the displacements of groups of 16 slots, whose places, ways and
    /// coefficients (`Drag`) are given.
    ///
    /// # Safety
    /// Nobody writes what is given, or uses these slots of `to`.
    pub(super) unsafe fn drag(
        &self,
        (isa, spiky): (Isa, Spiky),
        of: Range<usize>,
        [at, ways, clings]: [Shared<'_, Row>; 3],
        dragged: Shared<'_, Row>,
    ) {
        // SAFETY: the caller promises that nobody writes what is given or uses these slots of `dragged`; `Drag::run`
        // checks lengths.
        unsafe {
            dragged.part(of.start * BATCH, of.len() * BATCH).fill([0.0; 4]);
            for Wall { origin, turn, thickness, shape, way: (moved, turned) } in &self.colliders {
                let (origin, turn, thickness, shape) = (*origin, *turn, *thickness, *shape);
                let (moved, turned) = (*moved, *turned);
                let drag = Drag { spiky, at, ways, clings, dragged, origin, turn, moved, turned, thickness, shape };
                drag.run(isa, of.clone());
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.colliders.is_empty() && self.afloat.is_empty()
    }

    /// What all of them do to the density of groups of 16 slots; nothing is written if there are none.
    ///
    /// # Safety
    /// Nobody writes positions, or uses these slots of `to`.
    pub(super) unsafe fn fill(
        &self,
        (isa, spiky): (Isa, Spiky),
        of: Range<usize>,
        at: Shared<'_, Row>,
        to: Shared<'_, Row>,
    ) {
        if self.is_empty() {
            return;
        }
        let (first, len) = (of.start * BATCH, of.len() * BATCH);
        // SAFETY: the caller promises that nobody writes `at` or uses these slots of `to`; all that are called check
        // the lengths.
        unsafe {
            to.part(first, len).fill([0.0; 4]);
            for Wall { origin, turn, thickness, shape, .. } in &self.colliders {
                let (origin, turn, thickness, shape) = (*origin, *turn, *thickness, *shape);
                Kernel { spiky, at, walls: to, origin, turn, thickness, shape }.run(isa, of.clone());
            }
            if !self.afloat.is_empty() {
                afloat::walls(&self.afloat, &spiky, at.read(first, len), to.part(first, len));
            }
        }
    }
}

/// An empty list with the memory of another whose items differ by a lifetime: collecting in place takes over an
/// allocation that fits.
pub(super) fn recycled<A, B>(mut list: Vec<A>) -> Vec<B> {
    list.clear();
    list.into_iter().map(|_| unreachable!("the list is empty")).collect()
}
