//! Paths of colliders and of pins that move.

use crate::describe::error::{Error, range};
use crate::describe::pose::{Pose, degrees, product};
use glam::DVec3;

/// Two axes of length 1 that differ by less in every coordinate are one: far more than rounding, far less than a
/// choice.
const SAME_AXIS: f64 = 1e-9;

/// A prescribed path, relative to the first pose. Within one step a collider goes evenly from pose to pose by the
/// shorter way, at 60 steps a second it cannot turn faster than 30 times a second; a pin goes straight.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Motion {
    /// At rest, or moved by the poses of each step's input.
    #[default]
    Fixed,
    /// Constant velocity, m/s.
    Linear {
        /// Velocity, m/s.
        velocity: DVec3,
    },
    /// Evenly along and around, from a time until another; at rest before and after.
    Steady {
        /// Velocity, m/s.
        velocity: DVec3,
        /// Axis of the turn in its own frame, of any length; zero does not turn.
        axis: DVec3,
        /// Turns a second, counter-clockwise looking against the axis.
        turns: f64,
        /// Seconds.
        start: f64,
        /// Seconds, no less than `start`; none: for ever.
        end: Option<f64>,
    },
    /// To and fro: amplitude x sin(2 pi t / period + phase) - amplitude x sin(phase), so that it starts at its pose.
    Sinusoidal {
        /// Amplitude along each axis, metres.
        amplitude: DVec3,
        /// Seconds, > 0.
        period: f64,
        /// Radians.
        phase: f64,
    },
    /// Key frames, linear between them, at rest before the first and after the last.
    ///
    /// Two keys that turn about one line are joined by an even turn from one angle to the other, which may be any
    /// number of turns. Others are joined by the shortest turn; their turns, as vectors axis x angle, may differ by 180
    /// degrees at most, so that there is no doubt which way is meant.
    KeyFrames {
        /// Keys in rising time.
        keys: Vec<Key>,
    },
}

/// One key of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Key {
    /// Seconds.
    pub time: f64,
    /// Offset from the first position, metres.
    pub offset: DVec3,
    /// Axis of a turn in its own frame (the collider's; for pins the world's), of any length; zero does not turn.
    pub axis: DVec3,
    /// Angle of that turn, radians; more than 2 pi are several turns.
    pub angle: f64,
}

impl Key {
    /// The turn's direction, of length 1, and its angle; none if it does not turn.
    fn turn(&self) -> Option<([f64; 3], f64)> {
        let axis = self.axis.to_array();
        let length = f64::sqrt(axis.iter().map(|a| a * a).sum());
        (length >= 1e-150 && self.angle != 0.0).then(|| (axis.map(|a| a / length), self.angle))
    }

    /// If both turn about one line: an axis along it and both angles about that.
    fn about_one_line(&self, next: &Key) -> Option<(DVec3, [f64; 2])> {
        match (self.turn(), next.turn()) {
            (None, None) => Some((self.axis, [0.0; 2])),
            (Some((_, angle)), None) => Some((self.axis, [angle, 0.0])),
            (None, Some((_, angle))) => Some((next.axis, [0.0, angle])),
            (Some((u, a)), Some((v, b))) => {
                let along: f64 = (0..3).map(|k| u[k] * v[k]).sum();
                let apart = |sign: f64| (0..3).all(|k| (u[k] - sign * v[k]).abs() < SAME_AXIS);
                let sign = if along < 0.0 { -1.0 } else { 1.0 };
                apart(sign).then_some((self.axis, [a, sign * b]))
            }
        }
    }

