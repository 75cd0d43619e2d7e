//! What a constraint touches, in registers: gathered before it runs, scattered after.

mod place;
mod turn;

use crate::batch::Access;
use crate::lanes::{Lanes, Spread};
use crate::{BATCH, Particles, V3};
pub use place::Place;
pub(crate) use place::vector;
use std::mem::MaybeUninit;
pub use turn::Turn;

/// A particle in a slot of a constraint.
#[derive(Clone, Copy, Debug)]
pub struct Point<L> {
    /// Position relative to the constraint's first slot, metres: small numbers, exact differences.
    pub x: V3<L>,
    /// Inverse mass, 1/kg; 0 does not move.
    pub w: L,
    /// In a sweep over rates ([`Particles::of_rates`]) how far it goes in a substep, h v, relative to the first slot,
    /// metres; otherwise zero.
    pub du: V3<L>,
    /// The correction that the constraint asks for, metres; zero when gathered, added to u when scattered.
    pub dx: V3<L>,
}

impl<L: Lanes> Point<L> {
    /// All numbers zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Point { x: V3::zero(), w: L::zero(), du: V3::zero(), dx: V3::zero() }
    }
}

/// What is done with slots in registers. No closure: those cannot be told to be inlined always, as lanes need it.
pub trait Visitor<S> {
    /// Puts corrections into the slots, or only looks at them.
    fn visit(&mut self, slots: &mut S);
}

/// A closed set of shapes that kernels can gather: points, and [`Turn`]s behind them.
pub trait Slots<L: Lanes>: Copy + sealed::Sealed {
    /// Particles and frames in a constraint.
    const COUNT: usize;

    /// The first so many are points.
    const POINTS: usize;

    /// Whether [`Slots::read`] and [`Slots::write`] are the only ways of reaching them.
    const ONE_WAY: bool = false;

