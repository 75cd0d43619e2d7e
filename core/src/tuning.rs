//! Thresholds: unit, reason, and what moves if one changes.

/// Largest coordinate of a mesh, metres. There f32 positions are 6 cm apart; beyond, a cloth's edges would be rounding
/// noise. Nearly always a mesh in millimetres or a broken export. Changing it changes which meshes a plan refuses.
pub const MAX_COORDINATE: f32 = 1.0e6;

/// Least height of a triangle, as a fraction of its longest side. Below it the height is within a few roundings of an
/// f32 of nothing: the normal is noise, and so is a bend constraint's gradient. Changing it changes which meshes a plan refuses.
pub const MIN_TRIANGLE_HEIGHT: f64 = 1.0e-6;
