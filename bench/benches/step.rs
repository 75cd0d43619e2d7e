//! One frame of the named scenes: on one thread and two, and of the main one on every lane type.

#![allow(missing_docs)] // criterion_group!

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use seidel_bench::{Line, Steps, step};
use seidel_kernels::Isa;
use std::time::Duration;

fn steps(c: &mut Criterion) {
    for name in step::NAMES {
        let work = Steps::named(name);
        let mut runs = vec![(Isa::detect(), 1), (Isa::detect(), 2)];
        if *name == "cloth-sphere-100" {
            let narrower = Isa::available().into_iter().filter(|isa| *isa != Isa::detect());
            runs.extend(narrower.map(|isa| (isa, 1)));
        }
        Line::print(&runs.iter().map(|&(isa, threads)| work.line(isa, threads)).collect::<Vec<_>>());
        let mut group = c.benchmark_group(*name);
        group.throughput(Throughput::Elements(work.projections()));
        for (isa, threads) in runs {
            let mut run = work.run(isa, threads);
            group.bench_function(format!("{isa}/{threads}"), |b| b.iter_custom(|frames| run.timed(frames)));
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    targets = steps
}
criterion_main!(benches);
