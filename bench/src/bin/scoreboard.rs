//! The scoreboard: this engine on every lane type, its peers and the machine's limits, measured in one run.
//!
//! Everybody takes turns, round after round, so that whatever else the machine does meets all alike; the smallest and
//! the middle of many rounds are kept. Every sweep and every step starts from the same state, whose hash afterwards is
//! printed.

use clap::Parser;
use clap::error::ErrorKind;
use seidel_bench::contest::Bench;
use seidel_bench::entry::{Entry, machine};
use seidel_bench::limits::Limits;
use seidel_bench::measure::growth;
use seidel_bench::peers::Peers;
use seidel_bench::table;
use seidel_bench::work::Work;
use seidel_io::aside::Target;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Measures this engine, its peers and the machine's limits, and prints them side by side.
#[derive(Debug, Parser)]
#[command(name = "scoreboard", version)]
struct Args {
    /// What to measure, instead of all: KIND-grid-N, KIND-irregular-Nk, step-SCENE[-N], many-COUNTxN, plan-grid-N,
    /// neighbours-random-Nk, neighbours-block-Nk, overhead
    #[arg(value_parser = Work::parse)]
    work: Vec<Work>,
    /// Less than a minute: fewer rounds, the main works, peers only at small meshes
    #[arg(long)]
    quick: bool,
    /// Builds the peers that are crates (bench/peers/) before measuring
    #[arg(long)]
    peers: bool,
    /// Writes a list of {work, engine, lanes, threads, value, unit, percent_of_limit, state_hash, ...}
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Prints the tables of docs/benchmarks.md from what --json has written, and measures nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["work", "quick", "peers", "json"])]
    table: Option<PathBuf>,
}

/// What ends the program: a line, and 2 for what was asked or 1 for what failed.
struct Stop(String, u8);

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(e) if matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => e.exit(),
        Err(e) => return stop(Stop(first_line(&e.to_string()), 2)),
    };
    match args.table.as_deref().map_or_else(|| measure(&args), tables) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => stop(e),
    }
}

fn stop(Stop(message, code): Stop) -> ExitCode {
    eprintln!("scoreboard: {message}");
    ExitCode::from(code)
}

fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

fn tables(file: &Path) -> Result<(), Stop> {
    let fails = |e: &dyn std::fmt::Display| Stop(format!("{}: {e}", file.display()), 1);
    let text = std::fs::read_to_string(file).map_err(|e| fails(&e))?;
    let entries: Vec<Entry> = serde_json::from_str(&text)
        .map_err(|e| Stop(format!("{}: not what scoreboard --json has written: {e}", file.display()), 1))?;
    if entries.is_empty() {
        return Err(fails(&"nothing was measured"));
    }
    print!("{}", table::readme(&entries));
    Ok(())
}

fn measure(args: &Args) -> Result<(), Stop> {
    let failed = |message| Stop(message, 1);
    let target = args.json.as_deref().map(Target::new).transpose().map_err(|e| failed(e.to_string()))?;
    let peers = Peers::find(args.peers).map_err(failed)?;
    let notes = peers.notes.clone();
    println!("{}", machine());
    println!("# name constraints colors lanes threads hash; below it: engine lanes threads time");
    let works = if args.work.is_empty() { Work::listed(!args.quick) } else { args.work.clone() };
    let limits = Limits::measure(Duration::from_secs(if args.quick { 2 } else { 8 }));
    let bench = Bench { quick: args.quick, limits, peers };
    let mut entries = bench.limits.entries();
    entries.extend(works.iter().flat_map(|work| bench.measure(work)));
    entries.extend(growth(&entries));
    if let Some(target) = target {
        let lines = entries.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
        let text = lines.map_err(|e| failed(e.to_string()))?.join(",\n  ");
        target.write(format!("[\n  {text}\n]\n").as_bytes()).map_err(|e| failed(e.to_string()))?;
    }
    print!("\n{}", table::board(&entries));
    for note in notes {
        println!("{note}");
    }
    Ok(())
}
