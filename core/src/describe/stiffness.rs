//! How stiff constraints are: as compliance or as PBD's k.

use crate::describe::error::{Error, range};
pub use crate::describe::values::Values;

/// How stiff the rows of a family are: one number for all, one a row, or one a vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum Stiffness {
    /// XPBD: compliance, the inverse of a stiffness, in `[C]^2 / J` (distance: m/N; angles: rad^2/J), >= 0; 0 is rigid.
    Compliance(Values),
    /// PBD: k in 0..=1, the share of C that one substep's iterations take away; its effect depends on the substep.
    Pbd(Values),
}

impl Stiffness {
    /// XPBD compliance.
    #[must_use]
    pub fn compliance(values: impl Into<Values>) -> Stiffness {
        Stiffness::Compliance(values.into())
    }

    /// PBD stiffness, 0..=1.
    #[must_use]
    pub fn pbd(values: impl Into<Values>) -> Stiffness {
        Stiffness::Pbd(values.into())
    }

    /// Whether they are compliances.
    #[must_use]
    pub fn is_compliance(&self) -> bool {
        matches!(self, Stiffness::Compliance(_))
    }

    /// The numbers.
    #[must_use]
    pub fn values(&self) -> &Values {
        match self {
            Stiffness::Compliance(values) | Stiffness::Pbd(values) => values,
        }
    }
}

/// Whether all are within their limits.
pub(crate) fn check_stiffnesses(of: impl Fn() -> String, stiffness: &Stiffness) -> Result<(), Error> {
    match stiffness.values() {
        Values::Uniform(value) => check_stiffness(of, ("row", 0), *value, stiffness),
        Values::PerRow(values) => {
            values.iter().enumerate().try_for_each(|(row, &value)| check_stiffness(&of, ("row", row), value, stiffness))
        }
        Values::PerVertex(_) => Err(Error::ByVertex { of: of(), what: "stiffness".to_owned() }),
    }
}

/// The same of one row or vertex, whose number is `value`.
pub(super) fn check_stiffness(
    of: impl Fn() -> String,
    (each, number): (&str, usize),
    value: f32,
    stiffness: &Stiffness,
) -> Result<(), Error> {
    let (what, good, limit) = match stiffness {
        Stiffness::Compliance(_) => ("compliance", (0.0..=1e18).contains(&value), "within 0 .. 1e18"),
        Stiffness::Pbd(_) => ("stiffness", (0.0..=1.0).contains(&value), "within 0 .. 1"),
    };
    range(of, || format!("{what} of {each} {number}"), f64::from(value), good, limit)
}
