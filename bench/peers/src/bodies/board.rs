//! Engines take turns at the scenes, step by step; the table of docs/benchmarks.md.

use super::truth::Truth;
use super::work::{Setting, Work};
use super::{OURS, RAPIER, build, scenes, stands, truth};
use seidel_bench::entry::{Entry, MS};
use seidel_bench::rounds::Times;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::time::Instant;

/// An engine at a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Work, engine, threads, the smallest and the middle time of a step.
    pub(crate) entry: Entry,
    pub(crate) bodies: usize,
    pub(crate) joints: usize,
    /// Of a step of 1/60 s.
    pub(crate) substeps: usize,
    /// Steps after which the truth was measured.
    pub(crate) steps: usize,
    pub(crate) truth: Truth,
}

/// Threads that each engine runs on.
const THREADS: [usize; 2] = [1, 2];

/// rapier3d's own number of substeps. Ten boxes stand at it in both engines, so both are given as many, unless one
/// needs more.
const SUBSTEPS: usize = 4;

/// Measures scenes; `substeps` instead of as many as each engine needs, if it is given.
pub(crate) fn measure(names: &[&str], substeps: Option<usize>) -> Result<Vec<Row>, String> {
    let works: Vec<Work> = names
        .iter()
        .map(|name| scenes::find(name).ok_or_else(|| format!("`{name}` is none of {}", super::NAMES.join(", "))))
        .collect::<Result<_, _>>()?;
    let (mut ways, mut bars) = (Vec::new(), Vec::new());
    for engine in [OURS, RAPIER] {
        let Some(substeps) = substeps else {
            let (least, said) = stands::least(engine)?;
            said.iter().for_each(|line| eprintln!("{line}"));
            ways.push((engine, least.max(SUBSTEPS)));
            bars.push((engine, least));
            continue;
        };
        ways.push((engine, substeps));
    }
    let mut rows = Vec::new();
    for work in &works {
        let both =
            ways.iter().flat_map(|&(engine, substeps)| THREADS.map(|threads| Setting { engine, substeps, threads }));
        let mut settings: Vec<Setting> = both.collect();
        if work.name == "large_pyramid" && substeps.is_none() {
            // More substeps, to see their cost and their gain; and the fewest with which the ten boxes stand.
            let others = [(OURS, 8), (OURS, 20), (RAPIER, 8), (RAPIER, 20)].into_iter().chain(bars.iter().copied());
            let others = others.filter(|other| !ways.contains(other));
            settings.extend(others.map(|(engine, substeps)| Setting { engine, substeps, threads: 1 }));
        }
        let of_work = take_turns(work, &settings)?;
        eprint!("{}", table(&of_work));
        rows.extend(of_work);
    }
    Ok(rows)
}

/// One engine at one scene, to be looked at with a profiler: the smallest and the middle time of a step, ms, and what
/// has become of the scene.
pub(crate) fn alone(engine: &str, scene: &str, substeps: usize, threads: usize) -> Result<String, String> {
    let work = scenes::find(scene).ok_or_else(|| format!("`{scene}` is none of {}", super::NAMES.join(", ")))?;
    let engine = if RAPIER.starts_with(engine) { RAPIER } else { OURS };
    let mut built = build(&work, Setting { engine, substeps, threads })?;
    let mut times = Vec::new();
    let [before, timed] = work.steps;
    for step in 0..before + timed {
        let start = Instant::now();
        built.step();
        if step >= before {
            times.push(1e3 * start.elapsed().as_secs_f64());
        }
    }
    let times = Times::of(times).ok_or("no step was timed")?;
    let truth = truth::measure(&work, &*built)?;
    Ok(format!("{engine}: {} ms, {} ms; {truth:?}", figure(times.min), figure(times.median)))
}

fn take_turns(work: &Work, settings: &[Setting]) -> Result<Vec<Row>, String> {
    let mut engines = settings.iter().map(|&setting| build(work, setting)).collect::<Result<Vec<_>, _>>()?;
    let mut times = vec![Vec::new(); engines.len()];
    let [before, timed] = work.steps;
    for step in 0..before + timed {
        for at in 0..engines.len() {
            // There and back, so that nobody always comes after the same.
            let at = if step % 2 == 0 { at } else { engines.len() - 1 - at };
            let start = Instant::now();
            engines[at].step();
            if step >= before {
                times[at].push(1e3 * start.elapsed().as_secs_f64());
            }
        }
    }
    let mut rows = Vec::new();
    for ((setting, engine), times) in settings.iter().zip(&engines).zip(times) {
        let times = Times::of(times).ok_or("no step was timed")?;
        let lanes = if setting.engine == OURS { seidel::Isa::detect().name() } else { "simd8" };
        let mut entry = Entry::here(work.name, lanes, setting.threads, 0.0, MS).timed(times.min, times.median);
        setting.engine.clone_into(&mut entry.engine);
        rows.push(Row {
            entry,
            bodies: work.bodies.len(),
            joints: work.joints.len(),
            substeps: setting.substeps,
            steps: before + timed,
            truth: truth::measure(work, &**engine)?,
        });
    }
    Ok(rows)
}

/// To three digits or so.
fn figure(value: f64) -> String {
    match value.abs() {
        v if v < 9.995 => format!("{value:.2}"),
        v if v < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A line an engine, scene and number of substeps.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut out = String::new();
    let Some(first) = rows.first() else { return out };
    let _ = writeln!(out, "{} on {}, {}\n", OURS, first.entry.machine, first.entry.date);
    out += "| ms a step | bodies | joints | engine | substeps | 1 thread | 2 threads | median, 1 | median, 2 | in each other, mm: 99.9 %, mean \
            | joints open, mm: most, mean | aside, down, mm | speed, mm/s |\n|:--|--:|--:|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for row in rows.iter().filter(|row| row.entry.threads == THREADS[0]) {
        let of = |threads: usize| {
            rows.iter().find(|other| {
                let (one, other_entry) = (&row.entry, &other.entry);
                other_entry.work == one.work
                    && other_entry.engine == one.engine
                    && other.substeps == row.substeps
                    && other_entry.threads == threads
            })
        };
        let value = |threads| of(threads).map_or(String::new(), |row| figure(row.entry.value));
        let median = |threads| of(threads).and_then(|row| row.entry.median).map_or(String::new(), figure);
        let both = |most: Option<f64>, mean: Option<f64>| match (most, mean) {
            (Some(most), Some(mean)) => format!("{}, {}", figure(most), figure(mean)),
            _ => String::new(),
        };
        let truth = &row.truth;
        // Of what falls and turns it says nothing.
        let way =
            if row.entry.work == "large_pyramid" { both(Some(truth.aside), Some(truth.down)) } else { String::new() };
        let lost = if truth.lost > 0 { format!("; {} lost", truth.lost) } else { String::new() };
        let cells = [
            row.entry.work.clone(),
            row.bodies.to_string(),
            row.joints.to_string(),
            row.entry.engine.clone(),
            row.substeps.to_string(),
            value(1),
            value(2),
            median(1),
            median(2),
            both(truth.deepest, truth.depth),
            both(truth.widest, truth.gap),
            way,
            format!("{}{lost}", figure(truth.speed)),
        ];
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}
