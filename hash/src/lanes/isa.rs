//! Which lanes run: found once at run time, or chosen by the user.
#![cfg_attr(target_arch = "x86_64", allow(unsafe_code))]

use super::Job;
use std::fmt;
use std::str::FromStr;

/// An instruction set that this processor has. It exists only where the processor can run it. Results are the same on all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Isa(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    #[cfg(not(seidel_portable))]
    Scalar,
    Portable,
    #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
    Avx2,
    #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
    Avx512,
}

impl Isa {
    /// One lane. A build with `--cfg seidel_portable` has [`Isa::PORTABLE`] alone: the page's engine, for its size, and checks that are not about
    /// lanes, for a quarter of the time to build.
    #[cfg(not(seidel_portable))]
    pub const SCALAR: Isa = Isa(Kind::Scalar);
    /// Four lanes of what the target always has: SSE2, NEON, simd128.
    pub const PORTABLE: Isa = Isa(Kind::Portable);

    /// The widest that this processor has.
    #[must_use]
    pub fn detect() -> Isa {
        #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
        {
            if has_avx512() {
                return Isa(Kind::Avx512);
            }
            if has_avx2() {
                return Isa(Kind::Avx2);
            }
        }
        Isa::PORTABLE
    }

    /// All that this processor has, narrowest first.
    #[must_use]
    pub fn available() -> Vec<Isa> {
        #[allow(unused_mut)]
        let mut isas = vec![
            #[cfg(not(seidel_portable))]
            Isa::SCALAR,
            Isa::PORTABLE,
        ];
        #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
        {
            if has_avx2() {
                isas.push(Isa(Kind::Avx2));
            }
            if has_avx512() {
                isas.push(Isa(Kind::Avx512));
            }
        }
        isas
    }

    /// Its name: `scalar`, `portable`, `avx2`, `avx512`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(not(seidel_portable))]
            Kind::Scalar => "scalar",
            Kind::Portable => "portable",
            #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
            Kind::Avx2 => "avx2",
            #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
            Kind::Avx512 => "avx512",
        }
    }

    /// Runs a job on these lanes.
    #[inline]
    pub(crate) fn dispatch<J: Job>(self, job: J) -> J::Output {
        match self.0 {
            #[cfg(not(seidel_portable))]
            Kind::Scalar => job.run::<f32>(),
            Kind::Portable => job.run::<wide::f32x4>(),
            // SAFETY: `detect` and `available` are the only makers of this value and have checked the processor.
            #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
            Kind::Avx2 => unsafe { super::avx2::enter(job) },
            // SAFETY: `detect` and `available` are the only makers of this value and have checked the processor.
            #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
            Kind::Avx512 => unsafe { super::avx512::enter(job) },
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")
}

#[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
fn has_avx512() -> bool {
    has_avx2() && is_x86_feature_detected!("avx512f")
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no instruction set, or one that this processor lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IsaError(String);

impl fmt::Display for IsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let have: Vec<_> = Isa::available().into_iter().map(Isa::name).collect();
        write!(f, "`{}` is no instruction set that this processor has; it has {}", self.0, have.join(", "))
    }
}

impl std::error::Error for IsaError {}

impl FromStr for Isa {
    type Err = IsaError;

    /// A name of [`Isa::name`].
    fn from_str(name: &str) -> Result<Isa, IsaError> {
        Isa::available().into_iter().find(|isa| isa.name() == name).ok_or_else(|| IsaError(name.to_owned()))
    }
}
