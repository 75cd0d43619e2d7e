//! Contenders take turns, round after round, so that whatever else the machine does meets all of them alike.

use std::time::{Duration, Instant};

/// Something that can be timed again and again, always from the same start.
pub trait Contender {
    /// One round, in its unit; infinite if it came to nothing; none if it cannot go on.
    fn round(&mut self) -> Option<f64>;

    /// Whether a round is a difference of two times: then what else a machine does adds or takes away, and the smallest
    /// says nothing.
    fn is_difference(&self) -> bool {
        false
    }
}

/// How long contenders take turns.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// For all of them together.
    pub time: Duration,
    /// Rounds that each has at least, whatever they take.
    pub rounds: usize,
}

/// A contender's rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// The fastest: what else a machine does only adds. Of differences the middle one.
    pub min: f64,
    /// The middle one.
    pub median: f64,
    /// How many.
    pub rounds: usize,
}

impl Times {
    /// Smallest and middle number of those that are finite; none of none.
    #[must_use]
    pub fn of(mut rounds: Vec<f64>) -> Option<Times> {
        rounds.retain(|time| time.is_finite());
        rounds.sort_by(f64::total_cmp);
        let count = rounds.len();
        Some(Times { min: *rounds.first()?, median: rounds[count / 2], rounds: count })
    }
}

/// Lets them take turns. One that stops has no times.
pub fn alternate(contenders: &mut [Box<dyn Contender + '_>], budget: Budget) -> Vec<Option<Times>> {
    let mut times: Vec<Option<Vec<f64>>> = contenders.iter().map(|_| Some(Vec::new())).collect();
    let begin = Instant::now();
    let mut round = 0;
    while begin.elapsed() < budget.time || round < budget.rounds {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            let time = times.as_ref().and_then(|_| contender.round());
            *times = times.take().zip(time).map(|(mut all, time)| {
                all.push(time);
                all
            });
        }
        round += 1;
        if times.iter().all(Option::is_none) {
            break;
        }
    }
    let differ = contenders.iter().map(|contender| contender.is_difference());
    let of = |(differs, times): (bool, Option<Vec<f64>>)| {
        let times = Times::of(times?)?;
        Some(Times { min: if differs { times.median } else { times.min }, ..times })
    };
    differ.zip(times).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts down; stops below zero.
    struct Falling(f64);

    impl Contender for Falling {
        fn round(&mut self) -> Option<f64> {
            self.0 -= 1.0;
            (self.0 >= 0.0).then_some(self.0)
        }
    }

    #[test]
    fn all_have_as_many_rounds_and_one_that_stops_has_none() {
        let mut two: Vec<Box<dyn Contender>> = vec![Box::new(Falling(100.0)), Box::new(Falling(3.0))];
        let times = alternate(&mut two, Budget { time: Duration::ZERO, rounds: 5 });
        assert_eq!(times, [Some(Times { min: 95.0, median: 97.0, rounds: 5 }), None]);
        let mut none: Vec<Box<dyn Contender>> = vec![Box::new(Falling(0.0))];
        assert_eq!(Times::of(vec![f64::INFINITY, 2.0, 1.0]).unwrap().rounds, 2);
        assert_eq!(alternate(&mut none, Budget { time: Duration::from_secs(3600), rounds: 5 }), [None]);
    }
}