    /// How far apart the two turns are as vectors axis x angle; the turn from one to the other is no larger.
    fn angle_apart(&self, next: &Key) -> f64 {
        let vector = |key: &Key| key.turn().map_or([0.0; 3], |(axis, angle)| axis.map(|a| a * angle));
        let (a, b) = (vector(self), vector(next));
        f64::sqrt((0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum())
    }
}

impl Motion {
    /// Pose at a time, for a collider that starts at `start`.
    #[must_use]
    pub fn at(&self, start: &Pose, time: f64) -> Pose {
        let moved = |offset: DVec3, factor: f64| Pose {
            position: std::array::from_fn(|k| start.position[k] + offset[k] * factor),
            rotation: start.rotation,
        };
        let turned = |axis: DVec3, angle| product(start.rotation, Pose::IDENTITY.turned(axis, angle).rotation);
        match self {
            Motion::Fixed => *start,
            Motion::Linear { velocity } => moved(*velocity, time),
            Motion::Steady { velocity, axis, turns, start: from, end } => {
                let until = end.filter(|end| *end < time).unwrap_or(time);
                let passed = if until > *from { until - from } else { 0.0 };
                Pose { rotation: turned(*axis, degrees(360.0 * turns * passed)), ..moved(*velocity, passed) }
            }
            Motion::Sinusoidal { amplitude, period, phase } => {
                let turn = 2.0 * std::f64::consts::PI;
                let s = libm::sin(turn * time / period + phase) - libm::sin(*phase);
                moved(*amplitude, s)
            }
            Motion::KeyFrames { keys } => {
                let key = |key: &Key| Pose { rotation: turned(key.axis, key.angle), ..moved(key.offset, 1.0) };
                let next = keys.iter().position(|key| key.time > time);
                match (keys.first(), keys.last(), next) {
                    (Some(first), _, Some(0)) => key(first),
                    (_, _, Some(i)) => {
                        let (a, b) = (&keys[i - 1], &keys[i]);
                        let t = (time - a.time) / (b.time - a.time);
                        let between = key(a).between(&key(b), t);
                        match a.about_one_line(b) {
                            // In degrees: between whole ones there is less to round.
                            Some((axis, angles)) => {
                                let [from, to] = angles.map(|angle| angle * 180.0 / std::f64::consts::PI);
                                Pose { rotation: turned(axis, degrees(from + (to - from) * t)), ..between }
                            }
                            None => between,
                        }
                    }
                    (_, Some(last), None) => key(last),
                    _ => *start,
                }
            }
        }
    }

