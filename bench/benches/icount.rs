//! Instructions of ten sweeps and of one step. They repeat exactly, so a change of a few is a change of the code.
//!
//! Valgrind runs no AVX-512, and no thread faster: lanes up to AVX2, one thread. Where a processor lacks lanes, the
//! widest that it has stand in for them; the printed line says which.

#![allow(missing_docs)] // library_benchmark_group!

use iai_callgrind::{library_benchmark, library_benchmark_group};
use seidel::kinds;
use seidel_bench::step::Run;
use seidel_bench::swept::is_solid;
use seidel_bench::{Line, Steps, Sweep, SweepRun};
use seidel_kernels::{Isa, Kind};

const LANES: [&str; 3] = ["scalar", "portable", "avx2"];
const SCENES: [&str; 3] = ["cloth-sphere-24", "curtain-24", "chain"];

/// A small sweep of a kind.
fn small(kind: &Kind) -> String {
    let mesh = match (is_solid(*kind), kind.has_frames()) {
        (true, _) => "solid-6",
        (_, true) => "rod-1000",
        _ => "grid-32",
    };
    format!("{}-{mesh}", kind.name())
}

fn isa(name: &str) -> Isa {
    name.parse().unwrap_or_else(|_| Isa::detect())
}

/// Printed once, before anything is counted.
fn lines() {
    for kind in kinds::KINDS {
        let work = Sweep::named(&small(kind));
        Line::print(&LANES.map(|lanes| work.line(isa(lanes), 1)));
    }
    for name in SCENES {
        Line::print(&[steps(name).line(isa("avx2"), 1)]);
    }
}

fn prepared(name: &str, lanes: &str) -> SweepRun<'static> {
    let mut run = Box::leak(Box::new(Sweep::named(name))).on(isa(lanes), 1);
    run.restore();
    run
}

// What is returned is dropped after the count.
#[library_benchmark(setup = prepared)]
#[bench::distance_scalar("distance-grid-32", "scalar")]
#[bench::distance_portable("distance-grid-32", "portable")]
#[bench::distance_avx2("distance-grid-32", "avx2")]
#[bench::dihedral_scalar("dihedral-grid-32", "scalar")]
#[bench::dihedral_portable("dihedral-grid-32", "portable")]
#[bench::dihedral_avx2("dihedral-grid-32", "avx2")]
#[bench::isometric_scalar("isometric-grid-32", "scalar")]
#[bench::isometric_portable("isometric-grid-32", "portable")]
#[bench::isometric_avx2("isometric-grid-32", "avx2")]
fn sweep(mut run: SweepRun<'static>) -> SweepRun<'static> {
    run.sweeps();
    run
}

fn listed(lanes: &str) -> Vec<SweepRun<'static>> {
    kinds::KINDS.iter().map(|kind| prepared(&small(kind), lanes)).collect()
}

// All kinds in the table together: the macro wants names at compile time, so no count a kind can come from the table.
#[library_benchmark(setup = listed)]
#[bench::avx2("avx2")]
fn every_kind(mut all: Vec<SweepRun<'static>>) -> Vec<SweepRun<'static>> {
    for run in &mut all {
        run.sweeps();
    }
    all
}

/// The main job chooses its substeps by its size; the record is of 40.
fn steps(name: &str) -> Steps {
    if name.starts_with("cloth-sphere") { Steps::with_substeps(name, 40) } else { Steps::named(name) }
}

fn started(name: &str) -> Run<'static> {
    Box::leak(Box::new(steps(name))).run(isa("avx2"), 1)
}

#[library_benchmark(setup = started)]
#[bench::cloth_sphere("cloth-sphere-24")]
#[bench::curtain("curtain-24")]
#[bench::chain("chain")]
fn step(mut run: Run<'static>) -> Run<'static> {
    run.frame();
    run
}

library_benchmark_group!(name = sweeps; benchmarks = sweep, every_kind);
library_benchmark_group!(name = steps; benchmarks = step);

/// The runner starts this program anew for every count, with this word.
const COUNTED: &str = "--iai-run";

/// In a module, for what the macro makes is a `main` that prints nothing of ours.
mod counts {
    use super::{steps, sweeps};
    iai_callgrind::main!(library_benchmark_groups = sweeps, steps);
    pub(super) fn run() {
        main();
    }
}

/// The program again without words that are for other benches (`cargo bench -- --quick`), which the runner refuses. Its
/// own options it also takes from the environment.
fn without_foreign_words() -> Option<std::process::ExitStatus> {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let counted = words.first().is_some_and(|word| word == COUNTED);
    if counted || words.iter().all(|word| word == "--bench") {
        return None;
    }
    let program = std::env::current_exe().expect("the program has a path");
    let status = std::process::Command::new(program).arg("--bench").status();
    Some(status.expect("the program starts again"))
}

fn main() {
    if let Some(status) = without_foreign_words() {
        std::process::exit(status.code().unwrap_or(1));
    }
    if std::env::args().nth(1).is_none_or(|word| word != COUNTED) {
        lines();
    }
    counts::run();
}
