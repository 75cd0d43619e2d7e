//! Tearing by keys.

use seidel::Tearing;
use serde::{Deserialize, Serialize};

/// When a cloth tears.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TearSpec {
    /// Strain above which an edge tears.
    pub strain: f32,
    /// Copies of vertices at most; as many as the mesh has vertices if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
}

impl TearSpec {
    /// As the engine has it.
    pub(super) fn build(self) -> Tearing {
        let tearing = Tearing::new(self.strain);
        self.copies.map_or(tearing.clone(), |copies| tearing.capacity(copies))
    }
}
