//! A rotation by axis and angle.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Turn {
    /// Axis, of any length above 0.
    pub axis: [f64; 3],
    /// Angle.
    pub degrees: f64,
}

/// The keys of a [`Turn`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    #[serde(default)]
    axis: [f64; 3],
    degrees: Option<f64>,
}

impl<'de> Deserialize<'de> for Turn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Turn, D::Error> {
        /// Not a list of three angles, as some programs have it.
        struct OnlyTable;

        impl<'de> Visitor<'de> for OnlyTable {
            type Value = Turn;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a table such as { axis = [0, 1, 0], degrees = 90 }")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Turn, A::Error> {
                let Keys { axis, degrees } = Keys::deserialize(MapAccessDeserializer::new(map))?;
                let degrees = match degrees {
                    None if axis != [0.0; 3] => {
                        return Err(A::Error::custom("an axis alone turns nothing; add `degrees`"));
                    }
                    degrees => degrees.unwrap_or(0.0),
                };
                Ok(Turn { axis, degrees })
            }
        }

        deserializer.deserialize_any(OnlyTable)
    }
}

/// Refuses a rotation that is none.
pub(super) fn rotation(of: &str, Turn { axis, degrees }: Turn) -> Result<(), String> {
    if let Some(c) = axis.into_iter().find(|c| !c.is_finite()) {
        return Err(format!("{of}: rotation.axis has {c}, which is not finite"));
    }
    if !degrees.is_finite() {
        return Err(format!("{of}: rotation.degrees is {degrees}, which is not finite"));
    }
    turn(of, "rotation", axis, degrees)
}

/// Refuses an angle about no axis.
pub(super) fn turn(of: &str, key: &str, axis: [f64; 3], degrees: f64) -> Result<(), String> {
    if degrees == 0.0 || axis != [0.0; 3] {
        return Ok(());
    }
    Err(format!("{of}: {key} turns by {degrees} degrees about no axis; give it one, such as axis = [1, 0, 0]"))
}
