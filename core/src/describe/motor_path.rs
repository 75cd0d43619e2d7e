//! Targets of a motor in time.

use crate::describe::error::{Error, range};
use seidel_rigid::joint::Motor;

/// A motor whose target follows keys in time, linear between them.
///
/// # Example
/// ```
/// use seidel::joint::{Motor, MotorPath};
/// let steering = MotorPath::position(&[[0.0, 0.0], [2.0, 0.5], [4.0, 0.0]], 100.0).repeating();
/// assert_eq!(steering.at(5.0), Motor::Position { target: 0.25, limit: 100.0 });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MotorPath {
    keys: Vec<[f64; 2]>,
    repeats: bool,
    /// A motor of target 0.
    motor: Motor,
}

impl MotorPath {
    /// Velocities: pairs [time, m/s or rad/s], seconds not falling; the force or torque is at most `limit`, N or N m.
    #[must_use]
    pub fn velocity(keys: &[[f64; 2]], limit: f32) -> MotorPath {
        MotorPath { keys: keys.to_vec(), repeats: false, motor: Motor::Velocity { target: 0.0, limit } }
    }

    /// Positions: pairs [time, m or rad], alike.
    #[must_use]
    pub fn position(keys: &[[f64; 2]], limit: f32) -> MotorPath {
        MotorPath { keys: keys.to_vec(), repeats: false, motor: Motor::Position { target: 0.0, limit } }
    }

    /// The first key follows the last: it repeats after the time between the two. Without this the last target stays.
    #[must_use]
    pub fn repeating(mut self) -> MotorPath {
        self.repeats = true;
        self
    }

    /// The motor at a time, seconds. Before the first key it has the first target; of several keys of one time the last
    /// counts from there on.
    #[must_use]
    pub fn at(&self, time: f64) -> Motor {
        let target = self.target(time) as f32;
        match self.motor {
            Motor::Off => Motor::Off,
            Motor::Velocity { limit, .. } => Motor::Velocity { target, limit },
            Motor::Position { limit, .. } => Motor::Position { target, limit },
        }
    }

    /// The targets of its keys.
    pub(crate) fn targets(&self) -> impl Iterator<Item = f64> {
        self.keys.iter().map(|key| key[1])
    }

    /// How fast a position's target goes from one time to a later one, m/s or rad/s: on average; 0 where it jumps
    /// between them, or begins anew.
    pub(crate) fn rate(&self, from: f64, to: f64) -> f32 {
        let ((a, begin), (b, end)) = (self.place(from), self.place(to));
        let Motor::Position { .. } = self.motor else { return 0.0 };
        let (Some((key, turn)), Some((next, again))) = (begin, end) else { return 0.0 };
        let jumps = |pair: &[[f64; 2]]| pair[0][0] == pair[1][0] && pair[0][1] != pair[1][1];
        if turn != again || to <= from || self.keys[key.saturating_sub(1)..=next].windows(2).any(jumps) {
            return 0.0;
        }
        ((b - a) / (to - from)) as f32
    }

    /// Whether the target may still change after a time.
    pub(crate) fn goes_on(&self, time: f64) -> bool {
        self.repeats || self.keys.last().is_some_and(|last| time < last[0])
    }

    fn target(&self, time: f64) -> f64 {
        self.place(time).0
    }

    /// The target at a time; and, between two keys, the number of the later one, and how often all has repeated.
    fn place(&self, time: f64) -> (f64, Option<(usize, f64)>) {
        let (Some(first), Some(last)) = (self.keys.first(), self.keys.last()) else { return (0.0, None) };
        let period = last[0] - first[0];
        let turns = match self.repeats && time > last[0] && period > 0.0 {
            true => libm::ceil((time - first[0]) / period) - 1.0,
            false => 0.0,
        };
        let time = time - period * turns;
        let next = self.keys.partition_point(|key| key[0] <= time);
        match (next.checked_sub(1).map(|k| self.keys[k]), self.keys.get(next)) {
            (None, _) => (first[1], None),
            (Some(_), None) => (last[1], None),
            (Some(a), Some(b)) => {
                let (way, long) = (b[1] - a[1], b[0] - a[0]);
                (a[1] + way * ((time - a[0]) / long), Some((next, turns)))
            }
        }
    }

    pub(crate) fn check(&self, of: &dyn Fn() -> String) -> Result<(), Error> {
        let count = self.keys.len();
        range(of, || "number of keys of its motor".to_owned(), count as f64, count > 0, "1 or more")?;
        let mut before = -1e9;
        for (k, &[time, target]) in self.keys.iter().enumerate() {
            let what = || format!("time of key {k} of its motor");
            range(of, what, time, time.abs() <= 1e9, "within +-1e9 s")?;
            range(of, what, time, time >= before, "at least that of the key before")?;
            let what = || format!("target of key {k} of its motor");
            range(of, what, target, target.abs() <= 1e6, "within +-1e6")?;
            before = time;
        }
        check_motor(of, &self.motor)
    }
}

/// Whether a motor has numbers that it can reach.
pub(crate) fn check_motor(of: &dyn Fn() -> String, motor: &Motor) -> Result<(), Error> {
    let (target, limit) = match *motor {
        Motor::Off => return Ok(()),
        Motor::Velocity { target, limit } | Motor::Position { target, limit } => (target, limit),
    };
    range(of, || "target of its motor".to_owned(), f64::from(target), target.abs() <= 1e6, "within +-1e6")?;
    range(of, || "limit of its motor".to_owned(), f64::from(limit), (0.0..=1e18).contains(&limit), "within 0 .. 1e18")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_linear_between_keys_and_stay_or_repeat_after_the_last() {
        let keys = [[1.0, 2.0], [3.0, 4.0], [3.0, 8.0], [5.0, 0.0]];
        let once = MotorPath::velocity(&keys, 1.0);
        for (time, target) in [(0.0, 2.0), (1.0, 2.0), (2.0, 3.0), (3.0, 8.0), (4.0, 4.0), (5.0, 0.0), (9.0, 0.0)] {
            assert_eq!(once.target(time), target, "{time}");
        }
        let again = once.clone().repeating();
        for (time, target) in [(0.0, 2.0), (4.0, 4.0), (5.0, 0.0), (6.0, 3.0), (8.0, 4.0), (9.0, 0.0), (4001.0, 0.0)] {
            assert_eq!(again.target(time), target, "{time}");
        }
        assert_eq!(MotorPath::position(&[[2.0, 7.0]], 1.0).repeating().target(5.0), 7.0);
        // Velocities have no rate, and positions none where they jump; where they bend it is the mean.
        assert_eq!(once.rate(1.0, 1.5), 0.0);
        let path = MotorPath::position(&keys, 1.0);
        for (from, to, rate) in [(0.0, 0.5, 0.0), (1.0, 1.5, 1.0), (2.9, 3.1, 0.0), (3.5, 4.0, -4.0), (6.0, 7.0, 0.0)] {
            assert_eq!(path.rate(from, to), rate, "{from} to {to}");
        }
        // Of a saw both sides of a jump rise alike.
        let saw = MotorPath::position(&[[0.0, 0.0], [1.0, 1.0]], 1.0).repeating();
        assert_eq!(
            [saw.rate(0.2, 0.4), saw.rate(0.9, 1.1), saw.rate(1.2, 2.9), saw.rate(1.2, 1.9)],
            [1.0, 0.0, 0.0, 1.0]
        );
    }
}
