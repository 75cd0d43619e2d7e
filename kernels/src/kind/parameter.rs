//! What a parameter of a row means.

/// What one parameter of a row means, and what it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in messages.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Smallest value allowed.
    pub min: f32,
    /// Largest value allowed.
    pub max: f32,
    /// True if it is a compliance (XPBD) or stiffness (PBD), as the row's own is.
    pub soft: bool,
    /// If it is a property of the material, which no shape tells: what it is unless told.
    pub usual: Option<f32>,
}

impl Parameter {
    /// A rest value between two limits.
    #[must_use]
    pub const fn rest(name: &'static str, unit: &'static str, min: f32, max: f32) -> Parameter {
        Parameter { name, unit, min, max, soft: false, usual: None }
    }

    /// A compliance beside the row's own.
    #[must_use]
    pub const fn soft(name: &'static str, unit: &'static str) -> Parameter {
        Parameter { name, unit, min: 0.0, max: f32::MAX, soft: true, usual: None }
    }

    /// A property of the material between two limits, and what it is unless told.
    #[must_use]
    pub const fn material(name: &'static str, unit: &'static str, min: f32, max: f32, usual: f32) -> Parameter {
        Parameter { name, unit, min, max, soft: false, usual: Some(usual) }
    }

    /// Whether the rest shape tells it.
    #[must_use]
    pub const fn is_shape(&self) -> bool {
        !self.soft && self.usual.is_none()
    }
}
