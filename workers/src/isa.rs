//! Which instruction set runs: found once at run time, or chosen by the user.

use std::fmt;
use std::str::FromStr;

/// An instruction set that this processor has. It exists only where the processor can run it. Results are the same on
/// all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Isa(IsaKind);

/// The instruction sets. Of an [`Isa`] it is one that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IsaKind {
    /// One number at a time.
    #[cfg(not(seidel_portable))]
    Scalar,
    /// What the target always has.
    Portable,
    /// AVX2 and POPCNT.
    #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
    Avx2,
    /// AVX-512F and DQ, and all of AVX2's.
    #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
    Avx512,
}

impl Isa {
    /// One lane. A build with `--cfg seidel_portable` has [`Isa::PORTABLE`] alone: the page's engine, for its size, and
    /// checks that are not about lanes, for a quarter of the time to build.
    #[cfg(not(seidel_portable))]
    pub const SCALAR: Isa = Isa(IsaKind::Scalar);
    /// Four lanes of what the target always has: SSE2, NEON, simd128.
    pub const PORTABLE: Isa = Isa(IsaKind::Portable);

    /// The widest that this processor has.
    #[must_use]
    pub fn detect() -> Isa {
        #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
        {
            if has_avx512() {
                return Isa(IsaKind::Avx512);
            }
            if has_avx2() {
                return Isa(IsaKind::Avx2);
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
                isas.push(Isa(IsaKind::Avx2));
            }
            if has_avx512() {
                isas.push(Isa(IsaKind::Avx512));
            }
        }
        isas
    }

    /// Which it is. [`Isa::detect`] and [`Isa::available`] have checked that the processor has it: whoever calls
    /// functions that are compiled for it relies on that.
    #[inline]
    #[must_use]
    pub fn kind(self) -> IsaKind {
        self.0
    }

    /// Its name on the command line: `scalar`, `portable`, `avx2`, `avx512`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(not(seidel_portable))]
            IsaKind::Scalar => "scalar",
            IsaKind::Portable => "portable",
            #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
            IsaKind::Avx2 => "avx2",
            #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
            IsaKind::Avx512 => "avx512",
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")
}

#[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
fn has_avx512() -> bool {
    has_avx2() && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")
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
        let known = ["scalar", "portable", "avx2", "avx512"];
        let have: Vec<_> = Isa::available().into_iter().map(Isa::name).collect();
        let have = have.join(", ");
        if known.contains(&self.0.as_str()) {
            write!(f, "this processor has no {}; it has {have}; take one of these, or auto", self.0)
        } else {
            write!(f, "`{}` is no instruction set; take auto or one of {have}", self.0)
        }
    }
}

impl std::error::Error for IsaError {}

impl FromStr for Isa {
    type Err = IsaError;

    /// A name of [`Isa::name`], or `auto`.
    fn from_str(name: &str) -> Result<Isa, IsaError> {
        if name == "auto" {
            return Ok(Isa::detect());
        }
        Isa::available().into_iter().find(|isa| isa.name() == name).ok_or_else(|| IsaError(name.to_owned()))
    }
}
