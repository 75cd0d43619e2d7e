//! Slip lengths by key: `0.01` or `"free"`.

use serde::{Deserialize, Serialize};

/// How a fluid slips at what is beside it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "neither a number nor \"free\"")]
pub enum SlipSpec {
    /// Metres.
    Length(f32),
    /// A word.
    Word(SlipWord),
}

/// The word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlipWord {
    /// As if there were no friction: an infinite length.
    Free,
}

impl SlipSpec {
    pub(super) fn build(self) -> f32 {
        match self {
            SlipSpec::Length(length) => length,
            SlipSpec::Word(SlipWord::Free) => f32::INFINITY,
        }
    }
}
