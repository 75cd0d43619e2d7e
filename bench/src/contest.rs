//! Runs that take turns, and what comes of them.

use crate::Line;
use crate::entry::Entry;
use crate::limits::Limits;
use crate::peers::Peers;
use crate::rounds::{Budget, Contender, alternate};
use std::time::Duration;

/// How works are measured.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Fewer rounds; peers only at small meshes.
    pub quick: bool,
    /// Of this machine.
    pub limits: Limits,
    /// Who else is there.
    pub peers: Peers,
}

/// Named by its lanes and threads, with what is known before it is timed.
pub(crate) struct Entrant<'a> {
    pub(crate) entry: Entry,
    pub(crate) contender: Box<dyn Contender + 'a>,
}

impl<F: FnMut() -> f64> Contender for F {
    fn round(&mut self) -> Option<f64> {
        Some(self())
    }
}

impl Bench {
    pub(crate) fn budget(&self) -> Budget {
        match self.quick {
            true => Budget { time: Duration::from_millis(700), rounds: 3 },
            false => Budget { time: Duration::from_secs(4), rounds: 7 },
        }
    }
}

/// Lets them take turns, and says what came of it.
pub(crate) fn contest(entrants: Vec<Entrant<'_>>, budget: Budget, limit: impl Fn(&Entry) -> Option<f64>) -> Vec<Entry> {
    let (entries, mut contenders): (Vec<_>, Vec<_>) = entrants.into_iter().map(|e| (e.entry, e.contender)).unzip();
    let times = alternate(&mut contenders, budget);
    let measured = entries.into_iter().zip(times).filter_map(|(entry, times)| {
        let Some(times) = times else {
            println!("    {} {} stopped", entry.engine, entry.work);
            return None;
        };
        let entry = entry.timed(times.min, times.median);
        let Entry { engine, lanes, threads, value, unit, .. } = &entry;
        println!(
            "    {engine:<26} {lanes:<8} {threads} min {value:9.3} median {:9.3} {unit} of {}",
            times.median, times.rounds
        );
        let limit = limit(&entry);
        Some(entry.limit(limit))
    });
    measured.collect()
}

pub(crate) fn of_line(line: &Line, work: &str, unit: &str) -> Entry {
    Entry {
        state_hash: Some(format!("{:016x}", line.hash)),
        constraints: Some(line.constraints),
        ..Entry::here(work, line.isa.name(), line.threads, 0.0, unit)
    }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 * 1e-6
}
