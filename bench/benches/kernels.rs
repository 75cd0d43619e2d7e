//! Ten sweeps over all constraints of a mesh, for every kind in the table and every lane type: time and constraints a
//! second.

#![allow(missing_docs)] // criterion_group!

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use seidel_bench::motion::SWEEPS;
use seidel_bench::{Line, Sweep, sweep};
use std::time::Duration;

fn kernels(c: &mut Criterion) {
    for name in sweep::names() {
        let work = Sweep::named(&name);
        let lines = work.lines();
        Line::print(&lines);
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(work.constraints() as u64 * u64::from(SWEEPS)));
        for Line { isa, .. } in lines {
            let mut run = work.on(isa, 1);
            group.bench_function(isa.name(), |b| b.iter_custom(|runs| run.timed(runs)));
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = kernels
}
criterion_main!(benches);
