//! The particles of a step, as constraints reach them.

use seidel_workers::Shared;
use std::marker::PhantomData;

/// The particles of a step as kernels see them: x rows [x, y, z, w] to read, u rows [ux, uy, uz, 0] to read and write.
///
/// The position that is solved for is p = x + u: in f32 a displacement keeps the digits that a position loses.
/// Corrections are added to u, so that the next constraint sees them, or to rows of their own.
#[derive(Debug)]
pub struct Particles<'a, E> {
    pub(crate) x: *const [E; 4],
    pub(crate) u: Shared<'a, [E; 4]>,
    /// Where corrections are added: u, or rows that lie as those of u do.
    to: Shared<'a, [E; 4]>,
    /// Rounding remainders of the positions in a sweep over rates; otherwise null.
    r: *const [E; 4],
    /// Whether a sweep over rates damps only what a substep does not resolve.
    unresolved: bool,
    owner: PhantomData<&'a [E; 4]>,
}

impl<E> Clone for Particles<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Particles<'_, E> {}

// SAFETY: x and r are only read, and only where nobody writes meanwhile; u is guarded by `Shared`'s own contract.
unsafe impl<E: Send + Sync> Send for Particles<'_, E> {}
// SAFETY: x and r are only read, and only where nobody writes meanwhile; u is guarded by `Shared`'s own contract.
unsafe impl<E: Send + Sync> Sync for Particles<'_, E> {}

impl<'a, E> Particles<'a, E> {
    /// Borrows positions and displacements for solving.
    ///
    /// # Panics
    /// If the two have different lengths.
    #[must_use]
    pub fn new(x: &'a [[E; 4]], u: &'a mut [[E; 4]]) -> Self {
        assert_eq!(x.len(), u.len(), "positions and displacements differ in length");
        let u = Shared::new(u);
        Self { x: x.as_ptr(), u, to: u, r: std::ptr::null(), unresolved: false, owner: PhantomData }
    }

    /// The same from a slice that is shared already.
    ///
    /// # Safety
    /// Nobody writes the rows of `x` that a use of the result, or of a copy of it, reads meanwhile: those of the
    /// batches that are solved, and behind them within [`Batches::pack`](crate::Batches::pack)'s borders.
    ///
    /// # Panics
    /// If the two have different lengths.
    #[must_use]
    pub unsafe fn from_shared(x: Shared<'a, [E; 4]>, u: Shared<'a, [E; 4]>) -> Self {
        assert_eq!(x.len(), u.len(), "positions and displacements differ in length");
        Self { x: x.as_ptr(), u, to: u, r: std::ptr::null(), unresolved: false, owner: PhantomData }
    }

    /// Adds corrections to `to` and leaves u as it is: what is solved then sees nothing of what was solved before it.
    /// The fourth number of these rows is left alone.
    ///
    /// # Panics
    /// If `to` has another length.
    #[must_use]
    pub fn adding_to(self, to: Shared<'a, [E; 4]>) -> Self {
        assert_eq!(self.u.len(), to.len(), "displacements and corrections differ in length");
        Self { to, ..self }
    }

    /// For a sweep over rates: particles are at x + r, where a substep ends and the next has not begun, and u is how
    /// far they go in a substep, h v. A constraint then changes u so that C changes less.
    ///
    /// # Safety
    /// As for x in [`Particles::from_shared`].
    ///
    /// # Panics
    /// If `r` has another length.
    #[must_use]
    pub unsafe fn of_rates(self, r: Shared<'a, [E; 4]>) -> Self {
        assert_eq!(self.u.len(), r.len(), "displacements and roundings differ in length");
        Self { r: r.as_ptr().cast_const(), ..self }
    }

    /// For a sweep over rates that damps only what a substep does not resolve ([`crate::Softness::denominator`]):
    /// XPBD's 1 / h^2 in place of 1 / (h tau).
    #[must_use]
    pub fn of_unresolved(self) -> Self {
        Self { unresolved: true, ..self }
    }

    /// Whether only what is unresolved is damped.
    #[inline(always)]
    pub(crate) fn unresolved(&self) -> bool {
        self.unresolved
    }

    /// Whether a sweep over rates is solved.
    #[inline(always)]
    pub(crate) fn rates(&self) -> bool {
        !self.r.is_null()
    }

    /// By how much particles are from x: u, or in a sweep over rates r.
    #[inline(always)]
    pub(crate) fn off(&self) -> *const [E; 4] {
        if self.rates() { self.r } else { self.u.as_ptr().cast_const() }
    }

    /// Whether corrections go to rows of their own.
    #[inline(always)]
    pub(crate) fn is_apart(&self) -> bool {
        self.to.as_ptr() != self.u.as_ptr()
    }

    /// Where corrections are added.
    #[inline(always)]
    pub(crate) fn sums(&self) -> *mut [E; 4] {
        self.to.as_ptr()
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
