//! How the friction coefficients of two surfaces become that of their contact.

use seidel_kernels::contact::Combine;
use serde::{Deserialize, Serialize};

/// The friction coefficient of a contact, from those of the two surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CombineRule {
    /// sqrt(a b): one slippery surface makes a slippery contact, and a coefficient beside its like is itself.
    #[default]
    GeometricMean,
    /// (a + b) / 2.
    Average,
    /// The smaller of both.
    Minimum,
    /// a b.
    Multiply,
    /// The larger of both.
    Maximum,
}

impl CombineRule {
    /// The number that contacts keep in place of a coefficient: for the geometric mean its square root, so that two
    /// multiply.
    pub(crate) fn grip(self, coefficient: f32) -> f32 {
        if self == CombineRule::GeometricMean { coefficient.sqrt() } else { coefficient }
    }

    /// How two of these numbers are combined.
    pub(crate) fn of_grips(self) -> Combine {
        match self {
            CombineRule::GeometricMean | CombineRule::Multiply => Combine::Multiply,
            CombineRule::Average => Combine::Average,
            CombineRule::Minimum => Combine::Minimum,
            CombineRule::Maximum => Combine::Maximum,
        }
    }
}
