//! A pass of a kernel over slots: the lanes that it goes through, what it reads, and where displacements go.

use super::GROUPS_A_BLOCK;
use super::gather::{Places, add_to};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::{BATCH, Chunk, InChunks, Isa, Row, V3};
use seidel_workers::Shared;
use std::ops::Range;

/// Panics unless `groups` are at most a worker's block, and arrays of these lengths have a number for each of their slots.
pub(super) fn check(groups: &Range<usize>, arrays: &[usize]) {
    let end = groups.end * BATCH;
    assert!(groups.len() <= GROUPS_A_BLOCK && arrays.iter().all(|&len| end <= len), "no such slots");
}

/// Panics unless there are no walls, or rows of them for each slot of `groups`.
pub(super) fn check_walls(groups: &Range<usize>, walls: Shared<'_, Row>) {
    assert!(walls.is_empty() || groups.end * BATCH <= walls.len(), "too few walls");
}

/// The rows whose numbers stand, doubled, at `at`, a lane each: of a group's own slots (`lists::own`), or of neighbours (`Lists`).
///
/// # Safety
/// There are `WIDTH` numbers at `at`, and these rows; nobody writes them.
#[inline(always)]
pub(super) unsafe fn rows<L: Lanes<Elem = f32>>(of: Shared<'_, Row>, at: *const u32) -> [L; 4] {
    // SAFETY: the caller's promise that numbers and rows are there.
    unsafe { L::transpose(L::load_rows(of.as_ptr().cast(), at)) }
}

/// A vector, 0 where it is not finite.
#[inline(always)]
pub(super) fn if_finite<L: Lanes<Elem = f32>>(v: V3<L>) -> V3<L> {
    v.or_zero(v.x.finite() & v.y.finite() & v.z.finite())
}

/// A kernel that writes what it finds for each slot.
pub(super) trait Find: Sized {
    /// A chunk of a group's slots.
    ///
    /// # Safety
    /// The slots are some of those that the kernel's `run` has checked, and its caller keeps its promise for them.
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, chunk: Chunk<L>);

    /// All slots of `groups`.
    ///
    /// # Safety
    /// The kernel's `run` has checked these groups, and its caller keeps its promise for them.
    unsafe fn pass(self, isa: Isa, groups: Range<usize>) {
        isa.dispatch(Finding { of: self, groups });
    }
}

/// A kernel that changes displacements.
pub(super) trait Displace: Sized {
    /// By how much a chunk of a group's slots are displaced. What is not finite moves nothing.
    ///
    /// # Safety
    /// As for [`Find::lanes`].
    unsafe fn lanes<L: Lanes<Elem = f32>>(&self, group: usize, chunk: Chunk<L>) -> V3<L>;

    /// All slots of `groups`: adds to the rows of `u` at `places`.
    ///
    /// # Safety
    /// As for [`Find::pass`], and nobody else uses these particles' rows of `u`, or of what else is added to.
    unsafe fn pass(self, isa: Isa, groups: Range<usize>, places: Places<'_>, u: Shared<'_, Row>) {
        isa.dispatch(Displacing { of: self, groups, places, u });
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
                // SAFETY: the caller of `Find::pass` says that these groups have been checked.
                unsafe { of.lanes(group, chunk) };
            }
        }
    }
}

struct Displacing<'a, K> {
    of: K,
    groups: Range<usize>,
    places: Places<'a>,
    u: Shared<'a, Row>,
}

impl<K: Displace> Kernel for Displacing<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Displacing { of, groups, places, u } = self;
        for group in groups {
            let mut by = [[0.0f32; BATCH]; 3];
            for chunk in Chunk::<L>::all() {
                // SAFETY: the caller of `Displace::pass` says that these groups have been checked.
                by.store(chunk, if_finite(unsafe { of.lanes(group, chunk) }));
            }
            // SAFETY: these particles' displacements are the caller's alone.
            unsafe { add_to(u, group, places, &by) };
        }
    }
}