    /// Reads the slots of `WIDTH` constraints, hands them to the visitor, and adds the corrections of those lanes that
    /// have a row to u. Not for rates, which only [`Slots::read`] reads.
    ///
    /// # Safety
    /// The place is not of [`Access::Gathered`]; it is of a batch of `COUNT` slots that was packed for at most
    /// `particles.len()` particles and is alive; nobody else uses these rows.
    unsafe fn visit(particles: Particles<'_, L::Elem>, place: Place, visitor: impl Visitor<Self>);

    /// [`Slots::visit`] for the `WIDTH / 2` lanes of each of two batches of [`Access::Contiguous`] that are apart, and
    /// writes.
    ///
    /// # Safety
    /// As there, for both places; the second batch is [`crate::Batches::apart`] from the first.
    unsafe fn visit_two(particles: Particles<'_, L::Elem>, places: [Place; 2], visitor: impl Visitor<Self>)
    where
        L: Spread<2>;

    /// Reads the slots of `WIDTH` constraints of [`Access::Gathered`]. Not for rates.
    ///
    /// # Safety
    /// As for [`Slots::visit`], and the batch's reach is that.
    unsafe fn gather(particles: Particles<'_, L::Elem>, place: Place) -> Self;

    /// Adds the corrections of slots that [`Slots::gather`] has read, where there is a row, to u.
    ///
    /// # Safety
    /// As there.
    unsafe fn scatter(self, particles: Particles<'_, L::Elem>, place: Place);

    /// Reads the slots of `WIDTH` constraints, whatever their reach, with rates if the particles have them.
    ///
    /// # Safety
    /// As for [`Slots::visit`].
    unsafe fn read(particles: Particles<'_, L::Elem>, place: Place) -> Self;

    /// Adds the corrections of slots that [`Slots::read`] has read, where there is a row: to u, or to the rows of
    /// [`Particles::adding_to`].
    ///
    /// # Safety
    /// As for [`Slots::visit`].
    unsafe fn write(self, particles: Particles<'_, L::Elem>, place: Place);
}

mod sealed {
    pub trait Sealed {}
    impl<L, const N: usize> Sealed for [super::Point<L>; N] {}
}

/// Rows one after another, in pairs of numbers.
pub(crate) static IN_ORDER: [u32; BATCH] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];

/// Reads rows that are reached one by one. Row by row as far as possible, so that only differences are transposed.
/// `RATES`: with rates, if the particles have them.
///
/// # Safety
/// As for [`Slots::visit`].
#[inline(always)]
unsafe fn gather_rows<L: Lanes, const N: usize, const RATES: bool>(
    particles: Particles<'_, L::Elem>,
    place: Place,
) -> [Point<L>; N] {
    let mut points = [Point::zero(); N];
    let (x, u) = (particles.x, particles.u.as_ptr());
    let off = if RATES { particles.off() } else { u };
    // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
    // nobody else uses these rows.
    unsafe {
        let x0 = L::load_rows(x.cast(), place.indices(0));
        let off0 = L::load_rows(off.cast(), place.indices(0));
        points[0].w = L::transpose(x0)[3];
        for (slot, point) in points.iter_mut().enumerate().skip(1) {
            let xi = L::load_rows(x.cast(), place.indices(slot));
            let off = L::load_rows(off.cast(), place.indices(slot));
            point.w = L::transpose(xi)[3];
            let mut relative = [L::zero(); 4];
            for k in 0..4 {
                relative[k] = (xi[k] - x0[k]) + (off[k] - off0[k]);
            }
            let [rx, ry, rz, _] = L::transpose(relative);
            point.x = V3::new(rx, ry, rz);
        }
        if RATES && particles.rates() {
            let u0 = L::load_rows(u.cast(), place.indices(0));
            for (slot, point) in points.iter_mut().enumerate().skip(1) {
                let ui = L::load_rows(u.cast(), place.indices(slot));
                let mut relative = [L::zero(); 4];
                for k in 0..4 {
                    relative[k] = ui[k] - u0[k];
                }
                let [dx, dy, dz, _] = L::transpose(relative);
                point.du = V3::new(dx, dy, dz);
            }
        }
    }
    points
}

/// Adds corrections to rows that are reached one by one.
///
/// # Safety
/// As for [`Slots::visit`].
#[inline(always)]
unsafe fn scatter_rows<L: Lanes, const N: usize>(points: [Point<L>; N], to: *mut [L::Elem; 4], place: Place) {
    for (slot, point) in points.into_iter().enumerate() {
        // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
        // nobody else uses these rows.
        unsafe { place.add_rows(point.dx, to, slot) };
    }
}

/// The same places, `by` numbers further on.
#[inline(always)]
unsafe fn on<T, const B: usize>(mut at: [*mut T; B], by: usize) -> [*mut T; B] {
    for place in &mut at {
        // SAFETY: as the caller promises, there are as many numbers.
        *place = unsafe { place.add(by) };
    }
    at
}

/// Three components, `BATCH` numbers apart.
///
/// # Safety
/// They may be read at all of the places.
#[inline(always)]
unsafe fn three<L: Spread<B>, const B: usize>(at: [*mut L::Elem; B]) -> [L; 3] {
    // SAFETY: the caller promises that numbers may be read at all of the places, and one and two packs further.
    unsafe { [read(at), read(on(at, BATCH)), read(on(at, 2 * BATCH))] }
}

/// Lanes at `B` places.
///
/// # Safety
/// They may be read.
#[inline(always)]
unsafe fn read<L: Spread<B>, const B: usize>(at: [*mut L::Elem; B]) -> L {
    let mut from = [std::ptr::null(); B];
    for (from, at) in from.iter_mut().zip(at) {
        *from = at.cast_const();
    }
    // SAFETY: the caller promises that WIDTH / B numbers may be read at each place.
    unsafe { L::gather(from) }
}

/// Where the registers of each slot are, of `B` batches.
type Registers<E, const N: usize, const B: usize> = [[*mut E; B]; N];

/// Slots from registers at `x` and `off`, with rates from `u` where it is given: sixteen numbers apart, component after
/// component. Of `B` batches, as many lanes of each.
///
/// # Safety
/// As for [`Slots::visit`], for the rows at these addresses.
#[inline(always)]
unsafe fn read_registers<L: Spread<B>, const N: usize, const B: usize>(
    x: Registers<L::Elem, N, B>,
    off: Registers<L::Elem, N, B>,
    u: Option<Registers<L::Elem, N, B>>,
) -> [Point<L>; N] {
    let mut points = [Point::zero(); N];
    // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
    // nobody else uses these rows.
    unsafe {
        let (x0, off0) = (three::<L, B>(x[0]), three::<L, B>(off[0]));
        points[0].w = read(on(x[0], 3 * BATCH));
        for (slot, point) in points.iter_mut().enumerate().skip(1) {
            let (xi, off) = (three::<L, B>(x[slot]), three::<L, B>(off[slot]));
            let mut relative = [L::zero(); 3];
            for k in 0..3 {
                relative[k] = (xi[k] - x0[k]) + (off[k] - off0[k]);
            }
            let [rx, ry, rz] = relative;
            point.x = V3::new(rx, ry, rz);
            point.w = read(on(x[slot], 3 * BATCH));
        }
        if let Some(u) = u {
            let u0 = three::<L, B>(u[0]);
            for (slot, point) in points.iter_mut().enumerate().skip(1) {
                let ui = three::<L, B>(u[slot]);
                let mut relative = [L::zero(); 3];
                for k in 0..3 {
                    relative[k] = ui[k] - u0[k];
                }
                let [dx, dy, dz] = relative;
                point.du = V3::new(dx, dy, dz);
            }
        }
    }
    points
}

/// Adds corrections to registers at `to`.
///
/// # Safety
/// As for [`Slots::visit`], for the rows at these addresses.
#[inline(always)]
unsafe fn add_to_registers<L: Spread<B>, const N: usize, const B: usize>(
    points: [Point<L>; N],
    to: Registers<L::Elem, N, B>,
) {
    for (slot, point) in points.into_iter().enumerate() {
        // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
        // nobody else uses these rows.
        unsafe {
            let [dx, dy, dz] = three::<L, B>(to[slot]);
            (dx + point.dx.x).scatter(to[slot]);
            (dy + point.dx.y).scatter(on(to[slot], BATCH));
            (dz + point.dx.z).scatter(on(to[slot], 2 * BATCH));
        }
    }
}

impl<L: Lanes, const N: usize> Slots<L> for [Point<L>; N] {
    const COUNT: usize = N;
    const POINTS: usize = N;

    #[inline(always)]
    unsafe fn gather(particles: Particles<'_, L::Elem>, place: Place) -> Self {
        // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
        // nobody else uses these rows.
        unsafe { gather_rows::<L, N, false>(particles, place) }
    }

    #[inline(always)]
    unsafe fn scatter(self, particles: Particles<'_, L::Elem>, place: Place) {
        // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
        // nobody else uses these rows.
        unsafe { scatter_rows::<L, N>(self, particles.u.as_ptr(), place) }
    }

    #[inline(always)]
    unsafe fn read(particles: Particles<'_, L::Elem>, place: Place) -> Self {
        let (x, off, u) = (particles.x, particles.off(), particles.u.as_ptr().cast_const());
        // SAFETY: as the caller promises, `Batches` has checked that every address is within the rows.
        unsafe {
            if place.reach == Access::Gathered {
                return gather_rows::<L, N, true>(particles, place);
            }
            let mut copies = [const { [MaybeUninit::uninit(); 3] }; N];
            let (mut xs, mut offs) = ([[std::ptr::null_mut()]; N], [[std::ptr::null_mut()]; N]);
            let mut us = particles.rates().then_some(offs);
            for (slot, [of_x, of_off, of_u]) in copies.iter_mut().enumerate() {
                xs[slot] = [place.registers::<L>(x, slot, of_x).cast_mut()];
                offs[slot] = [place.registers::<L>(off, slot, of_off).cast_mut()];
                if let Some(us) = &mut us {
                    us[slot] = [place.registers::<L>(u, slot, of_u).cast_mut()];
                }
            }
            read_registers::<L, N, 1>(xs, offs, us)
        }
    }

    #[inline(always)]
    unsafe fn write(self, particles: Particles<'_, L::Elem>, place: Place) {
        let to = particles.sums();
        // SAFETY: the caller promises that the place's batch is alive and was packed for as many rows as there are, and
        // nobody else uses these rows.
        unsafe {
            if place.reach == Access::Gathered {
                return scatter_rows::<L, N>(self, to, place);
            }
            for (slot, point) in self.into_iter().enumerate() {
                let mut copy = MaybeUninit::uninit();
                let at = [place.registers::<L>(to, slot, &mut copy).cast_mut()];
                let [dx, dy, dz] = three::<L, 1>(at);
                place.put([dx + point.dx.x, dy + point.dx.y, dz + point.dx.z], to, slot);
            }
        }
    }

    #[inline(always)]
    unsafe fn visit(particles: Particles<'_, L::Elem>, place: Place, mut visitor: impl Visitor<Self>) {
        let (x, u) = (particles.x, particles.u.as_ptr());
        // SAFETY: as the caller promises, `Batches` has checked that every address is within the rows. A buffer holds a
        // block for each slot.
        unsafe {
            let mut copies = [const { [MaybeUninit::uninit(); 2] }; N];
            let (mut xs, mut us) = ([[std::ptr::null_mut()]; N], [[std::ptr::null_mut()]; N]);
            for (slot, [of_x, of_u]) in copies.iter_mut().enumerate() {
                xs[slot] = [place.registers::<L>(x, slot, of_x).cast_mut()];
                us[slot] = [place.registers::<L>(u, slot, of_u).cast_mut()];
            }
            let mut points = read_registers::<L, N, 1>(xs, us, None);
            visitor.visit(&mut points);
            add_to_registers::<L, N, 1>(points, us);
            if place.reach == Access::Mixed {
                for (slot, from) in us.into_iter().enumerate() {
                    place.put(three::<L, 1>(from), u, slot);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn visit_two(particles: Particles<'_, L::Elem>, places: [Place; 2], mut visitor: impl Visitor<Self>)
    where
        L: Spread<2>,
    {
        let (x, u) = (particles.x.cast_mut(), particles.u.as_ptr());
        let (mut xs, mut us) = ([[std::ptr::null_mut(); 2]; N], [[std::ptr::null_mut(); 2]; N]);
        // SAFETY: as the caller promises, `Batches` has checked that every address is within the rows.
        unsafe {
            for slot in 0..N {
                for (half, place) in places.into_iter().enumerate() {
                    let at = place.unit(slot);
                    xs[slot][half] = x.cast::<L::Elem>().add(at);
                    us[slot][half] = u.cast::<L::Elem>().add(at);
                }
            }
            let mut points = read_registers::<L, N, 2>(xs, us, None);
            visitor.visit(&mut points);
            add_to_registers::<L, N, 2>(points, us);
        }
    }
}
