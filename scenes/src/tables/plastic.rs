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
    /// By how much the logarithm of the yield point falls, per accumulated plastic strain; of hinges per degree. None
    /// if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fatigue: Option<f32>,
    /// Accumulated plastic strain at which a row breaks, of hinges degrees; none does if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<f32>,
}

impl PlasticSpec {
    /// Of strains.
    pub(super) fn build(self) -> Plasticity {
        let begins = Plasticity::new(self.yields);
        let flows = self.creep.map_or(begins, |creep| begins.creep(creep));
        let bounded = self.limit.map_or(flows, |limit| flows.limit(limit));
        let softens = self.fatigue.map_or(bounded, |fatigue| bounded.fatigue(fatigue));
        self.breaks.map_or(softens, |at| softens.breaks(at))
    }

    /// Of hinges: angles are degrees here.
    pub(super) fn of_hinges(self) -> Plasticity {
        let radians = |angle: f32| degrees(angle.into()) as f32;
        PlasticSpec {
            yields: radians(self.yields),
            creep: self.creep,
            limit: self.limit.map(radians),
            fatigue: self.fatigue.map(|per_degree| per_degree / radians(1.0)),
            breaks: self.breaks.map(radians),
        }
        .build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of hinges all strains are degrees, and what is per strain is per degree.
    #[test]
    fn of_hinges_angles_are_degrees() {
        let spec =
            PlasticSpec { yields: 18.0, creep: Some(3.0), limit: Some(90.0), fatigue: Some(0.1), breaks: Some(900.0) };
        let (of_strains, of_hinges) = (spec.build(), spec.of_hinges());
        let numbers = |of: Plasticity| [of.yield_point, of.creep, of.limit, of.fatigue, of.breaks];
        assert_eq!(numbers(of_strains), [18.0, 3.0, 90.0, 0.1, 900.0]);
        let radian = 180.0 / std::f32::consts::PI;
        let want = [18.0 / radian, 3.0, 90.0 / radian, 0.1 * radian, 900.0 / radian];
        assert!(
            numbers(of_hinges).iter().zip(want).all(|(got, want)| (got / want - 1.0).abs() < 1e-6),
            "{of_hinges:?}"
        );
    }
}
