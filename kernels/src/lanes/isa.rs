//! Runs kernels on the lanes of an instruction set.

use super::Kernel;
use super::portable::Portable;
use seidel_workers::{Isa, IsaKind};

/// The lanes of [`Isa::PORTABLE`].
pub(crate) type Everywhere = super::pair::Pair<Portable>;

/// Runs kernels on the lanes of an instruction set.
pub trait Dispatch {
    /// Runs a kernel on these lanes.
    fn dispatch<K: Kernel>(self, kernel: K) -> K::Output;
}

impl Dispatch for Isa {
    #[inline]
    fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.kind() {
            #[cfg(not(seidel_portable))]
            IsaKind::Scalar => kernel.run::<f32>(),
            IsaKind::Portable => kernel.run::<Everywhere>(),
            // SAFETY: the makers of an `Isa` have checked that the processor has it (`Isa::kind`).
            #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
            IsaKind::Avx2 => unsafe { super::avx2::enter(kernel) },
            // SAFETY: the makers of an `Isa` have checked that the processor has it (`Isa::kind`).
            #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
            IsaKind::Avx512 => unsafe { super::avx512::enter(kernel) },
        }
    }
}
