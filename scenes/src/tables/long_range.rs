//! Long range attachments by key: `0.01`, `"auto"` or `"off"`.

use seidel::LongRange;
use serde::{Deserialize, Serialize};

/// How far vertices may be from their pins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "neither a number nor \"auto\" or \"off\"")]
pub enum LongRangeSpec {
    /// A share of the way at rest more.
    Slack(f32),
    /// A word.
    Word(LongRangeWord),
}

/// The words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LongRangeWord {
    /// As the rows ask for.
    Auto,
    /// Any distance.
    Off,
}

impl LongRangeSpec {
    pub(super) fn build(self) -> LongRange {
        match self {
            LongRangeSpec::Slack(slack) => LongRange::Slack(slack),
            LongRangeSpec::Word(LongRangeWord::Auto) => LongRange::Auto,
            LongRangeSpec::Word(LongRangeWord::Off) => LongRange::Off,
        }
    }
}
