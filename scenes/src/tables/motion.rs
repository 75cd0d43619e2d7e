//! Paths by keys: angles are degrees here, and radians in the engine.

use seidel::collider::{Key, Motion};
use seidel::degrees;
use serde::{Deserialize, Serialize};

use super::turn::turn;

/// A path, relative to the first pose: [`Motion`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "path", rename_all = "kebab-case", deny_unknown_fields)]
pub enum MotionSpec {
    /// At rest.
    #[default]
    Fixed,
    /// Constant velocity.
    Linear {
        /// m/s.
        velocity: [f64; 3],
    },
    /// Evenly along and around, from a time until another.
    Steady {
        /// m/s.
        #[serde(default)]
        velocity: [f64; 3],
        /// Axis of the turn, of any length; zero does not turn.
        #[serde(default)]
        axis: [f64; 3],
        /// Turns a second, counter-clockwise looking against the axis.
        #[serde(default)]
        turns: f64,
        /// Seconds.
        #[serde(default)]
        start: f64,
        /// Seconds; for ever if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end: Option<f64>,
    },
    /// To and fro, a sine.
    Sinusoidal {
        /// Metres along each axis.
        amplitude: [f64; 3],
        /// Seconds.
        period: f64,
        /// Radians.
        #[serde(default)]
        phase: f64,
    },
    /// Key frames, linear between them.
    KeyFrames {
        /// Keys in rising time.
        keys: Vec<KeySpec>,
    },
}

/// One key of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySpec {
    /// Seconds.
    pub time: f64,
    /// Offset from the first position, metres.
    pub offset: [f64; 3],
    /// Axis of a turn, of any length; zero does not turn.
    #[serde(default)]
    pub axis: [f64; 3],
    /// Angle of that turn; more than 360 are several turns.
    #[serde(default)]
    pub degrees: f64,
}

impl MotionSpec {
    /// For a key that is left out of files where it says nothing.
    pub(super) fn is_fixed(&self) -> bool {
        *self == MotionSpec::Fixed
    }

    /// The path. Refuses one without keys, and one that turns about no axis.
    pub(super) fn build(&self, of: &str) -> Result<Motion, String> {
        Ok(match *self {
            MotionSpec::Fixed => Motion::Fixed,
            MotionSpec::Linear { velocity } => Motion::Linear { velocity: velocity.into() },
            MotionSpec::Steady { velocity, axis, turns, start, end } => {
                turn(of, "`motion`, each second,", axis, 360.0 * turns)?;
                Motion::Steady { velocity: velocity.into(), axis: axis.into(), turns, start, end }
            }
            MotionSpec::Sinusoidal { amplitude, period, phase } => {
                Motion::Sinusoidal { amplitude: amplitude.into(), period, phase }
            }
            MotionSpec::KeyFrames { ref keys } => {
                if keys.is_empty() {
                    return Err(format!("{of}: `motion` goes by key-frames, and `keys` has none"));
                }
                let keys = keys.iter().enumerate().map(|(i, key)| {
                    turn(of, &format!("key {i}"), key.axis, key.degrees)?;
                    let (offset, axis) = (key.offset.into(), key.axis.into());
                    Ok(Key { time: key.time, offset, axis, angle: degrees(key.degrees) })
                });
                Motion::KeyFrames { keys: keys.collect::<Result<_, String>>()? }
            }
        })
    }
}
