//! Quality for time: milliseconds a frame until a hanging cloth is hardly stretched, for orders, substeps, iterations,
//! tethers.

use clap::Parser;
use seidel_bench::curve;
use seidel_bench::quality::{self, Point};
use seidel_bench::swept::Swept;
use seidel_io::aside::Target;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Measures which stretch a frame's time leaves in a hanging cloth with a weight at its hem.
#[derive(Debug, Parser)]
#[command(name = "quality", version)]
struct Args {
    /// Particles along a side of the cloth
    #[arg(long, default_value_t = 316, value_parser = clap::value_parser!(u32).range(4..=2048))]
    side: u32,
    /// Sweeps whose residual is compared after the cloth
    #[arg(value_parser = Swept::parse)]
    work: Vec<Swept>,
    /// Writes every measured point
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Prints the table of docs/benchmarks.md from what --json has written, and measures nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["work", "json"])]
    table: Option<PathBuf>,
    /// Draws its curves, too
    #[arg(long, value_name = "FILE", requires = "table")]
    svg: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = args.table.as_deref().map_or_else(|| measure(&args), |file| table(file, args.svg.as_deref()));
    done.map_or_else(
        |message| {
            eprintln!("quality: {message}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn table(file: &Path, svg: Option<&Path>) -> Result<(), String> {
    let fails = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    let text = std::fs::read_to_string(file).map_err(|e| fails(&e))?;
    let points: Vec<Point> = serde_json::from_str(&text)
        .map_err(|e| format!("{}: not what quality --json has written: {e}", file.display()))?;
    if points.is_empty() {
        return Err(fails(&"nothing was measured"));
    }
    if let Some(svg) = svg {
        let target = Target::new(svg).map_err(|e| e.to_string())?;
        if Target::new(file).is_ok_and(|read| read.is_same(&target)) {
            return Err(format!("{}: the points are read from there; draw into another file", svg.display()));
        }
        target.write(curve::svg(&points)?.as_bytes()).map_err(|e| e.to_string())?;
    }
    print!("{}", quality::table(&points));
    Ok(())
}

fn measure(args: &Args) -> Result<(), String> {
    let target = args.json.as_deref().map(Target::new).transpose().map_err(|e| e.to_string())?;
    println!(
        "# order, rows from tether to tether, substeps x iterations, a frame, largest stretch, sag, frames to rest"
    );
    let points = quality::measure(args.side, &quality::ways()).map_err(|e| e.to_string())?;
    if let Some(target) = target {
        let lines = points.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
        let text = lines.map_err(|e| e.to_string())?.join(",\n  ");
        target.write(format!("[\n  {text}\n]\n").as_bytes()).map_err(|e| e.to_string())?;
    }
    print!("\n{}", quality::table(&points));
    for work in &args.work {
        print!("\n{}", quality::residuals(work));
    }
    Ok(())
}
