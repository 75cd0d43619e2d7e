//! Other engines at the works of the scoreboard, on the same meshes, rows and motion.
//!
//! `seidel-peers list` prints the engines, `seidel-peers answer ENGINE WORK THREADS` takes part in a run of the
//! scoreboard (bench/src/peers.rs says how), and `seidel-peers measure [WORK]...` measures alone and prints a list as
//! the scoreboard's. `seidel-peers bodies [SCENE]...` measures scenes of rigid bodies in this engine and in rapier3d,
//! which take turns, and prints a record; `seidel-peers water` measures water beside salva3d, and
//! `seidel-peers sheets [SCENE]...` sheets that touch beside rapier3d's. `seidel-peers table FILE` prints the table of
//! docs/benchmarks.md from a record.

mod bodies;
mod cloth_core;
mod prepared;
mod rapier;
mod sheets;
mod water;

use prepared::Prepared;
use seidel_bench::entry::{Entry, NS};
use seidel_bench::rounds::{Budget, Contender, alternate};
use seidel_bench::swept::Swept;
use std::io::BufRead;
use std::process::ExitCode;
use std::time::Duration;

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
        ["bodies", ref scenes @ ..] => rigid(scenes),
        ["alone", engine, scene, substeps, threads] => alone(engine, scene, substeps, threads),
        ["water", ref numbers @ ..] if numbers.len() <= 2 => {
            let numbers = numbers.iter().map(|n| n.parse().map_err(|_| "water: numbers of particles and frames".to_owned()));
            numbers
                .collect::<Result<Vec<usize>, String>>()
                .and_then(|n| water::measure(n.first().copied(), n.get(1).copied().map(|n| n.max(8))))
                .and_then(|rows| print(&rows))
        }
        ["sheets"] => sheets::measure(&sheets::NAMES).and_then(|rows| print(&rows)),
        ["sheets", ref scenes @ ..] => sheets::measure(scenes).and_then(|rows| print(&rows)),
        ["table", file] => table(file),
        _ => Err("usage: seidel-peers list | answer ENGINE WORK THREADS | measure [WORK]... | \
                  bodies [SCENE]... [--substeps N] | alone ENGINE SCENE SUBSTEPS THREADS | water [PARTICLES [FRAMES]] | sheets [SCENE]... | table FILE"
            .to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("seidel-peers: {message}");
            ExitCode::from(2)
        }
    }
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

fn rigid(words: &[&str]) -> Result<(), String> {
    let (scenes, substeps) = match words {
        [scenes @ .., "--substeps", number] => {
            let number = number.parse().ok().filter(|n| (1..=1000).contains(n));
            (scenes, Some(number.ok_or("--substeps: a number from 1 to 1000")?))
        }
        scenes => (scenes, None),
    };
    let rows = bodies::measure(if scenes.is_empty() { &bodies::NAMES } else { scenes }, substeps)?;
    print(&rows)
}

fn alone(engine: &str, scene: &str, substeps: &str, threads: &str) -> Result<(), String> {
    let number = |text: &str| text.parse().ok().filter(|n| (1..=1000).contains(n));
    let (substeps, threads) = number(substeps).zip(number(threads)).ok_or("SUBSTEPS and THREADS are numbers from 1")?;
    println!("{}", bodies::alone(engine, scene, substeps, threads)?);
    Ok(())
}

/// As a list, an entry a line.
fn print<T: serde::Serialize>(rows: &[T]) -> Result<(), String> {
    let lines = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    println!("[\n  {}\n]", lines.join(",\n  "));
    Ok(())
}

fn table(file: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    if let Ok(rows) = serde_json::from_str::<Vec<bodies::Row>>(&text) {
        print!("{}", bodies::table(&rows));
    } else if let Ok(rows) = serde_json::from_str::<Vec<sheets::Row>>(&text) {
        print!("{}", sheets::table(&rows));
    } else {
        let rows: Vec<water::Row> = serde_json::from_str(&text).map_err(|e| format!("{file}: {e}"))?;
        print!("{}", water::table(&rows));
    }
    Ok(())
}
