//! Which lanes run: found once at run time, or chosen by the user.

use super::Kernel;
use super::portable::Portable;
use std::fmt;
use std::str::FromStr;

/// An instruction set that this processor has. It exists only where the processor can run it.
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

/// The lanes of [`Isa::PORTABLE`].
pub(crate) type Everywhere = super::pair::Pair<Portable>;

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
        *Isa::available().last().unwrap_or(&Isa::PORTABLE)
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
            if is_x86_feature_detected!("avx2") {
                isas.push(Isa(Kind::Avx2));
            }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                isas.push(Isa(Kind::Avx512));
            }
        }
        isas
    }

    /// Its name on the command line.
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

    /// Runs a kernel on these lanes.
    #[inline]
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(not(seidel_portable))]
            Kind::Scalar => kernel.run::<f32>(),
            Kind::Portable => kernel.run::<Everywhere>(),
            // SAFETY: `available` is the only maker of this value and has checked the processor.
            #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
            Kind::Avx2 => unsafe { super::avx2::enter(kernel) },
            // SAFETY: `available` is the only maker of this value and has checked the processor.
            #[cfg(all(target_arch = "x86_64", not(seidel_portable)))]
            Kind::Avx512 => unsafe { super::avx512::enter(kernel) },
        }
    }
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
