//! Rows of any kind by keys.

use super::PlasticSpec;
use super::check::{is_zero, stiffness};
use super::vertices::Numbers;
use seidel::{Constraints, Stiffness, kinds};
use serde::{Deserialize, Serialize};

/// Rows of a kind on the vertices of a body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConstraintSpec {
    /// Name in the table of kinds: distance, rope, ...
    pub kind: String,
    /// Vertices of each row, as many as the kind has.
    pub at: Vec<Vec<u32>>,
    /// Parameters, row after row; without them they are measured in the shape at rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<f32>,
    /// Values of the parameters that are the material's, the same for all rows that are measured; the usual ones if
    /// absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub material: Vec<f32>,
    /// Relaxation time, s.
    #[serde(skip_serializing_if = "is_zero")]
    pub damping: f32,
    /// When its rest values yield: strains, of angles radians.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plastic: Option<PlasticSpec>,
    /// In the kind's unit; instead of `stiffness`. Rigid without both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f32>,
}

impl ConstraintSpec {
    pub(super) fn build(&self, of: &str, numbers: &Numbers) -> Result<Constraints, String> {
        let kind = *kinds::by_name(&self.kind).ok_or_else(|| {
            let known: Vec<_> = kinds::KINDS.iter().map(|kind| kind.name()).collect();
            format!("{of}: there is no kind `{}`; kinds are {}", self.kind, known.join(", "))
        })?;
        let of = format!("{of}, kind `{}`", self.kind);
        if self.at.is_empty() {
            return Err(format!("{of}: it has no rows; give the vertices of each, such as at = [[0, 1]]"));
        }
        if let Some(row) = self.at.iter().position(|row| row.len() != kind.slots()) {
            let (got, want) = (self.at[row].len(), kind.slots());
            return Err(format!("{of}: row {row} has {got} vertices and not {want}"));
        }
        let stiffness = stiffness(&of, "", self.compliance, self.stiffness)?;
        let stiffness = stiffness.unwrap_or_else(|| Stiffness::compliance(0.0));
        let at = numbers.renumbered(&of, &self.at.concat())?;
        let rows = Constraints::new(kind, at, self.rest.clone(), stiffness);
        let rows = rows.of_material(self.material.clone()).damped(self.damping);
        Ok(Constraints { plasticity: self.plastic.map(PlasticSpec::build), ..rows })
    }
}