    pub(crate) fn check(&self, of: &dyn Fn() -> String) -> Result<(), Error> {
        let finite = |what: &str, v: &DVec3| {
            v.to_array().iter().try_for_each(|&v| range(of, || what.to_owned(), v, v.abs() <= 1e6, "within +-1e6"))
        };
        match self {
            Motion::Fixed => Ok(()),
            Motion::Linear { velocity } => finite("velocity", velocity),
            Motion::Steady { velocity, axis, turns, start, end } => {
                finite("velocity", velocity)?;
                finite("axis", axis)?;
                range(of, || "turns".to_owned(), *turns, turns.abs() <= 1e6, "within +-1e6 a second")?;
                range(of, || "start".to_owned(), *start, start.abs() <= 1e9, "within +-1e9 s")?;
                let end = end.unwrap_or(*start);
                range(of, || "end".to_owned(), end, end >= *start && end <= 1e9, "from the start to 1e9 s")
            }
            Motion::Sinusoidal { amplitude, period, phase } => {
                finite("amplitude", amplitude)?;
                let good = (1e-9..=1e9).contains(period);
                range(of, || "period".to_owned(), *period, good, "within 1e-9 .. 1e9 s")?;
                range(of, || "phase".to_owned(), *phase, phase.abs() <= 1e9, "within +-1e9 rad")
            }
            Motion::KeyFrames { keys } => {
                let mut last = f64::NEG_INFINITY;
                for (i, key) in keys.iter().enumerate() {
                    let rising = key.time.is_finite() && key.time > last;
                    range(of, || format!("time of key {i}"), key.time, rising, "finite and after the key before")?;
                    finite("offset of a key", &key.offset)?;
                    finite("axis of a key", &key.axis)?;
                    let turn = key.angle.to_degrees();
                    range(of, || format!("turn of key {i}"), turn, turn.abs() <= 1e9, "within +-1e9 degrees")?;
                    last = key.time;
                }
                for (i, pair) in keys.windows(2).enumerate() {
                    let apart = if pair[0].about_one_line(&pair[1]).is_some() {
                        0.0
                    } else {
                        pair[0].angle_apart(&pair[1]).to_degrees()
                    };
                    let what = || format!("the turn from key {i} to key {} about another axis", i + 1);
                    range(of, what, apart, apart < 180.0 + 1e-9, "at most 180 degrees: insert a key between")?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::collider::Collider;

    #[test]
    fn paths_start_where_the_collider_is() {
        let start = Pose::at([1.0, 2.0, 3.0]);
        let wave = Motion::Sinusoidal { amplitude: DVec3::X, period: 4.0, phase: 1.0 };
        assert_eq!(wave.at(&start, 0.0), start);
        let key = |time, x| Key { time, offset: DVec3::X * x, ..Key::default() };
        let keys = Motion::KeyFrames { keys: vec![key(0.0, 0.0), key(1.0, 2.0)] };
        assert_eq!(keys.at(&start, 0.5).position, [2.0, 2.0, 3.0]);
        assert_eq!(keys.at(&start, 9.0).position, [3.0, 2.0, 3.0]);
        assert_eq!(keys.at(&start, -1.0).position, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_steady_path_rests_before_and_after() {
        let start = Pose::at([1.0, 2.0, 3.0]);
        let (velocity, axis) = (DVec3::X * 2.0, DVec3::Z * 2.0);
        let path = Motion::Steady { velocity, axis, turns: 0.25, start: 1.0, end: Some(4.0) };
        Collider::ground().moving(path.clone()).check().expect("a sound path");
        for (time, x, degrees) in
            [(0.5, 1.0, 0.0), (1.0, 1.0, 0.0), (2.0, 3.0, 90.0), (4.0, 7.0, 270.0), (9.0, 7.0, 270.0)]
        {
            let pose = path.at(&start, time);
            let off = libm::remainder(about_z(&pose) - degrees, 360.0);
            assert_eq!(pose.position, [x, 2.0, 3.0], "at {time} s");
            assert!(off.abs() < 1e-9, "{off} degrees from {degrees} at {time} s");
        }
        let backwards = Motion::Steady { velocity, axis, turns: 0.25, start: 1.0, end: Some(0.5) };
        let error = Collider::ground().named("lid").moving(backwards).check().unwrap_err().to_string();
        assert_eq!(error, "collider `lid`: end is 0.5, which is not from the start to 1e9 s");
        let endless = Motion::Steady { velocity, axis, turns: 0.25, start: 0.0, end: None };
        assert_eq!(endless.at(&start, 100.0).position, [201.0, 2.0, 3.0]);
    }

    fn turns(keys: &[([f64; 3], f64)]) -> Motion {
        let key = |(i, &(axis, turn)): (usize, &([f64; 3], f64))| Key {
            time: i as f64,
            axis: axis.into(),
            angle: degrees(turn),
            ..Key::default()
        };
        Motion::KeyFrames { keys: keys.iter().enumerate().map(key).collect() }
    }

    /// Degrees about +z.
    fn about_z(pose: &Pose) -> f64 {
        let [_, _, z, w] = pose.rotation;
        2.0 * libm::atan2(z, w).to_degrees()
    }

    #[test]
    fn keys_turn_evenly_however_far() {
        let up = [0.0, 0.0, 2.0];
        let path = turns(&[([0.0; 3], 0.0), (up, 270.0), (up, -90.0), ([0.0, 0.0, -1.0], 810.0)]);
        Collider::ground().moving(path.clone()).check().expect("one axis");
        for (time, degrees) in
            [(0.0, 0.0), (0.25, 67.5), (0.5, 135.0), (1.0, 270.0), (1.25, 180.0), (1.5, 90.0), (2.5, -450.0)]
        {
            let off = libm::remainder(about_z(&path.at(&Pose::IDENTITY, time)) - degrees, 360.0);
            assert!(off.abs() < 1e-9, "{off} degrees from {degrees} at {time} s");
        }
    }

    #[test]
    fn keys_about_other_axes_are_near() {
        let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        let check = |keys: &[([f64; 3], f64)]| Collider::ground().named("lid").moving(turns(keys)).check();
        check(&[(x, 120.0), (y, 120.0), (y, 900.0)]).expect("170 degrees apart, then about one axis");
        let error = check(&[(x, 10.0), (x, 200.0), (y, 200.0)]).unwrap_err().to_string();
        let want = "collider `lid`: the turn from key 1 to key 2 about another axis is 282.8";
        assert!(error.starts_with(want) && error.ends_with("at most 180 degrees: insert a key between"), "{error}");
    }
}
