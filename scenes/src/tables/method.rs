//! How constraints are solved, by name.

use seidel::Method;
use serde::{Deserialize, Serialize};

/// Methods by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodSpec {
    /// One constraint after another.
    #[default]
    GaussSeidel,
    /// All constraints at once, corrections averaged.
    Jacobi,
}

/// The method that a table gives, with the relaxation by its `key`.
pub(super) fn chosen(
    of: &str,
    method: Option<MethodSpec>,
    (key, relaxation): (&str, Option<f32>),
) -> Result<Option<Method>, String> {
    match (method, relaxation) {
        (None, None) => Ok(None),
        (Some(MethodSpec::GaussSeidel), None) => Ok(Some(Method::GaussSeidel)),
        (Some(MethodSpec::Jacobi), relaxation) => Ok(Some(Method::Jacobi { relaxation: relaxation.unwrap_or(1.0) })),
        (_, Some(_)) => Err(format!("{of}: `{key}` is for the method jacobi")),
    }
}
