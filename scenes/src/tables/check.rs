//! Checks of keys, and what errors say of them.

use seidel::limits::MAX_COORDINATE;
use seidel::{Scale, Stiffness, Values};

/// For a key that is left out of files where it says nothing.
pub(super) fn is_off(value: &bool) -> bool {
    !value
}

/// As [`is_off`].
pub(super) fn is_on(value: &bool) -> bool {
    *value
}

/// As [`is_off`], of a number.
pub(super) fn is_zero(value: &f32) -> bool {
    *value == 0.0
}

/// As [`is_off`], of an origin.
pub(super) fn is_nowhere_else(origin: &[f64; 3]) -> bool {
    *origin == [0.0; 3]
}

/// Refuses a length or factor that is not above 0.
pub(super) fn above_zero(of: &str, key: &str, value: f32, unit: &str) -> Result<(), String> {
    if value > 0.0 && value <= MAX_COORDINATE {
        return Ok(());
    }
    Err(format!("{of}: {key} is {}, which is not above 0 and at most 1e6{unit}", figure(value)))
}

/// Refuses factors that are not above 0.
pub(super) fn factors(of: &str, key: &str, scale: Scale) -> Result<(), String> {
    scale.0.to_array().into_iter().try_for_each(|factor| above_zero(of, key, factor, ""))
}

/// Refuses what is no number within limits.
pub(super) fn place(of: &str, key: &str, value: [f32; 3], unit: &str) -> Result<(), String> {
    match value.into_iter().find(|c| c.is_nan() || c.abs() > MAX_COORDINATE) {
        Some(c) => Err(format!("{of}: {key} has {}, which is not within +-1e6{unit}", figure(c))),
        None => Ok(()),
    }
}

/// A number as it was written, with a power of ten where it has many digits.
pub(super) fn figure(value: impl Into<f64>) -> String {
    let value: f64 = value.into();
    let (narrow, usual) = (value as f32, (1e-5..1e16).contains(&value.abs()) || value == 0.0 || !value.is_finite());
    match (f64::from(narrow) == value, usual) {
        (true, true) => narrow.to_string(),
        (true, false) => format!("{narrow:e}"),
        (false, true) => value.to_string(),
        (false, false) => format!("{value:e}"),
    }
}

/// Refuses keys that are given although something else, `why`, says what they say.
pub(super) fn needless(of: &str, why: &str, given: &[(&str, bool)]) -> Result<(), String> {
    match given.iter().find(|(_, given)| *given) {
        Some((key, _)) => Err(format!("{of}: {why}, so `{key}` means nothing; leave it out")),
        None => Ok(()),
    }
}

/// One of a compliance and a PBD stiffness; their keys begin with `what`.
pub(super) fn stiffness(
    of: &str,
    what: &str,
    compliance: Option<impl Into<Values>>,
    pbd: Option<impl Into<Values>>,
) -> Result<Option<Stiffness>, String> {
    match (compliance, pbd) {
        (Some(_), Some(_)) => Err(format!("{of}: give {what}compliance or {what}stiffness, not both")),
        (Some(c), None) => Ok(Some(Stiffness::compliance(c))),
        (None, Some(k)) => Ok(Some(Stiffness::pbd(k))),
        (None, None) => Ok(None),
    }
}
