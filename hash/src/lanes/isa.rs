//! Runs jobs on the lanes of an instruction set.
#![cfg_attr(target_arch = "x86_64", allow(unsafe_code))]

use super::Job;
use seidel_workers::{Isa, IsaKind};

/// Runs a job on these lanes.
#[inline]
pub(crate) fn dispatch<J: Job>(isa: Isa, job: J) -> J::Output {
    match isa.kind() {
        #[cfg(not(seidel_portable))]
        IsaKind::Scalar => job.run::<f32>(),
        IsaKind::Portable => job.run::<wide::f32x4>(),
        // SAFETY: the makers of an `Isa` have checked that the processor has it (`Isa::kind`).
        #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
        IsaKind::Avx2 => unsafe { super::avx2::enter(job) },
        // SAFETY: the makers of an `Isa` have checked that the processor has it (`Isa::kind`).
        #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
        IsaKind::Avx512 => unsafe { super::avx512::enter(job) },
    }
}
