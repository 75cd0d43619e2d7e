//! A pass of a kernel over slots: the lanes that it goes through, what it reads, and where displacements go.

use super::GROUPS_A_BLOCK;
use super::gather::{Places, add_to};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::{BATCH, Chunk, InChunks, Isa, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

/// Panics unless `groups` are at most a worker's block, and arrays of these lengths have a number for each of their
/// slots.
pub(super) fn check(groups: &Range<usize>, arrays: &[usize]) {
    let end = groups.end * BATCH;
    assert!(groups.len() <= GROUPS_A_BLOCK && arrays.iter().all(|&len| end <= len), "no such slots");
}

/// Panics unless there are no walls, or rows of them for each slot of `groups`.
pub(super) fn check_walls(groups: &Range<usize>, walls: Shared<'_, Row>) {
    assert!(walls.is_empty() || groups.end * BATCH <= walls.len(), "too few walls");
}

/// The rows whose numbers stand, doubled, at `at`, a lane each: of a group's own slots (`lists::own`), or of neighbours
/// (`Lists`).
///
/// # Safety
/// There are `WIDTH` numbers at `at`, and these rows; nobody writes them.
#[inline(always)]
pub(super) unsafe fn rows<L: Lanes<Elem = f32>>(of: Shared<'_, Row>, at: *const u32) -> [L; 4] {
    // SAFETY: the caller promises WIDTH numbers at `at`, each of a row that is there and that nobody writes.
    unsafe { L::transpose(L::load_rows(of.as_ptr().cast(), at)) }
}

/// A vector, 0 where it is not finite.
#[inline(always)]
pub(super) fn if_finite<L: Lanes<Elem = f32>>(v: V3<L>) -> V3<L> {
    v.or_zero(v.x.finite() & v.y.finite() & v.z.finite())
}

/// A kernel that writes what it finds for each slot.
pub trait Find: Sized {
    /// Looks whether every array and list is long enough for these groups of 16 slots.
    ///
    /// # Panics
    /// If one is too short.
    fn check(&self, groups: &Range<usize>);

    /// A chunk of a group's slots.
    ///
    /// # Safety
    /// [`Find::check`] has found groups with this one, and [`Find::run`]'s caller keeps its promise for them.
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, chunk: Chunk<L>);

    /// Runs for groups of 16 slots.
    ///
    /// # Safety
    /// Nobody writes the arrays that the kernel's fields lead to, nor uses, of these slots, those that are written.
    ///
    /// # Panics
    /// If an array is too short.
    unsafe fn run(self, isa: Isa, groups: Range<usize>) {
        self.check(&groups);
        isa.dispatch(Finding { of: self, groups });
    }
}

/// A kernel that changes displacements.
pub trait Displace: Sized {
    /// As for [`Find::check`].
    ///
    /// # Panics
    /// As there.
    fn check(&self, groups: &Range<usize>);

    /// Where each slot's displacement is, and all displacements.
    fn target(&self) -> (Places<'_>, Shared<'_, Row>);

    /// By how much a chunk of a group's slots are displaced. What is not finite moves nothing.
    ///
    /// # Safety
    /// As for [`Find::lanes`], of this trait.
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, chunk: Chunk<L>) -> V3<L>;

    /// Runs for groups of 16 slots: adds to the rows of [`Displace::target`].
    ///
    /// # Safety
    /// Nobody writes the arrays that the kernel's fields lead to, nor uses these particles' displacements, or what else
    /// is added to.
    ///
    /// # Panics
    /// If an array is too short.
    unsafe fn run(self, isa: Isa, groups: Range<usize>) {
        self.check(&groups);
        isa.dispatch(Displacing { of: self, groups });
    }
}

struct Finding<K> {
    of: K,
    groups: Range<usize>,
}

impl<K: Find> Kernel for Finding<K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Finding { of, groups } = self;
        for group in groups {
            for chunk in Chunk::<L>::all() {
                // SAFETY: `Find::run` has checked these groups; its caller keeps others away.
                unsafe { of.lanes(group, chunk) };
            }
        }
    }
}

struct Displacing<K> {
    of: K,
    groups: Range<usize>,
}

impl<K: Displace> Kernel for Displacing<K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Displacing { of, groups } = self;
        let (places, u) = of.target();
        for group in groups {
            let mut by = [[0.0f32; BATCH]; 3];
            for chunk in Chunk::<L>::all() {
                // SAFETY: `Displace::run` has checked these groups; its caller keeps others away.
                by.store(chunk, if_finite(unsafe { of.lanes(group, chunk) }));
            }
            // SAFETY: these particles' displacements are those of `Displace::run`'s caller alone.
            unsafe { add_to(u, group, places, &by) };
        }
    }
}
