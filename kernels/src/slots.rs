//! What a constraint touches, in registers: gathered before it runs, scattered after.

use crate::lanes::Lanes;
use crate::{BATCH, Pack, Shared, V3};
use std::marker::PhantomData;

/// The particles of a step as kernels see them: x rows [x, y, z, w] to read, u rows [ux, uy, uz, 0] to read and write.
///
/// The position that is solved for is p = x + u: in f32 a displacement keeps the digits that a position loses.
#[derive(Debug)]
pub struct Particles<'a, E> {
    x: *const [E; 4],
    u: Shared<'a, [E; 4]>,
    owner: PhantomData<&'a [E; 4]>,
}

impl<E> Clone for Particles<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Particles<'_, E> {}

// SAFETY: x is only read for the whole lifetime; u is guarded by `Shared`'s own contract.
unsafe impl<E: Send + Sync> Send for Particles<'_, E> {}
// SAFETY: as above.
unsafe impl<E: Send + Sync> Sync for Particles<'_, E> {}

impl<'a, E> Particles<'a, E> {
    /// Borrows positions and displacements for solving.
    ///
    /// # Panics
    /// If the two have different lengths.
    #[must_use]
    pub fn new(x: &'a [[E; 4]], u: &'a mut [[E; 4]]) -> Self {
        assert_eq!(x.len(), u.len(), "positions and displacements differ in length");
        Self { x: x.as_ptr(), u: Shared::new(u), owner: PhantomData }
    }

    /// The same from a slice that is shared already.
    ///
    /// # Safety
    /// Nobody writes `x` while the result or a copy of it is in use.
    ///
    /// # Panics
    /// If the two have different lengths.
    #[must_use]
    pub unsafe fn from_shared(x: Shared<'a, [E; 4]>, u: Shared<'a, [E; 4]>) -> Self {
        assert_eq!(x.len(), u.len(), "positions and displacements differ in length");
        Self { x: x.as_ptr(), u, owner: PhantomData }
    }

    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.u.len()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.u.is_empty()
    }
}

/// A particle in a slot of a constraint.
#[derive(Clone, Copy, Debug)]
pub struct Point<L> {
    /// Position relative to the constraint's first slot, metres: small numbers, exact differences.
    pub x: V3<L>,
    /// Inverse mass, 1/kg; 0 does not move.
    pub w: L,
    /// The correction that the constraint asks for, metres; zero when gathered, added to u when scattered.
    pub dx: V3<L>,
}

/// A closed set of shapes that kernels can gather: `[Point; N]` today; quaternions and bodies will stand beside it.
pub trait Slots<L: Lanes>: Copy + sealed::Sealed {
    /// Particles in a constraint.
    const COUNT: usize;

    /// Reads the slots of `WIDTH` constraints of a batch, from lane `first` on.
    ///
    /// # Safety
    /// `at` holds `COUNT` packs of indices below `particles.len()`; `first + WIDTH <= BATCH`; nobody writes these rows.
    unsafe fn gather(particles: Particles<'_, L::Elem>, at: *const Pack<u32>, first: usize) -> Self;

    /// Adds the corrections of the first `lanes` of these constraints.
    ///
    /// # Safety
    /// As for `gather`; no particle stands twice among these `lanes` constraints, and nobody else reads or writes them.
    unsafe fn scatter(self, particles: Particles<'_, L::Elem>, at: *const Pack<u32>, first: usize, lanes: usize);
}

mod sealed {
    pub trait Sealed {}
    impl<L, const N: usize> Sealed for [super::Point<L>; N] {}
}

/// 0, 1, 2, ...: rows in the order in which they were gathered.
pub(crate) static IN_ORDER: [u32; BATCH] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

impl<L: Lanes, const N: usize> Slots<L> for [Point<L>; N] {
    const COUNT: usize = N;

    #[inline(always)]
    unsafe fn gather(particles: Particles<'_, L::Elem>, at: *const Pack<u32>, first: usize) -> Self {
        let mut points = [Point { x: V3::zero(), w: L::zero(), dx: V3::zero() }; N];
        // SAFETY: the caller promises COUNT packs of good indices, WIDTH of them from `first` on.
        unsafe {
            let index = |slot: usize| at.add(slot).cast::<u32>().add(first);
            let x0 = L::load_rows(particles.x, index(0));
            let u0 = L::load_rows(particles.u.as_ptr(), index(0));
            points[0].w = L::transpose(x0)[3];
            for (slot, point) in points.iter_mut().enumerate().skip(1) {
                let x = L::load_rows(particles.x, index(slot));
                let u = L::load_rows(particles.u.as_ptr(), index(slot));
                point.w = L::transpose(x)[3];
                let mut relative = [L::zero(); 4];
                for k in 0..4 {
                    relative[k] = (x[k] - x0[k]) + (u[k] - u0[k]);
                }
                let [rx, ry, rz, _] = L::transpose(relative);
                point.x = V3::new(rx, ry, rz);
            }
        }
        points
    }

    #[inline(always)]
    unsafe fn scatter(self, particles: Particles<'_, L::Elem>, at: *const Pack<u32>, first: usize, lanes: usize) {
        for (slot, point) in self.into_iter().enumerate() {
            let dx = L::transpose([point.dx.x, point.dx.y, point.dx.z, L::zero()]);
            // SAFETY: the caller promises COUNT packs of good indices and that nobody else uses these rows. The buffer
            // holds BATCH rows, of which WIDTH are written.
            unsafe {
                let index = at.add(slot).cast::<u32>().add(first);
                let u = particles.u.as_ptr();
                let mut rows = L::load_rows(u, index);
                for k in 0..4 {
                    rows[k] = rows[k] + dx[k];
                }
                if lanes >= L::WIDTH {
                    L::store_rows(rows, u, index);
                } else {
                    let mut buffer = [[L::Elem::default(); 4]; BATCH];
                    L::store_rows(rows, buffer.as_mut_ptr(), IN_ORDER.as_ptr());
                    for (lane, row) in buffer.iter().enumerate().take(lanes) {
                        u.add(index.add(lane).read() as usize).write(*row);
                    }
                }
            }
        }
    }
}
