//! How the friction of two surfaces becomes that of their contact.

use crate::lanes::Lanes;

/// How two numbers, one of each surface, become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// a b: of coefficients their product, of square roots the geometric mean.
    #[default]
    Multiply,
    /// (a + b) / 2.
    Average,
    /// The smaller.
    Minimum,
    /// The larger.
    Maximum,
}

impl Combine {
    /// The coefficient of a contact.
    #[inline(always)]
    #[must_use]
    pub fn of<L: Lanes>(self, a: L, b: L) -> L {
        match self {
            Combine::Multiply => a * b,
            Combine::Average => (a + b) * L::splat(0.5),
            Combine::Minimum => a.smaller(b),
            Combine::Maximum => a.larger(b),
        }
    }
}
