//! Nanoseconds a constraint on every lane type, and how a step scales with threads: the README's figures.
//!
//! `ns [--json FILE] [SWEEP]...` measures, all or the named sweeps (`rope-grid-64`: a kind in the table and a mesh);
//! `ns --table FILE` prints the README's tables from what was written.
//!
//! All lane types take turns, round after round, so that whatever else the machine does meets all of them; the smallest
//! and the middle of many rounds are kept. Every sweep and every frame starts from the same state.

use seidel_bench::record::{LaneTimes, Record, StepTimes, SweepTimes, min_and_median};
use seidel_bench::{Line, Steps, Sweep, SweepRun, sweep};
use seidel_kernels::Isa;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Time for one workload, all its lanes or threads together.
const BUDGET: Duration = Duration::from_secs(4);
/// Time of one run, so that the clock's own grain does not show.
const RUN: Duration = Duration::from_micros(200);
const SCENES: [&str; 2] = ["cloth-sphere-100", "cloth-sphere-128"];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args[..] {
        ["--table", file] => table(file),
        ["--json", file, ref sweeps @ ..] => measure(Some(file), sweeps),
        [first, ..] if first.starts_with('-') => Err("usage: ns [--json FILE] [SWEEP]... | ns --table FILE".to_owned()),
        ref sweeps => measure(None, sweeps),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn table(file: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    let record: Record = serde_json::from_str(&text).map_err(|e| format!("{file}: {e}"))?;
    print!("{}", record.table());
    Ok(())
}

fn measure(file: Option<&str>, named: &[&str]) -> Result<(), String> {
    let (sweeps, scenes) = match named {
        [] => (sweep::names(), &SCENES[..]),
        _ => (named.iter().map(|name| (*name).to_owned()).collect(), &[][..]),
    };
    let record = Record {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: machine(),
        cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        sweeps: sweeps.iter().map(|name| sweep_times(name)).collect(),
        steps: scenes.iter().flat_map(|name| step_times(name)).collect(),
    };
    if let Some(file) = file {
        let text = serde_json::to_string_pretty(&record).map_err(|e| e.to_string())?;
        std::fs::write(file, text + "\n").map_err(|e| format!("{file}: {e}"))?;
    }
    print!("\n{}", record.table());
    Ok(())
}

/// The processor's name and generation, where the system tells.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split(':').nth(1)).map(|value| value.trim().to_owned())
    };
    match (field("model name"), field("cpu family"), field("model")) {
        (Some(name), Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        (Some(name), ..) => name,
        _ => std::env::consts::ARCH.to_owned(),
    }
}

fn sweep_times(name: &str) -> SweepTimes {
    let work = Sweep::named(name);
    let mut lines = work.lines();
    lines.push(work.line(Isa::detect(), 2));
    Line::print(&lines);
    let constraints = work.constraints();
    let mut runs_on: Vec<SweepRun<'_>> = lines.iter().map(|line| work.on(line.isa, line.threads)).collect();
    let counts: Vec<u64> = runs_on
        .iter_mut()
        .map(|run| {
            let once = run.timed(3) / 3;
            (RUN.as_nanos() / once.as_nanos().max(1)).clamp(1, 1000) as u64
        })
        .collect();
    let mut times = vec![Vec::new(); lines.len()];
    let begin = Instant::now();
    while begin.elapsed() < BUDGET || times[0].len() < 15 {
        for ((run, &count), times) in runs_on.iter_mut().zip(&counts).zip(&mut times) {
            let projections = count * u64::from(sweep::SWEEPS) * constraints as u64;
            times.push(run.timed(count).as_nanos() as f64 / projections as f64);
        }
    }
    let rounds = times[0].len();
    let lanes = lines.iter().zip(times).map(|(line, times)| {
        let (isa, threads) = (line.isa.to_string(), line.threads);
        let (min, median) = min_and_median(times);
        println!("    {isa:<8} {threads} min {min:6.3} median {median:6.3} ns of {rounds}");
        LaneTimes { isa, threads, min: rounded(min), median: rounded(median) }
    });
    let lanes = lanes.collect();
    let Line { name, colors, hash, .. } = lines[0].clone();
    SweepTimes { name, constraints, colors, hash: format!("{hash:016x}"), lanes }
}

fn step_times(name: &str) -> Vec<StepTimes> {
    let work = Steps::named(name);
    let isa = Isa::detect();
    let threads = [1, 2];
    let lines = threads.map(|threads| work.line(isa, threads));
    Line::print(&lines);
    let mut of = threads.map(|threads| work.run(isa, threads));
    // A frame and its stages.
    let mut runs = threads.map(|_| Vec::<[f64; 5]>::new());
    let begin = Instant::now();
    while begin.elapsed() < 2 * BUDGET || runs[0].len() < 15 {
        for (run, runs) in of.iter_mut().zip(&mut runs) {
            run.restore();
            for _ in 0..3 {
                let start = Instant::now();
                let t = run.frame().times;
                let frame = start.elapsed();
                runs.push(
                    [frame, t.predict, t.constraints, t.contacts, t.velocity].map(|t| t.as_nanos() as f64 * 1e-6),
                );
            }
        }
    }
    let all = lines.into_iter().zip(runs).map(|(line, mut runs)| {
        runs.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let [min, predict, solve, contacts, velocity] = runs[0].map(rounded);
        let median = rounded(runs[runs.len() / 2][0]);
        println!("    {} threads min {min:6.3} median {median:6.3} ms of {}", line.threads, runs.len());
        StepTimes {
            name: line.name,
            particles: work.plan().particles(),
            constraints: line.constraints,
            substeps: work.plan().settings().substeps,
            isa: isa.to_string(),
            threads: line.threads,
            hash: format!("{:016x}", line.hash),
            min,
            median,
            predict,
            solve,
            contacts,
            velocity,
        }
    });
    all.collect()
}

/// To a thousandth.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
