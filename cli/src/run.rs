//! `seidel run`: a scene, frame by frame, into files and figures.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use seidel::{Execution, Input, Plan, Report, Solver};
use seidel_io::aside::Target;
use seidel_io::frames::FrameWriter;
use seidel_io::{recording, scene, writers};

use crate::RunArgs;
use crate::stats::{Record, Stats};
use crate::table;

type Failure = Box<dyn std::error::Error>;

/// Set by Ctrl-C; looked at between frames, so that files being written go away in order.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let mut spec = scene::load(&args.scene, &args.set)?;
    spec.frames = args.frames.unwrap_or(spec.frames);
    spec.fps = args.fps.unwrap_or(spec.fps);
    spec.solver.substeps = args.substeps.unwrap_or(spec.solver.substeps);
    spec.solver.iterations = args.iterations.unwrap_or(spec.solver.iterations);
    if spec.name.is_empty() {
        spec.name.clone_from(&args.scene);
    }
    let built = scene::build(&args.scene, &spec)?;
    let start = Instant::now();
    let plan = Arc::new(Plan::new(&built).map_err(|e| format!("{}: {e}", args.scene))?);
    let plan_ms = start.elapsed().as_secs_f64() * 1e3;
    let input = Input::new((1.0 / spec.fps) as f32).map_err(|e| format!("--fps {}: {e}", spec.fps))?;

    let header = recording::header(&plan, &spec.name, spec.fps);
    let mut files: Vec<Box<dyn FrameWriter>> = Vec::new();
    for path in &args.out {
        files.push(writers::open(path, &header)?);
    }
    let stats_file = args.stats.as_deref().map(Target::new).transpose()?;

    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed))?;
    let threads = args.threads.map_or_else(|| Execution::default().threads, usize::from);
    let mut solver = Solver::with(Arc::clone(&plan), Execution { isa: args.isa, threads });
    let record = frames(&mut solver, &input, spec.frames, &mut files, &spec.name)?;
    for file in files {
        file.finish()?;
    }

    let stats = Stats {
        scene: spec.name.clone(),
        threads: solver.scratch().threads(),
        isa: solver.scratch().isa().name().to_owned(),
        plan_ms,
        frame_s: f64::from(input.dt()),
        state_hash: format!("{:016x}", solver.state().hash()),
        ..record.stats(&plan)
    };
    if let Some(file) = stats_file {
        file.write(serde_json::to_string_pretty(&stats)?.as_bytes())?;
    }
    table::print(&table::report(&stats));
    for path in args.out.iter().chain(&args.stats) {
        table::print(&format!("{}{}\n", path.display(), hint(path)));
    }
    Ok(ExitCode::SUCCESS)
}

/// What to do with a file.
fn hint(path: &Path) -> &'static str {
    let html = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html"));
    if html { " is written: open it in a browser" } else { " is written" }
}

fn frames(
    solver: &mut Solver,
    input: &Input,
    count: u32,
    files: &mut [Box<dyn FrameWriter>],
    name: &str,
) -> Result<Record, Failure> {
    let bar = ProgressBar::with_draw_target(Some(u64::from(count)), draw_target());
    bar.set_style(ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} frames, {eta} left")?);
    bar.set_prefix(name.to_owned());
    let mut record = Record::default();
    let mut buffers = recording::Buffers::default();
    for frame in 0..count {
        let start = Instant::now();
        let report = solver.step(input);
        let whole = start.elapsed();
        warn(&bar, frame, &report)?;
        let measured = solver.measure();
        record.step(whole, &report.times);
        record.measured(&measured, report.contacts);
        if !files.is_empty() {
            let frame = buffers.read(solver.plan(), solver.state(), &measured);
            files.iter_mut().try_for_each(|file| file.frame(&frame))?;
        }
        bar.inc(1);
        if INTERRUPTED.load(Ordering::Relaxed) {
            return Err(format!("interrupted at frame {frame}; nothing is written").into());
        }
        if report.stopped {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(record)
}

/// On a terminal, a bar; in a pipe, nothing.
fn draw_target() -> ProgressDrawTarget {
    if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() }
}

/// Says what a step could not do.
fn warn(bar: &ProgressBar, frame: u32, report: &Report) -> Result<(), Failure> {
    if let Some(error) = &report.rejected {
        return Err(format!("frame {frame}: {error}").into());
    }
    if let Some(lost) = &report.lost {
        let (body, vertex, substep) = (&lost.body, lost.vertex, lost.substep);
        let text =
            format!("warning: frame {frame}, substep {substep}: vertex {vertex} of `{body}` is lost (not finite)");
        bar.suspend(|| eprintln!("{text}"));
    }
    Ok(())
}
