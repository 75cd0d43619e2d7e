//! States as bytes.

use crate::defs::SeidelSolver;
use crate::pointers::{copy_out, slice};
use crate::solver::{Held, with};
use crate::status::{Failure, SeidelStatus};
use std::ffi::c_void;

/// Copies the state into `out`, which has `room` bytes. If `need` is not null, writes the number of bytes of the state
/// to it. If `room` is too small, nothing is copied and `SEIDEL_STATUS_SMALL` is returned. The bytes are the same on
/// every machine.
///
/// # Safety
/// `out` is null or points to `room` bytes, `need` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_state_save(
    solver: *const SeidelSolver,
    out: *mut c_void,
    room: usize,
    need: *mut usize,
) -> SeidelStatus {
    with(solver, |held| {
        let Held { solver, bytes, .. } = held;
        solver.state().write_bytes(bytes);
        // SAFETY: `copy_out` checks null and room; the caller promises `room` bytes at `out`, and a number at `need`.
        unsafe { copy_out(bytes, out.cast(), room, need) }
    })
}

/// Goes on from a state that `seidel_state_save` wrote, here or elsewhere, for a plan of the same layout. With the same
/// plan (equal `id`), the run continues with the same bits.
///
/// # Safety
/// `bytes` is null or points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_state_load(
    solver: *mut SeidelSolver,
    bytes: *const c_void,
    length: usize,
) -> SeidelStatus {
    with(solver, |held| {
        // SAFETY: `slice` checks null and length; the caller promises `length` bytes.
        let bytes = unsafe { slice(bytes.cast::<u8>(), length, "the state") }?;
        held.solver.restore(bytes).map_err(|e| Failure::new(SeidelStatus::Snapshot, e))
    })
}
