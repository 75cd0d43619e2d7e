//! Joints by the names of bodies.

use super::check::{is_zero, stiffness};
use super::near::body_of;
use seidel::{Joint, Scene};
use serde::{Deserialize, Serialize};

/// Vertices of a body that are joined to another body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JoinSpec {
    /// A body's name.
    pub a: String,
    /// The name of the body that it is joined to.
    pub b: String,
    /// A vertex of each, such as `[[0, 12], [1, 13]]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<[u32; 2]>,
    /// Instead of pairs: what of `a` is so near to `b` at the start is joined to the nearest place there, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<f32>,
    /// Of these vertices of `a`; of all at its border without.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<u32>,
    /// What pairs do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<HoldSpec>,
    /// m/N; instead of `stiffness`. Rigid without both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f32>,
    /// Relaxation time, s.
    #[serde(skip_serializing_if = "is_zero")]
    pub damping: f32,
}

/// What becomes of a pair of vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HoldSpec {
    /// They are in one place.
    #[default]
    Together,
    /// They keep their distance at the start.
    Distance,
    /// They come no further from each other than at the start.
    Rope,
}

impl JoinSpec {
    /// The joint of bodies of a scene.
    pub(super) fn build(&self, number: usize, scene: &Scene) -> Result<Joint, String> {
        let of = format!("join {number}");
        let (a, b) = (body_of(&of, "a", &self.a, scene)?, body_of(&of, "b", &self.b, scene)?);
        let joint = match (self.pairs.is_empty(), self.within) {
            (true, None) => return Err(format!("{of}: it joins nothing; give it `pairs` or `within`")),
            (false, Some(_)) => return Err(format!("{of}: give it `pairs` or `within`, not both")),
            (false, None) if !self.vertices.is_empty() => {
                return Err(format!("{of}: `vertices` means nothing without `within`; pairs name their own"));
            }
            (true, Some(_)) if self.hold.is_some() => {
                return Err(format!("{of}: `hold` is for `pairs`; what is near is held together"));
            }
            (true, Some(within)) if self.vertices.is_empty() => Joint::seam(a, b, within),
            (true, Some(within)) => Joint::near(a, &self.vertices, b, within),
            (false, None) => match self.hold.unwrap_or_default() {
                HoldSpec::Together => Joint::points(a, b, &self.pairs),
                HoldSpec::Distance => Joint::distances(a, b, &self.pairs),
                HoldSpec::Rope => Joint::ropes(a, b, &self.pairs),
            },
        };
        let joint = match stiffness(&of, "", self.compliance, self.stiffness)? {
            Some(stiffness) => joint.stiffness_by(stiffness),
            None => joint,
        };
        Ok(joint.damped(self.damping))
    }
}
