//! Frames in slots: rotations beside points.

use super::{Place, Point, Slots, Visitor};
use crate::batch::Access;
use crate::lanes::{Lanes, Spread};
use crate::{Particles, Quat, V3};
use std::mem::MaybeUninit;

/// A frame in a slot of a constraint.
#[derive(Clone, Copy, Debug)]
pub struct Turn<L> {
    /// Its rotation, body to world, with the corrections so far.
    pub q: Quat<L>,
    /// Inverse inertia, 1/(kg m^2); 0 does not turn.
    pub w: L,
    /// In a sweep over rates how far it turns in a substep, h omega, rad; otherwise zero.
    pub du: V3<L>,
    /// The correction that the constraint asks for, a rotation vector in the world, rad.
    pub dtheta: V3<L>,
}

impl<L> super::sealed::Sealed for ([Point<L>; 2], Turn<L>) {}
impl<L> super::sealed::Sealed for [Turn<L>; 2] {}

/// Reads the frames of a slot.
///
/// # Safety
/// As for [`Slots::visit`].
#[inline(always)]
unsafe fn read_turn<L: Lanes>(particles: Particles<'_, L::Elem>, place: Place, slot: usize) -> Turn<L> {
    // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
    // nobody else uses these rows.
    unsafe {
        let [x, y, z, w] = four::<L>(particles.x, place, slot);
        let [a, b, c, inverse] = four::<L>(particles.off(), place, slot);
        let (q, theta) = (Quat::new(V3::new(x, y, z), w), V3::new(a, b, c));
        let mut du = V3::zero();
        if particles.rates() {
            let [ux, uy, uz, _] = four::<L>(particles.u.as_ptr().cast_const(), place, slot);
            du = V3::new(ux, uy, uz);
        }
        Turn { q: q.turned(theta), w: inverse, du, dtheta: V3::zero() }
    }
}

/// The four numbers of rows in a slot.
///
/// # Safety
/// As for [`Slots::visit`].
#[inline(always)]
unsafe fn four<L: Lanes>(rows: *const [L::Elem; 4], place: Place, slot: usize) -> [L; 4] {
    // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
    // nobody else uses these rows.
    unsafe {
        if place.reach == Access::Gathered {
            return L::transpose(L::load_rows(rows.cast(), place.indices(slot)));
        }
        let mut copy = MaybeUninit::uninit();
        let at = place.registers::<L>(rows, slot, &mut copy);
        let mut numbers = [L::zero(); 4];
        for (k, number) in numbers.iter_mut().enumerate() {
            *number = L::load(at.add(k * crate::BATCH));
        }
        numbers
    }
}

/// Adds the corrections of the frames of a slot.
///
/// # Safety
/// As for [`Slots::visit`].
#[inline(always)]
unsafe fn write_turn<L: Lanes>(turn: Turn<L>, particles: Particles<'_, L::Elem>, place: Place, slot: usize) {
    let (to, d) = (particles.sums(), turn.dtheta);
    // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
    // nobody else uses these rows.
    unsafe {
        if place.reach == Access::Gathered {
            return place.add_rows(d, to, slot);
        }
        let [a, b, c, _] = four::<L>(to.cast_const(), place, slot);
        place.put([a + d.x, b + d.y, c + d.z], to, slot);
    }
}

/// Shapes with frames are reached in one way, by [`Slots::read`] and [`Slots::write`]; the others come from these.
macro_rules! one_way {
    () => {
        const ONE_WAY: bool = true;

        #[inline(always)]
        unsafe fn gather(particles: Particles<'_, L::Elem>, place: Place) -> Self {
            // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are,
            // and nobody else uses these rows.
            unsafe { Self::read(particles, place) }
        }

        #[inline(always)]
        unsafe fn scatter(self, particles: Particles<'_, L::Elem>, place: Place) {
            // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are,
            // and nobody else uses these rows.
            unsafe { self.write(particles, place) }
        }

        #[inline(always)]
        unsafe fn visit(particles: Particles<'_, L::Elem>, place: Place, mut visitor: impl Visitor<Self>) {
            // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are,
            // and nobody else uses these rows.
            unsafe {
                let mut slots = Self::read(particles, place);
                visitor.visit(&mut slots);
                slots.write(particles, place);
            }
        }

        #[inline(always)]
        unsafe fn visit_two(_: Particles<'_, L::Elem>, _: [Place; 2], _: impl Visitor<Self>)
        where
            L: Spread<2>,
        {
            unreachable!("the driver reaches these slots in one way");
        }
    };
}

/// Two points and the frame between them.
impl<L: Lanes> Slots<L> for ([Point<L>; 2], Turn<L>) {
    const COUNT: usize = 3;
    const POINTS: usize = 2;
    one_way!();

    #[inline(always)]
    unsafe fn read(particles: Particles<'_, L::Elem>, place: Place) -> Self {
        // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
        // nobody else uses these rows; the points are the first two slots.
        unsafe { (<[Point<L>; 2]>::read(particles, place), read_turn(particles, place, 2)) }
    }

    #[inline(always)]
    unsafe fn write(self, particles: Particles<'_, L::Elem>, place: Place) {
        let (points, turn) = self;
        // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
        // nobody else uses these rows; the points are the first two slots.
        unsafe {
            points.write(particles, place);
            write_turn(turn, particles, place, 2);
        }
    }
}

/// Two frames.
impl<L: Lanes> Slots<L> for [Turn<L>; 2] {
    const COUNT: usize = 2;
    const POINTS: usize = 0;
    one_way!();

    #[inline(always)]
    unsafe fn read(particles: Particles<'_, L::Elem>, place: Place) -> Self {
        // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
        // nobody else uses these rows.
        unsafe { [read_turn(particles, place, 0), read_turn(particles, place, 1)] }
    }

    #[inline(always)]
    unsafe fn write(self, particles: Particles<'_, L::Elem>, place: Place) {
        let [a, b] = self;
        // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
        // nobody else uses these rows.
        unsafe {
            write_turn(a, particles, place, 0);
            write_turn(b, particles, place, 1);
        }
    }
}
