//! Measured figures as a file, and the README's table made from it.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Everything that was measured on one machine in one go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Version of the engine.
    pub version: String,
    /// Processor, as it names itself.
    pub machine: String,
    /// Cores that were there.
    pub cores: usize,
    /// Single sweeps.
    pub sweeps: Vec<SweepTimes>,
    /// Whole steps.
    pub steps: Vec<StepTimes>,
}

/// One sweep on all lanes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepTimes {
    /// Name of the sweep.
    pub name: String,
    /// Constraints.
    pub constraints: usize,
    /// Colors.
    pub colors: usize,
    /// Hash of the result, the same on all lanes.
    pub hash: String,
    /// Nanoseconds a constraint on each lane type.
    pub lanes: Vec<LaneTimes>,
}

/// Nanoseconds a constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneTimes {
    /// Lanes.
    pub isa: String,
    /// Threads.
    pub threads: usize,
    /// Fastest run.
    pub min: f64,
    /// Middle run.
    pub median: f64,
}

/// A scene's step on a number of threads, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepTimes {
    /// Name of the scene.
    pub name: String,
    /// Particles.
    pub particles: usize,
    /// Constraints in a sweep.
    pub constraints: usize,
    /// Substeps.
    pub substeps: u32,
    /// Lanes.
    pub isa: String,
    /// Threads.
    pub threads: usize,
    /// Hash after a few frames.
    pub hash: String,
    /// Fastest frame.
    pub min: f64,
    /// Middle frame.
    pub median: f64,
    /// Forces, damping, prediction; this and the other stages are the fastest frame's.
    pub predict: f64,
    /// Constraints.
    pub solve: f64,
    /// Contacts with colliders.
    pub contacts: f64,
    /// Positions and velocities.
    pub velocity: f64,
}

/// Smallest and middle number.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn min_and_median(mut runs: Vec<f64>) -> (f64, f64) {
    runs.sort_by(f64::total_cmp);
    (runs[0], runs[runs.len() / 2])
}

impl Record {
    /// The README's tables: nanoseconds a constraint and milliseconds a frame, the fastest of many runs: what else a machine
    /// does only adds.
    #[must_use]
    pub fn table(&self) -> String {
        let mut out = String::new();
        let lanes = |l: &LaneTimes| if l.threads == 1 { l.isa.clone() } else { format!("{}, {}", l.isa, l.threads) };
        let lanes: Vec<String> = self.sweeps.first().map_or(Vec::new(), |s| s.lanes.iter().map(lanes).collect());
        let _ = writeln!(out, "seidel {} on {}, {} cores\n", self.version, self.machine, self.cores);
        let _ = writeln!(out, "| ns a constraint | constraints | {} |", lanes.join(" | "));
        let _ = writeln!(out, "|:--|--:|{}", "--:|".repeat(lanes.len()));
        for s in &self.sweeps {
            let times: Vec<_> = s.lanes.iter().map(|l| format!("{:.2}", l.min)).collect();
            let _ = writeln!(out, "| {} | {} | {} |", s.name, s.constraints, times.join(" | "));
        }
        let _ = writeln!(out, "\n| ms a frame | particles | lanes | threads | frame | constraints | contacts | rest |");
        let _ = writeln!(out, "|:--|--:|:--|--:|--:|--:|--:|--:|");
        for s in &self.steps {
            let StepTimes { name, particles, isa, threads, min, solve, contacts, .. } = s;
            let rest = s.predict + s.velocity;
            let _ = writeln!(
                out,
                "| {name} | {particles} | {isa} | {threads} | {min:.2} | {solve:.2} | {contacts:.2} | {rest:.2} |"
            );
        }
        out
    }
}
