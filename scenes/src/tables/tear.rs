//! Tearing and cutting by keys.

use seidel::{Cut, Tearing};
use serde::{Deserialize, Serialize};

/// When a cloth tears, or a solid breaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TearSpec {
    /// Strain above which an edge tears; it is only cut if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strain: Option<f32>,
    /// Copies of vertices at most; as many as the mesh has vertices if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
}

impl TearSpec {
    /// As the engine has it.
    fn build(self) -> Tearing {
        let tearing = self.strain.map_or_else(Tearing::by_cuts, Tearing::new);
        self.copies.map_or(tearing.clone(), |copies| tearing.capacity(copies))
    }
}

/// A cut, in the world, metres: along a plane or by a blade.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CutSpec {
    /// When, seconds from the start: at the end of the frame that it falls into.
    pub time: f64,
    /// A point on the plane, and its normal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<[[f64; 3]; 2]>,
    /// The ends of a segment at first, then in the same order where it has moved to: the cut is what it sweeps over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blade: Option<[[f64; 3]; 4]>,
}

impl CutSpec {
    /// As the engine has it, with its time.
    fn build(self, of: &str) -> Result<(f64, Cut), String> {
        match (self.plane, self.blade) {
            (Some([point, normal]), None) => Ok((self.time, Cut::plane(point, normal))),
            (None, Some([a, b, c, d])) => Ok((self.time, Cut::blade([a, b], [c, d]))),
            _ => Err(format!("{of}: give it a `plane` or a `blade`, one of them")),
        }
    }
}

/// When a body tears and is cut; none if it does neither.
pub(super) fn tearing(of: &str, tear: Option<TearSpec>, cuts: &[CutSpec]) -> Result<Option<Tearing>, String> {
    let tearing = tear.map(TearSpec::build).or_else(|| (!cuts.is_empty()).then(Tearing::by_cuts));
    let Some(mut tearing) = tearing else { return Ok(None) };
    for (i, cut) in cuts.iter().enumerate() {
        let (time, cut) = cut.build(&format!("{of}, cut {i}"))?;
        tearing = tearing.cut(time, cut);
    }
    Ok(Some(tearing))
}
