//! Plasticity by keys.

use seidel::{Plasticity, degrees};
use serde::{Deserialize, Serialize};

/// When a rest shape yields, how fast it flows and how far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlasticSpec {
    /// Strain from which on it flows; of hinges degrees.
    #[serde(rename = "yield")]
    pub yields: f32,
    /// 1/s; at once if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creep: Option<f32>,
    /// Largest plastic strain, of hinges degrees; as far as rows can if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f32>,
}

impl PlasticSpec {
    /// Of strains.
    pub(super) fn build(self) -> Plasticity {
        let begins = Plasticity::new(self.yields);
        let flows = self.creep.map_or(begins, |creep| begins.creep(creep));
        self.limit.map_or(flows, |limit| flows.limit(limit))
    }

    /// Of hinges: angles are degrees here.
    pub(super) fn of_hinges(self) -> Plasticity {
        let radians = |angle: f32| degrees(angle.into()) as f32;
        PlasticSpec { yields: radians(self.yields), limit: self.limit.map(radians), ..self }.build()
    }
}
