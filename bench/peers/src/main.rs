//! Other engines at the works of the scoreboard, on the same meshes, rows and motion.
//!
//! `seidel-peers list` prints the engines, `seidel-peers answer ENGINE WORK THREADS` takes part in a run of the scoreboard
//! (bench/src/peers.rs says how), and `seidel-peers measure [WORK]...` measures alone and prints a list as the scoreboard's.

mod cloth_core;
mod rapier;

use seidel_bench::entry::{Entry, NS};
use seidel_bench::rounds::{Budget, Contender, alternate};
use seidel_bench::swept::Swept;
use std::io::BufRead;
use std::process::ExitCode;
use std::time::Duration;

/// An engine that has prepared a work.
struct Prepared {
    /// Of a sweep.
    constraints: usize,
    /// How wide it was built.
    lanes: &'static str,
    contender: Box<dyn Contender>,
}

/// Prepares a work on a number of threads, if the engine does it.
type Prepare = fn(&Swept, usize) -> Option<Prepared>;

const ENGINES: [(&str, Prepare); 3] = [
    ("rapier3d 0.36.1", rapier::substeps),
    ("rapier3d 0.36.1 (linear)", rapier::iterations),
    ("rapier-cloth-core 0.3.0", cloth_core::iterations),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["list"] => {
            ENGINES.iter().for_each(|(name, _)| println!("{name}"));
            Ok(())
        }
        ["answer", engine, work, threads] => answer(engine, work, threads),
        ["measure", ref works @ ..] => measure(works),
        _ => Err("usage: seidel-peers list | answer ENGINE WORK THREADS | measure [WORK]...".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("seidel-peers: {message}");
            ExitCode::from(2)
        }
    }
}

/// A slope that another program has turned over is no time; it never counts as the smallest.
fn positive(slope: f64) -> f64 {
    if slope > 0.0 { slope } else { f64::INFINITY }
}

fn prepare(engine: &str, prepare: Prepare, work: &str, threads: usize) -> Option<(Entry, Box<dyn Contender>)> {
    let prepared = prepare(&Swept::parse(work).ok()?, threads)?;
    let entry = Entry {
        engine: engine.to_owned(),
        constraints: Some(prepared.constraints),
        ..Entry::here(work, prepared.lanes, threads, 0.0, NS)
    };
    Some((entry, prepared.contender))
}

fn answer(engine: &str, work: &str, threads: &str) -> Result<(), String> {
    let threads = threads.parse().ok().filter(|n| (1..=1024).contains(n)).ok_or("THREADS is a number from 1")?;
    let (name, of) = ENGINES.iter().find(|(name, _)| *name == engine).ok_or("no such engine; see `list`")?;
    let Some((entry, mut contender)) = prepare(name, *of, work, threads) else {
        println!("null");
        return Ok(());
    };
    println!("{}", serde_json::to_string(&entry).map_err(|e| e.to_string())?);
    for line in std::io::stdin().lock().lines() {
        line.map_err(|e| e.to_string())?;
        match contender.round() {
            Some(time) => println!("{time}"),
            None => break,
        }
    }
    Ok(())
}

fn measure(works: &[&str]) -> Result<(), String> {
    let works = if works.is_empty() { &["distance-grid-100", "dihedral-grid-100"][..] } else { works };
    let mut entries = Vec::new();
    for work in works {
        let all = ENGINES.iter().flat_map(|(name, of)| [1, 2].map(|threads| prepare(name, *of, work, threads)));
        let (prepared, mut contenders): (Vec<_>, Vec<_>) = all.flatten().unzip();
        let times = alternate(&mut contenders, Budget { time: Duration::from_secs(4), rounds: 7 });
        entries.extend(prepared.into_iter().zip(times).filter_map(|(e, t)| t.map(|t| e.timed(t.min, t.median))));
    }
    let text = serde_json::to_string_pretty(&entries).map_err(|e| e.to_string())?;
    println!("{text}");
    Ok(())
}
