//! A measured figure, as the scoreboard writes it.

use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// One figure of one engine. A record is a list of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What was done: `distance-grid-100`.
    pub work: String,
    /// Who did it, with version; `machine` for the machine's own limits.
    pub engine: String,
    /// Lane type, or how wide a peer was built; `-` where there is none.
    pub lanes: String,
    /// Threads.
    pub threads: usize,
    /// The smallest of many rounds.
    pub value: f64,
    /// Of the value and the median: `ns` a constraint and sweep, `ms` a step, `us` a constraint, `GB/s`, `ns/lane`,
    /// `x`.
    pub unit: String,
    /// What the machine needs at least for this work on so many threads (see [`Limits`](crate::limits::Limits)), in
    /// percent of the value.
    pub percent_of_limit: Option<f64>,
    /// Of the state after the work: the same for all lanes and threads of one engine.
    pub state_hash: Option<String>,
    /// The middle one of the rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// Constraints in a sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraints: Option<usize>,
    /// Processor and number of cores.
    pub machine: String,
    /// Day of the measurement: `2026-11-21`.
    pub date: String,
}

/// This engine, with version.
pub const OURS: &str = concat!("seidel ", env!("CARGO_PKG_VERSION"));
/// Unit of sweeps.
pub const NS: &str = "ns";
/// Unit of whole steps.
pub const MS: &str = "ms";

impl Entry {
    /// Of this engine, here and now.
    #[must_use]
    pub fn here(work: &str, lanes: &str, threads: usize, value: f64, unit: &str) -> Entry {
        Entry {
            work: work.to_owned(),
            engine: OURS.to_owned(),
            lanes: lanes.to_owned(),
            threads,
            value: rounded(value),
            unit: unit.to_owned(),
            percent_of_limit: None,
            state_hash: None,
            median: None,
            constraints: None,
            machine: machine(),
            date: today(),
        }
    }

    /// Of this engine, and not of a peer or the machine.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.engine.starts_with("seidel ")
    }

    /// With the smallest and the middle round.
    #[must_use]
    pub fn timed(self, min: f64, median: f64) -> Entry {
        Entry { value: rounded(min), ..self }.median(median)
    }

    /// With the middle round.
    #[must_use]
    pub fn median(self, median: f64) -> Entry {
        Entry { median: Some(rounded(median)), ..self }
    }

    /// With a limit in the value's unit.
    #[must_use]
    pub fn limit(self, limit: Option<f64>) -> Entry {
        Entry { percent_of_limit: limit.map(|limit| (1000.0 * limit / self.value).round() / 10.0), ..self }
    }
}

/// To four digits or a thousandth: no clock tells more.
fn rounded(value: f64) -> f64 {
    let digits = (3 - value.abs().max(1e-3).log10().floor() as i32).clamp(0, 3);
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// The processor's name and generation, where the system tells, and its cores.
#[must_use]
pub fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split(':').nth(1)).map(|value| value.trim().to_owned())
    };
    let name = match (field("model name"), field("cpu family"), field("model")) {
        (Some(name), Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        (Some(name), ..) => name,
        _ => std::env::consts::ARCH.to_owned(),
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{name}, {cores} cores")
}

fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = civil(since.as_secs() / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month, day of a number of days since 1970: years begin in March, so that the leap day is their last.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month < 3), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        for (days, date) in
            [(0, (1970, 1, 1)), (11_016, (2000, 2, 29)), (11_017, (2000, 3, 1)), (20_778, (2026, 11, 21))]
        {
            assert_eq!(civil(days), date);
        }
    }

    #[test]
    fn figures_keep_what_they_tell() {
        assert_eq!([0.123_46, 12.345_6, 1234.56, 98_765.4].map(rounded), [0.123, 12.35, 1235.0, 98_765.0]);
    }

    #[test]
    fn a_limit_is_a_share_of_the_time() {
        let entry = Entry::here("distance-grid-32", "avx2", 1, 2.0, NS);
        assert_eq!((entry.is_ours(), entry.limit(Some(0.5)).percent_of_limit), (true, Some(25.0)));
    }
}
