//! How long something that is away from a collider needs no look at it.
//!
//! ```text
//!   x + u *  ) room     A look tells the radius of a ball about x + u that the collider is out of. Of that the way from x takes |u|:
//!        /   |          what is left is how far particle and collider may go from where they are at the substep's start.
//!     x *---'           "until" is that, and what they had gone before; the next look is due when they may have gone as far.
//! ```
//! Ways are counted from the step's start on, along the paths: of a particle |u| of each substep, of the collider a
//! bound for all of it. A triangle goes as far as its corners together. Nothing that is left out would have been
//! pushed, so no result depends on when it is looked at.

use crate::lanes::Lanes;
use crate::slots::Place;
use crate::{BATCH, Row};
use seidel_workers::Shared;
use std::mem::MaybeUninit;

/// Of each row of a run, or of each lane of all batches, when the next look is due.
#[derive(Clone, Copy, Debug)]
pub struct Slack<'a> {
    /// How far particles and the collider may have gone since the step's start, metres; less than 0 if nothing is
    /// known. Empty if the shape is looked at each time (a plane, a sphere).
    pub until: Shared<'a, f32>,
    /// For each row of the motion how far it had gone when this substep began, and the same with its longest way in
    /// this substep, metres: [gone, reach, unsure, 0], of which the third is what roundings may add. Empty if all
    /// shapes are looked at each time.
    pub ways: Shared<'a, Row>,
    /// How far the collider had gone when this substep began and will have when it ends, at most, metres.
    pub travel: [f32; 2],
}

/// The sums are rounded.
const ROUNDED: f32 = 1.0 + 1e-5;

impl Slack<'_> {
    /// How far things of these reaches have gone, with the collider.
    #[inline(always)]
    pub(crate) fn spent<L: Lanes<Elem = f32>>(&self, reach: L) -> L {
        (reach + L::set(self.travel[1])) * L::set(ROUNDED)
    }

    /// What is added to a room that is found now, for the next look.
    #[inline(always)]
    pub(crate) fn base<L: Lanes<Elem = f32>>(&self, gone: L, way: L) -> L {
        gone + (L::set(self.travel[0]) - way)
    }

    /// How far triangles have gone.
    ///
    /// # Safety
    /// The batch is alive and was packed for as many rows as there are; nobody writes these rows.
    #[inline(always)]
    pub(crate) unsafe fn spent_by<L: Lanes<Elem = f32>>(&self, place: Place) -> L {
        let mut copies = [const { MaybeUninit::uninit() }; 3];
        let mut reach = L::zero();
        for (k, copy) in copies.iter_mut().enumerate() {
            // SAFETY: the caller promises that the batch is alive and packed for these rows, and nobody writes them; a
            // slot's second components lie BATCH numbers on.
            reach = reach + unsafe { L::load(place.registers::<L>(self.ways.as_ptr(), k, copy).add(BATCH)) };
        }
        self.spent(reach)
    }

    /// What is added to a room of triangles.
    ///
    /// # Safety
    /// As for [`Slack::spent_by`].
    #[inline(always)]
    pub(crate) unsafe fn base_of<L: Lanes<Elem = f32>>(&self, place: Place) -> L {
        let mut copies = [const { MaybeUninit::uninit() }; 3];
        let (mut gone, mut way) = (L::zero(), L::zero());
        for (k, copy) in copies.iter_mut().enumerate() {
            // SAFETY: the caller promises that the batch is alive and packed for these rows, and nobody writes them; a
            // slot's second components lie BATCH numbers on.
            let (had, has) = unsafe {
                let from = place.registers::<L>(self.ways.as_ptr(), k, copy);
                (L::load(from), L::load(from.add(BATCH)))
            };
            (gone, way) = (gone + had, way.larger(has - had));
        }
        self.base(gone, way)
    }

    /// Both of one triangle.
    ///
    /// # Safety
    /// As for [`Slack::spent_by`]; the lane has a triangle.
    pub(crate) unsafe fn of_triangle(&self, place: Place, lane: usize) -> (f32, f32) {
        let (mut gone, mut reach, mut way) = (0.0f32, 0.0f32, 0.0f32);
        for k in 0..3 {
            // SAFETY: the caller promises that the batch is alive and packed for these rows, the lane has a triangle,
            // and nobody writes its rows.
            let (had, has) = unsafe {
                let (offset, stride) = place.lane(k, lane);
                let from = self.ways.as_ptr().cast::<f32>().add(offset);
                (from.read(), from.add(stride).read())
            };
            (gone, reach, way) = (gone + had, reach + has, Lanes::larger(way, has - had));
        }
        (self.spent(reach), self.base(gone, way))
    }

    /// Notes that a corner was pushed.
    ///
    /// # Safety
    /// As for [`Slack::spent_by`]; nobody else uses the corner's row.
    pub(crate) unsafe fn push(&self, place: Place, (slot, lane): (usize, usize), far: f32) {
        // SAFETY: the caller promises that the batch is alive and packed for these rows, and nobody else uses the
        // corner's.
        unsafe {
            let (offset, stride) = place.lane(slot, lane);
            let reach = self.ways.as_ptr().cast::<f32>().add(offset + stride);
            reach.write(reach.read() + far);
        }
    }

    /// Notes that the three corners of triangles were pushed, so far at most.
    ///
    /// # Safety
    /// As for [`Slack::push`], for all lanes.
    #[inline(always)]
    pub(crate) unsafe fn push_corners<L: Lanes<Elem = f32>>(&self, place: Place, far: L) {
        if self.ways.is_empty() {
            return;
        }
        for slot in 0..3 {
            let mut copy = MaybeUninit::uninit();
            // SAFETY: the caller promises that the batch is alive and packed for these rows, and nobody else uses those
            // of its corners.
            unsafe {
                let from = place.registers::<L>(self.ways.as_ptr(), slot, &mut copy);
                let (gone, reach) = (L::load(from), L::load(from.add(BATCH)));
                place.put([gone, reach + far, L::load(from.add(2 * BATCH))], self.ways.as_ptr(), slot);
            }
        }
    }
}
